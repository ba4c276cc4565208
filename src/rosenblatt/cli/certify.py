"""rosenblatt certify: can a line separate the classes? A verdict with its proof."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import click

from rosenblatt.cli import echo, options, output, print_reading_notes
from rosenblatt.cli.progress import StatusLine
from rosenblatt.cli.types import Seconds
from rosenblatt.errors import counted

CONFLICTS_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class CertifyOptions(options.FeatureOptions, options.ReadingOptions, options.PrintingOptions):
    """The options of `certify`."""

    file: str
    seconds: float | None
    no_bias: bool
    seed: int


@click.command()
@click.argument("file")
@options.target
@click.option("--seconds", type=Seconds(0, min_open=True), metavar="S", help="Stop after about so long: undecided.")
@click.option("--no-bias", is_flag=True, help="A plane through the origin.")
@click.option("-s", "--seed", type=int, default=0, show_default=True, help="Of the perceptron's order, on large data.")
@options.encoding
@options.reading
@options.as_json
@options.quiet
def certify(**values: Any) -> None:
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
    from rosenblatt.learning.examples import class_labels_of, classes_of, codes_among, feature_rows
    from rosenblatt.learning.learn import fit_features
    from rosenblatt.learning.learners import Recipe
    from rosenblatt.theory.separability import certify as decide

    chosen = CertifyOptions(**values)
    started = time.perf_counter()
    data = read(chosen.file, **chosen.read_keywords())
    print_reading_notes(data)
    labels = class_labels_of(data)
    classes = classes_of(labels)
    codes = codes_among(classes, labels)
    y = classes[codes]
    features = chosen.feature_keywords() | ({"double": True} if data.kind == "table" else {})
    X = feature_rows(fit_features(data, codes, Recipe(features=features)), data.rows)
    left = None if chosen.seconds is None else max(0.01, chosen.seconds - (time.perf_counter() - started))
    progress = StatusLine(chosen.silent).print_line
    certificate = decide(X, y, not chosen.no_bias, seconds=left, seed=chosen.seed, progress=progress)
    certificate.seconds = time.perf_counter() - started
    if chosen.as_json:
        facts = {"rows": len(data), "features": X.d, "classes": certificate.classes}
        output.print_json(facts | certificate.to_dict(first=1))
        return
    width = counted(X.d, "feature")
    echo(f"{data.name}: {counted(len(data), 'row')}, {width}, {counted(len(classes), 'class')}; rows are counted from 1\n")
    echo(certificate.describe(first=1))
    for i, j in certificate.conflicts[:CONFLICTS_SHOWN]:
        echo(f"  rows {i + 1:,} and {j + 1:,}: {y[i]} and {y[j]}")
    if (others := len(certificate.conflicts) - CONFLICTS_SHOWN) > 0:
        echo(f"  … {others:,} more (--json lists all)")
