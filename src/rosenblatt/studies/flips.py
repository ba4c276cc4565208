"""The smallest change of one value that changes a decision.

A linear score changes by what the features of that value contribute, so that no row is encoded again: of each column only
the blocks of features that it is in are, with its other values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.data.coded import CodedTable
from rosenblatt.features import TableMap
from rosenblatt.features.table.blocks import FeatureBlock, NumberBlock
from rosenblatt.features.table.columns import Category, EncodedRows, TableColumn, TableEncoder
from rosenblatt.features.table.hashed import HashedBlock
from rosenblatt.features.table.numbers import Number, numbers, standardise
from rosenblatt.features.table.variants import grown_places
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.scoring import Model

if TYPE_CHECKING:
    import polars as pl

PLAUSIBLE_SDS = 4.0  # standard deviations from the mean, at most, of a number, where its range in training is not known
CLOSE = 1e-5  # a lead, as a share of the scores
BEYOND = 10.0 ** np.arange(-6, -1)  # of a move: a little further, since features are rounded


@dataclass(frozen=True)
class Flip:
    """A change of one value that changes the decision; `change` is what it does to the winner's lead."""

    feature: str
    before: object
    after: object
    change: float
    prediction: object
    far: float = 0.0  # of a number: how many standard deviations it moves
    is_word: bool = False  # which is taken out, all of them, or put in once


def score_columns(scores: np.ndarray, cut: float | None = None) -> np.ndarray:
    """Scores with a column a class: two classes have 0, or the cut of a threshold, and their one score; the higher wins."""
    return scores if scores.ndim == 2 else np.stack([np.full_like(scores, cut or 0.0), scores], axis=1)


def leads(linear: Model, scores: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
    """How far a class is ahead of its best rival in every row of scores, and the winners.

    Of two equals the first wins, but with two classes the second: a score of 0 is the positive class.
    """
    winners = linear.decide(scores[:, 1] if scores.shape[1] == 2 else scores)
    return scores[:, code] - np.delete(scores, code, axis=1).max(axis=1), winners


@dataclass
class TableDecision:
    """A row of a table, encoded once, and the scores of a linear model for it with other values in single columns."""

    model: Classifier
    linear: Model
    row: pl.DataFrame  # of one row
    values: pl.DataFrame | CodedTable  # of its cells, as training read them
    scores: np.ndarray  # its own, a column a class
    mapping: TableMap = field(init=False)
    blocks_of: dict[str, list[tuple[FeatureBlock, int]]] = field(init=False)

    def __post_init__(self) -> None:
        assert isinstance(self.model.features, TableMap)
        self.mapping = self.model.features
        dtype = np.float64 if self.mapping.double else np.float32
        self.encoder = TableEncoder(self.values, self.mapping.columns, self.mapping.scale, dtype)
        (self.own,) = self.encoder
        self.blocks_of = {}
        for block, start in zip(self.mapping.blocks, self.mapping.starts, strict=True):
            for name in () if isinstance(block, HashedBlock) else block.sources:
                self.blocks_of.setdefault(name, []).append((block, start))
        self.code = int(leads(self.linear, self.scores, 0)[1][0])

    def contributions(self, name: str, part: EncodedRows) -> np.ndarray:
        """What the features of one column contribute to the scores, a row a row of the part and a column a class."""
        coef = self.linear.coef
        total = np.zeros((len(part), max(2, len(coef))))
        for block, start in self.blocks_of.get(name, []):
            places, values = block.encode(part)
            places = np.broadcast_to(places, len(part))
            weights = np.where(places >= 0, coef[:, start + np.maximum(places, 0)], 0.0)
            total[:, -len(coef) :] += (weights * (1.0 if values is None else values)).T
        if name in part.grown:
            places = part.grown[name]
            weights = coef[:, grown_places(self.mapping)[name][np.maximum(places, 0)]]
            total[:, -len(coef) :] += np.where(places >= 0, weights, 0.0).T
        return total

    def scores_with(self, column: TableColumn, other: EncodedRows) -> np.ndarray:
        """The scores of the row with other values in one column: those are in `other`, which the row itself completes."""
        count = len(other)
        for name in {name for block, _ in self.blocks_of.get(column.name, []) for name in block.sources}:
            for own, others in zip(of_columns(self.own), of_columns(other), strict=True):
                if name in own and name not in others:
                    others[name] = np.repeat(own[name], count)
        scores: np.ndarray = self.scores - self.contributions(column.name, self.own) + self.contributions(column.name, other)
        return scores

    def encoded_numbers(self, number: Number, x: np.ndarray) -> EncodedRows:
        """Other numbers of a column as their features."""
        other, missing = EncodedRows(0, len(x), {}), np.zeros(len(x), dtype=bool)
        other.numbers[number.name] = number.encode(x, missing, self.mapping.scale, self.encoder.dtype)
        other.missing[number.name] = missing
        if number.bins:
            other.bins[number.name] = number.bins.codes(x)
        return other

    def flip(self, name: str, after: object, change: float, winner: int, far: float = 0.0) -> Flip:
        return Flip(name, self.row[name][0], after, change, self.model.classes.tolist()[winner], far)


def of_columns(part: EncodedRows) -> tuple[dict[str, np.ndarray], ...]:
    return part.codes, part.numbers, part.missing, part.bins


@np.errstate(over="ignore", invalid="ignore")  # between the largest numbers of both signs there is no number
def flip_of_table(decision: TableDecision) -> Flip | None:
    """The change of one column that flips the decision with the least change of the score."""
    flips: list[Flip] = []
    parts, steady = decision.mapping.date_parts, steady_numbers(decision)
    for column in decision.mapping.columns:
        if column.name in parts or column.name in steady:  # one part of a date cannot change alone
            continue
        if isinstance(column.category, Category):
            flips += other_values(decision, column)
        elif column.number and column.category is None:
            flips += other_number(decision, column, column.number)
    # Numbers stop just beyond the boundary, with nearly equal changes: of these the one that moves least.
    return min(flips, key=lambda flip: (float(f"{abs(flip.change):.3g}"), flip.far), default=None)


def steady_numbers(decision: TableDecision) -> set[str]:
    """The columns of numbers, with no feature but themselves, that flip nothing at either end of their range.

    So they flip nothing in between, where leads are straight lines: most of many columns need no closer look.
    """
    starts: dict[str, int] = {}
    for name, blocks in decision.blocks_of.items():
        if len(blocks) == 1 and isinstance(blocks[0][0], NumberBlock):
            starts[name] = blocks[0][1]
    plain = [c.number for c in decision.mapping.columns if c.number and c.category is None and c.name in starts]
    if not plain:
        return set()
    mean, sd = np.zeros(len(plain)), np.ones(len(plain))
    if decision.mapping.scale:
        mean, sd = np.array([number.mean for number in plain]), np.array([number.sd for number in plain])
    coef = decision.linear.coef[:, [starts[number.name] for number in plain]].T
    own = np.array([decision.own.numbers[number.name][0] for number in plain])
    steady = np.ones(len(plain), dtype=bool)
    for ends in zip(*(plausible_range(number) for number in plain), strict=True):
        moves = standardise(np.array(ends), mean, sd, np.float64) - own
        scores = np.repeat(decision.scores, len(plain), axis=0)
        scores[:, -coef.shape[1] :] += coef * moves[:, None]
        ahead = leads(decision.linear, scores, decision.code)[0]
        steady &= ahead > CLOSE * np.abs(scores).max(axis=1)  # what is closer may be a matter of rounding
    return {number.name for number, flips_nothing in zip(plain, steady, strict=True) if flips_nothing}


def plausible_range(number: Number) -> tuple[float, float]:
    """Within which a number may move: what training had."""
    step = number.sd or 1.0
    return number.range or (number.mean - PLAUSIBLE_SDS * step, number.mean + PLAUSIBLE_SDS * step)


def other_values(decision: TableDecision, column: TableColumn) -> list[Flip]:
    """The values of a category that flip the decision; where it is a number, too, with the features of both."""
    assert isinstance(column.category, Category)
    texts = column.category.values
    codes = np.array([code for code, text in enumerate(texts) if not column.number or is_number(text)], dtype=np.int32)
    other = EncodedRows(0, len(codes), {})
    if column.number:
        other = decision.encoded_numbers(column.number, np.array([float(texts[code]) for code in codes]))
    other.codes[column.name] = codes
    scores = decision.scores_with(column, other)
    gaps, winners = leads(decision.linear, np.concatenate([decision.scores, scores]), decision.code)
    return [
        decision.flip(column.name, texts[codes[k]], float(gaps[1 + k] - gaps[0]), winners[1 + k])
        for k in np.flatnonzero(winners[1:] != decision.code).tolist()
    ]


def is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def other_number(decision: TableDecision, column: TableColumn, number: Number) -> list[Flip]:
    """The nearest number, within those of training, that flips the decision.

    Between two ends of its bins a score is a straight line of the number: there the lead is lost at most once, where the
    line through its ends crosses 0.
    """
    x = float(numbers(decision.values[number.name])[0][0])
    if math.isnan(x):
        return []
    step = number.sd or 1.0
    low, high = plausible_range(number)
    whole = decision.values[number.name].dtype.is_integer()
    ends = np.array([low, x, high] if number.bins is None else [low, x, high, *number.bins.ends])
    ends = np.unique(ends[(ends >= min(low, x)) & (ends <= max(high, x))])
    starts, stops = np.nextafter(ends[:-1], np.inf), ends[1:]  # a bin begins just behind the end of the one before
    candidates = np.concatenate([ends, starts, crossings(decision, column, starts, stops, x)])
    if whole:
        candidates = np.where(candidates >= x, np.ceil(candidates), np.floor(candidates))
    candidates = np.unique(candidates[(candidates >= low) & (candidates <= high) & (candidates != x)])
    if not len(candidates):
        return []
    candidates = candidates[np.argsort(np.abs(candidates - x), kind="stable")]
    scores = decision.scores_with(column, decision.encoded_numbers(number, candidates))
    gaps, winners = leads(decision.linear, np.concatenate([decision.scores, scores]), decision.code)
    beyond = np.flatnonzero(winners[1:] != decision.code)
    if not len(beyond):
        return []
    k = int(beyond[0])
    value = int(candidates[k]) if whole else float(candidates[k])
    return [decision.flip(number.name, value, float(gaps[1 + k] - gaps[0]), winners[1 + k], abs(value - x) / step)]


def crossings(decision: TableDecision, column: TableColumn, starts: np.ndarray, stops: np.ndarray, x: float) -> np.ndarray:
    """Where the lead over some rival ends between these pairs of numbers, and a little further from x."""
    if not len(starts):
        return starts
    assert column.number is not None
    scores = decision.scores_with(column, decision.encoded_numbers(column.number, np.concatenate([starts, stops])))
    gaps = scores[:, [decision.code]] - np.delete(scores, decision.code, axis=1)
    first, last = gaps[: len(starts)], gaps[len(starts) :]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = first / (first - last)
    between = np.where((first > 0) != (last > 0), share, np.nan)
    near_start = np.abs(starts - x) <= np.abs(stops - x)
    # Of several rivals the one that is met first, coming from x.
    met = np.where(near_start[:, None], between, 1.0 - between)
    share_of_way = np.fmin.reduce(met, axis=1, initial=np.inf)
    met_any = np.isfinite(share_of_way)
    begin, end = np.where(near_start, starts, stops)[met_any], np.where(near_start, stops, starts)[met_any]
    places = begin + share_of_way[met_any] * (end - begin)
    further = places[:, None] + np.sign(end - begin)[:, None] * np.maximum(np.abs(places - x), 1e-12)[:, None] * BEYOND
    return np.concatenate([places, further.ravel()])


def flip_of_features(
    model: Classifier, linear: Model, indices: np.ndarray, values: np.ndarray, scores: np.ndarray
) -> Flip | None:
    """One column or pixel that flips the decision: taken out where it is there, put in (1) where it is not."""
    coef = score_columns(linear.coef[0]).T if len(linear.coef) == 1 else linear.coef
    move = np.ones(coef.shape[1])
    move[indices] = -values
    code = int(leads(linear, scores[None], 0)[1][0])
    gaps, winners = leads(linear, np.concatenate([scores[None], scores[None] + (coef * move).T]), code)
    flips = np.flatnonzero(winners[1:] != code)
    if not len(flips):
        return None
    j = int(flips[np.abs(gaps[1:][flips] - gaps[0]).argmin()])
    before = -move[j] if j in indices else 0.0
    change, label = float(gaps[1 + j] - gaps[0]), model.classes.tolist()[winners[1 + j]]
    return Flip(model.features.names[j], float(before), float(before + move[j]), change, label)
