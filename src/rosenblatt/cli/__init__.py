"""The command line: one file a verb, loaded only when it is called.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 bad data, 2 usage, 3 a model file
that is missing, damaged or foreign, 130 interrupted. No traceback reaches a user.
"""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module

import click

from rosenblatt import __version__
from rosenblatt.errors import ModelFileError, RosenblattError, SettingError

# What `--help` says of each verb without importing it.
VERBS = {
    "train": "Learn from a file to predict one of its columns.",
    "evaluate": "Measure a model on labelled data.",
    "predict": "Label the rows of a file, however long.",
    "compare": "Try all learners on the same splits.",
    "explain": "Show what a model has learned, or why it decided so.",
    "facts": "Look at data before learning: balance, values, contradictions.",
    "certify": "Decide, with a proof, whether a line separates the classes.",
    "walk": "Walk through a training run, step by step.",
    "play": "Watch learners learn, in the browser.",
    "lab": "Run an experiment of the lectures again.",
    "report": "Write one HTML file about a model, to look at or to send.",
    "demo": "Take a two-minute tour on bundled data.",
}


PYTHON_TO_OPTION = {
    "header=False (--no-header)": "--no-header",
    "zero_based=True": "--zero-based",
    "zero_based=False": "--one-based",
    "per_column names": "--column names",
    "products names": "--product names",
    "hashing is": "--hash is",
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


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="rosenblatt", message="%(prog)s %(version)s")
def rosenblatt() -> None:
    """Mistake-driven linear learning: the perceptron family on your own data.

    \b
    rosenblatt train breast-cancer
    rosenblatt train people.csv --target income --holdout 0.2 -o income.rosenblatt
    rosenblatt predict income.rosenblatt new.csv > labels.csv
    """


def in_options(message: str) -> str:
    """The remedies in a message, told with the options of the command line in place of Python's keywords.

    >>> in_options("one column found, 'a;b': pass delimiter=';'.")
    "one column found, 'a;b': pass --delimiter ';'."
    >>> in_options("pass header=False (--no-header), or zero_based=True.")
    'pass --no-header, or --zero-based.'
    """
    for keyword, option in PYTHON_TO_OPTION.items():
        message = message.replace(keyword, option)
    return re.sub(r"\b(delimiter|format|missing)=('[^']*')", r"--\1 \2", message)


def run(arguments: list[str] | None = None) -> int:
    """Runs a command; its exit code. An interrupt is left to whoever called, `rosenblatt.__main__` as a rule."""
    try:
        rosenblatt.main(args=arguments, prog_name="rosenblatt", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as exit:
        return exit.exit_code
    except click.ClickException as problem:
        problem.show()
        return 2
    except click.Abort:  # what click makes of an interrupt
        raise KeyboardInterrupt from None
    except RosenblattError as problem:
        click.echo(f"{type(problem).__name__}: {in_options(str(problem))}", err=True)
        return 3 if isinstance(problem, ModelFileError) else 2 if isinstance(problem, SettingError) else 1
    except (BrokenPipeError, SystemExit):  # the reader has seen enough, as `head` has; click makes it an exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as problem:
        click.echo(f"{problem.strerror or problem}: {problem.filename or 'standard output'} could not be written.", err=True)
        return 1
    except Exception as bug:
        if os.environ.get("ROSENBLATT_TRACEBACK"):
            raise
        click.echo(f"This should not happen, and is a bug of rosenblatt: {type(bug).__name__}: {bug}", err=True)
        click.echo("Please report it, with what ROSENBLATT_TRACEBACK=1 shows.", err=True)
        return 1
    return 0
