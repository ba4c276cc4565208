"""The report on a model that predicts numbers: how far it is off, where, and by which weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.splits import CrossValidation, split
from rosenblatt.errors import RosenblattError
from rosenblatt.estimators.neighbours.entrants import ENTRANTS_OF_NUMBERS
from rosenblatt.learning.classifier import Classifier, with_training_types
from rosenblatt.show import reproduce, tables
from rosenblatt.show.assessment import COMPARISON_SHARE, Announce, ReportOptions
from rosenblatt.show.canvas import PALETTE
from rosenblatt.show.figures import figure
from rosenblatt.studies.compare import judge_differences
from rosenblatt.studies.compare_numbers import OF_NUMBERS, NumberResult, compare_numbers
from rosenblatt.studies.evaluate_numbers import NumberEvaluation, evaluate_numbers
from rosenblatt.studies.explain import bias, numeric_features, warnings, weights

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

    from rosenblatt.show.report import ReportSource

WEIGHTS_SHOWN = 30
POINTS_SHOWN = 2000  # of a scatter: more are drawn at random


@dataclass(frozen=True)
class WorstRow:
    """A row that is far off."""

    row: int  # of the file, from 1
    truth: float
    predicted: float


@dataclass(frozen=True)
class NumberAssessment:
    """How a model of numbers does on the rows of a data set."""

    name: str
    rows: int  # of the file
    evaluation: NumberEvaluation
    recognised: bool  # the rows of training, or those that it held out
    worst: list[WorstRow]
    rivals: list[NumberResult]
    cross_validation: CrossValidation
    notes: list[str]


def assess_numbers(model: Classifier, data: Dataset, options: ReportOptions, announce: Announce) -> NumberAssessment:
    """Measures a model on a data set and compares it with other learners."""
    announce(f"measuring on {data.name}")
    numbers = np.arange(len(data))
    if options.holdout is not None:
        numbers = split(replace(data, rows=numbers, labels=None), options.holdout, model.recipe.seed)[1].rows
    evaluation = evaluate_numbers(model, data if options.holdout is None else data.take(numbers), options.unseen)
    summary, squared = model.summary, evaluation.measures.mean_squared_error
    if options.holdout is None:
        recognised = summary.examples == len(data) and squared == summary.train_error
    else:
        held_out = (summary.dev_error or {}).get(model.view)
        recognised = summary.examples == len(data) - len(numbers) and squared == held_out
    notes = evaluation.notes.sentences()
    if gone := evaluation.left_out:
        notes.append(f"{gone:,} row{'s were' if gone > 1 else ' was'} left out: the target is no number there.")
    truth, predicted = evaluation.examples.targets, evaluation.predicted
    order = np.argsort(-np.abs(truth - predicted), kind="stable")[: options.wrong].tolist()
    worst = [WorstRow(int(numbers[evaluation.kept[i]]) + 1, float(truth[i]), float(predicted[i])) for i in order]
    rivals: list[NumberResult] = []
    share = options.holdout or COMPARISON_SHARE
    if options.splits:
        recipe = replace(model.recipe, parameters={}, patience=None, average=None)
        typed = with_training_types(model, data)
        others = {"ridge": ENTRANTS_OF_NUMBERS["ridge"]}
        try:
            rivals = compare_numbers(typed, OF_NUMBERS, options.splits, share, recipe, None, others)
        except RosenblattError as problem:
            notes.append(f"Other learners were not compared: {problem}")
    design = CrossValidation.holding_out(share, max(1, options.splits))
    return NumberAssessment(data.name, len(data), evaluation, bool(recognised), worst, rivals, design, notes)


def render_numbers(
    template: jinja2.Template,
    model: Classifier,
    assessment: NumberAssessment | None,
    options: ReportOptions,
    source: ReportSource,
) -> str:
    """The page: the template knows the names given here."""
    from rosenblatt.show.report import beginning_of_page, training_source

    recipe, largest = reproduce.recipe_of(model), weights(model, top=WEIGHTS_SHOWN)
    trained_on = training_source(model, assessment, options, source)
    evaluation = None if assessment is None else assessment.evaluation
    return template.render(
        **beginning_of_page(model, options, source),
        weights=largest,
        longest=max((abs(one.weight) for one in largest), default=0.0) or 1.0,
        bias=bias(model),
        numbers=numeric_features(model),
        warnings=warnings(model),
        scaled=bool(getattr(model.features, "scale", False) and numeric_features(model)),
        assessment=assessment,
        known=assessment is not None and assessment.recognised,
        differences="" if assessment is None or not assessment.rivals else judge_differences(assessment.rivals),
        scatter=None if evaluation is None else scatter_figure(evaluation),
        residuals=None if evaluation is None else residuals_figure(evaluation),
        trained_on=trained_on,
        command=reproduce.command(recipe, trained_on),
        python=reproduce.script(reproduce.chosen_settings(recipe), trained_on, {"seed": recipe.seed}),
        limit=tables.SHOWN_CLASSES,
    )


def scatter_figure(evaluation: NumberEvaluation) -> Markup:
    """Predicted against true numbers."""
    truth, predicted = evaluation.examples.targets, evaluation.predicted
    some = np.random.default_rng(0).permutation(len(truth))[:POINTS_SHOWN]
    ends = [float(min(truth.min(), predicted.min())), float(max(truth.max(), predicted.max()))]

    def draw(ax: Any) -> None:
        ax.plot(ends, ends, "--", color="0.2", linewidth=1)
        ax.plot(truth[some], predicted[some], "o", color=PALETTE[0], markersize=3, alpha=0.5)
        ax.set(xlabel="true", ylabel="predicted")

    return figure(draw, "scatter", "Predicted against true numbers")


def residuals_figure(evaluation: NumberEvaluation) -> Markup:
    """The histogram of what predictions are off by."""
    off: np.ndarray = evaluation.examples.targets - evaluation.predicted

    def draw(ax: Any) -> None:
        ax.hist(off, 30, color=PALETTE[0])
        ax.axvline(0, color="0.2", linewidth=1)
        ax.set(xlabel="true − predicted", ylabel="rows")

    return figure(draw, "residuals", "Histogram of true less predicted numbers")
