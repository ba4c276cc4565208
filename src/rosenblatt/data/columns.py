"""From cells to columns: blanks stripped, missing values null, numbers numbers; and the target taken out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from rosenblatt.data.options import Options
from rosenblatt.errors import FileError, TargetError

if TYPE_CHECKING:
    import polars as pl

PROBE = 200  # cells that decide whether a column may hold numbers


def refuse_patterns(names: Sequence[str], **place: Any) -> None:
    """polars takes a name such as `^a$` for a pattern of names, and fails on it."""
    strange = [name for name in names if name.startswith("^") and name.endswith("$")]
    if strange:
        raise FileError(
            f"the column name {strange[0]!r} begins with ^ and ends with $: rename it.", column=strange[0], **place
        )


def conform(
    frame: pl.DataFrame, missing: Sequence[str], wider: Mapping[str, Any] | None = None, *, padded: bool = True
) -> pl.DataFrame:
    """The columns of text as what they hold: whole numbers, numbers, or text, without blanks around and with nulls.

    `wider` names types that columns must have at least, as earlier parts of the same file had them. Stripping takes
    longer than reading: where no cell is `padded`, it is left out.

    >>> import polars as pl
    >>> conform(pl.DataFrame({"age": [" 39", "?"], "sex": ["Male ", ""]}), ["", "?"]).rows()
    [(39, 'Male'), (None, None)]
    """
    import polars as pl

    if padded:
        frame = frame.with_columns(pl.col(pl.String).str.strip_chars())
    return frame.with_columns(conform_column(column, missing, (wider or {}).get(column.name)) for column in frame)


def conform_column(column: pl.Series, missing: Sequence[str], wider: Any) -> pl.Series:
    """One column, without blanks around already, as what it holds."""
    import polars as pl

    if column.dtype == pl.String:
        for mark in missing:
            is_mark = column == mark
            if is_mark.any():
                column = column.set(is_mark.fill_null(False), None)
        if wider != pl.String:
            column = _numbers(column)
    unknown = column.null_count() == len(column)
    if wider is not None and (unknown or (wider == pl.Float64 and column.dtype == pl.Int64)):
        column = column.cast(wider)
    return column


def _numbers(column: pl.Series) -> pl.Series:
    """A column of text as Int64 or Float64 if every cell is such a number; else as it was."""
    import polars as pl

    probe = column.head(PROBE).drop_nulls()
    for dtype in (pl.Int64, pl.Float64):
        if probe.cast(dtype, strict=False).null_count():
            continue
        numbers = column.cast(dtype, strict=False)
        # "nan" alone is a word, not a column of numbers.
        if numbers.null_count() == column.null_count() and (dtype == pl.Int64 or numbers.is_finite().any()):
            return numbers if numbers.null_count() < len(numbers) else column
    return column


def refuse_infinite(frame: pl.DataFrame, options: Options) -> tuple[pl.DataFrame, tuple[int, str, float] | None]:
    """The frame with nan as null where the user calls it missing, and (row, column, value) of the first infinite number."""
    import polars as pl

    for column in frame.get_columns():
        if column.dtype not in (pl.Float32, pl.Float64):
            continue
        if any(mark.lower() == "nan" for mark in options.missing):
            column = column.fill_nan(None)
            frame = frame.with_columns(column)
        bad = ~column.is_finite()
        if bad.any():
            row = bad.fill_null(False).arg_max()
            assert row is not None
            return frame, (row, column.name, column[row])
    return frame, None


def infinite(value: float, **place: Any) -> FileError:
    """The error for a number that is not finite."""
    remedy = "Pass missing='nan' to count it as missing" if value != value else "Correct it, or leave the cell empty"
    return FileError(f"the number is {value}. {remedy}.", **place)


def find_target(columns: Sequence[str], options: Options, name: str) -> str:
    """The name of the target column.

    >>> find_target(["age", "sex"], Options(target=-1), "tiny.csv")
    'sex'
    """
    target = options.target
    if isinstance(target, str):
        if target in columns:
            return target
        if target.strip() in columns:
            return target.strip()
        number = target.removeprefix("-")
        if options.header or not number.isdigit():
            raise _no_such_column(target, columns, options, name)
        target = int(target)
    assert target is not None
    position = target - 1 if target > 0 else len(columns) + target
    if target == 0 or not 0 <= position < len(columns):
        what = f"there is no column {target}: columns count from 1 to {len(columns)}, or from -1 backwards."
        raise TargetError(what, path=name)
    return columns[position]


def _no_such_column(target: str, columns: Sequence[str], options: Options, name: str) -> TargetError:
    near = get_close_matches(target, columns, 1, 0.5) or [c for c in columns if c.lower() == target.lower()]
    shown = ", ".join(columns[:30]) + (f", … ({len(columns)} in all)" if len(columns) > 30 else "")
    what = f"there is no column {target!r}; the columns are {shown}."
    if options.header and options.names is None and looks_like_data(columns):
        what += " The first line looks like data: pass header=False (--no-header)."
    elif near:
        what += f" Did you mean {near[0]!r}?"
    return TargetError(what, path=name)


def looks_like_data(header: Sequence[str]) -> bool:
    """Is there a number among the names? Then the file has no header.

    >>> looks_like_data(["39", "Private", "<=50K"])
    True
    """

    def is_number(text: str) -> bool:
        try:
            float(text)
        except ValueError:
            return False
        return True

    return any(is_number(text) for text in header)


def split_target(frame: pl.DataFrame, options: Options, name: str) -> tuple[pl.DataFrame, pl.Series | None]:
    """Rows without the target, and the target; None where none was named."""
    if options.target is None:
        return frame, None
    target = find_target(frame.columns, options, name)
    if frame.width == 1:
        what = f"one column found, {target!r}: nothing is left to predict it from. If there are more, name their delimiter."
        raise FileError(what, path=name)
    return frame.drop(target), frame[target]


def no_label(column: str, count: int, **place: Any) -> FileError:
    """The error for rows whose target is missing."""
    what = f"{count:,} row{'s have' if count > 1 else ' has'} no label: fill it in, or leave such rows out."
    return FileError(what, column=column, **place)
