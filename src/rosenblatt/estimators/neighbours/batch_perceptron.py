"""The batch perceptron: all mistakes at once (U5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from rosenblatt.estimators.neighbours.descent import Descent, descend
from rosenblatt.estimators.neighbours.linear import LinearNeighbour, as_examples
from rosenblatt.estimators.neighbours.objective import PerceptronCriterion


@dataclass(eq=False, repr=False, kw_only=True)
class BatchPerceptron(LinearNeighbour):
    """Gradient descent on the perceptron criterion: w += η Σ y x over all mistakes, margin ≤ 0.

    eta: the step; from w = 0 it changes nothing but the length of w.
    max_iter: most steps; it ends earlier at a step without mistakes, and then `converged_`.
    fit_intercept: learn a bias, the weight of a constant feature 1.

    After `fit`, `loss_curve_` is the criterion before every step and at the end. On data that no plane separates it
    never comes to rest, as the perceptron does not: the last weights are kept.

    >>> X, y = [[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0]
    >>> clf = BatchPerceptron().fit(X, y)
    >>> clf.coef_, clf.intercept_, clf.n_iter_  # at w = 0 all four are mistakes, and their sum is enough
    (array([[2.5, 2. ]]), array([-2.]), 1)
    """

    eta: float = 1.0
    max_iter: int = 1000

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from rows X with labels y."""
        criterion = PerceptronCriterion(as_examples(self, X, y), self.fit_intercept)
        found = self.watch(criterion, keep_path=False)
        self._keep(*criterion.split(found.end))
        self.loss_curve_, self.n_iter_, self.converged_ = found.values, found.steps, found.converged
        return self

    def watch(self, criterion: PerceptronCriterion, keep_path: bool = True) -> Descent:
        """The descent itself, with its path."""
        return descend(
            criterion.value, criterion.slope, criterion.start, self.eta, self.max_iter, tol=0.0, keep_path=keep_path
        )
