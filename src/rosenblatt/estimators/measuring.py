"""Any scikit-learn estimator, fitted on some rows and measured on others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier


def measure_of(estimator: Any) -> str:
    """What `fit_and_measure` gives for this estimator."""
    return "error rate" if is_classifier(estimator) else "root mean squared error"


def fit_and_measure(estimator: Any, X: Any, y: np.ndarray, inside: np.ndarray, outside: np.ndarray) -> tuple[float, float]:
    """The error of a clone in training and on held-out rows: the share of wrong labels, or √(mean squared difference)."""
    fitted = clone(estimator).fit(X[inside], y[inside])
    in_training, held_out = (_error(estimator, fitted.predict(X[rows]), y[rows]) for rows in (inside, outside))
    return in_training, held_out


def _error(estimator: Any, predicted: np.ndarray, wanted: np.ndarray) -> float:
    if is_classifier(estimator):
        return float(np.mean(predicted != wanted))
    return float(np.sqrt(np.mean((predicted - wanted) ** 2)))
