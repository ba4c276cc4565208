"""Features of which no name is remembered: each has the place of its name's hash."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rosenblatt.data.coded import CodedTexts
from rosenblatt.engine.parameters import check_type
from rosenblatt.features.hashing import buckets
from rosenblatt.features.table.columns import IS_MISSING, EncodedRows, Lookup, texts, type_called

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.features.table.blocks import Entry


@dataclass
class HashedCategory:
    """A column of values of which none is remembered: codes count the values of the table at hand."""

    name: str
    type: str

    def knows_values_of(self, series: pl.Series | CodedTexts) -> bool:
        return False

    def lookup(self, distinct: pl.Series | list[str | None] | None) -> Lookup:
        assert distinct is not None
        names = [self.name + (IS_MISSING if text is None else f"={text}") for text in texts(distinct, self.type)]
        return Lookup(distinct, np.arange(len(names), dtype=np.int32), names)

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type}

    @classmethod
    def from_json(cls, name: str, saved: dict[str, Any]) -> HashedCategory:
        check_type(name, str)
        return cls(name, type_called(saved["type"]))


class HashableBlock(Protocol):
    """What can be hashed: features that the rows alone name, without a vocabulary."""

    @property
    def column(self) -> str: ...
    def codes_and_names(self, part: EncodedRows) -> tuple[np.ndarray, list[str]]: ...
    def value(self, part: EncodedRows) -> np.ndarray | None: ...


@dataclass
class HashableProduct:
    """The pairs of values of two columns as they come, for hashing."""

    a: str
    b: str

    @property
    def column(self) -> str:
        return f"{self.a} & {self.b}"

    def value(self, part: EncodedRows) -> np.ndarray | None:
        return None

    def codes_and_names(self, part: EncodedRows) -> tuple[np.ndarray, list[str]]:
        a, b = part.names[self.a], part.names[self.b]
        keys, codes = np.unique(part.codes[self.a].astype(np.int64) * len(b) + part.codes[self.b], return_inverse=True)
        return codes, [f"{a[key // len(b)]} & {b[key % len(b)]}" for key in keys.tolist()]


@dataclass
class HashedBlock:
    """Another block's features, each at the place of its name's hash among 2^bits. All hashed blocks share these."""

    source: HashableBlock
    bits: int
    _buckets: tuple[list[str], np.ndarray] | None = field(default=None, repr=False)

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.source.column,)

    @property
    def column(self) -> str:
        return self.source.column

    @property
    def size(self) -> int:
        return 1 << self.bits

    @property
    def names(self) -> list[str]:
        return [f"hash {place}" for place in range(1 << self.bits)]

    def encode(self, part: EncodedRows) -> Entry:
        codes, names = self.source.codes_and_names(part)
        if self._buckets is None or self._buckets[0] is not names:  # the parts of one table share their names
            self._buckets = names, buckets(names, self.bits)
        return self._buckets[1][codes], self.source.value(part)
