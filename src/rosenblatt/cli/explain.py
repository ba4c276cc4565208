"""rosenblatt explain: what a model has learned, or why it decided so."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt.cli import options
from rosenblatt.cli.facts import aligned
from rosenblatt.cli.options import percent

TOP = 20


@click.command()
@click.argument("model")
@click.argument("file", required=False)
@click.option("-r", "--row", type=click.IntRange(1), metavar="N", help="Explain the N-th data row of FILE.")
@click.option("--top", type=click.IntRange(0), default=TOP, show_default=True, metavar="N", help="Lines a list; 0 for all.")
@click.option("--view", type=click.Choice(["last", "averaged", "best"]), help="Weights to look at: else those that predict.")
@options.target
@options.reading
@options.as_json
@options.quiet
def explain(model: str, file: str | None, **given: Any) -> None:
    """Show what MODEL has learned, or why it decided so about one row of FILE.

    Without a row: the largest weights of each class, how often their features occur, and the class's share there. With a
    row: the score as a sum, largest parts first, and the smallest change of one value that would change the decision.
    With more than two classes the score is the winner's minus the runner-up's.

    \b
    rosenblatt train iris -o iris.rosenblatt
    rosenblatt explain iris.rosenblatt
    rosenblatt explain iris.rosenblatt iris --row 71
    """
    if (file is None) != (given["row"] is None):
        raise click.UsageError("A row is explained with FILE and --row N together.")
    from rosenblatt.classifier import load

    loaded = load(model)
    if file is None:
        tell_weights(loaded, given)
    else:
        tell_row(loaded, file, given)


def tell_weights(model: Any, given: dict[str, Any]) -> None:
    from rosenblatt.explain import bias, numeric_features, warnings, weights

    found, b, warned = weights(model, given["view"], given["top"]), bias(model, given["view"]), warnings(model)
    if given["as_json"]:
        listed = [
            {"class": w.label, "feature": w.feature, "weight": w.weight, "count": w.count, "share": w.share} for w in found
        ]
        options.print_json({"bias": b, "weights": listed, "warnings": warned})
        return
    rows = int(model.class_counts.sum())
    click.echo(f"{model.features.n_features:,} features, {given['view'] or model.view} weights, {rows:,} rows in training")
    if not isinstance(b, dict):
        click.echo(f"bias {b:.4f}; a score of 0 or more is {model.classes[1]}")
    numbers = numeric_features(model)
    for label, count in zip(model.classes.tolist(), model.class_counts.tolist(), strict=True):
        lines = [
            [w.feature, f"{w.weight:.4f}", *(["number", ""] if w.feature in numbers else [str(w.count), percent(w.share)])]
            for w in found
            if w.label == label
        ]
        b_of_class = f", bias {b[str(label)]:.4f}" if isinstance(b, dict) else ""
        click.echo(f"\n{label}: {percent(count / rows)} of the rows{b_of_class}")
        aligned(["feature", "weight", "rows", f"{label}"], lines, 0)
    if getattr(model.features, "scale", False) and numbers:
        click.echo("\nNumbers were scaled: their weights are per standard deviation.")
    for warning in warned:
        click.echo(f"\n→ {warning}")


def tell_row(model: Any, file: str, given: dict[str, Any]) -> None:
    from rosenblatt.explain import explain as explained

    row = find_row(model, file, given)
    why = explained(model, row, given["view"])
    if given["as_json"]:
        options.print_json(as_object(why, given["row"]))
        return
    label = "" if why.label is None else f"; the file says {why.label}"
    click.echo(f"Row {given['row']} of {row.name}: {why.prediction}{label}")
    if len(model.classes) == 2:
        click.echo(f"score {why.score:.4f}; 0 or more is {model.classes[1]}")
    else:
        click.echo(f"score {why.score:.4f}: {why.prediction} against {why.against}, the runner-up; so are weights and bias")
    click.echo()
    parts = [(abs(t.contribution), cells(t)) for t in why.terms]
    parts.append((abs(why.bias), ["(bias)", "", "", f"{why.bias:.4f}"]))
    parts.sort(key=lambda part: -part[0])
    aligned(["feature", "value", "weight", "contribution"], [part for _, part in parts], given["top"])
    click.echo(f"\n{flip_sentence(why, hashed=getattr(model.features, 'hashing', None) is not None)}")
    if not given["quiet"]:
        for sentence in why.notes.sentences():
            click.echo(sentence, err=True)


def find_row(model: Any, file: str, given: dict[str, Any]) -> Any:
    """The row with this number, without keeping the others."""
    from rosenblatt.data import batches
    from rosenblatt.errors import DataError

    reading = options.read_options(given, model)
    reading["target"], seen = options.column(given["target"]), 0
    for batch in batches(file, **reading):
        place = given["row"] - 1 - seen
        if place < len(batch):
            return batch.slice(place, place + 1)
        seen += len(batch)
    raise DataError(f"{file} has {seen:,} rows: there is no row {given['row']:,}.")


def as_object(why: Any, row: int) -> dict[str, Any]:
    """The contract of --json."""
    made = {
        "row": row,
        "bias": why.bias,
        "contributions": [
            {"feature": t.feature, "value": t.value, "weight": t.weight, "contribution": t.contribution}
            | ({} if t.original is None else {"original": t.original})
            for t in why.terms
        ],
        "score": why.score,
        "prediction": why.prediction,
        "against": why.against,
    }
    if why.label is not None:
        made["label"] = why.label
    if why.flip is not None:
        f = why.flip
        made["flip"] = {
            "feature": f.feature, "from": f.before, "to": f.after, "change": f.change, "prediction": f.prediction,
            "plausible": f.plausible,
        }  # fmt: skip
    return made


def cells(term: Any) -> list[str]:
    value = f"{term.value:.4g}" if term.original is None else f"{term.original:.6g}"
    return [term.feature, value, f"{term.weight:.4f}", f"{term.contribution:.4f}"]


def flip_sentence(why: Any, hashed: bool) -> str:
    """The smallest change that flips, for people."""
    flip = why.flip
    if flip is None and hashed:
        return "Hashed values are not remembered: which of them would change the decision cannot be told."
    if flip is None:
        return "No change of a single value would change the decision."
    after = f"{flip.after:.6g}" if isinstance(flip.after, float) else flip.after
    before = "missing" if flip.before is None else f"{flip.before:.6g}" if isinstance(flip.before, float) else flip.before
    far = f" ({flip.far:.1f} standard deviations)" if flip.far else ""
    unlikely = "" if flip.plausible else "; that is far from anything in training"
    return f"It would be {flip.prediction} with {flip.feature} {after} instead of {before}{far}{unlikely}."
