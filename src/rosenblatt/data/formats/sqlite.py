"""SQLite databases: the only table in it, or `file.db::table`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.data.columnar import typed_dataset
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import ROWS_PER_BATCH, Format
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source
from rosenblatt.data.table import number_text
from rosenblatt.errors import FileError

if TYPE_CHECKING:
    import sqlite3

    import polars as pl

PAGE_SIZE, CHANGES, PAGES, CHANGES_THEN = slice(16, 18), slice(24, 28), slice(28, 32), slice(92, 96)
JOURNAL = slice(18, 20)  # bytes that say how changes are written: 2 2 ahead into a file beside it, 1 1 not


def read(source: Source, options: ReadOptions) -> Dataset:
    (whole,) = tables(source, options, None)
    return whole


def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
    return tables(source, options, rows or ROWS_PER_BATCH)


def tables(source: Source, options: ReadOptions, rows: int | None) -> Iterator[Dataset]:
    """The rows of the table in batches of so many, or all at once."""
    earlier = 0
    with database(source) as connection:
        selected = connection.execute(f"SELECT * FROM {quoted(chosen_table(source, connection))}")
        names = [column[0] for column in selected.description]
        while part := selected.fetchall() if rows is None else selected.fetchmany(rows):
            cells = zip(*part, strict=True)
            columns = [column_of(name, list(column), source.name) for name, column in zip(names, cells, strict=True)]
            yield typed_dataset(frame_of(columns, source.name), options, source.name, earlier)
            earlier += len(part)
    if not earlier:
        raise FileError("the table has no rows.", path=source.name)


@contextmanager
def database(source: Source) -> Iterator[sqlite3.Connection]:
    """The database, from which nothing but rows is read."""
    import sqlite3

    try:
        if source.is_plain_file:  # by its name: a file beside it may hold the last changes
            refuse_cut(source, os.path.getsize(str(source.path)))
            connection = sqlite3.connect(f"{Path(os.path.abspath(str(source.path))).as_uri()}?mode=ro", uri=True)
        else:
            content = bytearray(source.read())
            refuse_cut(source, len(content))
            content[JOURNAL] = b"\1\1"
            connection = sqlite3.connect(":memory:")
            connection.deserialize(bytes(content))
        with closing(connection):
            connection.execute("PRAGMA trusted_schema=OFF")
            yield connection
    except sqlite3.Error as error:
        what = f"the database cannot be read ({error}): close the programs that write to it, or copy the file again."
        raise FileError(what, path=source.name) from None


def refuse_cut(source: Source, found: int) -> None:
    """Refuses a file that has lost its end: SQLite reads nothing there as zeros, and cells as missing."""
    head = source.head[:100]
    size = int.from_bytes(head[PAGE_SIZE], "big")
    if len(head) < 100 or head[CHANGES] != head[CHANGES_THEN]:  # written by a program that counted no pages
        return
    expected = int.from_bytes(head[PAGES], "big") * (65_536 if size == 1 else size)
    if found < expected:
        what = f"the database has {found:,} bytes of the {expected:,} that it was written with: copy the file again."
        raise FileError(what, path=source.name)


def chosen_table(source: Source, connection: sqlite3.Connection) -> str:
    """The table or view that was named, else the only table."""
    listed = connection.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    every: list[str] = [name for name, _ in listed if not name.startswith("sqlite_")]
    if source.part is not None:
        if source.part not in every:
            raise FileError(f"there is no table {source.part!r}: the tables are {', '.join(every)}.", path=source.name)
        return source.part
    only: list[str] = [name for name, kind in listed if kind == "table" and name in every]
    if len(only) != 1:
        named = f"tables: name one, as {source.name}::{only[0]}. They are {', '.join(only)}" if only else "no tables"
        raise FileError(f"the database has {f'{len(only)} ' if only else ''}{named}.", path=source.name)
    return only[0]


def quoted(name: str) -> str:
    """A name as SQL has it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def column_of(name: str, cells: list[Any], path: str) -> pl.Series:
    """The cells as numbers where all are, else as texts: SQLite's cells have types, and its columns do not.

    >>> column_of("a", [1, 2.5, None], "a.db").to_list(), column_of("a", [1, "x"], "a.db").to_list()
    ([1.0, 2.5, None], ['1', 'x'])
    """
    import polars as pl

    kinds = {type(cell) for cell in cells} - {type(None)}
    if bytes in kinds:
        what = "it holds bytes, which are nothing to learn from: make a view without it, and name that, as file.db::view."
        raise FileError(what, path=path, column=name)
    if kinds == {int}:
        return pl.Series(name, cells, dtype=pl.Int64)
    if kinds and kinds <= {int, float}:
        return pl.Series(name, cells, dtype=pl.Float64, strict=False)
    texts = [number_text(cell) if isinstance(cell, int | float) else cell for cell in cells]
    return pl.Series(name, texts, dtype=pl.String)


def frame_of(columns: list[pl.Series], path: str) -> pl.DataFrame:
    """The columns as a frame; a view may have two of one name."""
    import polars as pl

    names = [column.name for column in columns]
    if twice := [name for name in names if names.count(name) > 1]:
        what = f"the column name {twice[0]!r} occurs {twice.count(twice[0])} times: rename one."
        raise FileError(what, path=path, column=twice[0])
    return pl.DataFrame(columns)


FORMAT = Format(
    "sqlite",
    "a table of an SQLite database, as file.db::table",
    read,
    batches,
    signature=re.compile(rb"SQLite format 3\0"),
    suffixes=(".db", ".sqlite", ".sqlite3"),
    has_columns=True,
    has_parts=True,
)
