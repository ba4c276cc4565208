"""The rules of the lectures: frozen dataclasses, one a rule, each with its declared parameters.

A rule says when an example moves the weights, and how far: `tau(margin, norm2)`. The formulas stand once, in formulas.py;
these classes name their parameters and hand them down. Importing them is light: the formulas are loaded when a rule is used.

>>> Perceptron().tau(margin=-2.0, norm2=5.0)
1.0
>>> Mira().tau(margin=-1.0, norm2=4.0)  # (1 − margin) / |x|²: lands on margin 1
0.5
>>> PassiveAggressive(C=0.1).tau(margin=-1.0, norm2=4.0)
0.1
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

from rosenblatt.engine.parameters import Choice, Parameter, Real, Settings, check, parameter
from rosenblatt.errors import SettingError

SCHEDULES = {
    "constant": "CONSTANT",
    "1/updates": "PER_UPDATE",
    "1/examples": "PER_EXAMPLE",
}  # their names among the formulas
OF_SGD = ("invscaling", "optimal")  # as scikit-learn's stochastic gradient descent names them

RATE = {"name": "eta0", "help": "Rate"}
SCHEDULE: dict[str, Any] = {"name": "learning_rate", "help": "How the rate falls"}


class Rule(Settings):
    """What all rules have; see the subclasses for the formulas."""

    name: ClassVar[str]
    moves_always: ClassVar[bool] = False  # also without a mistake: such a run never ends by itself
    second_order: ClassVar[bool] = False  # along Σx, not x: its weights are no sum of rows

    def __post_init__(self) -> None:
        for name, one in self.declared().items():
            check(name, getattr(self, name), one.allowed, one.note)  # by the rule's own names: `from_public` has the others

    def formula(self) -> Any:
        """This rule as the loop takes it."""
        raise TypeError(f"{type(self).__name__} has no formula.")

    def tau(self, margin: float, norm2: float = 1.0, update: int = 1, example: int = 1) -> float:
        """How far an example with this margin and |x|² moves the weights along y x."""
        rule = self.formula()
        rate = rule.rate_at(update, example)
        if rule.schedule == the_formulas().STABLE:
            rate /= norm2
        return float(rule.tau(margin, norm2, rate))

    def moves(self, margin: float) -> bool:
        """Does an example with this margin move the weights?"""
        return bool(self.formula().moves(margin))

    def refuse_rest(self) -> None:
        """Refuses to learn each class against the rest by a rule that moves all of them at every example."""
        if self.moves_always:
            raise SettingError(
                f"multiclass is 'rest', but {self.name} moves every class at every example anyway: take 'rival', or a "
                "mistake-driven rule."
            )

    @property
    def reads_norms(self) -> bool:
        """Does the length of a step depend on |x|², or on x'Σx?"""
        rule = self.formula()
        return bool(rule.divides or rule.schedule == the_formulas().STABLE or self.second_order)

    @property
    def shrinks(self) -> bool:
        """Does every step shrink the weights (L2)? Then they are no sum over the log."""
        return getattr(self, "l2", 0.0) != 0

    @property
    def falling_rate(self) -> str | None:
        """How the rate falls; None where it is constant, or there is none."""
        schedule = getattr(self, "schedule", "constant")
        return None if schedule == "constant" else str(schedule)

    @classmethod
    def parameters(cls) -> dict[str, Parameter]:
        """The declared parameters by their public names."""
        return {one.name: one for one in cls.declared().values()}

    @classmethod
    def from_public(cls, values: dict[str, Any]) -> Rule:
        """The rule with parameters by their public names; the others have their defaults.

        >>> Perceptron.from_public({"eta0": 0.5})
        Perceptron(rate=0.5, schedule='constant')
        """
        field_of = {one.name: field for field, one in cls.declared().items()}
        for name, value in values.items():
            cls.parameters()[name].check(value)  # in the words of this door
        return cls(**{field_of[name]: value for name, value in values.items()})

    def to_public(self) -> dict[str, Any]:
        """The reverse: all parameters by their public names."""
        return {one.name: getattr(self, field) for field, one in self.declared().items()}


def rule_or_default(rule: Rule | None) -> Rule:
    """The rule, or the perceptron's where none is named; an error that shows how a rule is written.

    >>> rule_or_default(None)
    Perceptron(rate=1.0, schedule='constant')
    """
    if rule is None:
        return Perceptron()
    if not isinstance(rule, Rule):
        names = ", ".join(sorted(kind.__name__ for kind in Rule.__subclasses__()))
        raise SettingError(f"rule is {rule!r}: expected one of rosenblatt.rules, say rules.Mira(p=0.5), of {names}.")
    return rule


@dataclass(frozen=True)
class Perceptron(Rule):
    """w += rate y x   if y (w·x + b) ≤ 0      (Rosenblatt, 1958)

    The rate is constant, or falls as 1/updates or 1/examples, both counting the present one.

    >>> Perceptron(rate=6, schedule="1/updates").tau(margin=0, update=3)
    2.0
    """

    rate: float = parameter(1.0, Real(above=0), **RATE)
    schedule: str = parameter("constant", Choice(tuple(SCHEDULES)), **SCHEDULE)
    name: ClassVar[str] = "perceptron"

    def formula(self) -> Any:
        formulas = the_formulas()
        return formulas.Formula(formulas.PERCEPTRON, 0.0, float(self.rate), scheduled(self.schedule))


@dataclass(frozen=True)
class Mira(Rule):
    """w += y x (1 − margin) / |x|²   if margin < p or margin ≤ 0      (Crammer & Singer, 2003)

    The smallest change that gives the example margin 1; p-aggressive for 0 < p < 1.

    >>> Mira(p=0.5).tau(margin=0.25, norm2=3.0)
    0.25
    >>> Mira(p=0).tau(margin=0.25, norm2=3.0)
    0.0
    """

    p: float = parameter(0.0, Real(least=0, below=1), help="Aggressiveness", note="an update lands on margin 1")
    name: ClassVar[str] = "mira"

    def formula(self) -> Any:
        formulas = the_formulas()
        return formulas.Formula(formulas.MIRA, float(self.p))


@dataclass(frozen=True)
class PassiveAggressive(Rule):
    """w += tau y x   if margin < 1      (Crammer et al., 2006)

    I:  tau = min(C, (1 − margin) / |x|²)        II:  tau = (1 − margin) / (|x|² + 1/(2C))

    >>> PassiveAggressive(C=0.5, variant="II").tau(margin=0.0, norm2=3.0)
    0.25
    """

    C: float = parameter(1.0, Real(above=0), help="Aggressiveness")
    variant: str = parameter("I", Choice(("I", "II")), help="How C tames a step")
    name: ClassVar[str] = "passive-aggressive"

    def formula(self) -> Any:
        formulas = the_formulas()
        return formulas.Formula(formulas.PA1 if self.variant == "I" else formulas.PA2, 1.0, C=float(self.C))


@dataclass(frozen=True)
class Arow(Rule):
    """w += tau y Σx   if margin < 1, tau = (1 − margin) / (x'Σx + r); then Σ shrinks along x      (Crammer et al., 2009)

    Adaptive regularisation of weights: Σ, the identity at first, says how uncertain each weight is. What came often is
    nearly settled and moves little; what is rare moves far. Of Σ only the diagonal is kept: that of the paper's update of
    its inverse, Σ⁻¹ += x x'/r, so that Σ_jj ← Σ_jj / (1 + Σ_jj x_j²/r), as Orabona's DOGMA has it. (To drop what is beside
    the diagonal of Σ −= Σx x'Σ / (x'Σx + r) shrinks less; the two are the same for rows of one entry.) `r` is the noise of
    an example: one of weight c has r/c. With a rival, x'Σx is that of both classes, each of which has its own Σ.

    >>> Arow().tau(margin=0.0, norm2=3.0), Arow(r=2).tau(margin=-1.0, norm2=3.0)  # norm2: x'Σx
    (0.25, 0.4)
    """

    r: float = parameter(1.0, Real(above=0), help="Caution")
    name: ClassVar[str] = "arow"
    second_order: ClassVar[bool] = True

    def formula(self) -> Any:
        formulas = the_formulas()
        return formulas.Formula(formulas.AROW, 1.0, r=float(self.r))


@dataclass(frozen=True)
class EpsilonInsensitive(PassiveAggressive):
    """Passive-aggressive regression: w += tau x, towards an error y − w·x − b of epsilon, from which on there is no loss.

    loss = |error| − epsilon      I:  tau = ± min(C, loss / |x|²)        II:  tau = ± loss / (|x|² + 1/(2C))

    >>> EpsilonInsensitive(epsilon=0.5).tau(margin=-2.5, norm2=4.0), EpsilonInsensitive(epsilon=0.5).tau(margin=0.25)
    (-0.5, 0.0)
    """

    epsilon: float = parameter(0.1, Real(least=0), help="Errors that are none")
    name: ClassVar[str] = "epsilon-insensitive"
    moves_always: ClassVar[bool] = True

    def tau(self, margin: float, norm2: float = 1.0, update: int = 1, example: int = 1) -> float:
        """How far an example with this error, in the place of a margin, moves the weights along x."""
        return float(self.formula().pull(margin, norm2, 1.0, 1.0))

    def formula(self) -> Any:
        formulas = the_formulas()
        kind = formulas.PA1 if self.variant == "I" else formulas.PA2
        return formulas.Formula(kind, math.inf, C=float(self.C), epsilon=float(self.epsilon))


@dataclass(frozen=True)
class Logistic(Rule):
    """w ← (1 − rate l2) w + rate σ(−margin) y x      ("soft perceptron": stochastic gradient ascent)

    With more than two classes, class k moves by rate (1[k = y] − p_k), p the softmax of the scores.

    Two schedules are those of scikit-learn's SGD: "invscaling" is rate / t^power at example t, "optimal" 1 / (l2 (t₀ + t))
    without a rate of its own, where t₀ makes the first step as long as a weight may be expected to be (Bottou).

    >>> Logistic(rate=2.0).tau(margin=0.0)
    1.0
    >>> Logistic(schedule="invscaling").tau(margin=0.0, example=4)
    0.025
    >>> round(Logistic(schedule="optimal", l2=1e-4).tau(margin=0.0), 6)
    5.0
    """

    rate: float = parameter(0.1, Real(above=0), **RATE)
    schedule: str = parameter("constant", Choice((*SCHEDULES, *OF_SGD)), **SCHEDULE)
    l2: float = parameter(0.0, Real(least=0), help="Shrinkage")
    power: float = parameter(0.5, Real(least=0), name="power_t", help="How fast invscaling falls")
    name: ClassVar[str] = "logistic"
    moves_always: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.schedule == "optimal" and not 0 < self.l2 < 1:
            raise SettingError(f"l2 is {self.l2!r}: the optimal rate is 1 / (l2 (t₀ + t)), expected 0 < l2 < 1.")
        if self.schedule != "optimal" and not self.l2 * self.rate < 1:
            raise SettingError(
                f"l2 is {self.l2!r}: expected 0 ≤ l2 < 1 / rate, that each step shrinks w and does not flip it."
            )

    def formula(self) -> Any:
        formulas = the_formulas()
        rate, l2 = float(self.rate), float(self.l2)
        if self.schedule == "optimal":
            first = l2**-0.25  # the size that a weight may be expected to have, and the first step's
            return formulas.Formula(formulas.LOGISTIC, math.inf, 1 / l2, formulas.POWER, l2=l2, offset=1 / (l2 * first) - 1)
        if self.schedule == "invscaling":
            return formulas.Formula(formulas.LOGISTIC, math.inf, rate, formulas.POWER, l2=l2, power=float(self.power))
        return formulas.Formula(formulas.LOGISTIC, math.inf, rate, scheduled(self.schedule), l2=l2)


@dataclass(frozen=True)
class WidrowHoff(Rule):
    """w += rate (y − w·x − b) x      (Widrow & Hoff, 1960: least mean squares)

    For labels ±1 that is tau = rate (1 − margin). With more than two classes every score is pulled towards ±1. A rate
    beyond 2/|x|² diverges; without one, it is a tenth of 1/|x|² of the largest row so far, which cannot.

    >>> WidrowHoff(rate=0.1).tau(margin=3.0), WidrowHoff().tau(margin=-1.0, norm2=4.0)
    (-0.2, 0.05)
    """

    rate: float | None = parameter(None, Real(above=0, optional=True), **RATE)
    schedule: str = parameter("constant", Choice(tuple(SCHEDULES)), **SCHEDULE)
    name: ClassVar[str] = "widrow-hoff"
    moves_always: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rate is None and self.schedule != "constant":
            raise SettingError(f"The rate is to fall as {self.schedule}, but none is given: give one.")

    def formula(self) -> Any:
        formulas = the_formulas()
        if self.rate is None:
            return formulas.Formula(formulas.WIDROW_HOFF, math.inf, 0.1, formulas.STABLE)
        return formulas.Formula(formulas.WIDROW_HOFF, math.inf, float(self.rate), scheduled(self.schedule))


def the_formulas() -> ModuleType:
    """The formulas as they run here: numpy and what is compiled are loaded only where a rule is used."""
    from rosenblatt.engine import compiled

    return compiled.formulas


def scheduled(name: str) -> int:
    """The number of a schedule among the formulas."""
    number: int = getattr(the_formulas(), SCHEDULES[name])
    return number
