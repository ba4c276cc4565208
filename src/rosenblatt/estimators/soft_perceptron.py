"""Logistic regression as a soft perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax

from rosenblatt.estimators.linear import LinearClassifier


@dataclass(eq=False, repr=False, kw_only=True)
class SoftPerceptron(LinearClassifier):
    """Logistic regression, one example at a time: every example moves the weights by how surprising its label was.

    w ← (1 − rate l2) w + rate σ(−margin) y x

    eta0: the rate.
    learning_rate: "constant", or falling as "1/updates" or "1/examples" (the same here: every example is an update).
    l2: shrinks w, not the bias, at every step.
    The other parameters are those of `rosenblatt.estimators.linear.LinearClassifier`.

    >>> clf = SoftPerceptron(eta0=0.5, random_state=0).fit([[1.0], [2.0], [-1.0], [-2.0]], ["b", "b", "a", "a"])
    >>> clf.predict_proba([[0.5]]).round(2)
    array([[0.16, 0.84]])
    """

    eta0: float = 0.1
    learning_rate: str = "constant"
    l2: float = 0.0
    _learner: ClassVar[str] = "logistic"

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(class | x), a column a class: σ(score) for two, the softmax of the scores for more."""
        return probabilities(self._scores(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(class | x), right also where the probability itself rounds to 0."""
        return log_probabilities(self._scores(X))


def probabilities(scores: np.ndarray) -> np.ndarray:
    """P(class | x) of a logistic model, from its scores.

    >>> probabilities(np.array([0.0]))
    array([[0.5, 0.5]])
    """
    return np.stack([expit(-scores), expit(scores)], axis=1) if scores.ndim == 1 else softmax(scores, axis=1)


def log_probabilities(scores: np.ndarray) -> np.ndarray:
    """log P(class | x) of a logistic model, from its scores."""
    if scores.ndim == 1:
        return np.stack([log_expit(-scores), log_expit(scores)], axis=1)
    return log_softmax(scores, axis=1)  # type: ignore[no-any-return]
