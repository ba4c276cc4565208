"""The labels of a data set: which classes there are, and which of them each row has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.enums import categories_of, enum_codes, is_enum, used_categories
from rosenblatt.errors import LabelError

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.data.dataset import Labels


def labels_of(data: Dataset) -> Labels:
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


def classes_of(labels: Labels) -> np.ndarray:
    """The distinct labels, sorted; texts by polars, which is much faster at it than numpy."""
    if not is_text(labels):
        return encode(np.asarray(labels))[0]
    if labels.has_nulls():
        row = int(labels.is_null().arg_true()[0])
        raise LabelError(f"The label of row {row} is missing. Drop such rows first.")
    distinct_labels = used_categories(labels)[1] if is_enum(labels) else labels.unique()
    return np.array(distinct_labels.sort().to_list(), dtype=str)


def codes_among(classes: np.ndarray, labels: Labels) -> np.ndarray:
    """The place of each label among the classes; -1 where it is none of them."""
    if is_text(labels):
        if classes.dtype.kind != "U":
            return np.full(len(labels), -1, dtype=np.int32)
        if is_enum(labels):
            code_of = {label: code for code, label in enumerate(classes.tolist())}
            of_text = [code_of.get(text, -1) for text in categories_of(labels)]
            return np.array([*of_text, -1], dtype=np.int32).take(enum_codes(labels))
        codes = labels.replace_strict(classes.tolist(), list(range(len(classes))), default=-1)
        return np.asarray(codes.fill_null(-1).to_numpy(), dtype=np.int32)
    labels = np.asarray(labels)
    if labels.dtype.kind in "OU" or classes.dtype.kind == "U":
        labels, classes = labels.astype(str), classes.astype(str)
    by_value = np.argsort(classes)  # numbers as text have another order
    places = by_value[np.minimum(np.searchsorted(classes, labels, sorter=by_value), len(classes) - 1)]
    return np.where(classes[places] == labels, places, -1).astype(np.int32)


def is_text(labels: Labels) -> TypeGuard[pl.Series]:
    polars = hasattr(labels, "to_physical")
    return polars and str(labels.dtype.base_type()) in ("String", "Categorical", "Enum")  # type: ignore[union-attr]


def encode(y: Any, classes: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(sorted classes, code of each label).

    >>> classes, codes = encode(["b", "a", "b"])
    >>> classes.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    if isinstance(y, list | tuple):  # numpy would turn a missing label among strings into the string "nan"
        refuse_missing(np.array([*y, None], dtype=object)[:-1])
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise LabelError(f"y has {labels.ndim} dimension(s): expected one label a row.")
    refuse_missing(labels)
    own_classes, codes = distinct(labels)
    if classes is None:
        return own_classes, codes.astype(np.int32, copy=False)
    places = np.searchsorted(classes, own_classes)
    known = (places < len(classes)) & (classes[np.minimum(places, len(classes) - 1)] == own_classes)
    if not known.all():
        unknown = ", ".join(map(repr, own_classes[~known][:5].tolist()))
        raise LabelError(f"{(~known).sum()} label(s) were not among the classes named first: {unknown}.")
    return classes, places[codes].astype(np.int32, copy=False)


def distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted distinct labels and the place of each label among them; small whole numbers without sorting all of them."""
    if labels.dtype.kind in "biu" and labels.size:
        least, most = int(labels.min()), int(labels.max())
        if most - least < 2**16 and most < 2**63:
            shifted = labels.astype(np.int64, copy=False)
            if least:
                shifted = shifted - least
            occurs = np.bincount(shifted, minlength=most - least + 1) > 0
            if occurs.all():
                return np.arange(least, most + 1).astype(labels.dtype), shifted.astype(np.int32)
            places = np.cumsum(occurs, dtype=np.int32) - 1
            return (np.flatnonzero(occurs) + least).astype(labels.dtype), places[shifted]
    try:
        return np.unique(labels, return_inverse=True)
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels.tolist()}))
        raise LabelError(f"The labels are of types that have no common order: {kinds}. Make them all of one type.") from None


def refuse_missing(labels: np.ndarray) -> None:
    """NaN, None, NaT and NA are no labels."""
    if labels.dtype.kind == "f":
        bad = ~np.isfinite(labels)
    elif labels.dtype.kind in "mM":
        bad = np.isnat(labels)
    elif labels.dtype.kind == "O":
        bad = np.array([is_missing(label) for label in labels.tolist()], dtype=bool)
    else:
        return
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        value = {"nan": "NaN"}.get(str(labels[row]), str(labels[row]))
        raise LabelError(f"Input y contains {value}: the label of row {row} is missing. Drop such rows first.")


def is_missing(label: Any) -> bool:
    """None, or unequal to itself, as nan is; pandas' NA cannot even be asked."""
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):
        return True
