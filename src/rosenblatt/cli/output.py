"""Where results go: to standard output, whatever is at its other end, or to a file that is whole or not there."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import click

from rosenblatt.data.source import replacing
from rosenblatt.errors import SaveError


def keep_apart(written: str | None, *read: str | None) -> None:
    """Refuses to write over a file that the same command reads: a table is not to be lost to a slip of the hand."""
    for path in read if written is not None and os.path.isfile(written) else ():
        if path is not None and os.path.isfile(path) and os.path.samefile(path, str(written)):
            raise click.UsageError(f"-o {written} would replace {path}, which is read: name another file.")


@contextlib.contextmanager
def writing(path: str | None) -> Iterator[IO[bytes]]:
    """A stream to a file, which is there when all of it is; or to standard output, until its reader has seen enough."""
    try:
        with standard_output() if path in (None, "-") else to_file(Path(str(path))) as stream:
            yield stream
    except OSError as problem:
        if isinstance(problem, SaveError):
            raise
        what = f"{path or 'standard output'} was not written: {problem.strerror or problem}"
        raise SaveError(f"{what}; write to another place with -o.") from problem


@contextlib.contextmanager
def standard_output() -> Iterator[IO[bytes]]:
    sys.stdout.flush()
    stream = sys.stdout.buffer
    try:
        yield stream
        stream.flush()
    except OSError as problem:
        # What is still in Python's buffer must not fail again when the process ends.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(problem, BrokenPipeError):  # the reader has seen enough, as `head` has
            raise click.exceptions.Exit(0) from None
        raise


def to_file(path: Path) -> contextlib.AbstractContextManager[IO[bytes]]:
    """A stream to a file that is whole or not there; a device or a pipe is written to as it is."""
    ordinary = not path.exists() or path.is_file()
    return replacing(path) if ordinary else path.open("wb")
