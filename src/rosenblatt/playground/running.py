"""A task of the page, run by the engine within the limits of the playground, and its scores over a grid of the plane."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from rosenblatt.engine import order
from rosenblatt.engine.rules import Rule
from rosenblatt.errors import DataError, DivergenceError, LabelError, SettingError
from rosenblatt.features.table.numbers import mean_and_sd, standardise
from rosenblatt.learning.driver import Callbacks, Interrupted, Outcome, Progress
from rosenblatt.learning.examples import Examples, for_classes
from rosenblatt.learning.history import History
from rosenblatt.learning.holding_out import split
from rosenblatt.learning.kernel.kernels import Polynomial
from rosenblatt.learning.kernel.model import Dual, View
from rosenblatt.learning.kernel.training import train_kernel
from rosenblatt.learning.learners import KERNEL, LEARNERS
from rosenblatt.learning.log import Log
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import decide
from rosenblatt.learning.training import LinearRun, Training, model_of, run, zero_weights
from rosenblatt.learning.votes import Voter
from rosenblatt.playground.memory import LruCache
from rosenblatt.playground.points import Points
from rosenblatt.playground.requests import MOST_EXAMPLES, MOST_UPDATES, Data, Grid, RequestError, Task, concerning
from rosenblatt.theory.certificate import Certificate
from rosenblatt.theory.margin_report import present
from rosenblatt.theory.separability import certify

RUN_SECONDS = 3.0  # that a run may take
PROOF_SECONDS = 1.5  # and the certificate
GRID_STEPS = 2e8  # of the grid of one request, about a second's worth: an update of the log at a cell is one
KERNEL_STEPS = 4  # that a kernel between a cell and an example is worth
CACHED_PRODUCTS, LEAST_CELLS = 2**18, 64  # of cells with rows of the log at a time; cells


@dataclass(frozen=True)
class PreparedPoints:
    """Points, and the rows that are learned from: their places in the plane, and products of these.

    The plane is that of the points, or centred and divided by `sd`.
    """

    points: Points
    plane: np.ndarray
    examples: Examples  # those held out have importance 0
    held_out: Examples | None = None
    mean: list[float] | None = None
    sd: list[float] | None = None

    @property
    def learned(self) -> np.ndarray:
        """The numbers of the rows that are learned from."""
        return self.examples.pool()


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

    @property
    def vectors(self) -> int:
        return self.table.examples.vectors

    @property
    def moves_every_class(self) -> bool:
        """Does every example move every one of more than two classes? Then no log of rivals can be kept."""
        return self.vectors > 1 and self.rule.moves_always


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
        rows_of = task.data, task.scale, task.features, task.holdout, task.seed if task.holdout else 0
        table = self.tables.get(rows_of, lambda: self._table(data, task))
        n = len(table.learned)
        if n * task.epochs > MOST_EXAMPLES:
            most = MOST_EXAMPLES // n
            raise RequestError(f"epochs is {task.epochs}: with {n} points the playground makes {most} at most.", "epochs")
        task_run = learn_kernel(task, table) if task.learner == KERNEL.name else learn(task, table)
        task_run.notes = [*table.points.notes, *task_run.notes]
        known = present(table.examples)
        task_run.certificate = self.certificates.get(
            (*rows_of, task.bias), lambda: certify(known.rows, known.labels, task.bias, seconds=PROOF_SECONDS)
        )
        return task_run

    def _table(self, data: Data, task: Task) -> PreparedPoints:
        with concerning("data"):
            points = self.points_of(data)
        if not len(points.y):
            raise DataError("There are no points yet: click into the plane to add one of each class.")
        if len(set(points.y.tolist())) < 2:
            raise LabelError("All points are of one class: add one of the other, to tell them apart.")
        plane, mean, sd = points.x, None, None
        if task.scale:  # as the feature map of tables does it
            measured = [mean_and_sd(column) for column in points.x.T]
            columns = [standardise(column, mean, sd) for column, (mean, sd) in zip(points.x.T, measured, strict=True)]
            plane, mean, sd = np.stack(columns, axis=1), [mean for mean, _ in measured], [sd for _, sd in measured]
        examples, held_out = for_classes(with_products(plane, task.features), points.y), None
        if task.holdout:
            with concerning("holdout"):
                examples, held_out = set_aside(examples, task)
        return PreparedPoints(points, plane, examples, held_out, mean, sd)


def with_products(plane: np.ndarray, features: tuple[str, ...]) -> np.ndarray:
    """Rows of features: x₁, x₂, and the chosen products of them.

    >>> with_products(np.array([[2.0, 3.0]]), ("x2x2", "x1x2"))
    array([[2., 3., 9., 6.]])
    """
    if not features:
        return plane
    x1, x2 = plane.astype(float).T
    product = {"x1x1": x1 * x1, "x2x2": x2 * x2, "x1x2": x1 * x2}
    return np.stack([x1, x2, *(product[name] for name in features)], axis=1)


def set_aside(examples: Examples, task: Task) -> tuple[Examples, Examples]:
    """The examples, those held out with importance 0, and these; every class keeps one to learn from."""
    try:
        rest, held_out = split(examples, task.holdout, task.seed)
    except SettingError:
        raise SettingError(f"holdout is {task.holdout}: of {examples.rows.n} points that is none.") from None
    if not rest.class_counts().all():
        raise SettingError(f"holdout is {task.holdout:g}: it leaves a class without points to learn from.")
    return rest, held_out


def learn(task: Task, table: PreparedPoints) -> TaskRun:
    """Runs the engine; what it did, and why it ended early if it did."""
    examples = table.examples
    plan = Plan(task.epochs, task.order, task.seed, task.bias, keep_log=True)
    with concerning("parameters"):
        rule = LEARNERS[task.learner].make_rule(dict(task.parameters))
    weights = zero_weights(examples, rule, task.bias)
    if any(task.start):
        if examples.vectors > 1:
            raise RequestError("Start weights are for two classes: with more, all begin at 0.", "start")
        products = np.zeros(len(task.features))
        weights.start_from(np.append(task.start[:2], products), np.array(task.start[2:]))
    notes = []
    try:
        done = run(examples, rule, plan, weights, table.held_out, limits())
    except Interrupted as stop:
        done = stop.training
        notes = [stopped(done)]
    except DivergenceError as stop:
        done = stop.training
        notes = [str(stop)]
    assert done.log is not None
    log = done.log.until(done.weights.t)  # a log goes on into the epoch that was taken back
    ended = done.converged, done.stopped_because, done.weights.t
    task_run = TaskRun(task, table, rule, log, done.history, *ended, training=done, notes=notes)
    return replace(task_run, log=every_example(task_run)) if task_run.moves_every_class else task_run


def every_example(run: TaskRun) -> Log:
    """A log of a rule that moves every class at every example: which examples there were; the steps follow from scores."""
    rows = np.concatenate([np.empty(0, np.int32), *drawn_order(run, len(run.history))])
    return Log(np.arange(len(rows)), rows, np.full(len(rows), -1, np.int32), np.zeros(len(rows)))


def drawn_order(run: TaskRun, epochs: int) -> Iterator[np.ndarray]:
    """The row numbers of the first epochs, as the run itself drew them."""
    drawn = order.epochs(run.task.order, run.table.learned, run.task.seed)
    return (epoch.copy() for epoch in islice(drawn, epochs))  # each is drawn over the last


def learn_kernel(task: Task, table: PreparedPoints) -> TaskRun:
    """The run of a kernel, whose w is a sum of examples: (1 + x·x')^degree; without a bias the 1 is not there."""
    plan = Plan(task.epochs, task.order, task.seed, fit_intercept=False)
    kernel = Polynomial(int(dict(task.parameters).get("degree", 2)), 1.0 if task.bias else 0.0)
    rule, notes = KERNEL.rule(), []
    try:
        done = train_kernel(table.examples, rule, kernel, plan, callbacks=limits())
    except Interrupted as stop:
        done = stop.training
        notes = [stopped(done)]
    assert done.dual.logs is not None
    ended = done.converged, done.stopped_because, done.dual.t
    return TaskRun(task, table, rule, done.dual.logs[0], done.history, *ended, dual=done.dual, notes=notes)


def limits() -> Callbacks:
    """Callbacks that interrupt a run, as Ctrl-C would, after too many updates or too long."""
    end = time.monotonic() + RUN_SECONDS

    def end_of_epoch(training: Outcome) -> None:
        if not training.stopped_because and (total_updates(training) >= MOST_UPDATES or time.monotonic() > end):
            raise KeyboardInterrupt

    def between_chunks(progress: Progress) -> None:
        if time.monotonic() > end:
            raise KeyboardInterrupt

    return Callbacks(epoch=end_of_epoch, progress=between_chunks)


def total_updates(training: Outcome) -> int:
    return sum(epoch.updates for epoch in training.history)


def stopped(training: Outcome) -> str:
    """Why the playground ended a run, also as the run's own reason."""
    many = total_updates(training) >= MOST_UPDATES
    why = f"{MOST_UPDATES:,} updates are as many as the page shows" if many else f"{RUN_SECONDS:g} seconds were over"
    training.stopped_because = f"the playground's limit: {why}"
    return f"Training was stopped after {len(training.history)} epochs: {why}."


def affordable_grid(run: TaskRun, grid: Grid, most: float = GRID_STEPS) -> Grid:
    """The grid, or one of fewer cells where so many would take more than `most` steps."""
    updates = int(np.searchsorted(run.log.t, grid.examples))
    if run.dual is not None:
        steps = updates + KERNEL_STEPS * min(updates, len(run.table.points.y))
    elif grid.view == "voted":
        steps = updates + len(run.table.points.y)
    else:
        return grid
    share = most / max(1, steps * run.vectors * grid.columns * grid.rows)
    if share >= 1:
        return grid
    return replace(grid, columns=max(2, int(grid.columns * share**0.5)), rows=max(2, int(grid.rows * share**0.5)))


def coarser(asked: Grid, given: Grid) -> str:
    """That the grid has fewer cells than were asked for."""
    return f"The run is long: the grid has {given.columns} × {given.rows} cells, not {asked.columns} × {asked.rows}."


def grid_scores(run: TaskRun, grid: Grid) -> np.ndarray:
    """Scores row by row from the top, after so many examples: w·x + b, Σ α K, or votes as a share of all, −1 to 1.

    With more than two classes the number of the class that wins each cell.
    """
    left, right, bottom, top = grid.box
    across = left + (np.arange(grid.columns) + 0.5) * (right - left) / grid.columns
    down = top - (np.arange(grid.rows) + 0.5) * (top - bottom) / grid.rows
    plane = np.stack([np.tile(across, grid.rows), np.repeat(down, grid.columns)], axis=1)
    cells = with_products(plane, run.task.features)
    seen = min(grid.examples, run.t)
    scores = scores_after(run, grid.view, seen, cells)
    if run.vectors > 1:
        return decide(scores)
    largest = float(np.abs(scores).max(initial=0))
    # Three digits are more than a colour shows; a small answer is a quick one.
    return np.round(scores / largest if largest > 0 else scores, 3)


def scores_after(run: TaskRun, view: str, seen: int, cells: np.ndarray) -> np.ndarray:
    """The scores of cells by the weights that the run had after so many examples."""
    if seen == 0 and (run.dual is not None or view == "voted"):
        return np.zeros(len(cells) if run.vectors == 1 else (len(cells), run.vectors))
    if run.dual is not None:
        return run.dual.scorer(View(view, after=seen)).scores(cells)
    assert run.training is not None
    if run.rule.second_order or run.moves_every_class:
        return scores_by_running_again(run, view, seen, cells)
    memory = replace(run.training.memory(), last=seen)
    memory.log = memory.log.until(seen)
    if view == "voted":
        assert run.training.classes is not None
        # In parts whose products with the rows of the log stay in the cache, which is faster and holds little.
        voter, height = Voter(run.training.classes, memory), max(LEAST_CELLS, CACHED_PRODUCTS // max(1, memory.rows.n))
        return np.concatenate([voter.scores(cells[top : top + height]) for top in range(0, len(cells), height)])
    return model_of(memory.replay(), run.training.classes, view).scores(cells)


def scores_by_running_again(run: TaskRun, view: str, seen: int, cells: np.ndarray) -> np.ndarray:
    """The scores of cells where steps are no multiples of rows, or move every class: the loop goes over the points again."""
    assert run.training is not None
    assert run.training.origin is not None
    origin, classes = run.training.origin, run.training.classes
    weights = zero_weights(origin.examples, run.rule, run.task.bias) if origin.start is None else origin.start.copy()
    again = LinearRun(origin.examples, run.rule, replace(origin.plan, keep_log=False), weights)
    if view != "voted":
        for _ in stops_of(again, [seen]):
            pass
        return model_of(weights, classes, view).scores(cells)
    log = run.log.until(seen)
    votes, lived = np.zeros((len(cells), run.vectors)), log.lived(0, seen).tolist()
    for count, _ in zip(lived, stops_of(again, [0, *(log.t + 1).tolist()]), strict=False):
        winners = decide(model_of(weights, classes, "last").scores(cells))
        if run.vectors == 1:
            votes[:, 0] += np.where(winners == 1, count, -count)
        else:
            votes[np.arange(len(cells)), winners] += count
    return votes[:, 0] if run.vectors == 1 else votes


def stops_of(again: LinearRun, stops: list[int]) -> Iterator[int]:
    """Runs the loop to each of these numbers of examples, in order, and gives it."""
    n, before = len(again.examples.pool()), 0
    waiting = iter(stops)
    stop = next(waiting, None)
    for row_numbers in again.orders():
        place = 0
        while stop is not None and stop <= before + n:
            again.pass_over(row_numbers, stop - before, place)
            place = stop - before
            yield stop
            stop = next(waiting, None)
        if stop is None:
            return
        again.pass_over(row_numbers, n, place)
        before += n
