"""Votes of two classes on narrow rows: the signs of w·x + b of all weights of a run, in float32 wherever that decides.

Only the sign of a score counts. With (x, 1) and (w, b) scaled to length 1, float32 products, in whatever order they are
added, are off by at most (d + 3) u / (1 − (d + 1) u), u = 2^−24: two roundings of the factors and d + 1 of the sum, times
Σ |x_i w_i| ≤ 1. What is nearer to 0 than that, one score in a thousand for some hundred columns, is made again in double.

Weights are a running sum over the log, some hundred at a time, with the bits that training had.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rosenblatt.engine.compiled import vote_counter
from rosenblatt.engine.rows import Rows
from rosenblatt.learning.log import Memory

WEIGHTS = 256  # weight vectors that are scored at a time, if there is room
ROOM = 2**26  # bytes for the rows that are scored at a time and their scores, and again for the weights
MOST_COLUMNS = 2**20  # with fewer (d + 1) u < 1/15, and 1.1 (d + 8) u is more than the bound
SPARSE_PRODUCT, SURVIVOR = 1500, 420  # float32 multiplications in the time of a product of sparse rows, and of a vote on it
SMALL, LARGE = 1e-100, 1e100  # lengths between which nothing overflows and a square is not lost


def votes_by_sign(rows: Rows, memory: Memory, weights: int = WEIGHTS, room: int = ROOM) -> np.ndarray | None:
    """Σ c_k sign(w_k·x + b_k) of every row; None where this is not the way: more classes, wide rows, numbers too large.

    So many weight vectors are scored at a time, and so many bytes are used for rows and scores, and again for weights.
    """
    if memory.vectors > 1 or rows.d >= MOST_COLUMNS or not ((rows.dense and memory.rows.dense) or narrow(memory)):
        return None
    if not memory.rows.dense:
        memory = replace(memory, rows=Rows(memory.rows.csr().toarray()))
    if not moderate(memory):
        return None
    given = rows.matrix()
    height = max(1, room // (12 * (rows.d + 1) + 16 * weights))
    total = np.empty(rows.n, dtype=np.int64)
    for start in range(0, rows.n, height):
        block = given[start : start + height]
        X = np.ascontiguousarray(block if rows.dense else block.toarray(), dtype=float)
        votes = count_block(X, memory, max(1, min(weights, room // (12 * (rows.d + 1)))))
        if votes is None:
            return None
        total[start : start + height] = votes
    return total


def narrow(memory: Memory) -> bool:
    """Are dense products with all weights cheaper than sparse ones with the rows of the log, and is there room?"""
    survivors, d, n = len(memory.log) + 1, int(memory.rows.d), int(memory.rows.n)
    return 2 * d * survivors < SPARSE_PRODUCT * n + SURVIVOR * survivors and 8 * d * n < 4 * ROOM


def moderate(memory: Memory) -> bool:
    """Do no weights of the run come near to an overflow?"""
    values = memory.rows.values
    assert values is not None
    at_start = 0.0 if memory.start is None else max(float(np.abs(part).max(initial=0)) for part in memory.start.last)
    with np.errstate(over="ignore"):
        most = at_start + float(memory.log.tau.sum()) * max(1.0, float(np.abs(values).max(initial=0)))
    return most < LARGE


def count_block(X: np.ndarray, memory: Memory, weights: int) -> np.ndarray | None:
    """The votes on these rows; None where one is too large."""
    n, d = X.shape
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", X, X) + 1)
    if not lengths.max(initial=0) < LARGE:
        return None
    scaled = unit_rows(X, np.ones(n), lengths)
    signs = vote_counter.SignCounter(X, 1.1 * (d + 8) * 2.0**-24)
    votes = np.zeros(n, dtype=np.int64)
    decides = True  # does float32? Not where many scores are 0, as with few columns of whole numbers
    for W, lived in weights_of(memory, weights):
        if decides:
            scores = scaled @ unit_rows(W[:, :d], W[:, d], np.sqrt(np.einsum("ij,ij->i", W, W))).T
            decides = signs.count(scores, W, lived, votes, patience=scores.size // 32)
        if not decides:
            exact = X @ W[:, :d].T + W[:, d]
            signs.count(np.where(exact >= 0, np.float32(1), np.float32(-1)), W, lived, votes, patience=0)
    return votes


def weights_of(memory: Memory, many: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(w, b) of every survivor, a row each, and for how many examples it lived; so many at a time."""
    log, values, lived, d = memory.log, memory.rows.values, memory.lived, memory.rows.d
    assert values is not None
    steps = log.signed(memory.codes)
    present = np.zeros(d + 1) if memory.start is None else np.append(*memory.start.last)
    for first in range(0, len(lived), many):
        W = np.zeros((min(many, len(lived) - first), d + 1))
        updates = slice(max(first, 1) - 1, first + len(W) - 1)  # update k makes weights k + 1
        moves = W[first == 0 :]
        np.multiply(values[log.row[updates]], steps[updates, None], out=moves[:, :d])
        if memory.fit_intercept:
            moves[:, d] = steps[updates]
        W[0] += present
        np.cumsum(W, axis=0, out=W)
        present = W[-1]
        yield W, lived[first : first + len(W)]


def unit_rows(X: np.ndarray, last: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Rows of X, each with one more column, divided by their lengths, as float32; what has no length stays 0."""
    factors = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > SMALL)
    scaled = np.empty((len(X), X.shape[1] + 1), dtype=np.float32)
    np.multiply(X, factors[:, None], out=scaled[:, :-1], casting="same_kind")
    np.multiply(last, factors, out=scaled[:, -1], casting="same_kind")
    return scaled
