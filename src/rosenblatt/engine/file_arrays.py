"""Arrays of one entry a row that lie in temporary files: rows on disk may be so many that even these fill the memory.

Mapped pages belong to their file: the system writes them out where it needs the room. The file has no name and is gone with
its array.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from rosenblatt.engine.rows import is_mapped

ROWS_AT_ONCE = 2**16
WRITTEN_AT_ONCE = 2**21  # bytes: a large page, where the system has such


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
        zeros, blocks_of = np.zeros(min(size, WRITTEN_AT_ONCE), dtype=np.uint8), BlockWriter(file)
        for part in blocks(size, WRITTEN_AT_ONCE):  # a disk that is full is told here, not by a signal later
            blocks_of.add(zeros[: part.stop - part.start])
        blocks_of.flush()
        return np.asarray(np.memmap(file, dtype, mode="r+", shape=(n,)))


def empty_beside(array: np.ndarray, n: int, dtype: Any) -> np.ndarray:
    """Room for n numbers: in a file if that array is in one."""
    return array_in_file(n, dtype) if is_mapped(array) else np.empty(n, dtype)


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


class BlockWriter:
    """Writes to a file in blocks of one size, at multiples of it, however small the parts are that it is given.

    Linux holds what is written so in large pages: writing takes half of the time, and to read mapped rows from all over the
    place is faster, since the processor has fewer addresses of pages to look up.
    """

    def __init__(self, file: IO[bytes], size: int = WRITTEN_AT_ONCE):
        self.file, self.size = file, size
        self.block, self.filled = np.empty(size, dtype=np.uint8), 0  # what is yet to be written

    def add(self, part: np.ndarray) -> None:
        """Some more numbers, which lie together."""
        content = part.reshape(-1).view(np.uint8)
        if self.filled:
            content = self._fill_up(content)
            if self.filled < self.size:
                return
            self.flush()
        whole = len(content) - len(content) % self.size
        for start in range(0, whole, self.size):
            self._write(content[start : start + self.size])
        self._fill_up(content[whole:])

    def _fill_up(self, content: np.ndarray) -> np.ndarray:
        """Puts the beginning into the block, and gives back what has no room in it."""
        count = min(len(content), self.size - self.filled)
        self.block[self.filled : self.filled + count] = content[:count]
        self.filled += count
        return content[count:]

    def flush(self) -> None:
        """What is left goes to the file as well."""
        self._write(self.block[: self.filled])
        self.filled = 0

    def _write(self, content: np.ndarray) -> None:
        while len(content):
            content = content[os.write(self.file.fileno(), content.data) :]


class ArrayWriter:
    """An array in a temporary file, of which nobody knows yet how long it will be.

    >>> writer = ArrayWriter(np.int32)
    >>> for part in ([3, 1], [2]):
    ...     writer.add(np.array(part))
    >>> writer.array()
    array([3, 1, 2], dtype=int32)
    """

    def __init__(self, dtype: Any, at_once: int = WRITTEN_AT_ONCE):
        self.dtype, self.length = np.dtype(dtype), 0
        self._file = tempfile.TemporaryFile(prefix="rosenblatt-")  # noqa: SIM115
        self._blocks = BlockWriter(self._file, at_once)

    def __del__(self) -> None:
        self._file.close()

    def add(self, part: np.ndarray) -> None:
        """Some more numbers."""
        self._blocks.add(np.ascontiguousarray(part, self.dtype))
        self.length += len(part)

    def array(self) -> np.ndarray:
        """All of them."""
        with self._file as file:
            self._blocks.flush()
            return np.asarray(np.memmap(file, self.dtype, mode="r+")) if self.length else np.zeros(0, self.dtype)
