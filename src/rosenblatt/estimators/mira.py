"""MIRA, plain and p-aggressive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rosenblatt.estimators.linear import LinearClassifier


@dataclass(eq=False, repr=False, kw_only=True)
class Mira(LinearClassifier):
    """The smallest change of the weights that gives the example margin 1.

    w += y x (1 − margin) / |x|²   if margin < p or margin ≤ 0

    p: also correct examples that are right by less than p; 0 ≤ p < 1. A larger p gives a larger margin, more slowly.
    The other parameters are those of `rosenblatt.estimators.linear.LinearClassifier`.

    >>> clf = Mira(shuffle=False, max_iter=1).fit([[1.0, 1.0], [-1.0, 1.0]], ["yes", "no"])
    >>> clf.decision_function([[-1.0, 1.0]])  # "no" is the negative class: its margin is 1
    array([-1.])
    """

    p: float = 0.0
    _learner: ClassVar[str] = "mira"
