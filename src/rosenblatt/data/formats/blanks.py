"""Tables whose cells are separated by any number of blanks, often aligned below each other."""

from __future__ import annotations

from rosenblatt.data.delimited.records import cell_count, cells_between_blanks, consistent_delimiter, delimited_readers
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source


def recognise(source: Source, options: ReadOptions) -> bool:
    if not source.is_text or options.delimiter is not None:
        return source.is_text and options.delimiter == " "
    from rosenblatt.data.formats import BY_SUFFIX

    return source.suffix not in BY_SUFFIX and blanks_cut_evenly(source.first_lines)


def blanks_cut_evenly(lines: list[str]) -> bool:
    """Do blanks cut all lines into equally many cells, more than one, and better than a delimiter does?

    >>> blanks_cut_evenly(["18.0  8", "15.0  4"]), blanks_cut_evenly(["a b,c d", "e f,g h"])
    (True, False)
    """
    counts = {len(cells_between_blanks(line)) for line in lines}
    if len(counts) != 1 or counts == {1}:
        return False
    delimiter = consistent_delimiter(lines)
    # There may be a tab among the blanks (auto-mpg.data has one in front of the name).
    aligned = any("  " in line for line in lines)
    return delimiter is None or (delimiter == "\t" and aligned and counts.pop() > cell_count(lines[0], "\t"))


read, batches = delimited_readers(lambda source, options: " ")
FORMAT = Format(
    "blanks",
    "a table, cells separated by blanks",
    read,
    batches,
    recognise,
    aliases=("table",),
    has_columns=True,
    has_lines=True,
)
