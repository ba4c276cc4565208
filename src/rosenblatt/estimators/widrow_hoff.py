"""The Widrow-Hoff rule (least mean squares), for classes and for numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rosenblatt.estimators.linear import LinearClassifier, LinearRegressor


@dataclass(eq=False, repr=False, kw_only=True)
class WidrowHoff(LinearClassifier):
    """Pulls every score towards ±1: w += rate (y − w·x − b) x.

    eta0: the rate; beyond 2/|x|² the weights overflow, and training says so. None: 0.1/|x|² of the largest row so far.
    learning_rate: "constant", or falling as "1/updates" or "1/examples", where eta0 is given.
    The other parameters are those of all linear learners; see `LinearLearner`.

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
    The other parameters are those of all linear learners; see `LinearLearner`.

    >>> reg = WidrowHoffRegressor(eta0=0.1, max_iter=200, random_state=0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> reg.predict([[3.0]]).round(3)
    array([7.])
    """

    eta0: float | None = None
    learning_rate: str = "constant"
    _learner: ClassVar[str] = "widrow-hoff"
