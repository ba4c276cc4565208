"""Gradient descent, step by step (U5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.estimators.neighbours.descent import Descent
from rosenblatt.show.canvas import COLOURS
from rosenblatt.show.display import Display

FAR = 10.0  # a path that leaves its start by more than this is cut


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
            ax.plot(self.descent.values, color=COLOURS[0], label="f")
            ax.set(xlabel="step", ylabel="f")
        ax.set_title(f"Gradient descent, η = {self.descent.eta:g}: {self.descent.steps} steps")
        ax.legend(loc="upper left")
        return self

    def _draw_path(self) -> None:
        path, f, ax = self.descent.path, self.descent.f, self.ax_
        near = path[np.abs(path - path[0]).max(axis=1) <= FAR]
        low, high = near.min(axis=0), near.max(axis=0)
        room = 0.4 * max((high - low).max(), 1e-9)
        a, b = (np.linspace(low[j] - room, high[j] + room, 120) for j in (0, 1))
        heights = np.array([[f(np.array([x, y])) for x in a] for y in b])
        levels = np.geomspace(max(heights.min(), heights.max() * 1e-4), heights.max(), 14)
        ax.contour(a, b, heights, levels=levels, colors="0.75", linewidths=0.8)
        ax.plot(*near.T, ".-", color=COLOURS[0], linewidth=1, markersize=4, label="path")
        ax.plot(*near[0], "o", color=COLOURS[1], label="start")
        ax.plot(*near[-1], "*", color=COLOURS[2], markersize=12, label="end" if len(near) == len(path) else "flies off")
        ax.set(xlabel="θ₁", ylabel="θ₂")
