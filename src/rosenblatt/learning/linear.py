"""A linear model: weights and labels that score and predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.weights import score
from rosenblatt.learning.scoring import Scorer, as_rows


@dataclass(frozen=True)
class Model(Scorer):
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
        scores = score(as_rows(X, self.coef.shape[1]), self.coef, self.intercept)
        return scores[:, 0] if len(self.coef) == 1 else scores

    def winner_and_runner_up(self, X: Any) -> tuple[int, int]:
        """The two classes with the highest scores of the first row, of more than two."""
        first, second = np.argsort(-self.scores(X)[0], kind="stable")[:2].tolist()
        return first, second
