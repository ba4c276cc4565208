"""rosenblatt report: a model and how it does, in one HTML file."""

from __future__ import annotations

import hashlib
import os
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from rosenblatt.cli import echo, model_input, options, output
from rosenblatt.cli.evaluate import read_labelled
from rosenblatt.cli.progress import StatusLine
from rosenblatt.cli.types import NOT_EMPTY, Seconds
from rosenblatt.errors import as_argument


@dataclass(frozen=True, kw_only=True)
class ReportVerbOptions(options.ReadingOptions, options.PrintingOptions):
    """The options of `report`."""

    model: str
    data: str | None
    output: str
    holdout: float | None
    splits: int
    certify: float
    unseen: str


@click.command()
@click.argument("model")
@click.option("-d", "--data", type=NOT_EMPTY, metavar="FILE", help="Labelled rows to measure on.")
@options.target
@click.option(
    "-o",
    "--output",
    type=options.WRITTEN,
    required=True,
    metavar="FILE",
    help="The page, say report.html; `-` for standard output.",
)
@click.option("--holdout", type=float, metavar="SHARE", help="Measure on the share of FILE that `train --holdout` held out.")
@click.option("--splits", type=click.IntRange(0), default=5, show_default=True, help="To compare learners on; 0: none.")
@click.option(
    "--certify", type=Seconds(0), default=10.0, show_default=True, metavar="SECONDS",
    help="At most, to tell whether a line separates the classes; 0: not at all.",
)  # fmt: skip
@click.option("--unseen", type=click.Choice(["refuse", "skip"]), default="refuse", help="Labels that training never saw.")
@options.reading
@options.quiet
def report(**values: Any) -> None:
    """Write what MODEL has learned and how it does on labelled rows into one HTML file.

    The file is whole by itself: no script, no font or image from elsewhere; it prints well. Without --data it shows what
    the model file knows. With --data also the error, other learners on splits of the same rows, confusions, margins, the
    rows it gets most wrong, and whether any line separates the classes.

    \b
    rosenblatt train breast-cancer --holdout 0.25 -o cancer.rosenblatt
    rosenblatt report cancer.rosenblatt --data breast-cancer --holdout 0.25 -o report.html
    """
    chosen = ReportVerbOptions(**values)
    if chosen.data is None:
        options.refuse_useless(
            [*options.READING, "holdout", "splits", "certify", "unseen"], "without labelled rows: --data FILE"
        )
    options.refuse_overwriting(chosen.output, chosen.model, chosen.data)
    from rosenblatt.show.assessment import ReportOptions
    from rosenblatt.show.report import ReportSource, page_template
    from rosenblatt.show.report import report as page_of

    page_template()  # refuses where parts are missing, before anything is read
    options.refuse_missing_folder(chosen.output)
    model = model_input.load_model(chosen.model)
    model.linear()  # refuses a model without weights, which are what a report is about
    data = None if chosen.data is None else read_labelled(model, chosen.data, chosen)
    wanted = ReportOptions(chosen.holdout, chosen.splits, chosen.certify, chosen.unseen)
    digest = hashlib.sha256(Path(chosen.model).read_bytes()).hexdigest()
    source = ReportSource(
        os.path.basename(chosen.model), digest, command(chosen.model), replace(chosen, target=None).read_keywords()
    )
    status = StatusLine(chosen.quiet)

    def show(sentence: str) -> None:
        status.show(sentence, sentence.rpartition(", ")[0] if sentence.startswith("comparing") else sentence)

    page = page_of(model, data, wanted, source, show).encode()
    status.end()
    with output.writing(chosen.output) as stream:
        stream.write(page)
    if not chosen.quiet and chosen.output != "-":
        echo(f"{chosen.output}: {len(page) / 1000:,.0f} kB; open it in a browser", err=True)


def command(model: str) -> str:
    """The command that makes the report, with the options that were given."""
    parts, values = ["rosenblatt", "report", as_argument(model)], click.get_current_context().params
    for parameter in options.typed():
        value = values[str(parameter.name)]
        if parameter.name == "quiet":
            continue
        if isinstance(value, bool):
            parts.append(parameter.opts[0] if value else parameter.secondary_opts[0])
        else:
            option = max(parameter.opts, key=len) if parameter.name != "output" else "-o"
            parts += [f"{option}={value}"] if str(value).startswith("-") and value != "-" else [option, str(value)]
    return shlex.join(parts)
