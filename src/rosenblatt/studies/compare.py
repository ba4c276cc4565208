"""The same data, many learners, one table.

>>> from rosenblatt.data import open_known
>>> results = compare(open_known("iris"), learners=["perceptron", "averaged mira"], seeds=3)
>>> [result.learner for result in results]
['majority', 'perceptron', 'averaged mira']
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.splits import CrossValidation
from rosenblatt.engine.compiled import cores
from rosenblatt.engine.parameters import Whole, check
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learning.calibration import cross_fitted
from rosenblatt.learning.examples import Examples, class_labels_of, codes_among, encode, for_classes, labels_of
from rosenblatt.learning.learn import by_code, fit_features
from rosenblatt.learning.learner_names import COMPARED, recipe_called
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.measures import METRICS, Metric, ScoredRows
from rosenblatt.learning.scoring import Scorer, probabilities
from rosenblatt.learning.training import run
from rosenblatt.learning.votes import Voter
from rosenblatt.studies.evaluate import with_labels_like

MAJORITY = "majority"
SIGNIFICANCE_LEVEL = 0.05  # differences that chance alone makes at least as often are not marked
SIGNIFICANCE_TEST = "corrected repeated k-fold t-test (Nadeau and Bengio, 2003; Bouckaert and Frank, 2004)"

OnLearner = Callable[[int, str], None]  # called with the number of the split and the learner that comes next
Entrants = Mapping[str, Callable[[int], Any]]  # by name: a seed gives something with scikit-learn's fit and predict


@dataclass(frozen=True)
class LearnerResult:
    """The error of one learner over all splits, and what its training took."""

    learner: str
    error_mean: float
    error_sd: float | None  # None where there is one split only
    updates: float | None  # a split, on average; None for learners that do not learn by updates
    seconds: float  # of training a split, on average
    differs_from_best: bool
    p_value: float | None  # of the difference from the best; None where there is one split only
    metric_mean: float | None = None  # of the measure that ranks, over the splits on which it is defined
    metric_se: float | None = None  # its standard error, corrected for the rows that splits share


class Judged(Protocol):
    """A result that was tested for its difference from the best."""

    @property
    def p_value(self) -> float | None: ...
    @property
    def differs_from_best(self) -> bool: ...


@dataclass(frozen=True)
class Trial:
    """One learner on one split."""

    right: np.ndarray  # which held-out rows
    loss: float  # by the measure that ranks: the smaller, the better; infinite where it is not defined
    updates: int | None
    seconds: float

    @property
    def error(self) -> float:
        return 1.0 - float(self.right.mean())


def compare(
    data: Dataset,
    learners: Sequence[str] = COMPARED,
    seeds: int = 5,
    holdout: float = 0.2,
    recipe: Recipe | None = None,
    progress: OnLearner | None = None,
    also: Entrants | None = None,
) -> list[LearnerResult]:
    """All learners on the same splits: the majority rate first, then the learners, the best first.

    There are `seeds` splits: the folds of a stratified cross-validation, each with about the share `holdout` of the rows
    (1/5 for 0.2; 1/2 at most), shuffled anew when all were held out once. The number of a split also seeds the order of
    training. The corrected repeated k-fold t-test (`compute_p_value`) decides which learners differ from the best.

    `recipe` gives epochs, features and all else but learner, seed and average; its `metric` ranks. `also` are other learners
    on the same splits and features, such as `estimators.neighbours.entrants.ENTRANTS`; one that refuses the rows of a split
    (as a hard margin does where no plane separates them) is left out.
    """
    check("seeds", seeds, Whole(1))
    refuse_quantity(data, recipe)
    cross_validation = CrossValidation.holding_out(holdout, seeds)
    return compare_parts(data, fold_parts(data, cross_validation), learners, recipe, progress, also)


def compare_on(
    data: Dataset,
    dev: Dataset,
    learners: Sequence[str] = COMPARED,
    recipe: Recipe | None = None,
    progress: OnLearner | None = None,
    also: Entrants | None = None,
) -> list[LearnerResult]:
    """All learners, learning from some data and measured on others: one split, so that nothing is said about chance."""
    refuse_quantity(data, recipe)
    classes = encode(labels_of(data))[0]
    return compare_parts(data, [(data, with_labels_like(classes, dev))], learners, recipe, progress, also)


def refuse_quantity(data: Dataset, recipe: Recipe | None) -> None:
    """Refuses numbers that are no classes, unless the recipe says that they are."""
    if recipe is None or recipe.regression is None:
        class_labels_of(data)


def compare_parts(
    data: Dataset,
    parts: Iterable[tuple[Dataset, Dataset]],
    learners: Sequence[str],
    recipe: Recipe | None,
    progress: OnLearner | None,
    also: Entrants | None,
) -> list[LearnerResult]:
    """All learners on these pairs of rows to learn from and rows held out."""
    metric = METRICS[(recipe or Recipe()).metric]
    recipes = {name: recipe_called(name, recipe or Recipe()) for name in learners}
    entrants = dict(also or {})
    if not recipes and not entrants:
        raise SettingError(f"There is no learner to compare: name some of {', '.join(COMPARED)}.")
    encode_split = split_encoder(data, recipe or Recipe())

    def of_split(numbered: tuple[int, tuple[Dataset, Dataset]]) -> tuple[int, dict[str, Trial]]:
        seed, part = numbered
        train, test = encode_split(*part)
        of_learner = {MAJORITY: try_majority(train, test, metric)}
        for name in (*recipes, *entrants):
            if progress:
                progress(seed, name)
            if name in recipes:
                of_learner[name] = try_recipe(replace(recipes[name], seed=seed), train, test, metric)
            else:
                # A DataError, or scikit-learn's refusal, say where only one class is left to learn from: it is left out.
                with contextlib.suppress(ValueError):
                    of_learner[name] = try_estimator(entrants[name](seed), train, test, metric)
        return train.rows.n, of_learner

    with ThreadPoolExecutor(cores()) as pool:  # training holds no lock of Python's
        tried = list(pool.map(of_split, enumerate(parts)))
    train_rows, of_splits = [rows for rows, _ in tried], [of_learner for _, of_learner in tried]
    trials = {
        name: [of_split[name] for of_split in of_splits]
        for name in (MAJORITY, *recipes, *entrants)
        if all(name in of_split for of_split in of_splits)
    }
    learned = [name for name in trials if name != MAJORITY]
    if not learned:
        raise DataError(f"None of {', '.join(also or {})} can learn from all splits: there is nothing to compare.")
    known = [number for number, trial in enumerate(trials[MAJORITY]) if np.isfinite(trial.loss)]
    if not known:  # an area takes rows of two classes
        raise DataError(f"{metric.name} is not defined on any split: no split holds out rows of more than one class.")
    losses = {name: np.array([of[number].loss for number in known]) for name, of in trials.items()}
    ranked = sorted(learned, key=lambda name: float(losses[name].mean()))
    results = [summarise(name, trials[name], trials[ranked[0]], train_rows) for name in (MAJORITY, *ranked)]
    scale = correction([len(trials[MAJORITY][number].right) for number in known], [train_rows[number] for number in known])
    return [with_measure(result, losses[result.learner], losses[ranked[0]], metric, scale) for result in results]


def summarise(learner: str, trials: list[Trial], best: list[Trial], train_rows: list[int]) -> LearnerResult:
    """The result of a learner's trials, beside those of the best learner."""
    errors, counts = [trial.error for trial in trials], [trial.updates for trial in trials if trial.updates is not None]
    p_value = compute_p_value([trial.right for trial in best], [trial.right for trial in trials], train_rows)
    return LearnerResult(
        learner,
        error_mean=float(np.mean(errors)),
        error_sd=float(np.std(errors, ddof=1)) if len(errors) > 1 else None,
        updates=float(np.mean(counts)) if counts else None,
        seconds=float(np.mean([trial.seconds for trial in trials])),
        differs_from_best=p_value is not None and p_value < SIGNIFICANCE_LEVEL,
        p_value=p_value,
    )


def with_measure(result: LearnerResult, losses: np.ndarray, best: np.ndarray, metric: Metric, scale: float) -> LearnerResult:
    """The result with the measure that ranks, over the splits on which it is defined; differences are judged by it."""
    mean = float(losses.mean()) * (-1 if metric.larger_is_better else 1)
    error = float(np.sqrt(scale * losses.var(ddof=1))) if len(losses) > 1 else None
    p_value = result.p_value if metric.name == "error" else p_value_of(losses - best, scale)
    differs = p_value is not None and p_value < SIGNIFICANCE_LEVEL
    return replace(result, metric_mean=mean, metric_se=error, p_value=p_value, differs_from_best=differs)


def try_majority(train: Examples, test: Examples, metric: Metric) -> Trial:
    """Always the class that is commonest in training, with the shares of the classes as probabilities."""
    counts = np.bincount(train.codes, minlength=len(train.classes))
    predicted = np.full(test.rows.n, counts.argmax())
    scores = np.zeros(test.rows.n if len(counts) == 2 else (test.rows.n, len(counts)))
    scored = ScoredRows(test.codes, scores, predicted, np.tile(counts / counts.sum(), (test.rows.n, 1)))
    return Trial(predicted == test.codes, metric.loss(scored), 0, 0.0)


def try_recipe(recipe: Recipe, train: Examples, test: Examples, metric: Metric) -> Trial:
    """One of our learners, trained and measured."""
    started = time.perf_counter()
    model: Scorer
    if recipe.with_kernel:
        from rosenblatt.learning.kernel.training import train_recipe

        by_kernel = train_recipe(train, recipe)
        model, updates = by_kernel.dual.scorer_called(recipe.view, recipe.seed), by_kernel.updates
    else:
        trained = run(train, recipe.rule(), recipe.plan())
        model, updates = trained.view("averaged" if recipe.averages else "last"), trained.updates
        if recipe.votes:
            model = Voter(train.classes, trained.memory())
    seconds = time.perf_counter() - started
    scores = model.scores(test.rows)
    known = None
    if metric.wants_probabilities(len(test.classes)):
        known = probabilities(scores) if recipe.learner == "logistic" else cross_fitted(scores, test.codes)
    scored = ScoredRows(test.codes, scores, model.decide(scores), known)
    return Trial(scored.predicted == test.codes, metric.loss(scored), updates, seconds)


def try_estimator(estimator: Any, train: Examples, test: Examples, metric: Metric) -> Trial:
    """A scikit-learn estimator, fitted and measured; it counts no updates."""
    started = time.perf_counter()
    fitted = estimator.fit(train.rows.matrix(), train.codes)
    seconds, rows = time.perf_counter() - started, test.rows.matrix()
    predicted = np.asarray(fitted.predict(rows))
    scores, known = np.empty(0), None
    if metric.orders_rows or metric.needs_probabilities:
        known = by_class(fitted, fitted.predict_proba(rows), test) if hasattr(fitted, "predict_proba") else None
        scores = known if known is not None else by_class(fitted, fitted.decision_function(rows), test)
        if len(test.classes) == 2 and scores.ndim == 2:
            scores = scores[:, 1]
        if known is None and metric.wants_probabilities(len(test.classes)):
            known = cross_fitted(scores, test.codes)
    elif len(test.classes) > 2:
        scores = np.empty((0, 0))
    scored = ScoredRows(test.codes, scores, predicted, known)
    return Trial(predicted == test.codes, metric.loss(scored), None, seconds)


def by_class(fitted: Any, columns: np.ndarray, test: Examples) -> np.ndarray:
    """What an estimator gives for the classes that it has met, with a column for every class; of two, as it is."""
    columns = np.asarray(columns, dtype=float)
    if columns.ndim == 1 or columns.shape[1] == len(test.classes):
        return columns
    every = np.full((len(columns), len(test.classes)), 0.0 if (columns >= 0).all() else columns.min() - 1)
    every[:, fitted.classes_] = columns
    return every


def no_better_than_majority(results: Sequence[LearnerResult], metric: Metric) -> bool:
    """Is the best learner, by the measure that ranks, no better than always naming the most frequent class?"""
    majority, best = (result.metric_mean or 0.0 for result in results[:2])
    return best <= majority if metric.larger_is_better else best >= majority


def judge_differences(results: Sequence[Judged]) -> str:
    """What the stars in a table mean, or why there are none."""
    if any(result.p_value is None for result in results):
        return "One split cannot tell a difference from chance: there is no spread to test it against."
    if any(result.differs_from_best for result in results):
        return f"* differs from the best by more than chance: {SIGNIFICANCE_TEST}, p < {SIGNIFICANCE_LEVEL}."
    return f"No difference from the best is beyond chance: {SIGNIFICANCE_TEST}, p ≥ {SIGNIFICANCE_LEVEL}."


def fold_parts(data: Dataset, cross_validation: CrossValidation) -> Iterator[tuple[Dataset, Dataset]]:
    """(rows to learn from, rows held out) for each split."""
    for held_out in cross_validation.held_out(encode(labels_of(data))[1]):
        yield data.take(np.delete(np.arange(len(data)), held_out)), data.take(held_out)


def split_encoder(data: Dataset, recipe: Recipe) -> Callable[[Dataset, Dataset], tuple[Examples, Examples]]:
    """What gives (examples to learn from, examples held out) of a split; the features are those of the first."""
    classes = encode(labels_of(data))[0]  # of all rows: a rare class may be on one side only

    def encode_split(train: Dataset, test: Dataset) -> tuple[Examples, Examples]:
        codes, weights = codes_among(classes, labels_of(train)), by_code(recipe.class_weight, classes)
        mapping = fit_features(train, codes, recipe, weights)
        first = for_classes(mapping.transform(train.rows), labels_of(train), classes, class_weight=recipe.class_weight)
        return first, for_classes(mapping.transform(test.rows), labels_of(test), classes)

    return encode_split


def compute_p_value(a: list[np.ndarray], b: list[np.ndarray], train_rows: list[int]) -> float | None:
    """How often chance alone makes two equally good learners differ this much over N splits (two-sided); None for N = 1.

    t = mean(d) / √((1/N + n_test/n_train) · var(d)),  N − 1 degrees of freedom

    where d is the difference of the two errors in each split. The splits share most of their rows to learn from, so that
    the d are alike and their variance alone is too small; n_test/n_train corrects for that.

    Where all d are equal (or come from equal counts of rows), they show no variance and t is not defined. Then it is taken
    as if each of the m held-out rows on which the two disagree were a fair coin: var(d) = m / n_test².

    >>> right = np.array([True, True, True, True]), np.array([True, True, True, False])
    >>> wrong = np.array([False, False, True, True]), np.array([True, True, False, False])
    >>> compute_p_value(right, wrong, [4, 4])  # d = 1/2, 1/4; t = (3/8) / √((1/2 + 1) / 32) = √3, the Cauchy law: p = 1/3
    0.333333333333333...

    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52; Bouckaert and Frank (2004),
    Evaluating the replicability of significance tests for comparing learning algorithms, PAKDD.
    """
    from scipy.special import stdtr  # scipy.stats would take half a second to import

    splits = len(a)
    if splits < 2:
        return None
    pairs = list(zip(a, b, strict=True))
    test_rows = np.array([len(right) for right in a])
    more_right = np.array([int(right_a.sum()) - int(right_b.sum()) for right_a, right_b in pairs])
    differences = more_right / test_rows
    if np.ptp(more_right) and np.ptp(differences):
        variance = differences.var(ddof=1)
    else:
        disagreements = np.array([np.count_nonzero(right_a != right_b) for right_a, right_b in pairs])
        variance = np.mean(disagreements / test_rows**2)
    if not variance:  # the two agree on every row
        return 1.0
    t = differences.mean() / np.sqrt(correction(test_rows.tolist(), train_rows) * variance)
    return float(2 * stdtr(splits - 1, -abs(t)))


def correction(test_rows: list[int], train_rows: list[int]) -> float:
    """1/N + n_test/n_train: by what the variance of the splits is multiplied for that of their mean."""
    return float(1 / len(test_rows) + sum(test_rows) / sum(train_rows))


def p_value_of(differences: np.ndarray, scale: float) -> float | None:
    """The corrected t-test of the differences of a measure in each split; None for one split."""
    from scipy.special import stdtr

    if len(differences) < 2:
        return None
    if not np.ptp(differences):
        return 1.0 if not differences[0] else 0.0
    t = differences.mean() / np.sqrt(scale * differences.var(ddof=1))
    return float(2 * stdtr(len(differences) - 1, -abs(t)))
