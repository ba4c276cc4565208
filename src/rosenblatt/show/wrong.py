"""The rows that a model gets most wrong, in a form that people recognise: cells, text, an image, entries."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.markup import shown
from rosenblatt.features import TableMap
from rosenblatt.learning.classifier import Classifier
from rosenblatt.show.pixels import picture
from rosenblatt.studies.explain import Explanation, explain

SHOWN_CELLS = 12  # columns, or entries of a sparse row, that are shown
TEXT_LENGTH = 400  # characters of a text
SHOWN_REASONS = 4


@dataclass(frozen=True)
class WrongRow:
    """A row, counted from 1, that is predicted wrongly; by its margin, the distance on the wrong side of the boundary."""

    row: int
    truth: object
    predicted: object
    margin: float | None
    reasons: list[tuple[str, float]]  # features that spoke most for the wrong answer
    against: object  # with many classes: compared with which other
    cells: list[tuple[str, str]] = field(default_factory=list)
    left_out: int = 0  # cells
    text: str | None = None
    picture: str | None = None


def wrong_rows(
    model: Classifier, data: Dataset, predicted: np.ndarray, numbers: np.ndarray, margins: np.ndarray | None
) -> list[WrongRow]:
    """The rows of a data set, in its order, with the codes that were predicted, and why they were decided so."""
    shown_rows = []
    answers = model.classes[predicted].tolist()
    for i, (number, answer) in enumerate(zip(numbers.tolist(), answers, strict=True)):
        row = data.slice(i, i + 1)
        row = row if row.kind == model.kind else replace(row, kind="text")  # a table may stand for texts
        why = explain(model, row)
        truth = np.asarray(row.labels).tolist()[0]
        margin = None if margins is None else float(margins[i])
        against = why.against if len(model.classes) > 2 else None
        wrong = WrongRow(number, truth, answer, margin, reasons(model, why, answer), against)
        shown_rows.append(with_content(wrong, model, row, why))
    return shown_rows


def reasons(model: Classifier, why: Explanation, answer: object) -> list[tuple[str, float]]:
    """What spoke most for the answer, largest first; pixels one by one would say nothing.

    Votes can give another answer than the averaged weights that explain: of many classes these then say nothing about it.
    """
    if model.kind == "images" or (len(model.classes) > 2 and why.prediction != answer):
        return []
    towards = -1.0 if len(model.classes) == 2 and answer == model.classes.tolist()[0] else 1.0
    parts = [(term.feature, term.contribution) for term in why.terms]
    if why.columns is not None:
        parts = [(part.column, part.contribution) for part in why.columns]
    spoke = [(name, towards * contribution) for name, contribution in parts if towards * contribution > 0]
    return spoke[:SHOWN_REASONS]


def with_content(wrong: WrongRow, model: Classifier, row: Dataset, why: Explanation) -> WrongRow:
    """With the row itself, as its kind of data shows it."""
    if model.kind == "text":
        return replace(wrong, text=shown(" ".join(str(row.rows["text"][0] or "").split()), TEXT_LENGTH))
    if model.kind == "images":
        return replace(wrong, picture=picture(row.rows[0]))
    if isinstance(model.features, TableMap):
        columns = model.features.raw_columns
        kept = most_important_columns(columns, why)
        cells = [(name, shown(row.rows[name][0])) for name in kept]
        return replace(wrong, cells=cells, left_out=len(columns) - len(kept))
    entries = [(term.feature, shown(term.value)) for term in why.terms]
    return replace(wrong, cells=entries[:SHOWN_CELLS], left_out=max(0, len(entries) - SHOWN_CELLS))


def most_important_columns(columns: list[str], why: Explanation) -> list[str]:
    """Of many columns those whose features weigh most in this row, in the order of the table."""
    if len(columns) <= SHOWN_CELLS:
        return columns
    weight = dict.fromkeys(columns, 0.0) | {part.column: abs(part.contribution) for part in why.columns or ()}
    kept = sorted(columns, key=lambda name: -weight[name])[:SHOWN_CELLS]
    return [name for name in columns if name in kept]
