"""From a model file to the classifier in it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rosenblatt import features
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import ModelFileError, RosenblattError
from rosenblatt.learning import model_file, model_schema
from rosenblatt.learning.classifier import Classifier, Summary
from rosenblatt.learning.examples import saved_classes
from rosenblatt.learning.history import Epoch, History
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.log import Memory


def load(path: str | os.PathLike[str]) -> Classifier:
    """The classifier in a model file; refuses every damaged byte, and runs no code."""
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
    classes = saved_classes(header["labels"], header["label_type"])
    counts, class_counts = arrays.get("counts"), arrays.get("class_counts")
    if class_counts is not None and not class_counts.any():  # so older files say that nothing is known
        counts = class_counts = None
    model = Classifier(
        features=features.from_json(header["feature_map"]),
        classes=classes,
        views={
            name: (arrays[f"{name}.coef"], arrays[f"{name}.intercept"])
            for name in model_schema.VIEWS
            if f"{name}.coef" in arrays
        },
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
        last, bias = model.views["last"], model.recipe.fit_intercept
        model.weights = Weights.from_arrays(last, header["sums"], sums, bias, model.variances)
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
