"""Exact votes: every weight vector of a run votes, as often as the number of examples that it survived.

    two classes    Σ c_k sign(w_k·x + b_k), sign(0) = +1
    more           each survivor votes for its highest score, the first of equals

A score is a running sum over the log, score_k = score_{k−1} + tau y (x_k·x + 1). So the products of the rows to decide about
with the rows of the log are all that is needed: one matrix product, in blocks, and one pass over each of its rows; no
weight vector is made. Two classes are counted faster on whole numbers (whole_votes.py) and on narrow rows (signs.py).
Freund and Schapire, "Large margin classification using the perceptron algorithm", 1999.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine import order
from rosenblatt.engine.compiled import vote_counter
from rosenblatt.engine.rows import Rows
from rosenblatt.errors import SettingError
from rosenblatt.learning import scoring
from rosenblatt.learning.log import Log, Memory
from rosenblatt.learning.scoring import Scorer, as_rows
from rosenblatt.learning.signs import votes_by_sign
from rosenblatt.learning.whole_votes import votes_on_whole_numbers

VOTING = ("voted", "random")  # views in which all weights of a run have a say
PRODUCT_BYTES = 2**26  # bytes of products at a time
LEAST_ROWS = 16  # that are decided about in a block
TILE_ROWS = 2**11  # rows of the log that are made double at a time


@dataclass(frozen=True)
class Survivors:
    """Who votes: the log as a running sum reads it, and how often each of its weight vectors votes."""

    column: np.ndarray  # of the products, for each update
    gains: np.ndarray  # the vector to which an update adds
    loses: np.ndarray  # and from which it takes; not read with two classes
    steps: np.ndarray  # tau; with two classes tau y
    lived: np.ndarray  # one more than updates: the first weights are there too
    vectors: int

    @classmethod
    def of(cls, log: Log, codes: np.ndarray, vectors: int, first: int, last: int) -> Survivors:
        """The survivors of examples first … last-1; `codes` are the classes of the rows that `log.row` numbers."""
        codes = np.asarray(codes, dtype=np.int32)
        steps = log.tau if vectors > 1 else log.signed(codes)
        return cls(log.row, codes[log.row], log.rival, steps, log.lived(first, last), vectors)

    def __len__(self) -> int:
        return len(self.lived)

    def summed(self, moves: np.ndarray) -> Any:
        """What the first updates come to in each vector, where they add these."""
        if self.vectors == 1:
            return moves.sum()
        first = slice(len(moves))
        return np.bincount(self.gains[first], moves, self.vectors) - np.bincount(self.loses[first], moves, self.vectors)


def count_votes(products: np.ndarray, survivors: Survivors, start: np.ndarray | None = None, constant: float = 1.0) -> Any:
    """(votes, last scores) of rows, from their products with the rows of the log: x·x' or any kernel.

    `start` are the scores of the first weights (rows × vectors, None: 0), `constant` is the bias's part of a product.
    Votes are one column, Σ c sign(score), with two classes, else one a class.

    >>> log = Log(t=np.array([0, 2]), row=np.array([0, 1], np.int32), rival=np.full(2, -1, np.int32), tau=np.ones(2))
    >>> survivors = Survivors.of(log, codes=np.array([1, 0]), vectors=1, first=0, last=10)
    >>> count_votes(np.array([[5.0, 9.0], [-4.0, -1.0]]), survivors)  # 6 lived 2, 6 − 10 lived 8; −3 and −3
    (array([[ -6],
           [-10]]), array([[-4.],
           [-3.]]))
    """
    n, vectors = len(products), survivors.vectors
    scores = np.zeros((n, vectors)) if start is None else np.array(start, dtype=float).reshape(n, vectors)
    votes = np.zeros((n, vectors), dtype=np.int64)
    log = survivors.column, survivors.gains, survivors.loses, survivors.steps, survivors.lived
    counter = vote_counter.VoteCounter(tuple(np.ascontiguousarray(part) for part in log), constant, np.empty(vectors))
    with np.errstate(all="ignore"):  # uncompiled, numpy would warn of what the caller looks at
        counter.count(np.ascontiguousarray(products, dtype=float), scores, votes)
    return votes, scores


@dataclass(frozen=True)
class Voter(Scorer):
    """A classifier by votes, with the verbs of `Model`.

    >>> from rosenblatt.learning.training import train
    >>> run = train([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["yes", "no", "no", "no"], order="given", keep_log=True)
    >>> Voter(run.classes, run.memory()).scores([[2, 2], [-1, 0]])  # 8 examples, two epochs
    array([ 8., -6.])
    """

    classes: np.ndarray
    memory: Memory
    drawn: int | None = None  # a seed: one survivor decides about each row, drawn by how often it would vote

    def scores(self, X: Any) -> np.ndarray:
        """Σ c sign(w·x + b): a number a row for two classes, a column of votes a class for more."""
        memory = self.memory
        rows = as_rows(X, memory.rows.d)
        if memory.last == memory.first:
            raise SettingError("No example has been seen since the log began: there is nobody to vote.")
        rows.refuse_not_finite()
        survivors = Survivors.of(memory.log, memory.codes, memory.vectors, memory.first, memory.last)
        first_scores = None
        if memory.start is not None:
            first_scores = scoring.score(rows, *memory.start.last)
        scores = (self._count if self.drawn is None else self._draw)(rows, survivors, first_scores)
        return scores[:, 0] if memory.vectors == 1 else scores

    def _count(self, rows: Rows, survivors: Survivors, first_scores: np.ndarray | None) -> np.ndarray:
        for count_two in (votes_on_whole_numbers, votes_by_sign):
            votes = count_two(rows, self.memory)
            if votes is not None:
                return votes[:, None].astype(float)
        counted = np.empty((rows.n, survivors.vectors))
        for part, products in blocks_of_products(rows, self.memory.rows):
            begin = None if first_scores is None else first_scores[part]
            votes, scores = count_votes(products, survivors, begin, self._constant)
            refuse_overflow(rows, part, scores)
            counted[part] = votes
        return counted

    def _draw(self, rows: Rows, survivors: Survivors, first_scores: np.ndarray | None) -> np.ndarray:
        """The scores of each row by a survivor of its own."""
        assert self.drawn is not None
        examples = order.random_bits(self.drawn, order.DRAW).random_raw(rows.n) % np.uint64(survivors.lived.sum())
        chosen: Any = np.searchsorted(np.cumsum(survivors.lived), examples.astype(np.int64), side="right")
        scores = np.zeros((rows.n, survivors.vectors)) if first_scores is None else first_scores.copy()
        for part, products in blocks_of_products(rows, self.memory.rows):
            for i, product in zip(range(part.start, part.stop), products, strict=True):
                steps = survivors.steps[: chosen[i]]
                with np.errstate(all="ignore"):  # of overflow, which `refuse_overflow` tells
                    scores[i] += survivors.summed(steps * product[survivors.column[: chosen[i]]])
                    scores[i] += survivors.summed(steps * self._constant)
            refuse_overflow(rows, part, scores[part])
        return scores

    @property
    def by_votes(self) -> bool:  # type: ignore[override]
        """One survivor a row gives scores; all of them give votes."""
        return self.drawn is None

    @property
    def _constant(self) -> float:
        return 1.0 if self.memory.fit_intercept else 0.0


def refuse_overflow(rows: Rows, part: slice, scores: np.ndarray) -> None:
    """A score that once was not finite never becomes so again: the last one tells."""
    bad = np.flatnonzero(~np.isfinite(scores).all(axis=1))
    if len(bad):
        raise rows.blame(part.start + int(bad[0]))


def blocks_of_products(
    rows: Rows, others: Rows, room: int = PRODUCT_BYTES, tile: int = TILE_ROWS
) -> Iterator[tuple[slice, np.ndarray]]:
    """x·x' of `rows` with all `others`, in double, for as many rows at a time as have room in so many bytes.

    The array is overwritten for the next block.
    """
    height = min(rows.n, max(LEAST_ROWS, room // (8 * max(1, others.n))))
    block_of_all = np.empty((height, others.n))
    mine = None if rows.dense else rows.csr().astype(float)
    theirs = None if others.dense else others.csr().astype(float)
    across = None if theirs is None or mine is None else theirs.T.tocsr()
    for start in range(0, rows.n, height):
        part = slice(start, min(start + height, rows.n))
        block = rows.values[part].astype(float, copy=False) if mine is None else mine[part]  # type: ignore[index]
        products = block_of_all[: block.shape[0]]
        with np.errstate(all="ignore"):  # of overflow, which `refuse_overflow` tells
            if across is not None:
                products[...] = (block @ across).toarray()
            elif theirs is not None:
                products[...] = (theirs @ block.T).T
            else:
                assert others.values is not None
                multiply(block, others.values, products, tile)
        yield part, products


def multiply(block: Any, others: np.ndarray, products: np.ndarray, tile: int) -> None:
    """products = block @ others.T, with a tile of `others` in double at a time."""
    for first in range(0, len(others), tile):
        some = others[first : first + tile].astype(float, copy=False).T
        place = products[:, first : first + tile]
        if isinstance(block, np.ndarray):
            np.matmul(block, some, out=place)
        else:
            place[...] = block @ some
