"""The share of a class against a number: a dot for every value or group of values, as large as it has rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.show.canvas import PALETTE, Display
from rosenblatt.studies.facts import Fact, Facts
from rosenblatt.studies.pooling import middle

SMALLEST, LARGEST = 12.0, 70.0  # areas of dots


@dataclass
class ShareDisplay(Display):
    """How the share of a class goes with a number; bars are one standard error, √(p (1 − p) / n), to both sides."""

    column: str
    positive: str
    base: float  # the share in all rows
    facts: list[Fact]  # of this column, by value

    @classmethod
    def from_facts(cls, facts: Facts, column: str, ax: Any = None) -> Self:
        """Draws the values of a column of numbers, as `examine_data` has counted or pooled them."""
        own = [fact for fact in facts.values if fact.feature == column and fact.value is not None]
        return cls(column, str(facts.positive), facts.base, sorted(own, key=lambda fact: middle(str(fact.value)))).plot(ax)

    def _draw(self, ax: Any) -> None:
        x = np.array([middle(str(fact.value)) for fact in self.facts])
        share, count = (np.array([getattr(fact, name) for fact in self.facts], dtype=float) for name in ("share", "count"))
        error = np.sqrt(share * (1 - share) / count)
        ax.axhline(self.base, color="0.5", linestyle="--", linewidth=1, label=f"all rows: {100 * self.base:.2f} %")
        ax.errorbar(x, share, yerr=error, fmt="none", ecolor="0.6", elinewidth=1, zorder=1)
        ax.scatter(x, share, s=np.maximum(SMALLEST, LARGEST * count / count.max()), color=PALETTE[0], alpha=0.8, zorder=2)
        ax.set(
            xlabel=self.column,
            ylabel=f"share of {self.positive}",
            title=f"{self.positive} by {self.column}",
            ylim=(-0.04, 1.04),
        )
        ax.legend()
