"""rosenblatt compare: all learners on the same splits."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, model_input, options, output, print_reading_notes, tell
from rosenblatt.cli.progress import StatusLine
from rosenblatt.cli.types import NOT_EMPTY
from rosenblatt.learning.learner_names import COMPARED, OTHERS, recipe_called
from rosenblatt.learning.learners import Recipe

if TYPE_CHECKING:
    from rosenblatt.data import Dataset
    from rosenblatt.data.splits import CrossValidation
    from rosenblatt.estimators.neighbours.entrants import Entrant
    from rosenblatt.studies.compare import LearnerResult


@dataclass(frozen=True, kw_only=True)
class CompareOptions(options.FeatureOptions, options.ReadingOptions, options.PrintingOptions):
    """The options of `compare`."""

    file: str
    learners: str
    others: str | None
    seeds: int | None
    orders: int | None
    holdout: float
    dev: str | None
    metric: str
    epochs: int
    multiclass: str
    task: str | None

    @property
    def learner_names(self) -> list[str]:
        return list(dict.fromkeys(name.strip() for name in self.learners.split(",") if name.strip()))

    @property
    def splits(self) -> int:
        return self.seeds or 5

    def refuse_contradictions(self) -> None:
        """Refuses options that cannot be together, before anything is read."""
        if self.dev:
            options.refuse_useless(["seeds", "holdout", "orders"], "where --dev names the rows to measure on")
        if self.orders:
            options.refuse_useless(["metric"], "about --orders, which are told by their error")
        if self.orders and self.seeds:
            raise click.UsageError("Compare --seeds splits, or --orders of one split, not both.")
        if self.orders and self.others:
            raise click.UsageError("--orders is about learners that take one row after the other: leave out --with.")

    def recipe(self) -> Recipe:
        """What all learners have in common; the name of one that cannot be is refused."""
        recipe = Recipe(
            epochs=self.epochs,
            features=self.feature_keywords(),
            metric=self.metric,
            multiclass=self.multiclass,
            regression=options.IS_REGRESSION[self.task],
        )
        for name in self.learner_names:
            recipe_called(name, recipe)
        return recipe


@click.command()
@click.argument("file")
@options.target
@click.option(
    "-l",
    "--learners",
    default=",".join(COMPARED),
    metavar="A,B,…",
    help=f"Some of {', '.join(COMPARED)}; or {', '.join(OTHERS)}.",
)
@click.option(
    "--with", "others", type=click.Choice(["neighbours"]), help="Also what the lectures set beside the perceptron."
)
@click.option("--seeds", type=click.IntRange(1), help="Number of splits (5): folds that are held out.")
@click.option("--orders", type=click.IntRange(2), metavar="N", help="Instead: one split, N orders of its rows.")
@click.option(
    "--holdout",
    type=float,
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="Rows to measure on; in folds: 1/2, 1/3, 1/4 …",
)
@click.option(
    "--dev",
    type=NOT_EMPTY,
    metavar="FILE",
    help="Instead: learn from all rows of the one file, measure on this one.",
)
@options.metric("What ranks the learners.")
@options.task
@click.option("-e", "--epochs", type=int, default=5, show_default=True, help="Passes over the rows at most.")
@options.multiclass
@options.encoding
@options.reading
@options.as_json
@options.quiet
def compare(**values: Any) -> None:
    """Try all learners on the same splits of FILE.

    The rows are cut into folds, each with as many of every class, and each split holds one fold out: with 5 splits of 20 %,
    every row is held out once. More splits shuffle and cut anew. Every learner gets the same splits. A star marks what
    differs from the best by more than chance (a t-test that allows for the rows that splits share).

    The first line is what always guessing the most frequent class would give. `averaged` before a learner's name takes the
    average of its weights, `last` the last of one that averages by itself. `--multiclass rest` is for those that can:
    mistake-driven ones. `--with neighbours` adds batch learners, naive Bayes, ridge, support vectors, nearest neighbours
    and decision trees.

    --metric names another measure than the error to rank by: it is told with its standard error. Log loss and the like take
    probabilities: logistic's own, and maps fitted to the scores of the others, cross-fitted on the rows held out.

    With --orders, the rows to learn from are the same each time and only their order differs: shuffled or drawn with
    replacement in N ways, as given, and sorted by class.

    \b
    rosenblatt compare breast-cancer
    rosenblatt compare iris --learners "perceptron,averaged,averaged mira" --seeds 10
    rosenblatt compare breast-cancer --orders 30 --learners perceptron,averaged
    rosenblatt compare wine --with neighbours
    """
    from rosenblatt.data import read
    from rosenblatt.data.splits import CrossValidation

    chosen = CompareOptions(**values)
    chosen.refuse_contradictions()
    folds = CrossValidation.holding_out(chosen.holdout, chosen.splits)  # a share that cannot be is refused
    recipe = chosen.recipe()
    data = read(chosen.file, **chosen.read_keywords())
    print_reading_notes(data)
    if predicts_numbers(data, chosen):
        study_numbers(data, recipe, chosen)
    elif chosen.orders:
        study_orders(data, recipe, chosen.orders, chosen)
    else:
        study_classes(data, recipe, folds, chosen)


def study_classes(data: Dataset, recipe: Recipe, folds: CrossValidation, chosen: CompareOptions) -> None:
    """Learners of classes, on folds of the rows or on those of --dev: a table, or JSON."""
    from rosenblatt.data import read
    from rosenblatt.studies import compare as study

    status, others = StatusLine(chosen.silent), other_learners(chosen.others)
    progress = status.count("split", 1 if chosen.dev else chosen.splits)
    if chosen.dev:
        reading = {"zero_based": data.zero_based, "as_text": True, **chosen.read_keywords()}
        with model_input.target_from_training():
            dev = read(chosen.dev, **reading)
        print_reading_notes(dev)
        rows = study.compare_on(data, dev, chosen.learner_names, recipe, progress, others)
    else:
        rows = study.compare(data, chosen.learner_names, chosen.splits, chosen.holdout, recipe, progress, others)
    status.end()
    warn_of_majority(rows, chosen.metric)
    left_out = [name for name in others if name not in {row.learner for row in rows}]
    if chosen.as_json:
        more = {"left_out": left_out} if others else {}
        keys = {"rows": [asdict(row) for row in rows], **design_keys(folds, chosen), **more, "metric": chosen.metric}
        output.print_json(keys)
        return
    print_rows(rows, chosen.metric)
    if chosen.dev:
        echo(f"\nMeasured on {chosen.dev}; updates and seconds are for one training.")
        echo(f"majority: always the most frequent class of training. Best: {rows[1].learner}.")
    else:
        print_design(rows, folds, chosen.holdout)
    if chosen.metric != "error" and rows[0].metric_se is not None:
        echo(f"{chosen.metric}: mean ± standard error over the splits, which allows for the rows that they share.")
    if left_out:
        echo(f"Left out, since these rows cannot be learned that way: {', '.join(left_out)}.")


def design_keys(folds: CrossValidation, chosen: CompareOptions) -> dict[str, Any]:
    """How it was measured, for JSON."""
    from rosenblatt.studies.compare import SIGNIFICANCE_TEST

    if chosen.dev:
        return {"splits": 1, "dev": chosen.dev}
    return {"splits": chosen.splits, "folds": folds.folds, "holdout": folds.share, "test": SIGNIFICANCE_TEST}


def predicts_numbers(data: Dataset, chosen: CompareOptions) -> bool:
    """Is the target a quantity, as it looks or as --task says?"""
    from rosenblatt.learning.examples import has_quantity, labels_of

    return chosen.task == "numbers" or (chosen.task is None and has_quantity(labels_of(data)))


def study_numbers(data: Dataset, recipe: Recipe, chosen: CompareOptions) -> None:
    """Learners of numbers, ridge and always the mean."""
    from rosenblatt.cli.compare_numbers import study

    options.refuse_useless(["orders", "metric"], "where numbers are predicted: learners rank by their squared error")
    if chosen.task is None:
        from rosenblatt.learning.quantities import sentence_about

        tell(str(sentence_about(data, quantity=True)))
    study(data, recipe, chosen)


def other_learners(chosen: str | None) -> dict[str, Entrant]:
    """What `--with` adds, by name; scikit-learn is imported only for them."""
    if chosen is None:
        return {}
    from rosenblatt.estimators.neighbours.entrants import ENTRANTS

    return ENTRANTS


def study_orders(data: Dataset, recipe: Recipe, orders: int, chosen: CompareOptions) -> None:
    """The study of orders: a table, or JSON."""
    from rosenblatt.studies.order import compare_orders

    status, learners = StatusLine(chosen.silent), chosen.learner_names
    result = compare_orders(data, learners, orders, chosen.holdout, recipe, status.count("learner", len(learners)))
    status.end()
    if chosen.as_json:
        output.print_json(asdict(result))
        return
    width = max(len("learner"), *(len(row.learner) for row in result.rows))
    echo(f"{'learner':{width}}  {'order':19}  {'error in %':>13}  {'least':>6}  {'most':>6}  {'updates':>9}  cosine")
    for row in result.rows:
        mean = f"{100 * row.error_mean:.2f}" + (f" ± {100 * row.error_sd:5.2f}" if row.error_sd is not None else " " * 8)
        ends = f"{100 * row.error_least:6.2f}  {100 * row.error_most:6.2f}" if row.runs > 1 else " " * 14
        echo(f"{row.learner:{width}}  {row.order:19}  {mean:>13}  {ends}  {row.updates:9,.0f}  {row.cosine:6.3f}".rstrip())
    echo(f"\nHeld-out error of one split, {100 * chosen.holdout:g} % held out. shuffled: anew before every epoch,")
    echo(f"{orders} times; replacement: every example drawn anew. cosine: between the weights (w, b) of two runs")
    echo("on average; of a single run, with those of the shuffles.")
    for warning in result.warnings:
        echo(f"warning: {warning}")


def warn_of_majority(rows: list[LearnerResult], metric: str) -> None:
    """Where the best learner is no better than always naming the most frequent class."""
    from rosenblatt.learning.measures import METRICS
    from rosenblatt.studies.compare import no_better_than_majority

    if no_better_than_majority(rows, METRICS[metric]):
        rank = " If the class that matters is rare, rank by --metric average-precision." if metric == "error" else ""
        tell(
            f"The best learner, {rows[1].learner}, is no better than always naming the most frequent class: these columns "
            f"may not tell what is to be predicted.{rank}",
            "warning",
        )


def print_rows(rows: list[LearnerResult], metric: str) -> None:
    """The table, for people; another measure than the error comes first, with its standard error."""
    width = max(len("learner"), *(len(row.learner) for row in rows))
    named = f"  {f'{metric} ± se':>17}" if metric != "error" else ""
    echo(f"{'learner':{width}}{named}  {'error in %':>15}  {'updates':>11}  {'seconds':>8}")
    for row in rows:
        error = f"{100 * row.error_mean:.2f}" + ("" if row.error_sd is None else f" ± {100 * row.error_sd:5.2f}")
        mark = " *" if row.differs_from_best else "  "
        if metric != "error":
            value = "–" if row.metric_mean is None else f"{row.metric_mean:.4f}"
            value += "" if row.metric_se is None else f" ± {row.metric_se:.4f}"
            error, mark = f"{value:>{max(len(metric) + 5, 17) - 2}}{mark}  {error:>13}", "  "
        updates = "–" if row.updates is None else f"{row.updates:,.0f}"
        trained = f"{updates:>11}  {row.seconds:8.4f}" if row is not rows[0] else ""
        echo(f"{row.learner:{width}}  {error:>13}{mark}  {trained}".rstrip())


def print_design(rows: list[LearnerResult], cross_validation: CrossValidation, share: float) -> None:
    """What was measured how, and what the stars mean."""
    from rosenblatt.studies.compare import judge_differences

    splits = cross_validation.splits
    spread = splits > 1
    what = f"mean ± sd over {splits} splits" if spread else "one split"
    echo(f"\nHeld-out error, {what}; updates and seconds are for one training.")
    echo(f"Held out: {cross_validation.describe()}")
    if abs(cross_validation.share - share) > 0.005:
        echo(f"Folds are equal parts: 1/{cross_validation.folds} of the rows in place of the share {share:g}.")
    echo(f"majority: always the most frequent class. Best: {rows[1].learner}.")
    echo(judge_differences(rows) + ("" if spread else " Pass --seeds 5 or more."))
