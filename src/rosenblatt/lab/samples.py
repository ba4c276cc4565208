"""The data of the experiments: bundled, scaled, split, and where wanted with wrong labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from rosenblatt.data import open_known
from rosenblatt.data.splits import at_random


@dataclass(frozen=True)
class Sample:
    """Rows to learn from, and rows to measure on."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    def between(self, positive: Any, other: Any = "") -> Sample:
        """Two classes only: one against another, or against all others (""); labels 1 and 0."""

        def two(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            rows = np.full(len(y), True) if other == "" else (y == positive) | (y == other)
            return X[rows], (y[rows] == positive).astype(int)

        return Sample(*two(self.X, self.y), *two(self.X_test, self.y_test))

    def with_wrong_labels(self, share: float, seed: int) -> Sample:
        """A share of the labels to learn from turned into another class's; those to measure on stay right."""
        rng = np.random.Generator(np.random.PCG64([9, seed]))
        classes = np.unique(self.y)
        places = np.searchsorted(classes, self.y)
        wrong = rng.integers(0, 2**32, len(places)) < share * 2**32
        others = (places + rng.integers(1, len(classes), len(places))) % len(classes)
        return replace(self, y=classes[np.where(wrong, others, places)])


@cache
def load_numbers(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A bundled data set as doubles and labels."""
    data = open_known(name)
    rows = data.rows.to_numpy() if data.kind == "table" else data.rows.reshape(len(data), -1)
    return rows.astype(float), np.asarray(data.labels)


def split_sample(name: str, seed: int, holdout: float = 0.3) -> Sample:
    """A bundled data set, split; centred with unit variance as the rows to learn from have it."""
    X, y = load_numbers(name)
    held_out = at_random(len(y), holdout, seed)
    mean, sd = X[~held_out].mean(axis=0), X[~held_out].std(axis=0)
    X = (X - mean) / np.where(sd > 0, sd, 1)
    return Sample(X[~held_out], y[~held_out], X[held_out], y[held_out])
