"""How the dates and times of a column are written, and what they are as numbers.

The whole column decides: 13/02/2024 somewhere makes 01/02/2024 the first of February. Where nothing decides, both formats
are told, and `--column NAME=date:%d/%m/%Y` chooses.

>>> import polars as pl
>>> [format.pattern for format in recognise(pl.Series(["31.01.24", "01.02.24"]))]
['%d.%m.%y']
>>> [format.describe() for format in recognise(pl.Series(["01/02/2024 14:05", "03/04/2024 09:30"]))]
['m/d/y h:m', 'd/m/y h:m']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

EPOCH, EPOCH_MS, EPOCH_US, EPOCH_NS = "epoch", "epoch-ms", "epoch-us", "epoch-ns"  # seconds since 1970 and parts of them
EXCEL, EXCEL_TIME = "excel", "excel-time"  # days, with or without a fraction, as spreadsheets count them
NET_DATE = "/Date(ms)/"  # as .NET writes JSON
SECONDS_A_DAY = 86_400
MICROSECONDS = 1_000_000
COUNTS = {  # what is counted, and how many microseconds it is
    EPOCH: ("seconds since 1970", MICROSECONDS),
    EPOCH_MS: ("milliseconds since 1970", MICROSECONDS / 1_000),
    EPOCH_US: ("microseconds since 1970", MICROSECONDS / 1_000_000),
    EPOCH_NS: ("nanoseconds since 1970", MICROSECONDS / 1_000_000_000),
    NET_DATE: ("milliseconds since 1970, as /Date(0)/", MICROSECONDS / 1_000),
    EXCEL: ("days as spreadsheets count them", SECONDS_A_DAY * MICROSECONDS),
    EXCEL_TIME: ("days as spreadsheets count them, with a time", SECONDS_A_DAY * MICROSECONDS),
}
EXCEL_1970 = 25_569  # the first of 1970, counted so
LONGEST_PATTERN = 100
ASKED = 200  # texts, in which format they may be
EPOCHS = (631_152_000, 2_524_608_000)  # 1990 to 2050, in seconds
# Written as whole numbers; as 20240131.0, which programs make of it in a column where some are missing; 1.2024.
WHOLE_DAYS, WHOLE_MONTHS, WHOLE_MOMENTS, MONTH_AND_YEAR = "%Y%m%d", "%Y%m", "%Y%m%d%H%M%S", "%m.%Y"
IN_DIGITS = {
    WHOLE_DAYS: (19_000_101, 21_001_231),
    WHOLE_MONTHS: (190_001, 210_012),
    WHOLE_MOMENTS: (19_000_101_000_000, 21_001_231_235_959),
}
LEAST_DIFFERENT = 3  # months, in numbers such as 1.2024
FEW_QUARTERS = 20  # five years
SHORT_YEARS = "yy from 1970 to 2069"
YEAR_1000 = datetime(1000, 1, 1)

OFFSET = r"([+-])(\d{1,2})(?::?(\d{2}))?(?:\[[^\[\]]*\]| \([^()]*\))?$"  # behind a time
LETTERS = {
    "%Y": "y", "%y": "yy", "%m": "m", "%b": "month", "%d": "d", "%H": "h", "%I": "h", "%M": "m", "%S": "s", "%a": "weekday",
    "%G": "y", "W%V": "week", "%u": "weekday", "%Z": "zone",
    "Q%q": "quarter",
}  # fmt: skip


@dataclass(frozen=True)
class DateFormat:
    """How the dates of a column are written: a pattern as Python's strftime has it, which knows no quarters (Q%q), or what
    is counted, as "epoch".
    """

    pattern: str
    whole_years: bool = True  # is 24 no year where years have four digits? It was one to models that did not ask.

    @property
    def is_count(self) -> bool:
        """Is it a number of seconds or days?"""
        return self.pattern in COUNTS

    @property
    def has_date(self) -> bool:
        return self.is_count or any(part in self.pattern for part in ("%Y", "%y", "%G"))

    @property
    def day_first(self) -> bool | None:
        """Of dates that could be read in two orders: is the day in front of the month?"""
        if not {"/", "%d", "%m"} <= {*re.findall("/|%[dm]", self.pattern)} or "%Y/" in self.pattern:
            return None
        return self.pattern.index("%d") < self.pattern.index("%m")

    @property
    def has_time(self) -> bool:
        return (self.is_count and self.pattern != EXCEL) or any(part in self.pattern for part in ("%H", "%I"))

    def has_few_quarters(self, texts: pl.Series) -> bool:
        """Are these texts quarters, and so few that each is a category, rather than a day of a long series?"""
        return "%q" in self.pattern and texts.n_unique() <= FEW_QUARTERS

    def describe(self) -> str:
        """In letters that people know: d.m.y h:m.

        >>> [DateFormat(one).describe() for one in ("%b %dth %Y", "%d%b%Y:%H:%M:%S%.f", "%G-W%V-%u", "%d-%b-%y")]
        ['month dth y', 'd month y:h:m:s', 'y-week-weekday', 'd-month-yy']
        """
        if self.is_count:
            return COUNTS[self.pattern][0]
        words = self.pattern.replace("%.f", "").replace("%p", "am/pm").removesuffix(".0").replace("%d%b%Y", "%d %b %Y")
        return re.sub("[QW]?%[A-Za-z]", lambda match: LETTERS.get(match[0], match[0]), words)

    def instants(self, texts: pl.Series) -> pl.Series:
        """Microseconds since 1970, in UTC where a zone is written; null where a text is no date in this format."""
        import polars as pl

        wall = self.wall_times(texts).dt.timestamp("us")
        if self.is_count or texts.dtype != pl.String:
            return wall
        sign, hours, minutes = (texts.str.extract(OFFSET, group) for group in (1, 2, 3))
        seconds = hours.cast(pl.Int64, strict=False) * 3600 + minutes.fill_null("0").cast(pl.Int64, strict=False) * 60
        ahead = (-seconds).zip_with((sign == "-").fill_null(False), seconds).fill_null(0)
        return wall if not self.has_time else wall - ahead * MICROSECONDS

    def wall_times(self, texts: pl.Series) -> pl.Series:
        """What a clock and a calendar on the wall showed; null where a text is no date in this format."""
        import polars as pl

        if texts.dtype.is_temporal():
            return typed_wall_times(texts)
        if self.pattern == NET_DATE:
            texts = texts.cast(pl.String).str.extract(r"^/Date\((-?\d{1,15})(?:[+-]\d{4})?\)/$")
        if self.is_count:
            return self._counted(texts.cast(pl.String).cast(pl.Float64, strict=False))
        if self.pattern == MONTH_AND_YEAR and texts.dtype.is_float():  # a number has lost the zero of 10.2020
            parts = (texts * 10_000).round().cast(pl.Int64, strict=False)
            texts = (parts // 10_000).cast(pl.String) + "." + (parts % 10_000).cast(pl.String)
        texts = texts.cast(pl.String)
        if self.pattern.endswith(".0"):
            return DateFormat(self.pattern[:-2]).wall_times(texts.str.strip_suffix(".0"))
        moments = self._parsed(texts)  # tidying takes longer than reading, and few columns need it
        if moments.null_count() > texts.null_count():
            moments = self._parsed(tidied(texts, self))
        first = moments.min() if self.whole_years and "%Y" in self.pattern else None
        if first is None or first >= YEAR_1000:  # type: ignore[operator]
            return moments
        short = (moments < YEAR_1000) & ~texts.str.contains(r"(?:^|[^0-9])0[0-9]{3}(?:[^0-9]|$)")
        return moments.set(short.fill_null(False), None)

    def _counted(self, numbers: pl.Series) -> pl.Series:
        """The moments that are so many seconds or days after the first."""
        import polars as pl

        microseconds = numbers * COUNTS[self.pattern][1]
        if self.pattern in (EXCEL, EXCEL_TIME):  # to seconds: a fraction of a day is seldom written out
            microseconds = ((numbers - EXCEL_1970) * SECONDS_A_DAY).round() * MICROSECONDS
        return microseconds.cast(pl.Int64, strict=False).cast(pl.Datetime("us"))

    def _parsed(self, texts: pl.Series) -> pl.Series:
        """The moments of texts that are written exactly so; null where one is not."""
        import polars as pl

        from rosenblatt.data.columns.date_spellings import QUARTERS, tidied_pattern

        pattern = tidied_pattern(self.pattern)
        if pattern in QUARTERS:
            texts, pattern = QUARTERS[pattern].as_months(texts), "%Y-%m"
        if not self.has_date:
            texts, pattern = "1970-01-01 " + texts, "%Y-%m-%d " + pattern
        if pattern.startswith("%m") and "%d" not in pattern:  # polars wants two digits of a month without a day
            texts, pattern = "01 " + texts, "%d " + pattern
        if "%V" in pattern and "%u" not in pattern:  # a week is its Monday
            texts, pattern = texts + "-1", pattern + "-%u"
        if not self.has_time:
            return texts.str.to_date(pattern, strict=False, cache=False).cast(pl.Datetime("us"))
        return texts.str.to_datetime(pattern, strict=False, time_unit="us", cache=False)


def typed_wall_times(column: pl.Series) -> pl.Series:
    """The same of a column that knows that it holds dates."""
    import polars as pl

    if column.dtype == pl.Time:
        return (column.cast(pl.Int64) // 1000).cast(pl.Datetime("us"))
    moments = column.cast(pl.Datetime("us", getattr(column.dtype, "time_zone", None)))
    return moments.dt.replace_time_zone(None)


def tidied(texts: pl.Series, format: DateFormat) -> pl.Series:
    """One spelling of what may be written in several: blanks, month names, am and pm; zones left out."""
    from rosenblatt.data.columns.date_spellings import MONTHS, SPELLINGS, WEEKDAY, ZONE, blanks_of

    pattern, texts = format.pattern, texts.str.strip_chars()
    if not pattern.startswith("%b"):
        texts = texts.str.replace(f"^{WEEKDAY}", "")
    for sign, expression, instead in SPELLINGS:
        if sign in pattern:
            texts = texts.str.replace_all(expression, instead)
    if format.has_time:
        texts = texts.str.replace(ZONE + "$", "").str.replace(r"(\d)T(\d)", "${1} ${2}")
        if pattern.endswith("%Y"):
            texts = texts.str.replace(rf"{ZONE} (\d{{4}})$", " ${1}")
        if "%p" in pattern:
            texts = texts.str.to_uppercase().str.replace(r" ?([AP])\.?M\.?$", " ${1}M")
        if "%.f" in pattern:
            texts = texts.str.replace(r",(\d+)$", ".${1}")
    if "%b" in pattern:
        texts = texts.str.replace_all(blanks_of(pattern), " ")
        for month, beginnings in MONTHS.items():
            texts = texts.str.replace(rf"(?i)\b(?:{beginnings})\p{{L}}*", month)
    return texts


def recognise(texts: pl.Series) -> list[DateFormat]:
    """The formats in which all these texts are dates or times, the likeliest first; none if there is no such format."""
    if not len(texts):
        return []
    texts = texts.str.strip_chars()
    formats = []
    for format, expression in possible_formats(texts[0]):
        if texts.str.contains(expression).all() and not format.wall_times(texts).has_nulls():
            formats.append(format)
    return formats


def possible_formats(text: str) -> Iterator[tuple[DateFormat, str]]:
    """The formats that one text may have, each with its pattern for polars, which needs a millisecond to read one.

    >>> [format.pattern for format, _ in possible_formats("2024-03-05")]
    ['%Y-%m-%d', '%Y-%m']
    """
    from rosenblatt.data.columns.date_spellings import DATES, LONG_ZONE, MOMENTS, TIMES, WEEKDAY, ZONE

    without_weekday = in_python(f"^{WEEKDAY}").sub("", text)
    zones = [(f"{ZONE}?", "")] + [(LONG_ZONE, " %Z")] * bool(in_python(rf":.*{LONG_ZONE}$").search(text))
    for date_expression, date in DATES:
        named = date.startswith(("%b", "%a"))
        if date and without_weekday == text and named == text[:1].isdigit():  # a pattern takes Python long to compile
            continue
        weekday = "" if not date or named else f"(?:{WEEKDAY})?"
        begins_so = in_python(f"^(?:{date_expression})")
        if not begins_so.search(text) and not begins_so.search(without_weekday):
            continue
        for time_expression, time in TIMES:
            if not may_be_in(time, text) or (not date and "%H.%M" in time):  # 8.10 alone is a number, or a version
                continue
            for gap, between in gaps(date) if date and time else [("", "")]:
                for zone_expression, zone in zones if time else [("", "")]:
                    end = f"{gap}{time_expression}{zone_expression}$"
                    if (date or time) and in_python(end).search(text):
                        yield DateFormat(f"{date}{between}{time}{zone}"), f"^{weekday}{date_expression}{end}"
    for expression, moment in MOMENTS:
        if in_python(f"^{expression}$").search(text):
            yield DateFormat(moment), f"^{expression}$"


def may_be_in(time: str, text: str) -> bool:
    """Has the text the signs and words of a time that is written so? Roughly: it is asked before a pattern is made.

    >>> may_be_in("%H:%M", "2024-03-03 14:05"), may_be_in("%I:%M %p", "2024-03-03 14:05"), may_be_in("", "2024-03-03")
    (True, False, True)
    """
    half = "%p" not in time or "m" in text.lower()
    return half and all(sign in text for sign in re.sub("%.f|%[A-Za-z]| ", "", time))


def gaps(date: str) -> list[tuple[str, str]]:
    """What may stand between a date and a time, as a pattern for texts and as one of the format: 1/31/2024, 2:05 PM."""
    return [(",?(?: +|T)", " ")] if "%b" in date else [("[ T]", " "), (", ", ", ")]


@lru_cache(512)
def in_python(expression: str) -> re.Pattern[str]:
    """A pattern of polars as one of Python, which knows letters by another name."""
    return re.compile(expression.replace(r"\p{L}", r"[^\W\d_]"))


def formats_of(texts: pl.Series, some: pl.Series) -> list[DateFormat]:
    """The same of many texts, of which some are asked first; fractions of a second, and 3rd, only where there are any."""
    formats: list[DateFormat] = []
    for one in recognise(some):
        simpler = DateFormat(re.sub("%.f(?= %Z$|$)", "", one.pattern).replace("%dth", "%d"))
        if (simpler == one or simpler not in formats) and not one.wall_times(texts).has_nulls():
            formats.append(one)
    return formats


def commonest(texts: pl.Series) -> DateFormat | None:
    """The format in which most of these texts are dates; None if none is one."""
    possible = dict.fromkeys(format for text in texts.head(ASKED) for format, _ in possible_formats(text.strip()))
    counts = {one: len(texts) - int(one.wall_times(texts).null_count()) for one in possible}
    best = max(counts, key=lambda one: counts[one], default=None)
    return best if best is not None and counts[best] else None


def is_pattern(text: str) -> bool:
    """Is it a pattern of dates or times, as strftime has them, or the name of a count? Then it reads what it writes.

    >>> is_pattern("%d/%m/%Y"), is_pattern("%Y Q%q"), is_pattern("dd/mm/yyyy"), is_pattern("%Q")
    (True, True, False, False)
    """
    from rosenblatt.data.columns.date_spellings import QUARTERS

    if text in QUARTERS:
        return True
    if DateFormat(text).is_count or not re.search("%[YymdHIG]", text):
        return DateFormat(text).is_count
    import polars as pl

    example = datetime(2024, 1, 31, 14, 5, 7)
    try:
        written = example.strftime(text.replace("%.f", ".0"))
        (read,) = DateFormat(text).wall_times(pl.Series([written]))
    except (ValueError, pl.exceptions.PolarsError):
        return False
    return read is not None and (read.month, read.day) in ((1, 31), (1, 1), (1, 29)) and len(text) <= LONGEST_PATTERN


def day_text(days: float) -> str:
    """The day that is so many after the first of 1970; on that day, the time.

    >>> day_text(19753.4), day_text(0.5), day_text(1e300)
    ('2024-01-31', '12:00', '1e+300 days after 1970')
    """
    try:
        moment = datetime(1970, 1, 1) + timedelta(days=days)
    except OverflowError:
        return f"{days:g} days after 1970"
    return f"{moment:%H:%M}" if 0 < days < 1 else f"{moment:%Y-%m-%d}"


def typed_pattern(dtype: pl.DataType) -> str:
    """How a file would write the dates of a column that knows what it holds; empty if they are none."""
    import polars as pl

    if dtype == pl.Date:
        return "%Y-%m-%d"
    if dtype == pl.Time:
        return "%H:%M:%S%.f"
    return "%Y-%m-%d %H:%M:%S%.f" if dtype == pl.Datetime else ""


def typed_formats(values: pl.Series) -> list[DateFormat]:
    """The format of dates in a column that is none of texts: of dates, or of whole numbers that may be some."""
    if values.dtype.is_temporal():
        pattern = typed_pattern(values.dtype)
        return [DateFormat(pattern)] if pattern else []
    least, most = values.min(), values.max()
    parts = {EPOCH: 1, EPOCH_MS: 1_000, EPOCH_US: 1_000_000, EPOCH_NS: 1_000_000_000}
    end = ".0" if values.dtype.is_float() else ""
    ranges = {one + end: ends for one, ends in IN_DIGITS.items()}
    ranges |= {one: (many * EPOCHS[0], many * EPOCHS[1]) for one, many in parts.items()}
    if end and may_be_months(values.to_list()):
        return [DateFormat(MONTH_AND_YEAR)]
    fitting = [DateFormat(one) for one, (low, high) in ranges.items() if low <= least and most <= high]  # type: ignore[operator]
    return [one for one in fitting if not one.wall_times(values).has_nulls()]


def may_be_months(values: Sequence[float]) -> bool:
    """Are all of these numbers a month, with the year behind a point? Several months: 1.1987 and 1.2011 may be prices.

    >>> may_be_months([1.2024, 12.202, 3.2024]), may_be_months([1.1987, 1.2011]), may_be_months([1.2, 2.2, 3.2])
    (True, False, False)
    """
    if not all(1 <= value < 13 and round(value, 4) == value for value in values):
        return False
    years = {round(value % 1 * 10_000) for value in values}
    different = len({int(value) for value in values}) >= LEAST_DIFFERENT and any(year % 10 for year in years)
    return different and all(1900 <= year <= 2100 for year in years)


def plain_moments(column: pl.Series) -> pl.Series:
    """Dates and times as texts, durations as microseconds: the same in whatever unit they are stored.

    >>> from datetime import time, timedelta
    >>> import polars as pl
    >>> plain_moments(pl.Series([time(1, 2), time(1, 2, 3, 500_000)])).to_list()
    ['01:02:00', '01:02:03.500']
    >>> plain_moments(pl.Series([timedelta(seconds=1)], dtype=pl.Duration("ms"))).to_list()
    [1000000]
    """
    import polars as pl

    if column.dtype == pl.Duration:
        return column.dt.total_microseconds()
    if column.dtype == pl.Time:
        return column.dt.to_string("%H:%M:%S%.f")  # a cast would leave out the fraction
    return (column.dt.cast_time_unit("us") if column.dtype == pl.Datetime else column).cast(pl.String)
