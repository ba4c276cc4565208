"""A tar archive with one folder per class in it, and in those one file per message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Self

from rosenblatt.data.compression import BUFFER
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.messages import Message, decode_message, is_hidden, label_of_folder, message_readers
from rosenblatt.data.source import Source, refuse_long
from rosenblatt.errors import FileError

if TYPE_CHECKING:
    from tarfile import TarInfo

USTAR = re.compile(rb".{257}ustar", re.DOTALL)


def messages(source: Source, within: str | None = None) -> Iterator[Message]:
    """Label and text of every file, in the order of the archive; `within` leaves out what is not below that folder."""
    import tarfile

    empty = True
    with source.open() as stream:
        try:
            for member, file in members(stream):
                place = PurePosixPath(member.name)
                if member.isdir() or any(is_hidden(part) for part in place.parts if part not in (".", "..")):
                    continue
                if within is not None and within not in place.parts:
                    continue
                if file is None:
                    what = f"{member.name!r} is a link or a device, not a file: pack it with tar -h --hard-dereference."
                    raise FileError(what, path=source.name)
                if len(place.parts) < 2:
                    what = f"{member.name!r} is in no folder: expected one folder per class and one file per message."
                    raise FileError(what, path=source.name)
                refuse_long(member.size, source.longest_line, "message", f"{source.name}, {member.name}")
                empty = False
                yield Message(label_of_folder(place.parent.name, source.name), decode_message(file.read()))
        except tarfile.TarError as error:
            what = f"the tar archive is truncated or damaged ({error}): copy or download it again."
            raise FileError(what, path=source.name) from None
    if empty:
        what = "the archive holds no files in folders: expected one folder per class and one file per message."
        raise FileError(what, path=source.name)


def members(stream: IO[bytes]) -> Iterator[tuple[TarInfo, IO[bytes] | None]]:
    """What an archive holds, each with its content if it is a file; read as a stream, so that one is in memory at a time.

    An archive ends with blocks of zeros. tarfile takes a damaged header, and the end of the stream, for its end as well.
    """
    import tarfile

    class Member(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
            try:
                return super().frombuf(buf, encoding, errors)
            except tarfile.HeaderError as error:
                if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                    raise
                raise tarfile.ReadError(f"{error}, where a file or the end was to come") from None

    with tarfile.open(fileobj=stream, mode="r|", tarinfo=Member) as archive:
        for member in archive:
            yield member, archive.extractfile(member) if member.isfile() else None
        assert archive.fileobj is not None
        while rest := archive.fileobj.read(BUFFER):
            if any(rest):
                raise tarfile.ReadError("there is more behind its end, perhaps another archive")


read, batches = message_readers(messages)
FORMAT = Format(
    "tar", "such folders in a tar archive", read, batches, suffixes=(".tar", ".tgz"), aliases=("tar.gz",), signature=USTAR
)
