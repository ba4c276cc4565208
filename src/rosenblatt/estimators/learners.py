"""The learners of the registry as scikit-learn estimators: each names its learner and the parameters of its rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.parameters import Choice, Flag, Nothing, Real, parameter
from rosenblatt.estimators.declared import declared_by, estimator
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.learning.plan import MULTICLASS, Plan
from rosenblatt.learning.scoring import log_probabilities, probabilities
from rosenblatt.learning.training import Training

VOTED_VIEWS = ("voted", "averaged", "last", "random")

FALLING = 'A "constant" rate, or one that falls as "1/updates" or "1/examples".'
HOW_AGGRESSIVE = "How aggressive: the larger, the longer a step may be."
RATE_OF_SQUARES = (
    "The rate; beyond 2/|x|² the weights overflow, and training says so. None: 0.1/|x|² of the largest row so far."
)


@estimator
class MistakeDriven(LinearClassifier):
    """A learner that moves where an example is wrong, or not right by enough."""

    multiclass: str = parameter(
        "rival",
        Choice(MULTICLASS),
        help='With more than two classes: an update moves the right class and its "rival", the highest-scoring other; or '
        'each class learns against the "rest", all in one pass. Votes and influences need "rival".',
    )


@estimator
class Perceptron(MistakeDriven):
    """w += rate y x at every mistake, y (w·x + b) ≤ 0 (Rosenblatt, 1958).

    >>> clf = Perceptron(shuffle=False).fit([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0])
    >>> clf.coef_, clf.intercept_, clf.n_updates_
    (array([[1.5, 1. ]]), array([-1.]), 3)
    """

    eta0: float = declared_by(rules.Perceptron, "eta0", "The rate; on its own it changes nothing but the length of w.")
    learning_rate: str = declared_by(rules.Perceptron, "learning_rate", FALLING)
    penalty: None = parameter(None, Nothing(), help="A perceptron has none.", note="SoftPerceptron has one, l2")
    alpha: float = parameter(0.0001, Real(least=0), help="Of the penalty; there is none, so it means nothing.")
    l1_ratio: float = parameter(0.15, Real(least=0, most=1), help="Of the penalty; there is none, so it means nothing.")
    _learner: ClassVar[str] = "perceptron"


@estimator
class AveragedPerceptron(Perceptron):
    """The perceptron that predicts with the mean of (w, b) after every example, the steadier choice on real data.

    >>> clf = AveragedPerceptron(shuffle=False).fit([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0])
    >>> clf.coef_, clf.view("last").coef_
    (array([[1.1875, 1.25  ]]), array([[1.5, 1. ]]))
    """

    average: bool = parameter(True, Flag(), help="Predict with the mean of the weights after every example.")
    _learner: ClassVar[str] = "averaged"


@estimator
class VotedPerceptron(Perceptron):
    """The perceptron whose weight vectors all vote, each as often as the number of examples that it survived.

    two classes: Σ c_k sign(w_k·x + b_k)      more: each votes for its highest score      (Freund & Schapire, 1999)

    `decision_function` gives the votes: Σ c sign with two classes, else those for each class; equal votes go to the first
    class. `average` has no meaning here; early stopping watches the averaged weights, and all weights until then vote.

    The votes need the log, 24 bytes an update, and a copy of every row that moved the weights: at most all rows, and after
    many calls of partial_fit the rows of all of them. A prediction multiplies each row with each of these rows.

    >>> clf = VotedPerceptron(shuffle=False).fit([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0])
    >>> clf.decision_function([[2, 2], [-1, 0]])  # votes of eight examples
    array([ 8., -6.])
    >>> clf.view("last").decision_function([[2, 2], [-1, 0]])
    array([ 4. , -2.5])
    """

    score_with: str = parameter(
        "voted",
        Choice(VOTED_VIEWS),
        help='What predicts after the one run: "voted", "averaged", "last", or "random", one survivor for each row, drawn '
        "by its share of the votes and by `random_state`. `view(...)` gives the others without another fit.",
    )
    multiclass: str = parameter(
        "rival", Choice(("rival",)), help="Votes need a log with one rival an update.", note="votes need one rival an update"
    )
    _learner: ClassVar[str] = "voted"
    _votes = True

    def _plan(self, seed: int) -> Plan:
        return replace(super()._plan(seed), keep_log=True, average=True)

    def _partial_plan(self) -> Plan:
        return replace(super()._partial_plan(), keep_log=True)

    def _record(self, run: Training, rows: int) -> None:
        super()._record(run, rows)
        self._chosen: Any = self.score_with


@estimator
class Mira(MistakeDriven):
    """The smallest change of the weights that gives the example margin 1.

    w += y x (1 − margin) / |x|²   if margin < p or margin ≤ 0      (Crammer & Singer, 2003)

    >>> clf = Mira(shuffle=False, max_iter=1).fit([[1.0, 1.0], [-1.0, 1.0]], ["yes", "no"])
    >>> clf.decision_function([[-1.0, 1.0]])  # "no" is the negative class: its margin is 1
    array([-1.])
    """

    p: float = declared_by(
        rules.Mira,
        "p",
        "Also correct examples that are right by less than p, 0 ≤ p < 1. A larger p gives a larger margin, more slowly.",
    )
    _learner: ClassVar[str] = "mira"


@estimator
class PassiveAggressive(MistakeDriven):
    """Passive while the margin is 1 or more; otherwise moves towards margin 1, no further than C lets it.

    I:  tau = min(C, (1 − margin) / |x|²)        II:  tau = (1 − margin) / (|x|² + 1/(2C))      (Crammer et al., 2006)

    >>> clf = PassiveAggressive(C=0.1, shuffle=False, max_iter=1).fit([[1.0, 1.0], [-1.0, 1.0]], ["no", "yes"])
    >>> clf.coef_
    array([[-0.2,  0. ]])
    """

    C: float = declared_by(rules.PassiveAggressive, "C", HOW_AGGRESSIVE)
    variant: str = declared_by(rules.PassiveAggressive, "variant", "How C tames a step: by a limit, or by a softer slope.")
    _learner: ClassVar[str] = "passive-aggressive"


@estimator
class PassiveAggressiveClassifier(MistakeDriven):
    """`PassiveAggressive` under the name, and with the `loss`, that scikit-learn gave it until its version 1.10.

    >>> clf = PassiveAggressiveClassifier(C=0.1, shuffle=False, max_iter=1).fit([[1.0, 1.0], [-1.0, 1.0]], ["no", "yes"])
    >>> clf.coef_
    array([[-0.2,  0. ]])
    """

    C: float = declared_by(rules.PassiveAggressive, "C", HOW_AGGRESSIVE)
    loss: str = parameter("hinge", Choice(("hinge", "squared_hinge")), help='"hinge" is PA-I, "squared_hinge" PA-II.')
    _learner: ClassVar[str] = "passive-aggressive"

    @property
    def variant(self) -> str:
        """Which of the two steps `loss` asks for."""
        return "I" if self.loss == "hinge" else "II"


@estimator
class Arow(MistakeDriven):
    """Adaptive regularisation of weights: moves to margin 1 along Σx, where Σ says how uncertain each weight still is.

    w += y Σx (1 − margin) / (x'Σx + r)   if margin < 1; then Σ shrinks along x      (Crammer, Kulesza & Dredze, 2009)

    The weights of frequent features settle, rare ones still move far: often the best learner on text, in few passes. Of Σ
    the diagonal is kept, one more number a weight; `partial_fit` goes on with it. Its steps are no sum of rows: votes and
    influences do not apply, `forget` does.

    >>> clf = Arow(shuffle=False, max_iter=1).fit([[1.0, 1.0], [-1.0, 1.0]], ["no", "yes"])
    >>> clf.coef_, clf.intercept_  # tau = 1/4 along variances of 1, then 1/2 along variances of 1/2
    (array([[-0.5,  0. ]]), array([0.]))
    """

    r: float = declared_by(
        rules.Arow, "r", "How noisy an example is: the larger, the shorter the steps, and the slower Σ shrinks."
    )
    _learner: ClassVar[str] = "arow"


@estimator
class SoftPerceptron(LinearClassifier):
    """Logistic regression, one example at a time: every example moves the weights by how surprising its label was.

    w ← (1 − rate l2) w + rate σ(−margin) y x

    It predicts with the mean of the weights after every example: the last ones follow the last few rows.

    >>> clf = SoftPerceptron(eta0=0.5, random_state=0).fit([[1.0], [2.0], [-1.0], [-2.0]], ["b", "b", "a", "a"])
    >>> clf.predict_proba([[0.5]]).round(2)
    array([[0.22, 0.78]])
    """

    eta0: float = declared_by(rules.Logistic, "eta0", "The rate.")
    learning_rate: str = declared_by(
        rules.Logistic,
        "learning_rate",
        f"{FALLING} The two are the same here: every example is an update. As in scikit-learn's SGD, "
        '"invscaling" is eta0 / t^power_t, and "optimal" 1 / (l2 (t₀ + t)), which needs l2 and no eta0.',
    )
    l2: float = declared_by(rules.Logistic, "l2", "Shrinks w, not the bias, at every step.")
    average: bool = parameter(True, Flag(), help="Predict with the mean of the weights after every example.")
    power_t: float = declared_by(rules.Logistic, "power_t", 'How fast the rate falls with "invscaling".')
    _learner: ClassVar[str] = "logistic"

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(class | x), a column a class: σ(score) for two, the softmax of the scores for more; or by the calibration."""
        return super().predict_proba(X) if self._calibrated() else probabilities(self._scores(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(class | x), right also where the probability itself rounds to 0."""
        return super().predict_log_proba(X) if self._calibrated() else log_probabilities(self._scores(X))

    def _has_probabilities(self) -> bool:
        return True


@estimator
class WidrowHoff(LinearClassifier):
    """Pulls every score towards ±1: w += rate (y − w·x − b) x (Widrow & Hoff, 1960).

    >>> clf = WidrowHoff(eta0=0.1, shuffle=False, max_iter=1).fit([[1.0], [-1.0]], ["up", "down"])
    >>> clf.coef_, clf.intercept_  # steps (−1 − 0)·0.1 and (1 − 0)·0.1: "down" is the negative class
    (array([[0.2]]), array([0.]))
    """

    eta0: float | None = declared_by(rules.WidrowHoff, "eta0", RATE_OF_SQUARES)
    learning_rate: str = declared_by(rules.WidrowHoff, "learning_rate", f"{FALLING} It falls only where eta0 is given.")
    _learner: ClassVar[str] = "widrow-hoff"
