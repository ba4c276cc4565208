"""rosenblatt train: from a file to a classifier."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, model_input, options, output, print_reading_notes, tell, train_search
from rosenblatt.cli.checkpointing import CheckpointOptions, checkpoint_options, written_on_interrupt
from rosenblatt.cli.cluster_options import ClusterOptions, cluster_options
from rosenblatt.cli.progress import StatusLine, TrainingTable
from rosenblatt.cli.stream_options import StreamOptions, refuse_pipe, stream_options
from rosenblatt.cli.types import NOT_EMPTY, Seconds
from rosenblatt.errors import as_argument, counted, percent
from rosenblatt.learning.learners import ALL_LEARNERS, KERNEL, Recipe
from rosenblatt.learning.plan import ORDERS

if TYPE_CHECKING:
    from rosenblatt.data.columns.reading import ColumnReading
    from rosenblatt.learning.classifier import Classifier
    from rosenblatt.learning.driver import Callbacks
    from rosenblatt.learning.learn import Learned, LearnedNumbers
    from rosenblatt.studies.auto import Search
    from rosenblatt.theory.margin_report import MarginReport

LEAST_HELD_ON_DISK = 2**25  # bytes of a file for which memory may be too small
SMALL_ERROR = 0.05  # of training: so small, one column may give the class away


@dataclass(frozen=True, kw_only=True)
class TrainOptions(
    ClusterOptions,
    StreamOptions,
    CheckpointOptions,
    options.LearnerOptions,
    options.ReadingOptions,
    options.PrintingOptions,
):
    """The options of `train`."""

    file: str
    dev: str | None
    holdout: float | None
    group: str | None
    after: str | None
    output: str | None
    order: str
    average: bool | None
    multiclass: str
    patience: int | None
    metric: str
    calibrate: bool
    threshold: float | str | None
    tol: float | None
    balanced: bool
    certify: float | None
    keep_log: bool
    auto: bool
    python: bool
    task: str | None

    def refuse_contradictions(self) -> None:
        """Refuses options that cannot be together, before anything is read."""
        options.refuse_overwriting(self.output, self.file, self.dev)
        options.refuse_no_model_file(self.output)
        if self.dev and self.holdout is not None:
            raise click.UsageError("Measure on --dev or on --holdout, not on both.")
        if (self.group or self.after) and self.holdout is None:
            raise click.UsageError("--group and --after say how to hold rows out: they need --holdout.")
        if self.patience is not None and not self.dev and self.holdout is None:
            raise click.UsageError("--patience watches the dev error: it needs --dev or --holdout.")
        if self.patience is None and self.metric != "error":
            raise click.UsageError(f"--metric {self.metric} is what --patience watches: give --patience, too.")
        if self.threshold is not None and not self.dev and self.holdout is None and not self.calibrate:
            if self.learner != "logistic":
                raise click.UsageError("--threshold is on a probability: it needs --holdout, --dev or --calibrate.")
            if isinstance(self.threshold, str):
                raise click.UsageError(
                    f"--threshold {self.threshold} is chosen on rows that were not learned from: it needs --holdout, --dev "
                    "or --calibrate."
                )
        if self.auto:
            parameters = [name for name in options.learner_parameters(ALL_LEARNERS) if name != "budget"]
            options.refuse_useless(["learner", "epochs", "average", "certify", *parameters], "with --auto, which chooses")
        if self.learner == KERNEL.name:
            options.refuse_useless(["certify", "keep_log", "patience", "tol"], "for a kernel")
        if self.task == "numbers":
            useless = ["certify", "calibrate", "threshold", "balanced", "keep_log", "metric"]
            options.refuse_useless(useless, "where numbers are predicted, not classes")
        if not self.checkpoint and not self.resume:
            options.refuse_useless(["every"], "without --checkpoint DIR, which it is about")
        if self.stream and self.file == "-":
            from rosenblatt.cli.train_pipe import refuse_several_passes

            refuse_several_passes(self)
        elif self.stream:
            refuse_pipe(self.file, "--stream reads", ", or learn from each row once, `train - --stream --hash 20`")
            self.refuse_in_memory()
        elif self.window is not None or self.cache is not None:
            self.refuse_without_stream()
        if self.dask:
            refuse_pipe(self.file, "workers read")
        if self.workers or self.shards or self.mix or self.dask or self.force:
            self.refuse_no_workers()
        if self.python:
            options.refuse_useless(["as_json", "certify"], "in a script that trains: leave out --python")

    def train_recipe(self) -> Recipe:
        recipe = replace(self, parameters={} if self.auto else self.parameters).recipe(
            order=self.order,
            average=self.average,
            multiclass=self.multiclass,
            tol=self.tol,
            patience=self.patience,
            metric=self.metric,
            calibrate=self.calibrate,
            threshold=self.threshold,
            class_weight="balanced" if self.balanced else None,
            keep_log=self.keep_log,
            window=self.window,
            regression=options.IS_REGRESSION[self.task],
        )
        return self.with_shards(recipe) if self.workers or self.dask else recipe

    @property
    def budget(self) -> float | None:
        """Seconds for --auto; elsewhere it is a kernel's, of examples."""
        return self.parameters.get("budget") if self.auto else None

    def split_keywords(self) -> dict[str, Any]:
        """The keywords of `split`, for --holdout."""
        return options.set_only(seed=self.seed, group=self.group, after=self.after)


@click.command()
@click.argument("file")
@options.target
@click.option("--dev", type=NOT_EMPTY, metavar="FILE", help="Labelled rows to measure on.")
@click.option("--holdout", type=float, metavar="SHARE", help="Measure on this share of the rows instead, say 0.2.")
@click.option("--group", type=NOT_EMPTY, metavar="COL", help="With --holdout: rows with the same value here stay together.")
@click.option(
    "--after",
    type=NOT_EMPTY,
    metavar="COL",
    help="With --holdout: hold out the highest values here, say the latest dates.",
)
@options.task
@options.learner("averaged", ALL_LEARNERS)
@click.option("-e", "--epochs", type=int, default=5, show_default=True, help="Passes over the rows at most.")
@click.option("-s", "--seed", type=int, default=0, show_default=True, help="Of the order and of --holdout.")
@click.option("-o", "--output", type=options.WRITTEN, metavar="MODEL", help="Save the model in this file.")
@click.option("--average/--last", default=None, help="Predict with averaged or with last weights.")
@options.multiclass
@click.option("--patience", type=int, metavar="N", help="Stop after N epochs without a lower dev error; keep the best.")
@options.metric("What --patience watches.")
@click.option("--calibrate", is_flag=True, help="Fit probabilities: out of fold, or on --dev or --holdout where given.")
@options.threshold
@click.option("--tol", type=float, help="Stop when the mean change per example is below this.")
@click.option("--order", type=click.Choice(ORDERS), default="shuffled")
@options.no_bias
@click.option("--balanced", is_flag=True, help="Weight classes by how rare they are.")
@options.of_learner(ALL_LEARNERS)
@options.encoding
@click.option(
    "--certify",
    type=Seconds(0),
    metavar="SECONDS",
    help="Search at most this long for the best margin, or for a proof that there is none; 0: not at all.",
)
@click.option("--keep-log", is_flag=True, help="Save the updates and their rows too: for votes and `explain --by example`.")
@click.option("--auto", is_flag=True, help="Try learners, features and epochs on held-out rows (--budget SECONDS).")
@stream_options
@checkpoint_options
@cluster_options
@click.option("--python", "python", is_flag=True, help="Print the Python that does the same, and stop.")
@options.reading
@options.as_json
@options.quiet
def train(**values: Any) -> None:
    """Learn from FILE to predict one of its columns.

    FILE is CSV, TSV, Parquet, Arrow, Excel, JSON lines, SQLite, libsvm, Vowpal Wabbit, labelled text, a folder a class,
    idx images, `-` for standard input, or the name of a known data set (iris, breast-cancer, income, mnist …).

    \b
    rosenblatt train breast-cancer --holdout 0.25
    rosenblatt train people.csv --target income --dev dev.csv -o income.rosenblatt
    """
    chosen = TrainOptions(**options.with_parameters(values))
    chosen.refuse_contradictions()
    if chosen.python:
        from rosenblatt.cli.train_script import as_python

        echo(as_python(chosen))
        return
    if chosen.stream and chosen.file == "-":
        from rosenblatt.cli.train_pipe import train_from_pipe

        train_from_pipe(chosen)
        return
    started = time.perf_counter()
    table = None if chosen.silent else TrainingTable()
    learned, search = learn(chosen, table)
    model = learned.classifier
    model.summary.seconds = time.perf_counter() - started
    if chosen.output:
        model.save(chosen.output)
    readings, trials = readings_of(model), getattr(model.features, "trials", {})
    has_margin = not model.predicts_numbers and learned.examples.rows.n  # rows on a cluster are not here
    margin = margin_reached(chosen, learned) if has_margin else None  # type: ignore[arg-type]
    certificate = None if margin is None else margin.certificate
    if chosen.as_json:
        from rosenblatt.cli.train_json import facts_of

        output.print_json(facts_of(chosen, learned, search, margin))
        return
    if readings is not None and not chosen.quiet:
        output.print_columns(readings, err=True)
        output.print_trials(trials, model.predicts_numbers)
    if search is not None:
        train_search.print_search(search)
    if model.predicts_numbers:
        from rosenblatt.cli import train_numbers

        train_numbers.print_summary(learned)  # type: ignore[arg-type]
    else:
        print_summary(learned)  # type: ignore[arg-type]
    if margin is not None:
        print_margin(model, margin, longer=chosen.certify is None)
    if certificate is not None and certificate.separable is False and chosen.holdout is not None:
        echo(f"Rows are counted from 1 among the {model.summary.examples:,} that were learned from.")
    if chosen.output:
        next_verb = "explain" if model.dual is None else "evaluate"
        echo(f"saved in {chosen.output}; next: rosenblatt {next_verb} {shlex.quote(as_argument(chosen.output))}")


def learn(chosen: TrainOptions, table: TrainingTable | None) -> tuple[Learned | LearnedNumbers, Search | None]:
    """Reads the rows and learns from them; with --auto, what was tried before."""
    from rosenblatt.data import ReadOptions, read
    from rosenblatt.data.reading import importing_meanwhile, read_with

    recipe, reading = chosen.train_recipe(), chosen.read_keywords()
    (recipe.for_numbers() if recipe.regression else recipe).rule()  # refuses wrong parameters before anything is read
    if chosen.dask:
        from rosenblatt.cli.clustering import learn_on_dask

        return learn_on_dask(chosen, recipe, table), None
    if chosen.stream or may_be_large(chosen.file):
        from rosenblatt.cli.streaming import learn_from_disk, streams_by_itself

        if chosen.stream or streams_by_itself(chosen, recipe):
            return learn_from_disk(chosen, recipe, table), None
    with importing_meanwhile("rosenblatt.learning.learn", "rosenblatt.theory.separability"):
        data, dev = read_with(chosen.file, ReadOptions(**reading, coded=chosen.holdout is None)), None
    print_reading_notes(data)
    from rosenblatt.learning.learn import learn_from

    if chosen.dev:
        with model_input.target_from_training():
            dev = read(chosen.dev, **{"zero_based": data.zero_based, "as_text": True, **reading})
        print_reading_notes(dev)
    elif chosen.holdout is not None:
        from rosenblatt.data.splits import split

        data, dev = split(data, chosen.holdout, **chosen.split_keywords())
        if data.kind == "table" and data.labels is not None and not recipe.learns_numbers(data.labels):
            from rosenblatt.learning.holding_out import with_known_classes

            dev, sentence = with_known_classes(dev, data)
            if sentence is not None:
                tell(sentence, "warning")
    search = None
    if chosen.auto:
        from rosenblatt.studies.auto import choose_recipe

        status = StatusLine(chosen.silent)
        search = choose_recipe(data, recipe, chosen.budget, lambda *step: status.show(train_search.round_sentence(*step)))
        status.end()
        recipe = search.winner.recipe
    with watched(chosen, recipe, table) as watch:
        learned = learn_from(data, recipe, dev, watch)
    for sentence in learned.notes:
        tell(sentence)
    if learned.classifier.predicts_numbers:
        from rosenblatt.cli.train_numbers import check_learned

        return check_learned(learned, data, dev, chosen.certify), search  # type: ignore[arg-type]
    tell_of_classes(learned.classifier)
    # Without rows to measure on, a look costs something only where the error of training is as small as a leak makes it.
    error = learned.classifier.summary.train_error
    may_leak = error is not None and error <= SMALL_ERROR and (chosen.as_json or not chosen.quiet)
    if dev is not None or chosen.order == "given" or may_leak:
        from rosenblatt.studies.cautions import cautions

        for sentence in cautions(learned.classifier, data, learned.examples, dev, chosen.order):  # type: ignore[arg-type]
            tell(sentence, "warning")
    return learned, search


def tell_of_classes(classifier: Classifier) -> None:
    """Warns of classes that are rare, of one row each, spelled alike, or called as missing values are."""
    from rosenblatt.data.columns.reading import all_marks

    counts, names = classifier.class_counts, [str(label) for label in classifier.classes]
    rare = counts is not None and (counts.min() == 1 or 100 * counts.min() < counts.sum())
    alike = len({name.casefold() for name in names}) < len(names) or not all(map(str.isascii, names))
    if rare or alike or not all_marks().isdisjoint(names):
        from rosenblatt.studies.cautions import about_all_classes

        for caution in about_all_classes(classifier, names):
            tell(caution, "warning")


@contextmanager
def watched(chosen: TrainOptions, recipe: Recipe, table: TrainingTable | None) -> Iterator[Callbacks]:
    """What is called while training goes on: the table of its progress and, where asked for, checkpoints."""
    from rosenblatt.learning.driver import Callbacks

    watch = Callbacks(progress=table.update if table else None, run=chosen.runner(recipe) if recipe.shards else None)
    if not chosen.checkpoint and not chosen.resume:
        yield watch
    else:
        checkpoints = chosen.checkpoints_of(recipe)
        with written_on_interrupt(checkpoints):
            yield replace(watch, checkpoints=checkpoints)
    if table:
        table.end()  # before anything is said about the result


def may_be_large(file: str) -> bool:
    """May the rows of this file, or of these files, be too many for memory? Most are not."""
    return not os.path.isfile(file) or os.path.getsize(file) > LEAST_HELD_ON_DISK


def readings_of(model: Classifier) -> list[ColumnReading] | None:
    """How the columns of its table were read; None where it has none."""
    readings = getattr(model.features, "readings", None)
    return None if readings is None else readings.columns


def margin_reached(chosen: TrainOptions, learned: Learned) -> MarginReport | None:
    """The margin of the run beside the best; with --certify as many seconds go into the best margin as were given.

    A kernel's margin is in a space that is never built: None.
    """
    from rosenblatt.learning.training import Training
    from rosenblatt.theory.margin_report import FinishedRun, margin_report
    from rosenblatt.theory.separability import certify

    model, examples = learned.classifier, learned.examples
    if not isinstance(learned.training, Training):
        return None
    view = model.linear_view()  # votes have no margin: it is that of the averaged weights then
    finished = FinishedRun(learned.training, examples, model.recipe.rule())
    report = margin_report(finished, (view, model.linear(view)))
    if not chosen.certify:
        return report
    progress = StatusLine(chosen.silent).print_line
    labels, bias = model.classes[examples.codes], model.recipe.fit_intercept
    return report.against(certify(examples.rows, labels, bias, seconds=chosen.certify, progress=progress))


def print_summary(learned: Learned) -> None:
    """What was learned, for people."""
    model, training = learned.classifier, learned.training
    summary, counts = model.summary, model.class_counts
    assert counts is not None
    assert summary.train_error is not None
    classes = ", ".join(map(str, model.classes[:5])) + (" …" if len(model.classes) > 5 else "")
    rows, features = counted(summary.examples or 0, "row"), counted(model.features.n_features, "feature")
    echo(f"{summary.learner}: {rows}, {features}, classes {classes}")
    passes, updates = counted(len(training.history), "epoch"), counted(training.updates, "update")
    echo(f"{passes}, {updates}; ended by: {training.stopped_because}; {summary.seconds:.2f} s")
    majority = f"always {model.classes[counts.argmax()]}: {percent(1 - counts.max() / counts.sum())}"
    echo(f"training error   {percent(summary.train_error)}   ({majority})")
    if summary.dev_error:
        from rosenblatt.cli.train_json import dev_majority, dev_measures

        errors = ", ".join(f"{view} {percent(error)}" for view, error in summary.dev_error.items())
        echo(f"dev error        {errors}   (it predicts with the {model.view} weights)")
        label, least = dev_majority(learned)
        no_better = summary.dev_error[model.view] >= least and model.threshold is None  # which weighs mistakes
        echo(f"                 always {label}: {percent(least)}{'; the model is no better than that' * no_better}")
        for number, line in enumerate(output.epoch_lines(model.history)):
            echo(f"{'after each epoch' * (not number):16} {line}")
        for number, line in enumerate(output.measure_lines(dev_measures(learned), model.classes.tolist())):
            echo(f"{'dev measures' * (not number):16} {line}")
    if model.calibration is not None:
        calibration = model.calibration
        echo(f"probabilities    by {calibration.how}, fitted on {calibration.rows:,} {calibration.source}")
    if model.threshold is not None:
        from rosenblatt.cli.evaluate import threshold_sentence

        echo(f"threshold        {threshold_sentence(model.threshold, str(model.classes[1]))}")


def print_margin(model: Classifier, margin: MarginReport, longer: bool) -> None:
    """The margin beside the best, and the updates beside what theory allows; `longer` where --certify could tell more."""
    from rosenblatt.theory.bounds import Bound, NoBound, at_most

    of_votes = "votes have none; " if model.view == "voted" else ""
    hint = " (--certify SECONDS looks for a proof)" if longer and not margin.settled else ""
    echo(f"margin           {of_votes}{margin.sentence(first=1)}{hint}")
    if not margin.separable:
        return
    bound = margin.bound
    if isinstance(bound, Bound) and margin.theorem is not None:
        formula = bound.formula.replace("γ", "γ" if margin.best is None else "γ*")
        echo(f"{bound.counts:16} {margin.theorem.count(bound):,} of at most {formula} = {at_most(bound.most)}")
    elif isinstance(bound, NoBound):
        echo(f"no bound         {bound.because}")
