"""From a data set to a classifier: labels become codes, columns features, and a run of the loop weights."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.engine import compiled
from rosenblatt.engine.packed_rows import PackedRows
from rosenblatt.engine.parameters import keywords_of, refuse_unknown
from rosenblatt.engine.rows import SPARSE_KINDS, Rows, is_mapped
from rosenblatt.engine.threads import map_on_cores
from rosenblatt.engine.weights import refuse_beyond_memory
from rosenblatt.errors import LabelError, SettingError
from rosenblatt.features import FeatureMap, Notes, TableMap
from rosenblatt.learning.classifier import Classifier, Summary
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import (
    AnyExamples,
    Examples,
    RegressionExamples,
    classes_of,
    codes_among,
    feature_rows,
    for_classes,
    for_regression,
    has_quantity,
    labels_of,
)
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.scoring import error
from rosenblatt.learning.training import Training, run

if TYPE_CHECKING:  # a kernel takes scipy, and few learn with one
    from rosenblatt.learning.kernel.training import KernelTraining

MANY_CLASSES = 10  # digits; of more, which may be marks or counts, it is told that each is taken for a class
SUMMED_ENTRIES = 2**22  # at a time
ONES = (SPARSE_KINDS[0, 4], SPARSE_KINDS[0, 8])  # kinds of rows whose entries are all 1


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
    if settings.get("shards") is not None and (watch is None or watch.run is None):
        raise SettingError("Shards are learned from by workers: rosenblatt.cluster.local.learn_with_workers(data, …).")
    return learn_from(data, replace(recipe or Recipe(), **settings), dev, watch).classifier


@dataclass(frozen=True)
class RepeatedRows:
    """Rows to measure on that are rows of training, and the share of the rows of training that repeat another of them."""

    rows: int
    by_chance: float


@dataclass(frozen=True)
class Learned:
    """A classifier with the run that made it and the examples that it saw, for those who ask more about the run."""

    classifier: Classifier
    training: Training | KernelTraining
    examples: Examples
    held_out: Examples | None = None  # rows that it was measured on
    notes: tuple[str, ...] = ()  # what could not be done or read, or was decided
    repeated: RepeatedRows | None = None  # where rows of training are not here to be asked


@dataclass(frozen=True)
class LearnedNumbers:
    """A model that predicts numbers, its run and its examples; targets are in their own units."""

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


def untrained(
    data: Dataset,
    recipe: Recipe,
    features: FeatureMap,
    classes: np.ndarray,
    class_counts: np.ndarray,
    counts: np.ndarray,
    means: np.ndarray | None,
) -> Classifier:
    """All that a model keeps of its data and its recipe; `record_training` adds the weights and the summary."""
    return Classifier(
        features=features,
        classes=classes,
        views={},
        view=recipe.view,
        kind=data.kind,
        recipe=recipe,
        counts=counts,
        means=means,
        class_counts=class_counts,
        summary=Summary(),
        target=getattr(data.labels, "name", None) if data.kind == "table" else None,
        zero_based=data.zero_based,
        file_columns=data.file_columns,
    )


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
    of_one_class = Examples(rows, np.zeros(rows.n, dtype=np.int32), np.zeros(1))
    counts, means = counts_and_means(of_one_class) if data.kind == "table" else (feature_counts(of_one_class), None)
    model = untrained(data, recipe, mapping, np.zeros(0), np.array([rows.n]), counts, means)
    model.target_scale = scale
    held_out = None if dev is None else model.number_examples(dev)[0]

    def scaled(part: RegressionExamples) -> RegressionExamples:
        return replace(part, targets=scale.scaled(part.targets))

    trained = run(scaled(examples), recipe.rule(), recipe.plan(), held_out=held_out and scaled(held_out), callbacks=watch)
    record_training(model, trained, examples, held_out)
    notes = () if known.note is None else (known.note,)
    return LearnedNumbers(model, trained, examples, held_out, (*notes, *values_pooled(mapping, rows.n), *about_window))


def learn_classes(
    data: Dataset,
    recipe: Recipe,
    dev: Dataset | Examples | None = None,
    watch: Callbacks | None = None,
    prepared: tuple[FeatureMap, Examples] | None = None,
) -> Learned:
    """Training for classes; what is `prepared` needs no rows of `data`, and rows to measure on may be encoded, too."""
    rule = replace(recipe, regression=False).rule()
    mapping, examples = prepare(data, recipe) if prepared is None else prepared
    recipe, about_window = for_rows_on_disk(recipe, examples)
    plan = recipe.plan()
    notes = (*cells_not_read(mapping.notes), *values_pooled(mapping, examples.rows.n), *about_window)
    counts, means = counts_and_means(examples) if data.kind == "table" else (feature_counts(examples), None)
    class_counts = count_codes(examples.codes, len(examples.classes))
    model = untrained(data, recipe, mapping, examples.classes, class_counts, counts, means)
    held_out = model.examples(dev)[0] if isinstance(dev, Dataset) else dev
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


def values_pooled(mapping: FeatureMap, rows: int) -> tuple[str, ...]:
    """Which columns had more values than have features of their own."""
    if not isinstance(mapping, TableMap) or not mapping.pooled:
        return ()
    from rosenblatt.features.table.pooled import about_pooled

    return about_pooled(mapping.pooled, rows)


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
    on_disk: ModuleType | None = None
    if is_mapped(getattr(labels, "codes", getattr(labels, "values", labels))):
        from rosenblatt.learning import label_codes

        on_disk = label_codes
    classes = classes_of(labels) if on_disk is None else on_disk.classes_of_blocks(labels)
    if len(classes) < 2:
        column = getattr(labels, "name", "") or "the target"
        raise LabelError(
            f"{data.name}: {column} has 1 class, {classes.tolist()[0]!r}: at least two are needed to tell apart."
        )
    class_weight = by_code(recipe.class_weight, classes)
    codes = codes_among(classes, labels) if on_disk is None else on_disk.codes_in_file(classes, labels)
    mapping = fit_features(data, codes, recipe, class_weight)
    rows = feature_rows(mapping, data.rows)
    if on_disk is None:
        examples = for_classes(rows, codes, class_weight=class_weight)
    else:
        examples = on_disk.examples_of(rows, codes, len(classes), class_weight)
    refuse_beyond_memory(examples.vectors, examples.rows.d)  # before the features are counted, which takes as much
    return mapping, replace(examples, classes=classes)


def fit_features(data: Dataset, codes: np.ndarray, recipe: Recipe, class_weight: Any = None) -> FeatureMap:
    """The feature map of the recipe, fitted to the data; what it leaves open, held-out rows decide.

    `codes` are those of classes or, where the recipe is one for numbers, the scaled targets.
    """
    mapping = recipe.feature_map(data.kind)
    if not isinstance(mapping, TableMap):
        return mapping.fit(data.rows)
    mapping.fit(data.rows, trimmed=data.trimmed)
    if mapping.products != "auto" and (mapping.numeric != "auto" or not mapping.has_bins):
        return mapping
    from rosenblatt.learning.feature_choice import HeldOutNumbers, HeldOutRows, choose_features

    if recipe.regression:
        return choose_features(mapping, data, HeldOutNumbers(mapping, data, codes, recipe))
    return choose_features(mapping, data, HeldOutRows(mapping, data, codes, recipe, class_weight))


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
        goes_on = model.memory is None and model.target_scale is None
        model.weights = trained.weights if goes_on else None
    else:
        views = ["last"] if trained.dual.logs is None else list(dict.fromkeys(["last", "averaged", model.view]))
    model.history = trained.history if model.target_scale is None else trained.history.times(model.target_scale.sd)
    model.summary = Summary(
        learner=model.recipe.learner,
        examples=examples.rows.n,
        features=model.features.n_features,
        classes=model.classes.tolist(),
        epochs=len(trained.history),
        updates=trained.updates,
        converged=trained.converged,
        stopped_because=trained.stopped_because,
        train_error=error(model.model(), examples) if examples.rows.n else None,
        dev_error=None if held_out is None else {name: error(model.model(name), held_out) for name in views},
    )


def count_codes(codes: np.ndarray, classes: int) -> np.ndarray:
    """How many rows there are of each class; in parts, as numpy counts 64-bit numbers, and these are shorter.

    >>> count_codes(np.array([1, 0, 1], dtype=np.int32), 3)
    array([1, 2, 0])
    """
    counts = np.zeros(classes, dtype=np.int64)
    for start in range(0, len(codes), SUMMED_ENTRIES):
        counts += np.bincount(codes[start : start + SUMMED_ENTRIES], minlength=classes)
    return counts


def counts_and_means(examples: Examples) -> tuple[np.ndarray, np.ndarray]:
    """`feature_counts`, and the mean of every feature; of packed rows, which take time to unpack, on two cores."""
    rows = examples.rows
    if rows.kind in ONES:  # each is 0 or 1
        counts = feature_counts(examples)
        return counts, counts.sum(axis=0) / max(1, rows.n)
    work: list[Callable[[], np.ndarray]] = [partial(feature_counts, examples), partial(feature_means, rows)]
    counts, means = map_on_cores(lambda one: one(), work) if isinstance(rows, PackedRows) else [one() for one in work]
    return counts, means


def feature_counts(examples: Examples) -> np.ndarray:
    """In how many rows of each class every feature is not 0: classes × features."""
    rows, codes = examples.rows, examples.codes
    k, d = len(examples.classes), rows.d
    if rows.dense:
        return dense_counts(rows.values, codes, k)  # type: ignore[arg-type]
    counts = np.zeros((k, d), dtype=np.int64)
    for start, part in parts_to_sum(rows):
        compiled.entries.count_by_class(part, np.ascontiguousarray(codes[start : start + part.n], dtype=np.int32), counts)
    return counts


def dense_counts(values: np.ndarray, codes: np.ndarray, classes: int) -> np.ndarray:
    """In how many dense rows of each class every feature is not 0, some rows at a time: those of a class are copied."""
    counts = np.zeros((classes, values.shape[1]), dtype=np.int64)
    at_once = max(1, SUMMED_ENTRIES // max(1, values.shape[1]))
    for start in range(0, len(values), at_once):
        some, theirs = values[start : start + at_once], codes[start : start + at_once]
        for code in range(classes):
            counts[code] += np.count_nonzero(some[theirs == code], axis=0)
    return counts


def feature_means(rows: Rows) -> np.ndarray:
    """The mean of every feature over all rows."""
    if rows.dense:
        assert rows.values is not None
        return np.asarray(rows.values.mean(axis=0, dtype=np.float64))
    sums, part, summed = np.zeros(rows.d), np.zeros(rows.d), 0
    for _, some in parts_to_sum(rows):
        assert some.indptr is not None
        start, entries = 0, int(some.indptr[some.n])
        while start < entries:  # in parts of so many entries: sums of sums lose fewer digits
            stop = min(entries, start + SUMMED_ENTRIES - summed)
            compiled.entries.sum_by_column(some, start, stop, part)
            start, summed = stop, summed + stop - start
            if summed == SUMMED_ENTRIES:
                sums, part, summed = sums + part, np.zeros(rows.d), 0
    return np.asarray((sums + part) / max(1, rows.n))


def parts_to_sum(rows: Rows) -> Iterator[tuple[int, Rows]]:
    """The rows as the loop reads them, and the number of the first: all at once, or, of packed ones, some at a time."""
    return rows.unpacked() if isinstance(rows, PackedRows) else iter([(0, rows)])
