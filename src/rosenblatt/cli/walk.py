"""rosenblatt walk: a training run step by step."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from rosenblatt.cli import options
from rosenblatt.errors import counted
from rosenblatt.learning.learners import LEARNERS
from rosenblatt.learning.plan import ORDERS

FORMATS = ["table", "markdown", "latex", "csv", "json"]
# What a learner does with the weights of the steps, by the view that predicts.
PREDICTS = {
    "averaged": "what predicts is their mean after every example",
    "voted": "all weights vote, each as often as it was there for an example; their mean is",
}
SIGNS = {"+": 1, "-": -1, "+1": 1, "-1": -1, "1": 1}


@click.command()
@click.argument("file", required=False)
@options.target
@click.option("--points", metavar='"X,Y:+ …"', help="Instead of FILE: points, each with its label after a colon.")
@click.option("--start", metavar="W,W,…", help="First weights, one a feature (0).")
@click.option("--start-bias", type=float, default=0.0, metavar="B", help="First bias (0).")
@options.learner("perceptron")
@options.of_learner
@click.option("-e", "--epochs", type=int, default=10, show_default=True, help="Passes over the rows at most.")
@click.option("--order", type=click.Choice(ORDERS), help="shuffled; points: given.")
@click.option("-s", "--seed", type=int, default=0, show_default=True, help="Of the order.")
@options.no_bias
@click.option("--only-updates", is_flag=True, help="Leave out examples that move nothing.")
@click.option("--from", "first", type=click.IntRange(1), metavar="T", help="Begin with the T-th example seen.")
@click.option("--to", "last", type=click.IntRange(1), metavar="T", help="End with the T-th.")
@click.option("--step", type=click.IntRange(1), metavar="T", help="Only the T-th.")
@click.option("--proof", is_flag=True, help="Add the quantities of the convergence proof.")
@click.option(
    "--certify", type=float, default=60.0, metavar="SECONDS", help="With --proof: time to look for the best margin."
)
@click.option("--all-weights/--moved-weights", default=None, help="A column a weight, or those that moved in one.")
@click.option("--as", "shape", type=click.Choice(FORMATS), default="table", show_default=True, help="Form of the result.")
@options.encoding
@options.reading
@options.as_json
@options.quiet
def walk(file: str | None, **given: Any) -> None:
    """Walk through a training run, one line an example.

    t counts the examples seen, `example` is the row's number in the data; activation and margin are those before the step,
    the weights those after it. FILE is whatever `train` takes. `averaged` and `voted` make the perceptron's steps; the
    averaged weights are told at the end.

    \b
    rosenblatt walk --points "1,1:+ 0.5,-1:- -1,-1:- -1,1:-" --start 1,0
    rosenblatt walk --points "1,1:+ 0.5,-1:- -1,-1:- -1,1:-" --no-bias --proof
    rosenblatt walk iris --learner mira --p 0.5 --only-updates --to 20
    """
    from rosenblatt.theory.convergence import prove
    from rosenblatt.theory.walk_lines import WalkLayout, walk_lines

    shape = "json" if given["as_json"] else given["shape"]
    made, names = walk_of(file, given)
    proof = prove(made, given["certify"]) if given["proof"] else None
    first, stop = part(made, given)
    view = WalkLayout(shape, proof, names, first, stop, given["all_weights"])
    if shape == "json":
        first_part = facts(made, proof, given["learner"])
        click.echo(json.dumps(first_part, ensure_ascii=False, default=options.plain)[:-1] + ', "steps": [')
        between = ""
        for line in walk_lines(made, view):
            click.echo(between + line, nl=False)
            between = ",\n"
        click.echo("]}")
        return
    for line in walk_lines(made, view):
        click.echo(line)
    for sentence in [] if given["quiet"] else ending(made, proof, given["learner"], names):
        click.echo(sentence, err=shape != "table")  # a table for a paper ends where it ends


def ending(made: Any, proof: Any, learner: str, names: Any) -> list[str]:
    """What the run came to, in sentences."""
    from rosenblatt.theory.walk_lines import describe_weights

    epochs, updates = counted(len(made.training.history), "epoch"), counted(made.training.weights.updates, "update")
    said = [f"\n{epochs}, {updates}; ended by: {made.training.stopped_because}"]
    view = LEARNERS[learner].view
    if view in PREDICTS:
        averaged = describe_weights(made, made.training.view("averaged"), names)
        said.append(f"The steps are the perceptron's; {PREDICTS[view]}: {averaged}.")
    said.append(f"Margin: {margin_of(made, proof, learner).sentence(first=1)}".rstrip(".") + ".")
    return said + (told(proof) if proof else [])


def margin_of(made: Any, proof: Any, learner: str) -> Any:
    """The margin of the weights that predict, beside the best."""
    from rosenblatt.theory.margin_report import FinishedRun, margin_report

    view = "averaged" if LEARNERS[learner].view in PREDICTS else "last"
    report = margin_report(FinishedRun.of(made.training), (view, made.training.view(view)))
    return report if proof is None else report.against(proof.certificate)


def walk_of(file: str | None, given: dict[str, Any]) -> tuple[Any, Any]:
    """The walk, and the names of its features where they have some."""
    from rosenblatt.data import read
    from rosenblatt.learning.classifier import prepare
    from rosenblatt.learning.examples import for_classes
    from rosenblatt.learning.learners import Recipe
    from rosenblatt.theory.walk import Walk

    if (file is None) == (given["points"] is None):
        raise click.UsageError("Name a FILE, or type --points, one of the two.")
    chosen = Recipe(
        learner=given["learner"],
        epochs=given["epochs"],
        seed=given["seed"],
        order=given["order"] or ("shuffled" if file else "given"),
        fit_intercept=not given["no_bias"],
        parameters=options.parameters(given),
        features=options.feature_options(given),
    )
    rule, plan = chosen.rule(), chosen.plan()
    start = None if given["start"] is None else numbers("--start", given["start"])
    if not math.isfinite(given["start_bias"]):
        raise click.BadParameter(f"{given['start_bias']} is no finite number.", param_hint="--start-bias")
    if file is None:
        rows, labels = points(given["points"])
        examples, names = for_classes(rows, labels), None
    else:
        reading = options.read_options(given)
        mapping, examples = prepare(read(file, target=options.column(given["target"]), **reading), chosen)
        names = mapping.names
    every = "update" if given["only_updates"] else "example"
    return Walk(examples, rule, plan, (start, given["start_bias"]), every), names


def points(typed: str) -> tuple[list[list[float]], list[Any]]:
    """Points and labels as typed: numbers with commas between, a colon, a label; + and − are +1 and −1.

    Between points stand blanks or semicolons.

    >>> points("1,1:+ 0.5,-1:-")
    ([[1.0, 1.0], [0.5, -1.0]], [1, -1])
    >>> points("1,1:+; 0.5,-1:-") == points("1,1:+ 0.5,-1:-")
    True
    """
    rows, labels = [], []
    words = typed.replace(";", " ").split()
    for word in words:
        place, colon, label = word.rpartition(":")
        if not colon or not label:
            raise click.BadParameter(f"{word!r} has no label: write it as 1,1:+", param_hint="--points")
        rows.append(numbers("--points", place))
        labels.append(label)
    if not rows:
        raise click.BadParameter("there is no point: write some as 1,1:+ -1,0:-", param_hint="--points")
    for row, word in zip(rows, words, strict=True):
        if len(row) != len(rows[0]):
            what = f"{word!r} has {len(row)} coordinate(s), the first point has {len(rows[0])}."
            raise click.BadParameter(what, param_hint="--points")
    if len(set(labels)) < 2:
        raise click.BadParameter(f"all points have the label {labels[0]!r}: two are needed.", param_hint="--points")
    return rows, [SIGNS[label] for label in labels] if set(labels) <= set(SIGNS) else labels


def numbers(option: str, typed: str) -> list[float]:
    """Finite numbers with commas between."""
    found = []
    for word in typed.split(","):
        try:
            found.append(float(word))
        except ValueError:
            raise click.BadParameter(f"{word!r} in {typed!r} is no number.", param_hint=option) from None
        if not math.isfinite(found[-1]):
            raise click.BadParameter(f"{word!r} in {typed!r} is not finite.", param_hint=option)
    return found


def part(made: Any, given: dict[str, Any]) -> tuple[int, int]:
    """The lines to show: first and one past the last."""
    if given["step"] is not None and (given["first"] is not None or given["last"] is not None):
        raise click.UsageError("Show one --step, or a part --from … --to, not both.")
    first = given["step"] or given["first"] or 1
    last = given["step"] or given["last"] or made.training.weights.t
    seen = made.training.weights.t
    if first > seen:
        raise click.UsageError(f"There is no example {first:,}: the run saw {seen:,}.")
    if last < first:
        raise click.UsageError(f"--to {last:,} comes before --from {first:,}.")
    return made.find(first), made.find(last + 1)


def facts(made: Any, proof: Any, learner: str) -> dict[str, Any]:
    """The contract of JSON, the steps apart."""
    found = {
        "learner": made.rule.name,
        "examples": made.examples.rows.n,
        "features": made.examples.rows.d,
        "classes": made.examples.classes,
        "order": made.plan.order,
        "seed": made.plan.seed,
        "fit_intercept": made.plan.fit_intercept,
        "epochs": len(made.training.history),
        "seen": made.training.weights.t,
        "updates": made.training.weights.updates,
        "converged": made.training.converged,
        "stopped_because": made.training.stopped_because,
    }
    found["theory"] = margin_of(made, proof, learner).to_dict(first=1)
    if LEARNERS[learner].view in PREDICTS:
        mean = made.training.view("averaged")
        found["averaged"] = {"w": mean.coef, "b": mean.intercept}
    if proof:
        bound = proof.bound
        found["proof"] = {
            "radius": proof.radius,
            "margin": proof.gamma,
            "best": proof.best,
            "bound": str(bound),
            "at_most": bound.most if bound else None,
            "counts": bound.counts if bound else None,
        }
    return found


def told(proof: Any) -> list[str]:
    """What the proof says, in sentences."""
    space = "θ = (w, b)" if proof.walk.plan.fit_intercept else "θ = w"
    said = [
        f"{space}; R = {proof.radius:.6g}"
        + ("" if proof.gamma is None else f", {'γ*' if proof.best else 'γ'} = {proof.gamma:.6g}")
    ]
    bound = str(proof.bound)
    said.append(bound[0].upper() + bound[1:] + ".")
    if proof.bound:
        said.append(f"It holds because {'; '.join(proof.bound.conditions)}.")
    return said
