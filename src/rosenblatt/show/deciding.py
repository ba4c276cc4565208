"""Displays of what people decide by: the ROC curve, precision by recall, and what probabilities promise.

Two classes have one line, of the second; of more, each class has one against the rest, the hardest first.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import encode
from rosenblatt.learning.measures import CutCounts, Reliability, ScoredRows, one_against_rest
from rosenblatt.learning.threshold import Threshold
from rosenblatt.show.canvas import PALETTE, Display, fitted_classes

SHARES = {"xticks": np.linspace(0, 1, 6), "yticks": np.linspace(0, 1, 6)}  # on the axes
MOST_LINES = 5  # of classes, one against the rest
MOST_POINTS = 400  # of a line: what no eye can tell apart is not drawn


def scored_by(estimator: Any, X: Any, y: Any, probabilities: bool = False) -> tuple[ScoredRows, np.ndarray]:
    """Rows X with labels y as a fitted classifier sees them, and its classes; any of scikit-learn's will do."""
    classes = fitted_classes(estimator)
    name = type(estimator).__name__
    if probabilities and not hasattr(estimator, "predict_proba"):
        raise SettingError(f"{name} has no predict_proba: fit it with calibrate=True, or take SoftPerceptron.")
    known = np.asarray(estimator.predict_proba(X)) if hasattr(estimator, "predict_proba") else None
    scores = np.asarray(estimator.decision_function(X)) if hasattr(estimator, "decision_function") else known
    if scores is None:
        raise SettingError(f"{name} has neither scores (decision_function) nor predict_proba: there is nothing to draw.")
    scores = scores[:, 1] if len(classes) == 2 and scores.ndim == 2 else scores
    return ScoredRows(encode(y, classes)[1], scores, encode(estimator.predict(X), classes)[1], known), classes


@dataclass
class CutDisplay(Display):
    """A line for the second of two classes, or one a class, over all cuts of the scores."""

    rows: ScoredRows
    classes: np.ndarray
    threshold: Threshold | None = None  # of the model, to be named where it decides

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, ax: Any = None) -> Self:
        """Draws it for rows X with labels y and a fitted classifier."""
        return cls(*scored_by(estimator, X, y)).plot(ax)

    @abstractmethod
    def line(self, counts: CutCounts) -> tuple[np.ndarray, np.ndarray, float]:
        """Where the line goes, and the area below it."""

    def lines(self) -> list[tuple[str, CutCounts, float]]:
        """The class, cuts and area of each line that is drawn, the smallest area first."""
        labels = self.classes[1:] if self.rows.scores.ndim == 1 else self.classes
        drawn = [
            (str(label), counts, self.line(counts)[2])
            for label, counts in zip(labels, one_against_rest(self.rows), strict=True)
            if counts.positives and counts.negatives
        ]
        if not drawn:
            raise SettingError("The rows are all of one class: there is nothing to tell apart.")
        return sorted(drawn, key=lambda line: line[2])[:MOST_LINES]

    def decided(self) -> tuple[int, int]:
        """Of two classes: true and false positives of the decisions as they are."""
        said = self.rows.predicted == 1
        true = int((said & (self.rows.codes == 1)).sum())
        return true, int(said.sum()) - true

    def name_of_point(self) -> str:
        if self.threshold is None:
            return "decided at score 0"
        how = "" if self.threshold.chosen == "given" else f" ({self.threshold.chosen})"
        return f"threshold {self.threshold.probability:.3g}{how}"

    def _draw_lines(self, ax: Any, measure: str) -> None:
        for (label, counts, area), colour in zip(self.lines(), PALETTE, strict=False):
            x, y, _ = self.line(counts)
            some = np.unique(np.linspace(0, len(x) - 1, MOST_POINTS).astype(int))
            ax.plot(x[some], y[some], color=colour, label=f"{measure} {area:.3f}, {label}", linewidth=1.8)


class RocDisplay(CutDisplay):
    """How many rows of a class are found for how many others that are taken for it, over all cuts; chance: the diagonal."""

    def line(self, counts: CutCounts) -> tuple[np.ndarray, np.ndarray, float]:
        false, true = (np.concatenate([[0], part]) for part in (counts.false, counts.true))
        return false / counts.negatives, true / counts.positives, counts.roc_auc() or 0.0

    def _draw(self, ax: Any) -> None:
        ax.plot([0, 1], [0, 1], "--", color="0.3", linewidth=0.8)
        self._draw_lines(ax, "AUC")
        if self.rows.scores.ndim == 1:
            (_, counts, _), (true, false) = self.lines()[0], self.decided()
            ax.plot(false / counts.negatives, true / counts.positives, "o", color=PALETTE[1], label=self.name_of_point())
        ax.set(xlabel="share of the others that are taken for it", ylabel="share of its rows that are found", **SHARES)
        ax.set_title("ROC")
        ax.legend()


class PrecisionRecallDisplay(CutDisplay):
    """How many of the rows that are taken for a class are of it, for how many of its rows are found, over all cuts."""

    def line(self, counts: CutCounts) -> tuple[np.ndarray, np.ndarray, float]:
        recall = np.concatenate([[0], counts.true / counts.positives])
        precision = counts.precision()
        return recall, np.concatenate([precision[:1], precision]), counts.average_precision() or 0.0

    def _draw(self, ax: Any) -> None:
        self._draw_lines(ax, "AP")
        if self.rows.scores.ndim == 1:
            (_, counts, _), (true, false) = self.lines()[0], self.decided()
            share = counts.positives / (counts.positives + counts.negatives)
            ax.axhline(share, linestyle="--", color="0.3", linewidth=0.8)
            if true + false:
                ax.plot(true / counts.positives, true / (true + false), "o", color=PALETTE[1], label=self.name_of_point())
        ax.set(xlabel="recall", ylabel="precision", title="Precision and recall", ylim=(-0.03, 1.05), **SHARES)
        ax.legend()


@dataclass
class ReliabilityDisplay(Display):
    """What probabilities promise and what came, in 15 bins, each as large as its share of the rows."""

    rows: ScoredRows
    classes: np.ndarray

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, ax: Any = None) -> Self:
        """Draws it for rows X with labels y and a fitted classifier with probabilities."""
        return cls(*scored_by(estimator, X, y, probabilities=True)).plot(ax)

    def _draw(self, ax: Any) -> None:
        reliability = Reliability.of_rows(self.rows)
        ax.plot([0, 1], [0, 1], "--", color="0.3", linewidth=0.8)
        ax.plot(reliability.promised, reliability.came, color=PALETTE[0], linewidth=1.2)
        sizes = 12 + 160 * reliability.rows / reliability.rows.sum()
        ax.scatter(
            reliability.promised, reliability.came, s=sizes, color=PALETTE[0],
            label=f"calibration error {100 * reliability.error:.2f} %",
        )  # fmt: skip
        what = f"probability of {self.classes[1]}" if len(self.classes) == 2 else "probability of what is predicted"
        ax.set(xlabel=what, ylabel="share that it came true of", xlim=(-0.03, 1.03), ylim=(-0.03, 1.05), **SHARES)
        ax.set_title("Reliability")
        ax.legend()
