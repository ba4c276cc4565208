"""The doors for data: `read` gives a whole source as a Dataset, `batches` a source of any length, one part at a time."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.delimited.records import consistent_delimiter, lines_above_table
from rosenblatt.data.formats import BY_SUFFIX, FORMATS, ruled
from rosenblatt.data.formats.declaration import ROWS_PER_BATCH, Format, cut
from rosenblatt.data.read_options import MISSING_MARKS, UNLABELLED, ReadOptions
from rosenblatt.data.source import LONGEST_LINE, Source
from rosenblatt.engine.parameters import Choice, Range, Whole, check
from rosenblatt.errors import FileError, SettingError, TargetError, needs_parts

if TYPE_CHECKING:
    from rosenblatt.data.parts import TableParts

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
DELIMITER_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "blank": " ", "space": " "}
RULER = re.compile("---|===|───|━━━|═══".encode())  # where there is none, nobody looks closer
READ_RANGES: dict[str, Range] = {
    "unlabelled": Choice(UNLABELLED), "skip_lines": Whole(0, optional=True), "n_features": Whole(1, optional=True),
}  # fmt: skip
Where = str | os.PathLike[str] | IO[bytes]


def read(
    source: Where,
    *,
    format: str | None = None,
    target: str | int | None = None,
    header: bool = True,
    names: Sequence[str] | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] = MISSING_MARKS,
    zero_based: bool | None = None,
    n_features: int | None = None,
    as_text: bool | Sequence[str] = False,
    encoding: str | None = None,
    skip_lines: int | None = None,
    unlabelled: str = "refuse",
) -> Dataset:
    """Rows and labels of a file, a folder, standard input (`-`), an open file, or a data set known by name.

    CSV, TSV, tables with blanks between columns, Parquet, Arrow, Feather, libsvm, Vowpal Wabbit, `label TAB text` lines, one
    folder per class, such folders in a tar archive, idx images; all of them also compressed (gzip, bzip2, xz, zstd). The
    content decides which; `format` overrules it.

    Parameters
    ----------
    target : str or int
        The column to predict: its name, or its number counted from 1, or from -1 backwards.
    header : bool
        Does the first line hold names? If not, `names` gives them, or they are column_1, column_2, …
    missing : sequence of str
        Cells that mean "not known" and become null.
    zero_based : bool or None
        Do libsvm indices start at 0? By default, if there is a 0.
    n_features : int or None
        Columns of a libsvm matrix; by default the largest index.
    as_text : bool or sequence of str
        Columns of a delimited table whose cells stay texts though all are numbers, as `007` is; True for all. So are rows
        read for a model, which knows what its columns hold: then a row is the same row in any file.
    encoding : str or None
        Of a text, as Python names it. By default UTF-8, UTF-16 where it begins with its mark, and Windows-1252 where the
        first character beyond ASCII is no UTF-8.
    skip_lines : int or None
        Lines above the table. By default titles, comments (#) and blank lines are found; 0 looks for none.
    unlabelled : "refuse" or "skip"
        What becomes of rows of a table whose target is missing; those that are skipped are counted in the `notes`.

    Notes
    -----
    What was assumed of a file, as its encoding, the `notes` of the Dataset tell.

    Labels are numbers only where every one of them prints back to the same text: 01 and 1 are two classes.

    Texts of a table are polars Strings; in a CSV of more than 4 MB, those that repeat are an Enum, which sorts and
    compares as they do: `rows.cast({pl.Enum: pl.String})` undoes it, where methods of texts are wanted.

    Examples
    --------
    >>> import io
    >>> fruit = read(io.BytesIO(b"colour, weight, fruit\\nred, 120, apple\\n?, 95, pear\\n"), target="fruit")
    >>> fruit.rows.rows(), fruit.labels.to_list()
    ([('red', 120), (None, 95)], ['apple', 'pear'])
    """
    options = ReadOptions(
        format, target, header, names, delimiter, missing, zero_based, n_features, as_text, encoding, skip_lines, unlabelled
    )
    return read_with(source, options)


@needs_parts("Reading this file")
def read_with(where: Where, options: ReadOptions) -> Dataset:
    """What `read` gives, with its options in one object."""
    options = checked(options)
    known = _known_dataset(where, options)
    if known is not None:
        return known
    several = _several_files(where, options)
    if several is not None:
        return several.read(options)
    source, format = _open(where, options)
    return with_notes(format.read(source, options), source)


@contextmanager
def importing_meanwhile(*modules: str) -> Iterator[None]:
    """Another thread imports these modules while a file is read: the compiled readers leave Python's lock to it."""

    def import_all() -> None:
        with suppress(Exception):  # who imports them next is told
            for module in modules:
                import_module(module)

    if all(module in sys.modules for module in modules):  # who needs one that is only half there waits for it
        yield
        return
    thread = threading.Thread(target=import_all, daemon=True)
    thread.start()
    try:
        yield
    except KeyboardInterrupt:  # it may have left Python's lock of imports taken: the thread would wait for it for ever
        raise
    except Exception:
        thread.join()
        raise
    thread.join()


def batches(source: Where, rows: int | None = ROWS_PER_BATCH, **options: Any) -> Iterator[Dataset]:
    """The data of a source in batches of `rows`, the last one shorter; None lets the format choose.

    Options are those of `read`. A column of whole numbers in which a later batch has a fraction, or text, has the wider type
    from that batch on; with `as_text`, all batches have one type.

    >>> import io
    >>> [len(part) for part in batches(io.BytesIO(b"a,b\\n1,x\\n2,y\\n3,x\\n"), rows=2, target="b")]
    [2, 1]
    """
    if rows is not None and rows < 1:
        raise SettingError(f"rows is {rows}: a batch has 1 or more.")
    return batches_of(source, rows, ReadOptions(**options))


def batches_of(where: Where, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
    options = checked(options)
    with needs_parts("Reading this file"):
        known = _known_dataset(where, options)
        if known is not None:
            yield from cut(known, rows)
            return
        several = _several_files(where, options)
        if several is not None:
            yield from several.batches(rows, options)
            return
        source, format = _open(where, options)
        if format.batches is not None:
            parts = format.batches(source, rows, options)
        else:
            parts = cut(format.read(source, options), rows)
        yield from (with_notes(part, source) for part in parts)


def format_of(where: Where, options: ReadOptions) -> Format | None:
    """The format of a source; None of a data set that is known by name."""
    options = checked(options)
    if _known_dataset(where, options) is not None:
        return None
    several = _several_files(where, options)
    return _open(where, options)[1] if several is None else several.format


def with_notes(data: Dataset, source: Source) -> Dataset:
    """The data with what was assumed of its source so far."""
    return replace(data, notes=(*source.notes, *data.notes), guesses=tuple(source.guesses))


def checked(options: ReadOptions) -> ReadOptions:
    """The options as the readers take them; what cannot be is refused.

    >>> checked(ReadOptions(format="tab", delimiter="comma", as_text="zip")).delimiter
    ','
    """
    if options.encoding is not None:
        from rosenblatt.data.encoding import refuse_unknown

        refuse_unknown(options.encoding)
    delimiter = None if options.delimiter is None else DELIMITER_NAMES.get(options.delimiter, options.delimiter)
    if delimiter is not None and (len(delimiter.encode()) != 1 or delimiter in '"\r\n'):
        raise SettingError(f"The delimiter is {options.delimiter!r}: it must be one plain character, or 'tab'.")
    if isinstance(options.names, str):
        raise SettingError(f"names is the text {options.names!r}: pass a list with one name per column.")
    for name, allowed in READ_RANGES.items():
        check(name, getattr(options, name), allowed)
    return replace(
        options,
        format=None if options.format is None else format_named(options.format).name,
        delimiter=delimiter,
        as_text=(options.as_text,) if isinstance(options.as_text, str) else options.as_text,
        missing=("", options.missing) if isinstance(options.missing, str) else options.missing,
    )


def format_named(given: str) -> Format:
    """The format of this name, alias or suffix."""
    name = given.lower().lstrip(".")
    for format in FORMATS.values():
        if name in (format.name, *format.aliases) or f".{name}" in format.suffixes:
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
    if source.is_folder:
        return FORMATS["folder"]
    for format in FORMATS.values():
        if format.signature is not None and format.signature.match(source.head):
            return format
    if RULER.search(source.text_head) and ruled.recognise(source, options):  # to whom cuts at bars, a ruler is a row
        return FORMATS["ruled"]
    by_suffix = BY_SUFFIX.get(source.suffix)
    if by_suffix in (FORMATS["csv"], FORMATS["tsv"]) and source.is_text and consistent_delimiter(source.first_lines):
        return by_suffix
    for format in FORMATS.values():
        if format.recognise is not None and format.recognise(source, options):
            return format
    names_a_delimiter = options.delimiter is not None and source.is_text
    return FORMATS["csv"] if names_a_delimiter else by_suffix or FORMATS["csv"]


def _known_dataset(where: Where, options: ReadOptions) -> Dataset | None:
    """The data set of this name; None for a file, also one that is called like a data set."""
    from rosenblatt.data.known import is_known, open_known, split_part

    if not isinstance(where, str) or where == "-" or os.path.exists(where) or not is_known(where):
        return None
    name, part = split_part(where)
    return open_known(name, part, target=options.target, unlabelled=options.unlabelled)


def _several_files(where: Where, options: ReadOptions) -> TableParts | None:
    """The files of a folder of tables, or of a pattern; None for anything else."""
    if not isinstance(where, str | os.PathLike) or where == "-":
        return None
    path = os.fspath(where)
    is_pattern = set(path) & set("*?[") and not os.path.lexists(path.partition("::")[0]) and not ADDRESS.match(path)
    if not os.path.isdir(path) and not is_pattern:
        return None
    from rosenblatt.data.parts import table_parts

    return table_parts(path, options)


def _open(where: Where, options: ReadOptions) -> tuple[Source, Format]:
    source = open_source(where, options.sizes.longest_line, options.encoding)
    source.start = lines_above(source, options)
    format = recognise(source, options)
    if not format.has_lines:
        if options.skip_lines:
            what = f"skip_lines is {options.skip_lines}, but a file of the format {format.name} has no lines above its rows."
            raise SettingError(what)
        source.start = 0
    elif source.start and options.skip_lines is None:
        title = next(line.strip() for line in source.head_lines if line.strip())[:40]
        begins = f"the table in {source.name} begins on line {source.start + 1}, below {title!r}"
        source.note(f"{begins}. Pass skip_lines=0 if it does not.")
    shown = ", ".join(filter(None, [format.name, source.encoding, "compressed" if source.compressed else ""]))
    source.guesses.append(f"{source.name}: {shown} ({format.help})")
    if source.part is not None and not format.has_parts:
        what = f"{source.part!r} was named in it, but a file of the format {format.name} holds one table only: leave it out."
        raise FileError(what, path=source.name)
    if options.target is not None and not format.has_columns:
        what = f"the target {options.target!r} was named, but this format has labels and no columns: leave the target out."
        if source.is_folder:
            from rosenblatt.data.parts import tables_below

            pattern = tables_below(str(source.path))
            if pattern is not None:
                what = f"it holds folders of tables: name the files themselves, {pattern!r} (names of folders are not read)."
        raise TargetError(what, path=source.name)
    return source, format


def lines_above(source: Source, options: ReadOptions) -> int:
    """How many lines stand above the table, as the user says or as they look."""
    if options.skip_lines is not None:
        return options.skip_lines
    may_have_some = source.is_text and options.format in (None, "csv", "tsv")
    return lines_above_table(source, options) if may_have_some else 0


def open_source(where: Where, longest_line: int = LONGEST_LINE, encoding: str | None = None) -> Source:
    """The source, or the error that says what was probably meant."""
    if isinstance(where, str | os.PathLike) and where != "-":
        path = os.fspath(where)
        if "\0" in path or not path:
            raise FileError(f"{path!r} is not a path.")
        file, separator, part = path.rpartition("::")
        if separator and not os.path.lexists(path) and os.path.isfile(file):
            return Source(file, longest_line, encoding, part)
        if ADDRESS.match(path) and not os.path.lexists(path):
            what = f"it is an address: download it first, for example with {download_command(path)}, and name the file."
            raise FileError(what, path=path)
        if not os.path.lexists(path):
            from rosenblatt.data.known import known_names

            raise missing_file(Path(path), known_names())
    return Source(where, longest_line, encoding)


def download_command(address: str) -> str:
    """
    >>> download_command("s3://shop/orders.csv"), download_command("https://example.org/a.csv")
    ('aws s3 cp s3://shop/orders.csv .', 'curl -O https://example.org/a.csv')
    """
    tool = {"s3": "aws s3 cp {} .", "gs": "gcloud storage cp {} ."}.get(address.partition(":")[0].lower(), "curl -O {}")
    return tool.format(address)


def missing_file(path: Path, others: list[str]) -> FileError:
    """The error for a file that is not there, with the name that was probably meant."""
    try:
        names = os.listdir(path.parent)
    except OSError:
        names = []
    near = get_close_matches(path.name, names, 1) or get_close_matches(str(path), others, 1)
    hint = f" Did you mean {str(path.parent / near[0]) if near[0] in names else near[0]!r}?" if near else ""
    if not names and not path.parent.is_dir():
        return FileError(f"there is no folder {str(path.parent)!r}.", path=path)
    return FileError(f"there is no such file, and no data set of this name.{hint}", path=path)
