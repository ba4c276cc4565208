"""rosenblatt predict: label the rows of a file, however long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import model_input, options, output, print_reading_notes, reading_notes
from rosenblatt.cli.cluster_options import dask
from rosenblatt.cli.types import NOT_EMPTY
from rosenblatt.data.read_options import MISSING_MARKS
from rosenblatt.errors import DataError

PLAIN_LABEL = re.compile(r"[^\x00-\x1f\",]+")
PLAIN_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # the wide ones, too

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from rosenblatt.data import Dataset
    from rosenblatt.features import Notes
    from rosenblatt.learning.classifier import Classifier


@dataclass(frozen=True, kw_only=True)
class PredictOptions(options.ReadingOptions, options.PrintingOptions):
    """The options of `predict`."""

    model: str
    file: str
    scores: bool
    proba: bool
    only_labels: bool
    for_spreadsheet: bool
    id: str | None
    keep: str | None
    output: str | None
    dask: str | None


@click.command()
@click.argument("model")
@click.argument("file")
@click.option("--scores", is_flag=True, help="Also the score (0 or more: the second class), or with more classes one each.")
@click.option("--proba", is_flag=True, help="Also the probability of each class, where the model has them.")
@click.option("--only-labels", is_flag=True, help="A bare label a line: no header, no quotes.")
@click.option(
    "--for-spreadsheet", is_flag=True, help="An apostrophe before texts that a spreadsheet would run as formulas: = + - @."
)
@click.option("--id", "id", type=NOT_EMPTY, metavar="COL", help="Copy this column of FILE in front of the prediction.")
@click.option(
    "--keep", type=NOT_EMPTY, metavar="A,B|all", help="Copy these columns of FILE in front of the prediction, or all."
)
@click.option(
    "-o", "--output", type=options.WRITTEN, metavar="FILE", help="Write here instead of to standard output, all or nothing."
)
@dask("Label on this Dask cluster, or on one of this machine: one part a block of FILE, in the folder -o.")
@options.reading
@options.as_json
@options.quiet
def predict(**values: Any) -> None:
    """Label the rows of FILE with MODEL, in their order, as a CSV.

    FILE holds raw rows as those that the model has learned from; columns may come in any order, others are ignored. `-` is
    standard input. Memory does not grow with the file. --proba needs a model with probabilities: one that was trained with
    --holdout, --dev or --calibrate, calibrated by `rosenblatt calibrate`, or logistic.

    \b
    rosenblatt train income -o income.rosenblatt
    rosenblatt predict income.rosenblatt income:dev --scores -o labels.csv
    """
    chosen = PredictOptions(**values)
    if chosen.only_labels and (chosen.scores or chosen.proba or chosen.as_json):
        raise click.UsageError("--only-labels prints labels and nothing else: leave out --scores, --proba and --json.")
    if chosen.for_spreadsheet and chosen.as_json:
        raise click.UsageError("--for-spreadsheet is about the CSV: leave out --json.")
    if chosen.only_labels and (chosen.id or chosen.keep):
        raise click.UsageError("--only-labels prints labels and nothing else: leave out --id and --keep.")
    options.refuse_overwriting(chosen.output, chosen.model, chosen.file)
    model = model_input.load_model(chosen.model, chosen.file)
    model_input.refuse_folder(model, chosen.file)
    if model.predicts_numbers and chosen.scores:
        raise click.UsageError("This model predicts numbers, which are its scores: leave out --scores.")
    if chosen.proba:
        model.refuse_numbers("--proba")
        model.refuse_no_probabilities()
    if chosen.only_labels and any(set("\r\n") & set(str(label)) for label in model.classes):
        raise click.UsageError("A label of this model has a line break in it: leave out --only-labels and read the CSV.")
    if (chosen.id or chosen.keep) and model.kind != "table":
        raise click.UsageError("--id and --keep copy columns of a table: this model has learned from none.")
    if chosen.dask:
        options.refuse_useless(["only_labels", "for_spreadsheet", "id", "keep", "as_json"], "on a cluster, as yet")
        from rosenblatt.cli.clustering import predict_on_dask

        predict_on_dask(chosen, model)
        return
    predictions = Predictions(model, chosen.file, chosen.read_keywords(model), chosen.scores, chosen.for_spreadsheet)
    predictions.copied, predictions.proba = copied_columns(chosen), chosen.proba
    with output.writing(chosen.output) as stream:
        if chosen.as_json:
            output.write_whole(predictions.as_json(), stream)
        else:
            stream.writelines(predictions.as_csv(bare=chosen.only_labels))
    if predictions.notes and not chosen.quiet:
        model_input.print_notes(predictions.notes)


class Predictions:
    """The predictions for a file, a batch at a time, and the notes so far."""

    def __init__(self, model: Classifier, file: str, read: dict[str, Any], scores: bool, for_spreadsheet: bool = False):
        from rosenblatt.features import TableMap

        self.model, self.file, self.scores = model, file, scores
        self.read = {**read, "coded": isinstance(model.features, TableMap)}
        self.decides = model.model()
        labels = model.classes.tolist()
        self.labels = [harmless(label) for label in labels] if for_spreadsheet else labels
        self.notes: Notes | None = None
        self.for_spreadsheet = for_spreadsheet
        self.proba = False  # are probabilities wanted?
        self.copied: list[str] | None = []  # columns in front of the prediction; None: all
        self.batch: pl.DataFrame | None = None  # the rows that were scored last, where columns of them are copied

    def scored(self) -> Iterator[np.ndarray]:
        """The scores of the rows, a batch at a time."""
        from rosenblatt.data import batches

        row = 0
        read = self.read
        if self.copied != []:
            read = {**read, "coded": False}
            if getattr(self.model.features, "readings", None):
                # A cell is copied as it stands: the model knows by itself which marks mean "not known".
                read["missing"] = ["", *(mark for mark in read.get("missing", ()) if mark not in MISSING_MARKS)]
        for data in batches(self.file, rows=None, **read):
            print_reading_notes(data)
            model_input.refuse_other_kind(self.model, data)
            try:
                rows, notes = self.model.transform(data.rows)
                self.notes = notes if self.notes is None else self.notes + notes
                self.batch = None if self.copied == [] else self.copy_of(data)
                yield self.decides.scores(rows)
            except DataError as problem:
                raise DataError(f"{data.name}, rows {row + 1:,} to {row + len(data):,}: {problem}") from None
            row += len(data)

    def copy_of(self, data: Dataset) -> pl.DataFrame:
        """The columns of some rows that are copied."""
        import polars as pl

        names = list(data.rows.columns) if self.copied is None else self.copied
        if unknown := [name for name in names if name not in data.rows.columns]:
            raise click.UsageError(f"{data.name} has no column {unknown[0]!r}: it has {', '.join(data.rows.columns[:10])}.")
        if "prediction" in names:
            raise click.UsageError("A column to copy is called 'prediction', as the new one is: name others with --keep.")
        columns = {name: data.rows[name].cast(pl.String) for name in names}
        if self.for_spreadsheet:
            columns = {name: pl.Series(map(harmless, texts), dtype=pl.String) for name, texts in columns.items()}
        return pl.DataFrame(columns)

    def frame(self, scores: np.ndarray) -> pl.DataFrame:
        """The columns that are copied, label and, where wanted, scores of each row."""
        predicted = self.predicted(scores)
        return predicted if self.batch is None else self.batch.hstack(predicted)

    def predicted(self, scores: np.ndarray) -> pl.DataFrame:
        """Label and, where wanted, scores of each row."""
        from rosenblatt.learning.predicted import WantedColumns

        return WantedColumns(self.scores, self.proba).frame(self.model, scores, self.labels)

    def as_csv(self, bare: bool = False) -> Iterator[bytes]:
        """A CSV with a header; `bare`: labels as they are, a line each."""
        lines = self.plain_lines()
        for number, scores in enumerate(self.scored()):
            header = not bare and not number
            if lines is not None:
                yield ("prediction\n" * header + "".join(lines[self.decides.decide(scores)].tolist())).encode()
                continue
            text = self.frame(scores).write_csv(include_header=header, quote_style="never" if bare else "necessary")
            yield text.encode()

    def plain_lines(self) -> np.ndarray | None:
        """The line of each label, where labels are all that is wanted and polars would write them as they are."""
        if self.copied != [] or self.scores or self.proba or self.model.predicts_numbers:
            return None
        if not all(map(is_plain, self.labels)):
            return None
        import numpy as np

        return np.array([f"{label}\n" for label in self.labels], dtype=object)

    def as_json(self) -> Iterator[bytes]:
        """One object: {"predictions": [{"prediction": …, "score": …}, …], "notes": […]}."""
        yield b'{"predictions": ['
        for number, scores in enumerate(self.scored()):
            shown = output.escape_json(self.frame(scores).write_json())
            yield (b",\n" if number else b"") + shown.encode()[1:-1]
        notes = [*reading_notes(), *(self.notes.sentences() if self.notes else [])]
        yield f'], "notes": {output.to_json(notes)}}}\n'.encode()


def copied_columns(chosen: PredictOptions) -> list[str] | None:
    """The columns that --id and --keep name, each once; None for all."""
    if chosen.keep == "all":
        return None
    return list(dict.fromkeys([*([chosen.id] if chosen.id else []), *(chosen.keep.split(",") if chosen.keep else [])]))


def is_plain(label: Any) -> bool:
    """Is it a whole number, or a text that stands in a CSV without quotes?

    >>> is_plain(">50K"), is_plain(-1), is_plain("a,b"), is_plain(0.5), is_plain(True)
    (True, True, False, False, False)
    """
    return type(label) is int or (isinstance(label, str) and PLAIN_LABEL.fullmatch(label) is not None)


def harmless(label: Any) -> Any:
    """A label that no spreadsheet takes for a formula: an apostrophe before it makes it a text, as OWASP advises.

    A number with its sign is none, and would be no number any more.

    >>> harmless("=1+1"), harmless("yes"), harmless(-1), harmless("-0.5"), harmless("-0.5+A1")
    ("'=1+1", 'yes', -1, '-0.5', "'-0.5+A1")
    """
    if not isinstance(label, str) or PLAIN_NUMBER.fullmatch(label):
        return label
    return f"'{label}" if label.startswith(FORMULA_STARTS) else label
