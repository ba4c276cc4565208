"""The reader of libsvm lines without a compiler: whole chunks at a time, with numpy, and polars for the numbers.

`parse` has the arguments and the result of the compiled `_libsvm.parse`. It reads a chunk only if every line of it is
plain; otherwise it leaves the first line to libsvm_lines.parse_line and continues after it.
"""

from __future__ import annotations

import re

import numpy as np

NEWLINE, COLON, BLANK = b"\n: "
COMMENT = re.compile(rb"#[^\n]*")
QID = re.compile(rb"^([ \t]*[^\s:]+[ \t]+)qid:\d+(?=\s)", re.MULTILINE)  # behind the label only
TO_LINES = bytes.maketrans(b": \t\r", b"\n" * 4)  # a number a line
PLAIN = np.zeros(256, dtype=bool)
PLAIN[list(b"0123456789+-.eE: \t\r\n")] = True


def parse(
    data: bytes, start: int, labels: np.ndarray, ends: np.ndarray, indices: np.ndarray, values: np.ndarray
) -> tuple[int, int, int, int, int, bool]:
    """Reads lines of data from byte `start` on, as far as they are plain, into the four arrays.

    >>> labels, ends, indices, values = np.empty(2), np.empty(2, int), np.empty(3, np.int32), np.empty(3)
    >>> parse(b"1 3:0.5 4:2\\n-1 3:1\\n", 0, labels, ends, indices, values)
    (2, 3, 19, 3, 4, True)
    >>> labels, ends, indices
    (array([ 1., -1.]), array([2, 3]), array([3, 4, 3], dtype=int32))
    """
    pieces, at, rows, entries = 1, start, 0, 0
    smallest, largest, in_order = 2**63 - 1, -1, True
    while at < len(data):
        # Halve what is tried until it is plain: the lines before an odd one are read at full speed.
        end = len(data) if pieces == 1 else data.find(b"\n", at + (len(data) - at) // pieces) + 1
        arrays = _plain(data[at:end])
        if arrays is None:
            if data.find(b"\n", at) + 1 == end:
                break
            pieces *= 2
            continue
        y, counts, columns, x = arrays
        labels[rows : rows + len(y)] = y
        ends[rows : rows + len(y)] = entries + np.cumsum(counts)
        indices[entries : entries + len(x)] = columns
        values[entries : entries + len(x)] = x
        if len(x):
            same_row = np.ones(len(x), dtype=bool)
            starts = (np.cumsum(counts) - counts)[counts > 0]
            same_row[starts] = False
            smallest, largest = min(smallest, int(columns.min())), max(largest, int(columns.max()))
            in_order = in_order and bool(np.all(columns[1:][same_row[1:]] > columns[:-1][same_row[1:]]))
        rows, entries, at = rows + len(y), entries + len(x), end
    return rows, entries, at, smallest, largest, in_order


def _plain(text: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """Labels, entries per row, indices and values of whole lines; None if any line is not plain."""
    import polars as pl

    if b"#" in text:
        text = COMMENT.sub(b"", text)
    if b"qid:" in text:
        text = QID.sub(rb"\1", text)
    byte = np.frombuffer(text, dtype=np.uint8)
    if not PLAIN[byte].all():
        return None
    between = (byte <= BLANK) | (byte == COLON)
    begins = ~between
    begins[1:] &= between[:-1]
    token = np.flatnonzero(begins)  # where each token starts
    line = np.cumsum(byte == NEWLINE)[token]
    head = np.ones(len(token), dtype=bool)  # the first of its line: a label
    head[1:] = line[1:] != line[:-1]
    body = token[~head]
    if len(body) % 2 or np.count_nonzero(byte == COLON) * 2 != len(body):
        return None
    index, value = body[::2], body[1::2]
    # Blank before every index, colon before every value, nothing but digits between them.
    if (byte[index - 1] == COLON).any() or (byte[value - 1] != COLON).any() or between[value - 2].any():
        return None
    counts = np.bincount(line[~head], minlength=int(line[-1]) + 1 if len(line) else 0)[line[head]]
    if counts.sum() != len(body) or (counts % 2).any():
        return None
    not_digits = np.cumsum((byte < ord("0")) | (byte > ord("9")))
    if (not_digits[value - 2] != not_digits[index - 1]).any():
        return None
    try:
        column = pl.read_csv(text.translate(TO_LINES), has_header=False, quote_char=None, schema={"number": pl.Float64})
    except pl.exceptions.PolarsError:
        return None
    numbers = column["number"].drop_nulls().to_numpy()  # nulls are where two separators meet
    if len(numbers) != len(token):
        return None
    y, x, columns = numbers[head], numbers[~head][1::2], numbers[~head][::2]
    if not (np.isfinite(y).all() and np.isfinite(x).all() and (columns < 2**31).all()):
        return None
    return y, counts // 2, columns.astype(np.int64), x
