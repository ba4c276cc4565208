"""Texts with labels, one after the other: what all formats of text have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import ROWS_PER_BATCH, Batches, Read
from rosenblatt.data.read_options import ReadOptions, without_label
from rosenblatt.data.source import UTF16_MARKS, Source, decode_utf8, refuse_long
from rosenblatt.errors import FileError


class Message(NamedTuple):
    """A text, and the class that it is of, where that is known."""

    label: str | None
    text: str
    line: int | None = None  # on which it stands


def message_readers(messages: Callable[[Source], Iterator[Message]]) -> tuple[Read, Batches]:
    """The functions `read` and `batches` of a format whose `messages` come one by one."""

    def read(source: Source, options: ReadOptions) -> Dataset:
        return to_dataset(list(messages(source)), options, source)

    def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
        remaining = messages(source)
        while batch := list(islice(remaining, rows or ROWS_PER_BATCH)):
            if options.as_text is True and any(message.label is None for message in batch):  # a model labels them all
                batch = [Message(None, message.text) for message in batch]
            yield to_dataset(batch, options, source)

    return read, batches


def to_dataset(messages: list[Message], options: ReadOptions, source: Source) -> Dataset:
    """Messages as one column, `text`; where some have no label, these are refused, or left out."""
    import polars as pl

    labelled = [message for message in messages if message.label is not None]
    notes: tuple[str, ...] = ()
    if labelled and (gone := len(messages) - len(labelled)):
        line = next(message.line for message in messages if message.label is None)
        notes = (without_label(gone, options, source.name, lambda what: FileError(what, path=source.name, line=line)),)
    rows = pl.DataFrame({"text": [message.text for message in labelled or messages]}, schema={"text": pl.String})
    labels = pl.Series("label", [message.label for message in labelled], dtype=pl.String) if labelled else None
    return Dataset("text", rows, labels, source.name, notes=notes)


def numbered_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; a source of blank ones only is refused."""
    empty = True
    with source.open_utf8() as stream:
        for number, raw in enumerate(iter(lambda: stream.readline(source.longest_line + 1), b""), 1):
            refuse_long(len(raw), source.longest_line, "line", source.name, number)
            line = decode_utf8(raw, source.name, number).rstrip("\r\n")
            empty = empty and not line.strip()
            yield number, line
    if empty:
        raise FileError("the file holds nothing but blank lines.", path=source.name)


def is_hidden(name: str) -> bool:
    return name.startswith(".")


def label_of_folder(folder: str, name: str) -> str:
    """The class that the folder of a message stands for; of a name that is not UTF-8 no label can be made."""
    try:
        folder.encode()
    except UnicodeEncodeError:
        raise FileError(f"the name of the folder {folder!r} is not UTF-8: rename it.", path=name) from None
    return folder


def decode_message(data: bytes) -> str:
    # Mail has stray bytes of other encodings; a message more or less readable is better than none.
    return data.decode("utf-16" if data.startswith(UTF16_MARKS) else "utf-8", "replace").replace("\0", "\ufffd")
