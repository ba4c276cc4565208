"""Which features to learn from, where the user leaves it open: what held-out rows of training say.

Bins of numbers (`numeric="auto"`) and products of columns (`products="auto"`) let a line follow curves and corners, and let
it follow noise. Which of the two it is cannot be seen from the values, so both ways are tried on rows of training that were
not learned from, and more features must err less by more than chance.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.splits import stratified_folds
from rosenblatt.engine import order
from rosenblatt.engine.threads import map_on_cores
from rosenblatt.errors import DivergenceError
from rosenblatt.features.notes import FeatureTrial
from rosenblatt.features.table import TableMap
from rosenblatt.features.table.bins import sampled_rows
from rosenblatt.features.table.columns import PartSizes, TableEncoder
from rosenblatt.features.table.variants import with_products, without_bins
from rosenblatt.learning.examples import AnyExamples, class_factors, for_classes, for_regression
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import run

MOST_ROWS = 10_000  # that are tried
FOLDS = 5
STANDARD_ERRORS = 3.0  # by which more features must be better
PROPOSED, MOST_PRODUCTS = 6, 3  # pairs of columns that are tried, and taken, at most
MOST_COLUMNS = 40  # whose pairs are looked at
MOST_CELLS = 1000  # of a pair: with more, rows are too few to tell


def drawn_rows(codes: np.ndarray) -> np.ndarray:
    """The numbers of the rows that are tried, in order; of many, they are among those that bins are learned from."""
    sample = sampled_rows(len(codes))
    rows = np.arange(len(codes), dtype=np.int32) if sample is None else sample.astype(np.int32)
    order.shuffle(rows, order.random_bits(0, order.SPLIT))
    return np.sort(rows[:MOST_ROWS])


class HeldOutRows:
    """Some rows of training, at most 10,000 drawn by a fixed seed, in five folds of which each is held out once.

    The learner is the recipe's, with the mean of its weights, which is steadier than the last.
    """

    def __init__(self, mapping: TableMap, data: Dataset, codes: np.ndarray, recipe: Recipe, class_weight: Any = None):
        drawn = drawn_rows(codes)
        self.rows = mapping.clean_some(data, drawn)
        classes, self.codes = np.unique(codes[drawn], return_inverse=True)
        self.classes = len(classes)
        self.class_weight = class_weight
        if isinstance(class_weight, dict):  # a rare class may not have been drawn
            self.class_weight = {k: class_weight[code] for k, code in enumerate(classes.tolist()) if code in class_weight}
        factors = class_factors(self.class_weight, np.arange(self.classes), np.bincount(self.codes))
        self.importance = np.ones(len(self.codes)) if factors is None else factors[self.codes]
        self.rule, self.plan = recipe.rule(), replace(recipe.plan(), average=True, patience=None, keep_log=False)
        self.fold_of_row = stratified_folds(self.codes, FOLDS, seed=0)

    def predictions(self, mapping: TableMap) -> np.ndarray:
        """The class of every row by a learner that has not seen it."""
        examples = for_classes(mapping.transform(self.rows), self.codes, class_weight=self.class_weight)
        predicted = np.empty(len(self.codes), dtype=np.int64)
        for held_out, model in self.trained(examples):
            predicted[held_out] = model.decide(model.scores(examples.rows.take(held_out)))
        return predicted

    def trained(self, examples: AnyExamples) -> list[tuple[np.ndarray, Model]]:
        """The rows of every fold, and a learner that has not seen them; folds are shared between the cores."""

        def without(fold: int) -> tuple[np.ndarray, Model]:
            held_out = self.fold_of_row == fold
            learned = run(examples.take(np.flatnonzero(~held_out)), self.rule, self.plan)
            return np.flatnonzero(held_out), learned.view("averaged")

        return map_on_cores(without, range(FOLDS))

    @property
    def can_be_told(self) -> bool:
        """Is there anything to tell apart?"""
        return self.classes > 1

    def residuals(self, predicted: np.ndarray) -> np.ndarray:
        """1[y = k] − 1[prediction = k], a row a class: what predictions leave to be told."""
        return np.stack([(self.codes == k) * 1.0 - (predicted == k) for k in range(self.classes)])

    def compare(self, richer: TableMap, plain: np.ndarray) -> tuple[FeatureTrial, np.ndarray]:
        """Whether a map with more features errs less than some predictions, and its own."""
        try:
            predicted = self.predictions(richer)
        except DivergenceError:
            return FeatureTrial(len(self.codes), 1.0, self.error(plain), chosen=False), plain
        gain = self.mistakes(plain) - self.mistakes(predicted)
        better = float(gain.mean()) > STANDARD_ERRORS * float(gain.std()) / len(gain) ** 0.5
        return FeatureTrial(len(self.codes), self.error(predicted), self.error(plain), better), predicted

    def mistakes(self, predicted: np.ndarray) -> np.ndarray:
        """0 where a prediction is right, else 1, times the weight of the row's class where classes have one."""
        return np.where(predicted == self.codes, 0.0, self.importance / self.importance.mean())

    def error(self, predicted: np.ndarray) -> float:
        return float(self.mistakes(predicted).mean())


class HeldOutNumbers(HeldOutRows):
    """Held-out rows of numbers, which come scaled: a mistake is the squared error, as a share of the variance."""

    def __init__(self, mapping: TableMap, data: Dataset, targets: np.ndarray, recipe: Recipe):
        super().__init__(mapping, data, np.zeros(len(targets), dtype=np.int64), recipe)
        self.targets = targets[drawn_rows(targets)]
        self.variance = float(self.targets.var())

    @property
    def can_be_told(self) -> bool:
        return self.variance > 0 and len(self.targets) >= FOLDS

    def predictions(self, mapping: TableMap) -> np.ndarray:
        """The number of every row by a learner that has not seen it."""
        examples = for_regression(mapping.transform(self.rows), self.targets)
        predicted = np.empty(len(self.targets))
        for held_out, model in self.trained(examples):
            predicted[held_out] = model.scores(examples.rows.take(held_out))
        return predicted

    def mistakes(self, predicted: np.ndarray) -> np.ndarray:
        return np.asarray((predicted - self.targets) ** 2 / self.variance)

    def residuals(self, predicted: np.ndarray) -> np.ndarray:
        return np.asarray(self.targets - predicted)[None, :]


def choose_features(mapping: TableMap, data: Dataset, rows: HeldOutRows) -> TableMap:
    """The map with the bins and products that held-out rows are for; it was fitted to the data, with bins."""
    if not rows.can_be_told:
        return without_bins(mapping)
    chosen, trials, plain = mapping, {}, rows.predictions(without_bins(mapping))
    if mapping.has_bins and mapping.numeric == "auto":
        trials["bins"], predicted = rows.compare(mapping, plain)
        chosen, plain = (mapping, predicted) if trials["bins"].chosen else (without_bins(mapping), plain)
    elif mapping.has_bins:
        plain = rows.predictions(mapping)
    if mapping.products == "auto":
        pairs, trials["products"] = choose_products(chosen, rows, plain)
        chosen = with_products(chosen, pairs, data.rows)
    chosen.trials = trials
    return chosen


def choose_products(
    mapping: TableMap, rows: HeldOutRows, predicted: np.ndarray
) -> tuple[list[tuple[str, str]], FeatureTrial]:
    """The pairs of columns whose products err less, tried one after the other, and what they make of it together."""
    taken: list[tuple[str, str]] = []
    without = rows.error(predicted)
    best = without  # of a pair that was not taken
    for pair in proposed_pairs(mapping, rows, predicted):
        if len(taken) == MOST_PRODUCTS:
            break
        trial, of_pair = rows.compare(with_products(mapping, [*taken, pair], rows.rows), predicted)
        if trial.chosen:
            taken, predicted = [*taken, pair], of_pair
        best = min(best, trial.error_with)
    return taken, FeatureTrial(len(rows.codes), rows.error(predicted) if taken else best, without, bool(taken))


def proposed_pairs(mapping: TableMap, rows: HeldOutRows, predicted: np.ndarray) -> list[tuple[str, str]]:
    """The pairs of columns in whose cells mistakes of one kind gather, more than in the values of either alone.

    For r = 1[y = k] − 1[prediction = k], a cell with sum S of n rows counts S²/n: what the mean of the cell explains of r.
    Of numbers, r = y − prediction.
    """
    codes = cell_codes(mapping, rows)
    residuals = rows.residuals(predicted)

    def explained(cells: np.ndarray) -> float:
        counts = np.bincount(cells)
        present = counts > 0
        sums = [np.bincount(cells, r)[present] ** 2 / counts[present] for r in residuals]
        # By chance alone every cell explains as much as the variance of r.
        return float(np.sum(sums)) - np.count_nonzero(present) * float(residuals.var(axis=1).sum())

    alone = {name: explained(cells) for name, cells in codes.items()}
    gains = {}
    for a, b in combinations(codes, 2):
        width = int(codes[b].max()) + 1
        if (int(codes[a].max()) + 1) * width <= MOST_CELLS:
            gains[a, b] = explained(codes[a] * width + codes[b]) - alone[a] - alone[b]
    return [pair for pair in sorted(gains, key=gains.__getitem__, reverse=True)[:PROPOSED] if gains[pair] > 0]


def cell_codes(mapping: TableMap, rows: HeldOutRows) -> dict[str, np.ndarray]:
    """The value of every row in the first columns of the table, as a number from 0; numbers in eight bins."""
    columns = [column for column in mapping.columns if column.name not in mapping.date_parts][:MOST_COLUMNS]
    codes: dict[str, np.ndarray] = {}
    if len(columns) < 2:  # a table of sentences has none
        return codes
    at_once = PartSizes(rows=MOST_ROWS, rows_without_lookup=MOST_ROWS)
    (part,) = TableEncoder(mapping.clean(rows.rows).frame, columns, scale=True, sizes=at_once)
    for column in columns:
        if column.category:
            codes[column.name] = part.codes[column.name] + 1
        else:
            x = part.numbers[column.name].astype(float)
            edges = np.unique(np.quantile(x, np.arange(1, 8) / 8))
            codes[column.name] = np.searchsorted(edges, x)
    return codes
