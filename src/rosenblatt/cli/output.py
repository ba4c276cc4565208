"""Where results go, and how: to standard output, whatever is at its other end, or to a file that is whole or not there."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import click

from rosenblatt.data.source import replacing
from rosenblatt.errors import SaveError


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


def print_json(facts: dict[str, Any]) -> None:
    """One object on one line, floats in full."""
    click.echo(to_json(facts))


def to_json(facts: dict[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, default=plain)


def plain(value: Any) -> Any:
    """numpy's numbers as Python's."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def print_table(header: list[str], rows: list[list[str]], top: int) -> None:
    """A plain table of the first rows: the first column to the left, numbers to the right."""
    shown = [header, *(rows[:top] if top else rows)]
    widths = [max(len(row[j]) for row in shown) for j in range(len(header))]
    for first, *others in shown:
        line = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        click.echo("  ".join(line).rstrip())
    if top and len(rows) > top:
        click.echo(f"… {len(rows) - top:,} more (--top 0 for all)")
