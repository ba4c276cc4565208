"""Rows to measure on that are rows of training, too: each has a key, which workers look for among those of their shards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rosenblatt.cluster.encoded import Encoding, FileShard, mapped_examples
from rosenblatt.cluster.tasks import Tasks
from rosenblatt.engine.rows import Rows
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.learn import RepeatedRows

ROWS_AT_ONCE = 2**16
LEAST_KEYS = 2**12  # by which it is told how many rows of training repeat each other


def count_repeated(tasks: Tasks, shards: list[FileShard], encoding: Encoding, measured: Examples) -> RepeatedRows:
    """How many of the measured rows are rows of the shards, and how many of these repeat each other anyway."""
    keys = row_keys(measured)
    matches: KeyMatches = tasks.reduce(matches_of, shards, merge_matches, tasks.shared(encoding), tasks.shared(keys))
    often = matches.counts[matches.counts > 1].sum() / matches.counts.sum()
    return RepeatedRows(int(np.isin(keys, matches.found).sum()), float(often))


@dataclass(frozen=True)
class KeyMatches:
    """Keys that were looked for and are in a shard, or in several; and the least of all its keys, each with its rows."""

    found: np.ndarray
    least: np.ndarray
    counts: np.ndarray


def matches_of(shard: FileShard, encoding: Encoding, wanted: np.ndarray) -> KeyMatches:
    with mapped_examples(shard, encoding) as examples:
        keys, counts = np.unique(row_keys(examples), return_counts=True)
    return KeyMatches(np.intersect1d(keys, wanted), keys[:LEAST_KEYS], counts[:LEAST_KEYS])


def merge_matches(a: KeyMatches, b: KeyMatches) -> KeyMatches:
    """Of both: a key that is among the least of all is so in each shard that has it, so its rows are all counted.

    >>> a, b = (KeyMatches(np.array([k]), np.array([1, k]), np.array([2, 1])) for k in (5, 7))
    >>> merge_matches(a, b)
    KeyMatches(found=array([5, 7]), least=array([1, 5, 7]), counts=array([4, 1, 1]))
    """
    least, places = np.unique(np.concatenate([a.least, b.least]), return_inverse=True)
    counts = np.zeros(len(least), dtype=np.int64)
    np.add.at(counts, places, np.concatenate([a.counts, b.counts]))
    return KeyMatches(np.union1d(a.found, b.found), least[:LEAST_KEYS], counts[:LEAST_KEYS])


def row_keys(examples: Examples) -> np.ndarray:
    """A number for each row: the same for rows of the same features and class, dense or sparse, else hardly ever.

    >>> import scipy.sparse as sp
    >>> X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0]])
    >>> dense, sparse = (row_keys(Examples(Rows(rows), np.array([0, 1, 1]), np.arange(2))) for rows in (X, sp.csr_array(X)))
    >>> (dense == sparse).all(), len(set(dense.tolist()))
    (np.True_, 3)
    """
    rows, keys = examples.rows, np.empty(examples.rows.n, dtype=np.uint64)
    for first in range(0, rows.n, ROWS_AT_ONCE):
        last = min(rows.n, first + ROWS_AT_ONCE)
        keys[first:last] = sums_of_entries(rows, first, last)
    keys += scrambled(examples.codes, np.float64(-1.0))
    return keys


def sums_of_entries(rows: Rows, first: int, last: int) -> np.ndarray:
    """Of each row, the sum of its scrambled entries: their order does not count, and zeros add nothing."""
    if rows.dense:
        assert rows.values is not None
        return np.asarray(scrambled(np.arange(rows.d), rows.values[first:last]).sum(axis=1, dtype=np.uint64))
    assert rows.indices is not None
    if rows.indptr is None:
        columns = rows.indices[first * rows.width : last * rows.width].reshape(-1, rows.width)
        return np.asarray(scrambled(columns, np.float64(1.0)).sum(axis=1, dtype=np.uint64))
    assert rows.values is not None
    begin, end = rows.indptr[first], rows.indptr[last]
    entries = scrambled(rows.indices[begin:end], rows.values[begin:end])
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(entries, dtype=np.uint64)])
    ends = rows.indptr[first : last + 1] - begin
    return np.asarray(sums[ends[1:]] - sums[ends[:-1]])


def scrambled(columns: np.ndarray, values: np.ndarray | np.float64) -> np.ndarray:
    """64 bits for each column with its value, 0 where that is 0 (SplitMix64: Steele, Lea and Flood, 2014)."""
    numbers = np.asarray(values, dtype=np.float64)
    x = (columns.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) ^ numbers.view(np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.where(numbers == 0, np.uint64(0), x ^ (x >> np.uint64(31)))
