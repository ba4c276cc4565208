"""What `train` tells about a model that predicts numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, output, tell
from rosenblatt.errors import amount, counted
from rosenblatt.studies.evaluate_numbers import measure_training

if TYPE_CHECKING:
    from rosenblatt.data import Dataset
    from rosenblatt.learning.learn import LearnedNumbers

SMALL_SHARE = 0.05  # of the variance that is left: so small, one column may give the target away


def as_object(learned: LearnedNumbers) -> dict[str, Any]:
    """For --json: the errors, in training and on rows held out; `train_error` and `dev_error` are mean squared errors."""
    training, held_out = measure_training(learned)
    scale = learned.classifier.target_scale
    assert scale is not None
    facts: dict[str, Any] = {"task": "numbers", "target_scale": scale.to_json(), "train_measures": training.to_dict()}
    return facts if held_out is None else facts | {"dev_measures": held_out.to_dict()}


def check_learned(learned: LearnedNumbers, data: Dataset, dev: Dataset | None, certify: float | None) -> LearnedNumbers:
    """Warns of columns that give the target away, where training hardly errs, and of shared IDs; refuses --certify."""
    if certify:
        raise click.UsageError("--certify is about classes, and the target is a quantity: leave it out.")
    scale, error = learned.classifier.target_scale, learned.classifier.summary.train_error
    if scale is not None and error is not None and error <= SMALL_SHARE * scale.sd**2:
        from rosenblatt.studies.cautions import number_giveaways

        for sentence in number_giveaways(learned.classifier, data):
            tell(sentence, "warning")
    if dev is not None:
        from rosenblatt.studies.cautions import about_shared_ids

        for sentence in about_shared_ids(data, dev):
            tell(sentence, "warning")
    return learned


def print_summary(learned: LearnedNumbers) -> None:
    """What was learned, for people."""
    model, trained = learned.classifier, learned.training
    summary, scale = model.summary, model.target_scale
    assert scale is not None
    rows, features = counted(learned.examples.rows.n, "row"), counted(model.features.n_features, "feature")
    reach = f"from {amount(scale.least)} to {amount(scale.most)}, mean {amount(scale.mean)}"
    echo(f"{summary.learner}: {rows}, {features}, predicts {model.target or 'numbers'}: {reach}")
    passes, updates = counted(len(trained.history), "epoch"), counted(trained.updates, "update")
    echo(f"{passes}, {updates}; ended by: {trained.stopped_because}; {summary.seconds:.2f} s")
    training, held_out = measure_training(learned)
    for name, measures in {"training": training, "dev": held_out}.items():
        for number, line in enumerate([] if measures is None else output.number_lines(measures, scale)):
            echo(f"{name * (not number):16} {line}")
    if summary.dev_error:
        errors = ", ".join(f"{view} {amount(error)}" for view, error in summary.dev_error.items())
        echo(f"dev by weights   mean squared error: {errors}   (it predicts with the {model.view} weights)")
