"""Rows on disk that are held out: the rows that `split` holds out in memory, in files of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data.coded import CodedTexts
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.disk_table import DiskTable, LabelsOnDisk, part_file
from rosenblatt.data.named_rows import NamedRows
from rosenblatt.data.row_cache import HEAD, RowCacheWriter, open_rows
from rosenblatt.data.splits import check_share, nothing_left, rows_held_out
from rosenblatt.engine import order
from rosenblatt.engine.file_arrays import ArrayWriter, array_in_file, blocks, numbers_in_file
from rosenblatt.engine.rows import is_mapped
from rosenblatt.errors import FileError

SIDES = "learned", "held-out"  # names of folders


def split_on_disk(
    data: Dataset,
    share: float,
    seed: int = 0,
    group: str | None = None,
    after: str | None = None,
    folder: Path | None = None,
) -> tuple[Dataset, Dataset]:
    """(the rows to learn from, the rows held out), each in the order of the file; the files of all rows are gone.

    Of a table they lie in its folder, of sparse rows in the one that is named.
    """
    if group or after:
        refuse_unknown_values(data, group or after or "")
        held_out = rows_held_out(data, share, seed, group, after)  # compares the values of a column, of all rows
        data = replace(data, rows=data.rows.drop(group)) if group else data
    else:
        held_out = at_random_in_file(len(data), share, seed)
    rows = split_table(data.rows, held_out) if data.kind == "table" else split_sparse(data.rows, held_out, folder or Path())
    sides = zip(rows, (False, True), strict=True)
    learned, measured = (
        replace(data, rows=of_side, labels=labels_where(data.labels, held_out, wanted)) for of_side, wanted in sides
    )
    return learned, measured


def refuse_unknown_values(data: Dataset, column: str) -> None:
    """Refuses to compare the values of a column of which they were too many to be kept."""
    if data.kind == "table" and column in data.rows.ids:
        raise FileError("too many different texts stand in it to split by in a stream: number them.", column=column)


def at_random_in_file(n: int, share: float, seed: int) -> np.ndarray:
    """Which rows `at_random` holds out, one by one, of rows that may be many."""
    check_share(share)
    count = round(share * n)
    if not 0 < count < n:
        raise nothing_left(share, n)
    shuffled, held_out = numbers_in_file(n), array_in_file(n, np.bool_)
    order.shuffle(shuffled, order.random_bits(seed, order.SPLIT))
    for part in blocks(count):
        held_out[shuffled[part]] = True
    return held_out


def split_table(table: DiskTable, held_out: np.ndarray) -> tuple[DiskTable, DiskTable]:
    """The two sides of a table."""
    learned, measured = (SideWriter(table, table.folder / name) for name in SIDES)
    end = 0
    for number, height in enumerate(table.heights):
        chosen = np.asarray(held_out[end : end + height])
        learned.add(number, ~chosen)
        measured.add(number, chosen)
        part_file(table.folder, number).unlink()
        end += height
    return learned.table(), measured.table()


def split_sparse(rows: Any, held_out: np.ndarray, folder: Path) -> list[Any]:
    """The two sides of sparse rows, with columns that have names or numbers."""
    matrix = rows.matrix if isinstance(rows, NamedRows) else rows
    sides = []
    for name, wanted in zip(SIDES, (False, True), strict=True):
        (folder / name).mkdir(parents=True, exist_ok=True)
        writer = RowCacheWriter(folder / name, checked=False)
        for part in blocks(matrix.shape[0]):
            writer.add(matrix[part][np.flatnonzero(held_out[part] == wanted)])
        writer.finish(matrix.shape[1])
        side = open_rows(folder / name, verify=False)
        sides.append(NamedRows(side, rows.names) if isinstance(rows, NamedRows) else side)
    for file in (HEAD, "indices", "values", "indptr"):
        (folder / file).unlink(missing_ok=True)
    return sides


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
    if isinstance(labels, np.ndarray) and not is_mapped(labels):
        return labels[held_out == wanted]
    if not isinstance(labels, CodedTexts | LabelsOnDisk | np.ndarray):
        import polars as pl

        return labels.filter(pl.Series(held_out == wanted))
    values = labels if isinstance(labels, np.ndarray) else labels.codes if isinstance(labels, CodedTexts) else labels.values
    chosen = ArrayWriter(values.dtype)
    for part in blocks(len(values)):
        chosen.add(values[part][held_out[part] == wanted])
    kept = chosen.array()
    if not isinstance(labels, CodedTexts):
        return LabelsOnDisk(labels.name, kept) if isinstance(labels, LabelsOnDisk) else kept
    occurs = np.zeros(len(labels.texts), dtype=bool)
    for part in blocks(len(kept)):
        occurs[kept[part]] = True
    place = np.cumsum(occurs, dtype=kept.dtype) - np.uint32(1)
    for part in blocks(len(kept)):
        kept[part] = place[kept[part]]
    return CodedTexts(labels.name, kept, [text for text, used in zip(labels.texts, occurs, strict=True) if used])
