"""The memory of the server: what is cached between requests, and that the rest goes back to the system."""

from __future__ import annotations

import asyncio
import ctypes
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import cache
from threading import Lock
from typing import Generic, TypeVar

TRIM_DELAY = 0.1  # seconds
ARENA_MAX = -8  # glibc's number of the option

T = TypeVar("T")


class LruCache(Generic[T]):
    """The last few values by key; whoever asks for one that is being made waits for it.

    >>> squares = LruCache[int](most=1)
    >>> [squares.get(side, lambda side=side: print("making", side) or side**2) for side in (3, 3, 4, 3)]
    making 3
    making 4
    making 3
    [9, 9, 16, 9]
    """

    def __init__(self, most: int):
        self.most = most
        self.values: OrderedDict[Hashable, Future[T]] = OrderedDict()
        self.lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self.lock:
            value = self.values.get(key)
            missing = value is None
            if value is None:
                value = self.values[key] = Future()
            self.values.move_to_end(key)
            while len(self.values) > self.most:
                self.values.popitem(last=False)
        if missing:
            try:
                value.set_result(make())
            except BaseException as problem:
                value.set_exception(problem)
                with self.lock:  # a failure is not cached
                    if self.values.get(key) is value:
                        del self.values[key]
        return value.result()


class MemoryTrimmer:
    """Gives freed memory back to the system, soon after requests: glibc would keep what the largest of them has needed."""

    def __init__(self) -> None:
        self.timer: asyncio.TimerHandle | None = None
        self.again = False

    def trim_soon(self) -> None:
        """To be called where a loop runs, whenever something was freed or is about to be; once in a while it is done."""
        if self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(TRIM_DELAY, self._trim)
        else:
            self.again = True

    def _trim(self) -> None:
        self.timer = None
        libc = _libc()
        if libc is not None:
            libc.malloc_trim(0)
        if self.again:
            self.again = False
            self.trim_soon()


def limit_allocators() -> None:
    """Sets the allocators of this process to giving back; to be called before polars is imported and threads are started.

    glibc: one heap for all threads, where each would keep one of its own. jemalloc, which polars brings along: what is freed
    goes back after a tenth of a second, not after ten.
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:100,muzzy_decay_ms:0")
    libc = _libc()
    if libc is not None:
        libc.mallopt(ARENA_MAX, 1)


@cache
def _libc() -> ctypes.CDLL | None:
    """glibc; None where another library allocates."""
    try:
        libc = ctypes.CDLL(None)
        return libc if libc.malloc_trim and libc.mallopt else None
    except (AttributeError, OSError, TypeError):
        return None
