"""Tables as programs print them, with rulers of dashes: SAP's lists, psql, MySQL, SQL Server's sqlcmd, Markdown.

    +----+--------+      id | amount      | id | amount |      id  amount
    | id | amount |     ----+--------     |---:|-------:|      --- --------
    +----+--------+       1 |   2.50      |  1 |   2.50 |        1     2.50

Rulers become blank lines and rows lines of cells between tabs, so that the lines keep their numbers; the rest is as with any
other table. Lines that are neither, as titles and `(60 rows)`, are left out, and told.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterator

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import SAMPLE_LINES, Source, decode_utf8
from rosenblatt.errors import FileError, counted

DASHES = "-=─━═"
IN_RULERS = {*" \t\r|+:", *DASHES, *"┼╪╬│├┤┌┐└┘┬┴┃"}
SEGMENT = re.compile(f"[{DASHES}]+")
BAR, ESCAPED_BAR = re.compile("[|│┃]"), re.compile(r"(?<!\\)\|")  # in Markdown, \| is a letter of a cell
GOES_ON = re.compile(r"[+↵…][|│┃]")  # as psql marks a cell that goes on in the next line, where a blank stands otherwise
ROWS_TOLD = re.compile(r"\(?([0-9]{1,15}) rows?(?: affected| in set.*)?\)?", re.IGNORECASE)  # below a table
Split = Callable[[str], list[str] | None]


def recognise(source: Source, options: ReadOptions) -> bool:
    if not source.is_text or options.delimiter is not None:
        return False
    return names_line(source.head_lines[:SAMPLE_LINES], options.skip_lines or 0) is not None


def is_ruler(line: str) -> bool:
    """
    >>> is_ruler("|---:|---|"), is_ruler("a---"), is_ruler("- -")
    (True, False, False)
    """
    return set(line) <= IN_RULERS and any(3 * dash in line for dash in DASHES)


def names_line(lines: list[str], above: int = 0) -> int | None:
    """Where the names stand: the first line with cells that has a ruler right below it; None where there is none.

    A ruler with rows above it, as one stands above a sum, is below no names.

    >>> names_line(["a | b", "--+--", "1 | 2"]), names_line(["+---+", "| a |", "+---+"]), names_line(["a,b", "---,---"])
    (None, None, None)
    >>> names_line(["a   | b", "----+---", "1   | 2"]), names_line(["+---+---+", "| a | b |", "+---+---+"])
    (0, 1)
    >>> names_line(["a|b", "1|2", "---|---", "1|2"])
    """
    for number in range(above, len(lines) - 1):
        line, below = lines[number], lines[number + 1]
        if not line.strip() or is_ruler(line) or not is_ruler(below) or ("\t" in line and not BAR.search(line)):
            continue
        split = splitter(line, below)
        cells = split(line)
        if cells is not None and len(cells) > 1 and sum(map(bool, cells)) > 1:
            earlier = [split(other) for other in lines[above:number] if other.strip() and not is_ruler(other)]
            return None if any(row is not None and len(row) == len(cells) and all(row) for row in earlier) else number
    return None


def splitter(names: str, ruler: str) -> Split:
    """What cuts a line of the table into cells: the bars in it, or the ruler's segments; None of what is no row."""
    if not BAR.search(names):
        return below_segments([match.span() for match in SEGMENT.finditer(ruler)])
    bar = BAR if is_drawn(ruler) else ESCAPED_BAR
    outer = bar.match(names.strip()) is not None

    def between_bars(line: str) -> list[str] | None:
        if not bar.search(line):
            return None
        cells = [cell.strip() for cell in bar.split(line.strip() if outer else line)]
        if bar is ESCAPED_BAR:
            cells = [cell.replace("\\|", "|") for cell in cells]
        first = 1 if outer and not cells[0] else 0
        return cells[first:-1] if outer and len(cells) > first + 1 and not cells[-1] else cells[first:]

    return between_bars


def is_drawn(ruler: str) -> bool:
    """Has a database drawn it, with crossings, and not the author of a Markdown text?"""
    return "+" in ruler or not ruler.isascii()


def below_segments(segments: list[tuple[int, int]]) -> Split:
    """What cuts a line where the segments of a ruler end; the first cell may begin left of its own, the last end beyond."""
    starts, ends = [0, *(start for start, _ in segments[1:])], [end for _, end in segments[:-1]]

    def cells_of(line: str) -> list[str] | None:
        if any(line[end:start].strip() for end, start in zip(ends, starts[1:], strict=True)):
            return None
        return [line[start:end].strip() for start, end in zip(starts, [*ends, len(line)], strict=True)]

    def cut(line: str) -> list[str] | None:
        if line.isascii():
            return None if "\t" in line else cells_of(line)
        # Where a character is two wide, programs count it as one or as two: a row is one where that changes nothing.
        wide = "".join(one + "\0" if unicodedata.east_asian_width(one) in "WF" else one for one in line)
        cells, others = cells_of(line), cells_of(wide)
        same = cells is not None and others is not None and cells == [cell.replace("\0", "") for cell in others]
        return cells if same else None

    return cut


class RuledTable:
    """The lines of a text of which one has names, and the next is their ruler."""

    def __init__(self, lines: list[str], names: int, name: str):
        self.lines, self.names, self.name = lines, names, name
        self.ruler = lines[names + 1]
        self.bars, self.drawn = BAR.search(lines[names]) is not None, is_drawn(self.ruler)
        self.split = splitter(lines[names], self.ruler)
        self.titles = self.split(lines[names])
        self.left_out: list[int] = []  # numbers of lines below the names that are no rows
        self.rows = 0

    def cells(self) -> Iterator[list[str] | None]:
        """The cells of each line; None of those that are no rows."""
        ended = False
        for number, line in enumerate(self.lines):
            if number < self.names or self.is_ruler_again(line) or not line.strip():
                ended = ended or (not self.bars and number > self.names + 1 and not line.strip())  # there stands (60 rows)
                yield None
                continue
            cells = None if ended else self.split(line)
            if number > self.names and cells is not None:
                self.refuse_broken(number, cells)
            if cells is None and not self.bars and not ended:
                self.refuse(number, "a cell crosses the columns that the ruler marks: export the table as CSV")
            if number > self.names and (cells is None or cells == self.titles):  # a list of many pages has its names on each
                self.left_out.append(number)
                cells = None
            self.rows += cells is not None and number > self.names
            yield cells
        self.refuse_other_number()

    def is_ruler_again(self, line: str) -> bool:
        """Is it a ruler, and no row whose cells are dashes, as some write what is missing?"""
        if not is_ruler(line):
            return False
        return line.strip() == self.ruler.strip() or self.drawn or len(SEGMENT.findall(line)) == 1

    def refuse_broken(self, number: int, cells: list[str]) -> None:
        """Refuses a row that goes on in another line, and a second table."""
        line, last = self.lines[number].rstrip(), self.lines[self.names].rstrip()
        marked = GOES_ON.search(line) or (len(line) == len(self.ruler.rstrip()) and line.endswith(("+", "↵")))
        ends = [one.strip()[0] in "|│┃" for one in (line, last)], [one[-1] in "|│┃" for one in (line, last)]
        if self.bars and self.drawn and (marked or any(here != there for here, there in ends)):
            self.refuse(number, "a cell goes on in the next line: export the table as CSV, in psql with \\copy … CSV")
        before = self.lines[number - 1] if not is_ruler(self.lines[number - 1]) else self.lines[number - 2]
        below = self.lines[number + 1] if number + 1 < len(self.lines) else ""
        if not before.strip() and is_ruler(below) and cells != self.titles:
            self.refuse(number, "a second table begins here: put each into a file of its own")

    def refuse_other_number(self) -> None:
        """Refuses a table of more or fewer rows than the line below it says."""
        told = [int(match[1]) for number in self.left_out if (match := ROWS_TOLD.fullmatch(self.lines[number].strip()))]
        if len(told) == 1 and told[0] != self.rows:
            what = f"it has {counted(self.rows, 'row')}, and says that it has {told[0]:,}: export the table as CSV."
            raise FileError(what, path=self.name)

    def refuse(self, number: int, what: str) -> None:
        raise FileError(f"{what}.", path=self.name, line=number + 1)


def as_tabs(text: str, source: Source, above: int) -> bytes:
    """The table with a tab between cells; what is no row becomes a blank line."""
    lines = text.replace("\r\n", "\n").split("\n")
    names = names_line(lines[: SAMPLE_LINES + above], above)
    if names is None:
        raise FileError("there are no names with a ruler of dashes below them.", path=source.name)
    table, written = RuledTable(lines, names, source.name), io.StringIO()
    write = csv.writer(written, delimiter="\t", lineterminator="\n").writerow
    for cells in table.cells():
        if cells is None:
            written.write("\n")
        else:
            write(cells)
    if below := table.left_out:
        what = f"{counted(len(below), 'line')} of {source.name} {'is' if len(below) == 1 else 'are'} no row and left out"
        source.note(f"{what}: {lines[below[0]].strip()[:60]!r} on line {below[0] + 1:,}.")
    return written.getvalue().encode()


def plain_source(source: Source, options: ReadOptions) -> Source:
    """The source of the table without rulers, under the same name."""
    text = decode_utf8(source.read_utf8(), source.name)
    plain = Source(io.BytesIO(as_tabs(text, source, options.skip_lines or 0)), source.longest_line)
    plain.name, plain.notes, plain.guesses = source.name, source.notes, source.guesses
    return plain


def read(source: Source, options: ReadOptions) -> Dataset:
    from rosenblatt.data.delimited.reading import read_table

    return read_table(plain_source(source, options), options, "\t")


def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
    from rosenblatt.data.delimited.reading import table_batches

    return table_batches(plain_source(source, options), rows, options, "\t")


FORMAT = Format(
    "ruled",
    "a table with rulers of dashes, as psql, MySQL, SAP and Markdown print it",
    read,
    batches,
    recognise,
    suffixes=(".md",),
    has_columns=True,
    has_lines=True,
)
