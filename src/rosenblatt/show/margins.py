"""How far rows lie from the boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.canvas import COLOURS
from rosenblatt.errors import DataError
from rosenblatt.examples import encode
from rosenblatt.show.display import Display


@dataclass
class MarginDisplay(Display):
    """A histogram of margins: what lies left of 0 is wrong."""

    margins: np.ndarray
    bins: int = 30
    what: str = "margin by |w|: distance from the boundary"

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, bins: int = 30, ax: Any = None) -> Self:
        """Draws the geometric margins of rows X with labels y for a fitted linear classifier."""
        return cls(geometric_margins(estimator, X, y), bins).plot(ax)

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


def geometric_margins(estimator: Any, X: Any, y: Any) -> np.ndarray:
    """y (w·x + b) / |w|; with many classes the least of (s_y − s_k) / |w_y − w_k| over the others."""
    codes = encode(y, np.asarray(estimator.classes_))[1]
    scores, coef = np.asarray(estimator.decision_function(X)), np.asarray(estimator.coef_)
    if not np.any(coef):
        raise DataError("All weights are 0: there is no boundary to measure from.")
    if scores.ndim == 1:
        return scores * np.where(codes == 1, 1.0, -1.0) / np.linalg.norm(coef)  # type: ignore[no-any-return]
    # Not all differences at once: with words they take gigabytes.
    lengths = np.stack([np.linalg.norm(coef - w, axis=1) for w in coef])
    apart = scores[np.arange(len(codes)), codes][:, None] - scores
    margins = np.divide(apart, lengths[codes], out=np.full_like(apart, np.inf), where=lengths[codes] > 0)
    least: np.ndarray = margins.min(axis=1)
    return least
