"""Streams that are compressed (gzip, bzip2, xz, zstd), decompressed; and streams that were begun, put together again."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable
from typing import IO, Any, cast

from rosenblatt.errors import FileError

GZIP = b"\x1f\x8b"
BUFFER = 1 << 20
PIECE = 1 << 12  # compressed bytes at a time: of each few, zstd may make 128 kB
ENDED = "Compressed file ended before the end-of-stream marker was reached"


def decompressed(stream: IO[bytes], start: bytes, name: str) -> IO[bytes] | None:
    """The stream, which begins so, decompressed; None where it is not compressed in one of these ways."""
    if start.startswith(GZIP):
        return cast(IO[bytes], gzip.GzipFile(fileobj=stream))  # whose errors are the source's to explain
    for beginning, opener in OPENERS.items():
        if re.match(beginning, start):
            reader = opener(stream)
            return cast(IO[bytes], io.BufferedReader(_Checked(reader, stream, name), BUFFER))
    return None


def bunzip2(stream: IO[bytes]) -> IO[bytes]:
    import bz2

    return cast(IO[bytes], _Streams(stream, bz2.BZ2Decompressor))


def unxz(stream: IO[bytes]) -> IO[bytes]:
    import lzma

    return cast(IO[bytes], _Streams(stream, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)))


def unzstd(stream: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], _Zstd(stream))


OPENERS: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {
    rb"BZh[1-9](1AY|\x17rE)": bunzip2,
    rb"\xfd7zXZ": unxz,
    rb"\x28\xb5\x2f\xfd": unzstd,
}


class _Checked(io.RawIOBase):
    """A decompressing stream whose errors name the source; it can be read again from its start."""

    def __init__(self, reader: IO[bytes], compressed: IO[bytes], name: str):
        self._reader, self._compressed, self._name, self._place = reader, compressed, name, 0

    def fileno(self) -> int:
        return self._compressed.fileno()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._reader.seek(offset, whence)
        self._place = offset
        return offset

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        try:
            data = self._reader.read(len(buffer))
        except Exception as error:  # each module has its own
            what = f"the compressed data is truncated or damaged ({error}): copy or download the file again."
            raise FileError(what, path=self._name) from None
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)


class _Streams:
    """What bzip2 or xz has compressed, in one stream or, as pbzip2 does it, in several.

    Python's own files take for their end whatever follows a stream and begins as none: a damaged beginning of a later one
    would cost all rows from there on, and nobody would know. Zeros may fill up the end.
    """

    def __init__(self, stream: IO[bytes], decompressor: Callable[[], Any]):
        self._stream, self._decompressor = stream, decompressor
        self._current: Any = None  # what decompresses the stream that was begun
        self._following = b""  # what was read behind the one before

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        assert (offset, whence) == (0, io.SEEK_SET)
        self._stream.seek(0)
        self._current, self._following = None, b""
        return 0

    def read(self, size: int) -> bytes:
        while True:
            if self._current is None:
                data = self._following.lstrip(b"\0")
                while not data:
                    if not (data := self._stream.read(PIECE)):
                        return b""
                    data = data.lstrip(b"\0")
                self._current = self._decompressor()
            elif self._current.needs_input:
                if not (data := self._stream.read(PIECE)):
                    raise EOFError(ENDED)
            else:
                data = b""
            part: bytes = self._current.decompress(data, size)
            if self._current.eof:
                self._current, self._following = None, self._current.unused_data
            if part:
                return part


class _Zstd:
    """What zstd has compressed, in one frame or several."""

    def __init__(self, stream: IO[bytes]):
        try:
            from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # Python 3.14

            self._decompressor: Callable[[], Any] = zstd.ZstdDecompressor
        except ImportError:
            import zstandard

            self._decompressor = lambda: zstandard.ZstdDecompressor().decompressobj()
        self._stream = stream
        self._start()

    def _start(self) -> None:
        self._frame, self._begun, self._ready = self._decompressor(), False, b""

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        assert (offset, whence) == (0, io.SEEK_SET)
        self._stream.seek(0)
        self._start()
        return 0

    def read(self, size: int) -> bytes:
        while not self._ready:
            data = self._stream.read(PIECE)
            if not data:
                if self._begun:
                    raise EOFError("it ends within a frame")
                return b""
            while data:
                self._ready += self._frame.decompress(data)
                data, self._begun = b"", not self._frame.eof
                if self._frame.eof:
                    data, self._frame = self._frame.unused_data, self._decompressor()
        part, self._ready = self._ready[:size], self._ready[size:]
        return part


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


def rejoined(head: bytes, rest: IO[bytes]) -> IO[bytes]:
    """A stream of which these first bytes were read, from its beginning."""
    return cast(IO[bytes], io.BufferedReader(_Joined(head, rest), BUFFER))
