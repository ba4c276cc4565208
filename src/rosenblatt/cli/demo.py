"""rosenblatt demo: a tour on bundled data, which runs the verbs themselves."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from rosenblatt.cli import echo, options, output
from rosenblatt.errors import SaveError


@dataclass(frozen=True)
class TourStep:
    """What is said, and the command line that is then run."""

    words: str
    command: str


TOUR = (
    TourStep(
        "569 tumours, 30 measurements of each: learn to tell malignant from benign. A quarter of the rows is held out to\n"
        "measure on. Each line below comes when the number of examples seen has doubled.",
        "train breast-cancer --holdout 0.25 -o cancer.rosenblatt",
    ),
    TourStep("What has it learned? A linear model can be read: each feature has a weight.", "explain cancer.rosenblatt"),
    TourStep(
        "Why did it decide so about the first tumour? The score is a sum of named contributions.",
        "explain cancer.rosenblatt breast-cancer --row 1",
    ),
    TourStep(
        "The kinds of errors. (All rows, also those that it learned from: on new data expect the dev error above.)",
        "evaluate cancer.rosenblatt breast-cancer",
    ),
    TourStep(
        "Would another learner do better? All of them on the same splits, and a mark where it is not chance.",
        "compare breast-cancer",
    ),
    TourStep("More than two classes work the same way: three kinds of iris.", "compare iris --seeds 10"),
)

NEXT = """\
Now with your own table (CSV, Parquet, libsvm, text …) and the column to predict:

  rosenblatt facts FILE --target COLUMN                              look before you learn
  rosenblatt train FILE --target COLUMN --holdout 0.2 -o MODEL       train, measure, save
  rosenblatt predict MODEL NEW-FILE > labels.csv                     use it

Try next: rosenblatt train iris --holdout 0.2 --learner mira -o iris.rosenblatt"""


@click.command()
@options.as_json
@options.quiet
def demo(as_json: bool, quiet: bool) -> None:
    """Take a tour on bundled data: train, explain, evaluate, compare.

    Every command is shown before its output. Nothing is downloaded, and the model goes into a temporary folder.

    \b
    rosenblatt demo
    """
    results = []
    with temporary_folder():
        for number, step in enumerate(TOUR, 1):
            if as_json:
                results.append({"command": f"rosenblatt {step.command}", "result": as_object(step)})
                continue
            if not quiet:
                click.secho(f"{number}/{len(TOUR)}  {step.words}\n", bold=True)
            click.secho(f"$ rosenblatt {step.command}", fg="cyan")
            call(step, ["--quiet"] if quiet else [])
            echo()
    if as_json:
        output.print_json({"steps": results})
    elif not quiet:
        echo(NEXT)


def call(step: TourStep, more: list[str]) -> None:
    """Runs a step as the command line would; if it fails, the tour ends with its error."""
    from rosenblatt.cli import rosenblatt

    with rosenblatt.make_context("rosenblatt", [*shlex.split(step.command), *more]) as context:
        rosenblatt.invoke(context)


def as_object(step: TourStep) -> Any:
    """What the step prints with --json."""
    printed = io.BytesIO()
    # A verb may write bytes, so what takes the place of standard output must be able to.
    with contextlib.redirect_stdout(io.TextIOWrapper(printed, encoding="utf-8", write_through=True)):
        call(step, ["--json"])
        return json.loads(printed.getvalue())


@contextlib.contextmanager
def temporary_folder() -> Iterator[None]:
    """The commands run in an empty folder: what is printed is what is run, and no file of the user is in the way."""
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(contextlib.chdir(stack.enter_context(tempfile.TemporaryDirectory())))
        except OSError as problem:
            raise SaveError(f"There is no temporary folder to work in: {problem.strerror}. Set TMPDIR to one.") from None
        yield
