"""Parquet, Arrow and Feather files: tables that know their types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from rosenblatt.data import columns
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.options import Options
from rosenblatt.data.source import Source
from rosenblatt.errors import FileError

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
STREAM = b"\xff\xff\xff\xff"  # an Arrow stream, as opposed to an Arrow file


def _trying(name: str, kind: str, action: Callable[[], T]) -> T:
    """What the action gives; whatever polars throws becomes a FileError."""
    import polars as pl

    try:
        return action()
    # On damaged bytes its Rust side may panic, which Python sees as a BaseException of its own.
    except (Exception, pl.exceptions.PanicException) as error:
        reason = str(error).strip().splitlines()[0][:120] if str(error).strip() else type(error).__name__
        what = f"the {kind} data is truncated or damaged ({reason}): copy the file again, or write it anew."
        raise FileError(what, path=name) from None


def read_arrow(source: Source, options: Options, format: str) -> Dataset:
    """A whole table."""
    import polars as pl

    place: Any = str(source.path) if source.path is not None and not source.compressed else source.read()
    if format == "parquet":
        frame = _trying(source.name, "Parquet", lambda: pl.read_parquet(place, glob=False, hive_partitioning=False))
    elif source.head.startswith(STREAM):
        frame = _trying(source.name, "Arrow", lambda: pl.read_ipc_stream(place))
    else:
        frame = _trying(source.name, "Arrow", lambda: pl.read_ipc(place))
    if not frame.height:
        raise FileError("the table has no rows.", path=source.name)
    return to_dataset(frame, options, source.name)


def batches_arrow(source: Source, rows: int, options: Options, format: str) -> Iterator[Dataset]:
    """The same in batches of at most `rows`. From a pipe or gzip all is held: these formats are read from their end."""
    import polars as pl

    if source.path is None or source.compressed or source.head.startswith(STREAM):
        whole = read_arrow(source, options, format)
        yield from (whole.slice(start, start + rows) for start in range(0, len(whole), rows))
        return
    path = str(source.path)

    def scan() -> Any:
        lazy = pl.scan_parquet(path, glob=False) if format == "parquet" else pl.scan_ipc(path, glob=False)
        return iter(lazy.collect_batches(chunk_size=rows, maintain_order=True))

    kind = "Parquet" if format == "parquet" else "Arrow"
    parts = _trying(source.name, kind, scan)
    at = 0
    while (frame := _trying(source.name, kind, lambda: next(parts, None))) is not None:
        for start in range(0, frame.height, rows):
            part = frame.slice(start, rows)
            yield to_dataset(part, options, source.name, at)
            at += part.height
    if not at:
        raise FileError("the table has no rows.", path=source.name)


def to_dataset(frame: pl.DataFrame, options: Options, name: str, before: int = 0) -> Dataset:
    """The frame in the types that the rest of the package knows, its target taken out; `before` counts earlier rows."""
    columns.refuse_patterns(frame.columns, path=name)
    frame = frame.select(_plain(column, name) for column in frame)
    frame, bad = columns.refuse_infinite(frame, options)
    if bad is not None:
        row, column, value = bad
        raise columns.infinite(value, path=f"{name}, row {before + row + 1:,}", column=column)
    rows, labels = columns.split_target(frame, options, name)
    if labels is not None and labels.has_nulls():
        row = labels.is_null().arg_max() or 0
        raise columns.no_label(labels.name, labels.null_count(), path=f"{name}, row {before + row + 1:,}")
    return Dataset("table", rows, labels, name)


def _plain(column: pl.Series, name: str) -> pl.Series:
    """Numbers and booleans as they are; categories, dates and times as text; decimals as numbers."""
    import polars as pl

    dtype = column.dtype
    if dtype in (pl.String, pl.Boolean) or dtype.is_integer() or dtype.is_float():
        return column
    if dtype == pl.Decimal:
        return column.cast(pl.Float64)
    if dtype == pl.Duration:
        return column.dt.total_microseconds()
    if dtype in (pl.Categorical, pl.Enum, pl.Null) or dtype.is_temporal():
        return column.cast(pl.String)
    what = f"it holds {dtype}: only numbers, text, booleans, categories and dates can be learned from. Leave it out."
    raise FileError(what, path=name, column=column.name)
