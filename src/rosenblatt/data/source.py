"""Where bytes come from: a file, standard input or an open file, compressed or not.

Errors of the operating system or a decompressor leave this module as a FileError with the name of the source.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from rosenblatt.errors import FileError, SettingError

if TYPE_CHECKING:
    import numpy as np

HEAD_BYTES = 1 << 18  # in which a format is recognised
SAMPLE_LINES = 200
STREAM_BUFFER = 1 << 20
GZIP = b"\x1f\x8b"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
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
def explain_errors(name: str) -> Iterator[None]:
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

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        data = self._head[: len(buffer)] or self._rest.read(len(buffer)) or b""
        self._head = self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


def _rejoined(head: bytes, rest: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], io.BufferedReader(_Joined(head, rest), STREAM_BUFFER))


class Source:
    """Bytes with a name, or a folder. `head` is their beginning, decompressed; a stream can be opened once only."""

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
        self.is_folder = self.path is not None and os.path.isdir(self.path)
        self.compressed = False
        with explain_errors(self.name):
            self.head = b"" if self.is_folder else self._read_head()
        self.complete = len(self.head) < HEAD_BYTES  # the head is all there is
        if self.head.startswith(MODEL, 8):  # after the length of its header
            raise FileError("it is a model that `rosenblatt train` wrote: name a file of rows here.", path=self.name)
        for magic, what in FOREIGN.items():
            if self.head.startswith(magic):
                raise FileError(f"it is {what}.", path=self.name)

    def _read_head(self) -> bytes:
        start = self._read_start()
        self.compressed = start.startswith(GZIP)
        if self._stream is not None:
            self._stream = _rejoined(start, self._stream)
            if self.compressed:
                self._stream = cast(IO[bytes], gzip.GzipFile(fileobj=self._stream))
                start = self._stream.read(HEAD_BYTES)
                self._stream = _rejoined(start, self._stream)
        elif self.compressed:
            with self.open() as stream:
                start = stream.read(HEAD_BYTES)
        return start

    def _read_start(self) -> bytes:
        if self._stream is None:
            assert self.path is not None
            with open(self.path, "rb") as file:
                return file.read(HEAD_BYTES)
        parts, size = [], 0
        while size < HEAD_BYTES and (part := self._stream.read(HEAD_BYTES - size)):  # a pipe gives less than is asked for
            parts.append(part)
            size += len(part)
        return b"".join(parts)

    @property
    def suffix(self) -> str:
        """How the name ends, without .gz: `.csv` for `a.csv.gz`."""
        name = (self.path.name if self.path else "").lower()
        return Path(name.removesuffix(".gz")).suffix

    @property
    def is_text(self) -> bool:
        """Does the beginning look like text in UTF-8, or nearly?"""
        return b"\0" not in self.head and not self.head.startswith(UTF16_MARKS) and not self.is_folder

    @cached_property
    def first_lines(self) -> list[str]:
        """The first lines that are whole and not empty."""
        lines = self.head.decode("utf-8-sig", "replace").splitlines()
        if not self.complete and len(lines) > 1:
            lines.pop()
        return [line for line in lines if line.strip()][:SAMPLE_LINES]

    @property
    def is_plain_file(self) -> bool:
        """Can others open it by its path, as it is?"""
        return self.path is not None and not self.compressed

    @property
    def size(self) -> int | None:
        """Length in bytes, where it is known without reading."""
        return os.path.getsize(self.path) if self.path is not None and self.is_plain_file else None

    def open(self) -> IO[bytes]:
        """The decompressed bytes from the start."""
        if self._stream is not None:
            return self._stream
        assert self.path is not None
        return cast(IO[bytes], gzip.open(self.path, "rb")) if self.compressed else open(self.path, "rb")

    def read(self) -> bytes:
        """All bytes."""
        with explain_errors(self.name), self.open() as stream:
            return stream.read()

    def path_or_bytes(self) -> str | bytes:
        """The path of a plain file, all bytes of anything else."""
        return str(self.path) if self.is_plain_file else self.read()

    def mapped(self) -> np.ndarray:
        """All bytes as an array; a plain file is not read, but mapped."""
        import numpy as np

        if self.path is None or not self.size:
            return np.frombuffer(self.read(), dtype=np.uint8)
        with explain_errors(self.name):
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


def decode_utf8(data: bytes, name: str, line: int = 1) -> str:
    """The text of UTF-8 bytes that begin on this line; an error names the line of the first byte that is not UTF-8."""
    if data.startswith(UTF16_MARKS):
        what = f"the text is UTF-16, not UTF-8: convert it with iconv -f utf-16 -t utf-8 {name}."
        raise FileError(what, path=name, line=line)
    nul = data.find(b"\0")
    if nul >= 0:
        what = "a NUL byte: the file is not text, or not UTF-8. Write it again as UTF-8, or remove the byte."
        raise FileError(what, path=name, line=line + data.count(b"\n", 0, nul))
    try:
        return data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        what = (
            f"the byte 0x{error.object[error.start]:02x} is not UTF-8: if the text is Latin-1, "
            f"convert it with iconv -f latin1 -t utf-8 {name}."
        )
        raise FileError(what, path=name, line=line + error.object.count(b"\n", 0, error.start)) from None


DELIMITER_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "blank": " ", "space": " "}
MISSING_MARKS = ("", "?")


@dataclass(frozen=True)
class BufferSizes:
    """How much is read, counted or coded at a time; the values read never depend on it."""

    table_block: int = 1 << 23  # bytes of a table that `batches` parses at a time
    count_block: int = 1 << 17  # bytes in which delimiters are counted at a time: they stay in the cache
    coded_above: int = 1 << 22  # bytes of a table above which types are guessed beforehand and repeated texts coded
    coded_texts: int = 1 << 15  # distinct texts of a coded column; polars reads columns that have more
    libsvm_chunk: int = 1 << 20  # bytes of libsvm lines parsed at a time


@dataclass(frozen=True)
class ReadOptions:
    """What the user said about a source; None where the source itself decides."""

    format: str | None = None
    target: str | int | None = None
    header: bool = True
    names: Sequence[str] | None = None
    delimiter: str | None = None
    missing: Sequence[str] = MISSING_MARKS
    zero_based: bool | None = None
    n_features: int | None = None
    sizes: BufferSizes = BufferSizes()

    def __post_init__(self) -> None:
        if self.format is not None:
            from rosenblatt.data.reading import format_named

            object.__setattr__(self, "format", format_named(self.format).name)
        if self.delimiter is not None:
            delimiter = DELIMITER_NAMES.get(self.delimiter, self.delimiter)
            if len(delimiter.encode()) != 1 or delimiter in '"\r\n':
                raise SettingError(f"The delimiter is {self.delimiter!r}: it must be one plain character, or 'tab'.")
            object.__setattr__(self, "delimiter", delimiter)
        if isinstance(self.names, str):
            raise SettingError(f"names is the text {self.names!r}: pass a list with one name per column.")
        if isinstance(self.missing, str):
            object.__setattr__(self, "missing", ("", self.missing))
        if self.n_features is not None and self.n_features < 1:
            raise SettingError(f"n_features is {self.n_features}: it must be 1 or more.")

    @property
    def mention_columns(self) -> bool:
        """Did the user say anything that only a table with columns can have?"""
        return not self.header or (self.target, self.names, self.delimiter) != (None, None, None)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream to a temporary file beside `path`, which takes its place when all has been written and synced.

    A link stays a link, and a file that was there keeps its mode; one that is write-protected is refused.
    """
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None:
        target.open("r+b").close()  # renaming could replace even what may not be written
    temporary = target.with_name(f".rosenblatt-{os.urandom(8).hex()}.tmp")
    try:
        with temporary.open("xb") as stream:
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    # The new file is whole and in place. Some systems cannot sync a folder, and then the rename merely lasts later.
    with contextlib.suppress(OSError), contextlib.ExitStack() as closing:
        folder = os.open(target.parent, os.O_RDONLY)
        closing.callback(os.close, folder)
        os.fsync(folder)
