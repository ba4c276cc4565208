"""Where bytes come from: a file, standard input or an open file, compressed or not. And how they get into a file whole.

Errors of the operating system or a decompressor leave this module as a FileError with the name of the source.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import sys
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import IO, cast

from rosenblatt.data.locking import fcntl
from rosenblatt.errors import FileError, SettingError

HEAD_BYTES = 1 << 18  # in which a format is recognised
LONGEST_LINE = 1 << 26  # bytes
LARGE_FILE = 1 << 23  # bytes, from which on to be given memory in large pages is worth it
SAMPLE_LINES = 200
COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")  # perhaps: also a column may be called BZh
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
UTF16_MARKS, UTF32_MARKS = (b"\xff\xfe", b"\xfe\xff"), (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
MODEL = b'{"__metadata__":{"rosenblatt":'  # how the header of a model file begins
# How files of other programs begin, and what to do about them. Letters are not enough: a table may have a column FEA1.
FOREIGN = {
    b"PK\x03\x04": "a zip archive, or a damaged spreadsheet: unpack it, or save the sheet as CSV",
    b"%PDF-": "a PDF document: export the table as CSV",
    b"\x89HDF": "an HDF5 file: write the table as Parquet or CSV",
    b"FEA1\0": "a Feather file of version 1: write it again with a newer program",
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


def refuse_long(size: int, most: int, what: str, name: str, line: int | None = None) -> None:
    """Refuses a line or a message before it fills the memory."""
    if size > most:
        limit = f"{most / 2**20:,.0f} MB are the limit. Cut it, or leave it out."
        raise FileError(f"a {what} of {size / 2**20:,.0f} MB or more: {limit}", path=name, line=line)


def read_fully(stream: IO[bytes], size: int) -> bytes:
    """So many bytes, fewer at the end only: a pipe gives less than is asked for. No room is made for what may not come."""
    parts = []
    while size > 0 and (part := stream.read(min(size, LONGEST_LINE))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Source:
    """Bytes with a name, or a folder. `head` is their beginning, decompressed.

    The source is opened once, when it is made: all that is read later comes from the same file, also where another has
    taken its name. What is no ordinary file (standard input, a pipe, a device) can be read through once only.
    """

    def __init__(
        self,
        where: str | os.PathLike[str] | IO[bytes],
        longest_line: int = LONGEST_LINE,
        encoding: str | None = None,
        part: str | None = None,
    ):
        self.longest_line = longest_line
        self.notes: list[str] = []  # what was assumed, for the user
        self.guesses: list[str] = []  # how it was taken, for a user who asks
        self.start = 0  # lines of a text that stand above its table
        self._given_encoding = encoding
        self.part = part  # the sheet or the table in it that was named
        self.path: Path | None = None  # of an ordinary file, or a folder
        self.is_folder = False
        self.compressed = False
        self.head, self.complete = b"", True  # is the head all there is?
        if isinstance(where, str | os.PathLike) and where != "-":
            self.name = str(Path(where))
            with explain_errors(self.name):
                self.is_folder = os.path.isdir(where)
                if not self.is_folder:
                    self._stream: IO[bytes] = open(where, "rb")  # noqa: SIM115
                    weakref.finalize(self, self._stream.close)
                if self.is_folder or stat.S_ISREG(self._status().st_mode):
                    self.path = Path(where)
        elif where == "-":
            if sys.stdin is None:
                raise FileError("it is closed: name a file, or send the rows through a pipe.", path="standard input")
            self.name, self._stream = "standard input", sys.stdin.buffer
        elif hasattr(where, "read"):
            name = getattr(where, "name", None)
            self.name, self._stream = name if isinstance(name, str) else "the stream", cast(IO[bytes], where)
            if isinstance(where, io.TextIOBase):
                raise SettingError(f"{self.name} is opened as text: open it with mode 'rb'.")
        else:
            raise SettingError(f"A source is a path, '-' or an open file, not {type(where).__name__}.")
        if not self.is_folder:
            self._version = self._status() if self.path is not None else None
            with explain_errors(self.name):
                self.head = self._read_head()
        self.ends_lines_in_cr = b"\r" in self.head and not {b"\n"[0], 0} & {*self.head}  # as Excel writes for old Macs
        if self.head.startswith(MODEL, 8):  # after the length of its header
            raise FileError("it is a model that `rosenblatt train` wrote: name a file of rows here.", path=self.name)
        if self.head.startswith(tuple(FOREIGN)):
            self._refuse_foreign()

    def _refuse_foreign(self) -> None:
        """Refuses what other programs wrote, but for spreadsheets, which also are zip archives."""
        from rosenblatt.data.formats.excel import SPREADSHEET

        if not SPREADSHEET.match(self.head):
            what = next(what for beginning, what in FOREIGN.items() if self.head.startswith(beginning))
            raise FileError(f"it is {what}.", path=self.name)

    def _status(self) -> os.stat_result:
        return os.fstat(self._stream.fileno())

    def _read_head(self) -> bytes:
        start, size = read_fully(self._stream, HEAD_BYTES), HEAD_BYTES
        self.compressed = start.startswith(COMPRESSED)
        if self.compressed:
            from rosenblatt.data.compression import decompressed

            stream = self._rewound(start)
            reader = decompressed(stream, start, self.name)  # None where it only begins as if it were compressed
            self._stream, self.compressed = reader or stream, reader is not None
            start = read_fully(self._stream, HEAD_BYTES)
        # One long line, as a header of thousands of names is, must be seen whole.
        while len(start) == size < self.longest_line and start.count(b"\n") < 2 and b"\0" not in start:
            start += read_fully(self._stream, size)
            size *= 2
        self.complete = len(start) < size
        if self.path is None:
            from rosenblatt.data.compression import rejoined

            self._stream = rejoined(start, self._stream)
        return start

    def _rewound(self, start: bytes) -> IO[bytes]:
        """The bytes from the beginning, of which `start` was read."""
        if self.path is None:
            from rosenblatt.data.compression import rejoined

            return rejoined(start, self._stream)
        self._stream.seek(0)
        return self._stream

    @property
    def suffix(self) -> str:
        """How the name ends, without .gz and the like: `.csv` for `a.csv.gz`."""
        return suffix_of(Path(self.name).name)

    @property
    def is_text(self) -> bool:
        """Does the beginning look like text?"""
        return b"\0" not in self.text_head and not self.is_folder

    @cached_property
    def encoding(self) -> str | None:
        """The encoding of the text: as given, or as the beginning tells; None where that is ASCII."""
        if self._given_encoding is not None or self.head.isascii():
            return self._given_encoding
        for marks, encoding in ((UTF32_MARKS, "utf-32"), (UTF16_MARKS, "utf-16")):
            if self.head.startswith(marks):
                return encoding
        from rosenblatt.data.encoding import encoding_of

        return encoding_of(self.head)

    @cached_property
    def text_head(self) -> bytes:
        """The beginning of a text as UTF-8; a character that is cut off at its end may be left out."""
        head = self.head
        if self.encoding not in (None, "utf-8"):
            from rosenblatt.data.encoding import beginning_as_utf8

            head = beginning_as_utf8(self.head, str(self.encoding), self.name)
        return head.replace(b"\r", b"\n") if self.ends_lines_in_cr else head

    @cached_property
    def head_lines(self) -> list[str]:
        """The lines of the beginning that are whole."""
        lines = self.text_head.decode("utf-8-sig", "replace").replace("\r", "").split("\n")
        if not self.complete and len(lines) > 1:
            lines.pop()
        return lines

    @property
    def first_lines(self) -> list[str]:
        """The first lines of the table that are whole and not empty."""
        return list(islice((line for line in self.head_lines[self.start :] if line.strip()), SAMPLE_LINES))

    @property
    def is_plain_file(self) -> bool:
        """Is it an ordinary file, not compressed?"""
        return self.path is not None and not self.compressed

    @property
    def size(self) -> int | None:
        """Length in bytes, where it is known without reading."""
        return self._version.st_size if self._version is not None and not self.compressed else None

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """The decompressed bytes from the start, for one reader at a time; a file that changes meanwhile is refused."""
        with explain_errors(self.name):
            if self.path is not None:
                self._stream.seek(0)
            yield self._stream
            self.refuse_changes()

    @contextmanager
    def open_utf8(self) -> Iterator[IO[bytes]]:
        """The text from the start as UTF-8, whatever its encoding; what is assumed of it becomes a note."""
        with self.open() as stream:
            if (self.encoding == "utf-8" or (self.encoding is None and self.complete)) and not self.ends_lines_in_cr:
                yield stream
                return
            from rosenblatt.data.encoding import decoded, with_line_feeds

            if self.encoding is not None and self._given_encoding is None:
                self._note_encoding(self.encoding)
            text = decoded(stream, self.encoding, self.name, self._note_encoding)
            yield with_line_feeds(text) if self.ends_lines_in_cr else text

    def read_utf8(self) -> bytes:
        """All of the text as UTF-8."""
        if self.encoding is None and not self.complete and not self.ends_lines_in_cr:
            data = self.read()
            if data.isascii():
                return data
            from rosenblatt.data.encoding import decoded

            return decoded(io.BytesIO(data), None, self.name, self._note_encoding).read()
        with self.open_utf8() as stream:
            return stream.read()

    def note(self, sentence: str) -> None:
        """Records what was assumed while reading, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def _note_encoding(self, encoding: str) -> None:
        if encoding != "utf-8":
            shown = encoding.replace("windows", "Windows").replace("utf", "UTF")
            other = "" if encoding == "utf-16" else " If it is another encoding, pass encoding='…', as 'cp850'."
            self.note(f"{self.name} is not UTF-8, and was read as {shown}.{other}")

    def refuse_changes(self) -> None:
        """A file that was written to since it was opened may have given a part of the old and a part of the new."""
        if self._version is None:
            return
        now = os.stat(self._stream.fileno())
        if (now.st_size, now.st_mtime_ns) != (self._version.st_size, self._version.st_mtime_ns):
            what = "it was changed while it was read: wait until it is written, or read a copy."
            raise FileError(what, path=self.name)

    def read(self) -> bytes:
        """All bytes. They are read, not mapped: a mapped file that shrinks would kill the process."""
        with self.open() as stream:
            if (self.size or 0) >= LARGE_FILE:
                with contextlib.suppress(ImportError):  # built without a compiler
                    cells = import_module("rosenblatt.data._cells")
                    if hasattr(cells, "read_file"):  # Windows has none
                        return bytes(cells.read_file(stream.fileno(), self.size))
            return stream.read()


def suffix_of(name: str) -> str:
    """How the name of a file ends, without that of a compression.

    >>> suffix_of("rows.CSV.gz"), suffix_of("rows.parquet")
    ('.csv', '.parquet')
    """
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSED_SUFFIXES else path.suffix


def decode_utf8(data: bytes, name: str, line: int = 1) -> str:
    """The text of UTF-8 bytes that begin on this line; an error names the line of the first byte that is not UTF-8."""
    nul = data.find(b"\0")
    if nul >= 0:
        from rosenblatt.data.encoding import explain_nul

        what = explain_nul(data)
        raise FileError(what, path=name, line=line + data.count(b"\n", 0, nul))
    try:
        return data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        what = (
            f"the byte 0x{error.object[error.start]:02x} is not UTF-8, and characters before it are: correct it, or pass "
            "encoding='windows-1252' if all of the text is in that."
        )
        raise FileError(what, path=name, line=line + error.object.count(b"\n", 0, error.start)) from None


_replacements: dict[Path, tuple[int, int]] = {}  # device and inode of what was to take the place of a file


def files_in_place() -> list[Path]:
    """The files that `replacing` has put in their place in this process.

    The file system says so, no note of ours: an interrupt can come between the last step and any note of it.
    """
    in_place = []
    for path, (device, inode) in _replacements.items():
        with contextlib.suppress(OSError):
            now = path.stat()
            if (now.st_dev, now.st_ino) == (device, inode):
                in_place.append(path)
    return in_place


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream to a temporary file, which takes the place of `path` when all has been written and synced.

    A link stays a link, and a file that was there keeps its mode; one that is write-protected is refused. Until it is
    whole the temporary file has no name, where the system can do that: a process that is killed leaves nothing behind. What
    it leaves elsewhere, the next one removes: whoever writes holds a lock, so that a file without one belongs to nobody.
    """
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None:
        target.open("r+b").close()  # renaming could replace even what may not be written
    _remove_stale(target.parent)
    temporary = target.with_name(f".rosenblatt-{os.urandom(8).hex()}.tmp")
    try:
        with contextlib.ExitStack() as held:
            stream, nameless = _temporary(temporary, held)
            with stream:
                if mode is not None:
                    os.chmod(stream.fileno() if nameless else temporary, stat.S_IMODE(mode))
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
                status = os.fstat(stream.fileno())
                _replacements[target] = status.st_dev, status.st_ino
                in_place = nameless and _named(stream, target, temporary) == target
            if not in_place:
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


def _temporary(path: Path, held: contextlib.ExitStack) -> tuple[IO[bytes], bool]:
    """A new file in the folder of `path`, and whether it has no name yet; else it is called so. Its lock is `held`."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # not every file system can
            stream: IO[bytes] = open(os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb")  # noqa: SIM115
            _lock(stream, held)
            return stream, True
    while True:
        stream = path.open("xb")
        _lock(stream, held)
        if fcntl is None or os.fstat(stream.fileno()).st_nlink:
            return stream, False
        stream.close()  # another process took it for abandoned, before it was locked


def _lock(stream: IO[bytes], held: contextlib.ExitStack) -> None:
    """Locks a file, also beyond its closing, until `held` ends; not every file system can."""
    if fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_EX)
        held.callback(os.close, os.dup(stream.fileno()))


def _named(stream: IO[bytes], target: Path, temporary: Path) -> Path:
    """Gives a file without a name its own at once, where no other file has it; else that of the temporary file."""
    for path in (target, temporary):
        with contextlib.suppress(FileExistsError):
            # The path is absolute, so the folder means nothing: but only with one does Python follow the link.
            os.link(f"/proc/self/fd/{stream.fileno()}", path, src_dir_fd=stream.fileno())
            break
    return path


def _remove_stale(folder: Path) -> None:
    """Removes what processes left behind that were killed while they wrote: temporary files that nobody holds a lock on."""
    if fcntl is None:
        return
    for entry in folder.glob(".rosenblatt-*.tmp"):
        with contextlib.suppress(OSError), contextlib.ExitStack() as closing:
            file = os.open(entry, os.O_RDONLY | os.O_NONBLOCK)
            closing.callback(os.close, file)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            entry.unlink()
