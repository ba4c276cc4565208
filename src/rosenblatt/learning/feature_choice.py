"""Which features of numbers to learn from, where the user leaves it open (`numeric="auto"`): what held-out rows say.

Bins and frequent values let a line follow a curve, and let it follow noise. Which of the two it is cannot be seen from the
numbers, so both ways are tried on rows of training that they have not learned from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.splits import stratified_folds
from rosenblatt.engine import order
from rosenblatt.errors import DivergenceError
from rosenblatt.features.table import TableMap
from rosenblatt.features.table.numbers import BinTrial
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.training import run

MOST_ROWS = 10_000  # that are tried
FOLDS = 5
STANDARD_ERRORS = 1.5  # by which bins must be better


def choose_bins(mapping: TableMap, data: Dataset, codes: np.ndarray, recipe: Recipe, class_weight: object) -> TableMap:
    """The map as it was fitted, with bins, or without them: bins where they are better on held-out rows by more than chance.

    Of at most 10,000 rows, drawn by a fixed seed, each of five folds is held out once. The learner is the recipe's, with
    the mean of its weights, which is steadier than the last.
    """
    if not mapping.has_bins:
        return mapping
    plain = mapping.without_bins()
    drawn = np.arange(len(codes), dtype=np.int32)
    order.shuffle(drawn, order.random_bits(0, order.SPLIT))
    drawn = np.sort(drawn[:MOST_ROWS])
    classes, some = np.unique(codes[drawn], return_inverse=True)
    if len(classes) < 2:
        return plain
    part = data.take(drawn).rows
    weights = class_weight
    if isinstance(class_weight, dict):  # a rare class may not have been drawn
        weights = {place: class_weight[code] for place, code in enumerate(classes.tolist()) if code in class_weight}
    without = held_out_mistakes(plain, part, some, recipe, weights)
    try:
        with_bins = held_out_mistakes(mapping, part, some, recipe, weights)
    except DivergenceError:
        return plain
    gain = without - with_bins
    better = float(gain.mean()) > STANDARD_ERRORS * float(gain.std()) / len(gain) ** 0.5
    chosen = mapping if better else plain
    chosen.trial = BinTrial(len(drawn), float(with_bins.mean()), float(without.mean()), better)
    return chosen


def held_out_mistakes(
    mapping: TableMap, rows: object, codes: np.ndarray, recipe: Recipe, class_weight: object
) -> np.ndarray:
    """1 for every row that a learner that has not seen it gets wrong, else 0; times the row's weight where it has one."""
    examples = for_classes(mapping.transform(rows), codes, class_weight=class_weight)
    rule, plan = recipe.rule(), replace(recipe.plan(), average=True, patience=None, keep_log=False)
    fold_of_row = stratified_folds(codes, FOLDS, seed=0)
    mistakes = np.zeros(len(codes))
    for fold in range(FOLDS):
        held_out = np.flatnonzero(fold_of_row == fold)
        model = run(examples.take(np.flatnonzero(fold_of_row != fold)), rule, plan).view("averaged")
        mistakes[held_out] = model.decide(model.scores(examples.rows.take(held_out))) != codes[held_out]
    return mistakes if examples.importance is None else mistakes * examples.importance / examples.importance.mean()
