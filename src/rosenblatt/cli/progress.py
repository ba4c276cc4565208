"""Progress on standard error: one line that changes on a terminal, plain lines in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rosenblatt.cli import echo, write_stderr

if TYPE_CHECKING:
    from rosenblatt.learning.driver import Progress

CLEAR = "\r\x1b[K"
BAR_WIDTH = 40  # characters
LEAST_ROWS_TOLD = 2**20  # read so far


class StatusLine:
    """What is being done now; nothing at all where it is silent."""

    def __init__(self, silent: bool = False):
        self.silent, self.terminal = silent, sys.stderr.isatty()
        self.begun: set[str] = set()

    def show(self, text: str, step: str = "") -> None:
        """On a terminal the text, in place of the last; in a pipe a line a `step`, of which several may go on at a time."""
        step = step or text
        if self.terminal and not self.silent:
            self._clear()
            echo(text, nl=False, err=True)
        elif step not in self.begun:
            self.print_line(step)
        self.begun.add(step)

    def print_line(self, text: str) -> None:
        """A line that stays."""
        if not self.silent:
            self._clear()
            echo(text, err=True)

    def count(self, what: str, total: int) -> Callable[[int, str], None]:
        """A function that shows the number of a step, counted from 0, and what is done in it."""

        def show(number: int, name: str) -> None:
            step = f"{what} {number + 1} of {total}"
            self.show(f"{step}: {name}", step)

        return show

    def end(self) -> None:
        """No changing line any more."""
        if not self.silent:
            self._clear()

    def _clear(self) -> None:
        if self.terminal:
            write_stderr(CLEAR)


class ReadingLine:
    """How many rows have been read, and how fast; in a pipe a line whenever their number has doubled.

    Where the size of the input is known, and that it is read and not mapped: also megabytes a second, and the time left.
    """

    def __init__(self, size: int | None, silent: bool, mapped: bool = False):
        self.status, self.size, self.started = StatusLine(silent), size, time.perf_counter()
        self.printed = LEAST_ROWS_TOLD / 2
        self.before = None if mapped else bytes_read()

    def show(self, rows: int) -> None:
        if not self.status.terminal and rows < 2 * self.printed:
            return
        self.printed = rows
        read = 0 if self.before is None else bytes_read() - self.before
        told = f"{rows:,} rows, {rate(rows, self.started)}"
        if self.size is None:
            self.status.show(f"learning from standard input: {told}")
        elif not read:
            self.status.show(f"reading {self.size / 1e6:,.0f} MB: {told}")
        else:
            speed = read / 1e6 / max(time.perf_counter() - self.started, 1e-3)
            share = min(1.0, read / self.size)
            self.status.show(
                f"reading {self.size / 1e6:,.0f} MB: {100 * share:.0f} %, {told}, {speed:,.0f} MB a second, "
                f"{time_left(share, self.started)}"
            )


def bytes_read() -> int:
    """Bytes that this process has read from files so far; 0 where the system does not tell."""
    try:
        with open("/proc/self/io") as counts:
            return next(int(line.split()[1]) for line in counts if line.startswith("rchar"))
    except (OSError, ValueError, StopIteration):
        return 0


def rate(rows: int, started: float) -> str:
    """So many rows in a second, in words."""
    return f"{rows / max(time.perf_counter() - started, 1e-3):,.0f} rows a second"


def time_left(share: float, started: float) -> str:
    """How long the rest takes if it goes on as it went."""
    seconds = (time.perf_counter() - started) * (1 / share - 1) if share else 0.0
    return f"{seconds:.0f} s left" if seconds < 120 else f"{seconds / 60:.0f} min left"


class TrainingTable:
    """A training run: a line whenever the number of examples has doubled, and on a terminal a bar below."""

    def __init__(self) -> None:
        self.status = StatusLine()
        self.now: Progress | None = None
        self.started = time.perf_counter()
        self.printed_examples = self.printed_mistakes = 0

    def update(self, now: Progress) -> None:
        if self.now is None:  # reading is over
            self.started = time.perf_counter()
        self.now = now
        if now.examples.bit_length() > self.printed_examples.bit_length():
            self.print_row(now)
        if self.status.terminal:
            full = round(BAR_WIDTH * now.examples / now.total)
            bar = "━" * full + "╌" * (BAR_WIDTH - full)
            share = now.examples / now.total
            self.status.show(
                f"{bar} {100 * share:3.0f} %  {rate(now.examples, self.started)}, {time_left(share, self.started)}"
            )

    def print_row(self, now: Progress) -> None:
        if now.mistakes is None:
            self.print_plain_row(now)
            return
        since = (now.mistakes - self.printed_mistakes) / max(1, now.examples - self.printed_examples)
        if not self.printed_examples:  # only now: whatever could be refused was not
            self.status.print_line("   error  since last    examples     updates         |w|")
        numbers = f"{now.examples:10,}  {now.updates:10,}  {now.norm:10.4g}"
        self.status.print_line(f"{now.mistakes / now.examples:8.4f}  {since:10.4f}  {numbers}")
        self.printed_examples, self.printed_mistakes = now.examples, now.mistakes

    def print_plain_row(self, now: Progress) -> None:
        """Where numbers are learned, and nothing is a mistake."""
        if not self.printed_examples:
            self.status.print_line("  examples     updates         |w|")
        self.status.print_line(f"{now.examples:10,}  {now.updates:10,}  {now.norm:10.4g}")
        self.printed_examples = now.examples

    def end(self) -> None:
        """The last line, and no bar any more."""
        if self.now is not None and self.now.examples > self.printed_examples:
            self.print_row(self.now)
        self.status.end()
