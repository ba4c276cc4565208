"""The log of updates: (t, i, rival, tau) of every change, the dual solution.

Whatever the weights are, they are a sum over the log: w = Σ tau y x for two classes; with more, class y gains tau x and
the rival loses it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Log:
    """Updates in the order in which they happened, 24 bytes each."""

    t: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # examples seen before
    row: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    rival: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))  # -1 with two classes
    tau: np.ndarray = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.t)

    def dual(self, y: np.ndarray, vectors: int = 1) -> np.ndarray:
        """How often each row was added to each vector: w = dual @ X (vectors × rows). `y` are class codes."""
        coefficients = np.zeros((vectors, len(y)))
        if vectors == 1:
            np.add.at(coefficients[0], self.row, self.tau * np.where(y[self.row] == 1, 1.0, -1.0))
        else:
            np.add.at(coefficients, (y[self.row], self.row), self.tau)
            np.add.at(coefficients, (self.rival, self.row), -self.tau)
        return coefficients


class Recorder:
    """Room for the log of one chunk, and the chunks before it."""

    def __init__(self, chunk: int):
        self.buffers = (np.empty(chunk, np.int64), np.empty(chunk, np.int32), np.empty(chunk, np.int32), np.empty(chunk))
        self.chunks: list[tuple[np.ndarray, ...]] = []

    def keep(self, logged: int) -> None:
        """Copies what the loop has written."""
        if logged:
            self.chunks.append(tuple(buffer[:logged].copy() for buffer in self.buffers))

    def log(self) -> Log:
        return Log(*(np.concatenate(parts) for parts in zip(*self.chunks, strict=True))) if self.chunks else Log()
