"""JSON: an object a line, or a list of objects; a member is a column, and of an object within it `address.city` is one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from rosenblatt.data.columnar import flat, typed_dataset
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import Format, cut
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source, decode_utf8
from rosenblatt.errors import FileError

if TYPE_CHECKING:
    import polars as pl

BEGINNING = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*("|\})')
CONSTANT = re.compile(r"[\[:,]\s*(NaN|-?Infinity)\b")
FEW_ROWS = 100  # of a list in an object, that are asked which columns they have
MOST_IN_ORDER = 32  # members of an object, of which polars keeps the order
TOO_DEEP = "lists and objects lie too deep within each other: make a table of it first."


def recognise(source: Source, options: ReadOptions) -> bool:
    return source.is_text and BEGINNING.match(source.text_head) is not None


def read(source: Source, options: ReadOptions) -> Dataset:
    import polars as pl

    text = decode_utf8(source.read_utf8(), source.name).strip()
    if not is_row_for_model(text, options) and (found := table_in_object(text, source.name)) is not None:
        how, text = found
        source.note(f"the rows of {source.name} are {how}.")
    try:
        if text.startswith("["):
            frame = pl.read_json(text.encode(), infer_schema_length=None)
        else:
            frame = pl.read_ndjson(text.encode(), infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException) as error:
        raise problem_in(text, source.name, str(error)) from None
    return typed_dataset(with_columns_as_written(frame, text, source.name), options, source.name)


def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
    """Objects on lines, some megabytes at a time where any number of rows will do; a list is read as a whole.

    So are rows for a model, which has to see all columns in each batch: the first objects may lack some.
    """
    beginning = source.text_head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if rows is not None or options.as_text is True or beginning.startswith(b"[") or is_one_object(source):
        yield from cut(read(source, options), rows)
        return
    import polars as pl

    columns: dict[str, None] = {}
    earlier = 0
    with source.open_utf8() as stream:
        for first, text in whole_lines(stream, options.sizes.table_block):
            lines = decode_utf8(text, source.name, first)
            if not lines.strip():
                continue
            try:
                frame = pl.read_ndjson(lines.encode(), infer_schema_length=None)
            except (Exception, pl.exceptions.PanicException) as error:
                raise problem_in(lines, source.name, str(error), first) from None
            frame = with_columns_as_written(frame, lines, source.name)
            absent = [pl.lit(None).alias(name) for name in columns if name not in frame.columns]
            frame = frame.with_columns(absent).drop(outer_of(frame, columns))
            columns |= dict.fromkeys(frame.columns)
            yield typed_dataset(frame[list(columns)], options, source.name, earlier)
            earlier += frame.height


def with_columns_as_written(frame: pl.DataFrame, text: str, name: str) -> pl.DataFrame:
    """The members as columns, those of inner objects too, in an order that the text decides.

    Of an object of more than 32 members polars forgets the order: the next run would have another one, and another model.
    """
    if not frame.width:
        raise FileError("the objects have no members: there is nothing to learn from.", path=name)
    frame = flat(frame, name)
    if frame.width <= MOST_IN_ORDER:
        return frame
    left, order = set(frame.columns), list[str]()
    for row in objects_in(text):
        new = [path for path in paths_in(row) if path in left]
        order += dict.fromkeys(new)
        left -= set(new)
        if not left:
            break
    return frame[order + sorted(left)]


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a text, of a list or on lines, as far as Python can read them."""
    decoder, place = json.JSONDecoder(), 0
    with suppress(ValueError, RecursionError):
        while (place := text.find("{", place)) >= 0:
            row, place = decoder.raw_decode(text, place)
            yield row


def paths_in(row: dict[str, Any], above: str = "") -> Iterator[str]:
    """The members of an object, and of those within it, as `address.city`.

    >>> list(paths_in({"id": 1, "address": {"city": "Rome"}}))
    ['id', 'address', 'address.city']
    """
    for name, value in row.items():
        yield above + name
        if isinstance(value, dict):
            yield from paths_in(value, f"{above}{name}.")


def is_one_object(source: Source) -> bool:
    """May all of the text be one object? Of objects on lines, the first line is a whole one."""
    first = source.first_lines[0] if source.first_lines else ""
    try:
        json.loads(first, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        return True  # it goes on, or is damaged
    return len(source.first_lines) == 1


def is_row_for_model(text: str, options: ReadOptions) -> bool:
    """Is the text one object with a cell of a column that the model knows? Then it is a row, whatever lists are in it; but
    not where objects in a list of it have more of those: what services answer may have names of its rows beside them.
    """
    if options.training is None:
        return False
    members: Any = None
    with suppress(ValueError, RecursionError):
        members = json.loads(text)
    columns = set(options.training.columns)
    if not isinstance(members, dict):
        return False
    own = known_in(members, columns)
    return own > 0 and own >= max((known_in(row, columns) for row in rows_of_object(members)[1][:FEW_ROWS]), default=0)


def known_in(row: dict[str, Any], columns: set[str]) -> int:
    """How many cells of these columns an object has; a list is none.

    >>> known_in({"object": "list", "data": [1], "address": {"city": "Rome"}}, {"object", "data", "address.city"})
    2
    """
    inner = sum(known_in(value, {name.removeprefix(f"{outer}.") for name in columns if name.startswith(f"{outer}.")})
                for outer, value in row.items() if isinstance(value, dict))  # fmt: skip
    return inner + sum(name in columns and not isinstance(value, list | dict) for name, value in row.items())


def table_in_object(text: str, name: str = "") -> tuple[str, str] | None:
    """The rows of a table that is one object, as a list of objects, and how they were found; None where it is none.

    As services answer, and as pandas writes: a list among other members, columns, or names and cells apart.

    >>> table_in_object('{"total": 2, "data": [{"a": 1}, {"a": 2}]}')
    ("the objects in its member 'data'", '[{"a": 1}, {"a": 2}]')
    >>> table_in_object('{"a": [1, 2]}'), table_in_object('{"a": {"0": 1, "1": 2}}')
    (('its members, column by column', '[{"a": 1}, {"a": 2}]'), ('its members, column by column', '[{"a": 1}, {"a": 2}]'))
    >>> table_in_object('{"columns": ["a"], "index": [0, 1], "data": [[1], [2]]}')
    ("the lists in its member 'data'", '[{"a": 1}, {"a": 2}]')
    >>> table_in_object('{"a": 1}'), table_in_object('{"a": [{"b": 1}]}\\n{"a": []}'), table_in_object("[1]")
    (None, None, None)
    """
    if not text.startswith("{"):
        return None
    try:
        whole = json.loads(text, parse_constant=refuse_constant)
    except (ValueError, RecursionError):  # of objects on lines, the second is too many
        return None
    how, rows = rows_of_object(whole, name)
    return (how, json.dumps(rows, ensure_ascii=False)) if rows else None


def rows_of_object(whole: dict[str, Any], source: str = "") -> tuple[str, list[dict[str, Any]]]:
    lists = {name: items for name, items in whole.items() if isinstance(items, list) and items}
    if whole.keys() <= {"columns", "index", "data"} and are_names_and_cells(whole.get("columns"), whole.get("data")):
        names = list(map(str, whole["columns"]))
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise FileError("the name occurs twice in its member 'columns': rename one.", path=source, column=twice[0])
        return "the lists in its member 'data'", [dict(zip(names, row, strict=True)) for row in whole["data"]]
    of_objects = [name for name, items in lists.items() if all(isinstance(item, dict) for item in items)]
    if len(of_objects) == 1:
        return f"the objects in its member {of_objects[0]!r}", lists[of_objects[0]]
    columns = [[*one.values()] if isinstance(one, dict) else one for one in whole.values()]
    lengths = {len(one) if isinstance(one, list) else -1 for one in columns}
    numbered = all(not isinstance(one, dict) or [*one] == [*map(str, range(len(one)))] for one in whole.values())
    several = len(lengths) == 1 and max(lengths) > 1 and numbered
    if several and not any(isinstance(cell, dict | list) for column in columns for cell in column):
        return "its members, column by column", [dict(zip(whole, row, strict=True)) for row in zip(*columns, strict=True)]
    return "", []


def are_names_and_cells(names: Any, rows: Any) -> bool:
    """Are these a list of names, and a list of rows with a cell for each?"""
    if not isinstance(names, list) or not isinstance(rows, list) or not names or not rows:
        return False
    plain = all(isinstance(name, str | int | float) and not isinstance(name, bool) for name in names)
    return plain and all(isinstance(row, list) and len(row) == len(names) for row in rows)


def whole_lines(stream: IO[bytes], size: int) -> Iterator[tuple[int, bytes]]:
    """The bytes of a text in blocks that end where a line ends, and the number of the first line of each."""
    line, rest = 1, b""
    while block := stream.read(size):
        whole, end, rest_of_line = (rest + block).rpartition(b"\n")
        rest = rest_of_line
        if end:
            yield line, whole
            line += whole.count(b"\n") + 1
    if rest:
        yield line, rest


def outer_of(frame: pl.DataFrame, columns: Iterable[str]) -> list[str]:
    """The columns that are null throughout because an inner object, known from other rows, is missing in all of these."""
    import polars as pl

    nulls = [column.name for column in frame if column.dtype == pl.Null]
    return [name for name in nulls if any(other.startswith(f"{name}.") for other in columns)]


def refuse_constant(written: str) -> None:
    raise ValueError(f"{written} is no number in JSON, write null")


def problem_in(text: str, name: str, reason: str, first: int = 1) -> FileError:
    """Why the text, which begins on this line, cannot be read, with the line."""
    if text.startswith("["):
        try:
            json.loads(text, parse_constant=refuse_constant)
        except json.JSONDecodeError as error:
            return FileError(f"this is no JSON: {error.msg}.", path=name, line=error.lineno)
        except RecursionError:
            return FileError(TOO_DEEP, path=name)
        except ValueError as error:
            place = match.start(1) if (match := CONSTANT.search(text)) else 0
            return FileError(f"{error}.", path=name, line=text.count("\n", 0, place) + 1)
    kinds: dict[str, type] = {}
    for number, line in enumerate([] if text.startswith("[") else text.split("\n"), first):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line, parse_constant=refuse_constant)
        except RecursionError:
            return FileError(TOO_DEEP, path=name, line=number)
        except ValueError as error:
            return FileError(f"this is no JSON object: {getattr(error, 'msg', error)}.", path=name, line=number)
        if not isinstance(row, dict):
            return FileError("expected an object in braces, with a member a column.", path=name, line=number)
        for column, value in row.items():
            kind = float if isinstance(value, int) and not isinstance(value, bool) else type(value)
            if value is not None and kinds.setdefault(column, kind) is not kind:
                what = f"a value of another kind ({value!r:.40}) than above: make them one kind, or leave it out."
                return FileError(what, path=name, line=number, column=column)
    return FileError(f"the JSON cannot be read as a table ({reason.splitlines()[0][:120]}).", path=name)


FORMAT = Format(
    "jsonl",
    "JSON: an object a line, or a list of objects",
    read,
    batches,
    recognise,
    suffixes=(".jsonl", ".ndjson", ".json"),
    aliases=("ndjson", "json"),
    has_columns=True,
)
