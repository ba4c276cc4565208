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
from collections.abc import Callable, Iterator

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import SAMPLE_LINES, Source, decode_utf8
from rosenblatt.errors import FileError, counted

RULER = re.compile(r"[\s|+:=\-─━═┼╪╬│├┤┌┐└┘┬┴┃]*(?:---|===|───|━━━|═══)[\s|+:=\-─━═┼╪╬│├┤┌┐└┘┬┴┃]*")
SEGMENT = re.compile(r"[-=─━═]+")
BAR = re.compile(r"(?<!\\)[|│┃]")  # in Markdown, \| is a letter of a cell
WRAPPED = re.compile(r"\+\|")  # psql's mark of a cell that goes on in the next line
Split = Callable[[str], list[str] | None]


def recognise(source: Source, options: ReadOptions) -> bool:
    if not source.is_text or options.delimiter is not None:
        return False
    return names_line(source.head_lines[:SAMPLE_LINES], options.skip_lines or 0) is not None


def names_line(lines: list[str], above: int = 0) -> int | None:
    """Where the names stand: the first line with cells that has a ruler right below it; None where there is none.

    >>> names_line(["a | b", "--+--", "1 | 2"]), names_line(["+---+", "| a |", "+---+"]), names_line(["a,b", "---,---"])
    (None, None, None)
    >>> names_line(["a   | b", "----+---", "1   | 2"]), names_line(["+---+---+", "| a | b |", "+---+---+"])
    (0, 1)
    """
    for number in range(above, len(lines) - 1):
        line, below = lines[number], lines[number + 1]
        if not line.strip() or RULER.fullmatch(line) or not RULER.fullmatch(below):
            continue
        split = splitter(line, below)
        cells = split(line)
        if cells is not None and len(cells) > 1 and sum(map(bool, cells)) > 1:
            return number
    return None


def splitter(names: str, ruler: str) -> Split:
    """What cuts a line of the table into cells: the bars in it, or the ruler's segments; None of what is no row."""
    if BAR.search(names):
        outer = BAR.match(names.strip()) is not None

        def between_bars(line: str) -> list[str] | None:
            cells = [cell.strip().replace("\\|", "|") for cell in BAR.split(line.strip() if outer else line)]
            if outer:
                cells = cells[1:-1] if len(cells) > 1 and not cells[-1] else cells[1:]
            return cells if BAR.search(line) else None

        return between_bars
    segments = [match.span() for match in SEGMENT.finditer(ruler)]

    def below_segments(line: str) -> list[str] | None:
        starts = [start for start, _ in segments]
        if any(line[end:start].strip() for (_, end), start in zip(segments, starts[1:], strict=False)):
            return None
        ends = [*(end for _, end in segments[:-1]), len(line)]
        return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]

    return below_segments


def as_tabs(text: str, source: Source, above: int) -> bytes:
    """The table with a tab between cells; what is no row becomes a blank line."""
    lines = text.replace("\r\n", "\n").split("\n")
    names = names_line(lines[: SAMPLE_LINES + above], above)
    if names is None:
        raise FileError("there are no names with a ruler of dashes below them.", path=source.name)
    split, bars = splitter(lines[names], lines[names + 1]), BAR.search(lines[names]) is not None
    written, left_out, ended = io.StringIO(), [], False
    write = csv.writer(written, delimiter="\t", lineterminator="\n").writerow
    for number, line in enumerate(lines):
        ended = ended or (not bars and number > names + 1 and not line.strip())  # below a blank line stands (60 rows)
        cells = split(line) if number >= names and not ended and not RULER.fullmatch(line) and line.strip() else None
        if cells is None or (number > names and cells == split(lines[names])):  # a list of many pages has its names on each
            written.write("\n")
            if number >= above and line.strip() and not RULER.fullmatch(line):
                left_out.append(number)
                if cells is None and not bars and number > names and not ended:
                    raise FileError("a cell crosses the columns that the ruler marks.", path=source.name, line=number + 1)
            continue
        if bars and WRAPPED.search(line):
            what = "a cell goes on in the next line, marked with +: export the table as CSV, in psql with \\copy … CSV."
            raise FileError(what, path=source.name, line=number + 1)
        write(cells)
    below = [number for number in left_out if number > names]
    if below:
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
