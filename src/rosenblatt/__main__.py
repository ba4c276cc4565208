"""Where the command line begins, as `rosenblatt` and as `python -m rosenblatt`: from here on an interrupt is answered.

Nothing is imported above `main` that Python has not loaded already: Ctrl-C while the rest is imported is an interrupt, too.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

INTERRUPTED = 130  # as shells count it: 128 + SIGINT
_exit_code = INTERRUPTED


def main() -> None:
    """Runs a command and ends the process with its exit code."""
    # Python drops an interrupt that comes while it tidies up (a finaliser, the lock of an import), and prints a traceback.
    print_unraisable, sys.unraisablehook = sys.unraisablehook, _end_if_interrupted
    _tidy_up_when_ended()
    try:
        code = _load_command_line()()
    except BaseException as problem:
        from rosenblatt.errors import is_interrupt

        if not is_interrupt(problem):
            raise
        _end(_interrupted())
    finally:
        _ignore_interrupts()  # the command is done, only Python's own end is left
        sys.unraisablehook = print_unraisable
    _leave_rubbish()
    sys.exit(code)


def _load_command_line() -> "Callable[[], int]":
    """What runs a command, or says which package it lacks."""
    from rosenblatt.errors import MissingPartError, needs_parts

    try:
        with needs_parts("The command line"):
            from rosenblatt.cli import run

            return run
    except MissingPartError as problem:
        _tell(f"{type(problem).__name__}: {problem}")
        sys.exit(2)


def _interrupted() -> int:
    """Says what an interrupted command has written; its exit code."""
    _ignore_interrupts()
    source = sys.modules.get("rosenblatt.data.source")  # without it, nothing was
    written = source.files_in_place() if source is not None else []
    names = " and ".join(map(str, written))
    what = f"{names} {'was' if len(written) == 1 else 'were'} written before." if written else "no file was written."
    _tell(f"Interrupted: {what}")
    return _exit_code


def _tell(message: str) -> None:
    from contextlib import suppress

    with suppress(OSError):  # nobody may hear it
        os.write(2, f"{message}\n".encode(errors="replace"))


def _end_if_interrupted(problem: "sys.UnraisableHookArgs") -> None:
    if not issubclass(problem.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(problem)
        return
    _end(_interrupted())


def _end(code: int) -> "NoReturn":
    """Ends the process at once: another thread may be importing, and Python's own end would take its ground away."""
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or nobody reads it
            stream.flush()
    os._exit(code)


def _tidy_up_when_ended() -> None:
    """`kill`, a time limit and a terminal that is closed end a command as Ctrl-C does: rows on disk are removed.

    What was to be ignored stays so, as with `nohup`; a second signal ends the process at once.
    """
    import signal

    def interrupt(number: int, frame: object) -> None:
        global _exit_code
        _exit_code = 128 + number
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, interrupt)


def _leave_rubbish() -> None:
    """Python would search all objects for rubbish several times before it ends, and the process takes them with it."""
    import gc

    gc.freeze()


def _ignore_interrupts() -> None:
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
