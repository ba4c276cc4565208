"""Text in another encoding than UTF-8, turned into UTF-8 while it is read.

The first character beyond ASCII decides: where it is no UTF-8, as ü in Latin-1 is none, the whole file is Windows-1252,
which has all of Latin-1. A file whose first such character is UTF-8 is UTF-8, and what is none in it is refused.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable
from typing import IO, cast

from rosenblatt.errors import FileError, SettingError

WINDOWS = "windows-1252"
LONGEST_CHARACTER = 4  # bytes, in UTF-8
BLOCK = 1 << 20
NOT_OF_FILES = ("idna", "punycode")  # Python's encodings of host names


def refuse_unknown(encoding: str) -> None:
    """Refuses a name that Python knows no text encoding by."""
    try:
        "".encode(encoding)
        known = codecs.lookup(encoding).name not in NOT_OF_FILES
    except (LookupError, ValueError, TypeError):
        known = False
    if not known:
        what = f"There is no encoding {encoding!r}: name one such as 'windows-1252', 'utf-16', 'cp850' or 'shift_jis'."
        raise SettingError(what)


def encoding_of(data: bytes) -> str | None:
    """The encoding that the first character beyond ASCII tells; None where there is none, or it is cut off.

    >>> encoding_of("grün".encode()), encoding_of("grün".encode("latin-1")), encoding_of(b"green")
    ('utf-8', 'windows-1252', None)
    """
    if data.isascii():
        return None
    try:
        data.decode("ascii")
    except UnicodeDecodeError as error:
        character = data[error.start : error.start + LONGEST_CHARACTER]
        try:
            return "utf-8" if codecs.getincrementaldecoder("utf-8")().decode(character) else None
        except UnicodeDecodeError as other:
            return "utf-8" if other.start else WINDOWS
    return None


class Decoder:
    """Turns the bytes of a text, a block at a time, into UTF-8; `first_line` is that of the next block."""

    def __init__(self, encoding: str, name: str):
        self.encoding, self.name, self.first_line = encoding, name, 1
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def utf8(self, data: bytes, final: bool = False) -> bytes:
        try:
            text = self._decoder.decode(data, final)
            self.first_line += text.count("\n")
            return text.encode()
        except UnicodeEncodeError:
            what, line = f"the text in {self.encoding} has characters that are none: write it again as UTF-8.", None
        except UnicodeDecodeError as error:
            bad = error.object[error.start : error.start + 1].hex()
            what = f"the byte 0x{bad} is not {self.encoding}: pass encoding='…' with the right name, as 'cp850' or 'utf-8'."
            line = self.first_line + error.object.count(b"\n", 0, error.start)
            if self.encoding == WINDOWS:
                what = f"the byte 0x{bad} is neither UTF-8 nor Windows-1252: {what.partition(': ')[2]}"
        except UnicodeError:  # as Python says that UTF-16 and UTF-32 lack the mark with which they begin
            raise no_mark(self.encoding, self.name) from None
        raise FileError(what, path=self.name, line=line)


def no_mark(encoding: str, name: str) -> FileError:
    """The error for a text that does not begin as all in this encoding do."""
    what = (
        f"it does not begin with the mark of {encoding}: leave encoding out if it is UTF-8, or say in which order its bytes "
        f"are, encoding='{encoding}-le' or encoding='{encoding}-be'."
    )
    return FileError(what, path=name)


def explain_nul(data: bytes) -> str:
    """What is wrong with a text in which there is a NUL, and the remedy."""
    for order, nuls in (("le", data[1:30:2]), ("be", data[:30:2])):
        if len(nuls) > 1 and nuls.count(0) > 0.8 * len(nuls):
            return f"it is UTF-16 without its mark, or no text: pass encoding='utf-16-{order}'."
    return "a NUL byte: the file is not text, or not UTF-8. Write it again as UTF-8, or remove the byte."


def beginning_as_utf8(data: bytes, encoding: str, name: str) -> bytes:
    """The first bytes of a text, to look at: what they lack, or cannot be, is marked."""
    try:
        return codecs.getincrementaldecoder(encoding)("replace").decode(data).encode(errors="replace")
    except UnicodeError:
        raise no_mark(encoding, name) from None


class _Decoded(io.RawIOBase):
    """The bytes of a stream as UTF-8."""

    def __init__(self, stream: IO[bytes], decoder: Decoder):
        self._stream, self._decoder = stream, decoder
        self._ready, self._ended = b"", False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        while not self._ready and not self._ended:
            data = self._stream.read(BLOCK)
            self._ended = not data
            self._ready = self._decoder.utf8(data, final=not data)
        part = self._ready[: len(buffer)]
        self._ready = self._ready[len(part) :]
        buffer[: len(part)] = part
        return len(part)


class _DecodedLater:
    """A stream that is ASCII so far: read as it is until a character decides."""

    def __init__(self, stream: IO[bytes], name: str, on_decision: Callable[[str], None]):
        self._stream, self._name, self._on_decision = stream, name, on_decision
        self._utf8: Callable[[bytes], bytes] | None = None

    def read(self, size: int = -1) -> bytes:
        return self._as_utf8(self._stream.read(size))

    def readline(self, size: int = -1) -> bytes:
        return self._as_utf8(self._stream.readline(size))

    def _as_utf8(self, data: bytes) -> bytes:
        if self._utf8 is not None:
            return self._utf8(data)
        if data.isascii():
            return data
        encoding = encoding_of(data)
        if encoding is None:  # cut off
            data += self._stream.read(LONGEST_CHARACTER)
            encoding = encoding_of(data) or WINDOWS
        self._on_decision(encoding)
        self._utf8 = Decoder(encoding, self._name).utf8 if encoding == WINDOWS else bytes
        return self._utf8(data)


def decoded(stream: IO[bytes], encoding: str | None, name: str, on_decision: Callable[[str], None]) -> IO[bytes]:
    """The stream as UTF-8. Where the encoding is None its bytes decide, and `on_decision` is told."""
    if encoding is None:
        return cast(IO[bytes], _DecodedLater(stream, name, on_decision))
    return cast(IO[bytes], io.BufferedReader(_Decoded(stream, Decoder(encoding, name)), BLOCK))


class _LineFeeds(io.RawIOBase):
    """The bytes of a text whose lines end in CR, with LF in its place."""

    def __init__(self, stream: IO[bytes]):
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer)).replace(b"\r", b"\n")
        buffer[: len(data)] = data
        return len(data)


def with_line_feeds(stream: IO[bytes]) -> IO[bytes]:
    """The stream with LF for CR."""
    return cast(IO[bytes], io.BufferedReader(_LineFeeds(stream), BLOCK))
