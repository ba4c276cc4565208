"""The perceptron, last weights or averaged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rosenblatt.estimators.linear import LinearClassifier


@dataclass(eq=False, repr=False, kw_only=True)
class Perceptron(LinearClassifier):
    """w += rate y x at every mistake, y (w·x + b) ≤ 0.

    eta0: the rate; on its own it changes nothing but the length of w.
    learning_rate: "constant", or falling as "1/updates" or "1/examples".
    The other parameters are those of `rosenblatt.estimators.linear.LinearClassifier`.

    >>> clf = Perceptron(shuffle=False).fit([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0])
    >>> clf.coef_, clf.intercept_, clf.n_updates_
    (array([[1.5, 1. ]]), array([-1.]), 3)
    """

    eta0: float = 1.0
    learning_rate: str = "constant"
    _learner: ClassVar[str] = "perceptron"


@dataclass(eq=False, repr=False, kw_only=True)
class AveragedPerceptron(Perceptron):
    """The perceptron that predicts with the mean of (w, b) after every example, the steadier choice on real data.

    >>> clf = AveragedPerceptron(shuffle=False).fit([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0])
    >>> clf.coef_, clf.view("last").coef_
    (array([[1.1875, 1.25  ]]), array([[1.5, 1. ]]))
    """

    average: bool = True
    _learner: ClassVar[str] = "averaged"
