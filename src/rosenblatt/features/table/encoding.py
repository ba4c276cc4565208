"""A table, some rows at a time, with every column as codes or as numbers.

Memory stays near that of the result: only some rows are unpacked at a time. All distinct values of a column are looked up
once, before, so that this work is not repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.coded import CodedTable
from rosenblatt.data.table import enum_codes, is_enum, used_categories
from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.features.table.blocks import FeatureBlock, HashedBlock, MissingBlock, NumberBlock, NumberProduct
from rosenblatt.features.table.columns import Category, Lookup, TableColumn, plain
from rosenblatt.features.table.numbers import Number, numbers

if TYPE_CHECKING:
    import polars as pl
    import scipy.sparse as sp


@dataclass(frozen=True)
class PartSizes:
    """How many rows are encoded at a time; the features never depend on it."""

    rows: int = 2**18
    rows_per_value: int = 8  # more rows where a vocabulary is large, since polars hashes it once a part
    rows_without_lookup: int = 2**15  # nothing to hash: so many stay in the cache while columns become rows

    def step(self, vocabularies: list[int]) -> int:
        """Rows at a time, given the sizes of the vocabularies that polars hashes."""
        if not vocabularies:
            return min(self.rows, self.rows_without_lookup)
        return max(self.rows, self.rows_per_value * max(vocabularies))


USUAL_SIZES = PartSizes()


@dataclass
class EncodedRows:
    """Rows `start` to `stop` of a table."""

    start: int
    stop: int
    names: dict[str, list[str]]  # the feature that each code stands for, per categorical column
    codes: dict[str, np.ndarray] = field(default_factory=dict)  # int32, −1 where training never saw the value
    numbers: dict[str, np.ndarray] = field(default_factory=dict)  # features per numeric column
    missing: dict[str, np.ndarray] = field(default_factory=dict)  # where numbers are missing, if they were in training
    bins: dict[str, np.ndarray] = field(default_factory=dict)  # int32, the place of numbers among values and bins
    grown: dict[str, np.ndarray] = field(default_factory=dict)  # int32, the place among grown values, negative elsewhere

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass
class TableEncoder:
    """The rows of a table, part by part; afterwards `unseen` and `unreadable` count the values that it could not use."""

    table: pl.DataFrame | CodedTable
    columns: list[TableColumn]
    scale: bool
    dtype: type[np.floating] = np.float32
    sizes: PartSizes = USUAL_SIZES
    unseen: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    far: Counter[str] = field(default_factory=Counter)  # numbers unlike those of training

    def __post_init__(self) -> None:
        # Numbered instead of named: polars understands names such as "*" and "^a$" as patterns.
        categories = {str(j): column.category for j, column in enumerate(self.columns) if column.category}
        uncoded = {j: c for j, c in categories.items() if not is_enum(self.table[c.name])}
        unknown = [j for j, c in uncoded.items() if not c.knows_values_of(self.table[c.name])]
        if uncoded:
            import polars as pl

            self.plain = pl.DataFrame([plain(self.table[c.name]).alias(j) for j, c in uncoded.items()])
            distinct = self.plain.select(pl.col(unknown).unique().implode()) if unknown else pl.DataFrame()
        self.lookups: dict[str, Lookup] = {}
        self.coded: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # codes of an Enum, and from those to its lookup's
        for j, c in categories.items():
            if j in uncoded:
                self.lookups[c.name] = c.lookup(distinct[j][0] if j in unknown else None)
            else:
                codes, texts = used_categories(self.table[c.name])
                self.lookups[c.name] = c.lookup(texts)
                of_code = np.full(np.max(codes, initial=-1) + 1, -1, dtype=np.int32)
                of_code[codes] = self.lookups[c.name].codes
                self.coded[c.name] = enum_codes(self.table[c.name]), of_code

    def __iter__(self) -> Iterator[EncodedRows]:
        uncoded = [name for name in self.lookups if name not in self.coded]
        numbered = self.plain.columns if uncoded else []
        to_codes = [self.lookups[name].expression(j) for name, j in zip(uncoded, numbered, strict=True)]
        names = {name: lookup.names for name, lookup in self.lookups.items()}
        with_grown = [c.category for c in self.columns if isinstance(c.category, Category) and c.category.grown]
        grown = {category.name: np.int32(category.size) for category in with_grown}
        step = self.sizes.step([len(self.lookups[name].values) for name in uncoded])
        for start in range(0, len(self.table), step):
            part = EncodedRows(start, min(start + step, len(self.table)), names)
            rows = slice(part.start, part.stop)
            looked_up = dict(zip(uncoded, self.plain[rows].select(to_codes), strict=True)) if uncoded else {}
            for name in self.lookups:
                if name in looked_up:
                    part.codes[name] = self._respelled(name, looked_up[name].to_numpy(), rows)
                else:
                    codes, of_code = self.coded[name]
                    part.codes[name] = of_code.take(codes[rows])
                self.unseen[name] += int(np.count_nonzero(part.codes[name] < 0))
                if name in grown:
                    size, codes = grown[name], part.codes[name]
                    part.grown[name], part.codes[name] = codes - size, np.where(codes < size, codes, np.int32(-1))
            for column in self.columns:
                if column.number:
                    self._encode_number(column.number, part)
            yield part

    def _respelled(self, name: str, codes: np.ndarray, rows: slice) -> np.ndarray:
        """The codes with those of values that a lookup of texts does not know, because they are spelled otherwise."""
        category = next(column.category for column in self.columns if column.name == name)
        if not isinstance(category, Category) or self.lookups[name] is not category.lookup(None):
            return codes  # looked up value by value, however spelled
        return category.respell(plain(self.table[name][rows]), codes)

    def _encode_number(self, number: Number, part: EncodedRows) -> None:
        column = self.table[number.name]
        rows = column.slice(part.start, len(part))
        x, unreadable = numbers(rows, part.start)
        is_missing = np.isnan(x)
        part.numbers[number.name] = number.encode(x, is_missing, self.scale, self.dtype)
        if number.bins:
            part.bins[number.name] = number.bins.codes(x)
        self.unreadable[number.name] += unreadable
        self.far[number.name] += number.count_far(x)
        if number.missing:
            part.missing[number.name] = is_missing
        elif number.name not in self.lookups:  # else it is counted there
            self.unseen[number.name] += int(np.count_nonzero(is_missing)) - unreadable


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
        entries = [block.encode(part) for block in self.blocks]
        if self.values is None and any(value is not None for _, value in entries):
            self.values = np.empty(len(self.columns), dtype=self.dtype)
        values = None if self.values is None else self.values[full].reshape(columns.shape)
        absent = False
        for j, ((places, value), start) in enumerate(zip(entries, self.starts, strict=True)):
            columns[:, j] = places + start
            if np.min(places, initial=0) < 0:
                absent = True
                columns[np.less(places, 0), j] = -1
            if values is not None:
                values[:, j] = 1 if value is None else value
        if self.hashed:
            self._sort(columns, values)
        if not absent:
            self.lengths[part.start + 1 : part.stop + 1] = self.width
            place = full
        else:
            chosen = columns >= 0
            self.lengths[part.start + 1 : part.stop + 1] = np.count_nonzero(chosen, axis=1)
            place = slice(self.end, self.end + int(np.count_nonzero(chosen)))
            self.columns[place] = columns[chosen]
            if self.values is not None and values is not None:
                self.values[place] = values[chosen]
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


class GrownEntries:
    """The entries of values that updates have met; their features come behind all others, in the order of numbers."""

    def __init__(self, places: dict[str, np.ndarray]):
        self.places = places
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
