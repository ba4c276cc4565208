"""What is told of words that may be more than words: dates and numbers in forms that are not read, sums, spellings.

Nothing is guessed: such a column stays one of names or words, and the user is told what to do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from rosenblatt.data.columns.kinds import LONG_TEXT_WORDS, TEXT_WORDS, Look, may_be_misspelled, share, words_in
from rosenblatt.data.columns.numbers import CURRENCY
from rosenblatt.data.columns.words import (
    CALLED_CODE,
    CODE_NAMES,
    DAY_NAMES,
    END_OF_SUM,
    ID_NAMES,
    MONTHS,
    TOTAL_ENDS,
    TOTALS,
    WEEKDAYS,
    one_spelling,
    shown,
)
from rosenblatt.errors import counted

LEAST_VALUES, ASKED = 8, 200  # different ones, of which a form is told, and how many are asked
LONGEST_DATE = 60  # characters
ALL_BUT_FEW = 0.95  # of the values
MOST_FORMS = 3
LEAST_ROWS_OF_SUMS = 2  # one, at the end, is told by a note
YEAR = re.compile(r"(?:^|[^0-9])(?:19|20)[0-9]{2}(?:[^0-9]|$)|[0-9]年")
DATE_BEGINS = re.compile(rf"^(?:[0-9]|(?i:{MONTHS}|{WEEKDAYS})\b|[^\W\d_a-zA-Z]{{1,3}}[0-9]+年)")
DATE_HOLDS = re.compile(rf"[0-9]:[0-9]{{2}}|年|\b(?i:{MONTHS})\b|[0-9](?i:{MONTHS})[0-9]")
NUMBER_BEGINS = re.compile(rf"^[-+−–(]?(?:{CURRENCY})? ?[0-9]")
NUMBER = re.compile("[0-9]+(?:[.,][0-9]+)*")
NAMES_BY_DIGITS = re.compile(r"^[#\-./ ():+]*$")  # 555-0100, 192.168.0.1, 1.2.3 and 978-3-16: names
MIXED_FRACTION, QUARTER = "# #/#", re.compile("^#[ -]?[QqHhWw]#$")  # 1 1/2, and 2024-Q1: a category, where few


def remarks(look: Look, rows_with: Callable[[str], int]) -> str:
    """What is told of a column of texts; empty where they are plain words."""
    told = unread_dates(look) or unread_numbers(look)
    return told or (sums(look, rows_with) or alike(look) if may_be_misspelled(look.sample) else "")


def unread_dates(look: Look) -> str:
    """What is told of texts that begin and look as dates do, but are none in a form that is known.

    >>> unread_dates(Look("when", "", 8, 8, [f"2024-03-03 kl. {hour}:15" for hour in range(10, 18)]))
    '2024-03-03 kl. 10:15 may be a date: if so, say how it is written, as in --column when=date:%d/%m/%Y'
    """
    sample = sorted(look.sample)[:ASKED]
    texts = [text for text in sample if DATE_BEGINS.search(text) and YEAR.search(text) and len(text) <= LONGEST_DATE]
    if len(sample) < LEAST_VALUES or len(texts) <= ALL_BUT_FEW * len(sample):
        return ""
    if not words_in(look.name) & DAY_NAMES and share(texts, DATE_HOLDS) <= ALL_BUT_FEW:
        return ""
    option = look.option("date:%d/%m/%Y")
    return f"{shown(min(texts))} may be a date: if so, say how it is written, as in {option}"


def unread_numbers(look: Look) -> str:
    """What is told of texts that are numbers in a few forms which are not read; digits that are names are none.

    >>> unread_numbers(Look("weight", "", 8, 8, [f"{kilos} ± 2" for kilos in range(50, 58)]))
    '50 ± 2 holds numbers that are not read: write each number alone, in a column of its own'
    >>> unread_numbers(Look("phone", "", 8, 8, [f"555-01{end}" for end in range(50, 58)]))
    ''
    """
    sample = sorted(look.sample)[:ASKED]
    texts = [*filter(NUMBER_BEGINS.search, sample)]
    if len(sample) < LEAST_VALUES or len(texts) <= ALL_BUT_FEW * len(sample):
        return ""
    forms = Counter(" ".join(NUMBER.sub("#", text).split()) for text in texts).most_common(MOST_FORMS)
    told = [form for form, _ in forms if form == MIXED_FRACTION or not (NAMES_BY_DIGITS.match(form) or QUARTER.match(form))]
    if len(told) < len(forms) or sum(count for _, count in forms) <= ALL_BUT_FEW * len(sample):
        return ""
    if look.words >= LONG_TEXT_WORDS or words_in(look.name) & (ID_NAMES | CODE_NAMES) or CALLED_CODE.search(look.name):
        return ""
    return f"{shown(min(texts))} holds numbers that are not read: write each number alone, in a column of its own"


def sums(look: Look, rows_with: Callable[[str], int]) -> str:
    """What is told of rows that seem to add up others: they say so in this column.

    >>> sums(Look("region", "", 4, 4, ["East", "East Total", "West"]), lambda text: 2)
    'East Total in 2 rows: if such rows add up others, remove them'
    """
    speaking = [text for text in look.sample if END_OF_SUM.search(text.casefold())]
    totals = [text for text in speaking if text.strip().rstrip(":").lower() in TOTALS]
    totals += [text for text in speaking if text.lower().endswith(TOTAL_ENDS) and text.rpartition(" ")[0] in look.sample]
    rows = sum(map(rows_with, totals))
    if rows < LEAST_ROWS_OF_SUMS or 2 * rows > look.known:
        return ""
    return f"{shown(min(totals))} in {counted(rows, 'row')}: if such rows add up others, remove them"


def alike(look: Look) -> str:
    """What is told of categories that differ in nothing but capitals and blanks.

    >>> alike(Look("city", "", 3, 3, ["Berlin", "BERLIN", "Bonn"]))
    'BERLIN and Berlin are two values: if they mean one, spell them alike in the file'
    """
    if look.words >= TEXT_WORDS or look.is_id():
        return ""
    spelled: dict[str, list[str]] = {}
    for text in sorted(look.sample):
        spelled.setdefault(one_spelling(text), []).append(text)
    pairs = [texts for texts in spelled.values() if len(texts) > 1]
    if not pairs:
        return ""
    first, second = map(shown, pairs[0][:2])
    return f"{first} and {second} are two values: if they mean one, spell them alike in the file"
