"""A tar archive with one folder per class in it, and in those one file per message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.messages import Message, decode_message, is_hidden, message_readers
from rosenblatt.data.source import Source, refuse_long
from rosenblatt.errors import FileError

USTAR = re.compile(rb".{257}ustar", re.DOTALL)


def messages(source: Source, within: str | None = None) -> Iterator[Message]:
    """Label and text of every file, in the order of the archive; `within` leaves out what is not below that folder."""
    import tarfile

    empty = True
    with source.open() as stream:
        try:
            # As a stream: only one message is in memory at a time.
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for member in archive:
                    place = PurePosixPath(member.name)
                    if not member.isfile() or any(is_hidden(part) for part in place.parts if part not in (".", "..")):
                        continue
                    if within is not None and within not in place.parts:
                        continue
                    if len(place.parts) < 2:
                        what = f"{member.name!r} is in no folder: expected one folder per class and one file per message."
                        raise FileError(what, path=source.name)
                    refuse_long(member.size, source.longest_line, "message", f"{source.name}, {member.name}")
                    file = archive.extractfile(member)
                    if file is not None:
                        empty = False
                        yield place.parent.name, decode_message(file.read())
        except tarfile.TarError as error:
            what = f"the tar archive is truncated or damaged ({error}): copy or download it again."
            raise FileError(what, path=source.name) from None
    if empty:
        what = "the archive holds no files in folders: expected one folder per class and one file per message."
        raise FileError(what, path=source.name)


read, batches = message_readers(messages)
FORMAT = Format(
    "tar", "such folders in a tar archive", read, batches, suffixes=(".tar", ".tgz"), aliases=("tar.gz",), signature=USTAR
)
