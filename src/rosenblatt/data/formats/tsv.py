"""TSV: one record per line, cells separated by tabs."""

from __future__ import annotations

from rosenblatt.data.delimited.records import checked_delimiter, delimited_readers
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source


def tab_or_given(source: Source, options: ReadOptions) -> str:
    return checked_delimiter(source, options) or "\t"


read, batches = delimited_readers(tab_or_given)
FORMAT = Format(
    "tsv", "a table, cells separated by tabs", read, batches, suffixes=(".tsv", ".tab"), has_columns=True, has_lines=True
)
