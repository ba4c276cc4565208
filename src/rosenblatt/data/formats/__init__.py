"""The file formats that `read`, `batches` and the command line know: a file each, and a line each in FORMAT_NAMES.

To add a format, write its file beside these, with FORMAT = Format(…) in it (declaration.py says what that holds), and add
the file's name to FORMAT_NAMES. Import numpy and polars inside its functions only: `rosenblatt --help` imports this table.

A source is read by the format with whose signature it begins; else, where names have a ruler of dashes below them, as
`ruled`; else, where its suffix names a table and a delimiter cuts its lines evenly, as that; else by the first format that
recognises its content; else as CSV if a delimiter was named; else by the format that has its suffix; else as CSV.
"""

from __future__ import annotations

from importlib import import_module

from rosenblatt.data.formats.declaration import Format

FORMAT_NAMES = (
    "csv",
    "tsv",
    "ruled",
    "parquet",
    "arrow",
    "jsonl",
    "excel",
    "sqlite",
    "arff",
    "vw",
    "libsvm",
    "text",
    "lines",
    "folder",
    "tar",
    "idx",
    "blanks",  # last: nearly every text has blanks
)

FORMATS: dict[str, Format] = {name: import_module(f"{__name__}.{name}").FORMAT for name in FORMAT_NAMES}
BY_SUFFIX: dict[str, Format] = {suffix: format for format in FORMATS.values() for suffix in format.suffixes}
