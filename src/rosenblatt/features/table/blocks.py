"""Runs of neighbouring features, each computed from one column or from two, and rows built of them.

In every row a block has one entry at most: a place in the block (−1: no entry) and a value (None: 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rosenblatt.engine import compiled
from rosenblatt.engine.rows import OneHot
from rosenblatt.errors import SettingError
from rosenblatt.features.table.columns import IS_MISSING, Category, EncodedRows, TableColumn
from rosenblatt.features.table.hashed import HashableProduct, HashedBlock, HashedCategory

if TYPE_CHECKING:
    import scipy.sparse as sp

    from rosenblatt.features.table.packed import PackedBuilder

Entry = tuple["np.ndarray | int", "np.ndarray | None"]
Products = list[tuple[str, str]] | str  # pairs of columns, "all" or "auto"

MOST_HASHED_PRODUCTS = 2**15  # of columns: 256 columns, each with each
ROWS_IN_CACHE = 2**12  # of which columns become rows at a time
LARGEST_LOOKUP = 2**22  # pairs of values up to this many are looked up in an array, more by halving


class FeatureBlock(Protocol):
    """What all blocks can do."""

    @property
    def column(self) -> str: ...
    @property
    def sources(self) -> tuple[str, ...]: ...
    @property
    def size(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    def encode(self, part: EncodedRows) -> Entry: ...


@dataclass
class OneFeature:
    """A block of a single feature."""

    column: str
    size: int = 1

    @property
    def names(self) -> list[str]:
        return [self.column]

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.column,)


class NumberBlock(OneFeature):
    """One number: `age`."""

    def encode(self, part: EncodedRows) -> Entry:
        return 0, part.numbers[self.column]


@dataclass
class BinBlock:
    """The frequent values and the bins of a number: `age=40`, `age > 65`."""

    column: str
    names: list[str]

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def size(self) -> int:
        return len(self.names)

    def encode(self, part: EncodedRows) -> Entry:
        return part.bins[self.column], None


class MissingBlock(OneFeature):
    """1 where the number is missing: `age is missing`."""

    @property
    def names(self) -> list[str]:
        return [self.column + IS_MISSING]

    def encode(self, part: EncodedRows) -> Entry:
        # 0 where it is missing, −1 (no entry) elsewhere
        return part.missing[self.column].astype(np.int32) - 1, None


class NumberProduct(OneFeature):
    """The product of two numbers: `age & hours`."""

    def __init__(self, a: str, b: str):
        super().__init__(f"{a} & {b}")
        self.a, self.b = a, b

    @property
    def sources(self) -> tuple[str, ...]:
        return self.a, self.b

    def encode(self, part: EncodedRows) -> Entry:
        return 0, part.numbers[self.a] * part.numbers[self.b]


@dataclass
class CategoryBlock:
    """The values of one column: `education=Doctorate`; times a number, if there is one: `sex=Male & age`."""

    source: str  # the categorical column
    names: list[str]
    times: str | None = None
    number_first: bool = False

    @property
    def column(self) -> str:
        return self.source if self.times is None else self._with_number(self.source)

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.source,) if self.times is None else (self.source, self.times)

    @property
    def size(self) -> int:
        return len(self.names)

    def __post_init__(self) -> None:
        self.names = [self._with_number(name) for name in self.names]

    def _with_number(self, name: str) -> str:
        if self.times is None:
            return name
        return f"{self.times} & {name}" if self.number_first else f"{name} & {self.times}"

    def value(self, part: EncodedRows) -> np.ndarray | None:
        return None if self.times is None else part.numbers[self.times]

    def encode(self, part: EncodedRows) -> Entry:
        return part.codes[self.source], self.value(part)

    def codes_and_names(self, part: EncodedRows) -> tuple[np.ndarray, list[str]]:
        names = part.names[self.source]
        return part.codes[self.source], names if self.times is None else [self._with_number(name) for name in names]


@dataclass
class CategoryProduct:
    """The pairs of values of two columns that occurred in training: `sex=Male & race=Other`.

    A pair's key is (code of a) · (number of values of b) + (code of b).
    """

    a: Category
    b: Category
    keys: list[int] = field(default_factory=list)  # sorted
    unseen: int = 0  # pairs of known values that did not occur together in training
    largest_lookup: int = LARGEST_LOOKUP

    @property
    def column(self) -> str:
        return f"{self.a.name} & {self.b.name}"

    @property
    def sources(self) -> tuple[str, ...]:
        return self.a.name, self.b.name

    @property
    def size(self) -> int:
        return len(self.keys)

    @property
    def names(self) -> list[str]:
        a, b = self.a.names, self.b.names
        return [f"{a[key // len(b)]} & {b[key % len(b)]}" for key in self.keys]

    def learn(self, part: EncodedRows) -> None:
        keys = np.unique(self._keys(part))
        self.keys = np.union1d(np.array(self.keys, dtype=np.int64), keys[keys >= 0]).tolist()

    def set_keys(self, keys: list[int]) -> None:
        """Sets saved keys, which must be possible ones, in order."""
        if any(low >= high for low, high in pairwise([-1, *keys, self.a.size * self.b.size])):
            raise ValueError(f"{self.column} has impossible pairs")
        self.keys = keys

    def _keys(self, part: EncodedRows) -> np.ndarray:
        a, b = part.codes[self.a.name], part.codes[self.b.name]
        return np.where((a < 0) | (b < 0), -1, a.astype(np.int64) * self.b.size + b)

    def encode(self, part: EncodedRows) -> Entry:
        keys_of_rows, keys = self._keys(part), np.array(self.keys, dtype=np.int64)
        if self.a.size * self.b.size <= self.largest_lookup:
            # One place more than there are keys, so that −1, an unknown value, finds −1, no entry.
            place_of_key = np.full(self.a.size * self.b.size + 1, -1, dtype=np.int32)
            place_of_key[keys] = np.arange(len(keys), dtype=np.int32)
            places = place_of_key[keys_of_rows]
        else:
            places = np.searchsorted(keys, keys_of_rows).astype(np.int32)
            places[keys[np.minimum(places, len(keys) - 1)] != keys_of_rows] = -1
        self.unseen += int(np.count_nonzero((places < 0) & (keys_of_rows >= 0)))
        return places, None


def pairs_of(products: Iterable[Sequence[str]]) -> list[tuple[str, str]]:
    """Named products, checked to be pairs."""
    pairs = []
    for pair in products:
        if isinstance(pair, str) or len(pair) != 2:
            raise SettingError(f"A product is {pair!r}: expected two column names.")
        pairs.append((pair[0], pair[1]))
    return pairs


def make_blocks(columns: list[TableColumn], products: Products, hashing: int | None) -> list[FeatureBlock]:
    """The features of the columns, and of their products."""
    blocks: list[FeatureBlock] = []
    for column in columns:
        if column.number:
            blocks.append(NumberBlock(column.name))
            if column.number.missing:
                blocks.append(MissingBlock(column.name))
            if column.number.bins:
                blocks.append(BinBlock(column.name, column.number.bins.names))
        if column.category:
            blocks.append(category_block(column.category, hashing))
    by_name = {column.name: column for column in columns}
    chosen = () if products == "auto" else products
    number = math.comb(len(by_name), 2) if isinstance(chosen, str) else len(chosen)
    if hashing is not None and number > MOST_HASHED_PRODUCTS:
        raise SettingError(
            f"These are {number:,} products of hashed columns, of at most {MOST_HASHED_PRODUCTS:,}: name fewer."
        )
    pairs = combinations(by_name, 2) if isinstance(chosen, str) else chosen
    blocks += [product_block(by_name[a], by_name[b], hashing) for a, b in pairs]
    # Hashed blocks share their places, which come last.
    return sorted(blocks, key=lambda block: isinstance(block, HashedBlock))


def category_block(
    category: Category | HashedCategory, hashing: int | None, times: str | None = None, number_first: bool = False
) -> FeatureBlock:
    """The features of the values of a column, times a number if one is named."""
    names = category.names if isinstance(category, Category) else []
    values = CategoryBlock(category.name, names, times, number_first)
    return values if hashing is None else HashedBlock(values, hashing)


def product_block(a: TableColumn, b: TableColumn, hashing: int | None) -> FeatureBlock:
    """The features of the product of two columns."""
    if not a.category and not b.category:
        return NumberProduct(a.name, b.name)
    if not b.category:
        assert a.category
        return category_block(a.category, hashing, times=b.name)
    if not a.category:
        return category_block(b.category, hashing, times=a.name, number_first=True)
    if a is b:
        raise SettingError(f"The product of {a.name!r} with itself tells nothing new: its values are categories.")
    if isinstance(a.category, Category) and isinstance(b.category, Category):
        return CategoryProduct(a.category, b.category)
    assert hashing is not None
    return HashedBlock(HashableProduct(a.name, b.name), hashing)


IN_EVERY_ROW = (NumberBlock, MissingBlock, NumberProduct)


def is_dense(blocks: list[FeatureBlock]) -> bool:
    """Has every feature a value in every row, so that indices would only cost memory?"""
    return all(isinstance(block, IN_EVERY_ROW) for block in blocks)


class DenseBuilder:
    """n × d numbers."""

    def __init__(
        self, n: int, blocks: list[FeatureBlock], starts: list[int], dtype: type[np.floating], room: Room | None = None
    ):
        self.X = np.zeros((n, len(blocks)), dtype=dtype)
        self.blocks, self.starts = blocks, starts

    def add(self, part: EncodedRows) -> None:
        for block, start in zip(self.blocks, self.starts, strict=True):
            place, value = block.encode(part)
            self.X[part.start : part.stop, start] = place + 1 if value is None else value

    def result(self, n_features: int) -> np.ndarray:
        return self.X


class Room:
    """Arrays that builders of rows use one after the other: to be given new memory takes as long as to fill it."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def empty(self, name: str, size: int, dtype: type[np.generic]) -> np.ndarray:
        """So many places, with whatever stood there before."""
        array = self.arrays.get(name)
        if array is None or len(array) < size or array.dtype != dtype:
            array = self.arrays[name] = np.empty(size, dtype=dtype)
        return array[:size]


class SparseBuilder:
    """One place per block and row, filled from the left: what stays empty is never touched, so it costs no memory.

    If nothing stays empty and every value is 1, the places alone are the rows: OneHot. Otherwise they are CSR.
    """

    def __init__(
        self, n: int, blocks: list[FeatureBlock], starts: list[int], dtype: type[np.floating], room: Room | None = None
    ):
        self.n, self.blocks, self.starts, self.dtype = n, blocks, starts, dtype
        self.width, self.room = len(blocks), room or Room()
        self.columns = self.room.empty("columns", n * self.width, np.int32)
        self.values: np.ndarray | None = None
        self.lengths = np.zeros(n + 1, dtype=np.int64)
        self.end = 0
        self.hashed = any(isinstance(block, HashedBlock) for block in blocks)
        self.repeated = False  # is there a row in which two names share a bucket?

    def add(self, part: EncodedRows) -> None:
        entries = [block.encode(part) for block in self.blocks]
        if self.values is None and any(value is not None for _, value in entries):
            self.values = self.room.empty("values", len(self.columns), self.dtype)
        for start in range(0, len(part), ROWS_IN_CACHE):
            self._add_rows(entries, slice(start, min(start + ROWS_IN_CACHE, len(part))), part.start)

    def _add_rows(self, entries: list[Entry], rows: slice, first: int) -> None:
        """Some rows of a part, of which row 0 is row `first` of the table: so few that they stay in the cache."""
        n = rows.stop - rows.start
        lengths = self.lengths[first + rows.start + 1 : first + rows.stop + 1]
        full = slice(self.end, self.end + n * self.width)
        columns = self.columns[full].reshape(n, self.width)
        values = None if self.values is None else self.values[full].reshape(columns.shape)
        absent = False
        for j, ((places, value), start) in enumerate(zip(entries, self.starts, strict=True)):
            places = places[rows] if isinstance(places, np.ndarray) else places
            np.add(places, start, out=columns[:, j], casting="unsafe")
            if np.min(places, initial=0) < 0:
                absent = True
                columns[np.less(places, 0), j] = -1
            if values is not None:
                values[:, j] = 1 if value is None else value[rows]
        if self.hashed:
            self._sort(columns, values)
        if not absent:
            lengths[:] = self.width
            place = full
        else:
            place = slice(self.end, self.end + compiled.entries.pack(columns, values, lengths))
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


def builder_of(blocks: list[FeatureBlock], packed: bool) -> type[DenseBuilder | SparseBuilder | PackedBuilder]:
    """What builds rows of these blocks. Hashed ones share their features, which come in any order: these are not packed."""
    if is_dense(blocks):
        return DenseBuilder
    if not packed or any(isinstance(block, HashedBlock) for block in blocks):
        return SparseBuilder
    from rosenblatt.features.table.packed import PackedBuilder

    return PackedBuilder
