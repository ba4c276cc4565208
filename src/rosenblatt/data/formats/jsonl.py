"""JSON: an object a line, or a list of objects; a member is a column, and of an object within it `address.city` is one."""

from __future__ import annotations

import json
import re
from typing import Any

from rosenblatt.data.columnar import typed_dataset
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source, decode_utf8
from rosenblatt.errors import FileError

BEGINNING = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*("|\})')


def recognise(source: Source, options: ReadOptions) -> bool:
    return source.is_text and BEGINNING.match(source.text_head) is not None


def read(source: Source, options: ReadOptions) -> Dataset:
    import polars as pl

    text = decode_utf8(source.read_utf8(), source.name).strip()
    try:
        if text.startswith("["):
            frame = pl.read_json(text.encode(), infer_schema_length=None)
        else:
            frame = pl.read_ndjson(text.encode(), infer_schema_length=None)
    except (Exception, pl.exceptions.PanicException) as error:
        raise problem_in(text, source.name, str(error)) from None
    if not frame.width:
        raise FileError("the objects have no members: there is nothing to learn from.", path=source.name)
    return typed_dataset(frame, options, source.name)


def refuse_constant(written: str) -> None:
    raise ValueError(f"{written} is no number in JSON, write null")


def problem_in(text: str, name: str, reason: str) -> FileError:
    """Why the text cannot be read, with its line."""
    if text.startswith("["):
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            return FileError(f"this is no JSON: {error.msg}.", path=name, line=error.lineno)
    kinds: dict[str, type] = {}
    for number, line in enumerate([] if text.startswith("[") else text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line, parse_constant=refuse_constant)
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
    recognise=recognise,
    suffixes=(".jsonl", ".ndjson", ".json"),
    aliases=("ndjson", "json"),
    has_columns=True,
)
