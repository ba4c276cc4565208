"""Images as vectors: every pixel, or every colour of it, is a feature between 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.features.notes import Notes

CHANNEL_NAMES = ("red", "green", "blue")


class ImageMap:
    """n × h × w grey images, or n × h × w × c coloured ones, of bytes become n × (h·w·c) numbers from 0 to 1.

    28 × 28 grey gives 784 features, 23 × 23 in three colours 1587 (LECTURES O8).

    >>> images = ImageMap().fit(np.zeros((5, 28, 28), dtype=np.uint8))
    >>> images.n_features, images.names[3 * 28 + 4]
    (784, 'pixel 3,4')
    >>> ImageMap().fit(np.zeros((5, 23, 23, 3), dtype=np.uint8)).n_features
    1587
    """

    def __init__(self) -> None:
        self.shape: tuple[int, ...] = ()
        self.notes = Notes()

    def fit(self, rows: np.ndarray) -> ImageMap:
        self.shape = _images(rows).shape[1:]
        return self

    def transform(self, rows: np.ndarray) -> np.ndarray:
        rows = _images(rows)
        if rows.shape[1:] != self.shape:
            raise DataError(f"The images are {_size(rows.shape[1:])}: training had {_size(self.shape)}. Resize them first.")
        self.notes = Notes(rows=len(rows))
        # Divided, not multiplied by 1/255: so 255 becomes exactly 1 and every grey the nearest float.
        pixels: np.ndarray = np.divide(rows.reshape(len(rows), self.n_features), np.float32(255), dtype=np.float32)
        return pixels

    @property
    def n_features(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def names(self) -> list[str]:
        height, width, *colours = self.shape
        channels = colours[0] if colours else 1
        colour = CHANNEL_NAMES if channels == 3 else [f"channel {c}" for c in range(channels)]
        suffixes = [""] if channels == 1 else [f" {name}" for name in colour]
        return [f"pixel {i},{j}{suffix}" for i in range(height) for j in range(width) for suffix in suffixes]

    def to_json(self) -> dict[str, Any]:
        return {"map": "image", "shape": list(self.shape)}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> ImageMap:
        images = cls()
        images.shape = tuple(int(side) for side in saved["shape"])
        return images


def _images(rows: np.ndarray) -> np.ndarray:
    if not isinstance(rows, np.ndarray) or rows.dtype != np.uint8 or rows.ndim not in (3, 4):
        got = f"{rows.ndim} dimensions of {rows.dtype}" if isinstance(rows, np.ndarray) else type(rows).__name__
        raise DataError(f"Expected images as bytes, n × height × width or n × height × width × colours, got {got}.")
    return rows


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))
