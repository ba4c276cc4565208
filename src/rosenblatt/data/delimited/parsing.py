"""From a block of text to a frame: by the compiled reader, by polars, or record by record."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rosenblatt.data.coded import CodedTable
from rosenblatt.data.delimited.coded import BOM, SURELY_TEXT, CodedColumn, coded_table, read_coded
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.reading import importing_meanwhile
from rosenblatt.data.table import BLANKS, PROBE_CELLS, looks_like_data, numbers_if_all
from rosenblatt.engine.compiled import cores

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from rosenblatt.data.delimited.reading import TextBlock

    Types = Mapping[str, pl.DataType | type[pl.DataType]]  # by column

PROBE_BYTES = 2**12  # decide whether a table seems to hold nothing but texts
PROBE_ROWS = 1000  # decide which columns of a large table are read as numbers at once


def parse(block: TextBlock, options: ReadOptions, types: ColumnTypes) -> pl.DataFrame | CodedTable:
    """The columns of a block as what they hold."""
    frame = None
    if block.layout.delimiter != " ":
        large = len(block.content) > options.sizes.coded_above
        if large or options.coded:
            frame = _by_compiled_reader(block, options, types, large)
        if frame is None:
            frame = _by_polars(block, options, types)
    if frame is None:
        frame = types.of_frame(_by_records(block), padded=False)
    return frame


def _by_compiled_reader(
    block: TextBlock, options: ReadOptions, types: ColumnTypes, large: bool
) -> pl.DataFrame | CodedTable | None:
    """The columns coded; by polars where they have too many values. None if the block is not plain.

    What is not `large` is given as a CodedTable, or not at all.
    """
    header, names, delimiter = block.header(), block.layout.names, block.layout.delimiter
    plain = not set(header) & NOT_PLAIN or count(block.data[: len(header)], delimiter, options.sizes.count_block)
    if not plain or "" not in options.missing:
        return None
    without_polars = options.coded and (len(types.texts) == len(names) or begins_with_texts(block))
    if not large and not without_polars:
        return None
    shape = delimiter, len(names), options.sizes.coded_texts
    with importing_meanwhile(*([] if without_polars else ["polars"])):  # takes as long as the reading
        coded = read_coded(block.content, len(header), *shape, halves=large and cores() > 1)
    table = coded_table(coded, names, types) if coded is not None and without_polars else None
    if table is not None or coded is None or not large:
        return table
    return _from_codes(block, options, types, coded)


def begins_with_texts(block: TextBlock) -> bool:
    """Has every column of a table what is surely a text in its first rows?"""
    start = len(block.header())
    lines = block.content[start : start + PROBE_BYTES].decode("utf-8", "replace").split("\n")[:-1]
    rows = [[cell.strip(BLANKS) for cell in line.split(block.layout.delimiter)] for line in lines]
    width = len(block.layout.names)
    return all(any(len(row) > j and SURELY_TEXT.match(row[j]) for row in rows) for j in range(width))


def _from_codes(
    block: TextBlock, options: ReadOptions, types: ColumnTypes, coded: list[CodedColumn | None]
) -> pl.DataFrame | None:
    """Coded columns as what they hold; those that are not coded are read by polars."""
    import polars as pl

    names, delimiter = block.layout.names, block.layout.delimiter
    uncoded = whole = pl.DataFrame()
    many_valued = [name for name, column in zip(names, coded, strict=True) if column is None]
    if many_valued:
        everywhere = count(block.data, delimiter, options.sizes.count_block)
        if everywhere is None:
            return None
        raw = _with_guessed_types(block, options, types, everywhere, names=many_valued)
        rows = next(len(column.codes) for column in coded if column is not None)
        if raw is None or raw.height != rows:
            return None
        whole = raw.with_columns(pl.col(pl.String).str.strip_chars()) if everywhere.padded else raw
        uncoded = types.of_frame(whole, padded=False)
    columns = {
        name: uncoded[name] if column is None else column.series(name, types)
        for name, column in zip(names, coded, strict=True)
    }
    cells = {
        name: whole[name]
        if column is None
        else pl.Series(name, [text.strip(BLANKS) for text in column.texts], dtype=pl.String)
        for name, column in zip(names, coded, strict=True)
        if columns[name].dtype.is_float()
    }
    for name in types.with_thousands([*columns.values()], cells):
        column, as_text = coded[names.index(name)], replace(types, texts=[name])
        columns[name] = as_text.of_column(whole[name]) if column is None else column.series(name, as_text)
    # A list: of an iterator, polars takes a thousand columns at a time, and fails.
    return pl.DataFrame(list(columns.values()))


def _by_polars(block: TextBlock, options: ReadOptions, types: ColumnTypes) -> pl.DataFrame | None:
    """The columns as polars reads them; None if it refuses, or if what it read does not add up."""
    import polars as pl

    counts = count(block.data, block.layout.delimiter, options.sizes.count_block)
    skipped = len(block.header())
    mark_in_a_cell = (skipped > 0 or block.line > 1) and block.content.startswith(BOM, skipped)  # polars would leave it out
    if counts is None or mark_in_a_cell:
        return None
    frame = _with_guessed_types(block, options, types, counts)
    if frame is None:
        return None
    # polars fills up short rows; long ones it refuses. So equal totals mean that every row is even.
    width = frame.width
    is_blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series() if width else None
    blank = int(is_blank.sum()) if is_blank is not None else 0
    header = count(block.data[:skipped], block.layout.delimiter, options.sizes.count_block) or DelimiterCounts()
    unfinished = int(not block.content.endswith(b"\n"))
    lines = counts.line_ends - header.line_ends + unfinished
    if frame.height != lines or counts.delimiters - header.delimiters != (lines - blank) * (width - 1):
        return None
    # A row of empty cells beside a row that is too short would make the totals agree: only lines without a byte are blank.
    # In a table of one column they may be missing cells.
    if blank and (width == 1 or blank != _empty_lines(block.content[skipped:])):
        return None
    if blank and is_blank is not None:
        frame = frame.filter(~is_blank)
    return types.of_frame(frame, padded=counts.padded)


def _with_guessed_types(
    block: TextBlock, options: ReadOptions, types: ColumnTypes, counts: DelimiterCounts, names: list[str] | None = None
) -> pl.DataFrame | None:
    """Columns as polars reads them, as numbers those that begin with numbers in a large block; None if it refuses."""
    import polars as pl

    texts: Types = dict.fromkeys(block.layout.names, pl.String())
    guessed: Types = {}
    content, skipped = block.content, block.skipped
    if content.startswith(b"x^"):  # as packed data may begin, which polars would unpack
        content, skipped = b"\n" + content, skipped + 1

    def read_csv(schema: Types, rows: int | None = None) -> pl.DataFrame:
        return pl.read_csv(
            content,
            has_header=False,
            skip_lines=skipped,
            schema=schema,
            separator=block.layout.delimiter,
            quote_char='"' if counts.quotes else None,
            n_rows=rows,
            columns=None
            if names is None
            else [block.layout.names.index(name) for name in names],  # it accepts no names here
            glob=False,
        )

    try:
        # A mark that is a number, as -999 is, is a mark only in a column of texts; of 007, a number would be 7.
        need_texts = counts.leading_zeros or any(looks_like_data([mark]) for mark in options.missing)
        if len(block.content) > options.sizes.coded_above and types.may_be_guessed and not need_texts:
            start = types.of_frame(read_csv(texts, rows=PROBE_ROWS))
            numbers = (c for c in start if c.dtype != pl.String and c.name != types.target)
            guessed = {c.name: c.dtype for c in numbers if not c.has_nulls()}
        try:
            return read_csv({**texts, **guessed})
        except pl.exceptions.PolarsError:
            return read_csv(texts) if guessed else None
    except pl.exceptions.PolarsError:
        return None


def _by_records(block: TextBlock) -> pl.DataFrame:
    """The cells as text, read record by record."""
    import polars as pl

    rows = [record.cells for record in block.records()]
    return pl.DataFrame(rows, schema=dict.fromkeys(block.layout.names, pl.String()), orient="row")


@dataclass(frozen=True)
class ColumnTypes:
    """How the texts of columns become values: whole numbers, numbers or texts, without blanks around and with nulls.

    missing         texts that mean "not known"
    at_least        types that columns must have at least: as earlier parts of the same file had them
    target          the column of labels, which are numbers only if every one of them prints back to the same text
    may_be_guessed  may the first rows of a large table say which columns are tried as numbers at once?
    texts           columns that stay texts, also where all of them are numbers

    Digits with a zero in front, or more of them than a number keeps, are the name of something and stay texts. So does 1.234
    where other columns write 0,5, or where nothing but 987 stands beside it: what it means is decided when the table is
    looked at.

    >>> import polars as pl
    >>> types = ColumnTypes(["", "?"], target="id")
    >>> types.of_frame(pl.DataFrame({"age": [" 39", "?"], "sex": ["Male ", ""], "id": ["01", "1"]})).rows()
    [(39, 'Male', '01'), (None, None, '1')]
    >>> types.of_frame(pl.DataFrame({"zip": ["0815", "1"], "price": ["7,50", "12,00"], "sold": ["1.234", "987"]})).rows()
    [('0815', '7,50', '1.234'), ('1', '12,00', '987')]
    """

    missing: Sequence[str]
    at_least: Types = field(default_factory=dict)
    target: str | None = None
    may_be_guessed: bool = False
    texts: Sequence[str] = ()

    def of_frame(self, frame: pl.DataFrame, *, padded: bool = True) -> pl.DataFrame:
        """Stripping takes longer than reading: where no cell is `padded`, it is left out."""
        import polars as pl

        if padded:
            frame = frame.with_columns(pl.col(pl.String).str.strip_chars())
        typed = frame.with_columns(self.of_column(column) for column in frame)
        marked = self.with_thousands(typed.get_columns(), {column.name: column for column in frame})
        return typed.with_columns(replace(self, texts=[name]).of_column(frame[name]) for name in marked)

    def with_thousands(self, typed: Sequence[pl.Series], cells: Mapping[str, pl.Series]) -> list[str]:
        """The columns of numbers, given what is written in them, whose points may mark thousands: they stay texts."""
        floats = [column.name for column in typed if column.dtype.is_float() and column.name != self.target]
        if not floats:
            return []
        from rosenblatt.data.columns.numbers import has_decimal_comma, is_string, may_mark_thousands, seems_to_mark_thousands

        known = [cells[name].drop_nulls().alias(name) for name in floats]
        known = [column.filter(~column.is_in(list(self.missing))) if is_string(column) else column for column in known]
        if any(map(has_decimal_comma, typed)) or (not self.at_least and all(map(seems_to_mark_thousands, known))):
            return [column.name for column in known if may_mark_thousands(column)]
        return []

    def of_column(self, column: pl.Series) -> pl.Series:
        """One column, without blanks around already."""
        import polars as pl

        at_least = pl.String() if column.name in self.texts else self.at_least.get(column.name)
        if column.dtype == pl.String:
            for mark in self.missing:
                is_mark = column == mark
                if is_mark.any():
                    column = column.set(is_mark.fill_null(False), None)
            if at_least != pl.String:
                numbers = numbers_if_all(column)
                # Labels of 64 bits without a sign stay texts: those of another part may have one.
                is_label = column.name == self.target
                prints_back = numbers.dtype != pl.UInt64 and (numbers.cast(pl.String) == column).all()
                stays_text = not prints_back if is_label else is_named_by_digits(column, numbers)
                column = column if stays_text else numbers
        unknown = column.null_count() == len(column)
        if at_least is not None and (unknown or (at_least == pl.Float64 and column.dtype.is_integer())):
            column = column.cast(at_least)
        return column


def is_named_by_digits(texts: pl.Series, numbers: pl.Series) -> bool:
    """Are there whole numbers such as 007 and 3E5, phones such as +491701234567, or more digits than 64 bits keep?"""
    if numbers.dtype.is_float():
        if texts.str.contains("E", literal=True).any() and texts.str.contains("^[0-9]+E[0-9]+$").any():
            return True
        begins_so = texts.head(PROBE_CELLS).str.contains("^[0-9]+$").all()  # fractions would show at once
        return bool(begins_so and texts.str.contains("^[0-9]+$").all())
    return bool(numbers.dtype.is_integer() and texts.str.contains(r"^(?:0|\+[0-9]{8})[0-9]").any())


def widest_types(earlier: Types, frame: pl.DataFrame) -> Types:
    """The types that the columns of all frames so far can have: a whole number, a number, or text."""
    import polars as pl

    from_narrow_to_wide: list[pl.DataType | type[pl.DataType]] = [pl.Int64, pl.UInt64, pl.Float64, pl.String]
    types = dict(earlier)
    for column in frame:
        if column.null_count() == len(column):  # which says nothing about its type
            continue
        dtype = pl.String() if column.dtype == pl.Enum else column.dtype
        types[column.name] = max(types.get(column.name, dtype), dtype, key=from_narrow_to_wide.index)
    return types


NEWLINE, RETURN, QUOTE, BLANK, ZERO, NINE = b'\n\r" 09'
NOT_PLAIN = {0, RETURN, QUOTE}
BEYOND_ASCII = re.compile("|".join(blank for blank in BLANKS if blank > "\x7f").encode())
BLANK_BYTES = 3  # of one of them at most


@dataclass
class DelimiterCounts:
    """Of some bytes of a table."""

    quotes: int = 0
    delimiters: int = 0  # outside quotes
    line_ends: int = 0  # outside quotes
    padded: bool = False  # is there a blank at the edge of a cell?
    leading_zeros: bool = False  # does a cell begin with 0 and another digit?


def count(data: np.ndarray, delimiter: str, at_a_time: int) -> DelimiterCounts | None:
    """The counts, so many bytes at a time; None if there is a NUL, a quote too many, or a CR that ends no line.

    >>> import numpy as np
    >>> count(np.frombuffer(b'a, "b,c"\\n', dtype=np.uint8), ";", at_a_time=4) is None  # blanks around a quoted cell
    True
    >>> count(np.frombuffer(b'a,"b,c"\\n', dtype=np.uint8), ",", at_a_time=4)
    DelimiterCounts(quotes=2, delimiters=1, line_ends=1, padded=False, leading_zeros=False)
    """
    import numpy as np

    cut, counts = ord(delimiter), DelimiterCounts()
    data = data[len(BOM) :] if data[: len(BOM)].tobytes() == BOM else data
    for start in range(0, len(data), at_a_time):
        stop = start + at_a_time
        part = data[start:stop]
        if not part.all():
            return None
        is_quote, is_cut, is_end = part == QUOTE, part == cut, part == NEWLINE
        if not counts.padded:
            counts.padded = _has_padding(data, start, stop, cut)
        counts.leading_zeros = counts.leading_zeros or _has_leading_zero(data, start, stop, cut)
        quotes = int(np.count_nonzero(is_quote))
        is_stray = part == RETURN
        if is_stray.any():
            after = data[start + 1 : stop + 1]
            is_stray = is_stray[: len(after)] & (after != NEWLINE)
        if quotes or counts.quotes % 2:
            # Bytes wrap around at 256, which leaves even and odd as they are.
            outside = (np.cumsum(is_quote, dtype=np.uint8) + counts.quotes % 2) & 1 == 0
            # Blanks around a quoted cell would make polars keep its quotes.
            is_blank = data[max(start - 1, 0) : stop + 1] == BLANK
            if _blank_outside_quotes(is_blank, is_quote, outside, before=start > 0):
                return None
            # So would a letter behind a closing one.
            after = data[start + 1 : stop + 1]
            closing = (is_quote & outside)[: len(after)]
            if not np.isin(after[closing], [cut, NEWLINE, RETURN, QUOTE]).all():
                return None
            # And a quote within a cell opens none, which polars would take it for.
            before = data[start - 1 : stop - 1] if start else np.concatenate([[NEWLINE], part[:-1]])
            if not np.isin(before[: len(part)][is_quote & ~outside], [cut, NEWLINE, QUOTE]).all():
                return None
            # In quotes a line end, or a delimiter that is a blank, may be at the edge of a cell.
            inside = (is_end | is_cut if cut <= BLANK else is_end) & ~outside
            counts.padded = counts.padded or bool(inside.any())
            is_cut, is_end, is_stray = is_cut & outside, is_end & outside, is_stray & outside[: len(is_stray)]
        if is_stray.any():
            return None
        counts.quotes += quotes
        counts.delimiters += int(np.count_nonzero(is_cut))
        counts.line_ends += int(np.count_nonzero(is_end))
    return None if counts.quotes % 2 else counts


def _empty_lines(text: bytes) -> int:
    """
    >>> _empty_lines(b"\\n1,2\\r\\n\\r\\n,\\n\\n")
    3
    """
    text = text.replace(b"\r\n", b"\n")
    return int(text.startswith(b"\n")) + len(re.findall(b"(?<=\n)\n", text))


def _has_padding(data: np.ndarray, start: int, stop: int, cut: int) -> bool:
    """May there be a blank at the edge of a cell, in the bytes from `start` to `stop`? Where in doubt, yes."""
    import numpy as np

    part = data[start : stop + BLANK_BYTES]
    if part.max(initial=0) >= 0x80 and BEYOND_ASCII.search(part.tobytes()):
        return True
    low = start + np.flatnonzero(data[start:stop] <= BLANK)
    byte, after = data[low], data[np.minimum(low + 1, len(data) - 1)]
    ends_line = (byte == NEWLINE) | ((byte == RETURN) & (after == NEWLINE))
    blank = low[~ends_line & (byte != cut)]
    if not len(blank):
        return False
    beside = np.concatenate([data[np.maximum(blank - 1, 0)], data[np.minimum(blank + 1, len(data) - 1)]])
    edges = (beside == cut) | (beside <= BLANK) | (beside == QUOTE)
    return bool(edges.any() or blank[0] == 0 or blank[-1] == len(data) - 1)


def _has_leading_zero(data: np.ndarray, start: int, stop: int, cut: int) -> bool:
    """Does a cell begin with 0 and another digit, in the bytes from `start` to `stop`? Where in doubt, yes."""
    import numpy as np

    before, zero, after = data[max(start - 1, 0) : stop], data[start : stop + 1] == ZERO, data[start + 1 : stop + 2]
    if start == 0:
        zero, after = zero[1:], after[1:]  # the very first cell is a name, or a first row of many
    zero = zero[: len(after)]
    # Quotes, blanks and line ends are bytes below all letters and digits but for some marks.
    candidates = np.flatnonzero(zero & ((before[: len(zero)] == cut) | (before[: len(zero)] <= QUOTE)))
    return bool(((after[candidates] >= ZERO) & (after[candidates] <= NINE)).any())


def _blank_outside_quotes(is_blank: np.ndarray, is_quote: np.ndarray, outside: np.ndarray, before: bool) -> bool:
    """Is there a blank in front of an opening quote, or behind a closing one?

    `is_blank` reaches one byte further than the others, on the left too if `before`.
    """
    left, right = is_blank[: len(is_quote)] if before else is_blank[: len(is_quote) - 1], is_blank[1 + before :]
    opening, closing = is_quote & ~outside, is_quote & outside
    return bool((opening[len(opening) - len(left) :] & left).any() or (closing[: len(right)] & right).any())
