"""Who runs tasks: this process, one after the other; dask_tasks.py has a cluster.

A task is a function of its arguments, and may be run anywhere, and again. What many tasks of one step have in common is
`shared` first, and then handed to them by what that gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from rosenblatt.cluster.mixing import reduced


class Tasks(Protocol):
    """What runs tasks; nobody can tell from the outcome who it was."""

    def shared(self, value: Any) -> Any:
        """What stands for a value in the tasks to come."""

    def map(self, function: Callable[..., Any], items: Sequence[Any], *common: Any) -> list[Any]:
        """function(item, *common) for every item, in order."""

    def reduce(
        self, function: Callable[..., Any], items: Sequence[Any], join: Callable[[Any, Any], Any], *common: Any
    ) -> Any:
        """function(item, *common) for every item, made one by `join` over the tree."""


class TasksHere:
    """Tasks in this process, one after the other."""

    def shared(self, value: Any) -> Any:
        return value

    def map(self, function: Callable[..., Any], items: Sequence[Any], *common: Any) -> list[Any]:
        return [function(item, *common) for item in items]

    def reduce(
        self, function: Callable[..., Any], items: Sequence[Any], join: Callable[[Any, Any], Any], *common: Any
    ) -> Any:
        return reduced(0, len(items), lambda place: function(items[place], *common), join)
