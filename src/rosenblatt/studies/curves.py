"""Curves that show overfitting: error in training and on held-out rows against degree, λ or number of examples (U2).

>>> from rosenblatt.estimators.neighbours import RidgeRegressor
>>> x = np.linspace(0, 1, 40)[:, None]
>>> y = np.sin(6 * x[:, 0]) + 0.3 * np.random.default_rng(0).normal(size=40)
>>> from sklearn.pipeline import make_pipeline
>>> from rosenblatt import PolynomialBasis
>>> def polynomial(degree):
...     return make_pipeline(PolynomialBasis(degree=degree), RidgeRegressor(l2=0))
>>> curve = complexity_curve(polynomial, range(1, 12), x, y)
>>> curve.best
3.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.data.splits import at_random
from rosenblatt.engine import order
from rosenblatt.engine.parameters import Whole, check
from rosenblatt.errors import SettingError
from rosenblatt.estimators.measuring import fit_and_measure, measure_of

EstimatorFor = Callable[[float], Any]  # a value gives a scikit-learn estimator


@dataclass(frozen=True)
class Curve:
    """Errors in training and on held-out rows, a row a split and a column a value."""

    what: str  # on the horizontal axis
    values: np.ndarray
    train: np.ndarray
    held_out: np.ndarray
    measure: str
    simplest: str | None = None  # which end of the values is simplest, "left" or "right"; None where that says nothing

    @property
    def best(self) -> float:
        """The value with the least mean held-out error; of equals the simplest. Beyond it the learner overfits."""
        errors = self.held_out.mean(axis=0)
        least = np.flatnonzero(errors == errors.min())
        return float(self.values[least[-1] if self.simplest == "right" else least[0]])


class RandomSplits:
    """Rows and labels, of which another share is held out with every seed."""

    def __init__(self, X: Any, y: Any, holdout: float, seeds: int):
        check("seeds", seeds, Whole(1))
        self.X, self.y = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X), np.asarray(y)
        self.holdout, self.seeds = holdout, seeds

    def __iter__(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """(seed, rows to learn from, rows held out)."""
        for seed in range(self.seeds):
            held_out = at_random(len(self.y), self.holdout, seed)
            yield seed, np.flatnonzero(~held_out), np.flatnonzero(held_out)


def complexity_curve(
    make: EstimatorFor,
    values: Sequence[float],
    X: Any,
    y: Any,
    *,
    what: str = "degree",
    holdout: float = 0.5,
    seeds: int = 10,
) -> Curve:
    """Errors of make(value), which gives an estimator, for values of rising complexity, over `seeds` random splits."""
    return _curve(make, values, RandomSplits(X, y, holdout, seeds), what, "left")


def lambda_curve(
    make: EstimatorFor, values: Sequence[float], X: Any, y: Any, *, holdout: float = 0.5, seeds: int = 10
) -> Curve:
    """Errors of make(λ) for rising λ > 0: from a complex model to a simple one."""
    if not all(0 < value < np.inf for value in values):
        raise SettingError(f"The values of λ are {list(values)}: expected finite numbers above 0, for a logarithmic axis.")
    return _curve(make, values, RandomSplits(X, y, holdout, seeds), "λ", "right")


def learning_curve(estimator: Any, sizes: Sequence[int], X: Any, y: Any, *, holdout: float = 0.5, seeds: int = 10) -> Curve:
    """Errors after learning from the first `size` of the shuffled training rows, on the same held-out rows."""
    splits = RandomSplits(X, y, holdout, seeds)
    errors = np.empty((2, seeds, len(sizes)))
    for seed, inside, outside in splits:
        shuffled = inside.astype(np.int32)
        order.shuffle(shuffled, order.random_bits(seed, order.ORDER))
        if not 0 < min(sizes) <= max(sizes) <= len(inside):
            raise SettingError(f"sizes are {list(sizes)}: expected 1 to {len(inside)}, the rows that are not held out.")
        for j, size in enumerate(sizes):
            errors[:, seed, j] = fit_and_measure(estimator, splits.X, splits.y, shuffled[:size], outside)
    return Curve("examples", np.array(sizes), errors[0], errors[1], measure_of(estimator))


def _curve(make: EstimatorFor, values: Sequence[float], splits: RandomSplits, what: str, simplest: str) -> Curve:
    if len(values) < 1 or list(values) != sorted(values):
        raise SettingError(f"The values of {what} are {list(values)}: expected one or more, rising.")
    errors = np.empty((2, splits.seeds, len(values)))
    for seed, inside, outside in splits:
        for j, value in enumerate(values):
            errors[:, seed, j] = fit_and_measure(make(value), splits.X, splits.y, inside, outside)
    return Curve(what, np.array(values), errors[0], errors[1], measure_of(make(values[0])), simplest)
