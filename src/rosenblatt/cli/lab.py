"""rosenblatt lab: an experiment of the lectures, run again."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rosenblatt.cli import echo, options, output
from rosenblatt.cli.types import NOT_EMPTY

if TYPE_CHECKING:
    from rosenblatt.lab import Finding


@click.command()
@click.argument("name", type=NOT_EMPTY, required=False)
@click.option(
    "-o", "--output", "path", type=options.WRITTEN, metavar="FILE", help="Where to draw it, .svg or .png; default NAME.svg."
)
@click.option("--no-plot", is_flag=True, help="Draw nothing.")
@options.as_json
@options.quiet
def lab(name: str | None, path: str | None, no_plot: bool, as_json: bool, quiet: bool) -> None:
    """Run experiment NAME: a table, a picture, and what the numbers say of the lecture's claim.

    Without NAME, list them. Each is seeded, takes less than a minute, and gives the same numbers every time; what a clock
    has measured stands apart.

    \b
    rosenblatt lab
    rosenblatt lab distant-points -o distant.svg
    """
    if no_plot:
        options.refuse_useless(["path"], "with --no-plot")
    if name is None:
        options.refuse_useless(["path", "no_plot"], "without the NAME of an experiment")
        print_names(as_json)
        return
    from rosenblatt import lab as experiments

    target = Path(path or f"{name}.svg")
    if target.suffix not in (".svg", ".png"):
        raise click.UsageError(f"The picture is to be {target.name!r}: end its name in .svg or .png.")
    if not no_plot:
        options.refuse_missing_folder(str(target))
    started = time.perf_counter()
    finding = experiments.perform(name)
    if not no_plot:
        picture = finding.picture(target.suffix[1:])
        with output.writing(str(target)) as stream:
            stream.write(picture)
    drawn = None if no_plot else str(target)
    if as_json:
        measured = [list(row) for row in finding.measured]
        seconds = time.perf_counter() - started
        output.print_json({"experiment": name, **finding.to_dict(), "measured": measured, "plot": drawn, "seconds": seconds})
        return
    print_finding(finding)
    if not quiet:
        echo(f"{f'drawn in {drawn}; ' if drawn else ''}{time.perf_counter() - started:.1f} s", err=True)


def print_names(as_json: bool) -> None:
    from rosenblatt.lab import EXPERIMENTS

    if as_json:
        output.print_json({"experiments": {name: question for name, (_, question) in EXPERIMENTS.items()}})
        return
    width = max(map(len, EXPERIMENTS))
    for name, (_, question) in EXPERIMENTS.items():
        echo(f"{name:{width}}  {question}")


def print_finding(finding: Finding) -> None:
    """For people: the claim, the table, the verdict."""
    from rosenblatt.lab import table

    echo(f"{finding.claim} ({', '.join(finding.items)})\n")
    echo(table(finding.columns, finding.rows))
    if finding.measured:
        echo(f"\nmeasured just now:\n{table(finding.measured[0], finding.measured[1:])}")
    echo(f"\n{finding.verdict}")
