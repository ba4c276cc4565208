"""The log of updates: (t, i, rival, tau) of every change, the dual solution.

Whatever the weights are, they are a sum over the log: w = Σ tau y x for two classes; with more, class y gains tau x and
the rival loses it. `tau` is what the loop moved by: rate, sample and class weights are in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.engine.rows import OneHot, Rows, join
from rosenblatt.engine.weights import SETTLE_EVERY, Weights
from rosenblatt.errors import SettingError


@dataclass
class Log:
    """Updates in the order in which they happened, 24 bytes each."""

    t: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # examples seen before
    row: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    rival: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))  # -1 with two classes
    tau: np.ndarray = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.t)

    def dual(self, y: np.ndarray, vectors: int = 1, factors: np.ndarray | float = 1.0) -> np.ndarray:
        """How often each row was added to each vector: w = dual @ X (vectors × rows). `y` are class codes.

        With `factors`, one an update, a sum over the run in place of the last weights: see `Memory.dual`.
        """
        coefficients, tau = np.zeros((vectors, len(y))), self.tau * factors
        if vectors == 1:
            np.add.at(coefficients[0], self.row, self.signed(y) * factors)
        else:
            np.add.at(coefficients, (y[self.row], self.row), tau)
            np.add.at(coefficients, (self.rival, self.row), -tau)
        return coefficients

    def signed(self, y: np.ndarray) -> np.ndarray:
        """With two classes, what each update adds of its row: tau for class 1, else −tau."""
        return np.where(y[self.row] == 1, self.tau, -self.tau)

    def until(self, t: int) -> Log:
        """The updates of the first t examples."""
        k = int(np.searchsorted(self.t, t))
        return self if k == len(self) else Log(self.t[:k], self.row[:k], self.rival[:k], self.tau[:k])

    def lived(self, first: int, last: int) -> np.ndarray:
        """How many of the examples first … last-1 the weights before the first update, and after each, survived.

        The example that made them is included, so that the sum is the number of examples.

        >>> Log(t=np.array([0, 2, 3])).lived(first=0, last=10)
        array([0, 2, 1, 7])
        """
        return np.diff(self.t, prepend=first, append=last)


class Recorder:
    """Room for the log of one chunk, and the chunks before it."""

    def __init__(self, chunk: int):
        self.buffers = (np.empty(chunk, np.int64), np.empty(chunk, np.int32), np.empty(chunk, np.int32), np.empty(chunk))
        self.chunks: list[tuple[np.ndarray, ...]] = []

    def record(self, logged: int) -> None:
        """Copies what the loop has written."""
        if logged:
            self.chunks.append(tuple(buffer[:logged].copy() for buffer in self.buffers))

    def log(self) -> Log:
        return Log(*(np.concatenate(parts) for parts in zip(*self.chunks, strict=True))) if self.chunks else Log()


@dataclass
class Memory:
    """A run by itself: the log, a copy of the rows that it refers to, where it began and how many examples it saw.

    >>> X = np.array([[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]])
    >>> log = Log(np.array([0, 1]), np.array([3, 1], np.int32), np.full(2, -1, np.int32), np.ones(2))
    >>> memory = Memory.of(log, Rows(X), codes=np.array([1, 0, 0, 0]), vectors=1, last=4)
    >>> memory.numbers, memory.log.row
    (array([1, 3]), array([1, 0], dtype=int32))
    >>> memory.replay(1).last, memory.replay().last
    ((array([[ 1., -1.]]), array([-1.])), (array([[0.5, 0. ]]), array([-2.])))
    """

    log: Log  # `row` is a place among `rows`
    rows: Rows
    codes: np.ndarray  # the class of each of them
    numbers: np.ndarray  # and its number in the data that were learned from
    vectors: int
    last: int  # examples seen in all
    start: Weights | None = None  # None: 0, and no examples seen
    fit_intercept: bool = True
    settle_every: int = SETTLE_EVERY  # examples after which training settled its sums

    @classmethod
    def of(
        cls,
        log: Log,
        rows: Rows,
        codes: np.ndarray,
        vectors: int,
        last: int,
        start: Weights | None = None,
        fit_intercept: bool = True,
    ) -> Memory:
        """The memory of a run over these rows: those that never moved the weights are left out."""
        numbers, places = np.unique(log.row, return_inverse=True)
        own = replace(log, row=places.astype(np.int32))
        kept = np.asarray(codes, dtype=np.int32)[numbers]
        return cls(own, rows.take(numbers), kept, numbers.astype(np.int64), vectors, last, start, fit_intercept)

    @property
    def first(self) -> int:
        """Examples seen before the log begins."""
        return 0 if self.start is None else self.start.t

    @property
    def lived(self) -> np.ndarray:
        """For how many examples the weights before the first update, and after each, were the present ones."""
        return self.log.lived(self.first, self.last)

    def replay(self, updates: int | None = None) -> Weights:
        """The weights after so many updates, sums and all, to the bit as training had them; None: at the end."""
        total = len(self.log)
        if updates is not None and not 0 <= updates <= total:
            raise SettingError(f"There is no update {updates}: the log has {total:,}.")
        sparse = not self.rows.dense
        weights = Weights(self.vectors, self.rows.d, self.fit_intercept, sparse, self.settle_every)
        if self.start is not None:
            weights = self.start.copy().with_layout(sparse)
        log, codes = self.log, self.codes
        for k in range(total if updates is None else updates):
            t, row, tau = int(log.t[k]), int(log.row[k]), float(log.tau[k])
            weights.advance(t)
            code = int(codes[row])
            columns, x = self.rows.row(row)
            entry = slice(None) if self.rows.dense else columns, x.astype(float)
            if self.vectors == 1:
                self._move(weights, entry, 0, tau if code == 1 else -tau)
            else:
                self._move(weights, entry, code, tau)
                self._move(weights, entry, int(log.rival[k]), -tau)
            weights.advance(t + 1)
            weights.updates += 1
        if updates is None:
            weights.advance(self.last)
        return weights

    def _move(self, weights: Weights, entry: tuple[Any, np.ndarray], k: int, step: float) -> None:
        """What `Loop.move` does, without its L2: one rounding a product and one a sum, as there."""
        columns, x = entry
        weights.w[k, columns] += step * x
        weights.u[k, columns] += (weights.weight * step) * x
        if self.fit_intercept:
            weights.bias[k] += step
            weights.bias_u[k] += (weights.t - weights.settled) * step

    def dual(self, view: str = "last") -> np.ndarray:
        """How much of each row is in each vector, beside the weights that training began with.

        last: w = dual @ rows      averaged: a change at example t is in the T − t weights from then on, Σ tau (T − t) / T
        """
        if view == "last":
            return self.log.dual(self.codes, self.vectors)
        if view != "averaged":
            raise SettingError(f"The {view} weights are no one sum over the log: choose 'last' or 'averaged'.")
        return self.log.dual(self.codes, self.vectors, (self.last - self.log.t) / max(1, self.last))

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """What a model file holds of it: facts and arrays."""
        if self.first:
            raise SettingError("The log does not begin where training began: only a whole one can be saved.")
        rows, log = self.rows, self.log
        arrays = {
            "t": log.t,
            "row": log.row,
            "rival": log.rival,
            "tau": log.tau,
            "codes": self.codes,
            "numbers": self.numbers,
        }
        kind, parts = stored_rows(rows)
        arrays |= parts
        if self.start is not None:
            coef, intercept = self.start.last
            arrays |= {"start.coef": coef, "start.intercept": intercept}
        facts = {"rows": kind, "shape": [rows.n, rows.d], "last": self.last, "fit_intercept": self.fit_intercept}
        return facts, arrays

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], arrays: dict[str, np.ndarray], vectors: int) -> Memory:
        """The reverse. Whatever the arrays hold, what comes back can be computed with; else a ValueError."""
        n, d = facts["shape"]
        rows = restored_rows(facts["rows"], (n, d), arrays)
        log = Log(arrays["t"], arrays["row"], arrays["rival"], arrays["tau"])
        start = None
        if "start.coef" in arrays:
            start = Weights(vectors, d, facts["fit_intercept"], sparse=not rows.dense)
            start.start_from(arrays["start.coef"], arrays["start.intercept"])
        codes, numbers, last = arrays["codes"], arrays["numbers"], facts["last"]
        memory = cls(log, rows, codes, numbers, vectors, last, start, facts["fit_intercept"])
        memory._refuse_impossible((n, d))
        return memory

    def _refuse_impossible(self, shape: tuple[int, int]) -> None:
        """The loop over votes trusts its numbers: they are looked at here."""
        log, classes = self.log, max(2, self.vectors)
        lengths = {len(part) for part in (log.t, log.row, log.rival, log.tau)}
        flat = all(part.ndim == 1 for part in (log.t, log.row, log.rival, log.tau, self.codes, self.numbers))
        types = log.t.dtype == np.int64 and log.row.dtype == log.rival.dtype == self.codes.dtype == np.int32
        fine = flat and types and len(lengths) == 1 and (self.rows.n, self.rows.d) == shape
        fine = fine and len(self.codes) == len(self.numbers) == self.rows.n
        fine = fine and within(log.row, 0, self.rows.n) and within(self.codes, 0, classes)
        fine = fine and within(log.rival, 0 if self.vectors > 1 else -1, self.vectors if self.vectors > 1 else 0)
        fine = fine and within(log.t, self.first, self.last) and bool((np.diff(log.t) > 0).all())
        if not fine or not np.isfinite(log.tau).all():
            raise ValueError("the log and its rows do not match")

    def then(self, later: Memory, rows_before: int) -> Memory:
        """This run and the one that went on from it, as one; the later one's row numbers begin after `rows_before`."""
        log = Log(
            np.concatenate([self.log.t, later.log.t]),
            np.concatenate([self.log.row, later.log.row + np.int32(self.rows.n)]),
            np.concatenate([self.log.rival, later.log.rival]),
            np.concatenate([self.log.tau, later.log.tau]),
        )
        numbers = np.concatenate([self.numbers, later.numbers + rows_before])
        codes = np.concatenate([self.codes, later.codes])
        return replace(self, log=log, rows=join(self.rows, later.rows), codes=codes, numbers=numbers, last=later.last)


def within(numbers: np.ndarray, least: int, end: int) -> bool:
    return bool(((numbers >= least) & (numbers < end)).all())


def stored_rows(rows: Rows) -> tuple[str, dict[str, np.ndarray]]:
    """Rows as a model file holds them: of which kind they are, and their arrays."""
    parts = {"values": rows.values, "indices": rows.indices, "indptr": rows.indptr}
    kind = "dense" if rows.dense else "one-hot" if rows.indptr is None else "csr"
    return kind, {name: part for name, part in parts.items() if part is not None}


def restored_rows(kind: str, shape: tuple[int, int], arrays: dict[str, np.ndarray]) -> Rows:
    """The reverse; `Rows` looks at where the arrays point."""
    values, indices = arrays.get("values"), arrays.get("indices")
    if kind == "dense":
        return Rows(values)
    if kind == "one-hot":
        return Rows(OneHot(np.asarray(indices).reshape(shape[0], -1), shape[1]))
    from scipy.sparse import csr_array

    return Rows(csr_array((values, indices, arrays["indptr"]), shape=shape))
