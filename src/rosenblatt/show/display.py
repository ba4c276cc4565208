"""What all displays share: axes of their own or given, and where they are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.show.canvas import axes


def classes_of(estimator: Any) -> np.ndarray:
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
