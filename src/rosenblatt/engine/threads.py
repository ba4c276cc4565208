"""Blocks of rows on several cores."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

from rosenblatt.engine.compiled import cores

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_AHEAD = 4  # results that are worked on before they are asked for: each takes memory
MOST_HELPERS = 64  # threads beside the one that calls; each begins when it is first needed


@cache
def helpers() -> ThreadPoolExecutor:
    """The threads that help: to begin one for every call would cost more than many a call."""
    return ThreadPoolExecutor(MOST_HELPERS, thread_name_prefix="rosenblatt")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=helpers.cache_clear)  # a forked process has none of them


def map_on_cores(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """What `map` gives, by as many threads as there are cores; where `work` fails, the first failure among the items.

    >>> map_on_cores(lambda number: number * number, [3, 1, 2])
    [9, 1, 4]
    """
    if cores() == 1 or len(items) < 2:
        return [work(item) for item in items]
    results: dict[int, Result] = {}
    failures: dict[int, Exception] = {}

    def work_through(places: Iterator[int]) -> None:
        for place in places:
            try:
                results[place] = work(items[place])
            except Exception as failure:
                failures[place] = failure
            if failures:
                return

    share(range(len(items)), work_through, min(cores(), len(items)))
    if failures:
        raise failures[min(failures)]
    return [results[place] for place in range(len(items))]


def map_ahead(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """What `map` gives, in order, by as many threads as there are cores, which work ahead of whoever takes the results.

    Of the items no more are taken than threads can work on: results that nobody has taken yet do not pile up.

    >>> list(map_ahead(lambda number: number * number, [3, 1, 2]))
    [9, 1, 4]
    """
    coming: deque[Future[Result]] = deque()
    try:
        for item in items:
            coming.append(helpers().submit(work, item))
            if len(coming) >= min(cores() + 1, MOST_AHEAD):
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()
    finally:  # whoever stops early may remove what the threads read
        wait([begun for begun in coming if not begun.cancel()])


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
