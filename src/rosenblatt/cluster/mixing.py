"""Iterative parameter mixing: every shard of the rows runs an epoch from the same weights, and then these are mixed.

    w = 0
    for epoch n = 1, 2, …
        for every shard i, side by side:  w_i = one epoch over shard i, from w
        w = Σ k_i w_i / Σ k_i                                            (McDonald, Hall and Mann, 2010, figure 3)

The k_i are all 1 ("uniform"), or how often the shard's epoch has moved its weights ("updates"). A perceptron that is mixed
so separates separable rows after a finite number of epochs (their theorem 3), which one mixing at the end does not promise.

**The average** is the mean over all examples that all shards saw, of the weights after each of them in its own shard. A sum
over examples is a sum over shards, so it needs no mean of means:

    Σ_n Σ_i Σ_t w_{i,n,t} / Σ_n Σ_i |shard i|

of which a shard gives R_i = Σ_t (w_{i,t} − w), as the loop has it (T w_i − u, less T w): whole numbers stay exact.

**AROW's variances** are mixed as precisions, to which evidence adds: 1/Σ = 1/Σ_before + Σ_i (1/Σ_i − 1/Σ_before). So every
example counts once, and so does what was known before the epoch.

The outcome is a function of (shards, seed, settings). Sums go over one tree, which the number of shards alone decides, so it
does not matter which process, or which machine, learns from which shard, in which order, or how often. The bias is one more
column, of ones, as everywhere. Rates that fall count on from the examples and the updates that a shard has had on average.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DivergenceError, SettingError
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import AnyExamples
from rosenblatt.learning.plan import MIXES, Plan
from rosenblatt.learning.training import overflow_message, run, zero_weights

SHARD_ORDER = 4  # what randomness is for, beside those of engine/order.py
DENSE_FROM = 0.5  # of the columns have moved: then all of them travel, without their numbers

Item = TypeVar("Item")


@dataclass(frozen=True)
class Start:
    """What every shard begins an epoch with."""

    epoch: int  # from 1
    w: np.ndarray  # vectors × columns; the last column is the bias
    sigma: np.ndarray | None  # of the same shape, where the rule is of second order
    largest: float  # |x|² times importance so far, where the rate depends on it
    examples: int = 0  # that a shard has seen on average
    updates: int = 0


@dataclass(frozen=True)
class Part:
    """What one shard, or several together, have to say about an epoch; `add` makes one of two.

    Of columns that did not move nothing is said: their weights are those that all began with.
    """

    columns: np.ndarray | None  # that have moved in some shard, in order; None: all are here
    shares: np.ndarray  # Σ k_i over the shards that moved a column
    weights: np.ndarray  # Σ k_i w_i over the same: vectors × columns
    sums: np.ndarray  # Σ R_i
    precisions: np.ndarray | None  # Σ (1/Σ_i − 1/Σ)
    k: int  # Σ k_i over all shards
    examples: int
    mistakes: int
    updates: int
    zero_rows: int
    moved: float  # Σ |Δ(w, b)|, where it is measured
    largest: float
    still: bool  # would no row of these shards move the weights that all began with?

    def of_columns(self, columns: np.ndarray | None, d: int) -> Part:
        """This part for more columns: nothing is said of those that are new."""
        if self.columns is None or (columns is not None and len(columns) == len(self.columns)):
            return self
        places = self.columns if columns is None else np.searchsorted(columns, self.columns)
        width = d if columns is None else len(columns)

        def spread(array: np.ndarray) -> np.ndarray:
            wide = np.zeros((*array.shape[:-1], width))
            wide[..., places] = array
            return wide

        spreads: dict[str, Any] = {name: spread(getattr(self, name)) for name in SUMMED if getattr(self, name) is not None}
        return replace(self, columns=columns, **spreads)


SUMMED = ("shares", "weights", "sums", "precisions")
COUNTED = ("k", "examples", "mistakes", "updates", "zero_rows", "moved")


@dataclass(frozen=True)
class MixSettings:
    """What decides, beside the shards, what is learned."""

    rule: rules.Rule
    plan: Plan
    shards: int
    mix: str = "uniform"

    def __post_init__(self) -> None:
        if self.mix not in MIXES:
            raise SettingError(f"mix is {self.mix!r}: choose one of {', '.join(MIXES)}.")
        if self.shards < 1:
            raise SettingError(f"shards is {self.shards}: expected 1 or more.")
        if self.plan.keep_log:
            raise SettingError(
                "A mean of weights is no sum of steps that a log could hold: train without workers, or without keep_log "
                "(--keep-log)."
            )

    def of_shard(self, shard: int, epoch: int) -> Plan:
        """One epoch over a shard, in an order of its own; the order "once" is the same in every epoch."""
        words = np.random.SeedSequence([SHARD_ORDER, self.plan.seed, shard, 0 if self.plan.order == "once" else epoch])
        seed = int(words.generate_state(1, np.uint64)[0])
        return replace(self.plan, epochs=1, seed=seed, patience=None, metric="error")


def learn_shard(
    examples: AnyExamples, settings: MixSettings, start: Start, shard: int, callbacks: Callbacks | None = None
) -> Part:
    """What a shard makes of the weights that all begin with: one epoch of THE loop, under THE driver."""
    weights = zero_weights(examples, settings.rule, settings.plan.fit_intercept)
    weights.start_from(start.w[:, :-1], start.w[:, -1])
    if start.sigma is not None and weights.sigma is not None:
        weights.sigma[...], weights.bias_sigma[...] = start.sigma[:, :-1], start.sigma[:, -1]
    weights.t = weights.settled = start.examples
    weights.updates, weights.largest = start.updates, start.largest
    try:
        trained = run(examples, settings.rule, settings.of_shard(shard, start.epoch), weights, callbacks=callbacks)
    except DivergenceError:
        raise DivergenceError(overflow_message(settings.rule, f"epoch {start.epoch}, in shard {shard}")) from None
    (epoch,) = trained.history
    w = np.column_stack(weights.last)
    sums = np.column_stack([weights.sum(), weights.bias_sum()])
    sums -= epoch.examples * start.w
    precisions = None
    if weights.sigma is not None and start.sigma is not None:
        precisions = 1 / np.column_stack([weights.sigma, weights.bias_sigma]) - 1 / start.sigma
    has_moved = (w != start.w).any(axis=0)
    # A mean of one is that one, to the bit: no product and no quotient.
    k = epoch.updates if settings.mix == "updates" and settings.shards > 1 else 1
    w *= k
    whole = Part(
        None, np.where(has_moved, float(k), 0.0), np.where(has_moved, w, 0.0), sums, precisions, k, epoch.examples,
        epoch.mistakes, epoch.updates, trained.zero_rows, (epoch.moved or 0.0) * epoch.examples, weights.largest,
        trained.converged,
    )  # fmt: skip
    of_interest = has_moved | (sums != 0).any(axis=0)  # back where it was, a weight still counts in the average
    if precisions is not None:
        of_interest |= (precisions != 0).any(axis=0)
    columns = np.flatnonzero(of_interest)
    if len(columns) >= DENSE_FROM * len(of_interest):
        return whole
    some: dict[str, Any] = {name: array[..., columns] for name in SUMMED if (array := getattr(whole, name)) is not None}
    return replace(whole, columns=columns, **some)


def add(a: Part, b: Part, d: int) -> Part:
    """Two parts as one; d is the number of columns, the bias among them."""
    columns = None
    if a.columns is not None and b.columns is not None:
        columns = np.union1d(a.columns, b.columns)
        if len(columns) >= DENSE_FROM * d:
            columns = None
    a, b = a.of_columns(columns, d), b.of_columns(columns, d)
    sums = {name: getattr(a, name) + getattr(b, name) for name in SUMMED if getattr(a, name) is not None}
    counts = {name: getattr(a, name) + getattr(b, name) for name in COUNTED}
    return replace(a, **sums, **counts, largest=max(a.largest, b.largest), still=a.still and b.still)


def mixed_into(weights: Weights, start: Start, part: Part) -> None:
    """Moves weights that are where `start` is to the mixture, with the sums for their average."""
    part, d = part.of_columns(None, start.w.shape[1]), start.w.shape[1]
    w = start.w
    if part.k:
        w = np.where(part.shares > 0, (part.weights + (part.k - part.shares) * w) / part.k, w)
    total = np.empty((weights.vectors, d))
    total[:, :-1] = 0 if weights.total is None else weights.total
    total[:, -1] = weights.bias_total
    total += part.examples * start.w
    total += part.sums
    weights.start_from(w[:, :-1], w[:, -1])
    weights.total, weights.bias_total = np.ascontiguousarray(total[:, :-1]), total[:, -1].copy()
    if part.precisions is not None and start.sigma is not None and weights.sigma is not None:
        sigma = 1 / (1 / start.sigma + part.precisions)
        weights.sigma[...], weights.bias_sigma[...] = sigma[:, :-1], sigma[:, -1]
    weights.t += part.examples
    weights.settled, weights.largest = weights.t, part.largest
    weights.updates += part.updates


def start_of(weights: Weights, epoch: int, shards: int) -> Start:
    """What the shards begin an epoch with: these weights."""
    sigma = None if weights.sigma is None else np.column_stack([weights.sigma, weights.bias_sigma])
    counts = weights.t // shards, weights.updates // shards
    return Start(epoch, np.column_stack(weights.last), sigma, weights.largest, *counts)


def tree(first: int, last: int) -> int:
    """Where the tree over shards `first` to `last` − 1 parts: the left side is the largest power of two that leaves some.

    >>> tree(0, 8), tree(0, 5), tree(4, 7)
    (4, 4, 6)
    """
    return first + (1 << (last - first - 1).bit_length() - 1)


def reduced(first: int, last: int, leaf: Callable[[int], Item], join: Callable[[Item, Item], Item]) -> Item:
    """What the tree makes of shards `first` to `last` − 1.

    >>> reduced(0, 5, str, lambda a, b: f"({a} {b})")
    '(((0 1) (2 3)) 4)'
    """
    if last - first == 1:
        return leaf(first)
    middle = tree(first, last)
    left = reduced(first, middle, leaf, join)
    return join(left, reduced(middle, last, leaf, join))


class TreeSum:
    """The tree's sum of parts that come in any order: two neighbours become one as soon as both are there."""

    def __init__(self, shards: int, d: int):
        self.shards, self.d = shards, d
        self.parts: dict[tuple[int, int], Part] = {}
        self.above: dict[tuple[int, int], tuple[int, int]] = {}
        if shards > 1:
            self._part(0, shards)

    def _part(self, first: int, last: int) -> None:
        middle = tree(first, last)
        for side in ((first, middle), (middle, last)):
            self.above[side] = first, last
            if side[1] - side[0] > 1:
                self._part(*side)

    def put(self, shard: int, part: Part) -> None:
        """The part of one more shard."""
        place = shard, shard + 1
        self.parts[place] = part
        while place in self.above:
            first, last = self.above[place]
            middle = tree(first, last)
            if (first, middle) not in self.parts or (middle, last) not in self.parts:
                return
            place = first, last
            self.parts[place] = add(self.parts.pop((first, middle)), self.parts.pop((middle, last)), self.d)

    def whole(self) -> Part:
        """The part of all shards."""
        return self.parts[0, self.shards]
