"""The voted perceptron."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from rosenblatt.engine.parameters import Choice, check
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import Training

VOTED_VIEWS = ("voted", "averaged", "last", "random")


@dataclass(eq=False, repr=False, kw_only=True)
class VotedPerceptron(Perceptron):
    """The perceptron whose weight vectors all vote, each as often as the number of examples that it survived.

    two classes: Σ c_k sign(w_k·x + b_k)      more: each votes for its highest score      (Freund & Schapire, 1999)

    score_with: what predicts after the one run: "voted", "averaged", "last", or "random", one survivor for each row,
        drawn by its share of the votes and by `random_state`. `view(...)` gives the others without another fit.
    The other parameters are those of `Perceptron`. `decision_function` gives the votes: Σ c sign with two classes, else
    those for each class; equal votes go to the first class. `average` has no meaning here; early stopping watches the
    averaged weights, and all weights until then vote.

    The votes need the log, 24 bytes an update, and a copy of every row that moved the weights: at most all rows, and after
    many calls of partial_fit the rows of all of them. A prediction multiplies each row with each of these rows.

    >>> clf = VotedPerceptron(shuffle=False).fit([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0])
    >>> clf.decision_function([[2, 2], [-1, 0]])  # votes of eight examples
    array([ 8., -6.])
    >>> clf.view("last").decision_function([[2, 2], [-1, 0]])
    array([ 4. , -2.5])
    """

    score_with: str = "voted"
    _learner: ClassVar[str] = "voted"
    _votes = True

    def _plan(self, seed: int) -> Plan:
        self._refuse_other_views()
        return replace(super()._plan(seed), keep_log=True, average=True)

    def _partial_plan(self) -> Plan:
        self._refuse_other_views()
        return replace(super()._partial_plan(), keep_log=True)

    def _refuse_other_views(self) -> None:
        check("score_with", self.score_with, Choice(VOTED_VIEWS))

    def _record(self, run: Training, rows: int) -> None:
        super()._record(run, rows)
        self._chosen: Any = self.score_with
