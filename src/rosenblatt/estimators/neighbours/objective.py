"""What a batch learner minimises: one number and its slope, as functions of all weights at once.

The weights θ are a table: a row for two classes, else one a class; the bias is the last column, if there is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, log_softmax

from rosenblatt.learning.examples import Examples
from rosenblatt.learning.scoring import margins_and_rivals
from rosenblatt.theory.losses import logistic, perceptron_criterion


class Objective:
    """Scores of all rows, and their slope with respect to θ."""

    def __init__(self, examples: Examples, fit_intercept: bool = True):
        self.X: Any = examples.rows.matrix()
        self.codes, self.fit_intercept = examples.codes, fit_intercept
        self.vectors = examples.vectors
        self.start = np.zeros((self.vectors, self.X.shape[1] + fit_intercept))
        self.centre = np.zeros(self.X.shape[1])  # what is taken from every row before anything else
        self.rows = np.arange(len(self.codes))

    def split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(w, b)."""
        if not self.fit_intercept:
            return theta, np.zeros(self.vectors)
        w = theta[:, :-1]
        return w, theta[:, -1] - w @ self.centre

    def scores(self, theta: np.ndarray) -> np.ndarray:
        """w·x + b: a column a row of θ."""
        w, b = self.split(theta)
        scores: np.ndarray = self.X @ w.T + b
        return scores

    def slope_of(self, by_score: np.ndarray) -> np.ndarray:
        """∂/∂θ from ∂/∂score, summed over all rows."""
        by_weight = np.asarray(self.X.T @ by_score).T
        if not self.fit_intercept:
            return by_weight
        total = by_score.sum(axis=0)
        return np.column_stack([by_weight - np.outer(total, self.centre), total])


class PerceptronCriterion(Objective):
    """l(w) = Σ max(0, −margin); its slope is −Σ y x over the mistakes (margin ≤ 0, as in the perceptron itself).

    With many classes the margin is that over the rival, whose weights the slope touches too.

    >>> from rosenblatt.learning.examples import for_classes
    >>> criterion = PerceptronCriterion(for_classes([[1.0, 1.0], [-1.0, 2.0]], ["no", "yes"]), fit_intercept=False)
    >>> criterion.value(np.array([[1.0, 0.0]])), criterion.slope(np.array([[1.0, 0.0]]))
    (2.0, array([[ 2., -1.]]))
    """

    def value(self, theta: np.ndarray) -> float:
        margins, _ = margins_and_rivals(self.scores(theta), self.codes)
        return float(perceptron_criterion(margins).sum())

    def slope(self, theta: np.ndarray) -> np.ndarray:
        scores = self.scores(theta)
        margins, rivals = margins_and_rivals(scores, self.codes)
        wrong = margins <= 0
        by_score = np.zeros_like(scores)
        if self.vectors == 1:
            by_score[wrong, 0] = np.where(self.codes[wrong] == 1, -1.0, 1.0)
        else:
            by_score[self.rows[wrong], self.codes[wrong]] -= 1
            by_score[self.rows[wrong], rivals[wrong]] += 1
        return self.slope_of(by_score)


class LogLoss(Objective):
    """−ln P(labels | rows) + λ/2 |w|²: what logistic regression makes small; the bias is not fined.

    Two classes: Σ ln(1 + e^(−margin)); more: −Σ ln softmax(scores)_y. With a bias the rows are centred on the way: since
    the bias is free, that changes neither the solution nor its height, only how straight the way is.

    >>> from rosenblatt.learning.examples import for_classes
    >>> loss = LogLoss(for_classes([[1.0], [-1.0]], ["a", "b"]), fit_intercept=False, l2=2.0)
    >>> loss.value(np.array([[0.0]])), loss.slope(np.array([[0.0]]))  # 2 ln 2;  ½·1 + ½·1
    (1.3862943611198906, array([[1.]]))
    """

    def __init__(self, examples: Examples, fit_intercept: bool = True, l2: float = 0.0):
        super().__init__(examples, fit_intercept)
        self.l2 = l2
        if fit_intercept:
            self.centre = np.asarray(self.X.mean(axis=0)).ravel()

    def value(self, theta: np.ndarray) -> float:
        scores, (w, _) = self.scores(theta), self.split(theta)
        if self.vectors == 1:
            loss = logistic(margins_and_rivals(scores, self.codes)[0]).sum()
        else:
            loss = -log_softmax(scores, axis=1)[self.rows, self.codes].sum()
        return float(loss + self.l2 / 2 * (w * w).sum())

    def slope(self, theta: np.ndarray) -> np.ndarray:
        scores = self.scores(theta)
        if self.vectors == 1:
            by_score = expit(scores) - (self.codes == 1)[:, None]
        else:
            by_score = np.exp(log_softmax(scores, axis=1))
            by_score[self.rows, self.codes] -= 1
        slope = self.slope_of(by_score)
        w, _ = self.split(theta)
        slope[:, : w.shape[1]] += self.l2 * w
        return slope

    def curvature(self) -> float:
        """No second derivative exceeds this, so 1/curvature is a step that is never too large.

        σ′ ≤ ¼ for two classes; no eigenvalue of diag(p) − p pᵀ exceeds ½ for more.
        """
        most = 0.25 if self.vectors == 1 else 0.5
        n = len(self.codes)
        widest = largest_eigenvalue(self.X, self.centre)
        return most * (max(n, widest) if self.fit_intercept else widest) + self.l2


def largest_eigenvalue(X: Any, centre: np.ndarray, exact_side: int = 1000) -> float:
    """The largest eigenvalue of (X − c)ᵀ(X − c), c the mean or 0; above `exact_side` rows and columns a bound on it.

    The bound: for any v > 0 and a matrix M without negative entries, no eigenvalue exceeds max (M v)_i / v_i
    (Collatz, 1942); M = |X|ᵀ|X| has none, and its eigenvalues are no smaller than those of XᵀX, centred or not.

    >>> largest_eigenvalue(np.array([[3.0], [4.0]]), centre=np.zeros(1))
    25.0
    """
    n, d = X.shape
    if min(n, d) <= exact_side:
        return float(np.linalg.eigvalsh(centred_gram(X, centre))[-1])
    size, v, bound = abs(X), np.ones(d), np.inf
    for _ in range(20):
        onward = size.T @ (size @ v)
        bound = min(bound, float((onward / v).max()))
        v = np.maximum(onward / onward.max(initial=1e-300), 1e-9)
    return bound


def centred_gram(X: Any, centre: np.ndarray) -> np.ndarray:
    """(X − c)ᵀ(X − c), or (X − c)(X − c)ᵀ where that is smaller, c being the mean or 0; sparse X stays sparse."""
    n, d = X.shape
    if isinstance(X, np.ndarray):
        C = X - centre
        return np.asarray(C.T @ C if d <= n else C @ C.T)
    if d <= n:
        return np.asarray((X.T @ X).toarray() - n * np.outer(centre, centre))
    onto = np.asarray(X @ centre)
    return np.asarray((X @ X.T).toarray() - onto[:, None] - onto + centre @ centre)
