"""Every learner of the lectures in plain numpy, written from the slides and from DESIGN.md's "Meaning, fixed once".

Nothing here is taken from core.py: the bias is a column of ones, every weight vector of a run is kept, and the average
is the mean of them all. Arrays of Fractions (dtype object) go through the perceptron unrounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Learner:
    """tau(margin, norm2, rate), or with many classes and a rule that moves them all, their steps(scores, right)."""

    tau: Callable[[Any, Any, Any], Any]
    steps: Callable[[np.ndarray, int], np.ndarray] | None = None
    threshold: float | None = None  # where tau jumps
    rate: Any = 1
    schedule: str = "constant"
    l2: float = 0.0
    lands: bool = False  # on margin 1: no weight of an example carries a step past that
    r: Any = None  # of AROW, whose norm2 is x'Σx and which moves along Σx


def perceptron(rate=1, schedule="constant"):
    return Learner(lambda margin, norm2, rate: rate if margin <= 0 else 0, threshold=0, rate=rate, schedule=schedule)


def perceptron_with_strict_mistakes():
    """Boulder's `a y < 0`: a point on the plane is no mistake."""
    return Learner(lambda margin, norm2, rate: rate if margin < 0 else 0, threshold=0)


def mira(p=0.0):
    def tau(margin, norm2, _):
        return (1 - margin) / norm2 if margin < p or margin <= 0 else 0

    return Learner(tau, threshold=p, lands=True)


def pa1(C=1.0):
    return Learner(lambda margin, norm2, _: min(C, max(0, 1 - margin) / norm2), lands=True)


def pa2(C=1.0):
    return Learner(lambda margin, norm2, _: max(0, 1 - margin) / (norm2 + 1 / (2 * C)), lands=True)


def arow(r=1.0):
    """Crammer, Kulesza and Dredze (2009), figure 1, with the diagonal of Σ⁻¹ ← Σ⁻¹ + x x'/r."""
    return Learner(lambda margin, norm2, _: max(0, 1 - margin) / (norm2 + r), threshold=1, r=r)


def logistic(rate=1.0, schedule="constant", l2=0.0):
    def softmax_steps(scores, right):
        p = np.exp(scores - scores.max())
        return (np.arange(len(scores)) == right) - p / p.sum()

    return Learner(lambda m, _, rate: rate / (1 + math.exp(m)), softmax_steps, rate=rate, schedule=schedule, l2=l2)


def widrow_hoff(rate=0.1, schedule="stable"):
    """`stable`: a tenth of 1/|x|² of the largest row so far."""

    def steps_towards_one(scores, right):
        return np.where(np.arange(len(scores)) == right, 1.0, -1.0) - scores

    return Learner(lambda m, _, rate: rate * (1 - m), steps_towards_one, rate=rate, schedule=schedule)


@dataclass
class Run:
    """What a run leaves behind: `path[t]` are the weights after example t, the bias in the last column if there is one."""

    columns: int
    path: list[np.ndarray] = field(default_factory=list)
    margins: list[Any] = field(default_factory=list)
    precision: Any = None  # of AROW: the diagonal of Σ⁻¹ in the end, shaped as the weights
    updates: int = 0
    mistakes: int = 0
    zero_rows: int = 0
    closest: float = math.inf  # how near a margin or a rivalry came to a tie that rounding decides

    def split(self, W):
        return W[:, : self.columns], W[:, self.columns] if W.shape[1] > self.columns else np.zeros(len(W))

    @property
    def last(self):
        return self.split(self.path[-1])

    @property
    def averaged(self):
        """The mean of (w, b) after every example, naively."""
        return self.split(sum(self.path[1:], self.path[0]) / len(self.path))

    @property
    def largest(self):
        """The largest |w| and |b| on the way: what rounding errors are relative to."""
        return [abs(np.concatenate([np.ravel(self.split(W)[part]) for W in self.path])).max() for part in (0, 1)]


def learn(rule, X, y, order, *, vectors=1, bias=True, importance=None, start=None, regression=False, precision=None):
    """THE loop. `y` are class codes (0, 1 for two classes), or numbers to predict."""
    X = np.asarray(X) if np.asarray(X).dtype == object else np.asarray(X, dtype=float)
    n, d = X.shape
    if bias:  # the weight of a constant feature 1
        X = np.column_stack([X, np.ones(n, dtype=X.dtype)])
    W = np.zeros((vectors, X.shape[1]), dtype=X.dtype)
    if start is not None:
        W[:, :d] = start[0]
        if bias:
            W[:, d] = start[1]
    weight_of = np.ones(n, dtype=int) if importance is None else importance
    run = Run(d)
    largest = 0
    reach = abs(W)  # how large each weight has been
    alike = equal_vectors(W)  # which classes have always had the same weights
    if precision is None:  # the diagonal of Σ⁻¹ of every class, of which only AROW changes anything
        precision = 0 * W + 1
    for i in order:
        x, norm2 = X[i], X[i] @ X[i]
        spread = (x * x / precision).sum(axis=1)  # x'Σx of every class; where Σ is the identity, |x|²
        scores = np.array([w @ x for w in W])  # not W @ x, which may round equal rows differently
        largest = max(largest, weight_of[i] * norm2)
        counts = {"constant": 1, "1/updates": run.updates + 1, "1/examples": len(run.path) + 1, "stable": largest or 1}
        rate = rule.rate / counts[rule.schedule]

        if regression:
            margin, steps = None, np.array([weight_of[i] * rate * (y[i] - scores[0])])
        elif vectors == 1:
            sign = 1 if y[i] else -1
            margin = sign * scores[0]
            steps = np.array([sign * weighted(rule, margin, spread[0], rate, weight_of[i])])
        else:
            rival = best_other(scores, y[i])
            margin = scores[y[i]] - scores[rival]
            steps = np.zeros(vectors, dtype=X.dtype)
            if rule.steps:
                steps = weight_of[i] * rate * rule.steps(scores, y[i])
            else:
                tau = weighted(rule, margin, spread[y[i]] + spread[rival], rate, weight_of[i])
                steps[y[i]], steps[rival] = tau, -tau

        if margin is not None:
            run.mistakes += margin <= 0
            # Weights of AROW are means, which may cancel to 0, or be equal, but for rounding: then they are small beside
            # what they were, or once were not equal. Those of other rules are sums, the same in any arithmetic.
            reach, alike = np.maximum(reach, abs(W)), alike & equal_vectors(W)
            size = ((abs(W) if rule.r is None else reach) @ abs(x)).max()
            same = equal_vectors(W) if rule.r is None else alike
            run.closest = min(run.closest, closeness(rule, same, size, scores, y[i], margin))
        if norm2 == 0:  # a row of norm 0 never divides: its tau is 0 and it is counted
            run.zero_rows += 1
            steps = 0 * steps
        W = W.copy()
        if rule.l2:
            W[:, :d] *= 1 - rate * rule.l2
        W += steps[:, None] * (x / precision)
        if rule.r is not None:
            precision = precision + np.outer(steps != 0, x * x * weight_of[i]) / rule.r
        run.updates += bool(np.any(steps != 0))
        run.path.append(W)
        run.margins.append(margin)
        run.precision = precision
    return run


def learn_against_rest(rule, X, y, order, *, classes, **options):
    """Each class and all others as two classes, in the same order (Freund & Schapire): so many runs, side by side."""
    y, order = np.asarray(y), list(order)
    runs = [learn(rule, X, y == c, order, **options) for c in range(classes)]
    together = Run(runs[0].columns)
    together.path = [np.concatenate(weights) for weights in zip(*(run.path for run in runs), strict=True)]
    moved = [[(a != b).any() for a, b in zip([0 * run.path[0], *run.path], run.path, strict=False)] for run in runs]
    together.updates = sum(map(any, zip(*moved, strict=True)))
    together.margins = [min(margins) for margins in zip(*(run.margins for run in runs), strict=True)]
    together.closest = min(run.closest for run in runs)
    together.precision = np.concatenate([run.precision for run in runs])
    together.zero_rows = runs[0].zero_rows
    X = np.column_stack([X, np.ones(len(X))]) if options.get("bias", True) else np.asarray(X)
    reach = 0 * together.path[0]
    alike = equal_vectors(reach)
    for i, weights in zip(order, [0 * together.path[0], *together.path], strict=False):  # a mistake is one of all together
        scores = np.array([w @ X[i] for w in weights])
        rival = best_other(scores, y[i])
        margin = scores[y[i]] - scores[rival]
        reach, alike = np.maximum(reach, abs(weights)), alike & equal_vectors(weights)
        size = (reach @ abs(X[i])).max()
        # Steps that land on margin 1 come from each class's own score: classes that become equal are so but for rounding.
        same = alike if rule.lands or rule.r is not None else equal_vectors(weights)
        together.mistakes += margin <= 0
        if size and not same[y[i], rival]:
            together.closest = min(together.closest, abs(margin) / size)
    return together


def weighted(rule, margin, norm2, rate, weight):
    """The weight of an example scales its step, but not past margin 1 where the rule aims at that."""
    if norm2 == 0:
        return 0
    if rule.r is not None:  # so many examples at once: each adds 1/r to what is known
        return max(0, 1 - margin) / (norm2 + rule.r / weight)
    tau = weight * rule.tau(margin, norm2, rate)
    return min(tau, (1 - margin) / norm2) if rule.lands and tau and weight > 1 else tau


def best_other(scores, right):
    """The highest-scoring other class; max gives the first of equals."""
    return max((c for c in range(len(scores)) if c != right), key=lambda c: scores[c])


def equal_vectors(W):
    """Which pairs of classes have equal weights."""
    return (W[:, None] == W).all(axis=2)


def closeness(rule, same, size, scores, right, margin):
    """Distance, relative to this size, to the nearest tie that rounding decides; not of classes that are the `same`."""
    if size == 0:
        return math.inf
    gaps, rival = [], None
    if len(scores) > 1:
        rival = best_other(scores, right)
        others = [] if rule.steps else [c for c in range(len(scores)) if c not in (right, rival) and not same[c, rival]]
        gaps = [abs(scores[c] - scores[rival]) for c in others]
    if rival is None or not same[right, rival]:
        gaps += [abs(margin), abs(margin - (rule.threshold or 0))]
    return min(gaps, default=math.inf) / size


ORDER = 1  # the stream of random words from which the order comes


def permutations(n: int, seed: int) -> Iterator[list[int]]:
    """Fisher and Yates, over the raw words of PCG64, each scaled down to 0 … place by its high half."""
    bits, order = np.random.PCG64([ORDER, seed]), list(range(n))
    while True:
        for place, word in zip(range(n - 1, -1, -1), bits.random_raw(n).tolist(), strict=True):
            j = word * (place + 1) >> 64
            order[place], order[j] = order[j], order[place]
        yield order.copy()


def order_of_epochs(n: int, seed: int, epochs: int) -> list[int]:
    """The row numbers of so many shuffled epochs, one after the other."""
    return [i for order, _ in zip(permutations(n, seed), range(epochs), strict=False) for i in order]
