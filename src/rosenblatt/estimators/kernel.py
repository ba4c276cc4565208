"""The kernel perceptron, and MIRA with kernels."""

from __future__ import annotations

import copy
import os
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.engine import rules
from rosenblatt.engine.parameters import Anything, Flag, Whole, parameter
from rosenblatt.estimators.declared import (
    CLASS_WEIGHT,
    CLASS_WEIGHT_HELP,
    SHUFFLE_HELP,
    SHUFFLES,
    VERBOSE,
    declared_by,
    estimator,
)
from rosenblatt.estimators.going_on import classes_at, seed_of_partial_fit
from rosenblatt.estimators.linear import Inputs, labelled, order_of, rule_of
from rosenblatt.estimators.saving import RunSettings, kernel_as_classifier
from rosenblatt.learning.driver import Callbacks, Interrupted
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.kernel import kernels
from rosenblatt.learning.kernel.model import Dual, KernelScorer, View
from rosenblatt.learning.kernel.training import KernelTraining, train_kernel
from rosenblatt.learning.learners import KernelDesign
from rosenblatt.learning.log import Log
from rosenblatt.learning.plan import Plan


@estimator
class KernelPerceptron(ClassifierMixin, Inputs):  # type: ignore[misc]
    """The perceptron in the space of a kernel: w = Σ tau y φ(x) over its mistakes, known only by K(x, x′) = φ(x)·φ(x′).

    Freund & Schapire, "Large margin classification using the perceptron algorithm", 1999; the kernel perceptron itself is
    Aizerman, Braverman & Rozonoer, 1964.

    Sums are in double. The same rows and seed give the same bits on one machine; on another, BLAS may round products of
    numbers that are not whole differently.

    >>> xor, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"]
    >>> clf = KernelPerceptron(kernel="poly", degree=2, shuffle=False).fit(xor, y)
    >>> clf.converged_, clf.predict(xor).tolist()
    (True, ['same', 'other', 'other', 'same'])
    """

    kernel: Any = parameter(
        "rbf",
        Anything("{'linear', 'poly', 'polynomial', 'rbf'} or callable"),
        help="A function takes two blocks of rows (dense or CSR, as given to `fit`) and gives the matrix of their products.",
    )
    degree: int = declared_by(KernelDesign, "degree", "Of the polynomial (coef0 + x·x′)^degree.")
    coef0: float = declared_by(KernelDesign, "coef0", "Of the polynomial (coef0 + x·x′)^degree.")
    gamma: float | str = declared_by(
        KernelDesign, "gamma", 'Of the RBF exp(−gamma |x − x′|²); "scale" is 1 / (columns · variance of X).'
    )
    rule: str = declared_by(KernelDesign, "rule", "When and how far an example moves the weights.")
    eta0: float = declared_by(rules.Perceptron, "eta0", "The perceptron's rate.")
    learning_rate: str = declared_by(rules.Perceptron, "learning_rate", "How the perceptron's rate falls.")
    p: float = declared_by(rules.Mira, "p", "MIRA also corrects examples that are right by less than p.")
    multi_class: str = declared_by(
        KernelDesign,
        "multi_class",
        '"one_rival" (as the linear learners: the right class gains, its rival loses) or "ovr" (each class against the '
        "rest). All classes share the kernels.",
    )
    fit_intercept: bool | None = parameter(
        None,
        Flag(optional=True),
        help="A bias, the weight of a constant feature: the kernel plus 1, in |φ(x)|² too. None: where φ holds no constant "
        'by itself, which is for "linear", and "poly" with coef0 = 0. RBF and functions are taken as they are.',
    )
    score_with: str = declared_by(
        KernelDesign,
        "score_with",
        'What predicts after the one run; "random" is one of the voters for each row, drawn by `random_state`. '
        "`view(...)` gives the others without another fit.",
    )
    budget: int | None = declared_by(
        KernelDesign,
        "budget",
        "At most so many support examples: the oldest goes when one more is needed. Then there are only the last weights.",
    )
    max_iter: int = parameter(
        20, Whole(1), help="Most passes over the data; training ends earlier after a pass without updates."
    )
    shuffle: bool | str = parameter(True, SHUFFLES, help=SHUFFLE_HELP)
    class_weight: Any = parameter(None, CLASS_WEIGHT, help=CLASS_WEIGHT_HELP)
    verbose: int = parameter(0, VERBOSE, help="Print a line a pass.")

    _attributes: ClassVar[dict[str, str]] = {
        "classes_ : ndarray of shape (n_classes,)": "The labels, sorted.",
        "support_ : ndarray of shape (n_support,)": (
            "Numbers of the support rows, in the order of their first updates; after `partial_fit`, among all rows seen."
        ),
        "support_vectors_ : ndarray or CSR of shape (n_support, n_features)": "The support rows.",
        "dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)": (
            "Σ tau y of every support row in the last weights: one row for two classes, else one a class."
        ),
        "dual_ : Dual": "The solution itself: kernel, support, coefficients and logs.",
        "logs_ : tuple of Log": 'The updates (t, row, rival, tau): one log, or with "ovr" one a class; none with a budget.',
        "n_iter_ : int": "Passes over the data of the last call of `fit` or `partial_fit`.",
        "n_updates_ : int": 'Updates; with "ovr" of all classes together.',
        "converged_ : bool": "Did training end after a pass without updates?",
        "history_ : History": "Mistakes and updates of every pass; `norm` is |w| in the space of φ, the bias counted.",
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learns from rows X with labels y."""
        with self._learning():
            self._design()  # refuses votes with a budget
            plan = Plan(self.max_iter, order_of(self.shuffle), self._seed())
            return self._learn(labelled(self, X, y, None, sample_weight, reset=True), plan, None)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learns from these rows, once and in the order given; `classes`, at the first call, are all there will be.

        The kernel, with the first rows' gamma="scale", and the bias stay those of the first call.
        """
        with self._learning():
            self._design()
            known, before = getattr(self, "classes_", None), getattr(self, "dual_", None)
            examples = labelled(self, X, y, classes_at(known, classes), sample_weight, reset=known is None)
            return self._learn(examples, Plan(1, "given", seed_of_partial_fit(self)), before)

    def _learn(self, examples: Examples, plan: Plan, before: Dual | None) -> Self:
        if before is None:
            kernel = kernels.fitted(self.kernel, self.degree, self.coef0, self.gamma, examples.rows)
        else:
            kernel = before.space.kernel
        bias = not kernel.has_constant if self.fit_intercept is None else bool(self.fit_intercept)
        plan = replace(plan, fit_intercept=bias)
        rule = rule_of(self, self.rule)
        self._drawn_by = plan.seed
        callbacks = Callbacks(epoch=self._report if self.verbose else None)
        counts = examples.class_counts()
        if before is not None:
            counts += self._settings.class_counts
        self._settings: RunSettings = RunSettings(rule, plan, copy.copy(self.class_weight), counts)
        try:
            self._record(train_kernel(examples, rule, kernel, plan, self._design(), before, callbacks))
        except Interrupted as stop:
            self._record(stop.training)
            raise
        return self

    def _record(self, run: KernelTraining) -> None:
        self._run_design = self._design()
        self._stopped_because = run.stopped_because
        self.dual_ = dual = run.dual
        self.classes_, self.n_updates_ = dual.classes, dual.updates
        self.support_, self.support_vectors_, self.dual_coef_ = dual.support, dual.rows, dual.coef.T
        self.n_iter_ = len(run.history)
        self.history_ = run.history
        self.converged_ = run.converged
        self._chosen = self.score_with

    def _report(self, run: KernelTraining) -> None:
        epoch, number = run.history[-1], len(run.history)
        print(f"epoch {number}: {epoch.mistakes} mistakes, {epoch.updates} updates, |w| = {epoch.norm:.6g}")

    def _design(self) -> KernelDesign:
        """How the run is to go; a kernel that is a function is beside it."""
        kernel = {"poly": "polynomial"}.get(self.kernel, self.kernel) if isinstance(self.kernel, str) else "rbf"
        kernels.by_name(self.kernel)  # in its own words
        return KernelDesign(
            self.multi_class, self.budget, kernel, self.degree, self.coef0, self.gamma, self.rule, self.score_with
        )

    @property
    def logs_(self) -> tuple[Log, ...]:
        """The updates (t, row, rival, tau): one log, or with "ovr" one a class."""
        if self.dual_.logs is None:
            raise AttributeError("With a budget there is no log: what has gone is forgotten.")
        return self.dual_.logs

    def view(self, name: str) -> Self:
        """This estimator, predicting with the "last", "averaged", "voted" or "random" weights of the same fit."""
        check_is_fitted(self)
        twin = copy.copy(self)
        twin._chosen = View(name).name
        if name != "last" and self.dual_.logs is None:
            self.dual_.placed_logs(0)  # says why not
        return twin

    def _scorer(self) -> KernelScorer:
        return self.dual_.scorer(View(self._chosen, seed=self._drawn_by))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file that `rosenblatt.load` and the command line read; it cannot hold a function as kernel."""
        check_is_fitted(self)
        kernel_as_classifier(self).save(path)

    def decision_function(self, X: Any) -> np.ndarray:
        """w·φ(x), or votes: a number a row for two classes (0 or more: classes_[1]), a column a class for more."""
        check_is_fitted(self)
        return self._scorer().scores(self._rows(X, reset=False))

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        check_is_fitted(self)
        return self._scorer().predict(self._rows(X, reset=False))
