"""CSV, TSV and tables with blanks between the columns.

Three readers, each for what the one before does not take. Large plain tables are coded while they are read: cells.py.
Others polars reads; then numpy counts delimiters and line ends, and if the counts do not agree with the frame, or if polars
refused, records.py reads the same bytes again with care: it takes what polars does not (quotes behind blanks, quotes
inside words) and names the line of what nobody can take.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data import cells, columns
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.options import Options
from rosenblatt.data.recognise import choose_delimiter, sample
from rosenblatt.data.records import decoded, even, records
from rosenblatt.data.source import Source
from rosenblatt.errors import FileError

if TYPE_CHECKING:
    import polars as pl

SMALL = 1 << 22  # up to this many bytes, types are not guessed beforehand, and texts are not coded
BLOCK = 1 << 17  # bytes counted at a time: they stay in the cache
NEWLINE, RETURN, QUOTE, BLANK, TAB = b'\n\r" \t'


@dataclass(frozen=True)
class Layout:
    """How a table lies in its text."""

    delimiter: str
    names: list[str]
    skipped: int  # lines up to and including the header


@dataclass(frozen=True)
class Block:
    """A piece of text that starts with a record and ends with one."""

    data: np.ndarray  # uint8
    layout: Layout
    name: str
    line: int = 1  # number of the first line
    path: str | None = None  # of a plain file that is this block

    @property
    def skipped(self) -> int:
        return self.layout.skipped if self.line == 1 else 0


def find_layout(source: Source, options: Options, format: str) -> Layout:
    """Delimiter and column names, from the first lines."""
    delimiter = " " if format == "blanks" else choose_delimiter(source, options, format)
    head = source.head
    if not source.complete:
        head = head[: head.rfind(b"\n") + 1] or head
    text = decoded(head, source.name)
    if "\r" in text and "\n" not in text:
        what = "lines end in CR alone: convert them with tr '\\r' '\\n'."
        raise FileError(what, path=source.name, line=1)
    found = list(itertools.islice(records(text, delimiter, source.name), 2))
    if not found:
        raise FileError("the file holds nothing but blank lines.", path=source.name)
    line, first = found[0]
    skipped = line - 1
    if options.header:
        skipped = _lines_of_first_record(text, delimiter, source.name, skipped)
        header = [cell.removeprefix("\ufeff") or f"column_{i}" for i, cell in enumerate(first, 1)]
        if len(found) < 2:
            hint = " Pass header=False (--no-header) if the line is data." if columns.looks_like_data(header) else ""
            raise FileError(f"the file has a header and no rows.{hint}", path=source.name, line=line)
    else:
        header = [f"column_{i}" for i in range(1, len(first) + 1)]
    if options.names is not None:
        if len(options.names) != len(header):
            what = f"{len(options.names)} names were given, but the first line has {len(header)} cells."
            raise FileError(what, path=source.name, line=line)
        header = list(options.names)
    _refuse_twins(header, options, source.name, line)
    if len(header) == 1 and options.target is not None:
        raise _one_column(source, header[0], delimiter)
    return Layout(delimiter, header, skipped)


def _lines_of_first_record(text: str, delimiter: str, name: str, before: int) -> int:
    """Lines up to the end of the header: a quoted name may hold line ends."""
    lines = text.splitlines(keepends=True)
    for count in range(before + 1, len(lines) + 1):
        if "".join(lines[before:count]).count('"') % 2 == 0:
            return count
    raise FileError("a quote is opened in the header and never closed.", path=name, line=before + 1)


def _refuse_twins(header: Sequence[str], options: Options, name: str, line: int) -> None:
    twins = [column for column, count in Counter(header).items() if count > 1]
    if twins:
        what = f"the column name {twins[0]!r} occurs {Counter(header)[twins[0]]} times: rename one."
        if options.header and options.names is None and columns.looks_like_data(header):
            what = f"the first line looks like data ({twins[0]!r} occurs twice): pass header=False (--no-header)."
        raise FileError(what, path=name, line=line, column=twins[0])
    columns.refuse_patterns(header, path=name, line=line)
    by_number = isinstance(options.target, int) or str(options.target).lstrip("-").isdigit()
    if by_number and options.header and options.names is None and columns.looks_like_data(header):
        what = "the first line looks like data, and the target is a number: pass header=False (--no-header), or its name."
        raise FileError(what, path=name, line=line)


def _one_column(source: Source, column: str, delimiter: str) -> FileError:
    first = sample(source)[0]
    others = [d for d in ";\t|,: " if d != delimiter and d in first]
    remedy = f"pass delimiter={others[0]!r}" if others else "name the delimiter, or the right file"
    what = f"one column found, {column!r}, with the delimiter {delimiter!r}: {remedy}."
    return FileError(what, path=source.name, line=1)


def parse(block: Block, options: Options, wider: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """The columns of a block, with their types."""
    frame = None
    if block.layout.delimiter != " ":
        frame = _coded(block, options, wider) if len(block.data) > SMALL else None
        frame = _fast(block, options, wider) if frame is None else frame
    if frame is None:
        frame = columns.conform(_careful(block), options.missing, wider, padded=False)
    frame, bad = columns.refuse_infinite(frame, options)
    if bad is not None:
        row, column, value = bad
        raise columns.infinite(value, path=block.name, line=line_of(block, row), column=column)
    return frame


def _coded(block: Block, options: Options, wider: Mapping[str, Any] | None) -> pl.DataFrame | None:
    """The columns as cells.py reads them, and as polars where they have too many values; None if it does not take them."""
    head, names = _head(block), block.layout.names
    counts = _count(head, block.layout.delimiter)
    if counts is None or "" not in options.missing:
        return None
    found = cells.split(block.data, len(head), block.layout.delimiter, len(names))
    if found is None:
        return None
    import polars as pl

    padded = counts.padded or any(column.padded for column in found if column is not None)
    others = pl.DataFrame()
    rest = [name for name, column in zip(names, found, strict=True) if column is None]
    if rest:
        everywhere, read = _count(block.data, block.layout.delimiter), _guessed(block, options, wider, False, rest)
        rows = next(len(column.codes) for column in found if column is not None)
        if everywhere is None or read is None or read.height != rows:
            return None
        padded = everywhere.padded
        others = columns.conform(read, options.missing, wider, padded=padded)
    return pl.DataFrame(
        others[name] if column is None else column.series(name, options.missing, (wider or {}).get(name), padded=padded)
        for name, column in zip(names, found, strict=True)
    )


def _fast(block: Block, options: Options, wider: Mapping[str, Any] | None) -> pl.DataFrame | None:
    """The columns as polars reads them; None if it refuses, or if what it read does not add up."""
    import polars as pl

    counts = _count(block.data, block.layout.delimiter)
    if counts is None:
        return None
    frame = _guessed(block, options, wider, counts.quotes > 0)
    if frame is None:
        return None
    # polars fills up short rows; long ones it refuses. So equal totals mean that every row is even.
    width = frame.width
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series() if width else None
    empty = int(blank.sum()) if blank is not None else 0
    head = _count(_head(block), block.layout.delimiter) or Counts()
    unfinished = int(len(block.data) > 0 and block.data[-1] != NEWLINE)
    lines = counts.ends - head.ends + unfinished
    if frame.height != lines or counts.cuts - head.cuts != (lines - empty) * (width - 1):
        return None
    if empty and blank is not None:
        frame = frame.filter(~blank)
    return columns.conform(frame, options.missing, wider, padded=counts.padded)


def _guessed(
    block: Block, options: Options, wider: Mapping[str, Any] | None, quoted: bool, names: list[str] | None = None
) -> pl.DataFrame | None:
    """Columns as polars reads them, as numbers those that begin with numbers in a large block; None if it refuses."""
    import polars as pl

    text = dict.fromkeys(block.layout.names, pl.String())
    guessed: dict[str, Any] = {}
    try:
        if len(block.data) > SMALL and wider is None:
            start = columns.conform(_polars(block, text, quoted, names, rows=1000), options.missing)
            guessed = {c.name: c.dtype for c in start if c.dtype != pl.String and not c.has_nulls()}
        try:
            return _polars(block, text | guessed, quoted, names)
        except pl.exceptions.PolarsError:
            return _polars(block, text, quoted, names) if guessed else None
    except pl.exceptions.PolarsError:
        return None


def _polars(
    block: Block, schema: Mapping[str, Any], quoted: bool, names: list[str] | None, rows: int | None = None
) -> pl.DataFrame:
    import polars as pl

    return pl.read_csv(
        block.path or block.data.tobytes(),
        has_header=False,
        skip_lines=block.skipped,
        schema=schema,
        separator=block.layout.delimiter,
        quote_char='"' if quoted else None,
        n_rows=rows,
        columns=None if names is None else [block.layout.names.index(name) for name in names],  # it takes no names here
        glob=False,
    )


def _head(block: Block) -> np.ndarray:
    """The bytes of the lines that are skipped."""
    if not block.skipped:
        return block.data[:0]
    ends = np.flatnonzero(block.data[: 1 << 20] == NEWLINE)
    return block.data[: ends[block.skipped - 1] + 1] if len(ends) >= block.skipped else block.data


@dataclass
class Counts:
    """What the bytes of a block say about its table."""

    quotes: int = 0
    cuts: int = 0  # delimiters outside quotes
    ends: int = 0  # line ends outside quotes
    padded: bool = False  # is there a blank at the edge of a cell?


def _count(data: np.ndarray, delimiter: str) -> Counts | None:
    """The counts; None if there is a NUL, or a quote too many."""
    cut, counts = ord(delimiter), Counts()
    for start in range(0, len(data), BLOCK):
        part = data[start : start + BLOCK]
        if not part.all():
            return None
        is_quote, is_cut, is_end = part == QUOTE, part == cut, part == NEWLINE
        if not counts.padded:
            counts.padded = _has_padding(data, start, cut)
        here = int(np.count_nonzero(is_quote))
        if here or counts.quotes % 2:
            # Bytes wrap around at 256, which leaves even and odd as they are.
            outside = (np.cumsum(is_quote, dtype=np.uint8) + counts.quotes % 2) & 1 == 0
            # Blanks around a quoted cell would make polars keep its quotes.
            around = data[max(start - 1, 0) : start + BLOCK + 1] == BLANK
            if _blank_outside_quotes(around, is_quote, outside, before=start > 0):
                return None
            is_cut, is_end = is_cut & outside, is_end & outside
        counts.quotes += here
        counts.cuts += int(np.count_nonzero(is_cut))
        counts.ends += int(np.count_nonzero(is_end))
    return None if counts.quotes % 2 else counts


def _has_padding(data: np.ndarray, start: int, cut: int) -> bool:
    """Is there a blank at the edge of a cell, in the block that starts here?"""
    low = start + np.flatnonzero(data[start : start + BLOCK] <= BLANK)
    byte = data[low]
    blank = low[(byte == BLANK) | ((byte == TAB) & (cut != TAB))]
    if not len(blank):
        return False
    beside = np.concatenate([data[np.maximum(blank - 1, 0)], data[np.minimum(blank + 1, len(data) - 1)]])
    edges = (beside == cut) | (beside == NEWLINE) | (beside == RETURN) | (beside == QUOTE)
    return bool(edges.any() or blank[0] == 0 or blank[-1] == len(data) - 1)


def _blank_outside_quotes(blank: np.ndarray, is_quote: np.ndarray, outside: np.ndarray, before: bool) -> bool:
    """Is there a blank in front of an opening quote, or behind a closing one?

    `blank` reaches one byte further than the others, on the left too if `before`.
    """
    left, right = blank[: len(is_quote)] if before else blank[: len(is_quote) - 1], blank[1 + before :]
    opening, closing = is_quote & ~outside, is_quote & outside
    return bool((opening[len(opening) - len(left) :] & left).any() or (closing[: len(right)] & right).any())


def _careful(block: Block) -> pl.DataFrame:
    """The cells as text, read record by record."""
    import polars as pl

    rows = [cells for _, cells in _records(block)]
    names = block.layout.names
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String()), orient="row")


def _records(block: Block) -> Any:
    text = decoded(block.data.tobytes(), block.name, block.line)
    found = records(text, block.layout.delimiter, block.name, block.line)
    if block.skipped:
        found = itertools.dropwhile(lambda record: record[0] <= block.layout.skipped, found)
    return even(found, len(block.layout.names), block.name)


def line_of(block: Block, row: int) -> int:
    """The number of the line on which a row starts."""
    return int(next(itertools.islice(_records(block), row, None))[0])


def to_dataset(block: Block, frame: pl.DataFrame, options: Options) -> Dataset:
    """The frame with its target taken out; every row must have one."""
    rows, labels = columns.split_target(frame, options, block.name)
    if labels is not None and labels.has_nulls():
        row = labels.is_null().arg_max()
        assert row is not None
        raise columns.no_label(labels.name, labels.null_count(), path=block.name, line=line_of(block, row))
    return Dataset("table", rows, labels, block.name)


def read_delimited(source: Source, options: Options, format: str) -> Dataset:
    """A whole table."""
    layout = find_layout(source, options, format)
    plain = source.path is not None and not source.compressed
    block = Block(source.mapped(), layout, source.name, path=str(source.path) if plain else None)
    return to_dataset(block, parse(block, options), options)
