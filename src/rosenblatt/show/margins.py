"""How far rows lie from the boundary, and what the losses of the lectures make a margin cost (H5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.learning.scoring import Model
from rosenblatt.show.canvas import PALETTE, Display, fitted_classes
from rosenblatt.theory.losses import LOSSES
from rosenblatt.theory.margins import geometric_margins

LINE_STYLES = ("-", "-", "--", "-.", ":")


@dataclass
class MarginDisplay(Display):
    """A histogram of margins: what lies left of 0 is wrong."""

    margins: np.ndarray
    bins: int = 30
    what: str = "margin"

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, by: str = "w", ax: Any = None) -> Self:
        """Draws the margins of rows X with labels y for a fitted linear classifier, divided by |w| or by="w and b"."""
        model = Model(fitted_classes(estimator), np.asarray(estimator.coef_), np.asarray(estimator.intercept_))
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
        ax.hist(self.margins[~wrong], edges, color=PALETTE[0], label=f"right: {int((~wrong).sum()):,}")
        ax.hist(self.margins[wrong], edges, color=PALETTE[1], label=f"wrong: {int(wrong.sum()):,}")
        ax.axvline(0, color="0.2", linewidth=1)
        least = float(self.margins.min())
        ax.axvline(least, color="0.2", linewidth=1, linestyle="--", label=f"margin of the set: {least:.3g}")
        ax.set(xlabel=self.what, ylabel="rows", title="Margins")
        ax.legend()
        return self


@dataclass
class LossDisplay(Display):
    """What a margin costs, loss by loss."""

    losses: Sequence[str] = tuple(LOSSES)
    margins: np.ndarray = field(default_factory=lambda: np.linspace(-2.5, 2.5, 501))

    def plot(self, ax: Any = None) -> Self:
        """Draws."""
        unknown = [name for name in self.losses if name not in LOSSES]
        if unknown:
            raise SettingError(f"There is no loss {unknown[0]!r}: choose from {', '.join(LOSSES)}.")
        ax = self._on(ax)
        for name, colour, style in zip(LOSSES, PALETTE, LINE_STYLES, strict=False):
            if name in self.losses:
                x, cost = self.margins, LOSSES[name](self.margins).astype(float)
                if name == "0/1":  # a step has no slope: it is not joined
                    x, cost = np.insert(x, x.searchsorted(0.0, "right"), np.nan), np.insert(cost, int(cost.sum()), np.nan)
                ax.plot(x, cost, style, color=colour, label=name)
        ax.axvline(0, color="0.8", linewidth=0.8, zorder=0)
        ax.set(xlabel="margin y (w·x + b)", ylabel="loss", title="What a margin costs", ylim=(-0.1, 4.2))
        ax.legend()
        return self
