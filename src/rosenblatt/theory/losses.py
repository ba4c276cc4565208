"""What a margin costs: the loss functions of the lectures, side by side (H5).

All are functions of the margin m = y (w·x + b), which is positive where the prediction is right.

>>> margins = np.array([-1.0, 0.0, 2.0])
>>> zero_one(margins), perceptron_criterion(margins)  # at 0 the first counts a mistake, the second costs nothing yet
(array([1, 1, 0]), array([1., 0., 0.]))
>>> hinge(margins), squared(margins)
(array([2., 1., 0.]), array([4., 1., 1.]))
>>> logistic(margins).round(4)
array([1.3133, 0.6931, 0.1269])
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def zero_one(margins: np.ndarray) -> np.ndarray:
    """1 for a mistake, margin ≤ 0, else 0: what one wants to be small, and no slope shows the way."""
    return np.where(np.asarray(margins) <= 0, 1, 0)


def perceptron_criterion(margins: np.ndarray) -> np.ndarray:
    """max(0, −m): how far on the wrong side; its slope is the perceptron's update."""
    return np.maximum(0.0, 0.0 - np.asarray(margins))


def hinge(margins: np.ndarray) -> np.ndarray:
    """max(0, 1 − m): wants a margin of 1; MIRA, passive-aggressive learning and support vectors."""
    return np.maximum(0.0, 1.0 - np.asarray(margins))


def logistic(margins: np.ndarray) -> np.ndarray:
    """ln(1 + e^(−m)) = −ln P(y | x) of logistic regression; always wants a little more margin."""
    return np.asarray(np.logaddexp(0.0, -np.asarray(margins)))


def squared(margins: np.ndarray) -> np.ndarray:
    """(1 − m)² = (y − w·x − b)² for labels ±1: linear regression; also fines what is too right."""
    return np.asarray((1.0 - np.asarray(margins)) ** 2)


LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "0/1": zero_one,
    "perceptron criterion": perceptron_criterion,
    "hinge": hinge,
    "logistic": logistic,
    "squared": squared,
}
