"""Learners of numbers as scikit-learn estimators: the same loop, with targets in the place of labels."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from rosenblatt.engine import rules
from rosenblatt.engine.parameters import Choice, parameter
from rosenblatt.errors import SettingError
from rosenblatt.estimators.declared import declared_by, estimator
from rosenblatt.estimators.learners import FALLING, HOW_AGGRESSIVE, RATE_OF_SQUARES
from rosenblatt.estimators.linear import LinearLearner
from rosenblatt.learning.examples import RegressionExamples, for_regression


@estimator
class LinearRegressor(RegressorMixin, LinearLearner):  # type: ignore[misc]
    """A learner of numbers."""

    _attributes: ClassVar[dict[str, str]] = {
        "coef_ : ndarray of shape (n_features,)": "Weights; read-only.",
        "intercept_ : ndarray of shape (1,)": "The bias; read-only.",
    }

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Learns from rows X with targets y, from 0 or from the initial weights given."""
        with self._learning():
            plan = self._plan(self._seed())
            examples = self._examples(X, y, sample_weight, reset=True)
            return self._fit(examples, self._start(examples, coef_init, intercept_init), self._rule(), plan)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from these rows, once and in the order given."""
        with self._learning():
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
        return self._shown(self._linear.coef[0])  # type: ignore[no-any-return]

    @property
    def intercept_(self) -> np.ndarray:
        """The bias."""
        return self._linear.intercept

    def predict(self, X: Any) -> np.ndarray:
        """w·x + b of each row."""
        return self._scores(X)


@estimator
class WidrowHoffRegressor(LinearRegressor):
    """Linear regression, one example at a time: w += rate (y − w·x − b) x.

    >>> reg = WidrowHoffRegressor(eta0=0.1, max_iter=200, random_state=0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> reg.predict([[3.0]]).round(3)
    array([7.])
    """

    eta0: float | None = declared_by(rules.WidrowHoff, "eta0", RATE_OF_SQUARES)
    learning_rate: str = declared_by(rules.WidrowHoff, "learning_rate", f"{FALLING} It falls only where eta0 is given.")
    _learner: ClassVar[str] = "widrow-hoff"


@estimator
class PassiveAggressiveRegressor(LinearRegressor):
    """Passive while the error is at most epsilon; otherwise moves until it is, no further than C lets it.

    w += ± tau x, loss = |y − w·x − b| − epsilon      (Crammer et al., 2006)

    I:  tau = min(C, loss / |x|²)        II:  tau = loss / (|x|² + 1/(2C))

    The name and the parameters are those that scikit-learn had until its version 1.10.

    >>> reg = PassiveAggressiveRegressor(epsilon=0.0, max_iter=200).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> reg.predict([[3.0]]).round(3)
    array([7.])
    """

    C: float = declared_by(rules.EpsilonInsensitive, "C", HOW_AGGRESSIVE)
    epsilon: float = declared_by(rules.EpsilonInsensitive, "epsilon", "Errors up to this much are none.")
    loss: str = parameter(
        "epsilon_insensitive",
        Choice(("epsilon_insensitive", "squared_epsilon_insensitive")),
        help='"epsilon_insensitive" is PA-I, "squared_epsilon_insensitive" PA-II.',
    )

    def _rule(self) -> rules.Rule:
        variant = "I" if self.loss == "epsilon_insensitive" else "II"
        return rules.EpsilonInsensitive(C=self.C, variant=variant, epsilon=self.epsilon)
