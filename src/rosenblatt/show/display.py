"""What all displays share: axes of their own or given, and where they are kept."""

from __future__ import annotations

from typing import Any

from rosenblatt.canvas import axes


class Display:
    """A picture: `plot(ax)` draws it and gives the display back, with `ax_` and `figure_`."""

    ax_: Any
    figure_: Any

    def _on(self, ax: Any, size: tuple[float, float] = (6.4, 4.4)) -> Any:
        self.ax_ = axes(ax, size)
        self.figure_ = self.ax_.figure
        return self.ax_
