"""CSV: one record per line, cells separated by commas; or by semicolons, tabs or bars where these cut more evenly."""

from __future__ import annotations

from rosenblatt.data.delimited.records import choose_delimiter, delimited_readers
from rosenblatt.data.formats.declaration import Format

read, batches = delimited_readers(choose_delimiter)
FORMAT = Format(
    "csv", "a table, cells separated by , ; TAB or |", read, batches, suffixes=(".csv",), has_columns=True, has_lines=True
)
