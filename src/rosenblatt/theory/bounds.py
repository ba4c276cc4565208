"""How many mistakes a learner can make: the theorems, with their conditions.

All of them live in the space in which the bias is the weight of a constant feature 1: θ = (w, b), and |x|² counts the 1.
R is the longest example there, γ the margin y θ*·x ≥ γ of some unit vector θ*. With more than two classes an update moves
two vectors, so its length² is 2|x|², and γ is the margin of the weights of all classes as one unit vector (Kesler's
construction: Nilsson 1965).

>>> from rosenblatt import rules
>>> print(bound_for(rules.Perceptron(), ProblemGeometry(radius=2.0, margin=0.5)))
at most R²/γ² = 16 updates (Block 1962; Novikoff 1962)
>>> print(bound_for(rules.Perceptron(schedule="1/examples"), ProblemGeometry(radius=2.0, margin=0.5)))
no bound: the rate falls as 1/examples, and late updates are too small for the proof of R²/γ²
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TypeVar

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.errors import counted

COUNTABLE = 1e15  # bounds beyond have an exponent
ROUNDING_ROOM = 1e-9  # more than rounding can take from R, γ and R²/γ² together, relative to the bound
Numbers = TypeVar("Numbers", float, np.ndarray)  # one number, or one after every example


@dataclass(frozen=True)
class ProblemGeometry:
    """What the theorems ask about the data and the run."""

    radius: float  # R, the constant feature counted
    margin: float | None  # γ > 0 of a unit vector; None: no such vector is known
    classes: int = 2
    from_zero: bool = True  # the run starts with weights 0
    weighted: bool = False  # examples have weights of their own
    against_rest: bool = False  # with more than two classes: has each its own problem, in the place of a rival?
    mixed: bool = False  # the weights of several shards are mixed

    @property
    def moved_vectors(self) -> int:
        """How many weight vectors an update moves by x: with more than two classes the right one's and the rival's."""
        return 1 if self.classes == 2 else 2

    @property
    def update_norm2(self) -> float:
        """The largest squared length of an update with tau = 1: R², or 2R² with more than two classes."""
        return self.radius**2 * self.moved_vectors

    @property
    def update_symbol(self) -> str:
        """How formulas write it."""
        return "R²" if self.classes == 2 else "2R²"


@dataclass(frozen=True)
class Bound:
    """A theorem with its number for this run."""

    most: float
    counts: str  # what it bounds: updates, mistakes
    formula: str
    source: str
    conditions: tuple[str, ...]

    def __str__(self) -> str:
        counts = self.counts.removesuffix("s") if self.most == 1 else self.counts
        return f"at most {self.formula} = {rounded_up(self.most * (1 - ROUNDING_ROOM), 6)} {counts} ({self.source})"


@dataclass(frozen=True)
class NoBound:
    """Why there is none."""

    because: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"no bound: {self.because}"


def never_too_small(most: float) -> float:
    """A computed bound on a whole number, mended where rounding has pushed it below a whole number that it stands for.

    >>> never_too_small(1.9999999999999993), never_too_small(333.2)
    (2.0, 333.2)
    """
    return max(most, float(math.floor(most * (1 + ROUNDING_ROOM)))) if most < COUNTABLE else most


def at_most(most: float, noun: str = "") -> str:
    """How many there can be at most: a whole number; beyond 10^15, a power of ten that is no smaller.

    >>> at_most(333.2), at_most(333.2, "update"), at_most(1.0, "update"), at_most(1.23401e42, "mistake")
    ('333', '333 updates', '1 update', '1.235e+42 mistakes')
    """
    if most < COUNTABLE:
        number = int(never_too_small(most))
        return counted(number, noun) if noun else f"{number:,}"
    return f"{rounded_up(most, 4)} {noun}s" if noun else rounded_up(most, 4)


def rounded_up(value: float, digits: int = 5) -> str:
    """A number in so many digits that is no smaller.

    >>> rounded_up(0.123401), rounded_up(100.0), rounded_down(0.123499, 4)
    ('0.12341', '100', '0.1234')
    """
    return f"{float(Context(digits, ROUND_CEILING).create_decimal_from_float(value)):.{digits}g}"


def rounded_down(value: float, digits: int = 5) -> str:
    """A number in so many digits that is no larger."""
    return f"{float(Context(digits, ROUND_FLOOR).create_decimal_from_float(value)):.{digits}g}"


NOVIKOFF = "Block 1962; Novikoff 1962"
POTENTIAL = "by lemma 1 of Crammer et al. 2006: docs/convergence.md"
SEPARABLE = ("the weights start at 0", "every margin y θ*·x of some unit vector θ* is at least γ", "every |x| is at most R")


def bound_for(rule: rules.Rule, geometry: ProblemGeometry) -> Bound | NoBound:
    """The theorem about a rule's updates or mistakes on these data, or why there is none."""
    condition = failed_condition(rule, geometry)
    if condition:
        return NoBound(condition)
    try:
        bound = theorem_for(rule, geometry)
    except OverflowError:  # Python's floats raise it for powers
        bound = None
    if bound is None or math.isinf(bound.most):
        return NoBound(f"the margin is so small that {geometry.update_symbol}/γ² is too large for a float")
    return replace(bound, most=never_too_small(bound.most))


def theorem_for(rule: rules.Rule, geometry: ProblemGeometry) -> Bound:
    """The theorem, where its conditions hold."""
    assert geometry.margin is not None
    R, gamma, vectors, letters = geometry.radius, geometry.margin, geometry.moved_vectors, geometry.update_symbol
    if isinstance(rule, rules.Perceptron):
        conditions = (*SEPARABLE, "the rate is constant")
        return Bound(vectors * mistake_bound(R, gamma), "updates", f"{letters}/γ²", NOVIKOFF, conditions)
    if isinstance(rule, rules.Mira):
        formula = f"{letters}/γ²" if rule.p == 0 else f"{letters}/((1−p)γ)²"
        return Bound(vectors * aggressive_bound(R, gamma, rule.p), "updates", formula, POTENTIAL, SEPARABLE)
    assert isinstance(rule, rules.PassiveAggressive)
    longest = math.sqrt(geometry.update_norm2)
    if rule.variant == "I":
        most, formula = pa1_mistakes(longest, 1 / gamma, 0.0, rule.C), f"max({letters}, 1/C)/γ²"
        return Bound(most, "mistakes", formula, "Crammer et al. 2006, theorem 4", SEPARABLE)
    most, formula = pa2_loss(longest, 1 / gamma, 0.0, rule.C), f"({letters} + 1/(2C))/γ²"
    return Bound(most, "mistakes", formula, "Crammer et al. 2006, theorem 5", SEPARABLE)


def failed_condition(rule: rules.Rule, geometry: ProblemGeometry) -> str:
    """The first condition that fails; empty if all hold."""
    if rule.moves_always:
        return f"{rule.name} moves at every example, mistake or not"
    if not isinstance(rule, rules.Perceptron | rules.Mira | rules.PassiveAggressive):
        return f"no theorem about {rule.name} is known here"
    if rule.falling_rate:
        return f"the rate falls as {rule.falling_rate}, and late updates are too small for the proof of R²/γ²"
    if geometry.against_rest:
        return "each class learns against the rest, and the theorem is about one rival"
    if geometry.mixed:
        return "the weights of several shards are mixed, and the theorem is about one run"
    if geometry.weighted:
        return "examples have weights, so updates are not of one size"
    if not geometry.from_zero:
        return "the weights do not start at 0"
    if geometry.margin is None:
        return "no separating weights are known"
    if not geometry.margin > 0:
        return "the data are not separated"
    return ""


def mistake_bound(radius: float, margin: float) -> float:
    """Most mistakes that a perceptron can make on separable data, whatever the order, the rows and the columns.

    M ≤ (R / γ)²   (Block, 1962; Novikoff, 1962)

    >>> mistake_bound(radius=2.0, margin=0.5)
    16.0
    """
    return (radius / margin) ** 2


def aggressive_bound(radius: float, margin: float, p: float) -> float:
    """Most updates of p-aggressive MIRA on separable data; docs/convergence.md derives it.

    M ≤ (R / ((1 − p) γ))²

    With u = θ*/γ, an update at margin m < p brings θ nearer to u: |θ − u|² falls by at least (1 − m)²/|x|² ≥ (1 − p)²/R²,
    and it starts at 1/γ².

    >>> aggressive_bound(radius=2.0, margin=0.5, p=0.5)
    64.0
    """
    return (radius / ((1 - p) * margin)) ** 2


def slack_bound(radius: float, margin: float, slack: Numbers) -> Numbers:
    """Most mistakes of a perceptron after examples that θ*, of length 1, separates with this slack, separable or not.

    M ≤ ((R + D) / γ)²,   D² = Σ max(0, γ − y θ*·x)² over all examples seen      (Freund & Schapire, 1999, theorem 2)

    An example that is shown in every epoch counts in every epoch. An array of D along a run gives the bound along it.

    >>> slack_bound(radius=2.0, margin=0.5, slack=1.0)
    36.0
    """
    return ((radius + slack) / margin) ** 2


def slack(margins: np.ndarray, margin: float) -> np.ndarray:
    """D after every example, from the margins y θ*·x in the order in which the examples came.

    >>> slack(np.array([0.5, -2.5, 0.5, -3.5]), margin=0.5)
    array([0., 3., 3., 5.])
    """
    return np.asarray(np.sqrt(np.cumsum(np.maximum(0, margin - margins) ** 2)))


def best_slack_bound(radius: float, margins: np.ndarray) -> tuple[float, float]:
    """(the least ((R + D)/γ)² over γ, that γ) for these margins y θ*·x of a unit vector.

    With s = 1/γ its root is R s + √Σ max(0, 1 − s y θ*·x)², which is convex in s; s = 0 gives the number of examples.

    >>> most, gamma = best_slack_bound(radius=1.0, margins=np.array([0.5] * 99 + [-0.5]))  # ((1 + 1)/0.5)² = 16 at γ = 0.5
    >>> round(most, 3), round(gamma, 3)
    (15.286, 0.532)
    """

    def root(s: float) -> float:
        return radius * s + math.sqrt(np.sum(np.maximum(0, 1 - s * margins) ** 2))

    low, high = 0.0, math.sqrt(len(margins)) / radius  # beyond, R s alone exceeds what s = 0 gives
    for _ in range(200):  # each cuts a third off
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if root(a) <= root(b) else (a, high)
    s = (low + high) / 2
    return root(s) ** 2, math.inf if s == 0 else 1 / s


def pa_loss(radius: float, length: float) -> float:
    """Most Σ loss² of passive-aggressive steps without a cap, loss = max(0, 1 − margin), where u has loss 0 everywhere.

    Σ loss² ≤ R² |u|²      (Crammer et al., 2006, theorem 2)

    >>> pa_loss(radius=2.0, length=3.0)
    36.0
    """
    return (radius * length) ** 2


def pa1_mistakes(radius: float, length: float, losses: Numbers, C: float) -> Numbers:
    """Most mistakes of PA-I, against any u: `losses` is Σ max(0, 1 − y u·x) over the examples seen, `length` is |u|.

    M ≤ max(R², 1/C) (|u|² + 2C Σ loss of u)      (Crammer et al., 2006, theorem 4)

    >>> pa1_mistakes(radius=2.0, length=1.0, losses=3.0, C=0.5)
    16.0
    """
    return max(radius**2, 1 / C) * (length**2 + 2 * C * losses)


def pa2_loss(radius: float, length: float, losses2: Numbers, C: float) -> Numbers:
    """Most Σ loss² of PA-II, and so most mistakes, against any u: `losses2` is Σ max(0, 1 − y u·x)² over the examples seen.

    Σ loss² ≤ (R² + 1/(2C)) (|u|² + 2C Σ loss² of u)      (Crammer et al., 2006, theorem 5)

    >>> pa2_loss(radius=2.0, length=1.0, losses2=3.0, C=0.5)
    20.0
    """
    return (radius**2 + 1 / (2 * C)) * (length**2 + 2 * C * losses2)
