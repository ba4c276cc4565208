"""What Parquet and Arrow have in common: tables that know their types, which polars reads."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, TypeVar

from rosenblatt.data.columns.dates import plain_moments
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import ROWS_PER_BATCH, Batches, Read, cut
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source
from rosenblatt.data.table import BLANKS, Place, find_target, number_in, refuse_patterns, to_dataset
from rosenblatt.engine.threads import map_ahead
from rosenblatt.errors import FileError, NoRowsError

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
FEW_TEXTS = 256  # of a column, that Python looks through sooner than polars begins
CELLS_AHEAD = 2**22  # of a batch
MAPPED_FROM = 2**24  # bytes of a file; a smaller one is held as it is


def columnar_readers(
    title: str,
    read_frame: Callable[[Source], pl.DataFrame],
    scan_frame: Callable[[str | IO[bytes]], pl.LazyFrame],
    whole_only: bytes | None = None,
    sliced: bool = False,
) -> tuple[Read, Batches]:
    """The functions `read` and `batches` of a format. What begins with `whole_only` polars cannot scan.

    Of a format that is `sliced` polars decodes some rows without all before them, and is asked for those. By itself it
    decodes whole groups of rows, and some ahead: a gigabyte, where a group has a million.
    """

    def read(source: Source, options: ReadOptions) -> Dataset:
        frame = explain_damage(source, title, lambda: read_frame(source))
        if not frame.height:
            raise NoRowsError("the table has no rows.", path=source.name)
        return typed_dataset(frame, options, source.name)

    def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
        # These formats are read from their end, so that from a pipe or gzip all is held.
        if not source.is_plain_file or (whole_only and source.head.startswith(whole_only)):
            yield from cut(read(source, options), rows)
            return
        scanned: str | IO[bytes] = os.path.abspath(str(source.path))  # polars understands ~ and file: itself
        if source.size is not None and source.size <= MAPPED_FROM:  # what polars maps ends the process when it shrinks
            scanned = io.BytesIO(source.read())
        table = explain_damage(source, title, lambda: scan_frame(scanned))
        many = rows_ahead(explain_damage(source, title, lambda: len(table.collect_schema())))
        ahead = rows is None and options.ahead
        step = many if ahead else rows or ROWS_PER_BATCH

        def undecoded(at_once: int) -> Iterator[tuple[int, pl.DataFrame | pl.LazyFrame]]:
            """So many rows at a time, and how many came before them."""
            height = explain_damage(source, title, lambda: height_of(table))
            return ((start, table.slice(start, at_once)) for start in range(0, height, at_once))

        def decoded() -> Iterator[pl.DataFrame]:
            if sliced:
                yield from (explain_damage(source, title, part.lazy().collect) for _, part in undecoded(max(step, many)))
                return
            batches = explain_damage(source, title, lambda: table.collect_batches(chunk_size=step, maintain_order=True))
            frames = iter(batches)
            while (frame := explain_damage(source, title, lambda: next(frames, None))) is not None:
                yield frame

        def slices() -> Iterator[tuple[int, pl.DataFrame | pl.LazyFrame]]:
            """Some rows at a time, and how many came before them."""
            earlier = 0
            for frame in decoded():
                for start in range(0, frame.height, step):
                    part = frame.slice(start, step)
                    yield earlier, part
                    earlier += part.height

        def typed(part: tuple[int, pl.DataFrame | pl.LazyFrame]) -> Dataset:
            earlier, rows = part
            frame = explain_damage(source, title, rows.lazy().collect)
            return typed_dataset(frame, options, source.name, earlier)

        parts: Iterator[tuple[int, pl.DataFrame | pl.LazyFrame]] = slices()
        if sliced and ahead:
            parts = undecoded(step)  # threads that work ahead decode, too
        empty = True
        for data in map_ahead(typed, parts) if options.ahead else map(typed, parts):
            empty = False
            yield data
        source.refuse_changes()
        if empty:
            raise NoRowsError("the table has no rows.", path=source.name)

    return read, batches


def height_of(table: pl.LazyFrame) -> int:
    """How many rows there are, which a file says somewhere."""
    import polars as pl

    return int(table.select(pl.len()).collect().item())


def rows_ahead(columns: int) -> int:
    """How many rows of so many columns are read at a time by who reads ahead: what a batch costs beside its rows is felt.

    >>> rows_ahead(10), rows_ahead(32), rows_ahead(1000)
    (262144, 131072, 65536)
    """
    return max(ROWS_PER_BATCH, min(4 * ROWS_PER_BATCH, CELLS_AHEAD // max(1, columns)))


def explain_damage(source: Source, title: str, action: Callable[[], T]) -> T:
    """The result of the action; whatever polars raises becomes a FileError."""
    import polars as pl

    try:
        return action()
    except FileError:
        raise
    # On damaged bytes its Rust side may panic, which Python sees as a BaseException of its own.
    except (Exception, pl.exceptions.PanicException) as error:
        reason = str(error).strip().splitlines()[0][:120] if str(error).strip() else type(error).__name__
        what = f"the {title} data is truncated or damaged ({reason}): copy the file again, or write it again."
        raise FileError(what, path=source.name) from None


def typed_dataset(frame: pl.DataFrame, options: ReadOptions, name: str, earlier: int = 0) -> Dataset:
    """The frame in the types that the rest of the package knows, without its target; `earlier` rows came before it."""
    import polars as pl

    frame = flat(frame, name)
    refuse_patterns(frame.columns, Place(name))
    plain = {column.name: _plain(column) for column in frame}
    left_out = [column for column, values in plain.items() if values is None]
    durations = [column.name for column in frame if column.dtype == pl.Duration]
    target = None if options.target is None else find_target(frame.columns, options, name)
    if target in left_out or (left_out and {*frame.columns} <= {*left_out, target}):
        column = target if target in left_out else left_out[0]
        what = f"it holds {frame[column].dtype}: only numbers, text, booleans, categories and dates can be used."
        raise FileError(what, path=name, column=column)
    columns = [values for values in plain.values() if values is not None]
    columns = [coded(values) if values.dtype == pl.String else values for values in columns] if options.ahead else columns
    frame = frame.select(without_marks(values, options.missing) for values in columns)
    data = to_dataset(frame, options, name, lambda row: Place(f"{name}, row {earlier + row + 1:,}"))
    notes = told_of_durations(durations, name)
    if left_out:
        were = "were" if len(left_out) > 1 else "was"
        notes += (f"{', '.join(left_out)} of {name} {were} left out: lists and bytes are nothing to learn from.",)
    return replace(data, notes=(*data.notes, *notes)) if notes else data


def told_of_durations(columns: Sequence[str], name: str) -> tuple[str, ...]:
    """A note where columns of durations became numbers: elsewhere, as in a CSV, these are seconds."""
    hold = "hold" if len(columns) > 1 else "holds"
    return (f"{', '.join(columns)} of {name} {hold} durations: they are taken as microseconds.",) if columns else ()


def flat(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The frame with the members of inner objects as columns of their own, and whole numbers of 64 bits.

    >>> import polars as pl
    >>> flat(pl.DataFrame({"id": [1], "address": [{"city": "Rome"}]}), "people.jsonl").rows(named=True)
    [{'id': 1, 'address.city': 'Rome'}]
    """
    import polars as pl

    while inner := [column.name for column in frame if column.dtype == pl.Struct]:
        kinds = frame.schema  # made anew whenever it is asked for
        members = [f"{outer}.{field.name}" for outer in inner for field in kinds[outer].fields]  # type: ignore[attr-defined]
        if twice := set(members) & set(frame.columns):
            raise FileError(
                "the member occurs twice, inside an object and beside it: rename one.", path=name, column=twice.pop()
            )
        frame = frame.unnest(inner, separator=".")
    # Of the wider ones, floats are made as of those in a CSV.
    wide = [column.name for column in frame if column.dtype in (pl.Int128, pl.UInt128)]
    return frame.with_columns(pl.col(wide).cast(pl.Float64)) if wide else frame


def _plain(column: pl.Series) -> pl.Series | None:
    """Numbers and booleans as they are; categories, dates, times as text; decimals, durations as numbers; None of others."""
    import polars as pl

    dtype = column.dtype
    if dtype in (pl.String, pl.Boolean) or dtype.is_integer() or dtype.is_float():
        return column
    if dtype == pl.Decimal:
        return column.cast(pl.Float64)
    if dtype.is_temporal():
        return plain_moments(column)
    return column.cast(pl.String) if dtype in (pl.Categorical, pl.Enum, pl.Null) else None


def coded(column: pl.Series) -> pl.Series:
    """Texts as an Enum of those that occur, in the order in which they come: each is looked up once, whoever asks later.

    >>> import polars as pl
    >>> coded(pl.Series(["b", None, "a", "b"])).dtype
    Enum(categories=['b', 'a'])
    """
    import polars as pl

    kind = pl.Categorical(pl.Categories.random())  # of this column alone: others would number their texts together
    values = column.cast(kind)  # which keeps their numbers
    codes = values.to_physical()
    last = codes.max()  # each number up to the last occurs: they were given as texts came
    texts = pl.Series(range(0 if last is None else int(last) + 1), dtype=codes.dtype).cat.to(kind)  # type: ignore[arg-type]
    return codes.cat.to(pl.Enum(texts.cast(pl.String)))


def without_marks(column: pl.Series, missing: Sequence[str]) -> pl.Series:
    """A column in which what means "not known" is null, as it is in a CSV: a text or, as -999 may be, a number."""
    import polars as pl

    numbers = [float(number) for mark in missing if (number := number_in(mark)) is not None]
    if column.dtype == pl.Enum:
        texts: pl.Series = column.dtype.categories  # type: ignore[attr-defined]
        if len(texts) <= FEW_TEXTS and {*missing}.isdisjoint(text.strip(BLANKS) for text in texts.to_list()):
            return column
        of_text = texts.str.strip_chars().is_in(list(missing))
        if not of_text.any():
            return column
        is_mark = of_text.gather(column.to_physical().cast(pl.UInt32))
        return pl.select(pl.when(~is_mark).then(column).alias(column.name)).to_series()
    if column.dtype == pl.String:
        is_mark = column.str.strip_chars().is_in(list(missing))
    elif column.dtype.is_numeric() and numbers:
        is_mark = column.cast(pl.Float64).is_in(numbers)
    else:
        return column
    return column.set(is_mark.fill_null(False), None) if is_mark.any() else column
