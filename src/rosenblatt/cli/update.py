"""rosenblatt update: let a model go on learning from new rows, without the old ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click

from rosenblatt.cli import echo, model_input, options, output, tell
from rosenblatt.cli.evaluate import labelled_rows, refuse_no_labels
from rosenblatt.errors import DataError, LabelError, counted, percent, visible


@dataclass(frozen=True, kw_only=True)
class UpdateOptions(options.ReadingOptions, options.PrintingOptions):
    """The options of `update`."""

    model: str
    file: str
    output: str


@click.command()
@click.argument("model")
@click.argument("file", metavar="NEW-FILE")
@options.target
@click.option(
    "-o", "--output", type=options.WRITTEN, required=True, metavar="MODEL", help="The new model; it may be MODEL itself."
)
@options.reading
@options.as_json
@options.quiet
def update(**values: Any) -> None:
    """Let MODEL go on learning from the labelled rows of NEW-FILE, without the rows that it has learned from before.

    The rows are learned from once, in the order of the file, in memory that does not grow with it; averages go on where they
    were. Whether rows come in one file or in ten, the model is the same. Scales, bins and idf stay as they were; a value
    of a category that is new becomes a feature, and a class that is new starts at zero with its first row.

    \b
    rosenblatt train monday.csv --target paid -o paid.rosenblatt
    rosenblatt update paid.rosenblatt tuesday.csv -o paid.rosenblatt
    """
    from rosenblatt.data.dataset import CountedNote, told_once
    from rosenblatt.data.reading import batches_of
    from rosenblatt.learning.updating import Update

    chosen = UpdateOptions(**values)
    options.refuse_overwriting(chosen.output, chosen.file)
    options.refuse_no_model_file(chosen.output)
    model = model_input.load_classifier(chosen.model, chosen.file, "`update`")
    going_on, row = Update(model), 0
    left_out: tuple[str, ...] = ()  # rows, of which every batch counts its own
    with labelled_rows(model, chosen.file, chosen) as read_options:
        for data in batches_of(chosen.file, None, read_options):
            left_out = told_once((*left_out, *(note for note in data.notes if isinstance(note, CountedNote))))
            refuse_no_labels(
                model, replace(data, notes=tuple(note for note in data.notes if not isinstance(note, CountedNote)))
            )
            model.refuse_other_start(data)
            try:
                going_on.learn(data.rows, data.labels)
            except DataError as problem:
                kind = LabelError if isinstance(problem, LabelError) else DataError
                raise kind(f"{data.name}, rows {row + 1:,} to {row + len(data):,}: {problem}") from None
            row += len(data)
    report = going_on.finish()
    model.save(chosen.output)
    for sentence in left_out:
        tell(sentence)
    for sentence in report.warnings:
        tell(sentence, "warning")
    if chosen.as_json:
        facts = {"rows": report.rows, "mistakes": report.mistakes, "error": report.error, "updates": report.updates}
        more = {
            "new_classes": report.new_classes,
            "new_values": report.new_values,
            "classes": model.classes.tolist(),
            "seen": model.summary.seen,
        }
        output.print_json({**facts, **more, "notes": report.notes.sentences(), "model": chosen.output})
        return
    if not chosen.quiet:
        model_input.print_notes(report.notes)
    echo(f"{counted(report.rows, 'new row')}, {counted(report.updates, 'update')}")
    assert report.error is not None
    echo(f"error on them    {percent(report.error)}, each scored by the last weights before it was learned from")
    if report.new_values:
        shown = [f"{visible(column)} {count:,}" for column, count in report.new_values.items()]
        echo(f"new values       {', '.join(shown)}: each a feature of its own from now on")
    if report.new_classes:
        echo(f"new classes      {', '.join(visible(str(label)) for label in report.new_classes)}")
    echo(f"saved in {chosen.output}")
