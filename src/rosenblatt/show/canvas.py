"""What all pictures share: colours, axes, and matplotlib, imported only when a picture is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import SettingError

# Colours that people with colour-blind eyes tell apart (Okabe and Ito, 2008); the first two are the two classes.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise SettingError("Pictures need matplotlib: pip install 'rosenblatt[show]'.") from None
    return plt


def axes(ax: Any = None, size: tuple[float, float] = (6.4, 4.4)) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    return pyplot().subplots(figsize=size, layout="constrained")[1]


def fitted_classes(estimator: Any) -> np.ndarray:
    """The classes of a fitted classifier."""
    if not hasattr(estimator, "classes_"):
        raise SettingError(f"This {type(estimator).__name__} has not been fitted: call its fit first.")
    return np.asarray(estimator.classes_)


class Display:
    """A picture: `plot(ax)` draws it and gives the display back, with `ax_` and `figure_`."""

    ax_: Any
    figure_: Any

    def _on(self, ax: Any, size: tuple[float, float] = (6.4, 4.4)) -> Any:
        self.ax_ = axes(ax, size)
        self.figure_ = self.ax_.figure
        return self.ax_
