"""Rows set aside to measure on: at random, by whole groups, or the latest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.engine import order
from rosenblatt.errors import DataError, SettingError


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
    if not 0 < share < 1:
        raise SettingError(f"The share to hold out is {share}: expected a number between 0 and 1.")
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
        together = f": rows with equal values in {group or after!r} stay together" if group or after else ""
        raise DataError(f"Holding out {share} of {len(data)} rows leaves nothing to measure on, or to learn from{together}.")
    parts = data.take(np.flatnonzero(~held_out)), data.take(np.flatnonzero(held_out))
    return (without(parts[0], group), without(parts[1], group)) if group else parts


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
    return np.asarray(data.rows[column].cast(str).fill_null("\0missing").rank("dense").to_numpy() - 1, dtype=np.int64)


def latest(data: Dataset, column: str, share: float) -> np.ndarray:
    """Which rows have the highest values in this column; equal values stay on one side."""
    rank = data.rows[column].rank("min", descending=False).fill_null(0).to_numpy()
    return np.asarray(rank > np.quantile(rank, 1 - share, method="lower"))


def without(data: Dataset, column: str) -> Dataset:
    return replace(data, rows=data.rows.drop(column))
