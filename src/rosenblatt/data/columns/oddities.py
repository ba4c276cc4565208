"""What to look at in a column before it is believed: units that differ, values that may mean "not known", 1.234, 10+.

None is guessed: the column is read as it stands, and the user is told, with the option that changes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from shlex import quote
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.data.columns.dates import COUNTS, EPOCH, EPOCH_MS, EXCEL, EXCEL_1970, EXCEL_TIME, SECONDS_A_DAY, day_text
from rosenblatt.data.columns.dates import commonest as commonest_date
from rosenblatt.data.columns.kinds import Look, share, words_in
from rosenblatt.data.columns.numbers import BODIES, CURRENCY, NumberFormat, commonest, likeliest_first, recognise
from rosenblatt.data.columns.words import CODE_NAMES, DAY_NAMES, ID_NAMES, ODD_NUMBER, VERSION_NAMES, shown
from rosenblatt.errors import counted

if TYPE_CHECKING:
    import polars as pl

LEAST_ROWS, LEAST_OTHERS = 2, 3  # with the value, and different values beside it
LEAST_CUT = 5  # numbers whose sixteenth digit is a zero: by chance in one of 100,000 columns
UNITS_TOLD, MOST_UNITS = 3, 5
ALL_BUT_FEW = 0.95  # of the values
MOST_WITH_THREE = 0.6  # of fractions whose third digit is no zero: nine tenths on average, where it may be any
AMOUNT = re.compile(
    rf"^[-+−–(]? *({CURRENCY}?) *[-+−–]?[0-9][0-9.,'’ \u00a0\u202f]*?(?:[eE][+-]?[0-9]+)? *([^\s0-9.,()]{{0,12}})\)?$"
)
NUMBER, UNIT = "[0-9][0-9.,]*", r"(?: ?[^\s0-9]{1,8})?"
BOUND = re.compile(
    rf"^(?:[<>≤≥~≈±] ?=? ?[-−]?{NUMBER}{UNIT}|{CURRENCY}? ?{NUMBER} ?\+{UNIT}|{CURRENCY}? ?{NUMBER}{UNIT} ?\+|"
    rf"(?i:under|over|up to|more than|less than|at least|unter|über|bis|ab) {NUMBER}{UNIT}|{NUMBER} ?or (?:more|less))$"
)
RANGE = re.compile(rf"^{NUMBER}{UNIT} ?(?:-|–|—|\.\.|to|bis) ?{NUMBER}{UNIT}$")
RATING = re.compile(r"^[0-9][0-9.,]* ?((?:/|out of) ?[0-9]+)$")
PLAIN = re.compile(rf"^[-−]?(?:{CURRENCY} ?)?{NUMBER}{UNIT}$")
# What a spreadsheet shows of a number of twelve digits and more, and what it keeps of one.
SHORTENED = re.compile(r"^[0-9][.,][0-9]{1,5}[eE]\+?(1[1-9]|2[0-9])$")
NAME_WITH_E = re.compile("^[0-9]{1,9}E[0-9]{1,2}$")
DIGITS, MOST = re.compile("^[0-9]{1,40}$"), 1e40
SHOWN_DIGITS, KEPT_DIGITS, LEAST_DIGITS = 6, 15, 12
LEAST_SECONDS, MOST_SECONDS = 1_000_000_000, 2_000_000_000  # since 1970: September 2001 to May 2033
LEAST_SERIAL, MOST_SERIAL = 20_000, 60_000  # October 1954 to April 2064, in days as spreadsheets count them
DURATION = re.compile(
    r"^(?:[0-9]+(?::[0-5][0-9]){1,2}|(?:[0-9]+ ?(?:d|h|hrs?|std|m|min|s|sec)[a-z]*\.?,? ?){2,})$", re.IGNORECASE
)
FIRST = date(1970, 1, 1)
# Days that programs write where there is none.
ODD_DAYS = {
    (date(*day) - FIRST).days
    for day in ((1, 1, 1), (1753, 1, 1), (1899, 12, 30), (1899, 12, 31), (1900, 1, 1), (1901, 1, 1), (1970, 1, 1),
                (2099, 12, 31), (2999, 12, 31), (9999, 12, 31))
}  # fmt: skip


def odd_values(look: Look, rows_with: Callable[[str], int]) -> str:
    """What is told of a column of numbers or dates; empty where nothing is odd."""
    checks = [] if look.dates or look.wanted else [serial_days, seconds_since_1970, lost_digits, names_with_e, versions]
    told = [check(look) for check in checks]
    if look.dates or any(ODD_NUMBER.match(str(value)) for value in look.sample):
        told.append(placeholder(look, rows_with))
    return ", ".join(filter(None, told))


def serial_days(look: Look) -> str:
    """What is told of numbers that may be days as spreadsheets count them, by their size and the name of the column.

    >>> import polars as pl
    >>> serial_days(Look("order_date", "", 3, 3, [45354, 45360, 45402], dtype=pl.Int64()))
    'if 45354 means 2024-03-03, as spreadsheets count days, --column order_date=date:excel'
    """
    if not words_in(look.name) & DAY_NAMES or len(look.sample) < LEAST_OTHERS:
        return ""
    values = values_of(look)
    if not (np.isfinite(values) & (values >= LEAST_SERIAL) & (values <= MOST_SERIAL)).all():
        return ""
    format = EXCEL if (values == values.round()).all() else EXCEL_TIME
    day = day_text(values[0] - EXCEL_1970)
    return f"if {shown(look.sample[0])} means {day}, as spreadsheets count days, {look.option('date:' + format)}"


def seconds_since_1970(look: Look) -> str:
    """What is told of numbers that may be moments, by their size; the names of IDs and codes say that they are none.

    >>> import polars as pl
    >>> seconds_since_1970(Look("s", "", 3, 3, [1709424000, 1709424060, 1709510400], dtype=pl.Int64()))
    'if 1709424000 means 2024-03-03, as seconds since 1970, --column s=date:epoch'
    """
    if words_in(look.name) & (ID_NAMES | CODE_NAMES) or len(look.sample) < LEAST_OTHERS:
        return ""
    values = values_of(look) if re.search("[0-9]{10}|[eE]", str(look.sample[0])) else np.array([np.nan])
    if not np.isfinite(values).all():
        return ""
    for format, parts in ((EPOCH, 1), (EPOCH_MS, 1_000)):
        if LEAST_SECONDS * parts <= values.min() and values.max() <= MOST_SECONDS * parts:
            means = f"if {shown(look.sample[0])} means {day_text(values[0] / parts / SECONDS_A_DAY)}"
            return f"{means}, as {COUNTS[format][0]}, {look.option('date:' + format)}"
    return ""


def versions(look: Look) -> str:
    """What is told of fractions that are called versions: 1.10 comes after 1.9, and is 1.1 as a number.

    >>> import polars as pl
    >>> versions(Look("version", "", 3, 3, [1.1, 1.9, 2.0], dtype=pl.Float64()))
    '1.10 and 1.1 are one number: if they are versions, --column version=code'
    """
    if look.dtype is None or not look.dtype.is_float() or not words_in(look.name) & VERSION_NAMES:
        return ""
    return f"1.10 and 1.1 are one number: if they are versions, {look.option('code')}"


def lost_digits(look: Look) -> str:
    """What is told of long numbers whose last digits a spreadsheet has thrown away; empty where there are none.

    >>> import polars as pl
    >>> lost_digits(Look("id", "", 3, 3, [4929123456789012.0, 4.92912e15, 4929123456789255.0], dtype=pl.Float64()))
    '4.92912e+15 has lost its last digits, as long numbers do in spreadsheets: export the column again as text, or --drop id'
    >>> lost_digits(Look("budget", "", 3, 3, [1.5e9, 2.25e9, 12.0], dtype=pl.Float64()))
    ''
    """
    import polars as pl

    is_named = bool(words_in(look.name) & (ID_NAMES | CODE_NAMES))
    values = whole_numbers(look)
    if look.dtype is None:
        short = sorted(text for text in look.sample if SHORTENED.match(text))
    elif look.dtype.is_float():
        short = [f"{value:g}" for value in values if digits_of(value) >= LEAST_DIGITS and has_zeros(value, SHOWN_DIGITS)]
    else:
        short = []
    long = [value for value in values if digits_of(value) >= LEAST_DIGITS]
    alike = len({digits_of(value) for value in long}) == 1
    if len(values) < len(look.sample) or 2 * len(long) < len(values) or len(values) < LEAST_OTHERS:
        return ""
    remedy = f"as long numbers do in spreadsheets: export the column again as text, or --drop {quote(look.name)}"
    if short and (alike or is_named):
        return f"{short[0]} has lost its last digits, {remedy}"
    cut = [value for value in long if digits_of(value) > KEPT_DIGITS]
    ends = [min(digits for digits in (KEPT_DIGITS - 1, KEPT_DIGITS, 40) if has_zeros(value, digits)) for value in cut]
    if len(cut) >= LEAST_CUT and look.dtype != pl.Float64 and max(ends) == KEPT_DIGITS:
        return f"all of {digits_of(cut[0])} digits end in 0: {cut[0]} may have lost its last digits, {remedy}"
    return ""


def names_with_e(look: Look) -> str:
    """What is told of 3E5, which programs do not write for 300000: they write 3E+05, or 3e5.

    >>> names_with_e(Look("sku", "", 3, 3, ["3E5", "12", "4E0"]))
    '3E5 taken as 300000: if they are names, --column sku=code'
    """
    names = [text for text in look.sample if NAME_WITH_E.match(text)] if look.dtype is None else []
    return f"{min(names)} taken as {float(min(names)):.0f}: if they are names, {look.option('code')}" if names else ""


def whole_numbers(look: Look) -> list[int]:
    """Those of the sample, digit by digit."""
    if look.dtype is not None:
        return [int(value) for value in look.sample if abs(value) < MOST and value == round(value)]
    texts = [text for text in look.sample if DIGITS.match(text) or SHORTENED.match(text)]
    return [int(text) if text.isdigit() else int(float(text.replace(",", "."))) for text in texts]


def digits_of(value: int) -> int:
    return len(str(abs(value)))


def has_zeros(value: int, digits: int) -> bool:
    """Are all digits of a number but the first zeros?"""
    return set(str(abs(value))[digits:]) <= {"0"}


def placeholder(look: Look, rows_with: Callable[[str], int]) -> str:
    """What is told of a value that stands in some rows, far from all others: 9999, -1 or 1900-01-01; empty where none is.

    >>> import polars as pl
    >>> ages = ["31", "45", "-999", "28", "62", "-999"]
    >>> placeholder(Look("age", "", 6, 6, [31, 45, -999, 28, 62], dtype=pl.Int64()), ages.count)
    '-999 in 2 rows is far from all others: if it means missing, --missing age=-999'
    """
    values = values_of(look)
    odd = is_odd_day(values) if look.dates else np.array([ODD_NUMBER.match(str(one)) is not None for one in look.sample])
    others = values[~odd & np.isfinite(values)]
    if len(np.unique(others)) < LEAST_OTHERS:
        return ""
    low, high = others.min(), others.max()
    far = odd & ((values < low - (high - low)) | (values > high + (high - low)))
    if low >= 0 and (others == others.round()).all():  # the only one below zero
        far |= odd & (values == -1)
    if not far.any():
        return ""
    told = []
    for text in (str(look.sample[k]) for k in np.flatnonzero(far)):
        rows = rows_with(text)
        if rows >= LEAST_ROWS:
            option = f"--missing {quote(f'{look.name}={text}')}"
            told.append(f"{shown(text)} in {counted(rows, 'row')} is far from all others: if it means missing, {option}")
    return ", ".join(told)


def values_of(look: Look) -> np.ndarray:
    """The sample as numbers, or as days since 1970; nan where a value is none."""
    import polars as pl

    if look.dates:
        moments = look.dates[0].wall_times(pl.Series(look.sample))
        return (moments.dt.timestamp("us") / 86_400_000_000).cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if look.dtype is not None:
        return np.array(look.sample, dtype=float)
    plain = look.formats[0].as_plain(pl.Series(look.sample, dtype=pl.String))
    return plain.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()


def is_odd_day(days: np.ndarray) -> np.ndarray:
    return np.isin(np.floor(np.nan_to_num(days, nan=0.5)), list(ODD_DAYS))


def differing_units(look: Look) -> str:
    """What is told of texts that are numbers but for what stands beside them; empty where they are not.

    >>> differing_units(Look("weight", "", 3, 3, ["5 kg", "300 g", "2 kg"]))
    'numbers with kg or g, taken as words: write them in one unit, or --column weight=number reads those with kg'
    """
    import polars as pl

    if words_in(look.name) & CODE_NAMES:
        return ""
    look = replace(look, sample=sorted(look.sample))  # so that a table on disk, which knows no order, is told the same
    if share(look.sample, DURATION) > ALL_BUT_FEW:
        return f"most are durations, and some are not: {look.option('number:duration')} takes those as missing"
    if told := bounds_among(look) or ratings(look) or mostly_dates(look):
        return told
    parts = [match for text in look.sample if (match := AMOUNT.match(text)) is not None]
    if len(parts) <= ALL_BUT_FEW * len(look.sample):
        return ""
    units = Counter(match[1] + match[2] for match in parts)
    names = [unit or "nothing" for unit, _ in units.most_common(UNITS_TOLD)]
    if len(units) > MOST_UNITS:  # as the letters of hexadecimal digits
        return ""
    texts = pl.Series(look.sample, dtype=pl.String)
    if [*units] == [""]:
        return written_in_ways(look)
    if len(units) == 1 and recognise(texts):  # so others, which are not in the sample, do not fit
        return f"most are numbers with {names[0]}, and some are not: {look.option('number')} takes those as missing"
    if len(units) == 1:
        format = numbers_with(names[0], pl.Series([match[0] for match in parts], dtype=pl.String))
        if format is None:  # as €5K, which has one in front and one behind
            return f"numbers with {names[0]}, taken as words: write the numbers alone" if parts[0][1] and parts[0][2] else ""
        return f"numbers with {names[0]}, a unit that is not known: {look.option('number:' + format.example())} reads them"
    what = f"numbers with {' or '.join(names)}{' …' * (len(units) > UNITS_TOLD)}, taken as words: write them in one unit"
    likely = commonest(texts)
    if not likely.fits(texts).any():
        return what
    return f"{what}, or {look.option('number')} reads those with {likely.unit.lower() or 'nothing'}"


def bounds_among(look: Look) -> str:
    """What is told of numbers of which some are limits or ranges, as <0.5, 10+ and 5-10; empty where there are none.

    >>> bounds_among(Look("visits", "", 9, 9, ["0", "1", "2", "3", "4", "5-10", "10+"]))
    'numbers, some as 5-10 or 10+, taken as words: --column visits=number takes such cells as missing'
    >>> bounds_among(Look("age", "", 9, 9, ["18-25", "26-35", "36+"]))  # groups, and no numbers
    ''
    """
    import polars as pl

    bounds = [text for text in look.sample if BOUND.match(text)]
    ranges = [text for text in look.sample if RANGE.match(text)]
    plain = [text for text in look.sample if PLAIN.match(text) and not BOUND.match(text)]
    odd = [shown(some[0]) for some in (ranges, bounds) if some]
    if not odd or len(bounds) + len(ranges) + len(plain) <= ALL_BUT_FEW * len(look.sample) or len(ranges) > len(plain):
        return ""
    if len(bounds) > len(look.sample) / 2:
        format = numbers_with("+", pl.Series(bounds, dtype=pl.String))
        remedy = f"{look.option('number:' + format.example())} reads them" if format else "write them without the sign"
        return f"numbers as {odd[-1]}, taken as words: {remedy}"
    return f"numbers, some as {' or '.join(odd)}, taken as words: {look.option('number')} takes such cells as missing"


def written_in_ways(look: Look) -> str:
    """What is told of numbers that are not all written in one format.

    >>> written_in_ways(Look("price", "", 3, 3, ["1,5", "2,25", "3.5"]))
    'numbers, but not written in one way, as 1,5 and 3.5: --column price=number reads those as 1.234,5, others as missing'
    >>> written_in_ways(Look("version", "", 2, 2, ["1.2.3", "1.10.0"]))
    ''
    """
    import polars as pl

    texts = pl.Series(look.sample, dtype=pl.String)
    ways = [NumberFormat(*marks).fits(texts) for marks in BODIES]
    likely = commonest(texts)
    fits = likely.fits(texts)
    if not all(any(of_text) for of_text in zip(*ways, strict=True)) or fits.all() or not fits.any():
        return ""
    both = f"{shown(texts.filter(fits)[0])} and {shown(texts.filter(~fits)[0])}"
    told = f"{look.option('number')} reads those as {likely.describe()}, others as missing"
    return f"numbers, but not written in one way, as {both}: {told}"


def ratings(look: Look) -> str:
    """What is told of 4.5/5 and 4.5 out of 5.

    >>> ratings(Look("rate", "", 3, 3, ["4.5/5", "3/5", "3.9 /5"]))
    'numbers as 4.5/5, taken as words: --column rate=number:1234.5/5 reads them'
    """
    import polars as pl

    parts = [match for text in look.sample if (match := RATING.match(text)) is not None]
    units = {match[1] for match in parts}
    if len(units) != 1 or len(parts) <= ALL_BUT_FEW * len(look.sample):
        return ""
    format = numbers_with(units.pop(), pl.Series([match[0] for match in parts], dtype=pl.String))
    if format is None:
        return ""
    return f"numbers as {parts[0][0]}, taken as words: {look.option('number:' + format.example())} reads them"


def mostly_dates(look: Look) -> str:
    """What is told of texts of which most are dates, in one format, and others are none in it.

    >>> mostly_dates(Look("at", "", 4, 4, ["Oct 21, 2008", "Nov 3, 2009", "Dec 2008", "Mar 5, 2010"]))
    'most are dates as month d y, and some are not, as Dec 2008: --column at=date takes those as missing'
    """
    import polars as pl

    texts = pl.Series(look.sample, dtype=pl.String)
    format = commonest_date(texts)
    if format is None or not format.has_date or format.has_few_quarters(texts):
        return ""
    others = texts.filter(format.wall_times(texts).is_null())
    if 2 * len(others) > len(texts):
        return ""
    told = f"most are dates as {format.describe()}, and some are not{f', as {shown(others[0])}' if len(others) else ''}"
    return f"{told}: {look.option('date')} takes those as missing"


def numbers_with(unit: str, texts: pl.Series) -> NumberFormat | None:
    """The format with this unit in which all texts are numbers, the likeliest where there are several."""
    formats = (NumberFormat(*marks, unit) for marks in likeliest_first([*BODIES]))
    return next((one for one in formats if one.fits(texts).all()), None)


def note_thousands(looks: Sequence[Look]) -> None:
    """Tells of all columns with fractions that their points may mark thousands, where every one of them has three digits."""
    if all(map(may_mark_thousands, looks)):
        for look in looks:
            option = look.option("number:1.234,5")
            told = f"{look.sample[0]} taken as a fraction: if the point marks thousands, {option}"
            look.oddity = f"{look.oddity}, {told}" if look.oddity else told


def may_mark_thousands(look: Look) -> bool:
    """Has every fraction three digits, and a number from 1 to 999 before them?

    One of three digits has a zero at its end in one of ten cells; where more have, fewer digits were written.

    >>> cells = {"sold": [18.611, 9.271, 41.25], "weight": [0.611, 9.271], "price": [7.5, 12.25], "count": [3.0, 4.0]}
    >>> [may_mark_thousands(Look(name, "", 3, 3, values)) for name, values in cells.items()]
    [True, False, False, False]
    """
    values = np.abs(np.array(look.sample, dtype=float))
    values = values[np.isfinite(values)]
    fractions = values[values != values.round()]
    if not len(fractions) or fractions.min() < 1 or values.max() >= 1000:
        return False
    if (np.round(values * 1000) / 1000 != values).any():
        return False
    last_digits = np.round(fractions * 1000) % 10
    return bool(np.count_nonzero(last_digits) > MOST_WITH_THREE * len(fractions))
