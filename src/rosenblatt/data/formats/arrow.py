"""Arrow and Feather: tables that know their types, as files or as streams."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from rosenblatt.data.columnar import columnar_readers
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.source import Source

if TYPE_CHECKING:
    import polars as pl

FILE, STREAM = b"ARROW1\0\0", b"\xff\xff\xff\xff"  # how the two begin


def read_frame(source: Source) -> pl.DataFrame:
    import polars as pl

    read = pl.read_ipc_stream if source.head.startswith(STREAM) else pl.read_ipc
    return read(source.read())


def scan_frame(path: str | IO[bytes]) -> pl.LazyFrame:
    import polars as pl

    return pl.scan_ipc(path, glob=False)


read, batches = columnar_readers("Arrow", read_frame, scan_frame, whole_only=STREAM)
FORMAT = Format(
    "arrow",
    "a table with types; also Feather",
    read,
    batches,
    signature=re.compile(FILE + b"|" + STREAM),
    suffixes=(".arrow", ".feather", ".ipc"),
    aliases=("feather", "ipc"),
    has_columns=True,
)
