"""Predictions as a table: a label a row and, where wanted, scores and probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.learning.classifier import Classifier

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class WantedColumns:
    """What is written of each row beside its label."""

    scores: bool = False
    proba: bool = False

    def frame(self, model: Classifier, scores: np.ndarray, labels: list[Any]) -> pl.DataFrame:
        """Label, spelled as in `labels`, and, where wanted, scores and probabilities of each row."""
        import polars as pl

        if model.predicts_numbers:
            return pl.DataFrame({"prediction": pl.Series(scores)})
        names = model.classes.tolist()
        columns = {"prediction": pl.Series(labels).gather(model.model().decide(scores))}
        if self.scores and scores.ndim == 1:
            columns["score"] = pl.Series(scores)
        elif self.scores:
            columns |= {f"score_{label}": pl.Series(scores[:, k]) for k, label in enumerate(names)}
        if self.proba:
            each = model.probabilities(scores)
            columns |= {f"probability_{label}": pl.Series(each[:, k]) for k, label in enumerate(names)}
        return pl.DataFrame(columns)
