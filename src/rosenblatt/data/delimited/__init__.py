"""CSV, TSV and tables with blanks between the columns.

Three readers, each for what the one before refuses. Large plain tables are coded while they are read: coded.py. polars reads
the others; then numpy counts delimiters and line ends, and if the counts do not agree with the frame, or if polars refused,
records.py reads the same bytes again with care: it accepts what polars does not (quotes behind blanks, quotes inside words)
and names the line of what cannot be read at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import Batches, Read
from rosenblatt.data.options import ReadOptions
from rosenblatt.data.source import Source


def delimited_readers(delimiter: Callable[[Source, ReadOptions], str]) -> tuple[Read, Batches]:
    """The functions `read` and `batches` of a format; `delimiter` says what separates the cells of a source."""

    def read(source: Source, options: ReadOptions) -> Dataset:
        from rosenblatt.data.delimited.reading import read_table

        return read_table(source, options, delimiter(source, options))

    def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
        from rosenblatt.data.delimited.reading import table_batches

        return table_batches(source, rows, options, delimiter(source, options))

    return read, batches
