"""What a file format declares about itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source

Read = Callable[[Source, ReadOptions], Dataset]
Batches = Callable[[Source, int | None, ReadOptions], Iterator[Dataset]]
Recognise = Callable[[Source, ReadOptions], bool]

ROWS_PER_BATCH = 65_536


@dataclass(frozen=True)
class Format:
    """A file format.

    name         as `--format` and `read(format=…)` name it, and as its file is called
    help         what such a file holds, in one line
    read         (source, options) → Dataset
    batches      (source, rows, options) → Datasets of so many rows, where rows = None leaves the number to the format;
                 without it, the whole source is read and then cut
    signature    a pattern with which the bytes of such a file begin
    recognise    (source, options) → is the content of this format? Asked where no signature tells
    suffixes     how names of such files end: .csv
    aliases      other names of the format
    has_columns  can a column be named as the target?
    has_parts    may a sheet or a table in it be named, as file::name?
    has_lines    are its columns on lines of text, above which there may be others?
    """

    name: str
    help: str
    read: Read
    batches: Batches | None = None
    recognise: Recognise | None = None
    signature: re.Pattern[bytes] | None = None
    suffixes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    has_columns: bool = False
    has_lines: bool = False
    has_parts: bool = False


def cut(whole: Dataset, rows: int | None) -> Iterator[Dataset]:
    """A data set in batches of `rows`, the last one shorter."""
    step = rows or ROWS_PER_BATCH
    return (whole.slice(start, start + step) for start in range(0, len(whole), step))
