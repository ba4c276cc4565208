"""Mean and spread of a column of numbers, in one pass and in parts: what a stream and a cluster learn is what memory gives.

Numbers are taken in blocks of one size, whatever the parts that they come in, and the blocks are merged in their order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

BLOCK = 2**14  # numbers: so few that they stay in the processor's cache
SAFE_EXPONENT = 400  # numbers below 2^400 have squares far from overflow, their spread far from vanishing above 2^−400


def mean_and_sd(x: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation (divided by n) of finite doubles; a constant has sd 0 exactly.

    >>> mean_and_sd(np.array([1e9 + 1, 1e9 + 2, 1e9 + 3]))
    (1000000002.0, 0.816496580927726)
    >>> mean_and_sd(np.array([0.1] * 10))
    (0.1, 0.0)
    """
    moments = Moments.of(x)
    return moments.mean, moments.sd


@dataclass(frozen=True)
class Moments:
    """Of a column of numbers: how many are known, mean and standard deviation, both ends, and whether one is missing."""

    n: int = 0
    mean: float = 0.0
    sd: float = 0.0
    low: float = math.inf
    high: float = -math.inf
    missing: bool = False

    @classmethod
    def of(cls, x: np.ndarray) -> Moments:
        """Of doubles, nan where missing.

        >>> Moments.of(np.array([1.0, np.nan, 3.0]))
        Moments(n=2, mean=2.0, sd=1.0, low=1.0, high=3.0, missing=True)
        """
        column = MomentsFit()
        column.add(x)
        return column.finish()

    @classmethod
    def of_block(cls, x: np.ndarray) -> Moments:
        """Of so few that numpy adds them up at once.

        mean = c + Σ (x − c) / n,   sd² = Σ (x − mean)² / n,   with c a first mean: two passes, so nothing cancels.
        Very large and very small numbers are first multiplied by a power of two, so no square overflows or vanishes.
        """
        low, high = float(np.min(x, initial=math.inf)), float(np.max(x, initial=-math.inf))
        if math.isnan(low):  # as both are where one is missing
            return replace(cls.of_block(x[~np.isnan(x)]), missing=True)
        if low >= high:
            # Rounding in the sum would leave a tiny spread here, which scaling would blow up to noise of size 1.
            return cls(len(x), low, 0.0, low, high) if len(x) else cls()
        _, exponent = np.frexp(max(-low, high))
        unit = 0 if abs(exponent) < SAFE_EXPONENT else exponent
        x = np.ldexp(x, -unit) if unit else np.ascontiguousarray(x)
        mean = np.add.reduce(x) / len(x)
        shift = np.add.reduce(x - mean) / len(x)
        variance = np.add.reduce(np.square(x - mean - shift)) / len(x)
        return cls(len(x), float(np.ldexp(mean + shift, unit)), float(np.ldexp(np.sqrt(variance), unit)), low, high)

    def merged(self, other: Moments) -> Moments:
        """Of both together (Chan, Golub and LeVeque, 1979).

        >>> Moments.of(np.array([1.0, 3.0])).merged(Moments.of(np.array([8.0, 10.0, 12.0])))
        Moments(n=5, mean=6.8, sd=4.166533331199932, low=1.0, high=12.0, missing=False)
        """
        missing = self.missing or other.missing
        if not self.n or not other.n:
            return replace(self if self.n else other, missing=missing)
        n = self.n + other.n
        ours, theirs, apart = self.n / n, other.n / n, other.mean - self.mean
        # hypot: the root of the sum of squares, of which none overflows or vanishes.
        sd = math.hypot(math.sqrt(ours) * self.sd, math.sqrt(theirs) * other.sd, math.sqrt(ours * theirs) * apart)
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Moments(n, self.mean + theirs * apart, sd, low, high, missing)


class MomentsFit:
    """Moments of a column that comes in parts.

    >>> column = MomentsFit()
    >>> for part in ([1.0, np.nan], [3.0]):
    ...     column.add(np.array(part))
    >>> column.finish() == Moments.of(np.array([1.0, np.nan, 3.0]))
    True
    """

    def __init__(self, block: int = BLOCK) -> None:
        self.block, self.merged, self.left = block, Moments(), np.empty(0)

    def add(self, x: np.ndarray) -> None:
        """Some more doubles, nan where missing."""
        if len(self.left):
            some, x = x[: self.block - len(self.left)], x[self.block - len(self.left) :]
            self.left = np.concatenate([self.left, some])
            if len(self.left) < self.block:
                return
            self.merged = self.merged.merged(Moments.of_block(self.left))
        whole = len(x) - len(x) % self.block
        for start in range(0, whole, self.block):
            self.merged = self.merged.merged(Moments.of_block(x[start : start + self.block]))
        self.left = x[whole:].copy()  # no view, which would hold all of x

    def finish(self) -> Moments:
        """Of all of them."""
        return self.merged.merged(Moments.of_block(self.left))
