"""What all pictures share: colours, axes, and matplotlib, imported only when a picture is asked for."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from rosenblatt.errors import SettingError, needs_parts

# Colours that people with colour-blind eyes tell apart (Okabe and Ito, 2008); the first two are the two classes.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    with needs_parts("A picture"):
        from matplotlib import pyplot as plt

        return plt


def saved(figure: Any, format: str = "svg") -> bytes:
    """A figure as a file's content, `svg` or `png`; the same numbers give the same bytes."""
    content = io.BytesIO()
    with pyplot().rc_context({"svg.hashsalt": "rosenblatt", "svg.fonttype": "path"}):
        figure.savefig(content, format=format, dpi=120, metadata={"Date": None} if format == "svg" else None)
    return content.getvalue()


def fitted_classes(estimator: Any) -> np.ndarray:
    """The classes of a fitted classifier."""
    if not hasattr(estimator, "classes_"):
        raise SettingError(f"This {type(estimator).__name__} has not been fitted: call its fit first.")
    return np.asarray(estimator.classes_)


class Display(ABC):
    """A picture: `plot(ax)` draws it and gives the display back, with `ax_` and `figure_`."""

    ax_: Any
    figure_: Any
    _own_figure: bool

    def plot(self, ax: Any = None) -> Self:
        """Draws on the axes given, or on those of a new figure."""
        self.ax_ = pyplot().subplots(figsize=self._size(), layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        self._own_figure = ax is None
        return self

    def _repr_svg_(self) -> str | None:
        """How a notebook shows it; None where it is drawn into a figure of the user's, which shows itself."""
        if not hasattr(self, "figure_"):
            self.plot()
        if not self._own_figure:
            return None
        pyplot().close(self.figure_)  # else the notebook would show the figure once more
        return saved(self.figure_).decode("utf-8")

    def _size(self) -> tuple[float, float]:
        return 6.4, 4.4

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draws on these axes."""
