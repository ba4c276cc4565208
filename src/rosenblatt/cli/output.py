"""Where results go: to standard output, whatever is at its other end, or to a file that is whole or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import click

from rosenblatt.errors import SaveError


@contextlib.contextmanager
def writing(path: str | None) -> Iterator[IO[bytes]]:
    """A stream to a file, which is there when all of it is; or to standard output, until its reader has seen enough."""
    try:
        with standard_output() if path in (None, "-") else replacing(Path(str(path))) as stream:
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


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file beside the target that takes its place at the end; a device or a pipe is written to as it is."""
    mode = path.stat().st_mode if path.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        with path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    if mode is not None:
        target.open("r+b").close()  # a write-protected file is refused, though renaming could replace it
    temporary = target.with_name(f".rosenblatt-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as stream:
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
