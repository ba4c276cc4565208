"""The options of `train` for rows on disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from rosenblatt.cli import options
from rosenblatt.cli.types import WrittenFolder

IN_MEMORY = ["certify", "keep_log", "auto", "python"]


@dataclass(frozen=True, kw_only=True)
class StreamOptions:
    """How rows are held on disk."""

    stream: bool
    window: int | None
    cache: str | None
    certify: float | None

    def refuse_without_stream(self) -> None:
        """Refuses what is only for rows on disk."""
        name = "window" if self.window is not None else "cache"
        raise click.UsageError(f"--{name} is for rows on disk: it needs --stream.")

    def refuse_in_memory(self) -> None:
        """Refuses what takes all rows in memory."""
        asked = [option for option in options.typed() if option.name != "certify" or self.certify]  # 0: not at all
        if taken := [max(option.opts, key=len) for option in asked if option.name in IN_MEMORY]:
            raise click.UsageError(
                f"{taken[0]} takes all rows in memory, and --stream holds them on disk: leave out one of the two."
            )
        if self.cache is not None and any(option.name == "holdout" for option in options.typed()):
            raise click.UsageError("--cache keeps all rows of a file, those that --holdout holds out, too: leave out one.")


def refuse_pipe(file: str, reader: str, remedy: str = "") -> None:
    """Refuses what can be read once where it would be read again, by a stream or by workers."""
    if file == "-" or (os.path.exists(file) and not os.path.isfile(file) and not os.path.isdir(file)):
        what = "standard input" if file == "-" else file
        raise click.UsageError(f"{what} can be read once, and {reader} a file again and again: name a file{remedy}.")


def stream_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds them to a command."""
    for option in (
        click.option("--stream", is_flag=True, help="Hold the rows on disk, not in memory: more rows than fit into it."),
        click.option(
            "--window", type=int, metavar="ROWS", help="With --stream: shuffle so many rows together; all if they fit."
        ),
        click.option(
            "--cache", type=WrittenFolder(), metavar="DIR", help="With --stream: keep the encoded rows for the next run."
        ),
    ):
        command = option(command)
    return command
