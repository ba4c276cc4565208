"""Examples: rows with what is to be learned from them, class codes or targets, and how much each row counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rosenblatt.data.labels import encode
from rosenblatt.engine.rows import Rows
from rosenblatt.errors import DataError, LabelError, NotFiniteError, SettingError


@dataclass
class WeightedRows:
    """Checked rows, and how much each of them counts."""

    rows: Rows
    importance: np.ndarray | None = field(default=None, kw_only=True)  # scales the step; a row of 0 is absent

    def pool(self) -> np.ndarray:
        """The rows that are present: all but those of importance 0."""
        if self.importance is None:
            return np.arange(self.rows.n, dtype=np.int32)
        return np.flatnonzero(self.importance).astype(np.int32)


@dataclass
class Examples(WeightedRows):
    """Rows of a classification, and for each its class code: `classes[code]` is the label."""

    codes: np.ndarray
    classes: np.ndarray

    @property
    def vectors(self) -> int:
        """Weight vectors that these examples need: one for two classes, one a class for more."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    @property
    def labels(self) -> np.ndarray:
        """The label of every row."""
        labels: np.ndarray = self.classes[self.codes]
        return labels

    def take(self, numbers: np.ndarray) -> Examples:
        """A copy of the examples with these row numbers."""
        importance = None if self.importance is None else self.importance[numbers]
        return Examples(self.rows.take(numbers), self.codes[numbers], self.classes, importance=importance)


@dataclass
class RegressionExamples(WeightedRows):
    """Rows of a regression, and for each the number to predict."""

    targets: np.ndarray
    vectors: ClassVar[int] = 1

    def take(self, numbers: np.ndarray) -> RegressionExamples:
        """A copy of the examples with these row numbers."""
        importance = None if self.importance is None else self.importance[numbers]
        return RegressionExamples(self.rows.take(numbers), self.targets[numbers], importance=importance)


AnyExamples = Examples | RegressionExamples


def for_classes(
    X: Any, y: Any, classes: np.ndarray | None = None, importance: Any = None, class_weight: Any = None
) -> Examples:
    """Examples of a classification; `classes`, where known, are all that may occur."""
    rows = X if isinstance(X, Rows) else Rows(X)
    classes, codes = encode(y, classes)
    match_lengths(rows, codes, "labels")
    if len(classes) < 2:
        label = classes.tolist()[0]
        raise LabelError(f"y has 1 class, {label!r}: at least two are needed to tell one from another.")
    factors = class_factors(class_weight, classes, codes)
    importance = as_importance(importance, rows)
    if factors is not None:
        importance = factors[codes] if importance is None else importance * factors[codes]
    return Examples(rows, codes, classes, importance=importance)


def for_regression(X: Any, y: Any, importance: Any = None) -> RegressionExamples:
    """Examples of a regression."""
    rows = X if isinstance(X, Rows) else Rows(X)
    targets = as_numbers("y", y)
    if targets.ndim != 1:
        raise DataError(f"y has {targets.ndim} dimension(s): expected one number a row.")
    match_lengths(rows, targets, "targets")
    bad = np.flatnonzero(~np.isfinite(targets))
    if len(bad):
        raise NotFiniteError(f"Input y contains {targets[bad[0]]}: row {bad[0]}. Drop such rows first.", row=int(bad[0]))
    return RegressionExamples(rows, targets, importance=as_importance(importance, rows))


def as_numbers(name: str, values: Any) -> np.ndarray:
    """An array of float64, or an error that names what was to be one."""
    array = np.asarray(values)
    try:
        if array.dtype.kind == "c":
            raise TypeError("complex numbers have no order")
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} holds something that is not a number: {error}.") from None


def match_lengths(rows: Rows, y: np.ndarray, what: str) -> None:
    if rows.n != len(y):
        raise DataError(f"{rows.n} rows but {len(y)} {what}: expected as many of one as of the other.")
    if rows.n == 0 or rows.d == 0:
        raise DataError(f"X has {rows.n} rows and {rows.d} columns: there is nothing to learn from.")


def class_factors(class_weight: Any, classes: np.ndarray, codes: np.ndarray) -> np.ndarray | None:
    """The factor of each class: given by label, or 'balanced': n / (classes · count)."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise SettingError(f"class_weight is {class_weight!r}: expected 'balanced', a dict of label: factor, or None.")
        counts = np.bincount(codes, minlength=len(classes))
        return len(codes) / (len(classes) * np.maximum(counts, 1))
    if not isinstance(class_weight, Mapping):
        raise SettingError(f"class_weight is {class_weight!r}: expected 'balanced', a dict of label: factor, or None.")
    unknown = [label for label in class_weight if label not in classes.tolist()]
    if unknown:
        raise SettingError(
            f"class_weight names {unknown[0]!r}, which is no class: {', '.join(map(repr, classes.tolist()))}."
        )
    factors = as_numbers("class_weight", [class_weight.get(label, 1.0) for label in classes.tolist()])
    if not (np.isfinite(factors) & (factors >= 0)).all() or not factors.any():
        raise SettingError(f"class_weight is {class_weight!r}: expected finite factors, 0 or more, not all 0.")
    return factors


def as_importance(importance: Any, rows: Rows) -> np.ndarray | None:
    """Sample weights: finite, not negative, not all 0; None where all are 1."""
    if importance is None:
        return None
    importance = as_numbers("sample_weight", importance)
    if importance.ndim == 0:
        importance = np.full(rows.n, float(importance))
    if importance.shape != (rows.n,):
        raise DataError(f"sample_weight has shape {importance.shape}: expected one number for each of {rows.n} rows.")
    bad = np.flatnonzero(~(np.isfinite(importance) & (importance >= 0)))
    if len(bad):
        raise DataError(f"sample_weight of row {bad[0]} is {importance[bad[0]]}: expected a finite number, 0 or more.")
    if not importance.any():
        raise DataError("Every sample_weight is zero: there is nothing to learn from.")
    return None if (importance == 1).all() else importance
