"""How large the best margin γ* can be at most: any weights λ ≥ 0 on the signed rows z tell, those of a training run too.

Let θ* be a unit vector with θ*·z ≥ γ* for every signed row z = y (x, 1). Then, for any λ ≥ 0 that are not all 0,

    γ* Σ λ  ≤  Σ λ (θ*·z)  =  θ*·(Σ λ z)  ≤  |Σ λ z|      so   γ* ≤ |Σ λ z| / Σ λ

(weak duality; the last step is Cauchy and Schwarz's). The best λ, the multipliers of the maximum-margin program, give γ*
itself: the distance between the origin and the hull of the z. The log of a run holds such λ for nothing: from weights θ₀
it ends at θ = θ₀ + Σ tau z, so γ* ≤ |θ − θ₀| / Σ tau wherever no tau is below 0. Falling rates and sample weights are in
tau. With more than two classes z is that of Kesler's construction (signed.py), and θ the weights of all classes.

In the example of margin_report.py three updates end at |θ|² = 4.25, so γ* ≤ 2.0616 / 3 = 0.6872; γ* is 0.6860.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.theory.signed import ROUNDING, SignedExamples, row_blocks

if TYPE_CHECKING:
    from rosenblatt.theory.margin_report import FinishedRun


def best_margin_at_most(run: FinishedRun, signed: SignedExamples) -> float:
    """What a run proves of γ*, or else what the mean of all signed rows does; no more than the longest of them.

    The run of a rule that shrinks w or takes rows back (tau < 0: Widrow-Hoff), or that moves every class by a step of its
    own, is no combination with known λ ≥ 0. Then all λ are 1, and γ* is at most the length of the mean.
    """
    longest = math.sqrt(float(signed.norms2.max()) * (1 if signed.vectors == 1 else 2))
    if run.is_combination and signed.bias == run.trained.weights.fit_intercept:
        steps = run.trained.steps
        return margin_limit_of_sum(run.moved(), steps.total, steps.count, longest)
    return margin_limit_of_sum(sum_of_signed(signed).ravel(), float(signed.count), signed.count, longest)


def margin_limit_of_sum(total: np.ndarray, weight: float, terms: int, longest: float) -> float:
    """|Σ λ z| / Σ λ for sums of so many terms, with room for their rounding; at most |z| of the longest.

    A sum that was rounded at every step is off by at most (terms + 2) u Σ λ |z|, u = 2⁻⁵³ (Higham, Accuracy and Stability,
    chapter 4), and so is Σ λ; its length by some more.
    """
    with np.errstate(over="ignore"):
        length = float(np.linalg.norm(total))
    room = (2 * terms + len(total) + 8) * ROUNDING * 1.01 * longest
    return min(length / weight + room, longest) if math.isfinite(length) else longest


def sum_of_signed(signed: SignedExamples) -> np.ndarray:
    """Σ z over all signed rows, a line a weight vector: K Σ x of a class − Σ x of all; of the second less the first, of two.

    >>> from rosenblatt.learning.examples import for_classes
    >>> sum_of_signed(SignedExamples(for_classes([[2.0], [5.0]], ["yes", "no"])))
    array([[-3.,  0.]])
    >>> sum_of_signed(SignedExamples(for_classes([[2.0], [5.0], [1.0]], ["a", "b", "c"]), bias=False))
    array([[-2.],
           [ 7.],
           [-5.]])
    """
    classes = max(2, signed.vectors)
    d = signed.rows.d
    sums = np.zeros((classes, d))
    for columns, values, start, stop, _ in row_blocks(signed.rows):
        codes = signed.codes[start:stop].astype(np.int64)
        if columns is None:
            for code in range(classes):
                sums[code] += values[codes == code].sum(axis=0)
        else:
            places = np.repeat(codes * d, signed.lengths[start:stop]) + columns
            sums += np.bincount(places, values, minlength=classes * d).reshape(classes, d)
    if signed.bias:
        sums = np.column_stack([sums, np.bincount(signed.codes, minlength=classes)])
    return classes * sums - sums.sum(axis=0) if signed.vectors > 1 else sums[1:] - sums[:1]
