"""Tables read line by line, with care: the reader for files that the fast ones do not take, and for errors.

A record is (line number, cells). A cell may hold blanks around it, delimiters and line ends inside quotes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from rosenblatt.data.delimited.delimiters import cells_between_blanks
from rosenblatt.errors import FileError

Record = tuple[int, list[str]]


def records(text: str, delimiter: str, name: str, line: int = 1) -> Iterator[Record]:
    """The records of a text that are not blank; a delimiter of ' ' means any run of blanks.

    >>> list(records('a, "b, c"\\n\\n1, 2\\n', ",", "tiny"))
    [(1, ['a', 'b, c']), (3, ['1', '2'])]
    """
    if delimiter == " ":
        for number, content in enumerate(text.splitlines(), line):
            if cells := cells_between_blanks(content):
                yield number, [cell.strip() for cell in cells]
        return
    # A line end at the end of the text shows an open quote: it would be part of the last cell.
    text += "" if text.endswith("\n") else "\n"
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=delimiter != "\t", strict=False)
    start, last = line, line + text.count("\n")
    try:
        for cells in reader:
            if line + reader.line_num == last and cells and cells[-1].endswith("\n") and not text.endswith('"\n'):
                raise FileError("a quote is opened on this line and never closed.", path=name, line=start)
            stripped = [cell.strip() for cell in cells]
            if len(stripped) > 1 or any(stripped):
                yield start, stripped
            start = line + reader.line_num
    except csv.Error as error:
        what = f"{error}: perhaps a quote that is opened on this line is never closed."
        raise FileError(what, path=name, line=start) from None


def refuse_uneven(records: Iterable[Record], width: int, name: str) -> Iterator[Record]:
    """The same records; an error at the first that has more or fewer cells than `width`."""
    for line, cells in records:
        if len(cells) != width:
            what = f"{len(cells)} cell{'s' * (len(cells) != 1)}, expected {width}."
            if any("\n" in cell for cell in cells):
                what += " A quote that is opened on this line may never be closed."
            elif len(cells) > width:
                what += " Put cells that hold the delimiter in quotes."
            else:
                what += " Write a missing cell as ? or leave it empty between its delimiters."
            raise FileError(what, path=name, line=line)
        yield line, cells
