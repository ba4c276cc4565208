"""Rows that the loop reads where they lie: dense, CSR, or one-hot codes.

Data stay in the type that they came in and are not copied, with four exceptions, each made once, before training:
integers and booleans become float32 (float64 beyond 2^24, where float32 would round), layouts other than row after row
become that, sparse formats other than CSR become CSR, and entries of a CSR row with the same column are summed. The
columns of a CSR row may come in any order: that is the order in which its products are summed.
"""

from __future__ import annotations

import copy
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.compiled import entries
from rosenblatt.errors import DataError, NotFiniteError

DENSE_F32, DENSE_F64 = 0, 1
# By the bytes of a value, of which ones have none, and those of a column index.
SPARSE_KINDS = {(4, 4): 2, (8, 4): 3, (0, 4): 4, (4, 8): 5, (8, 8): 6, (0, 8): 7}
FINE, UNSORTED, BAD_INDPTR, BAD_INDEX = range(4)  # verdicts of entries.check
MANY_ENTRIES = 2**20  # from which on a second thread checks them sooner than one

# Row numbers are 32-bit in the order and in the log.
MOST_ROWS = 2**31 - 1

VALUES_AT_A_TIME = 2**16


@dataclass(frozen=True)
class OneHot:
    """Rows of ones, the same number in each, given by their column indices alone.

    >>> OneHot(np.array([[0, 2], [1, 2]]), n_features=3).toarray()
    array([[1., 0., 1.],
           [0., 1., 1.]], dtype=float32)
    """

    columns: np.ndarray  # n × m, increasing in each row
    n_features: int

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.columns), self.n_features

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, rows: Any) -> OneHot:
        """Some of the rows: scikit-learn cuts them so, for cross-validation."""
        if isinstance(rows, tuple):
            rows, *columns = rows
            if columns != [Ellipsis]:
                raise DataError("Of OneHot, rows can be taken, and all their columns.")
        return OneHot(np.atleast_2d(self.columns[rows]), self.n_features)

    def toarray(self) -> np.ndarray:
        dense = np.zeros(self.shape, dtype=np.float32)
        np.put_along_axis(dense, self.columns, 1, axis=1)
        return dense


class Rows:
    """n rows of d columns, checked, in a form that rows.h understands.

    A row of CSR that names a column twice has the sum there. To score it is to sum over its entries, and so is a step along
    it: for these alone (`to_learn=False`, or `repeats=True` where nobody asks for norms), columns may repeat. They are
    checked by so many threads, if there are `many_entries`.
    """

    def __init__(
        self,
        X: Any,
        to_learn: bool = True,
        threads: int = 1,
        many_entries: int = MANY_ENTRIES,
        repeats: bool = False,
    ):
        self.values: np.ndarray | None = None
        self.indices: np.ndarray | None = None
        self.indptr: np.ndarray | None = None
        self.width = self.entries = 0
        self.dense = False
        self.threads, self.many_entries = threads, many_entries
        self.finer: Any = None  # where digits were rounded away: the rows with more of them (features/precision.py)
        if isinstance(X, OneHot):
            self._take_one_hot(X, to_learn)
        elif is_sparse(X):
            self._take_csr(X, to_learn, repeats)
        else:
            try:
                table = np.asanyarray(X)
            except ValueError:
                raise DataError("The rows of X have different lengths: expected as many columns in each.") from None
            self._take_dense(table)
        if self.n > MOST_ROWS:
            raise DataError(f"{self.n:,} rows are more than fit in one call: pass them to partial_fit in parts.")

    def _take_dense(self, X: np.ndarray) -> None:
        if X.ndim != 2:
            raise DataError(f"X has {X.ndim} dimension(s): expected a table of rows and columns.")
        X = as_float(X)
        if not X.flags.aligned or (X.size and (X.strides[1] != X.itemsize or X.strides[0] % X.itemsize)):
            X = np.require(X, requirements=["C", "A"])
        self.dense = True
        self.kind = DENSE_F32 if X.dtype == np.float32 else DENSE_F64
        self.n, self.d = X.shape
        self.width = X.strides[0] // X.itemsize
        self.entries = X.size
        self.values = X

    def _take_one_hot(self, X: OneHot, to_learn: bool) -> None:
        if X.columns.ndim != 2 or X.columns.dtype.kind not in "iu":
            raise DataError(
                f"OneHot columns are {X.columns.ndim}-dimensional {X.columns.dtype}: expected rows of whole numbers."
            )
        self.n, self.d = X.shape
        self.width = X.columns.shape[1]
        columns = np.require(X.columns, None if X.columns.dtype in (np.int32, np.int64) else np.int64, ["C", "A"])
        self.indices = columns.reshape(-1)
        self.entries = columns.size
        self.kind = SPARSE_KINDS[0, columns.itemsize]
        if self._check(increasing=to_learn) == UNSORTED:
            raise DataError("The columns of a OneHot row must increase from left to right.")

    def _take_csr(self, X: Any, to_learn: bool, repeats: bool) -> None:
        if len(X.shape) != 2:
            raise DataError(f"X has {len(X.shape)} dimension(s): expected a table of rows and columns.")
        if X.format != "csr":
            X = X.tocsr()
        self._set_csr(X)
        if self._check(increasing=to_learn and not repeats) == UNSORTED:
            marks = np.zeros(self.n, dtype=np.uint8)
            if entries.mark_repeats(self, marks):
                self._set_csr(with_summed(X, marks.view(bool)))
        if to_learn and self.values is not None and all_ones(self.values[: self.entries]):
            assert self.indices is not None
            self.kind = SPARSE_KINDS[0, self.indices.itemsize]  # so the loop, epoch after epoch, reads no values

    def _set_csr(self, X: Any) -> None:
        self.n, self.d = X.shape
        self.values = values = in_place(as_float(X.data))
        index = np.int64 if max(X.indices.itemsize, X.indptr.itemsize) == 8 else np.int32
        self.indices = in_place(X.indices, index)
        self.indptr = in_place(X.indptr, index)
        self.entries = min(len(self.indices), len(values))
        self.kind = SPARSE_KINDS[values.itemsize, self.indices.itemsize]
        if len(self.indptr) != self.n + 1:
            raise DataError(f"indptr has {len(self.indptr)} entries: {self.n} rows need {self.n + 1}.")

    def _check(self, increasing: bool) -> int:
        """Refuses indices that point outside the data; below this door they are trusted. May be UNSORTED."""
        if self.threads > 1 and self.n > self.threads and self.entries >= self.many_entries:
            from rosenblatt.engine.threads import map_on_cores

            if not any(map_on_cores(lambda part: entries.check(part, increasing, True)[0], self._parts(self.threads))):
                return FINE
        verdict, row, entry = entries.check(self, increasing)
        if verdict == BAD_INDPTR:
            assert self.indptr is not None
            raise DataError(
                f"Row {row} claims entries {self.indptr[row]} to {self.indptr[row + 1]} of {self.entries}: "
                "indptr must start at 0, never fall, and stay within the data."
            )
        if verdict == BAD_INDEX:
            assert self.indices is not None
            raise DataError(f"Row {row} has column index {self.indices[entry]}: expected 0 to {self.d - 1}.")
        return int(verdict)

    def _parts(self, count: int) -> list[Rows]:
        """The rows where they lie, in so many blocks of about the same height."""
        return [self.block(k * self.n // count, (k + 1) * self.n // count) for k in range(count)]

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """What the rows lie in."""
        return tuple(array for array in (self.values, self.indices, self.indptr) if array is not None)

    @property
    def mapped(self) -> bool:
        """Do the rows lie in files?"""
        return any(map(is_mapped, self.arrays))

    def row(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Columns and values of row i."""
        if self.dense:
            assert self.values is not None
            return np.arange(self.d), self.values[i]
        assert self.indices is not None
        start, end = i * self.width, (i + 1) * self.width
        if self.indptr is not None:
            start, end = self.indptr[i], self.indptr[i + 1]
        columns = self.indices[start:end]
        return columns, np.ones(len(columns)) if self.values is None else self.values[start:end]

    def take(self, numbers: np.ndarray) -> Rows:
        """A copy of the rows with these numbers."""
        if self.dense:
            assert self.values is not None
            return Rows(self.values[numbers])
        if self.indptr is None:
            return Rows(self.one_hot(numbers))
        return Rows(self.csr()[numbers])

    def block(self, start: int, stop: int) -> Rows:
        """Rows `start` to `stop` where they lie, to be scored."""
        part = copy.copy(self)
        part.n, part.finer = stop - start, None
        if self.dense:
            assert self.values is not None
            part.values = self.values[start:stop]
            part.entries = part.values.size
        elif self.indptr is not None:
            part.indptr = self.indptr[start : stop + 1]
        else:
            assert self.indices is not None
            part.indices = self.indices[start * self.width : stop * self.width]
            part.entries = len(part.indices)
        return part

    def part(self, start: int, stop: int) -> Rows:
        """Rows `start` to `stop` as if they were alone, to learn from: the entries of others are not among theirs."""
        part = self.block(start, stop)
        if self.indptr is not None:
            assert self.indices is not None
            assert self.values is not None
            first, last = int(self.indptr[start]), int(self.indptr[stop])
            part.indices, part.values = self.indices[first:last], self.values[first:last]
            part.indptr, part.entries = self.indptr[start : stop + 1] - self.indptr[start], last - first
        return part

    def whole(self) -> Rows:
        """These rows as the loop reads them: those that are packed are not."""
        return self

    def one_hot(self, numbers: Any = slice(None)) -> OneHot:
        """One-hot rows as they came."""
        assert self.indices is not None
        return OneHot(self.indices.reshape(self.n, self.width)[numbers], self.d)

    def matrix(self) -> Any:
        """The rows for other libraries: an array, or CSR where they are sparse; values are shared where there are any."""
        return self.values if self.dense else self.csr()

    def csr(self) -> Any:
        """The rows as a matrix of scipy's; sparse ones with values are not copied."""
        from scipy.sparse import csr_array

        if self.dense:
            return csr_array(self.values)
        values, indptr = self.values, self.indptr
        if values is None:
            values = np.ones(self.entries, dtype=np.float32)
        if indptr is None:
            assert self.indices is not None
            indptr = np.arange(self.n + 1, dtype=self.indices.dtype) * self.width
        return csr_array((values, self.indices, indptr), shape=(self.n, self.d))

    def refuse_not_finite(self) -> None:
        """Raises for the first row with nan or infinity; the loop would notice, but only once it gets there."""
        values = np.zeros(0) if self.values is None else self.values
        step = max(1, VALUES_AT_A_TIME // max(1, self.d)) if self.dense else VALUES_AT_A_TIME
        for start in range(0, len(values), step):  # in blocks, which need little room
            finite = np.isfinite(values[start : start + step])
            if finite.all():
                continue
            if self.indptr is None:
                raise self.blame(start + int(finite.all(axis=1).argmin()))
            raise self.blame(int(np.searchsorted(self.indptr, start + finite.argmin(), side="right")) - 1)

    def blame(self, i: int) -> NotFiniteError:
        """The error that names what in row i cannot be computed with."""
        columns, x = self.row(i)
        bad = np.flatnonzero(~np.isfinite(x))
        if len(bad):
            e, what = bad[0], "Input X contains {value}: row {row}, column {column}. Fill in or drop such values first."
        else:
            what = (
                "Row {row}, column {column} is {value}: products with numbers of this size overflow or underflow. "
                "Scale the features first, for example with StandardScaler."
            )
            e = np.abs(x).argmax()
        column = int(columns[e])
        value = {"nan": "NaN", "inf": "infinity", "-inf": "-infinity"}.get(str(x[e]), f"{x[e]:g}")
        return NotFiniteError(what.format(value=value, row=i, column=column), row=i, column=column)


def checked_rows(X: Any) -> Rows:
    """The rows of X, checked; what is checked already stays what it is."""
    return X if isinstance(X, Rows) else Rows(X)


def join(above: Rows, below: Rows) -> Rows:
    """The rows of both, in a new table: of one kind if both are, else CSR."""
    if above.dense and below.dense:
        assert above.values is not None
        assert below.values is not None
        return Rows(np.concatenate([above.values, below.values]))
    one_hot = all(rows.indptr is None and not rows.dense for rows in (above, below))
    if one_hot and above.width == below.width:
        return Rows(OneHot(np.concatenate([above.one_hot().columns, below.one_hot().columns]), above.d))
    from scipy.sparse import vstack

    return Rows(vstack([above.csr(), below.csr()], format="csr"))


def with_summed(X: Any, repeats: np.ndarray) -> Any:
    """A copy of CSR rows in which the marked ones have every column once; the others are as they were."""
    from scipy.sparse import csr_array

    summed = csr_array(X)[repeats]
    summed.sum_duplicates()
    before, after = np.diff(X.indptr), np.diff(X.indptr)
    after[repeats] = np.diff(summed.indptr)
    new = np.repeat(repeats, after)
    parts = []
    for theirs, ours in ((X.data, summed.data), (X.indices, summed.indices)):
        part = np.empty(len(new), dtype=theirs.dtype)
        part[new], part[~new] = ours, theirs[: X.indptr[-1]][np.repeat(~repeats, before)]
        parts.append(part)
    indptr = np.concatenate([[0], np.cumsum(after)]).astype(X.indptr.dtype)
    return csr_array((*parts, indptr), shape=X.shape)


def all_ones(values: np.ndarray) -> bool:
    """Is every value 1? Most data tell by the first; then in blocks, which need little room."""
    if len(values) and values[0] != 1:
        return False
    starts = range(0, len(values), VALUES_AT_A_TIME)
    return all(bool((values[start : start + VALUES_AT_A_TIME] == 1).all()) for start in starts)


def mapping_of(array: Any) -> np.memmap | None:
    """The array, or that of which it is a view, that is mapped from a file; None where none is."""
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return array


def is_mapped(array: Any) -> bool:
    """Is the array, or that of which it is a view, one that is mapped from a file?"""
    return mapping_of(array) is not None


def is_sparse(X: Any) -> bool:
    """Is X a scipy sparse matrix? Where scipy.sparse (0.1 s) has not been imported, it cannot be."""
    # Another thread may be importing it just now: a module that is half there has made no matrix yet.
    issparse = getattr(sys.modules.get("scipy.sparse"), "issparse", None)
    return issparse is not None and bool(issparse(X))


def in_place(values: np.ndarray, dtype: Any = None) -> np.ndarray:
    """The array itself where the loop can read it: of this type, aligned, without gaps; else a copy that is so."""
    if values.flags.c_contiguous and values.flags.aligned and (dtype is None or values.dtype == dtype):
        return values
    return np.require(values, dtype, ["C", "A"])


def as_float(values: np.ndarray) -> np.ndarray:
    """The same numbers as float32 or float64, in native byte order; float32 and float64 are not copied."""
    kind = values.dtype.kind
    if values.dtype.char in "fd" and values.dtype.isnative:
        return values
    if kind == "f" and values.dtype.itemsize in (4, 8):
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    if kind == "f":
        return values.astype(np.float32 if values.dtype.itemsize == 2 else np.float64)
    if kind in "biu":
        exact = values.dtype.itemsize <= 2 or not values.size or max(-int(values.min()), int(values.max())) <= 2**24
        return values.astype(np.float32 if exact else np.float64)
    if kind == "c":
        raise DataError("Complex data not supported: X must hold real numbers.")
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X holds something that is not a number: {error}") from None
