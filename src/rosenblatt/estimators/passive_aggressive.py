"""Passive-aggressive learning, I and II."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rosenblatt.estimators.linear import LinearClassifier


@dataclass(eq=False, repr=False, kw_only=True)
class PassiveAggressive(LinearClassifier):
    """Passive while the margin is 1 or more; otherwise moves towards margin 1, no further than C lets it.

    I:  tau = min(C, (1 − margin) / |x|²)        II:  tau = (1 − margin) / (|x|² + 1/(2C))

    C: how aggressive.
    variant: "I" or "II".
    The other parameters are those of `rosenblatt.estimators.linear.LinearClassifier`.

    >>> clf = PassiveAggressive(C=0.1, shuffle=False, max_iter=1).fit([[1.0, 1.0], [-1.0, 1.0]], ["no", "yes"])
    >>> clf.coef_
    array([[-0.2,  0. ]])
    """

    C: float = 1.0
    variant: str = "I"
    _learner: ClassVar[str] = "passive-aggressive"
