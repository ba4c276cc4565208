"""A lock between processes: who writes into a folder that others use, does so alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

fcntl: ModuleType | None
try:
    fcntl = import_module("fcntl")
except ImportError:  # not everywhere
    fcntl = None


@contextlib.contextmanager
def locked(path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Holds a lock that one process has at a time, on a file made for it; where another has it, says so and waits.

    Where the system or its file system has no locks, there is none.
    """
    if fcntl is None:
        yield
        return
    with contextlib.ExitStack() as held:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o666)
        held.callback(os.close, file)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:
            pass  # not every file system can
        yield
