"""rosenblatt calibrate: give a model probabilities, and a threshold, from rows that it has not learned from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import click

from rosenblatt.cli import echo, model_input, options, output, tell
from rosenblatt.cli.evaluate import read_labelled, threshold_sentence


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions(options.ReadingOptions, options.PrintingOptions):
    """The options of `calibrate`."""

    model: str
    file: str
    output: str
    threshold: float | str | None
    unseen: str


@click.command()
@click.argument("model")
@click.argument("file")
@options.target
@click.option(
    "-o", "--output", type=options.WRITTEN, required=True, metavar="MODEL", help="The new model; it may be MODEL itself."
)
@options.threshold
@click.option("--unseen", type=click.Choice(["refuse", "skip"]), default="refuse", help="Labels that training never saw.")
@options.reading
@options.as_json
@options.quiet
def calibrate(**values: Any) -> None:
    """Fit probabilities for MODEL on the labelled rows of FILE, which it has not learned from.

    The weights stay as they are, and so do the classes that are predicted, unless --threshold is given. What is measured is
    cross-fitted: no row by a map that it has helped to fit.

    \b
    rosenblatt train income -o income.rosenblatt
    rosenblatt calibrate income.rosenblatt income:dev -o income.rosenblatt --threshold f1
    rosenblatt predict income.rosenblatt new.csv --proba
    """
    from rosenblatt.learning.calibration import cross_fitted
    from rosenblatt.learning.deciding import calibrate as fit
    from rosenblatt.learning.deciding import set_threshold
    from rosenblatt.learning.measures import ScoredRows, measure_all
    from rosenblatt.learning.threshold import refuse_wrong
    from rosenblatt.studies.cautions import rows_of_training
    from rosenblatt.studies.evaluate import with_labels_like

    chosen = CalibrateOptions(**values)
    if chosen.threshold is not None:
        refuse_wrong(chosen.threshold)
    options.refuse_overwriting(chosen.output, chosen.file)
    options.refuse_no_model_file(chosen.output)
    model = model_input.load_classifier(chosen.model, chosen.file, "`calibrate`")
    data = with_labels_like(model.classes, read_labelled(model, chosen.file, chosen))
    examples, notes, _ = model.examples(data, chosen.unseen)
    if not chosen.quiet:
        model_input.print_notes(notes)
    if sentence := rows_of_training(model, examples):
        tell(sentence, "warning")
    fit(model, examples)
    scores = model.model().scores(examples.rows)
    if chosen.threshold is not None:
        set_threshold(model, chosen.threshold, (scores, examples.codes))
    model.save(chosen.output)
    scored = ScoredRows(examples.codes, scores, model.model().decide(scores), cross_fitted(scores, examples.codes))
    measures, calibration, threshold = measure_all(scored), model.calibration, model.threshold
    assert calibration is not None
    if chosen.as_json:
        facts = {"calibration": calibration.to_arrays()[0], "threshold": None if threshold is None else asdict(threshold)}
        output.print_json({**facts, "measures": measures, "model": chosen.output})
        return
    echo(f"probabilities by {calibration.how}, fitted on {calibration.rows:,} rows of {data.name}\n")
    echo("\n".join(output.measure_lines(measures, model.classes.tolist())))
    if threshold is not None:
        echo("\n" + threshold_sentence(threshold, str(model.classes[1])))
    echo(f"\nsaved in {chosen.output}")
