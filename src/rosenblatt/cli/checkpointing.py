"""train --checkpoint and --resume: what a killed run needs to go on."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, tell
from rosenblatt.cli.types import WrittenFolder
from rosenblatt.errors import as_argument

if TYPE_CHECKING:
    from rosenblatt.learning.checkpoint import Checkpoints
    from rosenblatt.learning.learners import Recipe


@dataclass(frozen=True, kw_only=True)
class CheckpointOptions:
    """Where checkpoints are written, how often, and whether to go on from the last."""

    checkpoint: str | None
    every: float
    resume: str | None

    def checkpoints_of(self, recipe: Recipe) -> Checkpoints:
        """Those of a run with this recipe."""
        from rosenblatt.learning.checkpoint import Checkpoints

        if self.checkpoint and self.resume:
            raise click.UsageError("--resume goes on writing checkpoints where it found one: leave out --checkpoint.")
        if math.isnan(self.every):  # which click takes for a number in any range
            raise click.UsageError("--every nan is no time in minutes.")
        folder = Path(self.checkpoint or self.resume or "")
        checkpoints = Checkpoints(folder, recipe, every(60 * self.every), resume=self.resume is not None)
        if self.resume and not checkpoints.path.exists():
            tell(f"There is no checkpoint in {folder} yet: training begins at its beginning.")
        return checkpoints


def every(seconds: float) -> Callable[[], bool]:
    """Whether so much time has passed since the answer last was that it has, or since now."""
    last = time.monotonic()

    def due() -> bool:
        nonlocal last
        if (now := time.monotonic()) - last < seconds:
            return False
        last = now
        return True

    return due


def checkpoint_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds them to a command."""
    for option in (
        click.option(
            "--checkpoint",
            type=WrittenFolder(),
            metavar="DIR",
            help="Write checkpoints into this folder, to go on from with --resume.",
        ),
        click.option(
            "--every",
            type=click.FloatRange(0),
            default=10.0,
            metavar="MINUTES",
            show_default=True,
            help="Between checkpoints.",
        ),
        click.option(
            "--resume",
            type=WrittenFolder(),
            metavar="DIR",
            help="Go on from the checkpoint in this folder: the same command otherwise.",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def written_on_interrupt(checkpoints: Checkpoints | None) -> Iterator[None]:
    """Ctrl-C writes a checkpoint before it ends training, and says so; a second one ends it at once."""
    if checkpoints is None:
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        if checkpoints.stop or not checkpoints.running:
            raise KeyboardInterrupt
        checkpoints.stop = True

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        if checkpoints.written:
            folder = as_argument(str(checkpoints.folder))
            echo(f"A checkpoint is in {folder}: the same command with --resume {folder} goes on from it.", err=True)
        raise
    finally:
        checkpoints.running = False
        signal.signal(signal.SIGINT, before)
