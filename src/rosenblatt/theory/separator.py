"""The maximum-margin separator: the smallest v with z·v ≥ 1 for every signed example z (LECTURES W9).

    minimise ½ |v|²  subject to  z·v ≥ 1 for all z;        γ* = 1 / |v*|

Solved by clarabel, an interior-point method that also says when there is no such v. For two classes v = (w, b); with more,
all the classes' weights side by side, and z·v = s_y − s_r. The bias counts as a feature, as everywhere in the theory;
`bias="free"` leaves it out of |v|, which gives the support vector machine of the textbooks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.weights import norm, weights_norm
from rosenblatt.errors import DataError, SettingError, needs_parts
from rosenblatt.learning.examples import for_classes
from rosenblatt.theory.signed import SignedExamples, SignedSubset

SUPPORT = 1e-6  # share of the largest multiplier from which a row counts as support


@dataclass(frozen=True)
class Separator:
    """A separating plane and how wide it lies between the classes."""

    coef: np.ndarray  # one row for two classes, else one a class
    intercept: np.ndarray
    margin: float  # γ*: the least z·v / |v|, as the data have it
    margin_at_most: float  # no plane has more
    support: np.ndarray  # row numbers
    multipliers: np.ndarray  # of the support rows: v = Σ λ z, for many classes summed over the rivals

    @property
    def w(self) -> np.ndarray:
        return self.coef[0] if len(self.coef) == 1 else self.coef

    @property
    def b(self) -> float | np.ndarray:
        return float(self.intercept[0]) if len(self.coef) == 1 else self.intercept


@dataclass(frozen=True)
class SolverAnswer:
    """What the solver says: separating weights, or multipliers with Σ λ z ≈ 0, or neither."""

    separable: bool | None
    v: np.ndarray
    multipliers: np.ndarray


def max_margin(X: Any, y: Any, fit_intercept: bool = True, *, bias: str = "feature") -> Separator:
    """The separator with the largest margin; refuses data that cannot be separated.

    >>> plane = max_margin([[2.0, 0.0], [0.0, 0.0], [3.0, 5.0]], ["yes", "no", "yes"], bias="free")
    >>> plane.w.round(4) + 0, round(plane.b, 4), round(plane.margin, 4), plane.support
    (array([1., 0.]), -1.0, 1.0, array([0, 1]))
    """
    if bias not in ("feature", "free"):
        raise SettingError(f"bias is {bias!r}: expected 'feature' or 'free'.")
    signed = SignedExamples(for_classes(X, y), fit_intercept)
    signed.rows.refuse_not_finite()
    vectors, free_bias = signed.all(), bias == "free" and fit_intercept
    answer = solve(vectors, free_bias=free_bias)
    plane = separator_of(vectors, answer, free_bias) if answer.separable else None
    if plane is None or not plane.margin > 0:
        raise DataError("No plane separates these rows, or none that the solver finds: certify(X, y) tells which, and why.")
    return plane


def separator_of(vectors: SignedSubset, answer: SolverAnswer, free_bias: bool = False) -> Separator:
    """The solver's plane, measured on all rows; its margin is not positive if it does not separate them."""
    signed = vectors.signed
    coef, intercept = signed.weights(answer.v)
    size = weights_norm(coef, intercept, not free_bias)
    margin = float(signed.margins(coef, intercept).min()) / size if size else -np.inf
    rows, place = np.unique(signed.row_of(vectors.numbers), return_inverse=True)
    total = np.bincount(place, answer.multipliers, minlength=len(rows))
    kept = total > SUPPORT * total.max(initial=0)
    most = np.inf if free_bias else margin_limit(vectors, answer.multipliers)
    return Separator(coef, intercept, margin, max(most, margin), rows[kept], total[kept])


def margin_limit(vectors: SignedSubset, multipliers: np.ndarray) -> float:
    """|Σ λ z| / Σ λ: no unit vector has a larger margin than this, whatever λ ≥ 0 is."""
    used = np.flatnonzero(multipliers > 0)
    if not len(used):
        return np.inf
    share = multipliers[used] / multipliers[used].sum()
    return norm(share @ vectors.take(used).matrix(scaled=False))


def solve(
    vectors: SignedSubset,
    *,
    free_bias: bool = False,
    seconds: float | None = None,
    own_metric: bool = True,
    near: np.ndarray | None = None,
) -> SolverAnswer:
    """The smallest v with z·v ≥ 1 for these signed vectors; with own_metric=False, smallest in scaled features.

    `near` is a v of about the right size: the solver's tolerances then mean what they should.
    """
    with needs_parts("Looking for the best margin"):
        import clarabel
    from scipy.sparse import csc_array, diags_array

    signed, Z = vectors.signed, vectors.matrix()
    metric = np.tile(signed.scale / signed.scale.max(), signed.vectors) ** 2 if own_metric else np.ones(signed.dimension)
    size = metric.max() if near is None else near @ (metric * near) / len(near)
    metric = np.clip(metric / size, 1e-100, 1e100)
    if free_bias:
        metric[signed.rows.d :: signed.width] = 0.0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1 if Z.nnz < 200_000 else 0  # 0: as many as there are
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    if seconds is not None:
        settings.time_limit = max(seconds, 0.01)
    program = clarabel.DefaultSolver(
        csc_array(diags_array(metric)),
        np.zeros(signed.dimension),
        csc_array(-Z),
        -np.ones(len(vectors)),
        [clarabel.NonnegativeConeT(len(vectors))],
        settings,
    )
    solution = program.solve()
    status = str(solution.status)
    separable = True if status in ("Solved", "AlmostSolved") else False if "PrimalInfeasible" in status else None
    v, multipliers = (np.nan_to_num(np.array(values)) for values in (solution.x, solution.z))
    return SolverAnswer(separable, v, np.clip(multipliers, 0, None))
