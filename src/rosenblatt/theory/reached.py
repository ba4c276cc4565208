"""What a run without mistakes at its end says about the data, for the cost of scoring them once.

Weights that separate the examples with margin γ prove that the best margin γ* is at least γ, so that R²/γ² bounds the
updates of every run, this one and all others. And the updates that this run took bound γ* from above: N ≤ R²/γ*² gives
γ* ≤ R/√N, and the perceptron's own weights give more, since N γ* ≤ θ·θ* ≤ |θ|.

>>> from rosenblatt.examples import for_classes
>>> from rosenblatt.training import Plan, run
>>> examples = for_classes([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1])
>>> found = reached(run(examples, rules.Perceptron(), Plan(order="given")), examples, rules.Perceptron())
>>> found["separated"], round(found["margin"], 4), round(found["best_margin_at_most"], 4)
(True, 0.6063, 0.6872)
"""

from __future__ import annotations

import math
from typing import Any

from rosenblatt import rules
from rosenblatt.examples import Examples
from rosenblatt.theory.bounds import Bound, Space, bound_for
from rosenblatt.theory.margins import radius
from rosenblatt.theory.proof import flat, unit_separator
from rosenblatt.training import Training


def reached(trained: Training, examples: Examples, rule: rules.Rule) -> dict[str, Any] | None:
    """The margin that a run from weights 0 has reached, the bound that follows, and how good it is at least.

    None where the last epoch still made mistakes.
    """
    if examples.classes is None or trained.history[-1].mistakes:
        return None
    coef, intercept = trained.weights.last
    bias = trained.weights.fit_intercept
    if not coef.any() and not intercept.any():
        return None
    _, gamma = unit_separator(examples, bias, (coef, intercept))
    R = radius(examples.rows, bias)
    if not gamma > 0:  # moved by the last examples, onto others
        return {"separated": False, "margin": gamma, "radius": R}
    bound = bound_for(rule, Space(R, gamma, len(examples.classes), weighted=examples.importance is not None))
    found: dict[str, Any] = {"separated": True, "margin": gamma, "radius": R, "bound": None, "why_no_bound": None}
    if not isinstance(bound, Bound):
        return found | {"why_no_bound": bound.because, "best_margin_at_most": None, "share_at_least": None}
    count = trained.weights.updates if bound.counts == "updates" else int(trained.history["mistakes"].sum())
    most = gamma * math.sqrt(bound.most / max(1, count))  # every bound here is some number / γ²
    if isinstance(rule, rules.Perceptron):
        theta = flat(coef, intercept, bias)
        most = min(most, math.sqrt(float(theta @ theta)) / (rule.rate * count))
    found["bound"] = {"count": count, "counts": bound.counts, "at_most": bound.most, "formula": bound.formula}
    return found | {"best_margin_at_most": most, "share_at_least": gamma / most}
