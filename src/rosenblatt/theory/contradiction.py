"""Proofs that no plane separates: weights λ ≥ 0, not all 0, with Σ λ z = 0 (Gordan, 1873).

If z·v > 0 held for every z, then 0 = (Σ λ z)·v = Σ λ (z·v) > 0. For two classes the combination is a point that lies in
the hull of both (Radon, 1921). A linear program gives a corner of the set of all such λ, with at most dimension + 2
rows; its λ are floats, and only tell which rows to take: the weights are then solved for in whole numbers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.theory.exact import MOST_VECTORS, combination
from rosenblatt.theory.rounding import combination_exists
from rosenblatt.theory.signed import SignedExamples

THRESHOLDS = (1e-10, 1e-8, 1e-12, 1e-6)  # a weight below is one that rounding left where a 0 belongs

WORK_A_SECOND = 4e8  # of exact arithmetic
MOST_SECONDS = 50


@dataclass(frozen=True)
class Combination:
    """Signed vectors and whole numbers λ with Σ λ z = 0; or floats near such λ, which exist by a bound on rounding."""

    numbers: np.ndarray
    weights: list[int] | list[float]


def find(signed: SignedExamples, numbers: np.ndarray, seconds: float | None = None, tries: int = 3) -> Combination | None:
    """A combination of some of these signed vectors that vanishes exactly, if one is found."""
    end = time.perf_counter() + (np.inf if seconds is None else seconds)
    Z = signed.matrix(numbers)
    factors = size_factors(Z)
    Z = balanced(Z)
    for attempt in range(tries):
        weights = corner(Z, attempt, seconds)
        if weights is None:
            return None
        seen = set()
        for threshold in THRESHOLDS:
            kept = np.flatnonzero(weights > threshold * weights.max())
            if len(kept) in seen or len(kept) > MOST_VECTORS:
                continue
            seen.add(len(kept))
            own = signed.matrix(numbers[kept], scaled=False)
            slow = work(own) > WORK_A_SECOND * min(MOST_SECONDS, end - time.perf_counter())
            if slow and combination_exists(own, floats := weights[kept] * factors[kept]):
                return Combination(numbers[kept], floats.tolist())
            found = None if slow and seconds is not None else combination(own)
            if found is not None:
                return Combination(numbers[kept], found)
    return None


def work(Z: Any) -> float:
    """Steps of exact arithmetic with these vectors: their number cubed, times the bits of an entry."""
    bits = max((abs(value.as_integer_ratio()[0]).bit_length() for value in Z.data[:1000].tolist()), default=1)
    return float(Z.shape[0]) ** 3 * bits


def balanced(Z: Any) -> Any:
    """Every row times a power of two that brings its largest entry into [1, 2)."""
    from scipy.sparse import diags_array

    return diags_array(size_factors(Z)) @ Z


def size_factors(Z: Any) -> np.ndarray:
    """The power of two for each row that brings its largest entry into [1, 2)."""
    largest = abs(Z).max(axis=1).toarray().ravel()
    _, exponent = np.frexp(largest)
    return np.ldexp(1.0, np.where(largest > 0, 1 - exponent, 0))


def corner(Z: Any, seed: int, seconds: float | None = None) -> np.ndarray | None:
    """A corner of {λ ≥ 0, Σ λ z = 0, Σ λ = 1}, in floats; None if the program finds the set empty, or no time for it."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array, vstack

    n = Z.shape[0]
    used = np.flatnonzero(np.diff(Z.tocsc().indptr))
    equations = vstack([Z.tocsc()[:, used].T, np.ones((1, n))], format="csc")
    wanted = np.zeros(len(used) + 1)
    wanted[-1] = 1.0
    cost = np.random.default_rng(seed).random(n) if seed else np.zeros(n)
    limits = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    if seconds is not None:
        limits["time_limit"] = max(seconds, 0.01)
    answer = linprog(cost, A_eq=csc_array(equations), b_eq=wanted, method="highs-ds", options=limits)
    return None if answer.x is None else np.clip(answer.x, 0, None)


def widest(signed: SignedExamples, numbers: np.ndarray, seconds: float | None = None) -> np.ndarray | None:
    """The v, |v_j| ≤ 1, that makes the least z·v largest, every z brought to the same size."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array, hstack

    Z = balanced(signed.matrix(numbers))
    n, d = Z.shape
    inequalities = csc_array(hstack([-Z, np.ones((n, 1))]))
    limits = {} if seconds is None else {"time_limit": max(seconds, 0.01)}
    cost = np.r_[np.zeros(d), -1.0]
    box = [(-1.0, 1.0)] * d + [(None, 1.0)]
    answer = linprog(cost, A_ub=inequalities, b_ub=np.zeros(n), bounds=box, method="highs", options=limits)
    return None if answer.x is None else answer.x[:d]
