"""What predicts: something that scores rows, and decides by the scores. Linear weights, votes and kernels are all that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.errors import DataError


class Scorer(ABC):
    """Scores rows and decides: a number a row for two classes, a column a class for more."""

    classes: np.ndarray | None  # None: a regression
    by_votes: bool = False  # are the scores counts of votes?

    @abstractmethod
    def scores(self, X: Any) -> np.ndarray:
        """The scores of rows of features."""

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """Class codes from these scores."""
        return decide(scores, self.by_votes)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row; in a regression, its score."""
        scores = self.scores(X)
        if self.classes is None:
            return scores
        labels: np.ndarray = self.classes[self.decide(scores)]
        return labels


def decide(scores: np.ndarray, by_votes: bool = False) -> np.ndarray:
    """Class codes from scores. This is where ties are decided.

    A score of 0 or more is the positive one of two classes. Of equal votes, and with many classes, the first class wins.

    >>> decide(np.array([0.0, -0.5])), decide(np.array([3.0, 0.0, -3.0]), by_votes=True), decide(np.array([[1, 3, 3]]))
    (array([1, 0]), array([1, 0, 0]), array([1]))
    """
    if scores.ndim == 2:
        winners: np.ndarray = scores.argmax(axis=1)
        return winners
    return (scores > 0 if by_votes else scores >= 0).astype(np.intp)


def as_rows(X: Any, features: int) -> Rows:
    """Rows of features, checked to be as many as the model was trained with."""
    rows = X if isinstance(X, Rows) else Rows(X)
    if rows.d != features:
        raise DataError(f"X has {rows.d} features, but the model was trained with {features}.")
    return rows
