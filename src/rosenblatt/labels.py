"""The labels of a data set: which classes there are, and the place of each row's among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.errors import LabelError
from rosenblatt.examples import encode
from rosenblatt.features.values import codes_of, in_use, is_coded


def labels_of(data: Dataset) -> Any:
    """The labels, polars Series or array; a data set without any, or with a quantity in their place, is refused."""
    labels = data.labels
    if labels is None:
        columns = f", one of {', '.join(data.rows.columns[:30])}" if data.kind == "table" else ""
        raise LabelError(f"{data.name} has no labels: name the column to predict with --target{columns}.")
    kind = np.asarray(labels[:1]).dtype.kind
    values = np.unique(np.asarray(labels)).size if kind in "iuf" else 0
    if values > max(20, len(labels) / (10 if kind == "f" else 2)):
        raise LabelError(
            f"The labels in {data.name} are {values} different numbers: that is a quantity, not a class. "
            "Name a column of classes, or cut the numbers into some first."
        )
    return labels


def classes_of(labels: Any) -> np.ndarray:
    """The distinct labels, sorted; texts by polars, which is much faster at it than numpy."""
    if not is_text(labels):
        return encode(np.asarray(labels))[0]
    if labels.has_nulls():
        row = int(labels.is_null().arg_true()[0])
        raise LabelError(f"The label of row {row} is missing. Drop such rows first.")
    found = in_use(labels)[1] if is_coded(labels) else labels.unique()
    return np.array(found.sort().to_list(), dtype=str)


def codes_among(classes: np.ndarray, labels: Any) -> np.ndarray:
    """The place of each label among the classes; -1 where it is none of them."""
    if is_text(labels):
        if classes.dtype.kind != "U":
            return np.full(len(labels), -1, dtype=np.int32)
        if is_coded(labels):
            code_of = {label: code for code, label in enumerate(classes.tolist())}
            of_text = [code_of.get(text, -1) for text in labels.dtype.categories.to_list()]
            return np.array([*of_text, -1], dtype=np.int32).take(codes_of(labels))
        codes = labels.replace_strict(classes.tolist(), list(range(len(classes))), default=-1)
        return np.asarray(codes.fill_null(-1).to_numpy(), dtype=np.int32)
    labels = np.asarray(labels)
    if labels.dtype.kind in "OU" or classes.dtype.kind == "U":
        labels, classes = labels.astype(str), classes.astype(str)
    by_value = np.argsort(classes)  # numbers as text have another order
    places = by_value[np.minimum(np.searchsorted(classes, labels, sorter=by_value), len(classes) - 1)]
    return np.where(classes[places] == labels, places, -1).astype(np.int32)


def is_text(labels: Any) -> bool:
    return hasattr(labels, "to_physical") and str(labels.dtype.base_type()) in ("String", "Categorical", "Enum")
