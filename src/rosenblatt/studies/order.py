"""Does the order of the examples matter? One split, one learner, many orders.

>>> from rosenblatt.data import open_known
>>> study = compare_orders(open_known("breast-cancer"), ["perceptron"], orders=5)
>>> [result.order for result in study.rows]
['shuffled', 'replacement', 'as given', 'by class', 'by class, backwards']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.splits import split
from rosenblatt.engine.parameters import Whole, check
from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.learner_names import recipe_called
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.scoring import error
from rosenblatt.learning.training import run
from rosenblatt.studies.cautions import is_sorted, label_changes
from rosenblatt.studies.compare import OnLearner, split_encoder

AS_GIVEN = "as given"


@dataclass(frozen=True)
class OrderResult:
    """One learner in one kind of order: held-out errors, and how much the weights of the runs agree."""

    learner: str
    order: str
    runs: int
    error_mean: float
    error_sd: float | None  # None where there is one run only
    error_least: float
    error_most: float
    updates: float
    cosine: float | None  # of the angle between (w, b) of two runs, on average; of one run, with the shuffled ones


@dataclass(frozen=True)
class OrderStudy:
    """The results, and what the user should know about the order of the file."""

    rows: list[OrderResult]
    warnings: list[str]
    changes: int  # rows whose label differs from that of the row before
    expected_changes: float  # in a shuffled file


def compare_orders(
    data: Dataset,
    learners: Sequence[str],
    orders: int = 30,
    holdout: float = 0.2,
    recipe: Recipe | None = None,
    progress: OnLearner | None = None,
) -> OrderStudy:
    """Every learner on the same split: shuffled and drawn with replacement in so many ways, as given, and sorted by class.

    `progress` is called with the number of the learner and its name before its runs.
    """
    check("orders", orders, Whole(2))
    recipes = {name: recipe_called(name, recipe or Recipe()) for name in learners}
    if not recipes:
        raise SettingError("There is no learner to study: name one.")
    if any(chosen.with_kernel for chosen in recipes.values()):
        raise SettingError("Orders are compared by where the weights point: a kernel builds none. Leave it out.")
    train, test = split_encoder(data, recipe or Recipe())(*split(data, holdout))
    sorted_rows = np.argsort(train.codes, kind="stable")
    by_class, backwards = train.take(sorted_rows), train.take(sorted_rows[::-1].copy())
    rows: list[OrderResult] = []
    for number, (name, chosen) in enumerate(recipes.items()):
        if progress:
            progress(number, name)
        shuffled = [train_in_order(train, test, chosen, "shuffled", seed) for seed in range(orders)]
        drawn = [train_in_order(train, test, chosen, "replacement", seed) for seed in range(orders)]
        rows += [summarise(name, "shuffled", shuffled), summarise(name, "replacement", drawn)]
        for kind, examples in ((AS_GIVEN, train), ("by class", by_class), ("by class, backwards", backwards)):
            rows.append(summarise(name, kind, [train_in_order(examples, test, chosen, "given", 0)], beside=shuffled))
    changes, expected = label_changes(train.codes)
    return OrderStudy(rows, order_warnings(rows, train.codes), changes, expected)


@dataclass(frozen=True)
class OrderRun:
    """One training run in one order."""

    error: float  # on the held-out rows
    updates: int
    direction: np.ndarray  # (w, b), of length 1


def train_in_order(train: Examples, test: Examples, recipe: Recipe, order: str, seed: int) -> OrderRun:
    chosen = replace(recipe, order=order, seed=seed)
    trained = run(train, chosen.rule(), chosen.plan())
    model = trained.view("averaged" if chosen.averages else "last")
    theta = np.append(model.coef.ravel(), model.intercept)
    return OrderRun(error(model, test), trained.weights.updates, theta / (np.linalg.norm(theta) or 1.0))


def summarise(learner: str, order: str, runs: list[OrderRun], beside: list[OrderRun] | None = None) -> OrderResult:
    """The result of these runs; of a single run, the cosine is that with the runs `beside` it."""
    errors = np.array([run.error for run in runs])
    if beside is None:
        cosine = mean_cosine(np.array([run.direction for run in runs]))
    else:
        cosine = float(np.mean([run.direction @ runs[0].direction for run in beside]))
    return OrderResult(
        learner=learner,
        order=order,
        runs=len(runs),
        error_mean=float(errors.mean()),
        error_sd=float(errors.std(ddof=1)) if len(errors) > 1 else None,
        error_least=float(errors.min()),
        error_most=float(errors.max()),
        updates=float(np.mean([run.updates for run in runs])),
        cosine=cosine,
    )


def mean_cosine(directions: np.ndarray) -> float:
    """The mean over all pairs of different unit vectors of their product: (|Σ u|² − n) / (n (n − 1)).

    >>> mean_cosine(np.array([[1.0, 0], [0, 1], [1, 0]]))  # 0, 1, 0
    0.3333333333333333
    """
    n, total = len(directions), directions.sum(axis=0)
    return float((total @ total - np.einsum("ij,ij->", directions, directions)) / (n * (n - 1)))


def order_warnings(rows: list[OrderResult], codes: np.ndarray) -> list[str]:
    """Where the order of the file hurts, or would."""
    warnings = []
    by_class = is_sorted(codes)
    if by_class:
        changes, expected = label_changes(codes)
        warnings.append(
            f"The file is sorted by class, or nearly: the label changes {changes:,} times from row to row, "
            f"in a shuffled file it would {expected:,.0f} times. Never train on it as given."
        )
    shuffled = {row.learner: row for row in rows if row.order == "shuffled"}
    for row in rows:
        chance = shuffled[row.learner]
        # A little worse than the worst is one order in so many by chance; not in a file that is sorted.
        room = 0.0 if by_class else chance.error_most - chance.error_least
        if row.order == AS_GIVEN and row.error_mean > chance.error_most + room:
            warnings.append(
                f"{row.learner}: the order of the file hurts. As given the error is {100 * row.error_mean:.2f} %, "
                f"{chance.runs} shuffles have {100 * chance.error_least:.2f} to {100 * chance.error_most:.2f} %. "
                "Keep --order shuffled."
            )
    return warnings
