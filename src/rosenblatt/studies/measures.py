"""How good predictions are: counts, shares, and how sure one can be of them.

>>> found = measure(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 1]), 2)
>>> found.confusion
array([[1, 1],
       [0, 3]])
>>> found.errors, found.accuracy
(1, 0.8)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

NORMAL_95 = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class Measured:
    """Predictions against the truth; everything follows from the confusion matrix (rows: truth, columns: prediction)."""

    confusion: np.ndarray

    @property
    def examples(self) -> int:
        return int(self.confusion.sum())

    @property
    def errors(self) -> int:
        return self.examples - int(np.trace(self.confusion))

    @property
    def error(self) -> float:
        return self.errors / self.examples

    @property
    def accuracy(self) -> float:
        return (self.examples - self.errors) / self.examples

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true error lies, in 95 of 100 such samples."""
        return wilson(self.errors, self.examples)

    @property
    def truths(self) -> np.ndarray:
        """How many examples each class has."""
        counts: np.ndarray = self.confusion.sum(axis=1)
        return counts

    @property
    def predictions(self) -> np.ndarray:
        """How often each class was predicted."""
        counts: np.ndarray = self.confusion.sum(axis=0)
        return counts

    @property
    def precision(self) -> list[float | None]:
        """Per class: the share of its predictions that are right; None if it was never predicted."""
        return shares(np.diag(self.confusion), self.predictions)

    @property
    def recall(self) -> list[float | None]:
        """Per class: the share of its examples that were found; None if there are none."""
        return shares(np.diag(self.confusion), self.truths)


def measure(truth: np.ndarray, predicted: np.ndarray, classes: int) -> Measured:
    """Counts how often each class (a code from 0) was predicted as each."""
    pairs = np.bincount(truth.astype(np.int64) * classes + predicted, minlength=classes**2)
    return Measured(pairs.reshape(classes, classes))


def shares(parts: np.ndarray, wholes: np.ndarray) -> list[float | None]:
    """part / whole, None where there is nothing to divide by.

    >>> shares(np.array([1, 0]), np.array([4, 0]))
    [0.25, None]
    """
    return [int(part) / int(whole) if whole else None for part, whole in zip(parts, wholes, strict=True)]


def wilson(successes: int, trials: int, z: float = NORMAL_95) -> tuple[float, float]:
    """The interval of shares p from which the observed share k/n is at most z standard deviations away.

    (k + z²/2 ± z √(k (n − k) / n + z²/4)) / (n + z²)   (Wilson, 1927)

    It stays within 0 and 1, and has a width even if nothing, or everything, is a success.

    >>> [round(end, 4) for end in wilson(151, 1000)]
    [0.1301, 0.1745]
    >>> wilson(0, 10)[0]
    0.0
    """
    middle = successes + z * z / 2
    half = z * sqrt(successes * (trials - successes) / trials + z * z / 4)
    low, high = (middle - half) / (trials + z * z), (middle + half) / (trials + z * z)
    # In exact arithmetic these ends are 0 and 1; rounding must not push them out.
    return (0.0 if successes == 0 else low), (1.0 if successes == trials else high)
