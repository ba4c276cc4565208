"""How far rows lie from the boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.learning.scoring import Model
from rosenblatt.show.canvas import COLOURS
from rosenblatt.show.display import Display, classes_of
from rosenblatt.theory.margins import geometric_margins


@dataclass
class MarginDisplay(Display):
    """A histogram of margins: what lies left of 0 is wrong."""

    margins: np.ndarray
    bins: int = 30
    what: str = "margin"

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, by: str = "w", ax: Any = None) -> Self:
        """Draws the margins of rows X with labels y for a fitted linear classifier, divided by |w| or by="w and b"."""
        model = Model(classes_of(estimator), np.asarray(estimator.coef_), np.asarray(estimator.intercept_))
        drawn = cls(geometric_margins(model, X, y, by))
        drawn.what = "margin by |w|: distance from the boundary" if by == "w" else "margin by |(w, b)|"
        return drawn.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draws."""
        ax = self._on(ax)
        wrong = self.margins <= 0
        edges = np.histogram_bin_edges(self.margins, self.bins)
        if edges[0] < 0 < edges[-1]:  # no bar on both sides of the boundary
            step = edges[1] - edges[0]
            edges = np.arange(np.floor(edges[0] / step), np.ceil(edges[-1] / step) + 1) * step
        ax.hist(self.margins[~wrong], edges, color=COLOURS[0], label=f"right: {int((~wrong).sum()):,}")
        ax.hist(self.margins[wrong], edges, color=COLOURS[1], label=f"wrong: {int(wrong.sum()):,}")
        ax.axvline(0, color="0.2", linewidth=1)
        least = float(self.margins.min())
        ax.axvline(least, color="0.2", linewidth=1, linestyle="--", label=f"margin of the set: {least:.3g}")
        ax.set(xlabel=self.what, ylabel="rows", title="Margins")
        ax.legend()
        return self
