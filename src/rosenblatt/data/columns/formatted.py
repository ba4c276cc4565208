"""Columns of texts that are numbers, dates or digits that are names, written in some way: found out, or as the user says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rosenblatt.data.columns import dates, durations, numbers
from rosenblatt.data.columns.kinds import (
    KINDS,
    LEAST_FOR_DAYS,
    LEAST_WITH_DIGITS,
    MANY_ROWS,
    MOST_OTHER_ROWS,
    MOST_OTHER_WORDS,
    SAMPLE,
    Look,
    share,
    some_of,
    words_in,
)
from rosenblatt.data.columns.reading import ColumnReading, all_marks
from rosenblatt.data.columns.words import (
    CODE_NAMES,
    DURATION_NAMES,
    ID_NAMES,
    LEADING_ZERO,
    LIKE_NUMBERS,
    MANY_DIGITS,
    NO_DATE,
    NO_DAY,
    NOTHING,
    PHONE,
    TIME_NAMES,
    UNKNOWN,
    WHOLE_DAY,
    shown,
)
from rosenblatt.errors import SettingError

if TYPE_CHECKING:
    import polars as pl

MONTH_AND_YEAR = re.compile(r"^[0-9]{1,2}\.[0-9]{4}$")
MANY_YEARS = 50  # between the first and the last of a column whose years have two digits: birthdays
DAY_FIRST = re.compile("^(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2])(?:19|20)[0-9]{2}$")  # 31012024
REPEATING = 0.95  # of a sample, at most, are different where values repeat so often that each is asked once


def refuse_wrong_kind(name: str, kind: str) -> None:
    """Refuses a kind that there is not, in the words that `--column NAME=KIND` takes."""
    word, colon, detail = kind.partition(":")
    if word not in KINDS or (colon and word not in ("number", "date")):
        raise SettingError(f"A column cannot be used as {kind!r}: choose one of {', '.join(KINDS)}.")
    if colon and word == "number" and numbers.from_example(detail) is None:
        raise SettingError(f"{name}={kind}: show how 1234.5 is written, say number:1.234,5 or number:1,234.5.")
    if colon and word == "date" and not dates.is_pattern(detail):
        counts = ", ".join(f"date:{one} ({what})" for one, (what, _) in dates.COUNTS.items())
        raise SettingError(f"{name}={kind}: show how a date is written, say date:%d/%m/%Y, or name a count: {counts}.")


def ask_texts(look: Look, values: pl.Series, rows_of: Callable[[Sequence[str]], int]) -> None:
    """Are all of these texts numbers, or dates, or digits that are names? `rows_of` counts the rows that have some words."""
    if not look.may_be_numbers:
        return
    asked = each_once(values, look.sample)
    no_day = look.dtype is None and NO_DAY in look.sample and all(map(WHOLE_DAY.match, {*look.digits} - {NO_DAY}))
    named_by_digits = not no_day and may_be_code(look)
    if (
        not no_day
        and not named_by_digits
        and len(look.digits) == len(look.sample)
        and ask_formats(look, asked, some_of(values))
    ):
        return  # so there are no words among them
    is_word = ~values.str.contains("[0-9]") | values.str.contains(f"{NO_DATE}|^{NO_DAY}$" if no_day else NO_DATE)
    words = values.filter(is_word)
    if len(words):
        spellings = words.str.to_lowercase().unique().sort().to_list()
        few = len(spellings) <= MOST_OTHER_WORDS and rows_of(spellings) <= MOST_OTHER_ROWS * look.rows
        if not few and not all(word in UNKNOWN or re.match(f"{NOTHING}|{NO_DATE}|{NO_DAY}", word) for word in spellings):
            note_words(look, spellings, str(words.min()))
            return
        values = values.filter(~is_word)
    if named_by_digits:
        look.is_code = bool(values.str.contains(r"^[0-9+(][0-9 ()/.+-]*$").all())
        if look.is_code:
            if len(look.sample) >= LEAST_FOR_DAYS and all(map(DAY_FIRST.match, look.sample)):
                look.oddity = f"if {min(look.sample)} is a day, {look.option('date:%d%m%Y')}"
            return
    if ask_formats(look, each_once(values, look.sample), some_of(values)):
        known = all_marks(tuple(spellings) if len(words) else ())
        look.others = (*spellings, *(word for word in words.unique().sort() if word not in known)) if len(words) else ()
        look.marks = (*look.marks, *words.unique(maintain_order=True).to_list())
        return
    if look.wanted:
        return
    from rosenblatt.data.columns.oddities import differing_units, lost_digits

    if told := lost_digits(look):
        look.oddity = told
    elif values.str.contains(numbers.PLAIN).sum() > (1 - MOST_OTHER_ROWS) * len(values):
        look.nearly = str(values.filter(~values.str.contains(numbers.PLAIN)).min()), "number"
    else:
        look.oddity = differing_units(replace(look, sample=look.digits))


def look_if_all_fit(series: pl.Series, name: str, wanted: str) -> Look | None:
    """A look at many texts that are all numbers in one format, or dates: no mark of a missing one is among them, as those
    have no digit, and looking for marks takes as long as reading a short number. None where they are not, or are names.
    """
    values = series.drop_nulls()
    some = some_of(values)
    look = Look(name, wanted, len(series), len(values), some.unique(maintain_order=True).to_list())
    if len(look.sample) <= 2 or not LIKE_NUMBERS.search(look.sample[0]) or len(look.digits) < len(look.sample):
        return None
    if may_be_code(look) or not look.may_be_numbers:
        return None
    return look if ask_formats(look, each_once(values, look.sample), some) else None


def may_be_code(look: Look) -> bool:
    """Do the name of a column, or its values, say that its digits may be names?"""
    return (
        bool(words_in(look.name) & CODE_NAMES)
        or any(map(LEADING_ZERO.search, look.sample))
        or max(share(look.sample, PHONE), share(look.sample, MANY_DIGITS)) > LEAST_WITH_DIGITS
    )


def note_words(look: Look, spellings: Sequence[str], word: str) -> None:
    """Records a word, where others are numbers or dates, that stands in too many rows to be taken for a missing one."""
    import polars as pl

    if len(spellings) > MOST_OTHER_WORDS or look.wanted:
        return
    others = pl.Series(look.digits, dtype=pl.String)
    if share(look.digits, re.compile(numbers.PLAIN)) > 1 - MOST_OTHER_ROWS or numbers.recognise(others):
        look.nearly = word, "number"
    elif dates.formats_of(others, others):
        look.nearly = word, "date"
    elif durations.formats_of(others, others):
        look.nearly = word, "number"
    else:
        from rosenblatt.data.columns.oddities import differing_units

        look.oddity = differing_units(replace(look, sample=look.digits))


def ask_formats(look: Look, values: pl.Series, some: pl.Series) -> bool:
    """Are there formats in which all texts are numbers, or dates? Some of them are asked first."""
    look.formats = numbers.formats_of(values, some)
    if look.dtype is None and look.formats and look.formats[0].is_plain:
        ask_digits(look, values)
        if look.dates:
            look.formats = []
            return True
    is_named_so = bool(words_in(look.name) & DURATION_NAMES)  # else 1:30:00 is a time of day
    if not look.formats and is_named_so:
        look.formats = durations.formats_of(values, some)
    if not look.formats:
        look.dates = dates.formats_of(values, some)
        if look.dates and look.dates[0].has_few_quarters(values):
            look.dates = []
    if not look.formats and not look.dates and not is_named_so:
        look.formats = durations.formats_of(values, some)
    if has_digits_of_ids(look):
        look.distinct = values.n_unique()
    return bool(look.formats or look.dates)


def ask_digits(look: Look, values: pl.Series) -> None:
    """Are all of these texts digits that are dates, as 20240131 is one?"""
    import polars as pl

    digits = [text for text in look.digits if text != NO_DAY]
    whole = all(text.isdigit() for text in digits)
    if digits and (whole or all(map(MONTH_AND_YEAR.match, digits))):
        kind, sample = (pl.Int64(), [*map(int, digits)]) if whole else (pl.Float64(), [*map(float, digits)])
        if replace(look, sample=sample, dtype=kind).may_be_dates:
            look.dates = dates.typed_formats(values.cast(kind, strict=False))


def has_digits_of_ids(look: Look) -> bool:
    """Are its texts whole numbers, in a column that is called an ID?"""
    plain = bool(look.formats) and look.formats[0].is_plain and look.dtype is None
    return plain and bool(words_in(look.name) & ID_NAMES) and all(text.isdigit() for text in look.digits)


def formatted_reading(look: Look, decimal_comma: bool | None, day_first: bool | None) -> ColumnReading:
    """What a column of numbers or dates is, given how others of its table are written, or by the user's word."""
    if look.wanted:
        return as_wanted(look, decimal_comma, day_first)
    if has_digits_of_ids(look) and look.is_id():
        return look.as_kind("id", "different in nearly every row")
    return as_date(look, day_first) if look.dates else as_number(look, decimal_comma)


def as_number(look: Look, decimal_comma: bool | None) -> ColumnReading:
    like_others = [one for one in look.formats if (one.decimal == ",") == decimal_comma]
    chosen = (like_others or look.formats)[0]
    told = [] if chosen.is_plain else [f"written as {chosen.describe()}"]
    if len(look.formats) > 1 and not like_others:
        other = next(one for one in look.formats if one != chosen)
        told.append(f"it could also be {other.describe()}: {look.option('number:' + other.example())}")
    return look.as_kind("number", "; ".join(told), number=chosen)


def as_date(look: Look, day_first: bool | None) -> ColumnReading:
    like_others = [one for one in look.dates if day_first is not None and one.day_first == day_first]
    chosen = (like_others or look.dates)[0]
    told = chosen.describe()
    if len(look.dates) > 1 and not like_others:
        other = next(one for one in look.dates if one != chosen)
        told += f"; it could also be {other.describe()}: {look.option('date:' + other.pattern)}"
    if (
        chosen.pattern.removesuffix(".0") in (*dates.IN_DIGITS, dates.MONTH_AND_YEAR)
        and not words_in(look.name) & TIME_NAMES
    ):
        told += f", as every number is such a {'day' if '%d' in chosen.pattern else 'month'}"
        told += f"; if they are numbers, {look.option('number')}"
    if not chosen.has_date and "%p" not in chosen.pattern:
        told += f", a time of day; if it is a duration, {look.option('number:duration')}"
    return look.as_kind("date", told + short_years(look, chosen), date=chosen)


def short_years(look: Look, format: dates.DateFormat) -> str:
    """What years of two digits are taken for, to be told behind the format, and what to do where that seems wrong."""
    import polars as pl

    if "%y" not in format.pattern:
        return ""
    years = format.wall_times(pl.Series(look.sample, dtype=pl.String)).dt.year().drop_nulls().to_list()
    if not years or max(years) - min(years) < MANY_YEARS:
        return f", {dates.SHORT_YEARS}"
    return f", {dates.SHORT_YEARS}: where {max(years) % 100} means {max(years) - 100}, write years with four digits"


def as_wanted(look: Look, decimal_comma: bool | None, day_first: bool | None) -> ColumnReading:
    """What the column is by the user's word, with a format that is named, or the one that most values have."""
    import polars as pl

    kind, _, detail = look.wanted.partition(":")
    texts = pl.Series(look.sample, dtype=pl.String) if look.dtype is None and look.known else None
    if kind == "number" and detail and look.dtype is not None and look.dtype.is_float():
        raise SettingError(
            f"{look.name}: its cells were read as numbers already, so that {detail} comes too late: leave it out, or read "
            f"the column as text (as_text=[{look.name!r}])."
        )
    if kind in ("number", "both") and texts is not None:
        number = numbers.from_example(detail) if detail else None
        if number is None and look.formats:
            number = as_number(look, decimal_comma).number
        return look.as_kind(kind, "as you say", number=number or commonest_format(texts), chosen=True)
    if kind == "date":
        date = dates.DateFormat(detail) if detail else None
        if date is None and look.dates:
            date = as_date(look, day_first).date
        date = date or (dates.commonest(texts) if texts is not None else None)
        if date is None:
            value = shown(look.sample[0]) if look.known else "an empty column"
            how = f"Show how it is written, say {look.option('date:%d/%m/%Y')}."
            if look.dtype is not None:
                counts = [f"{look.option('date:' + one)} ({dates.COUNTS[one][0]})" for one in (dates.EXCEL, dates.EPOCH)]
                how = f"Say what it counts: {' or '.join(counts)}."
            raise SettingError(f"{look.name}: {value} was not understood as a date. {how}")
        return look.as_kind("date", f"{date.describe()}, as you say{short_years(look, date)}", date=date, chosen=True)
    return look.as_kind(kind, "as you say", chosen=True)


def commonest_format(texts: pl.Series) -> numbers.NumberFormat:
    """The format in which most of these texts are numbers, or durations."""
    duration = durations.DurationFormat()
    return duration if 2 * int(duration.fits(texts).sum()) > len(texts) else numbers.commonest(texts)


def each_once(values: pl.Series, some: Sequence[str]) -> pl.Series:
    """The values, each once if they repeat often, as in a sample: what is asked of all is then asked of few."""
    if len(values) < MANY_ROWS or len(some) > REPEATING * SAMPLE:
        return values
    return values.unique()


def rows_of(series: pl.Series, spellings: Sequence[str]) -> int:
    """In how many rows one of these words stands, in whatever case."""
    import polars as pl

    return int(series.cast(pl.String).str.strip_chars().str.to_lowercase().is_in(list(spellings)).sum())
