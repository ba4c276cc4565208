"""train - --stream: rows that come through a pipe, each learned from once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from rosenblatt.cli import echo, model_input, options, output, tell
from rosenblatt.cli.progress import ReadingLine
from rosenblatt.data import Dataset, ReadOptions
from rosenblatt.errors import counted, percent, visible

if TYPE_CHECKING:
    from rosenblatt.cli.train import TrainOptions
    from rosenblatt.learning.one_pass import OnePass

SEVERAL_PASSES = [  # over the rows, or all of them at once
    "dev", "holdout", "patience", "tol", "calibrate", "threshold", "certify", "keep_log", "auto", "window", "cache",
    "checkpoint", "resume",
]  # fmt: skip


def refuse_several_passes(chosen: TrainOptions) -> None:
    """Refuses what cannot be had of rows that come once."""
    refused = [max(option.opts, key=len) for option in options.typed() if option.name in SEVERAL_PASSES]
    typed = {option.name for option in options.typed()}
    refused += [f"--epochs {chosen.epochs}"] * ("epochs" in typed and chosen.epochs != 1)
    refused += [f"--order {chosen.order}"] * ("order" in typed and chosen.order != "given")
    if refused:
        raise click.UsageError(
            f"{refused[0]} needs rows that can be read again, and standard input can be read once: name a file, or leave "
            "it out."
        )
    if chosen.hashing is None:
        raise click.UsageError(
            "Rows of standard input are learned from as they come, before all values are known: --hash BITS, say 20, gives "
            "each of them a feature. Or name a file."
        )


def train_from_pipe(chosen: TrainOptions) -> None:
    """Learns from standard input in one pass, saves the model and tells what was learned."""
    from rosenblatt.data.reading import batches_of
    from rosenblatt.learning.one_pass import learn_once

    started, line = time.perf_counter(), ReadingLine(None, chosen.silent)

    def parts() -> Iterator[Dataset]:
        rows = 0
        for data in batches_of(chosen.file, None, ReadOptions(**chosen.read_keywords())):
            if not rows:
                tell(
                    "standard input is read once: what its columns hold, and how numbers are scaled, is decided by the "
                    f"first {len(data):,} rows."
                )
            yield data
            rows += len(data)
            line.show(rows)

    learned = learn_once(parts(), chosen.train_recipe())
    line.status.end()
    learned.classifier.summary.seconds = time.perf_counter() - started
    if chosen.output:
        learned.classifier.save(chosen.output)
    for sentence in learned.notes:
        tell(sentence)
    print_summary(chosen, learned)


def print_summary(chosen: TrainOptions, learned: OnePass) -> None:
    """What was learned."""
    model, report = learned.classifier, learned.report
    readings = getattr(model.features, "readings", None)
    if chosen.as_json:
        columns = {} if readings is None else {"columns": output.columns_object(readings.columns)}
        facts = {"rows": report.rows, "first_rows": learned.first, "mistakes": report.mistakes, "error": report.error}
        more = {"new_classes": report.new_classes, "notes": report.notes.sentences(), "model": chosen.output}
        output.print_json({**model.summary.to_dict(), **facts, **more, **columns})
        return
    if not chosen.quiet:
        if readings is not None:
            output.print_columns(readings.columns, err=True)
        model_input.print_notes(report.notes)
    counts = (report.rows, "row"), (model.features.n_features, "feature"), (report.updates, "update")
    echo(", ".join(counted(number, what) for number, what in counts))
    assert report.error is not None
    echo(f"error            {percent(report.error)}, each row scored by the last weights before it was learned from")
    if report.new_classes:
        echo(f"later classes    {', '.join(visible(str(label)) for label in report.new_classes)}")
    if chosen.output:
        echo(f"saved in {chosen.output}")
