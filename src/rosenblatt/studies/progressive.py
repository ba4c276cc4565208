"""Progressive validation: predict each row, then learn from it, once and in the order given."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rosenblatt.engine.weights import Weights
from rosenblatt.errors import SettingError
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.examples import Examples, class_factors
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import LinearRun


def predict_then_learn(model: Classifier, examples: Examples) -> tuple[np.ndarray, int]:
    """The class code predicted for each row before the row is learned, and the mistakes that training counts."""
    factors = class_factors(model.recipe.class_weight, model.classes, counts_of_training(model))
    if factors is not None:
        examples = replace(examples, importance=factors[examples.codes])
    plan = Plan(epochs=1, order="given", fit_intercept=model.recipe.fit_intercept)
    run = LinearRun(examples, model.recipe.rule(), plan, last_weights(model, examples))
    scores = np.empty((examples.rows.n, examples.vectors))
    for row in range(examples.rows.n):
        with np.errstate(all="ignore"):  # what is not finite is refused when it is learned from
            scores[row] = run.score(row)
        if examples.importance is None or examples.importance[row]:
            run.pass_over(None, row + 1, place=row)
    run.refuse_overflow()
    last = model.linear("last")
    return last.decide(scores[:, 0] if examples.vectors == 1 else scores), run.counts().mistakes


def counts_of_training(model: Classifier) -> np.ndarray | None:
    """How many rows of training each class had: what balanced classes are weighted by."""
    if model.class_counts is None and model.recipe.class_weight == "balanced":
        raise SettingError(
            "The model was trained with balanced classes, but its file does not tell how many rows each had: "
            "train it again, or leave out --progressive."
        )
    return model.class_counts


def last_weights(model: Classifier, examples: Examples) -> Weights:
    """The weights that training ended with, to be moved on; falling rates go on falling."""
    weights = Weights(examples.vectors, examples.rows.d, model.recipe.fit_intercept, sparse=not examples.rows.dense)
    weights.start_from(*model.views["last"])
    weights.updates = model.summary.updates or 0
    # The history of an estimator is that of its last call, but `seen` counts all.
    weights.t = weights.settled = model.summary.seen or sum(epoch.examples for epoch in model.history)
    return weights
