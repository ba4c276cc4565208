"""How good a model is that predicts numbers: errors in the target's units, and row by row.

>>> from rosenblatt.data import Dataset
>>> from rosenblatt.learning.learn import learn
>>> import polars as pl
>>> table = pl.DataFrame({"a": [float(i) for i in range(40)]})
>>> data = Dataset("table", table, pl.Series("y", [2.5 * i + 7.25 for i in range(40)]), "line")
>>> evaluation = evaluate_numbers(learn(data, epochs=50), data)
>>> evaluation.measures.r2 > 0.999
True
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.errors import SettingError
from rosenblatt.features import Notes
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.examples import RegressionExamples
from rosenblatt.learning.learn import LearnedNumbers
from rosenblatt.learning.number_measures import NumberMeasures
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import LinearRun
from rosenblatt.studies.evaluate import last_weights


@dataclass(frozen=True)
class NumberEvaluation:
    """A model of numbers on labelled rows."""

    examples: RegressionExamples
    predicted: np.ndarray
    measures: NumberMeasures
    kept: np.ndarray  # the numbers of the rows that were measured
    left_out: int  # rows whose target is no number
    notes: Notes


def evaluate_numbers(
    model: Classifier, data: Dataset, unseen: str = "refuse", view: str | None = None, progressive: bool = False
) -> NumberEvaluation:
    """What `evaluate` does, of a model that predicts numbers."""
    if not model.predicts_numbers:
        raise SettingError("The model predicts classes: measure it with `evaluate`.")
    examples, notes, kept = model.number_examples(data, unseen)
    predicted = predict_then_learn_numbers(model, examples) if progressive else model.model(view).scores(examples.rows)
    measures = measure_numbers(model, examples, predicted)
    return NumberEvaluation(examples, predicted, measures, kept, len(data) - len(kept), notes)


def measure_numbers(model: Classifier, examples: RegressionExamples, predicted: np.ndarray) -> NumberMeasures:
    """Predictions beside the mean of the model's training."""
    mean = None if model.target_scale is None else model.target_scale.mean
    return NumberMeasures.of(examples.targets, predicted, mean)


def measure_training(learned: LearnedNumbers) -> tuple[NumberMeasures, NumberMeasures | None]:
    """(of the rows learned from, of those held out) by the weights that predict."""
    model, scorer = learned.classifier, learned.classifier.model()
    training = measure_numbers(model, learned.examples, scorer.scores(learned.examples.rows))
    held_out = learned.held_out
    return training, None if held_out is None else measure_numbers(model, held_out, scorer.scores(held_out.rows))


def predict_then_learn_numbers(model: Classifier, examples: RegressionExamples) -> np.ndarray:
    """Progressive validation: the number predicted for each row before it is learned, from the last weights on."""
    scale = model.target_scale
    weights = last_weights(model, examples)
    if scale is not None:
        weights.start_from(*scale.scaled_weights(*model.views["last"]))
        examples = replace(examples, targets=scale.scaled(examples.targets))
    plan = Plan(epochs=1, order="given", fit_intercept=model.recipe.fit_intercept)
    run = LinearRun(examples, model.recipe.rule(), plan, weights)
    scores = np.empty(examples.rows.n)
    for row in range(examples.rows.n):
        with np.errstate(all="ignore"):  # what is not finite is refused when it is learned from
            scores[row] = run.score(row)[0]
        run.pass_over(None, row + 1, place=row)
    run.refuse_overflow()
    return scores if scale is None else scale.sd * scores + scale.centre
