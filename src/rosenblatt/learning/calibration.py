"""From scores to probabilities: a map fitted on rows that the weights did not see.

Two classes have one map, of the score to the probability of the second class, which never falls as the score rises. Of more,
every class has one against the rest, of its score less the best other's, and they are divided by their sum.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.data.splits import stratified_folds
from rosenblatt.engine import rules
from rosenblatt.errors import LabelError, counted
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.measures import METRICS, ScoredRows
from rosenblatt.learning.scoring import Scorer, decide, probabilities

FOLDS = 5  # of scores that are out of fold
LEAST_ROWS = 5  # of every class: fewer say nothing about a probability, and every fold is to have one
ISOTONIC_ROWS, ISOTONIC_RAREST = 1000, 50  # rows in all, and of the rarest class: from here on steps may fit better
NEWTON_STEPS = 100
GRADIENT = 1e-9  # per row, at which Newton's method ends
LEAST_STEP = 1e-10
ALMOST_0 = 1e-12  # on the diagonal, so that the Hessian can be inverted; and of probabilities, so that they have a logarithm


class ProbabilityMap(ABC):
    """A map of a score to a probability, which never falls."""

    @abstractmethod
    def __call__(self, scores: np.ndarray) -> np.ndarray:
        """The probabilities of these scores."""


@dataclass(frozen=True)
class Sigmoid(ProbabilityMap):
    """P = σ(slope · score + offset), slope ≥ 0 (Platt, 1999)."""

    slope: float
    offset: float

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-(self.slope * scores + self.offset))))


@dataclass(frozen=True)
class Steps(ProbabilityMap):
    """Probabilities at some scores, straight lines between them, and the same beyond the ends."""

    knots: np.ndarray
    values: np.ndarray

    def __call__(self, scores: np.ndarray) -> np.ndarray:
        return np.asarray(np.interp(scores, self.knots, self.values))


def smoothed_targets(positive: np.ndarray) -> np.ndarray:
    """(N₊ + 1)/(N₊ + 2) for positive rows and 1/(N₋ + 2) for the others: Platt's targets, so that nothing is certain.

    >>> smoothed_targets(np.array([True, True, False]))
    array([0.75      , 0.75      , 0.33333333])
    """
    positives = int(positive.sum())
    return np.where(positive, (positives + 1) / (positives + 2), 1 / (len(positive) - positives + 2))


def fit_sigmoid(scores: np.ndarray, positive: np.ndarray) -> Sigmoid:
    """The sigmoid of the highest likelihood under Platt's targets, by Newton's method with a halved step.

    min −Σ t log p + (1 − t) log(1 − p),  p = σ(slope s + offset)

    Lin, Lin and Weng (2007), A note on Platt's probabilistic outputs for support vector machines, Machine Learning 68.
    Where higher scores were less often positive, the slope is 0: the probability never falls.

    >>> sigmoid = fit_sigmoid(np.array([-1.0, 1.0]), np.array([False, True]))  # targets 1/3 and 2/3: σ(±log 2)
    >>> round(sigmoid.slope, 6), abs(round(sigmoid.offset, 6))
    (0.693147, 0.0)
    """
    targets = smoothed_targets(positive)
    scale = float(np.abs(scores).max(initial=0.0)) or 1.0  # what is fitted does not depend on the unit of the scores
    s = scores / scale
    share = targets.mean()
    slope, offset = 0.0, float(np.log(share / (1 - share)))  # the best of those with slope 0

    def objective(slope: float, offset: float) -> float:
        z = slope * s + offset
        return float((np.logaddexp(0, z) - targets * z).mean())

    value = objective(slope, offset)
    for _ in range(NEWTON_STEPS):
        p = Sigmoid(slope, offset)(s)
        d, curvature = p - targets, p * (1 - p)
        g = np.array([(d * s).mean(), d.mean()])
        if np.abs(g).max() < GRADIENT:
            break
        mixed = (curvature * s).mean()
        hessian = np.array([[(curvature * s * s).mean() + ALMOST_0, mixed], [mixed, curvature.mean() + ALMOST_0]])
        step = -np.linalg.solve(hessian, g)
        length = 1.0
        while length >= LEAST_STEP:
            tried = objective(slope + length * step[0], offset + length * step[1])
            if tried < value + 1e-4 * length * float(g @ step):
                break
            length /= 2
        else:
            break  # no step makes it better: this is it, up to rounding
        slope, offset, value = slope + length * float(step[0]), offset + length * float(step[1]), tried
    if slope < 0 or not np.isfinite(slope / scale):
        return Sigmoid(0.0, float(np.log(share / (1 - share))))
    return Sigmoid(slope / scale, offset)


def fit_steps(scores: np.ndarray, positive: np.ndarray) -> Steps:
    """The rising probabilities nearest to Platt's targets, by pooling adjacent violators.

    Where a mean is lower than the one before it, the two are pooled (Ayer et al., 1955; Zadrozny and Elkan, 2002).

    >>> fit_steps(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, True]))
    Steps(knots=array([1., 2., 3., 4.]), values=array([0.25, 0.5 , 0.5 , 0.75]))
    """
    knots, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    means = np.bincount(place, smoothed_targets(positive)) / counts
    # Neighbours with equal means are one pool from the start: of a rare class that leaves few.
    starts = np.flatnonzero(np.append(True, np.diff(means) != 0))
    sizes = np.diff(np.append(starts, len(knots)))
    pools: list[tuple[float, int, int]] = []  # mean, rows, knots
    runs = zip(means[starts].tolist(), np.add.reduceat(counts, starts).tolist(), sizes.tolist(), strict=True)
    for mean, rows, size in runs:
        while pools and pools[-1][0] >= mean:
            before, more, wide = pools.pop()
            mean, rows, size = (before * more + mean * rows) / (more + rows), more + rows, size + wide
        pools.append((mean, rows, size))
    values = np.repeat([mean for mean, _, _ in pools], [size for _, _, size in pools])
    ends = np.ones(len(knots), dtype=bool)  # within a pool only its ends matter
    ends[1:-1] = (values[1:-1] != values[:-2]) | (values[1:-1] != values[2:])
    return Steps(knots[ends], values[ends])


@dataclass(frozen=True)
class Calibration:
    """The maps of a model's scores to probabilities, and what they were fitted on."""

    maps: tuple[Sigmoid, ...] | tuple[Steps, ...]  # one for two classes, else one a class
    view: str  # the weights whose scores these are
    rows: int
    source: str  # which rows they were

    @classmethod
    def fit(cls, scores: np.ndarray, codes: np.ndarray, classes: np.ndarray, view: str, source: str) -> Calibration:
        """Of rows that the weights did not see: sigmoids, or steps where there are many rows."""
        refuse_too_few(codes, classes, source)
        return cls(fit_maps(scores, codes), view, len(codes), source)

    @property
    def method(self) -> str:
        return "sigmoid" if isinstance(self.maps[0], Sigmoid) else "isotonic"

    @property
    def how(self) -> str:
        """The method in words."""
        return "a sigmoid" if self.method == "sigmoid" else "steps (isotonic)"

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """P(class | score), a column a class; they sum to 1."""
        return apply_maps(self.maps, scores)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """What a model file holds of it: facts and arrays."""
        facts = {"method": self.method, "view": self.view, "rows": self.rows, "source": self.source}
        sigmoids = [one for one in self.maps if isinstance(one, Sigmoid)]
        if sigmoids:
            slopes, offsets = zip(*((one.slope, one.offset) for one in sigmoids), strict=True)
            return facts, {"slopes": np.array(slopes), "offsets": np.array(offsets)}
        steps = [one for one in self.maps if isinstance(one, Steps)]
        ends = np.cumsum([len(one.knots) for one in steps], dtype=np.int64)
        knots, values = (np.concatenate([getattr(one, name) for one in steps]) for name in ("knots", "values"))
        return facts, {"knots": knots, "values": values, "ends": ends}

    @classmethod
    def from_arrays(cls, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> Calibration:
        """The reverse, of facts and arrays that were verified."""
        maps: Any
        if facts["method"] == "sigmoid":
            maps = tuple(map(Sigmoid, arrays["slopes"].tolist(), arrays["offsets"].tolist()))
        else:
            parts = (np.split(arrays[name], arrays["ends"][:-1]) for name in ("knots", "values"))
            maps = tuple(map(Steps, *parts))
        return cls(maps, facts["view"], facts["rows"], facts["source"])


def refuse_too_few(codes: np.ndarray, classes: np.ndarray, source: str) -> None:
    """Refuses rows of which some class has next to none."""
    rows_of = np.bincount(codes, minlength=len(classes))
    rarest, others = int(rows_of.argmin()), int((rows_of < LEAST_ROWS).sum()) - 1
    if rows_of[rarest] < LEAST_ROWS:
        few = f", and fewer than {LEAST_ROWS} of {counted(others, 'other class')}" if others else ""
        raise LabelError(
            f"Probabilities need at least {LEAST_ROWS} rows of every class, and of {classes[rarest]} there "
            f"{'is' if rows_of[rarest] == 1 else 'are'} {counted(int(rows_of[rarest]), 'row')} among the {source}{few}: "
            "take more rows."
        )


Fit = Callable[[np.ndarray, np.ndarray], ProbabilityMap]


def fit_maps(scores: np.ndarray, codes: np.ndarray, fit: Fit | None = None) -> Any:
    """A map for two classes, else one a class against the rest; by the method that suits the rows where none is named."""
    fit = fit or better_fit(scores, codes)
    if scores.ndim == 1:
        return (fit(scores, codes == 1),)
    leads = lead_over_others(scores)
    return tuple(fit(leads[:, k], codes == k) for k in range(scores.shape[1]))


def better_fit(scores: np.ndarray, codes: np.ndarray) -> Fit:
    """Steps where there are many rows, unless the log loss of sigmoids, on rows held out in turn, is clearly lower."""
    counts = np.bincount(codes, minlength=2 if scores.ndim == 1 else scores.shape[1])
    if len(codes) < ISOTONIC_ROWS or int(counts.min()) < ISOTONIC_RAREST:
        return fit_sigmoid
    of_truth = (cross_fitted(scores, codes, fit)[np.arange(len(codes)), codes] for fit in (fit_sigmoid, fit_steps))
    sigmoids, steps = (np.log(np.maximum(probabilities, ALMOST_0)) for probabilities in of_truth)
    gains = sigmoids - steps
    return fit_sigmoid if gains.mean() > gains.std() / np.sqrt(len(codes)) else fit_steps


def apply_maps(maps: Any, scores: np.ndarray) -> np.ndarray:
    """The probabilities of the classes, divided by their sum where there are more than two."""
    if scores.ndim == 1:
        second = maps[0](scores)
        return np.stack([1 - second, second], axis=1)
    leads = lead_over_others(scores)
    each = np.stack([one(leads[:, k]) for k, one in enumerate(maps)], axis=1)
    sums = each.sum(axis=1, keepdims=True)
    return np.where(sums > 0, each, 1.0) / np.where(sums > 0, sums, float(len(maps)))


def cross_fitted(scores: np.ndarray, codes: np.ndarray, fit: Fit | None = None) -> np.ndarray:
    """Probabilities of rows, each by maps that were fitted on the other rows: what can be measured on the same rows."""
    fit = fit or better_fit(scores, codes)
    folds = stratified_folds(codes, min(FOLDS, len(codes)), seed=0)
    probabilities = np.empty((len(codes), 2 if scores.ndim == 1 else scores.shape[1]))
    for fold in np.unique(folds):
        held_out = folds == fold
        maps = fit_maps(scores[~held_out], codes[~held_out], fit)
        probabilities[held_out] = apply_maps(maps, scores[held_out])
    return probabilities


def out_of_fold_scores(
    examples: Examples, model: Scorer, train: Callable[[Examples], Scorer], seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """(scores, class codes) of the rows, each scored by weights that have not seen it, in the unit of the model's scores.

    `train` learns from examples of which a fifth is absent. How long weights are means nothing to a perceptron, and fewer
    rows make shorter ones: the scores of each fold are stretched until those of the rows that its weights have learned from
    are, in the middle, as large as the model's.
    """
    pool = examples.pool()
    codes = examples.codes[pool]
    refuse_too_few(codes, examples.classes, "rows of training")
    folds = stratified_folds(codes, FOLDS, seed)
    usual = usual_size(model.scores(examples.rows)[pool])
    scores = np.empty((len(pool), *(() if examples.vectors == 1 else (examples.vectors,))))
    for fold in range(FOLDS):
        importance = np.ones(examples.rows.n) if examples.importance is None else examples.importance.copy()
        importance[pool[folds == fold]] = 0
        of_fold = train(replace(examples, importance=importance)).scores(examples.rows)[pool]
        size = usual_size(of_fold[folds != fold])
        scores[folds == fold] = of_fold[folds == fold] * (usual / size if size and usual else 1.0)
    return scores, codes


def usual_size(scores: np.ndarray) -> float:
    """The median of |score| or, with many classes, of |lead|."""
    return float(np.median(np.abs(scores if scores.ndim == 1 else lead_over_others(scores))))


def lead_over_others(scores: np.ndarray) -> np.ndarray:
    """The score of each class less that of the best other.

    >>> lead_over_others(np.array([[1.0, 4.0, 2.0]]))
    array([[-3.,  2., -2.]])
    """
    two_best = np.partition(scores, -2, axis=1)[:, -2:]
    best_other = np.where(scores == two_best[:, 1:], two_best[:, :1], two_best[:, 1:])
    return np.asarray(scores - best_other)


def held_out_loss(metric_name: str, scores: np.ndarray, examples: Examples, rule: rules.Rule) -> float:
    """A measure of scored rows, the smaller the better; probabilities are those of the rule, or fitted to other rows."""
    metric, codes, known = METRICS[metric_name], examples.codes, None
    if metric.wants_probabilities(len(examples.classes)):
        known = probabilities(scores) if isinstance(rule, rules.Logistic) else cross_fitted(scores, codes)
    return metric.loss(ScoredRows(codes, scores, decide(scores), known))
