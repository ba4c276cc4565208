"""The simplex method in whole numbers, for small sets on which floating point comes to no verdict.

Phase one for {λ ≥ 0, Σ λ z = 0, Σ λ = 1}. If the set is not empty, the corner that is reached is a contradiction. If it
is, the prices at the end are a separator: (y, t) with z·y + t ≤ 0 for all z and t > 0, so that v = −y has z·v ≥ t > 0.
All entries of the tableau are whole numbers over one common denominator, the last pivot (Edmonds, 1967; Bareiss, 1968):
every step is exact.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from rosenblatt.theory.exact import whole_numbers_and_factors
from rosenblatt.theory.limits import SearchLimits

MOST_TABLEAU_CELLS = 20_000


def decide_exactly(Z: Any, limits: SearchLimits | None = None) -> tuple[list[int] | None, list[int] | None]:
    """(λ, None) with Σ λ z = 0, or (None, v) with z·v > 0, in whole numbers.

    (None, None) where the tableau has too many cells, or the user's seconds are over.

    >>> from scipy.sparse import csr_array
    >>> decide_exactly(csr_array([[0.5], [-0.25]]))
    ([1, 2], None)
    >>> decide_exactly(csr_array([[0.5, 0.0], [-0.25, 1.0]]))
    (None, [4, 3])
    """
    rows, factors = whole_numbers_and_factors(Z)
    n, used = Z.shape[0], sorted(factors)
    if (len(used) + 1) * (n + len(used)) > MOST_TABLEAU_CELLS:
        return None, None
    place = {column: k for k, column in enumerate(used)}
    m = len(used) + 1
    table = np.zeros((m + 1, n + m + 1), dtype=object)
    for i, row in enumerate(rows):
        for column, value in row:
            table[place[column], i] = value
    table[m - 1, :n] = 1
    table[:m, n : n + m] = np.eye(m, dtype=int).astype(object)
    table[m - 1, -1] = 1
    table[m] = -table[:m].sum(axis=0)
    table[m, n : n + m] = 0
    basis, common = list(range(n, n + m)), 1
    for step in range(100 * (n + m)):
        costs = table[m, :n]
        candidates = np.flatnonzero(costs < 0)
        if not len(candidates) or table[m, -1] == 0:
            break
        if limits is not None and not limits.left():
            return None, None
        # The steepest cost at first; later the first one, with which the method cannot go round in circles (Bland, 1977).
        enter = int(candidates[0] if step > 5 * m else candidates[np.argmin(costs[candidates])])
        possible = [k for k in range(m) if table[k, enter] > 0]
        leave = min(possible, key=lambda k: (Fraction(table[k, -1], table[k, enter]), basis[k]))
        pivot = table[leave, enter]
        kept = table[leave].copy()
        table = (table * pivot - np.outer(table[:, enter], kept)) // common
        table[leave] = kept
        basis[leave], common = enter, pivot
    else:
        return None, None
    if table[m, -1] == 0:
        weights = [0] * n
        for k, i in enumerate(basis):
            if i < n:
                weights[i] = int(table[k, -1])
        return weights, None
    v = [0] * Z.shape[1]
    for column, cost in zip(used, table[m, n : n + m - 1], strict=True):
        v[column] = (int(cost) - common) * factors[column]
    shared = gcd(*v) or 1
    return None, [value // shared for value in v]
