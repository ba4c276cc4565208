"""A training run step by step, forwards and back.

The run is made twice, both times by the engine: once at full speed, with its log, which tells where it moved and where it
ended; then again as far as someone looks, one example at a time. So a step shows what training did, to the last bit.

>>> points, signs = [[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1]
>>> lecture = walk(points, signs, start=[1, 0], order="given", epochs=1)
>>> [step.activation for step in lecture]
[1.0, 0.5, -2.5, -0.5]
>>> lecture[1].mistake, lecture[1].coef, lecture[1].intercept
(True, array([[0.5, 1. ]]), array([-1.]))
>>> lecture[0].coef  # and back again
array([[1., 0.]])
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import cached_property
from typing import Any, overload

import numpy as np

from rosenblatt.data import markup
from rosenblatt.engine import order, rules
from rosenblatt.engine.parameters import keywords_of, refuse_unknown
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import SettingError
from rosenblatt.learning import training
from rosenblatt.learning.examples import Examples, as_numbers, for_classes
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import margins_and_rivals
from rosenblatt.learning.training import LinearRun, Training, zero_weights

EVERY = ("example", "update")
KEPT_BYTES = 2**27  # weights kept to go back to
MOST_KEPT = 64
SHOWN_IN_NOTEBOOK, SHOWN_WEIGHTS = 50, 8  # steps, and weights of each


@dataclass(frozen=True)
class Step:
    """What one example did.

    `coef` and `intercept` are the weights after it: one row for two classes, else one a class. `coef` is None where a reader
    of many steps did not ask for it; `new`, the weights that it moved, is always there.
    """

    t: int  # examples seen, this one included
    epoch: int
    row: int  # its place in the data, from 0
    label: object
    code: int  # its class: 0 or 1, of more classes their number
    scores: np.ndarray  # before it: w·x + b, one number for two classes, else one a class
    margin: float
    rival: object  # the best other class; None with two
    tau: float | None  # 0 where nothing moved; None where every class moves by a step of its own
    moved: bool
    margin_after: float  # against the same rival
    updates: int  # so far, this one included
    columns: np.ndarray  # where x is not 0, if it moved anything
    new: np.ndarray  # the weights of these columns after it: vectors × columns
    coef: np.ndarray | None
    intercept: np.ndarray

    @property
    def activation(self) -> float:
        """w·x + b before the step; with more classes, the right one's."""
        return float(self.scores[0 if len(self.scores) == 1 else self.code])

    @property
    def mistake(self) -> bool:
        """In training a margin of 0 is one."""
        return self.margin <= 0

    @property
    def y(self) -> object:
        """+1 or −1; with more than two classes the label."""
        return self.label if len(self.scores) > 1 else 2 * self.code - 1


def walk(
    X: Any,
    y: Any,
    rule: rules.Rule | None = None,
    *,
    start: Any = None,
    start_bias: Any = 0.0,
    every: str = "example",
    **plan: Any,
) -> Walk:
    """The run of a rule over rows X with labels y, step by step; other keywords are those of `Plan`: order, seed, epochs …

    `start` are the first weights (one a column; with more than two classes a row a class), `start_bias` the first bias.
    `every="update"` leaves out the examples that moved nothing.

    >>> points, signs = [[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1]
    >>> run = walk(points, signs, start=[1, 0], order="given", fit_intercept=False, every="update")
    >>> len(run), run[-1].coef, run.training.stopped_because
    (5, array([[1.5, 1. ]]), 'an epoch without updates')
    """
    refuse_unknown("walk", plan, ["rule", "start", "start_bias", "every", *keywords_of(Plan)])
    return Walk(for_classes(X, y), rules.rule_or_default(rule), Plan(**plan), (start, start_bias), every)


class Walk(Sequence[Step]):
    """The steps of a run, by number from 0; `training` is the run itself."""

    def __init__(
        self, examples: Examples, rule: rules.Rule, plan: Plan, start: tuple[Any, Any] = (None, 0.0), every: str = "example"
    ):
        if every not in EVERY:
            raise SettingError(f"every is {every!r}: expected 'example' or 'update'.")
        self.examples, self.rule, self.every = examples, rule, every
        self.plan = changed(plan, keep_log=True)
        self.start = first_weights(zero_weights(examples, rule, self.plan.fit_intercept), *start)
        self.training: Training = training.run(examples, rule, self.plan, self.start.copy())
        self._replay = Replay(examples, rule, self.plan, self.start)
        # Where every class moves at every example there is no log, and every example is an update.
        self._only_logged = every == "update" and not (rule.moves_always and examples.vectors > 1)

    @property
    def adds_rows(self) -> bool:
        """Does it move at mistakes only, by tau y x of one row, as the proof has it?"""
        against_rest = self.plan.multiclass == "rest" and self.examples.vectors > 1
        return not (self.rule.moves_always or self.rule.second_order or against_rest)

    @property
    def has_bias(self) -> bool:
        return self.plan.fit_intercept or bool(self.start.bias.any())

    @cached_property
    def from_zero(self) -> bool:
        """Does the run start at w = 0, b = 0?"""
        return not self.start.w.any() and not self.start.bias.any()

    def __len__(self) -> int:
        assert self.training.log is not None
        return len(self.training.log) if self._only_logged else self.training.weights.t

    @overload
    def __getitem__(self, k: int) -> Step: ...
    @overload
    def __getitem__(self, k: slice) -> list[Step]: ...
    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            places = range(len(self))[k]
            return [self.step(place) for place in places]
        if not -len(self) <= k < len(self):
            raise IndexError(f"There is no step {k}: the walk has {len(self)}.")
        return self.step(k % len(self))

    def __iter__(self) -> Iterator[Step]:
        return self.steps()

    def __str__(self) -> str:
        """The table that `rosenblatt walk` prints."""
        from rosenblatt.theory.walk_lines import walk_lines

        return "\n".join(walk_lines(self))

    def _repr_html_(self) -> str:
        """How a notebook shows it: the first steps, a line each, in the numbers of the lecture."""
        head = ["example", "epoch", "row", "label", "activation", "margin", "τ", "w", "b"]
        lines = [
            [
                *(step.t, step.epoch, step.row, step.label, step.activation, step.margin, step.tau),
                *(rounded(weights) for weights in (step.coef, step.intercept)),
            ]
            for step in self.steps(0, SHOWN_IN_NOTEBOOK)
        ]
        more = len(self) - len(lines)
        ended = f"{len(self):,} steps, ended by {self.training.stopped_because}" + (f"; {more:,} more" if more else "")
        return markup.table(f"Walk: {ended}", head, lines)

    def steps(self, first: int = 0, stop: int | None = None, weights: bool = True) -> Iterator[Step]:
        """Steps first … stop − 1, one after the other; without `weights` a step costs no more than its row."""
        for k in range(first, len(self) if stop is None else min(stop, len(self))):
            yield self.step(k, weights)

    def step(self, k: int, weights: bool = True) -> Step:
        """The k-th line."""
        assert self.training.log is not None
        return self._replay.step(int(self.training.log.t[k]) if self._only_logged else k, weights)

    def find(self, t: int) -> int:
        """The number of the first line at or after example t, t counted from 1."""
        assert self.training.log is not None
        return int(np.searchsorted(self.training.log.t, t - 1)) if self._only_logged else min(t - 1, len(self))

    def weights_after(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """(w, b) after t examples; t = 0 are the first weights."""
        if not 0 <= t <= self.training.weights.t:
            raise IndexError(f"There are no weights after {t} examples: the run has {self.training.weights.t}.")
        self._replay.go_to(t)
        return self._replay.run.weights.last


def rounded(weights: np.ndarray | None) -> str:
    """The first weights, all vectors one after the other, in six digits.

    >>> rounded(np.array([[0.5, 1.0]]))
    '0.5, 1'
    """
    numbers = [] if weights is None else np.ravel(weights)[: SHOWN_WEIGHTS + 1].tolist()
    return ", ".join(f"{number:.6g}" for number in numbers[:SHOWN_WEIGHTS]) + (", …" if len(numbers) > SHOWN_WEIGHTS else "")


class Replay:
    """The run again: forwards by the engine's own loop, back by starting over from weights kept on the way."""

    def __init__(self, examples: Examples, rule: rules.Rule, plan: Plan, start: Weights):
        self.examples, self.rule, self.plan = examples, rule, plan
        self.pool = examples.pool()
        self.n = len(self.pool)
        self.in_all_epochs = plan.order in ("given", "once")  # the same order
        self.orders: list[np.ndarray] = []
        self.drawn = order.epochs(plan.order, self.pool, plan.seed)
        self.kept = {0: start.copy()}
        self.room = max(2, min(MOST_KEPT, KEPT_BYTES // max(1, start.cells.nbytes)))
        self.seen = -1, 1.0  # after how many examples, at which scale, the last copy of the weights was made
        self.last = (np.empty(0), np.empty(0))
        self.begin(0)

    def begin(self, t: int) -> None:
        """Goes back to weights that were kept."""
        self.run = LinearRun(self.examples, self.rule, self.plan, self.kept[t].copy())

    def order_of(self, epoch: int) -> np.ndarray:
        """The rows in the order of this epoch, from 0."""
        epoch = 0 if self.in_all_epochs else epoch
        while len(self.orders) <= epoch:
            self.orders.append(next(self.drawn).copy())
        return self.orders[epoch]

    def go_to(self, t: int) -> None:
        """Runs the loop until t examples have been seen."""
        if t < self.run.weights.t:
            self.begin(max(kept for kept in self.kept if kept <= t))
        while self.run.weights.t < t:
            now = self.run.weights.t
            epoch, place = divmod(now, self.n)
            if place == 0:
                self.keep(now)
            self.run.learn(self.order_of(epoch), place, min(self.n, place + t - now))
            assert self.run.recorder is not None
            self.run.recorder.chunks.clear()  # the whole log is there already

    def keep(self, t: int) -> None:
        if t not in self.kept:
            self.kept[t] = self.run.weights.copy()
        if len(self.kept) > self.room:  # every other one
            self.kept = {t: weights for k, (t, weights) in enumerate(sorted(self.kept.items())) if k % 2 == 0}

    def weights(self, place: int, moved: bool) -> tuple[np.ndarray, np.ndarray]:
        """(w, b) after the example; where it moved nothing, the arrays of the step before."""
        seen, scale = self.seen
        if moved or seen != place or scale != self.run.weights.scale:
            self.last = self.run.weights.last
        self.seen = place + 1, self.run.weights.scale
        return self.last

    def step(self, place: int, weights: bool) -> Step:
        """The example after `place` others."""
        self.go_to(place)
        examples, loop = self.examples, self.run.loop
        assert self.run.recorder is not None
        row, updates = int(self.order_of(place // self.n)[place % self.n]), loop.updates
        code, before = int(examples.codes[row]), self.run.score(row)
        margins, rivals = margins_and_rivals(
            before if examples.vectors == 1 else before[None], examples.codes[row : row + 1]
        )
        rival = None if examples.vectors == 1 else int(rivals[0])
        self.go_to(place + 1)
        loop = self.run.loop
        moved = loop.updates > updates
        after = self.run.score(row) if moved else before
        tau: float | None = 0.0
        if moved:
            one_tau = loop.logged and not (self.run.plan.multiclass == "rest" and examples.vectors > 1)
            tau = float(self.run.recorder.buffers[3][0]) if one_tau else None
        columns = np.empty(0, int)
        if moved:
            columns, x = examples.rows.row(row)
            columns = columns[x != 0]
        w, b = self.weights(place, moved) if weights else (None, self.run.weights.bias.copy())
        return Step(
            t=place + 1,
            epoch=place // self.n + 1,
            row=row,
            label=examples.classes[code].item(),
            code=code,
            scores=before,
            margin=float(margins[0]),
            rival=None if rival is None else examples.classes[rival].item(),
            tau=tau,
            moved=moved,
            margin_after=margin_against(after, code, rival),
            updates=loop.updates,
            columns=columns,
            coef=w,
            intercept=b,
            new=self.run.weights.scale * self.run.weights.w[:, columns],
        )


def margin_against(scores: np.ndarray, code: int, rival: int | None) -> float:
    """The margin over this rival, whoever is the best other by now; None: of two classes, y (w·x + b)."""
    return float(scores[0] * (2 * code - 1) if rival is None else scores[code] - scores[rival])


def first_weights(weights: Weights, start: Any, bias: Any) -> Weights:
    """Weights of 0 as those to begin with: as they are, or those given."""
    d, vectors = weights.d, weights.vectors
    w = np.zeros(d) if start is None else as_numbers("start", start)
    b = as_numbers("start_bias", bias).reshape(-1)
    if w.shape not in ((d,), (vectors, d)):
        of_classes = f", or a row of them for each of {vectors} classes" if vectors > 1 else ""
        raise SettingError(f"start has shape {w.shape}: expected {d} numbers, one a column{of_classes}.")
    if b.shape not in ((1,), (vectors,)):
        raise SettingError(f"start_bias has shape {b.shape}: expected one number{' a class' if vectors > 1 else ''}.")
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        raise SettingError("start and start_bias must be finite numbers.")
    weights.start_from(w, b)
    return weights
