"""train --json: what a run has learned, as one object."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rosenblatt.cli import output, train_search
from rosenblatt.cli.train import TrainOptions, readings_of
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.learn import Learned, LearnedNumbers

if TYPE_CHECKING:
    from rosenblatt.studies.auto import Search
    from rosenblatt.theory.margin_report import MarginReport


def facts_of(
    chosen: TrainOptions, learned: Learned | LearnedNumbers, search: Search | None, margin: MarginReport | None
) -> dict[str, Any]:
    """The object."""
    model, certificate = learned.classifier, None if margin is None else margin.certificate
    readings, trials = readings_of(model), getattr(model.features, "trials", {})
    certified = {} if not chosen.certify or certificate is None else {"certificate": certificate.to_dict(first=1)}
    theory = None if margin is None else margin.to_dict(first=1)
    columns: dict[str, Any] = {} if readings is None else {"columns": output.columns_object(readings)}
    columns |= {"auto": train_search.as_object(search)} if search else {}
    columns |= {"features_tried": {name: asdict(trial) for name, trial in trials.items()}} if trials else {}
    if isinstance(learned, LearnedNumbers):
        from rosenblatt.cli import train_numbers

        columns |= train_numbers.as_object(learned)
    elif learned.held_out is not None:
        columns |= dev_facts(learned)
    columns |= {"history": epochs_of(learned), **decides_of(model)}
    return {**model.summary.to_dict(), "theory": theory, "model": chosen.output, **certified, **columns}


def dev_facts(learned: Learned) -> dict[str, Any]:
    """The rows that were held out."""
    return {"dev_majority_error": dev_majority(learned)[1], "dev_measures": dev_measures(learned)}


def dev_measures(learned: Learned) -> dict[str, float | None]:
    """The measures of the rows that were held out."""
    from rosenblatt.learning.measures import measure_all
    from rosenblatt.studies.evaluate import score_held_out

    scored = score_held_out(learned)
    assert scored is not None
    return measure_all(scored)


def dev_majority(learned: Learned) -> tuple[Any, float]:
    """The commonest class of the rows to measure on, and the error of always predicting it."""
    import numpy as np

    assert learned.held_out is not None
    counts = np.bincount(learned.held_out.codes, minlength=len(learned.classifier.classes))
    # A quotient of counts, as the error is: 1 - 0.9 is a little more or less than 0.1.
    return learned.classifier.classes[counts.argmax()], float((counts.sum() - counts.max()) / counts.sum())


def decides_of(model: Classifier) -> dict[str, Any]:
    """Where probabilities come from, and from which on the second class is predicted."""
    of_maps = None if model.calibration is None else model.calibration.to_arrays()[0]
    return {"calibration": of_maps, "threshold": None if model.threshold is None else asdict(model.threshold)}


def epochs_of(learned: Learned | LearnedNumbers) -> list[dict[str, Any]]:
    """The epochs, with the dev error of the weights that stopping watches and what they predicted there."""
    averages, predicted = learned.classifier.recipe.averages, learned.training.held_out_predicted
    epochs = []
    for number, epoch in enumerate(learned.classifier.history):
        facts = {"epoch": number + 1, **asdict(epoch)}
        facts["dev_error"] = epoch.held_out_averaged if averages else epoch.held_out_last
        if number < len(predicted):
            facts["dev_predicted"] = (predicted[number] / predicted[number].sum()).tolist()
            if len(predicted[number]) == 2:
                facts["dev_positive"] = facts["dev_predicted"][1]
        epochs.append(facts)
    return epochs
