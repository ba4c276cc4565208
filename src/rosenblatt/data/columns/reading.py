"""How the cells of raw columns become values: marks of missing values, formats of numbers, dates as their parts.

A model keeps its readings. So a cell means the same whatever stands beside it, and through whatever door it comes.

>>> import polars as pl
>>> price = ColumnReading("price", "number", number=NumberFormat(",", "."))
>>> since = ColumnReading("since", "date", date=DateFormat("%d.%m.%Y"))
>>> rows = pl.DataFrame({"price": ["1.234,5", "NULL"], "since": ["31.01.2024", "-"]})
>>> clean = TableReadings([price, since]).clean(rows)
>>> clean.frame.columns
['price', 'since (days)', 'since (year)', 'since (month)', 'since (weekday)']
>>> clean.frame.row(0)
('1234.5', 19753.0, 2024, 1, 'Wed')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rosenblatt.data.coded import CodedTable
from rosenblatt.data.columns.dates import SECONDS_A_DAY, DateFormat
from rosenblatt.data.columns.numbers import NumberFormat
from rosenblatt.data.columns.words import UNSEEN
from rosenblatt.data.table import BLANKS, categories_of, is_enum, looks_like_data
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

LEFT_OUT = ("id", "constant", "drop")
FEW_CELLS = 64  # of a column, that Python looks through sooner than polars begins
MARKS = ("", "na", "n/a", "nan", "null", "none", "-", "--", "?", ".", "#n/a", "<na>")  # "not known"; see `all_marks`
SHEET_ERRORS = ("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#WERT!", "#BEZUG!", "#ZAHL!")  # also German
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True)
class ColumnReading:
    """How the cells of a column are read, and why so."""

    name: str
    kind: str
    why: str = ""  # for people
    marks: tuple[str, ...] = ()  # of missing values, in this column alone
    number: NumberFormat | None = None  # where numbers are written as texts
    date: DateFormat | None = None
    chosen: bool = False  # by the user
    ascii_signs: bool = False  # are digits of other scripts, wide or unseen signs to be read as what ASCII has for them?

    @property
    def used(self) -> bool:
        """Does it become features?"""
        return self.kind not in LEFT_OUT

    @property
    def role(self) -> str:
        """What its values are as features, where it is no date and no text."""
        return self.kind if self.kind in ("number", "both") else "category"

    @property
    def value_columns(self) -> list[str]:
        """The columns that its values fill: itself, the parts of a date, or none."""
        if self.kind == "date":
            assert self.date is not None
            parts = ["days", *(["year", "month", "weekday"] if self.date.has_date else []), *["hour"] * self.date.has_time]
            return [f"{self.name} ({part})" for part in parts]
        return [self.name] if self.used and self.kind != "text" else []

    def with_marks(self, more: tuple[str, ...]) -> ColumnReading:
        """The same with further marks of missing values."""
        return replace(self, marks=(*more, *self.marks)) if more else self

    def to_json(self) -> dict[str, Any]:
        saved: dict[str, Any] = {"name": self.name, "kind": self.kind, "why": self.why, "chosen": self.chosen}
        saved |= {"marks": list(self.marks)} if self.marks else {}
        saved |= {"number": self.number.to_json()} if self.number else {}
        saved |= {"whole_years": True} if self.date and self.date.whole_years else {}
        saved |= {"ascii_signs": True} if self.ascii_signs else {}
        return saved | ({"date": self.date.pattern} if self.date else {})

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> ColumnReading:
        return cls(
            saved["name"],
            saved["kind"],
            saved["why"],
            marks=tuple(saved.get("marks", ())),
            number=NumberFormat.from_json(saved["number"]) if "number" in saved else None,
            date=DateFormat(saved["date"], saved.get("whole_years", False)) if "date" in saved else None,
            chosen=saved["chosen"],
            ascii_signs=saved.get("ascii_signs", False),
        )


@dataclass
class CleanTable:
    """A table whose cells are values: numbers, categories and, apart, texts."""

    frame: pl.DataFrame | CodedTable
    roles: dict[str, str]  # of its columns: number, category or both
    texts: dict[str, pl.Series]  # columns of sentences
    misfits: dict[str, int]  # cells that are no dates in a column of them, by column
    derived: dict[str, str]  # from a column that is a part of a date to the date's

    @property
    def height(self) -> int:
        return self.frame.height if self.frame.width else max(map(len, self.texts.values()), default=0)

    def take(self, numbers: np.ndarray) -> CleanTable:
        """The rows with these numbers; misfits are those of all."""
        texts = {name: column[numbers] for name, column in self.texts.items()}
        return replace(self, frame=self.frame[numbers] if self.frame.width else self.frame, texts=texts)


@dataclass
class TableReadings:
    """The readings of all columns of a table, and the marks of missing values that count in all of them."""

    columns: list[ColumnReading]
    marks: tuple[str, ...] = ()  # beside those that are known

    def clean(self, table: pl.DataFrame | CodedTable, trimmed: bool = False) -> CleanTable:
        """The values of the columns that are used; stripping is left out where no text has blanks around it."""
        if isinstance(table, CodedTable):
            if not any(one.used and (one.number or one.ascii_signs or one.kind in ("date", "text")) for one in self.columns):
                return self._clean_codes(table)
            table = table.to_polars()
        import polars as pl

        series: list[pl.Series] = []
        clean = CleanTable(pl.DataFrame(), {}, {}, {}, {})
        for reading in self.columns:
            if not reading.used:
                continue
            column = with_ascii_signs(table[reading.name]) if reading.ascii_signs else table[reading.name]
            column = without_marks(column, (*self.marks, *reading.marks), trimmed)
            if reading.kind == "date":
                parts = date_parts(column, reading)
                clean.misfits[reading.name] = parts[0].null_count() - column.null_count()
                clean.roles |= {part.name: "category" for part in parts} | {parts[0].name: "number"}
                clean.derived |= {part.name: reading.name for part in parts}
                series += parts
            elif reading.kind == "text":
                clean.texts[reading.name] = column.cast(pl.String)
            else:
                clean.roles[reading.name] = reading.role
                series.append(column if reading.number is None else plain_numbers(column, reading.number))
        for part, date in clean.derived.items():
            if sum(one.name == part for one in series) > 1:
                raise DataError(f"A part of the date {date!r} is called {part!r}, as another column is: rename that.")
        clean.frame = pl.DataFrame({one.name: one for one in series})
        return clean

    def _clean_codes(self, table: CodedTable) -> CleanTable:
        """The same of a table of texts alone, without polars."""
        used = [one for one in self.columns if one.used]
        columns = [table[one.name].without(all_marks((*self.marks, *one.marks))) for one in used]
        return CleanTable(CodedTable(columns), {one.name: one.role for one in used}, {}, {}, {})


def is_text(column: pl.Series) -> bool:
    """Are its cells texts, coded or not?"""
    import polars as pl

    return column.dtype in (pl.String, pl.Enum, pl.Categorical)


def with_ascii_signs(column: pl.Series) -> pl.Series:
    """Texts with the digits and signs that all programs know, for those of other scripts, wide ones and unseen ones.

    >>> import polars as pl
    >>> with_ascii_signs(pl.Series(["１，２３４", "٣٫٥", "12\\u200b"])).to_list()
    ['1,234', '3.5', '12']
    """
    import polars as pl

    if not is_text(column):
        return column
    texts = column.cast(pl.String)
    return texts.str.replace_many(*signs_in_ascii()).alias(column.name)


@lru_cache(1)
def signs_in_ascii() -> tuple[list[str], list[str]]:
    """Digits of all scripts, wide and unseen signs, and what stands for them in ASCII."""
    import sys
    import unicodedata

    digits = {sign: str(unicodedata.decimal(sign)) for sign in map(chr, range(128, sys.maxunicode)) if sign.isdecimal()}
    signs = dict(zip("．，－﹣＋％：／（）　٫٬٪", ".,--+%:/() .,%", strict=True)) | digits
    signs |= dict.fromkeys((sign for sign in map(chr, range(0xAD, 0xFF00)) if UNSEEN.match(sign)), "")
    return [*signs], [*signs.values()]


def own_marks(missing: Sequence[str], name: str) -> tuple[str, ...]:
    """Of the marks that a user names, those of this column alone.

    >>> named = ["unknown", "age=99", "since=1900-01-01"]
    >>> own_marks(named, "age"), marks_of(named, "age"), marks_of(named, "name"), marked_columns(named)
    (('99',), ('unknown', '99'), ('unknown',), ['age', 'since'])
    """
    return tuple(mark for column, _, mark in (one.rpartition("=") for one in missing) if column and column == name)


def marks_of(missing: Sequence[str], name: str) -> tuple[str, ...]:
    """All of them that count in this column."""
    return (*(mark for mark in missing if not mark.rpartition("=")[0]), *own_marks(missing, name))


def marked_columns(missing: Sequence[str]) -> list[str]:
    """The columns for which marks of their own are named."""
    return [column for column, _, _ in (mark.rpartition("=") for mark in missing) if column]


@lru_cache(64)
def all_marks(others: tuple[str, ...] = ()) -> frozenset[str]:
    """What means "not known", with the marks that the user adds, in small letters, in capitals, and as a word is written."""
    marks = [*MARKS, *SHEET_ERRORS, *(mark.strip(BLANKS) for mark in others)]
    spelled = (text for mark in marks for text in (mark, mark.lower(), mark.upper(), mark.capitalize(), mark.title()))
    return frozenset((*spelled, "NaN"))


def without_marks(column: pl.Series, marks: Sequence[str] = (), trimmed: bool = False) -> pl.Series:
    """The column with null where a cell means "not known", and its texts without blanks around, if they are not so yet."""
    import polars as pl

    every, name = all_marks(tuple(marks)), column.name
    few = len(column) <= FEW_CELLS
    if few and column.dtype.is_float() and not marks and not any(cell != cell for cell in column.to_list()):
        return column
    if few and column.dtype == pl.String:  # of a row or two, in a tenth of the time
        cells = (cell if cell is None or trimmed else cell.strip(BLANKS) for cell in column.to_list())
        return pl.Series(name, [None if cell in every else cell for cell in cells], dtype=pl.String)
    column = column.alias("cells")  # polars takes some names for patterns
    if is_enum(column) and every.isdisjoint(categories_of(column)):
        return column.alias(name)
    if is_text(column):
        texts = column.cast(pl.String)
        texts = texts if trimmed else texts.str.strip_chars()
        marked = texts.is_in(list(every))
        marked = marked.fill_null(False) if marked.has_nulls() else marked  # a copy, else for nothing
        return (texts.set(marked, None) if marked.any() else texts).alias(name)
    if column.dtype.is_float() and column.is_nan().any():  # else a copy for nothing
        column = column.fill_nan(None)
    numbers = [float(mark) for mark in marks if looks_like_data([mark])]
    if numbers and column.dtype.is_numeric():
        marked = column.cast(pl.Float64).is_in(numbers).fill_null(False)
        column = column.zip_with(~marked, pl.Series([None], dtype=column.dtype).new_from_index(0, len(column)))
    return column.alias(name)


def spellings_of_marks(series: pl.Series, known: pl.Series) -> tuple[str, ...]:
    """How cells that are known to be missing are written, as far as anything is written."""
    import polars as pl

    if known.null_count() == series.null_count():
        return ()
    written = series.cast(pl.String).filter(known.is_null()).drop_nulls().str.strip_chars()
    return tuple(mark for mark in written.unique(maintain_order=True).to_list() if mark)


def plain_numbers(column: pl.Series, format: NumberFormat) -> pl.Series:
    """Numbers of this format as every program writes them; those of a coded column once for each of its texts."""
    import polars as pl

    if not is_text(column):
        return column
    cells = column.alias("cells").cast(pl.String)
    if is_enum(column):
        known = pl.Series(categories_of(column), dtype=pl.String)
        return cells.replace_strict(known, format.as_plain(known), default=None).alias(column.name)
    return format.as_plain(cells).alias(column.name)


def date_parts(column: pl.Series, reading: ColumnReading) -> list[pl.Series]:
    """Days since 1970 first, then year, month, weekday and, where there is a time, hour."""
    import polars as pl

    assert reading.date is not None
    if is_enum(column) and 2 * len(categories_of(column)) <= len(column):  # each text once
        of_category = date_parts(pl.Series(column.name, categories_of(column), dtype=pl.String), reading)
        return [part.gather(column.to_physical().cast(pl.UInt32)) for part in of_category]
    wall = reading.date.wall_times(column.alias("cells"))
    parts = [(wall.dt.timestamp("us") / (SECONDS_A_DAY * 1_000_000)).cast(pl.Float64)]
    if reading.date.has_date:
        weekday = wall.dt.weekday().replace_strict(list(range(1, 8)), list(WEEKDAYS), return_dtype=pl.Enum(WEEKDAYS))
        parts += [wall.dt.year().cast(pl.Int64), wall.dt.month().cast(pl.Int64), weekday]
    if reading.date.has_time:
        parts.append(wall.dt.hour().cast(pl.Int64))
    return [part.alias(name) for name, part in zip(reading.value_columns, parts, strict=True)]
