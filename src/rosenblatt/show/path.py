"""Paths: where every update led the weights, and where gradient descent went (U5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.estimators.neighbours.descent import Descent
from rosenblatt.learning.examples import encode
from rosenblatt.show.canvas import PALETTE, Display, fitted_classes

FARTHEST_SHOWN = 10.0  # a path that leaves its start by more than this is cut


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

    def plot(self, ax: Any = None) -> Self:
        """Draws."""
        ax = self._on(ax)
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
        return self


@dataclass
class DescentDisplay(Display):
    """The path over the contours of f where there are two numbers to find, else f step by step."""

    descent: Descent

    def plot(self, ax: Any = None) -> Self:
        """Draws."""
        ax = self._on(ax)
        if self.descent.path.shape[1:] == (2,):
            self._draw_path()
        else:
            ax.plot(self.descent.values, color=PALETTE[0], label="f")
            ax.set(xlabel="step", ylabel="f")
        ax.set_title(f"Gradient descent, η = {self.descent.eta:g}: {self.descent.steps} steps")
        ax.legend(loc="upper left")
        return self

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
