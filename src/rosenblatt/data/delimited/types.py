"""From cells to columns: blanks stripped, missing values null, numbers numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    Types = Mapping[str, pl.DataType | type[pl.DataType]]  # by column

PROBE_CELLS = 200  # decide whether a column may hold numbers


def with_types(
    frame: pl.DataFrame, missing: Sequence[str], at_least: Types | None = None, *, padded: bool = True
) -> pl.DataFrame:
    """The columns of text as what they hold: whole numbers, numbers, or text, without blanks around and with nulls.

    `at_least` names types that columns must have at least, as earlier parts of the same file had them. Stripping takes
    longer than reading: where no cell is `padded`, it is left out.

    >>> import polars as pl
    >>> with_types(pl.DataFrame({"age": [" 39", "?"], "sex": ["Male ", ""]}), ["", "?"]).rows()
    [(39, 'Male'), (None, None)]
    """
    import polars as pl

    if padded:
        frame = frame.with_columns(pl.col(pl.String).str.strip_chars())
    return frame.with_columns(with_type(column, missing, (at_least or {}).get(column.name)) for column in frame)


def with_type(column: pl.Series, missing: Sequence[str], at_least: pl.DataType | type[pl.DataType] | None) -> pl.Series:
    """One column, without blanks around already, as what it holds."""
    import polars as pl

    if column.dtype == pl.String:
        for mark in missing:
            is_mark = column == mark
            if is_mark.any():
                column = column.set(is_mark.fill_null(False), None)
        if at_least != pl.String:
            column = _numbers(column)
    unknown = column.null_count() == len(column)
    if at_least is not None and (unknown or (at_least == pl.Float64 and column.dtype == pl.Int64)):
        column = column.cast(at_least)
    return column


def _numbers(column: pl.Series) -> pl.Series:
    """A column of text as Int64 or Float64 if every cell is such a number; else as it was."""
    import polars as pl

    probe = column.head(PROBE_CELLS).drop_nulls()
    for dtype in (pl.Int64, pl.Float64):
        if probe.cast(dtype, strict=False).null_count():
            continue
        numbers = column.cast(dtype, strict=False)
        # "nan" alone is a word, not a column of numbers.
        if numbers.null_count() == column.null_count() and (dtype == pl.Int64 or numbers.is_finite().any()):
            return numbers if numbers.null_count() < len(numbers) else column
    return column


def widest_types(earlier: Types, frame: pl.DataFrame) -> Types:
    """The types that the columns of all frames so far can have: a whole number, a number, or text."""
    import polars as pl

    from_narrow_to_wide: list[pl.DataType | type[pl.DataType]] = [pl.Int64, pl.Float64, pl.String]
    types = dict(earlier)
    for column in frame:
        if column.null_count() == len(column):  # which says nothing about its type
            continue
        dtype = pl.String() if column.dtype == pl.Enum else column.dtype
        types[column.name] = max(types.get(column.name, dtype), dtype, key=from_narrow_to_wide.index)
    return types
