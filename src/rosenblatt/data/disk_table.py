"""A table that is larger than memory: its columns on disk, part by part, in the types that they have in memory.

Numbers are written as they are; of texts, the place among the different texts of their column. What is read back is
a part, or a column, at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class DiskTable:
    """The columns of a table in a folder."""

    folder: Path
    heights: list[int]  # rows of each part
    types: dict[str, pl.DataType]  # by column
    values: dict[str, pl.Series]  # of columns that were written as places among these
    tallies: dict[str, np.ndarray]  # how many rows have each of them
    ids: dict[str, list[str]] = field(default_factory=dict)  # columns of more texts than are kept, with some of them
    kept: bool = True  # may another run open its folder?

    @property
    def columns(self) -> list[str]:
        return list(self.types)

    @property
    def height(self) -> int:
        return sum(self.heights)

    @property
    def width(self) -> int:
        return len(self.types)

    @property
    def shape(self) -> tuple[int, int]:
        return self.height, self.width

    def __len__(self) -> int:
        return self.height

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, or the rows with these numbers, in this order, as a table of polars."""
        import polars as pl

        if isinstance(key, str):
            return pl.concat([self._part(number, [key]) for number in range(len(self.heights))]).to_series()
        numbers, end, chosen = np.asarray(key), 0, []
        order = np.argsort(numbers, kind="stable")
        in_order = numbers[order]
        for part, height in enumerate(self.heights):
            first, last = np.searchsorted(in_order, [end, end + height])
            if first < last:
                chosen.append(self._part(part, self.columns, in_order[first:last] - end))
            end += height
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return pl.concat(chosen)[back] if chosen else self._part(0, self.columns).clear()

    def drop(self, name: str) -> DiskTable:
        """The table without a column."""
        return replace(self, types={other: kind for other, kind in self.types.items() if other != name})

    def parts(self, columns: list[str] | None = None) -> Iterator[pl.DataFrame]:
        """The rows, some at a time, in order; of all columns, or of these."""
        return (self.part(number, columns) for number in range(len(self.heights)))

    def part(self, number: int, columns: list[str] | None = None) -> pl.DataFrame:
        """The rows of one part."""
        return self._part(number, self.columns if columns is None else columns)

    def remove_part(self, number: int) -> None:
        """Gives the room of a part back, where nobody else opens it: its rows are not asked for again."""
        if not self.kept:
            with suppress(OSError):  # Windows removes no file that is mapped; it goes with its folder
                part_file(self.folder, number).unlink()

    def parts_as_written(self, name: str) -> Iterator[pl.Series]:
        """The places of a column of texts among its values, part by part."""
        import polars as pl

        files = (part_file(self.folder, number) for number in range(len(self.heights)))
        return (pl.read_ipc(file, columns=[name]).to_series().cast(pl.UInt32) for file in files)

    def rows_of_texts(self, name: str) -> dict[str, int]:
        """How many rows have each text of a column, in the order in which they came."""
        rows: dict[str, int] = {}
        for text, count in zip(self.values[name].to_list(), self.tallies[name].tolist(), strict=True):
            if text is not None and count:
                rows[text] = rows.get(text, 0) + count
        return rows

    def _part(self, number: int, columns: list[str], chosen: np.ndarray | None = None) -> pl.DataFrame:
        """The rows of a part, or those that are chosen."""
        import polars as pl

        file, rows = part_file(self.folder, number), self.heights[number] if chosen is None else len(chosen)
        known = pl.read_ipc_schema(file)  # what only later batches have is not in it
        written = pl.read_ipc(file, columns=[name for name in columns if name in known])
        written = written if chosen is None else written[chosen]
        absent = pl.Series([None], dtype=pl.UInt32).new_from_index(0, rows)
        series = []
        for name in columns:
            column = written[name] if name in known else absent.alias(name)
            if name in self.values:
                column = self.values[name].gather(column.cast(pl.UInt32)).alias(name)
            series.append(column.cast(self.types[name]))
        return pl.DataFrame(series)


@dataclass(frozen=True)
class LabelsOnDisk:
    """Labels that are no texts, mapped."""

    name: str
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> np.ndarray:
        some: np.ndarray = self.values[rows]
        return some

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype, copy=copy)


def part_file(folder: Path, number: int) -> Path:
    return folder / f"part-{number:06}.arrow"
