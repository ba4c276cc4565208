"""Forgetting: the model that training without some rows would have given, without training all of it again.

"Without" means: the same order with these rows dropped. Until the first update that one of them made, the run without them
is the run with them: the same examples are mistakes, with the same steps. So the log tells which examples change the
weights, and only these are taken; from the first update that does not happen, the loop goes over every example again. Counts
of examples are without the rows from the start: averages weigh otherwise, and a stopping rule may decide otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learning.log import Log
from rosenblatt.learning.origin import Origin
from rosenblatt.learning.training import LinearRun, Training, zero_weights


@dataclass(frozen=True)
class Forgotten:
    """The run without the rows, and what it cost.

    >>> from rosenblatt.learning.training import train
    >>> X, y = [[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["yes", "no", "no", "no"]
    >>> print(forget(train(X, y, order="given", keep_log=True), rows=[2]))
    3 updates taken over, 0 of 6 examples gone over again.
    >>> print(forget(train(X, y, order="given", keep_log=True), rows=[1]))
    1 update taken over, 5 of 6 examples gone over again.
    """

    training: Training
    taken_over: int  # updates that could not be other than they were
    replayed: int  # examples that the loop went over again
    examples: int  # in the run without the rows

    def __str__(self) -> str:
        taken = "1 update" if self.taken_over == 1 else f"{self.taken_over:,} updates"
        return f"{taken} taken over, {self.replayed:,} of {self.examples:,} examples gone over again."


def forget(training: Training, rows: Any) -> Forgotten:
    """The run without these rows of it, by number or as a mask, to the last bit as if they had never been in the order.

    Needs a run with its log (`keep_log=True`), whose rows have not been changed since. The run itself stays as it is.

    >>> from rosenblatt.learning.training import train
    >>> run = train([[2.0], [1.0], [-1.0], [-3.0]], [1, 0, 0, 0], order="given", keep_log=True)
    >>> forget(run, rows=[1]).training.view("last").coef, run.view("last").coef
    (array([[2.]]), array([[2.]]))
    """
    origin = training.origin
    if origin is None or training.log is None:
        raise SettingError("Forgetting goes through the run again: train with keep_log=True.")
    if origin.checksums_now() != origin.checksums:
        raise DataError(
            "The rows, or their labels, have changed since training: forgetting goes over them again, so they must be as "
            "they were. Give fit a copy of what you change, or fit again without these rows."
        )
    run = RunWithoutRows(training, origin, numbers_of(rows, origin))
    without = run.go()
    return Forgotten(without, run.taken_over, run.replayed, sum(epoch.examples for epoch in without.history))


def numbers_of(rows: Any, origin: Origin) -> np.ndarray:
    """The numbers of rows that can be forgotten, each once, with those forgotten before."""
    n = origin.examples.rows.n
    numbers = np.atleast_1d(list(rows) if isinstance(rows, set | frozenset) else rows)
    if numbers.dtype == bool and numbers.shape == (n,):
        numbers = np.flatnonzero(numbers)
    if numbers.ndim > 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise SettingError(f"rows are {numbers.ndim}-dimensional {numbers.dtype}: expected row numbers, or a mask of {n:,}.")
    numbers = numbers.astype(np.int64)
    bad = numbers[(numbers < 0) | (numbers >= n)]
    if len(bad):
        raise SettingError(f"There is no row {bad[0]}: training had rows 0 to {n - 1}.")
    importance = origin.examples.importance
    if origin.held_out is not None and importance is not None and (importance[numbers] == 0).any():
        row = numbers[importance[numbers] == 0][0]
        raise SettingError(f"Row {row} was held out, to decide when to stop: fit again without it.")
    absent = np.union1d(numbers, origin.absent).astype(np.int64)
    if not len(np.setdiff1d(origin.examples.pool(), absent)):
        raise SettingError("All rows are to be forgotten: there would be nothing to learn from.")
    return absent


class RunWithoutRows(LinearRun):
    """A run without some rows, that takes over from the log of a run with them what cannot be other than it was."""

    def __init__(self, known: Training, origin: Origin, absent: np.ndarray):
        examples, has_bias = origin.examples, known.weights.fit_intercept
        start = zero_weights(examples, origin.rule, has_bias, known.weights.settle_every)
        if origin.start is not None:
            start = origin.start.copy()
        super().__init__(examples, origin.rule, origin.plan, start, origin.held_out)
        self.outcome.origin = replace(origin, absent=absent)
        self.log, self.last = known.log or Log(), known.weights.t
        self.gone, self.gone_before = (np.isin(np.arange(examples.rows.n), part) for part in (absent, origin.absent))
        # Rules that move at every example do so from the first one that is gone.
        self.same = not origin.rule.moves_always
        self.rate_counts_examples = origin.rule.falling_rate == "1/examples"
        # Without bias a row of zeros is a mistake that changes nothing, and so is not in the log.
        self.zero = np.zeros(examples.rows.n, dtype=bool) if has_bias else zero_rows(examples.rows)
        self.before = np.empty(0, np.int32)  # the order of this epoch in the run with the rows
        self.t_before = start.t  # examples that the run with the rows had seen when this epoch began
        self.taken_over = self.replayed = 0

    def pool(self) -> np.ndarray:
        all_rows = super().pool()
        pool: np.ndarray = all_rows[~self.gone[all_rows]]
        return pool

    def orders(self) -> Iterator[np.ndarray]:
        for numbers in super().orders():
            whole = np.arange(self.examples.rows.n, dtype=np.int32) if numbers is None else numbers
            self.before = whole[~self.gone_before[whole]]
            yield self.before[~self.gone[self.before]]

    def pass_over(self, row_numbers: np.ndarray | None, n: int, place: int = 0) -> None:
        """What the log tells of this epoch, then the loop."""
        if self.same:
            assert row_numbers is not None
            place = self.take_over(row_numbers)
        self.replayed += n - place
        super().pass_over(row_numbers, n, place)

    def take_over(self, row_numbers: np.ndarray) -> int:
        """Takes what is as it was, and nothing else; the place in the epoch from which on it may not be."""
        begin, end = self.t_before, min(self.t_before + len(self.before), self.last)
        first, stop = np.searchsorted(self.log.t, [begin, end])
        gone = self.gone[self.before]
        changes = np.flatnonzero(gone) if self.rate_counts_examples else self.log.t[first:stop] - begin
        changes = changes[gone[changes]] + begin
        if len(changes):
            end = int(changes[0])
            stop = np.searchsorted(self.log.t, end)
        earlier: np.ndarray = np.cumsum(gone) - gone  # how many are gone before each place
        updates = self.log.t[first:stop] - begin
        updates = updates - earlier[updates]
        reached = end - begin - int(gone[: end - begin].sum())
        self.same = end == begin + len(self.before)
        self.t_before += len(self.before)
        t = self.loop.t
        self._moving = None  # here it is not `learn` that moves the weights
        self.record(t + updates, slice(first, stop))
        for place in np.union1d(updates, np.flatnonzero(self.zero[row_numbers[:reached]])).tolist():
            self.advance(t + place)
            self.loop.run(row_numbers, place, place + 1)
            self.weights.copy_counts(self.loop)
            self.weights.settle_if_due()
            self.loop.resume(self.weights)
        self.advance(t + reached)
        return reached

    def record(self, t: np.ndarray, part: slice) -> None:
        """The log without the rows: the same updates, at other times."""
        assert self.recorder is not None
        if len(t):
            self.recorder.chunks.append((t, self.log.row[part], self.log.rival[part], self.log.tau[part]))
        self.taken_over += len(t)

    def advance(self, t: int) -> None:
        """Examples up to t change nothing but counts."""
        self.weights.advance(t)
        self.loop.resume(self.weights)


def zero_rows(rows: Rows) -> np.ndarray:
    """Which rows are 0 in every column."""
    if rows.dense:
        assert rows.values is not None
        zero: np.ndarray = (rows.values == 0).all(axis=1)
        return zero
    matrix = rows.csr()
    of_entry = np.repeat(np.arange(rows.n), np.diff(matrix.indptr))
    entries = np.bincount(of_entry[matrix.data != 0], minlength=rows.n)
    return np.asarray(entries == 0)
