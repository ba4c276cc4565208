"""What `compare` does, for a quantity: learners of numbers on the same splits, beside ridge and always the mean.

>>> import polars as pl
>>> x = np.linspace(0, 1, 60)
>>> line = Dataset("table", pl.DataFrame({"x": x}), pl.Series("y", 3 * x + np.sin(40 * x)), "line")
>>> [result.learner for result in compare_numbers(line)][0]
'mean'
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.splits import CrossValidation
from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import RegressionExamples, feature_rows, for_regression
from rosenblatt.learning.learn import fit_features
from rosenblatt.learning.learner_names import AVERAGED, COMPARED, recipe_called
from rosenblatt.learning.learners import LEARNERS, Recipe
from rosenblatt.learning.number_measures import NumberMeasures
from rosenblatt.learning.quantities import TargetScale, read_targets
from rosenblatt.learning.training import run
from rosenblatt.studies.compare import SIGNIFICANCE_LEVEL, Entrants, OnLearner, correction, p_value_of

MEAN = "mean"  # always that of training
OF_NUMBERS = tuple(AVERAGED + name for name, learner in LEARNERS.items() if learner.regression)


@dataclass(frozen=True)
class NumberResult:
    """The errors of one learner over all splits, each a mean over the rows held out, and what its training took."""

    learner: str
    squared_mean: float
    squared_sd: float | None  # None where there is one split only
    absolute_mean: float
    r2_mean: float | None
    updates: float | None  # a split, on average; None for learners that do not learn by updates
    seconds: float
    differs_from_best: bool
    p_value: float | None  # of the difference of the squared errors from the best's


@dataclass(frozen=True)
class NumberTrial:
    """One learner on one split."""

    measures: NumberMeasures
    updates: int | None
    seconds: float


@dataclass(frozen=True)
class NumberSplit:
    """Examples to learn from, with scaled targets, and those held out, in units."""

    train: RegressionExamples
    test: RegressionExamples
    scale: TargetScale

    def measure(self, scores: np.ndarray) -> NumberMeasures:
        """Of scaled predictions for the rows held out."""
        return NumberMeasures.of(self.test.targets, self.scale.sd * scores + self.scale.centre, self.scale.mean)


def compare_numbers(
    data: Dataset,
    learners: Sequence[str] = OF_NUMBERS,
    seeds: int = 5,
    holdout: float = 0.2,
    recipe: Recipe | None = None,
    progress: OnLearner | None = None,
    also: Entrants | None = None,
    dev: Dataset | None = None,
) -> list[NumberResult]:
    """Always the mean first, then the learners, the least mean squared error first; with `dev`, on these rows alone."""
    if tuple(learners) == COMPARED:
        learners = OF_NUMBERS
    asked = recipe or Recipe()
    recipes = {name: recipe_called(name, replace(asked, regression=None)).for_numbers() for name in learners}
    if not recipes and not also:
        raise SettingError(f"There is no learner to compare: name some of {', '.join(OF_NUMBERS)}.")
    parts = [(data, dev)] if dev is not None else folds(data, CrossValidation.holding_out(holdout, seeds))
    trials: dict[str, list[NumberTrial]] = {name: [] for name in (MEAN, *recipes, *(also or {}))}
    sizes: list[tuple[int, int]] = []
    for seed, split in enumerate(encode_numbers(parts, asked.for_numbers())):
        sizes.append((split.test.rows.n, split.train.rows.n))
        always = np.full(split.test.rows.n, (split.scale.mean - split.scale.centre) / split.scale.sd)
        trials[MEAN].append(NumberTrial(split.measure(always), 0, 0.0))
        for name, one in recipes.items():
            if progress:
                progress(seed, name)
            started = time.perf_counter()
            trained = run(split.train, one.rule(), replace(one.plan(), seed=seed, patience=None))
            model, seconds = trained.view("averaged" if one.averages else "last"), time.perf_counter() - started
            trials[name].append(NumberTrial(split.measure(model.scores(split.test.rows)), trained.updates, seconds))
        for name, entrant in (also or {}).items():
            if progress:
                progress(seed, name)
            started = time.perf_counter()
            fitted = entrant(seed).fit(split.train.rows.matrix(), split.train.targets)
            seconds = time.perf_counter() - started
            trials[name].append(NumberTrial(split.measure(fitted.predict(split.test.rows.matrix())), None, seconds))
    squared = {name: np.array([one.measures.mean_squared_error for one in of]) for name, of in trials.items()}
    ranked = sorted((name for name in trials if name != MEAN), key=lambda name: float(squared[name].mean()))
    scale = correction([test for test, _ in sizes], [train for _, train in sizes])
    return [summarise(name, trials[name], squared[name] - squared[ranked[0]], scale) for name in (MEAN, *ranked)]


def summarise(learner: str, trials: list[NumberTrial], differences: np.ndarray, scale: float) -> NumberResult:
    """The result of a learner's trials, and whether it differs from the best."""
    measures = [trial.measures for trial in trials]
    squared = [one.mean_squared_error for one in measures]
    shares = [one.r2 for one in measures if one.r2 is not None]
    counts = [trial.updates for trial in trials if trial.updates is not None]
    p_value = p_value_of(differences, scale)
    return NumberResult(
        learner,
        squared_mean=float(np.mean(squared)),
        squared_sd=float(np.std(squared, ddof=1)) if len(squared) > 1 else None,
        absolute_mean=float(np.mean([one.mean_absolute_error for one in measures])),
        r2_mean=float(np.mean(shares)) if shares else None,
        updates=float(np.mean(counts)) if counts else None,
        seconds=float(np.mean([trial.seconds for trial in trials])),
        differs_from_best=p_value is not None and p_value < SIGNIFICANCE_LEVEL,
        p_value=p_value,
    )


def folds(data: Dataset, cross_validation: CrossValidation) -> Iterator[tuple[Dataset, Dataset]]:
    """(rows to learn from, rows held out) for each split."""
    for held_out in cross_validation.held_out(np.zeros(len(data), dtype=np.int64)):
        yield data.take(np.delete(np.arange(len(data)), held_out)), data.take(held_out)


def encode_numbers(parts: Iterable[tuple[Dataset, Dataset]], recipe: Recipe) -> Iterator[NumberSplit]:
    """Each split with features and scale of the rows to learn from."""
    for train, test in parts:
        known = read_targets(train)
        scale = TargetScale.of(known.values, recipe.fit_intercept, known.number)
        rows, held_out = known.among(train), read_targets(test, scale)
        mapping = fit_features(rows, scale.scaled(known.values), recipe)
        learned = for_regression(feature_rows(mapping, rows.rows), scale.scaled(known.values))
        yield NumberSplit(learned, for_regression(feature_rows(mapping, held_out.among(test).rows), held_out.values), scale)
