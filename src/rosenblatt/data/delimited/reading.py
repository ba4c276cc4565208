"""A whole table at once, or block by block in memory that does not grow."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import IO, TYPE_CHECKING

import numpy as np

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.delimited.layout import NEWLINE, TextBlock, find_layout
from rosenblatt.data.delimited.parsing import parse
from rosenblatt.data.delimited.types import widest_types
from rosenblatt.data.options import ReadOptions
from rosenblatt.data.source import Source, explain_errors
from rosenblatt.data.table import to_dataset
from rosenblatt.errors import FileError

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.data.delimited.types import Types

LONGEST_RECORD = 1 << 28  # bytes, before it is taken for an open quote


def read_table(source: Source, options: ReadOptions, delimiter: str) -> Dataset:
    """A whole table."""
    layout = find_layout(source, options, delimiter)
    block = TextBlock(source.mapped(), layout, source.name, path=str(source.path) if source.is_plain_file else None)
    return to_dataset(parse(block, options), options, source.name, block.place_of_row)


def table_batches(source: Source, rows: int | None, options: ReadOptions, delimiter: str) -> Iterator[Dataset]:
    """A table in batches of `rows`; if None, as they come."""
    layout = find_layout(source, options, delimiter)
    types: Types = {}
    held: list[Dataset] = []
    count = 0
    with explain_errors(source.name), source.open() as stream:
        for line, data in whole_records(stream, source.name, options.sizes.table_block):
            block = TextBlock(data, layout, source.name, line)
            frame = parse(block, options, types)
            types = widest_types(types, frame)
            part = to_dataset(frame, options, source.name, block.place_of_row)
            if rows is None:
                yield part
                continue
            held.append(part)
            count += len(part)
            while count >= rows:
                joined = join(held)
                yield joined.slice(0, rows)
                held, count = [joined.slice(rows)], count - rows
    if count:
        yield join(held)


def join(parts: list[Dataset]) -> Dataset:
    """Consecutive parts of a table as one; a column has the widest type that it has in any of them."""
    import polars as pl

    if len(parts) == 1:
        return parts[0]
    parts = [part for part in parts if len(part)]
    rows = _concatenate([part.rows for part in parts]).with_columns(pl.col(pl.Null).cast(pl.String))
    labels = None
    if parts[0].labels is not None:
        labels = _concatenate([pl.DataFrame([part.labels]) for part in parts]).to_series()
    return Dataset("table", rows, labels, parts[0].name)


def _concatenate(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """The frames below each other.

    Columns that are missing throughout become nulls without a type, which adopt that of the others. Coded texts become
    texts: each frame has its own codes.
    """
    import polars as pl

    texts = [frame.with_columns(column.cast(pl.String) for column in frame if column.dtype == pl.Enum) for frame in frames]
    return pl.concat(
        [
            frame.with_columns(column.cast(pl.Null) for column in frame if column.null_count() == len(column))
            for frame in texts
        ],
        how="vertical_relaxed",
    )


def whole_records(stream: IO[bytes], name: str, block_size: int) -> Iterator[tuple[int, np.ndarray]]:
    """The bytes of a table in blocks that end where a record ends, at a line end outside quotes; and their first lines."""
    rest, line = b"", 1
    for data in chain(iter(lambda: stream.read(block_size), b""), [b""]):
        text = rest + data
        if not data:
            if text:
                yield line, np.frombuffer(text, dtype=np.uint8)
            return
        end = end_of_records(text)
        if not end and len(text) > LONGEST_RECORD:
            raise FileError("a quote is opened here or later and never closed.", path=name, line=line)
        rest, whole = text[end:], np.frombuffer(text, dtype=np.uint8, count=end)
        if end:
            yield line, whole
            line += int(np.count_nonzero(whole == NEWLINE))  # several times faster than bytes.count


def end_of_records(text: bytes) -> int:
    """Where the last whole record ends; 0 if none does.

    >>> end_of_records(b'a,b\\n1,"x\\ny')
    4
    """
    if text.find(b'"') < 0:
        return text.rfind(b"\n") + 1
    byte = np.frombuffer(text, dtype=np.uint8)
    outside = np.cumsum(byte == ord('"'), dtype=np.int32) % 2 == 0
    ends = np.flatnonzero((byte == NEWLINE) & outside)
    return int(ends[-1]) + 1 if len(ends) else 0
