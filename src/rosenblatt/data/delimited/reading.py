"""A whole table at once, or block by block in memory that does not grow."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import IO, TYPE_CHECKING

from rosenblatt.data.coded import CodedTable
from rosenblatt.data.dataset import Dataset, told_once
from rosenblatt.data.delimited.coded import BOM
from rosenblatt.data.delimited.parsing import ColumnTypes, parse, widest_types
from rosenblatt.data.delimited.records import Record, cells_between_blanks, is_blank, records, refuse_uneven
from rosenblatt.data.read_options import BufferSizes, ReadOptions
from rosenblatt.data.source import Source, decode_utf8, refuse_long
from rosenblatt.data.table import Place, checked_names, find_target, looks_like_data, texts_among, to_dataset
from rosenblatt.errors import FileError, NoRowsError, TargetError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

NEWLINE, QUOTE = b'\n"'
NAMES_SOUGHT = 10  # lines in which the names may be
STRANGE_SOUGHT = 20  # lines that are looked through for cells in single quotes and the like
WEB_PAGE = re.compile(r"\s*<(?:!doctype html|html)\b", re.IGNORECASE)
EXPANDED = re.compile(r"\W*\[ RECORD 1 \]|\*{9,} 1\. row \*{9,}")  # psql's \x, MySQL's \G: a line for each cell
# Vowpal Wabbit's features without values or namespaces: a label, or none, a bar and words.
LABEL_AND_WORDS = re.compile(r"(?:[-+]?[0-9.]+(?:\s+[0-9.]+){0,2})?\s*(?:'[^\s|]*)?\|\s[^|]*")
XML = re.compile(r"\s*(?:<\?xml\b|<[a-z][\w:.-]*>\s*<[a-z])", re.IGNORECASE)
COLUMNS_SHOWN = 10  # of those that --verbose tells


@dataclass(frozen=True)
class Layout:
    """What all blocks of a table have in common."""

    delimiter: str
    names: list[str]
    skipped: int  # lines up to and including the header


@dataclass(frozen=True)
class TextBlock:
    """A piece of a table's text that starts with a record and ends with one."""

    content: bytes
    layout: Layout
    name: str
    line: int = 1  # number of the first line

    @property
    def data(self) -> np.ndarray:
        """The bytes as numbers."""
        import numpy as np

        return np.frombuffer(self.content, dtype=np.uint8)

    @property
    def skipped(self) -> int:
        """How many of its lines are no rows."""
        return max(0, self.layout.skipped + 1 - self.line)

    def header(self) -> bytes:
        """The lines that are skipped."""
        end = 0
        for _ in range(self.skipped):
            end = self.content.find(b"\n", end) + 1 or len(self.content)
        return self.content[:end]

    def records(self) -> Iterator[Record]:
        """The rows, read with care; what cannot be read is refused by line."""
        line = self.line + self.skipped
        text = decode_utf8(self.content[len(self.header()) :], self.name, line)
        rows = records(text, self.layout.delimiter, self.name, line)
        return refuse_uneven(rows, len(self.layout.names), self.name)

    def place_of_row(self, row: int) -> Place:
        """The line on which a row starts."""
        return Place(self.name, next(itertools.islice(self.records(), row, None)).line)


def find_layout(source: Source, options: ReadOptions, delimiter: str) -> Layout:
    """The names of the columns, and where they end."""
    head = source.text_head
    if not source.complete:
        head = head[: head.rfind(b"\n") + 1] or head
    text, above = decode_utf8(head, source.name), source.start
    if above:
        text = text.split("\n", above)[above] if text.count("\n") >= above else ""
    if EXPANDED.match(source.head_lines[0]):
        what = "it has a line for each cell, as psql's \\x and MySQL's \\G show rows: export the table as CSV"
        raise FileError(f"{what}, in psql with \\copy … CSV.", path=source.name)
    if WEB_PAGE.match(text):
        raise FileError(
            "it is a web page and no table, perhaps one that asks to log in: download it again.", path=source.name
        )
    if XML.match(text):
        raise FileError("it is XML, and no table: export the table as CSV.", path=source.name)
    rows = records(text, delimiter, source.name, above + 1)
    from_first_on = itertools.dropwhile(lambda record: is_blank(record.cells, 2), rows)
    if (first_record := next(from_first_on, None)) is None:
        below = f" below line {above:,}: pass a smaller skip_lines" if above else ""
        raise FileError(f"the file holds nothing but blank lines{below}.", path=source.name)
    line, end, first = first_record
    skipped = line - 1
    if options.training is not None:
        from rosenblatt.data.training_names import named_as_in_training

        options = named_as_in_training(first, options, source)
    if options.header and delimiter == "|" and options.delimiter is None:
        refuse_label_and_words(source)
    if options.header:
        skipped = end - 1
        header = [cell.removeprefix("\ufeff") for cell in first]
        if all(is_blank(record.cells, len(header)) for record in from_first_on):
            hint = " Pass header=False (--no-header) if the line is data." if looks_like_data(header) else ""
            raise NoRowsError(f"the file has a header and no rows.{hint}", path=source.name, line=line)
        if isinstance(options.target, str) and options.target not in header and options.names is None:
            refuse_headings(options.target, records(text, delimiter, source.name, above + 1), source.name)
    else:
        header = [""] * len(first)
    header = checked_names(header, options, Place(source.name, line))
    named = f"names on line {line}" if options.header else f"no names, rows from line {line} on"
    shown = ", ".join(header[:COLUMNS_SHOWN]) + (", …" if len(header) > COLUMNS_SHOWN else "")
    sampled = f"judged by {len(source.first_lines)} lines"
    source.guesses.append(f"{source.name}: delimiter {delimiter!r} ({sampled}), {named}, {len(header):,} columns: {shown}")
    if len(header) == 1 and options.target is not None:
        raise _one_column(source, header[0], delimiter)
    if options.training is None:  # a model reads cells as those that it has learned from
        refuse_strange(text, delimiter, source.name, above + 1)
    return Layout(delimiter, header, skipped)


def refuse_label_and_words(source: Source) -> None:
    """Refuses lines such as `1 | cheap good`, the first among them: its label and words would be the names of columns."""
    if all(LABEL_AND_WORDS.fullmatch(line.strip()) for line in source.first_lines):
        what = "its lines look like Vowpal Wabbit's, a label and words: pass format='vw'; or header=False"
        raise FileError(f"{what} (--no-header) if it is a table without names.", path=source.name, line=1 + source.start)


def refuse_strange(text: str, delimiter: str, name: str, line: int) -> None:
    """Refuses cells that some programs wrap in what CSV does not know: they would be words, and names of no use."""
    rows: list[Record] = []
    with suppress(FileError):  # what cannot be read is told later
        rows = [one for one in itertools.islice(records(text, delimiter, name, line), STRANGE_SOUGHT) if any(one.cells)][1:]
    if len(rows) < 2:
        return
    for row in rows[:2]:
        if all(cell.startswith('{"ImportId"') for cell in row.cells):
            what = (
                f"lines {row.line - 1} and {row.line} say what the columns mean, as Qualtrics exports: remove them, or pass"
            )
            raise FileError(f"{what} skip_lines={row.line} and the names (--names A,B,…).", path=name, line=row.line)
    filled = [cell for row in rows for cell in row.cells if cell]
    if filled and all(len(cell) > 1 and cell[0] == cell[-1] == "'" for cell in filled):
        what = 'every cell is in single quotes, and CSV has double ones: convert them, as with sed "s/\'/\\"/g".'
        raise FileError(what, path=name, line=rows[0].line)
    for place, cells in enumerate(zip(*(row.cells for row in rows), strict=False)):
        if all(cell.startswith('="') and cell.endswith('"') for cell in cells if cell) and any(cells):
            what = f"cell {place + 1} of every row is a formula, as {cells[0]}: take the = away, as with sed 's/=\"/\"/g'."
            raise FileError(what, path=name, line=rows[0].line)


def refuse_headings(target: str, rows: Iterator[Record], name: str) -> None:
    """Refuses a first line without the target where a line below has it, as under headings that stand over several names."""
    line = None
    with suppress(FileError):  # what cannot be read is told later
        named = (one.line for one in itertools.islice(rows, NAMES_SOUGHT) if target in one.cells)
        line = next(named, None)
    if line is not None:
        what = f"the first line has no column {target!r}, and line {line} has: pass skip_lines={line - 1}."
        raise TargetError(what, path=name)


def _one_column(source: Source, column: str, delimiter: str) -> FileError:
    lines = source.first_lines
    others = [d for d in ";\t|,~^:" if d != delimiter and d in lines[0]]
    if len({len(cells_between_blanks(line)) for line in lines}) == 1:
        others.append(" ")
    remedy = f"pass delimiter={others[0]!r}" if others and others[0] in lines[0] else "name the delimiter, or check the file"
    what = f"one column found, {column!r}, with the delimiter {delimiter!r}: {remedy}."
    if delimiter in column and all(line.startswith('"') and line.endswith('"') for line in lines):
        what = "every line is in quotes as a whole, so that it is one cell: remove the quotes around the lines."
    elif len(lines) > 1 and delimiter in lines[1]:
        what = f"one column found, {column!r}: if the table begins further down, pass skip_lines=N."
    return FileError(what, path=source.name, line=source.start + 1)


def read_table(source: Source, options: ReadOptions, delimiter: str) -> Dataset:
    """A whole table."""
    layout = find_layout(source, options, delimiter)
    content = source.read_utf8()
    for _ in range(source.start):
        content = content[content.find(b"\n") + 1 :]
    block = TextBlock(content, layout, source.name, source.start + 1)
    types = replace(column_types(layout, options, source.name), may_be_guessed=True)
    return replace(to_dataset(parse(block, options, types), options, source.name, block.place_of_row), trimmed=True)


def column_types(layout: Layout, options: ReadOptions, name: str) -> ColumnTypes:
    """How the columns of a table become values, as far as its names and the options say."""
    target = None if options.target is None else find_target(layout.names, options, name)
    return ColumnTypes(options.missing, target=target, texts=texts_among(layout.names, options))


def table_batches(source: Source, rows: int | None, options: ReadOptions, delimiter: str) -> Iterator[Dataset]:
    """A table in batches of `rows`; if None, as they come."""
    layout = find_layout(source, options, delimiter)
    types = column_types(layout, options, source.name)
    held: list[Dataset] = []
    count = 0
    with source.open_utf8() as stream:
        for _ in range(source.start):
            stream.readline()
        texts = whole_records(stream, source.name, delimiter, options.sizes, source.start + 1)
        for part in datasets((TextBlock(data, layout, source.name, line) for line, data in texts), options, types):
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


def datasets(blocks: Iterator[TextBlock], options: ReadOptions, types: ColumnTypes) -> Iterator[Dataset]:
    """The data of each block; a column has at least the type that it had in the blocks before."""

    def parsed(block: TextBlock, types: ColumnTypes) -> tuple[Dataset, ColumnTypes]:
        frame = parse(block, options, types)
        if isinstance(frame, CodedTable):
            later = replace(types, texts=block.layout.names)
        else:
            later = replace(types, at_least=widest_types(types.at_least, frame))
        return to_dataset(frame, options, block.name, block.place_of_row), later

    for block in blocks:
        part, types = parsed(block, types)
        yield part
        if options.ahead:
            break
    if not options.ahead:
        return
    from rosenblatt.engine.threads import map_ahead

    def speculated(block: TextBlock) -> tuple[TextBlock, ColumnTypes, tuple[Dataset, ColumnTypes] | Exception]:
        """Parsed with the types of the blocks before those that other threads parse: as a rule, they stay what they were."""
        assumed = types
        try:
            return block, assumed, parsed(block, assumed)
        except Exception as problem:
            return block, assumed, problem

    for block, assumed, outcome in map_ahead(speculated, blocks):
        if assumed != types:
            outcome = parsed(block, types)
        if isinstance(outcome, Exception):
            raise outcome
        part, types = outcome
        yield part


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
    notes = told_once(note for part in parts for note in part.notes)
    return replace(parts[0], rows=rows, labels=labels, notes=notes)


def _concatenate(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """The frames below each other.

    Columns that are missing throughout become nulls without a type, which adopt that of the others. Coded texts become
    texts: each frame has its own codes.
    """
    import polars as pl

    texts = [frame.cast({pl.Enum: pl.String}) for frame in frames]
    return pl.concat(
        [
            frame.with_columns(column.cast(pl.Null) for column in frame if column.null_count() == len(column))
            for frame in texts
        ],
        how="vertical_relaxed",
    )


def whole_records(
    stream: IO[bytes], name: str, delimiter: str, sizes: BufferSizes, line: int = 1
) -> Iterator[tuple[int, bytes]]:
    """The bytes of a table in blocks that end where a record ends, at a line end outside quotes; and their first lines."""
    import numpy as np

    rest = b""
    for data in chain(iter(lambda: stream.read(sizes.table_block), b""), [b""]):
        text = rest + data
        if not data:
            if text:
                yield line, text
            return
        end = end_of_records(text, delimiter)
        if not end and len(text) > sizes.longest_line:
            if b'"' in text:
                raise FileError("a quote is opened here or later and never closed.", path=name, line=line)
            refuse_long(len(text), sizes.longest_line, "line", name, line)
        rest, whole = text[end:], text[:end]
        if end:
            yield line, whole
            line += int(np.count_nonzero(np.frombuffer(whole, dtype=np.uint8) == NEWLINE))  # faster than bytes.count


def end_of_records(text: bytes, delimiter: str) -> int:
    """Where the last whole record ends; 0 if none does.

    >>> end_of_records(b'a,b\\n1,"x\\ny', ",")
    4
    >>> end_of_records(b'a,b\\n5" pipe,x\\ny', ",")  # a quote inside a word opens nothing
    14
    """
    if delimiter == " " or text.find(b'"') < 0:
        return text.rfind(b"\n") + 1
    import numpy as np

    byte = np.frombuffer(text, dtype=np.uint8)
    outside = np.cumsum(byte == QUOTE, dtype=np.uint8) & 1 == 0  # 256 is even: what wraps around stays as odd as it was
    opening = np.flatnonzero((byte == QUOTE) & ~outside)
    opening = opening[opening > (len(BOM) if text.startswith(BOM) else 0)]
    # Counting quotes is right where each that opens stands at the start of a cell, or is the second of a doubled one.
    if not np.isin(byte[opening - 1], [ord(delimiter), NEWLINE, QUOTE]).all():
        return _end_by_records(text, delimiter)
    ends = np.flatnonzero((byte == NEWLINE) & outside)
    return int(ends[-1]) + 1 if len(ends) else 0


def _end_by_records(text: bytes, delimiter: str) -> int:
    """Where the last whole record ends, found record by record: slower, and right wherever quotes stand."""
    read = end = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for line in chain(io.StringIO(text.decode("latin-1"), newline="\n"), ["\n"]):  # which an open quote would swallow
            read += len(line)
            yield line

    try:
        for _ in csv.reader(lines(), delimiter=delimiter, skipinitialspace=delimiter != "\t"):
            if read <= len(text) and text[read - 1] == NEWLINE:
                end = read
    except csv.Error:
        return text.rfind(b"\n") + 1  # the reader of the records will word it
    return end
