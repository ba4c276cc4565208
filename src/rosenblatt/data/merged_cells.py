"""Which cells of a sheet are merged: the value of such a block is read in its first cell, and blanks in all others.

The blocks stand in the XML of xlsx and ods files, which is unpacked and searched some bytes at a time; most sheets have
none, and are not looked at any closer. Of xls and xlsb files they are not known.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from itertools import islice

from rosenblatt.data.sheet_extent import CELL, UNREADABLE, TagTooLongError, blocks_of_tags, column_number
from rosenblatt.errors import counted

MOST_BLOCKS = 100_000  # that are looked at
LARGEST_LIST = 4 << 20  # bytes, of the names of sheets
MERGED = re.compile(rb'<(?:\w{1,20}:)?mergeCell [^<>]{0,200}?ref="([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})"')
SPANNED = re.compile(rb'-spanned="(?!1")')
# Of an OpenDocument sheet: where tables, rows and cells begin.
TAG = re.compile(rb'<table:(table|table-row|table-cell|covered-table-cell)((?: [^<>"]{1,100}"[^"]{0,9000}")*) ?/?>')
NUMBER_IN_TAG = rb'table:number-%s="([0-9]{1,7})"'
NAMES_TOLD = 5


@dataclass(frozen=True)
class MergedBlock:
    """Cells that are shown as one, by the numbers of its first and last row and column, from 0."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(frozen=True)
class MergedCells:
    """The merged blocks of a sheet, and the first column that has a filled cell, where readers begin."""

    blocks: list[MergedBlock]
    first_column: int = 0

    def notes(self, name: str, titles: list[str | None], header: int | None, first: int, last: int) -> list[str]:
        """What is told of them: `titles` name the columns of the sheet, None one that is not used; its row of names is
        `header`, if there is one, and its rows are those from first to last.
        """
        told = []
        in_header = [block for block in self.blocks if block.top == header and block.right > block.left]
        if nameless := self._columns([MergedBlock(b.top, b.left + 1, b.bottom, b.right) for b in in_header], titles):
            what = f"{counted(len(in_header), 'name')} of columns of {name} {'is' if len(in_header) == 1 else 'are'} merged"
            told.append(f"{what} over several: the others got names by their place, {listed(nameless)}.")
        below = self._below(first, last)
        if columns := self._columns(below, titles):
            blank = sum(
                (min(b.bottom, last) - max(b.top, first) + 1) * (b.right - b.left + 1) - (b.top >= first) for b in below
            )
            what = f"{counted(len(below), 'block')} of merged cells in {listed(columns)} of {name}"
            told.append(
                f"{what}: the value of a block was read in its first cell, its other cells ({blank:,} in all) as missing. "
                "If it is meant for all of them, unmerge them in the spreadsheet and fill them in, or leave out the column "
                "(--drop)."
            )
        return told

    def columns_below(self, titles: list[str | None], first: int, last: int) -> list[str]:
        """The columns that have merged cells in these rows."""
        return self._columns(self._below(first, last), titles)

    def _below(self, first: int, last: int) -> list[MergedBlock]:
        return [block for block in self.blocks if block.bottom >= first and block.top <= last]

    def _columns(self, blocks: list[MergedBlock], titles: list[str | None]) -> list[str]:
        begins, ends = (Counter(getattr(block, side) - self.first_column for block in blocks) for side in ("left", "right"))
        inside, columns = sum(rows for place, rows in begins.items() if place < 0), []
        inside -= sum(rows for place, rows in ends.items() if place < 0)
        for place, title in enumerate(titles):
            inside += begins[place]
            if inside > 0 and title is not None:
                columns.append(title)
            inside -= ends[place]
        return columns


def listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMES_TOLD} more" if len(names) > NAMES_TOLD else ""
    return ", ".join(names[:NAMES_TOLD]) + more


def merged_cells(content: bytes, sheet: str) -> MergedCells:
    """Those of a sheet of an xlsx or ods file; none of another, or of a damaged one: whoever reads it says so."""
    if not content.startswith(b"PK"):
        return MergedCells([])
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if "content.xml" in archive.namelist():
                return in_opendocument(archive, sheet)
            return in_workbook(archive, sheet)
    except (*UNREADABLE, KeyError, TagTooLongError):
        return MergedCells([])


def in_workbook(archive: zipfile.ZipFile, sheet: str) -> MergedCells:
    """The same of an xlsx file."""
    part = part_of(archive, sheet)
    texts = (text for text in texts_of(archive, part) if b"mergeCell " in text)
    refs = islice((found for text in texts for found in MERGED.findall(text)), MOST_BLOCKS)
    blocks = [
        MergedBlock(int(top) - 1, column_number(left) - 1, int(bottom) - 1, column_number(right) - 1)
        for left, top, right, bottom in refs
    ]
    if not blocks:
        return MergedCells([])
    cells = (cell for text in texts_of(archive, part) for cell in CELL.findall(text))
    letters = {letters for letters, _, rest in cells if not rest.endswith(b"/")}
    first = min(map(column_number, letters))
    return MergedCells(blocks, first - 1)


def part_of(archive: zipfile.ZipFile, sheet: str) -> str:
    """The file in the archive that holds a sheet."""
    with archive.open("xl/workbook.xml") as stream:
        tags = re.findall(r"<(?:\w{1,20}:)?sheet [^<>]*>", stream.read(LARGEST_LIST).decode("utf-8", "replace"))
    (link,) = [in_tag(tag, r"\w{1,20}:id") for tag in tags if unescape(in_tag(tag, "name")) == sheet]
    with archive.open("xl/_rels/workbook.xml.rels") as stream:
        links = re.findall(r"<(?:\w{1,20}:)?Relationship [^<>]*>", stream.read(LARGEST_LIST).decode("utf-8", "replace"))
    (target,) = [unescape(in_tag(tag, "Target")) for tag in links if in_tag(tag, "Id") == link]
    return target[1:] if target.startswith("/") else f"xl/{target}"


def in_tag(tag: str, attribute: str) -> str:
    found = re.search(rf'\s{attribute}="([^"]*)"', tag)
    return found[1] if found else ""


def texts_of(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """The text of a part, some of it at a time."""
    with archive.open(part) as stream:
        yield from blocks_of_tags(stream)


def in_opendocument(archive: zipfile.ZipFile, sheet: str) -> MergedCells:
    """The same of an ods file, whose cells have no addresses: rows and cells are counted."""
    if not any(SPANNED.search(text) for text in texts_of(archive, "content.xml")):
        return MergedCells([])
    blocks: list[MergedBlock] = []
    is_sheet, row, next_row, column, first = False, 0, 0, 0, None
    for text in texts_of(archive, "content.xml"):
        for kind, attributes in TAG.findall(text):
            if kind == b"table":
                name = re.search(rb'table:name="([^"]*)"', attributes)
                is_sheet = name is not None and unescape(name[1].decode("utf-8", "replace")) == sheet
                next_row = 0
            elif is_sheet and kind == b"table-row":
                row, column = next_row, 0
                next_row += number_in(attributes, b"rows-repeated")
            elif is_sheet:
                rows, columns = number_in(attributes, b"rows-spanned"), number_in(attributes, b"columns-spanned")
                if rows * columns > 1 and len(blocks) < MOST_BLOCKS:
                    blocks.append(MergedBlock(row, column, row + rows - 1, column + columns - 1))
                if b"office:value-type" in attributes:
                    first = column if first is None else min(first, column)
                column += number_in(attributes, b"columns-repeated")
    return MergedCells(blocks, first or 0)


def number_in(attributes: bytes, name: bytes) -> int:
    found = re.search(NUMBER_IN_TAG % name, attributes)
    return int(found[1]) if found else 1
