"""What estimators are given: rows, labels, classes and seeds, checked in scikit-learn's way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learning.examples import Examples, for_classes, refuse_missing

ORDERS: dict[bool | str, str] = {True: "shuffled", False: "given"}


@dataclass(eq=False, repr=False, kw_only=True)
class Inputs(BaseEstimator):  # type: ignore[misc]
    """An estimator that reads rows."""

    random_state: Any = None

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer) and self.random_state >= 0:
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _rows(self, X: Any, reset: bool) -> Rows:
        """X, checked and in a form that the engine reads in place."""
        if isinstance(X, OneHot):
            rows = Rows(X)
            if reset:
                self.n_features_in_ = rows.d
            elif rows.d != self.n_features_in_:
                raise DataError(f"X has {rows.d} features, but {type(self).__name__} is expecting {self.n_features_in_}.")
            return rows
        # The loop notices numbers that are not finite by itself.
        return Rows(validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def order_of(shuffle: bool | str) -> str:
    """The engine's name of what `shuffle` asks for."""
    if shuffle not in (True, False, "once", "replacement", "blocks"):
        raise SettingError(f"shuffle is {shuffle!r}: expected True, False, 'once', 'replacement' or 'blocks'.")
    return ORDERS.get(shuffle, str(shuffle))


def labelled(estimator: Any, X: Any, y: Any, classes: Any, sample_weight: Any, reset: bool) -> Examples:
    """Checked examples of a classification for an estimator with a `class_weight`."""
    if y is None:
        raise SettingError(
            f"requires y to be passed, but the target y is None: {type(estimator).__name__} learns from labels."
        )
    rows = estimator._rows(X, reset=reset)
    labels = column_or_1d(y, warn=True)
    refuse_missing(labels)
    if labels.dtype.kind in "fc":
        check_classification_targets(labels)
    return for_classes(rows, labels, classes, sample_weight, estimator.class_weight)


def classes_at(known: np.ndarray | None, classes: Any) -> np.ndarray:
    """All classes that partial_fit may meet: named at the first call, the same at every later one."""
    if classes is None:
        if known is None:
            raise SettingError("classes must be passed on the first call to partial_fit: all labels that may occur.")
        return known
    named: np.ndarray = np.unique(column_or_1d(classes))
    if known is not None and not np.array_equal(known, named):
        raise SettingError(f"classes are {named.tolist()}, but were {known.tolist()} at the first call.")
    return named
