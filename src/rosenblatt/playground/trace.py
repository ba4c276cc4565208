"""A run of the engine as the page replays it: the log, the order of the examples, and what was learned.

The page adds tau y x of every update in the order of the log, with the same double-precision operations as the loop, so its
weights are those of `fit` bit for bit; it checks that against the weights sent along.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from rosenblatt import order
from rosenblatt.classifier import Recipe
from rosenblatt.errors import DataError, DivergenceError, LabelError, SettingError
from rosenblatt.examples import Examples, for_classes
from rosenblatt.features.scale import mean_and_sd, standardise
from rosenblatt.playground.points import Points
from rosenblatt.playground.requests import EXAMPLES, UPDATES, Task
from rosenblatt.rules import Rule
from rosenblatt.training import Interrupted, Plan, Progress, Training, Watch, run
from rosenblatt.weights import Weights

SECONDS = 4.0  # that a run may take
SHOWN = 20_000  # examples whose order is sent along: stepping goes by example as far as that, then by update

PointsOf = Callable[[Any], Points]


@dataclass(frozen=True)
class Run:
    """A task, the examples that it means, and what training on them gave."""

    task: Task
    points: Points
    examples: Examples
    scale: tuple[list[float], list[float]] | None  # means and standard deviations, where the rows are scaled
    training: Training
    notes: tuple[str, ...]


class Runs:
    """The last few runs, so that a grid after a trace does not train again."""

    def __init__(self, points_of: PointsOf):
        self.points_of = points_of
        self.of = lru_cache(maxsize=8)(self._of)

    def _of(self, task: Task) -> Run:
        points = self.points_of(task.data)
        if not len(points.y):
            raise DataError("There are no points yet: add one of each class.")
        if len(points.y) * task.epochs > EXAMPLES:
            most = EXAMPLES // len(points.y)
            raise SettingError(f"epochs is {task.epochs}: with {len(points.y)} points the playground makes {most} at most.")
        x, scale = points.x, None
        if task.scale:
            measured = [mean_and_sd(column) for column in x.T]
            scale = ([mean for mean, _ in measured], [sd for _, sd in measured])
            x = np.stack([standardise(column, mean, sd) for column, (mean, sd) in zip(x.T, measured, strict=True)], axis=1)
        if len(set(points.y.tolist())) < 2:
            raise LabelError("All points are of one class: add one of the other, to tell them apart.")
        examples = for_classes(np.ascontiguousarray(x), points.y)
        training, notes = learn(task, examples)
        return Run(task, points, examples, scale, training, (*points.notes, *notes))


def rule_of(task: Task) -> Rule:
    """The rule of the task's learner; a voted perceptron learns as the perceptron does."""
    return Recipe(learner="perceptron" if task.learner == "voted" else task.learner, parameters=dict(task.parameters)).rule()


def learn(task: Task, examples: Examples) -> tuple[Training, list[str]]:
    """Runs the engine, within the limits of the playground; what it did, and why it ended early if it did."""
    plan = Plan(task.epochs, task.order, task.seed, task.bias, keep_log=True)
    weights = Weights(examples.vectors, examples.rows.d, task.bias)
    weights.start_from(np.array(task.start[:2]), np.array(task.start[2:]))
    end = time.monotonic() + SECONDS

    def enough(training: Training) -> None:
        if training.weights.updates >= UPDATES and not training.stopped_because:
            raise KeyboardInterrupt

    def late(progress: Progress) -> None:
        if time.monotonic() > end:
            raise KeyboardInterrupt

    try:
        return run(examples, rule_of(task), plan, weights, watch=Watch(epoch=enough, progress=late)), []
    except Interrupted as stop:
        cap = stop.training.weights.updates >= UPDATES
        why = f"{UPDATES:,} updates are as many as the page shows" if cap else f"{SECONDS:g} seconds were over"
        stop.training.stopped_because = f"the playground's limit: {why}"
        return stop.training, [f"Training was stopped after {len(stop.training.history)} epochs: {why}."]
    except DivergenceError as stop:
        kept: Training = stop.training
        if kept.log is not None:  # the log goes on into the epoch that was taken back
            whole = kept.log.t < kept.weights.t
            kept.log = replace(kept.log, **{name: part[whole] for name, part in vars(kept.log).items()})
        return kept, [str(stop)]


def trace(made: Run) -> dict[str, Any]:
    """What the page needs, as JSON: times as differences, a tau that never changes once."""
    training, points = made.training, made.points
    assert training.log is not None
    last, averaged = training.view("last"), training.view("averaged")
    tau = training.log.tau
    values = made.examples.rows.values
    assert values is not None
    return {
        "points": points.x.tolist(),
        "y": points.y.tolist(),
        "names": points.names,
        "classes": points.classes,
        "columns": points.columns,
        "chosen": points.chosen,
        "scaled": None if made.scale is None else values.astype(float).tolist(),
        "mean": None if made.scale is None else made.scale[0],
        "sd": None if made.scale is None else made.scale[1],
        "log": {
            "t": np.diff(training.log.t, prepend=0).tolist(),
            "row": training.log.row.tolist(),
            "tau": tau[0].item() if len(tau) and (tau == tau[0]).all() else tau.tolist(),
        },
        "order": shown_order(made),
        "bias": made.task.bias,
        "certificate": None,
        "examples": training.weights.t,
        "epochs": [[epoch.examples, epoch.mistakes, epoch.updates] for epoch in training.history],
        "start": list(made.task.start),
        "last": [*last.coef[0].tolist(), *last.intercept.tolist()],
        "averaged": [*averaged.coef[0].tolist(), *averaged.intercept.tolist()],
        "stopped": training.stopped_because,
        "converged": training.converged,
        "notes": made.notes,
    }


def shown_order(made: Run) -> list[int] | None:
    """Which row each of the first examples was: whole epochs, as the run itself drew them; None: as given."""
    n, epochs = made.examples.rows.n, len(made.training.history)
    if made.task.order == "given":
        return None
    drawn = order.epochs(made.task.order, made.examples.pool(), made.task.seed)
    shown = [epoch.copy() for epoch in islice(drawn, min(epochs, max(1, SHOWN // n)))]
    return [int(row) for epoch in shown for row in epoch.tolist()]
