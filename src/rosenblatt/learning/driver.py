"""THE epoch driver: epochs over examples, whoever learns from them.

A subclass learns from a stretch of examples (`learn`) and counts what happened. This class says in which order the examples
come, until when, what is recorded of every epoch, and what an interruption leaves behind. Linear training, kernel training,
forgetting and walks are such runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from rosenblatt.engine import order
from rosenblatt.engine.rows import MOST_ROWS
from rosenblatt.engine.rules import Rule
from rosenblatt.learning.examples import AnyExamples, Examples
from rosenblatt.learning.history import Epoch, History
from rosenblatt.learning.plan import Plan

if TYPE_CHECKING:
    from rosenblatt.learning.checkpoint import Checkpoints


@dataclass
class Outcome:
    """What every run leaves: what happened in its epochs, and why it ended."""

    history: History = field(default_factory=History, kw_only=True)
    stopped_because: str = field(default="", kw_only=True)
    converged: bool = field(default=False, kw_only=True)
    zero_rows: int = field(default=0, kw_only=True)  # mistakes on rows of zeros, which nothing can mend
    held_out_predicted: list[np.ndarray] = field(default_factory=list, kw_only=True)  # by epoch: how often each class


O = TypeVar("O", bound=Outcome)  # noqa: E741


@dataclass(frozen=True)
class Progress:
    """How far a run is: after how many examples, with how many mistakes and updates, and |w|."""

    examples: int
    mistakes: int | None  # None of numbers, which are never right to the last digit
    updates: int
    norm: float
    total: int  # examples if all epochs are run


@dataclass(frozen=True)
class Callbacks:
    """Functions to call: after every epoch; whenever the number of examples has doubled, or a stretch of them is done."""

    epoch: Callable[[Any], None] | None = None  # with the outcome so far
    progress: Callable[[Progress], None] | None = None
    stretch: Callable[[], None] | None = None  # after every stretch: may raise KeyboardInterrupt, as Ctrl-C does
    checkpoints: Checkpoints | None = None  # of linear runs, to go on from
    run: Callable[..., Any] | None = None  # trains in place of this process: shards of the examples, side by side


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during training; `training` keeps what was learned until then."""

    def __init__(self, training: Any):
        super().__init__("interrupted")
        self.training = training


class Counts(NamedTuple):
    """What a run has counted so far."""

    mistakes: int
    updates: int
    moved: float  # Σ |Δ(w, b)|, where it is measured


@dataclass(frozen=True)
class Begin:
    """Where a run begins: in which epoch, at which place of it, and what had been counted before that epoch."""

    number: int = 1
    place: int = 0
    before: Counts | None = None


class EpochDriver(ABC, Generic[O]):
    """A run while it goes; `outcome` is what it will leave."""

    def __init__(self, examples: AnyExamples, rule: Rule, plan: Plan, outcome: O, callbacks: Callbacks | None = None):
        self.examples, self.rule, self.plan, self.outcome = examples, rule, plan, outcome
        self.callbacks = callbacks or Callbacks()
        self.first = Begin()
        self.counts_before = Counts(0, 0, 0.0)  # before the present epoch

    @abstractmethod
    def learn(self, row_numbers: np.ndarray | None, place: int, stop: int) -> int:
        """Learns from examples of this epoch, from `place` on and no further than `stop`; the place that it reached."""

    @abstractmethod
    def counts(self) -> Counts:
        """Of the whole run so far."""

    @abstractmethod
    def examples_seen(self) -> int:
        """In all, earlier runs that this one goes on from included."""

    @abstractmethod
    def norm(self) -> float:
        """|w|."""

    @abstractmethod
    def no_row_would_move(self) -> bool:
        """A look at all rows, after an epoch that may have missed some."""

    @abstractmethod
    def finish(self) -> O:
        """The outcome, complete."""

    def begin_epoch(self, number: int) -> None:
        """Before the epoch of this number, from 1."""

    def refuse_overflow(self) -> None:
        """After an epoch: raises where the weights have grown beyond all bounds."""

    def held_out_errors(self) -> tuple[float | None, float | None]:
        """Held-out error of the last and of the averaged weights."""
        return None, None

    def keep_best(self, number: int, held_out_error: float | None) -> None:
        """Remembers the weights with the lowest held-out error, or the best of the measure that the plan names."""

    def out_of_patience(self, number: int) -> bool:
        """Has the held-out measure not become better for too long?"""
        return False

    def pool(self) -> np.ndarray:
        """The rows that are learned from."""
        return self.examples.pool()

    def orders(self) -> Iterator[np.ndarray | None]:
        """The row numbers of each epoch, without end; None: all rows, as given."""
        if self.plan.order == "given" and self.examples.all_present:  # the loop needs no list of row numbers
            return repeat(None)
        ahead = order.AHEAD if self.plan.epochs > 1 else MOST_ROWS + 1  # of one epoch there is no next
        return order.epochs(self.plan.order, self.examples.pool(), self.plan.seed, ahead, self.plan.window)

    def length(self, row_numbers: np.ndarray | None) -> int:
        """How many examples an epoch of this order has."""
        return self.examples.rows.n if row_numbers is None else len(row_numbers)

    def go(self) -> O:
        """All epochs."""
        try:
            for number, row_numbers in enumerate(self.orders(), start=1):
                if number < self.first.number:
                    continue
                self.begin_epoch(number)
                self.epoch(row_numbers, number)
                if self.callbacks.epoch:
                    self.callbacks.epoch(self.outcome)
                if self.outcome.stopped_because:
                    break
        except KeyboardInterrupt:
            self.outcome.stopped_because = "interrupted"
            raise Interrupted(self.finish()) from None
        return self.finish()

    def epoch(self, row_numbers: np.ndarray | None, number: int) -> None:
        """One pass over the examples, and what is recorded of it."""
        n, first = self.length(row_numbers), self.first
        goes_on = number == first.number and first.before is not None
        self.counts_before = before = first.before if goes_on and first.before is not None else self.counts()
        self.pass_over(row_numbers, n, first.place if goes_on else 0)
        self.refuse_overflow()
        now = self.counts()
        last, averaged = self.held_out_errors()
        epoch = Epoch(
            examples=n,
            mistakes=now.mistakes - before.mistakes,
            updates=now.updates - before.updates,
            norm=self.norm(),
            moved=None if self.plan.tol is None else (now.moved - before.moved) / max(1, n),
            held_out_last=last,
            held_out_averaged=averaged,
        )
        self.outcome.history.append(epoch)
        self.keep_best(number, averaged if self.plan.average else last)
        self.decide_to_stop(epoch, number)

    def pass_over(self, row_numbers: np.ndarray | None, n: int, place: int = 0) -> None:
        """The examples from this place of the epoch on, a stretch at a time: Ctrl-C and progress come in between."""
        while place < n:
            place = self.learn(row_numbers, place, n)
            if self.callbacks.stretch:
                self.callbacks.stretch()
            if self.callbacks.checkpoints:
                self.callbacks.checkpoints.after_stretch(self, place)  # type: ignore[arg-type]
            if self.callbacks.progress:
                now = self.counts()
                total = n * self.plan.epochs
                mistakes = now.mistakes if isinstance(self.examples, Examples) else None
                self.callbacks.progress(Progress(self.examples_seen(), mistakes, now.updates, self.norm(), total))

    def decide_to_stop(self, epoch: Epoch, number: int) -> None:
        plan, outcome = self.plan, self.outcome
        # An epoch drawn with replacement may have missed rows that would still move the weights.
        if epoch.updates == 0 and not self.rule.moves_always and (plan.order != "replacement" or self.no_row_would_move()):
            outcome.stopped_because, outcome.converged = "an epoch without updates", True
        elif plan.tol is not None and epoch.moved is not None and epoch.moved < plan.tol:
            outcome.stopped_because, outcome.converged = "the average update fell below tol", True
        elif self.out_of_patience(number):
            worse = "error did not fall" if plan.metric == "error" else f"{plan.metric} did not get better"
            outcome.stopped_because = f"the held-out {worse} for {plan.patience} epochs"
        elif number >= plan.epochs:
            outcome.stopped_because = "one pass" if plan.epochs == 1 else f"all {plan.epochs} epochs"
