"""From a data set to a classifier and its file: features, training and labels in one object.

>>> from rosenblatt.data import open_known
>>> iris = open_known("iris")
>>> model = learn(iris, Recipe(learner="averaged", epochs=5))
>>> model.predict(iris.rows)[:3]
array(['setosa', 'setosa', 'setosa'], dtype='<U10')
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import features
from rosenblatt.data import Dataset, markup
from rosenblatt.engine.parameters import keywords_of, refuse_unknown
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.weights import Weights, refuse_beyond_memory
from rosenblatt.errors import DataError, LabelError, ModelFileError, RosenblattError, SettingError
from rosenblatt.features import FeatureMap, Notes, TableMap, feature_rows
from rosenblatt.learning import model_file
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import (
    AnyExamples,
    Examples,
    RegressionExamples,
    classes_of,
    codes_among,
    feature_counts,
    feature_means,
    for_classes,
    for_regression,
    has_quantity,
    labels_of,
    text_array,
)
from rosenblatt.learning.history import Epoch, History
from rosenblatt.learning.influences import Influences, on_decision
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.log import Memory
from rosenblatt.learning.scoring import Model, Scorer, probabilities
from rosenblatt.learning.training import Training, error, run
from rosenblatt.learning.votes import VOTING, Voter

if TYPE_CHECKING:  # a kernel takes scipy, and few learn with one
    from rosenblatt.data.training_names import TrainingNames
    from rosenblatt.learning.calibration import Calibration
    from rosenblatt.learning.kernel.model import Dual
    from rosenblatt.learning.kernel.training import KernelTraining
    from rosenblatt.learning.quantities import TargetScale
    from rosenblatt.learning.threshold import Threshold
    from rosenblatt.learning.updating import UpdateReport

NOT_SAVED = ("seconds",)  # differs from run to run
OPTIONAL = ("seen", "seconds")  # left out where they are not known
MANY_CLASSES = 20  # from more on, numbers that are taken for classes are told


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

    def refuse_numbers(self) -> None:
        """Refuses a regression where classes are asked about."""
        if self.predicts_numbers:
            raise SettingError("The model predicts numbers, as `predict` shows: what is asked is about classes.")

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
            raise LabelError(
                f"{len(unknown)} label(s) in {data.name} were never seen in training: {shown}. "
                "Pass --unseen skip to leave those rows out."
            )
        kept = np.flatnonzero(~strange)
        if not len(kept):
            raise LabelError(f"No label in {data.name} was seen in training.")
        rows, notes = self.transform((data.take(kept) if strange.any() else data).rows)
        return Examples(rows, codes[kept], self.classes), notes, kept

    def number_examples(self, data: Dataset, unseen: str = "refuse") -> tuple[RegressionExamples, Notes, np.ndarray]:
        """The same of a model that predicts numbers; unseen="skip" leaves out labels that are none."""
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
    return replace(data, rows=model.features.with_training_types(data.rows))


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Writes a classifier, or a fitted estimator, into a model file."""
    model.save(path)


def load(path: str | os.PathLike[str]) -> Classifier:
    """The classifier in a model file; refuses every damaged byte, and runs no code."""
    from rosenblatt.learning import model_schema  # for files that are read, not for those that are written

    header, arrays = model_file.read(path)
    try:
        model_schema.verify_header(header)
        model_schema.verify_arrays(header, arrays)
        return _built(header, arrays)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RosenblattError) as wrong:
        # What is wrong may be a text of millions of letters.
        why = f"{str(wrong)[:300]}…" if len(str(wrong)) > 300 else str(wrong)
        raise ModelFileError(f"{os.fspath(path)}: the file is whole, but holds no classifier ({why}).") from None


def _built(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Classifier:
    """The classifier of a verified header and its arrays."""
    from rosenblatt.learning.model_schema import VIEWS

    label_types: dict[str, Any] = {"i": np.int64, "u": np.uint64, "b": bool, "f": float}
    labels = header["labels"]
    texts = bool(labels) and isinstance(labels[0], str)
    classes = text_array(labels) if texts else np.array(labels, label_types.get(header["label_type"]))
    counts, class_counts = arrays.get("counts"), arrays.get("class_counts")
    if class_counts is not None and not class_counts.any():  # so older files say that nothing is known
        counts = class_counts = None
    model = Classifier(
        features=features.from_json(header["feature_map"]),
        classes=classes,
        views={name: (arrays[f"{name}.coef"], arrays[f"{name}.intercept"]) for name in VIEWS if f"{name}.coef" in arrays},
        view=header["view"],
        kind=header["kind"],
        recipe=Recipe.from_json(header["recipe"]),
        counts=counts,
        class_counts=class_counts,
        means=arrays.get("means"),
        summary=Summary.from_json(header["summary"], classes.tolist()),
        history=History([Epoch(**epoch) for epoch in header["history"]]),
        target=header["target"],
        zero_based=header.get("zero_based"),
        file_columns=tuple(header["file_columns"]) if header.get("file_columns") else None,
    )
    model.recipe.refuse_impossible()
    if model.recipe.rule().second_order:
        model.variances = arrays["variances.coef"], arrays["variances.intercept"]
    if "log" in header:
        model.memory = Memory.from_arrays(header["log"], arrays_of("log", arrays), 1 if len(classes) == 2 else len(classes))
    if "dual" in header:
        from rosenblatt.learning.kernel.model import Dual

        model.dual = Dual.from_arrays(header["dual"], arrays_of("dual", arrays), classes)
    if "sums" in header:
        sums = arrays_of("sums", arrays)
        model.weights = Weights.from_arrays(model.views["last"], header["sums"], sums, model.recipe.fit_intercept)
    if "calibration" in header:
        from rosenblatt.learning.calibration import Calibration

        model.calibration = Calibration.from_arrays(header["calibration"], arrays_of("calibration", arrays))
    if "threshold" in header:
        from rosenblatt.learning.threshold import Threshold

        model.threshold = Threshold(**header["threshold"])
    if "target_scale" in header:
        from rosenblatt.learning.quantities import TargetScale

        model.target_scale = TargetScale.from_json(header["target_scale"])
    width = model.views["last"][0].shape[1] if model.dual is None else model.dual.rows.shape[1]
    if model.features.n_features != width:
        raise ValueError("weights and features do not match")
    return model


def arrays_of(part: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays of one part of a model file, by their names within it."""
    return {name.removeprefix(f"{part}."): array for name, array in arrays.items() if name.startswith(f"{part}.")}


def learn(
    data: Dataset | str | os.PathLike[str],
    recipe: Recipe | None = None,
    dev: Dataset | None = None,
    watch: Callbacks | None = None,
    *,
    stream: bool = False,
    **settings: Any,
) -> Classifier:
    """Trains a classifier on a data set, and measures it on another if there is one; a quantity is predicted as a number.

    Other keywords are those of `Recipe`, and change it: learn(data, epochs=3). With `stream` the data are the name of a
    file, a folder or a pattern, whose rows are held on disk: learn("sales/*.parquet", stream=True, target="paid"). Keywords
    are then also those of `read`, and `cache`, a folder that keeps the rows for the next call.
    """
    if stream != isinstance(data, str | os.PathLike):
        what = (
            "of a file by its name, and this is a data set" if stream else "of a file only with stream=True: `read` it first"
        )
        raise SettingError(f"learn takes the rows {what}.")
    if isinstance(data, str | os.PathLike):
        from rosenblatt.learning.stream import learn_file

        return learn_file(data, recipe or Recipe(), dev, watch, settings)
    refuse_unknown("learn", settings, ["recipe", "dev", "watch", *keywords_of(Recipe)])
    return learn_from(data, replace(recipe or Recipe(), **settings), dev, watch).classifier


@dataclass(frozen=True)
class Learned:
    """A classifier with the run that made it and the examples that it saw, for those who ask more about the run."""

    classifier: Classifier
    training: Training | KernelTraining
    examples: Examples
    held_out: Examples | None = None  # rows that it was measured on
    notes: tuple[str, ...] = ()  # what could not be done or read, or was decided


@dataclass(frozen=True)
class LearnedNumbers:
    """The same of a model that predicts numbers; targets are in their own units."""

    classifier: Classifier
    training: Training
    examples: RegressionExamples
    held_out: RegressionExamples | None = None
    notes: tuple[str, ...] = ()


def learn_from(
    data: Dataset, recipe: Recipe, dev: Dataset | None = None, watch: Callbacks | None = None
) -> Learned | LearnedNumbers:
    """What `learn` does; the run and its examples are given back, too. A recipe may leave it to the target what it is."""
    if recipe.regression is not None:
        return (learn_numbers if recipe.regression else learn_classes)(data, recipe, dev, watch)
    labels = labels_of(data)
    quantity = has_quantity(labels)
    learned = (learn_numbers if quantity else learn_classes)(data, recipe, dev, watch)
    if not quantity and len(learned.classifier.classes) <= MANY_CLASSES:
        return learned
    from rosenblatt.learning.quantities import sentence_about

    sentence = sentence_about(data, quantity)
    return learned if sentence is None else replace(learned, notes=(sentence, *learned.notes))


def learn_numbers(
    data: Dataset, recipe: Recipe, dev: Dataset | None = None, watch: Callbacks | None = None
) -> LearnedNumbers:
    """Training for a quantity: the rules see it scaled, the model and all that is measured have its own units."""
    from rosenblatt.learning.quantities import TargetScale, read_targets

    recipe, known = recipe.for_numbers(), read_targets(data)
    data, targets = known.among(data), known.values
    scale = TargetScale.of(targets, recipe.fit_intercept, known.number)
    mapping = fit_features(data, scale.scaled(targets), recipe)
    rows = feature_rows(mapping, data.rows)
    examples = for_regression(rows, targets)
    refuse_beyond_memory(examples.vectors, rows.d)
    recipe, about_window = for_rows_on_disk(recipe, examples)
    counts = feature_counts(Examples(rows, np.zeros(rows.n, dtype=np.int32), np.zeros(1)))
    model = Classifier(
        features=mapping,
        classes=np.zeros(0),
        views={},
        view=recipe.view,
        kind=data.kind,
        recipe=recipe,
        counts=counts,
        means=feature_means(rows, counts) if data.kind == "table" else None,
        class_counts=np.array([rows.n]),
        summary=Summary(),
        target=data.labels.name if data.kind == "table" else None,  # type: ignore[union-attr]
        zero_based=data.zero_based,
        file_columns=data.file_columns,
        target_scale=scale,
    )
    held_out = None if dev is None else model.number_examples(dev)[0]

    def scaled(part: RegressionExamples) -> RegressionExamples:
        return replace(part, targets=scale.scaled(part.targets))

    trained = run(scaled(examples), recipe.rule(), recipe.plan(), held_out=held_out and scaled(held_out), callbacks=watch)
    record_training(model, trained, examples, held_out)
    notes = () if known.note is None else (known.note,)
    return LearnedNumbers(model, trained, examples, held_out, (*notes, *about_window))


def learn_classes(
    data: Dataset,
    recipe: Recipe,
    dev: Dataset | None = None,
    watch: Callbacks | None = None,
    prepared: tuple[FeatureMap, Examples] | None = None,
) -> Learned:
    """Training for classes; what is `prepared` needs no rows of `data`."""
    rule = replace(recipe, regression=False).rule()
    mapping, examples = prepare(data, recipe) if prepared is None else prepared
    recipe, about_window = for_rows_on_disk(recipe, examples)
    plan = recipe.plan()
    notes = (*cells_not_read(mapping.notes), *about_window)
    counts = feature_counts(examples)
    model = Classifier(
        features=mapping,
        classes=examples.classes,
        views={},
        view=recipe.view,
        kind=data.kind,
        recipe=recipe,
        counts=counts,
        means=feature_means(examples.rows, counts) if data.kind == "table" else None,
        class_counts=np.bincount(examples.codes, minlength=len(examples.classes)),
        summary=Summary(),
        target=data.labels.name if data.kind == "table" else None,  # type: ignore[union-attr]
        zero_based=data.zero_based,
        file_columns=data.file_columns,
    )
    held_out = None if dev is None else model.examples(dev)[0]
    if recipe.with_kernel:
        from rosenblatt.learning.kernel.training import train_recipe

        by_kernel = train_recipe(examples, recipe, watch)
        model.dual = by_kernel.dual if data.numbers is None else by_kernel.dual.renumbered(data.numbers)
        record_training(model, by_kernel, examples, held_out)
        return with_probabilities(Learned(model, by_kernel, examples, held_out, notes))
    trained = run(examples, rule, plan, held_out=held_out, callbacks=watch)
    if plan.keep_log:
        model.memory = trained.memory()
        if data.numbers is not None:
            model.memory.numbers = data.numbers[model.memory.numbers]
    record_training(model, trained, examples, held_out)
    return with_probabilities(Learned(model, trained, examples, held_out, notes))


def for_rows_on_disk(recipe: Recipe, examples: AnyExamples) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe for rows that lie in files: they may be more than fit into memory; and what is to be told of it."""
    if not examples.rows.mapped:
        return recipe, ()
    from rosenblatt.learning.window import with_window

    return with_window(recipe, examples)


def cells_not_read(notes: Notes) -> tuple[str, ...]:
    """What cells of training were taken as missing: a column need not hold what it was said to hold."""
    if not notes.unreadable and not notes.undated:
        return ()
    return tuple(Notes(notes.rows, unreadable=notes.unreadable, undated=notes.undated).sentences())


def with_probabilities(learned: Learned) -> Learned:
    """Where rows were held out, or it is asked for: probabilities, and the threshold that goes with them."""
    recipe = learned.classifier.recipe
    if learned.held_out is None and not recipe.calibrate and recipe.threshold is None:
        return learned
    from rosenblatt.learning.deciding import add_probabilities

    return add_probabilities(learned)


def prepare(data: Dataset, recipe: Recipe) -> tuple[FeatureMap, Examples]:
    """The feature map of the recipe, fitted to the data, and the data as examples for the engine."""
    labels = labels_of(data)
    classes = classes_of(labels)
    if len(classes) < 2:
        column = getattr(labels, "name", "") or "the target"
        raise LabelError(
            f"{data.name}: {column} has 1 class, {classes.tolist()[0]!r}: at least two are needed to tell apart."
        )
    codes, class_weight = codes_among(classes, labels), by_code(recipe.class_weight, classes)
    mapping = fit_features(data, codes, recipe, class_weight)
    examples = for_classes(feature_rows(mapping, data.rows), codes, class_weight=class_weight)
    refuse_beyond_memory(examples.vectors, examples.rows.d)  # before the features are counted, which takes as much
    return mapping, replace(examples, classes=classes)


def fit_features(data: Dataset, codes: np.ndarray, recipe: Recipe, class_weight: Any = None) -> FeatureMap:
    """The feature map of the recipe, fitted to the data; what it leaves open, held-out rows decide.

    `codes` are those of classes or, where the recipe is one for numbers, the scaled targets.
    """
    mapping = features.map_for(data.kind, **recipe.map_options(data.kind))
    if not isinstance(mapping, TableMap):
        return mapping.fit(data.rows)
    mapping.fit(data.rows, trimmed=data.trimmed)
    if mapping.products != "auto" and (mapping.numeric != "auto" or not mapping.has_bins):
        return mapping
    from rosenblatt.learning.feature_choice import HeldOutNumbers, HeldOutRows, choose_features

    if recipe.regression:
        return choose_features(mapping, data, HeldOutNumbers(data, codes, recipe))
    return choose_features(mapping, data, HeldOutRows(data, codes, recipe, class_weight))


def by_code(class_weight: Any, classes: np.ndarray) -> Any:
    """Factors by label as factors by place among the classes."""
    if not isinstance(class_weight, dict):
        return class_weight
    places = {label: place for place, label in enumerate(classes.tolist())}
    return {places.get(label, label): factor for label, factor in class_weight.items()}


def record_training(
    model: Classifier, trained: Training | KernelTraining, examples: AnyExamples, held_out: AnyExamples | None
) -> None:
    """Puts what training gave into the classifier, with the numbers that people ask for first."""
    if isinstance(trained, Training):
        views = ["last", "averaged"] + (["best"] if trained.best is not None else [])
        for name in views:
            weights = trained.view(name)
            model.views[name] = weights.coef, weights.intercept
            if model.target_scale is not None:
                model.views[name] = model.target_scale.in_units(*model.views[name])
        model.variances = trained.weights.variances
        if trained.best is not None and model.recipe.patience is not None and not model.recipe.votes:
            model.view = "best"
        views += ["voted"] if model.recipe.votes else []
        goes_on = model.memory is None and model.target_scale is None and model.recipe.goes_on_in_update
        model.weights = trained.weights if goes_on else None
    else:
        views = ["last"] if trained.dual.logs is None else list(dict.fromkeys(["last", "averaged", model.view]))
    model.history = trained.history if model.target_scale is None else in_units(trained.history, model.target_scale.sd)
    model.summary = Summary(
        learner=model.recipe.learner,
        examples=examples.rows.n,
        features=model.features.n_features,
        classes=model.classes.tolist(),
        epochs=len(trained.history),
        updates=trained.updates,
        converged=trained.converged,
        stopped_because=trained.stopped_because,
        train_error=error(model.model(), examples),
        dev_error=None if held_out is None else {name: error(model.model(name), held_out) for name in views},
    )


def in_units(history: History, sd: float) -> History:
    """The epochs of a run on targets that were divided by sd, with lengths and squared errors as without."""

    def times(value: float | None, factor: float) -> float | None:
        return None if value is None else value * factor

    return History(
        replace(
            epoch,
            norm=epoch.norm * sd,
            moved=times(epoch.moved, sd),
            held_out_last=times(epoch.held_out_last, sd * sd),
            held_out_averaged=times(epoch.held_out_averaged, sd * sd),
        )
        for epoch in history
    )
