"""rosenblatt walk: a training run step by step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, options, output, print_reading_notes
from rosenblatt.cli.types import Seconds
from rosenblatt.errors import counted
from rosenblatt.learning.learner_names import SAID_BY_NAME
from rosenblatt.learning.learners import LEARNERS
from rosenblatt.learning.plan import ORDERS

if TYPE_CHECKING:
    from rosenblatt.theory.convergence import ConvergenceProof
    from rosenblatt.theory.margin_report import MarginReport
    from rosenblatt.theory.walk import Walk

SHAPES = ["table", "markdown", "latex", "csv", "json"]
# What a learner does with the weights of the steps, by the view that predicts.
PREDICTS = {
    "averaged": "what predicts is their mean after every example",
    "voted": "all weights vote, each as often as it was there for an example; their mean is",
}
SIGNS = {"+": 1, "-": -1, "+1": 1, "-1": -1, "1": 1}


@dataclass(frozen=True, kw_only=True)
class WalkOptions(options.LearnerOptions, options.ReadingOptions, options.PrintingOptions):
    """The options of `walk`."""

    file: str | None
    points: str | None
    start: str | None
    start_bias: float
    order: str | None
    only_updates: bool
    first: int | None
    last: int | None
    step: int | None
    proof: bool
    certify: float
    all_weights: bool | None
    shape: str

    def refuse_useless(self) -> None:
        """Refuses options that would change nothing beside the others."""
        if self.points is not None:
            options.refuse_useless([*options.READING, *options.ENCODING], "beside --points, which are taken as they are")
        if not self.proof:
            options.refuse_useless(["certify"], "without --proof")
        elif not self.certify:
            raise click.UsageError("--proof needs the best margin, and --certify 0 looks for none: leave one of them out.")
        if self.as_json and self.shape != "json":
            options.refuse_useless(["shape"], "beside --json")


@click.command()
@click.argument("file", required=False)
@options.target
@click.option("--points", metavar='"X,Y:+ …"', help="Instead of FILE: points, each with its label after a colon.")
@click.option("--start", metavar="W,W,…", help="First weights, one a feature (0).")
@click.option("--start-bias", type=float, default=0.0, metavar="B", help="First bias (0).")
@options.learner("perceptron")
@options.of_learner()
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
    "--certify",
    type=Seconds(0),
    default=60.0,
    metavar="SECONDS",
    help="With --proof: time to look for the best margin, which the proof needs.",
)
@click.option("--all-weights/--moved-weights", default=None, help="A column a weight, or those that moved in one.")
@click.option("--as", "shape", type=click.Choice(SHAPES), default="table", show_default=True, help="Form of the result.")
@options.encoding
@options.reading
@options.as_json
@options.quiet
def walk(**values: Any) -> None:
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

    chosen = WalkOptions(**options.with_parameters(values))
    chosen.refuse_useless()
    shape = "json" if chosen.as_json else chosen.shape
    walk, names = make_walk(chosen)
    proof = prove(walk, chosen.certify) if chosen.proof else None
    first, stop = lines_shown(walk, chosen)
    layout = WalkLayout(shape, proof, names, first, stop, chosen.all_weights)
    if shape == "json":
        output.print_for_programs(json_parts(as_object(walk, proof, chosen.learner), walk_lines(walk, layout)))
        return
    if shape == "csv":
        output.print_for_programs(f"{line}\n" for line in walk_lines(walk, layout))
    else:
        for line in walk_lines(walk, layout):
            echo(line)
    for sentence in [] if chosen.quiet else ending(walk, proof, chosen.learner, names):
        echo(sentence, err=shape != "table")  # a table for a paper ends where it ends


def json_parts(keys: dict[str, Any], steps: Iterable[str]) -> Iterator[str]:
    """An object with these keys and the steps, a line each."""
    yield output.to_json(output.with_reading_notes(keys))[:-1] + ', "steps": [\n'
    for number, step in enumerate(steps):
        yield (",\n" if number else "") + output.escape_json(step)
    yield "]}\n"


def ending(walk: Walk, proof: ConvergenceProof | None, learner: str, names: Sequence[str] | None) -> list[str]:
    """What the run came to, in sentences."""
    from rosenblatt.theory.walk_lines import describe_weights

    epochs, updates = counted(len(walk.training.history), "epoch"), counted(walk.training.weights.updates, "update")
    sentences = [f"\n{epochs}, {updates}; ended by: {walk.training.stopped_because}"]
    view = LEARNERS[learner].view
    if view in PREDICTS:
        averaged = describe_weights(walk, walk.training.view("averaged"), names)
        steps = f"The steps are the {LEARNERS[learner].rule.name}'s" if learner in SAID_BY_NAME else "These are the steps"
        sentences.append(f"{steps}; {PREDICTS[view]}: {averaged}.")
    sentences.append(f"Margin: {margin_of(walk, proof, learner).sentence(first=1)}".rstrip(".") + ".")
    return sentences + (proof_sentences(proof) if proof else [])


def margin_of(walk: Walk, proof: ConvergenceProof | None, learner: str) -> MarginReport:
    """The margin of the weights that predict, beside the best."""
    from rosenblatt.theory.margin_report import FinishedRun, margin_report

    view = "averaged" if LEARNERS[learner].view in PREDICTS else "last"
    report = margin_report(FinishedRun.of(walk.training), (view, walk.training.view(view)))
    return report if proof is None else report.against(proof.certificate)


def make_walk(chosen: WalkOptions) -> tuple[Walk, Sequence[str] | None]:
    """The walk, and the names of its features where they have some."""
    from rosenblatt.data import read
    from rosenblatt.learning.examples import class_labels_of, for_classes
    from rosenblatt.learning.learn import prepare
    from rosenblatt.theory.walk import Walk

    if (chosen.file is None) == (chosen.points is None):
        raise click.UsageError("Name a FILE, or type --points, one of the two.")
    recipe = chosen.recipe(order=chosen.order or ("shuffled" if chosen.file else "given"), regression=False)
    rule, plan = recipe.rule(), recipe.plan()
    start = None if chosen.start is None else numbers("--start", chosen.start)
    if not math.isfinite(chosen.start_bias):
        raise click.BadParameter(f"{chosen.start_bias} is no finite number.", param_hint="--start-bias")
    names: Sequence[str] | None = None
    if chosen.points is not None:
        examples = for_classes(*points(chosen.points))
    else:
        data = read(str(chosen.file), **chosen.read_keywords())
        print_reading_notes(data)
        class_labels_of(data)  # refuses a quantity
        mapping, examples = prepare(data, recipe)
        names = mapping.names
    every = "update" if chosen.only_updates else "example"
    return Walk(examples, rule, plan, (start, chosen.start_bias), every), names


def points(typed: str) -> tuple[list[list[float]], list[int] | list[str]]:
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
    parsed = []
    for word in typed.split(","):
        try:
            parsed.append(float(word))
        except ValueError:
            raise click.BadParameter(f"{word!r} in {typed!r} is no number.", param_hint=option) from None
        if not math.isfinite(parsed[-1]):
            raise click.BadParameter(f"{word!r} in {typed!r} is not finite.", param_hint=option)
    return parsed


def lines_shown(walk: Walk, chosen: WalkOptions) -> tuple[int, int]:
    """The lines to show: first and one past the last."""
    if chosen.step is not None and (chosen.first is not None or chosen.last is not None):
        raise click.UsageError("Show one --step, or a part --from … --to, not both.")
    first = chosen.step or chosen.first or 1
    last = chosen.step or chosen.last or walk.training.weights.t
    seen = walk.training.weights.t
    if first > seen:
        raise click.UsageError(f"There is no example {first:,}: the run saw {seen:,}.")
    if last < first:
        raise click.UsageError(f"--to {last:,} comes before --from {first:,}.")
    return walk.find(first), walk.find(last + 1)


def as_object(walk: Walk, proof: ConvergenceProof | None, learner: str) -> dict[str, Any]:
    """The contract of JSON, the steps apart."""
    from rosenblatt.theory.bounds import Bound

    keys: dict[str, Any] = {
        "learner": walk.rule.name,
        "examples": walk.examples.rows.n,
        "features": walk.examples.rows.d,
        "classes": walk.examples.classes,
        "order": walk.plan.order,
        "seed": walk.plan.seed,
        "fit_intercept": walk.plan.fit_intercept,
        "epochs": len(walk.training.history),
        "seen": walk.training.weights.t,
        "updates": walk.training.weights.updates,
        "converged": walk.training.converged,
        "stopped_because": walk.training.stopped_because,
    }
    keys["theory"] = margin_of(walk, proof, learner).to_dict(first=1)
    if LEARNERS[learner].view in PREDICTS:
        mean = walk.training.view("averaged")
        keys["averaged"] = {"w": mean.coef, "b": mean.intercept}
    if proof:
        bound = proof.bound if isinstance(proof.bound, Bound) else None
        keys["proof"] = {
            "radius": proof.radius,
            "margin": proof.gamma,
            "best": proof.best,
            "bound": str(proof.bound),
            "at_most": bound.most if bound else None,
            "counts": bound.counts if bound else None,
        }
    return keys


def proof_sentences(proof: ConvergenceProof) -> list[str]:
    """What the proof says, in sentences."""
    from rosenblatt.theory.bounds import Bound

    space = "θ = (w, b)" if proof.walk.plan.fit_intercept else "θ = w"
    sentences = [
        f"{space}; R = {proof.radius:.6g}"
        + ("" if proof.gamma is None else f", {'γ*' if proof.best else 'γ'} = {proof.gamma:.6g}")
    ]
    bound = str(proof.bound)
    sentences.append(bound[0].upper() + bound[1:] + ".")
    if isinstance(proof.bound, Bound):
        sentences.append(f"It holds because {'; '.join(proof.bound.conditions)}.")
    return sentences
