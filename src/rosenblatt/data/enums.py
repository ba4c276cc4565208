"""Columns of texts that are codes already: polars Enums, as the reader of plain CSV gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

SOME = 2**15  # rows looked at before asking whether every value was met


def is_coded(series: pl.Series) -> bool:
    """Is the column an Enum, whose rows are codes of some texts already?"""
    import polars as pl

    return series.dtype == pl.Enum


def codes_of(series: pl.Series) -> np.ndarray:
    """The code of each row of an Enum; one past the last where it is missing.

    >>> import polars as pl
    >>> codes_of(pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"])))
    array([1, 2, 0], dtype=uint32)
    """
    import polars as pl

    codes = series.to_physical()
    if codes.has_nulls():
        codes = codes.cast(pl.UInt32).fill_null(len(series.dtype.categories))  # type: ignore[attr-defined]
    return codes.to_numpy()


def in_use(series: pl.Series) -> tuple[np.ndarray, pl.Series]:
    """(codes that occur in an Enum, their texts); missing ones too.

    >>> import polars as pl
    >>> codes, found = in_use(pl.Series(["b", "b", None], dtype=pl.Enum(["a", "b"])))
    >>> codes.tolist(), found.to_list()
    ([1, 2], ['b', None])
    """
    import polars as pl

    known = [*series.dtype.categories.to_list(), None]  # type: ignore[attr-defined]
    there = np.zeros(len(known), dtype=bool)
    there[-1] = series.has_nulls()
    rows = codes_of(series)
    for start in range(0, len(rows), SOME):
        there[rows[start : start + SOME]] = True
        if there[:-1].all():  # as a rule, the first rows have them all
            break
    codes = np.flatnonzero(there)
    return codes, pl.Series([known[code] for code in codes.tolist()], dtype=pl.String)
