"""Training of linear models: the engine's loop under the epoch driver, with stopping on held-out rows and the log."""

from __future__ import annotations

import math
from abc import abstractmethod
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from rosenblatt.data import markup
from rosenblatt.engine import rules
from rosenblatt.engine.compiled import core
from rosenblatt.engine.packed_loop import PackedLoop
from rosenblatt.engine.packed_rows import PackedRows
from rosenblatt.engine.parameters import keywords_of, refuse_unknown
from rosenblatt.engine.weights import SETTLE_EVERY, CellSums, Weights, columns_that_move
from rosenblatt.errors import DivergenceError, SettingError
from rosenblatt.learning.driver import Begin, Callbacks, Counts, EpochDriver, Outcome
from rosenblatt.learning.examples import AnyExamples, Examples, RegressionExamples, for_classes
from rosenblatt.learning.log import Log, Memory, Recorder
from rosenblatt.learning.origin import Origin, StepSum
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import Model, decide, example_margins, margins_against_rest, mean_loss

# Between chunks come Ctrl-C, progress and callbacks. Chunks end at multiples of this many examples.
CHUNK = 2**16


@dataclass
class Training(Outcome):
    """A run: its weights, what happened, and why it ended."""

    weights: Weights
    classes: np.ndarray | None
    log: Log | None = None
    best: Model | None = None
    best_error: float = np.inf
    best_epoch: int = 0
    origin: Origin | None = None  # None without a log
    steps: StepSum = field(default_factory=StepSum)
    against_rest: bool = False  # did each of more than two classes learn against the rest?
    shards: int = 1  # whose weights were mixed
    _views: dict[str, Model] = field(default_factory=dict, repr=False)

    @property
    def updates(self) -> int:
        return self.weights.updates

    def view(self, name: str) -> Model:
        """The model with the last, the averaged or the best weights; the best are those of the lowest held-out error."""
        if name == "best":
            if self.best is None:
                raise SettingError(
                    "There are no best weights without held-out data: train with held_out=(X, y), or early_stopping=True."
                )
            return self.best
        if name not in self._views:
            self._views[name] = model_of(self.weights, self.classes, name)
        return self._views[name]

    def memory(self) -> Memory:
        """The log with a copy of the rows that it refers to: what votes, influences and replays need."""
        origin = self.origin
        if self.log is None or origin is None:
            raise SettingError("This run kept no log: train with keep_log=True.")
        examples, weights = origin.examples, self.weights
        if not origin.has_dual or isinstance(examples, RegressionExamples):
            against = " against the rest" if origin.plan.multiclass == "rest" else ""
            raise SettingError(
                f"The updates of {origin.rule.name}{against} are no sum of rows that a log could hold: take a "
                "mistake-driven rule that adds rows, such as rules.Perceptron(), with multiclass='rival'."
            )
        memory = Memory.of(
            self.log, examples.rows, examples.codes, examples.vectors, weights.t, origin.start, weights.fit_intercept
        )
        memory.settle_every = weights.settle_every
        return memory

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        facts = {"updates": self.weights.updates, "ended by": self.stopped_because or "nothing yet"}
        if self.best is not None:
            facts |= {"best held-out error": self.best_error, "in epoch": self.best_epoch}
        return markup.facts("Training", facts) + self.history._repr_html_()


def overflow_message(rule: rules.Rule, place: str) -> str:
    """That weights have grown beyond all bounds in this epoch, and what to do about it."""
    remedy = "choose a smaller eta0, or scale the features first" if hasattr(rule, "rate") else "scale the features first"
    return f"The weights overflowed in {place}: {remedy}. The weights before that epoch are kept."


def model_of(weights: Weights, classes: np.ndarray | None, name: str) -> Model:
    """A copy of the last or the averaged weights as they are now."""
    if name not in ("last", "averaged"):
        raise SettingError(f"There is no view {name!r}: choose 'last', 'averaged' or 'best'.")
    coef, intercept = weights.last if name == "last" else weights.averaged
    coef.flags.writeable = intercept.flags.writeable = False  # who writes there would change predictions, but not training
    return Model(classes, coef, intercept)


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
    examples: AnyExamples,
    rule: rules.Rule,
    plan: Plan,
    weights: Weights | None = None,
    held_out: AnyExamples | None = None,
    callbacks: Callbacks | None = None,
) -> Training:
    """Trains on checked examples, from 0 or onwards from `weights`, which are moved in place."""
    if callbacks is not None and callbacks.run is not None:
        return callbacks.run(examples, rule, plan, held_out, callbacks)  # type: ignore[no-any-return]
    if weights is None:
        weights = zero_weights(examples, rule, plan.fit_intercept)
    if plan.patience is not None and held_out is None:
        raise SettingError("Stopping on the held-out error needs held-out data.")
    try:
        return LinearRun(examples, rule, plan, weights, held_out, callbacks).go()
    finally:
        weights.past = None


def zero_weights(examples: AnyExamples, rule: rules.Rule, fit_intercept: bool, settle_every: int = SETTLE_EVERY) -> Weights:
    """The weights that training with this rule begins with."""
    sparse = not examples.rows.dense
    return Weights(examples.vectors, examples.rows.d, fit_intercept, sparse, settle_every, rule.second_order)


class MeasuredRun(EpochDriver[Training]):
    """A run of linear weights, whoever moves them: after every epoch they are measured on held-out rows."""

    def __init__(
        self,
        examples: AnyExamples,
        rule: rules.Rule,
        plan: Plan,
        weights: Weights,
        held_out: AnyExamples | None = None,
        callbacks: Callbacks | None = None,
    ):
        if plan.multiclass == "rest":
            rule.refuse_rest()
        classes = examples.classes if isinstance(examples, Examples) else None
        against_rest = plan.multiclass == "rest" and examples.vectors > 1
        super().__init__(examples, rule, plan, Training(weights, classes, against_rest=against_rest), callbacks)
        self.weights, self.held_out = weights, held_out
        self.number = 1  # of the epoch
        self.still2 = 0.0  # Σ w² over the columns that do not move
        self._held_out_scores: dict[str, np.ndarray] = {}  # of the present epoch, by view
        self.best_loss = math.inf  # by the measure that patience watches
        self.earlier = Counts(0, 0, 0.0)  # what a run that this one goes on from had counted
        self.earlier_steps = (0, 0, 0.0, math.inf)  # rows of zeros, and what StepSum holds
        self.set_up()
        if self.callbacks.checkpoints:
            self.callbacks.checkpoints.begin(self)

    @abstractmethod
    def set_up(self) -> None:
        """What moves the weights, made ready."""

    def checksums(self) -> list[int]:
        """Of the examples, and of those held out: what tells whether they have changed."""
        return [part.checksum() for part in (self.examples, self.held_out) if part is not None]

    def go_on(self, begin: Begin, counts: Counts, steps: tuple[int, int, float, float]) -> None:
        """Begins where another run was, with its weights, which are in place, and with what it had counted."""
        self.first, self.earlier, self.earlier_steps = begin, counts, steps

    @abstractmethod
    def steps(self) -> tuple[int, int, float, float]:
        """Mistakes on rows of zeros, and what StepSum holds, of the whole run."""

    def examples_seen(self) -> int:
        return self.weights.t

    def begin_epoch(self, number: int) -> None:
        self.outcome._views.clear()  # those that a callback has looked at are of the epoch before
        self.number = number

    def held_out_errors(self) -> tuple[float | None, float | None]:
        if self.held_out is None:
            return None, None
        models = {name: self.model(name) for name in ("last", "averaged")}
        self._held_out_scores = {name: model.scores(self.held_out.rows) for name, model in models.items()}
        last, averaged = (
            mean_loss(scores, self.held_out, decide, self.held_out.importance) for scores in self._held_out_scores.values()
        )
        if isinstance(self.held_out, Examples):
            predicted = decide(self._held_out_scores[self.watched])
            self.outcome.held_out_predicted.append(np.bincount(predicted, minlength=len(self.held_out.classes)))
        return last, averaged

    @property
    def watched(self) -> str:
        """Whose held-out measure decides about stopping."""
        return "averaged" if self.plan.average else "last"

    def model(self, name: str) -> Model:
        return model_of(self.weights, self.outcome.classes, name)

    def keep_best(self, number: int, held_out_error: float | None) -> None:
        if held_out_error is None:
            return
        loss = held_out_error if self.plan.metric == "error" else self.watched_loss()
        if loss < self.best_loss:
            self.best_loss = loss
            self.outcome.best = self.model(self.watched)
            self.outcome.best_error, self.outcome.best_epoch = held_out_error, number

    def watched_loss(self) -> float:
        """The held-out measure of the plan, the smaller the better."""
        from rosenblatt.learning.calibration import held_out_loss

        assert isinstance(self.held_out, Examples)
        return held_out_loss(self.plan.metric, self._held_out_scores[self.watched], self.held_out, self.rule)

    def out_of_patience(self, number: int) -> bool:
        return self.plan.patience is not None and number - self.outcome.best_epoch >= self.plan.patience


class LinearRun(MeasuredRun):
    """Linear training while it goes; a walk drives its `learn` example by example."""

    def set_up(self) -> None:
        examples, plan, weights = self.examples, self.plan, self.weights
        if plan.keep_log:
            self.outcome.origin = Origin(examples, self.rule, plan, self.first_weights(weights), self.held_out)
        self.recorder = Recorder(min(CHUNK, examples.rows.n)) if plan.keep_log else None
        self.columns = columns_that_move(examples.rows, examples.vectors) if weights.sparse else None  # None: all
        before = weights.remember(self.columns)
        self.loop = self.make_loop()
        if self.columns is not None and before.cells is not None and weights.norm2 != 0:
            whole = weights.norm2_of_all() if weights.norm2 is None else weights.norm2
            self.still2 = max(0.0, whole - before.sums.norm2)
        self._norm2: tuple[Any, float] = (None, 0.0)  # the counts when it was computed, and |w|² before scaling then
        self._moving: CellSums | None = None
        self._scores: np.ndarray | None = None  # room for those of every row

    def make_loop(self) -> Any:
        """The loop over the examples, from where the weights are."""
        examples = self.examples
        codes, targets = (examples.codes, None) if isinstance(examples, Examples) else (None, examples.targets)
        kind: Any = PackedLoop if isinstance(examples.rows, PackedRows) else core.Loop
        return kind(
            examples.rows,
            self.weights,
            self.rule.formula(),
            (codes, targets, examples.importance),
            log=self.recorder and self.recorder.buffers,
            measure=self.plan.tol is not None,
            against_rest=self.outcome.against_rest,
        )

    def go_on(self, begin: Begin, counts: Counts, steps: tuple[int, int, float, float]) -> None:
        super().go_on(begin, counts, steps)
        self.loop = self.make_loop()

    def steps(self) -> tuple[int, int, float, float]:
        zeros, count, total, least = self.earlier_steps
        loop = self.loop
        return zeros + loop.zero_rows, count + loop.steps, total + loop.tau_sum, min(least, loop.least_tau)

    def first_weights(self, weights: Weights) -> Weights | None:
        """A copy of the weights that the log begins with; None: 0."""
        return None if weights.untouched() else weights.copy()

    def counts(self) -> Counts:
        return Counts(self.earlier.mistakes + self.loop.mistakes, self.loop.updates, self.earlier.moved + self.loop.moved)

    def norm(self) -> float:
        """|w|, from the columns that move."""
        return self.weights.scale * math.sqrt(self.norm2())

    def norm2(self) -> float:
        """|w|² before scaling, computed once for each state of the weights."""
        now = self.weights.t, self.weights.updates
        if self._norm2[0] != now:
            moving = self.moving_sums()
            self._norm2 = now, self.weights.norm2_of_all() if moving is None else self.still2 + moving.norm2
        return self._norm2[1]

    def moving_sums(self) -> CellSums | None:
        """Over the columns that move, added up once between two stretches of examples; None: those of dense rows."""
        if self.weights.sparse and self._moving is None:
            self._moving = self.weights.sums_of(self.columns)
        return self._moving

    def learn(self, row_numbers: np.ndarray | None, place: int, stop: int) -> int:
        """The loop over at most a chunk of examples."""
        t, every, self._moving = self.weights.t, self.weights.settle_every, None
        stop = min(stop, place + CHUNK - t % CHUNK, place + every - t % every)
        if self.callbacks.progress:  # also stop where the number of examples has doubled
            stop = min(stop, place + (1 << t.bit_length()) - t)
        try:
            with nullcontext() if core.COMPILED else np.errstate(all="ignore"):  # of what `fault` tells
                reached: int = self.loop.run(row_numbers, place, stop)
        finally:  # Ctrl-C is raised as the loop returns: what it has learned is counted and logged all the same
            self.weights.copy_counts(self.loop)
            if self.recorder:
                self.recorder.record(self.loop.logged)
        if self.loop.fault == core.SETTLE or (self.weights.t % every == 0 and reached > place):
            self.weights.settle()
            self.loop.resume(self.weights)
            self._moving = None
            if self.columns is not None and (moving := self.moving_sums()) is not None:
                self.still2 = max(0.0, self.weights.norm2_of_all() - moving.norm2)
                self._norm2 = None, 0.0
        elif self.loop.fault:
            raise self.fault(reached if row_numbers is None else int(row_numbers[reached]))
        return reached

    def score(self, row: int) -> np.ndarray:
        """w·x + b of a row by the present weights, in the loop's own arithmetic: one number, or one a class."""
        vectors = self.examples.vectors
        if self._scores is None:
            self._scores = np.empty(self.examples.rows.n * vectors)
        self.loop.score_rows(self._scores, row, row + 1)
        return self._scores[row * vectors : (row + 1) * vectors].copy()

    def fault(self, row: int) -> Exception:
        """Why the loop could not learn from this row."""
        _, x = self.examples.rows.row(row)
        innocent = np.isfinite(x).all() and float(np.abs(x).max(initial=0)) < 1e100  # which no float32 can hold
        if self.loop.fault == core.NOT_FINITE and innocent:
            return self.divergence()
        return self.examples.rows.blame(row)

    def refuse_overflow(self) -> None:
        if self.weights.overflowed(self.norm()):
            raise self.divergence()

    def divergence(self) -> DivergenceError:
        self.go_back_an_epoch()
        self.outcome.stopped_because = "the weights overflowed"
        return DivergenceError(overflow_message(self.rule, f"epoch {self.number}"), self.complete())

    def go_back_an_epoch(self) -> None:
        """The weights before the present epoch, by learning the others again: no run that ends well pays for copies."""
        self._moving = None
        self.weights.go_back()
        again = LinearRun(self.examples, self.rule, replace(self.plan, keep_log=False), self.weights)
        for row_numbers in islice(self.orders(), self.number - 1):
            again.pass_over(row_numbers, self.examples.rows.n if row_numbers is None else len(row_numbers))

    def finish(self) -> Training:
        if self.weights.sums_overflowed(self.moving_sums()):
            raise self.divergence()
        return self.complete()

    def complete(self) -> Training:
        """The outcome, with its counts and its log."""
        self.outcome._views.clear()
        self.weights.norm2 = None if self.columns is None else self.norm2()
        self._moving = None
        self.outcome.zero_rows, count, total, least = self.steps()
        self.outcome.steps = StepSum(count, total, least)
        if self.recorder:
            self.outcome.log = self.recorder.log().until(self.weights.t)
        return self.outcome

    def no_row_would_move(self) -> bool:
        assert isinstance(self.examples, Examples)  # rules of a regression move at every example
        rule, pool = self.rule.formula(), self.pool()
        model = self.model("last")
        if self.outcome.against_rest:
            margins = margins_against_rest(model, self.examples)[pool]
        else:
            margins = example_margins(model, self.examples)[pool]
        moving = pool[[rule.moves(margin) for margin in margins.tolist()]]
        if self.weights.fit_intercept:
            return len(moving) == 0
        # Without a bias a row of zeros stays a mistake that nothing can mend.
        return not any(self.examples.rows.row(int(i))[1].any() for i in moving)
