"""Displays of learning: errors, margins, losses, paths and weights.

That of the plane is in `boundary`, those of what people decide by are in `deciding`; all of them are found here.

Each is made by `from_estimator`, `from_history` or its own name, draws with `plot(ax)`, and keeps `ax_` and `figure_`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, Self

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.estimators.neighbours.descent import Descent
from rosenblatt.learning.examples import encode
from rosenblatt.learning.history import History
from rosenblatt.learning.scoring import Model
from rosenblatt.show.boundary import BoundaryDisplay as BoundaryDisplay
from rosenblatt.show.canvas import PALETTE, Display, fitted_classes
from rosenblatt.show.deciding import PrecisionRecallDisplay as PrecisionRecallDisplay
from rosenblatt.show.deciding import ReliabilityDisplay as ReliabilityDisplay
from rosenblatt.show.deciding import RocDisplay as RocDisplay
from rosenblatt.show.shares import ShareDisplay as ShareDisplay
from rosenblatt.studies.curves import Curve
from rosenblatt.studies.facts import SCALE_RATIO
from rosenblatt.theory.losses import LOSSES
from rosenblatt.theory.margins import geometric_margins

LINE_STYLES = ("-", "-", "--", "-.", ":")  # of the losses
FARTHEST_SHOWN = 10.0  # a path that leaves its start by more than this is cut


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

    def _draw(self, ax: Any) -> None:
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

    def _draw(self, ax: Any) -> None:
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

    def _draw(self, ax: Any) -> None:
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


@dataclass
class LossDisplay(Display):
    """What a margin costs, loss by loss."""

    losses: Sequence[str] = tuple(LOSSES)
    margins: np.ndarray = field(default_factory=lambda: np.linspace(-2.5, 2.5, 501))

    def __post_init__(self) -> None:
        unknown = [name for name in self.losses if name not in LOSSES]
        if unknown:
            raise SettingError(f"There is no loss {unknown[0]!r}: choose from {', '.join(LOSSES)}.")

    def _draw(self, ax: Any) -> None:
        for name, colour, style in zip(LOSSES, PALETTE, LINE_STYLES, strict=False):
            if name in self.losses:
                x, cost = self.margins, LOSSES[name](self.margins).astype(float)
                if name == "0/1":  # a step has no slope: it is not joined
                    x, cost = np.insert(x, x.searchsorted(0.0, "right"), np.nan), np.insert(cost, int(cost.sum()), np.nan)
                ax.plot(x, cost, style, color=colour, label=name)
        ax.axvline(0, color="0.8", linewidth=0.8, zorder=0)
        ax.set(xlabel="margin y (w·x + b)", ylabel="loss", title="What a margin costs", ylim=(-0.1, 4.2))
        ax.legend()


@dataclass
class PathDisplay(Display):
    """Two weights, update by update, each step an arrow."""

    path: np.ndarray  # points × 2
    names: tuple[str, str] = ("w₀", "w₁")

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, features: tuple[int, int] = (0, 1), ax: Any = None) -> Self:
        """Draws the weights of two features along a fit from 0 with `keep_log=True` on rows X, two classes."""
        classes, log = fitted_classes(estimator), getattr(estimator, "log_", None)
        if log is None:
            raise SettingError(f"{type(estimator).__name__} kept no log: fit it with keep_log=True.")
        if len(classes) != 2:
            raise SettingError(f"There are {len(classes)} classes, a vector each: the path is drawn for two.")
        codes = encode(y, classes)[1]
        rows = np.asarray(X, dtype=float)[:, list(features)]
        steps = (log.tau * np.where(codes[log.row] == 1, 1.0, -1.0))[:, None] * rows[log.row]
        path = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
        known = getattr(estimator, "feature_names_in_", None)
        names = [f"w of {known[j]}" if known is not None else f"w{j}" for j in features]
        return cls(path, (names[0], names[1])).plot(ax)

    @classmethod
    def from_path(cls, path: Any, names: tuple[str, str] = ("w₀", "w₁"), ax: Any = None) -> Self:
        """Draws any points in the plane, in their order."""
        points = np.asarray(path, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2:
            raise SettingError(f"The path has shape {points.shape}: expected two numbers a point.")
        return cls(points, names).plot(ax)

    def _draw(self, ax: Any) -> None:
        moved = np.diff(self.path, axis=0)
        ax.quiver(
            *self.path[:-1].T, *moved.T, angles="xy", scale_units="xy", scale=1, color=PALETTE[0], width=0.004,
        )  # fmt: skip
        ax.plot([], [], color=PALETTE[0], label=f"{len(moved)} updates")
        ax.plot(*self.path[0], "o", color=PALETTE[2], label="start")
        ax.plot(*self.path[-1], "*", color=PALETTE[1], markersize=12, label="end")
        ax.margins(0.1)
        ax.update_datalim(self.path)
        ax.autoscale_view()
        ax.set(xlabel=self.names[0], ylabel=self.names[1], title="Path of the weights")
        ax.set_aspect("equal", adjustable="datalim")
        ax.legend()


@dataclass
class DescentDisplay(Display):
    """The path over the contours of f where there are two numbers to find, else f step by step."""

    descent: Descent

    def _draw(self, ax: Any) -> None:
        if self.descent.path.shape[1:] == (2,):
            self._draw_path()
        else:
            ax.plot(self.descent.values, color=PALETTE[0], label="f")
            ax.set(xlabel="step", ylabel="f")
        ax.set_title(f"Gradient descent, η = {self.descent.eta:g}: {self.descent.steps} steps")
        ax.legend(loc="upper left")

    def _draw_path(self) -> None:
        path, f, ax = self.descent.path, self.descent.f, self.ax_
        near = path[np.abs(path - path[0]).max(axis=1) <= FARTHEST_SHOWN]
        low, high = near.min(axis=0), near.max(axis=0)
        room = 0.4 * max((high - low).max(), 1e-9)
        a, b = (np.linspace(low[j] - room, high[j] + room, 120) for j in (0, 1))
        heights = np.array([[f(np.array([x, y])) for x in a] for y in b])
        levels = np.geomspace(max(heights.min(), heights.max() * 1e-4), heights.max(), 14)
        ax.contour(a, b, heights, levels=levels, colors="0.75", linewidths=0.8)
        ax.plot(*near.T, ".-", color=PALETTE[0], linewidth=1, markersize=4, label="path")
        ax.plot(*near[0], "o", color=PALETTE[1], label="start")
        ax.plot(*near[-1], "*", color=PALETTE[2], markersize=12, label="end" if len(near) == len(path) else "flies off")
        ax.set(xlabel="θ₁", ylabel="θ₂")


@dataclass
class WeightsDisplay(Display):
    """Weights, largest first; positive ones speak for the class."""

    weights: np.ndarray
    names: list[str]
    label: str
    warning: str | None = None  # why sizes cannot be compared

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, names: Any = None, label: Any = None, top: int = 20, ax: Any = None
    ) -> Self:
        """Draws the largest weights of a fitted linear classifier.

        X: the rows that it was fitted on; where their features differ in scale, the picture says so.
        names: of the features; label: of the class, where there are more than two.
        """
        classes = list(fitted_classes(estimator).tolist())
        coef = np.atleast_2d(estimator.coef_)
        label = classes[-1] if label is None else label
        if label not in classes:
            raise SettingError(f"There is no class {label!r}: choose from {', '.join(map(repr, classes))}.")
        row = coef[classes.index(label)] if len(coef) > 1 else coef[0] if label == classes[1] else -coef[0]
        if names is None:
            names = getattr(estimator, "feature_names_in_", [f"feature {j}" for j in range(len(row))])
        names = [str(name) for name in names]
        order = np.argsort(-np.abs(row), kind="stable")[:top]
        display = cls(row[order], [names[j] for j in order.tolist()], str(label))
        display.warning = None if X is None else scale_warning(X, names)
        return display.plot(ax)

    def _size(self) -> tuple[float, float]:
        return 6.4, 1.6 + 0.26 * len(self.names)

    def _draw(self, ax: Any) -> None:
        from matplotlib.patches import Patch

        places = np.arange(len(self.names))[::-1]
        colours = [PALETTE[1] if weight > 0 else PALETTE[0] for weight in self.weights]
        ax.barh(places, self.weights, color=colours)
        ax.set_yticks(places, self.names)
        ax.axvline(0, color="0.2", linewidth=0.8)
        sides = ((PALETTE[1], f"for {self.label}"), (PALETTE[0], f"against {self.label}"))
        ax.legend(handles=[Patch(color=colour, label=text) for colour, text in sides], loc="best")
        note = "\n" + "\n".join(wrap(self.warning, 60)) if self.warning else ""
        ax.set(xlabel=f"weight{note}", title="Largest weights")


def scale_warning(X: Any, names: list[str]) -> str | None:
    """Why weights cannot be compared where the spread of features differs tenfold.

    >>> scale_warning(np.array([[0.0, 0.0], [1.0, 1000.0]]), ["age", "income"])
    'Scales differ (sd of age 0.5, of income 500): sizes of weights cannot be compared.'
    """
    if hasattr(X, "toarray"):
        mean = np.asarray(X.mean(axis=0)).ravel()
        sd = np.sqrt(np.maximum(np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2, 0.0))
    else:
        sd = np.asarray(X, dtype=float).std(axis=0)
    varies = np.flatnonzero(sd > 0)
    if not len(varies) or sd[varies].max() <= SCALE_RATIO * sd[varies].min():
        return None
    low, high = (int(varies[pick(sd[varies])]) for pick in (np.argmin, np.argmax))
    spread = f"sd of {names[low]} {sd[low]:.3g}, of {names[high]} {sd[high]:.3g}"
    return f"Scales differ ({spread}): sizes of weights cannot be compared."
