"""What happened in each epoch."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, SupportsIndex, overload

import numpy as np

from rosenblatt.data import markup


@dataclass(frozen=True)
class Epoch:
    """One pass over the examples; held-out errors are None without held-out data."""

    examples: int
    mistakes: int
    updates: int
    norm: float  # |w|
    moved: float | None  # mean |Δ(w, b)| per example, where a tolerance asks for it
    held_out_last: float | None
    held_out_averaged: float | None

    def times(self, unit: float) -> Epoch:
        """The epoch for targets so many times as large: lengths grow with them, squared errors with their square."""

        def scaled(value: float | None, factor: float) -> float | None:
            return None if value is None else value * factor

        return replace(
            self,
            norm=self.norm * unit,
            moved=scaled(self.moved, unit),
            held_out_last=scaled(self.held_out_last, unit * unit),
            held_out_averaged=scaled(self.held_out_averaged, unit * unit),
        )


class History(list[Epoch]):
    """The epochs; `history["mistakes"]` is that number for every epoch.

    >>> history = History([Epoch(4, 2, 2, 1.5, None, None, None), Epoch(4, 0, 0, 1.5, None, None, None)])
    >>> history["mistakes"]
    array([2, 0])
    """

    @overload
    def __getitem__(self, key: SupportsIndex) -> Epoch: ...
    @overload
    def __getitem__(self, key: slice) -> list[Epoch]: ...
    @overload
    def __getitem__(self, key: str) -> np.ndarray: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return np.array([getattr(epoch, key) for epoch in self])
        return super().__getitem__(key)

    def times(self, unit: float) -> History:
        """The epochs of a run on targets that were divided by this unit, as they are without."""
        return History(epoch.times(unit) for epoch in self)

    def __repr__(self) -> str:
        names = [field.name for field in fields(Epoch)]
        lines = ["epoch  " + "  ".join(f"{name:>17}" for name in names)]
        for number, epoch in enumerate(self, start=1):
            values = (getattr(epoch, name) for name in names)
            lines.append(f"{number:5}  " + "  ".join(f"{'' if v is None else format(v, '.7g'):>17}" for v in values))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """How a notebook shows it: the epochs, without what was not measured."""
        names = [field.name for field in fields(Epoch) if any(getattr(epoch, field.name) is not None for epoch in self)]
        rows = ([number, *(getattr(epoch, name) for name in names)] for number, epoch in enumerate(self, start=1))
        return markup.table("History", ["epoch", *(name.replace("_", " ") for name in names)], rows)
