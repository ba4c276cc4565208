"""From a block of text to a frame: by the compiled reader, by polars, or record by record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.data.delimited.coded import read_coded
from rosenblatt.data.delimited.counting import NEWLINE, Counts, count
from rosenblatt.data.delimited.layout import TextBlock
from rosenblatt.data.delimited.types import with_types
from rosenblatt.data.options import ReadOptions

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.data.delimited.types import Types

PROBE_ROWS = 1000  # decide which columns of a large table are read as numbers at once


def parse(block: TextBlock, options: ReadOptions, at_least: Types | None = None) -> pl.DataFrame:
    """The columns of a block, with their types; `at_least` are those that earlier blocks had."""
    frame = None
    if block.layout.delimiter != " ":
        if len(block.data) > options.sizes.coded_above:
            frame = _by_compiled_reader(block, options, at_least)
        if frame is None:
            frame = _by_polars(block, options, at_least)
    if frame is None:
        frame = with_types(_by_records(block), options.missing, at_least, padded=False)
    return frame


def _by_compiled_reader(block: TextBlock, options: ReadOptions, at_least: Types | None) -> pl.DataFrame | None:
    """The columns coded; by polars where they have too many values. None if the block is not plain."""
    header, names, delimiter = block.header(), block.layout.names, block.layout.delimiter
    counts = count(header, delimiter, options.sizes.count_block)
    if counts is None or "" not in options.missing:
        return None
    coded = read_coded(block.data[len(header) :], delimiter, len(names), options.sizes.coded_texts)
    if coded is None:
        return None
    import polars as pl

    padded = counts.padded or any(column.padded for column in coded if column is not None)
    uncoded = pl.DataFrame()
    many_valued = [name for name, column in zip(names, coded, strict=True) if column is None]
    if many_valued:
        everywhere = count(block.data, delimiter, options.sizes.count_block)
        raw = _with_guessed_types(block, options, at_least, quoted=False, names=many_valued)
        rows = next(len(column.codes) for column in coded if column is not None)
        if everywhere is None or raw is None or raw.height != rows:
            return None
        padded = everywhere.padded
        uncoded = with_types(raw, options.missing, at_least, padded=padded)
    return pl.DataFrame(
        uncoded[name] if column is None else column.series(name, options.missing, (at_least or {}).get(name), padded=padded)
        for name, column in zip(names, coded, strict=True)
    )


def _by_polars(block: TextBlock, options: ReadOptions, at_least: Types | None) -> pl.DataFrame | None:
    """The columns as polars reads them; None if it refuses, or if what it read does not add up."""
    import polars as pl

    counts = count(block.data, block.layout.delimiter, options.sizes.count_block)
    if counts is None:
        return None
    frame = _with_guessed_types(block, options, at_least, quoted=counts.quotes > 0)
    if frame is None:
        return None
    # polars fills up short rows; long ones it refuses. So equal totals mean that every row is even.
    width = frame.width
    is_blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series() if width else None
    blank = int(is_blank.sum()) if is_blank is not None else 0
    header = count(block.header(), block.layout.delimiter, options.sizes.count_block) or Counts()
    unfinished = int(len(block.data) > 0 and block.data[-1] != NEWLINE)
    lines = counts.line_ends - header.line_ends + unfinished
    if frame.height != lines or counts.delimiters - header.delimiters != (lines - blank) * (width - 1):
        return None
    if blank and is_blank is not None:
        frame = frame.filter(~is_blank)
    return with_types(frame, options.missing, at_least, padded=counts.padded)


def _with_guessed_types(
    block: TextBlock, options: ReadOptions, at_least: Types | None, *, quoted: bool, names: list[str] | None = None
) -> pl.DataFrame | None:
    """Columns as polars reads them, as numbers those that begin with numbers in a large block; None if it refuses."""
    import polars as pl

    texts: Types = dict.fromkeys(block.layout.names, pl.String())
    guessed: Types = {}

    def read_csv(schema: Types, rows: int | None = None) -> pl.DataFrame:
        return pl.read_csv(
            block.path or block.data.tobytes(),
            has_header=False,
            skip_lines=block.skipped,
            schema=schema,
            separator=block.layout.delimiter,
            quote_char='"' if quoted else None,
            n_rows=rows,
            columns=None
            if names is None
            else [block.layout.names.index(name) for name in names],  # it accepts no names here
            glob=False,
        )

    try:
        if len(block.data) > options.sizes.coded_above and at_least is None:
            start = with_types(read_csv(texts, rows=PROBE_ROWS), options.missing)
            guessed = {c.name: c.dtype for c in start if c.dtype != pl.String and not c.has_nulls()}
        try:
            return read_csv({**texts, **guessed})
        except pl.exceptions.PolarsError:
            return read_csv(texts) if guessed else None
    except pl.exceptions.PolarsError:
        return None


def _by_records(block: TextBlock) -> pl.DataFrame:
    """The cells as text, read record by record."""
    import polars as pl

    rows = [cells for _, cells in block.records()]
    return pl.DataFrame(rows, schema=dict.fromkeys(block.layout.names, pl.String()), orient="row")
