"""Sparse numbers as they are: what is fixed in training is only how many columns there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.named_rows import NamedRows
from rosenblatt.engine.parameters import Choice, check
from rosenblatt.errors import DataError
from rosenblatt.features.notes import Notes

if TYPE_CHECKING:
    import scipy.sparse as sp

LARGE = 2.0**400  # numbers up to here, and down to its reciprocal, have squares far from overflow and underflow


class NumbersMap:
    """A CSR matrix or an array, not copied; rows of other files get the number of columns that training had.

    Rows whose columns have names (`NamedRows`) get the columns of the same names; what training never saw is counted.

    A libsvm file is as wide as its highest index, so two parts of one data set often differ: missing columns are zeros,
    entries beyond the last column of training are dropped and counted. With weighting="unit" every row is divided by its
    length, a copy; "counts" leaves the numbers as they are.

    >>> import scipy.sparse as sp
    >>> X = sp.csr_matrix(np.array([[1, 0, 2]], dtype=np.float32))
    >>> numbers = NumbersMap().fit(X)
    >>> numbers.transform(sp.csr_matrix(np.array([[0, 4, 0, 7]], dtype=np.float32))).toarray()
    array([[0., 4., 0.]], dtype=float32)
    >>> numbers.notes.unseen
    {'column 3': 1}
    """

    def __init__(self, weighting: str = "counts") -> None:
        check("weighting", weighting, Choice(("counts", "unit")))
        self.weighting = weighting
        self.n_features = 0
        self.column_names: list[str] | None = None  # of an estimator that learned from named columns, or of NamedRows
        self.by_name = False  # are the columns known by their names only?
        self._places: dict[str, int] | None = None
        self.notes = Notes()

    def fit(self, rows: Any) -> NumbersMap:
        self.by_name = isinstance(rows, NamedRows)
        if isinstance(rows, NamedRows):
            self.column_names, self._places, rows = rows.names, None, rows.matrix
        self.n_features = sparse_rows(rows).shape[1]
        return self

    def fit_parts(self, parts: Iterable[Any]) -> NumbersMap:
        """Learns from rows that come in parts: there are as many columns as the widest has."""
        self.n_features = max(sparse_rows(rows).shape[1] for rows in parts)
        return self

    def transform(self, rows: Any) -> Any:
        import scipy.sparse as sp

        if isinstance(rows, NamedRows):
            return self._weighted(self._known_by_name(rows))
        if self.by_name and sp.issparse(rows):
            raise DataError(
                "The model knows its features by name, and these rows by number: name a file in Vowpal Wabbit's format."
            )
        X = self._named(rows) if self.column_names and hasattr(rows, "columns") else rows
        if self.weighting == "counts" and _is_dense(X) and X.shape[1] == self.n_features:
            # As it is: a sum over dense rows adds in another order, and is to be that of the estimator to the bit.
            self.notes = Notes(rows=len(X))
            return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        X = sparse_rows(X)
        shape = (X.shape[0], self.n_features)
        unseen = {}
        if X.shape[1] > self.n_features:
            known = X.indices < self.n_features
            columns, counts = np.unique(X.indices[~known], return_counts=True)
            unseen = {f"column {column}": int(count) for column, count in zip(columns, counts, strict=True)}
            if unseen:
                before = np.concatenate([[0], np.cumsum(known, dtype=np.int64)])
                indptr = before[X.indptr].astype(X.indptr.dtype)
                X = sp.csr_matrix((X.data[known], X.indices[known], indptr), shape=shape)
        if X.shape != shape:
            X = sp.csr_matrix((X.data, X.indices, X.indptr), shape=shape)
        self.notes = Notes(rows=shape[0], unseen=unseen)
        return self._weighted(X)

    def _weighted(self, X: sp.csr_matrix) -> sp.csr_matrix:
        return with_unit_rows(X) if self.weighting == "unit" else X

    def _known_by_name(self, rows: NamedRows) -> Any:
        """The columns that have the names of those of training."""
        import scipy.sparse as sp

        if not self.by_name or self.column_names is None:
            raise DataError("The model knows its columns by number, and these rows by name: name a libsvm file.")
        if rows.names is self.column_names:
            self.notes = Notes(rows=rows.shape[0])
            return rows.matrix
        if self._places is None:
            self._places = {name: place for place, name in enumerate(self.column_names)}
        X = rows.matrix
        places = np.array([self._places.get(name, -1) for name in rows.names], dtype=np.int32)
        known = places[X.indices] >= 0
        before = np.concatenate([[0], np.cumsum(known, dtype=np.int64)])
        indptr = before[X.indptr].astype(X.indptr.dtype)
        unseen: Counter[str] = Counter()
        for column, count in zip(*np.unique(X.indices[~known], return_counts=True), strict=True):
            space, mark, _ = rows.names[column].partition("^")
            unseen[f"namespace {space}" if mark else "features"] += int(count)
        self.notes = Notes(rows=rows.shape[0], unseen=dict(unseen))
        X = sp.csr_matrix((X.data[known], places[X.indices[known]], indptr), shape=(X.shape[0], self.n_features))
        X.sort_indices()
        return X

    def _named(self, frame: Any) -> np.ndarray:
        """The columns of a table (of pandas or polars) that it has learned from, by name and as numbers."""
        assert self.column_names is not None
        missing = [name for name in self.column_names if name not in frame.columns]
        if missing:
            raise DataError(f"There is no column {missing[0]!r}, which the model has learned from.")
        try:
            return np.stack([np.asarray(frame[name], dtype=np.float64) for name in self.column_names], axis=1)
        except (TypeError, ValueError) as wrong:
            raise DataError(f"The model has learned from numbers, but a column holds something else: {wrong}.") from None

    @property
    def names(self) -> list[str]:
        return self.column_names or [self.name_of(column) for column in range(self.n_features)]

    def name_of(self, column: int) -> str:
        """The name of one column, where a list of all would be too long."""
        return self.column_names[column] if self.column_names else f"column {column}"

    def to_json(self) -> dict[str, Any]:
        named: dict[str, Any] = {} if self.column_names is None else {"names": self.column_names}
        named |= {"by_name": True} if self.by_name else {}
        weighted = {"weighting": self.weighting} if self.weighting != "counts" else {}
        return {"map": "numbers", "columns": self.n_features} | named | weighted

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> NumbersMap:
        numbers = cls(saved.get("weighting", "counts"))
        numbers.n_features = int(saved["columns"])
        numbers.column_names, numbers.by_name = saved.get("names"), saved.get("by_name", False)
        return numbers


def with_unit_rows(X: sp.csr_matrix) -> sp.csr_matrix:
    """The rows divided by their lengths; one of zeros stays.

    >>> import scipy.sparse as sp
    >>> with_unit_rows(sp.csr_matrix([[3.0, 4.0], [0.0, 0.0]])).toarray()
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    import scipy.sparse as sp

    X = sp.csr_matrix(X, copy=True, dtype=X.dtype if X.dtype.kind == "f" else np.float32)
    X.sum_duplicates()
    owners = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    sizes = np.abs(X.data[X.data != 0])
    if X.dtype == np.float64 and len(sizes) and (sizes.max() > LARGE or sizes.min() < 1 / LARGE):
        # Squares would overflow or vanish: each row in a unit of its own, a power of two, which rounds nothing.
        largest = np.zeros(X.shape[0])
        np.maximum.at(largest, owners, np.abs(X.data))
        X.data = np.ldexp(X.data, -np.frexp(largest)[1][owners])
    lengths = np.sqrt(np.bincount(owners, X.data.astype(np.float64) ** 2, minlength=X.shape[0]))
    X.data /= np.where(lengths > 0, lengths, 1.0)[owners]
    return X


def _is_dense(rows: Any) -> bool:
    return isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "biuf"


def sparse_rows(rows: Any) -> Any:
    """A table of numbers as CSR."""
    import scipy.sparse as sp

    if isinstance(rows, NamedRows):
        return rows.matrix
    if _is_dense(rows):
        return sp.csr_matrix(rows)
    if not sp.issparse(rows) or rows.ndim != 2:
        raise DataError(f"Expected a table of numbers, sparse or not, got {type(rows).__name__}.")
    return rows.tocsr()
