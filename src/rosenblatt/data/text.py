"""Text with labels: `label TAB text` lines, or a folder a class and a file a message, as it lies or in a tar archive."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.records import decoded
from rosenblatt.data.source import Source, explaining
from rosenblatt.errors import FileError

Message = tuple[str | None, str]  # label, text


def to_dataset(messages: Iterable[Message], name: str) -> Dataset:
    """Messages as one column, `text`."""
    import polars as pl

    pairs = list(messages)
    rows = pl.DataFrame({"text": [text for _, text in pairs]}, schema={"text": pl.String})
    labelled = bool(pairs) and pairs[0][0] is not None
    labels = pl.Series("label", [label for label, _ in pairs], dtype=pl.String) if labelled else None
    return Dataset("text", rows, labels, name)


def lines(source: Source, labelled: bool) -> Iterator[Message]:
    """A message a line; blank lines are left out."""
    number, found = 0, False
    with explaining(source.name), source.open() as stream:
        for raw in stream:
            number += 1
            line = decoded(raw, source.name, number).rstrip("\r\n")
            if not line.strip():
                continue
            found = True
            label, tab, text = line.partition("\t")
            if not labelled:
                yield None, line
            elif not tab:
                what = "no tab: expected a label, a tab and the text. Pass format='lines' for text without labels."
                raise FileError(what, path=source.name, line=number)
            elif not label.strip():
                raise FileError("no label in front of the tab: fill it in.", path=source.name, line=number)
            else:
                yield label.strip(), text
    if not found:
        raise FileError("the file holds nothing but blank lines.", path=source.name)


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def folder(path: Path) -> Iterator[Message]:
    """The files in the folders of a folder: the inner folder's name is the label, the file is the text."""
    found = False
    with explaining(str(path)):
        classes = sorted(entry.name for entry in os.scandir(path) if entry.is_dir() and not _is_hidden(entry.name))
        if not classes:
            what = "a folder without folders in it: expected a folder a class and a file a message, or the name of one file."
            raise FileError(what, path=path)
        for label in classes:
            for directory, inner, files in os.walk(path / label):
                inner.sort()
                for name in sorted(files):
                    if not _is_hidden(name):
                        found = True
                        file = Path(directory, name)
                        with explaining(str(file)):
                            yield label, _message(file.read_bytes())
    if not found:
        raise FileError(f"the folders {', '.join(classes[:5])} hold no files.", path=path)


def archive(source: Source, within: str | None = None) -> Iterator[Message]:
    """The same from a tar archive, in its order; `within` keeps what lies below one folder of it."""
    found = False
    with explaining(source.name), source.open() as stream:
        try:
            # As a stream: only one message is in memory at a time.
            with tarfile.open(fileobj=stream, mode="r|") as tar:
                for member in tar:
                    place = PurePosixPath(member.name)
                    if not member.isfile() or any(_is_hidden(part) for part in place.parts if part not in (".", "..")):
                        continue
                    if within is not None and within not in place.parts:
                        continue
                    if len(place.parts) < 2:
                        what = f"{member.name!r} lies in no folder: expected a folder a class and a file a message."
                        raise FileError(what, path=source.name)
                    file = tar.extractfile(member)
                    if file is not None:
                        found = True
                        yield place.parent.name, _message(file.read())
        except tarfile.TarError as error:
            what = f"the tar archive is truncated or damaged ({error}): copy or download it again."
            raise FileError(what, path=source.name) from None
    if not found:
        what = "the archive holds no files in folders: expected a folder a class and a file a message."
        raise FileError(what, path=source.name)


def _message(data: bytes) -> str:
    # Mail has stray bytes of other encodings; a message more or less readable is better than none.
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")
