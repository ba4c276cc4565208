"""In what order examples come.

The permutation is ours (permutation.py: Fisher-Yates, over the raw output of PCG64), so that a seed gives the same order on
every machine and with every version of numpy, which promises the raw output of a bit generator but not what it makes of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rosenblatt.engine.compiled import cores, permutation
from rosenblatt.engine.rows import is_mapped

BLOCK = 64  # rows that stay together in the order "blocks"
BLOCKS_IN_WINDOW = 64  # of rows on disk that are shuffled together
AHEAD = 2**17  # rows from which a second thread is worth its while

# What randomness is for: each purpose has a stream of its own, so that holding rows out does not change the order.
ORDER, SPLIT, DRAW = 1, 2, 3


def random_bits(seed: int, purpose: int) -> np.random.PCG64:
    """Random words for one purpose."""
    return np.random.PCG64([purpose, seed])


def epochs(order: str, pool: np.ndarray, seed: int, ahead: int = AHEAD, window: int | None = None) -> Iterator[np.ndarray]:
    """The row numbers of `pool` in the order of each epoch, without end; the array is overwritten for the next.

    From `ahead` rows on a second core, where there is one, shuffles for the next epoch meanwhile. The order is the same.
    Rows on disk are shuffled within a `window` of so many, if there are more. A pool in a file may be shuffled itself.

    >>> rows = np.arange(5, dtype=np.int32)
    >>> [epoch.tolist() for epoch, _ in zip(epochs("shuffled", rows, seed=0), range(2))]
    [[4, 1, 0, 3, 2], [4, 2, 1, 3, 0]]
    """
    bits = random_bits(seed, ORDER)
    if order == "shuffled" and window is not None and window < len(pool):
        yield from shuffled_in_windows(pool, bits, window)
    current, once_only = pool, order in ("shuffled", "once")  # does nobody ask for the rows again as they came?
    if not once_only or not is_mapped(pool):
        current = room_for(pool)
        np.copyto(current, pool)
    if once_only:
        pool = current  # so that nothing holds them
    if order == "shuffled" and len(pool) >= ahead and cores() > 1:
        yield from shuffled_ahead(current, bits)
    if order == "once":
        shuffle(current, bits)
    blocks = np.arange(-(-len(pool) // BLOCK), dtype=np.int32)
    while True:
        if order == "shuffled":
            shuffle(current, bits)
        elif order == "replacement":
            permutation.draw(current, bits, pool)
        elif order == "blocks":
            shuffle(blocks, bits)
            end = 0
            for b in blocks.tolist():
                rows = pool[b * BLOCK : (b + 1) * BLOCK]
                current[end : end + len(rows)] = rows
                end += len(rows)
        yield current


def shuffled_ahead(current: np.ndarray, bits: np.random.PCG64) -> Iterator[np.ndarray]:
    """The same permutations without end, the next one made by a second thread while the present one is used."""
    from concurrent.futures import ThreadPoolExecutor

    following = room_for(current)
    shuffle(current, bits)
    with ThreadPoolExecutor(1) as second:
        while True:
            np.copyto(following, current)
            coming = second.submit(shuffle, following, bits)
            yield current
            coming.result()
            current, following = following, current


def shuffled_in_windows(pool: np.ndarray, bits: np.random.PCG64, window: int) -> Iterator[np.ndarray]:
    """Neighbouring rows in blocks, the blocks in random order, and the rows of so many blocks as a window holds shuffled.

    Of rows on disk no more than a window is then read from all over the place at a time.

    >>> rows = np.arange(8, dtype=np.int32)
    >>> [epoch.tolist() for epoch, _ in zip(shuffled_in_windows(rows, random_bits(0, ORDER), 4), range(2))]
    [[1, 2, 5, 3, 4, 7, 6, 0], [7, 6, 5, 1, 2, 4, 3, 0]]
    """
    size = max(1, window // BLOCKS_IN_WINDOW)
    blocks = np.arange(-(-len(pool) // size), dtype=np.int32)
    in_window = max(1, window // size)
    current = room_for(pool)
    while True:
        shuffle(blocks, bits)
        end = 0
        for start in range(0, len(blocks), in_window):
            rows = np.concatenate([pool[b * size : (b + 1) * size] for b in blocks[start : start + in_window].tolist()])
            shuffle(rows, bits)
            current[end : end + len(rows)] = rows
            end += len(rows)
        yield current


def room_for(rows: np.ndarray) -> np.ndarray:
    """Room for as many row numbers, in a file if these are in one."""
    if not is_mapped(rows):
        return np.empty_like(rows)
    from rosenblatt.engine.file_arrays import array_in_file

    return array_in_file(len(rows), rows.dtype)


def shuffle(order: np.ndarray, bits: np.random.PCG64) -> None:
    """A random permutation of `order`, in place."""
    permutation.shuffle(order, bits)
