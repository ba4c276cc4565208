"""Proofs that no plane separates: weights λ ≥ 0, not all 0, with Σ λ z = 0 (Gordan, 1873).

If z·v > 0 held for every z, then 0 = (Σ λ z)·v = Σ λ (z·v) > 0. For two classes the combination is a point that lies in
the hull of both (Radon, 1921). A linear program gives a corner of the set of all such λ, with at most dimension + 2
rows; its λ are floats, and only tell which rows to take: the weights are then solved for in whole numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.theory.certificate import Proof
from rosenblatt.theory.exact import MOST_VECTORS, exact_combination
from rosenblatt.theory.limits import SearchLimits
from rosenblatt.theory.rounding import combination_exists
from rosenblatt.theory.signed import SignedSubset

if TYPE_CHECKING:
    from scipy.sparse import csr_array

THRESHOLDS = (1e-10, 1e-8, 1e-12, 1e-6)  # a weight below is one that rounding left where a 0 belongs
EXACT_WORK_A_SECOND = 4e8
ATTEMPTS = 3  # corners that are tried
LARGEST_EXPONENT = 1023  # of a power of two that is a float


def proof_by(vectors: SignedSubset, weights: list[int] | list[float]) -> Proof:
    """The proof by whole numbers λ with Σ λ z = 0; or by floats near such λ, which exist by a bound on rounding."""
    signed = vectors.signed
    kind = "exact combination" if isinstance(weights[0], int) else "rounding bound"
    rivals = signed.rival_of(vectors.numbers).tolist() if signed.vectors > 1 else None
    return Proof(kind, signed.row_of(vectors.numbers).tolist(), weights, rivals)


def find_combination(vectors: SignedSubset, limits: SearchLimits) -> Proof | None:
    """A combination of some of these signed vectors that vanishes exactly.

    None where linear programs find no corner, where none of a few corners is one in whole numbers, or where the user's
    seconds are over before. Where whole numbers take more work than `limits` allow, a bound on rounding is tried first.
    """
    Z = vectors.matrix()
    factors = row_factors(Z)
    Z = with_even_rows(Z)
    for attempt in range(ATTEMPTS):
        weights = combination_in_floats(Z, attempt, limits.seconds_left())
        if weights is None:
            return None
        sizes = set()
        for threshold in THRESHOLDS:
            kept = np.flatnonzero(weights > threshold * weights.max())
            if len(kept) in sizes or len(kept) > MOST_VECTORS:
                continue
            sizes.add(len(kept))
            chosen = vectors.take(kept)
            own = chosen.matrix(scaled=False)
            slow = exact_work(own) > min(limits.exact_work, EXACT_WORK_A_SECOND * limits.left())
            if slow and combination_exists(own, floats := weights[kept] * factors[kept]):
                return proof_by(chosen, floats.tolist())
            whole = None if slow and limits.timed else exact_combination(own)
            if whole is not None:
                return proof_by(chosen, whole)
    return None


def exact_work(Z: csr_array) -> float:
    """Steps of exact arithmetic with these vectors: their number cubed, times the bits of an entry."""
    bits = max((abs(value.as_integer_ratio()[0]).bit_length() for value in Z.data[:1000].tolist()), default=1)
    return float(Z.shape[0]) ** 3 * bits


def with_even_rows(Z: csr_array) -> csr_array:
    """Every row times a power of two that brings its largest entry into [1, 2)."""
    from scipy.sparse import diags_array

    return diags_array(row_factors(Z)) @ Z


def row_factors(Z: csr_array) -> np.ndarray:
    """That power of two for each row; of subnormal numbers the largest that is a float, which brings them near enough."""
    largest = abs(Z).max(axis=1).toarray().ravel()
    _, exponent = np.frexp(largest)
    return np.ldexp(1.0, np.where(largest > 0, np.minimum(1 - exponent, LARGEST_EXPONENT), 0))


def combination_in_floats(Z: csr_array, seed: int, seconds: float | None) -> np.ndarray | None:
    """A corner of {λ ≥ 0, Σ λ z = 0, Σ λ = 1}, in floats; None if the program finds the set empty, or no time for it."""
    from scipy.sparse import csc_array, vstack

    n = Z.shape[0]
    used = np.flatnonzero(np.diff(Z.tocsc().indptr))
    equations = csc_array(vstack([Z.tocsc()[:, used].T, np.ones((1, n))], format="csc"))
    wanted = np.zeros(len(used) + 1)
    wanted[-1] = 1.0
    cost = np.random.default_rng(seed).random(n) if seed else np.zeros(n)
    tolerances = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    weights = linear_program(seconds, tolerances, c=cost, A_eq=equations, b_eq=wanted, method="highs-ds")
    return None if weights is None else np.clip(weights, 0, None)


def separator_by_linear_program(vectors: SignedSubset, seconds: float | None) -> np.ndarray | None:
    """The v, |v_j| ≤ 1, that makes the least z·v largest, every z brought to the same size."""
    from scipy.sparse import csc_array, hstack

    Z = with_even_rows(vectors.matrix())
    n, d = Z.shape
    inequalities = csc_array(hstack([-Z, np.ones((n, 1))]))
    cost, box = np.r_[np.zeros(d), -1.0], [(-1.0, 1.0)] * d + [(None, 1.0)]
    v = linear_program(seconds, {}, c=cost, A_ub=inequalities, b_ub=np.zeros(n), bounds=box, method="highs")
    return None if v is None else v[:d]


def linear_program(seconds: float | None, options: dict[str, float], **program: Any) -> np.ndarray | None:
    """What scipy's `linprog` finds in so many seconds."""
    from scipy.optimize import linprog

    if seconds is not None:
        options = options | {"time_limit": max(seconds, 0.01)}
    solution: np.ndarray | None = linprog(**program, options=options).x
    return solution
