"""How far the cells of an xlsx file reach, before they are read.

Who reads a sheet lays its cells out as a rectangle, from the first to the last: one cell that somebody has touched in the
last corner makes it 17 billion. So the rectangle is measured while the sheet is unpacked in blocks; nothing of it is kept.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from rosenblatt.errors import FileError

BLOCK = 1 << 20
ALWAYS_FINE = 4_000_000  # cells of a rectangle, however few of them are filled
EMPTY_PER_FILLED = 50  # cells of it to one that is filled, beyond that
LARGE, MOST_PACKED = 200 << 20, 200  # bytes of a part, and how much smaller its packed bytes may be, from there on
SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
# Cells that are filled: a style alone is none. Tags are short, whatever somebody has written.
CELL = re.compile(
    rb'<(?:\w{1,20}:)?c (?:[^<>]{0,200} )?r="([A-Z]{1,9})([0-9]{1,12})"(?:[^<>]{0,200}[^<>/])?>', re.IGNORECASE
)
LONGEST_TAG = 450


def refuse_far_cells(content: bytes, name: str) -> None:
    """Refuses an xlsx file whose cells lie so far apart that laying them out would take all memory."""
    if not content.startswith(b"PK"):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            why = why_not(archive)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zlib.error):
        return  # damaged, or locked: whoever reads it says so
    if why:
        raise FileError(why, path=name)


def why_not(archive: zipfile.ZipFile) -> str | None:
    """What is too large in a spreadsheet, and the remedy."""
    for part in archive.infolist():
        if part.file_size > max(LARGE, MOST_PACKED * part.compress_size):
            what = f"{part.filename} in it unpacks to {part.file_size:,} bytes from {part.compress_size:,}"
            return f"{what}, as no table does: save the sheet as CSV."
    for part in archive.infolist():
        if SHEET.fullmatch(part.filename):
            with archive.open(part) as stream:
                if why := far_cell(stream):
                    return why
    return None


def far_cell(stream: IO[bytes]) -> str | None:
    """The cell of a sheet that is too far away, and the remedy."""
    filled, columns, rows = 0, 0, 0
    for cells in blocks_of_cells(stream):
        filled += len(cells)
        columns = max(columns, max(column_number(letters) for letters in {letters for letters, _ in cells}))
        rows = max(rows, max(int(row) for _, row in cells))
    if columns * rows <= ALWAYS_FINE + EMPTY_PER_FILLED * filled:
        return None
    what = f"the sheet has {filled:,} filled cells, but they reach to row {rows:,} and column {columns:,}"
    return f"{what}: delete the rows and columns beyond the table, or save it as CSV."


def blocks_of_cells(stream: IO[bytes]) -> Iterator[list[tuple[bytes, bytes]]]:
    """The column letters and row numbers of the filled cells, some at a time."""
    rest = b""
    while block := stream.read(BLOCK):
        text = rest + block
        end = max(text.rfind(b"<"), len(text) - LONGEST_TAG)  # the last tag may be cut
        if cells := CELL.findall(text[:end]):
            yield cells
        rest = text[end:]
    if cells := CELL.findall(rest):
        yield cells


def column_number(letters: bytes) -> int:
    """The number of a column, from 1.

    >>> column_number(b"A"), column_number(b"AA"), column_number(b"XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number
