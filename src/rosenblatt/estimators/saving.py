"""A fitted estimator as the classifier that a model file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.rules import Rule
from rosenblatt.features import NumbersMap
from rosenblatt.learning.classifier import Classifier, Summary
from rosenblatt.learning.learners import LEARNERS, Recipe
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.votes import VOTING

if TYPE_CHECKING:
    from rosenblatt.estimators.linear import LinearClassifier


@dataclass(frozen=True)
class RunSettings:
    """What a run was asked for: parameters of the estimator may be changed after it."""

    rule: Rule
    plan: Plan
    class_weight: Any = None
    class_counts: np.ndarray | None = None  # rows learned from, by class; None in a regression


def as_classifier(fitted: LinearClassifier) -> Classifier:
    """The classifier with the weights, the log and all settings of an estimator; its rows are numbers, column by column."""
    run, settings, numbers = fitted.training_, fitted._settings, NumbersMap()
    numbers.n_features = fitted.n_features_in_
    names = ["last", "averaged"] + (["best"] if run.best is not None else [])
    recipe, counts = recipe_of(fitted), settings.class_counts
    summary = Summary(
        learner=recipe.learner,
        examples=None if counts is None else int(counts.sum()),
        features=numbers.n_features,
        classes=fitted.classes_.tolist(),
        epochs=fitted.n_iter_,
        updates=fitted.n_updates_,
        seen=run.weights.t,  # also by calls of partial_fit before the last, which have left no history
        converged=run.converged,
        stopped_because=run.stopped_because,
        train_error=None,  # nobody has asked, and the rows are gone
        dev_error=held_out_errors(fitted),
    )
    return Classifier(
        features=numbers,
        classes=fitted.classes_,
        views={name: (run.view(name).coef, run.view(name).intercept) for name in names},
        view=fitted._chosen,
        kind="sparse",
        recipe=recipe,
        counts=None,
        class_counts=counts,
        summary=summary,
        history=run.history,
        memory=fitted.memory_ if fitted._memories else None,
    )


def recipe_of(fitted: LinearClassifier) -> Recipe:
    """The settings of the run by their public names."""
    rule, plan, view = fitted._settings.rule, fitted._settings.plan, fitted._chosen
    learner = rule.name
    if learner == "perceptron":
        learner = "voted" if fitted._votes or view in VOTING else "averaged" if plan.average else learner
    # Of votes plan.average says only which weights early stopping watches.
    averages = view in ("averaged", "best") if learner == "voted" else bool(plan.average)
    votes = learner == "voted" and view in VOTING
    says_so_itself = votes if learner == "voted" else averages == (LEARNERS[learner].view == "averaged")
    return Recipe(
        learner=learner,
        epochs=int(plan.epochs),
        seed=int(plan.seed),
        average=None if says_so_itself else averages,
        order=plan.order,
        fit_intercept=bool(fitted.training_.weights.fit_intercept),
        tol=plain(plan.tol),
        patience=plain(plan.patience),
        class_weight=plain(fitted._settings.class_weight),
        parameters={name: plain(value) for name, value in rule.to_public().items()},
        # Votes have their log anyway, and of a rule that moves at every example no other learner can have one.
        keep_log=bool(plan.keep_log) and not votes and not rule.moves_always,
    )


def held_out_errors(fitted: LinearClassifier) -> dict[str, float] | None:
    """The errors that early stopping has measured at the end of the run, by view."""
    run = fitted.training_
    if run.best is None:
        return None
    last = run.history[-1]
    errors = {"last": last.held_out_last, "averaged": last.held_out_averaged, "best": float(run.best_error)}
    return {view: error for view, error in errors.items() if error is not None}


def plain(value: Any) -> Any:
    """A parameter as Python's own: searches over grids hand numpy's numbers on."""
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    return value.item() if isinstance(value, np.generic) else value
