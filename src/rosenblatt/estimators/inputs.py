"""What goes into an estimator: rows, labels and classes, checked once and only as far as they need it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import is_not
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from rosenblatt.engine.parameters import Anything, declared_in, parameter, refuse_wrong_parameters
from rosenblatt.engine.rows import OneHot, Rows, is_sparse
from rosenblatt.errors import DataError, DivergenceError, LabelError, SettingError
from rosenblatt.estimators.declared import estimator
from rosenblatt.learning.driver import Interrupted
from rosenblatt.learning.examples import Examples, for_classes, refuse_missing


class ReadsSparse(BaseEstimator):  # type: ignore[misc]
    """An estimator that reads sparse rows, too."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@estimator
class Inputs(ReadsSparse):
    """An estimator that reads rows."""

    random_state: Any = parameter(
        None,
        Anything("int, RandomState instance or None"),
        help="Seed of the order of the examples; the same seed gives the same bits everywhere.",
    )

    _attributes: ClassVar[dict[str, str]] = {
        "n_features_in_ : int": "Number of columns seen by `fit`.",
        "feature_names_in_ : ndarray of shape (n_features_in_,)": "Their names, where X has names for its columns.",
    }

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer) and self.random_state >= 0:
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _seed_of_partial_fit(self) -> int:
        """Of random votes: one that is fixed; to draw one would change the caller's random numbers."""
        return self._seed() if isinstance(self.random_state, int | np.integer) else 0

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """Around every fit: refuses wrong parameters, and after an error the estimator is as it was before.

        Of a run that was cut short it has what was learned.
        """
        before = dict(vars(self))
        try:
            self._refuse_wrong_parameters()
            yield
            self._drop_way_back()
        except (DivergenceError, Interrupted):
            self._drop_way_back()
            raise
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            self._go_back()
            raise

    def _go_back(self) -> None:
        """Undoes what a failed fit has changed in place."""

    def _drop_way_back(self) -> None:
        """The last step of a fit: from here on it counts."""

    def _refuse_wrong_parameters(self) -> None:
        """Looks at them once, until one changes: streams come in many small batches."""
        values = tuple(map(vars(self).get, declared_in(type(self))))
        if any(map(is_not, values, vars(self).get("_checked", (self,)))):
            refuse_wrong_parameters(self)
            self._checked = values
            self.__dict__.pop("_partial", None)

    def _rows(self, X: Any, reset: bool, to_learn: bool = True) -> Rows:
        """X, checked and in a form that the engine reads in place."""
        if not reset and self._is_plain(X):
            return Rows(X, to_learn)
        if isinstance(X, OneHot):
            rows = Rows(X)
            if reset:
                self.n_features_in_ = rows.d
            elif rows.d != self.n_features_in_:
                raise DataError(f"X has {rows.d} features, but {type(self).__name__} is expecting {self.n_features_in_}.")
            return rows
        # The loop notices numbers that are not finite by itself.
        return Rows(validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=False), to_learn)

    def _is_plain(self, X: Any) -> bool:
        """Is X what scikit-learn's validation would pass on as it is: an array or CSR of floats, as wide as the first?"""
        if type(X) is not np.ndarray and not (is_sparse(X) and X.format == "csr"):
            return False
        fits = X.ndim == 2 and X.dtype.kind == "f" and X.shape[0] > 0 and X.shape[1] == getattr(self, "n_features_in_", None)
        return fits and not hasattr(self, "feature_names_in_")


def labelled(estimator: Any, X: Any, y: Any, classes: Any, sample_weight: Any, reset: bool) -> Examples:
    """Checked examples of a classification for an estimator with a `class_weight`."""
    if y is None:
        raise SettingError(
            f"requires y to be passed, but the target y is None: {type(estimator).__name__} learns from labels."
        )
    rows = estimator._rows(X, reset=reset)
    labels = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)
    refuse_missing(labels)
    if labels.dtype.kind in "fc":
        check_classification_targets(labels)
    if labels.dtype.kind == "O" and len(labels) and not isinstance(labels[0], str):
        kind = type(labels[0]).__name__
        raise LabelError(
            f"Unknown label type: y is an array of objects that holds {kind}, which scikit-learn's measures do not read. "
            f"Pass y.astype({kind}), or texts."
        )
    if classes is not None and isinstance(estimator.class_weight, str):
        raise SettingError(
            f"class_weight is {estimator.class_weight!r} in partial_fit, which does not see all rows: pass a dict of "
            "label: factor, say of sklearn.utils.class_weight.compute_class_weight('balanced', classes=…, y=…)."
        )
    return for_classes(rows, labels, classes, sample_weight, estimator.class_weight)


def classes_at(known: np.ndarray | None, classes: Any) -> np.ndarray:
    """All classes that partial_fit may meet: named at the first call, the same at every later one."""
    if classes is None:
        if known is None:
            raise SettingError("classes must be passed on the first call to partial_fit: all labels that may occur.")
        return known
    if known is not None and is_same(known, classes):
        return known
    named: np.ndarray = np.unique(column_or_1d(classes))
    if known is not None and not np.array_equal(known, named):
        raise SettingError(f"classes are {named.tolist()}, but were {known.tolist()} at the first call.")
    return named


def is_same(known: np.ndarray, classes: Any) -> bool:
    """Are these the classes known, as an array of the same type? A stream may name them with every batch."""
    if type(classes) is not np.ndarray or classes.dtype != known.dtype or classes.shape != known.shape:
        return False
    return bool((classes == known).all())
