"""The tables of a report: columns, classes, learners, confusions, weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rosenblatt.features import TableMap
from rosenblatt.learning.classifier import Classifier
from rosenblatt.show.findings import Findings
from rosenblatt.show.numerals import signed
from rosenblatt.studies.evaluate import Measures
from rosenblatt.studies.explain import Weight, bias, numeric_features, weights

CLASSES = 30  # that are shown one by one
NAMED, SHORT = 8, 4  # classes, and characters of their names, up to which the columns of the matrix bear names
WEIGHTS = 10  # a class
CONFUSIONS = 15  # that are listed where there are too many classes for a matrix


def columns(model: Classifier) -> list[tuple[str, str]]:
    """The columns of a table, and what each became."""
    if not isinstance(model.features, TableMap):
        return []
    made = []
    for column in model.features.columns:
        number, values = column.number, getattr(column.category, "values", None)
        parts = [f"number, mean {number.mean:.4g}, sd {number.sd:.4g}"] if number else []
        parts += [f"{len(values):,} values"] if values is not None else ["hashed values"] if column.category else []
        made.append((column.name, "; ".join(parts)))
    return made


def class_rows(model: Classifier, measured: Measures | None) -> list[dict[str, Any]]:
    """Each class: its rows in training, and with data its precision and recall; the most frequent where there are many."""
    counts = model.class_counts
    made = []
    for code in most_frequent(model):
        row = {"label": model.classes.tolist()[code], "count": None, "share": None}
        if counts is not None:
            row |= {"count": int(counts[code]), "share": int(counts[code]) / int(counts.sum())}
        if measured is not None:
            row |= {"precision": measured.precision[code], "recall": measured.recall[code]}
            row |= {"truths": int(measured.truths[code]), "predictions": int(measured.predictions[code])}
        made.append(row)
    return made


def most_frequent(model: Classifier) -> list[int]:
    """The classes that are shown, in their own order; the first where nobody has counted."""
    if model.class_counts is None:
        return list(range(min(CLASSES, len(model.classes))))
    return sorted(np.argsort(-model.class_counts, kind="stable")[:CLASSES].tolist())


def rival_rows(found: Findings) -> list[dict[str, Any]]:
    """The comparison, with bars as long as the errors."""
    longest = max((row.error_mean for row in found.rivals), default=0) or 1.0
    return [
        {
            "learner": row.learner, "error": row.error_mean, "sd": row.error_sd, "own": row.learner == found.own,
            "bar": round(100 * row.error_mean / longest, 1), "differs": row.differs_from_best,
        }
        for row in found.rivals
    ]  # fmt: skip


def confusion(measured: Measures, model: Classifier) -> dict[str, Any]:
    """The matrix, cells shaded by their share of the row; with very many classes the commonest confusions."""
    labels, counts = model.classes.tolist(), measured.confusion
    if len(labels) <= CLASSES:
        share = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
        shaded = np.round(share, 3).tolist()
        cells = [list(zip(row, part, strict=True)) for row, part in zip(counts.tolist(), shaded, strict=True)]
        numbered = len(labels) > NAMED and max(len(str(label)) for label in labels) > SHORT
        return {"rows": list(zip(labels, cells, strict=True)), "commonest": [], "numbered": numbered}
    wrong = counts - np.diag(np.diag(counts))
    places = np.argsort(-wrong, axis=None, kind="stable")[:CONFUSIONS].tolist()
    pairs = [(*divmod(place, len(labels)), int(wrong.flat[place])) for place in places]
    return {"rows": [], "commonest": [(labels[a], labels[b], count) for a, b, count in pairs if count]}


def weight_lists(model: Classifier) -> list[dict[str, Any]]:
    """The weights that matter, class by class, with how often their features occur."""
    labels, chosen = model.classes.tolist(), most_frequent(model)
    by_class: dict[int, list[Weight]] = {code: [] for code in range(len(labels))}
    codes = {label: code for code, label in enumerate(labels)}
    for weight in weights(model, top=WEIGHTS):
        by_class[codes[weight.label]].append(weight)
    longest = max((abs(w.weight) for code in chosen for w in by_class[code]), default=0) or 1.0
    decimals = 3 - math.floor(math.log10(longest))  # four digits of the largest
    style = f".{min(12, max(0, decimals))}f"
    numbers, b = numeric_features(model), bias(model)
    return [
        {
            "label": labels[code],
            "bias": signed(b[str(labels[code])], ".4g") if isinstance(b, dict) else None,
            "weights": [
                {
                    "feature": w.feature,
                    "weight": signed(w.weight, style),
                    "speaks_for": w.weight > 0,
                    "bar": round(100 * abs(w.weight) / longest, 1),
                    "count": None if w.feature in numbers else w.count,
                    "share": w.share,
                }
                for w in by_class[code]
            ],
        }
        for code in chosen
    ]
