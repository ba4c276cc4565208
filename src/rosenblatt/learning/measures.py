"""Measures that people decide by, each a function of the truth, the scores, the decisions and, where there are any, the
probabilities.

Many classes: ROC AUC, average precision and F1 are the mean over the classes, each against the rest (macro). The first two
order rows by the probability of the class where there are probabilities, and else by its score: in rows of many classes
scores mean something beside each other only.

>>> rows = ScoredRows(np.array([0, 0, 1, 1]), np.array([-2.0, 0.5, 0.1, 3.0]), np.array([0, 1, 1, 1]))
>>> measure_all(rows)
{'error': 0.25, 'balanced_accuracy': 0.75, 'f1': 0.8, 'roc_auc': 0.75, 'average_precision': 0.833...}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

BINS = 15  # of the expected calibration error


@dataclass(frozen=True)
class ScoredRows:
    """Labelled rows as a model sees them."""

    codes: np.ndarray  # the truth
    scores: np.ndarray  # a number a row for two classes, a column a class for more
    predicted: np.ndarray  # class codes
    probabilities: np.ndarray | None = None  # a column a class


@dataclass(frozen=True)
class Metric:
    """A measure by its name on the command line; `of` gives None where it is not defined."""

    name: str
    label: str
    of: Callable[[ScoredRows], float | None]
    larger_is_better: bool = True
    needs_probabilities: bool = False
    orders_rows: bool = False  # is it about the order of the rows, by score or probability?

    def wants_probabilities(self, classes: int) -> bool:
        """Are probabilities needed, or do they at least order rows better than scores do?"""
        return self.needs_probabilities or (self.orders_rows and classes > 2)

    @property
    def key(self) -> str:
        """Its name in --json."""
        return self.name.replace("-", "_")

    def loss(self, rows: ScoredRows) -> float:
        """The smaller, the better; infinite where the measure is not defined."""
        value = self.of(rows)
        return float("inf") if value is None else -value if self.larger_is_better else value


def measure_all(rows: ScoredRows) -> dict[str, float | None]:
    """Every measure that these rows have, by key; those of probabilities only where there are any."""
    known = (one for one in METRICS.values() if rows.probabilities is not None or not one.needs_probabilities)
    return {one.key: one.of(rows) for one in known}


@dataclass(frozen=True)
class CutCounts:
    """What would be predicted positive at each cut, the highest first: `true` positives and `false` ones, counted up."""

    cuts: np.ndarray  # distinct scores: whoever has this or more is positive
    true: np.ndarray
    false: np.ndarray

    @classmethod
    def of(cls, positive: np.ndarray, scores: np.ndarray) -> CutCounts:
        """Of rows that are positive or not, with these scores.

        >>> CutCounts.of(np.array([True, False, True]), np.array([2.0, 1.0, 1.0]))
        CutCounts(cuts=array([2., 1.]), true=array([1, 2]), false=array([0, 1]))
        """
        order = np.argsort(-scores, kind="stable")
        high_first, true = scores[order], np.cumsum(positive[order].astype(np.int64))
        ends = np.flatnonzero(np.append(high_first[1:] != high_first[:-1], True)[: len(high_first)])  # of equal scores
        return cls(high_first[ends], true[ends], ends + 1 - true[ends])

    @property
    def positives(self) -> int:
        return int(self.true[-1]) if len(self.true) else 0

    @property
    def negatives(self) -> int:
        return int(self.false[-1]) if len(self.false) else 0

    def roc_auc(self) -> float | None:
        """How often a positive row has a higher score than a negative one; equal scores count half."""
        pairs = self.positives * self.negatives
        if not pairs:
            return None
        before = np.concatenate([[0], self.true[:-1]])
        doubled = int(np.dot(np.diff(self.false, prepend=0), self.true + before))  # whole numbers: nothing is rounded
        return doubled / (2 * pairs)

    def average_precision(self) -> float | None:
        """Σ (recall − recall before) · precision, over the cuts."""
        if not self.positives:
            return None
        gained = np.diff(self.true, prepend=0) / self.positives
        return float(np.dot(gained, self.precision()))

    def precision(self) -> np.ndarray:
        return np.asarray(self.true / (self.true + self.false))

    def f1(self) -> np.ndarray:
        """2 TP / (2 TP + FP + FN) at each cut."""
        return np.asarray(2 * self.true / (self.true + self.false + max(1, self.positives)))


def one_against_rest(rows: ScoredRows) -> list[CutCounts]:
    """The cuts of the second of two classes, or of each of more."""
    if rows.scores.ndim == 1:
        return [CutCounts.of(rows.codes == 1, rows.scores)]
    columns = rows.scores if rows.probabilities is None else rows.probabilities
    return [CutCounts.of(rows.codes == k, columns[:, k]) for k in range(columns.shape[1])]


def mean_of_known(values: list[float | None]) -> float | None:
    """The mean, without classes of which there are no rows, or nothing else."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def roc_auc(rows: ScoredRows) -> float | None:
    """Area under the ROC curve; with many classes the mean of each against the rest."""
    return mean_of_known([counts.roc_auc() for counts in one_against_rest(rows)])


def average_precision(rows: ScoredRows) -> float | None:
    """Area under the precision-recall curve, in steps; with many classes the mean of each against the rest."""
    return mean_of_known([counts.average_precision() for counts in one_against_rest(rows)])


def error(rows: ScoredRows) -> float:
    return float(np.mean(rows.predicted != rows.codes))


def class_counts(rows: ScoredRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By class: rows that are right, rows of the class, rows predicted as the class."""
    right = rows.codes[rows.codes == rows.predicted]
    size = int(max(rows.codes.max(initial=0), rows.predicted.max(initial=0), 1)) + 1
    right, truths, predictions = (np.bincount(part, minlength=size) for part in (right, rows.codes, rows.predicted))
    return right, truths, predictions


def f1(rows: ScoredRows) -> float:
    """2 TP / (2 TP + FP + FN) of the second of two classes; with more, the mean over those that occur."""
    return f1_of_counts(*class_counts(rows), two=rows.scores.ndim == 1)


def f1_of_counts(right: np.ndarray, truths: np.ndarray, predictions: np.ndarray, two: bool) -> float:
    either = truths + predictions
    each = 2 * right / np.maximum(either, 1)
    return float(each[1]) if two else float(each[either > 0].mean())


def balanced_accuracy(rows: ScoredRows) -> float:
    """The mean over the classes of the share of their rows that are right."""
    right, truths, _ = class_counts(rows)
    return mean_recall(right, truths)


def mean_recall(right: np.ndarray, truths: np.ndarray) -> float:
    return float((right[truths > 0] / truths[truths > 0]).mean())


def measure_confusion(confusion: np.ndarray) -> dict[str, float | None]:
    """The measures that follow from how often each class (a row) was predicted as each (a column), by key.

    >>> measure_confusion(np.array([[1, 1], [0, 2]]))
    {'balanced_accuracy': 0.75, 'f1': 0.8}
    """
    right, truths, predictions = confusion.diagonal(), confusion.sum(axis=1), confusion.sum(axis=0)
    f1 = f1_of_counts(right, truths, predictions, two=len(confusion) == 2)
    return {"balanced_accuracy": mean_recall(right, truths), "f1": f1}


def log_loss(rows: ScoredRows) -> float:
    """−mean log P(truth); a probability of 0 counts as the smallest step of a float at 1."""
    assert rows.probabilities is not None
    eps = np.finfo(float).eps
    of_truth = rows.probabilities[np.arange(len(rows.codes)), rows.codes]
    return float(-np.log(np.clip(of_truth, eps, 1 - eps)).mean())


def brier_score(rows: ScoredRows) -> float:
    """mean Σ (P(class) − 1[truth])² over the classes; with two, half of it, which is mean (P(second) − 1[second])²."""
    assert rows.probabilities is not None
    wrong = rows.probabilities.copy()
    wrong[np.arange(len(rows.codes)), rows.codes] -= 1
    return float((wrong**2).sum(axis=1).mean()) * (0.5 if wrong.shape[1] == 2 else 1.0)


@dataclass(frozen=True)
class Reliability:
    """Rows in bins of equal width by probability: what was promised and what came."""

    promised: np.ndarray  # mean probability, of bins that have rows
    came: np.ndarray  # share that it came true of
    rows: np.ndarray

    @classmethod
    def of(cls, probability: np.ndarray, came: np.ndarray, bins: int = BINS) -> Reliability:
        """Of probabilities and whether what they are of came true.

        >>> Reliability.of(np.array([0.1, 0.1, 0.9]), np.array([False, True, True]), bins=2)
        Reliability(promised=array([0.1, 0.9]), came=array([0.5, 1. ]), rows=array([2, 1]))
        """
        place = np.minimum((probability * bins).astype(np.int64), bins - 1)
        rows = np.bincount(place, minlength=bins)
        sums = (np.bincount(place, weights, minlength=bins)[rows > 0] for weights in (probability, came))
        promised, true = (part / rows[rows > 0] for part in sums)
        return cls(promised, true, rows[rows > 0])

    @classmethod
    def of_rows(cls, rows: ScoredRows, bins: int = BINS) -> Reliability:
        """Two classes: the probability of the second. More: that of the class that is predicted."""
        assert rows.probabilities is not None
        if rows.probabilities.shape[1] == 2:
            return cls.of(rows.probabilities[:, 1], rows.codes == 1, bins)
        confidence = rows.probabilities[np.arange(len(rows.codes)), rows.predicted]
        return cls.of(confidence, rows.codes == rows.predicted, bins)

    @property
    def error(self) -> float:
        """The expected calibration error: mean |promised − came|, each bin counted by its rows."""
        return float(np.average(np.abs(self.promised - self.came), weights=self.rows))


def calibration_error(rows: ScoredRows) -> float:
    """The expected calibration error in 15 bins."""
    return Reliability.of_rows(rows).error


METRICS = {
    metric.name: metric
    for metric in (
        Metric("error", "error", error, larger_is_better=False),
        Metric("balanced-accuracy", "balanced accuracy", balanced_accuracy),
        Metric("f1", "F1", f1),
        Metric("roc-auc", "ROC AUC", roc_auc, orders_rows=True),
        Metric("average-precision", "average precision", average_precision, orders_rows=True),
        Metric("log-loss", "log loss", log_loss, larger_is_better=False, needs_probabilities=True),
        Metric("brier-score", "Brier score", brier_score, larger_is_better=False, needs_probabilities=True),
        Metric(
            "calibration-error", "calibration error", calibration_error, larger_is_better=False, needs_probabilities=True
        ),
    )
}
