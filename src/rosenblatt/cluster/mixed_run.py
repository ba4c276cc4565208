"""A run over shards: THE epoch driver, whose epochs are those of all shards side by side, and a mixture."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Protocol

import numpy as np

from rosenblatt.cluster.mixing import MixSettings, Part, Start, add, learn_shard, mixed_into, reduced, start_of
from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.engine.weights import Weights, norm
from rosenblatt.errors import DivergenceError
from rosenblatt.learning.driver import Callbacks, Counts, Progress
from rosenblatt.learning.examples import AnyExamples, Examples, RegressionExamples
from rosenblatt.learning.training import MeasuredRun, Training, overflow_message, zero_weights

ShardDone = Callable[[Part], None]
MOST_APART = 0.2  # of the rows, that are in another shard than if all had the classes alike


class Shards(Protocol):
    """Where shards are learned from: in this process, in others, on a cluster. Nobody can tell from the outcome."""

    @property
    def empty(self) -> AnyExamples:
        """Examples without rows: how many columns they have, of which kind they are, and the classes."""

    @property
    def sizes(self) -> Sequence[int]:
        """Of each shard, how many examples an epoch has."""

    def learn(self, settings: MixSettings, start: Start, done: ShardDone) -> Part:
        """An epoch of every shard, summed over the tree; `done` is called with the part of each, in any order."""

    def checksums(self) -> list[int]:
        """What tells whether the rows of the shards have changed."""


@dataclass(frozen=True)
class ShardsHere:
    """Shards that this process learns from, one after the other."""

    shards: Sequence[AnyExamples]

    @property
    def empty(self) -> AnyExamples:
        return without_rows(self.shards[0])

    @property
    def sizes(self) -> list[int]:
        return [len(shard.pool()) for shard in self.shards]

    def learn(self, settings: MixSettings, start: Start, done: ShardDone) -> Part:
        def leaf(shard: int) -> Part:
            part = learn_shard(self.shards[shard], settings, start, shard)
            done(part)
            return part

        return reduced(0, len(self.shards), leaf, lambda a, b: add(a, b, start.w.shape[1]))

    def checksums(self) -> list[int]:
        return [shard.checksum() for shard in self.shards]


def ranges(rows: int, shards: int) -> list[tuple[int, int]]:
    """Where each of so many shards of these rows begins and ends; no more shards than rows.

    >>> ranges(10, 4), ranges(2, 8)
    ([(0, 2), (2, 5), (5, 7), (7, 10)], [(0, 1), (1, 2)])
    """
    shards = min(shards, rows)
    ends = [rows * place // shards for place in range(shards + 1)]
    return list(pairwise(ends))


def sorted_notes(by_class: np.ndarray) -> tuple[str, ...]:
    """What to tell where the rows seem to be sorted by class, as (shards × classes) counts of rows show; else nothing.

    >>> sorted_notes(np.array([[50, 52], [48, 51]]))
    ()
    >>> sorted_notes(np.array([[90, 0], [20, 70]]))[0].partition(":")[0]
    'The rows seem to be sorted by class'
    """
    rows, sizes = max(1, by_class.sum()), by_class.sum(axis=1)
    share = by_class.sum(axis=0) / rows
    apart = np.abs(by_class - np.outer(sizes, share)).sum() / 2 / rows
    by_chance = np.sqrt(np.outer(sizes, share * (1 - share)) / (math.pi / 2)).sum() / 2 / rows
    if apart <= MOST_APART + by_chance:
        return ()
    return (
        f"The rows seem to be sorted by class: {100 * apart:.0f} % of them would have to be in another shard for all shards "
        "to have the classes alike. Shards that see few of the classes learn little: shuffle the rows of the file, or train "
        "in one run, without --workers and --dask (--stream, where memory is short).",
    )


def cut(examples: AnyExamples, first: int, last: int) -> AnyExamples:
    """The examples from `first` up to, not including, `last`, where they lie."""
    importance = None if examples.importance is None else examples.importance[first:last]
    rows = examples.rows.part(first, last)
    if isinstance(examples, Examples):
        return Examples(rows, examples.codes[first:last], examples.classes, importance=importance)
    return RegressionExamples(rows, examples.targets[first:last], importance=importance)


def without_rows(examples: AnyExamples) -> AnyExamples:
    """Examples of the same kind, with no rows."""
    d = examples.rows.d
    rows = Rows(np.zeros((0, d)) if examples.rows.dense else OneHot(np.zeros((0, 1), dtype=np.int32), d))
    if isinstance(examples, Examples):
        return Examples(rows, examples.codes[:0], examples.classes)
    return RegressionExamples(rows, examples.targets[:0])


def train_shards(
    shards: Shards, settings: MixSettings, held_out: AnyExamples | None = None, callbacks: Callbacks | None = None
) -> Training:
    """What training gives, with mixed weights.

    >>> from rosenblatt.learning.examples import for_classes
    >>> from rosenblatt.learning.plan import Plan
    >>> from rosenblatt.engine.rules import Perceptron
    >>> examples = for_classes([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["yes", "no", "no", "no"])
    >>> halves = ShardsHere([cut(examples, first, last) for first, last in ranges(4, 2)])
    >>> mixed = train_shards(halves, MixSettings(Perceptron(), Plan(order="given"), shards=2))
    >>> mixed.stopped_because, mixed.view("last").predict([[2, 2]])
    ('an epoch without updates', array(['yes'], dtype='<U3'))
    """
    weights = zero_weights(shards.empty, settings.rule, settings.plan.fit_intercept)
    return MixedRun(shards, settings, weights, held_out, callbacks).go()


class MixedRun(MeasuredRun):
    """Mixing while it goes: an epoch is one stretch of examples, after which the weights are mixed."""

    def __init__(
        self,
        shards: Shards,
        settings: MixSettings,
        weights: Weights,
        held_out: AnyExamples | None = None,
        callbacks: Callbacks | None = None,
    ):
        self.shards, self.settings = shards, settings
        super().__init__(shards.empty, settings.rule, settings.plan, weights, held_out, callbacks)

    def set_up(self) -> None:
        self.sizes = list(self.shards.sizes)
        self.outcome.shards = len(self.sizes)
        self.mistakes = self.zero_rows = 0
        self.moved = 0.0
        self.still = False

    def checksums(self) -> list[int]:
        mixture = zlib.crc32(repr((len(self.sizes), self.settings.mix)).encode())
        held_out = [] if self.held_out is None else [self.held_out.checksum()]
        return [mixture, *self.shards.checksums(), *held_out]

    def orders(self) -> Iterator[None]:
        return repeat(None)

    def length(self, row_numbers: np.ndarray | None) -> int:
        return sum(self.sizes)

    def learn(self, row_numbers: np.ndarray | None, place: int, stop: int) -> int:
        """An epoch of all shards, from the mixture of the epoch before."""
        seen = Seen(self)
        start = start_of(self.weights, self.number, len(self.sizes))
        try:
            part = self.shards.learn(self.settings, start, seen.add)
        except DivergenceError as problem:
            raise self.divergence(str(problem)) from None
        mixed_into(self.weights, start, part)
        if self.weights.overflowed(self.norm()):
            self.weights.start_from(start.w[:, :-1], start.w[:, -1])
            raise self.divergence(overflow_message(self.settings.rule, f"epoch {self.number}"))
        self.mistakes += part.mistakes
        self.zero_rows += part.zero_rows
        self.moved += part.moved
        self.still = part.still
        return stop

    def divergence(self, message: str) -> DivergenceError:
        self.outcome.stopped_because = "the weights overflowed"
        return DivergenceError(message, self.finish())

    def counts(self) -> Counts:
        earlier = self.earlier
        return Counts(earlier.mistakes + self.mistakes, self.weights.updates, earlier.moved + self.moved)

    def steps(self) -> tuple[int, int, float, float]:
        """Of steps nothing: a mean of weights is no sum of them."""
        return self.earlier_steps[0] + self.zero_rows, 0, 0.0, math.inf

    def norm(self) -> float:
        return norm(self.weights.w.ravel())

    def no_row_would_move(self) -> bool:
        return self.still

    def finish(self) -> Training:
        self.outcome._views.clear()
        self.outcome.zero_rows = self.steps()[0]
        return self.outcome


class Seen:
    """How far the shards are in an epoch, for who watches; when the last is done, the driver tells, of mixed weights."""

    def __init__(self, run: MixedRun):
        self.run, self.examples, self.updates = run, run.weights.t, run.weights.updates
        self.mistakes, self.norm = run.counts().mistakes, run.norm()
        self.total = sum(run.sizes) * run.plan.epochs
        self.last = self.examples + sum(run.sizes)

    def add(self, part: Part) -> None:
        self.examples, self.updates = self.examples + part.examples, self.updates + part.updates
        self.mistakes += part.mistakes
        if self.run.callbacks.progress and self.examples < self.last:
            mistakes = self.mistakes if isinstance(self.run.examples, Examples) else None
            self.run.callbacks.progress(Progress(self.examples, mistakes, self.updates, self.norm, self.total))
