"""Centring and unit variance: every column gets mean 0 and standard deviation 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import DataError, NotFiniteError
from rosenblatt.features.notes import Notes

COLUMNS_AT_ONCE = 16  # measured together, so that memory is read by the cache line
SAFE_EXPONENT = 400  # numbers below 2^400 have squares far from overflow, their spread far from vanishing above 2^−400
NUMBERS_AT_ONCE = 2**17  # scaled together, so that the doubles in between stay in the cache


def mean_and_sd(x: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation (divided by n) of finite doubles; a constant has sd 0 exactly.

    mean = c + Σ (x − c) / n,   sd² = Σ (x − mean)² / n,   with c a first mean: two passes, so nothing cancels.
    Very large and very small numbers are first multiplied by a power of two, so no square overflows or vanishes. numpy
    adds in one fixed order, whatever the chunks that a table was read in, so the result has the same bits everywhere.

    >>> mean_and_sd(np.array([1e9 + 1, 1e9 + 2, 1e9 + 3]))
    (1000000002.0, 0.816496580927726)
    >>> mean_and_sd(np.array([0.1] * 10))
    (0.1, 0.0)
    """
    if not len(x):
        return 0.0, 0.0
    low, high = float(x.min()), float(x.max())
    if low == high:
        # Rounding in the sum would leave a tiny spread here, which scaling would blow up to noise of size 1.
        return low, 0.0
    x = np.ascontiguousarray(x)
    _, exponent = np.frexp(max(-low, high))
    unit = 0 if abs(exponent) < SAFE_EXPONENT else exponent
    if unit:
        x = np.ldexp(x, -unit)
    mean = x.mean()
    deviation = x - mean
    shift = deviation.mean()
    deviation -= shift
    np.square(deviation, out=deviation)
    return float(np.ldexp(mean + shift, unit)), float(np.ldexp(np.sqrt(deviation.mean()), unit))


def standardise(
    x: np.ndarray, mean: float | np.ndarray, sd: float | np.ndarray, dtype: type[np.floating] = np.float32
) -> np.ndarray:
    """(x − mean) / sd, as float32 unless another type is named; where sd is 0, only centred.

    >>> standardise(np.array([1.0, 3.0]), mean=2.0, sd=1.0)
    array([-1.,  1.], dtype=float32)
    """
    # What overflows becomes infinity, which is refused later, by row and column.
    with np.errstate(over="ignore", invalid="ignore"):
        scaled: np.ndarray = x - mean
        scaled /= np.where(np.equal(sd, 0), 1.0, sd)
        return scaled.astype(dtype, copy=False)


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
