"""Several files as one table: those of a folder, or all that match a pattern such as sales-*.csv.

A column is what it would be if all rows stood in one file: the cells of delimited files are joined as texts before they
become numbers. Files without rows, as Spark writes them, are passed over, whatever their types.
"""

from __future__ import annotations

import contextlib
import glob
import os
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats import BY_SUFFIX, FORMATS
from rosenblatt.data.formats.declaration import Format, cut
from rosenblatt.data.messages import is_hidden
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.reading import batches_of, read_with
from rosenblatt.data.source import explain_errors, suffix_of
from rosenblatt.data.table import Place, find_target, texts_among, to_dataset
from rosenblatt.errors import FileError, NoRowsError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class TableParts:
    """Files of one format that make one table."""

    name: str
    files: list[Path]
    format: Format

    @property
    def note(self) -> str:
        return read_as_one(len(self.files), self.format.name, self.name)

    def read(self, options: ReadOptions) -> Dataset:
        """The rows of all files, below one another."""
        frames: list[pl.DataFrame] = []
        files: list[Path] = []  # that have rows
        notes = [self.note]
        for file in self.files:
            try:
                part = read_with(file, self._options_of_part(options))
            except NoRowsError:
                continue
            files.append(file)
            refuse_other_columns(part.rows.columns, frames[0].columns if frames else None, file, files[0])
            frames.append(part.rows.select(frames[0].columns) if frames else part.rows)
            notes += part.notes
        if not frames:
            raise self._without_rows()
        table = joined(frames, files)
        if self.format.has_lines:
            from rosenblatt.data.delimited.parsing import ColumnTypes

            target = None if options.target is None else find_target(table.columns, options, self.name)
            table = ColumnTypes(options.missing, target=target, texts=texts_among(table.columns, options)).of_frame(table)
        ends = list(accumulate(frame.height for frame in frames))

        def place(row: int) -> Place:
            part = bisect_right(ends, row)
            return Place(f"{files[part]}, row {row + 1 - (ends[part - 1] if part else 0):,}")

        data = to_dataset(table, options, self.name, place)
        return replace(data, notes=(*notes, *data.notes))

    def batches(self, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
        """The rows in batches; file by file where any number of them will do, else all at once.

        File by file, a column may be of another type in another file, unless all stay texts.
        """
        if rows is not None:
            yield from cut(self.read(options), rows)
            return
        columns: Sequence[str] | None = None
        first = self.files[0]  # that has rows
        for file in self.files:
            with contextlib.suppress(NoRowsError):
                for part in batches_of(file, rows, replace(options, format=self.format.name)):
                    first, columns = (file, part.rows.columns) if columns is None else (first, columns)
                    refuse_other_columns(part.rows.columns, columns, file, first)
                    yield replace(part, rows=part.rows[columns], name=self.name, notes=(self.note, *part.notes))
        if columns is None:
            raise self._without_rows()

    def _without_rows(self) -> NoRowsError:
        return NoRowsError(f"none of the {len(self.files):,} {self.format.name} files has rows.", path=self.name)

    def _options_of_part(self, options: ReadOptions) -> ReadOptions:
        texts = self.format.has_lines or options.as_text is True
        return replace(options, format=self.format.name, target=None, as_text=texts, coded=False)


def read_as_one(files: int, format: str, where: str) -> str:
    """What is told of several files."""
    return f"{files:,} {format} files of {where} were read as one table."


def refuse_other_columns(names: Sequence[str], expected: Sequence[str] | None, file: str | Path, first: str | Path) -> None:
    if expected is None or set(names) == set(expected):
        return
    missing, new = [name for name in expected if name not in names], [name for name in names if name not in expected]
    what = f"the column {missing[0]!r} of {first} is not in it" if missing else f"its column {new[0]!r} is not in {first}"
    raise FileError(f"{what}: files of one table have the same columns.", path=file)


def joined(frames: list[pl.DataFrame], files: Sequence[str | Path]) -> pl.DataFrame:
    """The frames below one another; a column of texts in one and of numbers in another is refused."""
    import polars as pl

    plain = [frame.cast({pl.Enum: pl.String}) for frame in frames]
    plain = [
        frame.with_columns(column.cast(pl.Null) for column in frame if column.null_count() == len(column)) for frame in plain
    ]
    known: dict[str, tuple[bool, str | Path]] = {}
    for frame, file in zip(plain, files, strict=True):
        for column in frame:
            is_text, other = known.setdefault(column.name, (column.dtype == pl.String, file))
            if column.dtype == pl.Null and known[column.name][1] == file:
                del known[column.name]
            elif column.dtype != pl.Null and (column.dtype == pl.String) != is_text:
                what = f"it holds {'numbers' if is_text else 'texts'}, and {'texts' if is_text else 'numbers'} in {other}."
                raise FileError(what, path=file, column=column.name)
    whole = pl.concat(plain, how="vertical_relaxed")
    return whole.with_columns(pl.col(pl.Null).cast(pl.String))


def table_parts(where: str | os.PathLike[str], options: ReadOptions) -> TableParts | None:
    """The files of a folder or a pattern; None where it is one file, or a folder of texts."""
    path = os.fspath(where)
    if not os.path.isdir(path):
        files = [Path(name) for name in sorted(glob.glob(path, recursive=True)) if os.path.isfile(name)]
        if not files:
            raise FileError("no file matches this pattern.", path=path)
    else:
        if options.format == "folder":
            return None
        with explain_errors(path):
            entries = sorted(entry.name for entry in os.scandir(path) if not is_set_aside(entry.name))
        files = [Path(path, name) for name in entries]
        # A folder in it is a class; a file of another kind says that these are no parts.
        if not files or any(file.is_dir() or not (is_table(file) or options.format) for file in files):
            return None
    files = [file for file in files if not is_hidden(file.name)]
    formats = {options.format or getattr(BY_SUFFIX.get(suffix_of(file.name)), "name", "csv") for file in files}
    if len(formats) > 1:
        what = f"its files are of {len(formats)} formats ({', '.join(sorted(formats))}): name those of one, as with *.csv."
        raise FileError(what, path=path)
    format = FORMATS[formats.pop()]
    if not format.has_columns:
        raise FileError(f"only tables can be read from several files, not {format.name}: name one file.", path=path)
    return TableParts(str(Path(path)), files, format)


def is_set_aside(name: str) -> bool:
    """Is a file of a folder no part of its table, as the _SUCCESS that Spark writes beside them?"""
    return name.startswith((".", "_"))


def is_table(file: Path) -> bool:
    """Does its name end as that of a table?"""
    format = BY_SUFFIX.get(suffix_of(file.name))
    return format is not None and format.has_columns


def tables_below(folder: str | os.PathLike[str]) -> str | None:
    """The pattern of the tables in the folders of a folder, as Spark writes them by the values of a column; None: no tables.

    Of the first file there, in the order of names.
    """
    for _, inner, files in os.walk(folder):
        inner[:] = sorted(name for name in inner if not is_set_aside(name))
        for name in sorted(files):
            if not is_set_aside(name) and is_table(Path(name)):
                return str(Path(folder, "**", f"*{Path(name).suffix}"))
    return None


def is_read_from(file: str, source: str) -> bool:
    """Is this the file that a path names, or that standard input (`-`) comes from?"""
    if source != "-":
        return any(os.path.isfile(name) and os.path.samefile(name, file) for name in files_named(source))
    with contextlib.suppress(OSError, ValueError):  # it may be closed, or no file at all
        return sys.stdin is not None and os.path.samestat(os.fstat(sys.stdin.fileno()), os.stat(file))
    return False


def files_named(source: str) -> list[str]:
    """The files that a path names: itself, those of a pattern, or the one with the sheet or the table behind `::`."""
    if os.path.lexists(source):
        return [source]
    file, separator, _ = source.rpartition("::")
    if separator and os.path.isfile(file):
        return [file]
    if not set(source) & set("*?["):
        return []
    return glob.glob(source, recursive=True)


def is_in_folder_read(file: Path, folder: Path) -> bool:
    """Is this file, or would it be, among the texts of a class, or a part of a table that is the whole folder?"""
    file, folder = file.resolve(), folder.resolve()
    if folder not in file.parents or any(map(is_hidden, file.relative_to(folder).parts)):
        return False
    if folder == file.parent:  # beside the folders of classes it would not be read
        return not file.name.startswith("_") and not any(entry.is_dir() for entry in folder.iterdir())
    return True
