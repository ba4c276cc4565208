"""Rows of a table on disk that are held out: the rows that `split` holds out in memory, in a table of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data.coded import CodedTexts
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.disk_table import DiskTable, LabelsOnDisk, part_file
from rosenblatt.data.splits import check_share
from rosenblatt.engine import order
from rosenblatt.engine.file_arrays import ArrayWriter, array_in_file, blocks, numbers_in_file
from rosenblatt.errors import DataError


def split_on_disk(data: Dataset, share: float, seed: int = 0) -> tuple[Dataset, Dataset]:
    """(the rows to learn from, the rows held out), each in the order of the file; the table itself is gone."""
    check_share(share)
    n, table = len(data), data.rows
    count = round(share * n)
    if not 0 < count < n:
        raise DataError(f"Holding out {share} of {n} rows leaves nothing to measure on, or to learn from.")
    shuffled, held_out = numbers_in_file(n), array_in_file(n, np.bool_)
    order.shuffle(shuffled, order.random_bits(seed, order.SPLIT))
    for part in blocks(count):
        held_out[shuffled[part]] = True
    sides = [SideWriter(table, table.folder / name) for name in ("learned", "held-out")]
    end = 0
    for number, height in enumerate(table.heights):
        chosen = held_out[end : end + height]
        for side, rows in zip(sides, (~chosen, chosen), strict=True):
            side.add(number, rows)
        part_file(table.folder, number).unlink()
        end += height
    learned, measured = (
        replace(data, rows=side.table(), labels=labels_where(data.labels, held_out, wanted))
        for side, wanted in zip(sides, (False, True), strict=True)
    )
    return learned, measured


class SideWriter:
    """Writes some of the rows of a table on disk as another."""

    def __init__(self, whole: DiskTable, folder: Path):
        self.whole, self.folder = whole, folder
        self.heights: list[int] = []
        self.tallies = {name: np.zeros_like(tally) for name, tally in whole.tallies.items()}
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, number: int, rows: np.ndarray) -> None:
        """The rows of a part that are marked."""
        import polars as pl

        if not rows.any():
            return
        written = pl.read_ipc(part_file(self.whole.folder, number)).filter(pl.Series(rows))
        for name, tally in self.tallies.items():
            if name in written.columns:
                tally += np.bincount(written[name].cast(pl.UInt32).drop_nulls().to_numpy(), minlength=len(tally))
        written.write_ipc(part_file(self.folder, len(self.heights)), compression="uncompressed")
        self.heights.append(written.height)

    def table(self) -> DiskTable:
        """What was written."""
        return replace(self.whole, folder=self.folder, heights=self.heights, tallies=self.tallies)


def labels_where(labels: Any, held_out: np.ndarray, wanted: bool) -> Any:
    """The labels of the rows that are held out, or of the others; only texts that occur stay among those of coded ones."""
    if not isinstance(labels, CodedTexts | LabelsOnDisk):
        import polars as pl

        return labels.filter(pl.Series(held_out == wanted))
    values = labels.codes if isinstance(labels, CodedTexts) else labels.values
    chosen = ArrayWriter(values.dtype)
    for part in blocks(len(values)):
        chosen.add(values[part][held_out[part] == wanted])
    kept = chosen.array()
    if isinstance(labels, LabelsOnDisk):
        return LabelsOnDisk(labels.name, kept)
    occurs = np.zeros(len(labels.texts), dtype=bool)
    for part in blocks(len(kept)):
        occurs[kept[part]] = True
    place = np.cumsum(occurs, dtype=kept.dtype) - np.uint32(1)
    for part in blocks(len(kept)):
        kept[part] = place[kept[part]]
    return CodedTexts(labels.name, kept, [text for text, used in zip(labels.texts, occurs, strict=True) if used])
