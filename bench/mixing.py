"""What mixing costs, and what it saves.

    ROSENBLATT_DATA=… python bench/mixing.py error      held-out error of mixed and of plain training, epoch by epoch
    python bench/mixing.py speed [ROWS]                 rows a second of an epoch by one and by two workers, reading excluded
    python bench/mixing.py forecast [ROWS]              what the adviser foretells of two workers, and what then happens

Errors are those of the averaged weights (AROW: of the last), on a fifth of the rows (MNIST: its test set). Mushrooms:
epochs until none is wrong. Speed: rows of 14 ones in 392 columns, one label in ten wrong; median of five epochs, one and
two workers in turns.
"""

from __future__ import annotations

import statistics
import sys
import time
from contextlib import ExitStack, suppress
from dataclasses import replace

import numpy as np

from rosenblatt.cluster.advice import Advice
from rosenblatt.cluster.local import LocalWorkers, workers_for
from rosenblatt.cluster.local_shards import LocalShards, ShardRange
from rosenblatt.cluster.mixed_run import MixedRun, ShardsHere, cut, ranges, train_shards
from rosenblatt.cluster.mixing import MIXES, MixSettings
from rosenblatt.data import read
from rosenblatt.data.splits import split
from rosenblatt.engine.rows import OneHot
from rosenblatt.errors import SettingError
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import Examples, feature_rows, for_classes
from rosenblatt.learning.learn import prepare
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.training import run, zero_weights

SHARDS, EPOCHS = 8, 5
LEARNERS = ("averaged", "arow", "passive-aggressive")


def data_sets() -> dict[str, tuple[Examples, Examples]]:
    """Rows to learn from and rows to measure on."""
    sets = {}
    for name in ("a9a", "adult", "mnist"):
        if name == "mnist":
            train, test = read("mnist:train"), read("mnist:test")
        else:
            train, test = split(read(name), 0.2, seed=0)
        mapping, examples = prepare(train, Recipe(features={"numeric": "bins"} if name == "adult" else {}))
        codes = np.searchsorted(examples.classes, np.asarray(test.labels))
        sets[name] = examples, for_classes(feature_rows(mapping, test.rows), codes, np.arange(len(examples.classes)))
    return sets


def measure_errors() -> None:
    for name, (examples, test) in data_sets().items():
        for learner in LEARNERS:
            recipe = Recipe(learner=learner, epochs=EPOCHS, average=learner != "arow")
            key = "held_out_averaged" if recipe.averages else "held_out_last"
            plain = run(examples, recipe.rule(), recipe.plan(), held_out=test).history[key]
            print(f"{name:10} {learner:20} plain     {100 * plain[-1]:6.2f} % after {EPOCHS} epochs", flush=True)
            shards = ShardsHere([cut(examples, *both) for both in ranges(examples.rows.n, SHARDS)])
            for mix in MIXES:
                plan = replace(recipe.plan(), epochs=2 * EPOCHS)
                mixed = train_shards(shards, MixSettings(recipe.rule(), plan, SHARDS, mix), test).history[key]
                after = f"{100 * mixed[EPOCHS - 1]:6.2f} % after {EPOCHS}, {100 * mixed[-1]:6.2f} % after {2 * EPOCHS}"
                print(f"{name:10} {learner:20} {mix:9} {after}", flush=True)
    _, mushrooms = prepare(read("mushrooms"), Recipe())
    shards = ShardsHere([cut(mushrooms, *both) for both in ranges(mushrooms.rows.n, SHARDS)])
    for learner in ("perceptron", "mira", "passive-aggressive"):
        recipe = Recipe(learner=learner, epochs=500)
        plain = run(mushrooms, recipe.rule(), recipe.plan())
        mixed = train_shards(shards, MixSettings(recipe.rule(), recipe.plan(), SHARDS))
        for what, one in (("plain", plain), ("mixed", mixed)):
            print(f"mushrooms  {learner:20} {what} {one.stopped_because}, epoch {len(one.history)}")


def one_hot_rows(rows: int) -> Examples:
    """Rows of 14 ones in 392 columns, one label in ten wrong."""
    draw = np.random.default_rng(0)
    width, values = 14, 28
    codes = draw.integers(0, values, (rows, width), dtype=np.int32) + np.arange(width, dtype=np.int32) * values
    w = draw.normal(size=width * values)
    labels = (w[codes].sum(axis=1) > 0) ^ (draw.random(rows) < 0.1)
    return for_classes(OneHot(codes, width * values), labels.astype(np.int32))


def measure_forecast(rows: int, epochs: int = 10, times: int = 3) -> None:
    """One run and two workers in turns: how much faster these are, and what was foretold."""
    examples, recipe = one_hot_rows(rows), Recipe(epochs=epochs)
    rule, plan = recipe.rule(), recipe.plan()
    foretold: list[Advice] = []
    seconds: dict[str, list[float]] = {"plain": [], "mixed": []}
    for _ in range(times):
        started = time.perf_counter()
        run(examples, recipe.rule(), recipe.plan())
        seconds["plain"].append(time.perf_counter() - started)
        with suppress(SettingError):  # not worth it
            LocalWorkers(2, SHARDS, "uniform", foretold.append).run(
                examples, recipe.rule(), recipe.plan(), None, Callbacks()
            )
        started = time.perf_counter()
        LocalWorkers(2, SHARDS).run(examples, rule, plan, None, Callbacks())
        seconds["mixed"].append(time.perf_counter() - started)
    happened = statistics.median(seconds["plain"]) / statistics.median(seconds["mixed"])
    for name, times_of_runs in seconds.items():
        print(f"{name}: {epochs} epochs in {[round(one, 2) for one in times_of_runs]} s")
    print(f"two workers: {happened:.2f} times as fast")
    for advice in foretold:
        print(f"foretold {advice.of_run:.2f}, an epoch {advice.of_epoch:.2f}: {advice.of_run / happened - 1:+.0%}")


def measure_speed(rows: int) -> None:
    examples, recipe = one_hot_rows(rows), Recipe(epochs=100)
    cuts = ranges(rows, SHARDS)
    settings = MixSettings(recipe.rule(), recipe.plan(), len(cuts))
    runs = {}
    with ExitStack() as pools:
        for number in (1, 2):
            workers = pools.enter_context(workers_for(examples, number))
            shards = LocalShards(examples, [ShardRange(i, *both) for i, both in enumerate(cuts)], workers)
            runs[number] = MixedRun(shards, settings, zero_weights(shards.empty, settings.rule, True))
            runs[number].epoch(None, 1)  # the first has the most updates
        seconds: dict[int, list[float]] = {number: [] for number in runs}
        for epoch in range(2, 7):
            for number, one in runs.items():
                one.begin_epoch(epoch)
                started = time.perf_counter()
                one.epoch(None, epoch)
                seconds[number].append(time.perf_counter() - started)
        started = time.perf_counter()
        run(examples, recipe.rule(), replace(recipe.plan(), epochs=1))
        plain = time.perf_counter() - started
        assert runs[1].weights.w.tobytes() == runs[2].weights.w.tobytes()
    medians = {number: statistics.median(times) for number, times in seconds.items()}
    for number, median in medians.items():
        print(
            f"{number} workers: {rows / median:12,.0f} rows a second an epoch   {[round(one, 3) for one in seconds[number]]}"
        )
    print(f"speed-up {medians[1] / medians[2]:.2f}; plain training, one epoch: {rows / plain:,.0f} rows a second")


if __name__ == "__main__":
    if sys.argv[1:2] == ["error"]:
        measure_errors()
    elif sys.argv[1:2] == ["forecast"]:
        measure_forecast(int(sys.argv[2]) if len(sys.argv) > 2 else 6_000_000)
    else:
        measure_speed(int(sys.argv[2]) if len(sys.argv) > 2 else 4_000_000)
