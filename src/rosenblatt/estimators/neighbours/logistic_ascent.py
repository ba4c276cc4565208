"""Logistic regression by batch gradient ascent, with λ (W1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from rosenblatt.engine.parameters import Real, check
from rosenblatt.estimators.neighbours.descent import descend
from rosenblatt.estimators.neighbours.linear import WithProbabilities, as_examples, keep_descent
from rosenblatt.estimators.neighbours.objective import LogLoss


@dataclass(eq=False, repr=False, kw_only=True)
class LogisticAscent(WithProbabilities):
    """P(1 | x) = σ(w·x + b), made as likely as possible: w += η (Σ x (y − P(1 | x)) − λ w), y being 0 or 1.

    More than two classes: softmax, class k moving by η (Σ x (1[k = y] − p_k) − λ w_k).

    l2: λ. The likelihood less λ/2 |w|² is what rises; the bias is not fined. scikit-learn's C is 1/λ: its
        LogisticRegression(C=1/l2) has the same solution. The stochastic form, `SoftPerceptron`, shrinks w at every one
        of n examples: its l2 is λ/n.
    eta: the step; None takes 1/curvature, which is never too large.
    max_iter, tol: most steps; it ends earlier when no slope exceeds `tol`, and then `converged_`.
    accelerate: False for the plain ascent of the slide, which needs many more steps to the same place.
    fit_intercept: learn a bias.

    >>> clf = LogisticAscent(l2=0.5).fit([[1.0], [2.0], [-1.0], [-2.0]], ["b", "b", "a", "a"])
    >>> clf.coef_.round(4), clf.predict_proba([[0.5]]).round(2)
    (array([[1.3413]]), array([[0.34, 0.66]]))
    """

    l2: float = 1.0
    eta: float | None = None
    max_iter: int = 10_000
    tol: float = 1e-6
    accelerate: bool = True

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from rows X with labels y."""
        l2, tol = check("l2", self.l2, Real(least=0)), check("tol", self.tol, Real(least=0))
        loss = LogLoss(as_examples(self, X, y), self.fit_intercept, l2)
        eta = 1 / max(loss.curvature(), 1e-12) if self.eta is None else check("eta", self.eta, Real(above=0))
        found = descend(loss.value, loss.slope, loss.start, eta, self.max_iter, tol, self.accelerate, keep_path=False)
        self._keep(*loss.split(found.end))
        keep_descent(self, found)
        return self
