"""Epochs over the examples: in which order, until when, and what is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count, repeat
from typing import Any

import numpy as np

from rosenblatt.data import markup
from rosenblatt.engine import order, rules
from rosenblatt.engine.compiled import core
from rosenblatt.engine.parameters import Real, check, keywords_of, refuse_unknown
from rosenblatt.engine.weights import SETTLE_EVERY, Weights
from rosenblatt.errors import DivergenceError, SettingError
from rosenblatt.learning.examples import Examples, for_classes
from rosenblatt.learning.history import Epoch, History
from rosenblatt.learning.linear import Decides, Model
from rosenblatt.learning.log import Log, Memory, Recorder
from rosenblatt.learning.plan import Plan

# Between chunks come Ctrl-C, progress and callbacks. Chunks end at multiples of this many examples.
CHUNK = 2**16


@dataclass(frozen=True)
class Origin:
    """What a run came from, kept with its log: not a copy of the rows, which must stay as they are."""

    examples: Examples
    rule: rules.Rule
    plan: Plan
    start: Weights | None  # None: 0
    held_out: Examples | None = None
    absent: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # rows left out of the order

    @property
    def has_dual(self) -> bool:
        """Are the weights a sum over the log?"""
        every_class_moves = self.rule.moves_always and self.examples.vectors > 1
        return self.examples.codes is not None and not self.rule.shrinks and not every_class_moves


@dataclass
class Training:
    """A run: its weights, what happened, and why it ended."""

    weights: Weights
    classes: np.ndarray | None
    history: History = field(default_factory=History)
    log: Log | None = None
    stopped_because: str = ""
    converged: bool = False
    zero_rows: int = 0
    best: Model | None = None
    best_error: float = np.inf
    best_epoch: int = 0
    origin: Origin | None = None  # where the log is kept
    _views: dict[str, Model] = field(default_factory=dict, repr=False)

    def view(self, name: str) -> Model:
        """The model with the last, the averaged or the best weights; the best are those of the lowest held-out error."""
        if name == "best":
            if self.best is None:
                raise SettingError("There are no best weights without held-out data: train with early_stopping=True.")
            return self.best
        if name not in self._views:
            self._views[name] = model_of(self.weights, self.classes, name)
        return self._views[name]

    def memory(self) -> Memory:
        """The log with a copy of the rows that it refers to: what votes, influences and replays need."""
        origin = self.origin
        if self.log is None or origin is None:
            raise SettingError("This run kept no log: train with keep_log=True.")
        if not origin.has_dual:
            raise SettingError(
                f"The updates of {origin.rule.name} are no sum of rows that a log could hold: take a mistake-driven rule."
            )
        examples, weights = origin.examples, self.weights
        assert examples.codes is not None
        return Memory.of(
            self.log, examples.rows, examples.codes, examples.vectors, weights.t, origin.start, weights.fit_intercept
        )

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        told = {"updates": self.weights.updates, "ended by": self.stopped_because or "nothing yet"}
        if self.best is not None:
            told |= {"best held-out error": self.best_error, "in epoch": self.best_epoch}
        return markup.facts("Training", told) + self.history._repr_html_()


def model_of(weights: Weights, classes: np.ndarray | None, name: str) -> Model:
    """A copy of the last or the averaged weights as they are now."""
    if name not in ("last", "averaged"):
        raise SettingError(f"There is no view {name!r}: choose 'last', 'averaged' or 'best'.")
    return Model(classes, *(weights.last if name == "last" else weights.averaged))


@dataclass(frozen=True)
class Progress:
    """How far a run is: after how many examples, with how many mistakes and updates, and |w|."""

    examples: int
    mistakes: int
    updates: int
    norm: float
    total: int  # examples if all epochs are run


@dataclass(frozen=True)
class Watch:
    """Who wants to know: after every epoch, whenever the number of examples has doubled or a chunk is done, each tau."""

    epoch: Callable[[Training], None] | None = None
    progress: Callable[[Progress], None] | None = None
    taus: Callable[[np.ndarray], None] | None = None  # of the updates of a chunk, where they are one number each


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during training; `training` keeps what was learned until then."""

    def __init__(self, training: Training):
        super().__init__("interrupted")
        self.training = training


def train(
    X: Any,
    y: Any,
    rule: rules.Rule | None = None,
    *,
    held_out: tuple[Any, Any] | None = None,
    sample_weight: Any = None,
    **plan: Any,
) -> Training:
    """Trains a classifier on rows X with labels y; keywords are those of `Plan`.

    >>> run = train([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["yes", "no", "no", "no"], order="given")
    >>> run.stopped_because, run.weights.updates
    ('an epoch without updates', 3)
    >>> run.view("last").predict([[2, 2]])
    array(['yes'], dtype='<U3')
    """
    refuse_unknown("train", plan, ["rule", "held_out", "sample_weight", *keywords_of(Plan)])
    examples = for_classes(X, y, importance=sample_weight)
    test = None if held_out is None else for_classes(*held_out, classes=examples.classes)
    return run(examples, rules.rule_or_default(rule), Plan(**plan), held_out=test)


def run(
    examples: Examples,
    rule: rules.Rule,
    plan: Plan,
    weights: Weights | None = None,
    held_out: Examples | None = None,
    watch: Watch | None = None,
) -> Training:
    """Trains on checked examples, from 0 or onwards from `weights`, which are moved in place."""
    if weights is None:
        weights = Weights(examples.vectors, examples.rows.d, plan.fit_intercept, sparse=not examples.rows.dense)
    if plan.patience is not None and held_out is None:
        raise SettingError("Stopping on the held-out error needs held-out data.")
    return Run(examples, rule, plan, weights, held_out, watch or Watch()).go()


class Run:
    """The state of `run` while it goes; a walk drives its `chunk` example by example."""

    def __init__(
        self,
        examples: Examples,
        rule: rules.Rule,
        plan: Plan,
        weights: Weights,
        held_out: Examples | None,
        watch: Watch,
    ):
        self.examples, self.rule, self.plan, self.held_out, self.watch = examples, rule, plan, held_out, watch
        self.training = Training(weights, examples.classes)
        self.weights = weights
        if plan.keep_log:
            self.training.origin = Origin(examples, rule, plan, None if weights.untouched() else weights.copy(), held_out)
        self.recorder = Recorder(CHUNK, plan.keep_log) if plan.keep_log or watch.taus else None
        self.loop = core.Loop(
            examples.rows,
            weights,
            rule.in_core(),
            (examples.codes, examples.targets, examples.importance),
            log=self.recorder and self.recorder.buffers,
            measure=plan.tol is not None,
        )
        self.last_good = weights.copy()

    def go(self) -> Training:
        orders = self.orders()
        try:
            for number in count(1):
                row_numbers = next(orders)
                self.epoch(row_numbers, self.examples.rows.n if row_numbers is None else len(row_numbers), number)
                if self.watch.epoch:
                    self.watch.epoch(self.training)
                if self.training.stopped_because:
                    break
        except KeyboardInterrupt:
            self.training.stopped_because = "interrupted"
            raise Interrupted(self.finish()) from None
        return self.finish()

    def pool(self) -> np.ndarray:
        """The rows that are learned from."""
        return self.examples.pool()

    def orders(self) -> Iterator[np.ndarray | None]:
        """The row numbers of each epoch, without end; None: all, as given."""
        pool = self.examples.pool()
        # As given and all there: the loop needs no list of row numbers.
        whole = self.plan.order == "given" and len(pool) == self.examples.rows.n
        if whole:
            return repeat(None)
        return order.epochs(self.plan.order, pool, self.plan.seed)

    def finish(self) -> Training:
        if self.weights.sums_overflowed():
            raise self.divergence()
        return self.result()

    def result(self) -> Training:
        self.training.zero_rows = self.loop.zero_rows
        if self.recorder and self.plan.keep_log:
            self.training.log = self.recorder.log().until(self.weights.t)
        return self.training

    def epoch(self, row_numbers: np.ndarray | None, n: int, number: int) -> None:
        """One pass, and what is to be said about it."""
        mistakes, updates, moved = self.loop.mistakes, self.loop.updates, self.loop.moved
        if number > 1:
            self.last_good.become(self.weights)
        self.pass_over(row_numbers, n)
        if self.weights.overflowed():
            raise self.divergence()
        last, averaged = self.held_out_errors()
        epoch = Epoch(
            examples=n,
            mistakes=self.loop.mistakes - mistakes,
            updates=self.loop.updates - updates,
            norm=self.weights.norm(),
            moved=None if self.plan.tol is None else (self.loop.moved - moved) / max(1, n),
            held_out_last=last,
            held_out_averaged=averaged,
        )
        self.training.history.append(epoch)
        self.keep_best(number, averaged if self.plan.average else last)
        self.decide_to_stop(epoch, number)

    def pass_over(self, row_numbers: np.ndarray | None, n: int, place: int = 0) -> None:
        """The examples from this place of the epoch on."""
        while place < n:
            place = self.chunk(row_numbers, place, n)

    def chunk(self, row_numbers: np.ndarray | None, place: int, n: int) -> int:
        """The loop over at most CHUNK examples; where the next chunk begins."""
        end = min(n, place + CHUNK - self.weights.t % CHUNK)
        if self.watch.progress:  # also stop where the number of examples has doubled
            end = min(end, place + (1 << self.weights.t.bit_length()) - self.weights.t)
        with np.errstate(all="ignore"):  # uncompiled, numpy would warn of what `fault` tells
            reached: int = self.loop.run(row_numbers, place, end)
        self.weights.take(self.loop)
        if self.recorder:
            self.recorder.keep(self.loop.logged)
            if self.watch.taus:
                self.watch.taus(self.recorder.buffers[3][: self.loop.logged])
        if self.loop.fault == core.SETTLE or (self.weights.t % SETTLE_EVERY == 0 and reached > place):
            self.weights.settle()
            self.loop.start_new_sum()
        elif self.loop.fault:
            raise self.fault(reached if row_numbers is None else int(row_numbers[reached]))
        if self.watch.progress:
            loop, total = self.loop, n * self.plan.epochs
            self.watch.progress(Progress(loop.t, loop.mistakes, loop.updates, self.weights.norm(), total))
        return reached

    def fault(self, row: int) -> Exception:
        """Why the loop could not take this row."""
        _, x = self.examples.rows.row(row)
        innocent = np.isfinite(x).all() and np.abs(x).max(initial=0) < 1e100
        if self.loop.fault == core.NOT_FINITE and innocent:
            return self.divergence()
        return self.examples.rows.blame(row)

    def divergence(self) -> DivergenceError:
        self.weights.become(self.last_good)
        self.training.stopped_because = "the weights overflowed"
        epochs = len(self.training.history)
        return DivergenceError(
            f"The weights overflowed in epoch {epochs + 1}: choose a smaller eta0, or scale the features first. "
            "The weights before that epoch are kept.",
            self.result(),
        )

    def held_out_errors(self) -> tuple[float | None, float | None]:
        """Held-out error of the last and of the averaged weights."""
        if self.held_out is None:
            return None, None
        return error(self.model("last"), self.held_out), error(self.model("averaged"), self.held_out)

    def model(self, name: str) -> Model:
        return model_of(self.weights, self.training.classes, name)

    def keep_best(self, number: int, held_out_error: float | None) -> None:
        if held_out_error is not None and held_out_error < self.training.best_error:
            self.training.best = self.model("averaged" if self.plan.average else "last")
            self.training.best_error, self.training.best_epoch = held_out_error, number

    def decide_to_stop(self, epoch: Epoch, number: int) -> None:
        plan, training = self.plan, self.training
        if epoch.updates == 0 and not self.rule.moves_always and self.no_row_would_move():
            training.stopped_because, training.converged = "an epoch without updates", True
        elif plan.tol is not None and epoch.moved is not None and epoch.moved < plan.tol:
            training.stopped_because, training.converged = "the average update fell below tol", True
        elif plan.patience is not None and number - training.best_epoch >= plan.patience:
            training.stopped_because = f"the held-out error did not fall for {plan.patience} epochs"
        elif number >= plan.epochs:
            training.stopped_because = "one pass" if plan.epochs == 1 else f"all {plan.epochs} epochs"

    def no_row_would_move(self) -> bool:
        """An epoch drawn with replacement may have missed rows: look at all of them."""
        if self.plan.order != "replacement":
            return True
        rule = self.rule.in_core()
        pool = self.pool()
        margins = training_margins(self.model("last"), self.examples)[pool]
        moving = pool[[rule.moves(margin) for margin in margins.tolist()]]
        if self.weights.fit_intercept:
            return len(moving) == 0
        # Without a bias a row of zeros stays a mistake that nothing can mend.
        return not any(self.examples.rows.row(int(i))[1].any() for i in moving)


def training_margins(model: Model, examples: Examples) -> np.ndarray:
    """y (w·x + b) for two classes; the right class's score less the best other's for more."""
    scores, codes = model.scores(examples.rows), examples.codes
    assert codes is not None
    if scores.ndim == 1:
        return np.where(codes == 1, scores, -scores)
    right = np.take_along_axis(scores, codes[:, None].astype(np.intp), axis=1)[:, 0]
    others = scores.copy()
    np.put_along_axis(others, codes[:, None].astype(np.intp), -np.inf, axis=1)
    margins: np.ndarray = right - others.max(axis=1)
    return margins


def error(model: Decides, examples: Examples) -> float:
    """Share of examples that the model gets wrong; in a regression, the mean squared error."""
    scores = model.scores(examples.rows)
    if examples.targets is not None:
        return float(np.mean((scores - examples.targets) ** 2))
    return float(np.mean(model.decide(scores) != examples.codes))


def split(examples: Examples, fraction: float, seed: int) -> tuple[Examples, Examples]:
    """Sets a share of every class aside: (the rest, by importance 0 in place of a copy; the held-out rows, copied)."""
    check("validation_fraction", fraction, Real(above=0, below=1))
    pool, codes = examples.pool(), examples.codes
    groups = [pool] if codes is None else [pool[codes[pool] == code] for code in np.unique(codes[pool])]
    bits = order.random_bits(seed, order.SPLIT)
    held_out = np.zeros(examples.rows.n, dtype=bool)
    for group in groups:
        order.shuffle(group, bits)
        held_out[group[: round(fraction * len(group))]] = True
    if not held_out.any() or held_out[pool].all():
        raise SettingError(
            f"validation_fraction={fraction} of {len(pool)} rows leaves nothing to hold out, or to learn from."
        )
    importance = np.ones(examples.rows.n) if examples.importance is None else examples.importance
    rest = replace(examples, importance=np.where(held_out, 0.0, importance))
    return rest, examples.take(np.flatnonzero(held_out))
