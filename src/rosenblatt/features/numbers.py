"""Sparse numbers as they are: what is fixed in training is only how many columns there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.parameters import Choice, check
from rosenblatt.errors import DataError
from rosenblatt.features.notes import Notes

if TYPE_CHECKING:
    import scipy.sparse as sp


class NumbersMap:
    """A CSR matrix, not copied (an array becomes one); rows of other files get the number of columns that training had.

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
        self.column_names: list[str] | None = None  # of an estimator that learned from named columns
        self.notes = Notes()

    def fit(self, rows: Any) -> NumbersMap:
        self.n_features = _csr(rows).shape[1]
        return self

    def transform(self, rows: Any) -> Any:
        import scipy.sparse as sp

        X = _csr(self._named(rows) if self.column_names and hasattr(rows, "columns") else rows)
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
        return with_unit_rows(X) if self.weighting == "unit" else X

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
        return self.column_names or [f"column {j}" for j in range(self.n_features)]

    def to_json(self) -> dict[str, Any]:
        named = {} if self.column_names is None else {"names": self.column_names}
        weighted = {"weighting": self.weighting} if self.weighting != "counts" else {}
        return {"map": "numbers", "columns": self.n_features} | named | weighted

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> NumbersMap:
        numbers = cls(saved.get("weighting", "counts"))
        numbers.n_features = int(saved["columns"])
        numbers.column_names = saved.get("names")
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
    lengths = np.sqrt(np.bincount(owners, X.data.astype(np.float64) ** 2, minlength=X.shape[0]))
    X.data /= np.where(lengths > 0, lengths, 1.0)[owners]
    return X


def _csr(rows: Any) -> Any:
    import scipy.sparse as sp

    if isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind in "biuf":
        return sp.csr_matrix(rows)
    if not sp.issparse(rows) or rows.ndim != 2:
        raise DataError(f"Expected a table of numbers, sparse or not, got {type(rows).__name__}.")
    return rows.tocsr()
