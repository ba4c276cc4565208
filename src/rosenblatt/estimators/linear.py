"""What all linear estimators share: parameters, fit, partial_fit, views, prediction."""

from __future__ import annotations

import copy
import os
import sys
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rosenblatt.engine.parameters import Whole, check
from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.engine.rules import Rule
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DataError, DivergenceError, SettingError
from rosenblatt.estimators.saving import RunSettings, as_classifier
from rosenblatt.learning import training
from rosenblatt.learning.driver import Callbacks, Interrupted
from rosenblatt.learning.examples import (
    AnyExamples,
    Examples,
    RegressionExamples,
    for_classes,
    refuse_missing,
)
from rosenblatt.learning.forgetting import Forgotten, forget
from rosenblatt.learning.history import History
from rosenblatt.learning.influences import Influences, on_decision
from rosenblatt.learning.learners import LEARNERS
from rosenblatt.learning.log import Log, Memory
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import Training
from rosenblatt.learning.votes import VOTING, Voter

ORDER_OF_SHUFFLE: dict[bool | str, str] = {True: "shuffled", False: "given"}


@dataclass(eq=False, repr=False, kw_only=True)
class Inputs(BaseEstimator):  # type: ignore[misc]
    """An estimator that reads rows."""

    random_state: Any = None

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer) and self.random_state >= 0:
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _rows(self, X: Any, reset: bool) -> Rows:
        """X, checked and in a form that the engine reads in place."""
        if isinstance(X, OneHot):
            rows = Rows(X)
            if reset:
                self.n_features_in_ = rows.d
            elif rows.d != self.n_features_in_:
                raise DataError(f"X has {rows.d} features, but {type(self).__name__} is expecting {self.n_features_in_}.")
            return rows
        # The loop notices numbers that are not finite by itself.
        return Rows(validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def order_of(shuffle: bool | str) -> str:
    """The engine's name of what `shuffle` asks for."""
    if shuffle not in (True, False, "once", "replacement", "blocks"):
        raise SettingError(f"shuffle is {shuffle!r}: expected True, False, 'once', 'replacement' or 'blocks'.")
    return ORDER_OF_SHUFFLE.get(shuffle, str(shuffle))


def labelled(estimator: Any, X: Any, y: Any, classes: Any, sample_weight: Any, reset: bool) -> Examples:
    """Checked examples of a classification for an estimator with a `class_weight`."""
    if y is None:
        raise SettingError(
            f"requires y to be passed, but the target y is None: {type(estimator).__name__} learns from labels."
        )
    rows = estimator._rows(X, reset=reset)
    labels = column_or_1d(y, warn=True)
    refuse_missing(labels)
    if labels.dtype.kind in "fc":
        check_classification_targets(labels)
    return for_classes(rows, labels, classes, sample_weight, estimator.class_weight)


def classes_at(known: np.ndarray | None, classes: Any) -> np.ndarray:
    """All classes that partial_fit may meet: named at the first call, the same at every later one."""
    if classes is None:
        if known is None:
            raise SettingError("classes must be passed on the first call to partial_fit: all labels that may occur.")
        return known
    named: np.ndarray = np.unique(column_or_1d(classes))
    if known is not None and not np.array_equal(known, named):
        raise SettingError(f"classes are {named.tolist()}, but were {known.tolist()} at the first call.")
    return named


LINEAR_VIEWS = ("last", "averaged", "best", *VOTING)


@dataclass(eq=False, repr=False, kw_only=True)
class LinearLearner(Inputs):
    """The shared parameters.

    max_iter: most passes over the data; training ends earlier after a pass without updates.
    shuffle: True (before every pass), "once", False (as given), "replacement", or "blocks" (of 64 rows: faster, for
        data without runs of one class).
    fit_intercept: learn a bias, the weight of a constant feature 1.
    average: predict with the mean of the weights after every example.
    tol: stop when the mean change of the weights per example falls below this.
    early_stopping: hold out `validation_fraction` of the rows, stop after `n_iter_no_change` passes without a lower
        error on them, and predict with the best weights seen.
    class_weight: {label: factor} or "balanced"; scales the step, as sample weights do.
    warm_start: `fit` goes on where the last one ended.
    keep_log: record every update in `log_`, with a copy of the rows that moved the weights, in `memory_`: for
        `view("voted")` and for influences. The training rows are referred to as well, for `forget`.
    verbose: print a line a pass.
    random_state: seed of the order; the same seed gives the same bits everywhere.
    """

    max_iter: int = 20
    shuffle: bool | str = True
    fit_intercept: bool = True
    average: bool = False
    tol: float | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    warm_start: bool = False
    keep_log: bool = False
    verbose: int = 0

    _votes = False  # is it the votes of all weights that predict by itself?

    _learner: ClassVar[str] = ""  # its name in the registry

    def _rule(self) -> Rule:
        """The rule with this estimator's parameters."""
        if not self._learner:
            raise TypeError(f"{type(self).__name__} is not a learner by itself: use one of its subclasses.")
        rule = LEARNERS[self._learner].rule
        return rule.from_public({name: getattr(self, name) for name in rule.parameters()})

    def _plan(self, seed: int) -> Plan:
        check("max_iter", self.max_iter, Whole(1))
        if self.early_stopping:
            check("n_iter_no_change", self.n_iter_no_change, Whole(1))
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
            before: Weights = self.training_.weights
            if (before.vectors, before.d) != (examples.vectors, examples.rows.d):
                raise SettingError(
                    f"warm_start goes on with weights of shape {(before.vectors, before.d)}, but these rows need "
                    f"{(examples.vectors, examples.rows.d)}: fit a clone of the estimator."
                )
            return before.copy().with_layout(sparse=not examples.rows.dense)
        weights = Weights(examples.vectors, examples.rows.d, self.fit_intercept, sparse=not examples.rows.dense)
        for name, given, place in (("coef_init", coef, weights.w), ("intercept_init", intercept, weights.bias)):
            if given is not None:
                given = np.asarray(given, dtype=float)
                if given.size != place.size or not np.isfinite(given).all():
                    raise SettingError(f"{name} has shape {given.shape}: expected {place.shape}, all finite.")
                place[...] = given.reshape(place.shape)
        return weights

    def _fit(self, examples: AnyExamples, weights: Weights, plan: Plan, counts_before: np.ndarray | None = None) -> Self:
        """Runs the engine and keeps what it gives, also when it was interrupted; `counts_before` are of calls before."""
        held_out = None
        if plan.patience is not None:
            examples, held_out = training.split(examples, self.validation_fraction, plan.seed)
        if weights.t == 0 or not plan.keep_log or not hasattr(self, "_memories"):
            self._memories: list[tuple[Memory, int]] = []  # of each call, with the number of rows before it
            self._rows_before = 0
        counts = class_counts(examples)
        if counts is not None and counts_before is not None:
            counts += counts_before
        settings = RunSettings(self._rule(), plan, copy.copy(getattr(self, "class_weight", None)), counts)
        try:
            callbacks = Callbacks(epoch=self._report if self.verbose else None)
            self._record(training.run(examples, settings.rule, plan, weights, held_out, callbacks))
            self._settings = settings
        except (DivergenceError, Interrupted) as stop:
            self._record(stop.training)
            self._settings = settings
            raise
        finally:
            self._rows_before += examples.rows.n
        return self

    def _record(self, run: Training) -> None:
        self.training_ = run
        if run.origin is not None and run.origin.has_dual:
            self._memories.append((run.memory(), self._rows_before))
            if not self.keep_log:
                run.origin = None  # the rows that moved nothing are not needed for votes
        self.n_iter_ = len(run.history)
        self.n_updates_ = run.weights.updates
        self.converged_ = run.converged
        self.history_: History = run.history
        if run.log is not None:
            self.log_: Log = run.log
        self._chosen = "best" if run.best is not None else "averaged" if self.average else "last"

    @property
    def _model(self) -> Model | Voter:
        if self._chosen in VOTING:
            return Voter(self.classes_, self.memory_, drawn=self._seed() if self._chosen == "random" else None)
        return self.training_.view(self._chosen)

    @property
    def _linear(self) -> Model:
        """The weights that predict; votes are of many."""
        model = self._model
        if isinstance(model, Voter):
            raise AttributeError("Many weight vectors vote: view('averaged') and view('last') have a coef_ and intercept_.")
        return model

    @property
    def memory_(self) -> Memory:
        """The log since training began, with a copy of the rows that moved the weights."""
        if not getattr(self, "_memories", []):
            raise AttributeError("There is no memory_ without the log of a mistake-driven rule: fit with keep_log=True.")
        while len(self._memories) > 1:
            (earlier, before), (later, between) = self._memories[:2]
            self._memories[:2] = [(earlier.then(later, between - before), before)]
        return self._memories[0][0]

    def _report(self, run: Training) -> None:
        epoch, number = run.history[-1], len(run.history)
        held_out = epoch.held_out_averaged if self.average else epoch.held_out_last
        error = "" if held_out is None else f", held-out error {held_out:.4f}"
        print(
            f"epoch {number}: {epoch.mistakes} mistakes, {epoch.updates} updates, |w| = {epoch.norm:.6g}{error}",
            file=sys.stdout,
        )

    def _weights_to_continue(self, weights_needed: tuple[int, int]) -> Weights | None:
        """The weights that partial_fit continues, if there are any."""
        if not hasattr(self, "training_"):
            return None
        weights: Weights = self.training_.weights
        return weights if (weights.vectors, weights.d) == weights_needed else None

    def _partial_fit(self, examples: AnyExamples) -> Self:
        examples.rows.refuse_not_finite()  # before anything is changed
        before = self._weights_to_continue((examples.vectors, examples.rows.d))
        weights = before or self._start(examples, None, None)
        counts = self._settings.class_counts if before else None
        return self._fit(examples, weights.with_layout(sparse=not examples.rows.dense), self._partial_plan(), counts)

    def _partial_plan(self) -> Plan:
        # A seed that is fixed is the one of random votes, too; to draw one would change the caller's random numbers.
        seed = self._seed() if isinstance(self.random_state, int | np.integer) else 0
        return Plan(epochs=1, order="given", seed=seed, average=self.average, keep_log=self.keep_log)

    def view(self, name: str) -> Self:
        """This estimator with the "last", "averaged" or "best" weights of the same fit, or all of them, "voted"; with
        "random" one of these decides about each row, drawn by `random_state`. Both need the log: `keep_log`.
        """
        check_is_fitted(self)
        if name not in LINEAR_VIEWS:
            raise SettingError(
                f"There is no view {name!r}: choose {', '.join(map(repr, LINEAR_VIEWS[:-1]))} or {LINEAR_VIEWS[-1]!r}."
            )
        twin = copy.copy(self)
        if name in VOTING:
            if not self._memories:
                raise SettingError("Votes need the log of a mistake-driven rule: fit with keep_log=True.")
            twin._memories = [(self.memory_, 0)]
        else:
            self.training_.view(name)  # made now: a later partial_fit moves the weights
        twin._chosen = name
        return twin

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
        self._memories = []
        self._rows_before = 0
        self._record(forgotten.training)
        assert forgotten.training.origin is not None
        left = class_counts(origin.examples, forgotten.training.origin.absent)
        self._settings = replace(self._settings, class_counts=left)
        self._rows_before = origin.examples.rows.n
        return forgotten

    def _scores(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._model.scores(self._rows(X, reset=False))


@dataclass(eq=False, repr=False, kw_only=True)
class LinearClassifier(ClassifierMixin, LinearLearner):  # type: ignore[misc]
    """A learner that tells classes apart: the highest score wins, a score of 0 is the positive of two."""

    class_weight: Any = None

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Learns from rows X with labels y, from 0 or from the initial weights given."""
        plan = self._plan(self._seed())
        examples = labelled(self, X, y, None, sample_weight, reset=True)
        weights = self._start(examples, coef_init, intercept_init)
        self.classes_: Any = examples.classes
        return self._fit(examples, weights, plan)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learns from these rows, once and in the order given; `classes`, at the first call, are all there will be."""
        known = getattr(self, "classes_", None)
        examples = labelled(self, X, y, classes_at(known, classes), sample_weight, reset=known is None)
        self.classes_ = examples.classes
        return self._partial_fit(examples)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file that `rosenblatt.load` and the command line read; its rows are numbers, column by column."""
        check_is_fitted(self)
        as_classifier(self).save(path)

    @property
    def coef_(self) -> np.ndarray:
        """Weights: one row for two classes, else one a class."""
        return self._linear.coef

    @property
    def intercept_(self) -> np.ndarray:
        """Biases: one for two classes, else one a class."""
        return self._linear.intercept

    def decision_function(self, X: Any) -> np.ndarray:
        """w·x + b: a number a row for two classes (above 0: classes_[1]), a column a class for more; voted, the votes."""
        return self._scores(X)

    def influences(self, X: Any) -> Influences:
        """The training examples that made the score of one row, for and against, largest first; they sum to the score.

        With more than two classes the score is the winner's minus the runner-up's. Where all weights vote, it is about
        the averaged ones: votes are no sum of examples. Needs `keep_log=True`.
        """
        check_is_fitted(self)
        twin = self.view("averaged") if self._chosen in VOTING else self
        return on_decision(self.memory_, twin._linear, self._rows(X, reset=False), twin._chosen)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        scores = self._scores(X)
        codes = self._model.decide(scores)
        labels: np.ndarray = self.classes_[codes]
        return labels


def class_counts(examples: AnyExamples, absent: Any = ()) -> np.ndarray | None:
    """How many rows of each class are learned from, without some; None in a regression."""
    if isinstance(examples, RegressionExamples):
        return None
    codes = examples.codes
    if examples.importance is not None or len(absent):
        codes = codes[np.setdiff1d(examples.pool(), absent)]
    return np.bincount(codes, minlength=len(examples.classes))
