"""The plane, how the classifier divides it, and how sure it is where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.errors import DataError, SettingError
from rosenblatt.learning.examples import encode
from rosenblatt.learning.scoring import decide
from rosenblatt.show.canvas import MARKERS, PALETTE, Display, fitted_classes

PADDING = 0.12  # of the width of the data, on every side
GRID_SIDE = 200  # points


@dataclass
class BoundaryDisplay(Display):
    """Scores over the plane: shading, boundary, and the street between the classes."""

    across: np.ndarray  # the grid's first feature
    up: np.ndarray  # and its second
    scores: np.ndarray  # up × across for two classes, a last axis of classes for more
    classes: np.ndarray
    X: np.ndarray
    codes: np.ndarray | None = None  # of the rows, if their labels are known
    band: float | None = None  # the street: where |score| is less than this
    what: str = "score"
    names: tuple[str, str] = ("feature 0", "feature 1")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        response: str | Callable[[np.ndarray], np.ndarray] = "decision_function",
        ax: Any = None,
    ) -> Self:
        """Draws a fitted classifier of two features, with rows X and their labels.

        response: what shades the plane: a method of the estimator, or any function of rows, such as the share of votes.
        The street is as wide as the nearest row leaves it; where rows lie on the wrong side it is |score| < 1.
        """
        names = getattr(estimator, "feature_names_in_", None)
        X = np.asarray(X, dtype=float)
        if X.ndim != 2 or X.shape[1] != 2:
            raise DataError(f"X has shape {X.shape}: a boundary is drawn over two features. Fit on two columns first.")
        classes = fitted_classes(estimator)
        ask = getattr(estimator, response, None) if isinstance(response, str) else response
        if ask is None:
            raise SettingError(f"{type(estimator).__name__} has no {response}: pass response='predict', or a function.")
        across, up = (np.linspace(*padded_range(X[:, j]), GRID_SIDE) for j in (0, 1))
        grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        scores = as_scores(np.asarray(ask(grid)), classes)
        display = cls(across, up, scores.reshape(GRID_SIDE, GRID_SIDE, *scores.shape[1:]), classes, X)
        display.names = display.names if names is None else (str(names[0]), str(names[1]))
        by_score = response == "decision_function" and getattr(estimator, "_chosen", None) != "voted"
        display.what = "score" if by_score else "votes" if response == "decision_function" else describe_response(response)
        if y is not None:
            display.codes = encode(y, classes)[1]
            if scores.ndim == 1 and by_score:
                least = float((as_scores(np.asarray(ask(X)), classes) * np.where(display.codes == 1, 1, -1)).min())
                display.band = least if least > 0 else 1.0
        return display.plot(ax)

    def _draw(self, ax: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap, ListedColormap

        if self.scores.ndim == 2:
            shades = LinearSegmentedColormap.from_list("classes", [PALETTE[0], "white", PALETTE[1]])
            most = float(np.quantile(np.abs(self.scores), 0.98)) or 1.0
            mesh = ax.pcolormesh(
                self.across, self.up, self.scores, cmap=shades, vmin=-most, vmax=most, alpha=0.45, rasterized=True
            )
            self.figure_.colorbar(mesh, ax=ax, label=self.what, extend="both")
            self._contour(0.0, "-", "boundary")
            if self.band is not None:
                self._contour(self.band, "--", f"|{self.what}| = {self.band:.3g}")
        else:
            won = decide(self.scores.reshape(-1, self.scores.shape[-1])).reshape(self.scores.shape[:2])
            colours = ListedColormap([PALETTE[code % len(PALETTE)] for code in range(len(self.classes))])
            ax.pcolormesh(
                self.across, self.up, won, cmap=colours, vmin=-0.5, vmax=len(self.classes) - 0.5, alpha=0.2,
                rasterized=True,
            )  # fmt: skip
            for code in range(len(self.classes)):
                if (won == code).any() and not (won == code).all():
                    ax.contour(self.across, self.up, won == code, levels=[0.5], colors="0.2", linewidths=1)
        self._points()
        ax.set(xlabel=self.names[0], ylabel=self.names[1], title="Decision boundary")
        ax.set(xlim=(self.across[0], self.across[-1]), ylim=(self.up[0], self.up[-1]))
        if ax.get_legend_handles_labels()[1]:
            ax.legend(loc="best", framealpha=0.9)

    def _contour(self, level: float, style: str, label: str) -> None:
        levels = [0.0] if level == 0 else [-level, level]
        line_style = {"colors": "0.15", "linestyles": style, "linewidths": 1.5 if level == 0 else 0.8}
        if self.scores.min() < levels[-1] and self.scores.max() > levels[0]:
            self.ax_.contour(self.across, self.up, self.scores, levels=levels, **line_style)
            self.ax_.plot([], [], style, color="0.15", linewidth=line_style["linewidths"], label=label)
            if level:
                self.ax_.contourf(self.across, self.up, self.scores, levels=levels, colors="0.5", alpha=0.2)

    def _points(self) -> None:
        if self.codes is None:
            self.ax_.scatter(*self.X.T, s=18, color="0.3", label="rows")
            return
        for code, label in enumerate(self.classes.tolist()):
            rows = self.X[self.codes == code]
            self.ax_.scatter(
                *rows.T, s=26, color=PALETTE[code % len(PALETTE)], marker=MARKERS[code % len(MARKERS)],
                edgecolor="white", linewidth=0.5, label=str(label), zorder=3,
            )  # fmt: skip


def describe_response(response: object) -> str:
    """What shades the plane, in words.

    >>> describe_response("predict_proba")
    'predict proba'
    """
    name = response if isinstance(response, str) else getattr(response, "__name__", "response")
    return str(name).strip("<>").replace("_", " ")


def padded_range(x: np.ndarray) -> tuple[float, float]:
    """From below the least to above the most.

    >>> padded_range(np.array([0.0, 100.0]))
    (-12.0, 112.0)
    """
    low, high = float(x.min()), float(x.max())
    room = PADDING * (high - low) or 1.0
    return low - room, high + room


def as_scores(values: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Scores, from scores, from probabilities of two classes (centred), or from labels (±1, or one-hot)."""
    if values.ndim == 2:
        return values[:, 1] - 0.5 if values.shape[1] == 2 else values
    if np.isin(values, classes).all() and values.dtype.kind == classes.dtype.kind:
        codes = np.searchsorted(classes, values)
        return 2.0 * codes - 1 if len(classes) == 2 else np.eye(len(classes))[codes]
    return values.astype(float)
