"""What a task reads: a range of bytes or of rows of one file, which any machine that sees the file can read again.

A file of lines is cut wherever, and the cut moves to the end of the record that it fell into. Whether it fell into a quoted
cell, in which a line may end and the record does not, tells the number of quotes before it: these are counted first, a
block at a time, so that no block waits for another. A file that is compressed, or not in UTF-8, is one block.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate, pairwise
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np

from rosenblatt.cluster import files
from rosenblatt.data.columnar import typed_dataset
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.delimited.reading import find_layout
from rosenblatt.data.delimited.records import choose_delimiter
from rosenblatt.data.formats.parquet import scan_frame
from rosenblatt.data.parts import refuse_other_columns
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.reading import checked, lines_above, read_with, recognise
from rosenblatt.data.source import Source
from rosenblatt.errors import FileError, SettingError

if TYPE_CHECKING:
    import polars as pl

BLOCK_BYTES, BLOCK_ROWS = 2**25, 2**20  # of a block, about
AHEAD = 2**16  # bytes that are read at a time beyond a block, up to the end of its last record
NEWLINE, QUOTE = b'\n"'
FORMATS_IN_BLOCKS = ("csv", "tsv", "libsvm", "parquet")


class AnyBlock(Protocol):
    """A part of the rows that any worker can read, and read again."""

    @property
    def path(self) -> str:
        """What it is called in messages."""

    @property
    def format(self) -> str: ...

    @property
    def options(self) -> ReadOptions: ...

    @property
    def first(self) -> int:
        """Where it begins, in bytes or rows …"""

    @property
    def last(self) -> int:
        """… and where it ends."""

    def read(self) -> Dataset:
        """Its rows."""

    def identity(self) -> Any:
        """What tells it from other blocks, as JSON holds it."""


@dataclass(frozen=True)
class Block:
    """A part of a file, and all that it takes to read it: of lines a range of bytes, of Parquet one of rows."""

    path: str
    format: str
    size: int  # of the file, and when it was last changed, as the plan was made
    changed: int | str
    first: int
    last: int
    begins: bool  # at a record: behind the header
    options: ReadOptions
    quoted: bool = False  # does it begin within a quoted cell?
    quoted_after: bool = False  # and the one behind it?
    line: int = 1  # on which its first byte stands
    whole: bool = False  # all of a file that cannot be cut, from that line on

    def identity(self) -> dict[str, Any]:
        """What tells it from other blocks."""
        return asdict(self)

    def read(self) -> Dataset:
        """Its rows: those that begin in it."""
        if files.about(self.path)[:2] != (self.size, self.changed):
            raise FileError("it has changed since the run began: let nobody write to it meanwhile.", path=self.path)
        if self.format == "parquet":
            frame = table_at(self.path).slice(self.first, self.last - self.first).collect()
            return typed_dataset(frame, self.options, self.path, self.first)
        content, line = self.content()
        if not content.strip():
            return Dataset("table", None, None, self.path)
        options = replace(self.options, encoding="utf-8") if self.whole else self.options
        try:
            return replace(read_with(NamedBytes(content, self.path), options), name=self.path)
        except FileError as problem:
            if problem.line is None:
                raise
            what = str(problem).partition(": ")[2] or str(problem)
            raise type(problem)(what, path=self.path, line=problem.line + line - 1, column=problem.column) from None

    def content(self) -> tuple[bytes, int]:
        """Its lines, and the number of the first."""
        if self.whole:
            text = files.source_of(self.path, self.options).read_utf8()
            return text[start_of_line(text, self.line) :], self.line
        with files.opened(self.path) as file:
            file.seek(self.first)
            text = file.read(self.last - self.first)
            start = 0 if self.begins else end_of_record(text, self.quoted)
            while start < 0 and (more := file.read(AHEAD)):  # no record begins in it
                text += more
                start = end_of_record(text, self.quoted)
            if start < 0 or self.first + start > self.last:
                return b"", self.line
            if self.last < self.size:
                text += up_to_end_of_record(file, self.quoted_after) if len(text) == self.last - self.first else b""
        return text[start:], self.line + text.count(b"\n", 0, start)


class NamedBytes(io.BytesIO):
    """Bytes in memory that are called as the file that they are of."""

    def __init__(self, content: bytes, name: str):
        super().__init__(content)
        self.name = name


def end_of_record(text: bytes, quoted: bool) -> int:
    """The place behind the first line that ends outside of quotes; −1 where none does.

    >>> end_of_record(b'a,"b\\nc"\\nd', False), end_of_record(b'b\\nc"\\nd', True), end_of_record(b"abc", False)
    (8, 5, -1)
    """
    start = 0
    while True:
        line = text.find(b"\n", start)
        if line < 0:
            return -1
        quoted ^= text.count(b'"', start, line) % 2 == 1
        start = line + 1
        if not quoted:
            return start


def up_to_end_of_record(file: IO[bytes], quoted: bool) -> bytes:
    """What stands from here on up to the end of the record."""
    text = b""
    while more := file.read(AHEAD):
        text += more
        if (end := end_of_record(text, quoted)) >= 0:
            return text[:end]
    return text


def scan(block: Block) -> tuple[int, int]:
    """How many quotes and how many lines there are in a block of lines; of a whole file nobody asks."""
    quotes = lines = 0
    if block.whole:
        return quotes, lines
    with files.opened(block.path) as file:
        file.seek(block.first)
        left = block.last - block.first
        while left and (text := file.read(min(left, 2**22))):
            data = np.frombuffer(text, dtype=np.uint8)
            quotes += int(np.count_nonzero(data == QUOTE))
            lines += int(np.count_nonzero(data == NEWLINE))
            left -= len(text)
    return quotes, lines


def with_scans(blocks: Sequence[Block], scans: Sequence[tuple[int, int]]) -> list[Block]:
    """The blocks with what the counts say about where they begin."""
    known = []
    by_file: dict[str, list[tuple[Block, tuple[int, int]]]] = {}
    for block, counts in zip(blocks, scans, strict=True):
        by_file.setdefault(block.path, []).append((block, counts))
    for of_file in by_file.values():
        quotes = [0, *accumulate(counts[0] for _, counts in of_file)]
        lines = [0, *accumulate(counts[1] for _, counts in of_file)]
        for place, (block, _) in enumerate(of_file):
            if block.format == "parquet":
                known.append(block)
                continue
            has_quotes = block.format != "libsvm"
            known.append(
                replace(
                    block,
                    quoted=has_quotes and quotes[place] % 2 == 1,
                    quoted_after=has_quotes and quotes[place + 1] % 2 == 1,
                    line=block.line + lines[place],
                )
            )
    return known


def plan_blocks(
    where: str, options: ReadOptions, block_bytes: int = BLOCK_BYTES, block_rows: int = BLOCK_ROWS
) -> list[Block]:
    """The blocks of a file, of those in a folder or of a pattern, in order; only the beginnings of files are read."""
    options = checked(options)
    blocks: list[Block] = []
    first, columns = "", None
    for path in files.files_of(where):
        names, of_file = blocks_of_file(path, options, block_bytes, block_rows)
        if names is not None:
            refuse_other_columns(names, columns, path, first)
            first, columns = first or path, columns or names
        blocks += of_file
    if len({block.format for block in blocks}) > 1:
        raise FileError("its files are of several formats: name those of one, as with *.csv.", path=where)
    return blocks


def blocks_of_file(
    path: str, options: ReadOptions, block_bytes: int, block_rows: int
) -> tuple[Sequence[str] | None, list[Block]]:
    """The names of the columns, None where there are none, and the blocks."""
    source = files.source_of(path, options)
    source.start = lines_above(source, options)
    format = recognise(source, options)
    if format.name not in FORMATS_IN_BLOCKS:
        raise SettingError(
            f"{path} is of the format {format.name}: a cluster reads {', '.join(FORMATS_IN_BLOCKS)}. Take --workers, which "
            "reads it in one process."
        )
    size, changed, in_parts = files.about(path)
    common: dict[str, Any] = {"path": path, "format": format.name, "size": size, "changed": changed}
    if format.name == "parquet":
        import polars as pl

        table = table_at(path)
        rows = int(table.select(pl.len()).collect().item())
        block_rows = max(1, rows) if files.is_address(path) else block_rows  # polars would read all of it for each
        cuts = pairwise([*range(0, rows, block_rows), rows])
        blocks = [Block(**common, first=first, last=last, begins=True, options=options) for first, last in cuts]
        return table.collect_schema().names(), blocks
    lines, options = above_rows(source, format.name, options)
    names = None if format.name == "libsvm" else options.names
    common |= {"options": options, "line": lines + 1}
    encoded = source.ends_lines_in_cr or source.encoding not in (None, "utf-8", "UTF-8", "ascii")
    if source.compressed or not in_parts or encoded:
        return names, [Block(**common, first=0, last=size, begins=True, whole=True)]
    ends = [*range(start_of_line(source.head, lines + 1, path), size, block_bytes), size]
    blocks = [Block(**common, first=first, last=last, begins=first == ends[0]) for first, last in pairwise(ends)]
    return names, blocks


def table_at(path: str) -> pl.LazyFrame:
    """A Parquet file; at an address, all of it."""
    if not files.is_address(path):
        return scan_frame(path)
    import polars as pl

    with files.opened(path) as file:
        return pl.read_parquet(file.read(), glob=False, hive_partitioning=False).lazy()


def start_of_line(text: bytes, line: int, name: str = "") -> int:
    """The place at which a line begins, the first being 1.

    >>> start_of_line(b"a\\nb\\n", 2)
    2
    """
    start = 0
    for _ in range(line - 1):
        start = text.find(b"\n", start) + 1
        if not start:
            raise FileError("its names take more than its beginning: write them shorter.", path=name)
    return start


def above_rows(source: Source, format: str, options: ReadOptions) -> tuple[int, ReadOptions]:
    """Below how many lines the rows begin, and how they are read without what stands above them."""
    if format == "libsvm":
        # Indices are taken as they stand: whether they count from 0 or from 1 is known when all were seen.
        return 0, replace(options, format="libsvm", zero_based=True if options.zero_based is None else options.zero_based)
    delimiter = (options.delimiter or "\t") if format == "tsv" else choose_delimiter(source, options)
    layout = find_layout(source, options, delimiter)
    target: Any = options.target
    if isinstance(target, str) and target not in layout.names:
        from rosenblatt.data.table import find_target

        target = find_target(layout.names, options, source.name)
    return layout.skipped, replace(
        options, format="csv", header=False, header_above=options.header, names=layout.names, delimiter=delimiter,
        target=target, skip_lines=0, as_text=True,
    )  # fmt: skip
