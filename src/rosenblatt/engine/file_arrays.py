"""Arrays of one entry a row that lie in temporary files: rows on disk may be so many that even these fill the memory.

Mapped pages belong to their file: the system writes them out where it needs the room. The file has no name and is gone with
its array.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from rosenblatt.engine.rows import Rows, is_mapped, mapping_of

ROWS_AT_ONCE = 2**16
ZEROS_AT_ONCE = 2**21  # bytes: a large page, where the system has such
PIECE = 2**22  # bytes of a file that are written at a time: two of them


def array_in_file(n: int, dtype: Any) -> np.ndarray:
    """Room for n numbers in a temporary file (TMPDIR says where).

    >>> numbers = array_in_file(3, np.int32)
    >>> is_mapped(numbers), numbers.tolist()
    (True, [0, 0, 0])
    """
    size = n * np.dtype(dtype).itemsize
    if not size:
        return np.zeros(0, dtype)
    with tempfile.TemporaryFile(prefix="rosenblatt-") as file:
        zeros = np.zeros(min(size, ZEROS_AT_ONCE), dtype=np.uint8)
        for part in blocks(size, ZEROS_AT_ONCE):  # a disk that is full is told here, not by a signal later
            write_numbers(file, zeros[: part.stop - part.start])
        return np.asarray(np.memmap(file, dtype, mode="r+", shape=(n,)))


def empty_beside(array: np.ndarray, n: int, dtype: Any) -> np.ndarray:
    """Room for n numbers: in a file if that array is in one."""
    return array_in_file(n, dtype) if is_mapped(array) else np.empty(n, dtype)


def release_pages(rows: Rows) -> None:
    """Takes the pages of mapped rows out of this process; what is read later comes from the file again.

    They belong to the file and take no memory that others need, but who watches a process counts them as its own.
    """
    for array in rows.arrays:
        mapping = mapping_of(array)
        if mapping is not None and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            mapping._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]


def numbers_in_file(n: int, importance: np.ndarray | None = None) -> np.ndarray:
    """The numbers of n rows, without those of importance 0.

    >>> numbers_in_file(3), numbers_in_file(3, np.array([1.0, 0.0, 2.0]))
    (array([0, 1, 2], dtype=int32), array([0, 2], dtype=int32))
    """
    writer = ArrayWriter(np.int32)
    for part in blocks(n):
        numbers = np.arange(part.start, part.stop, dtype=np.int32)
        writer.add(numbers if importance is None else numbers[importance[part] != 0])
    return writer.array()


def blocks(n: int, at_once: int = ROWS_AT_ONCE) -> Iterator[slice]:
    """n rows, some at a time.

    >>> list(blocks(5, at_once=3))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    return (slice(start, min(start + at_once, n)) for start in range(0, n, at_once))


def write_numbers(file: IO[bytes], part: np.ndarray) -> None:
    """Writes numbers behind those that were written so before, in as few calls as there can be.

    Linux holds what comes in large pieces in large pages: to write it takes less time, and so does reading mapped rows from
    all over the place, since the processor has fewer addresses of pages to look up.
    """
    content = np.ascontiguousarray(part).reshape(-1).view(np.uint8)
    while len(content):
        content = content[os.write(file.fileno(), content.data) :]


class PieceWriter:
    """A file that is written in pieces of one size, however short the parts are that come: as large pages hold them.

    >>> with tempfile.NamedTemporaryFile() as there:
    ...     writer = PieceWriter(open(there.name, "wb"), piece=4)
    ...     for part in (np.array([1, 2, 3], np.uint8), np.array([4, 5, 6, 7, 8, 9], np.uint8)):
    ...         writer.add(part)
    ...     before = os.path.getsize(there.name)
    ...     writer.finish()
    ...     before, os.path.getsize(there.name)
    (8, 9)
    """

    def __init__(self, file: IO[bytes], piece: int = PIECE):
        self.file, self.piece, self.held = file, np.empty(piece, dtype=np.uint8), 0

    def add(self, part: np.ndarray) -> None:
        """Some more numbers."""
        content = np.ascontiguousarray(part).reshape(-1).view(np.uint8)
        while len(content):
            some = min(len(content), len(self.piece) - self.held)
            self.piece[self.held : self.held + some] = content[:some]
            self.held, content = self.held + some, content[some:]
            if self.held == len(self.piece):
                self._write()

    def finish(self) -> None:
        """Writes the last piece, and closes the file."""
        self._write()
        self.file.close()

    def _write(self) -> None:
        write_numbers(self.file, self.piece[: self.held])
        self.held = 0


class ArrayWriter:
    """An array in a temporary file, of which nobody knows yet how long it will be.

    >>> writer = ArrayWriter(np.int32)
    >>> for part in ([3, 1], [2]):
    ...     writer.add(np.array(part))
    >>> writer.array()
    array([3, 1, 2], dtype=int32)
    """

    def __init__(self, dtype: Any):
        self.dtype, self.length = np.dtype(dtype), 0
        self._file = tempfile.TemporaryFile(prefix="rosenblatt-")  # noqa: SIM115

    def __del__(self) -> None:
        self._file.close()

    def add(self, part: np.ndarray) -> None:
        """Some more numbers."""
        write_numbers(self._file, np.asarray(part, self.dtype))
        self.length += len(part)

    def array(self) -> np.ndarray:
        """All of them."""
        with self._file as file:
            return np.asarray(np.memmap(file, self.dtype, mode="r+")) if self.length else np.zeros(0, self.dtype)
