"""Exact arithmetic on the examples' own numbers: every float is a whole number times a power of two.

The weights λ with Σ λ z = 0 are found by p-adic lifting (Dixon, Exact solution of linear equations using p-adic
expansions, 1982): invert the matrix modulo a small prime once, then each step gives one more digit of the solution in
base p, and fractions are read off the digits. Nothing rests on that being right: `vanishes` adds the vectors up in
whole numbers.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd, isqrt
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.theory.limits import SearchLimits
from rosenblatt.theory.signed import SignedExamples

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Below 2^20, so that sums of up to 8,000 products of digits are exact in double precision.
PRIMES = (1048573, 1048571, 1048559, 1048549)
LIMB = 20
MOST_VECTORS = 4000
MOST_TABLEAU_CELLS = 20_000

WholeRow = list[tuple[int, int]]  # (column, value)


def whole_numbers(Z: csr_array) -> tuple[list[WholeRow], dict[int, int]]:
    """The rows of a CSR matrix as whole numbers, every column times a power of two; and that power, of columns not 0.

    >>> from scipy.sparse import csr_array
    >>> whole_numbers(csr_array([[0.5, 3.0], [0.25, 0.0]]))
    ([[(0, 2), (1, 3)], [(0, 1)]], {0: 4, 1: 1})
    """
    ratios = [value.as_integer_ratio() for value in Z.data.tolist()]
    columns = Z.indices.tolist()
    factors: dict[int, int] = {}
    for column, (numerator, denominator) in zip(columns, ratios, strict=True):
        if numerator:
            factors[column] = max(factors.get(column, 1), denominator)
    entries = [(c, n * (factors[c] // q)) for c, (n, q) in zip(columns, ratios, strict=True) if n]
    kept = np.concatenate([[0], np.cumsum(Z.data != 0)])[Z.indptr].tolist()
    return [entries[a:b] for a, b in pairwise(kept)], factors


def vanishes(rows: list[WholeRow], weights: list[int]) -> bool:
    """Is Σ λ z exactly 0, with every λ ≥ 0 and one of them above 0?

    >>> vanishes([[(0, 2)], [(0, -3)]], [3, 2]), vanishes([[(0, 2)], [(0, -3)]], [3, 1]), vanishes([[(0, 2)]], [0])
    (True, False, False)
    """
    return min(weights, default=0) >= 0 and any(weights) and adds_up_to_zero(rows, weights)


def adds_up_to_zero(rows: list[WholeRow], weights: list[int]) -> bool:
    """Is Σ λ z exactly 0?"""
    sums: dict[int, int] = {}
    for weight, row in zip(weights, rows, strict=True):
        for column, value in row:
            sums[column] = sums.get(column, 0) + weight * value
    return not any(sums.values())


def exact_margin(signed: SignedExamples, v: list[int]) -> float | None:
    """The least z·v / |v| for whole numbers v, None if it is not above 0; only its last steps are rounded.

    >>> from rosenblatt.learning.examples import for_classes
    >>> exact_margin(SignedExamples(for_classes([[0.5, 0.0], [0.25, -1.0]], [1, 0]), bias=False), [4, 3])
    0.4
    """
    if len(v) != signed.dimension or not any(v):
        return None
    Z = signed.all().matrix(scaled=False)
    values, columns = [Fraction(value) for value in Z.data.tolist()], Z.indices.tolist()
    ends = pairwise(Z.indptr.tolist())
    least = min(sum((values[e] * v[columns[e]] for e in range(a, b)), Fraction(0)) for a, b in ends)
    if not least > 0:
        return None
    square = least * least / sum(value * value for value in v)
    # Half the exponent aside: the square may be too small for a float where its root is not.
    half = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    return float(np.ldexp(np.sqrt(float(square / Fraction(4) ** half)), half))


def exact_combination(Z: csr_array) -> list[int] | None:
    """Whole numbers λ > 0 with Σ λ z = 0 over the rows of a CSR matrix, if there is exactly one such λ up to a factor.

    >>> from scipy.sparse import csr_array
    >>> exact_combination(csr_array([[1.0, 1.0], [-0.5, 0.0], [0.0, -0.25]]))
    [1, 2, 4]
    """
    (rows, _), m = whole_numbers(Z), Z.shape[0]
    if m > MOST_VECTORS or not all(rows):
        return None
    for prime in PRIMES:
        table = np.zeros((Z.shape[1], m), dtype=np.int64)
        for i, row in enumerate(rows):
            for column, value in row:
                table[column, i] = value % prime
        chosen, free = independent_rows(table, prime)
        if len(free) != 1:
            continue  # none, or too many: or the prime divides what it should not
        others = [i for i in range(m) if i != free[0]]
        solved = lift(rows, chosen, others, free[0], prime)
        if solved is None:
            continue
        return solved if min(solved) > 0 else None
    return None


def independent_rows(table: np.ndarray, prime: int) -> tuple[list[int], list[int]]:
    """Rows of the table that determine all others, and columns that depend on earlier ones, modulo the prime."""
    table, chosen, free = table.copy(), [], []
    left = np.ones(len(table), dtype=bool)
    for column in range(table.shape[1]):
        candidates = np.flatnonzero(left & (table[:, column] != 0))
        if not len(candidates):
            free.append(column)
            continue
        pivot = int(candidates[0])
        chosen.append(pivot)
        left[pivot] = False
        inverse = pow(int(table[pivot, column]), -1, prime)
        others = candidates[1:]
        factors = table[others, column] * inverse % prime
        table[others, column:] = (table[others, column:] - factors[:, None] * table[pivot, column:]) % prime
    return chosen, free


def inverse_modulo(table: np.ndarray, prime: int) -> np.ndarray | None:
    """The inverse of a square matrix modulo a prime.

    >>> inverse_modulo(np.array([[2, 1], [0, 3]]), 7).tolist()
    [[4, 1], [0, 5]]
    """
    n = len(table)
    both = np.concatenate([table % prime, np.eye(n, dtype=np.int64)], axis=1)
    for k in range(n):
        pivots = np.flatnonzero(both[k:, k])
        if not len(pivots):
            return None
        both[[k, k + pivots[0]]] = both[[k + pivots[0], k]]
        both[k] = both[k] * pow(int(both[k, k]), -1, prime) % prime
        others = np.flatnonzero(both[:, k])
        others = others[others != k]
        both[others, k:] = (both[others, k:] - both[others, k, None] * both[k, k:]) % prime
    return both[:, n:]


def lift(rows: list[WholeRow], chosen: list[int], others: list[int], free: int, prime: int) -> list[int] | None:
    """λ in whole numbers, from the equations of the chosen columns; None if digits do not come to an end."""
    place = {column: k for k, column in enumerate(chosen)}
    n = len(chosen)
    square = np.zeros((n, n), dtype=object)
    residual = np.zeros(n, dtype=object)
    for j, i in enumerate(others):
        for column, value in rows[i]:
            if column in place:
                square[place[column], j] = value
    for column, value in rows[free]:
        if column in place:
            residual[place[column]] = -value
    size = max((abs(int(value)).bit_length() for value in [*square.flat, *residual]), default=1)
    limbs = [limb(square, k) for k in range(-(-size // LIMB))]
    inverse = inverse_modulo((square % prime).astype(np.int64), prime)
    if inverse is None:
        return None
    inverse = inverse.astype(float)
    # Cramer and Hadamard: numerators and denominators are below (√n · largest)^n, and two such must fit.
    most = 2 * n * (size + n.bit_length()) // 19 + 64
    digits: list[np.ndarray] = []
    enough = 8
    while len(digits) < most:
        digit = inverse @ (residual % prime).astype(float) % prime
        digits.append(digit.astype(np.int64))
        product = sum((part @ digit).astype(np.int64).astype(object) << (LIMB * k) for k, part in enumerate(limbs))
        residual = (residual - product) // prime
        if len(digits) >= min(enough, most):
            enough = len(digits) * 3 // 2
            solved = read_fractions(digits, prime)
            if solved is not None:
                by_row = dict(zip(others, solved[0], strict=True)) | {free: solved[1]}
                weights = [by_row[i] for i in range(n + 1)]
                if adds_up_to_zero(rows, weights):
                    return weights
    return None


def limb(square: np.ndarray, k: int) -> np.ndarray:
    """Bits 20 k to 20 k + 19 of every entry, with its sign."""
    return np.array([(abs(v) >> (LIMB * k) & (1 << LIMB) - 1) * (1 if v > 0 else -1) for v in square.flat], float).reshape(
        square.shape
    )


def read_fractions(digits: list[np.ndarray], prime: int) -> tuple[list[int], int] | None:
    """(numerators, common denominator) of the fractions with these digits; None where there are not enough digits."""
    modulus, parts = prime, [digit.astype(object) for digit in digits]
    while len(parts) > 1:  # neighbours together, so that the long products are few
        parts = [
            low + high[0] * modulus if high else low for low, *high in (parts[k : k + 2] for k in range(0, len(parts), 2))
        ]
        modulus *= modulus
    modulus = prime ** len(digits)
    most = isqrt(modulus // 2)
    denominator = 1
    numerators: list[int] = []
    for value in parts[0].tolist():
        value = value * denominator % modulus
        if min(value, modulus - value) > most // 2**20:
            ratio = read_fraction(value, modulus, most)
            if ratio is None or denominator * ratio[1] > most:
                return None
            remainder, factor = ratio
            denominator *= factor
            numerators = [n * factor for n in numerators]
            value = remainder % modulus
        numerators.append(value if 2 * value < modulus else value - modulus)
    return numerators, denominator


def read_fraction(value: int, modulus: int, most: int) -> tuple[int, int] | None:
    """The fraction n / q that is `value` modulo `modulus`, |n| and q at most `most` (Wang, 1981).

    >>> read_fraction(pow(3, -1, 101 * 101) * 2 % (101 * 101), 101 * 101, 71)
    (2, 3)
    """
    a, b, s, t = modulus, value, 0, 1
    while b > most:
        q = a // b
        a, b, s, t = b, a - q * b, t, s - q * t
    if abs(t) > most or t == 0:
        return None
    return (b, t) if t > 0 else (-b, -t)


def exact_margin_of(signed: SignedExamples, number: int, coef: np.ndarray, intercept: np.ndarray) -> Fraction:
    """z·v of one signed vector, in fractions."""
    row = int(signed.row_of(np.array([number]))[0])
    columns, values = signed.rows.row(row)
    kept = np.flatnonzero(values)
    columns, x = columns[kept].tolist(), [Fraction(float(value)) for value in values[kept]]

    def scored(k: int) -> Fraction:
        w = coef[k].tolist()
        return sum((Fraction(w[c]) * value for c, value in zip(columns, x, strict=True)), Fraction(float(intercept[k])))

    if signed.vectors == 1:
        return scored(0) if signed.codes[row] == 1 else -scored(0)
    return scored(int(signed.codes[row])) - scored(int(signed.rival_of(np.array([number]))[0]))


def decide_exactly(Z: csr_array, limits: SearchLimits | None = None) -> tuple[list[int] | None, list[int] | None]:
    """(λ, None) with Σ λ z = 0, or (None, v) with z·v > 0, in whole numbers, for small sets.

    The simplex method's phase one for {λ ≥ 0, Σ λ z = 0, Σ λ = 1}. If the set is not empty, the corner that is reached is a
    contradiction. If it is, the prices at the end are a separator: (y, t) with z·y + t ≤ 0 for all z and t > 0, so that
    v = −y has z·v ≥ t > 0. All entries of the tableau are whole numbers over one common denominator, the last pivot
    (Edmonds, 1967; Bareiss, 1968): every step is exact.

    (None, None) where the tableau has too many cells, or the user's seconds are over.

    >>> from scipy.sparse import csr_array
    >>> decide_exactly(csr_array([[0.5], [-0.25]]))
    ([1, 2], None)
    >>> decide_exactly(csr_array([[0.5, 0.0], [-0.25, 1.0]]))
    (None, [4, 3])
    """
    rows, factors = whole_numbers(Z)
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
