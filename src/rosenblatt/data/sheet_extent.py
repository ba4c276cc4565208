"""How far the cells of an xlsx or ods file reach, and how much text they hold, before they are read.

Who reads a sheet lays its cells out as a rectangle, from the first to the last, and writes out texts that stand in the file
once: one cell that somebody has touched in the last corner makes it 17 billion. So all is measured while it is unpacked in
blocks; nothing of it is kept. XML can spell a tag in many ways: what is not spelled as spreadsheet programs do is measured
tag by tag.
"""

from __future__ import annotations

import html
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import IO

from rosenblatt.errors import FileError

BLOCK = 1 << 20
LONGEST_TAG = 1 << 22  # bytes from one < to the next
ALWAYS_FINE = 4_000_000  # cells of a rectangle, however few of them are filled
EMPTY_PER_FILLED = 50  # cells of it to one that is filled, beyond that
LARGE, MOST_PACKED = 200 << 20, 200  # bytes of a part, and how much smaller its packed bytes may be, from there on
LARGE_TEXT, MOST_REPEATED = 100 << 20, 20  # bytes of all texts written out, and how much more than the file's, from there on
SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
TARGET = re.compile(rb"Target\s*=\s*[\"']([^\"'<]*)[\"']")
CELL = re.compile(rb'<c r="([A-Z]{1,9})([0-9]{1,12})"([^<>]*)>')  # as programs write it; a style alone is no filled cell
ANY_CELL = re.compile(rb"<(?:[^\s<>/:]{1,99}:)?c(?=[\s/>])")
TAG = re.compile(rb"<(?:[^\s<>/:]{1,99}:)?(c|row)(?=[\s/>])([^<]*)")  # and what stands behind it, which is no tag
PLACE = re.compile(rb"\sr\s*=\s*[\"']\s*([A-Za-z]{0,9})0*([0-9]{1,12})")
CLOSED = re.compile(rb"/\s*>\s*\Z")
TEXT = re.compile(rb"<(?:[^\s<>/:]{1,99}:)?si(?=[\s/>])")
SHARED_TEXT = re.compile(rb"[^<]*?\st\s*=\s*[\"']s[\"']")  # behind the name of the tag
TEXT_NUMBER = re.compile(rb"<(?:[^\s<>/:]{1,99}:)?v(?:\s[^<>]*+)?>\s*+([0-9]{1,9}+)\s*+</")
LONGEST_BEFORE = 200  # bytes of a tag in front of CDATA
SECTION = re.compile(rb"<(?:[^\s<>/:]{1,99}:)?v(?:\s[^<>]*+)?>\s*+<!\[CDATA\[")
ODS_ROW, ODS_CELL = b"<table:table-row", b"<table:table-cell"
ROWS_REPEATED = re.compile(rb"number-rows-repeated\s*=\s*[\"']([^\"'<>]*+)")
TAGS, CELL_SIZE = re.compile(rb"[^<>]*+>|<[^<>]*+"), 16  # what is no text, and the bytes that any cell takes
COLUMNS_REPEATED = re.compile(rb"number-columns-repeated\s*=\s*[\"']([^\"'<>]*+)")
STRING_VALUE = re.compile(rb"string-value\s*=\s*(\"[^\"]*+|'[^']*+)")  # a text that stands in the tag


# What zipfile raises of an archive that is damaged, locked, or packed in a way that it does not know.
UNREADABLE = (zipfile.BadZipFile, OSError, EOFError, ValueError, RuntimeError, zlib.error)


class TagTooLongError(Exception):
    """XML in which no tag begins for long."""


def refuse_far_cells(content: bytes, name: str) -> None:
    """Refuses a spreadsheet whose cells would take all memory: they lie far apart, or repeat a long text."""
    if not content.startswith(b"PK"):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            why = why_not(archive)
    except TagTooLongError:
        why = f"a tag or a text in it is longer than {LONGEST_TAG:,} bytes: save the sheet as CSV."
    except UNREADABLE:
        return  # whoever reads it says so
    if why:
        raise FileError(why, path=name)


def why_not(archive: zipfile.ZipFile) -> str | None:
    """What is too large in a spreadsheet, and the remedy."""
    for part in archive.infolist():
        if part.file_size > max(LARGE, MOST_PACKED * part.compress_size):
            what = f"{part.filename} in it unpacks to {part.file_size:,} bytes from {part.compress_size:,}"
            return f"{what}, as no table does: save the sheet as CSV."
    parts = archive.infolist()
    targets = {base_name(target.decode("latin-1")) for part in parts for target in targets_in(archive, part)}
    lengths: list[int] = []  # of the texts that cells name by their number
    for part in parts:
        if base_name(part.filename) == "sharedstrings.xml":
            lengths = text_lengths(lambda part=part: archive.open(part))  # type: ignore[misc]
    texts = 0
    for part in parts:
        if part.filename == "content.xml":
            with archive.open(part) as stream:
                texts += repeated_text(stream)
        elif SHEET.fullmatch(part.filename) or base_name(part.filename) in targets:
            sheet = Sheet(lambda part=part: archive.open(part))  # type: ignore[misc]
            if why := sheet.far_cell():
                return why
            if sheet.in_sections:  # the reader of sheets leaves out numbers that are written so
                return "its numbers stand in CDATA, which is not read: open it in a spreadsheet program and save it again."
            texts += sheet.length_of_texts(lengths)
    if texts > max(LARGE_TEXT, MOST_REPEATED * sum(part.file_size for part in parts)):
        return f"its cells repeat texts, {texts:,} bytes written out: save the sheet as CSV, if that is meant."
    return None


def base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].lower()


def targets_in(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> list[bytes]:
    """The parts that one of a workbook's lists names: a sheet may be called anything."""
    if not part.filename.lower().endswith(".rels"):
        return []
    with archive.open(part) as stream:
        return [target for block in blocks_of_tags(stream) for target in TARGET.findall(block)]


def blocks_of_tags(stream: IO[bytes]) -> Iterator[bytes]:
    """The bytes of XML in blocks that end before a tag."""
    rest = b""
    while block := stream.read(BLOCK):
        text = rest + block
        end = text.rfind(b"<")
        if len(text) - max(end, 0) > LONGEST_TAG:
            raise TagTooLongError
        yield text[: max(end, 0)]
        rest = text[max(end, 0) :]
    yield rest


class Sheet:
    """The cells of a sheet of an xlsx file; `opened` gives its XML, as often as it is asked for."""

    def __init__(self, opened: Callable[[], IO[bytes]]):
        self.opened = opened
        self.filled, self.columns, self.rows = 0, 0, 0
        self.in_sections, self.before = False, b""

    def far_cell(self) -> str | None:
        """The cell that is too far away, and the remedy."""
        if not self.measure_plain():
            self.filled, self.columns, self.rows = 0, 0, 0
            self.measure_tag_by_tag()
        if self.columns * self.rows <= ALWAYS_FINE + EMPTY_PER_FILLED * self.filled:
            return None
        what = f"the sheet has {self.filled:,} filled cells, but they reach to row {self.rows:,} and column {self.columns:,}"
        return f"{what}: delete the rows and columns beyond the table, or save it as CSV."

    def measure_plain(self) -> bool:
        """Measures cells that are written as programs write them; False where some are not."""
        with self.opened() as stream:
            for block in blocks_of_tags(stream):
                self.look_for_sections(block)
                cells = CELL.findall(block)
                if len(cells) != len(ANY_CELL.findall(block)):
                    return False
                filled = [(letters, row) for letters, row, rest in cells if not rest.endswith(b"/")]
                if filled:
                    self.filled += len(filled)
                    self.columns = max(self.columns, *map(column_number, {letters for letters, _ in filled}))
                    self.rows = max(self.rows, *(int(row) for _, row in filled))
        return True

    def look_for_sections(self, block: bytes) -> None:
        """Notes whether numbers stand in CDATA; the tag in front of one may end the block before."""
        if b"<![CDATA[" in block:
            self.in_sections = self.in_sections or SECTION.search(self.before + block) is not None
        self.before = block[-LONGEST_BEFORE:]

    def measure_tag_by_tag(self) -> None:
        """Measures cells however they are written: one without a place stands right of the one before it."""
        row = column = 0
        with self.opened() as stream:
            for block in blocks_of_tags(stream):
                self.look_for_sections(block)
                for name, rest in TAG.findall(block):
                    place = PLACE.search(rest)
                    if name == b"row":
                        row, column = int(place[2]) if place else row + 1, 0
                        continue
                    column = column_number(place[1]) if place and place[1] else column + 1
                    row = int(place[2]) if place and place[1] else max(row, 1)
                    if not CLOSED.search(rest):
                        self.filled += 1
                        self.columns, self.rows = max(self.columns, column), max(self.rows, row)

    def length_of_texts(self, lengths: list[int]) -> int:
        """How long the texts are that its cells name by their number, all together."""
        if self.filled * max(lengths, default=0) <= LARGE_TEXT:
            return 0
        total, longest = 0, max(lengths)
        with self.opened() as stream:
            for block in two_tags_each(stream):
                for cell in ANY_CELL.split(block)[1:]:
                    if SHARED_TEXT.match(cell):
                        numbers = TEXT_NUMBER.findall(cell)
                        plain = len(numbers) == 1 and int(numbers[0]) < len(lengths)
                        total += lengths[int(numbers[0])] if plain else longest
        return total


def two_tags_each(stream: IO[bytes]) -> Iterator[bytes]:
    """Blocks that end before a cell, so that its tags are not cut apart."""
    rest = b""
    for block in blocks_of_tags(stream):
        rest += block
        places = [match.start() for match in ANY_CELL.finditer(rest)][-1:]
        end = places[0] if places else 0
        end = len(rest) if len(rest) - end > LONGEST_TAG else end  # behind the last cell
        yield rest[:end]
        rest = rest[end:]
    yield rest


def text_lengths(opened: Callable[[], IO[bytes]]) -> list[int]:
    """The lengths of the texts that the cells of an xlsx file share, with their tags."""
    starts, before = list[int](), 0
    with opened() as stream:
        for block in blocks_of_tags(stream):
            starts += [before + match.start() for match in TEXT.finditer(block)]
            before += len(block)
    return [end - start for start, end in pairwise([*starts, before])]


def repeated_text(stream: IO[bytes]) -> int:
    """How long the filled cells of an ods file are, each as often as it is to be repeated."""
    total, rest = 0, b""
    for block in blocks_of_tags(stream):
        *rows, rest = (rest + block).split(ODS_ROW)
        total += sum(map(length_of_row, rows))
    return total + length_of_row(rest)


def length_of_row(row: bytes) -> int:
    tag, _, cells = row.partition(ODS_CELL)
    if ROWS_REPEATED.search(tag) is None and COLUMNS_REPEATED.search(cells) is None:
        return len(row)
    total = 0
    for cell in cells.split(ODS_CELL):
        if b"<text:p" in cell or b"office:value" in cell:
            text = len(TAGS.sub(b"", cell)) + sum(map(len, STRING_VALUE.findall(cell)))
            total += (CELL_SIZE + text) * times(COLUMNS_REPEATED, cell)
    return total * times(ROWS_REPEATED, tag)


def times(attribute: re.Pattern[bytes], tag: bytes) -> int:
    """How often a row or a cell is to be repeated.

    >>> times(ROWS_REPEATED, b' table:number-rows-repeated="&#50;5"'), times(ROWS_REPEATED, b"")
    (25, 1)
    """
    match = attribute.search(tag)
    digits = "1" if match is None else html.unescape(match[1].decode("latin-1")).strip().lstrip("+0")
    return int(digits[:12]) if digits.isascii() and digits.isdigit() else 1


def column_number(letters: bytes) -> int:
    """The number of a column, from 1.

    >>> column_number(b"A"), column_number(b"AA"), column_number(b"XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number
