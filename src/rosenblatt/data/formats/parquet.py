"""Parquet: tables that know their types."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from rosenblatt.data.columnar import columnar_readers
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.source import Source

if TYPE_CHECKING:
    import polars as pl


def read_frame(source: Source) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(source.read(), glob=False, hive_partitioning=False)


def scan_frame(path: str | IO[bytes]) -> pl.LazyFrame:
    import polars as pl

    return pl.scan_parquet(path, glob=False)


read, batches = columnar_readers("Parquet", read_frame, scan_frame, sliced=True)
FORMAT = Format(
    "parquet",
    "a table with types",
    read,
    batches,
    suffixes=(".parquet", ".pq"),
    signature=re.compile(rb"PAR1([^\t\n\r -~]|\Z)"),  # not a column of a CSV that is called so
    has_columns=True,
)
