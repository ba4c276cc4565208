"""Tables read line by line, with care: the second reader, for files that the fast one does not take, and for errors.

A record is (line number, cells). A cell may hold blanks around it, delimiters and line ends inside quotes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from rosenblatt.data.recognise import cells_between_blanks
from rosenblatt.errors import FileError

Record = tuple[int, list[str]]


def decoded(data: bytes, name: str, line: int = 1) -> str:
    """The text of UTF-8 bytes; the place of the first byte that is not, in an error."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        what = f"the text is UTF-16, not UTF-8: convert it with iconv -f utf-16 -t utf-8 {name}."
        raise FileError(what, path=name, line=line)
    nul = data.find(b"\0")
    if nul >= 0:
        what = "a NUL byte: the file is not text, or not UTF-8. Write it again as UTF-8, or remove the byte."
        raise FileError(what, path=name, line=line + data.count(b"\n", 0, nul))
    try:
        return data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        at = line + error.object.count(b"\n", 0, error.start)
        what = (
            f"the byte 0x{error.object[error.start]:02x} is not UTF-8: if the text is Latin-1, "
            f"convert it with iconv -f latin1 -t utf-8 {name}."
        )
        raise FileError(what, path=name, line=at) from None


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


def even(found: Iterable[Record], width: int, name: str) -> Iterator[Record]:
    """The same records; an error at the first that has more or fewer cells than `width`."""
    for line, cells in found:
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
