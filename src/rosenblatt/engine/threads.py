"""Blocks of rows on several cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache

MOST_HELPERS = 64  # threads beside the one that calls; each begins when it is first needed


@cache
def helpers() -> ThreadPoolExecutor:
    """The threads that help: to begin one for every call would cost more than many a call."""
    return ThreadPoolExecutor(MOST_HELPERS, thread_name_prefix="rosenblatt")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=helpers.cache_clear)  # a forked process has none of them


def share(blocks: Iterable[int], work: Callable[[Iterator[int]], None], threads: int) -> None:
    """Lets so many threads, this one among them, `work` through the blocks: each takes the next one that nobody has taken.

    Where the other cores are busy this one does most of the work, and waits for no thread that has not begun.

    >>> squares = {}
    >>> share(range(4), lambda blocks: squares.update((block, block * block) for block in blocks), threads=2)
    >>> sorted(squares.items())
    [(0, 0), (1, 1), (2, 4), (3, 9)]
    """
    left = iter(tuple(blocks))  # whose next one only one thread is given, as the interpreter runs one at a time
    coming = [helpers().submit(work, left) for _ in range(threads - 1)]
    try:
        work(left)
    finally:
        begun = [helper for helper in coming if not helper.cancel()]
    for helper in begun:
        helper.result()
