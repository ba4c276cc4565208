"""The layout of a table in its text: what separates the cells, what the columns are called, where the rows begin."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rosenblatt.data.delimited.records import Record, records, refuse_uneven
from rosenblatt.data.options import ReadOptions
from rosenblatt.data.source import Source, decode_utf8
from rosenblatt.data.table import Place, looks_like_data, refuse_patterns
from rosenblatt.errors import FileError

NEWLINE = ord("\n")
LONGEST_HEADER = 1 << 20  # bytes


@dataclass(frozen=True)
class Layout:
    """What all blocks of a table have in common."""

    delimiter: str
    names: list[str]
    skipped: int  # lines up to and including the header


@dataclass(frozen=True)
class TextBlock:
    """A piece of a table's text that starts with a record and ends with one."""

    data: np.ndarray  # uint8
    layout: Layout
    name: str
    line: int = 1  # number of the first line
    path: str | None = None  # of a plain file that is this block

    @property
    def skipped(self) -> int:
        return self.layout.skipped if self.line == 1 else 0

    def header(self) -> np.ndarray:
        """The bytes of the lines that are skipped."""
        if not self.skipped:
            return self.data[:0]
        ends = np.flatnonzero(self.data[:LONGEST_HEADER] == NEWLINE)
        return self.data[: ends[self.skipped - 1] + 1] if len(ends) >= self.skipped else self.data

    def records(self) -> Iterator[Record]:
        """The rows, read with care; what cannot be read is refused by line."""
        text = decode_utf8(self.data.tobytes(), self.name, self.line)
        rows = records(text, self.layout.delimiter, self.name, self.line)
        if self.skipped:
            rows = itertools.dropwhile(lambda record: record[0] <= self.skipped, rows)
        return refuse_uneven(rows, len(self.layout.names), self.name)

    def place_of_row(self, row: int) -> Place:
        """The line on which a row starts."""
        line, _ = next(itertools.islice(self.records(), row, None))
        return Place(self.name, line)


def find_layout(source: Source, options: ReadOptions, delimiter: str) -> Layout:
    """The names of the columns, and where they end."""
    head = source.head
    if not source.complete:
        head = head[: head.rfind(b"\n") + 1] or head
    text = decode_utf8(head, source.name)
    if "\r" in text and "\n" not in text:
        what = "lines end in CR alone: convert them with tr '\\r' '\\n'."
        raise FileError(what, path=source.name, line=1)
    first_two = list(itertools.islice(records(text, delimiter, source.name), 2))
    if not first_two:
        raise FileError("the file holds nothing but blank lines.", path=source.name)
    line, first = first_two[0]
    skipped = line - 1
    if options.header:
        skipped = _lines_of_header(text, source.name, skipped)
        header = [cell.removeprefix("\ufeff") or f"column_{i}" for i, cell in enumerate(first, 1)]
        if len(first_two) < 2:
            hint = " Pass header=False (--no-header) if the line is data." if looks_like_data(header) else ""
            raise FileError(f"the file has a header and no rows.{hint}", path=source.name, line=line)
    else:
        header = [f"column_{i}" for i in range(1, len(first) + 1)]
    if options.names is not None:
        if len(options.names) != len(header):
            what = f"{len(options.names)} names were given, but the first line has {len(header)} cells."
            raise FileError(what, path=source.name, line=line)
        header = list(options.names)
    _refuse_names(header, options, Place(source.name, line))
    if len(header) == 1 and options.target is not None:
        raise _one_column(source, header[0], delimiter)
    return Layout(delimiter, header, skipped)


def _lines_of_header(text: str, name: str, before: int) -> int:
    """Lines up to the end of the header: a quoted name may hold line ends."""
    lines = text.splitlines(keepends=True)
    for count in range(before + 1, len(lines) + 1):
        if "".join(lines[before:count]).count('"') % 2 == 0:
            return count
    raise FileError("a quote is opened in the header and never closed.", path=name, line=before + 1)


def _refuse_names(header: Sequence[str], options: ReadOptions, place: Place) -> None:
    """Refuses names that occur twice, that polars cannot have, and a first line that looks like data."""
    is_data = options.header and options.names is None and looks_like_data(header)
    counts = Counter(header)
    if len(counts) < len(header):
        name, count = next((name, count) for name, count in counts.items() if count > 1)
        what = f"the column name {name!r} occurs {count} times: rename one."
        if is_data:
            what = f"the first line looks like data ({name!r} occurs twice): pass header=False (--no-header)."
        raise place.error(what, name)
    refuse_patterns(header, place)
    by_number = isinstance(options.target, int) or str(options.target).lstrip("-").isdigit()
    if by_number and is_data:
        what = "the first line looks like data, and the target is a number: pass header=False (--no-header), or its name."
        raise FileError(what, path=place.path, line=place.line)


def _one_column(source: Source, column: str, delimiter: str) -> FileError:
    first = source.first_lines[0]
    others = [d for d in ";\t|,: " if d != delimiter and d in first]
    remedy = f"pass delimiter={others[0]!r}" if others else "name the delimiter, or the right file"
    what = f"one column found, {column!r}, with the delimiter {delimiter!r}: {remedy}."
    return FileError(what, path=source.name, line=1)
