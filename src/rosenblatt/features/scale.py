"""Centring and unit variance: every column gets mean 0 and standard deviation 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import DataError, NotFiniteError
from rosenblatt.features.notes import Notes
from rosenblatt.features.table.numbers import mean_and_sd, standardise

COLUMNS_AT_ONCE = 16  # measured together, so that memory is read by the cache line
NUMBERS_AT_ONCE = 2**17  # scaled together, so that the doubles in between stay in the cache


class Scale:
    """Centres dense columns and gives them unit variance.

    >>> scale = Scale().fit(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> scale.transform(np.array([[1.0, 5.0], [4.0, 6.0]]))
    array([[-1.,  0.],
           [ 2.,  1.]], dtype=float32)
    """

    def __init__(self) -> None:
        self.mean = self.sd = np.zeros(0)
        self.notes = Notes()

    def fit(self, rows: Any) -> Scale:
        X = self._dense(rows)
        if not len(X):
            raise DataError("There are no rows to compute mean and variance from.")
        pairs = []
        for start in range(0, X.shape[1], COLUMNS_AT_ONCE):
            block = np.ascontiguousarray(X[:, start : start + COLUMNS_AT_ONCE].T, dtype=np.float64)
            if not np.isfinite(block).all():
                column, row = (int(place[0]) for place in np.nonzero(~np.isfinite(block)))
                column += start
                raise NotFiniteError(
                    f"Row {row}, column {column} is not finite: fill in or drop such values first.", row, column
                )
            pairs += [mean_and_sd(column) for column in block]
        self.mean, self.sd = np.array(pairs, dtype=np.float64).reshape(-1, 2).T.copy()
        return self

    def transform(self, rows: Any, numbers_at_once: int = NUMBERS_AT_ONCE) -> np.ndarray:
        X = self._dense(rows)
        if X.shape[1] != len(self.mean):
            raise DataError(f"There are {X.shape[1]} columns: training had {len(self.mean)}.")
        out = np.empty(X.shape, dtype=np.float32)
        rows_at_once = max(1, numbers_at_once // max(1, X.shape[1]))
        for start in range(0, len(X), rows_at_once):
            some = slice(start, start + rows_at_once)
            out[some] = standardise(X[some], self.mean, self.sd)
        self.notes = Notes(rows=len(X))
        return out

    @property
    def names(self) -> list[str]:
        return [f"column {j}" for j in range(len(self.mean))]

    @property
    def n_features(self) -> int:
        return len(self.mean)

    def to_json(self) -> dict[str, Any]:
        return {"map": "scale", "mean": self.mean.tolist(), "sd": self.sd.tolist()}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> Scale:
        scale = cls()
        scale.mean, scale.sd = (np.array(saved[key], dtype=np.float64) for key in ("mean", "sd"))
        return scale

    @staticmethod
    def _dense(rows: Any) -> np.ndarray:
        X = np.asarray(rows)
        if X.ndim != 2 or X.dtype.kind not in "fiub":
            raise DataError(f"Expected a dense table of numbers, got {X.ndim} dimension(s) of {X.dtype}.")
        return X
