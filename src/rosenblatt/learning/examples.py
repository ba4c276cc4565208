"""Examples: rows with what is to be learned from them, class codes or targets, and how much each row counts."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

import numpy as np

from rosenblatt.data.coded import CodedTexts
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.table import enum_codes, is_enum, looks_like_data, number_in, number_text, used_categories
from rosenblatt.engine.rows import Rows, checked_rows
from rosenblatt.errors import DataError, LabelError, NotFiniteError, SettingError, counted

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.data.dataset import Labels
    from rosenblatt.features import FeatureMap


SUMMED_ROWS = 2**14  # at a time


@dataclass
class WeightedRows:
    """Checked rows, and how much each of them counts."""

    rows: Rows
    importance: np.ndarray | None = field(default=None, kw_only=True)  # scales the step; a row of 0 is absent

    def pool(self) -> np.ndarray:
        """The rows that are present: all but those of importance 0."""
        if self.rows.mapped:
            from rosenblatt.engine.file_arrays import numbers_in_file

            return numbers_in_file(self.rows.n, self.importance)
        if self.importance is None:
            return np.arange(self.rows.n, dtype=np.int32)
        return np.flatnonzero(self.importance).astype(np.int32)

    @property
    def all_present(self) -> bool:
        return self.importance is None or bool(self.importance.all())

    def checksum(self) -> int:
        """A number that tells whether the rows, what is to be learned from them, or their weights have changed since."""
        rows = self.rows
        own = (getattr(self, name, None) for name in ("codes", "targets", "importance"))
        total = zlib.crc32(repr((rows.kind, rows.n, rows.d, rows.width)).encode())
        for part in (*rows.arrays, *own):
            for start in range(0, 0 if part is None else len(part), SUMMED_ROWS):  # in blocks: of a view, each is copied
                total = zlib.crc32(np.ascontiguousarray(part[start : start + SUMMED_ROWS]).data.cast("B"), total)  # type: ignore[index]
        return total


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

    def class_counts(self, absent: Any = ()) -> np.ndarray:
        """How many rows of each class are learned from, without some."""
        codes = self.codes
        if self.importance is not None or len(absent):
            codes = codes[np.setdiff1d(self.pool(), absent)]
        if len(self.classes) == 2:
            positive = np.count_nonzero(codes)
            return np.array([len(codes) - positive, positive])
        return np.bincount(codes, minlength=len(self.classes))

    def take(self, numbers: np.ndarray) -> Examples:
        """A copy of the examples with these row numbers."""
        importance = None if self.importance is None else self.importance[numbers]
        return Examples(self.rows.take(numbers), self.codes[numbers], self.classes, importance=importance)


@dataclass
class RegressionExamples(WeightedRows):
    """Rows of a regression, and for each the number to predict."""

    targets: np.ndarray
    vectors: ClassVar[int] = 1

    def class_counts(self, absent: Any = ()) -> None:
        """There are no classes."""

    def take(self, numbers: np.ndarray) -> RegressionExamples:
        """A copy of the examples with these row numbers."""
        importance = None if self.importance is None else self.importance[numbers]
        return RegressionExamples(self.rows.take(numbers), self.targets[numbers], importance=importance)


AnyExamples = Examples | RegressionExamples


def for_classes(
    X: Any, y: Any, classes: np.ndarray | None = None, importance: Any = None, class_weight: Any = None
) -> Examples:
    """Examples of a classification; `classes`, where known, are all that may occur."""
    rows = checked_rows(X)
    classes, codes = encode(y, classes)
    match_lengths(rows, codes, "labels")
    if len(classes) < 2:
        label = classes.tolist()[0]
        raise LabelError(f"y has 1 class, {label!r}: at least two are needed to tell one from another.")
    importance = as_importance(importance, rows)
    counts = None
    if isinstance(class_weight, str):  # rows of weight 0 are as if they were not there
        counts = np.bincount(codes if importance is None else codes[importance > 0], minlength=len(classes))
    factors = class_factors(class_weight, classes, counts)
    if factors is not None:
        importance = factors[codes] if importance is None else importance * factors[codes]
    return Examples(rows, codes, classes, importance=importance)


def for_regression(X: Any, y: Any, importance: Any = None) -> RegressionExamples:
    """Examples of a regression."""
    rows = checked_rows(X)
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
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise DataError(f"{name} holds something that is not a number: {error}.") from None


def match_lengths(rows: Rows, y: np.ndarray, what: str) -> None:
    if rows.n != len(y):
        raise DataError(f"{rows.n} rows but {len(y)} {what}: expected as many of one as of the other.")
    if rows.n == 0 or rows.d == 0:
        raise DataError(f"X has {rows.n} rows and {rows.d} columns: there is nothing to learn from.")


def class_factors(class_weight: Any, classes: np.ndarray, counts: np.ndarray | None) -> np.ndarray | None:
    """The factor of each class: given by label, or 'balanced': n / (classes · count)."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise SettingError(f"class_weight is {class_weight!r}: expected 'balanced', a dict of label: factor, or None.")
        assert counts is not None
        balanced: np.ndarray = int(counts.sum()) / (len(classes) * np.maximum(counts, 1))
        return balanced
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


def labels_of(data: Dataset) -> Labels:
    """The labels, polars Series or array; a data set without any is refused."""
    labels = data.labels
    if labels is None:
        columns = f", one of {', '.join(data.rows.columns[:30])}" if data.kind == "table" else ""
        if data.kind == "sparse":
            raise LabelError(f"{data.name} has no labels: write one in front of each row.")
        if data.kind == "table" and looks_like_data(data.rows.columns):
            columns += ". Its first line looks like data: if it is, pass --no-header, and the number of the column"
        raise LabelError(f"{data.name} has no labels: name the column to predict with --target{columns}.")
    return labels


def class_labels_of(data: Dataset) -> Labels:
    """The labels, for those who ask about classes: a quantity in their place is refused."""
    labels = labels_of(data)
    if has_quantity(labels):
        raise LabelError(
            f"The labels in {data.name} are many different numbers: that is a quantity, not a class. `train` learns to "
            "predict it; here, name a column of classes, or cut the numbers into some first."
        )
    return labels


def has_quantity(labels: Labels) -> bool:
    """Are the labels an amount, as `quantities.is_quantity` says? It is asked only where they may be numbers."""
    if is_text(labels):
        may_be = any(sign.isdigit() for text in distinct_texts(labels) for sign in text or "")
    else:
        may_be = np.asarray(labels[:1]).dtype.kind in "iuf"
    if not may_be:
        return False
    from rosenblatt.learning.quantities import is_quantity

    return is_quantity(labels)


def classes_of(labels: Labels) -> np.ndarray:
    """The distinct labels, sorted; texts by polars, which is much faster at it than numpy."""
    if not is_text(labels):
        return encode(np.asarray(labels))[0]
    if labels.has_nulls():
        row = int(labels.is_null().arg_true()[0])
        raise LabelError(f"The label of row {row} is missing. Drop such rows first.")
    return text_array(sorted(distinct_texts(labels)))


def distinct_texts(labels: pl.Series) -> list[Any]:
    """The different texts among labels, in no order."""
    return used_categories(labels)[1] if is_enum(labels) else labels.unique().to_list()


LONGEST_IN_ARRAY, LETTERS_IN_ARRAY = 256, 2**22  # of texts that numpy holds side by side, each as long as the longest


def text_array(texts: list[str]) -> np.ndarray:
    """Texts as an array; of objects where some are long, or end with a NUL, which numpy would cut off.

    >>> text_array(["a", "bc"]), text_array(["a", "b" * 1000]).dtype
    (array(['a', 'bc'], dtype='<U2'), dtype('O'))
    """
    longest = max(map(len, texts), default=0)
    plain = longest <= LONGEST_IN_ARRAY and longest * len(texts) <= LETTERS_IN_ARRAY
    return np.array(texts, dtype=str if plain and not any(text.endswith("\0") for text in texts) else object)


def saved_classes(labels: list[Any], kind: str) -> np.ndarray:
    """Classes that a file holds as a list, with the kind of their type.

    >>> saved_classes(["a", "b"], "U"), saved_classes([1, 2], "u").dtype
    (array(['a', 'b'], dtype='<U1'), dtype('uint64'))
    """
    if labels and isinstance(labels[0], str):
        return text_array(labels)
    types: dict[str, Any] = {"i": np.int64, "u": np.uint64, "b": bool, "f": float}
    return np.array(labels, types.get(kind))


def codes_among(classes: np.ndarray, labels: Labels) -> np.ndarray:
    """The place of each label among the classes; -1 where it is none of them."""
    if is_text(labels):
        used, texts = used_categories(labels) if is_enum(labels) else (None, labels.unique().to_list())
        code_of = {label: code for code, label in enumerate(classes.tolist())}
        of_text = {text: code_of.get(label_value(text, classes.dtype.kind), -1) for text in texts}
        if used is not None:
            of_code = np.full(np.max(used, initial=-1) + 1, -1, dtype=np.int32)
            of_code[used] = [of_text[text] for text in texts]
            return of_code.take(enum_codes(labels))
        codes = labels.replace_strict(list(of_text), list(of_text.values()), default=-1)
        return np.asarray(codes.fill_null(-1).to_numpy(), dtype=np.int32)
    labels = np.asarray(labels)
    if labels.dtype.kind in "OU" or classes.dtype.kind in "OU":
        # One by one, not as arrays of texts: each of those would take as much room as the longest.
        code_of = {str(label): code for code, label in enumerate(classes.tolist())}
        texts = (labels if labels.dtype.kind in "OU" else labels.astype(str)).tolist()
        return np.array([code_of.get(str(text), -1) for text in texts], dtype=np.int32)
    by_value = np.argsort(classes)
    places = by_value[np.minimum(np.searchsorted(classes, labels, sorter=by_value), len(classes) - 1)]
    return np.where(classes[places] == labels, places, -1).astype(np.int32)


def label_value(text: str | None, kind: str) -> float | str | None:
    """What a text is among labels of this kind: a truth value, a number that prints back to the same text, or the text.

    >>> label_value("1", "i"), label_value("1", "f"), label_value("01", "i"), label_value("1", "U"), label_value("True", "b")
    (1, 1, '01', '1', True)
    """
    if text is None or kind not in "biuf":
        return text
    if kind == "b":
        return {"true": True, "false": False}.get(text.lower(), text)
    number = number_in(text)
    return number if number is not None and text in (str(number), number_text(number)) else text


def is_text(labels: Labels) -> TypeGuard[pl.Series]:
    if isinstance(labels, CodedTexts):  # which is asked nothing but what it can answer
        return True
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
    texts = isinstance(y, list | tuple) and bool(y) and all(isinstance(label, str) for label in y)
    labels = text_array(list(y)) if texts else np.asarray(y)
    if labels.ndim != 1:
        raise LabelError(f"y has {labels.ndim} dimension(s): expected one label a row.")
    refuse_missing(labels)
    if classes is None:
        own_classes, codes = distinct(labels)
        return own_classes, codes.astype(np.int32, copy=False)
    if len(labels) <= FEW_LABELS:
        return classes, places_among(classes, labels)
    own_classes, codes = distinct(labels)
    return classes, places_among(classes, own_classes)[codes]


FEW_LABELS = 1000  # to look each up is faster than to find the different ones first


def places_among(classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The place of each label among sorted classes; all of them have to be there."""
    places = np.minimum(classes.searchsorted(labels), len(classes) - 1)
    known = classes[places] == labels
    if not known.all():
        strange = np.unique(labels[~known])
        unknown = ", ".join(map(repr, strange[:5].tolist()))
        raise LabelError(f"{counted(len(strange), 'label')} not among the classes named first: {unknown}.")
    return places.astype(np.int32)


def distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted distinct labels and the place of each label among them; small whole numbers without sorting all of them."""
    if labels.dtype.kind in "biu" and labels.size:
        least, most = int(labels.min()), int(labels.max())
        if most - least < 2**16 and most < 2**63:
            shifted = labels.astype(np.int64, copy=False)
            if least:
                shifted = shifted - least
            all_occur = most - least == 1  # the least and the most do
            if not all_occur:
                occurs = np.bincount(shifted, minlength=most - least + 1) > 0
                all_occur = bool(occurs.all())
            if all_occur:
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


def feature_rows(mapping: FeatureMap, raw: Any) -> Rows:
    """The features of raw rows as the engine reads them; those of numbers remember their table, where it stays."""
    from rosenblatt.features.precision import OriginalTable
    from rosenblatt.features.table import TableMap

    rows = checked_rows(mapping.transform(raw))
    stays = getattr(raw, "kept", True)  # a table on disk that is not kept is gone with its last row
    if stays and isinstance(mapping, TableMap) and any(column.number for column in mapping.columns):
        rows.finer = OriginalTable(mapping, raw)
    return rows
