"""Tables of every format: names and numbers checked, and the target separated from the rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.data.coded import CodedTable, CodedTexts
from rosenblatt.data.dataset import CountedNote, Dataset
from rosenblatt.data.read_options import ReadOptions, without_label
from rosenblatt.errors import DataError, FileError, SettingError, TargetError, counted

if TYPE_CHECKING:
    import numpy as np
    import polars as pl


# What does not count around a cell: Unicode's white space, no-break space included, which is also what polars strips.
BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


class Place(NamedTuple):
    """A place in a source, for error messages."""

    path: str
    line: int | None = None

    def error(self, what: str, column: str) -> FileError:
        return FileError(what, path=self.path, line=self.line, column=column)


def refuse_patterns(names: Sequence[str], place: Place) -> None:
    """polars understands a name such as `^a$` as a pattern of names, and fails on it."""
    for name in names:
        if name.startswith("^") and name.endswith("$"):
            raise place.error(f"the column name {name!r} begins with ^ and ends with $: rename it.", name)


def checked_names(header: Sequence[str], options: ReadOptions, place: Place) -> list[str]:
    """The names of the columns: those that were given, or of the header; column_3 for one that is empty."""
    names = [name or f"column_{i}" for i, name in enumerate(header, 1)]
    if options.names is not None:
        if len(options.names) != len(header):
            what = f"{counted(len(options.names), 'name')} given, but the first line has {counted(len(header), 'cell')}."
            raise FileError(what, path=place.path, line=place.line)
        names = list(options.names)
    refuse_names(names, options, place)
    return names


def refuse_names(header: Sequence[str], options: ReadOptions, place: Place) -> None:
    """Refuses names that occur twice, that polars cannot have, and a first line that looks like data."""
    is_data = options.header and options.names is None and looks_like_data(header)
    counts = Counter(header)
    if len(counts) < len(header):
        name, count = next((name, count) for name, count in counts.items() if count > 1)
        what = f"the column name {name!r} occurs {count} times: rename one"
        what += f", or name all: names=[…] (--names A,B,…) and skip_lines={place.line}." if place.line else "."
        if is_data:
            what = f"the first line looks like data ({name!r} occurs twice): pass header=False (--no-header)."
        raise place.error(what, name)
    refuse_patterns(header, place)
    by_number = isinstance(options.target, int) or NUMBER_OF_COLUMN.fullmatch(str(options.target))
    is_name = by_number and str(options.target) in header and int(str(options.target)) > len(header)
    if by_number and is_data and not is_name:  # there is no column number 2007 where 2007 is the name of one
        what = "the first line looks like data, and the target is a number: pass header=False (--no-header), or its name."
        raise FileError(what, path=place.path, line=place.line)


def to_dataset(
    frame: pl.DataFrame | CodedTable, options: ReadOptions, name: str, place_of_row: Callable[[int], Place]
) -> Dataset:
    """Rows and labels of a frame; all numbers must be finite, and every row must have a label."""
    file_columns = None if options.header else tuple(frame.columns)
    frame, headers = without_headers(frame, options, name)
    headers += last_row_is_total(frame, options, name) + names_may_be_a_row(frame, options, name)
    if isinstance(frame, CodedTable):  # of texts, and with all labels
        return Dataset("table", *split_target(frame, options, name), name, file_columns=file_columns, notes=headers)
    frame = refuse_infinite(frame, options, place_of_row)
    rows, labels = split_target(frame, options, name)
    if labels is None or not labels.has_nulls():
        return Dataset("table", rows, labels, name, file_columns=file_columns, notes=headers)
    known = labels.is_not_null()

    def refuse(what: str) -> FileError:
        return place_of_row(known.arg_min() or 0).error(what, labels.name)

    left_out = without_label(labels.null_count(), options, name, refuse)
    return Dataset(
        "table", rows.filter(known), labels.filter(known), name, file_columns=file_columns, notes=(*headers, left_out)
    )


def without_headers(
    frame: pl.DataFrame | CodedTable, options: ReadOptions, name: str
) -> tuple[pl.DataFrame | CodedTable, tuple[str, ...]]:
    """The frame without rows that repeat the names of its columns, as where files were put below one another; and a note.

    Where nothing is learned, as no target is named, every row stays: predictions stand beside their rows.
    """
    if options.target is None or not (options.header or options.header_above):
        return frame, ()
    target = find_target(frame.columns, options, name)
    if isinstance(frame, CodedTable):
        if target not in frame[target].texts:
            return frame, ()
        frame = frame.to_polars()
    import polars as pl

    if frame[target].dtype not in (pl.String, pl.Enum) or not (frame[target].cast(pl.String) == target).any():
        return frame, ()
    repeats = pl.Series([True]).new_from_index(0, frame.height)
    for column in frame.get_columns():
        repeats &= (column.cast(pl.String) == column.name).fill_null(False)
    count = int(repeats.sum())
    if not count:
        return frame, ()
    one = f"row of {name} repeats the names of its columns and was left out."
    several = f"rows of {name} repeat the names of its columns and were left out."
    return frame.filter(~repeats), (CountedNote(count, one, several),)


def last_row_is_total(frame: pl.DataFrame | CodedTable, options: ReadOptions, name: str) -> tuple[str, ...]:
    """A note where the last row seems to add up the others: it says so in a cell as no other row does."""
    from rosenblatt.data.columns.words import TOTALS

    if options.target is None or not len(frame):
        return ()
    for column in frame.columns:
        cells = frame[column]
        values = cells.codes if isinstance(cells, CodedTexts) else cells
        text = cells.texts[values[-1]] if isinstance(cells, CodedTexts) else values[-1]
        if isinstance(text, str) and text.strip(BLANKS).rstrip(":").lower() in TOTALS and (values == values[-1]).sum() == 1:
            return (f"The last row of {name} has {text!r} in {column!r}: if it adds up the others, remove it.",)
    return ()


def names_may_be_a_row(frame: pl.DataFrame | CodedTable, options: ReadOptions, name: str) -> tuple[str, ...]:
    """A note where most names of columns are values that occur below them: then the first line is a row, and no header."""
    names = frame.columns
    if options.target is None or not options.header or options.names is not None:
        return ()
    numbers = [name for name in names if name.isdigit()]
    counted = numbers in ([str(first + i) for i in range(len(numbers))] for first in (0, 1))  # as pandas names columns
    if 2 * sum(is_value_of(frame[name], name) for name in names if not (counted and name in numbers)) <= len(names):
        return ()
    line = f"The first line of {name} ({', '.join(names[:3])}{' …' * (len(names) > 3)})"
    return (f"{line} was taken for the names of the columns: if it is data, pass header=False (--no-header).",)


ROWS_COMPARED = 10_000  # with the names of their columns


def is_value_of(column: pl.Series | CodedTexts, name: str) -> bool:
    """Does this text occur in the column or, of numbers, lie among them?"""
    if is_enum(column) and name not in (column.texts if isinstance(column, CodedTexts) else categories_of(column)):
        return False
    if isinstance(column, CodedTexts):
        return True
    some = column.head(ROWS_COMPARED)
    if some.dtype.is_numeric():
        number, least, most = number_in(name), some.min(), some.max()
        return number is not None and least is not None and bool(least <= number <= most)  # type: ignore[operator]
    return kind_of(some) == "text" and name in plain(some)


def refuse_infinite(frame: pl.DataFrame, options: ReadOptions, place_of_row: Callable[[int], Place]) -> pl.DataFrame:
    """The frame with nan as null; other numbers that are not finite are refused."""
    from polars import selectors

    frame = frame.with_columns(selectors.float().fill_nan(None))
    for column in frame.get_columns():
        if not column.dtype.is_float():
            continue
        bad = ~column.is_finite()
        if bad.any():
            row = bad.fill_null(False).arg_max() or 0
            raise place_of_row(row).error(f"the number is {column[row]}. Correct it, or leave the cell empty.", column.name)
    return frame


def split_target(frame: Any, options: ReadOptions, name: str) -> tuple[Any, Any]:
    """Rows without the target, and the target; None where none was named."""
    if options.target is None:
        return frame, None
    target = find_target(frame.columns, options, name)
    if frame.width == 1:
        what = f"one column found, {target!r}: nothing is left to predict it from. If there are more, name their delimiter."
        raise FileError(what, path=name)
    return without_column(frame, target), frame[target]


def without_column(frame: pl.DataFrame | CodedTable, name: str) -> pl.DataFrame | CodedTable:
    """The frame without a column; by a selector, as polars understands the name `*` as all of them."""
    if isinstance(frame, CodedTable):
        return frame.drop(name)
    from polars import selectors

    return frame.drop(selectors.by_name(name))


def find_target(columns: Sequence[str], options: ReadOptions, name: str) -> str:
    """The name of the target column.

    >>> from rosenblatt.data import ReadOptions
    >>> find_target(["age", "sex"], ReadOptions(target=-1), "tiny.csv")
    'sex'
    """
    target = options.target
    if isinstance(target, str):
        if target in columns:
            return target
        if target.strip(BLANKS) in columns:
            return target.strip(BLANKS)
        if options.header or not NUMBER_OF_COLUMN.fullmatch(target):
            raise _no_such_column(target, columns, options, name)
        target = int(target)
    assert target is not None
    position = target - 1 if target > 0 else len(columns) + target
    if str(target) in columns and target > len(columns):  # as 2007, where years have columns
        return str(target)
    if target == 0 or not 0 <= position < len(columns):
        what = f"there is no column {target}: columns count from 1 to {len(columns)}, or from -1 backwards."
        raise TargetError(what, path=name)
    return columns[position]


def _no_such_column(target: str, columns: Sequence[str], options: ReadOptions, name: str) -> TargetError:
    near = get_close_matches(target, columns, 1, 0.5) or [c for c in columns if c.lower() == target.lower()]
    shown = ", ".join(columns[:30]) + (f", … ({len(columns)} in all)" if len(columns) > 30 else "")
    what = f"there is no column {target!r}; the columns are {shown}."
    if options.header and options.names is None and looks_like_data(columns):
        what += " The first line looks like data: pass header=False (--no-header)."
    elif not options.header and options.names is None:
        what += " The file was read without names: pass names=[…] (--names A,B,…), or the number of the column."
    elif near:
        what += f" Did you mean {near[0]!r}?"
    return TargetError(what, path=name)


NUMBER_OF_COLUMN = re.compile(r"-?[0-9]{1,9}")


def looks_like_data(header: Sequence[str]) -> bool:
    """Is there a number among the names? Then the file has no header.

    >>> looks_like_data(["39", "Private", "<=50K"])
    True
    """
    return any(number_in(text) is not None for text in header)


WITH_EXPONENT = 2.0**64  # from here on numbers are floats, and written so; whole numbers of 64 bits are exact


def number_text(value: float) -> str:
    """The one text of a number.

    >>> [number_text(value) for value in (40, 40.0, -0.0, 0.1, 2**53 + 1, 1e300, 10**22)]
    ['40', '40', '0', '0.1', '9007199254740993', '1e+300', '1e+22']
    """
    if abs(value) < WITH_EXPONENT and (isinstance(value, int) or value.is_integer()):
        return str(int(value))
    return repr(float(value))


def number_in(text: str) -> float | None:
    """The number that a text stands for, or None; blanks around it do not count.

    >>> [number_in(text) for text in ("40", " 40.0", "1e3", "1" + "0" * 22, "forty", "1_000", "")]
    [40, 40.0, 1000.0, 1e+22, None, None, None]
    """
    if "_" in text:  # Python reads 1_000 as a thousand; tables do not mean it
        return None
    for parse in (int, float):
        try:
            number = parse(text)
        except ValueError:
            continue
        if isinstance(number, float) or abs(number) < WITH_EXPONENT:
            return number
    return None


PROBE_CELLS = 200  # decide whether a column may hold numbers


def loosely(text: str) -> float | str | None:
    """What two spellings in a column of texts share that a typed column cannot tell apart; None if there is no other.

    40 and 40.0 are one number in a column of numbers, True and true one truth value. 007 and 7 are two texts, as is 1.10:
    no number prints as they do.

    >>> loosely("40.0") == loosely("40"), loosely("True"), loosely("007"), loosely("1.10"), loosely("red")
    (True, 'true', None, None, None)
    """
    if text.lower() in ("true", "false"):
        return text.lower()
    number = number_in(text)
    return number if number is not None and text in (number_text(number), repr(number)) else None


def numbers_if_all(column: pl.Series) -> pl.Series:
    """A column of text as Int64, UInt64 or Float64 if every cell is such a number; else as it was."""
    import polars as pl

    probe = column.head(PROBE_CELLS)
    probe = probe.drop_nulls() if probe.has_nulls() else probe
    for dtype in (pl.Int64, pl.UInt64, pl.Float64):
        if probe.cast(dtype, strict=False).null_count():
            continue
        numbers = column.cast(dtype, strict=False)
        # "nan" alone is a word, not a column of numbers.
        if numbers.null_count() == column.null_count() and (dtype != pl.Float64 or numbers.is_finite().any()):
            return numbers if numbers.null_count() < len(numbers) else column
    return column


def kind_of(series: pl.Series | CodedTexts) -> str:
    """What a column holds: `number`, `boolean` or `text`; durations are numbers, dates and columns of nothing are text."""
    if isinstance(series, CodedTexts):
        return "text"
    import polars as pl

    dtype = series.dtype
    if dtype.is_numeric() or dtype == pl.Duration:
        return "number"
    if dtype == pl.Boolean:
        return "boolean"
    if dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null) or dtype.is_temporal():
        return "text"
    raise DataError(f"Column {series.name!r} holds {dtype}: expected numbers, texts, booleans or dates. Unpack or drop it.")


def plain(series: pl.Series) -> pl.Series:
    """The same values as texts, booleans, integers or floats, with one kind of missing: null."""
    import polars as pl

    if series.dtype.is_temporal():
        from rosenblatt.data.columns.dates import plain_moments

        return plain_moments(series)
    if kind_of(series) == "text":
        return series if series.dtype == pl.String else series.cast(pl.String)
    if series.dtype.is_decimal():
        series = series.cast(pl.Float64)
    return series.fill_nan(None) if series.dtype.is_float() and series.is_nan().any() else series


ROWS_AT_ONCE = 2**15  # before asking whether every category has occurred


def is_enum(series: pl.Series | CodedTexts) -> bool:
    """Are the rows of the column already codes of texts? So are those of an Enum."""
    if isinstance(series, CodedTexts):
        return True
    import polars as pl

    return series.dtype == pl.Enum


def categories_of(series: pl.Series) -> list[str]:
    """The texts that the codes of an Enum stand for."""
    texts: pl.Series = series.dtype.categories  # type: ignore[attr-defined]
    return texts.to_list()


def enum_codes(series: pl.Series | CodedTexts) -> np.ndarray:
    """The code of each row of an Enum; one past the last where it is missing.

    >>> import polars as pl
    >>> enum_codes(pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"])))
    array([1, 2, 0], dtype=uint32)
    """
    if isinstance(series, CodedTexts):
        return series.codes
    import polars as pl

    codes = series.to_physical()
    if codes.has_nulls():
        codes = codes.cast(pl.UInt32).fill_null(len(categories_of(series)))
    return codes.to_numpy()


def used_categories(series: pl.Series | CodedTexts) -> tuple[np.ndarray, list[str | None]]:
    """(codes that occur in an Enum, their texts); missing ones too.

    >>> import polars as pl
    >>> codes, texts = used_categories(pl.Series(["b", "b", None], dtype=pl.Enum(["a", "b"])))
    >>> codes.tolist(), texts
    ([1, 2], ['b', None])
    """
    import numpy as np

    if isinstance(series, CodedTexts):
        return np.arange(len(series.texts)), series.texts
    categories = [*categories_of(series), None]
    occurs = np.zeros(len(categories), dtype=bool)
    occurs[-1] = series.has_nulls()
    rows = enum_codes(series)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        occurs[rows[start : start + ROWS_AT_ONCE]] = True
        if occurs[:-1].all():  # as a rule, the first rows have them all
            break
    codes = np.flatnonzero(occurs)
    return codes, [categories[code] for code in codes.tolist()]


def texts_among(columns: Sequence[str], options: ReadOptions) -> list[str]:
    """The columns whose cells stay texts, also where all of them are numbers."""
    if isinstance(options.as_text, bool):
        return list(columns) if options.as_text else []
    unknown = [name for name in options.as_text if name not in columns]
    if unknown:
        what = f"as_text (--column NAME=number:…) names {unknown[0]!r}, but the columns are {', '.join(columns[:30])}."
        raise SettingError(what)
    return list(options.as_text)
