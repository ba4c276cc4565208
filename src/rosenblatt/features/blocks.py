"""Runs of neighbouring features, each made from one column or from two.

In every row a block has one entry at most: a place in the block (−1: no entry) and a value (None: 1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np

from rosenblatt.features.columns import MISSING, Category
from rosenblatt.features.hashing import buckets
from rosenblatt.features.parts import Part

Entry = tuple["np.ndarray | int", "np.ndarray | None"]

# Pairs of values up to this many are looked up in a table, more by halving.
TABLE = 2**22


class Block(Protocol):
    """What all blocks can do."""

    @property
    def column(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    def encode(self, part: Part) -> Entry: ...


class Seen(Protocol):
    """A block whose features can also be named from the rows alone, for hashing: codes, and the name of each code."""

    column: str

    def seen(self, part: Part) -> tuple[np.ndarray, list[str]]: ...
    def value(self, part: Part) -> np.ndarray | None: ...


@dataclass
class AsNumber:
    """One number: `age`."""

    column: str
    size: int = 1

    @property
    def names(self) -> list[str]:
        return [self.column]

    def encode(self, part: Part) -> Entry:
        return 0, part.numbers[self.column]


@dataclass
class IsMissing:
    """1 where the number is missing: `age is missing`."""

    column: str
    size: int = 1

    @property
    def names(self) -> list[str]:
        return [self.column + MISSING]

    def encode(self, part: Part) -> Entry:
        # 0 where it is missing, −1 (no entry) elsewhere
        return part.gone[self.column].astype(np.int32) - 1, None


@dataclass
class NumberPair:
    """The product of two numbers: `age & hours`."""

    a: str
    b: str
    size: int = 1

    @property
    def column(self) -> str:
        return f"{self.a} & {self.b}"

    @property
    def names(self) -> list[str]:
        return [self.column]

    def encode(self, part: Part) -> Entry:
        return 0, part.numbers[self.a] * part.numbers[self.b]


@dataclass
class Values:
    """The values of one column: `education=Doctorate`; times a number, if there is one: `sex=Male & age`."""

    source: str  # the categorical column
    names: list[str]
    times: str | None = None
    number_first: bool = False

    @property
    def column(self) -> str:
        return self.source if self.times is None else self._with_number(self.source)

    @property
    def size(self) -> int:
        return len(self.names)

    def __post_init__(self) -> None:
        self.names = [self._with_number(name) for name in self.names]

    def _with_number(self, name: str) -> str:
        if self.times is None:
            return name
        return f"{self.times} & {name}" if self.number_first else f"{name} & {self.times}"

    def value(self, part: Part) -> np.ndarray | None:
        return None if self.times is None else part.numbers[self.times]

    def encode(self, part: Part) -> Entry:
        return part.codes[self.source], self.value(part)

    def seen(self, part: Part) -> tuple[np.ndarray, list[str]]:
        names = part.names[self.source]
        return part.codes[self.source], names if self.times is None else [self._with_number(name) for name in names]


@dataclass
class ValuePair:
    """The pairs of values of two columns that training met: `sex=Male & race=Other`.

    A pair's key is (code of a) · (number of values of b) + (code of b).
    """

    a: Category
    b: Category
    keys: list[int] = field(default_factory=list)  # sorted
    unseen: int = 0  # pairs of known values that never met in training

    @property
    def column(self) -> str:
        return f"{self.a.name} & {self.b.name}"

    @property
    def size(self) -> int:
        return len(self.keys)

    @property
    def names(self) -> list[str]:
        a, b = self.a.names, self.b.names
        return [f"{a[key // len(b)]} & {b[key % len(b)]}" for key in self.keys]

    def learn(self, part: Part) -> None:
        keys = np.unique(self._keys(part))
        self.keys = np.union1d(np.array(self.keys, dtype=np.int64), keys[keys >= 0]).tolist()

    def take(self, keys: list[int]) -> None:
        """Puts in saved keys, which must be possible ones, in order."""
        if any(low >= high for low, high in pairwise([-1, *keys, self.a.size * self.b.size])):
            raise ValueError(f"{self.column} has impossible pairs")
        self.keys = keys

    def _keys(self, part: Part) -> np.ndarray:
        a, b = part.codes[self.a.name], part.codes[self.b.name]
        return np.where((a < 0) | (b < 0), -1, a.astype(np.int64) * self.b.size + b)

    def encode(self, part: Part) -> Entry:
        wanted, keys = self._keys(part), np.array(self.keys, dtype=np.int64)
        if self.a.size * self.b.size <= TABLE:
            # One place more than there are keys, so that −1, an unknown value, finds −1, no entry.
            table = np.full(self.a.size * self.b.size + 1, -1, dtype=np.int32)
            table[keys] = np.arange(len(keys), dtype=np.int32)
            places = table[wanted]
        else:
            places = np.searchsorted(keys, wanted).astype(np.int32)
            places[keys[np.minimum(places, len(keys) - 1)] != wanted] = -1
        self.unseen += int(np.count_nonzero((places < 0) & (wanted >= 0)))
        return places, None


@dataclass
class AnyPair:
    """The pairs of values of two columns as they come, for hashing."""

    a: str
    b: str

    @property
    def column(self) -> str:
        return f"{self.a} & {self.b}"

    def value(self, part: Part) -> np.ndarray | None:
        return None

    def seen(self, part: Part) -> tuple[np.ndarray, list[str]]:
        a, b = part.names[self.a], part.names[self.b]
        keys, codes = np.unique(part.codes[self.a].astype(np.int64) * len(b) + part.codes[self.b], return_inverse=True)
        return codes, [f"{a[key // len(b)]} & {b[key % len(b)]}" for key in keys.tolist()]


@dataclass
class Hashed:
    """Another block's features, each at the place of its name's hash among 2^bits. All hashed blocks share these."""

    source: Seen
    bits: int
    _known: tuple[list[str], np.ndarray] | None = field(default=None, repr=False)

    @property
    def column(self) -> str:
        return self.source.column

    @property
    def size(self) -> int:
        return 1 << self.bits

    @property
    def names(self) -> list[str]:
        return [f"hash {place}" for place in range(1 << self.bits)]

    def encode(self, part: Part) -> Entry:
        codes, names = self.source.seen(part)
        if self._known is None or self._known[0] is not names:  # the parts of one table share their names
            self._known = names, buckets(names, self.bits)
        return self._known[1][codes], self.source.value(part)
