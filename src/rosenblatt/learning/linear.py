"""What training gives: weights and labels that score and predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rosenblatt.engine import weights
from rosenblatt.engine.rows import Rows
from rosenblatt.errors import DataError


class Decides(Protocol):
    """What scores rows and decides by the scores: one linear model, or the votes of many."""

    def scores(self, X: Any) -> np.ndarray: ...
    def decide(self, scores: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Model:
    """A linear classifier: sign(w·x + b) for two classes, the highest w_k·x + b_k for more.

    >>> spam = Model(np.array(["ham", "spam"]), coef=np.array([[4.0, 2.0]]), intercept=np.array([-3.0]))
    >>> spam.scores([[1, 1]])  # free: 1, money: 1
    array([3.])
    >>> spam.predict([[1, 1], [0, 1]])
    array(['spam', 'ham'], dtype='<U4')
    """

    classes: np.ndarray | None  # None: a regression
    coef: np.ndarray  # one row for two classes or a regression, else one a class
    intercept: np.ndarray

    def scores(self, X: Any) -> np.ndarray:
        """w·x + b: a number a row for two classes, a column a class for more."""
        rows = X if isinstance(X, Rows) else Rows(X)
        if rows.d != self.coef.shape[1]:
            raise DataError(f"X has {rows.d} features, but the model was trained with {self.coef.shape[1]}.")
        scores = weights.score(rows, self.coef, self.intercept)
        return scores[:, 0] if len(self.coef) == 1 else scores

    def winner_and_runner_up(self, X: Any) -> tuple[int, int]:
        """The two classes with the highest scores of the first row, of more than two."""
        first, second = np.argsort(-self.scores(X)[0], kind="stable")[:2].tolist()
        return first, second

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """Class codes from these scores: a score of 0 is the positive class, the first of equals wins."""
        return decide(scores)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        scores = self.scores(X)
        return scores if self.classes is None else self.classes[decide(scores)]


def decide(scores: np.ndarray) -> np.ndarray:
    """Class codes from scores: ≥ 0 is class 1; with many classes the first of the highest.

    >>> decide(np.array([0.0, -0.5])), decide(np.array([[1, 3, 3]]))
    (array([1, 0]), array([1]))
    """
    return (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
