"""Votes of two classes on rows of whole numbers: running sums in float32, which adds such numbers without rounding.

    score_k = score_{k−1} + tau y (x_k·x + 1)

Where no number in it can reach 2^24, float32 holds every one exactly, in whatever order products are added. So no score
is in doubt, and a step of the running sum is taken for hundreds of rows at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compiled import vote_counter
from rosenblatt.engine.rows import Rows
from rosenblatt.learning import scoring
from rosenblatt.learning.log import Memory

WHOLE = 2**24  # whole numbers below this are exact in float32
ROWS = 256  # that are voted on at a time
MOST_COLUMNS = 2**15  # of so many rows, made dense
PRODUCT_BYTES = 2**27  # of so many rows with those of the log
MOST_VOTES = 2**31  # are counted in 32 bits


def votes_on_whole_numbers(rows: Rows, memory: Memory, at_once: int = ROWS) -> np.ndarray | None:
    """Σ c_k sign(w_k·x + b_k) of every row, exactly; None where this is not the way: more classes, fractions, wide rows."""
    too_large = 4 * at_once * memory.rows.n > PRODUCT_BYTES or memory.last - memory.first >= MOST_VOTES
    if memory.vectors > 1 or rows.d > MOST_COLUMNS or too_large:
        return None
    first_scores = np.zeros(rows.n) if memory.start is None else scoring.score(rows, *memory.start.last)[:, 0]
    if not stays_exact(rows, memory, first_scores):
        return None
    log, constant = memory.log, np.float32(memory.fit_intercept)
    steps, lived = log.signed(memory.codes).astype(np.float32), memory.lived.astype(np.int32)
    counter = vote_counter.WholeVoteCounter(log.row, steps, lived)
    theirs, mine = memory.rows.matrix().astype(np.float32, copy=False), rows.matrix()
    votes = np.empty(rows.n, dtype=np.int32)
    for start in range(0, rows.n, at_once):
        part = slice(start, start + at_once)
        block = mine[part] if rows.dense else mine[part].toarray()
        products = np.ascontiguousarray(theirs @ np.ascontiguousarray(block.T, dtype=np.float32))
        products += constant
        counter.count(products, first_scores[part].astype(np.float32), votes[part])
    return votes.astype(np.int64)


def stays_exact(rows: Rows, memory: Memory, first_scores: np.ndarray) -> bool:
    """Are all numbers whole, and can none reach 2^24 on the way?"""
    start = () if memory.start is None else memory.start.last
    if not all(map(is_whole, (rows.values, memory.rows.values, memory.log.tau, *start))):
        return False
    with np.errstate(over="ignore"):
        product = largest(memory.rows.values) * longest(rows) + 1
        return bool(largest(first_scores, 0) + product * float(np.abs(memory.log.tau).sum()) < WHOLE)


def is_whole(values: np.ndarray | None) -> bool:
    """None: all are 1."""
    return values is None or bool((values == np.rint(values)).all())


def largest(values: np.ndarray | None, if_none: float = 1.0) -> float:
    """The largest |value|."""
    return if_none if values is None else float(np.abs(values).max(initial=0))


def longest(rows: Rows) -> float:
    """The largest Σ |x_j| of a row."""
    matrix: Any = rows.matrix()
    return float(np.asarray(abs(matrix).sum(axis=1)).max(initial=0))
