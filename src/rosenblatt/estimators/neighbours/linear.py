"""What the linear neighbours share: checked rows in, w·x + b out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.estimators.inputs import ReadsSparse
from rosenblatt.estimators.neighbours.descent import Descent
from rosenblatt.estimators.neighbours.objective import Objective
from rosenblatt.learning.examples import Examples, for_classes
from rosenblatt.learning.scoring import Model, log_probabilities, probabilities

LARGEST_NUMBER = 1e100  # squares of larger ones, summed over rows and columns, could overflow


def as_matrix(estimator: Any, X: Any, y: Any = "no_validation", reset: bool = True) -> Any:
    """X, and y if given, checked by scikit-learn's rules, in double precision."""
    X = Rows(X).matrix() if isinstance(X, OneHot) else X
    sparse = "csr" if estimator.__sklearn_tags__().input_tags.sparse else False
    checked = validate_data(estimator, X, y, reset=reset, accept_sparse=sparse, dtype=np.float64)
    refuse_huge(checked if isinstance(y, str) else checked[0])
    return checked


def refuse_huge(X: Any) -> None:
    """Refuses numbers that are too large, and names the first."""
    if abs(X).max() > LARGEST_NUMBER:
        largest = np.asarray(abs(X).max(axis=1).todense() if hasattr(X, "todense") else abs(X).max(axis=1))
        raise Rows(X).blame(int(largest.ravel().argmax()))


def as_examples(estimator: Any, X: Any, y: Any) -> Examples:
    """Rows with the codes of their classes; `classes_` is set."""
    X, y = as_matrix(estimator, X, y)
    check_classification_targets(y)
    examples = for_classes(X, y)
    estimator.classes_ = examples.classes
    return examples


@dataclass(eq=False, repr=False, kw_only=True)
class LinearNeighbour(ClassifierMixin, ReadsSparse):  # type: ignore[misc]
    """A classifier that is `coef_` and `intercept_` once it is fitted, however it found them."""

    fit_intercept: bool = True

    @property
    def _model(self) -> Model:
        return Model(self.classes_, self.coef_, self.intercept_)

    def _set_weights(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        self.coef_, self.intercept_ = np.ascontiguousarray(coef), np.ascontiguousarray(intercept)

    def _set_descent(self, objective: Objective, descent: Descent) -> None:
        self._set_weights(*objective.split(descent.end))
        self.loss_curve_, self.n_iter_, self.converged_ = descent.values, descent.steps, descent.converged

    def decision_function(self, X: Any) -> np.ndarray:
        """w·x + b: a number a row for two classes (0 or more: classes_[1]), a column a class for more."""
        check_is_fitted(self)
        return self._model.scores(as_matrix(self, X, reset=False))

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        check_is_fitted(self)
        return self._model.predict(as_matrix(self, X, reset=False))

    @property
    def parameters_(self) -> int:
        """How many numbers were learned: n + 1 for two classes and n features."""
        check_is_fitted(self)
        return int(self.coef_.size + (self.intercept_.size if self.fit_intercept else 0))


class WithProbabilities(LinearNeighbour):
    """One whose scores are log odds: P(class | x) is their σ or softmax."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(class | x), a column a class."""
        return probabilities(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln P(class | x)."""
        return log_probabilities(self.decision_function(X))


def warn_unless_converged(estimator: Any, descent: Descent) -> None:
    """Warns where gradient descent ended before it arrived."""
    if not descent.converged:
        message = descent.message
        if estimator.eta is None:  # then η is not to blame
            message = (
                f"a slope still exceeds {estimator.tol:g} after {descent.steps} steps. Scale the features, for example with "
                "StandardScaler, or take a larger max_iter."
            )
        warnings.warn(f"{type(estimator).__name__}: {message}", ConvergenceWarning, stacklevel=3)
