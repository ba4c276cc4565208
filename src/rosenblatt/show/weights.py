"""The largest weights as bars (B5: the slope of the score in each feature)."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Self

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.show.canvas import PALETTE, Display, fitted_classes
from rosenblatt.studies.facts import SCALE_RATIO


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

    def plot(self, ax: Any = None) -> Self:
        """Draws."""
        from matplotlib.patches import Patch

        ax = self._on(ax, size=(6.4, 1.6 + 0.26 * len(self.names)))
        places = np.arange(len(self.names))[::-1]
        colours = [PALETTE[1] if weight > 0 else PALETTE[0] for weight in self.weights]
        ax.barh(places, self.weights, color=colours)
        ax.set_yticks(places, self.names)
        ax.axvline(0, color="0.2", linewidth=0.8)
        sides = ((PALETTE[1], f"for {self.label}"), (PALETTE[0], f"against {self.label}"))
        ax.legend(handles=[Patch(color=colour, label=text) for colour, text in sides], loc="best")
        note = "\n" + "\n".join(wrap(self.warning, 60)) if self.warning else ""
        ax.set(xlabel=f"weight{note}", title="Largest weights")
        return self


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
