"""The two readers in C on bytes that are nearly right: slow readers in plain Python are the witness for every bit.

Each may stop, or decline, where it does not understand. It may not read anything wrongly, stop in front of what is plain,
or write a byte outside the arrays that it was given.
"""

import os
import random
import re
from array import array

import pytest

from rosenblatt.data import libsvm_plain
from rosenblatt.data.libsvm_lines import parse_line
from rosenblatt.errors import FileError

libsvm = pytest.importorskip("rosenblatt.data._libsvm", reason="built without a compiler")
cells = pytest.importorskip("rosenblatt.data._cells", reason="built without a compiler")

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
PARTS = 8 if FULL else 1
EXECUTIONS = (208_000 if FULL else 2_000) // PARTS
SEED = int(os.environ["ROSENBLATT_HYPOTHESIS_SEED"])  # new in every run, and told at its end
GUARD = b"\xa5" * 16  # behind every array

NUMBERS = [b"1", b"0", b"-1", b"+1", b"1.", b".5", b"-0", b"-0.0", b"00", b"007", b"0.1", b"1e5", b"1E-5", b"1e+22",
           b"1e23", b"5e-324", b"2e-324", b"1.7976931348623157e308", b"9007199254740993", b"1e-10000", b"0e99999",
           b"18446744073709551616", b"9999999999999999999", b"99999999999999999999", b"1e000000000000000001"]  # fmt: skip
NO_NUMBERS = [b"nan", b"inf", b"-inf", b"1_0", b"0x1", b"1e", b"e1", b".", b"-", b"+", b"", b"--1", b"1.2.3", b"1e1.5",
              b"1e309", b"1e9999", b"1e10000", b"\xd9\xa3", b"1\0", b"\0"]  # fmt: skip
INDICES = [b"1", b"2", b"3", b"10", b"0", b"007", b"2147483647", b"2147483648", b"4294967297", b"99999999999",
           b"00000000000", b"00000000000001", b"18446744073709551617", b"-1", b"+1", b"1.0", b"", b"x", b"qid",
           b"\xff"]  # fmt: skip
BLANKS = [b" ", b" ", b" ", b" ", b"\t", b"  ", b" \r", b"\r", b"\x0b", b"\x0c", b"", b"\0", b"\xc2\xa0"]
ENDS = [b"\n", b"\n", b"\n", b"\r\n", b" \n", b"#\n", b" # 1:2\n", b"\n\n", b"#\0\xff\n", b"\r\r\n"]
NUMBER = rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"  # one way to match it: two would take for ever
PLAIN_LINE = re.compile(
    rb"[ \t\r]*(?:%b(?:[ \t\r]+qid:\d+)*(?:[ \t\r]+\d{1,10}:%b)*)?[ \t\r]*(?:#[^\n]*)?" % (NUMBER, NUMBER), re.ASCII
)


def number(draw, odd):
    """The text of a number; an odd one may be none."""
    kind = draw.random()
    if kind < 0.4:
        return draw.choice(NO_NUMBERS if odd and kind < 0.1 else NUMBERS)
    digits = b"%d" % draw.getrandbits(draw.choice([3, 10, 53, 54, 64, 70, 200]))
    point = draw.randint(0, len(digits))
    text = (
        b"0" * draw.choice([0, 0, 0, 1, 12, 30]) + digits[:point] + draw.choice([b".", b".", b"", b".000"]) + digits[point:]
    )
    if kind > 0.7:
        text += b"%b%d" % (
            draw.choice([b"e", b"E", b"e-", b"e+", b"E-0"]),
            draw.choice([0, 1, 5, 22, 23, 27, 28, 290, 308, 330]),
        )
    return draw.choice([b"", b"", b"-", b"+"]) + text


def rows_of_libsvm(draw):
    """A few lines; most of them whole, so that what comes behind them is reached, too."""
    lines = []
    for _ in range(draw.randint(1, 4)):
        odd = draw.random() < 0.3
        tokens = [number(draw, odd) if odd else b"%d" % draw.randint(-1, 1)]
        if draw.random() < 0.1:
            tokens.append(draw.choice([b"qid:1", b"qid:", b"qid:x", b"qid:12345678901234567890", b"qid"]))
        for _ in range(draw.choice([0, 1, 2, 3, 3, 12])):
            index = draw.choice(INDICES) if odd and draw.random() < 0.3 else b"%d" % draw.randint(0, 99)
            tokens.append(
                index
                + (b":" if not odd or draw.random() < 0.95 else draw.choice([b"", b"::", b" :", b": "]))
                + number(draw, odd)
            )
        blank = draw.choice(BLANKS) if odd else b" "
        lines.append(draw.choice([b"", b"", b" ", b"\t"]) + blank.join(tokens) + draw.choice(ENDS))
    text = b"".join(lines)
    if draw.random() < 0.1:  # and then any byte anywhere
        at = draw.randrange(len(text))
        text = text[:at] + bytes([draw.choice(b'\0\r\n"#:.eE+-0 \xff\x80\x0b')]) + text[at + 1 :]
    return text if text.endswith(b"\n") else text + b"\n"


def guarded(items, size):
    """Memory for so many items, a view of it, and 16 bytes behind it that nobody may write."""
    memory = bytearray(items * size) + GUARD
    return memory, memoryview(memory)[: items * size]


def carefully(line):
    """What the slow reader makes of a line: None if nothing, False if it refuses."""
    try:
        return parse_line(line, "fuzz", 1)
    except FileError:
        return False


def check_libsvm(parse, text, start, most_rows, most_entries, must_go_on):
    """Compares a reader with `parse_line`, line by line; the number of rows that it read."""
    sizes = [(most_rows, 8), (most_rows, 8), (most_entries, 4), (most_entries, 8)]
    buffers = [guarded(*size) for size in sizes]
    arrays = [view for _, view in buffers]
    if parse is libsvm_plain.parse:
        import numpy as np

        arrays = [np.frombuffer(view, dtype) for view, dtype in zip(arrays, ["f8", "i8", "i4", "f8"], strict=True)]
    rows, entries, at, smallest, largest, in_order = parse(text, start, *arrays)
    assert all(memory.endswith(GUARD) for memory, _ in buffers), text
    assert start <= at <= len(text), text
    labels, ends, indices, values = array("d"), array("q"), array("i"), array("d")
    ordered = True
    for line in text[start:at].split(b"\n")[:-1]:
        row = carefully(line)
        assert row is not False, (text, line)
        if row is not None:
            labels.append(row[0])
            indices.extend(row[1])
            values.extend(row[2])
            ends.append(len(indices))
            ordered = ordered and all(a < b for a, b in zip(row[1], row[1][1:], strict=False))
    assert at == start or text[at - 1 : at] == b"\n", text
    assert (rows, entries, in_order) == (len(labels), len(indices), ordered), text
    assert (smallest, largest) == ((min(indices), max(indices)) if indices else (2**63 - 1, -1)), text
    for expected, (memory, _) in zip([labels, ends, indices, values], buffers, strict=True):
        assert bytes(memory).startswith(expected.tobytes()), text  # bits: -0.0 is not 0.0
    if must_go_on and at < len(text):
        line = text[at : text.index(b"\n", at)]
        row = carefully(line)
        if row and PLAIN_LINE.fullmatch(line):
            assert rows == most_rows or entries + len(row[1]) > most_entries, (text, line)
    return rows


@pytest.mark.parametrize("part", range(PARTS))
def test_the_libsvm_reader_reads_what_is_written(part):
    draw, read = random.Random(f"libsvm {SEED} {part}"), 0
    for _ in range(EXECUTIONS):
        text = rows_of_libsvm(draw)
        room = draw.random() < 0.8
        most_rows, most_entries = (len(text), len(text)) if room else (draw.randint(0, 3), draw.randint(0, 9))
        start = (
            0 if draw.random() < 0.9 else draw.choice([at for at in range(len(text)) if text[at - 1 : at] in (b"", b"\n")])
        )
        read += check_libsvm(libsvm.parse, text, start, most_rows, most_entries, must_go_on=True)
    assert read > EXECUTIONS // 2  # rows: else this would be a test of giving up


def test_the_libsvm_reader_without_a_compiler_reads_what_is_written():
    draw, executions = random.Random(f"plain {SEED}"), 4_000 if FULL else 25
    read = 0
    for _ in range(executions):
        text = rows_of_libsvm(draw)
        read += check_libsvm(libsvm_plain.parse, text, 0, len(text), len(text), must_go_on=False)
    assert read > executions // 4


@pytest.mark.parametrize("length", [100, 9_999, 10_001, 3_000_000])
@pytest.mark.parametrize("shape", [b"%b", b"0.%b", b"%b.5", b"1e-%b", b"1e%b", b"%be-9", b"#%b"])
@pytest.mark.parametrize("digit", [b"0", b"7"])
def test_very_long_numbers_are_read_or_left_to_python(length, shape, digit):
    if digit == b"7" and length > 10_001 and not FULL:
        length = 20_000
    text = b"1 1:1\n0 1:" + shape % (digit * length) + b" 2:2\n"
    check_libsvm(libsvm.parse, text, 0, 9, 9, must_go_on=True)


@pytest.mark.parametrize("text", [b"1 1:1", b"\0", b"1 1:1\n2"])
def test_libsvm_lines_without_an_end_are_refused(text):
    arrays = [guarded(9, 8)[1] for _ in range(4)]
    with pytest.raises(ValueError, match="newline"):
        libsvm.parse(text, 0, *arrays)
    for start in (-1, len(text) + 2, -(2**62), 2**62):
        with pytest.raises(ValueError, match="start within"):
            libsvm.parse(text + b"\n", start, *arrays)


WORDS = [b"", b"", b"a", b"b", b"?", b"39", b"-0", b"1234567", b"12345678", b"123456789", b"M\xc3\xa4nnlich", b" x ",
         b"a word of 16 byt", b"a word of 16 byu", b"a word of 17 byte", b"\xe6\x97\xa5", b"\xf0\x9f\x8e\x89",
         b"+", b"\x0c"]  # fmt: skip
ODD_WORDS = [b"1234567\xc3", b"\x80", b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x8a", b"\xac", b"a\rb", b"\r", b"\0",
             b'"', b'"a"', b",", b";", b"\t", b"\x0b", b"\x0b\x0b", b"-"]  # fmt: skip
DELIMITERS = b",;\t|:\x0b\x7f,;\t|:,;a -"


def table(draw, delimiter):
    """The bytes of a table, regular as a rule, and its width."""
    width = draw.choice([2, 2, 2, 3, 3, 3, 4, 4, 9, 9, 1, 40])
    rows = draw.choice([1, 2, 3, 3, 8]) if width < 9 or draw.random() < 0.1 else 1
    end = draw.choice([b"\n", b"\n", b"\n", b"\r\n"])
    words = WORDS if draw.random() < 0.7 else WORDS + ODD_WORDS
    lines = [delimiter.join(draw.choices(words, k=width)) for _ in range(rows)]
    if draw.random() < 0.1:
        lines.insert(draw.randint(0, rows), draw.choice([b"", b"a", delimiter * width, delimiter * (width - 1), b"\r"]))
    if draw.random() < 0.02:
        lines = [delimiter.join([b"%d" % draw.getrandbits(40)] + [b"x"] * (width - 1)) for _ in range(300)]
    content = end.join(lines) + (draw.choice([end, b""]) if draw.random() < 0.9 else draw.choice([b"\n", b"\r"]))
    if content and draw.random() < 0.05:
        at = draw.randrange(len(content))
        content = content[:at] + bytes([draw.choice(b'\0\r\n",;\xff\x80a')]) + content[at + 1 :]
    return content, width


def split_slowly(content, delimiter, width, most):
    """What `split` promises, with nothing but methods of bytes."""
    if width < 2 or not content or b"\0" in content or b'"' in content or re.search(rb"\r(?!\n)", content):
        return None
    lines = content.split(b"\n")
    lines = lines[:-1] if not lines[-1] else lines
    rows = [line.split(delimiter) for line in lines]
    if any(len(row) != width for row in rows) or any(len(line.removesuffix(b"\r")) == width - 1 for line in lines):
        return None
    columns = [list(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    if sum(len(texts) > most for texts in columns) * 2 > width:
        return None
    try:
        return [
            None if len(texts) > most else ([texts.index(row[j]) for row in rows], [text.decode() for text in texts])
            for j, texts in enumerate(columns)
        ]
    except UnicodeDecodeError:
        return None


def split(content, start, delimiter, width, most):
    """The compiled reader, on an array that ends where its memory does."""
    found = cells.split(array("B", content), start, delimiter, width, most)
    return found and [pair and (array("I", bytes(pair[0])).tolist(), pair[1]) for pair in found]


@pytest.mark.parametrize("part", range(PARTS))
def test_the_reader_of_cells_reads_what_is_written(part):
    draw, read = random.Random(f"cells {SEED} {part}"), 0
    for _ in range(EXECUTIONS):
        delimiter = draw.choice(DELIMITERS)
        content, width = table(draw, bytes([delimiter]))
        width = width if draw.random() < 0.97 else draw.randint(1, 5)
        most = draw.choice([1, 2, 3, 1000, 1000, 1000])
        start = 0 if draw.random() < 0.9 else draw.randint(0, len(content))
        expected = split_slowly(content[start:], bytes([delimiter]), width, most)
        assert split(content, start, delimiter, width, most) == expected, (content, start, delimiter, width, most)
        read += expected is not None
    assert read > EXECUTIONS // 4


def test_any_byte_may_be_called_a_delimiter():
    draw = random.Random(f"delimiters {SEED}")
    for delimiter in range(256):
        for _ in range(EXECUTIONS // 2_000):
            content, width = table(draw, bytes([delimiter]))
            found = split(content, 0, delimiter, width, 9)
            assert delimiter in b'\n\r"\0' or found == split_slowly(content, bytes([delimiter]), width, 9), (
                content,
                delimiter,
            )


@pytest.mark.parametrize("length", [2**20 - 1, 2**20, 2**20 + 1, 3_000_000])
def test_a_very_long_cell_makes_a_column_that_others_read(length):
    codes = [0, 1]
    found = split(b"a,b,c\n" + b"x" * length + b",e,f", 0, ord(","), 3, 9)
    assert found[1:] == [(codes, ["b", "e"]), (codes, ["c", "f"])]
    assert found[0] == (None if length > 2**20 else (codes, ["a", "x" * length]))
