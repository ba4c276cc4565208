"""Memory that is free goes back to the system: the C library keeps it, for each thread apart, and what is kept adds up."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TypeVar

Item = TypeVar("Item")
OFTEN = 8  # items between two times: a time takes milliseconds, an item of some megabytes many more


@cache
def trim() -> Callable[[int], int] | None:
    """`malloc_trim` of the GNU C library; None with another one."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # TypeError: Windows has no library without a name
        return None


def return_free_memory() -> None:
    """Gives what is free back to the system, wherever it lies: freeing alone gives back what lies last."""
    if (give_back := trim()) is not None:
        give_back(0)


def returning_memory(items: Iterable[Item], often: int = OFTEN) -> Iterator[Item]:
    """The same items; between them and at the end, free memory is given back.

    >>> list(returning_memory("abc", often=2))
    ['a', 'b', 'c']
    """
    for number, item in enumerate(items, 1):
        yield item
        if number % often == 0:
            return_free_memory()
    return_free_memory()
