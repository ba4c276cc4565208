"""The tables of a report: columns, classes, learners, confusions, weights; and how it writes numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.features import TableMap
from rosenblatt.learning.classifier import Classifier
from rosenblatt.show.assessment import Assessment
from rosenblatt.studies.evaluate import Measures
from rosenblatt.studies.explain import Weight, bias, numeric_features, weights

SHOWN_CLASSES = 30  # one by one, at most
NAMED_COLUMNS, SHORT_NAME = 8, 4  # classes, and characters of their names, up to which the columns of the matrix bear names
WEIGHTS_PER_CLASS = 10
SHOWN_CONFUSIONS = 15  # where there are too many classes for a matrix


def percent(share: float, decimals: int = 2) -> str:
    """A share with its sign on the same line.

    >>> percent(0.146)
    '14.60\\xa0%'
    """
    return f"{100 * share:.{decimals}f}\u00a0%"


def signed(value: float, style: str = ".3g") -> str:
    """A number with a minus that is as wide as a plus.

    >>> signed(-0.4251)
    '−0.425'
    """
    return format(value, style).replace("-", "−")


@dataclass(frozen=True)
class ColumnUse:
    """A column of a table, and what it was taken as."""

    name: str
    taken_as: str


def column_uses(model: Classifier) -> list[ColumnUse]:
    """The columns of a table; none where the data are no table."""
    if not isinstance(model.features, TableMap):
        return []
    uses = []
    for column in model.features.columns:
        number, values = column.number, getattr(column.category, "values", None)
        parts = [f"number, mean {number.mean:.4g}, sd {number.sd:.4g}"] if number else []
        parts += [f"{len(values):,} values"] if values is not None else ["hashed values"] if column.category else []
        uses.append(ColumnUse(column.name, "; ".join(parts)))
    return uses


@dataclass
class ClassRow:
    """A class: its rows in training, where they are known, and on measured rows its precision and recall."""

    label: Any
    count: int | None = None
    share: float | None = None
    precision: float | None = None
    recall: float | None = None
    truths: int | None = None
    predictions: int | None = None


def class_rows(model: Classifier, measures: Measures | None) -> list[ClassRow]:
    """The classes; the most frequent where there are many."""
    rows = []
    for code in most_frequent(model):
        row = ClassRow(model.classes.tolist()[code])
        if model.class_counts is not None:
            row.count = int(model.class_counts[code])
            row.share = row.count / int(model.class_counts.sum())
        if measures is not None:
            row.precision, row.recall = measures.precision[code], measures.recall[code]
            row.truths, row.predictions = int(measures.truths[code]), int(measures.predictions[code])
        rows.append(row)
    return rows


def most_frequent(model: Classifier) -> list[int]:
    """The classes that are shown, in their own order; the first where the model has not counted."""
    if model.class_counts is None:
        return list(range(min(SHOWN_CLASSES, len(model.classes))))
    return sorted(np.argsort(-model.class_counts, kind="stable")[:SHOWN_CLASSES].tolist())


@dataclass(frozen=True)
class LearnerRow:
    """A learner in the comparison, with a bar as long as its error."""

    learner: str
    error: float
    sd: float | None
    own: bool  # is it the model's?
    bar: float  # percent of the longest
    differs: bool


def learner_rows(assessment: Assessment) -> list[LearnerRow]:
    """The comparison."""
    longest = max((result.error_mean for result in assessment.rivals), default=0) or 1.0
    return [
        LearnerRow(
            result.learner, result.error_mean, result.error_sd, result.learner == assessment.own,
            round(100 * result.error_mean / longest, 1), result.differs_from_best,
        )
        for result in assessment.rivals
    ]  # fmt: skip


@dataclass(frozen=True)
class ConfusionTable:
    """The matrix, cells (count, share of the row); or, with very many classes, the commonest confusions."""

    rows: list[tuple[Any, list[tuple[int, float]]]]  # (true class, cells)
    commonest: list[tuple[Any, Any, int]]  # (true class, predicted class, rows)
    numbered: bool = False  # do the columns bear numbers in place of names?


def confusion_table(measures: Measures, model: Classifier) -> ConfusionTable:
    """What the model takes for what."""
    labels, counts = model.classes.tolist(), measures.confusion
    if len(labels) <= SHOWN_CLASSES:
        share = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
        shaded = np.round(share, 3).tolist()
        cells = [list(zip(row, part, strict=True)) for row, part in zip(counts.tolist(), shaded, strict=True)]
        numbered = len(labels) > NAMED_COLUMNS and max(len(str(label)) for label in labels) > SHORT_NAME
        return ConfusionTable(list(zip(labels, cells, strict=True)), [], numbered)
    wrong = counts - np.diag(np.diag(counts))
    places = np.argsort(-wrong, axis=None, kind="stable")[:SHOWN_CONFUSIONS].tolist()
    pairs = [(*divmod(place, len(labels)), int(wrong.flat[place])) for place in places]
    return ConfusionTable([], [(labels[a], labels[b], count) for a, b, count in pairs if count])


@dataclass(frozen=True)
class WeightRow:
    """A feature's weight, with a bar as long as its size, and how often the feature occurs."""

    feature: str
    weight: str
    speaks_for: bool
    bar: float  # percent of the longest
    count: int | None  # None for a number: being not 0 says little about it
    share: float | None


@dataclass(frozen=True)
class ClassWeights:
    """The weights that matter for one class."""

    label: Any
    bias: str | None
    weights: list[WeightRow]


def class_weights(model: Classifier) -> list[ClassWeights]:
    """The weights that matter, class by class."""
    labels, chosen = model.classes.tolist(), most_frequent(model)
    by_class: dict[int, list[Weight]] = {code: [] for code in range(len(labels))}
    codes = {label: code for code, label in enumerate(labels)}
    for weight in weights(model, top=WEIGHTS_PER_CLASS):
        by_class[codes[weight.label]].append(weight)
    longest = max((abs(w.weight) for code in chosen for w in by_class[code]), default=0) or 1.0
    decimals = 3 - math.floor(math.log10(longest))  # four digits of the largest
    style = f".{min(12, max(0, decimals))}f"
    numbers, b = numeric_features(model), bias(model)

    def row(w: Weight) -> WeightRow:
        count = None if w.feature in numbers else w.count
        return WeightRow(
            w.feature, signed(w.weight, style), w.weight > 0, round(100 * abs(w.weight) / longest, 1), count, w.share
        )

    return [
        ClassWeights(
            labels[code],
            signed(b[str(labels[code])], ".4g") if isinstance(b, dict) else None,
            [row(w) for w in by_class[code]],
        )
        for code in chosen
    ]
