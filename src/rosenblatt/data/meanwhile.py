"""Imports that take their time, in another thread while a file is read: the compiled readers leave Python's lock to it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module


@contextmanager
def importing_meanwhile(*modules: str) -> Iterator[None]:
    """Another thread imports these modules; both are done at the end."""

    def import_all() -> None:
        with suppress(Exception):  # who imports them next is told
            for module in modules:
                import_module(module)

    thread = threading.Thread(target=import_all)
    thread.start()
    try:
        yield
    finally:
        thread.join()
