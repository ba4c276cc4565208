"""Classes that come later: `partial_fit` of an estimator with new_classes=True."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.engine.growth import with_new_class
from rosenblatt.errors import LabelError, SettingError
from rosenblatt.estimators.going_on import classes_at
from rosenblatt.estimators.linear import checked
from rosenblatt.learning.examples import (
    Examples,
    as_importance,
    class_factors,
    codes_among,
    encode,
    match_lengths,
)
from rosenblatt.learning.updating import naming_row, stretches, with_class


def learn_with_new_classes(estimator: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
    """Lets the estimator go on with these rows; each label that is new becomes a class with its first row."""
    if estimator.keep_log or estimator._votes or getattr(estimator, "_memories", ()):
        raise SettingError(
            "new_classes=True adds classes that a log of updates, which votes are made of, does not know: take a learner "
            "without votes, with keep_log=False."
        )
    known = getattr(estimator, "classes_", None)
    rows, labels = checked(estimator, X, y, reset=known is None, in_parts=True)
    match_lengths(rows, labels, "labels")
    importance = as_importance(sample_weight, rows)
    if known is None:
        known = encode(labels)[0] if classes is None else classes_at(None, classes)
        if len(known) < 2:
            raise LabelError(f"The first call has 1 class, {known.tolist()[0]!r}: name two at least, classes=[…].")
    elif (codes_among(known, labels) < 0).any():  # weights that are moved in place could not go back
        estimator.training_ = replace(estimator.training_, weights=estimator.training_.weights.copy(), _views={})

    def add_class(label: Any) -> np.ndarray:
        return add_to(estimator, with_class(getattr(estimator, "classes_", known), label))

    for part, codes, present in stretches(known, labels, add_class):
        own = rows if len(codes) == rows.n else rows.take(np.arange(part.start, part.stop))
        weight = None if importance is None else importance[part]
        if estimator.class_weight is not None:
            factors = class_factors({one: estimator.class_weight.get(one, 1.0) for one in present.tolist()}, present, None)
            assert factors is not None
            weight = factors[codes] if weight is None else weight * factors[codes]
        with naming_row(rows, part.start):
            estimator._partial_fit(Examples(own, codes, present, importance=weight))


def add_to(estimator: Any, classes: np.ndarray) -> np.ndarray:
    """The classes, the last of which is new: the weights of the estimator have room for it from now on."""
    run = estimator.training_
    weights = with_new_class(run.weights, estimator._multiclass == "rest")
    estimator.training_ = replace(run, weights=weights, classes=classes, _views={})
    estimator._settings = replace(estimator._settings, class_counts=np.append(estimator._settings.class_counts, 0))
    estimator.classes_ = classes
    return classes
