"""rosenblatt compare: all learners on the same splits."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

import click

from rosenblatt.cli import options

# The default of --learners, here so that --help need not import the library; a test compares it with compare.ALL.
LEARNERS = "perceptron,averaged,mira,averaged mira,passive-aggressive,logistic,widrow-hoff"


@click.command()
@click.argument("file")
@options.target
@click.option("-l", "--learners", default=LEARNERS, metavar="A,B,…", help=f"Some of {LEARNERS.replace(',', ', ')}.")
@click.option(
    "--with", "others", type=click.Choice(["neighbours"]), help="Also what the lectures set beside the perceptron."
)
@click.option("--seeds", type=click.IntRange(1), default=5, show_default=True, help="Number of splits.")
@click.option("--holdout", type=float, default=0.2, show_default=True, metavar="SHARE", help="Rows to measure on.")
@click.option("-e", "--epochs", type=int, default=5, show_default=True, help="Passes over the rows at most.")
@click.option("--numeric", type=click.Choice(["number", "category", "both"]), help="How numeric columns are taken.")
@click.option("--no-scale", is_flag=True, help="Leave numbers as they are.")
@options.reading
@options.as_json
@options.quiet
def compare(file: str, **given: Any) -> None:
    """Try all learners on the same splits of FILE.

    Each split holds other rows out; every learner gets the same. The first line is what always guessing the most frequent
    class would give. `averaged` before a learner's name takes the average of its weights. `--with neighbours` adds batch
    learners, naive Bayes, ridge, support vectors, nearest neighbours and decision trees.

    \b
    rosenblatt compare breast-cancer
    rosenblatt compare iris --learners "perceptron,averaged,averaged mira" --seeds 10
    rosenblatt compare wine --with neighbours
    """
    from rosenblatt.classifier import Recipe
    from rosenblatt.compare import compare as compare_learners
    from rosenblatt.compare import recipe_of
    from rosenblatt.data import read

    learners = list(dict.fromkeys(name.strip() for name in given["learners"].split(",") if name.strip()))
    chosen = {"numeric": given["numeric"], "scale": False if given["no_scale"] else None}
    features = {name: value for name, value in chosen.items() if value is not None}
    recipe = Recipe(epochs=given["epochs"], features=features)
    for name in learners:
        recipe_of(name, recipe)  # a name that cannot be is refused before the file is read
    reading = options.read_options(given)
    data = read(file, target=options.column(given["target"]), **reading)
    silent = given["quiet"] or given["as_json"]
    progress = None if silent else Progress(given["seeds"])
    others = entrants(given["others"])
    rows = compare_learners(data, learners, given["seeds"], given["holdout"], recipe, progress, others)
    left_out = [name for name in others if name not in {row.learner for row in rows}]
    if progress:
        progress.end()
    if given["as_json"]:
        more = {"left_out": left_out} if others else {}
        options.print_json({"rows": [asdict(row) for row in rows], **more})
    else:
        tell(rows, given["seeds"], given["holdout"])
        if left_out:
            click.echo(f"Left out, since these rows cannot be learned that way: {', '.join(left_out)}.")


def entrants(chosen: str | None) -> dict[str, Any]:
    """The other learners; scikit-learn is imported only for them."""
    if chosen is None:
        return {}
    from rosenblatt.neighbours.entrants import ENTRANTS

    return ENTRANTS


class Progress:
    """Where the comparison is, on standard error: one line that changes on a terminal, a line a split in a pipe."""

    def __init__(self, seeds: int):
        self.seeds = seeds
        self.terminal = sys.stderr.isatty()
        self.said = -1

    def __call__(self, seed: int, learner: str) -> None:
        if self.terminal:
            click.echo(f"\r\x1b[Ksplit {seed + 1} of {self.seeds}: {learner}", nl=False, err=True)
        elif seed > self.said:
            click.echo(f"split {seed + 1} of {self.seeds}", err=True)
            self.said = seed

    def end(self) -> None:
        if self.terminal:
            click.echo("\r\x1b[K", nl=False, err=True)


def tell(rows: list[Any], seeds: int, holdout: float) -> None:
    """The table, for people."""
    spread = seeds > 1
    width = max(len("learner"), *(len(row.learner) for row in rows))
    click.echo(f"{'learner':{width}}  {'error in %':>15}  {'updates':>11}  {'seconds':>8}")
    for row in rows:
        error = f"{100 * row.error_mean:.2f}" + (f" ± {100 * row.error_sd:5.2f}" if spread else "")
        mark = " *" if row.differs_from_best else "  "
        updates = "–" if row.updates is None else f"{row.updates:,.0f}"
        trained = f"{updates:>11}  {row.seconds:8.4f}" if row is not rows[0] else ""
        click.echo(f"{row.learner:{width}}  {error:>13}{mark}  {trained}".rstrip())
    what = f"mean ± sd over {seeds} splits" if spread else "one split"
    click.echo(
        f"\nHeld-out error, {what} with {100 * holdout:g} % of the rows held out; updates and seconds are for one training."
    )
    click.echo(f"majority: always the most frequent class. Best: {rows[1].learner}.")
    if any(row.differs_from_best for row in rows):
        click.echo("* differs from the best by more than chance: McNemar's test on all held-out predictions, p < 0.05.")
    else:
        click.echo("No difference from the best is beyond chance: McNemar's test on all held-out predictions, p ≥ 0.05.")
