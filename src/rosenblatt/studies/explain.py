"""What a classifier has learned, and why it decided so (LECTURES B5: ∂score/∂x_j = w_j).

>>> from rosenblatt.learning.learn import learn
>>> from rosenblatt.data import open_known
>>> iris = open_known("iris")
>>> why = explain(learn(iris), iris.slice(0, 1))
>>> why.prediction, why.against
('setosa', 'versicolor')
>>> bool(abs(why.bias + sum(term.contribution for term in why.terms) - why.score) < 1e-9)
True
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.coded import CodedTable
from rosenblatt.errors import DataError
from rosenblatt.features import Notes, TableMap, TextMap
from rosenblatt.features.table.blocks import CategoryBlock, NumberBlock, NumberProduct
from rosenblatt.features.table.hashed import HashedBlock
from rosenblatt.features.table.numbers import numbers
from rosenblatt.learning.classifier import Classifier, with_training_types
from rosenblatt.studies.facts import SCALE_RATIO
from rosenblatt.studies.flips import Flip, TableDecision, flip_of_features, flip_of_table, score_columns
from rosenblatt.studies.word_flips import flip_of_words

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Weight:
    """A feature's weight for a class, in how many rows of training it was not 0, and the share of the class among them.

    Both are None where the model does not know them: a saved estimator has not counted.
    """

    label: object
    feature: str
    weight: float
    count: int | None
    share: float | None


@dataclass(frozen=True)
class Term:
    """One part of a score: weight · value."""

    feature: str
    value: float
    weight: float
    contribution: float
    original: float | None = None  # a number before it was scaled


@dataclass(frozen=True)
class ColumnPart:
    """What one column of a table contributes to a score, all its features together, beyond what it does in the mean."""

    column: str
    value: object  # the cell
    contribution: float
    terms: list[Term]


@dataclass(frozen=True)
class Explanation:
    """The score of one row as a sum, and what would change the decision; the prediction itself, where it is a number.

    With two classes the score is that of the model, positive for the second class. With more it is the winner's score
    minus that of the runner-up, `against`, and so are weights and bias.
    """

    bias: float
    terms: list[Term]  # largest first
    score: float
    prediction: object
    against: object
    label: object  # what the file says, if it does
    flip: Flip | None
    notes: Notes
    base: float = 0.0  # the score without the columns: the bias, and what they contribute in the mean of training
    columns: list[ColumnPart] | None = None  # of a table: largest first; with `base` they add up to the score


def weights(model: Classifier, view: str | None = None, top: int = 0) -> list[Weight]:
    """The weights that matter, class by class, largest first; `top` a class, 0 for all but zeros.

    With two classes a positive weight speaks for the second, a negative one for the first. Weights of numbers are in the
    units of the target, and of no class.
    """
    coef, names = model.linear(view).coef, model.features.names
    largest = []
    if model.predicts_numbers:
        order = np.argsort(-np.abs(coef[0]), kind="stable")[: top or None]
        occurring = ((j, None if model.counts is None else int(model.counts[0, j])) for j in order.tolist() if coef[0, j])
        return [Weight(None, names[j], float(coef[0, j]), count, None) for j, count in occurring]
    for code, label in enumerate(model.classes.tolist()):
        row = coef[0] if len(coef) == 1 else coef[code]
        speaks = row != 0 if len(coef) > 1 else row > 0 if code else row < 0
        places = np.flatnonzero(speaks)
        order = places[np.argsort(-np.abs(row[places]), kind="stable")][: top or None]
        largest += [Weight(label, names[j], float(row[j]), *occurrences(model, code, j)) for j in order.tolist()]
    return largest


def occurrences(model: Classifier, code: int, j: int) -> tuple[int | None, float | None]:
    """In how many rows of training feature j was not 0, and the share of a class among them; None where not known."""
    if model.counts is None:
        return None, None
    of_classes = model.counts[:, j]
    total = int(of_classes.sum())
    return total, float(of_classes[code] / max(1, total))


def bias(model: Classifier, view: str | None = None) -> float | dict[str, float]:
    """The bias, or one a class."""
    values = model.linear(view).intercept.tolist()
    if len(values) == 1:
        return float(values[0])
    return dict(zip(map(str, model.classes.tolist()), values, strict=True))


def warnings(model: Classifier) -> list[str]:
    """Where a large weight need not mean much: numbers that were not scaled, of different scales (B5)."""
    table = model.features
    if not isinstance(table, TableMap) or table.scale:
        return []
    sd = {column.name: column.number.sd for column in table.columns if column.number and column.number.sd > 0}
    if any(column.category for column in table.columns) and sd:
        sd["the binary features"] = 0.5
    if not sd or max(sd.values()) <= SCALE_RATIO * min(sd.values()):
        return []
    low, high = min(sd, key=sd.__getitem__), max(sd, key=sd.__getitem__)
    return [
        f"The numbers were not scaled, and their scales differ (standard deviation of {low} {sd[low]:.4g}, of {high} "
        f"{sd[high]:.4g}): a small weight of a large number can matter more than a large weight of a small one. "
        "Train without --no-scale to compare weights."
    ]


def numeric_features(model: Classifier) -> set[str]:
    """Features that are numbers and not yes or no: being not 0 tells little about them."""
    if not isinstance(model.features, TableMap):
        return set(model.features.names) if model.kind == "images" else set()
    names: set[str] = set()
    for block in model.features.blocks:
        if isinstance(block, NumberBlock | NumberProduct) or (isinstance(block, CategoryBlock) and block.times is not None):
            names.update(block.names)
    return names


def explain(model: Classifier, row: Dataset, view: str | None = None) -> Explanation:
    """Why one row, the only one of a data set, is classified as it is."""
    if row.kind != model.kind:
        raise DataError(f"{row.name} holds {row.kind}: the model was trained on {model.kind}.")
    row = with_training_types(model, row)
    linear = model.linear(view)
    x, notes = model.transform(row.rows)
    indices, values = x.row(0)
    indices, values = indices[values != 0], values[values != 0].astype(float)
    scores = linear.scores(x)
    code = other = 0
    if not model.predicts_numbers:
        code = int(linear.decide(scores)[0])
    if len(linear.coef) == 1:
        other = 1 - code
        w, b, score = linear.coef[0], float(linear.intercept[0]), float(scores[0])
    else:
        code, other = linear.winner_and_runner_up(x)
        w, b = linear.coef[code] - linear.coef[other], float(linear.intercept[code] - linear.intercept[other])
        score = float(scores[0, code] - scores[0, other])
    mapping = model.features
    cells = mapping.clean(row.rows).frame if isinstance(mapping, TableMap) else None
    names, raw = mapping.names, unscaled_numbers(mapping, cells) if isinstance(mapping, TableMap) else {}
    terms = [
        Term(names[j], value, float(w[j]), float(w[j]) * value, raw.get(names[j]))
        for j, value in zip(indices.tolist(), values.tolist(), strict=True)
    ]
    terms.sort(key=lambda term: -abs(term.contribution))
    by_class, flips = score_columns(scores, linear.cut), []
    if model.predicts_numbers:
        pass  # nothing is decided that could flip
    elif cells is not None or isinstance(mapping, TextMap):
        flips.append(flip_of_words(model, linear, row.rows, by_class))
        if cells is not None and cells.width:  # not of sentences alone
            flips.append(flip_of_table(TableDecision(model, linear, row.rows, cells, by_class)))
    else:
        flips.append(flip_of_features(model, linear, indices, values, by_class[0]))
    flip = min((one for one in flips if one is not None), key=lambda one: abs(one.change), default=None)
    label = None if row.labels is None else np.asarray(row.labels).tolist()[0]
    base, columns = b, None
    if isinstance(mapping, TableMap):
        means = mean_contributions(model, w)
        base, columns = b + sum(means.values()), column_parts(mapping, row, terms, means)
    if model.predicts_numbers:
        return Explanation(b, terms, score, score, None, label, None, notes, base, columns)
    labels = model.classes.tolist()
    return Explanation(b, terms, score, labels[code], labels[other], label, flip, notes, base, columns)


def mean_contributions(model: Classifier, w: np.ndarray) -> dict[str, float]:
    """What each column contributes to scores with these weights in the mean of the rows of training; 0 where not known."""
    assert isinstance(model.features, TableMap)
    if model.means is None:
        return {}
    means: dict[str, float] = {}
    for column, places in places_of_columns(model.features).items():
        means[column] = float(w[places] @ model.means[places])
    return means


def column_parts(mapping: TableMap, row: Dataset, terms: list[Term], means: dict[str, float]) -> list[ColumnPart]:
    """The terms by column, less what the column contributes in the mean."""
    column_of = {name: column for column, names in names_of_columns(mapping).items() for name in names}
    parts: dict[str, list[Term]] = {column: [] for column in means}
    for term in terms:
        parts.setdefault(column_of.get(term.feature, "hashed values"), []).append(term)
    cells = {name: row.rows[name][0] for name in row.rows.columns}
    columns = [
        ColumnPart(column, cells.get(column), sum(term.contribution for term in part) - means.get(column, 0.0), part)
        for column, part in parts.items()
    ]
    return sorted(columns, key=lambda part: -abs(part.contribution))


def unscaled_numbers(mapping: TableMap, values: pl.DataFrame | CodedTable | None) -> dict[str, float]:
    """The numbers of a table's row before they were scaled, where they are known."""
    assert values is not None
    raw = {c.name: float(numbers(values[c.name])[0][0]) for c in mapping.columns if c.number}
    return {name: value for name, value in raw.items() if not math.isnan(value)}


def names_of_columns(mapping: TableMap) -> dict[str, list[str]]:
    """The features of each raw column, and of each product; hashed values share theirs and are left out."""
    date_of = {name: one.name for one in mapping.readings.columns for name in one.value_columns} if mapping.readings else {}
    names: dict[str, list[str]] = {}
    for block in mapping.blocks:
        if not isinstance(block, HashedBlock):
            names.setdefault(date_of.get(block.column, block.column), []).extend(block.names)
    if mapping.texts and mapping.hashing is None:
        for name in mapping.texts.maps:
            names.setdefault(name, []).extend(mapping.texts.names_of(name))
    for column, value in mapping.grown:
        names.setdefault(date_of.get(column, column), []).append(f"{column}={value}")
    return names


def places_of_columns(mapping: TableMap) -> dict[str, np.ndarray]:
    """The numbers of the features of each raw column, and of each product."""
    place = {name: j for j, name in enumerate(mapping.names)}
    return {column: np.array([place[name] for name in names]) for column, names in names_of_columns(mapping).items()}
