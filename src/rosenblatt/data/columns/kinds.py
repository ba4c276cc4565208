"""What a column of a raw table holds: decided from its values, told to the user, kept by the model.

    number      also with thousands marks, a decimal comma, a currency … (numbers.py)
    category    texts that repeat
    code        digits that are names: leading zeros, zip, phone
    boolean     yes and no, true and false …
    date        dates and times (dates.py)
    text        sentences: each word is a feature
    id          different in nearly every row: left out
    constant    the same in every row: left out

A user may also say `both`, number and category, or `drop`. A sample decides, and all rows are
asked. A value that does not fit its kind is missing, and counted.

>>> import polars as pl
>>> table = pl.DataFrame({"age": ["39", "NULL"], "zip": ["01234", "99999"], "since": ["13.2.2023", "-"]})
>>> for reading in decide(table):
...     print(f"{reading.name}: {reading.kind}, {reading.why}")
age: number, missing: NULL
zip: code, digits with leading zeros
since: date, d.m.y, missing: -
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from shlex import quote
from typing import TYPE_CHECKING, Any

from rosenblatt.data.coded import CodedTable
from rosenblatt.data.columns.dates import IN_DIGITS, DateFormat, may_be_months, typed_formats
from rosenblatt.data.columns.reading import (
    ColumnReading,
    is_text,
    marked_columns,
    marks_of,
    own_marks,
    spellings_of_marks,
    with_ascii_signs,
    without_marks,
)
from rosenblatt.data.columns.row_numbers import may_number_rows
from rosenblatt.data.columns.words import (
    CALLED_CODE,
    CODE_NAMES,
    DIGIT,
    END_OF_SUM,
    ID_NAMES,
    LEADING_ZERO,
    LIKE_NUMBERS,
    LONG_NUMBER,
    ODD_NUMBER,
    OTHER_SIGN,
    TIME_NAMES,
    TOLD_NAMES,
    TRUTHS,
    UNSEEN,
    shown,
)
from rosenblatt.data.disk_table import DiskTable
from rosenblatt.data.table import is_enum, used_categories
from rosenblatt.engine.threads import map_on_cores
from rosenblatt.errors import SettingError

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.data.columns.numbers import NumberFormat

KINDS = ("number", "category", "both", "code", "date", "text", "boolean", "id", "drop")

SAMPLE, FEW_VALUES = 2000, 200  # values that decide, and how many of them tell whether words hold digits
LEAST_FOR_ID, LEAST_FOR_NAMED_ID, LEAST_FOR_CODE = 20, 5, 200  # rows; fewer where the name says so, more if it says zip
ID_SHARE = 0.95  # of the values differ
TEXT_WORDS, TEXT_SHARE = 3.0, 0.5  # words in a value on average, and how many of the values differ
LONG_TEXT_WORDS, LONG_TEXT_SHARE = 6.0, 0.1
LEAST_FOR_TEXT = 5  # values
LEAST_FOR_DAYS, LEAST_FOR_MONTHS = 3, 6  # different ones, of which one in 27, or in 8, would be one by chance
MANY_ROWS = 100_000  # from which on it is worth to count them roughly first, and to share them between cores
MOST_OTHER_ROWS, MOST_OTHER_WORDS, MARKS_TOLD = 0.05, 5, 5
LEAST_WITH_DIGITS = 0.5  # of the values of a column of numbers, dates or codes
LONG_DIGITS = 10  # from which on numbers that all differ, and are equally long, are names


@dataclass(frozen=True)
class Overrides:
    """What the user says about the columns of a table."""

    kinds: Mapping[str, str] = field(default_factory=dict)  # "number", "date:%d/%m/%Y", "number:1.234,5" …
    missing: Sequence[str] = ()  # further marks, of all columns, or as "age=99" of one
    only: Sequence[str] | None = None  # the columns to use
    needed: Sequence[str] = ()  # columns that are not left out by themselves
    unnamed: str = ""  # the first column, where the header names all but this one

    def __post_init__(self) -> None:
        if self.kinds:
            from rosenblatt.data.columns.formatted import refuse_wrong_kind

            for name, kind in self.kinds.items():
                refuse_wrong_kind(name, kind)

    def refuse_unknown(self, columns: Sequence[str]) -> None:
        """Refuses names that are no columns."""
        known = set(columns)
        marked = marked_columns(self.missing)
        for setting, names in (("per_column", self.kinds), ("only", self.only or ()), ("missing", marked)):
            if unknown := [name for name in names if name not in known]:
                listed = ", ".join(map(repr, columns[:10])) + (f" and {len(columns) - 10} more" if len(columns) > 10 else "")
                raise SettingError(f"{setting} names {', '.join(map(repr, unknown))}, but the columns are {listed}.")

    def of_column(self, name: str) -> str:
        """What is said of one; empty where nothing is."""
        return "drop" if self.only is not None and name not in self.only else self.kinds.get(name, "")


def decide(
    table: pl.DataFrame | CodedTable | DiskTable, overrides: Overrides | None = None, trimmed: bool = False
) -> list[ColumnReading]:
    """How each column is to be read; `trimmed`, as files are read, no text has blanks around it."""
    (said := overrides or Overrides()).refuse_unknown(table.columns)
    if table.columns[:1] == ["column_1"] and "column_2" not in table.columns:
        said = replace(said, unnamed="column_1")
    known: list[Look] = []
    if isinstance(table, CodedTable):
        from rosenblatt.data.columns.coded_look import look_at_codes

        known = [look for column in table if (look := look_at_codes(column, said)) is not None]
        if len(known) < table.width:  # some may be numbers or dates
            table = table.to_polars()
    if isinstance(table, DiskTable):
        from rosenblatt.data.columns.on_disk import looks_on_disk

        known = looks_on_disk(table, said, trimmed)
    elif not isinstance(table, CodedTable):

        def seen_in(series: pl.Series) -> Look:
            return look_at(series, said, trimmed)

        known = list(map(seen_in, table)) if table.height < MANY_ROWS else map_on_cores(seen_in, list(table))
    # A column that can be read in two ways is read as the others of its file are.
    marks = [{one.decimal for one in look.formats} for look in known]
    decided = {mark for of_column in marks if len(of_column) == 1 for mark in of_column}
    fractions = [look for look in known if look.dtype is not None and look.dtype.is_float()]
    if trimmed and fractions and not decided:
        from rosenblatt.data.columns.oddities import note_thousands

        note_thousands(fractions)
    comma = True if "," in decided else False if fractions or "." in decided else None
    orders = [look.dates[0].day_first for look in known if len(look.dates) == 1]
    day_first = next((order for order in orders if order is not None), None)
    readings = [look.reading(comma, day_first) for look in known]
    if alone := not any(one.used for one in readings):  # they are what there is to learn from
        said = replace(said, needed=table.columns)
    readings = [
        look.kept(alone) if one.name in said.needed and not one.chosen and (not one.used or one.kind == "text") else one
        for one, look in zip(readings, known, strict=True)
    ]
    return [one.with_marks(own_marks(said.missing, one.name)) for one in readings]


@dataclass
class Look:
    """What the values of a column have in common."""

    name: str
    wanted: str  # by the user: a kind, perhaps with a format
    rows: int
    known: int  # rows that are not missing
    sample: list[Any]  # some of its values, each once
    distinct: int | None = None  # values; None where most of them repeat often
    dtype: pl.DataType | None = None  # None of texts
    marks: tuple[str, ...] = ()  # of missing values, as they are written
    others: tuple[str, ...] = ()  # words among numbers or dates that mean "not known", in lower case
    formats: list[NumberFormat] = field(default_factory=list)  # in which all values are numbers, the likeliest first
    dates: list[DateFormat] = field(default_factory=list)  # in which all values are dates, the likeliest first
    is_code: bool = False
    nearly: tuple[str, str] | None = None  # a value that is no number, or no date, where nearly all others are; and what
    uncounted: str = ""  # of an ID that has too many values to count: so many at least
    oddity: str = ""  # what to look at: units that differ, a value that may mean "not known"
    unnamed: bool = False  # are these numbers in the first column, which alone has no name?
    ascii_signs: bool = False  # were digits of other scripts, and wide or unseen signs, read as those of ASCII?

    @cached_property
    def digits(self) -> list[str]:
        """Those of the sample that hold a digit."""
        return [*filter(DIGIT.search, self.sample)]

    @cached_property
    def may_be_numbers(self) -> bool:
        """Do some values, but for words, look like numbers, dates or codes? If they do not, the others need no look."""
        return share(self.digits, LIKE_NUMBERS) > 1 - MOST_OTHER_ROWS

    @cached_property
    def may_be_dates(self) -> bool:
        """Are values that are no texts dates, or numbers that may be some: as the name says, or as 20240131 is a day?"""
        assert self.dtype is not None
        if not self.dtype.is_numeric() or (words := words_in(self.name)) & TIME_NAMES:
            return self.dtype.is_temporal() or self.dtype.is_numeric()
        few = len(self.sample) < LEAST_FOR_DAYS or words & (ID_NAMES | CODE_NAMES)
        if few or (self.dtype.is_float() and may_be_months(self.sample)):
            return not few
        least, most, many = min(self.sample), max(self.sample), len(self.sample) >= LEAST_FOR_MONTHS
        return any(first <= least and most <= last and (many or one != "%Y%m") for one, (first, last) in IN_DIGITS.items())

    def reading(self, decimal_comma: bool | None, day_first: bool | None) -> ColumnReading:
        """What the column is, given how others of its table are written."""
        if not self.wanted and not self.known:
            return self.as_kind("constant", "empty in every row")
        if not self.wanted and self.distinct == 1 and self.known == self.rows > 1:
            return self.as_kind("constant", f"{shown(self.sample[0])} in every row")
        if self.wanted or self.dates or self.formats:
            from rosenblatt.data.columns.formatted import formatted_reading

            return formatted_reading(self, decimal_comma, day_first)
        return self._of_typed() if self.dtype is not None else self._of_words()

    def kept(self, alone: bool) -> ColumnReading:
        """What it is where it is not left out; alone, as all others would be, too."""
        format = self.formats[0] if self.formats else None
        is_number = format is not None or (self.dtype is not None and self.dtype.is_numeric())
        why = "used, as nothing else is left to learn from" if alone else ""
        return self.as_kind("number" if is_number else "category", why, number=format)

    def _of_words(self) -> ColumnReading:
        """Of texts that are no numbers and no dates."""
        if {text.lower() for text in self.sample[:3]} in TRUTHS and self.distinct == 2:
            return self.as_kind("boolean", " or ".join(sorted(self.sample)))
        if self.is_id():
            return self.as_kind("id", self._why_id())
        if self.is_code:
            zeros = share(self.sample, LEADING_ZERO) > 0
            return self.as_kind("code", "digits with leading zeros" if zeros else "a number that is a name")
        words, differ = self.words * (self.known >= LEAST_FOR_TEXT), (self.distinct or 0) / self.known
        if (words >= TEXT_WORDS and differ >= TEXT_SHARE) or (words >= LONG_TEXT_WORDS and differ >= LONG_TEXT_SHARE):
            return self.as_kind("text", f"sentences of {words:.0f} words on average")
        if self.nearly is None:
            return self.as_kind("category", "")
        value, kind = self.nearly
        return self.as_kind(
            "category", f"{shown(value)} is not a {kind}, most others are: {self.option(kind)} takes such cells as missing"
        )

    def _of_typed(self) -> ColumnReading:
        """Of numbers and truth values that are already such."""
        import polars as pl

        assert self.dtype is not None
        if self.dtype == pl.Boolean:
            return self.as_kind("boolean", "")
        if self.is_id():
            return self.as_kind("id", self._why_id())
        if self.dtype.is_integer() and (words_in(self.name) & CODE_NAMES or CALLED_CODE.search(self.name)):
            return self.as_kind("code", "a number that is a name")
        is_number = self.dtype.is_numeric() or self.dtype == pl.Duration
        return self.as_kind("number" if is_number else "category", "")

    @cached_property
    def words(self) -> float:
        """In a value, on average; 0 where most of them hold digits, as those of DE02 1203 0000 0000 2020 51 do."""
        some = [word for text in self.sample[:FEW_VALUES] for word in text.split()]
        return 0.0 if share(some, DIGIT) > 0.5 else sum(len(text.split()) for text in self.sample) / len(self.sample)

    def is_id(self) -> bool:
        """Are nearly all values different, and no sentences?"""
        return self.distinct is not None and self.distinct >= ID_SHARE * self.known and self.may_be_id()

    def may_be_id(self) -> bool:
        """Would it be an ID if nearly all values were different?"""
        words = words_in("Unnamed: 0" if self.unnamed else self.name)  # so pandas calls it
        least = LEAST_FOR_NAMED_ID if words & ID_NAMES else LEAST_FOR_CODE if words & CODE_NAMES else LEAST_FOR_ID
        if self.known < least:
            return False
        if self.dtype is not None:
            if self.dtype.is_float():  # as whole numbers are where one of them is missing
                return bool(words & ID_NAMES) and all(value == round(value) for value in self.sample)
            if not self.dtype.is_integer() or words & ID_NAMES:
                return self.dtype.is_integer()
            grows = len(self.sample) >= ID_SHARE * min(self.known, SAMPLE) and self.sample == sorted(self.sample)
            return (grows and may_number_rows(words, self.sample, self.known)) or self._long_digits()
        return self.is_code or bool(words & ID_NAMES) or self.words < TEXT_WORDS

    def _long_digits(self) -> bool:
        """Have all numbers as many digits, and so many as a card or a barcode has?"""
        lengths = {len(str(value)) for value in self.sample}
        return len(lengths) == 1 and min(lengths) >= LONG_DIGITS and not words_in(self.name) & TIME_NAMES

    def _why_id(self) -> str:
        if self.uncounted:
            return self.uncounted
        return "different in every row" if self.distinct == self.known else "different in nearly every row"

    def option(self, kind: str) -> str:
        return f"--column {quote(f'{self.name}={kind}')}"

    def as_kind(
        self, kind: str, why: str, number: NumberFormat | None = None, date: DateFormat | None = None, chosen: bool = False
    ) -> ColumnReading:
        told = [part for part in (why, self.oddity if kind != "drop" else "") if part]
        if self.marks and kind not in ("id", "constant", "drop"):
            more = f" and {len(self.marks) - MARKS_TOLD} more" if len(self.marks) > MARKS_TOLD else ""
            told.append(f"missing: {', '.join(map(shown, self.marks[:MARKS_TOLD]))}{more}")
        marks = self.others if kind in ("number", "both", "date") else ()
        return ColumnReading(self.name, kind, ", ".join(told), marks, number, date, chosen, self.ascii_signs)


def look_at(series: pl.Series, said: Overrides, trimmed: bool = False) -> Look:
    """A look at all values of a column, and a longer one at some."""
    import polars as pl

    if (wanted := said.of_column(name := str(series.name))) in ("drop", "id"):
        return Look(name, wanted, len(series), len(series), [])
    series, texts = series.alias("cells"), is_text(series)  # polars takes some names for patterns

    def rows_with(text: str) -> int:
        return int((series.cast(pl.String) == text).sum())

    if trimmed and len(series) >= MANY_ROWS and series.dtype == pl.String and not marks_of(said.missing, name):
        from rosenblatt.data.columns.formatted import look_if_all_fit

        if (look := look_if_all_fit(series, name, wanted)) is not None:
            return with_oddity(look, rows_with)
    known = without_marks(series, marks_of(said.missing, name), trimmed)
    marks: tuple[str, ...] = ()
    values = known.drop_nulls()
    if texts:
        values = pl.Series(used_categories(known)[1], dtype=pl.String).drop_nulls() if is_enum(known) else values
        marks = spellings_of_marks(series, known)
    sample = some_of(values)
    once = sample.unique(maintain_order=True)
    look = Look(name, wanted, len(series), len(known) - known.null_count(), once.to_list(), marks=marks)
    look.dtype, look.unnamed = None if texts else series.dtype, name == said.unnamed and not texts
    if texts and has_other_signs(look.sample) and wanted not in ("category", "text"):
        narrow = look_at(with_ascii_signs(series).alias(name), said, trimmed)
        if narrow.formats or narrow.dates or narrow.is_code:
            return replace(narrow, ascii_signs=True)
    if len(once) <= 2:
        look.distinct = values.n_unique()
    if not len(values):
        return look
    if not texts:
        if look.may_be_dates:
            look.dates = typed_formats(values)
    elif len(look.digits) >= LEAST_WITH_DIGITS * len(look.sample):
        from rosenblatt.data.columns.formatted import ask_texts, rows_of

        ask_texts(look, values, partial(rows_of, known))
    if look.distinct is None and len(once) > LONG_TEXT_SHARE * len(sample) and not look.formats and not look.dates:
        look.distinct = count_distinct(values, look)
    return with_oddity(look, rows_with)


def with_oddity(look: Look, rows_with: Callable[[str], int]) -> Look:
    """The look with what is odd about its values, as one that may mean "not known", and in how many rows."""
    if look.dtype is None and not (look.formats or look.dates or look.wanted or look.oddity or look.nearly or look.is_code):
        if len(look.digits) > (1 - MOST_OTHER_ROWS) * len(look.sample) or may_be_misspelled(look.sample):
            from rosenblatt.data.columns.unread import remarks

            look.oddity = remarks(look, rows_with)
        return look
    is_number = look.formats or (look.dtype is not None and look.dtype.is_numeric())
    texts = "\n".join(map(str, look.sample if is_number else ()))
    told = words_in(look.name) & TOLD_NAMES or LONG_NUMBER.search(texts) or ODD_NUMBER.search(texts)
    if look.dates or (is_number and told):
        from rosenblatt.data.columns.oddities import odd_values

        look.oddity = odd_values(look, rows_with)
    return look


def count_distinct(values: pl.Series, look: Look) -> int | None:
    """How many values differ: exactly where it matters whether all do, else well enough to tell what the column is."""
    if not look.may_be_id() and look.dtype is not None:
        return None
    if len(values) < MANY_ROWS or not (look.dtype is None or look.dtype.is_integer()):
        return values.n_unique()
    from rosenblatt.data.columns.counting import count_many

    return count_many(values, look)


def some_of(values: pl.Series) -> pl.Series:
    """The first values, and others from all of the column."""
    if len(values) <= SAMPLE:
        return values
    import polars as pl

    return pl.concat([values[: (half := SAMPLE // 2)], values[half :: (len(values) - half) // half][:half]])


def share(texts: list[str], pattern: re.Pattern[str]) -> float:
    """How many of the texts hold this pattern."""
    return len([*filter(pattern.search, texts)]) / len(texts) if texts else 0.0


def words_in(name: str) -> set[str]:
    """The words of a column's name, in lower case.

    >>> sorted(words_in("customerID")), sorted(words_in("created_at")), sorted(words_in("paid"))
    (['customer', 'id'], ['at', 'created'], ['paid'])
    >>> sorted(words_in("Kundennr")), sorted(words_in("Bestelldatum")), sorted(words_in("candidate"))
    (['kundennr', 'nr'], ['bestelldatum', 'datum'], ['candidate'])
    """
    words = {word.lower() for word in re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    ends = ("nummer", "nr", "datum", "date")
    return words | {end for word in words for end in ends if word.endswith(end) and word not in ("candidate", "mandate")}


def may_be_misspelled(texts: Sequence[str]) -> bool:
    """Are two of these texts nearly the same, or does one speak of a sum? Roughly, and soon."""
    lower = "\n".join(texts).casefold()
    return len({*lower.split("\n")}) < len(texts) or bool(END_OF_SUM.search(lower) or UNSEEN.search(lower))


def has_other_signs(texts: Sequence[str]) -> bool:
    """Are there digits or signs beside them that are not those of ASCII, or are not seen?"""
    together = "\n".join(texts)
    return not together.isascii() and OTHER_SIGN.search(together) is not None
