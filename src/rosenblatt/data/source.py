"""Where bytes come from: a file, standard input or an open file, compressed or not.

Whatever the operating system or a decompressor says leaves this module as a FileError with the name of the source.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from rosenblatt.errors import FileError, SettingError

HEAD = 1 << 18
GZIP = b"\x1f\x8b"
MODEL = b'{"__metadata__":{"rosenblatt":'  # how the header of a model file begins
# What other programs write, and what to do about it.
FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet: unpack it, or save the sheet as CSV",
    b"BZh": "compressed with bzip2: unpack it with bunzip2, or compress it with gzip",
    b"\xfd7zXZ": "compressed with xz: unpack it with unxz, or compress it with gzip",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it with unzstd, or compress it with gzip",
    b"%PDF": "a PDF document: export the table as CSV",
    b"SQLite format 3": "an SQLite database: export the table as CSV",
    b"\x89HDF": "an HDF5 file: write the table as Parquet or CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet: save the sheet as CSV",
    b"FEA1": "a Feather file of version 1: write it again with a newer program",
}


@contextmanager
def explaining(name: str) -> Iterator[None]:
    """Turns the errors of reading bytes into a FileError that names the source."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = f"the gzip data is truncated or damaged ({error}): copy or download the file again."
        raise FileError(what, path=name) from None
    except PermissionError:
        raise FileError(f"you may not read it: ask for permission, or try chmod +r {name}.", path=name) from None
    except IsADirectoryError:
        raise FileError("it is a folder: name a file in it.", path=name) from None
    except FileNotFoundError:
        raise FileError("there is no such file.", path=name) from None
    except OSError as error:
        raise FileError(f"it cannot be read: {error.strerror or error}.", path=name) from None


class _Joined(io.RawIOBase):
    """A stream whose first bytes were already read, put together again."""

    def __init__(self, head: bytes, rest: IO[bytes]):
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        data = self._head[: len(room)] or self._rest.read(len(room)) or b""
        self._head = self._head[len(room) :]
        room[: len(data)] = data
        return len(data)


class Source:
    """Bytes with a name. `head` is their beginning, decompressed; a stream can be opened once only."""

    def __init__(self, where: str | os.PathLike[str] | IO[bytes]):
        self.path: Path | None = None
        self._stream: IO[bytes] | None = None
        if where == "-":
            self.name, self._stream = "standard input", sys.stdin.buffer
        elif isinstance(where, str | os.PathLike):
            self.path = Path(where)
            self.name = str(self.path)
        elif hasattr(where, "read"):
            name = getattr(where, "name", None)
            self.name, self._stream = name if isinstance(name, str) else "the stream", where
            if isinstance(where, io.TextIOBase):
                raise SettingError(f"{self.name} is opened as text: open it with mode 'rb'.")
        else:
            raise SettingError(f"A source is a path, '-' or an open file, not {type(where).__name__}.")
        with explaining(self.name):
            self._look()

    def _look(self) -> None:
        start = self._read_start()
        self.compressed = start.startswith(GZIP)
        if self._stream is not None:
            self._stream = cast(IO[bytes], io.BufferedReader(_Joined(start, self._stream), 1 << 20))
            if self.compressed:
                self._stream = cast(IO[bytes], gzip.GzipFile(fileobj=self._stream))
                start = self._stream.read(HEAD)
                self._stream = cast(IO[bytes], io.BufferedReader(_Joined(start, self._stream), 1 << 20))
        elif self.compressed:
            with self.open() as stream:
                start = stream.read(HEAD)
        self.head = start
        self.complete = len(start) < HEAD  # the head is all there is
        if start.startswith(MODEL, 8):  # after the length of its header
            raise FileError("it is a model that `rosenblatt train` wrote: name a file of rows here.", path=self.name)
        for magic, what in FOREIGN.items():
            if start.startswith(magic):
                raise FileError(f"it is {what}.", path=self.name)

    def _read_start(self) -> bytes:
        if self._stream is None:
            assert self.path is not None
            with open(self.path, "rb") as file:
                return file.read(HEAD)
        parts, size = [], 0
        while size < HEAD and (part := self._stream.read(HEAD - size)):  # a pipe gives less than is asked for
            parts.append(part)
            size += len(part)
        return b"".join(parts)

    @property
    def suffix(self) -> str:
        """How the name ends, without .gz: `.csv` for `a.csv.gz`."""
        name = (self.path.name if self.path else "").lower()
        return Path(name.removesuffix(".gz")).suffix

    @property
    def size(self) -> int | None:
        """Length in bytes, where it is known without reading."""
        return os.path.getsize(self.path) if self.path and not self.compressed else None

    def open(self) -> IO[bytes]:
        """The decompressed bytes from the start."""
        if self._stream is not None:
            return self._stream
        assert self.path is not None
        return cast(IO[bytes], gzip.open(self.path, "rb")) if self.compressed else open(self.path, "rb")

    def read(self) -> bytes:
        """All bytes."""
        with explaining(self.name), self.open() as stream:
            return stream.read()

    def mapped(self) -> np.ndarray:
        """All bytes as an array; a plain file is not read, but mapped."""
        if self.path is None or self.compressed or not self.size:
            return np.frombuffer(self.read(), dtype=np.uint8)
        with explaining(self.name):
            return np.memmap(self.path, dtype=np.uint8, mode="r").view(np.ndarray)  # slices of a memmap are slow


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
