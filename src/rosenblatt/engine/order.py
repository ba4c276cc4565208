"""In what order examples come.

The permutation is ours (Fisher-Yates in core, over the raw output of PCG64), so that a seed gives the same order on every
machine and with every version of numpy, which promises the raw output of a bit generator but not what it makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosenblatt.engine.compiled import core, cores

BLOCK = 64  # rows that stay together in the order "blocks"
AHEAD = 2**17  # rows from which a second thread is worth its while

# What randomness is for: each purpose has a stream of its own, so that holding rows out does not change the order.
ORDER, SPLIT, DRAW = 1, 2, 3


def random_bits(seed: int, purpose: int) -> np.random.PCG64:
    """Random words for one purpose."""
    return np.random.PCG64([purpose, seed])


def epochs(order: str, pool: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """The row numbers of `pool` in the order of each epoch, without end; the array is overwritten for the next.

    For many rows a second core, where there is one, shuffles for the next epoch during this one. The order is the same.

    >>> rows = np.arange(5, dtype=np.int32)
    >>> [epoch.tolist() for epoch, _ in zip(epochs("shuffled", rows, seed=0), range(2))]
    [[4, 1, 0, 3, 2], [4, 2, 1, 3, 0]]
    """
    bits = random_bits(seed, ORDER)
    current = pool.copy()
    if order == "shuffled" and len(pool) >= AHEAD and cores() > 1:
        yield from shuffled_ahead(current, bits)
    if order == "once":
        shuffle(current, bits)
    blocks = np.arange(-(-len(pool) // BLOCK), dtype=np.int32)
    while True:
        if order == "shuffled":
            shuffle(current, bits)
        elif order == "replacement":
            core.draw(current, bits, pool)
        elif order == "blocks":
            shuffle(blocks, bits)
            current = np.concatenate([pool[b * BLOCK : (b + 1) * BLOCK] for b in blocks])
        yield current


def shuffled_ahead(current: np.ndarray, bits: np.random.PCG64) -> Iterator[np.ndarray]:
    """The same permutations without end, the next one made by a second thread while the present one is used."""
    from concurrent.futures import ThreadPoolExecutor

    following = np.empty_like(current)
    shuffle(current, bits)
    with ThreadPoolExecutor(1) as second:
        while True:
            np.copyto(following, current)
            coming = second.submit(shuffle, following, bits)
            yield current
            coming.result()
            current, following = following, current


def shuffle(order: np.ndarray, bits: np.random.PCG64) -> None:
    """A random permutation of `order`, in place."""
    core.shuffle(order, bits)
