"""The tables of a report: columns, classes, learners, confusions, weights; and how it writes numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rosenblatt.errors import amount
from rosenblatt.features import TableMap
from rosenblatt.learning.classifier import Classifier
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


def column_uses(model: Classifier) -> list[tuple[str, str]]:
    """(column, what it was taken as) of a table; none where the data are no table."""
    if not isinstance(model.features, TableMap):
        return []
    uses = []
    for column in model.features.columns:
        number, values = column.number, getattr(column.category, "values", None)
        parts = [f"number, mean {amount(number.mean)}, sd {amount(number.sd)}"] if number else []
        parts += [f"{len(values):,} values"] if values is not None else ["hashed values"] if column.category else []
        uses.append((column.name, "; ".join(parts)))
    return uses


def shown_classes(model: Classifier) -> list[int]:
    """The most frequent classes, in their own order; the first where the model has not counted."""
    if model.class_counts is None:
        return list(range(min(SHOWN_CLASSES, len(model.classes))))
    return sorted(np.argsort(-model.class_counts, kind="stable")[:SHOWN_CLASSES].tolist())


@dataclass(frozen=True)
class ConfusionTable:
    """The matrix, cells (count, share of the row); or, with very many classes, the commonest confusions."""

    rows: list[tuple[object, list[tuple[int, float]]]]  # (true class, cells)
    commonest: list[tuple[object, object, int]]  # (true class, predicted class, rows)
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
class WeightLists:
    """The weights that matter, class by class, and how they are shown."""

    by_class: list[tuple[object, float | None, list[Weight]]]  # (class, its bias where it has one of its own, weights)
    longest: float  # the largest size: what bars are measured by
    style: str  # shows four digits of the largest
    numbers: set[str]  # features for which being not 0 says little


def weight_lists(model: Classifier) -> WeightLists:
    """The weights that matter, class by class."""
    labels, b = model.classes.tolist(), bias(model)
    chosen = [labels[code] for code in shown_classes(model)]
    by_class: dict[object, list[Weight]] = {label: [] for label in labels}
    for weight in weights(model, top=WEIGHTS_PER_CLASS):
        by_class[weight.label].append(weight)
    longest = max((abs(w.weight) for label in chosen for w in by_class[label]), default=0) or 1.0
    decimals = 3 - math.floor(math.log10(longest))
    lists = [(label, b[str(label)] if isinstance(b, dict) else None, by_class[label]) for label in chosen]
    return WeightLists(lists, longest, f".{min(12, max(0, decimals))}f", numeric_features(model))
