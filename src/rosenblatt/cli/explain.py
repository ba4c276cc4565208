"""rosenblatt explain: what a model has learned, or why it decided so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, model_input, options, output, print_reading_notes
from rosenblatt.cli.output import print_table
from rosenblatt.errors import counted, percent

if TYPE_CHECKING:
    from rosenblatt.data import Dataset
    from rosenblatt.learning.classifier import Classifier
    from rosenblatt.learning.influences import Influences
    from rosenblatt.studies.explain import Explanation, Term, Weight

LONGEST_CELL = 40  # letters of a value that are shown
BYTES_AT_A_TIME = 2**20  # of a table in which a row is looked for


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(options.ReadingOptions, options.PrintingOptions):
    """The options of `explain`."""

    model: str
    file: str | None
    row: int | None
    top: int
    view: str | None
    by: str | None
    weight: str | None

    def refuse_contradictions(self) -> None:
        """Refuses options that cannot be together, before anything is read."""
        if self.file is not None and self.row is None:
            raise click.UsageError("FILE has rows, and one is explained at a time: add --row N, counted from 1.")
        if self.file is None and self.row is not None:
            raise click.UsageError("--row N is a row of FILE: name the file after the model.")
        if self.file is None:
            options.refuse_useless(options.READING, "without FILE")
        if self.weight is not None and self.file is not None:
            raise click.UsageError("--weight is about the model: leave out FILE and --row.")
        if self.by == "example" and self.file is None:
            raise click.UsageError("--by example explains a row: name FILE and --row N.")


@click.command()
@click.argument("model")
@click.argument("file", required=False)
@click.option("-r", "--row", type=click.IntRange(1), metavar="N", help="Explain the N-th data row of FILE.")
@click.option("--top", type=click.IntRange(0), default=20, show_default=True, metavar="N", help="Lines a list; 0 for all.")
@click.option("--view", type=click.Choice(["last", "averaged", "best"]), help="Weights to look at: else those that predict.")
@click.option(
    "--by",
    type=click.Choice(["column", "feature", "example"]),
    help="Parts of the score to list: columns of a table.",
)
@click.option("--weight", metavar="FEATURE", help="The mistakes that built this feature's weight.")
@options.target
@options.reading
@options.as_json
@options.quiet
def explain(**values: Any) -> None:
    """Show what MODEL has learned, or why it decided so about one row of FILE.

    Without a row: the largest weights of each class, how often their features occur, and the class's share there. With a
    row: the score as a sum, largest parts first, and the smallest change of one value that would change the decision.
    Columns of a table are compared with their mean in training; --by feature lists value times weight instead. With more
    than two classes the score is the winner's minus the runner-up's. A model that was trained with --keep-log also tells
    which training examples made the score (--by example), or a weight (--weight).

    \b
    rosenblatt train iris --keep-log -o iris.rosenblatt
    rosenblatt explain iris.rosenblatt
    rosenblatt explain iris.rosenblatt iris --row 71
    rosenblatt explain iris.rosenblatt iris --row 71 --by example
    """
    chosen = ExplainOptions(**values)
    chosen.refuse_contradictions()
    model = model_input.load_model(chosen.model, chosen.file)
    if model.predicts_numbers and (chosen.weight is not None or chosen.by == "example"):
        model.remembered()  # says why there is none
    if chosen.weight is not None:
        explain_weight(model, chosen.weight, chosen)
    elif chosen.file is None:
        explain_model(model, chosen)
    elif chosen.by == "example":
        explain_row_by_examples(model, chosen)
    else:
        explain_row(model, chosen)


def explain_model(model: Classifier, chosen: ExplainOptions) -> None:
    """The largest weights of each class."""
    from rosenblatt.studies.explain import bias, numeric_features, warnings, weights

    largest, b = weights(model, chosen.view, chosen.top), bias(model, chosen.view)
    if chosen.as_json:
        listed = [
            {"class": w.label, "feature": w.feature, "weight": w.weight, "count": w.count, "share": w.share} for w in largest
        ]
        output.print_json({"bias": b, "weights": listed, "warnings": warnings(model)})
        return
    counts = model.class_counts
    rows = "" if counts is None else f", {counted(int(counts.sum()), 'row')} in training"
    echo(f"{counted(model.features.n_features, 'feature')}, {model.linear_view(chosen.view)} weights{rows}")
    if model.counts is None:
        echo("In how many rows of training each feature occurs is not known: the model was saved by an estimator.")
    if model.predicts_numbers:
        print_number_weights(model, largest, b)
        return
    if not isinstance(b, dict):
        echo(f"bias {b:.4f}; a score of {cut_of(model, chosen.view)} or more is {model.classes[1]}")
    numbers = numeric_features(model)
    head = ["feature", "weight"] if model.counts is None else ["feature", "weight", "rows"]
    for code, label in enumerate(model.classes.tolist()):
        lines = [[w.feature, f"{w.weight:.4f}", *occurring(w, w.feature in numbers)] for w in largest if w.label == label]
        facts = [] if counts is None else [f"{percent(counts[code] / counts.sum())} of the rows"]
        facts += [f"bias {b[str(label)]:.4f}"] if isinstance(b, dict) else []
        echo(f"\n{label}{': ' if facts else ''}{', '.join(facts)}")
        print_table(head if model.counts is None else [*head, f"{label}"], lines, 0)
    if getattr(model.features, "scale", False) and numbers:
        echo("\nNumbers were scaled: their weights are per standard deviation.")
    for warning in warnings(model):
        echo(f"\n→ {warning}")


def print_number_weights(model: Classifier, largest: list[Weight], b: float | dict[str, float]) -> None:
    """The largest weights of a model that predicts numbers."""
    from rosenblatt.studies.explain import numeric_features, warnings

    echo(f"bias {b:.6g}; the prediction is bias + Σ weight × value, in the units of {model.target or 'the target'}\n")
    numbers = numeric_features(model)
    lines = [[w.feature, f"{w.weight:.4g}", *occurring(w, w.feature in numbers)[:1]] for w in largest]
    print_table(["feature", "weight"] if model.counts is None else ["feature", "weight", "rows"], lines, 0)
    if getattr(model.features, "scale", False) and numbers:
        echo("\nNumbers were scaled: their weights are per standard deviation.")
    for warning in warnings(model):
        echo(f"\n→ {warning}")


def occurring(weight: Weight, is_number: bool) -> list[str]:
    """The cells about the rows in which a feature occurs; none where nobody has counted."""
    if weight.count is None:
        return []
    return ["number", ""] if is_number else [str(weight.count), percent(weight.share or 0.0)]


def explain_row(model: Classifier, chosen: ExplainOptions) -> None:
    """The score of a row as a sum over its features."""
    from rosenblatt.studies.explain import explain as explain_score

    row = find_row(model, chosen)
    model_input.refuse_other_kind(model, row)
    why = explain_score(model, row, chosen.view)
    words, facts = verdict(model, row.rows, why.prediction, chosen.view)
    if chosen.as_json:
        output.print_json({"row": chosen.row} | as_object(why) | facts)
        return
    label = "" if why.label is None else f"; the file says {why.label}"
    echo(f"Row {chosen.row} of {row.name}: {words}{label}")
    if model.predicts_numbers:
        pass  # the score is the prediction
    elif len(model.classes) == 2:
        echo(f"score {why.score:.4f}; {cut_of(model, chosen.view)} or more is {model.classes[1]}")
    else:
        echo(f"score {why.score:.4f}: {why.prediction} against {why.against}, the runner-up; so are weights and bias")
    echo()
    if why.columns is not None and chosen.by != "feature":
        print_columns(why, chosen.top)
    else:
        parts = [(abs(t.contribution), cells(t)) for t in why.terms]
        parts.append((abs(why.bias), ["(bias)", "", "", f"{why.bias:.4f}"]))
        parts.sort(key=lambda part: -part[0])
        print_table(["feature", "value", "weight", "contribution"], [part for _, part in parts], chosen.top)
    if not model.predicts_numbers:
        echo(f"\n{flip_sentence(why, model)}")
    if not chosen.quiet:
        for sentence in why.notes.sentences():
            echo(sentence, err=True)


def verdict(model: Classifier, rows: Any, explained: Any, view: str | None) -> tuple[str, dict[str, Any]]:
    """What is predicted, in words and for --json. Votes are no sum of parts: then the averaged weights are explained."""
    name = model.linear_view(view)
    if view is not None or model.view == name:
        shown = f"{explained:.6g}" if model.predicts_numbers else explained
        return f"{shown} by the {name} weights", {"prediction": explained, "view": name}
    (voted,) = model.predict(rows).tolist()
    words = (
        f"{voted} by votes; the {name} weights, whose score follows, say {'so, too' if voted == explained else explained}"
    )
    return words, {"prediction": voted, "view": name, "prediction_of_view": explained}


def cut_of(model: Classifier, view: str | None) -> str:
    """The score from which on the second of two classes is predicted: 0, or that of a threshold."""
    cut = model.model(model.linear_view(view)).cut
    return "0" if cut is None else f"{cut:.4f}"


def explain_row_by_examples(model: Classifier, chosen: ExplainOptions) -> None:
    """The training examples that made the score of a row."""
    row = find_row(model, chosen)
    model_input.refuse_other_kind(model, row)
    influences = model.influences(row.rows, chosen.view)
    scorer, (x, notes) = model.model(model.linear_view(chosen.view)), model.transform(row.rows)
    labels = model.classes.tolist()
    code = int(scorer.decide(scorer.scores(x))[0])
    against = labels[1 - code] if len(labels) == 2 else labels[scorer.winner_and_runner_up(x)[1]]
    words, facts = verdict(model, row.rows, labels[code], chosen.view)
    if chosen.as_json:
        facts = {"row": chosen.row, "against": against} | facts
        output.print_json(facts | {"score": influences.score} | as_objects(model, influences))
        return
    echo(f"Row {chosen.row} of {row.name}: {words}")
    if len(labels) == 2:
        cut = cut_of(model, chosen.view)
        echo(f"score {influences.score:.4f}; {cut} or more is {labels[1]}, and so a part above 0 speaks for {labels[1]}")
    else:
        echo(f"score {influences.score:.4f}: {labels[code]} against {against}, the runner-up; so are the parts")
    echo()
    print_examples(model, influences, chosen.top)
    if not chosen.quiet:
        model_input.print_notes(notes)


def explain_weight(model: Classifier, name: str, chosen: ExplainOptions) -> None:
    """The training examples that made a feature's weight, class by class."""
    from rosenblatt.errors import SettingError
    from rosenblatt.learning.influences import on_weight

    memory, names = model.remembered(), model.features.names
    if name not in names:
        from difflib import get_close_matches

        near = get_close_matches(name, names, 1)
        raise SettingError(f"The model has no feature {name!r}.{f' Did you mean {near[0]!r}?' if near else ''}")
    view = model.linear_view(chosen.view)
    labels = model.classes.tolist()[1:] if memory.vectors == 1 else model.classes.tolist()
    by_class = {label: on_weight(memory, names.index(name), view, vector) for vector, label in enumerate(labels)}
    if chosen.as_json:
        weights = [
            {"class": label, "weight": influences.score} | as_objects(model, influences)
            for label, influences in by_class.items()
        ]
        output.print_json({"feature": name, "view": view, "weights": weights})
        return
    for label, influences in by_class.items():
        echo(f"{name}: weight {influences.score:.4f} for {label}, {view}\n")
        print_examples(model, influences, chosen.top)
        if label != labels[-1]:
            echo()


def print_examples(model: Classifier, influences: Influences, top: int) -> None:
    """Training examples and their parts, and what they come to."""
    labels = model.classes.tolist()
    lines = [
        [
            str(e.row + 1),
            str(labels[e.code]),
            "" if e.updates is None else str(e.updates),
            f"{round(e.contribution, 4) + 0.0:.4f}",
        ]
        for e in influences.examples
    ]
    print_table(["training row", "label", "updates", "contribution"], lines, top)
    parts = [e.contribution for e in influences.examples]
    up, down = sum(part for part in parts if part > 0), sum(part for part in parts if part < 0)
    start = f", {influences.start:.4f} from where training began" if influences.start else ""
    echo(f"\n{counted(len(parts), 'example')}: {up:.4f} for, {down:.4f} against{start}; together {influences.score:.4f}.")


def as_objects(model: Classifier, influences: Influences) -> dict[str, Any]:
    """The contract of --json."""
    labels = model.classes.tolist()
    listed = [
        {"training_row": e.row + 1, "label": labels[e.code], "updates": e.updates, "contribution": e.contribution}
        for e in influences.examples
    ]
    return {"start": influences.start, "influences": listed}


def find_row(model: Classifier, chosen: ExplainOptions) -> Dataset:
    """The row with this number, without keeping the others."""
    from rosenblatt.data import batches
    from rosenblatt.data.read_options import BufferSizes
    from rosenblatt.errors import DataError

    assert chosen.file is not None
    assert chosen.row is not None
    seen, sizes = 0, BufferSizes(table_block=BYTES_AT_A_TIME)
    for batch in batches(chosen.file, rows=None, **chosen.read_keywords(model), sizes=sizes):
        print_reading_notes(batch)
        place = chosen.row - 1 - seen
        if place < len(batch):
            return batch.slice(place, place + 1)
        seen += len(batch)
    raise DataError(f"{chosen.file} has {counted(seen, 'row')}: there is no row {chosen.row:,}.")


def as_object(why: Explanation) -> dict[str, Any]:
    """The contract of --json."""
    keys: dict[str, Any] = {
        "bias": why.bias,
        "contributions": [
            {"feature": t.feature, "value": t.value, "weight": t.weight, "contribution": t.contribution}
            | ({} if t.original is None else {"original": t.original})
            for t in why.terms
        ],
        "base": why.base,
        "score": why.score,
        "against": why.against,
    }
    if why.columns is not None:
        keys["columns"] = [
            {"column": part.column, "value": part.value, "contribution": part.contribution} for part in why.columns
        ]
    if why.label is not None:
        keys["label"] = why.label
    if why.flip is not None:
        f = why.flip
        keys["flip"] = {
            "feature": f.feature, "from": f.before, "to": f.after, "change": f.change, "prediction": f.prediction,
            "plausible": True,  # within the values of training, since it is looked for there only
        }  # fmt: skip
    return keys


def print_columns(why: Explanation, top: int) -> None:
    """What each column contributes, beyond its mean in training."""
    assert why.columns is not None
    rows = [[part.column, cell(part.value), f"{part.contribution:+.4f}"] for part in why.columns]
    print_table(["column", "value", "contribution"], rows, top)
    what = "prediction" if why.against is None else "score"
    echo(f"\nEach is compared with its mean in training; without them the {what} is {why.base:.4f}. --by feature: weights")


def cell(value: object) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else shortened(str(value))


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def cells(term: Term) -> list[str]:
    value = f"{term.value:.4g}" if term.original is None else f"{term.original:.6g} (scaled {term.value:.4g})"
    return [term.feature, value, f"{term.weight:.4f}", f"{term.contribution:.4f}"]


def flip_sentence(why: Explanation, model: Classifier) -> str:
    """The smallest change that flips, for people."""
    flip = why.flip
    if flip is None and getattr(model.features, "hashing", None) is not None:
        return "Hashed values are not remembered: which of them would change the decision cannot be told."
    if flip is None and model.kind == "text":
        return "No single word, taken out or added, would change the decision."
    if flip is None:
        return "No change of a single value would change the decision."
    if flip.is_word:
        return f"It would be {flip.prediction} {f'without {flip.feature}' if flip.before else f'with {flip.feature} added'}."
    after = f"{flip.after:.6g}" if isinstance(flip.after, float) else flip.after
    before = "missing" if flip.before is None else f"{flip.before:.6g}" if isinstance(flip.before, float) else flip.before
    far = f" ({flip.far:.1f} standard deviations)" if flip.far else ""
    return f"It would be {flip.prediction} with {flip.feature} {after} instead of {before}{far}."
