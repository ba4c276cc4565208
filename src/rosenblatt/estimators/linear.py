"""What all linear estimators share: parameters, fit, partial_fit, views, prediction."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from contextlib import contextmanager
from operator import is_not
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rosenblatt.engine.parameters import (
    AnyOf,
    Anything,
    Flag,
    Real,
    Whole,
    declared_in,
    parameter,
    refuse_wrong_parameters,
)
from rosenblatt.engine.rows import OneHot, Rows, is_sparse
from rosenblatt.engine.rules import Rule
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DataError, DivergenceError, LabelError, SettingError
from rosenblatt.estimators.declared import CLASS_WEIGHT, CLASS_WEIGHT_HELP, SHUFFLE_HELP, SHUFFLES, VERBOSE, estimator
from rosenblatt.estimators.going_on import ContinuedRun, GoesOn, classes_at
from rosenblatt.estimators.probabilities import NOT_CALIBRATED, GivesProbabilities, goes_on
from rosenblatt.estimators.remembering import Forgets, TellsInfluences
from rosenblatt.estimators.saving import RunSettings, as_classifier
from rosenblatt.estimators.views import ClassifierViews, LinearViews
from rosenblatt.learning import training
from rosenblatt.learning.driver import Callbacks, Interrupted
from rosenblatt.learning.examples import AnyExamples, Examples, for_classes, refuse_missing
from rosenblatt.learning.history import History
from rosenblatt.learning.holding_out import split
from rosenblatt.learning.learners import LEARNERS
from rosenblatt.learning.log import Log
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import LinearRun, Training


def order_of(shuffle: bool | str) -> str:
    """The engine's name of what `shuffle` asks for."""
    if Flag().holds(shuffle):
        return "shuffled" if shuffle else "given"
    return str(shuffle)


def rule_of(estimator: BaseEstimator, learner: str) -> Rule:
    """The rule of the learner of this name, with the estimator's parameters."""
    rule = LEARNERS[learner].rule
    return rule.from_public({name: getattr(estimator, name) for name in rule.parameters()})


class ReadsSparse(BaseEstimator):  # type: ignore[misc]
    """An estimator that reads sparse rows, too."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@estimator
class Inputs(ReadsSparse):
    """An estimator that reads rows."""

    random_state: Any = parameter(
        None,
        Anything("int, RandomState instance or None"),
        help="Seed of the order of the examples; the same seed gives the same bits everywhere.",
    )

    _attributes: ClassVar[dict[str, str]] = {
        "n_features_in_ : int": "Number of columns seen by `fit`.",
        "feature_names_in_ : ndarray of shape (n_features_in_,)": "Their names, where X has names for its columns.",
    }

    def _seed(self) -> int:
        if isinstance(self.random_state, int | np.integer) and self.random_state >= 0:
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """Around every fit: refuses wrong parameters, and after an error the estimator is as it was before.

        Of a run that was cut short it has what was learned.
        """
        before = dict(vars(self))
        try:
            self._refuse_wrong_parameters()
            yield
            self._drop_way_back()
        except (DivergenceError, Interrupted):
            self._drop_way_back()
            raise
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            self._go_back()
            raise

    def _go_back(self) -> None:
        """Undoes what a failed fit has changed in place."""

    def _drop_way_back(self) -> None:
        """The last step of a fit: from here on it counts."""

    def _refuse_wrong_parameters(self) -> None:
        """Looks at them once, until one changes: streams come in many small batches."""
        values = tuple(map(vars(self).get, declared_in(type(self))))
        if any(map(is_not, values, vars(self).get("_checked", (self,)))):
            refuse_wrong_parameters(self)
            self._checked = values
            self.__dict__.pop("_partial", None)

    def _asks_for_norms(self) -> bool:
        """Does a fit ask for norms of rows, or keep rows for who will?"""
        return True

    def _rows(self, X: Any, reset: bool, to_learn: bool = True, threads: int = 1, repeats: bool = False) -> Rows:
        """X, checked and in a form that the engine reads in place; with `repeats` a row may name a column twice."""
        if self._is_plain(X):
            if reset:
                self.n_features_in_ = X.shape[1]
                self.__dict__.pop("feature_names_in_", None)  # of a fit before
            if reset or (X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_")):
                return Rows(X, to_learn, threads, repeats=repeats)
        if isinstance(X, OneHot):
            rows = Rows(X, threads=threads)
            if reset:
                self.n_features_in_ = rows.d
            elif rows.d != self.n_features_in_:
                raise DataError(f"X has {rows.d} features, but {type(self).__name__} is expecting {self.n_features_in_}.")
            return rows
        # The loop notices numbers that are not finite by itself.
        X = validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=False)
        return Rows(X, to_learn, threads, repeats=repeats)

    def _is_plain(self, X: Any) -> bool:
        """Is X what scikit-learn's validation would pass on as it is: an array or CSR of floats, with rows and columns?"""
        if type(X) is not np.ndarray and not (is_sparse(X) and X.format == "csr"):
            return False
        return bool(X.ndim == 2 and X.dtype.kind == "f" and min(X.shape) > 0)


def labelled(estimator: Any, X: Any, y: Any, classes: Any, sample_weight: Any, reset: bool) -> Examples:
    """Checked examples of a classification for an estimator with a `class_weight`."""
    rows, labels = checked(estimator, X, y, reset, in_parts=classes is not None)
    return for_classes(rows, labels, classes, sample_weight, estimator.class_weight)


def checked(estimator: Any, X: Any, y: Any, reset: bool, in_parts: bool) -> tuple[Rows, np.ndarray]:
    """Rows and their labels."""
    if y is None:
        raise SettingError(
            f"requires y to be passed, but the target y is None: {type(estimator).__name__} learns from labels."
        )
    rows = estimator._rows(X, reset=reset, repeats=not in_parts and not estimator._asks_for_norms())
    labels = y if type(y) is np.ndarray and y.ndim == 1 else column_or_1d(y, warn=True)
    refuse_missing(labels)
    if labels.dtype.kind in "fc":
        check_classification_targets(labels)
    if labels.dtype.kind == "O" and len(labels) and not isinstance(labels[0], str):
        kind = type(labels[0]).__name__
        raise LabelError(
            f"Unknown label type: y is an array of objects that holds {kind}, which scikit-learn's measures do not read. "
            f"Pass y.astype({kind}), or texts."
        )
    if in_parts and isinstance(estimator.class_weight, str):
        raise SettingError(
            f"class_weight is {estimator.class_weight!r} in partial_fit, which does not see all rows: pass a dict of "
            "label: factor, say of sklearn.utils.class_weight.compute_class_weight('balanced', classes=…, y=…)."
        )
    return rows, labels


@estimator
class LinearLearner(GoesOn, Forgets, LinearViews, Inputs):
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

    def _asks_for_norms(self) -> bool:
        # Without a bias a row of zeros is counted, and 1 and -1 in one column are 0.
        return self._rule().reads_norms or self.tol is not None or self.keep_log or not self.fit_intercept

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
            multiclass=self._multiclass,
        )

    @property
    def _multiclass(self) -> str:
        """How more than two classes learn; rules that move at every example have one way."""
        return getattr(self, "multiclass", "rival")

    def _start(self, examples: AnyExamples, coef: Any, intercept: Any) -> Weights:
        """Zero, the initial weights given, or those of the fit before."""
        if self.warm_start and hasattr(self, "training_") and coef is None and intercept is None:
            return self._weights_to_continue(examples, "warm_start")
        weights = training.zero_weights(examples, self._rule(), self.fit_intercept)
        for name, given, place in (("coef_init", coef, weights.w), ("intercept_init", intercept, weights.bias)):
            if given is not None:
                given = np.asarray(given, dtype=float)
                if given.size != place.size or not np.isfinite(given).all():
                    raise SettingError(f"{name} has shape {given.shape}: expected {place.shape}, all finite.")
                place[...] = given.reshape(place.shape)
                weights.norm2 = None
        return weights

    def _fit(self, examples: AnyExamples, weights: Weights, rule: Rule, plan: Plan) -> Self:
        """Runs the engine and keeps what it gives, also when it was interrupted."""
        held_out = None
        if plan.patience is not None:
            examples, held_out = split(examples, self.validation_fraction, plan.seed)
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
        self.__dict__.pop("_calibration", None)  # of a fit before, or of rows that were forgotten
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


@estimator
class LinearClassifier(
    ClassifierMixin,  # type: ignore[misc]
    GivesProbabilities,
    TellsInfluences,
    ClassifierViews,
    LinearLearner,
):
    """A learner that tells classes apart: the highest score wins, a score of 0 is the positive of two."""

    class_weight: Any = parameter(None, CLASS_WEIGHT, help=CLASS_WEIGHT_HELP)
    calibrate: bool = parameter(
        False,
        Flag(),
        help="Give `predict_proba`: a sigmoid, or steps where rows are many, fitted to scores out of fold (five, by "
        "`random_state`), which takes five more fits. The weights are the same without it. Not with `partial_fit` or "
        "`warm_start`.",
    )

    new_classes: bool = parameter(
        False,
        Flag(),
        help="`partial_fit` takes labels that no call before had: such a class starts at zero with its first row, and comes "
        "behind the others in `classes_`. Not with a log.",
    )

    _attributes: ClassVar[dict[str, str]] = {
        "classes_ : ndarray of shape (n_classes,)": "The labels, sorted; with `new_classes`, later ones as they came.",
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
            if not self.calibrate:
                return self._fit(examples, self._start(examples, coef_init, intercept_init), self._rule(), plan)
            if self.warm_start:
                raise SettingError(f"calibrate=True {NOT_CALIBRATED.format('warm_start')}")
            self._fit(examples, self._start(examples, coef_init, intercept_init), self._rule(), plan)
            self._calibrate(examples, lambda part: self._start(part, coef_init, intercept_init))
            return self

    @available_if(goes_on)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learns from these rows, once and in the order given; `classes`, at the first call, are all there will be.

        With `new_classes` more may come, and the first call takes those of its rows where it names none.
        """
        with self._learning():
            known = getattr(self, "classes_", None)
            if self.new_classes:
                from rosenblatt.estimators.new_classes import learn_with_new_classes

                learn_with_new_classes(self, X, y, classes, sample_weight)
                return self
            return self._partial_fit(labelled(self, X, y, classes_at(known, classes), sample_weight, reset=known is None))
