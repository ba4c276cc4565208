"""Blocks that are parts of a Dask array or dataframe: computed in the task that needs them, wherever that is, and again.

Nothing is persisted or scattered. What a part is made from, files as a rule, its own graph knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.cluster.tasks import Tasks
from rosenblatt.data.columnar import typed_dataset
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.errors import DataError, SettingError
from rosenblatt.features.table.table_map import as_frame


@dataclass(frozen=True)
class PartitionBlock:
    """A part of a collection: rows with labels beside them, or a table in which one column is the target."""

    path: str  # what it is called in messages
    rows: Any  # delayed
    labels: Any | None  # delayed, beside an array
    options: ReadOptions
    format: str = "partition"
    first: int = 0
    last: int = 1

    def identity(self) -> list[str]:
        """What tells it from other parts."""
        return [str(self.rows.key), str(getattr(self.labels, "key", ""))]

    def read(self) -> Dataset:
        """Its rows."""
        import dask

        rows, labels = dask.compute(self.rows, self.labels, scheduler="synchronous")
        if not len(rows):
            return Dataset("table", None, None, self.path)
        if labels is None:
            return typed_dataset(as_frame(rows), self.options, self.path)
        if len(rows) != len(labels):
            raise DataError(f"{self.path}: {len(rows)} rows but {len(labels)} labels: cut both alike.")
        return Dataset("sparse", numbers_in(rows), np.asarray(labels), self.path, zero_based=True)


def numbers_in(rows: Any) -> np.ndarray:
    """An array of floats that the loop reads as it is."""
    array = np.asarray(rows)
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


@dataclass(frozen=True)
class PartitionSource:
    """A Dask array with its labels, or a Dask dataframe, as blocks."""

    where: str
    parts: list[PartitionBlock]
    options: ReadOptions
    folder: str | None = None
    sample_rows: int = 2**16

    def tell(self, step: str) -> None:
        """Nobody watches."""

    def blocks(self, tasks: Tasks) -> list[PartitionBlock]:
        return self.parts


def source_of_array(X: Any, y: Any) -> PartitionSource:
    """A Dask array, cut between rows as it is."""
    if not hasattr(y, "to_delayed") or not hasattr(y, "chunks"):
        raise SettingError(
            "The labels of a Dask array are a Dask array as long: dask.array.from_array(y, chunks=X.chunks[0])."
        )
    if X.ndim != 2 or y.ndim != 1:
        raise DataError(f"X has {X.ndim} dimension(s) and y {y.ndim}: expected rows and columns, and a label a row.")
    X = X.rechunk({1: -1})
    if X.shape[0] != y.shape[0]:
        raise DataError(f"{X.shape[0]} rows but {y.shape[0]} labels: expected as many of one as of the other.")
    y = y.rechunk((X.chunks[0],))
    pairs = zip(X.to_delayed().ravel(), y.to_delayed().ravel(), strict=True)
    name, options = "the array", ReadOptions(zero_based=True)
    parts = [PartitionBlock(f"{name}, chunk {k}", rows, labels, options) for k, (rows, labels) in enumerate(pairs)]
    return PartitionSource(name, parts, options)


def source_of_frame(frame: Any, target: str | None) -> PartitionSource:
    """A Dask dataframe, of which a column is the target."""
    if target is None or target not in frame.columns:
        columns = ", ".join(map(str, frame.columns[:30]))
        raise SettingError(f"target is {target!r}: name the column to predict, one of {columns}.")
    name, options = "the dataframe", ReadOptions(target=target)
    parts = [PartitionBlock(f"{name}, partition {k}", part, None, options) for k, part in enumerate(frame.to_delayed())]
    return PartitionSource(name, parts, options)
