"""What the log of a fit answers: which examples made a score, and what would be without some of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.utils.validation import check_is_fitted

from rosenblatt.errors import SettingError
from rosenblatt.estimators.views import LinearViews
from rosenblatt.learning.forgetting import Forgotten, forget
from rosenblatt.learning.influences import Influences, on_decision
from rosenblatt.learning.votes import VOTING


class Forgets(LinearViews):
    """An estimator that can unlearn rows."""

    _rows_before: int  # of all calls
    _record: Any

    def forget(self, rows: Any) -> Forgotten:
        """Unlearns rows of the last `fit`, by their numbers: the estimator becomes, to the last bit, what training without
        them in the same order would have made of it. Needs `keep_log=True`, and the training rows as they were.
        """
        check_is_fitted(self)
        origin = self.training_.origin
        if origin is None:
            raise SettingError("Forgetting goes through the run again: fit with keep_log=True.")
        if self._settings.class_weight == "balanced":
            raise SettingError(
                "With class_weight='balanced' every row changes the weight of all: fit again without these rows."
            )
        if self._rows_before != origin.examples.rows.n:
            raise SettingError("More than one call of fit or partial_fit made this estimator: only a single fit can forget.")
        forgotten = forget(self.training_, rows)
        assert forgotten.training.origin is not None
        left = origin.examples.class_counts(forgotten.training.origin.absent)
        self._settings = replace(self._settings, class_counts=left)
        self._memories, self._rows_before = (), 0
        self._record(forgotten.training, origin.examples.rows.n)
        return forgotten


class TellsInfluences(LinearViews):
    """A classifier that can name the examples behind a decision."""

    def influences(self, X: Any) -> Influences:
        """The training examples that made the score of one row, for and against, largest first; they sum to the score.

        With more than two classes the score is the winner's minus the runner-up's. Where all weights vote, it is about
        the averaged ones: votes are no sum of examples. Needs `keep_log=True`.
        """
        check_is_fitted(self)
        twin = self.view("averaged") if self._chosen in VOTING else self
        return on_decision(self.memory_, twin._linear, self._rows(X, reset=False), twin._chosen)
