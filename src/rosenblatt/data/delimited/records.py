"""From text to records: what separates the cells, and a reader that goes line by line, with care.

The careful reader is for files that the fast ones refuse, and for error messages. A cell may hold blanks around it,
delimiters and line ends inside quotes.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import NamedTuple

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import Batches, Read
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import LONGEST_LINE, SAMPLE_LINES, Source
from rosenblatt.data.table import BLANKS, looks_like_data
from rosenblatt.errors import FileError

csv.field_size_limit(LONGEST_LINE)  # of the whole process, and only ever more than its 128 kB
CELL = re.compile(rf'"((?:[^"]|"")*)"(?=[{BLANKS}]|$)|([^{BLANKS}]+)')
DELIMITERS = "\t;,|"
HINT = re.compile(rf'"?sep=([{DELIMITERS}~^:])"?\s*', re.IGNORECASE)  # as Excel takes it, on the first line
TABLE_LINES = 3  # at least: names and two rows
EVEN_SHARE = 0.9  # of the lines of a table have its width, else titles above it are not looked for


class Record(NamedTuple):
    """A record of a table."""

    line: int  # its first
    end: int  # the line after its last
    cells: list[str]


def cells_between_blanks(line: str) -> list[str]:
    """The cells of a line whose columns are separated by blanks; quotes keep blanks together.

    >>> cells_between_blanks('18.0   8   ?  "chevrolet chevelle malibu"')
    ['18.0', '8', '?', 'chevrolet chevelle malibu']
    """
    return [match[1].replace('""', '"') if match[2] is None else match[2] for match in CELL.finditer(line)]


def cell_count(line: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=delimiter, skipinitialspace=delimiter != "\t"), []))
    except csv.Error:
        return 0


def consistent_delimiter(lines: list[str]) -> str | None:
    """The delimiter that cuts all lines into equally many cells, more than one; None if there is none.

    >>> consistent_delimiter(["name;price", "pear;1,50", "plum;2,00"])
    ';'
    """
    for delimiter in DELIMITERS:
        if any(delimiter in line for line in lines[:1]):
            try:
                counts = {len(cells) for cells in csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t")}
            except csv.Error:
                continue
            if len(counts) == 1 and counts != {1}:
                return delimiter
    return None


def checked_delimiter(source: Source, options: ReadOptions) -> str | None:
    """The delimiter that the user gave; refused where the first line has another and not this one."""
    if options.delimiter is None:
        return None
    lines = source.first_lines
    other = consistent_delimiter(lines)
    if lines and options.delimiter not in lines[0] and other:
        what = f"{options.delimiter!r} occurs nowhere in the first line, {other!r} does: pass delimiter={other!r}."
        raise FileError(what, path=source.name, line=1)
    return options.delimiter


def choose_delimiter(source: Source, options: ReadOptions) -> str:
    """The delimiter that was given, that the suffix or all lines agree on, or that the first line has most of."""
    given = checked_delimiter(source, options)
    if given is not None:
        return given
    if source.suffix in (".tsv", ".tab"):
        return "\t"
    if (hint := delimiter_hint(source)) is not None and source.start:
        return hint
    lines = source.first_lines
    consistent = consistent_delimiter(lines)
    if consistent is not None:
        return consistent
    return max(",;\t|", key=lines[0].count) if lines else ","  # a comma, if it has none of them


def delimiter_hint(source: Source) -> str | None:
    """What a first line such as sep=; says."""
    hint = HINT.fullmatch(source.head_lines[0]) if source.head_lines else None
    return None if hint is None else hint[1]


def lines_above_table(source: Source, options: ReadOptions) -> int:
    """How many lines of titles, comments and blanks stand above the names of a table; 0 where that is not plain.

    What follows is nearly everywhere of one width, and begins with what looks like names. Of two delimiters the one that
    cuts lines into more cells counts: the other may be a decimal comma.
    """
    if (hint := delimiter_hint(source)) is not None and options.delimiter in (None, hint):
        return 1
    lines = source.head_lines[:SAMPLE_LINES]
    above, widest = 0, 1
    for delimiter in (options.delimiter or DELIMITERS).replace(" ", ""):
        if not any(delimiter in line for line in lines):
            continue
        rows = [record for record in _readable(lines, delimiter, source.name) if not is_blank(record.cells, 2)]
        first = first_row_of_table([record.cells for record in rows], options.header)
        if first is not None and len(rows[first].cells) > widest:
            above, widest = rows[first].line - 1 if first else 0, len(rows[first].cells)
    return above


def first_row_of_table(rows: list[list[str]], header: bool) -> int | None:
    """Which row is the first of a table below titles and comments; 0 where that is not plain, None where there is no table.

    >>> first_row_of_table([["Sales 2024"], ["name", "price"], ["pear", "1"], ["plum", "2"]], header=True)
    1
    """
    widths = Counter(len(cells) for cells in rows if len(cells) > 1)
    width = widths.most_common(1)[0][0] if widths else 1
    first = 0
    while first < len(rows) and is_above_table(rows[first], width, below_title=first > 0):
        first += 1
    table = rows[first:]
    if width == 1 or len(table) < TABLE_LINES or sum(len(cells) == width for cells in table) < EVEN_SHARE * len(table):
        return None
    names = [name for name in table[0] if name]
    plain = len(table[0]) == width and len(set(names)) == len(names) and not looks_like_data(names)
    return first if plain or not header else 0


def is_above_table(cells: list[str], width: int, below_title: bool = False) -> bool:
    """Is this a title or a comment, and neither names nor a row of a table so wide?

    >>> [is_above_table(cells, 4) for cells in (["Sales 2024"], ["Sales", "", "", ""], ["to", "May"], ["a", "b", "", ""])]
    [True, True, True, False]
    """
    most = 2 if width > 3 else 1  # cells of a title that are not empty
    if len(cells) == width:
        return width > 2 and sum(map(bool, cells)) <= (most if below_title else 1)
    return cells[0].startswith("#") or sum(map(bool, cells)) <= most


def _readable(lines: list[str], delimiter: str, name: str) -> Iterator[Record]:
    """The records of some lines, as far as they can be read."""
    with suppress(FileError):
        yield from records("\n".join(lines), delimiter, name)


def records(text: str, delimiter: str, name: str, line: int = 1) -> Iterator[Record]:
    """The records of a text, blank ones too; a delimiter of ' ' means any run of blanks.

    >>> [record.cells for record in records('a, "b, c"\\n\\n1, 2\\n', ",", "tiny")]
    [['a', 'b, c'], [], ['1', '2']]
    """
    if delimiter == " ":
        for number, content in enumerate(text.removesuffix("\n").split("\n"), line):
            yield Record(number, number + 1, [cell.strip(BLANKS) for cell in cells_between_blanks(content)])
        return
    # A line more than there is: an open quote would swallow it. Only LF ends a line; to csv, a CR alone is an error then.
    lines = chain(io.StringIO(text, newline="\n"), ["\n"])
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t", strict=False)
    start, last = line, line + text.count("\n") + (not text.endswith("\n"))
    try:
        for cells in reader:
            end = line + reader.line_num
            if end > last:
                if cells:
                    raise FileError("a quote is opened on this line and never closed.", path=name, line=start)
                return
            yield Record(start, end, [cell.strip(BLANKS) for cell in cells])
            start = end
    except csv.Error as error:
        what = f"{error}: perhaps a quote that is opened on this line is never closed."
        if "new-line" in str(error):
            what = "a CR that ends no line: if lines end in CR alone, convert them with tr '\\r' '\\n'; else quote the cell."
        raise FileError(what, path=name, line=start) from None


def is_blank(cells: list[str], width: int) -> bool:
    """Is it the record of a line with nothing on it? Blanks alone, or "", are the missing cell of a table of one column."""
    return not cells or (width > 1 and cells == [""])


def refuse_uneven(records: Iterable[Record], width: int, name: str) -> Iterator[Record]:
    """The records without the blank ones; an error at the first that has more or fewer cells than `width`."""
    for record in records:
        line, _, cells = record
        if is_blank(cells, width) and width > 1:
            continue
        if is_blank(cells, width):
            what = 'a blank line in a table of one column: write "" if the cell is missing, else remove the line.'
            raise FileError(what, path=name, line=line)
        if len(cells) != width:
            what = f"{len(cells)} cell{'s' * (len(cells) != 1)}, expected {width}."
            if any("\n" in cell for cell in cells):
                what += " A quote that is opened on this line may never be closed."
            elif width == 1:
                what += " If the table begins further down, pass skip_lines=N."
            elif len(cells) == width + 1 and not cells[-1]:
                what += " If every row ends with the delimiter, end the line of names with it, too."
            elif len(cells) > width and any("\\" in cell and cell.endswith('"') for cell in cells):
                what += ' A quote inside a cell is written twice in CSV, "", and not as \\": convert them.'
            elif len(cells) == width + 1 and cells[0] == "1":
                what += (
                    " If the first cell numbers the rows, as R writes them, name it, too: pass skip_lines=1 and all names."
                )
            elif len(cells) > width:
                what += " Put cells that hold the delimiter in quotes."
            else:
                what += " Write a missing cell as ? or leave it empty between its delimiters; remove notes below the table."
            raise FileError(what, path=name, line=line)
        yield record


def delimited_readers(delimiter: Callable[[Source, ReadOptions], str]) -> tuple[Read, Batches]:
    """The functions `read` and `batches` of a format; `delimiter` says what separates the cells of a source."""

    def read(source: Source, options: ReadOptions) -> Dataset:
        from rosenblatt.data.delimited.reading import read_table

        return read_table(source, options, delimiter(source, options))

    def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
        from rosenblatt.data.delimited.reading import table_batches

        return table_batches(source, rows, options, delimiter(source, options))

    return read, batches
