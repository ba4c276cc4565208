"""How far predicted numbers are from the truth, beside always predicting the mean of training.

>>> measures = NumberMeasures.of(np.array([1.0, 2.0, 6.0]), np.array([2.0, 2.0, 4.0]), mean=3.0)
>>> measures.mean_absolute_error, measures.mean_squared_error, round(measures.r2, 4)
(1.0, 1.6666666666666667, 0.6429)
>>> measures.of_mean["mean_absolute_error"]
2.0
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class NumberMeasures:
    """Predictions of numbers against the truth."""

    examples: int
    mean_absolute_error: float
    mean_squared_error: float
    r2: float | None  # 1 − Σ (y − ŷ)² / Σ (y − ȳ)²; None where all targets are equal
    of_mean: dict[str, float] | None = field(default=None)  # the same errors of always the mean of training, if known

    @classmethod
    def of(cls, targets: np.ndarray, predicted: np.ndarray, mean: float | None = None) -> NumberMeasures:
        """Of true and predicted numbers; `mean` is that of training."""
        with np.errstate(over="ignore", invalid="ignore"):  # of predictions beyond all bounds the errors are infinite
            return cls._of(targets, predicted, mean)

    @classmethod
    def _of(cls, targets: np.ndarray, predicted: np.ndarray, mean: float | None) -> NumberMeasures:
        errors = targets - predicted
        spread = float(((targets - targets.mean()) ** 2).sum())
        of_mean = None
        if mean is not None:
            of_mean = {
                "mean_absolute_error": float(np.abs(targets - mean).mean()),
                "mean_squared_error": float(((targets - mean) ** 2).mean()),
            }
        r2 = 1 - float((errors**2).sum()) / spread if spread > 0 else None
        return cls(len(targets), float(np.abs(errors).mean()), float((errors**2).mean()), r2, of_mean)

    @property
    def no_better_than_mean(self) -> bool:
        """Is always predicting the mean of training as good, or better?"""
        return self.of_mean is not None and self.mean_squared_error >= self.of_mean["mean_squared_error"]

    def to_dict(self) -> dict[str, Any]:
        """The keys of --json."""
        return {
            "examples": self.examples,
            "mean_absolute_error": self.mean_absolute_error,
            "mean_squared_error": self.mean_squared_error,
            "r2": self.r2,
            "of_mean": self.of_mean,
        }
