"""Rows of a table in records of as few bytes as they need: what lies on disk is written so (engine/packed_rows.py)."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.packed_rows import PackedRows, RecordLayout, Slot
from rosenblatt.features.table.blocks import (
    ROWS_IN_CACHE,
    CategoryBlock,
    Entry,
    FeatureBlock,
    NumberBlock,
    NumberProduct,
    Room,
)
from rosenblatt.features.table.columns import EncodedRows


def slot_of(block: FeatureBlock, start: int) -> Slot:
    """The features of a block as a slot of a record."""
    by_number = isinstance(block, CategoryBlock) and block.times is not None
    return Slot(start, block.size, by_number or isinstance(block, NumberBlock | NumberProduct))


class PackedBuilder:
    """A record a row, with a slot a block: the entries, and their order, are those of `SparseBuilder`."""

    def __init__(
        self, n: int, blocks: list[FeatureBlock], starts: list[int], dtype: type[np.floating], room: Room | None = None
    ):
        filled = [(block, start) for block, start in zip(blocks, starts, strict=True) if block.size]
        self.blocks = [block for block, _ in filled]
        self.layout = RecordLayout(tuple(slot_of(block, start) for block, start in filled), np.dtype(dtype).str)
        self.records = (room or Room()).empty("records", n * self.layout.width, np.uint8).reshape(n, self.layout.width)
        self.entries = n * len(self.blocks)

    def add(self, part: EncodedRows) -> None:
        entries = [block.encode(part) for block in self.blocks]
        for start in range(part.start, part.stop, ROWS_IN_CACHE):
            stop = min(start + ROWS_IN_CACHE, part.stop)
            self._add_rows(entries, slice(start - part.start, stop - part.start), self.records[start:stop])

    def _add_rows(self, entries: list[Entry], rows: slice, records: np.ndarray) -> None:
        """Some rows of a part: so few that they stay in the cache."""
        fields = records.view(self.layout.fields)[:, 0]
        for j, (slot, (places, value)) in enumerate(zip(self.layout.slots, entries, strict=True)):
            chosen = places[rows] if isinstance(places, np.ndarray) else places
            fields[f"c{j}"] = chosen  # −1, none of them, becomes the largest code
            if isinstance(chosen, np.ndarray):
                self.entries -= int(np.count_nonzero(chosen < 0))
            if slot.valued:
                assert value is not None
                fields[f"v{j}"] = value[rows]

    def result(self, n_features: int) -> PackedRows:
        return PackedRows(self.records, self.layout, n_features, self.entries)
