"""ARFF, Weka's format: lines that declare the columns, then `@data`, and a row a line."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source, decode_utf8
from rosenblatt.data.table import BLANKS, Place, checked_names, find_target, number_in, texts_among, to_dataset
from rosenblatt.errors import FileError

ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s'"]\S*)\s+(.+)""", re.IGNORECASE)
VALUE = re.compile(r"""('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^\s,{}'"][^,{}]*+)""")
CELL_IN_QUOTES = re.compile(r"(?:^|,)\s*(['\"])")
NUMBERS = ("numeric", "real", "integer")


def recognise(source: Source, options: ReadOptions) -> bool:
    lines = (line.strip().lower() for line in source.first_lines if not line.startswith("%"))
    return source.is_text and next(lines, "").startswith("@relation")


def read(source: Source, options: ReadOptions) -> Dataset:
    import polars as pl

    from rosenblatt.data.delimited.parsing import ColumnTypes

    lines = statements(decode_utf8(source.read_utf8(), source.name))
    kinds = declared_columns(lines, source.name)
    names = checked_names(list(kinds), options, Place(source.name))
    rows = [(number, cells_of(line, len(kinds), source.name, number)) for number, line in lines]
    if not rows:
        raise FileError("there are no rows below @data.", path=source.name)
    frame = pl.DataFrame([cells for _, cells in rows], schema=dict.fromkeys(names, pl.String()), orient="row")
    texts = texts_among(names, options)
    target = None if options.target is None else find_target(names, options, source.name)
    for name, kind in zip(names, kinds.values(), strict=True):
        if kind.lower() not in NUMBERS and name != target:
            texts.append(name)
        elif kind.lower() in NUMBERS:
            refuse_words(frame[name].to_list(), [number for number, _ in rows], options, Place(source.name), name)
        if kind.startswith("{"):
            known = {*values_in(kind), *options.missing}
            refuse_undeclared(frame[name].to_list(), [number for number, _ in rows], known, Place(source.name), name)
    types = ColumnTypes(options.missing, target=target, texts=texts)
    return to_dataset(types.of_frame(frame), options, source.name, lambda row: Place(source.name, rows[row][0]))


def statements(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are neither blank nor comments, with their numbers."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("%"):
            yield number, line.strip()


def declared_columns(lines: Iterator[tuple[int, str]], path: str) -> dict[str, str]:
    """Names and kinds of the columns, as they are declared above @data."""
    kinds: dict[str, str] = {}
    for number, line in lines:
        if line.lower().startswith("@data"):
            return kinds
        if not line.lower().startswith("@attribute"):
            continue
        match = ATTRIBUTE.match(line)
        if match is None:
            raise FileError("expected @attribute, a name and a kind, as in @attribute age numeric.", path=path, line=number)
        name = re.sub(r"\\(.)", r"\1", match[1][1:-1]) if match[1][0] in "'\"" else match[1]
        if name in kinds:
            raise FileError("the column is declared twice: rename one.", path=path, line=number, column=name)
        kinds[name] = match[2] if match[2].startswith("{") else match[2].split()[0]
    raise FileError("there is no @data: the rows are missing.", path=path)


def cells_of(line: str, width: int, path: str, number: int) -> list[str]:
    """The cells of a row; in quotes, single as a rule, they may hold commas."""
    if line.startswith("{"):
        raise FileError("the rows are sparse ({index value, …}): write them in full, or as libsvm.", path=path, line=number)
    quote = CELL_IN_QUOTES.search(line)
    (cells,) = csv.reader([line], quotechar=quote[1] if quote else "'", escapechar="\\", skipinitialspace=True)
    if len(cells) != width:
        what = f"{len(cells)} cells, expected {width}. Put cells that hold a comma in quotes, and write a missing one as ?."
        raise FileError(what, path=path, line=number)
    return [cell.strip(BLANKS) for cell in cells]


def refuse_words(cells: list[str], lines: list[int], options: ReadOptions, place: Place, name: str) -> None:
    """A column that is declared as one of numbers holds nothing else."""
    for cell, line in zip(cells, lines, strict=True):
        if number_in(cell) is None and cell not in options.missing:
            what = f"{cell!r} is no number, and the column is declared as one of them: correct it, or write ?."
            raise FileError(what, path=place.path, line=line, column=name)


def values_in(kind: str) -> list[str]:
    """The values of a column that are declared in braces.

    >>> values_in("{red, 'light blue', 'it\\\\'s'}")
    ['red', 'light blue', "it's"]
    """
    values = (match[1][1:-1] if match[1][0] in "'\"" else match[1] for match in VALUE.finditer(kind))
    return [re.sub(r"\\(.)", r"\1", value).strip(BLANKS) for value in values]


def refuse_undeclared(cells: list[str], lines: list[int], known: set[str], place: Place, name: str) -> None:
    """A column whose values are declared holds no others: what does is damaged, or has a comment behind it."""
    if not set(cells) <= known:
        cell, line = next((cell, line) for cell, line in zip(cells, lines, strict=True) if cell not in known)
        what = f"{cell!r} is none of the values that are declared for the column: correct it, or declare it."
        raise FileError(what, path=place.path, line=line, column=name)


FORMAT = Format(
    "arff",
    "a table with its columns declared, as Weka writes it",
    read,
    recognise=recognise,
    suffixes=(".arff",),
    has_columns=True,
)
