"""Probabilities of linear classifiers, fitted to scores out of fold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from rosenblatt.engine.weights import Weights
from rosenblatt.errors import SettingError
from rosenblatt.estimators.views import LinearViews
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.holding_out import split
from rosenblatt.learning.scoring import Scorer
from rosenblatt.learning.training import LinearRun
from rosenblatt.learning.votes import VOTING, Voter

NOT_CALIBRATED = (
    "scores rows by weights that have not seen them, and {} goes on with weights that have: fit all rows at once, or take "
    "calibrate=False."
)


def goes_on(learner: Any) -> bool:
    """Is there a partial_fit?"""
    if learner.calibrate:
        raise AttributeError(f"calibrate=True {NOT_CALIBRATED.format('partial_fit')}")
    return True


class GivesProbabilities(LinearViews):
    """What `calibrate=True` adds to a classifier."""

    calibrate: bool
    validation_fraction: float

    def _calibrate(self, examples: Examples, start: Callable[[Examples], Weights]) -> None:
        """Fits probabilities to scores out of fold; every fold is a fit of its own, early stopping and all."""
        from rosenblatt.learning.calibration import Calibration, out_of_fold_scores
        from rosenblatt.learning.deciding import OUT_OF_FOLD

        settings, chosen = self._settings, self._chosen

        def train(part: Examples) -> Scorer:
            held_out = None
            if settings.plan.patience is not None:
                part, held_out = split(part, self.validation_fraction, settings.plan.seed)
            run = LinearRun(part, settings.rule, settings.plan, start(part), held_out).go()
            if chosen in VOTING:
                return Voter(part.classes, run.memory(), settings.plan.seed if chosen == "random" else None)
            return run.view(chosen)

        scores, codes = out_of_fold_scores(examples, self._model, train, settings.plan.seed)
        self._calibration = Calibration.fit(scores, codes, examples.classes, chosen, OUT_OF_FOLD)

    @available_if(lambda self: self._has_probabilities())  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """P(class | x), a column a class, by the calibration out of fold."""
        scores = self._scores(X)
        if not self._calibrated():
            raise SettingError(f"The {self._chosen} weights were not calibrated: fit with calibrate=True.")
        assert self._calibration is not None
        return self._calibration.probabilities(scores)

    @available_if(lambda self: self._has_probabilities())  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(class | x), −∞ where the probability rounds to 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))  # type: ignore[no-any-return]

    def _has_probabilities(self) -> bool:
        return self.calibrate

    def _calibrated(self) -> bool:
        """Was it the weights that predict whose scores were calibrated?"""
        return self._calibration is not None and self._calibration.view == self._chosen
