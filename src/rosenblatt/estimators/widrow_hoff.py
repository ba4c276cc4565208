"""The Widrow-Hoff rule (least mean squares), for classes and for numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from rosenblatt.errors import SettingError
from rosenblatt.estimators.linear import LinearClassifier, LinearLearner
from rosenblatt.learning.examples import RegressionExamples, for_regression


@dataclass(eq=False, repr=False, kw_only=True)
class LinearRegressor(RegressorMixin, LinearLearner):  # type: ignore[misc]
    """A learner that predicts a number."""

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Learns from rows X with targets y, from 0 or from the initial weights given."""
        with self._unchanged_on_error():
            plan = self._plan(self._seed())
            examples = self._examples(X, y, sample_weight, reset=True)
            return self._fit(examples, self._start(examples, coef_init, intercept_init), plan)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from these rows, once and in the order given."""
        with self._unchanged_on_error():
            return self._partial_fit(self._examples(X, y, sample_weight, reset=not hasattr(self, "training_")))

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> RegressionExamples:
        if y is None:
            raise SettingError(
                f"requires y to be passed, but the target y is None: {type(self).__name__} learns from targets."
            )
        return for_regression(self._rows(X, reset=reset), column_or_1d(y, warn=True), sample_weight)

    @property
    def coef_(self) -> np.ndarray:
        """Weights, one a feature."""
        coef: np.ndarray = self._linear.coef[0]
        return coef

    @property
    def intercept_(self) -> np.ndarray:
        """The bias."""
        return self._linear.intercept

    def predict(self, X: Any) -> np.ndarray:
        """w·x + b of each row."""
        return self._scores(X)


@dataclass(eq=False, repr=False, kw_only=True)
class WidrowHoff(LinearClassifier):
    """Pulls every score towards ±1: w += rate (y − w·x − b) x.

    eta0: the rate; beyond 2/|x|² the weights overflow, and training says so. None: 0.1/|x|² of the largest row so far.
    learning_rate: "constant", or falling as "1/updates" or "1/examples", where eta0 is given.
    The other parameters are those of `rosenblatt.estimators.linear.LinearClassifier`.

    >>> clf = WidrowHoff(eta0=0.1, shuffle=False, max_iter=1).fit([[1.0], [-1.0]], ["up", "down"])
    >>> clf.coef_, clf.intercept_  # steps (−1 − 0)·0.1 and (1 − 0)·0.1: "down" is the negative class
    (array([[0.2]]), array([0.]))
    """

    eta0: float | None = None
    learning_rate: str = "constant"
    _learner: ClassVar[str] = "widrow-hoff"


@dataclass(eq=False, repr=False, kw_only=True)
class WidrowHoffRegressor(LinearRegressor):
    """Linear regression, one example at a time: w += rate (y − w·x − b) x.

    eta0, learning_rate: as for `WidrowHoff`.
    The other parameters are those of `rosenblatt.estimators.linear.LinearLearner`.

    >>> reg = WidrowHoffRegressor(eta0=0.1, max_iter=200, random_state=0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> reg.predict([[3.0]]).round(3)
    array([7.])
    """

    eta0: float | None = None
    learning_rate: str = "constant"
    _learner: ClassVar[str] = "widrow-hoff"
