"""What a run has reached: its margin beside γ*, the best there is, and its updates beside what theory allows.

The margin is that of the weights that predict, the least z·θ / |θ|, θ = (w, b): in the space in which the bias is a
feature, and in the features that the rule sees, scaled if they are. With more than two classes it is the right class's
score less the best other's, and θ the weights of all classes. Weights with margin γ > 0 prove that γ* is at least γ; the
run itself proves how much it is at most (duality.py); a certificate tells what it is, or that there is none.

>>> from rosenblatt.learning.examples import for_classes
>>> from rosenblatt.learning.plan import Plan
>>> from rosenblatt.learning.training import run
>>> examples = for_classes([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1])
>>> trained = run(examples, rules.Perceptron(), Plan(order="given", keep_log=True))
>>> report = margin_report(FinishedRun.of(trained))
>>> print(report)  # what the run proves by itself
γ = 0.60634: the last weights separate all rows; 88.23 % to 100 % of the best, γ*, which is at most 0.68719
>>> print(report.against(certify(examples.rows, examples.codes)))
γ = 0.60634: the last weights separate all rows; 88.39 % of γ* = 0.68599, the best
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.data import markup
from rosenblatt.engine import rules
from rosenblatt.engine.weights import Weights, weights_norm
from rosenblatt.features.precision import PrecisionLoss
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.scoring import Model, margins_and_rivals, score, scores_in_blocks
from rosenblatt.learning.training import Training
from rosenblatt.theory import rounding
from rosenblatt.theory.bounds import Bound, NoBound, ProblemGeometry, bound_for, rounded_down, rounded_up
from rosenblatt.theory.certificate import Certificate
from rosenblatt.theory.duality import best_margin_at_most
from rosenblatt.theory.separability import certify, certify_within
from rosenblatt.theory.signed import SignedExamples

LIMITS_TOLERANCE = 1e-6  # relative difference up to which two limits of γ* are one number
SHARE = 1 / 50  # of training's own multiplications that go into a certificate nobody asked for


@dataclass(frozen=True)
class FinishedRun:
    """A run, as theory looks at it; `start` are its first weights, None where they are 0."""

    trained: Training
    examples: Examples
    rule: rules.Rule
    start: Weights | None = None

    @classmethod
    def of(cls, trained: Training) -> FinishedRun:
        """Of a run with its log."""
        assert trained.origin is not None
        examples = trained.origin.examples
        assert isinstance(examples, Examples)
        return cls(trained, examples, trained.origin.rule, trained.origin.start)

    @property
    def bias(self) -> bool:
        """Is the constant feature there? A first bias that does not learn needs it, too."""
        return self.trained.weights.fit_intercept or bool(self.trained.weights.bias.any())

    @property
    def is_combination(self) -> bool:
        """Has the run only added signed rows, each with a tau of 0 or more that is in the sum?"""
        steps, updates = self.trained.steps, self.trained.weights.updates
        return steps.count == updates > 0 and steps.least >= 0 and steps.total > 0 and not self.rule.shrinks

    def moved(self) -> np.ndarray:
        """θ − θ₀ as one vector."""
        first = 0.0 if self.start is None else weights_in_one(self.start)
        return weights_in_one(self.trained.weights) - first

    def multiplications(self, examples: Examples) -> float:
        """How many training needed to score its examples."""
        seen = self.trained.weights.t - (0 if self.start is None else self.start.t)
        return float(seen * examples.rows.entries / examples.rows.n * examples.vectors)


def weights_in_one(weights: Weights) -> np.ndarray:
    """The last weights of all classes, then their biases."""
    w, b = weights.last
    return np.append(w.ravel(), b)


@dataclass(frozen=True)
class Theorem:
    """What the theorem about a rule asks for, and what it counts."""

    rule: rules.Rule
    geometry: ProblemGeometry
    updates: int
    mistakes: int

    def bound(self, radius: float, margin: float | None) -> Bound | NoBound:
        return bound_for(self.rule, replace(self.geometry, radius=radius, margin=margin))

    def count(self, bound: Bound) -> int:
        return self.updates if bound.counts == "updates" else self.mistakes


@dataclass(frozen=True)
class MarginReport:
    """The margin of some weights on the rows that they were learned from, and what is known of γ*, the best."""

    view: str  # whose margin: the last, the averaged, the best weights
    margin: float  # 0 where all weights are 0
    wrong: int  # rows whose margin is not above 0
    rows: int
    own_radius: float | None = None  # R; None where it was not measured
    least: float | None = None  # γ* is at least this: some weights of the run have this margin
    most: float = math.inf  # γ* is at most this, if there is one
    theorem: Theorem | None = None
    certificate: Certificate | None = None

    def against(self, certificate: Certificate | None) -> MarginReport:
        """This report with what a certificate of the same rows tells."""
        return self if certificate is None else replace(self, certificate=certificate)

    @property
    def radius(self) -> float | None:
        """R, the longest row, the constant feature counted; None where nobody has measured it."""
        return self.own_radius if self.certificate is None else self.certificate.radius

    @property
    def separable(self) -> bool | None:
        """Can some plane separate the rows? None: not known."""
        if self.least is not None:
            return True
        return None if self.certificate is None else self.certificate.separable

    @property
    def grain(self) -> PrecisionLoss | None:
        """At which grain of the numbers no plane separates the rows, where that is not known of the table itself."""
        return None if self.certificate is None or self.separable is not False else self.certificate.grain

    @property
    def best_at_least(self) -> float | None:
        """The largest margin that is known to be possible."""
        known = [self.least, self.certificate and self.certificate.margin]
        return max((margin for margin in known if margin), default=None)

    @property
    def best_at_most(self) -> float | None:
        """No margin is larger than this; None where no plane separates the rows, and where nothing is known."""
        if self.separable is False:
            return None
        other = None if self.certificate is None else self.certificate.margin_at_most
        most = self.most if other is None else min(self.most, other)
        return None if math.isinf(most) else max(most, self.best_at_least or 0.0)

    @property
    def best(self) -> float | None:
        """γ*, where it is known to six digits."""
        low, high = self.best_at_least, self.best_at_most
        return low if low is not None and high is not None and high - low <= LIMITS_TOLERANCE * high else None

    @property
    def settled(self) -> bool:
        """Is γ* known, or that there is none?"""
        return self.best is not None or self.separable is False

    @property
    def share(self) -> tuple[float, float] | None:
        """Between which numbers the margin lies as a share of γ*; the same twice where that is known.

        None where γ* is not known to be above 0. Below 0 where rows are on the wrong side.
        """
        low, high = self.best_at_least, self.best_at_most
        if low is None or high is None:
            return None
        if self.best is not None:
            low = high = self.best
        ends = self.margin / low, self.margin / high
        return min(ends), max(ends)

    @property
    def bound(self) -> Bound | NoBound:
        """The theorem about the run with the largest margin that is known, or why there is none."""
        if self.theorem is None:
            return NoBound("nothing is known of the run")
        if self.separable is False:
            assert self.certificate is not None
            return NoBound(self.certificate.obstacle)
        return self.theorem.bound(self.radius or 0.0, self.best_at_least)

    def brief(self) -> str:
        """The margin beside γ*, or that there is no γ*."""
        whose = "the weights of the best epoch" if self.view == "best" else f"the {self.view} weights"
        gamma = f"{self.margin + 0.0:.5g}"  # of which -0 is 0
        if not self.wrong:
            return f"γ = {gamma}: {whose} separate all rows{self._quality()}"
        verb = "is" if self.wrong == 1 else "are"
        side = f"{self.wrong:,} of {self.rows:,} rows {verb} not on the right side of {whose}"
        return f"γ = {gamma}: {side}{self._beyond()}"

    def sentence(self, first: int = 0) -> str:
        """The margin beside γ*, or why there is no γ*; rows are counted from `first`."""
        if self.separable is not False or self.certificate is None:
            return self.brief()
        why = self.certificate.sentence(first)
        return f"{self.brief()}. {why[0].upper()}{why[1:]}."

    def _quality(self) -> str:
        if self.share is None:  # so small that it is 0 in floats
            return ""
        if self.best is not None:
            return f"; {100 * self.share[0]:.2f} % of γ* = {self.best:.5g}, the best"
        low, high = rounded_down(100 * self.share[0], 4), rounded_up(100 * self.share[1], 4)
        return f"; {low} % to {high} % of the best, γ*, which is at most {rounded_up(self.best_at_most or 0.0)}"

    def _beyond(self) -> str:
        if self.separable is False:
            return ", and there is no γ*" if self.grain is None else f", and {self.grain.taken} there is no γ*"
        if self.separable is None:
            most = (
                ""
                if self.best_at_most is None
                else f": if one does, γ*, the best, is at most {rounded_up(self.best_at_most)}"
            )
            return f"; whether a line separates the rows is undecided{most}"
        if self.best is not None:
            return f"; γ* = {self.best:.5g}, the best, has all rows on the right side"
        low, high = rounded_down(self.best_at_least or 0.0), rounded_up(self.best_at_most or 0.0)
        return f"; γ*, the best, is {low} to {high}, with all rows on the right side"

    def __str__(self) -> str:
        return self.sentence()

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        bound = self.bound
        facts = {
            "weights": self.view,
            "margin γ": self.margin,
            "rows not on the right side": self.wrong,
            "radius R": self.radius,
            "γ* at least": self.best_at_least,
            "γ* at most": self.best_at_most,
            "theorem": str(bound),
            "in words": self.sentence(),
        }
        return markup.facts("Margin", {name: value for name, value in facts.items() if value is not None})

    def to_dict(self, first: int = 0) -> dict[str, object]:
        """What `--json` prints; rows are counted from `first`."""
        low, high = self.share or (None, None)
        bound, counted = self.bound, None
        if isinstance(bound, Bound) and self.theorem is not None:
            count = self.theorem.count(bound)
            counted = {"count": count, "counts": bound.counts, "at_most": bound.most, "formula": bound.formula}
        return {
            "view": self.view,
            "margin": self.margin,
            "separated": not self.wrong,
            "wrong": self.wrong,
            "radius": self.radius,
            "separable": self.separable if self.grain is None else None,
            "grain": None if self.grain is None else self.grain.taken,
            "best_margin": self.best,
            "best_margin_at_least": self.best_at_least,
            "best_margin_at_most": self.best_at_most,
            "share": low if low == high else None,
            "share_at_least": low,
            "share_at_most": high,
            "bound": counted,
            "why_no_bound": bound.because if isinstance(bound, NoBound) else None,
            "sentence": self.sentence(first),
        }


def margin_report(run: FinishedRun, chosen: tuple[str, Model] | None = None) -> MarginReport:
    """What a run has reached with the chosen weights (the last), by name, on the rows that it learned from.

    A certificate is looked for as far as a fiftieth of training's own multiplications goes: for few rows after many epochs.
    No clock is asked, so the same run gives the same report on every machine.
    """
    trained, examples = run.trained, present(run.examples)
    rows = examples.rows
    view, model = chosen or ("last", trained.view("last"))
    signed = SignedExamples(examples, run.bias)
    report = measure_margin(view, model, signed)
    mistakes = [epoch.mistakes for epoch in trained.history]
    if view != "last" and mistakes[-1:] == [0]:
        last = measure_margin("last", trained.view("last"), signed)
        report = replace(report, least=max(filter(None, (report.least, last.least)), default=None))
    allowance = SHARE * run.multiplications(examples)
    if report.least is not None or rows.entries <= allowance:  # R is another pass over the rows
        most = best_margin_at_most(run, signed)
        report = replace(report, own_radius=signed.radius, most=most)
        allowance -= rows.entries
    begins, weighted = run.start is None, examples.importance is not None
    mixed = trained.shards > 1
    geometry = ProblemGeometry(0.0, None, max(2, examples.vectors), begins, weighted, trained.against_rest, mixed)
    report = replace(report, theorem=Theorem(run.rule, geometry, trained.weights.updates, sum(mistakes)))
    if examples is not run.examples:  # a certificate would number the rows that are present
        return report
    return report.against(certify_within(signed, allowance)) if 2 * rows.entries <= allowance else report


def certified_margin(model: Classifier, examples: Examples, seconds: float | None = None) -> MarginReport:
    """The margin of a classifier's weights on examples (those of `model.examples(data)`), with a certificate of these rows.

    `seconds` is a budget for the certificate; without one it takes as long as it takes.

    >>> from rosenblatt import learn, read
    >>> iris = read("iris")
    >>> model = learn(iris)
    >>> certified_margin(model, model.examples(iris)[0]).separable
    False
    """
    fit_intercept, view = model.recipe.fit_intercept, model.linear_view()
    report = measure_margin(view, model.linear(view), SignedExamples(examples, fit_intercept))
    return report.against(certify(examples.rows, model.classes[examples.codes], fit_intercept, seconds=seconds))


def present(examples: Examples) -> Examples:
    """The examples without those of weight 0, which count as absent."""
    pool = examples.pool()
    return examples if len(pool) == examples.rows.n else examples.take(pool)


def measure_margin(view: str, model: Model, signed: SignedExamples) -> MarginReport:
    """The margin of these weights: above 0 only if every row is on the right side for certain, whatever was rounded."""
    coef, intercept, examples = model.coef, model.intercept, signed.examples
    rows, size = examples.rows.n, weights_norm(coef, intercept)
    if not size:
        return MarginReport(view, 0.0, rows, rows)
    wrong, least = 0, math.inf
    for part, scores in scores_in_blocks(model, examples.rows):
        margins, _ = margins_and_rivals(scores, examples.codes[part])
        wrong, least = wrong + int((margins <= 0).sum()), min(least, float(margins.min()))
    if wrong:
        return MarginReport(view, least / size, wrong, rows)
    if not rounding.separates(signed, coef, intercept):
        margins, _ = margins_and_rivals(score(examples.rows, coef, intercept), examples.codes)
        unsure = int((margins <= signed.errors(coef, intercept)).sum())
        return MarginReport(view, 0.0, unsure, rows)
    margin = rounding.certain_margin(signed, coef, intercept)
    return MarginReport(view, margin, 0, rows, signed.radius, margin, signed.radius)
