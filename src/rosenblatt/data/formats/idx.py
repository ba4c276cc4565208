"""idx files, as MNIST has them: a magic number, the sizes, the pixels.

00 00 08 03 | n | height | width | n · height · width bytes          images
00 00 08 01 | n | n bytes                                            labels
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import ROWS_PER_BATCH, Format
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source, read_fully
from rosenblatt.errors import FileError

if TYPE_CHECKING:
    import numpy as np

UNSIGNED_BYTE = 8  # the type code of pixels
MAGIC = re.compile(rb"\0\0[\x08\x09\x0b-\x0e][\x01-\x04]")


def read(source: Source, options: ReadOptions) -> Dataset:
    (whole,) = images(source)
    return whole


def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
    return images(source, rows or ROWS_PER_BATCH)


def images(source: Source, rows: int | None = None) -> Iterator[Dataset]:
    """The images in batches of `rows` (all at once if None), with labels if their file is beside it."""
    import numpy as np

    with source.open() as stream:
        sizes = _sizes(stream, source.name)
        if len(sizes) == 1:
            raise FileError("this idx file holds labels: name the one with the images.", path=source.name)
        if len(sizes) != 3:
            raise FileError(f"an idx file with {len(sizes)} dimensions: images have 3.", path=source.name)
        count, height, width = sizes
        if 0 in sizes:
            raise FileError(f"{count} images of {height} × {width} pixels: nothing to learn from.", path=source.name)
        labels = _labels(source, count)
        step = rows or count
        for start in range(0, count, step):
            n = min(step, count - start)
            pixels = np.frombuffer(_exactly(stream, n * height * width, source.name), dtype=np.uint8)
            part = None if labels is None else labels[start : start + n]
            yield Dataset("images", pixels.reshape(n, height, width), part, source.name)
        _refuse_more(stream, f"{count:,} images of {height} × {width}", source.name)


def _sizes(stream: IO[bytes], name: str) -> tuple[int, ...]:
    """The sizes that the start of an idx file gives."""
    magic = _exactly(stream, 4, name)
    if magic[:2] != b"\0\0" or not 1 <= magic[3] <= 4:
        raise FileError(f"it starts with {magic.hex(' ')}, not with 00 00 08 03: this is no idx file.", path=name)
    if magic[2] != UNSIGNED_BYTE:
        raise FileError(f"its numbers are of idx type 0x{magic[2]:02x}: only unsigned bytes (0x08) are read.", path=name)
    return struct.unpack(f">{magic[3]}I", _exactly(stream, 4 * magic[3], name))


def _exactly(stream: IO[bytes], count: int, name: str) -> bytes:
    data = read_fully(stream, count)
    if len(data) < count:
        what = f"truncated: {count - len(data):,} bytes are missing at the end. Copy or download it again."
        raise FileError(what, path=name)
    return data


def _refuse_more(stream: IO[bytes], what: str, name: str) -> None:
    if stream.read(1):
        raise FileError(f"more bytes than {what} need.", path=name)


def _labels(source: Source, count: int) -> np.ndarray | None:
    import numpy as np

    path = labels_beside(source.path) if source.path is not None else None
    if path is None:
        return None
    labels = Source(path)
    with labels.open() as stream:
        sizes = _sizes(stream, labels.name)
        if len(sizes) != 1 or sizes[0] != count:
            raise FileError(f"{sizes[0]:,} labels for the {count:,} images of {source.name}.", path=labels.name)
        classes = np.frombuffer(_exactly(stream, count, labels.name), dtype=np.uint8).astype(np.int64)
        _refuse_more(stream, f"{count:,} labels", labels.name)
        return classes


def labels_beside(path: Path) -> Path | None:
    """The labels that belong to a file of images: train-labels-idx1-ubyte.gz to train-images-idx3-ubyte.gz."""
    if "images" not in path.name:
        return None
    name = path.name.replace("images", "labels").replace("idx3", "idx1")
    plain = name.removesuffix(".gz")
    return next((path.with_name(n) for n in (name, plain, plain + ".gz") if path.with_name(n).is_file()), None)


FORMAT = Format("idx", "images, with their labels in a second file", read, batches, signature=MAGIC)
