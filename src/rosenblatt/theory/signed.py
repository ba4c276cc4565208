"""Examples as the theory sees them: signed vectors z, one for every inequality z·v > 0 that a separator v must satisfy.

Two classes: z = y (x, 1), one a row; v = (w, b). More classes (Kesler's construction): for every row and every rival
class r, z has (x, 1) in the place of the right class, −(x, 1) in the place of r, and 0 elsewhere; then z·v = s_y − s_r,
and |z|² = 2 |(x, 1)|². Without bias the constant feature is not there. Rows stay where they lie; only those that a
solver asks for are copied.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.scoring import margins_and_rivals, score

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ENTRIES_AT_ONCE = 2**20  # entries looked at in one go
ROUNDING = 2.0**-53
SMALLEST = 2.0**-1074
UNDERFLOW = 2.0**-1022  # the most that a square can lose by being too small for a float
PRECISE_SQUARE = 2.0**-900  # sums of squares above it have lost nothing that can be seen


@dataclass
class SignedExamples:
    """The signed vectors of examples, numbered: row i for two classes, row i against rival r is i · classes + r for more."""

    examples: Examples
    bias: bool = True

    @property
    def rows(self) -> Rows:
        return self.examples.rows

    @property
    def vectors(self) -> int:
        return self.examples.vectors

    @property
    def width(self) -> int:
        """Features, the constant one included."""
        return int(self.rows.d + self.bias)

    @property
    def dimension(self) -> int:
        return self.vectors * self.width

    @property
    def count(self) -> int:
        return int(self.rows.n if self.vectors == 1 else self.rows.n * (self.vectors - 1))

    @property
    def codes(self) -> np.ndarray:
        return self.examples.codes

    def all(self) -> SignedSubset:
        """All signed vectors."""
        numbers = np.arange(self.rows.n * self.vectors)
        if self.vectors > 1:
            numbers = numbers[numbers % self.vectors != np.repeat(self.codes, self.vectors)]
        return SignedSubset(self, numbers)

    def row_of(self, numbers: np.ndarray) -> np.ndarray:
        return np.asarray(numbers) // (1 if self.vectors == 1 else self.vectors)

    def rival_of(self, numbers: np.ndarray) -> np.ndarray:
        """The class against which each signed vector stands."""
        numbers = np.asarray(numbers)
        return 1 - self.codes[numbers] if self.vectors == 1 else numbers % self.vectors

    @cached_property
    def scale(self) -> np.ndarray:
        """A power of two for each feature that brings its largest entry into [1, 2): scaling by it is exact."""
        largest = np.zeros(self.rows.d)
        for columns, values, *_ in row_blocks(self.rows):
            if columns is None:
                np.maximum(largest, np.abs(values).max(axis=0), out=largest)
            else:
                np.maximum.at(largest, columns, np.abs(values))
        _, exponent = np.frexp(largest)
        features = np.ldexp(1.0, np.where(largest > 0, np.clip(1 - exponent, -1000, 1000), 0))
        return np.append(features, 1.0) if self.bias else features

    @cached_property
    def norms2(self) -> np.ndarray:
        """|x|² of every row, the constant feature included if there is one."""
        return row_norms2(self.rows) + self.bias

    @cached_property
    def radius(self) -> float:
        """R: the largest |x|, in other units where its square is too large or too small for a float."""
        most = float(self.norms2.max())
        if PRECISE_SQUARE < most < np.inf:
            return math.sqrt(most)
        _, exponent = np.frexp(max(np.abs(values).max(initial=0.0) for _, values, *_ in row_blocks(self.rows)))
        with np.errstate(over="ignore"):  # infinite: it is
            return float(np.ldexp(np.sqrt(row_norms2(self.rows, -int(exponent)).max()), exponent))

    @cached_property
    def lengths(self) -> np.ndarray:
        """Entries of every row."""
        if self.rows.dense:
            return np.full(self.rows.n, self.rows.d)
        return np.concatenate([np.diff(block.ends) for block in row_blocks(self.rows)])

    def matrix(self, numbers: np.ndarray, scaled: bool = True) -> csr_array:
        """The signed vectors of these numbers as a CSR matrix of float64, features scaled by `scale` if wanted."""
        from scipy.sparse import coo_array, csr_array

        picked = self.rows.take(self.row_of(numbers))
        if picked.dense:
            entries = csr_array(np.asarray(picked.values, dtype=float))
        else:
            indptr = np.arange(picked.n + 1) * picked.width if picked.indptr is None else picked.indptr
            values = np.ones(picked.entries) if picked.values is None else picked.values.astype(float)
            entries = csr_array((values, picked.indices, indptr), shape=(picked.n, picked.d))
        entries = entries.tocoo()
        (at, column), value = entries.coords, entries.data
        if self.bias:
            at = np.append(at, np.arange(picked.n))
            column, value = np.append(column, np.full(picked.n, picked.d)), np.append(value, np.ones(picked.n))
        if scaled:
            value = value * self.scale[column]
        codes = self.codes[self.row_of(numbers)]
        if self.vectors == 1:
            value = np.where(codes[at] == 1, value, -value)
        else:
            right, wrong = column + codes[at] * self.width, column + self.rival_of(numbers)[at] * self.width
            at, column, value = np.tile(at, 2), np.concatenate([right, wrong]), np.concatenate([value, -value])
        return coo_array((value, (at, column)), shape=(len(numbers), self.dimension)).tocsr()

    def weights(self, v: np.ndarray, scaled: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """(coef, intercept) from v, whose features are scaled by `scale` if it came from scaled vectors."""
        table = np.asarray(v, dtype=float).reshape(self.vectors, self.width) * (self.scale if scaled else 1.0)
        return table[:, : self.rows.d], table[:, self.rows.d] if self.bias else np.zeros(self.vectors)

    def margins(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """z·v of every signed vector: n for two classes, n × classes for more, infinite in the right class's place."""
        scores = score(self.rows, coef, intercept)
        if self.vectors == 1:
            return margins_and_rivals(scores, self.codes)[0]
        right = self.codes[:, None].astype(np.intp)
        margins: np.ndarray = np.take_along_axis(scores, right, axis=1) - scores
        np.put_along_axis(margins, right, np.inf, axis=1)
        return margins

    def lowest_margins(self, coef: np.ndarray, intercept: np.ndarray, count: int) -> np.ndarray:
        """The numbers of so many signed vectors with the lowest margins, lowest first."""
        margins, count = self.margins(coef, intercept).ravel(), min(count, self.count)
        some = np.argpartition(margins, count - 1)[:count]
        return some[np.argsort(margins[some], kind="stable")]

    def errors(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        """By how much a margin of each row can differ from its exact value, through rounding in whatever order of adding.

        (m + 3) u (|w| |x| + |b|) for m entries, u = 2^-53 (Higham, Accuracy and Stability, 3.1), with room for its own
        rounding.
        """
        with np.errstate(over="ignore"):  # infinite: then the bound is, too
            w = np.sqrt(np.einsum("kj,kj->k", coef, coef) + self.rows.d * UNDERFLOW).max()
            largest = np.sqrt(self.norms2 + self.lengths * UNDERFLOW) * w + np.abs(intercept).max()
        sides = 1 if self.vectors == 1 else 2
        return np.asarray(sides * (self.lengths + 8) * (1.01 * ROUNDING * largest + SMALLEST) * 1.01)


@dataclass(frozen=True)
class SignedSubset:
    """Some of the signed vectors, by their numbers: what a solver gets."""

    signed: SignedExamples
    numbers: np.ndarray

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, places: np.ndarray) -> SignedSubset:
        """Those at these places, or where a mask is true."""
        return SignedSubset(self.signed, self.numbers[places])

    def matrix(self, scaled: bool = True) -> csr_array:
        return self.signed.matrix(self.numbers, scaled)


class RowBlock(NamedTuple):
    """The entries of some neighbouring rows."""

    columns: np.ndarray | None  # None: the rows are dense, and values are a table
    values: np.ndarray
    start: int  # the first row
    stop: int  # one past the last
    ends: np.ndarray  # of sparse rows, where among the entries each begins, and the last one ends


def row_blocks(rows: Rows) -> Iterator[RowBlock]:
    """The rows, some at a time."""
    step = max(1, ENTRIES_AT_ONCE // max(1, rows.entries // max(1, rows.n)))
    for start in range(0, rows.n, step):
        stop = min(start + step, rows.n)
        if rows.dense:
            assert rows.values is not None
            yield RowBlock(None, rows.values[start:stop].astype(float), start, stop, np.zeros(0, dtype=int))
            continue
        part = rows.block(start, stop).whole()
        assert part.indices is not None
        ends = np.arange(part.n + 1) * part.width if part.indptr is None else part.indptr[: part.n + 1]
        a, b = ends[0], ends[-1]
        values = np.ones(b - a) if part.values is None else part.values[a:b].astype(float)
        yield RowBlock(part.indices[a:b], values, start, stop, ends - a)


def row_norms2(rows: Rows, exponent: int = 0) -> np.ndarray:
    """|x|² of every row, in double precision, every entry times a power of two.

    >>> row_norms2(Rows([[3.0, 4.0], [0.0, 1.0]]))
    array([25.,  1.])
    """
    squares = np.zeros(rows.n)
    with np.errstate(over="ignore"):  # infinite: then no rounding bound holds, and exact arithmetic is asked
        for columns, numbers, start, stop, ends in row_blocks(rows):
            values = np.ldexp(numbers, exponent) if exponent else numbers
            if columns is None:
                squares[start:stop] = np.einsum("ij,ij->i", values, values)
            else:
                place = np.repeat(np.arange(stop - start), np.diff(ends))
                squares[start:stop] = np.bincount(place, values * values, minlength=stop - start)
    return squares
