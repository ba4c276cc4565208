"""What is asked of the entries of sparse rows before and beside the loop, in numpy; `_entries` has the same functions in C.

Rows but for those of `check` have been checked. The tests compare the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rosenblatt.engine.rows import Rows


def check(rows: Rows, increasing: bool, part: bool = False) -> tuple[int, int, int]:
    """What is wrong with sparse rows, and where: (verdict, row, entry); `increasing` asks whether columns are, too.

    Rows that are a `part` of others need not begin with the first entry, and where they are wrong is not said.
    """
    assert rows.indices is not None
    fine, unsorted, bad_indptr, bad_index = range(4)  # as in entries.h
    indptr = np.arange(rows.n + 1) * rows.width if rows.indptr is None else rows.indptr.astype(np.int64)
    verdict, before = fine, int(indptr[0]) if part and indptr[0] >= 0 else 0
    for i in range(rows.n):
        start, end = int(indptr[i]), int(indptr[i + 1])
        if start != before or end < start or end > rows.entries:
            return bad_indptr, i, 0
        before = end
    for i in range(rows.n):
        start, end = int(indptr[i]), int(indptr[i + 1])
        columns = rows.indices[start:end].astype(np.int64)
        bad = np.flatnonzero((columns < 0) | (columns >= rows.d))
        if len(bad):
            return bad_index, i, start + int(bad[0])
        if increasing and (np.diff(columns) <= 0).any():
            verdict = unsorted
    return verdict, max(rows.n - 1, 0), 0


def mark_repeats(rows: Rows, repeats: np.ndarray) -> int:
    """Marks the rows that name a column twice; how many there are."""
    for i in range(rows.n):
        columns = rows.row(i)[0]
        repeats[i] = len(np.unique(columns)) < len(columns)
    return int(repeats.sum())


def list_columns(rows: Rows) -> np.ndarray:
    """The columns that rows name, each once and in order."""
    assert rows.indices is not None
    named = rows.indices[: rows.entries if rows.indptr is None else rows.indptr[-1]]
    return np.unique(named).astype(np.int64)


def copy_cells(cells: np.ndarray, columns: np.ndarray | None = None, copy: np.ndarray | None = None) -> tuple[float, float]:
    """Copies the cells (columns × parts × vectors) of these columns or all; Σ of the first part's squares, Σ of the rest.

    Both are four sums, of every fourth column each, that are added up in the end.

    >>> cells, copy = np.arange(12.0).reshape(3, 2, 2), np.empty((2, 2, 2))
    >>> copy_cells(cells, np.array([0, 2]), copy), copy.ravel()
    ((146.0, 26.0), array([ 0.,  1.,  2.,  3.,  8.,  9., 10., 11.]))
    """
    chosen = cells if columns is None else cells[columns]
    if copy is not None:
        copy[...] = chosen
    with np.errstate(over="ignore", invalid="ignore"):  # of weights on their way to overflow
        return in_four_sums(chosen[:, 0] ** 2), in_four_sums(chosen[:, 1:])


def in_four_sums(numbers: np.ndarray) -> float:
    """Σ of what all columns have, one after the other, every fourth column in a sum of its own."""
    sums = [float(np.cumsum(np.append(0.0, numbers[lane::4]))[-1]) for lane in range(4)]
    return (sums[0] + sums[2]) + (sums[1] + sums[3])


def count_by_class(rows: Rows, codes: np.ndarray, counts: np.ndarray) -> None:
    """Adds to `counts`, classes × columns, in how many rows of each class a column is not 0."""
    for i in range(rows.n):
        columns, x = rows.row(i)
        np.add.at(counts[codes[i]], columns, x != 0)


def sum_by_column(rows: Rows, start: int, stop: int, sums: np.ndarray) -> None:
    """Adds entries start … stop-1, one after the other, to the sums of their columns."""
    assert rows.indices is not None
    np.add.at(sums, rows.indices[start:stop], 1.0 if rows.values is None else rows.values[start:stop])


def pack(columns: np.ndarray, values: np.ndarray | None, lengths: np.ndarray) -> int:
    """Moves the entries of rows to the front of these arrays, without those of column −1; how many there are.

    >>> columns, lengths = np.array([[4, -1], [2, 3]], dtype="int32"), np.zeros(2, dtype="int64")
    >>> end = pack(columns, None, lengths)
    >>> columns.ravel()[:end], lengths
    (array([4, 2, 3], dtype=int32), array([1, 2]))
    """
    chosen = columns >= 0
    lengths[:] = chosen.sum(axis=1)
    end = int(chosen.sum())
    for array in (columns, values):
        if array is not None:
            array.reshape(-1)[:end] = array[chosen]
    return end
