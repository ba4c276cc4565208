"""Whether a difference is more than chance: yes, the other way round, or not decided by these data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

Verdict = bool | None  # None: not decided


def standard_error(differences: Any, shared: float = 0.0) -> float:
    """Of the mean of differences; `shared` corrects for splits that share rows: it is n_test/n_train.

    √((1/N + n_test/n_train) var(d))      (Nadeau and Bengio, 2003)

    >>> standard_error([1.0, 3.0]), standard_error([1.0, 3.0], shared=0.5)
    (1.0, 1.4142135623730951)
    """
    values = np.asarray(differences, dtype=float)
    return float(np.sqrt((1 / len(values) + shared) * values.var(ddof=1)))


def decided(differences: Any, shared: float = 0.0) -> Verdict:
    """Is their mean above 0 by more than two standard errors (True), below by as much (False), or neither (None)?

    >>> decided([4.0, 5.0, 6.0]), decided([-4.0, -5.0, -6.0]), decided([-4.0, 5.0, 1.0])
    (True, False, None)
    """
    return beyond(float(np.mean(differences)), standard_error(differences, shared))


def beyond(mean: float, error: float) -> Verdict:
    """Is a mean above 0 by more than two of its standard errors (True), below by as much (False), or neither (None)?"""
    return None if abs(mean) <= 2 * error else mean > 0


def decided_of_rates(one: Sequence[float], other: Sequence[float], rows: int) -> Verdict:
    """Is the first rate above the second, both shares of so many rows, each with one value a run?

    The variance is that of the runs and, as if the rows were others for each, that of drawing them: more than there is.
    """
    means = [float(np.mean(values)) for values in (one, other)]
    drawn = sum(mean * (1 - mean) / rows for mean in means)
    runs = sum(float(np.var(values, ddof=1)) / len(values) for values in (one, other) if len(values) > 1)
    return beyond(means[0] - means[1], math.sqrt(drawn + runs))


def all_of(*verdicts: Verdict) -> Verdict:
    """One that fails refutes the whole; else one that is not decided leaves it open.

    >>> all_of(True, True), all_of(True, None), all_of(None, False)
    (True, None, False)
    """
    if any(verdict is False for verdict in verdicts):
        return False
    return None if any(verdict is None for verdict in verdicts) else True


def any_of(*verdicts: Verdict) -> Verdict:
    """One that holds is enough; where none does, and none is open, all are refuted.

    >>> any_of(None, True), any_of(False, None), any_of(False, False)
    (True, None, False)
    """
    if any(verdict is True for verdict in verdicts):
        return True
    return None if any(verdict is None for verdict in verdicts) else False


def most_of(verdicts: Sequence[Verdict]) -> Verdict:
    """What more than half of them say; None where neither does."""
    for verdict in (True, False):
        if sum(one is verdict for one in verdicts) > len(verdicts) / 2:
            return verdict
    return None


WORDS = {True: "beyond chance", False: "the other way round", None: "within chance"}
