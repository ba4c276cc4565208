"""The weights that the loop moves, and the sums from which their average follows."""

from __future__ import annotations

import contextlib
import math
import mmap
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.compiled import entries
from rosenblatt.engine.memory_size import memory_size
from rosenblatt.engine.rows import Rows
from rosenblatt.errors import DataError, counted

# Every so many examples the running sum is settled: a change at example t is stored as t times the change, and for
# t near 10^9 that product would keep too few digits of a small average.
SETTLE_EVERY = 2**20

CACHE_LINE = 8  # doubles
HUGE = 2**21  # bytes in a huge page

# A weight beyond this, summed over as many examples as a counter can count, would not be finite.
LARGEST_WEIGHT = 1e290

BYTES_PER_WEIGHT = 32  # the weight, its sum, and the last and the averaged weights as they are given in the end
LEAST_WEIGHTS_CHECKED = 2**24


def aligned_zeros(*shape: int) -> np.ndarray:
    """Zeros that begin on a cache line: a register's worth of weights then never straddles two.

    Large ones lie in huge pages where the system has them: sparse rows find their weights all over the place. From half a
    huge page on, to clear a whole one takes less time than to be given its half in small ones; less than that is.
    """
    size = math.prod(shape)
    huge_pages = (8 * size + HUGE // 2) // HUGE
    if huge_pages and hasattr(mmap, "MADV_HUGEPAGE"):
        pages = mmap.mmap(-1, 8 * size + 2 * HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        buffer, unit = np.frombuffer(pages), HUGE // 8
        with contextlib.suppress(OSError):  # not every kernel grants them
            pages.madvise(mmap.MADV_HUGEPAGE, -buffer.ctypes.data % HUGE, huge_pages * HUGE)
    else:
        buffer, unit = np.zeros(size + CACHE_LINE), CACHE_LINE
    start = -(buffer.ctypes.data // 8) % unit
    return buffer[start : start + size].reshape(shape)


def refuse_beyond_memory(vectors: int, d: int, bytes_per_weight: int = BYTES_PER_WEIGHT) -> None:
    """Refuses weights that this machine cannot hold, before anything of their size is asked for.

    Linux grants more memory than there is, and ends the process that then uses it.
    """
    needed, available = vectors * d * bytes_per_weight, memory_size() if vectors * d > LEAST_WEIGHTS_CHECKED else None
    if available is not None and needed > available:
        raise DataError(
            f"The features are numbered up to {d:,}: {counted(vectors, 'weight vector')} of that length, with averages, "
            f"would take {needed / 1e9:,.1f} GB, and {available / 1e9:,.1f} GB are there. Renumber them without gaps, or "
            "hash the values of a table or the words of texts into fewer with hashing (--hash BITS)."
        )


class Weights:
    """One weight vector for two classes, one a class for more, each with its bias.

    `w[k, j]` is the weight of column j in vector k; in memory, dense rows find a vector's weights side by side, sparse
    rows a column's: w and u of one column then share a cache line. For a rule of second order (AROW) `sigma[k, j]` is the
    variance of that weight, 1 at first, and lies beside u.
    """

    def __init__(
        self,
        vectors: int,
        d: int,
        fit_intercept: bool = True,
        sparse: bool = False,
        settle_every: int = SETTLE_EVERY,
        second_order: bool = False,
    ):
        refuse_beyond_memory(vectors, d, BYTES_PER_WEIGHT + 8 * second_order)
        self.vectors, self.d, self.settle_every = vectors, d, settle_every
        self.fit_intercept = fit_intercept
        self.sparse, self.second_order = sparse, second_order
        self._lay_out()
        if self.sigma is not None:
            self.sigma[...] = 1
        self.bias = np.zeros(vectors)
        self.bias_u = np.zeros(vectors)
        self.bias_sigma = np.ones(vectors)
        self.total: np.ndarray | None = None  # Σ w over the examples before `settled`
        self.bias_total = np.zeros(vectors)
        self.scale = 1.0  # the true weights are scale * w
        self.weight = 0.0  # Σ scale since `settled`
        self.t = self.settled = 0  # examples seen, and settled
        self.updates = 0
        self.largest = 0.0  # |x|² times importance so far, where the rate depends on it
        self.scores = np.zeros(4 * vectors)  # room for the loop: a tile of four rows
        self.norm2: float | None = 0.0  # |w|² before scaling, where known; who moves w outside a run sets None
        self.past: Past | None = None
        self.shared = False  # does a view predict with these, so that who goes on learning needs a copy?

    def _lay_out(self) -> None:
        parts = 3 if self.second_order else 2
        if self.sparse:
            self.cells = aligned_zeros(self.d, parts, self.vectors)
            self.w, sums = self.cells[:, 0].T, self._sums_in(self.cells)
            self.u, *rest = (sums[:, :, part].T for part in range(parts - 1))
        else:
            whole = -(-self.d // CACHE_LINE) * CACHE_LINE
            self.cells = aligned_zeros(parts, self.vectors, whole)
            self.w, self.u, *rest = self.cells[:, :, : self.d]
        self.sigma: np.ndarray | None = rest[0] if rest else None

    def _sums_in(self, cells: np.ndarray) -> np.ndarray:
        """u and, beside each, sigma of these columns, where sparse rows move them: columns × vectors × 1 or 2."""
        columns, parts, vectors = cells.shape
        return cells.reshape(columns, parts * vectors)[:, vectors:].reshape(columns, vectors, parts - 1)

    def _blank(self, cells: np.ndarray, columns: np.ndarray | None) -> None:
        """These columns of the cells, or all, as training begins: weights of 0, variances of 1."""
        cells[... if columns is None else columns] = 0
        if self.second_order and self.sparse:
            self._sums_in(cells)[slice(None) if columns is None else columns, :, 1] = 1
        elif self.second_order:
            cells[2] = 1

    def start_from(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        """Begins with these weights instead of 0."""
        self.w[...] = coef
        self.bias[...] = intercept
        self.norm2 = None

    def untouched(self) -> bool:
        """Are these the weights that training begins with by itself: 0, and no example seen?"""
        return self.t == 0 and (self.norm2 == 0 or not self.w.any()) and not self.bias.any()

    def with_layout(self, sparse: bool) -> Weights:
        """These weights in the layout for dense or sparse rows; sums go on where they were."""
        if sparse == self.sparse:
            return self
        return self.with_state({**self.__getstate__(), "sparse": sparse})

    def copy(self) -> Weights:
        """The same state in memory of its own."""
        return self.with_state(self.__getstate__())

    def with_state(self, state: dict[str, Any]) -> Weights:
        twin = Weights.__new__(Weights)
        own = {name: value.copy() for name, value in state.items() if isinstance(value, np.ndarray) and name not in LAID_OUT}
        twin.__setstate__(state | own)  # which copies the others into the layout
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("cells", "past", "shared")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy or a pickle gets the layout that the loop wants, not the one that numpy chose."""
        self.settle_every, self.norm2, self.past, self.shared = SETTLE_EVERY, None, None, False
        self.second_order, self.bias_sigma = False, np.ones(state["vectors"])  # of which older pickles know nothing
        # What joblib maps from a file cannot be written to.
        vars(self).update({name: _own(value) if name in MOVED else value for name, value in state.items()})
        self._lay_out()
        self.w[...], self.u[...] = state["w"], state["u"]
        if self.sigma is not None:
            self.sigma[...] = state["sigma"]

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """(counts, arrays) from which `from_arrays` makes these weights again, beside those that `last` gives."""
        arrays = {"u": np.ascontiguousarray(self.u), "bias_u": self.bias_u, "bias_total": self.bias_total}
        if self.total is not None:
            arrays["total"] = np.ascontiguousarray(self.total)
        if self.scale != 1:  # w · scale is rounded: w cannot be had from it
            arrays["w"] = np.ascontiguousarray(self.w)
        return {name: vars(self)[name] for name in SAVED_COUNTS}, arrays

    @classmethod
    def from_arrays(
        cls,
        last: tuple[np.ndarray, np.ndarray],
        counts: dict[str, Any],
        arrays: dict[str, np.ndarray],
        fit_intercept: bool,
        variances: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Weights:
        """Weights that go on, to the bit, where those of `to_arrays` stood; `variances` are theirs."""
        coef, intercept = last
        weights = cls(len(coef), coef.shape[1], fit_intercept, second_order=variances is not None)
        if weights.sigma is not None and variances is not None:
            weights.sigma[...], weights.bias_sigma[...] = variances
        weights.start_from(arrays.get("w", coef), intercept)
        weights.u[...], weights.bias_u[...] = arrays["u"], arrays["bias_u"]
        weights.total, weights.bias_total = arrays.get("total"), arrays["bias_total"]
        vars(weights).update({name: counts[name] for name in SAVED_COUNTS})
        return weights

    def remember(self, columns: np.ndarray | None = None) -> Past:
        """Keeps the present state, for `go_back`: of these columns, if no others are going to move."""
        cells, sums = None, CellSums()
        if not self.untouched():
            cells = self.cells.copy() if columns is None else np.empty((len(columns), *self.cells.shape[1:]))
            sums = sums if columns is None else self.sums_of(columns, cells)
        state = vars(self)
        counts = {name: state[name] for name in COUNTS}
        self.past = Past(columns, cells, sums, self.bias.copy(), self.bias_u.copy(), self.bias_sigma.copy(), counts)
        return self.past

    def sums_of(self, columns: np.ndarray | None, copy: np.ndarray | None = None) -> CellSums:
        """The sums over w, u and sigma of these columns (int64), or all, where sparse rows move them.

        A `copy`, columns × 2 or 3 × vectors, gets the cells themselves.
        """
        return CellSums(*entries.copy_cells(self.cells, columns, copy))

    def go_back(self) -> None:
        """The state that was remembered, in the same memory."""
        past = self.past
        assert past is not None
        self._restore(self.cells, past)
        self.bias[...], self.bias_u[...], self.bias_sigma[...] = past.bias, past.bias_u, past.bias_sigma
        vars(self).update(past.counts)

    def _restore(self, cells: np.ndarray, past: Past) -> None:
        """Puts the cells of a past state into these."""
        if past.cells is None:
            self._blank(cells, past.columns)
        else:
            cells[... if past.columns is None else past.columns] = past.cells

    def copy_counts(self, loop: Any) -> None:
        """The counts after a run of the loop, which moves w, u and the biases in place."""
        self.scale, self.weight = loop.scale, loop.weight
        self.t, self.updates, self.largest = loop.t, loop.updates, loop.largest

    def advance(self, t: int) -> None:
        """Examples up to t change nothing but the sums, which are settled where training would settle them."""
        while self.t < t:
            self.t = min(t, (self.t // self.settle_every + 1) * self.settle_every)
            self.weight = float(self.t - self.settled)
            self.settle_if_due()

    def settle_if_due(self) -> None:
        if self.t % self.settle_every == 0:
            self.settle()

    def settle(self) -> None:
        """Adds what has run up to the total, and starts a new sum."""
        if self.past is not None and self.past.columns is not None:  # now all columns move
            whole = self.cells.copy()
            self._restore(whole, self.past)
            self.past = replace(self.past, columns=None, cells=whole)
        self.total = self.sum()
        self.bias_total = self.bias_sum()
        if self.scale != 1:
            self.w *= self.scale
        self.u[...] = 0
        self.bias_u[...] = 0
        self.scale, self.weight, self.settled = 1.0, 0.0, self.t

    def sum(self) -> np.ndarray:
        """Σ of w after every example: T w − u, exact on integers (w − u/T would not be)."""
        running: np.ndarray = np.multiply(self.w, self.weight, out=self._room())
        running -= self.u
        if self.total is not None:
            running += self.total
        return running

    def _room(self) -> np.ndarray:
        """For the weights alone, from a cache line on, in the order in which rows of the same kind read them."""
        return aligned_zeros(self.d, self.vectors).T if self.sparse else aligned_zeros(self.vectors, self.d)

    def bias_sum(self) -> np.ndarray:
        return self.bias_total + ((self.t - self.settled) * self.bias - self.bias_u)

    @property
    def last(self) -> tuple[np.ndarray, np.ndarray]:
        """(w, b) as they are now."""
        return np.multiply(self.w, self.scale, out=self._room()), self.bias.copy()

    @property
    def variances(self) -> tuple[np.ndarray, np.ndarray] | None:
        """A copy of Σ and of the biases' part of it, where the rule is of second order."""
        return None if self.sigma is None else (np.ascontiguousarray(self.sigma), self.bias_sigma.copy())

    @property
    def averaged(self) -> tuple[np.ndarray, np.ndarray]:
        """The mean of (w, b) after every example."""
        if self.t == 0:
            return self.last
        mean = self.sum()
        mean /= self.t
        return mean, self.bias_sum() / self.t

    def norm(self) -> float:
        """|w|, without the bias."""
        return self.scale * math.sqrt(self.norm2_of_all())

    def norm2_of_all(self) -> float:
        """Σ w² before scaling."""
        if self.sparse:
            return self.sums_of(None).norm2
        return float(np.einsum("kj,kj->", self.w, self.w))  # which does not warn of weights on their way to overflow

    def overflowed(self, norm: float) -> bool:
        """Are some weights, of this norm, so large that their sum over many examples would not be finite?"""
        if not all(abs(bias) < LARGEST_WEIGHT for bias in self.bias.tolist()):
            return True
        # Beyond, the square of the norm may have overflowed though w has not.
        return not norm < 1e150 and not np.abs(self.w).max() < LARGEST_WEIGHT

    def sums_overflowed(self, moved: CellSums | None = None) -> bool:
        """Is the average not finite, though the weights are? `moved`: the sums over the columns that have moved."""
        finite = moved is not None and math.isfinite(moved.others)
        finite = finite or all_finite(self._sums_in(self.cells) if self.sparse else self.u)
        return not (finite and all(map(math.isfinite, self.bias_u.tolist() + self.bias_total.tolist())))


class CellSums(NamedTuple):
    """Of the cells of some columns: Σ w² before scaling, and Σ of the others, which is finite if all of them are."""

    norm2: float = math.nan
    others: float = math.nan


@dataclass(frozen=True)
class Past:
    """A state of the weights: all of them, or those of some columns."""

    columns: np.ndarray | None
    cells: np.ndarray | None  # None: as training begins
    sums: CellSums  # over these cells, of some columns
    bias: np.ndarray
    bias_u: np.ndarray
    bias_sigma: np.ndarray
    counts: dict[str, Any]


LAID_OUT = ("w", "u", "sigma")  # where the loop wants them, and written to in place, as are
MOVED = ("bias", "bias_u", "bias_sigma", "scores")
SAVED_COUNTS = ("scale", "weight", "t", "settled", "updates", "largest")
COUNTS = ("total", "bias_total", "scale", "weight", "t", "settled", "updates", "largest", "norm2")  # never so


def _own(array: np.ndarray) -> np.ndarray:
    return array if type(array) is np.ndarray and array.flags.writeable else np.array(array)


def columns_that_move(rows: Rows, vectors: int) -> np.ndarray | None:
    """The columns that these rows can move, in order; None: all, or to find out would cost more than it saves."""
    if rows.dense or rows.entries > rows.d * vectors:
        return None
    # One row names each once; of more there are no more entries than columns, so that packed ones can be whole.
    columns = rows.row(0)[0].astype(np.int64) if rows.n == 1 else entries.list_columns(rows.whole())
    return columns if 4 * len(columns) <= rows.d else None


def all_finite(numbers: np.ndarray) -> bool:
    """Is every number finite? Their sum is only if all are; else each is looked at, as sums of huge ones overflow.

    >>> [all_finite(np.array([1e308, other])) for other in (-1e308, 1e308, np.inf)]
    [True, True, False]
    """
    total = np.einsum(numbers, list(range(numbers.ndim)), [])  # which does not warn, and makes no array of truths
    return bool(np.isfinite(total)) or bool(np.isfinite(numbers).all())


def weights_norm(coef: np.ndarray, intercept: np.ndarray, with_bias: bool = True) -> float:
    """|(w, b)|, or |w|, of all classes together, though the squares may overflow or vanish.

    >>> [f"{weights_norm(np.array([[3 * unit]]), np.array([4 * unit])):g}" for unit in (1e200, 1e-200)]
    ['5e+200', '5e-200']
    """
    return norm(np.append(coef, intercept) if with_bias else coef.ravel())


def norm(v: np.ndarray) -> float:
    """|v|, in a unit in which the squares neither overflow nor vanish."""
    _, exponent = np.frexp(np.abs(v).max(initial=0.0))
    with np.errstate(over="ignore"):  # infinite: it is
        scaled = np.ldexp(v, -exponent)
        # Not by BLAS: its threads would wait for more, busily, on the cores that workers and shuffles then lack.
        return float(np.ldexp(np.sqrt(np.einsum("i,i", scaled, scaled)), exponent))
