"""Rows set aside to measure on: at random, by whole groups, or the latest; or fold by fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.columns.kinds import decide
from rosenblatt.data.columns.reading import is_text, with_ascii_signs, without_marks
from rosenblatt.data.table import without_column
from rosenblatt.engine import order
from rosenblatt.engine.parameters import Whole, check
from rosenblatt.errors import DataError, SettingError, counted

if TYPE_CHECKING:
    import polars as pl


def split(
    data: Dataset, share: float, seed: int = 0, group: str | None = None, after: str | None = None
) -> tuple[Dataset, Dataset]:
    """(the rows to learn from, the rows held out), each in the order of the file.

    group  rows with the same value in this column stay together, and the column is no feature
    after  the rows with the highest values in this column, say a date, are held out

    >>> from rosenblatt.data import open_known
    >>> [len(part) for part in split(open_known("iris"), 0.2)]
    [120, 30]
    """
    held_out = rows_held_out(data, share, seed, group, after)
    parts = data.take(np.flatnonzero(~held_out)), data.take(np.flatnonzero(held_out))
    return (without(parts[0], group), without(parts[1], group)) if group else parts


def rows_held_out(
    data: Dataset, share: float, seed: int = 0, group: str | None = None, after: str | None = None
) -> np.ndarray:
    """Which rows `split` holds out."""
    check_share(share)
    check("seed", seed, Whole(0))
    if group and after:
        raise SettingError("Hold rows out by group or after a value, not both.")
    if (group or after) and (data.kind != "table" or (group or after) not in data.rows.columns):
        known = ", ".join(data.rows.columns) if data.kind == "table" else f"none: it is {data.kind}"
        raise SettingError(f"{data.name} has no column {group or after!r} to split by. Its columns: {known}.")
    if after:
        held_out = latest(data, after, share)
    else:
        held_out = at_random(len(data) if group is None else group_numbers(data, group), share, seed)
    if not held_out.any() or held_out.all():
        raise nothing_left(share, len(data), group or after)
    return held_out


def nothing_left(share: float, rows: int, column: str | None = None) -> DataError:
    together = f": rows with equal values in {column!r} stay together" if column else ""
    return DataError(
        f"Holding out {share} of {counted(rows, 'row')} leaves nothing to measure on, or to learn from{together}."
    )


def check_share(share: float) -> None:
    if not 0 < share < 1:
        raise SettingError(f"The share to hold out is {share}: expected a number between 0 and 1.")


def at_random(groups: int | np.ndarray, share: float, seed: int) -> np.ndarray:
    """Which rows are held out, given their group numbers, or how many rows there are."""
    groups = np.arange(groups) if isinstance(groups, int) else groups.astype(np.int64)
    shuffled = np.arange(groups.max(initial=-1) + 1, dtype=np.int32)
    order.shuffle(shuffled, order.random_bits(seed, order.SPLIT))
    sizes = np.bincount(groups, minlength=len(shuffled))[shuffled]
    chosen = shuffled[: np.searchsorted(np.cumsum(sizes), share * len(groups)) + 1]
    if len(shuffled) == len(groups):
        chosen = shuffled[: round(share * len(groups))]
    return np.isin(groups, chosen)


def group_numbers(data: Dataset, column: str) -> np.ndarray:
    """Which group each row belongs to, from 0; missing values are a group of their own."""
    values = comparable(data.rows[column]).cast(str).fill_null("\0missing")
    return np.asarray(values.rank("dense").to_numpy() - 1, dtype=np.int64)


def comparable(column: pl.Series) -> pl.Series:
    """The column with dates and numbers as such, also where they are written as texts.

    >>> import polars as pl
    >>> comparable(pl.Series(["2.1.2024", "13.12.2023"])).arg_sort().to_list()
    [1, 0]
    """
    import polars as pl

    if not is_text(column) and not column.dtype.is_float():
        return column
    (reading,) = decide(pl.DataFrame({"column": column}))
    if not is_text(column):  # 1.2024 may be a month
        return column if reading.date is None else reading.date.instants(column)
    column = with_ascii_signs(column) if reading.ascii_signs else column
    known = without_marks(column, reading.marks).cast(pl.String)
    if reading.date is not None:
        return reading.date.instants(known)
    return known if reading.number is None else reading.number.as_plain(known).cast(pl.Float64, strict=False)


def latest(data: Dataset, column: str, share: float) -> np.ndarray:
    """Which rows have the highest values in this column; equal values stay on one side."""
    rank = comparable(data.rows[column]).rank("min", descending=False).fill_null(0).to_numpy()
    return np.asarray(rank > np.quantile(rank, 1 - share, method="lower"))


def without(data: Dataset, column: str) -> Dataset:
    return replace(data, rows=without_column(data.rows, column))


@dataclass(frozen=True)
class CrossValidation:
    """Repeated k-fold cross-validation: each split holds one fold out, and the folds of a repetition are disjoint.

    When all folds were held out once, a new repetition begins: the rows are shuffled with the next seed.

    >>> CrossValidation.holding_out(0.2, splits=5)
    CrossValidation(splits=5, folds=5)
    >>> [rows.tolist() for rows in CrossValidation(splits=3, folds=3).held_out(np.array([0, 0, 0, 1, 1, 1]))]
    [[2, 4], [0, 3], [1, 5]]
    """

    splits: int
    folds: int

    @classmethod
    def holding_out(cls, share: float, splits: int) -> CrossValidation:
        """Folds of about this share of the rows: 1/2 at most, since two folds are the fewest that can be disjoint."""
        check_share(share)
        return cls(splits, max(2, round(min(1 / share, 2**31))))

    @property
    def share(self) -> float:
        """Of the rows that a split holds out, up to one row."""
        return 1 / self.folds

    def held_out(self, codes: np.ndarray) -> Iterator[np.ndarray]:
        """The numbers of the rows that each split holds out, in the order of the file, given the class of each row."""
        if self.folds > len(codes):
            few = f"{counted(len(codes), 'row')} {'is' if len(codes) == 1 else 'are'} too few for {self.folds} folds"
            raise DataError(f"{few}: hold out a larger share of them.")
        for number in range(self.splits):
            repetition, fold = divmod(number, self.folds)
            if fold == 0:
                fold_of_row = stratified_folds(codes, self.folds, seed=repetition)
            yield np.flatnonzero(fold_of_row == fold)

    def describe(self) -> str:
        """How rows are held out, in a sentence."""
        repetitions, used = -(-self.splits // self.folds), self.splits % self.folds
        part = f"{self.splits} of " if self.splits < self.folds else ""
        sentence = f"{part}{self.folds} disjoint folds, stratified by class, each with {100 * self.share:.3g} % of the rows"
        if repetitions > 1:
            sentence += f", in {repetitions} repetitions, each shuffled anew"
        if used == 0:
            times = {1: "once", 2: "twice"}.get(repetitions, f"{repetitions} times")
            sentence += f"; every row is held out {times}"
        elif repetitions > 1:
            sentence += f"; the last repetition holds out {used} of them"
        return sentence + "."


def stratified_folds(codes: np.ndarray, folds: int, seed: int) -> np.ndarray:
    """The fold of each row, from 0: sizes differ by one row at most, overall and within every class.

    >>> stratified_folds(np.array([0, 0, 1, 1]), folds=2, seed=0)
    array([0, 1, 0, 1])
    """
    shuffled = np.arange(len(codes), dtype=np.int32)
    order.shuffle(shuffled, order.random_bits(seed, order.SPLIT))
    # Dealt out like cards, one class after the other; the next class goes on where the last ended, so that folds stay equal.
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold_of_row = np.empty(len(codes), dtype=np.int64)
    fold_of_row[by_class] = np.arange(len(codes)) % folds
    return fold_of_row
