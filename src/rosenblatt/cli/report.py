"""rosenblatt report: a model and how it does, in one HTML file."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from rosenblatt.cli import options, output
from rosenblatt.cli.evaluate import read_labelled
from rosenblatt.errors import SaveError


@click.command()
@click.argument("model")
@click.option("-d", "--data", metavar="FILE", help="Labelled rows to measure on.")
@options.target
@click.option("-o", "--output", required=True, metavar="FILE", help="The page, say report.html; `-` for standard output.")
@click.option("--holdout", type=float, metavar="SHARE", help="Measure on the share of FILE that `train --holdout` held out.")
@click.option("--splits", type=click.IntRange(0), default=5, show_default=True, help="To compare learners on; 0: none.")
@click.option(
    "--certify", type=click.FloatRange(0), default=10.0, show_default=True, metavar="SECONDS",
    help="At most, to tell whether a line separates the classes; 0: not at all.",
)  # fmt: skip
@click.option("--unseen", type=click.Choice(["refuse", "skip"]), default="refuse", help="Labels that training never saw.")
@options.reading
@options.quiet
def report(model: str, **given: Any) -> None:
    """Write what MODEL has learned and how it does on labelled rows into one HTML file.

    The file is whole by itself: no script, no font or image from elsewhere; it prints well. Without --data it shows what
    the model file knows. With --data also the error, other learners on splits of the same rows, confusions, margins, the
    rows it gets most wrong, and whether any line separates the classes.

    \b
    rosenblatt train breast-cancer --holdout 0.25 -o cancer.rosenblatt
    rosenblatt report cancer.rosenblatt --data breast-cancer --holdout 0.25 -o report.html
    """
    if given["data"] is None and given["holdout"] is not None:
        raise click.UsageError("--holdout says which rows of --data to measure on: name the file with --data.")
    output.keep_apart(given["output"], model, given["data"])
    from rosenblatt.learning.classifier import load
    from rosenblatt.show.assessment import ReportOptions
    from rosenblatt.show.report import ReportSource, page_template
    from rosenblatt.show.report import report as page_of

    page_template()  # refuses where parts are missing, before anything is read
    folder = Path(given["output"]).absolute().parent
    if given["output"] != "-" and not folder.is_dir():
        raise SaveError(f"{given['output']} cannot be written: there is no folder {folder}; make it first.")
    classifier = load(model)
    data = None if given["data"] is None else read_labelled(classifier, given["data"], given)
    wanted = ReportOptions(given["holdout"], given["splits"], given["certify"], given["unseen"])
    source = ReportSource(
        os.path.basename(model), hashlib.sha256(Path(model).read_bytes()).hexdigest(), command(model, given),
        options.read_options(given),
    )  # fmt: skip
    say = None if given["quiet"] else Progress()
    page = page_of(classifier, data, wanted, source, say)
    if say:
        say.end()
    with output.writing(given["output"]) as stream:
        stream.write(page.encode())
    if say and given["output"] != "-":
        click.echo(f"{given['output']}: {len(page.encode()) / 1000:,.0f} kB; open it in a browser", err=True)


def command(model: str, given: dict[str, Any]) -> str:
    """The command that makes the report, with the options that were given."""
    context = click.get_current_context()
    parts = ["rosenblatt", "report", model]
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if not isinstance(parameter, click.Option) or source is None or source.name != "COMMANDLINE":
            continue
        value = given[str(parameter.name)]
        if parameter.name == "quiet":
            continue
        if isinstance(value, bool):
            parts.append(parameter.opts[0] if value else parameter.secondary_opts[0])
        else:
            option = max(parameter.opts, key=len) if parameter.name != "output" else "-o"
            parts += [f"{option}={value}"] if str(value).startswith("-") and value != "-" else [option, str(value)]
    return shlex.join(parts)


class Progress:
    """What is being done, on standard error: one line that changes on a terminal, else a line whenever a new step begins."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.said = ""

    def __call__(self, sentence: str) -> None:
        step = sentence.rpartition(", ")[0] if sentence.startswith("comparing") else sentence
        if self.terminal:
            click.echo(f"\r\x1b[K{sentence}", nl=False, err=True)
        elif step != self.said:
            click.echo(step, err=True)
        self.said = step

    def end(self) -> None:
        if self.terminal:
            click.echo("\r\x1b[K", nl=False, err=True)
