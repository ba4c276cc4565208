"""From the entries of all blocks, part by part, to the matrix that the loop reads without copying."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.engine.rows import OneHot
from rosenblatt.features.table.blocks import FeatureBlock, HashedBlock, MissingBlock, NumberBlock, NumberProduct
from rosenblatt.features.table.encoding import EncodedRows

if TYPE_CHECKING:
    import scipy.sparse as sp

IN_EVERY_ROW = (NumberBlock, MissingBlock, NumberProduct)


def is_dense(blocks: list[FeatureBlock]) -> bool:
    """Has every feature a value in every row, so that indices would only cost memory?"""
    return all(isinstance(block, IN_EVERY_ROW) for block in blocks)


class DenseBuilder:
    """n × d numbers."""

    def __init__(self, n: int, blocks: list[FeatureBlock], starts: list[int], dtype: type[np.floating]):
        self.X = np.zeros((n, len(blocks)), dtype=dtype)
        self.blocks, self.starts = blocks, starts

    def add(self, part: EncodedRows) -> None:
        for block, start in zip(self.blocks, self.starts, strict=True):
            place, value = block.encode(part)
            self.X[part.start : part.stop, start] = place + 1 if value is None else value

    def result(self, n_features: int) -> np.ndarray:
        return self.X


class SparseBuilder:
    """One place per block and row, filled from the left: what stays empty is never touched, so it costs no memory.

    If nothing stays empty and every value is 1, the places alone are the rows: OneHot. Otherwise they are CSR.
    """

    def __init__(self, n: int, blocks: list[FeatureBlock], starts: list[int], dtype: type[np.floating]):
        self.n, self.blocks, self.starts, self.dtype = n, blocks, starts, dtype
        self.width = len(blocks)
        self.columns = np.empty(n * self.width, dtype=np.int32)
        self.values: np.ndarray | None = None
        self.lengths = np.zeros(n + 1, dtype=np.int64)
        self.end = 0
        self.hashed = any(isinstance(block, HashedBlock) for block in blocks)
        self.repeated = False  # is there a row in which two names share a bucket?

    def add(self, part: EncodedRows) -> None:
        full = slice(self.end, self.end + len(part) * self.width)
        columns = self.columns[full].reshape(len(part), self.width)
        values = None
        absent = False
        for j, (block, start) in enumerate(zip(self.blocks, self.starts, strict=True)):
            places, value = block.encode(part)
            np.add(places, start, out=columns[:, j], casting="unsafe")
            if np.min(places, initial=0) < 0:
                absent = True
                columns[np.less(places, 0), j] = -1
            if value is not None:
                if values is None:
                    values = np.ones(columns.shape, dtype=self.dtype)
                values[:, j] = value
        if self.hashed:
            self._sort(columns, values)
        if values is not None and self.values is None:
            self.values = np.empty(len(self.columns), dtype=self.dtype)
        if not absent:
            self.lengths[part.start + 1 : part.stop + 1] = self.width
            place, chosen = full, None
        else:
            chosen = columns >= 0
            self.lengths[part.start + 1 : part.stop + 1] = np.count_nonzero(chosen, axis=1)
            place = slice(self.end, self.end + int(np.count_nonzero(chosen)))
            self.columns[place] = columns[chosen]
        if self.values is not None:
            assert values is not None
            self.values[place] = values.reshape(-1) if chosen is None else values[chosen]
        self.end = place.stop

    def _sort(self, columns: np.ndarray, values: np.ndarray | None) -> None:
        """Sorts the places of every row, as the loop expects: those of hashed features come in any order."""
        if values is None:
            columns.sort(axis=1)
        else:
            order = np.argsort(columns, axis=1, kind="stable")
            columns[:] = np.take_along_axis(columns, order, axis=1)
            values[:] = np.take_along_axis(values, order, axis=1)
        self.repeated |= bool(((columns[:, 1:] == columns[:, :-1]) & (columns[:, 1:] >= 0)).any())

    def result(self, n_features: int) -> OneHot | sp.csr_matrix:
        if self.end == len(self.columns) and self.values is None and not self.repeated:
            return OneHot(self.columns.reshape(self.n, self.width), n_features)
        import scipy.sparse as sp  # 0.2 s, and most tables do not need it

        values = np.ones(self.end, dtype=self.dtype) if self.values is None else self.values[: self.end]
        indptr = np.cumsum(self.lengths, out=self.lengths)
        if self.end < 2**31:
            indptr = indptr.astype(np.int32)
        X = sp.csr_matrix((values, self.columns[: self.end], indptr), shape=(self.n, n_features))
        if self.repeated:
            X.sum_duplicates()
        return X
