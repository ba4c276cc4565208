"""The estimators of `compare --with neighbours`: ours, and scikit-learn's where the field already keeps them well."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from rosenblatt.errors import DataError
from rosenblatt.estimators.neighbours.batch import BatchPerceptron, LogisticAscent
from rosenblatt.estimators.neighbours.gaussian_bayes import GaussianBayes
from rosenblatt.estimators.neighbours.large_margin import MaxMargin, SoftMargin
from rosenblatt.estimators.neighbours.ridge import RidgeClassifier

MOST_CELLS = 200_000_000  # of sparse rows unpacked: 1.6 GB
MOST_CELLS_OF_TREES = 10_000_000
Entrant = Callable[[int], Any]  # a seed gives an estimator


class QuietEstimator:
    """An estimator without warnings, as that it ended before its goal: a table of errors shows what came of it."""

    def __init__(self, estimator: Any, dense: bool = False, most_cells: int = MOST_CELLS):
        self.estimator, self.dense, self.most_cells = estimator, dense, most_cells

    def fit(self, X: Any, y: Any) -> QuietEstimator:
        """Learns from rows X with labels y."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.estimator.fit(self._rows(X), y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels: np.ndarray = self.estimator.predict(self._rows(X))
        return labels

    def __getattr__(self, name: str) -> Any:
        """Its classes, scores and probabilities, where the estimator has them."""
        if name not in ("classes_", "decision_function", "predict_proba"):
            raise AttributeError(name)
        own = getattr(self.estimator, name)
        return own if name == "classes_" else lambda X: own(self._rows(X))

    def _rows(self, X: Any) -> Any:
        """Sparse rows unpacked, for an estimator that cannot read them."""
        if not self.dense or not hasattr(X, "toarray"):
            return X
        if X.shape[0] * X.shape[1] > self.most_cells:
            raise DataError(f"{X.shape[0]:,} × {X.shape[1]:,} cells are more than {self.most_cells:,}: too many to unpack.")
        return X.toarray()


def boosted_trees(seed: int) -> QuietEstimator:
    """What people take where a line is not enough; of thousands of columns it would take minutes."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return QuietEstimator(HistGradientBoostingClassifier(random_state=seed), dense=True, most_cells=MOST_CELLS_OF_TREES)


# λ = 1, C = 1 and otherwise what the library takes by itself: nothing is tuned, for the engine's learners are not either.
ENTRANTS: dict[str, Entrant] = {
    "batch perceptron": lambda seed: BatchPerceptron(),
    "logistic, batch": lambda seed: QuietEstimator(LogisticAscent(max_iter=1000)),
    "ridge": lambda seed: RidgeClassifier(),
    "naive Bayes, shared": lambda seed: GaussianBayes(),
    "naive Bayes, per class": lambda seed: QuietEstimator(GaussianBayes(shared=False), dense=True),
    "soft margin": lambda seed: SoftMargin(),
    "max margin": lambda seed: MaxMargin(inseparable="refuse"),
    "nearest neighbours": lambda seed: KNeighborsClassifier(),
    "decision tree": lambda seed: DecisionTreeClassifier(random_state=seed),
    "LinearSVC": lambda seed: QuietEstimator(LinearSVC(random_state=seed)),
    "LogisticRegression": lambda seed: QuietEstimator(LogisticRegression(max_iter=1000)),
}

# The same where numbers are predicted.
ENTRANTS_OF_NUMBERS: dict[str, Entrant] = {
    "ridge": lambda seed: Ridge(),
    "nearest neighbours": lambda seed: KNeighborsRegressor(),
    "decision tree": lambda seed: DecisionTreeRegressor(random_state=seed),
}
