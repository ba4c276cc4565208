"""What a classifier has learned, and why it decided so (LECTURES B5: ∂score/∂x_j = w_j).

>>> from rosenblatt.learning.classifier import learn
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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.errors import DataError
from rosenblatt.features import Notes, TableMap
from rosenblatt.features.table.blocks import CategoryBlock, NumberBlock, NumberProduct
from rosenblatt.features.table.columns import Category, Number, numbers
from rosenblatt.learning.classifier import Classifier, with_training_types
from rosenblatt.learning.scoring import Model
from rosenblatt.studies.facts import SCALE_RATIO

if TYPE_CHECKING:
    import polars as pl

PLAUSIBLE_SDS = 4.0  # standard deviations from the mean, at most, of a number that could occur


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
class Flip:
    """A change of one value that changes the decision; `change` is what it does to the score."""

    feature: str
    before: object
    after: object
    change: float
    prediction: object
    far: float = 0.0  # of a number: how many standard deviations it moves
    plausible: bool = True  # of a number: is the new one near what training saw?


@dataclass(frozen=True)
class Explanation:
    """The score of one row as a sum, and what would change the decision.

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


def weights(model: Classifier, view: str | None = None, top: int = 0) -> list[Weight]:
    """The weights that matter, class by class, largest first; `top` a class, 0 for all but zeros.

    With two classes a positive weight speaks for the second, a negative one for the first.
    """
    coef, names = model.linear(view).coef, model.features.names
    largest = []
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
    code = int(linear.decide(scores)[0])
    if len(linear.coef) == 1:
        other = 1 - code
        w, b, score = linear.coef[0], float(linear.intercept[0]), float(scores[0])
    else:
        code, other = linear.winner_and_runner_up(x)
        w, b = linear.coef[code] - linear.coef[other], float(linear.intercept[code] - linear.intercept[other])
        score = float(scores[0, code] - scores[0, other])
    names, raw = model.features.names, unscaled_numbers(model, row)
    terms = [
        Term(names[j], value, float(w[j]), float(w[j]) * value, raw.get(names[j]))
        for j, value in zip(indices.tolist(), values.tolist(), strict=True)
    ]
    terms.sort(key=lambda term: -abs(term.contribution))
    if isinstance(model.features, TableMap):
        flip = flip_of_table(model, linear, row.rows)
    else:
        flip = flip_of_features(model, linear, indices, values, _score_columns(scores, linear.cut)[0])
    label = None if row.labels is None else np.asarray(row.labels).tolist()[0]
    return Explanation(b, terms, score, model.classes.tolist()[code], model.classes.tolist()[other], label, flip, notes)


def unscaled_numbers(model: Classifier, row: Dataset) -> dict[str, float]:
    """The numbers of a table's row before they were scaled, where they are known."""
    if not isinstance(model.features, TableMap):
        return {}
    values = model.features.clean(row.rows).frame
    raw = {c.name: float(numbers(values[c.name])[0][0]) for c in model.features.columns if c.number}
    return {name: value for name, value in raw.items() if not math.isnan(value)}


def _score_columns(scores: np.ndarray, cut: float | None = None) -> np.ndarray:
    """Scores with a column a class: two classes have 0, or the cut of a threshold, and their one score; the higher wins."""
    return scores if scores.ndim == 2 else np.stack([np.full_like(scores, cut or 0.0), scores], axis=1)


def flip_of_table(model: Classifier, linear: Model, row: pl.DataFrame) -> Flip | None:
    """The change of one column that flips the decision with the least change of the score."""
    assert isinstance(model.features, TableMap)
    flips: list[Flip] = []
    decision = _Decision(model, linear, row, linear.scores(model.transform(row)[0]))
    for column in model.features.columns:
        if column.name in model.features.date_parts:  # one part of a date cannot change alone
            continue
        if isinstance(column.category, Category):
            flips += _other_values(decision, column.name, column.category.values)
        elif column.number and column.category is None:
            flips += _other_numbers(decision, column.number)
    # Numbers stop just beyond the boundary, with nearly equal changes: of these the one that moves least.
    return min(flips, key=lambda flip: (not flip.plausible, float(f"{abs(flip.change):.3g}"), flip.far), default=None)


@dataclass(frozen=True)
class _Decision:
    """A row of a table, the model that decides on it, and the scores that it gives the row as it is."""

    model: Classifier
    linear: Model
    row: pl.DataFrame
    own: np.ndarray

    def changed(self, name: str, values: list[str] | list[float]) -> np.ndarray:
        """The scores, a column a class, of the row with other values in one column; first those of the row itself."""
        import polars as pl

        # By name, since polars gives a column without one another in a list.
        others = {series.name: series.new_from_index(0, len(values)) for series in self.row if series.name != name}
        changed = self.linear.scores(self.model.transform(pl.DataFrame({**others, name: values}))[0])
        return _score_columns(np.concatenate([self.own, changed]), self.linear.cut)


def _other_values(decision: _Decision, name: str, values: list[str]) -> list[Flip]:
    if not values:
        return []
    gaps, winners, code = _gaps(decision.linear, decision.changed(name, values))
    before = decision.row[name][0]
    return [
        Flip(name, before, value, float(gaps[1 + k] - gaps[0]), decision.model.classes.tolist()[winners[1 + k]])
        for k, value in enumerate(values)
        if winners[1 + k] != code
    ]


def _gaps(linear: Model, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """How far the first row's winner is ahead of its best rival in every row, all winners, and that winner.

    Of two equals the first wins, but with two classes the second: a score of 0 is the positive class.
    """
    winners = linear.decide(scores[:, 1] if scores.shape[1] == 2 else scores)
    code = int(winners[0])
    return scores[:, code] - np.delete(scores, code, axis=1).max(axis=1), winners, code


def _other_numbers(decision: _Decision, number: Number) -> list[Flip]:
    """The nearest number beyond the boundary, on the line through the row's score and one step further."""
    linear, row = decision.linear, decision.row
    x = float(numbers(row[number.name])[0][0])
    step = number.sd or 1.0
    if math.isnan(x):
        return []
    scores = decision.changed(number.name, [x, x + step])
    _, _, code = _gaps(linear, scores)
    gap = scores[:, [code]] - np.delete(scores, code, axis=1)
    slopes = (gap[2] - gap[1]) / step
    whole = row[number.name].dtype.is_integer()
    flips = []
    for distance, slope in zip(gap[1], slopes, strict=True):
        if slope == 0:
            continue
        move = -distance / slope
        # A little more at a time, since features are rounded to float32.
        tries = [move + math.copysign(max(abs(move), 1e-3 * step) * 10.0**e, -slope) for e in range(-6, -1)]
        values = [math.copysign(math.ceil(abs(m)), m) + x if whole else x + m for m in tries]
        values = [value for value in values if math.isfinite(value) and abs(value) < 1e30]
        if not values:
            continue
        gaps, winners, code = _gaps(linear, decision.changed(number.name, values))
        beyond = np.flatnonzero(winners[1:] != code)
        if len(beyond):
            k = int(beyond[0])
            after, label = int(values[k]) if whole else values[k], decision.model.classes.tolist()[winners[1 + k]]
            flip = Flip(number.name, row[number.name][0], after, float(gaps[1 + k] - gaps[0]), label)
            near = abs(values[k] - number.mean) <= PLAUSIBLE_SDS * step
            flips.append(replace(flip, far=abs(values[k] - x) / step, plausible=near))
    return sorted(flips, key=lambda flip: flip.far)[:1]


def flip_of_features(
    model: Classifier, linear: Model, indices: np.ndarray, values: np.ndarray, scores: np.ndarray
) -> Flip | None:
    """One word, column or pixel that flips the decision: taken out where it is there, put in (1) where it is not."""
    coef = _score_columns(linear.coef[0]).T if len(linear.coef) == 1 else linear.coef
    x = np.zeros(coef.shape[1])
    x[indices] = values
    move = np.where(x != 0, -x, 1.0)
    _, _, code = _gaps(linear, scores[None])
    after = scores[None] + (coef * move).T
    gaps, winners, _ = _gaps(linear, np.concatenate([scores[None], after]))
    flips = np.flatnonzero(winners[1:] != code)
    if not len(flips):
        return None
    j = int(flips[np.abs(gaps[1:][flips] - gaps[0]).argmin()])
    name = model.features.names[j]
    change = float(gaps[1 + j] - gaps[0])
    return Flip(name, float(x[j]), float(x[j] + move[j]), change, model.classes.tolist()[winners[1 + j]])
