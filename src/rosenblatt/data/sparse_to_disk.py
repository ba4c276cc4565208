"""Sparse rows of any length on disk: libsvm files, and Vowpal Wabbit's, read once and mapped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data.dataset import Dataset, told_once
from rosenblatt.data.named_rows import NamedRows
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.reading import Where, batches_of
from rosenblatt.data.row_cache import RowCacheWriter, open_rows
from rosenblatt.data.table import number_text
from rosenblatt.engine.file_arrays import ArrayWriter


def sparse_on_disk(
    where: Where, options: ReadOptions, folder: Path, watch: Callable[[int], None] = lambda rows: None
) -> Dataset:
    """The data of a source of sparse rows, with these in a folder; `watch` is called with the number of rows so far."""
    if options.zero_based is None and options.n_features is None:
        # Indices are read as they stand, and count from 1 until a 0 is seen. It may come late: then all are read again.
        data = SparseRowsWriter(folder, watch, first_index=1).read(where, replace(options, zero_based=True))
        if data is not None:
            return data
        options = replace(options, zero_based=True)
    data = SparseRowsWriter(folder, watch).read(where, options)
    assert data is not None
    return data


class SparseRowsWriter:
    """Writes the batches of one source."""

    def __init__(self, folder: Path, watch: Callable[[int], None], first_index: int = 0):
        self.folder, self.watch, self.first_index = folder, watch, first_index
        self.names: dict[str, int] = {}  # of columns that have some, in the order in which they occur
        self.labels: list[ArrayWriter | np.ndarray] = []  # those of one type after the other; of texts, as they came
        self.width = 0

    def read(self, where: Where, options: ReadOptions) -> Dataset | None:
        """All rows; None where an index is smaller than the first was to be."""
        writer, last = RowCacheWriter(self.folder), None
        notes: tuple[str, ...] = ()
        for data in batches_of(where, None, options):
            X = self._numbered(data.rows)
            if data.zero_based is not None and self.first_index:
                if X.indices.min(initial=1) < self.first_index:
                    return None
                X.indices -= self.first_index
            self.width = max(self.width, X.shape[1] - (self.first_index if data.zero_based is not None else 0))
            writer.add(X)
            self.watch(writer.rows)
            self._add_labels(np.asarray(data.labels))
            last, notes = data, told_once([*notes, *data.notes])
        assert last is not None
        writer.finish(self.width)
        rows = open_rows(self.folder, verify=False)
        zero_based = None if last.zero_based is None else last.zero_based and not self.first_index
        named = NamedRows(rows, list(self.names)) if isinstance(last.rows, NamedRows) else rows
        parts = [part.array() if isinstance(part, ArrayWriter) else part for part in self.labels]
        labels = parts[0] if len(parts) == 1 else joined_labels(parts)
        return replace(last, rows=named, labels=labels, zero_based=zero_based, notes=notes)

    def _add_labels(self, labels: np.ndarray) -> None:
        last = self.labels[-1] if self.labels else None
        if labels.dtype.kind in "OU":
            self.labels.append(labels)
            return
        if not isinstance(last, ArrayWriter) or last.dtype != labels.dtype:
            last = ArrayWriter(labels.dtype)
            self.labels.append(last)
        last.add(labels)

    def _numbered(self, rows: Any) -> Any:
        """The rows with the columns of all batches so far."""
        if not isinstance(rows, NamedRows):
            return rows
        import scipy.sparse as sp

        places = np.array([self.names.setdefault(name, len(self.names)) for name in rows.names], dtype=np.int32)
        X = rows.matrix
        X = sp.csr_matrix((X.data, places[X.indices], X.indptr), shape=(X.shape[0], len(self.names)))
        X.sort_indices()
        return X


def joined_labels(parts: list[np.ndarray]) -> np.ndarray:
    """Labels below one another: numbers if all are, else as texts.

    >>> joined_labels([np.array([1, 2]), np.array(["cat"], dtype=object)]).tolist()
    ['1', '2', 'cat']
    """
    if any(part.dtype.kind in "OU" for part in parts):
        parts = [
            part if part.dtype.kind in "OU" else np.array([number_text(one) for one in part.tolist()], dtype=object)
            for part in parts
        ]
    return np.concatenate(parts)
