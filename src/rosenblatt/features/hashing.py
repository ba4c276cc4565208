"""A place among 2^bits for every feature name: the same on every machine, in every process, in every release."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from rosenblatt.engine.parameters import Whole

# Feature indices are 32-bit.
MOST_BITS = 30
BITS = Whole(1, MOST_BITS, optional=True)  # of a hash: 2^bits features


def bucket(name: str, bits: int) -> int:
    """The lowest bits of the name's BLAKE2b digest (8 bytes, little-endian, UTF-8).

    Python's own hash() is salted per process, so a model would not survive its process.

    >>> bucket("education=Doctorate", bits=18)
    164106
    """
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") & ((1 << bits) - 1)


def buckets(names: Iterable[str], bits: int) -> np.ndarray:
    """The bucket of each name, as int32."""
    return np.fromiter((bucket(name, bits) for name in names), dtype=np.int32)


def collisions(names: set[str], bits: int) -> int:
    """How many of these names share their bucket with an earlier one.

    >>> collisions({"a", "b", "c"}, bits=1)
    1
    """
    return len(names) - len({bucket(name, bits) for name in names})
