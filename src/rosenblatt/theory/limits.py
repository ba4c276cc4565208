"""What ends a search for a proof: counted work, and the user's seconds where some are given."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

RESERVE = 0.01  # of the user's seconds, for the last step and the answer


@dataclass(frozen=True)
class SearchLimits:
    """How far a search goes.

    Without `seconds` only counted work ends it, so that a busy machine gives the same answer as an idle one. With them,
    whatever is not done in time is left out, and where nothing was decided by then the certificate is undecided.
    """

    end: float = math.inf  # of the user's seconds, as time.perf_counter() tells the time
    # Multiplications in one step of the interior-point method: it takes some twenty steps, and does about 10^9 a second.
    solver_work: float = 5e7  # up to which the solver gets all rows at once
    round_work: float = 5e8  # up to which it gets a working set
    exact_work: float = 2e10  # of exact arithmetic, for one combination: beyond, a bound on rounding is tried first
    perceptron_epochs: int = 200  # where there is no end
    rounds: int = 60  # of the working set

    @classmethod
    def within(cls, seconds: float | None) -> SearchLimits:
        """The usual limits, and an end after so many seconds; None: without end."""
        return cls() if seconds is None else cls(time.perf_counter() + seconds * (1 - RESERVE))

    def part(self, share: float) -> SearchLimits:
        """These limits with this share of the seconds that are left."""
        return replace(self, end=time.perf_counter() + share * self.left()) if self.timed else self

    @property
    def timed(self) -> bool:
        return math.isfinite(self.end)

    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self.end - time.perf_counter())

    def seconds_left(self) -> float | None:
        """Seconds left, for a solver: None, as many as it takes."""
        return self.left() if self.timed else None
