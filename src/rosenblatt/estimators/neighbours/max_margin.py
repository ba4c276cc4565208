"""The maximum-margin separator, two classes and many (W9)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.errors import DataError, NotFiniteError, SettingError
from rosenblatt.estimators.neighbours.linear import LinearNeighbour, as_examples
from rosenblatt.estimators.neighbours.soft_margin import soft_margin, within_reach
from rosenblatt.learning.examples import Examples
from rosenblatt.theory.separator import max_margin
from rosenblatt.theory.signed import SignedExamples

NEARLY_HARD = 1000.0  # the price of a shortfall where a hard margin cannot be


@dataclass(eq=False, repr=False, kw_only=True)
class MaxMargin(LinearNeighbour):
    """The plane that lies in the widest street between the classes.

    Two classes:  ½ |w|² as small as it can be with y (w·x + b) ≥ 1 for every row; the street is 2/|w| wide.
    More:         ½ Σ |w_k|²  with  w_y·x + b_y ≥ w_k·x + b_k + 1 for every row and every other class k.

    bias: "free", as support vector machines have it, or "feature": the weight of a constant feature 1, part of |w|,
        as in the perceptron's bound.
    inseparable: what to do with rows that no plane separates: "soft" takes the soft margin with C = 1000, warns, and
        says so in `separable_`; "refuse" raises an error.
    fit_intercept: learn a bias.

    After `fit`, `margin_` is the distance of the nearest row from the plane (by the length that `bias` names), and
    `support_` are the rows that hold the plane where it is. It is the solver of `certify`, in one piece.

    >>> clf = MaxMargin().fit([[2.0, 0.0], [0.0, 0.0], [3.0, 5.0]], ["yes", "no", "yes"])
    >>> clf.coef_.round(4) + 0.0, clf.intercept_.round(4), round(clf.margin_, 4), clf.support_
    (array([[1., 0.]]), array([-1.]), 1.0, array([0, 1]))
    """

    bias: str = "free"
    inseparable: str = "soft"

    def fit(self, X: Any, y: Any) -> Self:
        """Solves the quadratic program for rows X with labels y."""
        if self.inseparable not in ("soft", "refuse"):
            raise SettingError(f"inseparable is {self.inseparable!r}: expected 'soft' or 'refuse'.")
        examples = within_reach(as_examples(self, X, y))
        try:
            found = max_margin(examples.rows.matrix(), examples.codes, self.fit_intercept, bias=self.bias)
        except DataError as refused:
            if self.inseparable == "refuse" or isinstance(refused, NotFiniteError):
                raise
            return self._soften(examples)
        self._keep(found.coef, found.intercept)
        self.margin_, self.support_, self.separable_ = found.margin, found.support, True
        return self

    def _soften(self, examples: Examples) -> Self:
        signed = SignedExamples(examples, self.fit_intercept)
        self._keep(*signed.weights(soft_margin(signed, NEARLY_HARD), scaled=False))
        margins = signed.margins(self.coef_, self.intercept_)
        self.margin_ = float(margins.min() / max(np.linalg.norm(self.coef_), np.finfo(float).tiny))
        self.support_ = np.flatnonzero((margins if margins.ndim == 1 else margins.min(axis=1)) <= 1 + 1e-6)
        self.separable_ = False
        warnings.warn(
            f"MaxMargin found no plane that separates these rows: this is the soft margin with C = {NEARLY_HARD:g}. Take "
            "SoftMargin and choose C, or ask certify(X, y) for the proof.",
            ConvergenceWarning,
            stacklevel=3,
        )
        return self
