"""A folder with one folder per class in it, and in those one file per message."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.messages import Message, decode_message, is_hidden, label_of_folder, message_readers
from rosenblatt.data.source import Source, explain_errors, refuse_long
from rosenblatt.errors import FileError


def messages(source: Source) -> Iterator[Message]:
    """The inner folder's name is the label, the file is the text."""
    if source.path is None or not source.is_folder:
        raise FileError("it is a file, not a folder.", path=source.name)
    empty = True
    with explain_errors(source.name):
        classes = sorted(entry.name for entry in os.scandir(source.path) if entry.is_dir() and not is_hidden(entry.name))
        if not classes:
            expected = "expected one folder per class, or tables of one format and nothing else; or name files, as *.csv."
            raise FileError(f"a folder without folders in it: {expected}", path=source.path)
        for label in classes:
            for directory, inner, files in os.walk(source.path / label_of_folder(label, source.name), onerror=_refuse):
                inner[:] = sorted(name for name in inner if not is_hidden(name))
                _refuse_links(directory, inner)
                for name in sorted(files):
                    if not is_hidden(name):
                        empty = False
                        yield Message(label, decode_message(read_message(Path(directory, name), source.longest_line)))
    if empty:
        raise FileError(f"the folders {', '.join(classes[:5])} hold no files.", path=source.path)


def _refuse(error: OSError) -> None:
    """What os.walk would pass over: a folder that cannot be read."""
    with explain_errors(error.filename):
        raise error


def _refuse_links(directory: str, inner: list[str]) -> None:
    """os.walk passes over links to folders, which may lead in circles."""
    for name in inner:
        if os.path.islink(path := os.path.join(directory, name)):
            raise FileError("it is a link to a folder: put the folder itself there, or remove the link.", path=path)


def read_message(file: Path, longest: int) -> bytes:
    """The bytes of one message; a device or a pipe, which may never end, is refused."""
    with explain_errors(str(file)):
        if not file.is_file() and file.exists():
            raise FileError("it is not an ordinary file: leave it out of the folder.", path=file)
        with file.open("rb") as stream:
            content = stream.read(longest + 1)
    refuse_long(len(content), longest, "message", str(file))
    return content


read, batches = message_readers(messages)
FORMAT = Format("folder", "text, one folder per class and one file per message", read, batches)
