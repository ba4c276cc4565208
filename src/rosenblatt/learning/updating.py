"""A saved model goes on learning: from new rows, without the old ones, once and in the order in which they come.

The file of a model keeps the sums of its averages, so these go on where they were, and the same bits come out in whatever
parts the rows come. What the feature map has learned stays: scales, bins, idf. A value of a category that is new becomes a
feature, behind all others; a class that is new starts at zero with its first row.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.growth import with_new_class, with_new_columns
from rosenblatt.engine.rows import Rows
from rosenblatt.errors import LabelError, NotFiniteError, SettingError
from rosenblatt.features import Notes, TableMap
from rosenblatt.features.table.variants import with_new_values
from rosenblatt.learning.examples import (
    Examples,
    class_factors,
    codes_among,
    is_missing,
    is_text,
    label_value,
    match_lengths,
    text_array,
)
from rosenblatt.learning.learn import feature_counts
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import model_of, run

if TYPE_CHECKING:
    from rosenblatt.learning.classifier import Classifier

MOST_NEW_CLASSES = 100  # in one update: more are a column that is none of classes


@dataclass
class UpdateReport:
    """What an update has done."""

    rows: int = 0
    mistakes: int = 0  # each row is scored before it is learned from, so these are errors on rows that were new
    updates: int = 0
    new_classes: list[Any] = field(default_factory=list)
    new_values: dict[str, int] = field(default_factory=dict)  # of categories, by column: each is a new feature
    notes: Notes = field(default_factory=Notes)  # what had to be overlooked
    warnings: list[str] = field(default_factory=list)  # what the model holds that is about the rows of before

    @property
    def error(self) -> float | None:
        """The share of the rows that were mistakes when they came."""
        return self.mistakes / self.rows if self.rows else None


class Update:
    """An update while it goes: `learn` with every part of the rows, `finish` changes the model."""

    def __init__(self, model: Classifier):
        refuse_no_update(model)
        assert model.weights is not None
        self.model, self.weights, self.report = model, model.weights.copy(), UpdateReport()
        self.rule = model.recipe.rule()
        recipe = model.recipe
        self.plan = Plan(epochs=1, order="given", fit_intercept=recipe.fit_intercept, multiclass=recipe.multiclass)
        self.classes = model.classes
        self.features, self.means = copy.copy(model.features), model.means
        self.class_counts = None if model.class_counts is None else model.class_counts.copy()
        self.counts = None if model.counts is None else model.counts.copy()

    def learn(self, rows: Any, labels: Any) -> None:
        """One pass over raw rows with their labels."""
        labels = as_labels(labels)
        if not len(labels):
            return
        self._add_values(rows)
        transformed = Rows(self.features.transform(rows))
        match_lengths(transformed, labels, "labels")
        self.report.notes += self.features.notes
        self.weights = self.weights.with_layout(sparse=not transformed.dense)
        for part, codes, _ in stretches(self.classes, labels, self._add_class):
            whole = len(codes) == transformed.n
            with naming_row(transformed, part.start):
                self._learn_from(transformed if whole else transformed.take(np.arange(part.start, part.stop)), codes)

    def _add_values(self, rows: Any) -> None:
        """A feature more for each value of a category that is new, with weight 0."""
        if not isinstance(self.features, TableMap) or self.features.hashing is not None:
            return
        before, self.features = self.features, with_new_values(self.features, rows)
        for column, _ in self.features.grown[len(before.grown) :]:
            self.report.new_values[column] = self.report.new_values.get(column, 0) + 1
        new = self.features.n_features - before.n_features
        if not new:
            return
        self.weights = with_new_columns(self.weights, self.features.n_features)
        if self.counts is not None:
            self.counts = np.hstack([self.counts, np.zeros((len(self.counts), new), dtype=self.counts.dtype)])
        if self.means is not None:  # of training, where no row had them
            self.means = np.append(self.means, np.zeros(new))

    def _learn_from(self, rows: Rows, codes: np.ndarray) -> None:
        """One pass over rows of classes that are known."""
        examples = Examples(rows, codes, self.classes)
        if self.counts is not None:
            self.counts += feature_counts(examples)
        examples.importance = self._importance(codes)
        if self.class_counts is not None:
            self.class_counts += np.bincount(codes, minlength=len(self.classes))
        before = self.weights.updates
        trained = run(examples, self.rule, self.plan, self.weights)
        self.report.rows += rows.n
        self.report.mistakes += sum(epoch.mistakes for epoch in trained.history)
        self.report.updates += self.weights.updates - before

    def _importance(self, codes: np.ndarray) -> np.ndarray | None:
        """The weight of each row's class; balanced ones are so by all rows up to this one, whatever comes after it."""
        weight = self.model.recipe.class_weight
        if weight != "balanced":
            factors = class_factors(weight, self.classes, None)
            return None if factors is None else factors[codes]
        assert self.class_counts is not None
        own = np.empty(len(codes))
        for code in np.unique(codes):
            of_class = codes == code
            own[of_class] = self.class_counts[code] + np.arange(1, np.count_nonzero(of_class) + 1)
        everything = self.class_counts.sum() + np.arange(1, len(codes) + 1)
        return np.asarray(everything / (len(self.classes) * own))

    def _add_class(self, label: Any) -> np.ndarray:
        """A class more, whose weights are 0; classes are numbered as they come, so ties go to the one that came first."""
        if len(self.report.new_classes) == MOST_NEW_CLASSES:
            raise LabelError(
                f"There are more than {MOST_NEW_CLASSES} labels that training never saw, {str(label)[:40]!r} among them: is "
                "this the column to predict?"
            )
        self.classes = with_class(self.classes, label)
        self.report.new_classes.append(self.classes.tolist()[-1])
        self.weights = with_new_class(self.weights, self.plan.multiclass == "rest")
        if self.class_counts is not None:
            self.class_counts = np.append(self.class_counts, 0)
        if self.counts is not None:
            self.counts = np.vstack([self.counts, np.zeros((1, self.counts.shape[1]), dtype=self.counts.dtype)])
        return self.classes

    def finish(self) -> UpdateReport:
        """Puts what was learned into the model."""
        model, report, summary = self.model, self.report, self.model.summary
        model.weights, model.classes, model.features = self.weights, self.classes, self.features
        model.counts, model.class_counts, model.means = self.counts, self.class_counts, self.means
        model.variances = self.weights.variances
        views = {name: model_of(self.weights, self.classes, name) for name in ("last", "averaged")}
        model.views = {name: (view.coef, view.intercept) for name, view in views.items()}
        if report.new_classes and model.calibration is not None:
            report.warnings.append(
                "The probabilities of the model are gone, since they know nothing of the new classes: "
                "`rosenblatt calibrate` fits them again."
            )
            model.calibration = None
        elif model.calibration is not None:
            report.warnings.append(
                f"The probabilities are those of before, fitted on {model.calibration.rows:,} {model.calibration.source}: "
                "`rosenblatt calibrate` fits them again."
            )
        if report.new_classes and model.threshold is not None:
            report.warnings.append("The threshold of the model is gone: it was one between two classes.")
            model.threshold = None
        # History and errors are about the rows of training; what follows is true of all rows, in whatever parts they came.
        summary.examples = None if summary.examples is None else summary.examples + report.rows
        summary.seen, summary.updates = self.weights.t, self.weights.updates
        summary.classes, summary.features = model.classes.tolist(), model.features.n_features
        summary.train_error = summary.dev_error = None
        summary.converged, summary.stopped_because = False, "an update with new rows"
        return report


def refuse_no_update(model: Classifier) -> None:
    """Refuses models that cannot go on, with what can."""
    model.refuse_numbers()
    if model.dual is not None:
        raise SettingError(
            "The model learned with a kernel, whose sum grows with every row: train another learner to update."
        )
    if model.memory is not None:
        raise SettingError(
            "The model keeps the log of its training, which refers to rows that an update does not have: train it without "
            f"--keep-log (keep_log=True){', with another learner than voted' * model.recipe.votes}."
        )
    if model.view == "best":
        raise SettingError(
            "The model predicts with its best weights on held-out rows, and an update goes on from the last: train it "
            "without --patience (patience=None)."
        )
    if model.weights is None:
        raise SettingError(
            "The model file has no sums of its averages, which an update goes on from: it was written by an older "
            "rosenblatt. Train it again with this one."
        )
    if model.recipe.class_weight == "balanced" and model.class_counts is None:
        raise SettingError(
            "The model was trained with balanced classes, but its file does not tell how many rows each had: train it again."
        )


def as_labels(labels: Any) -> Any:
    """Labels as an array, or a Series of texts; one that is missing is refused."""
    if labels is None:
        raise LabelError("The new rows have no labels: an update learns from labelled rows.")
    labels = labels if is_text(labels) else np.asarray(labels)
    missing = labels.is_null().to_numpy() if is_text(labels) else np.array([is_missing(label) for label in labels.tolist()])
    if missing.any():
        raise LabelError(f"The label of row {int(missing.argmax())} is missing. Drop such rows first.")
    return labels


def stretches(
    classes: np.ndarray, labels: Any, add_class: Callable[[Any], np.ndarray]
) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Rows between labels that are new: where they stand, their codes, and the classes by then; `add_class` gives more.

    >>> rows = stretches(np.array([1, 2]), np.array([2, 1, 7, 1]), lambda label: np.array([1, 2, label]))
    >>> [(part.start, codes.tolist(), classes.tolist()) for part, codes, classes in rows]
    [(0, [1, 0], [1, 2]), (2, [2, 0], [1, 2, 7])]
    """
    start = 0
    while start < len(labels):
        codes = codes_among(classes, labels)
        strange = start + np.flatnonzero(codes[start:] < 0)
        stop = int(strange[0]) if len(strange) else len(labels)
        if stop > start:
            yield slice(start, stop), codes[start:stop], classes
        if len(strange):
            classes = add_class(labels[stop])
        start = stop


@contextmanager
def naming_row(rows: Rows, start: int) -> Iterator[None]:
    """A number that is not finite, in rows from `start` on, is told by its row among all."""
    try:
        yield
    except NotFiniteError as problem:
        if problem.row is None:
            raise
        raise rows.blame(start + problem.row) from None


def with_class(classes: np.ndarray, label: Any) -> np.ndarray:
    """The classes and one more, which is of their type.

    >>> with_class(np.array([0, 1]), "2"), with_class(np.array(["no", "yes"]), "perhaps")
    (array([0, 1, 2]), array(['no', 'yes', 'perhaps'], dtype='<U7'))
    """
    kind = classes.dtype.kind
    if kind in "UO":
        return text_array([*classes.tolist(), str(label)])
    value = label_value(label, kind) if isinstance(label, str) else label
    array = np.array([value])
    fits = array.dtype.kind in {"i": "iu", "u": "iu", "f": "iuf"}.get(kind, "") and array.astype(classes.dtype)[0] == value
    if not fits:
        known = ", ".join(map(repr, classes.tolist()[:5]))
        raise LabelError(f"The label {label!r} is not of the kind of those of training, {known}: it cannot be a new class.")
    return np.append(classes, array.astype(classes.dtype))
