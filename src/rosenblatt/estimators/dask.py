"""The learners on a Dask cluster, by the names that xgboost and lightgbm have for theirs: DaskPerceptron and its like.

`fit` takes the names of files, a Dask dataframe or a Dask array; workers read and learn (cluster/job.py). The bits depend on
the rows and on `shards`, never on the workers.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from rosenblatt.cluster.dask_tasks import DaskTasks
from rosenblatt.cluster.job import FileSource, learn_on_cluster
from rosenblatt.cluster.local import SHARDS
from rosenblatt.cluster.partitions import PartitionSource, source_of_array, source_of_frame
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.engine import rules
from rosenblatt.engine.parameters import Anything, Choice, Flag, Whole, keywords_of, parameter, refuse_unknown
from rosenblatt.errors import SettingError, needs_parts
from rosenblatt.estimators.declared import CLASS_WEIGHT, CLASS_WEIGHT_HELP, declared_by, estimator
from rosenblatt.estimators.learners import FALLING, HOW_AGGRESSIVE, RATE_OF_SQUARES
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.learners import LEARNERS, Recipe
from rosenblatt.learning.plan import MIXES, MULTICLASS


@estimator
class DaskLearner(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What all learners on a cluster share."""

    client: Any = parameter(None, Anything("distributed.Client or None"), help="Of the cluster; None: the one in use.")
    shards: int = parameter(SHARDS, Whole(1), help="Ranges of rows, learned from side by side; the bits depend on it.")
    mix: str = parameter("uniform", Choice(MIXES), help="Do all shards count alike, or by their updates?")
    max_iter: int = parameter(20, Whole(1), help="Most passes over the data.")
    random_state: int = parameter(0, Whole(0), help="Seed of the order of the examples.")
    fit_intercept: bool = parameter(True, Flag(), help="Learn a bias, the weight of a constant feature 1.")
    class_weight: Any = parameter(None, CLASS_WEIGHT, help=CLASS_WEIGHT_HELP)
    features: Any = parameter(None, Anything("dict or None"), help="Options of the feature map of a table, as `learn` has.")

    _learner: ClassVar[str]
    _attributes: ClassVar[dict[str, str]] = {
        "classifier_ : Classifier": "What was learned: `save` writes it, `explain` tells of it.",
        "classes_ : ndarray": "The labels, sorted.",
        "coef_ : ndarray": "The weights that predict, of the features of `classifier_.features`.",
        "intercept_ : ndarray": "The biases.",
        "n_iter_ : int": "Passes over the data.",
    }

    def fit(self, X: Any, y: Any = None, **reading: Any) -> Self:
        """Learns from rows with labels y.

        X is the name of a file, a folder or a pattern, of which y names a column (other keywords are those of `read`); a
        Dask dataframe, of which y names a column; or a Dask array, beside which y is another.
        """
        with needs_parts(type(self).__name__):
            tasks = DaskTasks(self._client())
        learned = learn_on_cluster(self._source(X, y, reading), self._recipe(), tasks)
        for sentence in learned.notes:
            warnings.warn(sentence, stacklevel=2)
        self.classifier_: Classifier = learned.classifier
        model = learned.classifier.linear()
        self.classes_, self.coef_, self.intercept_ = self.classifier_.classes, model.coef, model.intercept
        self.n_iter_, self.history_ = len(learned.training.history), learned.training.history
        return self

    def predict(self, X: Any) -> Any:
        """The classes: of rows in memory an array; of a Dask array or dataframe one that is computed when asked for."""
        if not hasattr(self, "classifier_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        decide = Predictor(self.classifier_)
        if _is_array(X):
            return X.rechunk({1: -1}).map_blocks(decide, drop_axis=1, dtype=self.classes_.dtype)
        if _is_frame(X):
            return X.map_partitions(decide, meta=np.empty(0, self.classes_.dtype))
        return decide(X)

    def __sklearn_clone__(self) -> Self:
        """An unfitted copy on the same cluster: a client is a connection, of which there is no copy."""
        return type(self)(**self.get_params(deep=False))

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: all but the client."""
        return {**super().__getstate__(), "client": None}

    def _client(self) -> Any:
        from distributed import get_client

        try:
            return get_client() if self.client is None else self.client
        except ValueError:
            raise SettingError("There is no Dask cluster in use: pass client=distributed.Client(…).") from None

    def _source(self, X: Any, y: Any, reading: dict[str, Any]) -> FileSource | PartitionSource:
        if isinstance(X, str | os.PathLike):
            of_reading = [name for name in keywords_of(ReadOptions) if name not in ("sizes", "coded", "training")]
            refuse_unknown("fit", reading, of_reading)
            target = {} if y is None else {"target": y}
            return FileSource(os.fspath(X), ReadOptions(**(target | reading)))
        if reading:
            raise SettingError(f"{next(iter(reading))} is about files, and X is none: leave it out.")
        if _is_frame(X):
            return source_of_frame(X, y)
        if _is_array(X):
            return source_of_array(X, y)
        raise SettingError(
            f"X is a {type(X).__name__}: expected the name of a file or a pattern, a Dask dataframe or a Dask array. Rows "
            f"in memory are learned from by {type(self).__name__.removeprefix('Dask')}."
        )

    def _recipe(self) -> Recipe:
        rule = LEARNERS[self._learner].rule
        parameters = {name: getattr(self, name) for name in rule.parameters() if hasattr(self, name)}
        return Recipe(
            learner=self._learner,
            epochs=self.max_iter,
            seed=self.random_state,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            parameters=parameters,
            features=dict(self.features or {}),
            multiclass=getattr(self, "multiclass", "rival"),
            shards=self.shards,
            mix=self.mix,
            regression=False,
        )


class Predictor:
    """A function of rows that any worker can call."""

    def __init__(self, classifier: Classifier):
        self.classifier = classifier

    def __call__(self, rows: Any) -> np.ndarray:
        model, mapping = self.classifier.model(), self.classifier.features
        predicted: np.ndarray = model.predict(mapping.transform(rows))
        return predicted


def _is_array(X: Any) -> bool:
    return hasattr(X, "rechunk") and hasattr(X, "to_delayed")


def _is_frame(X: Any) -> bool:
    return hasattr(X, "npartitions") and hasattr(X, "columns") and hasattr(X, "to_delayed")


@estimator
class DaskMistakeDriven(DaskLearner):
    """A learner that moves where an example is wrong, or not right by enough."""

    multiclass: str = parameter(
        "rival", Choice(MULTICLASS), help="Each class learns against its rival, or against the rest."
    )


@estimator
class DaskPerceptron(DaskMistakeDriven):
    """The perceptron, mixed over shards (McDonald, Hall and Mann, 2010)."""

    eta0: float = declared_by(rules.Perceptron, "eta0", "The rate.")
    learning_rate: str = declared_by(rules.Perceptron, "learning_rate", FALLING)
    _learner: ClassVar[str] = "perceptron"


@estimator
class DaskAveragedPerceptron(DaskPerceptron):
    """The perceptron that predicts with the mean over all examples that all shards saw."""

    _learner: ClassVar[str] = "averaged"


@estimator
class DaskMira(DaskMistakeDriven):
    """MIRA, mixed over shards."""

    p: float = declared_by(rules.Mira, "p", "How aggressive: also examples with a margin below p move the weights.")
    _learner: ClassVar[str] = "mira"


@estimator
class DaskPassiveAggressive(DaskMistakeDriven):
    """The passive-aggressive learner, mixed over shards."""

    C: float = declared_by(rules.PassiveAggressive, "C", HOW_AGGRESSIVE)
    variant: str = declared_by(rules.PassiveAggressive, "variant", "How C tames a step.")
    _learner: ClassVar[str] = "passive-aggressive"


@estimator
class DaskArow(DaskMistakeDriven):
    """AROW, mixed over shards: the precisions that they add are summed."""

    r: float = declared_by(rules.Arow, "r", "How cautious: the larger, the shorter a step.")
    _learner: ClassVar[str] = "arow"


@estimator
class DaskSoftPerceptron(DaskLearner):
    """Logistic regression, by one example after the other, mixed over shards; the mean of the weights predicts."""

    eta0: float = declared_by(rules.Logistic, "eta0", "The rate.")
    learning_rate: str = declared_by(rules.Logistic, "learning_rate", FALLING)
    _learner: ClassVar[str] = "logistic"


@estimator
class DaskWidrowHoff(DaskLearner):
    """Widrow and Hoff's rule, mixed over shards."""

    eta0: float | None = declared_by(rules.WidrowHoff, "eta0", RATE_OF_SQUARES)
    learning_rate: str = declared_by(rules.WidrowHoff, "learning_rate", FALLING)
    _learner: ClassVar[str] = "widrow-hoff"
