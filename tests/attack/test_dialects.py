"""Tables in every dialect of CSV: `read`, `batches` of any size and Python's csv module see the same cells, or ours refuse.

All cells are read as text, so that every letter is compared. Blanks around a cell are not part of it, and a cell that is
empty, or `?`, is not known.
"""

import csv
import io
import os
import random

import pytest

from rosenblatt.data import batches
from rosenblatt.data.read_options import BufferSizes, ReadOptions
from rosenblatt.data.reading import read_with
from rosenblatt.data.table import BLANKS
from rosenblatt.errors import FileError

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
PARTS = 8 if FULL else 1
TABLES = (2_000 if FULL else 30) // PARTS
SEED = int(os.environ["ROSENBLATT_HYPOTHESIS_SEED"])

CELLS = ["", "", "?", "1", "39", "-0.5", "007", "a", "b", "two words", " x", "y ", "\xa0z", "\t", "naïve", "日本", "🎉",
         "a cell of more than sixteen bytes", "=1+2", "'", "it's", "\\", "a\\", "#", "\x0b", "\x1c", "\u2028"]  # fmt: skip
IN_QUOTES = [
    "a,b",
    "a;b",
    "a|b",
    "a\tb",
    'say "hi"',
    '"',
    '""',
    "two\nlines",
    "\n",
    "\r\n",
    "a\r\nb",
    " padded ",
    ",",
    "\nx",
]
SPOILED = ['"', '"a', 'a"b', 'a"b"c', '"a"b', "\r", "\0", ' "a"', '"a" ', "\ufeff", '"a\n', '""a']
DELIMITERS = ",;\t|:"


def row(draw, width, odd):
    return [draw.choice(IN_QUOTES if draw.random() < odd else CELLS) for _ in range(width)]


def written(draw, cells, dialect):
    """A line as a program with this dialect writes it."""
    delimiter, end, quoting, padding = dialect
    parts = []
    for cell in cells:
        needed = any(letter in cell for letter in (delimiter, '"', "\n", "\r"))
        quoted = needed or quoting == "all" or (quoting == "some" and draw.random() < 0.3)
        text = '"' + cell.replace('"', '""') + '"' if quoted else cell
        parts.append(text if quoted else padding + text + padding)
    return delimiter.join(parts) + end


def table(draw):
    """A table and the bytes of it; in every third something is spoiled, and then it may be refused."""
    delimiter = draw.choice(DELIMITERS)
    dialect = (
        delimiter,
        draw.choice(["\n", "\n", "\r\n"]),
        draw.choice(["least", "some", "all"]),
        draw.choice(["", "", "", " "]),
    )
    width, odd = draw.randint(1, 5), draw.choice([0, 0, 0.2])
    names = [f"c{j}" for j in range(width)]
    rows = [row(draw, width, odd) for _ in range(draw.choice([1, 2, 5, 20]))]
    lines = [written(draw, cells, dialect) for cells in [names, *rows]]
    spoiled = draw.random() < 0.35
    if spoiled:
        at = draw.randint(1, len(lines) - 1)
        kind = draw.choice(["cell", "ragged", "blank", "byte", "latin"])
        if kind == "cell":
            cells = row(draw, width, 0)
            cells[draw.randrange(width)] = draw.choice(SPOILED)
            lines.insert(at, delimiter.join(cells) + dialect[1])
        elif kind == "ragged":
            others = draw.choice([max(width - 1, 1), width + 1, 1])
            lines.insert(at, delimiter.join(row(draw, others, 0)) + dialect[1])
        elif kind == "blank":
            lines.insert(at, draw.choice(["", " ", "\t", "\xa0"]) + dialect[1])
        else:
            letter = draw.choice('",;\n\r \0') if kind == "byte" else "\udcff"
            place = draw.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + letter + lines[at][place:]
    text = "".join(lines)
    text = text if draw.random() < 0.7 else text.removesuffix("\n").removesuffix("\r")
    content = draw.choice([b"", b"", b"", b"\xef\xbb\xbf"]) + text.encode(errors="surrogateescape")
    return content, delimiter, spoiled


def known(cell):
    """A cell as ours have it: without blanks around, None where it is not known."""
    cell = cell.strip(BLANKS)
    return None if cell in ("", "?") else cell


def by_csv(content, delimiter):
    """The rows in the eyes of Python's csv module, without those that are blank; None where it sees no table.

    In a table of one column, a line with nothing on it may be a missing cell: that is no table, either.
    """
    # Of what is not UTF-8, the first letter beyond ASCII decides whether it is Windows-1252.
    first = next((content[at:] for at, byte in enumerate(content) if byte > 127), b"")
    windows = any(not first[:length].decode(errors="ignore") for length in range(1, 5)) and first[:1] == b"\xff"
    try:
        text = content.decode("windows-1252" if windows else "utf-8-sig")
        lines = io.StringIO(text, newline="\n")  # a CR that ends no line is an error to it, outside quotes
        header, *rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t")
    except (UnicodeDecodeError, csv.Error):
        return None
    if len(header) > 1:
        rows = [cells for cells in rows if len(cells) > 1 or any(map(known, cells))]
    if any(len(cells) != len(header) for cells in rows):
        return None
    return [tuple(map(known, cells)) for cells in rows]


def ours(content, delimiter, sizes, rows):
    """The rows in our eyes, whole or in batches; an error is None."""
    options = {"format": "csv", "delimiter": delimiter, "as_text": True, "sizes": sizes}
    try:
        if rows is None:
            parts = [read_with(io.BytesIO(content), ReadOptions(**options))]
        else:
            parts = list(batches(io.BytesIO(content), rows=rows, **options))
        return [cells for part in parts for cells in part.rows.rows()]
    except FileError:
        return None


DOORS = [
    (BufferSizes(), None),
    (BufferSizes(coded_above=-1), None),
    (BufferSizes(table_block=40, coded_above=2**40), 3),
    (BufferSizes(table_block=16, coded_above=-1, coded_texts=2), 1),
    (BufferSizes(table_block=200, coded_above=-1, count_block=7), 1000),
]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (b'a;b\n"\xef\xbb\xbf";x\n', [("\ufeff", "x")]),
        (b"a;b\n\xef\xbb\xbf;x\ny;z\n", [("\ufeff", "x"), ("y", "z")]),
        (b"a;b\n1;2\n;\n3\n", None),  # a row of empty cells does not make up for a short one
        (b"a;b\n1;2\n;\n\n", [("1", "2"), (None, None)]),
        (b'a;b\r\n1;"\r\n"\r\n', [("1", None)]),
        (b'a\tb\n"\t"\tx\n', [(None, "x")]),
        (b'a;b\n5" pipe;x\n6" pipe;y\n7;z\n', [('5" pipe', "x"), ('6" pipe', "y"), ("7", "z")]),
        (b'5" pipe;b\n1;6" pipe\n3;4\n', [("1", '6" pipe'), ("3", "4")]),  # a name opens no quote, either
        (b'a;b\n1;"x\n2;say ""hi""\n', None),  # a quote that is open at the end, which looks closed
        (b'a;b\n1;,"\nx"\n2;y\n', None),  # a quote within a cell opens none, though one on the next line seems to close it
        (b'a;b\n1;,"x"\n2;y\n', [("1", ',"x"'), ("2", "y")]),
        (b"a;b\r1;2\r3;4\n", None),
        (b"a;b\n1;x\r2;y\n3;z\n", None),  # two rows, or a cell too many?
        (b"a;b\n1;x\r2\n3;z\n", None),
        (b'a;b\r\n1;"x\ry"\r\n', [("1", "x\ry")]),
        (b"a\n1\n\n3\n", None),  # the second cell of a column, or a blank line?
        (b'a\n1\n""\n \n"3"\n', [("1",), (None,), (None,), ("3",)]),
        (b'a\n1"\n""\n \n3\n', [('1"',), (None,), (None,), ("3",)]),
    ],
)
def test_what_the_attack_has_found(content, rows):
    delimiter = "\t" if b"\t" in content else ";"
    assert [ours(content, delimiter, *door) for door in DOORS] == [rows] * len(DOORS)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_door_and_pythons_csv_see_the_same_table(part):
    draw, whole = random.Random(f"dialects {SEED} {part}"), 0
    for _ in range(TABLES):
        content, delimiter, spoiled = table(draw)
        expected = by_csv(content, delimiter)
        seen = [ours(content, delimiter, *door) for door in DOORS]
        assert all(rows == seen[0] for rows in seen), (content, delimiter, seen)
        if seen[0] is not None:
            assert seen[0] == expected, (content, delimiter)
        assert seen[0] is not None or spoiled or not expected, (content, delimiter)
        whole += seen[0] is not None
    assert whole > TABLES // 3
