"""rosenblatt certify: can a line separate the classes? A verdict with its proof."""

from __future__ import annotations

import time
from typing import Any

import click

from rosenblatt.cli import options
from rosenblatt.errors import counted

SHOWN = 10  # conflicts that are listed


@click.command()
@click.argument("file")
@options.target
@click.option("--seconds", type=click.FloatRange(0, min_open=True), metavar="S", help="Stop after about so long: undecided.")
@click.option("--no-bias", is_flag=True, help="A plane through the origin.")
@click.option("-s", "--seed", type=int, default=0, show_default=True, help="Of the perceptron's order, on large data.")
@options.encoding
@options.reading
@options.as_json
@options.quiet
def certify(file: str, **given: Any) -> None:
    """Decide whether a line (a plane, a hyperplane) separates the classes of FILE, with a proof that anyone can check.

    FILE and its options are those of `train`, and so are the features, but numbers of a table always have 64 bits here:
    the proof is about the rows themselves. Rows are counted from 1, without the header, as in
    `explain --row`. Separable: the largest margin, and how many updates a perceptron makes at most. Not separable: two
    identical rows with different labels, or rows with weights that contradict each other. Undecided: neither was found
    in the time.

    \b
    rosenblatt certify breast-cancer
    rosenblatt certify people.csv --target income --seconds 60
    """
    from rosenblatt.data import read
    from rosenblatt.features import feature_rows, map_for
    from rosenblatt.learning.examples import classes_of, codes_among, labels_of
    from rosenblatt.theory.separability import certify as decide

    started = time.perf_counter()
    reading = options.read_options(given)
    data = read(file, **reading, target=options.column(given["target"]))
    labels = labels_of(data)
    classes = classes_of(labels)
    y = classes[codes_among(classes, labels)]
    of_features = options.feature_options(given) | ({"double": True} if data.kind == "table" else {})
    X = feature_rows(map_for(data.kind, **of_features).fit(data.rows), data.rows)
    progress = None if given["quiet"] or given["as_json"] else lambda sentence: click.echo(sentence, err=True)
    left = None if given["seconds"] is None else max(0.01, given["seconds"] - (time.perf_counter() - started))
    found = decide(X, y, not given["no_bias"], seconds=left, seed=given["seed"], progress=progress)
    found.seconds = time.perf_counter() - started
    if given["as_json"]:
        options.print_json({"rows": len(data), "features": X.d, "classes": found.classes, **found.to_dict(first=1)})
        return
    features = counted(X.d, "feature")
    click.echo(f"{data.name}: {len(data):,} rows, {features}, {len(classes)} classes; rows are counted from 1\n")
    click.echo(found.describe(first=1))
    for i, j in found.conflicts[:SHOWN]:
        click.echo(f"  rows {i + 1:,} and {j + 1:,}: {y[i]} and {y[j]}")
    if len(found.conflicts) > SHOWN:
        click.echo(f"  … {len(found.conflicts) - SHOWN:,} more (--json lists all)")
