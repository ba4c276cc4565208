"""A trained classifier of raw rows: features, weights and labels in one object, and its file.

>>> import rosenblatt
>>> iris = rosenblatt.read("iris")
>>> model = rosenblatt.learn(iris, learner="averaged", epochs=5)
>>> model.predict(iris.rows)[:3]
array(['setosa', 'setosa', 'setosa'], dtype='<U10')
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data import Dataset, markup
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DataError, LabelError, SettingError, counted
from rosenblatt.features import FeatureMap, Notes, TableMap
from rosenblatt.features.table import as_trained
from rosenblatt.learning import model_file
from rosenblatt.learning.examples import Examples, RegressionExamples, codes_among, feature_rows, labels_of
from rosenblatt.learning.history import History
from rosenblatt.learning.influences import Influences, on_decision
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.log import Memory
from rosenblatt.learning.scoring import Model, Scorer, probabilities
from rosenblatt.learning.votes import VOTING, Voter

if TYPE_CHECKING:  # a kernel takes scipy, and few learn with one
    from rosenblatt.data.training_names import TrainingNames
    from rosenblatt.learning.calibration import Calibration
    from rosenblatt.learning.kernel.model import Dual
    from rosenblatt.learning.quantities import TargetScale
    from rosenblatt.learning.threshold import Threshold
    from rosenblatt.learning.updating import UpdateReport

NOT_SAVED = ("seconds",)  # differs from run to run
OPTIONAL = ("seen", "seconds")  # left out where they are not known


@dataclass
class Summary:
    """The numbers that people ask for first; None is what is not known, as the training error of a saved estimator."""

    learner: str | None = None
    examples: int | None = None
    features: int | None = None
    classes: list[Any] | None = None
    epochs: int | None = None
    updates: int | None = None
    converged: bool | None = None
    stopped_because: str | None = None
    train_error: float | None = None
    dev_error: dict[str, float] | None = None  # by view
    seen: int | None = None  # examples of all calls of partial_fit: the history is that of the last
    seconds: float | None = None

    def __getitem__(self, name: str) -> Any:
        """summary["updates"] is summary.updates."""
        return getattr(self, name)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints, in this order."""
        return {name: value for name, value in asdict(self).items() if value is not None or name not in OPTIONAL}

    def to_json(self) -> dict[str, Any]:
        """What a model file holds."""
        return {name: value for name, value in self.to_dict().items() if name not in NOT_SAVED}

    @classmethod
    def from_json(cls, saved: dict[str, Any], classes: list[Any]) -> Summary:
        """The reverse; keys that only other versions know are passed over."""
        known = {one.name for one in fields(cls)}
        return cls(**{"classes": classes} | {name: value for name, value in saved.items() if name in known})


@dataclass
class Classifier:
    """A trained classifier of raw rows: a feature map, labels, and weights in several views.

    One that predicts numbers has no classes; its weights are in the units of the target.
    """

    features: FeatureMap
    classes: np.ndarray
    views: dict[str, tuple[np.ndarray, np.ndarray]]  # last, averaged and, with held-out data, best
    view: str  # the one that predicts
    kind: str  # of data: table, text, sparse, images
    recipe: Recipe
    counts: np.ndarray | None  # in how many rows of each class a feature was not 0; None: not known
    class_counts: np.ndarray | None
    summary: Summary
    history: History = field(default_factory=History)
    target: str | None = None  # the column that it predicts, where the data have columns
    zero_based: bool | None = None  # do indices of its libsvm files start at 0?
    file_columns: tuple[str, ...] | None = None  # all columns, the target among them, of a file without a header
    memory: Memory | None = None  # the log and the rows that it refers to, where kept
    dual: Dual | None = None  # what a kernel has learned, in the place of views and memory
    means: np.ndarray | None = None  # of the features of a table over the rows of training; None: not known
    calibration: Calibration | None = None  # of the scores of one view, to probabilities
    threshold: Threshold | None = None  # the probability from which on the second of two classes is predicted
    variances: tuple[np.ndarray, np.ndarray] | None = None  # of the last weights, by which a rule of second order goes on
    target_scale: TargetScale | None = None  # of the numbers that it has learned to predict; a saved estimator has none
    weights: Weights | None = None  # as training left them, with the sums of their average: what `update` goes on from

    def model(self, view: str | None = None) -> Scorer:
        """What scores rows of features and decides: the weights of one of the views or, "voted", of the whole run."""
        name = view or self.view
        scorer: Scorer
        if self.dual is not None:
            scorer = self.dual.scorer_called(name, self.recipe.seed)
        elif name in VOTING:
            scorer = Voter(self.classes, self.remembered(), drawn=self.recipe.seed if name == "random" else None)
        else:
            return self._weights(name)
        return scorer if self.threshold is None or self.threshold.view != name else scorer.with_cut(self.threshold.score)

    def linear(self, view: str | None = None) -> Model:
        """The weights of one of the views, of a linear classifier; without a name, those of `linear_view`."""
        if self.dual is not None:
            raise SettingError(
                "The model learned with a kernel: it is a sum of training examples and has no weight of its own for each "
                "feature. `explain --by example` (influences) shows it; train another learner to see weights."
            )
        return self._weights(self.linear_view(view))

    def _weights(self, name: str) -> Model:
        if name not in self.views:
            raise SettingError(f"The model has no {name} weights: it has {', '.join(self.views)}.")
        weights = Model(None if self.predicts_numbers else self.classes, *self.views[name])
        return weights if self.threshold is None or self.threshold.view != name else weights.with_cut(self.threshold.score)

    @property
    def predicts_numbers(self) -> bool:
        """Is it a regression? Then there are no classes."""
        return bool(self.recipe.regression)

    def refuse_numbers(self, asked: str = "this") -> None:
        """Refuses a regression where something is `asked` that is about classes."""
        if self.predicts_numbers:
            raise SettingError(f"The model predicts numbers, and {asked} is about classes.")

    def linear_view(self, view: str | None = None) -> str:
        """The view that is one weight vector a class: this one or, where none is named and all vote, the averaged."""
        return view or ("averaged" if self.view in VOTING else self.view)

    def remembered(self) -> Memory:
        """The log with the rows that it refers to."""
        if self.dual is not None:
            self.linear()  # says why not
        if self.predicts_numbers:
            raise SettingError("The model predicts numbers: its learner moves at every example, and keeps no log.")
        if self.memory is None and not self.recipe.can_keep_log:
            against = " against the rest" if self.recipe.multiclass == "rest" else ""
            raise SettingError(
                f"The model was saved without its log, and {self.recipe.learner}{against} can have none: its updates are no "
                "single rows. Train another learner with --keep-log (keep_log=True), or explain by features."
            )
        if self.memory is None:
            raise SettingError("The model was saved without its log: train it with --keep-log (keep_log=True).")
        return self.memory

    def influences(self, rows: Any, view: str | None = None) -> Influences:
        """The training examples that made the score of a raw row, for and against, largest first; they sum to the score.

        With more than two classes the score is the winner's minus the runner-up's. Where all weights vote, it is about
        the averaged ones: votes are no sum of examples.
        """
        x = self.transform(rows)[0]
        if self.dual is not None:
            return self.dual.influences(x, self.linear_view(view))
        return on_decision(self.remembered(), self.linear(view), x, self.linear_view(view))

    def transform(self, rows: Any) -> tuple[Rows, Notes]:
        """Raw rows as the engine reads them, and what had to be overlooked."""
        transformed = feature_rows(self.features, rows)
        notes = self.features.notes
        return transformed, replace(notes, ignored=tuple(name for name in notes.ignored if name != self.target))

    def scores(self, rows: Any, view: str | None = None) -> np.ndarray:
        """w·x + b of raw rows, or votes: a number a row for two classes, a column a class for more."""
        return self.model(view).scores(self.transform(rows)[0])

    def predict(self, rows: Any, view: str | None = None) -> np.ndarray:
        """The label of each raw row; in a regression, its number."""
        return self.model(view).predict(self.transform(rows)[0])

    def predict_proba(self, rows: Any, view: str | None = None) -> np.ndarray:
        """P(class | row), a column a class: by the calibration or, without one, those that logistic has of itself."""
        self.refuse_no_probabilities(view)
        return self.probabilities(self.scores(rows, view), view)

    def has_probabilities(self, view: str | None = None) -> bool:
        """Can the scores of these weights be turned into probabilities?"""
        calibrated = self.calibration is not None and self.calibration.view == (view or self.view)
        return calibrated or (self.recipe.learner == "logistic" and not self.predicts_numbers)

    def refuse_no_probabilities(self, view: str | None = None) -> None:
        """Refuses where there are none, with the ways to have them."""
        if self.calibration is not None and not self.has_probabilities(view):
            raise SettingError(
                f"The probabilities are those of the {self.calibration.view} weights, not of the {view or self.view}."
            )
        if not self.has_probabilities(view):
            raise SettingError(
                f"{self.recipe.learner} gives scores and no probabilities: train it with --holdout SHARE or --dev FILE, or "
                "with --calibrate (calibrate=True); or run `rosenblatt calibrate MODEL FILE -o MODEL` on labelled rows that "
                "it has not seen. logistic has its own."
            )

    def probabilities(self, scores: np.ndarray, view: str | None = None) -> np.ndarray:
        """P(class | score), a column a class, of scores by these weights."""
        if self.calibration is not None and self.calibration.view == (view or self.view):
            return self.calibration.probabilities(scores)
        return probabilities(scores)

    def examples(self, data: Dataset, unseen: str = "refuse") -> tuple[Examples, Notes, np.ndarray]:
        """Labelled rows for this model, its notes, and which rows were kept; unseen="skip" leaves strange labels out."""
        self.refuse_numbers()
        self.refuse_other_start(data)
        codes = codes_among(self.classes, labels_of(data))
        strange = codes < 0
        if strange.any() and unseen != "skip":
            unknown = np.unique(np.asarray(data.labels)[strange])
            shown = ", ".join(repr(str(label)) for label in unknown[:5])
            # `train` has no --unseen: a model without weights is about to learn.
            remedy = (
                "Pass --unseen skip to leave those rows out" if self.views else "Leave those rows out, or learn from some"
            )
            raise LabelError(f"{counted(len(unknown), 'label')} of {data.name} never seen in training: {shown}. {remedy}.")
        kept = np.flatnonzero(~strange)
        if not len(kept):
            raise LabelError(f"No label in {data.name} was seen in training.")
        rows, notes = self.transform((data.take(kept) if strange.any() else data).rows)
        return Examples(rows, codes[kept], self.classes), notes, kept

    def number_examples(self, data: Dataset, unseen: str = "refuse") -> tuple[RegressionExamples, Notes, np.ndarray]:
        """Rows and targets for a model that predicts numbers; unseen="skip" leaves out labels that are none."""
        from rosenblatt.learning.quantities import read_targets

        self.refuse_other_start(data)
        targets = read_targets(data, self.target_scale, unseen)
        rows, notes = self.transform(targets.among(data).rows)
        return RegressionExamples(rows, targets.values), notes, targets.rows

    def update(self, rows: Any, labels: Any) -> UpdateReport:
        """Learns from new raw rows without the old ones, once and in their order; on an error nothing is changed.

        The same model comes out in whatever parts the rows come. Scales, bins and idf stay as they were.
        """
        from rosenblatt.learning.updating import Update

        update = Update(self)
        update.learn(rows, labels)
        return update.finish()

    def refuse_other_start(self, data: Dataset) -> None:
        """Indices from 0 and from 1 would put every value into the wrong column, silently."""
        if None not in (self.zero_based, data.zero_based) and self.zero_based != data.zero_based:
            raise DataError(
                f"Indices in {data.name} start at {int(not data.zero_based)}, those of training at "
                f"{int(not self.zero_based)}: read it with zero_based={self.zero_based}."
            )

    @property
    def training_names(self) -> TrainingNames | None:
        """The columns of the table that it has learned from; None where there was none."""
        if not isinstance(self.features, TableMap):
            return None
        from rosenblatt.data.training_names import TrainingNames

        table = self.features
        numeric = any(column.number for column in table.columns)
        readings = table.readings
        names = table.raw_columns if readings is None else [one.name for one in readings.columns]
        return TrainingNames(tuple(names), self.file_columns, numeric)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, all or nothing."""
        counted = {"counts": self.counts, "class_counts": self.class_counts, "means": self.means}
        arrays = {name: counts for name, counts in counted.items() if counts is not None}
        for name, (coef, intercept) in self.views.items():
            arrays |= {f"{name}.coef": np.ascontiguousarray(coef), f"{name}.intercept": intercept}
        if self.variances is not None:
            arrays |= {"variances.coef": np.ascontiguousarray(self.variances[0]), "variances.intercept": self.variances[1]}
        header = {
            "labels": self.classes.tolist(),
            "label_type": self.classes.dtype.kind,
            "feature_map": self.features.to_json(),
            "view": self.view,
            "kind": self.kind,
            "target": self.target,
            "zero_based": self.zero_based,
            "recipe": self.recipe.to_json(),
            "summary": self.summary.to_json(),
            "history": [asdict(epoch) for epoch in self.history],
        }
        if self.file_columns is not None:
            header["file_columns"] = list(self.file_columns)
        if self.memory is not None:
            header["log"], of_log = self.memory.to_arrays()
            arrays |= {f"log.{name}": array for name, array in of_log.items()}
        if self.dual is not None:
            header["dual"], of_dual = self.dual.to_arrays()
            arrays |= {f"dual.{name}": array for name, array in of_dual.items()}
        if self.weights is not None:
            header["sums"], of_sums = self.weights.to_arrays()
            arrays |= {f"sums.{name}": array for name, array in of_sums.items()}
        if self.calibration is not None:
            header["calibration"], maps = self.calibration.to_arrays()
            arrays |= {f"calibration.{name}": array for name, array in maps.items()}
        if self.threshold is not None:
            header["threshold"] = asdict(self.threshold)
        if self.target_scale is not None:
            header["target_scale"] = self.target_scale.to_json()
        model_file.write(path, header, arrays)

    def _repr_html_(self) -> str:
        """How a notebook shows it; `rosenblatt report` shows it at length."""
        summary = self.summary
        lines: dict[str, Any] = {
            "learner": summary.learner,
            "predicts": self.target,
            "classes": ", ".join(map(str, self.classes)) or None,
        }
        lines |= {name: summary[name] for name in ("examples", "features", "epochs", "updates")}
        error_name = "mean squared error" if self.predicts_numbers else "error"
        lines |= {"weights that predict": self.view, f"training {error_name}": summary.train_error}
        lines |= {f"held-out {error_name}, {view}": error for view, error in (summary.dev_error or {}).items()}
        kind = "Regressor" if self.predicts_numbers else "Classifier"
        return markup.facts(kind, {name: value for name, value in lines.items() if value is not None})


def with_training_types(model: Classifier, data: Dataset) -> Dataset:
    """Data that were read as texts for a model, with numbers where it has learned from numbers."""
    if data.kind != "table" or not isinstance(model.features, TableMap):
        return data
    return replace(data, rows=as_trained.with_training_types(model.features, data.rows))


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Writes a classifier, or a fitted estimator, into a model file."""
    model.save(path)
