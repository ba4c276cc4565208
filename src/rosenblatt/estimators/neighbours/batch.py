"""Learners that take all rows at once: the batch perceptron (U5), and logistic regression by gradient ascent with λ (W1)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from rosenblatt.engine.parameters import Flag, Real, Whole, parameter
from rosenblatt.estimators.declared import estimator
from rosenblatt.estimators.neighbours.descent import descend
from rosenblatt.estimators.neighbours.linear import (
    OF_A_DESCENT,
    LinearNeighbour,
    WithProbabilities,
    as_examples,
    warn_unless_converged,
)
from rosenblatt.estimators.neighbours.objective import LogLoss, PerceptronCriterion


@estimator
class BatchPerceptron(LinearNeighbour):
    """Gradient descent on the perceptron criterion: w += η Σ y x over all mistakes, margin ≤ 0.

    On data that no plane separates it never comes to rest, as the perceptron does not: the last weights are kept.

    >>> X, y = [[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0]
    >>> clf = BatchPerceptron().fit(X, y)
    >>> clf.coef_, clf.intercept_, clf.n_iter_  # at w = 0 all four are mistakes, and their sum is enough
    (array([[2.5, 2. ]]), array([-2.]), 1)
    """

    eta: float = parameter(1.0, Real(above=0), help="The step; from w = 0 it changes nothing but the length of w.")
    max_iter: int = parameter(1000, Whole(1), help="Most steps; it ends earlier at one without mistakes.")
    _attributes: ClassVar[dict[str, str]] = OF_A_DESCENT

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from rows X with labels y."""
        criterion = PerceptronCriterion(as_examples(self, X, y), self.fit_intercept)
        descent = descend(
            criterion.value, criterion.slope, criterion.start, self.eta, self.max_iter, tol=0.0, keep_path=False
        )
        self._set_descent(criterion, descent)
        return self


@estimator
class LogisticAscent(WithProbabilities):
    """P(1 | x) = σ(w·x + b), made as likely as possible: w += η (Σ x (y − P(1 | x)) − λ w), y being 0 or 1.

    More than two classes: softmax, class k moving by η (Σ x (1[k = y] − p_k) − λ w_k).

    >>> clf = LogisticAscent(l2=0.5).fit([[1.0], [2.0], [-1.0], [-2.0]], ["b", "b", "a", "a"])
    >>> clf.coef_.round(4), clf.predict_proba([[0.5]]).round(2)
    (array([[1.3413]]), array([[0.34, 0.66]]))
    """

    l2: float = parameter(
        1.0,
        Real(least=0),
        help="λ. The likelihood less λ/2 |w|² is what rises; the bias is not fined. scikit-learn's C is 1/λ: its "
        "LogisticRegression(C=1/l2) has the same solution. The stochastic form, `SoftPerceptron`, shrinks w at every one of "
        "n examples: its l2 is λ/n.",
    )
    eta: float | None = parameter(
        None, Real(above=0, optional=True), help="The step; None takes 1/curvature, which is never too large."
    )
    max_iter: int = parameter(10_000, Whole(1), help="Most steps.")
    tol: float = parameter(1e-6, Real(least=0), help="It ends where no slope exceeds this.")
    accelerate: bool = parameter(
        True, Flag(), help="False for the plain ascent of the slide, which needs many more steps to the same place."
    )
    _attributes: ClassVar[dict[str, str]] = OF_A_DESCENT

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from rows X with labels y."""
        loss = LogLoss(as_examples(self, X, y), self.fit_intercept, self.l2)
        eta = 1 / max(loss.curvature(), 1e-12) if self.eta is None else self.eta
        descent = descend(
            loss.value, loss.slope, loss.start, eta, self.max_iter, self.tol, accelerate=self.accelerate, keep_path=False
        )
        self._set_descent(loss, descent)
        warn_unless_converged(self, descent)
        return self
