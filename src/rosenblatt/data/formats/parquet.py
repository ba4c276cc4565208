"""Parquet: tables that know their types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.data.columnar import columnar_readers
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.options import ReadOptions
from rosenblatt.data.source import Source

if TYPE_CHECKING:
    import polars as pl


def recognise(source: Source, options: ReadOptions) -> bool:
    return source.head.startswith(b"PAR1")


def read_frame(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(source.path_or_bytes(), glob=False, hive_partitioning=False)


def scan_frame(path: str) -> pl.LazyFrame:
    import polars as pl

    return pl.scan_parquet(path, glob=False)


read, batches = columnar_readers("Parquet", read_frame, scan_frame)
FORMAT = Format("parquet", "a table with types", read, batches, recognise, suffixes=(".parquet", ".pq"), has_columns=True)
