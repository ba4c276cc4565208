"""The loss functions of the lectures over the margin (H5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.show.canvas import COLOURS
from rosenblatt.show.display import Display
from rosenblatt.theory.losses import LOSSES

STYLES = ("-", "-", "--", "-.", ":")


@dataclass
class LossDisplay(Display):
    """What a margin costs, loss by loss."""

    losses: Sequence[str] = tuple(LOSSES)
    margins: np.ndarray = field(default_factory=lambda: np.linspace(-2.5, 2.5, 501))

    def plot(self, ax: Any = None) -> Self:
        """Draws."""
        strange = [name for name in self.losses if name not in LOSSES]
        if strange:
            raise SettingError(f"There is no loss {strange[0]!r}: choose from {', '.join(LOSSES)}.")
        ax = self._on(ax)
        for name, colour, style in zip(LOSSES, COLOURS, STYLES, strict=False):
            if name in self.losses:
                x, cost = self.margins, LOSSES[name](self.margins).astype(float)
                if name == "0/1":  # a step has no slope: it is not joined
                    x, cost = np.insert(x, x.searchsorted(0.0, "right"), np.nan), np.insert(cost, int(cost.sum()), np.nan)
                ax.plot(x, cost, style, color=colour, label=name)
        ax.axvline(0, color="0.8", linewidth=0.8, zorder=0)
        ax.set(xlabel="margin y (w·x + b)", ylabel="loss", title="What a margin costs", ylim=(-0.1, 4.2))
        ax.legend()
        return self
