"""Linear regression and ridge in closed form, for numbers and for classes (U2, O9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.engine.parameters import Real, check
from rosenblatt.errors import DataError
from rosenblatt.estimators.inputs import ReadsSparse
from rosenblatt.estimators.neighbours.linear import LinearNeighbour, as_examples, as_matrix
from rosenblatt.estimators.neighbours.objective import centred_gram
from rosenblatt.learning.scoring import Model


def ridge(
    X: Any, Y: np.ndarray, l2: float, fit_intercept: bool = True, largest_side: int = 5000
) -> tuple[np.ndarray, np.ndarray]:
    """(w, b) that make Σ (w·x + b − y)² + λ |w|² smallest, a row of w for every column of Y; b is not fined.

    w = (XᵀX + λ I)⁻¹ Xᵀy   with X and y centred,   b = ȳ − w·x̄

    λ = 0 is least squares, and the shortest w where several are best; λ → ∞ leaves b alone. Sparse rows are refused where
    the table to decompose, rows or columns squared, would have a larger side than `largest_side`.

    >>> ridge(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]]), l2=0.0)
    (array([[2.]]), array([1.]))
    >>> ridge(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]]), l2=2.0)  # 4 / (2 + λ)
    (array([[1.]]), array([2.]))
    """
    n, d = X.shape
    x_mean = np.asarray(X.mean(axis=0)).ravel() if fit_intercept else np.zeros(d)
    y_mean = Y.mean(axis=0) if fit_intercept else np.zeros(Y.shape[1])
    Yc = Y - y_mean
    if isinstance(X, np.ndarray):
        u, s, vt = np.linalg.svd(X - x_mean, full_matrices=False)
        w = (vt.T * shrink(s, l2, s)) @ (u.T @ Yc)
        return w.T, y_mean - x_mean @ w
    if min(n, d) > largest_side:
        raise DataError(
            f"The closed form for {n:,} sparse rows of {d:,} columns decomposes a table of side {min(n, d):,}, more than "
            f"{largest_side:,}: take scikit-learn's Ridge(solver='sparse_cg')."
        )
    e, v = np.linalg.eigh(centred_gram(X, x_mean))
    inverse = v * shrink(np.sqrt(np.maximum(e, 0.0)), l2, np.ones_like(e))
    if d <= n:
        w = inverse @ (v.T @ np.asarray(X.T @ Yc))
    else:  # fewer rows than columns: w = Xᵀ (X Xᵀ + λ I)⁻¹ y
        a = inverse @ (v.T @ Yc)
        w = np.asarray(X.T @ a) - np.outer(x_mean, a.sum(axis=0))
    return w.T, y_mean - x_mean @ w


def shrink(s: np.ndarray, l2: float, over: np.ndarray) -> np.ndarray:
    """over / (s² + λ), and 0 in directions in which the rows do not differ beyond rounding."""
    flat = s <= s.max(initial=0.0) * np.finfo(float).eps ** (0.5 if over is not s else 1.0) * len(s)
    below = s * s + l2
    usable = (below > 0) & ~(flat & (l2 == 0))
    factors: np.ndarray = np.divide(over, below, out=np.zeros_like(s), where=usable)
    return factors


@dataclass(eq=False, repr=False, kw_only=True)
class RidgeRegressor(RegressorMixin, ReadsSparse):  # type: ignore[misc]
    """Linear regression: Σ (w·x + b − y)² + λ |w|² as small as it can be.

    l2: λ, scikit-learn's `alpha` of Ridge; 0 is least squares.
    fit_intercept: learn a bias, which is not fined.

    >>> reg = RidgeRegressor(l2=0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> reg.predict([[3.0]])
    array([7.])
    """

    l2: float = 1.0
    fit_intercept: bool = True

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from rows X with targets y."""
        l2 = check("l2", self.l2, Real(least=0))
        X, y = as_matrix(self, X, y)
        coef, intercept = ridge(X, np.asarray(y, dtype=float).reshape(-1, 1), l2, self.fit_intercept)
        self.coef_, self.intercept_ = coef[0], intercept
        return self

    def predict(self, X: Any) -> np.ndarray:
        """w·x + b of each row."""
        check_is_fitted(self)
        return Model(None, self.coef_[None, :], self.intercept_).scores(as_matrix(self, X, reset=False))


@dataclass(eq=False, repr=False, kw_only=True)
class RidgeClassifier(LinearNeighbour):
    """Linear regression on labels ±1, one regression a class where there are more than two; the highest value wins.

    A point far on its right side is fined like one that is wrong, (1 − margin)²: distant points pull the plane.

    l2: λ, as for `RidgeRegressor`.

    >>> RidgeClassifier().fit([[1.0], [2.0], [-1.0], [-2.0]], ["b", "b", "a", "a"]).predict([[0.5]])
    array(['b'], dtype='<U1')
    """

    l2: float = 1.0

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from rows X with labels y."""
        l2 = check("l2", self.l2, Real(least=0))
        examples = as_examples(self, X, y)
        own = np.array([1]) if examples.vectors == 1 else np.arange(examples.vectors)
        targets = np.where(examples.codes[:, None] == own, 1.0, -1.0)
        self._set_weights(*ridge(examples.rows.matrix(), targets, l2, self.fit_intercept))
        return self
