"""The maximum-margin separator, two classes and many (W9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from rosenblatt.neighbours.linear import LinearNeighbour, as_examples
from rosenblatt.theory.separator import max_margin


@dataclass(eq=False, repr=False, kw_only=True)
class MaxMargin(LinearNeighbour):
    """The plane that lies in the widest street between the classes; refuses rows that no plane separates.

    Two classes:  ½ |w|² as small as it can be with y (w·x + b) ≥ 1 for every row; the street is 2/|w| wide.
    More:         ½ Σ |w_k|²  with  w_y·x + b_y ≥ w_k·x + b_k + 1 for every row and every other class k.

    bias: "free", as support vector machines have it, or "feature": the weight of a constant feature 1, part of |w|,
        as in the perceptron's bound.
    fit_intercept: learn a bias.

    After `fit`, `margin_` is the distance of the nearest row from the plane (by the length that `bias` names), and
    `support_` are the rows that hold the plane where it is. It is the solver of `certify`, in one piece.

    >>> clf = MaxMargin().fit([[2.0, 0.0], [0.0, 0.0], [3.0, 5.0]], ["yes", "no", "yes"])
    >>> clf.coef_.round(4) + 0.0, clf.intercept_.round(4), round(clf.margin_, 4), clf.support_
    (array([[1., 0.]]), array([-1.]), 1.0, array([0, 1]))
    """

    bias: str = "free"

    def fit(self, X: Any, y: Any) -> Self:
        """Solves the quadratic program for rows X with labels y."""
        examples = as_examples(self, X, y)
        found = max_margin(examples.rows.matrix(), examples.codes, self.fit_intercept, bias=self.bias)
        self._keep(found.coef, found.intercept)
        self.margin_, self.support_ = found.margin, found.support
        return self
