"""Shards of rows on several cores of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.cluster.advice import Advice, Adviser
from rosenblatt.cluster.local_processes import workers_in
from rosenblatt.cluster.local_shards import LocalShards, ShardRange, ShardWorker, ThreadWorker
from rosenblatt.cluster.mixed_run import cut, ranges, sorted_notes, train_shards
from rosenblatt.cluster.mixing import MixSettings
from rosenblatt.cluster.worker import write_examples
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.row_folder import folder_for_rows
from rosenblatt.engine import rules
from rosenblatt.engine.compiled import core
from rosenblatt.engine.parameters import Choice, Whole, check
from rosenblatt.errors import SettingError
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import AnyExamples, Examples
from rosenblatt.learning.learn import learn_from
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.plan import MIXES, Plan
from rosenblatt.learning.stream import naming_full_disk
from rosenblatt.learning.training import Training

SHARDS = 8  # by default, however many workers there are: the bits depend on it


@dataclass(frozen=True)
class LocalWorkers:
    """So many workers that learn from shards; `run` trains in place of a single run."""

    workers: int
    shards: int = SHARDS
    mix: str = "uniform"
    advise: Callable[[Advice], None] | None = None  # called with what they are worth; where it is little, that is refused
    tell: Callable[[str], None] = lambda sentence: None  # what the user should know of the rows

    def __post_init__(self) -> None:
        check("workers", self.workers, Whole(1))
        check("shards", self.shards, Whole(1))
        check("mix", self.mix, Choice(MIXES))

    def run(
        self, examples: AnyExamples, rule: rules.Rule, plan: Plan, held_out: AnyExamples | None, callbacks: Callbacks
    ) -> Training:
        cuts = ranges(examples.rows.n, self.shards)
        settings = MixSettings(rule, plan, len(cuts), self.mix)
        workers, adviser = min(self.workers, len(cuts)), Adviser(examples, settings, self.workers)
        if isinstance(examples, Examples):
            for sentence in sorted_notes(np.array([cut(examples, *both).class_counts() for both in cuts])):
                self.tell(sentence)
        started = time.perf_counter()
        with workers_for(examples, workers) as side_by_side:
            shards = LocalShards(examples, [ShardRange(i, *both) for i, both in enumerate(cuts)], side_by_side)
            if self.advise is not None:
                shards.wake(settings)
                advice = adviser.measure(shards, time.perf_counter() - started)
                self.advise(advice)
                advice.refuse_slow()
            return train_shards(shards, settings, held_out, replace(callbacks, run=None))


@contextmanager
def workers_for(examples: AnyExamples, number: int) -> Iterator[Sequence[ShardWorker]]:
    """So many workers that learn from these examples."""
    if core.COMPILED:
        yield [ThreadWorker(examples) for _ in range(number)]
        return
    with folder_for_rows() as folder, naming_full_disk(folder):
        folders = write_examples(examples, folder), folder
        with workers_in(folders, number) as processes:
            yield processes


def learn_with_workers(
    data: Dataset, workers: int, recipe: Recipe | None = None, dev: Dataset | None = None, **settings: Any
) -> Classifier:
    """What `learn` does, with shards of the rows on so many cores: the bits depend on `shards` (8), not on `workers`.

    Other keywords are those of `Recipe`: epochs=3, mix="updates".

    >>> import rosenblatt
    >>> models = [learn_with_workers(rosenblatt.read("iris"), workers, shards=3) for workers in (1, 2)]
    >>> models[0].model().coef.tobytes() == models[1].model().coef.tobytes()
    True
    """
    recipe = replace(recipe or Recipe(), **settings)
    shards = SHARDS if recipe.shards is None else recipe.shards
    recipe, local = replace(recipe, shards=shards), LocalWorkers(workers, shards, recipe.mix)
    refuse_no_shards(recipe)
    return learn_from(data, recipe, dev, Callbacks(run=local.run)).classifier


def refuse_no_shards(recipe: Recipe) -> None:
    """Refuses what is no mean of weights, before anything is read."""
    if recipe.with_kernel or recipe.votes or recipe.keep_log:
        what = "A kernel holds" if recipe.with_kernel else "Votes hold" if recipe.votes else "A log holds"
        raise SettingError(f"{what} examples, of which no mean can be taken: train it in one process, without workers.")
    if recipe.calibrate:
        raise SettingError(
            "calibrate (--calibrate) trains again without some rows, in one process: leave it out. Rows that are held out "
            "(--dev, --holdout) give probabilities, too."
        )
