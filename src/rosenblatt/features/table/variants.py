"""The map of a table with other features: without bins, with products, with values that came after training."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.coded import CodedTable
from rosenblatt.data.table import plain
from rosenblatt.engine.rows import Rows
from rosenblatt.features.table.blocks import BinBlock, make_blocks, pairs_of
from rosenblatt.features.table.columns import USUAL_SIZES, Category, EncodedRows, TableColumn, TableEncoder
from rosenblatt.features.table.table_map import TableMap

if TYPE_CHECKING:
    import scipy.sparse as sp


def without_bins(mapping: TableMap) -> TableMap:
    """The same map with numbers as themselves alone."""
    simpler = copy.copy(mapping)
    simpler.columns = [
        replace(column, number=replace(column.number, bins=None)) if column.number else column for column in mapping.columns
    ]
    simpler.blocks = [block for block in mapping.blocks if not isinstance(block, BinBlock)]
    simpler.number_features()
    return simpler


def with_products(mapping: TableMap, pairs: Iterable[Sequence[str]], rows: Any) -> TableMap:
    """The same map with these products, learned from rows that it was fitted to."""
    richer = copy.copy(mapping)
    richer.products = pairs_of(pairs)
    richer.blocks = make_blocks(richer.columns, richer.products, richer.hashing)
    richer.learn_pairs(mapping.clean_parts(rows), USUAL_SIZES)
    richer.number_features()
    return richer


def with_new_values(mapping: TableMap, rows: Any) -> TableMap:
    """The map with a feature more for every value of a category in these rows that it does not know, as they come.

    They are numbered row after row, so in whatever parts rows come, the numbers are the same.
    """
    categories = [replace(column, number=None) for column in mapping.columns if isinstance(column.category, Category)]
    frame = mapping.clean(rows).frame
    frame = frame.to_polars() if isinstance(frame, CodedTable) else frame
    first_rows: list[tuple[int, int, str, str]] = []
    for part in TableEncoder(frame, categories, mapping.scale) if categories else ():
        for place, column in enumerate(categories):
            assert isinstance(column.category, Category)
            unknown = np.flatnonzero((part.codes[column.name] < 0) & (part.grown.get(column.name, -1) < 0))
            new = column.category.new_values(plain(frame[column.name])[part.start + unknown]) if len(unknown) else {}
            first_rows += [(part.start + int(unknown[k]), place, column.name, text) for text, k in new.items()]
    return grown_by(mapping, [(name, text) for _, _, name, text in sorted(first_rows)]) if first_rows else mapping


def grown_by(mapping: TableMap, values: Iterable[Sequence[str]]) -> TableMap:
    """A copy with features for these values of columns behind all others."""
    richer, added = copy.copy(mapping), list(dict.fromkeys((column, value) for column, value in values))
    richer.grown = [*mapping.grown, *added]
    of_column: dict[str, list[str]] = {}
    for name, value in added:
        of_column.setdefault(name, []).append(value)
    richer.columns = [
        TableColumn(one.name, one.number, one.category.grown_by(of_column[one.name]))
        if one.name in of_column and isinstance(one.category, Category)
        else one
        for one in mapping.columns
    ]
    richer.number_features()
    return richer


def grown_places(mapping: TableMap) -> dict[str, np.ndarray]:
    """The feature of each grown value of a column, in the order of its codes."""
    places: dict[str, list[int]] = {}
    for place, (name, _) in enumerate(mapping.grown, mapping.n_features - len(mapping.grown)):
        places.setdefault(name, []).append(place)
    return {name: np.array(numbers) for name, numbers in places.items()}


class GrownEntries:
    """The entries of values that updates have met; their features come behind all others, in the order of numbers."""

    def __init__(self, mapping: TableMap):
        self.places = grown_places(mapping)
        self.rows: list[np.ndarray] = []
        self.columns: list[np.ndarray] = []

    def add(self, part: EncodedRows) -> None:
        for name, grown in part.grown.items():
            rows = np.flatnonzero(grown >= 0)
            self.rows.append(part.start + rows)
            self.columns.append(self.places[name][grown[rows]])

    def beside(self, result: Any, shape: tuple[int, int]) -> sp.csr_matrix:
        """Rows of other features with these behind them."""
        import scipy.sparse as sp

        others = sp.coo_matrix(Rows(result).matrix())
        rows, columns = np.concatenate(self.rows), np.concatenate(self.columns)
        values = np.concatenate([others.data, np.ones(len(rows), dtype=others.dtype)])
        places = np.concatenate([others.row, rows]), np.concatenate([others.col, columns])
        X = sp.csr_matrix((values, places), shape=shape)
        X.sort_indices()
        return X
