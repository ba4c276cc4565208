"""The door for data: `read` takes any file that the package knows and gives a Dataset."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.options import MISSING, Options
from rosenblatt.data.source import Source, explaining, missing_file
from rosenblatt.errors import FileError, TargetError

Where = str | os.PathLike[str] | IO[bytes]


def read(
    source: Where,
    *,
    format: str | None = None,
    target: str | int | None = None,
    header: bool = True,
    names: Sequence[str] | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] = MISSING,
    zero_based: bool | None = None,
    n_features: int | None = None,
) -> Dataset:
    """Rows and labels of a file, a folder, standard input (`-`), an open file, or a data set known by name.

    CSV, TSV, tables with blanks between columns, Parquet, Arrow, Feather, libsvm, `label TAB text` lines, a folder a
    class, such folders in a tar archive, idx images; all of them also compressed with gzip. The content says which;
    `format` overrules it.

    target      the column to predict: its name, or its number counted from 1, or from -1 backwards
    header      is the first line one of names? If not, `names` gives them, or they are column_1, column_2, …
    missing     cells that mean "not known" and become null
    zero_based  do libsvm indices start at 0? By default, if there is a 0
    n_features  columns of a libsvm matrix; by default the largest index

    Texts of a table are polars Strings; in a CSV of more than 4 MB, those that repeat are an Enum, which sorts and
    compares as they do: `rows.cast({pl.Enum: pl.String})` undoes it, where methods of texts are wanted.

    >>> import io
    >>> fruit = read(io.BytesIO(b"colour, weight, fruit\\nred, 120, apple\\n?, 95, pear\\n"), target="fruit")
    >>> fruit.rows.rows(), fruit.labels.to_list()
    ([('red', 120), (None, 95)], ['apple', 'pear'])
    """
    options = Options(format, target, header, names, delimiter, missing, zero_based, n_features)
    return read_with(source, options)


def read_with(where: Where, options: Options) -> Dataset:
    """The same with options in one object."""
    from rosenblatt.data.known import is_known, open_known, split_part

    if isinstance(where, str) and where != "-" and not os.path.exists(where) and is_known(where):
        name, part = split_part(where)
        return open_known(name, part, target=options.target)
    if is_folder(where, options):
        from rosenblatt.data import text

        refuse_target(options, str(where))
        return text.to_dataset(text.folder(Path(os.fspath(where))), str(where))  # type: ignore[arg-type]
    source = open_source(where)
    return _read_source(source, options)


def is_folder(where: Where, options: Options) -> bool:
    """Is this a folder with messages? A folder where another format was asked for is an error."""
    if not isinstance(where, str | os.PathLike) or where == "-":
        return False
    with explaining(str(where)):
        if not os.path.isdir(where):
            if options.format == "folder" and os.path.exists(where):
                raise FileError("it is a file, not a folder.", path=where)
            return False
    if options.format not in (None, "folder"):
        raise FileError(f"it is a folder: {options.format} is the format of a file. Name the file in it.", path=where)
    return True


def open_source(where: Where) -> Source:
    """The source, or the error that says what was probably meant."""
    if isinstance(where, str | os.PathLike) and where != "-":
        text = os.fspath(where)
        if "\0" in text or not text:
            raise FileError(f"{text!r} is not a path.")
        with explaining(text):
            there = os.path.lexists(text)
        if not there:
            from rosenblatt.data.known import known_names

            raise missing_file(Path(text), known_names())
    return Source(where)


def refuse_target(options: Options, name: str) -> None:
    """A target is a column: where there are none, naming one is a mistake."""
    if options.target is not None:
        what = f"the target {options.target!r} was named, but this format has labels and no columns: leave the target out."
        raise TargetError(what, path=name)


def _read_source(source: Source, options: Options) -> Dataset:
    from rosenblatt.data.recognise import recognise

    format = recognise(source, options)
    if format in ("csv", "tsv", "blanks"):
        from rosenblatt.data.delimited import read_delimited

        return read_delimited(source, options, format)
    if format in ("parquet", "arrow"):
        from rosenblatt.data.arrow import read_arrow

        return read_arrow(source, options, format)
    refuse_target(options, source.name)
    if format == "libsvm":
        from rosenblatt.data.libsvm import read_libsvm

        with explaining(source.name), source.open() as stream:
            X, y, zero_based = read_libsvm(
                stream, source.name, zero_based=options.zero_based, n_features=options.n_features, size=source.size
            )
        return Dataset("sparse", X, y, source.name, zero_based)
    if format == "idx":
        from rosenblatt.data.images import images

        (whole,) = images(source)
        return whole
    from rosenblatt.data import text

    if format == "tar":
        return text.to_dataset(text.archive(source), source.name)
    return text.to_dataset(text.lines(source, labelled=format == "text"), source.name)
