"""Numbers as targets: when a target is a quantity, how its cells are read, and how it is scaled for learning.

>>> price = np.array([199.5, 250.25, 310.0, 189.99, 405.5, 275.75, 333.25])
>>> is_quantity(price), is_quantity(np.array([0, 1, 1, 0, 2, 2]))
(True, False)
>>> scale = TargetScale.of(price, centred=True)
>>> bool(np.allclose(scale.in_units(*scale.scaled_weights(np.array([[2.0]]), np.array([1.0])))[0], 2.0))
True
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.columns import durations
from rosenblatt.data.columns.kinds import words_in
from rosenblatt.data.columns.numbers import NumberFormat, recognise
from rosenblatt.data.columns.reading import all_marks
from rosenblatt.data.columns.words import CALLED_CODE, CODE_NAMES
from rosenblatt.data.dataset import Dataset
from rosenblatt.data.table import number_in
from rosenblatt.engine.rows import is_mapped
from rosenblatt.errors import LabelError
from rosenblatt.learning.examples import distinct_texts, is_text, labels_of

if TYPE_CHECKING:
    from rosenblatt.data.dataset import Labels

FEW_VALUES = 20  # up to so many different whole numbers are classes
FEW_FRACTIONS = 5  # and so many numbers with fractions, where values repeat
FRACTIONS_DIFFER, WHOLE_DIFFER = 1 / 3, 1 / 2  # of the rows: where more values differ, they are amounts however few
LEAST_IN_REACH = 0.5  # of the numbers from the least to the largest are there, where they number classes
RARE = 10  # rows of a value, below which it is no class to learn
ALIKE, UNEVEN = 2 / 3, 0.5  # correlation of the rows of neighbouring numbers, and their spread in means, as amounts have

HAS_DIGIT = re.compile(r"\d")
LARGEST = 1e140  # size of a target


@dataclass(frozen=True)
class TargetScale:
    """What training knows of a target of numbers: its mean, how far it spreads and reaches, and how its cells are written.

    The rules take steps that fit targets of about 1: they learn (y − centre) / sd. Weights are kept in the target's own
    units, so that w·x + b is the prediction.
    """

    mean: float
    sd: float  # 1 where all rows have the same number
    least: float
    most: float
    centre: float  # the mean; 0 without a bias, which is what the centre becomes
    number: NumberFormat | None = None  # where numbers are written as texts: 1.234,50 €

    @classmethod
    def of(cls, targets: np.ndarray, centred: bool, number: NumberFormat | None = None) -> TargetScale:
        """Of the targets of training."""
        mean = float(targets.mean())
        centre = mean if centred else 0.0
        sd = float(np.sqrt(np.mean((targets - centre) ** 2)))
        return cls(mean, sd if sd > 0 else 1.0, float(targets.min()), float(targets.max()), centre, number)

    def scaled(self, targets: np.ndarray) -> np.ndarray:
        """Targets as the rules learn them."""
        return np.asarray((targets - self.centre) / self.sd)

    def in_units(self, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights that were learned from scaled targets, for targets as they are."""
        return self.sd * coef, self.sd * intercept + self.centre

    def scaled_weights(self, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The reverse, to learn on from them."""
        return coef / self.sd, (intercept - self.centre) / self.sd

    def to_json(self) -> dict[str, Any]:
        """What a model file holds."""
        return asdict(replace(self, number=None)) | {"number": None if self.number is None else self.number.to_json()}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> TargetScale:
        number = saved["number"]
        return cls(**saved | {"number": None if number is None else NumberFormat.from_json(number)})


def is_quantity(labels: Labels) -> bool:
    """Are these numbers an amount to predict, rather than names of classes?

    Numbers with fractions are, where more than twenty of them differ, or more than a third. Whole numbers are where more
    than half of them differ, or more than twenty. But not those that number classes: they begin with 0 or 1 and leave few
    gaps, and if they are many, most have ten rows or more, or no gap is left and each has two, and not as many as their
    neighbours, about, as amounts have. Nor what is called a code.

    >>> is_quantity(np.arange(100) ** 2), is_quantity(np.arange(100) // 4), is_quantity(np.arange(60) % 12 / 2)
    (True, False, False)
    >>> age, group = 18 + np.arange(3000) % 70, np.arange(3000) % 70
    >>> is_quantity(age), is_quantity(group)
    (True, False)
    """
    numbers, counts = values_and_counts(labels)
    if len(numbers) <= FEW_FRACTIONS:
        return False
    share = len(numbers) / counts.sum()
    if (numbers % 1 != 0).any():
        return bool(len(numbers) > FEW_VALUES or share > FRACTIONS_DIFFER)
    if (len(numbers) <= FEW_VALUES and share <= WHOLE_DIFFER) or is_called_code(str(getattr(labels, "name", None) or "")):
        return False
    return not are_class_numbers(numbers, counts)


def are_class_numbers(numbers: np.ndarray, counts: np.ndarray) -> bool:
    """Are whole numbers with so many rows each such as classes are numbered by: 0, 1, 2 … or 1, 2, 3 …?"""
    reach = numbers[-1] - numbers[0] + 1
    if numbers[0] not in (0, 1) or len(numbers) < LEAST_IN_REACH * reach:
        return False
    if len(numbers) <= FEW_VALUES:
        return True
    if are_spread_like_amounts(numbers, counts):
        return False
    return bool((len(numbers) == reach and counts.min() > 1) or np.count_nonzero(counts < RARE) <= len(numbers) / 2)


def are_spread_like_amounts(numbers: np.ndarray, counts: np.ndarray) -> bool:
    """Do whole numbers have as many rows, about, as their neighbours, and some far more than others?

    So have ages, years of work and counts of visits. Classes are numbered in any order, hours of a day have equally many.
    By Spearman's rank correlation of the rows of each number and the next, gaps included.

    >>> years, topics = 900 // np.arange(1, 31), np.tile([400, 50, 900], 10)
    >>> are_spread_like_amounts(np.arange(30), years), are_spread_like_amounts(np.arange(30), topics)
    (True, False)
    """
    rows = np.zeros(int(numbers[-1] - numbers[0]) + 1)
    rows[(numbers - numbers[0]).astype(np.int64)] = counts
    if rows.std() < UNEVEN * rows.mean():
        return False
    these, following = ranks(rows[:-1]), ranks(rows[1:])
    spread = these.std() * following.std()
    return bool(spread and np.mean((these - these.mean()) * (following - following.mean())) >= ALIKE * spread)


def ranks(values: np.ndarray) -> np.ndarray:
    """The rank of every value from 1; equal ones share the mean of theirs.

    >>> ranks(np.array([30, 10, 30])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def is_called_code(name: str) -> bool:
    """Does the name of a column say that its numbers are names?

    >>> is_called_code("zip"), is_called_code("status_code"), is_called_code("storeID"), is_called_code("age")
    (True, True, True, False)
    """
    return bool(words_in(name) & (CODE_NAMES | {"id", "ids"}) or CALLED_CODE.search(name))


def values_and_counts(labels: Labels) -> tuple[np.ndarray, np.ndarray]:
    """The different numbers, sorted, and how many rows each has; none where some label is no number."""
    numbers: np.ndarray | None
    if is_text(labels):
        texts = known_texts(labels)
        if len(texts) <= FEW_FRACTIONS:
            return np.empty(0), np.empty(0, dtype=np.int64)
        number = format_of(labels)
        if number is None and any(number_in(text) is None for text in texts):
            return np.empty(0), np.empty(0, dtype=np.int64)
        numbers = numbers_in(labels, number)
        numbers = numbers[~np.isnan(numbers)]  # marks of what is not known
    elif is_mapped(labels if isinstance(labels, np.ndarray) else getattr(labels, "values", None)):
        return counts_by_blocks(labels)
    else:
        array = np.asarray(labels)
        numbers = array.astype(float) if array.dtype.kind in "iuf" else None
    if numbers is None or not np.isfinite(numbers).all():
        return np.empty(0), np.empty(0, dtype=np.int64)
    return np.unique(numbers, return_counts=True)


def counts_by_blocks(labels: Labels) -> tuple[np.ndarray, np.ndarray]:
    """The different numbers of labels in a file, and their rows, some at a time: classes are few, rows may be many."""
    from rosenblatt.learning.label_codes import label_blocks

    numbers, counts = np.empty(0), np.empty(0, dtype=np.int64)
    for _, block in label_blocks(labels):
        own, own_counts = values_and_counts(block)
        if not len(own):
            return own, own_counts
        numbers, places = np.unique(np.concatenate([numbers, own]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([counts, own_counts]), len(numbers)).astype(np.int64)
    return numbers, counts


def known_texts(labels: Any) -> list[str]:
    """The different texts that are not marked as not known; none where one of them has no digit, and so is no number."""
    marks = all_marks()
    texts = [text for text in distinct_texts(labels) if text is not None and text.strip() not in marks]
    return texts if all(HAS_DIGIT.search(text) for text in texts) else []


def format_of(labels: Labels) -> NumberFormat | None:
    """How numbers are written, the likeliest; None where they are plain, or some are none."""
    if not is_text(labels):
        return None
    import polars as pl

    texts = known_texts(labels)
    if all(number_in(text) is not None for text in texts):
        return None
    column = pl.Series(texts, dtype=pl.String).str.strip_chars()
    formats = recognise(column) or durations.formats_of(column, column)
    return formats[0] if formats else None


def numbers_in(labels: Labels, number: NumberFormat | None) -> np.ndarray:
    """The number of every label, nan where it is none; texts with the marks and the unit of a format, or plain."""
    if not is_text(labels):
        array = np.asarray(labels)
        if array.dtype.kind in "biuf":
            return array.astype(float, copy=False)
        return np.array([plain_number(text) for text in array.tolist()], dtype=float)
    texts = distinct_texts(labels)
    values = [plain_number(text) for text in texts]
    if number is not None:
        import polars as pl

        column = pl.Series(texts, dtype=pl.String).str.strip_chars()
        values = number.as_plain(column).cast(pl.Float64, strict=False).fill_null(float("nan")).to_list()
    of_text = dict(zip(texts, values, strict=True))
    return np.array([of_text[text] for text in labels_as_texts(labels)], dtype=float)


def labels_as_texts(labels: Any) -> list[Any]:
    """The text of every row."""
    import polars as pl

    column = labels.to_polars() if hasattr(labels, "to_polars") else labels
    return list(column.cast(pl.String).to_list())


def plain_number(label: Any) -> float:
    """The number that a label is, nan where it is none."""
    number = number_in(label) if isinstance(label, str) else label if isinstance(label, int | float) else None
    return float("nan") if number is None else float(number)


@dataclass(frozen=True)
class Targets:
    """The numbers to predict, of the rows that have one, and how they are written."""

    rows: np.ndarray  # their numbers
    values: np.ndarray
    number: NumberFormat | None
    note: str | None = None  # about rows that have none

    def among(self, data: Dataset) -> Dataset:
        """The rows that have one."""
        return data if len(self.rows) == len(data) else data.take(self.rows)


def read_targets(data: Dataset, scale: TargetScale | None = None, unseen: str = "refuse") -> Targets:
    """The targets, read as in training where that is known; rows that are marked as not known (NULL, -) are left out.

    What else is no number is refused, with its row, or with unseen="skip" left out as well.
    """
    labels = labels_of(data)
    number = format_of(labels) if scale is None else scale.number
    values = numbers_in(labels, number)
    bad = np.flatnonzero(~np.isfinite(values))
    refuse_extremes(data, values)
    if not len(bad):
        return Targets(np.arange(len(values)), values, number)
    marks = all_marks()
    others = [row for row in bad.tolist() if label_at(data, row).strip() not in marks] if unseen != "skip" else []
    if len(others) == len(values) and data.kind == "table":
        raise LabelError(
            f"No target in {data.name} is a number, {label_at(data, others[0])!r} in row {others[0] + 1:,} to begin with: "
            "name another column (--target), or predict classes (--task classes)."
        )
    if others:
        written = "" if number is None else f", where numbers are written as {number.describe()}"
        raise LabelError(
            f"{len(others):,} of {len(values):,} targets in {data.name} are no numbers: {label_at(data, others[0])!r} in "
            f"row {others[0] + 1:,}{written}. Correct them, or leave those cells empty and pass --unlabelled skip."
        )
    if len(bad) == len(values):
        raise LabelError(f"No target in {data.name} is a number.")
    left_out = "1 row is" if len(bad) == 1 else f"{len(bad):,} rows are"
    note = f"{left_out} left out of {data.name}: the target is no number there ({label_at(data, int(bad[0]))!r})."
    return Targets(np.flatnonzero(np.isfinite(values)), values[np.isfinite(values)], number, note)


def refuse_extremes(data: Dataset, values: np.ndarray) -> None:
    """Refuses targets whose squares, which every measure sums, would overflow or vanish."""
    sizes = np.abs(np.where(np.isfinite(values), values, 0.0))
    row = int(sizes.argmax()) if len(sizes) else 0
    if len(sizes) and not (sizes[row] == 0 or 1 / LARGEST <= sizes[row] <= LARGEST):
        size = "large" if sizes[row] > 1 else "small"
        raise LabelError(
            f"The target of {data.name} in row {row + 1:,} is {label_at(data, row)}, too {size} to compute with: write the "
            "targets in another unit."
        )


def label_at(data: Dataset, row: int) -> str:
    """The label of a row as it is written."""
    assert data.labels is not None
    return str(np.asarray(data.labels[row : row + 1]).tolist()[0])


def sentence_about(data: Dataset, quantity: bool) -> str | None:
    """What is told where nobody has said whether so many labels are amounts or classes; None where they are no numbers."""
    labels = labels_of(data)
    name = getattr(labels, "name", "") or "The target"
    numbers, _ = values_and_counts(labels)
    number = format_of(labels)
    written = "" if number is None else f", written as {number.describe()}"
    if quantity:
        return (
            f"{name} is a quantity ({len(numbers):,} different numbers{written}): numbers are predicted. "
            "--task classes takes each for a class."
        )
    if len(numbers):
        return f"{name} has {len(numbers):,} different numbers, taken for classes. --task numbers predicts a quantity."
    return None
