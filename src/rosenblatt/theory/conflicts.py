"""Rows that are identical but labelled differently: the shortest proof that no function of the row separates the classes."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.theory.signed import row_blocks

MIX = np.uint64(0x9E3779B97F4A7C15)


def conflicting_pairs(rows: Rows, codes: np.ndarray) -> list[tuple[int, int]]:
    """Pairs (i, j), i < j, of identical rows with different classes: the first of them with the first of each further class.

    >>> conflicting_pairs(Rows([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [1.0, 2.0]]), np.array([0, 1, 1, 1]))
    [(0, 2)]
    """
    marks = fingerprints(rows)
    order = np.lexsort((np.arange(rows.n), codes, marks))
    other_row = np.diff(marks[order], prepend=marks[order][:1] + np.uint64(1)) != 0
    first_of_class = other_row | (np.diff(codes[order], prepend=-1) != 0)
    heads, group = order[first_of_class], np.cumsum(other_row)[first_of_class]
    members: dict[int, list[int]] = {}
    for place in np.flatnonzero(np.bincount(group)[group] > 1):
        members.setdefault(int(group[place]), []).append(int(heads[place]))
    pairs = [(min(same), row) for same in members.values() for row in same if row != min(same)]
    return sorted(pair for pair in pairs if identical(rows, *pair))


def identical(rows: Rows, i: int, j: int) -> bool:
    """Do two rows hold the same numbers? A zero that is stored is a zero that is not."""
    (a, x), (b, y) = rows.row(i), rows.row(j)
    x_nonzero, y_nonzero = np.flatnonzero(x), np.flatnonzero(y)
    return np.array_equal(a[x_nonzero], b[y_nonzero]) and np.array_equal(x[x_nonzero], y[y_nonzero])


def fingerprints(rows: Rows) -> np.ndarray:
    """A 64-bit number a row that is the same for identical rows, and almost surely differs for others."""
    random = np.random.default_rng(1958)
    keys = random.integers(1, 2**63, (rows.d,), dtype=np.uint64) | np.uint64(1)
    marks = np.zeros(rows.n, dtype=np.uint64)
    for columns, values, start, stop in row_blocks(rows):
        bits = (np.ascontiguousarray(values) + 0.0).view(np.uint64)  # + 0.0: minus zero is zero
        mixed = (bits ^ (bits >> np.uint64(29))) * MIX
        mixed ^= mixed >> np.uint64(32)
        if columns is None:
            marks[start:stop] = (mixed * keys).sum(axis=1, dtype=np.uint64)
            continue
        terms = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed * keys[columns], dtype=np.uint64)])
        ends = np.arange(stop - start + 1) * rows.width if rows.indptr is None else rows.indptr[start : stop + 1]
        ends = ends - ends[0]
        marks[start:stop] = terms[ends[1:]] - terms[ends[:-1]]
    return marks
