"""Spreadsheets: xlsx, xlsm, xlsb, xls and ods. The first sheet that has rows, or `file.xlsx::Sheet`."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from rosenblatt.data.columnar import explain_damage, told_of_durations, without_marks
from rosenblatt.data.columns.dates import plain_moments
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.delimited.records import first_row_of_table
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.merged_cells import MergedCells, merged_cells
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.sheet_extent import refuse_far_cells
from rosenblatt.data.source import SAMPLE_LINES, Source
from rosenblatt.data.table import Place, checked_names, to_dataset
from rosenblatt.errors import FileError, TargetError

# How spreadsheets begin: a zip archive with the folders of one, or the files that Excel wrote until 2003.
SPREADSHEET = re.compile(
    rb"(?s)PK\x03\x04.{26}(\[Content_Types\]|_rels/|docProps/|xl/|mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet)"
    rb"|\xd0\xcf\x11\xe0"
)

if TYPE_CHECKING:
    import polars as pl

# To whom fastexcel tells of each empty column that it has no type: Python prints what has no listener.
NOBODY = logging.NullHandler()
SEARCHED = 10  # rows for the name of the target
LARGEST_WHOLE = 2**53  # up to which a float tells whole numbers apart


def read(source: Source, options: ReadOptions) -> Dataset:
    import fastexcel

    if source.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        what = "it is a web page with the name of a spreadsheet, as some programs export: open it in a spreadsheet program"
        raise FileError(f"{what} and save it as .xlsx or .csv.", path=source.name)
    if source.head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" not in source.head:
        what = "it is a text with the name of a spreadsheet: pass format='csv' (tabs and semicolons are found, too)"
        raise FileError(f"{what}.", path=source.name)
    logging.getLogger("fastexcel").addHandler(NOBODY)
    content = source.read()
    refuse_far_cells(content, source.name)
    workbook = explain_damage(source, "spreadsheet", lambda: fastexcel.read_excel(content))
    sheet = chosen_sheet(source, workbook)
    merged = merged_cells(content, sheet)
    frame, blocks = explain_damage(source, "spreadsheet", lambda: table_in(source, workbook, sheet, options, merged))
    if not frame.height:
        raise FileError("the sheet has names and no rows.", path=source.name)
    frame = frame.select(without_marks(column, options.missing) for column in frame)
    try:
        return to_dataset(frame, options, source.name, lambda row: Place(f"{source.name}, row {row + 1:,}"))
    except FileError as error:
        if error.column is None or error.column not in blocks:
            raise
        how = "Cells of this column are merged, and the value of a block stands in its first row alone"
        raise FileError(f"{error} {how}: unmerge them in the spreadsheet, and fill them in.", column=None) from None


def chosen_sheet(source: Source, workbook: Any) -> str:
    """The sheet that was named, else the first that has more than one row."""
    sheets: list[str] = workbook.sheet_names
    if source.part is not None:
        if source.part not in sheets:
            raise FileError(f"there is no sheet {source.part!r}: the sheets are {', '.join(sheets)}.", path=source.name)
        return source.part
    heights = explain_damage(source, "spreadsheet", lambda: [cells_of(workbook, name, 2).height for name in sheets])
    filled = [name for name, height in zip(sheets, heights, strict=True) if height > 1]
    if filled:
        if filled[1:]:
            what = f"{source.name} has several sheets, of which {filled[0]!r} was read"
            source.note(f"{what}. For another, write {source.name}::{filled[1]}.")
        return filled[0]
    raise FileError("no sheet has a table: expected a row of names, and rows below it.", path=source.name)


def cells_of(workbook: Any, sheet: str, rows: int, skip: int | None = None) -> pl.DataFrame:
    """The first rows of a sheet as texts: from the first that has a cell, or from the first behind those to skip."""
    loaded = workbook.load_sheet(sheet, header_row=None, n_rows=rows, skip_rows=skip, dtypes="string")
    frame: pl.DataFrame = loaded.to_polars()
    return frame


def table_in(
    source: Source, workbook: Any, sheet: str, options: ReadOptions, merged: MergedCells
) -> tuple[pl.DataFrame, list[str]]:
    """The table of a sheet, and the columns with merged cells: names from its first row, or below the titles; without rows
    and columns that are empty.
    """
    import polars as pl

    cells = [[(cell or "").strip() for cell in row] for row in cells_of(workbook, sheet, SAMPLE_LINES, 0).rows()]
    start = source.start if options.skip_lines is not None else next((i for i, row in enumerate(cells) if any(row)), 0)
    if options.skip_lines is None and (found := first_row_of_table(cells[start:], options.header)):
        title = next(cell for cell in cells[start] if cell)[:40]
        start += found
        begins = f"the table of {source.name} begins on row {start + 1}, below {title!r}"
        source.note(f"{begins}. Pass skip_lines=0 if it does not.")
    if start >= len(cells):
        raise FileError("the sheet has no rows there: pass a smaller skip_lines.", path=source.name)
    if options.training is not None:
        from rosenblatt.data.training_names import named_as_in_training

        options = named_as_in_training([cell for cell in cells[start] if cell], options, source)
    header, first = cells[start], start + options.header
    below = next((i for i, row in enumerate(cells[start:SEARCHED], start + 1) if options.target in row), None)
    if options.header and options.names is None and options.target not in header and below is not None:
        what = f"row {start + 1} has no column {options.target!r}, and row {below} has: pass skip_lines={below - 1}."
        raise TargetError(what, path=source.name)
    names = [f"cell_{i}" for i in range(len(header))]
    sheet_below = workbook.load_sheet(sheet, header_row=None, skip_rows=first, column_names=names, schema_sample_rows=None)
    frame: pl.DataFrame = sheet_below.to_polars()
    last = first + frame.height - 1
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    used = [i for i, name in enumerate(frame.columns) if header[i] or frame[name].null_count() < frame.height]
    titles = checked_names([header[i] if options.header else "" for i in used], options, Place(source.name))
    title_of = dict(zip(used, titles, strict=True))
    row_of_names = start if options.header else None
    by_place = [title_of.get(i) for i in range(len(names))]
    durations = [title for i, title in title_of.items() if frame[names[i]].dtype == pl.Duration]
    for sentence in (
        *merged.notes(source.name, by_place, row_of_names, first, last),
        *told_of_durations(durations, source.name),
    ):
        source.note(sentence)
    table = pl.DataFrame([plain(frame[names[i]].alias(title)) for i, title in title_of.items()])
    return table, merged.columns_below(by_place, first, last)


def plain(column: pl.Series) -> pl.Series:
    """Numbers that are all whole as such, and moments that are all at midnight as dates."""
    import polars as pl

    if column.dtype.is_float() and column.is_finite().all() and ((column % 1 == 0) & (column.abs() < LARGEST_WHOLE)).all():
        return column.cast(pl.Int64)
    if column.dtype == pl.Datetime:
        return column.cast(pl.Date) if (column.dt.truncate("1d") == column).all() else column
    if column.dtype in (pl.Duration, pl.Time):
        return plain_moments(column)
    return column.cast(pl.String) if column.dtype == pl.Null else column


FORMAT = Format(
    "excel",
    "a spreadsheet: xlsx, xls, ods; a sheet as file.xlsx::Sheet",
    read,
    signature=SPREADSHEET,
    suffixes=(".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    aliases=("xlsx", "xlsm", "xlsb", "xls", "ods"),
    has_columns=True,
    has_lines=True,
    has_parts=True,
)
