"""Tables that are larger than memory: their features in files beside theirs, and what cannot be had of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.data.columns.reading import TableReadings
from rosenblatt.data.disk_table import DiskTable
from rosenblatt.data.row_cache import RowCacheWriter, open_rows
from rosenblatt.errors import SettingError, as_argument
from rosenblatt.features.notes import Notes

if TYPE_CHECKING:
    from rosenblatt.features.table.table_map import TableMap


def transform_on_disk(mapping: TableMap, table: DiskTable) -> Any:
    """The features of a table, encoded part by part into its folder, and mapped."""
    writer, notes = RowCacheWriter(table.folder), Notes()
    for part in table.parts():
        writer.add(mapping.transform(part))
        notes += mapping.notes
    writer.finish(mapping.n_features)
    mapping.notes = notes
    return open_rows(table.folder, verify=False)


def refuse_texts(readings: TableReadings) -> None:
    """Refuses columns of sentences."""
    sentences = [one.name for one in readings.columns if one.kind == "text"]
    if sentences:
        option = as_argument(f"{sentences[0]}=drop")
        raise SettingError(
            f"The column {sentences[0]!r} holds sentences, whose words are not counted in a stream of tables. Leave it out, "
            f"--column {option}, or leave out --stream: then all rows are read into memory."
        )
