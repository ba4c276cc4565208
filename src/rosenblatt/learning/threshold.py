"""From which probability on the second of two classes is predicted: one that is given, or chosen on held-out rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.learning.measures import CutCounts

COST = "cost:"


@dataclass(frozen=True)
class Threshold:
    """The second class is predicted from this probability on, which is from this score on."""

    probability: float
    score: float  # the largest float there is where the probability is never reached, less that where always
    chosen: str  # "given", "f1" or "cost:FP,FN"
    view: str  # the weights whose scores these are


def refuse_wrong(wanted: float | str) -> None:
    """Refuses what is neither a probability nor a way to choose one."""
    if isinstance(wanted, str):
        if wanted != "f1":
            costs(wanted)
    elif not 0 < wanted < 1:
        raise SettingError(f"threshold is {wanted}: expected a probability between 0 and 1, 'f1' or 'cost:FP,FN'.")


def costs(wanted: str) -> tuple[float, float]:
    """What a false positive and a false negative cost.

    >>> costs("cost:1,5")
    (1.0, 5.0)
    """
    try:
        false_positive, false_negative = map(float, wanted.removeprefix(COST).split(","))
    except ValueError:
        false_positive = false_negative = math.nan
    if not wanted.startswith(COST) or not (0 < false_positive < math.inf and 0 < false_negative < math.inf):
        raise SettingError(
            f"threshold is {wanted!r}: expected a probability between 0 and 1, 'f1', or 'cost:FP,FN' with what a false "
            "positive and a false negative cost, as cost:1,5."
        )
    return false_positive, false_negative


def choose(wanted: str, codes: np.ndarray, probability: np.ndarray) -> float:
    """The threshold that would have been best on these rows: by F1, or by what mistakes cost.

    It lies halfway between two neighbours, so that a new row need not reach the very probability of one of these. Of equals
    the highest is taken.

    >>> choose("f1", np.array([0, 1, 0, 1]), np.array([0.1, 0.3, 0.4, 0.8]))
    0.2
    >>> choose("cost:5,1", np.array([0, 1, 0, 1]), np.array([0.1, 0.3, 0.4, 0.8]))
    0.6000000000000001
    """
    counts = CutCounts.of(codes == 1, probability)
    cuts = np.concatenate([[1.0], counts.cuts, [0.0]])  # before the first nobody is positive
    if wanted == "f1":
        loss = np.concatenate([[0.0], -counts.f1()])
    else:
        false_positive, false_negative = costs(wanted)
        loss = np.concatenate([[0], counts.false]) * false_positive
        loss += (counts.positives - np.concatenate([[0], counts.true])) * false_negative
    best = int(np.argmin(loss))
    return float((cuts[best] + cuts[best + 1]) / 2)


def least_score(probability_of: Callable[[np.ndarray], np.ndarray], threshold: float) -> float:
    """The least score whose probability reaches the threshold, to the last bit; the largest float if none does.

    >>> least_score(lambda scores: np.clip(scores / 10, 0, 1), 0.3)
    3.0
    """

    def reached(place: int) -> bool:
        return bool(probability_of(np.array([float_at(place)]))[0] >= threshold)

    low, high = place_of(-np.finfo(float).max), place_of(np.finfo(float).max)
    if reached(low):
        return float_at(low)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float_at(high)


def place_of(number: float) -> int:
    """The place of a number among all floats, 0 being that of 0.

    >>> place_of(0.0), place_of(5e-324), place_of(-5e-324), float_at(place_of(-2.5))
    (0, 1, -1, -2.5)
    """
    bits = int(np.float64(abs(number)).view(np.int64))
    return bits if number >= 0 else -bits


def float_at(place: int) -> float:
    """The reverse."""
    size = float(np.int64(abs(place)).view(np.float64))
    return size if place >= 0 else -size
