"""Data before learning, where the target is a quantity: how it is spread, and how much of that each column tells.

>>> import polars as pl
>>> size = [float(i) for i in range(60)]
>>> data = Dataset("table", pl.DataFrame({"size": size, "side": ["a", "b"] * 30}), pl.Series("price", size) * 2.5, "flats")
>>> facts = examine_numbers(data)
>>> facts.mean, [(one.column, round(one.share, 2)) for one in facts.columns]
(73.75, [('size', 1.0), ('side', 0.0)])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.columns.kinds import Overrides, decide
from rosenblatt.data.columns.reading import ColumnReading, TableReadings
from rosenblatt.data.table import kind_of, plain
from rosenblatt.features.table.numbers import numbers
from rosenblatt.learning.quantities import read_targets

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class ColumnShare:
    """The share of the target's variance that one column tells by itself."""

    column: str
    share: float
    how: str  # "a line" of its number, or the means of so many "values"


@dataclass(frozen=True)
class NumberFacts:
    """The facts of data whose target is a quantity."""

    rows: int
    left_out: int  # rows whose target is not known
    mean: float
    sd: float
    quantiles: list[float]  # least, a quarter, half, three quarters, most
    columns: list[ColumnShare]  # those that tell most first; none where the data are no table
    readings: list[ColumnReading]


def examine_numbers(data: Dataset, columns: Overrides | None = None) -> NumberFacts:
    """The facts of data with numbers to predict."""
    targets = read_targets(data)
    known, y = targets.among(data), targets.values
    readings: list[ColumnReading] = []
    shares: list[ColumnShare] = []
    if data.kind == "table":
        readings = decide(known.rows, columns, data.trimmed)
        marks = tuple(columns.missing) if columns else ()
        clean = TableReadings(readings, marks).clean(known.rows, data.trimmed)
        shares = [share_of(series, clean.roles.get(series.name, "category"), y) for series in clean.frame]
        shares.sort(key=lambda one: -one.share)
    quantiles = np.quantile(y, QUANTILES).tolist()
    return NumberFacts(len(y), len(data) - len(y), float(y.mean()), float(y.std()), quantiles, shares, readings)


def share_of(series: Any, role: str, y: np.ndarray) -> ColumnShare:
    """R² of a line through a number, or of the means of values, less what as many groups tell by chance."""
    column = series.to_polars() if hasattr(series, "to_polars") else series
    name = str(column.name)
    total = float(((y - y.mean()) ** 2).sum())
    if role in ("number", "both") or kind_of(column) == "number":
        x = numbers(column)[0]
        x = np.where(np.isnan(x), np.nanmean(x) if not np.isnan(x).all() else 0.0, x)
        spread = float(((x - x.mean()) ** 2).sum())
        product = float(((x - x.mean()) * (y - y.mean())).sum())
        return ColumnShare(name, product**2 / (spread * total) if spread * total > 0 else 0.0, "a line")
    codes = plain(column).rank("dense").fill_null(0).to_numpy().astype(np.int64)
    codes = np.unique(codes, return_inverse=True)[1]
    counts, groups = np.bincount(codes), int(codes.max()) + 1
    between = float((np.bincount(codes, y - y.mean()) ** 2 / counts).sum())
    if groups >= len(y) or total == 0:
        return ColumnShare(name, 0.0, f"{groups:,} values")
    adjusted = 1 - (1 - between / total) * (len(y) - 1) / (len(y) - groups)
    return ColumnShare(name, max(0.0, adjusted), f"{groups:,} values")
