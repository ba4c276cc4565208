"""A fitted estimator as the classifier that a model file holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.rules import Rule
from rosenblatt.features import NumbersMap
from rosenblatt.learning.classifier import Classifier, Summary
from rosenblatt.learning.kernel import kernels
from rosenblatt.learning.learners import KERNEL, LEARNERS, Recipe
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.votes import VOTING

if TYPE_CHECKING:
    from rosenblatt.estimators.kernel import KernelPerceptron
    from rosenblatt.estimators.linear import LinearLearner


@dataclass(frozen=True)
class RunSettings:
    """What a run was asked for: parameters of the estimator may be changed after it."""

    rule: Rule
    plan: Plan
    class_weight: Any = None
    class_counts: np.ndarray | None = None  # rows learned from, by class; None in a regression


def as_classifier(fitted: LinearLearner) -> Classifier:
    """The classifier with the weights, the log and all settings of an estimator; its rows are numbers, column by column.

    That of a regressor has no classes, and no log: a rule that moves at every example keeps none.
    """
    run = fitted.training_
    names = ["last", "averaged"] + (["best"] if run.best is not None else [])
    model = without_weights(fitted, recipe_of(fitted), run.stopped_because)
    model.views = {name: (run.view(name).coef, run.view(name).intercept) for name in names}
    model.variances = run.weights.variances
    model.memory = fitted.memory_ if fitted._memories and not model.predicts_numbers else None
    model.weights = run.weights.copy() if model.memory is None else None  # the estimator may go on
    model.summary.seen = run.weights.t  # also by calls of partial_fit before the last, which have left no history
    model.summary.dev_error = held_out_errors(fitted)
    model.calibration = fitted._calibration
    return model


def kernel_as_classifier(fitted: KernelPerceptron) -> Classifier:
    """The classifier of a fitted kernel perceptron: support examples in the place of weights."""
    settings, design = fitted._settings, fitted._run_design
    kernel = kernels.to_json(fitted.dual_.space.kernel)
    parameters = asdict(design) | settings.rule.to_public() | {"kernel": kernel.pop("name")}
    parameters |= {name: value for name, value in kernel.items() if parameters[name] != "scale"}
    recipe = Recipe(
        learner=KERNEL.name,
        epochs=int(settings.plan.epochs),
        seed=int(settings.plan.seed),
        order=settings.plan.order,
        fit_intercept=bool(settings.plan.fit_intercept) or fitted.dual_.space.kernel.has_constant,
        class_weight=plain(settings.class_weight),
        parameters={name: plain(value) for name, value in parameters.items()},
    )
    model = without_weights(fitted, recipe, fitted._stopped_because)
    model.dual, model.summary.seen = fitted.dual_, fitted.dual_.t
    return model


def without_weights(fitted: LinearLearner | KernelPerceptron, recipe: Recipe, stopped_because: str) -> Classifier:
    """All that a fitted estimator knows but for what it has learned."""
    numbers, counts = NumbersMap(), fitted._settings.class_counts
    classes = np.zeros(0) if recipe.regression else fitted.classes_
    numbers.n_features = fitted.n_features_in_
    numbers.column_names = [str(name) for name in getattr(fitted, "feature_names_in_", ())] or None
    summary = Summary(
        learner=recipe.learner,
        examples=None if counts is None else int(counts.sum()),
        features=numbers.n_features,
        classes=classes.tolist(),
        epochs=fitted.n_iter_,
        updates=fitted.n_updates_,
        converged=fitted.converged_,
        stopped_because=stopped_because,
        train_error=None,  # nobody has asked, and the rows are gone
    )
    return Classifier(
        features=numbers,
        classes=classes,
        views={},
        view=fitted._chosen,
        kind="sparse",
        recipe=recipe,
        counts=None,
        class_counts=counts,
        summary=summary,
        history=fitted.history_,
    )


def recipe_of(fitted: LinearLearner) -> Recipe:
    """The settings of the run by their public names."""
    rule, plan, view = fitted._settings.rule, fitted._settings.plan, fitted._chosen
    learner, regression = rule.name, fitted.training_.classes is None
    if regression:
        learner = next(name for name, known in LEARNERS.items() if known.regression is type(rule))
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
        keep_log=bool(plan.keep_log) and not votes and not rule.moves_always and bool(fitted._memories),
        regression=regression,
        calibrate=fitted._calibration is not None,
        multiclass=plan.multiclass if fitted.training_.weights.vectors > 1 else "rival",  # two classes are one vector
    )


def held_out_errors(fitted: LinearLearner) -> dict[str, float] | None:
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
