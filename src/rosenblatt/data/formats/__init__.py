"""The file formats that `read`, `batches` and the command line know: a file each, and a line each in FORMAT_NAMES.

To add a format, write its file beside these, with FORMAT = Format(…) in it (declaration.py says what that holds), and add
the file's name to FORMAT_NAMES. Import numpy and polars inside its functions only: `rosenblatt --help` imports this table.

A source is read by the first format that recognises its content; else as CSV if a delimiter was named; else by the format
that has its suffix; else as CSV.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.options import ReadOptions
from rosenblatt.data.source import Source
from rosenblatt.errors import FileError, SettingError

FORMAT_NAMES = (
    "csv",
    "tsv",
    "parquet",
    "arrow",
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


def format_named(given: str) -> Format:
    """The format of this name, alias or suffix."""
    name = given.lower().lstrip(".")
    for format in FORMATS.values():
        if name in (format.name, *format.aliases):
            return format
    near = get_close_matches(name, FORMATS, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise SettingError(f"There is no format {given!r}: choose one of {', '.join(FORMATS)}.{hint}")


def recognise(source: Source, options: ReadOptions) -> Format:
    """The format of a source."""
    if source.is_folder and options.format not in (None, "folder"):
        what = f"it is a folder: {options.format} is the format of a file. Name the file in it."
        raise FileError(what, path=source.name)
    if not source.head and not source.is_folder:
        raise FileError("the file is empty.", path=source.name)
    if options.format is not None:
        return FORMATS[options.format]
    for format in FORMATS.values():
        if format.recognise is not None and format.recognise(source, options):
            return format
    names_a_delimiter = options.delimiter is not None and source.is_text
    return FORMATS["csv"] if names_a_delimiter else BY_SUFFIX.get(source.suffix, FORMATS["csv"])
