"""The command line: one file a verb, loaded only when it is called.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 bad data, 2 usage, 3 a model file
that is missing, damaged or foreign, 130 interrupted. No traceback reaches a user.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

import click

from rosenblatt import __version__
from rosenblatt.errors import ModelFileError, RosenblattError, SettingError, is_interrupt, needs_parts, visible

if TYPE_CHECKING:
    from rosenblatt.data import Dataset

# What `--help` says of each verb without importing it.
VERBS = {
    "train": "Learn from a file to predict one of its columns.",
    "update": "Let a model go on learning from new rows.",
    "evaluate": "Measure a model on labelled data.",
    "predict": "Label the rows of a file, however long.",
    "calibrate": "Fit probabilities for a model on rows that it has not seen.",
    "compare": "Try all learners on the same splits.",
    "explain": "Show what a model has learned, or why it decided so.",
    "facts": "Look at data before learning: balance, values, contradictions.",
    "certify": "Decide, with a proof, whether a line separates the classes.",
    "walk": "Walk through a training run, step by step.",
    "play": "Watch learners learn, in the browser.",
    "worksheet": "Make exercises on paper, a variant a student, and grade them.",
    "lab": "Run an experiment of the lectures again.",
    "report": "Write one HTML file about a model, to look at or to send.",
    "data": "List or fetch the data sets that are known by name.",
    "demo": "Take a two-minute tour on bundled data.",
}


PYTHON_TO_OPTION = {
    "header=False (--no-header)": "--no-header",
    "names=[…] (--names A,B,…)": "--names A,B,…",
    "zero_based=True": "--zero-based",
    "zero_based=False": "--one-based",
    "per_column names": "--column (or --drop) names",
    "missing names": "--missing names",
    "only names": "--only names",
    "products names": "--product names",
    "hashing is": "--hash is",
    "hashing (--hash) keeps": "--hash keeps",
    "most_values is": "--most-values is",
    "most_values (--most-values)": "--most-values",
    "with hashing (--hash BITS)": "with --hash BITS",
}


class Verbs(click.Group):
    """Commands that are imported when they are called."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in VERBS:
            return None
        command: click.Command = getattr(import_module(f"rosenblatt.cli.{name}"), name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(self, context: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, 1)
            hint = f" Did you mean {near[0]!r}?" if near else f" Choose one of {', '.join(VERBS)}."
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}", context)
        return super().resolve_command(context, args)

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with until_reader_leaves():
            return super().make_context(*arguments, **more)

    def invoke(self, context: click.Context) -> Any:
        with until_reader_leaves():
            return super().invoke(context)


@contextlib.contextmanager
def until_reader_leaves() -> Iterator[None]:
    """A reader that has seen enough, as `head` has, is no failure; click would end the process with 1."""
    try:
        yield
    except OSError as problem:
        if problem.errno != errno.EPIPE or isinstance(problem, RosenblattError):
            raise
        discard(sys.stdout)
        raise click.exceptions.Exit(0) from None


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="rosenblatt", message="%(prog)s %(version)s")
def rosenblatt() -> None:
    """Mistake-driven linear learning: the perceptron family on your own data.

    \b
    rosenblatt train breast-cancer
    rosenblatt train people.csv --target income --holdout 0.2 -o income.rosenblatt
    rosenblatt predict income.rosenblatt new.csv > labels.csv
    """


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Prints text for people: nothing that comes from data, a name or an option can act on the terminal.

    What an encoding other than UTF-8 lacks is escaped, too.
    """
    stream = sys.stderr if err else sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    shown = visible(text, lines=True).encode(encoding, "backslashreplace").decode(encoding) + ("\n" if nl else "")
    if err:
        write_stderr(shown)
    else:
        click.echo(shown, nl=False)


def write_stderr(text: str) -> None:
    """Writes to standard error; where that fails, the rest goes nowhere and the work goes on: a result is worth more."""
    try:
        click.echo(text, err=True, nl=False)
    except OSError:
        discard(sys.stderr)


def in_options(message: str) -> str:
    """The remedies in a message, told with the options of the command line in place of Python's keywords.

    >>> in_options("one column found, 'a;b': pass delimiter=';'.")
    "one column found, 'a;b': pass --delimiter ';'."
    >>> in_options("pass header=False (--no-header), or zero_based=True.")
    'pass --no-header, or --zero-based.'
    >>> in_options("pass unlabelled='skip' to leave such rows out.")
    'pass --unlabelled skip to leave such rows out.'
    """
    for keyword, option in PYTHON_TO_OPTION.items():
        message = message.replace(keyword, option)
    message = re.sub(r"\bskip_lines(=| is )(\w+)", r"--skip-lines \2", message).replace("skip_lines", "--skip-lines")
    given = re.compile(r"\b(delimiter|format|missing|encoding|unlabelled)='([^']*)'")
    return given.sub(lambda found: f"--{found[1]} {shlex.quote(found[2])}", message)


def print_reading_notes(data: Dataset) -> None:
    """Prints on standard error what was assumed while a file was read, once; with --json, the object tells it."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    known, chosen = reading_notes(), context.params
    if chosen.get("verbose") and not chosen.get("quiet"):
        shown = context.meta.setdefault("rosenblatt.reading_guesses", set())
        for sentence in (guess for guess in data.guesses if guess not in shown):
            echo(visible(sentence), err=True)
        shown.update(data.guesses)
    for sentence in map(in_options, data.notes):
        if sentence not in known:
            tell(sentence)


def tell(sentence: str, mark: str = "note") -> None:
    """Prints a sentence on standard error, unless --quiet; with --json, the object tells it among its `notes`."""
    context = click.get_current_context(silent=True)
    reading_notes().append(sentence)
    if context is not None and not context.params.get("quiet") and not context.params.get("as_json"):
        echo(f"{mark}: {visible(sentence)}", err=True)


def reading_notes() -> list[str]:
    """What the present command has assumed of the files that it has read so far."""
    context = click.get_current_context(silent=True)
    notes: list[str] = [] if context is None else context.meta.setdefault("rosenblatt.reading_notes", [])
    return notes


def run(arguments: list[str] | None = None) -> int:
    """Runs a command; its exit code. An interrupt is left to whoever called, `rosenblatt.__main__` as a rule."""
    if sys.stderr is None:  # closed by who started us: what would be told goes nowhere, and no file takes its place
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        complain("Standard output is closed: send it to a file, or to /dev/null.")
        return 2
    try:
        with needs_parts("This command"):
            code = rosenblatt.main(args=arguments, prog_name="rosenblatt", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0  # that of an exit of click; verbs return nothing
    except click.ClickException as problem:
        shown = io.StringIO()
        problem.show(shown)
        echo(shown.getvalue(), err=True, nl=False)
        return 2
    except click.Abort as abort:  # what click makes of an interrupt, and of the end of a file
        if isinstance(abort.__cause__, EOFError):
            return report_bug(abort.__cause__)
        raise KeyboardInterrupt from None
    except RosenblattError as problem:
        complain(f"{type(problem).__name__}: {in_options(str(problem))}")
        return 3 if isinstance(problem, ModelFileError) else 2 if isinstance(problem, SettingError) else 1
    except SystemExit as exit:
        if isinstance(exit.code, str):
            complain(exit.code)
        return exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    except BrokenPipeError:  # found when the rest is written
        discard(sys.stdout)
        return 0
    except MemoryError as problem:
        return out_of_memory(problem)
    except OSError as problem:
        if problem.errno == errno.ENOMEM:
            return out_of_memory(problem)
        if problem.strerror is None:  # of a library: its text says which file
            complain(f"{problem}.")
        else:
            complain(f"{problem.strerror}: {problem.filename or 'standard output'} could not be written.")
        return 1
    except BaseException as bug:  # also what is no Exception, as a panic of polars is
        if is_interrupt(bug):
            raise KeyboardInterrupt from None
        return report_bug(bug)


def report_bug(bug: BaseException) -> int:
    """Says that an exception which nobody has foreseen is a bug; its traceback is for those who ask."""
    if os.environ.get("ROSENBLATT_TRACEBACK"):
        raise bug
    complain(f"This should not happen, and is a bug of rosenblatt: {type(bug).__name__}: {bug}")
    complain("Please report it, with what ROSENBLATT_TRACEBACK=1 shows.")
    return 1


def complain(message: str) -> None:
    """A message on standard error, on one line whatever names it holds."""
    echo(visible(message), err=True)


def discard(stream: IO[str]) -> None:
    """What is still in Python's buffer of a stream goes nowhere, and does not fail again when the process ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def out_of_memory(problem: BaseException) -> int:
    """What asked for how much, where that is known."""
    complain(f"Out of memory: {str(problem).rstrip('.') or 'the rows and what is made of them do not fit'}.")
    complain("Take fewer rows or features (--hash BITS), or a machine that has more.")
    return 1
