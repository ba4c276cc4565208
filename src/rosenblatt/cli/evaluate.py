"""rosenblatt evaluate: measure a model on labelled data."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, in_options, model_input, options, output, print_reading_notes, tell
from rosenblatt.cli.cluster_options import dask
from rosenblatt.errors import percent, visible

if TYPE_CHECKING:
    from rosenblatt.data import Dataset, ReadOptions
    from rosenblatt.features import Notes
    from rosenblatt.learning.classifier import Classifier
    from rosenblatt.learning.threshold import Threshold
    from rosenblatt.studies.evaluate import EpochMeasures, Evaluation, Measures

WIDEST = 110  # characters of a confusion matrix with names above its columns
MATRIX_CLASSES = 30  # classes of a confusion matrix that is printed
COMMONEST = 20  # confusions that are listed instead


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(options.ReadingOptions, options.PrintingOptions):
    """The options of `evaluate`."""

    model: str
    file: str
    unseen: str
    view: str | None
    progressive: bool
    per_epoch: bool
    dask: str | None

    def refuse_contradictions(self) -> None:
        """Refuses options that cannot be together."""
        if self.progressive and self.view:
            raise click.UsageError("--progressive goes on from the last weights: leave out --view.")
        if self.progressive and self.per_epoch:
            raise click.UsageError("--per-epoch measures the weights of training: leave out --progressive.")

    def refuse_missing(self, model: Classifier) -> None:
        """Refuses what the model lacks, a view or the log, before anything is read."""
        model.model(self.view)
        if not self.per_epoch or model.memory is not None:
            return
        if model.predicts_numbers or model.dual is not None:
            model.remembered()  # says why there is none
        raise click.UsageError(
            "--per-epoch needs the log, from which the weights of every epoch are made again: train with --keep-log. "
            "(`train --dev FILE --json` tells the same table, as `history`, without it.)"
        )


@click.command()
@click.argument("model")
@click.argument("file")
@options.target
@click.option("--unseen", type=click.Choice(["refuse", "skip"]), default="refuse", help="Labels that training never saw.")
@click.option(
    "--view",
    type=click.Choice(["last", "averaged", "best", "voted", "random"]),
    help="Weights other than those that predict.",
)
@click.option("--progressive", is_flag=True, help="Predict each row, then learn from it; starts from the last weights.")
@click.option("--per-epoch", is_flag=True, help="The table by epoch, of a model that was trained with --keep-log.")
@dask("Measure on this Dask cluster, or on one of this machine: errors and confusions.")
@options.reading
@options.as_json
@options.quiet
def evaluate(**values: Any) -> None:
    """Measure MODEL on the labelled rows of FILE.

    With --progressive the rows are taken in the order of the file, once, and every prediction is made before its row is
    learned from. An error is a wrong prediction, where a score of 0 is the second class; training counts every score of 0
    as a mistake, so its count can be higher. The model file is not changed.

    \b
    rosenblatt train income -o income.rosenblatt
    rosenblatt evaluate income.rosenblatt income:dev
    """
    from rosenblatt.studies import evaluate as study

    chosen = EvaluateOptions(**values)
    chosen.refuse_contradictions()
    classifier = model_input.load_model(chosen.model, chosen.file)
    chosen.refuse_missing(classifier)
    if chosen.dask:
        evaluate_on_dask(chosen, classifier)
        return
    data = read_labelled(classifier, chosen.file, chosen)
    if chosen.per_epoch:
        print_epochs(classifier, *study.evaluate_epochs(classifier, data, chosen.unseen, chosen.view), chosen.as_json)
    elif classifier.predicts_numbers:
        evaluate_numbers(classifier, data, chosen)
    else:
        evaluate_classes(classifier, data, chosen)


def evaluate_classes(classifier: Classifier, data: Dataset, chosen: EvaluateOptions) -> None:
    """The measures of a model that predicts classes, and what is to be known before they are believed."""
    from rosenblatt.learning.measures import measure_all
    from rosenblatt.studies.evaluate import evaluate

    evaluation = evaluate(classifier, data, chosen.unseen, chosen.view, chosen.progressive)
    if classifier.calibration is not None and not chosen.progressive and not chosen.view:
        from rosenblatt.studies.cautions import rows_of_calibration

        if caution := rows_of_calibration(classifier, evaluation.scored):
            tell(caution, "warning")
    if not chosen.quiet:
        print_evaluation_notes(evaluation)
    labels, measures = classifier.classes.tolist(), measure_all(evaluation.scored)
    threshold = None if chosen.progressive else classifier.threshold
    if chosen.as_json:
        more = {name: value for name, value in measures.items() if name != "error"}
        keys = as_json(evaluation.measures, labels) | more
        output.print_json(keys | {"threshold": None if threshold is None else asdict(threshold)})
        return
    echo("\n".join(in_words(*by_name(evaluation.measures, labels))))
    echo("\n" + "\n".join(output.measure_lines(measures, labels)))
    if threshold is not None and (chosen.view or classifier.view) == threshold.view:
        echo("\n" + threshold_sentence(threshold, visible(str(labels[1]))))


def print_evaluation_notes(evaluation: Evaluation) -> None:
    """What was not seen, left out, or counted otherwise in training."""
    print_overlooked(evaluation.notes, evaluation.left_out)
    if (mistakes := evaluation.training_mistakes) is not None:
        echo(f"note: training counted {mistakes:,} mistakes: a score of 0 is one, whatever the label.", err=True)


def print_overlooked(notes: Notes, left_out: int) -> None:
    """What was not seen in training: values, and labels."""
    model_input.print_notes(notes)
    if left_out:
        left = "1 row is" if left_out == 1 else f"{left_out:,} rows are"
        echo(f"note: {left} left out: training never saw such labels.", err=True)


def evaluate_on_dask(chosen: EvaluateOptions, model: Classifier) -> None:
    """What follows from the confusion matrix, of rows that workers read."""
    options.refuse_useless(["view", "progressive", "per_epoch"], "on a cluster, as yet")
    from rosenblatt.cli.clustering import measure_on_dask
    from rosenblatt.learning.measures import measure_confusion
    from rosenblatt.studies.evaluate import Measures

    measured, labels = measure_on_dask(chosen, model), model.classes.tolist()
    measures, more = Measures(measured.confusion), measure_confusion(measured.confusion)
    for sentence in map(in_options, measured.about_files):
        tell(sentence)
    if not chosen.quiet:
        print_overlooked(measured.notes, measured.left_out)
    if chosen.as_json:
        output.print_json(as_json(measures, labels) | more)
        return
    echo("\n".join(in_words(*by_name(measures, labels))))
    echo("\n" + "\n".join(output.measure_lines(more, labels)))


def evaluate_numbers(model: Classifier, data: Dataset, chosen: EvaluateOptions) -> None:
    """The measures of a model that predicts numbers."""
    from rosenblatt.studies.evaluate_numbers import evaluate_numbers as measure

    evaluation = measure(model, data, chosen.unseen, chosen.view, chosen.progressive)
    if not chosen.quiet:
        model_input.print_notes(evaluation.notes)
        if gone := evaluation.left_out:
            echo(f"note: {gone:,} row{'s are' if gone > 1 else ' is'} left out: the target is no number there.", err=True)
    if chosen.as_json:
        output.print_json(evaluation.measures.to_dict())
        return
    echo("\n".join(output.number_lines(evaluation.measures, model.target_scale)))


def print_epochs(model: Classifier, view: str, table: list[EpochMeasures], as_json: bool) -> None:
    """The table by epoch: updates in training, the error on these rows, and how often the second class is predicted."""
    if as_json:
        output.print_json({"view": view, "epochs": [{**asdict(epoch), "positive": epoch.positive} for epoch in table]})
        return
    second = f"  predicted {visible(str(model.classes[1]))}" if len(model.classes) == 2 else ""
    echo(f"epoch    mistakes     updates      error{second}")
    for epoch in table:
        share = "" if epoch.positive is None else f"  {percent(epoch.positive):>{len(second) - 2}}"
        echo(f"{epoch.epoch:5}  {epoch.mistakes:10,}  {epoch.updates:10,}  {percent(epoch.error):>9}{share}")
    echo(f"\nMistakes and updates in training; error and predictions of the {view} weights on these rows.")


def read_labelled(model: Classifier, file: str, reading: options.ReadingOptions) -> Dataset:
    """The rows of the file, with the labels that its options name, or the column that the model predicts."""
    from rosenblatt.data.reading import read_with

    with labelled_rows(model, file, reading) as read_options:
        data = read_with(file, read_options)
    refuse_no_labels(model, data)
    return data


@contextlib.contextmanager
def labelled_rows(model: Classifier, file: str, reading: options.ReadingOptions) -> Iterator[ReadOptions]:
    """How labelled rows for a model are read, while they are."""
    from rosenblatt.data import ReadOptions
    from rosenblatt.data.known import is_known

    model_input.refuse_folder(model, file)
    target = reading.target_column
    if target is None and not is_known(file):  # a known data set names its own
        target = model.target
    with contextlib.nullcontext() if reading.target is not None else model_input.target_from_training():
        yield ReadOptions(**reading.read_keywords(model) | {"target": target})


def refuse_no_labels(model: Classifier, data: Dataset) -> None:
    """Refuses rows of another kind than the model's, or without labels, and tells what was assumed of their file."""
    print_reading_notes(data)
    model_input.refuse_other_kind(model, data)
    if data.labels is None and data.kind == "table":
        raise click.UsageError(f"Name the column of {data.name} that holds the labels with --target.{likely(model, data)}")


def likely(model: Classifier, data: Dataset) -> str:
    """Which column is probably meant: one that the model does not learn from."""
    known = {column.name for column in getattr(model.features, "columns", [])}
    others = [name for name in data.rows.columns if name not in known]
    return f" It is probably {' or '.join(map(repr, others))}." if 0 < len(others) <= 3 else ""


def as_json(measures: Measures, labels: list[Any]) -> dict[str, Any]:
    """The keys are a contract; `confusion` has a row per true class, both ways in the order of `per_class`."""
    columns = zip(labels, measures.truths, measures.predictions, measures.precision, measures.recall, strict=True)
    keys = ("label", "examples", "predicted", "precision", "recall")
    return {
        "examples": measures.examples,
        "errors": measures.errors,
        "error": measures.error,
        "accuracy": measures.accuracy,
        "interval": list(measures.interval),
        "confusion": measures.confusion.tolist(),
        "per_class": [dict(zip(keys, row, strict=True)) for row in columns],
    }


def in_words(measures: Measures, names: list[str]) -> list[str]:
    """The measures as lines for people to read."""
    low, high = measures.interval
    right = measures.examples - measures.errors
    return [
        f"Accuracy = {100 * measures.accuracy:.2f}% ({right}/{measures.examples})",
        f"Error    = {percent(measures.error)}, 95 % interval {percent(low)} to {percent(high)}",
        "",
        *(confusion(measures, names) if len(names) <= MATRIX_CLASSES else confusions(measures, names)),
        "",
        *per_class(measures, names),
    ]


def by_name(measures: Measures, labels: list[Any]) -> tuple[Measures, list[str]]:
    """Measures and names in the order of the labels: those that an update has met stand behind the others."""
    from rosenblatt.studies.evaluate import Measures

    order = sorted(range(len(labels)), key=labels.__getitem__)
    return Measures(measures.confusion[order][:, order]), [visible(str(labels[code])) for code in order]


def threshold_sentence(threshold: Threshold, label: str) -> str:
    """From where on the second class is predicted."""
    how = "" if threshold.chosen == "given" else f", chosen by {threshold.chosen}"
    from_here = f"a probability of {threshold.probability:.4g} (a score of {threshold.score:.4g})"
    return f"{label} is predicted from {from_here} on{how}."


def confusion(measures: Measures, names: list[str]) -> list[str]:
    """The matrix; where the names do not fit above it, rows and columns are numbered."""
    heads = names
    width = max(map(len, [*heads, f"{measures.confusion.max():,}"]))
    first = max(map(len, names))
    if first + len(names) * (width + 2) > WIDEST:
        heads = [str(number) for number in range(1, len(names) + 1)]
        names = [f"{number:>2} {name}" for number, name in zip(heads, names, strict=True)]
        width, first = max(len(heads[-1]), len(f"{measures.confusion.max():,}")), max(map(len, names))
    lines = ["Confusion (rows: truth, columns: prediction)", " " * first + "".join(f"  {head:>{width}}" for head in heads)]
    for name, counts in zip(names, measures.confusion.tolist(), strict=True):
        lines.append(f"{name:<{first}}" + "".join(f"  {count:>{width},}" for count in counts))
    return lines


def confusions(measures: Measures, names: list[str]) -> list[str]:
    """The commonest confusions, where there are too many classes for a matrix."""
    import numpy as np

    wrong = measures.confusion.copy()
    np.fill_diagonal(wrong, 0)
    commonest = np.argsort(-wrong, axis=None, kind="stable")[:COMMONEST]
    places = [divmod(int(place), len(names)) for place in commonest if wrong.flat[place]]
    lines = [f"{wrong[row, column]:>8,}  {names[row]} taken for {names[column]}" for row, column in places]
    return [f"Commonest confusions of {len(names)} classes (--json has the whole matrix)", *lines]


def per_class(measures: Measures, names: list[str]) -> list[str]:
    first = max(5, *map(len, names))
    lines = [f"{'class':<{first}}  precision     recall    examples   predicted"]
    columns = zip(names, measures.precision, measures.recall, measures.truths, measures.predictions, strict=True)
    for name, precision, recall, truths, predictions in columns:
        lines.append(f"{name:<{first}}  {share(precision):>9}  {share(recall):>9}  {truths:>10,}  {predictions:>10,}")
    return lines


def share(of: float | None) -> str:
    return "–" if of is None else percent(of)
