"""Where workers read: on paths that all of them see, or at addresses that fsspec knows: http://, s3://, memory:// …

Tried with memory:// and with an HTTP server on this machine; the stores of clouds are untried.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rosenblatt.data.messages import is_hidden
from rosenblatt.data.parts import files_named, is_set_aside
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.reading import ADDRESS, open_source
from rosenblatt.data.source import Source
from rosenblatt.errors import FileError, SettingError, needs_parts


class NamedStream:
    """Bytes that are called as the file that they are of."""

    def __init__(self, stream: IO[bytes], name: str):
        self.stream, self.name = stream, name

    def read(self, size: int = -1) -> bytes:
        return self.stream.read(size)


def is_address(path: str) -> bool:
    """
    >>> is_address("s3://shop/orders.csv"), is_address("shop/orders.csv")
    (True, False)
    """
    return ADDRESS.match(path) is not None


@contextmanager
def explained(path: str) -> Iterator[None]:
    """What a file system says of a file that it cannot read, as an error of ours: each has exceptions of its own."""
    try:
        yield
    except (FileError, SettingError):
        raise
    except ImportError as problem:  # whose text names the package
        raise FileError(f"fsspec cannot read it: {problem}.", path=path) from None
    except Exception as problem:
        what = (problem.strerror if isinstance(problem, OSError) else None) or str(problem) or type(problem).__name__
        what = "there is no such file" if isinstance(problem, FileNotFoundError) else what
        raise FileError(f"it cannot be read ({what}): is it there on every worker?", path=path) from None


def file_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and its name there."""
    with needs_parts("Reading from an address"):
        from fsspec.core import url_to_fs
    system, place = url_to_fs(address, use_listings_cache=False)
    return system, place


def about(path: str) -> tuple[int, int | str, bool]:
    """The size of a file, what changes when it is written to, and whether parts of it can be read alone."""
    with explained(path):
        if not is_address(path):
            status = os.stat(path)
            return status.st_size, status.st_mtime_ns, True
        system, place = file_system(path)
        facts = system.info(place)
        if facts.get("size") is None:
            raise FileError("the server does not tell its size: download it first.", path=path)
        version = hashlib.sha256(repr(sorted(facts.items())).encode()).hexdigest()
        return int(facts["size"]), version, not path.lower().startswith("http")  # which may answer with all of a file


@contextmanager
def opened(path: str) -> Iterator[IO[bytes]]:
    """A file to read in parts."""
    with explained(path):
        if is_address(path):
            system, place = file_system(path)
            with system.open(place, "rb") as stream:
                yield stream
        else:
            with open(path, "rb") as stream:
                yield stream


def source_of(path: str, options: ReadOptions) -> Source:
    """The file as one to be read through once."""
    if not is_address(path):
        return open_source(path, options.sizes.longest_line, options.encoding)
    with explained(path):
        system, place = file_system(path)
        stream: Any = NamedStream(system.open(place, "rb"), path)
        return Source(stream, options.sizes.longest_line, options.encoding)


def files_of(where: str) -> list[str]:
    """The files that a path, a folder, a pattern or an address names, by their whole names, in order."""
    files = files_at(where) if is_address(where) and not os.path.lexists(where) else files_here(where)
    if not files:
        raise FileError("there is no file in it.", path=where)
    return sorted(files)


def files_at(address: str) -> list[str]:
    with explained(address):
        system, place = file_system(address)
        if set(place) & set("*?["):
            found = [name for name in system.glob(place) if not system.isdir(name)]
            places = [name for name in found if not is_hidden(name.rpartition("/")[2])]
        elif system.isfile(place):
            return [address]
        else:
            found = [entry["name"] for entry in system.ls(place, detail=True) if entry["type"] == "file"]
            places = [name for name in found if not is_set_aside(name.rpartition("/")[2])]
        return [system.unstrip_protocol(name) for name in places]


def files_here(where: str) -> list[str]:
    named = [os.path.abspath(name) for name in files_named(where)]
    if not named:
        from rosenblatt.data.known import is_known

        if is_known(where):
            raise SettingError(f"{where} is known by its name, and no file that workers could read: take --workers.")
        open_source(where)  # says what was probably meant
        raise FileError("it names no file.", path=where)
    folders = [Path(name) for name in named if os.path.isdir(name)]
    inside = [str(file) for folder in folders for file in folder.iterdir() if file.is_file() and not is_set_aside(file.name)]
    return [*(name for name in named if not os.path.isdir(name)), *inside]
