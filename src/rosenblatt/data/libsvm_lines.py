"""The lines of libsvm files as arrays: `label index:value index:value … # comment`.

Lines are read in chunks of a megabyte, straight into the arrays of the result, so memory stays near its size. The plain
lines go through the compiled `_libsvm.parse` (or `libsvm_plain.parse`, where there was no compiler); a line that is not
plain goes through `parse_line`, which writes the error messages.

Indices count from 1 unless an index 0 occurs. `qid:` is skipped. Columns out of order are sorted, repeated ones refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from typing import IO

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.read_options import BufferSizes, ReadOptions
from rosenblatt.data.source import refuse_long
from rosenblatt.errors import FileError

parse: Callable[..., tuple[int, int, int, int, int, bool]]
try:
    parse = import_module("rosenblatt.data._libsvm").parse
except ImportError:  # built without a compiler
    parse = import_module("rosenblatt.data.libsvm_plain").parse

INDEX_ZERO = re.compile(rb"^[^#\n]*[ \t]0+:", re.MULTILINE)
LARGEST_INDEX = 2**31 - 1
USUAL_SIZES = BufferSizes()


@dataclass
class Lines:
    """Rows of consecutive lines: row i has the entries from ends[i-1] to ends[i]."""

    labels: np.ndarray  # float64
    ends: np.ndarray  # int64
    indices: np.ndarray  # int32, as in the file
    values: np.ndarray  # float64
    smallest: int = LARGEST_INDEX + 1  # index in the file
    line: int = 1  # number of the first line

    def first(self, rows: int) -> Lines:
        cut = int(self.ends[rows - 1]) if rows else 0
        return Lines(self.labels[:rows], self.ends[:rows], self.indices[:cut], self.values[:cut], self.smallest, self.line)

    def after(self, rows: int) -> Lines:
        cut = int(self.ends[rows - 1]) if rows else 0
        ends = self.ends[rows:] - cut
        return Lines(self.labels[rows:], ends, self.indices[cut:], self.values[cut:], self.smallest, self.line)


def parse_line(line: bytes, name: str, number: int) -> tuple[float, list[int], list[float]] | None:
    """Label, indices and values of one line, with care; None for a line without content.

    >>> parse_line(b"+1 qid:7 3:0.5 4:1e-2 # from Monday", "a.libsvm", 1)
    (1.0, [3, 4], [0.5, 0.01])
    """
    tokens = line.split(b"#", 1)[0].split()
    if not tokens:
        return None
    label = _number(tokens[0])
    if label is None:
        remedy = "write one number a line, classes as 0, 1, 2" if b":" not in tokens[0] else "start the line with its label"
        raise FileError(f"the label {_show(tokens[0])} is not a finite number: {remedy}.", path=name, line=number)
    indices: list[int] = []
    values: list[float] = []
    for token in tokens[1:]:
        index, colon, value = token.partition(b":")
        if index == b"qid" and colon and not indices:
            continue
        if not colon:
            raise FileError(f"{_show(token)} is not index:value.", path=name, line=number)
        if not index.isdigit():
            negative = index[:1] == b"-" and index[1:].isdigit()
            what = "is negative: indices start at 0 or 1" if negative else "is not a whole number"
            raise FileError(f"the index of {_show(token)} {what}.", path=name, line=number, column=_text(index))
        index = index.lstrip(b"0") or b"0"
        if len(index) > 10 or int(index) > LARGEST_INDEX:
            what = f"the index of {_show(token)} is beyond {LARGEST_INDEX:,}: hash or renumber the features."
            raise FileError(what, path=name, line=number, column=_text(index))
        x = _number(value)
        if x is None:
            what = f"the value of {_show(token)} is not a finite number: leave the entry out or fill it in."
            raise FileError(what, path=name, line=number, column=int(index))
        indices.append(int(index))
        values.append(x)
    return label, indices, values


def _number(text: bytes) -> float | None:
    if b"_" in text:  # Python's float() reads 1_000 as a thousand; files do not mean that
        return None
    try:
        x = float(text)
    except ValueError:
        return None
    return x if isfinite(x) else None


def _text(token: bytes) -> str:
    text = token.decode("utf-8", "replace")
    return text if len(text) <= 40 else text[:37] + "..."


def _show(token: bytes) -> str:
    return repr(_text(token))


def chunks(stream: IO[bytes], name: str, sizes: BufferSizes) -> Iterator[Lines]:
    """The rows of a stream, about so many bytes of text at a time. The arrays are reused: copy before the next."""
    size, rest, line = sizes.libsvm_chunk, b"", 1
    labels = ends = indices = values = np.empty(0)
    while True:
        data = stream.read(size)
        last = not data
        if last and not rest:
            return
        data = rest + data + (b"\n" if last and not rest.endswith(b"\n") else b"")
        cut = data.rfind(b"\n") + 1
        if not cut:
            refuse_long(len(data), sizes.longest_line, "line", name, line)
            rest, size = data, 2 * size  # one line longer than a chunk
            continue
        rest, text = (b"", data) if cut == len(data) else (data[cut:], data[:cut])
        # The shortest row is two bytes long, the shortest entry four.
        if len(labels) < len(text) // 2 + 1:
            labels, ends = np.empty(len(text) // 2 + 1), np.empty(len(text) // 2 + 1, dtype=np.int64)
            indices, values = np.empty(len(text) // 4 + 1, dtype=np.int32), np.empty(len(text) // 4 + 1)
        yield _parse_lines(text, Lines(labels, ends, indices, values, line=line), name)
        line += text.count(b"\n")


def _parse_lines(text: bytes, buffer: Lines, name: str) -> Lines:
    """The rows of whole lines, written into the arrays of `buffer`."""
    rows = entries = at = 0
    smallest, in_order = buffer.smallest, True
    while at < len(text):
        new_rows, new_entries, at, low, _, sorted_ = parse(
            text, at, buffer.labels[rows:], buffer.ends[rows:], buffer.indices[entries:], buffer.values[entries:]
        )
        buffer.ends[rows : rows + new_rows] += entries
        rows, entries = rows + new_rows, entries + new_entries
        smallest, in_order = min(smallest, low), in_order and sorted_
        if at < len(text):
            end = text.index(b"\n", at)
            row = parse_line(text[at:end], name, buffer.line + text.count(b"\n", 0, at))
            if row is not None:
                label, columns, x = row
                buffer.labels[rows] = label
                buffer.indices[entries : entries + len(columns)] = columns
                buffer.values[entries : entries + len(x)] = x
                entries += len(columns)
                buffer.ends[rows] = entries
                rows += 1
                smallest, in_order = min([smallest, *columns]), False
            at = end + 1
    lines = Lines(buffer.labels, buffer.ends, buffer.indices, buffer.values, smallest, buffer.line).first(rows)
    if not in_order:
        _sort(lines, text, name)
    return lines


def _sort(lines: Lines, text: bytes, name: str) -> None:
    """Sorts the columns of every row, in place; a column that occurs twice is refused."""
    rows = np.repeat(np.arange(len(lines.ends)), np.diff(lines.ends, prepend=0))
    order = np.lexsort((lines.indices, rows))
    lines.indices[:] = lines.indices[order]
    lines.values[:] = lines.values[order]
    twice = np.flatnonzero((lines.indices[1:] == lines.indices[:-1]) & (rows[1:] == rows[:-1]))
    if len(twice):
        row, index = int(rows[twice[0]]), int(lines.indices[twice[0]])
        full = [i for i, line in enumerate(text.split(b"\n")) if line.split(b"#", 1)[0].split()]
        what = f"index {index} occurs twice: keep one of the two entries."
        raise FileError(what, path=name, line=lines.line + full[row], column=index)


class _Growing:
    """An array that grows in place, a quarter at a time, and gives back what it did not need."""

    def __init__(self, dtype: type[np.number]):
        self.array, self.size = np.empty(0, dtype), 0

    def add(self, part: np.ndarray, expected: float) -> None:
        """Appends; `expected` is the final size, as far as it is known."""
        end = self.size + len(part)
        if end > len(self.array):
            self.array.resize(max(end + end // 4, int(expected)), refcheck=False)
        self.array[self.size : end] = part
        self.size = end

    def done(self) -> np.ndarray:
        self.array.resize(self.size, refcheck=False)
        return self.array


def gather(parts: Iterable[Lines], expected_parts: float = 0) -> Lines:
    """All parts as one; a good guess of their number saves copying."""
    labels, ends, indices, values = (_Growing(t) for t in (np.float64, np.int64, np.int32, np.float64))
    smallest, line = LARGEST_INDEX + 1, 1
    for number, part in enumerate(parts):
        line = line if number else part.line
        # The first chunk shows how much the others will need.
        factor = 0 if number else 1.02 * expected_parts
        ends.add(part.ends + indices.size, len(part.ends) * factor)
        labels.add(part.labels, len(part.labels) * factor)
        indices.add(part.indices, len(part.indices) * factor)
        values.add(part.values, len(part.values) * factor)
        smallest = min(smallest, part.smallest)
    return Lines(labels.done(), ends.done(), indices.done(), values.done(), smallest, line)


def to_dataset(lines: Lines, zero_based: bool, n_features: int | None, name: str) -> Dataset:
    """Rows as CSR, and labels: integers where all of them are."""
    if not zero_based:
        if lines.smallest == 0:
            what = "index 0 occurs, but indices were to start at 1: pass zero_based=True."
            raise FileError(what, path=name, column=0)
        np.subtract(lines.indices, 1, out=lines.indices)
    width = int(lines.indices.max()) + 1 if len(lines.indices) else 0
    if n_features is not None and width > n_features:
        what = f"index {width - zero_based} occurs, but n_features is {n_features}: raise it to {width} or more."
        raise FileError(what, path=name, column=width - zero_based)
    entries = len(lines.indices)
    indptr = np.zeros(len(lines.ends) + 1, dtype=np.int32 if entries < 2**31 else np.int64)
    indptr[1:] = lines.ends
    shape = (len(lines.labels), width if n_features is None else n_features)
    X = sp.csr_matrix((lines.values, lines.indices, indptr), shape=shape, copy=False)
    labels = lines.labels
    if np.all(np.abs(labels) < 2**53) and np.array_equal(labels, np.rint(labels)):
        labels = labels.astype(np.int64)
    return Dataset("sparse", X, labels, name, zero_based)


def read_libsvm(stream: IO[bytes], name: str, options: ReadOptions, size: int | None = None) -> Dataset:
    """Rows and labels of a libsvm stream; its size in bytes, where it is known, saves copying.

    >>> import io
    >>> tiny = read_libsvm(io.BytesIO(b"+1 1:2 3:0.5\\n-1 2:1"), "tiny", ReadOptions())
    >>> tiny.rows.toarray(), tiny.labels, tiny.zero_based
    (array([[2. , 0. , 0.5],
           [0. , 1. , 0. ]]), array([ 1, -1]), False)
    """
    expected_chunks = max(size / options.sizes.libsvm_chunk, 1) if size else 0
    lines = gather(chunks(stream, name, options.sizes), expected_chunks)
    if not len(lines.labels):
        raise _no_examples(name)
    zero_based = bool(lines.smallest == 0) if options.zero_based is None else options.zero_based
    return to_dataset(lines, zero_based, options.n_features, name)


def libsvm_batches(stream: IO[bytes], name: str, rows: int, options: ReadOptions) -> Iterator[Dataset]:
    """Batches of `rows` of a libsvm stream. Indices count from 1 unless an index 0 occurs before the first batch is full.

    >>> import io
    >>> [len(part) for part in libsvm_batches(io.BytesIO(b"1 1:1\\n" * 5), "tiny", 2, ReadOptions())]
    [2, 2, 1]
    """
    zero_based, count = options.zero_based, 0
    held: list[Lines] = []
    empty = True
    for part in chunks(stream, name, options.sizes):
        held.append(gather([part]))  # a copy
        count += len(part.labels)
        while count >= rows:
            joined = gather(held)
            zero_based = bool(joined.smallest == 0) if zero_based is None else zero_based
            rest = gather([joined.after(rows)])
            yield to_dataset(joined.first(rows), zero_based, options.n_features, name)
            empty = False
            held, count = [rest], count - rows
    if count:
        joined = gather(held)
        zero_based = bool(joined.smallest == 0) if zero_based is None else zero_based
        yield to_dataset(joined, zero_based, options.n_features, name)
    elif empty:
        raise _no_examples(name)


def _no_examples(name: str) -> FileError:
    return FileError("no line holds an example: expected lines such as '1 3:0.5 7:1'.", path=name)


def has_index_zero(stream: IO[bytes], name: str = "", sizes: BufferSizes = USUAL_SIZES) -> bool:
    """Does an index 0 occur? A search for its text, many times faster than reading.

    >>> import io
    >>> has_index_zero(io.BytesIO(b"1 1:1 0:1")), has_index_zero(io.BytesIO(b"1 1:1 # not 0:1"))
    (True, False)
    """
    rest = b""
    while data := stream.read(sizes.libsvm_chunk):
        text = rest + data
        if (b" 0" in text or b"\t0" in text) and INDEX_ZERO.search(text):
            return True
        rest = text[text.rfind(b"\n") + 1 :]
        refuse_long(len(rest), sizes.longest_line, "line", name)
    return False
