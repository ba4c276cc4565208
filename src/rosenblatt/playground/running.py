"""A task of the page, run by the engine, within the limits of the playground."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.engine.rules import Rule
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DataError, DivergenceError, LabelError, SettingError
from rosenblatt.features.scale import mean_and_sd, standardise
from rosenblatt.learning.driver import Callbacks, Interrupted, Progress
from rosenblatt.learning.examples import Examples, for_classes
from rosenblatt.learning.history import History
from rosenblatt.learning.kernel.kernels import Polynomial
from rosenblatt.learning.kernel.model import Dual
from rosenblatt.learning.kernel.training import train_kernel
from rosenblatt.learning.learners import KERNEL, LEARNERS
from rosenblatt.learning.log import Log
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import Training, run
from rosenblatt.playground.memory import LruCache
from rosenblatt.playground.points import Points
from rosenblatt.playground.requests import MOST_EXAMPLES, MOST_UPDATES, Data, Task
from rosenblatt.theory.certificate import Certificate
from rosenblatt.theory.separability import certify

RUN_SECONDS = 3.0  # that a run may take
PROOF_SECONDS = 1.5  # and the certificate


class TooLongError(SettingError):
    """More epochs than the playground makes with so many points."""


@dataclass(frozen=True)
class PreparedPoints:
    """Points, and the rows that are learned from: the same, or centred and divided by `sd`."""

    points: Points
    examples: Examples
    mean: list[float] | None = None
    sd: list[float] | None = None


@dataclass
class TaskRun:
    """A task, the examples that it means, and what training on them gave: weights, or with a kernel a sum of examples."""

    task: Task
    table: PreparedPoints
    rule: Rule
    log: Log
    history: History
    converged: bool
    stopped_because: str
    t: int
    training: Training | None = None
    dual: Dual | None = None
    certificate: Certificate | None = None
    notes: list[str] = field(default_factory=list)


class RunCache:
    """The last two runs, so that a grid after a trace does not train again, and two learners share a certificate."""

    def __init__(self, points_of: Callable[[Data], Points]):
        self.points_of = points_of
        self.runs, self.tables = LruCache[TaskRun](2), LruCache[PreparedPoints](1)
        self.certificates = LruCache[Certificate](1)

    def of(self, task: Task) -> TaskRun:
        """The run of a task, which remembers its points, but not the request that they came in."""
        marked = replace(task, data=task.data.marked())
        return self.runs.get(marked, lambda: self._of(marked, task.data))

    def _of(self, task: Task, data: Data) -> TaskRun:
        table = self.tables.get((task.data, task.scale), lambda: self._table(data, task.scale))
        n = len(table.points.y)
        if n * task.epochs > MOST_EXAMPLES:
            raise TooLongError(
                f"epochs is {task.epochs}: with {n} points the playground makes {MOST_EXAMPLES // n} at most."
            )
        task_run = learn_kernel(task, table) if task.learner == KERNEL.name else learn(task, table)
        task_run.notes = [*table.points.notes, *task_run.notes]
        key = task.data, task.scale, task.bias
        task_run.certificate = self.certificates.get(key, lambda: certify_points(table, task.bias))
        return task_run

    def _table(self, data: Data, scaled: bool) -> PreparedPoints:
        points = self.points_of(data)
        if not len(points.y):
            raise DataError("There are no points yet: click into the plane to add one of each class.")
        if len(set(points.y.tolist())) < 2:
            raise LabelError("All points are of one class: add one of the other, to tell them apart.")
        if not scaled:
            return PreparedPoints(points, for_classes(points.x, points.y))
        # As the feature map of tables does it.
        measured = [mean_and_sd(column) for column in points.x.T]
        columns = [standardise(column, mean, sd) for column, (mean, sd) in zip(points.x.T, measured, strict=True)]
        examples = for_classes(np.stack(columns, axis=1), points.y)
        return PreparedPoints(points, examples, [mean for mean, _ in measured], [sd for _, sd in measured])


def certify_points(table: PreparedPoints, bias: bool) -> Certificate:
    """Whether a line separates the points, as far as it can be told in the time for it."""
    return certify(table.examples.rows, table.points.y, bias, seconds=PROOF_SECONDS)


def rule_of(task: Task) -> Rule:
    """The rule of the task's learner; with a kernel it learns as the perceptron does."""
    if task.learner == KERNEL.name:
        return KERNEL.rule()
    return LEARNERS[task.learner].make_rule(dict(task.parameters))


def kernel_of(task: Task) -> Polynomial:
    """(1 + x·x')^degree; without a bias the 1 is not there."""
    return Polynomial(int(dict(task.parameters).get("degree", 2)), 1.0 if task.bias else 0.0)


def learn(task: Task, table: PreparedPoints) -> TaskRun:
    """Runs the engine; what it did, and why it ended early if it did."""
    examples = table.examples
    plan = Plan(task.epochs, task.order, task.seed, task.bias, keep_log=True)
    weights = Weights(examples.vectors, examples.rows.d, task.bias)
    weights.start_from(np.array(task.start[:2]), np.array(task.start[2:]))
    notes: list[str] = []
    rule = rule_of(task)
    with limited() as callbacks:
        try:
            done = run(examples, rule, plan, weights, callbacks=callbacks)
        except Interrupted as stop:
            done = stop.training
            notes.append(stopped(done))
        except DivergenceError as stop:
            done = stop.training
            notes.append(str(stop))
    assert done.log is not None
    log = done.log.until(done.weights.t)  # a log goes on into the epoch that was taken back
    ended = done.converged, done.stopped_because, done.weights.t
    return TaskRun(task, table, rule, log, done.history, *ended, training=done, notes=notes)


def learn_kernel(task: Task, table: PreparedPoints) -> TaskRun:
    """The same where w is a sum of examples."""
    plan = Plan(task.epochs, task.order, task.seed, fit_intercept=False)
    notes: list[str] = []
    rule = rule_of(task)
    with limited() as callbacks:
        try:
            done = train_kernel(table.examples, rule, kernel_of(task), plan, callbacks=callbacks)
        except Interrupted as stop:
            done = stop.training
            notes.append(stopped(done))
    assert done.dual.logs is not None
    ended = done.converged, done.stopped_because, done.dual.t
    return TaskRun(task, table, rule, done.dual.logs[0], done.history, *ended, dual=done.dual, notes=notes)


@contextmanager
def limited() -> Iterator[Callbacks]:
    """Callbacks that interrupt a run, as Ctrl-C would, after too many updates or too long."""
    end = time.monotonic() + RUN_SECONDS

    def end_of_epoch(training: Any) -> None:
        if not training.stopped_because and (total_updates(training) >= MOST_UPDATES or time.monotonic() > end):
            raise KeyboardInterrupt

    def between_chunks(progress: Progress) -> None:
        if time.monotonic() > end:
            raise KeyboardInterrupt

    yield Callbacks(epoch=end_of_epoch, progress=between_chunks)


def total_updates(training: Any) -> int:
    return sum(epoch.updates for epoch in training.history)


def stopped(training: Any) -> str:
    """Why the playground ended a run, also as the run's own reason."""
    many = total_updates(training) >= MOST_UPDATES
    why = f"{MOST_UPDATES:,} updates are as many as the page shows" if many else f"{RUN_SECONDS:g} seconds were over"
    training.stopped_because = f"the playground's limit: {why}"
    return f"Training was stopped after {len(training.history)} epochs: {why}."
