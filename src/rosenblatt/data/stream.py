"""Files of any length in memory that does not grow: one batch at a time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.options import Options
from rosenblatt.data.read import Where, is_folder, open_source, read_with, refuse_target
from rosenblatt.data.source import Source, explaining
from rosenblatt.errors import FileError, SettingError

if TYPE_CHECKING:
    import polars as pl

BLOCK = 1 << 23  # bytes of a table parsed at a time
ROWS = 65_536
LONGEST = 1 << 28  # of a record, before it is taken for an open quote


def batches(source: Where, rows: int | None = ROWS, **options: Any) -> Iterator[Dataset]:
    """The data of a source in batches of `rows`, the last one shorter; None: of some size. Options are those of `read`.

    A column of whole numbers in which a later batch has a fraction, or text, has the wider type from there on.

    >>> import io
    >>> [len(part) for part in batches(io.BytesIO(b"a,b\\n1,x\\n2,y\\n3,x\\n"), rows=2, target="b")]
    [2, 1]
    """
    if rows is not None and rows < 1:
        raise SettingError(f"rows is {rows}: a batch has 1 or more.")
    return _batches(source, rows, Options(**options))


def _batches(where: Where, wanted: int | None, options: Options) -> Iterator[Dataset]:
    from rosenblatt.data.known import is_known
    from rosenblatt.data.recognise import recognise

    rows = ROWS if wanted is None else wanted
    if isinstance(where, str) and where != "-" and not os.path.exists(where) and is_known(where):
        whole = read_with(where, options)
        yield from (whole.slice(start, start + rows) for start in range(0, len(whole), rows))
        return
    if is_folder(where, options):
        from rosenblatt.data import text

        refuse_target(options, str(where))
        yield from _of_messages(text.folder(Path(os.fspath(where))), rows, str(where))  # type: ignore[arg-type]
        return
    source = open_source(where)
    format = recognise(source, options)
    if format in ("csv", "tsv", "blanks"):
        yield from _of_table(source, wanted, options, format)
        return
    if format in ("parquet", "arrow"):
        from rosenblatt.data.arrow import batches_arrow

        yield from batches_arrow(source, rows, options, format)
        return
    refuse_target(options, source.name)
    if format == "libsvm":
        yield from _of_libsvm(source, rows, options)
    elif format == "idx":
        from rosenblatt.data.images import images

        yield from images(source, rows)
    else:
        from rosenblatt.data import text

        messages = text.archive(source) if format == "tar" else text.lines(source, labelled=format == "text")
        yield from _of_messages(messages, rows, source.name)


def _of_libsvm(source: Source, rows: int, options: Options) -> Iterator[Dataset]:
    from rosenblatt.data.libsvm import batches_libsvm, has_index_zero

    found, zero_based = False, options.zero_based
    if zero_based is None and source.path is not None and source.path.is_file():
        # A file can be read twice; a pipe must tell with its first rows.
        with explaining(source.name), source.open() as stream:
            zero_based = has_index_zero(stream)
    with explaining(source.name), source.open() as stream:
        for X, y, first in batches_libsvm(stream, source.name, rows, zero_based=zero_based, n_features=options.n_features):
            found = True
            yield Dataset("sparse", X, y, source.name, first)
    if not found:
        raise FileError("no line holds an example: expected lines such as '1 3:0.5 7:1'.", path=source.name)


def _of_messages(messages: Iterable[tuple[str | None, str]], rows: int, name: str) -> Iterator[Dataset]:
    from rosenblatt.data import text

    held = []
    for message in messages:
        held.append(message)
        if len(held) == rows:
            yield text.to_dataset(held, name)
            held = []
    if held:
        yield text.to_dataset(held, name)


def _of_table(source: Source, rows: int | None, options: Options, format: str) -> Iterator[Dataset]:
    from rosenblatt.data import delimited

    layout = delimited.find_layout(source, options, format)
    wider: dict[str, Any] = {}
    held, count = [], 0
    with explaining(source.name), source.open() as stream:
        for line, data in _whole_records(stream, source.name):
            block = delimited.Block(data, layout, source.name, line)
            frame = delimited.parse(block, options, wider)
            # A column whose cells are all missing says nothing about its type.
            wider |= {c.name: _wider(wider.get(c.name), c.dtype) for c in frame if c.null_count() < len(c)}
            part = delimited.to_dataset(block, frame, options)
            if rows is None:
                yield part
                continue
            held.append(part)
            count += len(part)
            while count >= rows:
                whole = _joined(held)
                yield whole.slice(0, rows)
                held, count = [whole.slice(rows)], count - rows
    if count:
        yield _joined(held)


def _wider(earlier: Any, now: Any) -> Any:
    import polars as pl

    order = [None, pl.Int64, pl.Float64, pl.String]
    return max(earlier, pl.String() if now == pl.Enum else now, key=order.index)


def _joined(parts: list[Dataset]) -> Dataset:
    """Consecutive parts of a table as one; a column has the widest type that it has in any of them."""
    import polars as pl

    if len(parts) == 1:
        return parts[0]
    parts = [part for part in parts if len(part)]
    rows = pl.concat([_nothing_known(part.rows) for part in parts], how="vertical_relaxed")
    rows = rows.with_columns(pl.col(pl.Null).cast(pl.String))
    labels = None
    if parts[0].labels is not None:
        labels = pl.concat(
            [_nothing_known(pl.DataFrame([part.labels])) for part in parts], how="vertical_relaxed"
        ).to_series()
    return Dataset("table", rows, labels, parts[0].name)


def _nothing_known(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with columns that are missing throughout as nulls without a type, which take that of the others.

    And with texts in place of their codes, which are others in each part.
    """
    import polars as pl

    frame = frame.with_columns(column.cast(pl.String) for column in frame if column.dtype == pl.Enum)
    return frame.with_columns(column.cast(pl.Null) for column in frame if column.null_count() == len(column))


def _whole_records(stream: IO[bytes], name: str) -> Iterator[tuple[int, np.ndarray]]:
    """The bytes of a table in blocks that end where a record ends, at a line end outside quotes; and their first lines."""
    rest, line = b"", 1
    for data in chain(iter(lambda: stream.read(BLOCK), b""), [b""]):
        text = rest + data
        if not data:
            if text:
                yield line, np.frombuffer(text, dtype=np.uint8)
            return
        cut = _end_of_records(text)
        if not cut and len(text) > LONGEST:
            raise FileError("a quote is opened here or later and never closed.", path=name, line=line)
        rest, whole = text[cut:], np.frombuffer(text, dtype=np.uint8, count=cut)
        if cut:
            yield line, whole
            line += int(np.count_nonzero(whole == ord("\n")))  # several times faster than bytes.count


def _end_of_records(text: bytes) -> int:
    """Where the last whole record ends; 0 if none does.

    >>> _end_of_records(b'a,b\\n1,"x\\ny')
    4
    """
    if text.find(b'"') < 0:
        return text.rfind(b"\n") + 1
    byte = np.frombuffer(text, dtype=np.uint8)
    outside = np.cumsum(byte == ord('"'), dtype=np.int32) % 2 == 0
    ends = np.flatnonzero((byte == ord("\n")) & outside)
    return int(ends[-1]) + 1 if len(ends) else 0
