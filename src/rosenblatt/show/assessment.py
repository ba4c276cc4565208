"""A model on labelled rows: how often it is wrong and where, other learners on the same rows, the certificate.

>>> from rosenblatt.learning.learn import learn
>>> from rosenblatt.data import open_known
>>> iris = open_known("iris")
>>> assessment = assess(learn(iris), iris, ReportOptions(splits=1))
>>> assessment.measures.examples, round(assessment.majority, 4), assessment.rivals[0].learner
(150, 0.6667, 'majority')
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.splits import CrossValidation, split
from rosenblatt.errors import RosenblattError
from rosenblatt.learning.classifier import Classifier, with_training_types
from rosenblatt.learning.learner_names import COMPARED
from rosenblatt.learning.measures import ScoredRows
from rosenblatt.learning.scoring import example_margins
from rosenblatt.show.wrong import WrongRow, wrong_rows
from rosenblatt.studies.compare import LearnerResult, compare
from rosenblatt.studies.evaluate import Measures, evaluate, with_labels_like
from rosenblatt.theory.margin_report import certified_margin
from rosenblatt.theory.margins import weight_norm

Announce = Callable[[str], None]  # called with a sentence about the step that begins
COMPARISON_SHARE = 0.2  # of the rows, that other learners are measured on, as in `compare`


@dataclass(frozen=True)
class ReportOptions:
    """What a report looks into, and for how long.

    holdout  measure only on the share of the rows that `train --holdout` set aside; the split is that of the model's seed
    splits   on which other learners are compared; 0: not at all
    certify  seconds to search for a separating plane, or a proof that there is none; 0: not at all
    unseen   "refuse", or "skip": rows with labels that training never saw
    wrong    examples that are shown
    """

    holdout: float | None = None
    splits: int = 5
    certify: float = 10.0
    unseen: str = "refuse"
    wrong: int = 10


@dataclass(frozen=True)
class Assessment:
    """How a model does on the rows of a data set."""

    name: str
    rows: int  # of the file
    measures: Measures
    scored: ScoredRows  # the rows with scores, decisions and, where the model has them, probabilities
    majority: float | None  # error of always answering what was most frequent in training, where that is known
    recognised: bool  # the rows of training, or those that it held out: their numbers and the error are the same
    margins: np.ndarray  # how far rows are on the right side of the boundary, by |w|; empty if all weights are 0
    wrong: list[WrongRow]
    rivals: list[LearnerResult]  # the majority first, then learners by their error; empty where there is no comparison
    own: str  # the model's learner among them
    cross_validation: CrossValidation  # which rows they were measured on
    certificate: str
    notes: list[str]


def assess(
    model: Classifier, data: Dataset, options: ReportOptions | None = None, announce: Announce | None = None
) -> Assessment:
    """Measures a model on a data set and compares it with other learners."""
    options, announce = options or ReportOptions(), announce or (lambda sentence: None)
    announce(f"measuring on {data.name}")
    data, numbers = with_labels_like(model.classes, data), np.arange(len(data))
    if options.holdout is not None:
        numbers = split(replace(data, rows=numbers, labels=None), options.holdout, model.recipe.seed)[1].rows
    measured_on = data if options.holdout is None else data.take(numbers)
    evaluation = evaluate(model, measured_on, options.unseen)
    examples, predicted, measures, kept = evaluation.examples, evaluation.predicted, evaluation.measures, evaluation.kept
    notes, counts = evaluation.notes.sentences(), model.class_counts
    if gone := evaluation.left_out:
        notes.append(f"{gone:,} row{'s were' if gone > 1 else ' was'} left out: training never saw such labels.")
    recognised = are_rows_of_training(model, measures, None if options.holdout is None else len(data) - len(numbers))
    if options.holdout is not None and not recognised:
        notes.append("These are not the rows held out in training: their number, or the error on them, is another.")
    linear = model.linear()
    size = weight_norm(linear)
    margins = example_margins(linear, examples) / size if size else np.empty(0)  # without weights there is no boundary
    by_margin = np.argsort(margins if len(margins) else examples.codes == predicted, kind="stable")
    worst = by_margin[(examples.codes != predicted)[by_margin]][: options.wrong]
    shown = measured_on.take(kept[worst])
    retyped = with_training_types(model, data)
    rivals, comparison_notes = compare_others(model, retyped, options, announce)
    certificate, certificate_notes = certify_rows(model, data if options.holdout else measured_on, options, announce)
    return Assessment(
        name=data.name,
        rows=len(data),
        measures=measures,
        scored=evaluation.scored,
        majority=None if counts is None else 1 - int(measures.truths[counts.argmax()]) / measures.examples,
        recognised=recognised,
        margins=margins,
        wrong=wrong_rows(model, shown, predicted[worst], numbers[kept[worst]] + 1, margins[worst] if len(margins) else None),
        rivals=rivals,
        own=model.recipe.compared_name,
        cross_validation=CrossValidation.holding_out(options.holdout or COMPARISON_SHARE, options.splits),
        certificate=certificate,
        notes=notes + comparison_notes + certificate_notes,
    )


def are_rows_of_training(model: Classifier, measures: Measures, others: int | None) -> bool:
    """Are these the rows that the model has learned from or, where `others` are not held out, those held out in training?"""
    if others is None:
        same = model.class_counts is not None and measures.truths.tolist() == model.class_counts.tolist()
        return bool(same and measures.error == model.summary.train_error)
    dev = model.summary.dev_error or {}
    return bool(others == model.summary.examples and measures.error == dev.get(model.view))


def compare_others(
    model: Classifier, data: Dataset, options: ReportOptions, announce: Announce
) -> tuple[list[LearnerResult], list[str]]:
    """All learners on the same splits, with the model's features and epochs and their usual parameters; and notes."""
    if not options.splits:
        return [], []
    recipe = replace(model.recipe, parameters={}, patience=None, keep_log=False, metric="error", regression=False)
    if isinstance(recipe.class_weight, dict):
        recipe = replace(recipe, class_weight=None)

    def announce_split(seed: int, learner: str) -> None:
        announce(f"comparing: split {seed + 1} of {options.splits}, {learner}")

    learners = list(dict.fromkeys((*COMPARED, model.recipe.compared_name)))
    try:
        return compare(data, learners, options.splits, options.holdout or COMPARISON_SHARE, recipe, announce_split), []
    except RosenblattError as problem:
        return [], [f"Other learners were not compared: {problem}"]


def certify_rows(model: Classifier, data: Dataset, options: ReportOptions, announce: Announce) -> tuple[str, list[str]]:
    """The certificate in a sentence, in the features of the model; nothing if it was not asked for."""
    if not options.certify:
        return "", []
    announce(f"certifying, for {options.certify:g} seconds at most")
    examples, _, kept = model.examples(data, options.unseen)
    try:
        margin = certified_margin(model, examples, options.certify)
    except RosenblattError as problem:
        return "", [f"Whether a line separates the classes was not looked into: {problem}"]
    certificate = margin.certificate
    assert certificate is not None
    certificate.seconds = options.certify  # what it was given, not what it took: the same report from the same command
    counted = "" if len(kept) == len(data) else " (without the rows that were left out)"
    sentence = certificate.sentence(first=1)
    verdict = f"{sentence[0].upper()}{sentence[1:]}{counted}."
    return verdict + (f" The model: {margin.brief()}." if certificate.separable else ""), []
