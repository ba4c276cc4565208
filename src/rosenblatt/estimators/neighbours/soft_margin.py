"""The soft margin: a wide street that some rows may stand in, at a price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rosenblatt.engine.parameters import Real, check
from rosenblatt.errors import DataError
from rosenblatt.estimators.neighbours.linear import LinearNeighbour, as_examples
from rosenblatt.learning.examples import Examples
from rosenblatt.theory.signed import SignedExamples

MOST_ENTRIES = 20_000_000  # of the program's constraints: some minutes, some gigabytes
ENDED_WELL = ("Solved", "AlmostSolved")


@dataclass(eq=False, repr=False, kw_only=True)
class SoftMargin(LinearNeighbour):
    """½ |w|² + C Σ ξ as small as it can be, with y (w·x + b) ≥ 1 − ξ and ξ ≥ 0: the linear support vector machine.

    With many classes  s_y ≥ s_k + 1 − ξ  for every other class k, one ξ a row (Crammer and Singer, 2001).

    C: the price of a row's shortfall; a large C comes near the hard margin, where there is one.
    fit_intercept: learn a bias, which is not part of |w|.

    Solved exactly, as a quadratic program: for some ten thousand rows. scikit-learn's LinearSVC is for more, but makes the
    bias part of |w| and squares ξ.

    >>> X, y = [[-2.0], [-1.0], [0.0], [1.0], [2.0]], ["no", "no", "yes", "yes", "yes"]
    >>> SoftMargin(C=100.0).fit(X, y).coef_.round(4)  # the street from −1 to 0 costs nothing
    array([[2.]])
    >>> SoftMargin(C=1.0).fit(X, y).coef_.round(4)  # twice as wide, at the price of rows that stand in it
    array([[1.]])
    """

    C: float = 1.0

    def fit(self, X: Any, y: Any) -> Self:
        """Solves the quadratic program for rows X with labels y."""
        price = check("C", self.C, Real(above=0))
        signed = SignedExamples(within_reach(as_examples(self, X, y)), self.fit_intercept)
        self._keep(*signed.weights(soft_margin(signed, price), scaled=False))
        return self


def within_reach(examples: Examples) -> Examples:
    """The examples, if an exact solver can take them."""
    rows = examples.rows
    entries = (rows.n * rows.d if rows.dense else rows.entries) * (1 if examples.vectors == 1 else 2 * examples.vectors - 2)
    if entries > MOST_ENTRIES:
        raise DataError(
            f"{rows.n:,} rows and {examples.vectors} vector(s) of weights make a program of {entries:,} entries, more than "
            f"the {MOST_ENTRIES:,} that are solved exactly: take fewer rows, or scikit-learn's LinearSVC."
        )
    return examples


def soft_margin(signed: SignedExamples, price: float) -> np.ndarray:
    """The v of the soft margin: all classes' (w, b) side by side.

    Variables (v, ξ);  −Z v − ξ ≤ −1,  −ξ ≤ 0
    """
    import clarabel
    from scipy.sparse import block_array, csc_array, csr_array, diags_array, eye_array

    numbers, n, d = signed.numbers(), signed.rows.n, signed.dimension
    Z = signed.matrix(numbers, scaled=False)
    of_row = csr_array((np.ones(len(numbers)), (np.arange(len(numbers)), signed.row_of(numbers))), shape=(len(numbers), n))
    fined = np.ones(d)
    if signed.bias:
        fined[signed.rows.d :: signed.width] = 0.0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    answer = clarabel.DefaultSolver(
        csc_array(diags_array(np.append(fined, np.zeros(n)))),
        np.append(np.zeros(d), np.full(n, price)),
        csc_array(block_array([[-Z, -of_row], [None, -eye_array(n)]])),
        np.append(-np.ones(len(numbers)), np.zeros(n)),
        [clarabel.NonnegativeConeT(len(numbers) + n)],
        settings,
    ).solve()
    if str(answer.status) not in ENDED_WELL:
        raise DataError(f"The solver of the soft margin gave up ({answer.status}): scale the features, or take a smaller C.")
    return np.array(answer.x)[:d]
