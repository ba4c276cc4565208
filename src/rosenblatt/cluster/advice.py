"""What workers are worth, measured before a long run: how much faster an epoch is, and what mixing costs in error.

An epoch of one run is measured on rows drawn from all over the data, one of N workers on N shards side by side, or on as
many of their rows as leave the caches. Both have learned from rows before, since updates cost, and the first are many. The
best of several times counts: whatever else the machine does only slows them down. A clock decides here, and nowhere else:
whether there is a run, not what it learns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from rosenblatt.cluster.local_shards import LocalShards
from rosenblatt.cluster.mixed_run import ShardsHere, cut, ranges, train_shards
from rosenblatt.cluster.mixing import MixSettings, mixed_into, start_of
from rosenblatt.engine import order
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import SettingError, counted, percent
from rosenblatt.learning.examples import AnyExamples, Examples
from rosenblatt.learning.training import LinearRun, run, zero_weights

LEAST = 1.2  # times as fast, or it is not worth it
MEASURED_ROWS = 2**20  # of a shard, or of one run
TIMES = 5  # that each is measured
TRIED_ROWS = 20_000  # on which errors are compared, a fifth of them held out


@dataclass(frozen=True)
class Advice:
    """What so many workers are worth."""

    workers: int
    shards: int
    epochs: int
    plain_seconds: float  # of an epoch in one run
    mixed_seconds: float  # of an epoch by the workers
    setup_seconds: float  # until they begin
    tried: int = 0  # rows on which errors were compared
    plain_error: float | None = None
    mixed_errors: tuple[float, float] | None = None  # after as many epochs, and after twice as many

    @property
    def of_epoch(self) -> float:
        """How many times as fast an epoch is."""
        return self.plain_seconds / self.mixed_seconds

    @property
    def of_run(self) -> float:
        """And all epochs, with what it takes to begin."""
        return self.epochs * self.plain_seconds / (self.setup_seconds + self.epochs * self.mixed_seconds)

    def sentence(self) -> str:
        workers = counted(self.workers, "worker")
        faster = f"{workers}: an epoch {self.of_epoch:.1f} times as fast as in one run, all {self.of_run:.1f} times."
        if self.plain_error is None or self.mixed_errors is None:
            return faster
        first, second = map(percent, self.mixed_errors)
        return (
            f"{faster} On {self.tried:,} rows, mixing {self.shards} shards errs on {first} after {self.epochs} epochs, on "
            f"{second} after {2 * self.epochs}; one run on {percent(self.plain_error)} after {self.epochs}."
        )

    def refuse_slow(self) -> None:
        """Refuses what is not worth it."""
        if self.of_run < LEAST:
            theirs = seconds(self.setup_seconds + self.epochs * self.mixed_seconds)
            alone = seconds(self.epochs * self.plain_seconds)
            raise SettingError(
                f"{counted(self.workers, 'worker')} would take {theirs} for what one run does in {alone}, which is "
                f"{self.of_run:.2g} times as fast: leave out --workers, or take --force."
            )


def seconds(value: float) -> str:
    """
    >>> seconds(0.01234), seconds(75.2)
    ('0.012 s', '75 s')
    """
    return f"{value:.2g} s" if value < 10 else f"{value:.0f} s"


Timed = Callable[[int], float]  # the seconds of an epoch, measured for the k-th time


def plain_epoch(examples: AnyExamples, settings: MixSettings) -> Timed | None:
    """Epochs in one run, over some of the rows: from all over the data where a run takes them so, else the first."""
    numbers, plan = examples.pool(), settings.plan
    if not len(numbers):
        return None
    if plan.window is None and plan.order not in ("given", "blocks"):
        order.shuffle(numbers, order.random_bits(plan.seed, order.DRAW))
    some = numbers[:MEASURED_ROWS]
    trial = LinearRun(examples, settings.rule, replace(plan, tol=None), new_weights(examples, settings))
    orders = order.epochs(plan.order, some, plan.seed, window=plan.window)  # a second thread shuffles, as in a run

    def epoch() -> None:
        trial.pass_over(next(orders), len(some))

    epoch()
    return lambda k: seconds_of(epoch) * len(numbers) / len(some)


def seconds_of(work: Callable[[], object]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def new_weights(examples: AnyExamples, settings: MixSettings) -> Weights:
    return zero_weights(examples, settings.rule, settings.plan.fit_intercept)


def mixed_epoch(shards: LocalShards, settings: MixSettings) -> Timed:
    """Epochs by the workers: each learns from as many shards as have the rows that are measured, at least from one."""
    largest = max(shard.last - shard.first for shard in shards.shards)
    count = len(shards.workers) * max(1, MEASURED_ROWS // max(1, largest))
    some = [replace(shard, last=min(shard.last, shard.first + MEASURED_ROWS)) for shard in shards.shards[:count]]
    trial = replace(shards, shards=[replace(shard, shard=number) for number, shard in enumerate(some)])
    weights = new_weights(shards.empty, settings)
    rows, measured = (sum(shard.last - shard.first for shard in part) for part in (shards.shards, some))

    def epoch(number: int) -> None:
        start = start_of(weights, number, len(some))
        mixed_into(weights, start, trial.learn(settings, start, lambda part: None))

    epoch(1)
    return lambda k: seconds_of(partial(epoch, k + 1)) * rows / measured


def compared_errors(examples: AnyExamples, settings: MixSettings) -> tuple[int, float, tuple[float, float]] | None:
    """(rows, error of one run, errors of mixing) on a sample, a fifth of it held out; None where it is too small to tell."""
    numbers = examples.pool()
    if not isinstance(examples, Examples) or len(numbers) < 100 * settings.shards:
        return None
    order.shuffle(numbers, order.random_bits(settings.plan.seed, order.SPLIT))
    numbers = numbers[:TRIED_ROWS]
    held = len(numbers) // 5
    test, train = (examples.take(np.sort(part)) for part in (numbers[:held], numbers[held:]))
    plan = replace(settings.plan, patience=None, metric="error", window=None)
    plain = run(train, settings.rule, plan, held_out=test).history
    shards = ShardsHere([cut(train, *both) for both in ranges(train.rows.n, settings.shards)])
    twice = replace(settings, plan=replace(plan, epochs=2 * plan.epochs))
    mixed = train_shards(shards, twice, test).history
    key = "held_out_averaged" if plan.average else "held_out_last"
    after = mixed[key][min(plan.epochs, len(mixed)) - 1]
    return len(numbers), float(plain[key][-1]), (float(after), float(mixed[key][-1]))


@dataclass(frozen=True)
class Adviser:
    """Measures what workers are worth for these examples."""

    examples: AnyExamples
    settings: MixSettings
    workers: int

    def measure(self, shards: LocalShards, setup_seconds: float) -> Advice:
        """What they are worth: in turns with one run, so that what else the machine does slows down both."""
        timed, by_workers = plain_epoch(self.examples, self.settings), mixed_epoch(shards, self.settings)
        pairs = [(0.0 if timed is None else timed(k), by_workers(k)) for k in range(1, TIMES + 1)]
        plain, mixed = (min(part) for part in zip(*pairs, strict=True))
        advice = Advice(self.workers, self.settings.shards, self.settings.plan.epochs, plain, mixed, setup_seconds)
        compared = compared_errors(self.examples, self.settings)
        if compared is None:
            return advice
        tried, plain, errors = compared
        return replace(advice, tried=tried, plain_error=plain, mixed_errors=errors)
