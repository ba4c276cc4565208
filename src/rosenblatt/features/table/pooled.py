"""Categories of many values: the most frequent ones have a feature each, all others one together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rosenblatt.data.columns.reading import CleanTable
from rosenblatt.features.table.columns import Category, TableColumn, TableEncoder


class Pooled(NamedTuple):
    """How many values of a column share a feature, and how many rows have one of them."""

    values: int
    rows: int


def pool_rare(
    columns: list[TableColumn], tables: Iterable[CleanTable], most: int
) -> tuple[list[TableColumn], dict[str, Pooled]]:
    """The columns with at most so many values each, and what became of the others.

    The most frequent values stay; of equally frequent ones those that come first in order.
    """
    large = [replace(one, number=None) for one in columns if isinstance(one.category, Category)]
    large = [one for one in large if isinstance(one.category, Category) and len(one.category.values) > most]
    if not large:
        return columns, {}
    rows = {one.name: np.zeros(one.category.size, dtype=np.int64) for one in large if isinstance(one.category, Category)}
    for clean in tables:
        for part in TableEncoder(clean.frame, large, scale=False):
            for name, count in rows.items():
                codes = part.codes[name]
                count += np.bincount(codes[codes >= 0], minlength=len(count))
    smaller, pooled = [], {}
    for one in columns:
        if one.name in rows and isinstance(one.category, Category):
            of_value = rows[one.name][: len(one.category.values)]
            frequent = np.sort(np.argsort(-of_value, kind="stable")[:most])
            values = [one.category.values[code] for code in frequent.tolist()]
            pooled[one.name] = Pooled(len(of_value) - most, int(of_value.sum() - of_value[frequent].sum()))
            one = replace(one, category=Category(one.name, one.category.type, values, one.category.missing, rare=True))
        smaller.append(one)
    return smaller, pooled


def about_pooled(pooled: dict[str, Pooled], rows: int) -> tuple[str, ...]:
    """What is to be told of it.

    >>> about_pooled({"town": Pooled(values=2_000, rows=3_500)}, rows=70_000)
    ("town: 2,000 rare values, in 3,500 of 70,000 rows (5.0 %), share the feature 'town is rare' (--most-values).",)
    """
    return tuple(
        f"{name}: {one.values:,} rare value{'s' * (one.values > 1)}, in {one.rows:,} of {rows:,} rows "
        f"({100 * one.rows / max(1, rows):.1f} %), share the feature '{name} is rare' (--most-values)."
        for name, one in pooled.items()
    )
