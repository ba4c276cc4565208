"""Tables that are larger than memory: their features in files beside theirs, and what cannot be had of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING, Any

from rosenblatt.data.columns.reading import CleanTable, TableReadings
from rosenblatt.data.disk_table import DiskTable
from rosenblatt.data.row_cache import RowCacheWriter, open_rows
from rosenblatt.engine.free_memory import returning_memory
from rosenblatt.engine.threads import map_ahead
from rosenblatt.errors import SettingError
from rosenblatt.features.notes import Notes
from rosenblatt.features.table.blocks import Room

if TYPE_CHECKING:
    from rosenblatt.features.table.table_map import TableMap


def transform_on_disk(mapping: TableMap, table: DiskTable) -> Any:
    """The features of a table, encoded part by part into its folder, and mapped: threads encode while others are written.

    A table that is not kept goes meanwhile: what is written takes the room, in memory and on the disk, that it had.
    """

    rooms: list[Room] = []  # that no part is in

    def encoded(number: int) -> tuple[Any, Notes, Room]:
        own, room = copy.copy(mapping), Room()  # what it counts, it counts for one part
        with suppress(IndexError):  # another thread may have been faster
            room = rooms.pop()
        own.blocks = [copy.copy(block) for block in mapping.blocks]
        rows = own.transform(table.part(number), room=room, packed=True)
        table.remove_part(number)
        return rows, own.notes, room

    writer, notes = RowCacheWriter(table.folder, checked=table.kept), Notes()
    for rows, about_rows, room in returning_memory(map_ahead(encoded, range(len(table.heights)))):
        writer.add(rows)
        notes += about_rows
        rooms.append(room)
    writer.finish(mapping.n_features)
    mapping.notes = notes
    return open_rows(table.folder, verify=False)


def clean_on_disk(readings: TableReadings | None, table: DiskTable) -> Iterator[CleanTable]:
    """The values of a table, part by part: threads read the next ones."""
    assert readings is not None
    return returning_memory(map_ahead(lambda number: readings.clean(table.part(number)), range(len(table.heights))))


def clean_to_fit(readings: TableReadings, table: DiskTable) -> Iterator[CleanTable]:
    """What there is to learn from: of coded categories each text once, of all other columns every row, part by part."""
    import polars as pl

    every_row, marks = [], readings.marks
    for one in readings.columns:
        values = table.values.get(one.name)
        if not one.used:
            continue
        if one.kind in ("date", "text") or one.role != "category" or values is None or values.dtype != pl.Enum:
            every_row.append(one)
            continue
        tally = table.tallies[one.name]
        texts = values.filter(pl.Series(tally > 0)).alias(one.name)
        if tally.sum() < table.height:
            texts = texts.extend_constant(None, 1)
        yield TableReadings([one], marks).clean(pl.DataFrame([texts]))
    if every_row:
        names, own = [one.name for one in every_row], TableReadings(every_row, marks)
        parts = map_ahead(lambda number: own.clean(table.part(number, names)), range(len(table.heights)))
        yield from returning_memory(parts)


def refuse_texts(readings: TableReadings, where: str = "in a stream of tables", instead: str = "leave out --stream") -> None:
    """Refuses columns of sentences, and says where they cannot be, and what can be done instead."""
    sentences = [one.name for one in readings.columns if one.kind == "text"]
    if sentences:
        option = quote(f"{sentences[0]}=drop")
        raise SettingError(
            f"The column {sentences[0]!r} holds sentences, whose words are not counted {where}. Leave it out, "
            f"--column {option}, or {instead}: then all rows are read into memory."
        )
