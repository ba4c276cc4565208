"""Going on from what was learned before: batches of a stream, and fits that begin where the last one ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import column_or_1d

from rosenblatt.engine.weights import Weights
from rosenblatt.errors import SettingError
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import LinearRun

if TYPE_CHECKING:
    from rosenblatt.learning.examples import AnyExamples


class ContinuedRun(LinearRun):
    """A run whose log goes on from that of the run before: a stream keeps no copy of the weights between the two."""

    def first_weights(self, weights: Weights) -> None:
        pass


class GoesOn(BaseEstimator):  # type: ignore[misc]
    """A learner that can go on; what it needs of the learner itself is what `LinearLearner` has."""

    def _weights_to_continue(self, examples: AnyExamples, door: str) -> Weights:
        """The weights of the call before, to be moved in place; a copy where views of them predict, and for a whole fit."""
        before: Weights = self.training_.weights
        if (before.vectors, before.d) != (examples.vectors, examples.rows.d):
            raise SettingError(
                f"{door} goes on with weights of shape {(before.vectors, before.d)}, but these rows need "
                f"{(examples.vectors, examples.rows.d)}: fit a clone of the estimator."
            )
        known, classes = self.training_.classes, getattr(examples, "classes", None)
        if known is not classes and known is not None and classes is not None and not np.array_equal(known, classes):
            raise SettingError(
                f"{door} goes on with the classes {known.tolist()}, but these rows have {classes.tolist()}: "
                "fit a clone of the estimator."
            )
        if before.fit_intercept != bool(self.fit_intercept):
            raise SettingError(
                f"{door} goes on with weights of fit_intercept={before.fit_intercept}, but now it is "
                f"{self.fit_intercept!r}: fit a clone of the estimator."
            )
        weights = before.with_layout(sparse=not examples.rows.dense)
        return weights.copy() if weights is before and (before.shared or door == "warm_start") else weights

    def _partial_fit(self, examples: AnyExamples) -> Self:
        if self.early_stopping or (hasattr(self, "training_") and self.training_.best is not None):
            raise SettingError(
                "partial_fit goes on from the last weights, and early_stopping predicts with the best: take one with "
                "early_stopping=False."
            )
        if hasattr(self, "training_"):
            weights = self._weights_to_continue(examples, "partial_fit")
        else:
            weights = self._start(examples, None, None)
        if "_partial" not in vars(self):
            self._partial = self._rule(), self._partial_plan()
        self._fit(examples, weights, *self._partial)
        return self

    def _partial_plan(self) -> Plan:
        seed = seed_of_partial_fit(self)
        return Plan(
            epochs=1, order="given", seed=seed, average=self.average, keep_log=self.keep_log, multiclass=self._multiclass
        )


def seed_of_partial_fit(learner: Any) -> int:
    """Of random votes: one that is fixed; to draw one would change the caller's random numbers."""
    return learner._seed() if isinstance(learner.random_state, int | np.integer) else 0


def classes_at(known: np.ndarray | None, classes: Any) -> np.ndarray:
    """All classes that partial_fit may meet: named at the first call, the same at every later one."""
    if classes is None:
        if known is None:
            raise SettingError("classes must be passed on the first call to partial_fit: all labels that may occur.")
        return known
    if known is not None and is_same(known, classes):
        return known
    named: np.ndarray = np.unique(column_or_1d(classes))
    if known is not None and not np.array_equal(known, named):
        raise SettingError(f"classes are {named.tolist()}, but were {known.tolist()} at the first call.")
    return named


def is_same(known: np.ndarray, classes: Any) -> bool:
    """Are these the classes known, as a list or an array of the same type? A stream may name them with every batch."""
    if type(classes) is list:
        labels = known.tolist()
        return list(map(type, classes)) == list(map(type, labels)) and bool(classes == labels)
    if type(classes) is not np.ndarray or classes.dtype != known.dtype or classes.shape != known.shape:
        return False
    return bool((classes == known).all())
