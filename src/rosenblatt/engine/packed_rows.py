"""Rows in as few bytes as they need: a record a row, of the same length, which is unpacked where it is learned from.

Of the features of a table many exclude each other: of the values of a category a row has one at most. Such features are a
slot, and a record says which of them the row has, in one byte, two or four; numbers are as they are, and ones are left out.

    age, colour=red, colour=green        two slots, age and colour
    0.5, 0, 1                            a row: 4 + 1 + 1 bytes, where CSR takes 16, and 4 for where the row ends

What comes out are the rows that CSR would hold, entry by entry, so that whoever learns from them gets the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.rows import SPARSE_KINDS, Rows

UNPACKED_AT_ONCE = 2**14  # rows: so few that they stay in the processor's cache
LANES = 16  # entries that may be written behind the last one (_unpack.c)

compiled: ModuleType | None
try:
    compiled = import_module("rosenblatt.engine._unpack")
except ImportError:  # built without a compiler
    compiled = None


class Slot(NamedTuple):
    """Features of which a row has one at most."""

    start: int  # the first of them
    size: int  # how many there are
    valued: bool  # has it a number? else it is 1


@dataclass(frozen=True)
class RecordLayout:
    """What lies where in a record: the numbers of its slots, then the code of every slot, which of its features it is.

    Codes are as short as the largest slot allows. One that is too large, such as the largest that there is, says: none.
    """

    slots: tuple[Slot, ...]
    value: str  # the type of numbers: <f4 or <f8

    @cached_property
    def code(self) -> np.dtype[Any]:
        """The type of codes."""
        return np.min_scalar_type(max((slot.size for slot in self.slots), default=0))

    @cached_property
    def fields(self) -> np.dtype[Any]:
        """The record for numpy: v0 is the number of slot 0, c0 its code."""
        numbers = [(f"v{j}", self.value) for j, slot in enumerate(self.slots) if slot.valued]
        return np.dtype([*numbers, *((f"c{j}", self.code) for j in range(len(self.slots)))])

    @property
    def width(self) -> int:
        """Bytes of a record."""
        return self.fields.itemsize

    @property
    def value_type(self) -> np.dtype[Any] | None:
        """The type of numbers; None where every entry is 1."""
        return np.dtype(self.value) if any(slot.valued for slot in self.slots) else None

    @cached_property
    def table(self) -> np.ndarray:
        """The slots as _unpack.c reads them: the first features, the sizes, and 1 where there is a number."""
        return np.ascontiguousarray(np.array(self.slots, dtype=np.int32).reshape(-1, 3).T)

    def is_sound(self, columns: int) -> bool:
        """Do the features of each slot come after those of the one before, and all of them among so many columns?

        >>> RecordLayout((Slot(0, 1, True), Slot(1, 2, False)), "<f4").is_sound(columns=3)
        True
        """
        begins = [slot.start for slot in self.slots]
        ends = [0, *(slot.start + slot.size for slot in self.slots)]
        in_order = all(end <= begin for end, begin in zip(ends, begins, strict=False)) and ends[-1] <= columns
        return in_order and all(slot.size > 0 for slot in self.slots) and columns < 2**31


class PackedRows(Rows):
    """Rows in records; those who compute with them unpack some at a time (`RowBuffer`), or ask for a copy (`take`).

    >>> layout = RecordLayout((Slot(0, 1, valued=True), Slot(1, 2, valued=False)), "<f4")
    >>> records = np.array([(0.5, 0, 1), (2.0, 0, 255)], layout.fields)
    >>> packed = PackedRows(records.view(np.uint8).reshape(2, -1), layout, columns=3, entries=3)
    >>> layout.width, packed.row(0), packed.csr().toarray().tolist()
    (6, (array([0, 2], dtype=int32), array([0.5, 1. ], dtype=float32)), [[0.5, 0.0, 1.0], [2.0, 0.0, 0.0]])
    """

    def __init__(self, records: np.ndarray, layout: RecordLayout, columns: int, entries: int):
        self.records, self.layout = records, layout
        self.values = self.indices = self.indptr = self.finer = None
        self.dense, self.width = False, 0
        self.n, self.d, self.entries = len(records), columns, entries
        value = layout.value_type
        self.kind = SPARSE_KINDS[0 if value is None else value.itemsize, 4]

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return (self.records,)

    def row(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        return self.take(np.array([i])).row(0)

    def take(self, numbers: np.ndarray) -> Rows:
        """A copy of the rows with these numbers, unpacked."""
        if np.asarray(numbers).dtype == bool:
            numbers = np.flatnonzero(numbers)
        numbers = np.ascontiguousarray(numbers, dtype=np.int32)
        return RowBuffer(self, len(numbers)).filled(numbers)

    def block(self, start: int, stop: int) -> PackedRows:
        """Rows `start` to `stop` where they lie."""
        share = self.entries * (stop - start) // max(1, self.n)  # about as many: it says how much work they are
        return PackedRows(self.records[start:stop], self.layout, self.d, share)

    def part(self, start: int, stop: int) -> PackedRows:
        part = self.block(start, stop)
        part.entries = sum(rows.entries for _, rows in part.unpacked())
        return part

    def whole(self) -> Rows:
        """A copy of all rows, unpacked."""
        return RowBuffer(self, self.n).filled(None)

    def unpacked(self, at_once: int = UNPACKED_AT_ONCE) -> Iterator[tuple[int, Rows]]:
        """The rows as CSR, some at a time, and the number of the first; they last until the next are asked for."""
        buffer = RowBuffer(self, min(at_once, self.n))
        for start in range(0, self.n, at_once):
            yield start, buffer.fill(None, start, min(start + at_once, self.n))

    def csr(self) -> Any:
        return self.whole().csr()

    def refuse_not_finite(self) -> None:
        names = [name for name in self.layout.fields.names or () if name.startswith("v")]
        for start in range(0, self.n if names else 0, UNPACKED_AT_ONCE):
            fields = self.records[start : start + UNPACKED_AT_ONCE].view(self.layout.fields)[:, 0]
            finite = np.logical_and.reduce([np.isfinite(fields[name]) for name in names])
            if not finite.all():
                raise self.blame(start + int(finite.argmin()))


class RowBuffer:
    """Room for some rows as CSR, that is filled again and again: to be given new memory takes longer."""

    def __init__(self, packed: PackedRows, height: int):
        self.packed, self.slots = packed, len(packed.layout.slots)
        value, room = packed.layout.value_type, height * self.slots + LANES
        self.rows = Rows.__new__(Rows)
        self.rows.indices = np.zeros(room, dtype=np.int32)
        self.rows.values = None if value is None else np.zeros(room, dtype=value)
        self.rows.indptr = np.arange(height + 1, dtype=np.int32) * np.int32(self.slots)
        self.rows.n, self.rows.d, self.rows.entries = height, packed.d, height * self.slots
        self.rows.kind, self.rows.dense, self.rows.width, self.rows.finer = packed.kind, False, 0, None

    def filled(self, order: np.ndarray | None) -> Rows:
        """All rows of a buffer that is not filled again, without the room behind the last entry."""
        rows = self.fill(order, 0, self.rows.n)
        rows.indices = rows.indices[: rows.entries]  # type: ignore[index]
        rows.values = None if rows.values is None else rows.values[: rows.entries]
        return rows

    def fill(self, order: np.ndarray | None, start: int, stop: int) -> Rows:
        """The rows order[start:stop], or `start` to `stop`; they last until it is filled again."""
        rows = self.rows
        rows.entries, rows.n = self.fill_at(0, order, start, stop), stop - start
        return rows

    def fill_at(
        self, place: int, order: np.ndarray | None, start: int, stop: int, classes: tuple[Any, Any] = (None, None)
    ) -> int:
        """Fills the rows from this place on; how many entries they have.

        Beside them the class codes of the rows, if there are any: from the first of `classes` into the second.
        """
        rows, first = self.rows, place * self.slots
        assert rows.indices is not None
        assert rows.indptr is not None
        values = None if rows.values is None else rows.values[first:]
        out = rows.indices[first:], values, rows.indptr[place:]
        layout, records = self.packed.layout, self.packed.records
        of_rows, own = classes if classes[0] is None else (classes[0], classes[1][place:])
        work = unpack_slowly if compiled is None else compiled.unpack
        record = records, layout.width, layout.table, layout.code.itemsize
        return int(work(*record, order, start, stop, out, first, of_rows, own))


def unpack_slowly(
    records: np.ndarray,
    width: int,
    table: np.ndarray,
    code_size: int,
    order: np.ndarray | None,
    start: int,
    stop: int,
    out: tuple[np.ndarray, np.ndarray | None, np.ndarray],
    first_entry: int,
    classes: np.ndarray | None,
    classes_out: np.ndarray | None,
) -> int:
    """What `unpack` of _unpack.c does."""
    numbers = np.arange(start, stop) if order is None else order[start:stop]
    records, (indices, values, indptr) = records[numbers], out
    starts, sizes, valued = table
    value = np.dtype(np.float32 if values is None else values.dtype)
    at = int(valued.sum()) * value.itemsize
    codes = np.ascontiguousarray(records[:, at : at + len(starts) * code_size]).view(f"u{code_size}").astype(np.int64)
    columns, present = codes + starts, codes < sizes
    x = np.ones(codes.shape, dtype=value)
    x[:, valued == 1] = np.ascontiguousarray(records[:, :at]).view(value).reshape(len(records), -1)
    entries = int(present.sum())
    indices[:entries] = columns[present]
    if values is not None:
        values[:entries] = x[present]
    indptr[: len(numbers) + 1] = first_entry + np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    if classes is not None and classes_out is not None:
        classes_out[: len(numbers)] = classes[numbers]
    return entries
