"""The same data, many learners, one table.

>>> from rosenblatt.data import open_known
>>> rows = compare(open_known("iris"), learners=["perceptron", "averaged mira"], seeds=3)
>>> [row.learner for row in rows]
['majority', 'averaged mira', 'perceptron']
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from rosenblatt import features
from rosenblatt.data import Dataset
from rosenblatt.data.labels import encode, labels_of
from rosenblatt.data.splits import split
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learning.classifier import LEARNERS, Recipe
from rosenblatt.learning.examples import Examples, for_classes
from rosenblatt.learning.linear import Decides
from rosenblatt.learning.training import run, whole
from rosenblatt.learning.votes import Voter

ALL = ("perceptron", "averaged", "mira", "averaged mira", "passive-aggressive", "logistic", "widrow-hoff")
MAJORITY = "majority"
CHANCE = 0.05  # differences that chance alone makes at least as often are not marked
EXACT = 1000  # up to this many disagreements the binomial sum is exact; beyond, the normal law is as good

Progress = Callable[[int, str], None]
Entrants = Mapping[str, Callable[[int], Any]]  # by name: a seed gives something with scikit-learn's fit and predict


@dataclass(frozen=True)
class Row:
    """How one learner did over all splits."""

    learner: str
    error_mean: float
    error_sd: float | None  # None where there is one split only
    updates: float | None  # a split, on average; None for learners that do not learn by updates
    seconds: float  # of training a split, on average
    differs_from_best: bool


@dataclass
class Outcome:
    """What one learner did, split after split."""

    learner: str
    right: list[np.ndarray] = field(default_factory=list)  # which held-out rows
    updates: list[int | None] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, right: np.ndarray, updates: int | None, seconds: float) -> None:
        self.right.append(right)
        self.updates.append(updates)
        self.seconds.append(seconds)

    @property
    def errors(self) -> list[float]:
        return [1.0 - float(right.mean()) for right in self.right]

    @property
    def error(self) -> float:
        return float(np.mean(self.errors))

    def row(self, best: Outcome) -> Row:
        sd = float(np.std(self.errors, ddof=1)) if len(self.errors) > 1 else None
        pooled, of_best = np.concatenate(self.right), np.concatenate(best.right)
        chance = mcnemar(int(np.sum(of_best & ~pooled)), int(np.sum(pooled & ~of_best)))
        counted = [updates for updates in self.updates if updates is not None]
        updates = float(np.mean(counted)) if counted else None
        return Row(self.learner, self.error, sd, updates, float(np.mean(self.seconds)), chance < CHANCE)


def compare(
    data: Dataset,
    learners: Sequence[str] = ALL,
    seeds: int = 5,
    holdout: float = 0.2,
    recipe: Recipe | None = None,
    progress: Progress | None = None,
    also: Entrants | None = None,
) -> list[Row]:
    """All learners on the same splits: the majority rate first, then the learners, the lowest error first.

    Seeds 0, 1, … decide the split and the order of training. `recipe` gives epochs, features and all else but learner,
    seed and average. `progress` is called with the number of the split and the learner that comes next. `also` are other
    learners on the same splits and features, `estimators.neighbours.entrants.ENTRANTS` for one; who refuses the rows of a
    split (as a hard margin does, where no plane separates them) is left out.
    """
    whole("seeds", seeds, least=1)
    recipes = {name: recipe_of(name, recipe or Recipe()) for name in learners}
    if not recipes:
        raise SettingError(f"There is no learner to compare: name some of {', '.join(ALL)}.")
    entrants = dict(also or {})
    outcomes = {name: Outcome(name) for name in (MAJORITY, *recipes, *entrants)}
    for seed, (train, test) in enumerate(encoded_splits(data, seeds, holdout, recipe or Recipe())):
        assert train.codes is not None
        assert test.codes is not None
        outcomes[MAJORITY].add(test.codes == np.bincount(train.codes).argmax(), 0, 0.0)
        for name, chosen in recipes.items():
            if progress:
                progress(seed, name)
            plan = Recipe(**{**vars(chosen), "seed": seed}).plan()
            started = time.perf_counter()
            trained = run(train, chosen.rule(), plan)
            seconds = time.perf_counter() - started
            model: Decides = trained.view("averaged" if chosen.averages else "last")
            if chosen.votes:
                assert train.classes is not None
                model = Voter(train.classes, trained.memory())
            outcomes[name].add(model.decide(model.scores(test.rows)) == test.codes, trained.weights.updates, seconds)
        for name, entrant in list(entrants.items()):
            if progress:
                progress(seed, name)
            try:
                outcomes[name].add(*enter(entrant(seed), train, test))
            except DataError:
                del entrants[name], outcomes[name]
    majority = outcomes.pop(MAJORITY)
    ranked = sorted(outcomes.values(), key=lambda outcome: outcome.error)
    return [outcome.row(best=ranked[0]) for outcome in (majority, *ranked)]


def enter(estimator: Any, train: Examples, test: Examples) -> tuple[np.ndarray, None, float]:
    """Which held-out rows an estimator gets right, no count of updates, and the seconds that it learned."""
    started = time.perf_counter()
    fitted = estimator.fit(train.rows.matrix(), train.codes)
    seconds = time.perf_counter() - started
    return np.asarray(fitted.predict(test.rows.matrix())) == test.codes, None, seconds


def recipe_of(name: str, recipe: Recipe) -> Recipe:
    """The recipe for a learner's name, which may begin with `averaged`.

    >>> made = recipe_of("averaged mira", Recipe(epochs=3))
    >>> made.learner, made.averages, made.epochs
    ('mira', True, 3)
    """
    rule = name.removeprefix("averaged ")
    if rule not in LEARNERS or name in ("averaged averaged", "averaged voted"):
        known = (*ALL, "voted")
        near = get_close_matches(name, known, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingError(f"There is no learner {name!r}: choose from {', '.join(known)}.{hint}")
    average = True if rule != name else None
    made = Recipe(**{**vars(recipe), "learner": rule, "average": average})
    made.rule()
    made.plan()
    return made


def encoded_splits(data: Dataset, seeds: int, share: float, recipe: Recipe) -> Iterator[tuple[Examples, Examples]]:
    """(examples to learn from, examples held out) for each seed; the features are those of the rows to learn from."""
    classes = encode(labels_of(data))[0]  # of all rows: a rare class may be on one side only

    def examples(mapping: features.FeatureMap, part: Dataset, class_weight: Any = None) -> Examples:
        return for_classes(mapping.transform(part.rows), labels_of(part), classes, class_weight=class_weight)

    for seed in range(seeds):
        train, test = split(data, share, seed)
        mapping = features.map_for(data.kind, **recipe.features).fit(train.rows)
        yield examples(mapping, train, recipe.class_weight), examples(mapping, test)


def mcnemar(only_a: int, only_b: int) -> float:
    """How often chance alone makes two equally good classifiers differ this much (two-sided).

    Only rows that one gets right and the other wrong tell something: of n = only_a + only_b such rows, each is a fair coin.
    (A row that several splits hold out is counted in each, as if it were several: with many seeds p comes out too small.)

    p = 2 P(X ≤ min(only_a, only_b)),  X ~ Binomial(n, ½)      (McNemar, 1947)

    >>> mcnemar(1, 9)  # 2 (1 + 10) / 2^10
    0.021484375
    >>> mcnemar(4, 4)
    1.0
    """
    n, least = only_a + only_b, min(only_a, only_b)
    if n <= EXACT:
        ways = sum(math.comb(n, k) for k in range(least + 1))
        return min(1.0, float(2 * ways / 2**n))
    return math.erfc(max(0, abs(only_a - only_b) - 1) / math.sqrt(2 * n))
