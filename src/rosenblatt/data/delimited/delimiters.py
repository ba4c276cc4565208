"""What stands between the cells of a table: found in its first lines."""

from __future__ import annotations

import csv
import re

from rosenblatt.data.options import ReadOptions
from rosenblatt.data.source import Source
from rosenblatt.errors import FileError

CELL = re.compile(r'"((?:[^"]|"")*)"(?=\s|$)|(\S+)')
DELIMITERS = "\t;,|"


def cells_between_blanks(line: str) -> list[str]:
    """The cells of a line whose columns stand apart by blanks; quotes keep blanks together.

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
    lines = source.first_lines
    consistent = consistent_delimiter(lines)
    if consistent is not None:
        return consistent
    return max(",;\t|", key=lines[0].count) if lines else ","  # a comma, if there is none of them
