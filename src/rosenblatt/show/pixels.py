"""Images of the data, and of weights that belong to pixels, as PNG inside the page."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from rosenblatt.features import ImageMap
from rosenblatt.learning.classifier import Classifier
from rosenblatt.show.canvas import PALETTE


def png(pixels: np.ndarray) -> bytes:
    """A PNG of bytes: height × width grey, or height × width × 3 colours.

    >>> png(np.zeros((2, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width = pixels.shape[:2]
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)  # 0: lines as they are
    header = struct.pack(">IIBBBBB", width, height, 8, 0 if pixels.ndim == 2 else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    packed = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def data_url(pixels: np.ndarray) -> str:
    """The image in the address itself, so that nothing is loaded."""
    return "data:image/png;base64," + base64.b64encode(png(np.ascontiguousarray(pixels, dtype=np.uint8))).decode()


def picture(image: np.ndarray) -> str | None:
    """An image of the data; None where it has neither one colour nor three."""
    if image.ndim == 3 and image.shape[2] == 1:
        image = image[:, :, 0]
    return data_url(image) if image.ndim == 2 or image.shape[2] == 3 else None


def weight_pictures(model: Classifier) -> list[tuple[str, str]]:
    """(class, image of its weights): pixels that speak for it are orange, against it blue, and white where there is no say.

    With two classes one image, of the second. Nothing where features are no pixels, or have colours of their own.
    """
    if not isinstance(model.features, ImageMap) or len(model.features.shape) != 2:
        return []
    coef = model.linear().coef
    largest = np.abs(coef).max() or 1.0
    labels = model.classes.tolist() if len(coef) > 1 else [model.classes.tolist()[1]]
    return [
        (str(label), data_url(signed_colours(row.reshape(model.features.shape) / largest)))
        for label, row in zip(labels, coef, strict=True)
    ]


def signed_colours(values: np.ndarray) -> np.ndarray:
    """Numbers from -1 to 1 as colours: blue, white, orange."""
    low, high = (np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) for colour in PALETTE[:2])
    strength = np.abs(values)[:, :, None]
    colours: np.ndarray = np.round(255 * (1 - strength) + np.where(values[:, :, None] < 0, low, high) * strength).astype(
        np.uint8
    )
    return colours
