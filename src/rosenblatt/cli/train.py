"""rosenblatt train: from a file to a classifier."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click

from rosenblatt.cli import fitting, options, output
from rosenblatt.cli.options import percent
from rosenblatt.errors import SaveError, counted


@click.command()
@click.argument("file")
@options.target
@click.option("--dev", metavar="FILE", help="Labelled rows to measure on.")
@click.option("--holdout", type=float, metavar="SHARE", help="Measure on this share of the rows instead, say 0.2.")
@click.option("--group", metavar="COL", help="With --holdout: rows with the same value here stay together.")
@click.option("--after", metavar="COL", help="With --holdout: hold out the highest values here, say the latest dates.")
@options.learner("averaged")
@click.option("-e", "--epochs", type=int, default=5, show_default=True, help="Passes over the rows at most.")
@click.option("-s", "--seed", type=int, default=0, show_default=True, help="Of the order and of --holdout.")
@click.option("-o", "--output", metavar="MODEL", help="Save the model in this file.")
@click.option("--average/--last", default=None, help="Predict with averaged or with last weights.")
@click.option("--patience", type=int, metavar="N", help="Stop after N epochs without a lower dev error; keep the best.")
@click.option("--tol", type=float, help="Stop when the mean change per example is below this.")
@options.order
@options.no_bias
@click.option("--balanced", is_flag=True, help="Weight classes by how rare they are.")
@options.of_learner
@options.encoding
@click.option(
    "--certify", type=float, metavar="SECONDS", help="Look so long for the best margin, or a proof that there is none."
)
@click.option("--keep-log", is_flag=True, help="Save the updates and their rows too: for votes and `explain --by example`.")
@click.option("--python", "python", is_flag=True, help="Print the Python that does the same, and stop.")
@options.reading
@options.as_json
@options.quiet
def train(file: str, **given: Any) -> None:
    """Learn from FILE to predict one of its columns.

    FILE is CSV, TSV, Parquet, Arrow, libsvm, labelled text, a folder a class, idx images, `-` for standard input, or the
    name of a known data set (iris, breast-cancer, income, mnist …).

    \b
    rosenblatt train breast-cancer --holdout 0.25
    rosenblatt train people.csv --target income --dev dev.csv -o income.rosenblatt
    """
    job = Job(file, given)
    if given["python"]:
        click.echo(job.as_python())
        return
    started = time.perf_counter()
    reporter = Reporter() if not given["quiet"] and not given["as_json"] else None
    learned = job.run(reporter)
    model = learned.classifier
    if reporter:
        reporter.finish()
    model.summary.seconds = time.perf_counter() - started
    if given["output"]:
        model.save(given["output"])
    margin = job.margin(learned)
    certificate = margin.certificate
    if given["as_json"]:
        certified = {} if given["certify"] is None else {"certificate": certificate.to_dict(first=1)}
        theory = margin.to_dict(first=1)
        options.print_json({**model.summary.to_dict(), "theory": theory, "model": given["output"], **certified})
    else:
        tell(model)
        tell_margin(model, margin, longer=given["certify"] is None)
        if certificate is not None and certificate.separable is False and given["holdout"] is not None:
            click.echo(f"Rows are counted from 1 among the {model.summary.examples:,} that were learned from.")
        if given["output"]:
            click.echo(f"saved in {given['output']}; next: rosenblatt explain {given['output']}")


class Job:
    """What one call of `train` does, and the same as Python."""

    def __init__(self, file: str, given: dict[str, Any]):
        self.file, self.given = file, given
        self.read = options.read_options(given)
        self.target = options.column(given["target"])
        if self.target is not None:
            self.read["target"] = self.target
        output.keep_apart(given["output"], file, given["dev"])
        if given["output"] and not Path(given["output"]).absolute().parent.is_dir():
            folder = Path(given["output"]).absolute().parent
            raise SaveError(f"{given['output']} cannot be written: there is no folder {folder}; make it first.")
        if given["dev"] and given["holdout"] is not None:
            raise click.UsageError("Measure on --dev or on --holdout, not on both.")
        if (given["group"] or given["after"]) and given["holdout"] is None:
            raise click.UsageError("--group and --after say how to hold rows out: they need --holdout.")
        if given["certify"] is not None and not given["certify"] > 0:
            raise click.UsageError(f"--certify {given['certify']}: expected seconds, more than 0.")
        if given["patience"] is not None and not given["dev"] and given["holdout"] is None:
            raise click.UsageError("--patience watches the dev error: it needs --dev or --holdout.")

    def recipe(self) -> dict[str, Any]:
        """The keywords of `Recipe` that differ from its own."""
        given = self.given
        chosen = {"learner": given["learner"], "epochs": given["epochs"], "seed": given["seed"]}
        others = {
            "average": given["average"],
            "patience": given["patience"],
            "tol": given["tol"],
            "order": given["order"] if given["order"] != "shuffled" else None,
            "fit_intercept": False if given["no_bias"] else None,
            "class_weight": "balanced" if given["balanced"] else None,
            "parameters": options.parameters(given),
            "features": options.feature_options(given),
            "keep_log": True if given["keep_log"] else None,
        }
        return chosen | {name: value for name, value in others.items() if value not in (None, {})}

    def split(self) -> dict[str, Any]:
        return {"seed": self.given["seed"]} | options.only(self.given, "group", "after")

    def run(self, reporter: Reporter | None) -> Any:
        from rosenblatt.data import read
        from rosenblatt.data.splits import split
        from rosenblatt.features.table.columns import decimal_commas
        from rosenblatt.learning.classifier import learn_from
        from rosenblatt.learning.driver import Callbacks
        from rosenblatt.learning.learners import Recipe

        recipe = Recipe(**self.recipe())
        recipe.rule()
        data = read(self.file, **self.read)
        with fitting.target_known():
            dev = read(self.given["dev"], **{"zero_based": data.zero_based, **self.read}) if self.given["dev"] else None
        if self.given["holdout"] is not None:
            data, dev = split(data, self.given["holdout"], **self.split())
        if data.kind == "table" and not self.given["quiet"] and (commas := decimal_commas(data.rows)):
            click.echo(f"note: {commas}", err=True)
        return learn_from(data, recipe, dev, Callbacks(progress=reporter.progress if reporter else None))

    def margin(self, learned: Any) -> Any:
        """The margin of the run beside the best; with --certify as many seconds go into the best margin as were given."""
        from rosenblatt.theory.margin_report import FinishedRun, margin_report
        from rosenblatt.theory.separability import certify

        model, examples = learned.classifier, learned.examples
        view = model.linear_view()  # votes have no margin: it is that of the averaged weights then
        finished = FinishedRun(learned.training, examples, model.recipe.rule())
        report = margin_report(finished, (view, model.linear(view)))
        if self.given["certify"] is None:
            return report
        silent = self.given["quiet"] or self.given["as_json"]
        progress = None if silent else lambda sentence: click.echo(sentence, err=True)
        labels, seconds = model.classes[examples.codes], self.given["certify"]
        return report.against(certify(examples.rows, labels, model.recipe.fit_intercept, seconds=seconds, progress=progress))

    def as_python(self) -> str:
        """The same as a script: its model file has the same bytes."""
        from rosenblatt.show.reproduce import TrainingSource, script

        read = {name: value for name, value in self.read.items() if name != "target"}
        output = self.given["output"] or "model.rosenblatt"
        source = TrainingSource(self.file, self.target, self.given["dev"], self.given["holdout"], read, output)
        return script(self.recipe(), source, self.split())


class Reporter:
    """Progress on standard error: a line whenever the number of examples has doubled, and on a terminal a bar below."""

    def __init__(self) -> None:
        self.said_examples = self.said_mistakes = 0
        self.now: Any = None
        self.bar = sys.stderr.isatty()

    def progress(self, now: Any) -> None:
        self.now = now
        if now.examples & (now.examples - 1) == 0:
            self.say()
        if self.bar:
            full = round(40 * now.examples / now.total)
            click.echo(f"\r{'━' * full}{'╌' * (40 - full)} {100 * now.examples / now.total:3.0f} %", nl=False, err=True)

    def say(self) -> None:
        now = self.now
        since = (now.mistakes - self.said_mistakes) / max(1, now.examples - self.said_examples)
        numbers = f"{now.examples:10,}  {now.updates:10,}  {now.norm:10.4g}"
        clear = "\r\x1b[K" if self.bar else ""
        if not self.said_examples:  # only now: whatever could be refused was not
            click.echo(f"{clear}   error  since last    examples     updates         |w|", err=True)
        click.echo(f"{clear}{now.mistakes / now.examples:8.4f}  {since:10.4f}  {numbers}", err=True)
        self.said_examples, self.said_mistakes = now.examples, now.mistakes

    def finish(self) -> None:
        """The last line, and no bar any more."""
        if self.now is not None and self.now.examples > self.said_examples:
            self.say()
        if self.bar:
            click.echo("\r\x1b[K", nl=False, err=True)


def tell(model: Any) -> None:
    """What was learned, for people."""
    summary = model.summary
    classes = ", ".join(map(str, summary.classes[:5])) + (" …" if len(summary.classes) > 5 else "")
    rows, features = counted(summary.examples, "row"), counted(summary.features, "feature")
    click.echo(f"{summary.learner}: {rows}, {features}, classes {classes}")
    passes, updates = counted(summary.epochs, "epoch"), counted(summary.updates, "update")
    click.echo(f"{passes}, {updates}; ended by: {summary.stopped_because}; {summary.seconds:.2f} s")
    majority = 1 - model.class_counts.max() / model.class_counts.sum()
    click.echo(f"training error   {percent(summary.train_error)}   (always {majority_class(model)}: {percent(majority)})")
    if summary.dev_error:
        errors = ", ".join(f"{view} {percent(error)}" for view, error in summary.dev_error.items())
        click.echo(f"dev error        {errors}   (it predicts with the {model.view} weights)")


def tell_margin(model: Any, margin: Any, longer: bool) -> None:
    """The margin beside the best, and the updates beside what theory allows; `longer` where --certify could tell more."""
    from rosenblatt.theory.bounds import at_most

    of_votes = "votes have none; " if model.view == "voted" else ""
    hint = " (--certify SECONDS looks for a proof)" if longer and not margin.settled else ""
    click.echo(f"margin           {of_votes}{margin.sentence(first=1)}{hint}")
    bound = margin.bound
    if bound:
        formula = bound.formula.replace("γ", "γ" if margin.best is None else "γ*")
        click.echo(f"{bound.counts:16} {margin.theorem.count(bound):,} of at most {formula} = {at_most(bound.most)}")
    elif margin.separable:
        click.echo(f"no bound         {bound.because}")


def majority_class(model: Any) -> str:
    return str(model.classes[model.class_counts.argmax()])
