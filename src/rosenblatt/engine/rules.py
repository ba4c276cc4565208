"""The rules of the lectures: frozen dataclasses, one a rule.

A rule says when an example moves the weights, and how far: `tau(margin, norm2)`. The formulas stand once, in core.py;
these classes name their parameters, check them, and hand them down.

>>> Perceptron().tau(margin=-2.0, norm2=5.0)
1.0
>>> Mira().tau(margin=-1.0, norm2=4.0)  # (1 − margin) / |x|²: lands on margin 1
0.5
>>> PassiveAggressive(C=0.1).tau(margin=-1.0, norm2=4.0)
0.1
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from rosenblatt.engine.compiled import core
from rosenblatt.errors import SettingError

SCHEDULES: dict[str, int] = {"constant": core.CONSTANT, "1/updates": core.PER_UPDATE, "1/examples": core.PER_EXAMPLE}


def positive(name: str, value: float) -> float:
    """A finite number above 0, or an error that names it."""
    number = as_number(name, value)
    if not 0 < number < math.inf:
        raise SettingError(f"{name} is {value!r}: expected a finite number above 0.")
    return number


def as_number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SettingError(f"{name} is {value!r}: expected a number.") from None


class Rule:
    """What all rules have; see the subclasses for the formulas."""

    name: ClassVar[str]
    moves_always: ClassVar[bool] = False  # also without a mistake: such a run never ends by itself

    def in_core(self) -> Any:
        """This rule as the loop takes it."""
        raise TypeError(f"{type(self).__name__} has no formula.")

    def tau(self, margin: float, norm2: float = 1.0, update: int = 1, example: int = 1) -> float:
        """How far an example with this margin and |x|² moves the weights along y x."""
        rule = self.in_core()
        return float(rule.tau(margin, norm2, rule.rate_at(update, example)))

    def moves(self, margin: float) -> bool:
        """Does an example with this margin move the weights?"""
        return bool(self.in_core().moves(margin))

    def settings(self) -> dict[str, Any]:
        """The parameters by name."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


def rule_or_default(rule: Rule | None) -> Rule:
    """The rule, or the perceptron's where none is named; an error that shows how a rule is written.

    >>> rule_or_default(None)
    Perceptron(rate=1.0, schedule='constant')
    """
    if rule is None:
        return Perceptron()
    if not isinstance(rule, Rule):
        named = ", ".join(sorted(kind.__name__ for kind in Rule.__subclasses__()))
        raise SettingError(f"rule is {rule!r}: expected one of rosenblatt.rules, say rules.Mira(p=0.5), of {named}.")
    return rule


@dataclass(frozen=True)
class Perceptron(Rule):
    """w += rate y x   if y (w·x + b) ≤ 0      (Rosenblatt, 1958)

    The rate is constant, or falls as 1/updates or 1/examples, both counting the present one.

    >>> Perceptron(rate=6, schedule="1/updates").tau(margin=0, update=3)
    2.0
    """

    rate: float = 1.0
    schedule: str = "constant"
    name: ClassVar[str] = "perceptron"

    def in_core(self) -> Any:
        return core.Rule(core.PERCEPTRON, 0.0, positive("eta0", self.rate), schedule(self.schedule))


@dataclass(frozen=True)
class Mira(Rule):
    """w += y x (1 − margin) / |x|²   if margin < p or margin ≤ 0      (Crammer & Singer, 2003)

    The smallest change that gives the example margin 1; p-aggressive for 0 < p < 1.

    >>> Mira(p=0.5).tau(margin=0.25, norm2=3.0)
    0.25
    >>> Mira(p=0).tau(margin=0.25, norm2=3.0)
    0.0
    """

    p: float = 0.0
    name: ClassVar[str] = "mira"

    def in_core(self) -> Any:
        p = as_number("p", self.p)
        if not 0 <= p < 1:
            raise SettingError(f"p is {self.p!r}: expected 0 ≤ p < 1 (an update lands on margin 1).")
        return core.Rule(core.MIRA, p)


@dataclass(frozen=True)
class PassiveAggressive(Rule):
    """w += tau y x   if margin < 1      (Crammer et al., 2006)

    I:  tau = min(C, (1 − margin) / |x|²)        II:  tau = (1 − margin) / (|x|² + 1/(2C))

    >>> PassiveAggressive(C=0.5, variant="II").tau(margin=0.0, norm2=3.0)
    0.25
    """

    C: float = 1.0
    variant: str = "I"
    name: ClassVar[str] = "passive-aggressive"

    def in_core(self) -> Any:
        if self.variant not in ("I", "II"):
            raise SettingError(f"variant is {self.variant!r}: expected 'I' or 'II'.")
        return core.Rule(core.PA1 if self.variant == "I" else core.PA2, 1.0, C=positive("C", self.C))


@dataclass(frozen=True)
class Logistic(Rule):
    """w ← (1 − rate l2) w + rate σ(−margin) y x      ("soft perceptron": stochastic gradient ascent)

    With more than two classes, class k moves by rate (1[k = y] − p_k), p the softmax of the scores.

    >>> Logistic(rate=2.0).tau(margin=0.0)
    1.0
    """

    rate: float = 0.1
    schedule: str = "constant"
    l2: float = 0.0
    name: ClassVar[str] = "logistic"
    moves_always: ClassVar[bool] = True

    def in_core(self) -> Any:
        rate, l2 = positive("eta0", self.rate), as_number("l2", self.l2)
        if not 0 <= l2 * rate < 1:
            raise SettingError(
                f"l2 is {self.l2!r}: expected 0 ≤ l2 < 1 / eta0, that each step shrinks w and does not flip it."
            )
        return core.Rule(core.LOGISTIC, math.inf, rate, schedule(self.schedule), l2=l2)


@dataclass(frozen=True)
class WidrowHoff(Rule):
    """w += rate (y − w·x − b) x      (Widrow & Hoff, 1960: least mean squares)

    For labels ±1 that is tau = rate (1 − margin). With more than two classes every score is pulled towards ±1. A rate
    beyond 2/|x|² diverges; without one, it is a tenth of 1/|x|² of the largest row so far, which cannot.

    >>> WidrowHoff(rate=0.1).tau(margin=3.0)
    -0.2
    """

    rate: float | None = None
    schedule: str = "constant"
    name: ClassVar[str] = "widrow-hoff"
    moves_always: ClassVar[bool] = True

    def in_core(self) -> Any:
        if self.rate is None:
            return core.Rule(core.WIDROW_HOFF, math.inf, 0.1, core.STABLE)
        return core.Rule(core.WIDROW_HOFF, math.inf, positive("eta0", self.rate), schedule(self.schedule))


def schedule(name: str) -> int:
    """The core's number for the schedule of this name."""
    if name not in SCHEDULES:
        raise SettingError(f"learning_rate is {name!r}: expected one of {', '.join(map(repr, SCHEDULES))}.")
    return SCHEDULES[name]
