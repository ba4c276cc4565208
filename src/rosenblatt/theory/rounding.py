"""Statements about exact numbers that floating point can prove, because its errors are bounded.

Every bound is for sums in any order: |fl(Σ a b) − Σ a b| ≤ (m + 2) u Σ |a| |b| for m terms, u = 2^-53 (Higham, Accuracy and
Stability of Numerical Algorithms, chapter 3); where the bound does not decide, fractions do.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.engine.weights import weights_norm
from rosenblatt.theory.exact import exact_margin_of
from rosenblatt.theory.signed import ROUNDING, SignedExamples

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_EXACT_ENTRIES = 2_000_000  # of rows that are looked at in fractions


def separates(signed: SignedExamples, coef: np.ndarray, intercept: np.ndarray) -> bool:
    """Is every margin above 0, for certain? Margins within rounding of 0 are computed in fractions.

    >>> from rosenblatt.learning.examples import for_classes
    >>> signed = SignedExamples(for_classes([[1.0], [-1.0]], [1, 0]))
    >>> separates(signed, np.array([[1.0]]), np.array([0.0])), separates(signed, np.array([[1.0]]), np.array([1.0]))
    (True, False)
    """
    if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
        return False
    margins, errors = signed.margins(coef, intercept), signed.errors(coef, intercept)
    doubtful = ~(margins > (errors if margins.ndim == 1 else errors[:, None]))
    numbers = np.flatnonzero(doubtful)
    if not len(numbers):
        return True
    if signed.lengths[signed.row_of(numbers)].sum() > MOST_EXACT_ENTRIES or not margins.min() > -errors.max():
        return False
    return all(exact_margin_of(signed, int(number), coef, intercept) > 0 for number in numbers)


def certain_margin(signed: SignedExamples, coef: np.ndarray, intercept: np.ndarray) -> float:
    """The least z·v / |v| of weights that separate, in fractions where rounding would show in its first ten digits."""
    margins, errors = signed.margins(coef, intercept), signed.errors(coef, intercept)
    least, error = float(margins.min()), float(errors.max())
    if not least > 1e10 * error:
        numbers = np.flatnonzero(margins <= least + 2 * error)
        if signed.lengths[signed.row_of(numbers)].sum() <= MOST_EXACT_ENTRIES:
            exact = min(exact_margin_of(signed, int(number), coef, intercept) for number in numbers)
            return float(exact / Fraction(weights_norm(coef, intercept)))
        least = max(0.0, least - error)
    return least / weights_norm(coef, intercept)


def combination_exists(Z: csr_array, weights: np.ndarray) -> bool:
    """Are there λ ≥ 0, not all 0, near these weights with Σ λ z = 0 exactly?

    They solve the square system B λ = e: Σ λ z = 0, an equation for each feature that is not 0, and Σ λ = 1. It is
    square if there is one row more than such features; otherwise this proves nothing. With C ≈ B⁻¹ and |I − C B| ≤ α <
    1 (largest row sum), B is invertible, and λ differs from the weights by at most |C| |e − B weights| / (1 − α) (Rump,
    Verification methods, 2010, 10.1).

    >>> from scipy.sparse import csr_array
    >>> Z = csr_array([[1.0, 0.1], [-0.3, 0.7], [-0.1, -0.9]])
    >>> combination_exists(Z, np.array([0.70, 0.90, 0.73])), combination_exists(Z, np.array([0.1, 0.3, 0.6]))
    (True, False)
    """
    Z = Z.tocsc()
    used = np.flatnonzero(np.diff(Z.indptr))
    n = Z.shape[0]
    if len(used) + 1 != n or len(weights) != n or not np.isfinite(weights).all() or not weights.min() > 0:
        return False
    B = np.vstack([Z[:, used].toarray().T, np.ones((1, n))])
    # A power of two for each equation: exact, and the inverse is better for it.
    B *= np.ldexp(1.0, 1 - np.frexp(np.abs(B).max(axis=1))[1])[:, None]
    weights = weights / weights.sum()
    wanted = np.zeros(n)
    wanted[-1] = B[-1, 0]
    try:
        C = np.linalg.inv(B)
    except np.linalg.LinAlgError:
        return False
    slack = (n + 4) * ROUNDING * 1.01
    size, sizes = np.abs(B), np.abs(C)
    alpha = (np.abs(np.eye(n) - C @ B) + slack * (sizes @ size) + slack).sum(axis=1).max() * 1.01
    residual = np.abs(wanted - B @ weights) + slack * (size @ weights + wanted)
    change = (sizes @ residual).max() * 1.01 / (1 - alpha) if alpha < 1 else np.inf
    return bool(change < weights.min())
