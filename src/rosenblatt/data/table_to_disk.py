"""A source of any length as a table on disk: read in batches, written part by part.

A column is what all its cells say, also those of the last batch: where a number turns out to be a text after all, the source
is read again with that column as texts, and then the different texts decide, as in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.coded import CodedTexts
from rosenblatt.data.columnar import coded
from rosenblatt.data.columns.kinds import SAMPLE, Look
from rosenblatt.data.dataset import Dataset, told_once
from rosenblatt.data.disk_table import DiskTable, LabelsOnDisk, part_file
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.reading import Where, batches_of, format_of
from rosenblatt.data.table import categories_of, enum_codes, find_target, is_enum, texts_among
from rosenblatt.engine.file_arrays import ArrayWriter
from rosenblatt.engine.free_memory import returning_memory
from rosenblatt.errors import DataError, FileError, as_argument

if TYPE_CHECKING:
    import polars as pl

MOST_TEXTS = 2**20  # different ones of a column
MANY_CODES = 2**17  # as many pairs as there can be


def table_on_disk(
    where: Where,
    options: ReadOptions,
    folder: Path,
    unused: Collection[str] = (),
    watch: Callable[[int], None] = lambda rows: None,
) -> Dataset:
    """The data of a source with its rows in a folder; columns that are `unused` are not looked at.

    After every batch `watch` is called with the number of rows so far.
    """
    format, texts = format_of(where, options), [] if isinstance(options.as_text, bool) else list(options.as_text)
    while True:
        writer = DiskTableWriter(folder, unused, from_lines=format is not None and format.has_lines)
        try:
            options_of_batches = replace(options, as_text=texts or options.as_text, ahead=True)
            for data in returning_memory(batches_of(where, None, options_of_batches)):
                writer.add(data)
                watch(sum(writer.heights))
            return writer.finish(options)
        except WiderColumnError as column:
            texts.append(column.name)


class WiderColumnError(Exception):
    """What was taken for numbers holds texts, too."""

    def __init__(self, name: str):
        super().__init__(name)
        self.name = name


@dataclass
class DiskTableWriter:
    """Writes batches of one source; all texts of those `from_lines` may yet be numbers."""

    folder: Path
    unused: Collection[str]
    from_lines: bool
    heights: list[int] = field(default_factory=list)
    types: dict[str, pl.DataType | None] = field(default_factory=dict)  # None: nothing but missing cells so far
    texts: dict[str, dict[str, int]] = field(default_factory=dict)  # the different ones, and their places
    tallies: dict[str, np.ndarray] = field(default_factory=dict)  # how many rows have each
    ids: dict[str, list[str]] = field(default_factory=dict)  # columns of too many texts to keep, with some of them
    notes: list[str] = field(default_factory=list)
    first: Dataset | None = None
    target: str | None = None

    def add(self, data: Dataset) -> None:
        import polars as pl

        self.notes = [*told_once([*self.notes, *data.notes])]
        if self.first is None:
            if data.kind != "table":
                raise DataError(f"{data.name} is no table.")
            self.first, self.target = data.slice(0, 0), None if data.labels is None else data.labels.name  # type: ignore[union-attr]
        labels = [] if data.labels is None else [data.labels]
        columns = [*data.rows.get_columns(), *labels]
        written = pl.DataFrame([self._written(column, data.name) for column in columns])
        written.write_ipc(part_file(self.folder, len(self.heights)), compression="uncompressed")
        self.heights.append(written.height)

    def _written(self, column: pl.Series, source: str) -> pl.Series:
        """The column as it is written: numbers as they are, texts as places."""
        import polars as pl

        name, before = column.name, self.types.setdefault(column.name, None)
        absent = pl.Series(name, [None], dtype=pl.UInt32).new_from_index(0, len(column))
        if name in self.unused or name in self.ids or column.null_count() == len(column):
            return absent
        now = pl.String() if column.dtype in (pl.String, pl.Enum) else column.dtype
        self.types[name] = now if before is None else self._wider(name, before, now, source)
        if now != pl.String:
            return column.shrink_dtype() if now.is_integer() else column  # it is given back in its own type
        places = self._places(column)
        if len(self.texts[name]) <= MOST_TEXTS:
            return places
        self._refuse_unless_id(name, source)
        self.ids[name] = list(self.texts.pop(name))[:SAMPLE]
        del self.tallies[name]
        return absent

    def _refuse_unless_id(self, name: str, source: str) -> None:
        """Of so many texts none is kept, which is fine where nearly all differ: then they are the names of rows."""
        texts = list(self.texts[name])
        look = Look(name, "", sum(self.heights), int(self.tallies[name].sum()), texts[:SAMPLE], len(texts))
        if name == self.target or not look.is_id():
            raise FileError(
                f"more than {MOST_TEXTS:,} different texts stand in it, too many for a stream. Leave the column out, "
                f"--column {as_argument(f'{name}=drop')}, or leave out --stream: then all rows are read into memory.",
                path=source,
                column=name,
            )

    def _wider(self, name: str, before: pl.DataType, now: pl.DataType, source: str) -> pl.DataType:
        """The type that holds the numbers of both."""
        import polars as pl

        texts = pl.String in (before, now)
        if before == now:
            return before
        if self.from_lines and (texts or {before, now} == {pl.Int64(), pl.UInt64()}):
            raise WiderColumnError(name)
        if texts:
            remedy = f"Write it as one of the two, or leave it out, --column {as_argument(f'{name}=drop')}."
            raise FileError(f"it holds texts in some rows, and numbers in others. {remedy}", path=source, column=name)
        both = pl.concat([pl.DataFrame({name: pl.Series([], dtype=one)}) for one in (before, now)], how="vertical_relaxed")
        return both.dtypes[0]

    def _places(self, column: pl.Series) -> pl.Series:
        """The place of each text among those of its column, new ones behind the others; rows of each are counted."""
        import polars as pl

        known = self.texts.setdefault(column.name, {})
        column = column if is_enum(column) else coded(column)
        categories, codes = categories_of(column), enum_codes(column)  # one past the last: missing
        counts = counts_of(codes, len(categories) + 1)[:-1]
        occur = np.flatnonzero(counts)
        theirs = [known.setdefault(categories[code], len(known)) for code in occur.tolist()]
        place_of = np.zeros(len(categories) + 1, dtype=np.min_scalar_type(max(len(known) - 1, 0)))
        place_of[occur] = theirs
        before = self.tallies.get(column.name, counts[:0])
        tally = np.zeros(len(known), dtype=np.int64)
        tally[: len(before)] = before
        tally[place_of[occur]] += counts[occur]
        self.tallies[column.name] = tally
        places = pl.Series(column.name, place_of.take(codes, mode="clip"))  # which none needs; to raise takes longer
        return places if not column.has_nulls() else pl.select(pl.when(column.is_not_null()).then(places)).to_series()

    def finish(self, options: ReadOptions) -> Dataset:
        """The data, now that all of them are there."""
        import polars as pl

        if self.first is None:
            raise FileError("the table has no rows.")
        values = {name: pl.Series(name, list(texts), dtype=pl.String) for name, texts in self.texts.items()}
        if self.from_lines:
            values = self._as_what_they_hold(values, options)
        types = {name: kind or pl.String() for name, kind in self.types.items()}
        rows = sum(self.heights)
        for name, column in values.items():
            if column.dtype == pl.String and 2 * len(column) <= rows:
                column = column.cast(pl.Enum(column.sort()))
            values[name], types[name] = column, column.dtype
        table = DiskTable(self.folder, self.heights, types, values, self.tallies, self.ids)
        labels = None if self.target is None else labels_of(table, self.target)
        data = replace(self.first, rows=table if self.target is None else table.drop(self.target), labels=labels)
        return replace(data, notes=tuple(self.notes), numbers=None, trimmed=self.from_lines)

    def _as_what_they_hold(self, values: dict[str, pl.Series], options: ReadOptions) -> dict[str, pl.Series]:
        """The different texts of each column as numbers where all of them are; as `ColumnTypes` decides it in memory."""
        import polars as pl

        from rosenblatt.data.delimited.parsing import ColumnTypes

        assert self.first is not None
        target = None if options.target is None else find_target(list(self.types), options, self.first.name)
        # Numbers with a fraction that were no texts in some batch mark no thousands: then those of texts do not either.
        fractions = {name: kind for name, kind in self.types.items() if kind is not None and kind.is_float()}
        texts = texts_among(list(self.types), options)
        types = ColumnTypes(options.missing, fractions, target, texts=texts)
        typed = {name: types.of_column(texts) for name, texts in values.items()}
        written = pl.read_ipc(part_file(self.folder, 0), columns=list(values), n_rows=1000) if values else pl.DataFrame()
        begin = [typed[name].gather(written[name].cast(pl.UInt32)).alias(name) for name in values]
        marked = types.with_thousands(begin, {name: values[name] for name in values if typed[name].dtype.is_float()})
        return {name: values[name] if name in marked else typed[name] for name in values}


def counts_of(codes: np.ndarray, size: int) -> np.ndarray:
    """How many of the codes are 0, 1, … size − 1; many that are bytes are counted in pairs, in half the time.

    >>> counts_of(np.array([1, 0, 1], dtype=np.uint8), size=3)
    array([1, 2, 0])
    """
    if codes.dtype != np.uint8 or len(codes) < MANY_CODES or len(codes) % 2 or not codes.flags.c_contiguous:
        return np.bincount(codes, minlength=size)
    pairs = np.bincount(codes.view(np.uint16), minlength=2**16).reshape(2**8, 2**8)
    return np.asarray(pairs.sum(axis=0) + pairs.sum(axis=1))[:size]


def labels_of(table: DiskTable, target: str) -> Any:
    """The labels of a table, in a file: texts as their places among the different ones, numbers and truth values."""
    import polars as pl

    kind, rows_of_texts = table.types[target], table.tallies.get(target)
    if kind == pl.Enum and rows_of_texts is not None and not table.values[target].has_nulls():
        places = ArrayWriter(np.uint32)
        for part in table.parts_as_written(target):
            places.add(part.to_numpy())
        return CodedTexts(target, places.array(), table.values[target].to_list())
    if kind.is_numeric() or kind == pl.Boolean:
        first = next(table.parts([target]))[target].to_numpy()
        values = ArrayWriter(first.dtype)
        for frame in table.parts([target]):
            values.add(frame[target].to_numpy())
        return LabelsOnDisk(target, values.array())
    return table[target]
