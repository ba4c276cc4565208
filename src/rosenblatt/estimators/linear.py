"""What all linear estimators share: parameters, fit, partial_fit, views, prediction."""

from __future__ import annotations

import copy
import os
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.engine.parameters import (
    AnyOf,
    Flag,
    Real,
    Whole,
    parameter,
)
from rosenblatt.engine.rules import Rule
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DivergenceError, SettingError
from rosenblatt.estimators.declared import CLASS_WEIGHT, CLASS_WEIGHT_HELP, SHUFFLE_HELP, SHUFFLES, VERBOSE, estimator
from rosenblatt.estimators.inputs import Inputs, classes_at, labelled
from rosenblatt.estimators.remembering import Forgets, TellsInfluences
from rosenblatt.estimators.saving import RunSettings, as_classifier
from rosenblatt.estimators.views import LinearViews
from rosenblatt.learning import training
from rosenblatt.learning.driver import Callbacks, Interrupted
from rosenblatt.learning.examples import (
    AnyExamples,
)
from rosenblatt.learning.history import History
from rosenblatt.learning.learners import LEARNERS
from rosenblatt.learning.log import Log
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import ContinuedRun, LinearRun, Training


def order_of(shuffle: bool | str) -> str:
    """The engine's name of what `shuffle` asks for."""
    if Flag().holds(shuffle):
        return "shuffled" if shuffle else "given"
    return str(shuffle)


def rule_of(estimator: BaseEstimator, learner: str) -> Rule:
    """The rule of the learner of this name, with the estimator's parameters."""
    rule = LEARNERS[learner].rule
    return rule.from_public({name: getattr(estimator, name) for name in rule.parameters()})


@estimator
class LinearLearner(Forgets, LinearViews, Inputs):
    """What all linear learners share."""

    max_iter: int = parameter(
        20, Whole(1), help="Most passes over the data; training ends earlier after a pass without updates."
    )
    shuffle: bool | str = parameter(True, SHUFFLES, help=SHUFFLE_HELP)
    fit_intercept: bool = parameter(True, Flag(), help="Learn a bias, the weight of a constant feature 1.")
    average: bool = parameter(False, Flag(), help="Predict with the mean of the weights after every example.")
    tol: float | None = parameter(
        None, Real(least=0, optional=True), help="Stop when the mean change of the weights per example falls below this."
    )
    early_stopping: bool = parameter(
        False,
        Flag(),
        help="Hold out `validation_fraction` of the rows, stop after `n_iter_no_change` passes without a lower error on "
        "them, each counted by its weight, and predict with the best weights seen. Not with `partial_fit`.",
    )
    validation_fraction: float = parameter(0.1, Real(above=0, below=1), help="Share of the rows of each class held out.")
    n_iter_no_change: int = parameter(5, Whole(1), help="Passes without a lower held-out error before training stops.")
    warm_start: bool = parameter(
        False, Flag(), help="`fit` goes on where the last one ended, with the same classes and the same `fit_intercept`."
    )
    keep_log: bool = parameter(
        False,
        Flag(),
        help="Record every update in `log_`, with a copy of the rows that moved the weights, in `memory_`: for "
        '`view("voted")` and for influences. The training rows are referred to as well, for `forget`.',
    )
    verbose: int = parameter(0, VERBOSE, help="Print a line a pass.")
    n_jobs: int | None = parameter(
        None,
        AnyOf(Whole(1, optional=True), Whole(-1, -1)),
        help="Threads that score rows at most; None and -1: as many as there are cores, or as OMP_NUM_THREADS and an "
        "outer joblib leave. The bits are the same for any number. Learning itself takes one.",
    )

    _attributes: ClassVar[dict[str, str]] = {
        "n_iter_ : int": "Passes over the data of the last call of `fit` or `partial_fit`.",
        "n_updates_ : int": "Updates of the weights since training began.",
        "converged_ : bool": "Did training end by itself, after a pass without updates or below `tol`?",
        "history_ : History": "Mistakes, updates, |w| and held-out errors of every pass.",
        "training_ : Training": "The run itself: weights, counts, and why it ended.",
        "t_ : int": "Examples seen since training began, and 1, as scikit-learn counts them.",
        "log_ : Log": "Every update (t, row, rival, tau), with `keep_log`.",
        "memory_ : Memory": "The log since training began, with the rows that it refers to, with `keep_log`.",
    }

    _learner: ClassVar[str] = ""  # its name in the registry

    def _rule(self) -> Rule:
        """The rule with this estimator's parameters."""
        if not self._learner:
            raise TypeError(f"{type(self).__name__} is not a learner by itself: use one of its subclasses.")
        return rule_of(self, self._learner)

    def _plan(self, seed: int) -> Plan:
        return Plan(
            epochs=self.max_iter,
            order=order_of(self.shuffle),
            seed=seed,
            fit_intercept=self.fit_intercept,
            average=self.average,
            tol=self.tol,
            patience=self.n_iter_no_change if self.early_stopping else None,
            keep_log=self.keep_log,
        )

    def _start(self, examples: AnyExamples, coef: Any, intercept: Any) -> Weights:
        """Zero, the initial weights given, or those of the fit before."""
        if self.warm_start and hasattr(self, "training_") and coef is None and intercept is None:
            return self._weights_to_continue(examples, "warm_start")
        weights = Weights(examples.vectors, examples.rows.d, self.fit_intercept, sparse=not examples.rows.dense)
        for name, given, place in (("coef_init", coef, weights.w), ("intercept_init", intercept, weights.bias)):
            if given is not None:
                given = np.asarray(given, dtype=float)
                if given.size != place.size or not np.isfinite(given).all():
                    raise SettingError(f"{name} has shape {given.shape}: expected {place.shape}, all finite.")
                place[...] = given.reshape(place.shape)
                weights.norm2 = None
        return weights

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

    def _fit(self, examples: AnyExamples, weights: Weights, rule: Rule, plan: Plan) -> Self:
        """Runs the engine and keeps what it gives, also when it was interrupted."""
        held_out = None
        if plan.patience is not None:
            examples, held_out = training.split(examples, self.validation_fraction, plan.seed)
        counts = examples.class_counts()
        if counts is not None and weights.t:  # weights that go on have seen the rows of the calls before
            counts += self._settings.class_counts
        if weights.t == 0 or not plan.keep_log:
            self._memories = ()
            self._rows_before = 0
        self._settings = RunSettings(rule, plan, copy.copy(getattr(self, "class_weight", None)), counts)
        callbacks = Callbacks(epoch=self._report if self.verbose else None)
        kind = ContinuedRun if self._memories and not self.keep_log else LinearRun
        try:
            run = kind(examples, rule, plan, weights, held_out, callbacks)
            self._record(run.go(), examples.rows.n)
        except (DivergenceError, Interrupted) as stop:
            self._record(stop.training, examples.rows.n)
            raise
        return self

    def _go_back(self) -> None:
        if hasattr(self, "training_") and self.training_.weights.past is not None:  # they went on learning in place
            self.training_.weights.go_back()
            self._drop_way_back()

    def _drop_way_back(self) -> None:
        self.training_.weights.past = None

    def _record(self, run: Training, rows: int) -> None:
        self.training_ = run
        if run.classes is not None:
            self.classes_ = run.classes
        if run.origin is not None and run.origin.has_dual:
            memory = run.memory()
            if self._memories:
                memory.start = None  # which is where the memory before it ended
            self._memories = (*self._memories, (memory, self._rows_before))
            if not self.keep_log:
                run.origin = None  # the rows that moved nothing are not needed for votes
        self._rows_before += rows
        self.n_iter_ = len(run.history)
        self.n_updates_ = run.weights.updates
        self.converged_ = run.converged
        self.history_: History = run.history
        if run.log is not None:
            self.log_: Log = run.log
        else:
            self.__dict__.pop("log_", None)  # of a call before
        self._sparse_coef = False
        self._chosen = self._watched if run.best is None else "best"

    @property
    def _watched(self) -> str:
        """Whose weights early stopping watches, and predict by themselves."""
        return "averaged" if self._settings.plan.average else "last"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file that `rosenblatt.load` and the command line read; its rows are numbers, column by column."""
        check_is_fitted(self)
        as_classifier(self).save(path)

    def _report(self, run: Training) -> None:
        epoch, number = run.history[-1], len(run.history)
        held_out = epoch.held_out_averaged if self._watched == "averaged" else epoch.held_out_last
        error = "" if held_out is None else f", held-out error {held_out:.4f}"
        print(f"epoch {number}: {epoch.mistakes} mistakes, {epoch.updates} updates, |w| = {epoch.norm:.6g}{error}")

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
        return self._fit(examples, weights, *self._partial)

    def _partial_plan(self) -> Plan:
        seed = self._seed_of_partial_fit()
        return Plan(epochs=1, order="given", seed=seed, average=self.average, keep_log=self.keep_log)


@estimator
class LinearClassifier(ClassifierMixin, TellsInfluences, LinearLearner):  # type: ignore[misc]
    """A learner that tells classes apart: the highest score wins, a score of 0 is the positive of two."""

    class_weight: Any = parameter(None, CLASS_WEIGHT, help=CLASS_WEIGHT_HELP)

    _attributes: ClassVar[dict[str, str]] = {
        "classes_ : ndarray of shape (n_classes,)": "The labels, sorted.",
        "coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)": (
            "Weights: one row for two classes, else one a class; read-only."
        ),
        "intercept_ : ndarray of shape (1,) or (n_classes,)": "Biases, one a row of `coef_`; read-only.",
    }

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Learns from rows X with labels y, from 0 or from the initial weights given."""
        with self._learning():
            plan = self._plan(self._seed())
            examples = labelled(self, X, y, None, sample_weight, reset=True)
            return self._fit(examples, self._start(examples, coef_init, intercept_init), self._rule(), plan)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learns from these rows, once and in the order given; `classes`, at the first call, are all there will be."""
        with self._learning():
            known = getattr(self, "classes_", None)
            return self._partial_fit(labelled(self, X, y, classes_at(known, classes), sample_weight, reset=known is None))

    @property
    def coef_(self) -> np.ndarray:
        """Weights: one row for two classes, else one a class."""
        return self._shown(self._linear.coef)  # type: ignore[no-any-return]

    @property
    def intercept_(self) -> np.ndarray:
        """Biases: one for two classes, else one a class."""
        return self._linear.intercept

    def decision_function(self, X: Any) -> np.ndarray:
        """w·x + b: a number a row for two classes (0 or more: classes_[1]), a column a class for more.

        Voted, it is the votes, and of two classes with equal votes the first wins.
        """
        return self._scores(X)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        scores = self._scores(X)
        labels: np.ndarray = self.classes_[self._model.decide(scores)]
        return labels
