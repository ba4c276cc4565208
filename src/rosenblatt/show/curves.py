"""Error against complexity, λ, number of examples, or epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.learning.history import History
from rosenblatt.show.canvas import PALETTE, Display
from rosenblatt.studies.curves import Curve


@dataclass
class CurveDisplay(Display):
    """Training and held-out error, shaded where the middle 80 % of splits lie; the least held-out error is marked."""

    values: np.ndarray
    train: np.ndarray  # splits × values
    held_out: np.ndarray
    what: str = "complexity"
    measure: str = "error"
    log: bool = False
    best: float | None = None  # the value to mark
    overfitting: str | None = None  # on which side of it: "left", "right" or neither

    @classmethod
    def from_curve(cls, curve: Curve, ax: Any = None) -> Self:
        """Draws both lines of a study of overfitting, and marks where overfitting begins."""
        drawn = cls(curve.values, curve.train, curve.held_out, curve.what, curve.measure)
        if curve.simplest is not None:
            drawn.log, drawn.best = curve.what == "λ", curve.best
            drawn.overfitting = "left" if curve.simplest == "right" else "right"
        return drawn.plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draws."""
        ax = self._on(ax)
        for name, errors, colour, style in (
            ("training", self.train, PALETTE[0], "o-"),
            ("held out", self.held_out, PALETTE[1], "s-"),
        ):
            mean = errors.mean(axis=0)
            ax.plot(self.values, mean, style, color=colour, markersize=4, label=name)
            if len(errors) > 1:
                ax.fill_between(self.values, *np.quantile(errors, (0.1, 0.9), axis=0), color=colour, alpha=0.15, linewidth=0)
        if self.log:
            ax.set_xscale("log")
        if self.best is not None:
            ax.axvline(self.best, color="0.3", linestyle="--", linewidth=1, label=f"least held-out error: {self.best:.3g}")
        if self.best is not None and self.overfitting is not None:
            edge = self.values.min() if self.overfitting == "left" else self.values.max()
            ax.axvspan(self.best, edge, color="0.5", alpha=0.12, linewidth=0, label="overfitting")
        title = {"examples": "Learning curve", "λ": "Error against λ"}.get(self.what, f"Error against {self.what}")
        ax.set(xlabel=self.what, ylabel=self.measure, title=title)
        self._widen_axis()
        ax.legend()
        return self

    def _widen_axis(self) -> None:
        """Where the held-out error explodes, the rest should still be seen: the axis goes logarithmic."""
        shown = np.concatenate([self.train.mean(axis=0), self.held_out.mean(axis=0)])
        if shown.min() > 0 and shown.max() > 30 * np.median(shown):
            self.ax_.set_yscale("log")


@dataclass
class HistoryDisplay(Display):
    """Mistakes in training and errors on held-out rows, epoch by epoch."""

    history: History

    @classmethod
    def from_history(cls, history: History, ax: Any = None) -> Self:
        """Draws what a run kept, an estimator's `history_`."""
        return cls(history).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Any = None) -> Self:
        """Draws the history of a fitted estimator."""
        return cls(estimator.history_).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draws."""
        ax = self._on(ax)
        epochs = np.arange(1, len(self.history) + 1)
        share = self.history["mistakes"] / np.maximum(1, self.history["examples"])
        ax.plot(epochs, share, "o-", color=PALETTE[0], markersize=4, label="mistakes in training")
        for key, name, colour, style in (
            ("held_out_last", "held out, last weights", PALETTE[1], "s-"),
            ("held_out_averaged", "held out, averaged", PALETTE[2], "^-"),
        ):
            errors = self.history[key]
            if all(error is not None for error in errors) and len(errors):
                ax.plot(epochs, errors.astype(float), style, color=colour, markersize=4, label=name)
        ax.xaxis.get_major_locator().set_params(integer=True)
        top = max(line.get_ydata().max(initial=0) for line in ax.lines)
        # From 0, and with room above the largest: a twentieth of what is drawn can be less than half a marker.
        ax.set(xlabel="epoch", ylabel="share of examples", title="Training", ylim=(0, 1.06 * top or 1))
        ax.legend()
        return self
