"""Which learner, with which features and parameters and for how many epochs: successive halving on held-out rows.

All candidates start on few rows; the better third goes on with three times as many, until the last few are tried on all of
them (Jamieson and Talwalkar, 2016, Non-stochastic best arm identification). Within a round all see the same disjoint folds.
The best of many is partly the luckiest: it is taken only where it beats the default by more than a standard error.

>>> from rosenblatt.data import open_known
>>> search = choose_recipe(open_known("iris"), others=[Recipe("mira"), Recipe("logistic")])
>>> search.ranked[0].error <= search.default.error
True
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.splits import stratified_folds
from rosenblatt.engine import order
from rosenblatt.engine.compiled import cores
from rosenblatt.errors import RosenblattError, SettingError, counted
from rosenblatt.learning.examples import Examples, encode, labels_of
from rosenblatt.learning.learners import KERNEL, LEARNERS, Recipe
from rosenblatt.learning.measures import METRICS
from rosenblatt.studies.compare import (
    SIGNIFICANCE_LEVEL,
    Trial,
    compute_p_value,
    split_encoder,
    try_estimator,
    try_recipe,
)

FIRST_ROWS = 2000  # of the first round
KEPT = 3  # one in so many goes on
FINALISTS = 4  # that are tried on all rows
FOLDS = 5
FEW_ROWS, REPETITIONS = 5000, 4  # of so few rows, the finalists are tried on the folds of so many shuffles
STANDARD_ERRORS = 1.0  # by which another recipe than the default must be better to be taken
MOST_WORK = 4e10  # multiplications of a search without a budget in seconds
MOST_KERNEL_ROWS = 4000  # a kernel compares each row with all that it has learned from

Progress = Callable[[int, int, int], None]  # called with the round, the candidates in it and the rows


@dataclass
class Candidate:
    """A recipe, and how it did on the held-out rows of the last round."""

    recipe: Recipe
    entrant: Callable[[int], Any] | None = None  # learns from the recipe's features in its place
    rows: int = 0  # of the last round that it was in
    repetitions: int = 0  # of cutting them into folds
    trials: list[Trial] = field(default_factory=list)  # by fold
    failed: str | None = None  # why it could not learn

    @property
    def error(self) -> float:
        """The share of held-out rows that are wrong."""
        return math.inf if self.failed or not self.trials else 1.0 - float(np.concatenate(self.right).mean())

    @property
    def loss(self) -> float:
        """By the recipe's metric, the mean over the folds: the smaller, the better."""
        return math.inf if self.failed or not self.trials else float(np.mean([trial.loss for trial in self.trials]))

    @property
    def right(self) -> list[np.ndarray]:
        """Which held-out rows are right, by fold."""
        return [trial.right for trial in self.trials]

    @property
    def label(self) -> str:
        """The learner as `compare` names it, with what differs from its usual settings."""
        chosen = {**self.recipe.parameters, **self.recipe.features}
        return ", ".join([self.recipe.compared_name, *(f"{name} {value}" for name, value in chosen.items()), self.epochs])

    @property
    def epochs(self) -> str:
        return counted(self.recipe.epochs, "epoch")


@dataclass(frozen=True)
class CurveTrial:
    """The best line and what bends, a kernel or trees, on the same rows; many more of them would take a kernel too long."""

    rows: int
    line_error: float
    curve_error: float
    p_value: float | None

    @property
    def line_is_not_enough(self) -> bool:
        """Does what bends err less by more than chance?"""
        better = self.curve_error < self.line_error
        return better and self.p_value is not None and self.p_value < SIGNIFICANCE_LEVEL


@dataclass(frozen=True)
class Search:
    """All candidates, the best first; those that came further stand before those that did not."""

    ranked: list[Candidate]
    winner: Candidate  # the first, or the default where that is as good as far as one can tell
    default: Candidate
    p_value: float | None  # of the difference between the first and the default
    kernel: CurveTrial | None  # the best line beside the best kernel
    trees: CurveTrial | None  # and beside gradient-boosted trees
    seconds: float
    ended_by: str  # "all rounds", "budget" or "work"

    @property
    def beyond_chance(self) -> bool:
        """Is the winner better than the default by more than chance?"""
        return self.p_value is not None and self.p_value < SIGNIFICANCE_LEVEL


def choose_recipe(
    data: Dataset,
    recipe: Recipe | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    others: Iterable[Recipe] | None = None,
) -> Search:
    """The best of many recipes for the data, by held-out rows; `recipe` is the default, and gives seed, order and bias.

    `others` are tried beside it: without them, learners × parameters × features × epochs.
    Without `seconds` the search is bounded by counted work, so that it gives the same answer on every machine.
    """
    started = time.perf_counter()
    if seconds is not None and seconds <= 0:
        raise SettingError(f"seconds (--budget) is {seconds:g}: give the seconds that the search may take, more than 0.")
    default = Candidate(recipe or Recipe())
    tried = recipes_for(data, default.recipe) if others is None else others
    candidates = [default, *(Candidate(one) for one in tried)]
    labels = labels_of(data)
    if default.recipe.learns_numbers(labels):
        raise SettingError(
            "The target is a quantity, and the search is for classes: train without --auto. "
            "`rosenblatt compare` sets the learners for numbers beside each other; --task classes takes each for a class."
        )
    classes, codes = encode(labels)
    single = [str(classes[k]) for k in np.flatnonzero(np.bincount(codes) < 2)]
    if single:
        names = ", ".join(single[:5]) + (" …" if len(single) > 5 else "")
        each = "Of the class" if len(single) == 1 else "Of each of the classes"
        raise SettingError(
            f"{each} {names} there is one row only, and no learner can be measured on it: leave such rows out, or train "
            "without --auto."
        )
    drawn = np.arange(len(codes), dtype=np.int32)
    order.shuffle(drawn, order.random_bits(default.recipe.seed, order.SPLIT))
    work, ended_by, alive, kernel = 0.0, "all rounds", candidates, None
    for number, (rows, repetitions) in enumerate(rounds(len(codes))):
        if rows > MOST_KERNEL_ROWS:
            alive = [one for one in alive if not one.recipe.with_kernel]
        if progress:
            progress(number, len(alive), rows)
        work += try_all(alive, data.take(np.sort(drawn[:rows])), repetitions, seconds, started)
        measured = [one for one in alive if (one.rows, one.repetitions, one.failed) == (rows, repetitions, None)]
        best = sorted(measured, key=lambda one: one.loss)
        if default not in best:
            ended_by = "budget"
            break
        kernel = line_against_kernel(best) or kernel
        last = len(alive) <= FINALISTS + 2 and rows == len(codes)
        kept = best[: max(FINALISTS, math.ceil(len(best) / KEPT))]
        kept += [one for one in best if one.recipe.with_kernel and one not in kept][:1]
        alive = kept if default in kept else [*kept, default]
        if not last and work * KEPT > MOST_WORK and seconds is None:
            ended_by = "work"
            break
        if not last and seconds is not None and (time.perf_counter() - started) * (1 + KEPT) > seconds:
            ended_by = "budget"
            break
    ranked = sorted(candidates, key=lambda one: (-one.rows, -one.repetitions, one.loss))
    ranked = [one for one in ranked if one.failed is None and one.rows] or [default]
    winner = ranked[0] if is_clearly_better(ranked[0], default) else default
    trees = None
    if data.kind == "table" and ended_by != "budget":
        from rosenblatt.estimators.neighbours.entrants import boosted_trees

        line = next(one for one in ranked if not one.recipe.with_kernel)
        boosted = Candidate(with_plain_numbers(data, default.recipe), boosted_trees)
        try_all([boosted], data.take(np.sort(drawn[: line.rows])), 1, seconds, started)
        trees = line_against(line, boosted)
    p_value, took = p_value_of(ranked[0], default), time.perf_counter() - started
    return Search(ranked, winner, default, p_value, kernel, trees, took, ended_by)


def is_clearly_better(candidate: Candidate, default: Candidate) -> bool:
    """Does a candidate beat the default, on the same rows, by more than a standard error of the difference?"""
    if candidate.rows != default.rows or candidate.repetitions != default.repetitions:
        return not default.trials
    gains = np.array([b.loss - a.loss for a, b in zip(candidate.trials, default.trials, strict=True)])
    gains = gains.reshape(-1, FOLDS).mean(axis=0) if len(gains) > FOLDS else gains
    return len(gains) > 1 and float(gains.mean()) > STANDARD_ERRORS * float(gains.std(ddof=1)) / len(gains) ** 0.5


def p_value_of(a: Candidate, b: Candidate) -> float | None:
    """How often chance alone makes two candidates differ so much; None where they were not tried on the same rows."""
    if a is b or a.rows != b.rows or not a.trials:
        return None
    return compute_p_value(a.right, b.right, [a.rows - len(right) for right in a.right])


def line_against_kernel(best: list[Candidate]) -> CurveTrial | None:
    """The best line and the best kernel of a round."""
    kernels, lines = ([one for one in best if one.recipe.with_kernel is kernel] for kernel in (True, False))
    return line_against(lines[0], kernels[0]) if kernels and lines else None


def line_against(line: Candidate, other: Candidate) -> CurveTrial | None:
    """A line and something else on the folds that both were tried on."""
    folds = min(len(line.trials), len(other.trials))
    if not folds or line.rows != other.rows:
        return None
    of_line, of_other = line.right[:folds], other.right[:folds]
    p_value = compute_p_value(of_line, of_other, [line.rows - len(right) for right in of_line])
    line_error, curve_error = (1.0 - float(np.concatenate(right).mean()) for right in (of_line, of_other))
    return CurveTrial(line.rows, line_error, curve_error, p_value)


def rounds(rows: int) -> Iterator[tuple[int, int]]:
    """Rows of each round, a few thousand, three times as many, …, all of them; and how often they are cut into folds."""
    size = min(rows, FIRST_ROWS)
    while size < rows:
        yield size, 1
        size *= KEPT
    if rows <= FIRST_ROWS:
        yield rows, 1  # of all candidates
    yield rows, REPETITIONS if rows <= FEW_ROWS else 1


def recipes_for(data: Dataset, recipe: Recipe) -> Iterator[Recipe]:
    """Learners × parameters × features × epochs, and kernels, which see what no line does."""
    for learner, parameters in learners_to_try():
        averages = LEARNERS[learner].view == "last"
        for features, epochs in product(features_to_try(data, recipe), (5, 15)):
            yield replace(
                recipe, learner=learner, average=True if averages else None, parameters=parameters, epochs=epochs,
                features=recipe.features | features,
            )  # fmt: skip

    if not recipe.keep_log and recipe.class_weight is None:
        for kernel in ({"kernel": "rbf"}, {"kernel": "polynomial", "degree": 2}):
            parameters = kernel | {"score_with": "averaged"}
            yield replace(with_plain_numbers(data, recipe), learner=KERNEL.name, parameters=parameters)


def with_plain_numbers(data: Dataset, recipe: Recipe) -> Recipe:
    """The recipe with the numbers of a table as they are, where it does not say otherwise: what bends needs no bins."""
    return replace(recipe, features={"numeric": "number"} | recipe.features) if data.kind == "table" else recipe


def learners_to_try() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "averaged", {}
    yield "mira", {}
    for C in (0.01, 0.1, 1.0):
        yield "passive-aggressive", {"C": C}
    for eta0, l2 in product((0.01, 0.1), (0.0, 1e-4, 1e-3)):
        yield "logistic", {"eta0": eta0, "l2": l2}
    if "arow" in LEARNERS:
        for r in (0.1, 1.0, 10.0):
            yield "arow", {"r": r}


def features_to_try(data: Dataset, recipe: Recipe) -> list[dict[str, Any]]:
    """Options of the feature map that the recipe leaves open."""
    options: dict[str, list[dict[str, Any]]] = {
        "table": [{"numeric": "number"}, {"numeric": "bins"}, {"numeric": "bins", "products": "auto"}],
        "text": [{}, {"ngrams": 2}],
        "sparse": [{}, {"weighting": "unit"}],
    }
    open_ones = [one for one in options.get(data.kind, [{}]) if not one.keys() & recipe.features.keys()]
    return open_ones or [{}]


def try_all(candidates: list[Candidate], part: Dataset, repetitions: int, seconds: float | None, started: float) -> float:
    """Measures candidates on the folds of some rows, on all cores; gives the multiplications that it took."""
    codes = encode(labels_of(part))[1]
    folds = [stratified_folds(codes, FOLDS, seed) for seed in range(repetitions)]
    by_features: dict[str, list[Candidate]] = {}
    for one in candidates:
        by_features.setdefault(repr(sorted(one.recipe.map_options(part.kind).items())), []).append(one)
    tasks = list(product([fold_of_row == fold for fold_of_row in folds for fold in range(FOLDS)], by_features.values()))

    def out_of_time() -> bool:
        return seconds is not None and time.perf_counter() - started > seconds

    def of_fold(task: tuple[np.ndarray, list[Candidate]]) -> tuple[dict[int, Trial | str], float]:
        held_out, some = task
        if out_of_time():
            return {}, 0.0
        encode_split = split_encoder(part, some[0].recipe)
        train, test = encode_split(part.take(np.flatnonzero(~held_out)), part.take(np.flatnonzero(held_out)))
        results: dict[int, Trial | str] = {}
        work = 0.0
        for one in some:
            if out_of_time():
                break
            if one.failed is None:
                results[id(one)], multiplications = measure(one, train, test)
                work += multiplications
        return results, work

    measured: dict[int, list[Trial | str]] = {}
    total = 0.0
    own_threads = any(one.entrant is not None for one in candidates)  # which would only wait for each other
    with ThreadPoolExecutor(1 if own_threads else cores()) as pool:
        for results, work in pool.map(of_fold, tasks):
            total += work
            for key, result in results.items():
                measured.setdefault(key, []).append(result)
    for one in candidates:
        results_of = measured.get(id(one), [])
        failures = [result for result in results_of if isinstance(result, str)]
        if failures:
            one.failed = failures[0]
        elif len(results_of) == FOLDS * repetitions:  # else the time was over
            one.trials = [result for result in results_of if not isinstance(result, str)]
            one.rows, one.repetitions = len(codes), repetitions
    return total


def measure(candidate: Candidate, train: Examples, test: Examples) -> tuple[Trial | str, float]:
    """How a candidate does on held-out rows, or why it cannot learn, and its multiplications."""
    recipe = candidate.recipe
    work = float(recipe.epochs) * train.rows.entries * train.vectors
    try:
        if candidate.entrant is not None:
            return try_estimator(candidate.entrant(recipe.seed), train, test, METRICS[recipe.metric]), work
        return try_recipe(recipe, train, test, METRICS[recipe.metric]), work
    except (RosenblattError, ValueError) as failure:
        return str(failure), work
