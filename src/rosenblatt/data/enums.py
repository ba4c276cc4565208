"""Columns of texts that are codes already: polars Enums, as the reader of plain CSV gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

ROWS_AT_ONCE = 2**15  # before asking whether every category has occurred


def is_enum(series: pl.Series) -> bool:
    """Is the column an Enum, whose rows are already codes of texts?"""
    import polars as pl

    return series.dtype == pl.Enum


def categories_of(series: pl.Series) -> list[str]:
    """The texts that the codes of an Enum stand for."""
    texts: pl.Series = series.dtype.categories  # type: ignore[attr-defined]
    return texts.to_list()


def enum_codes(series: pl.Series) -> np.ndarray:
    """The code of each row of an Enum; one past the last where it is missing.

    >>> import polars as pl
    >>> enum_codes(pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"])))
    array([1, 2, 0], dtype=uint32)
    """
    import polars as pl

    codes = series.to_physical()
    if codes.has_nulls():
        codes = codes.cast(pl.UInt32).fill_null(len(categories_of(series)))
    return codes.to_numpy()


def used_categories(series: pl.Series) -> tuple[np.ndarray, pl.Series]:
    """(codes that occur in an Enum, their texts); missing ones too.

    >>> import polars as pl
    >>> codes, texts = used_categories(pl.Series(["b", "b", None], dtype=pl.Enum(["a", "b"])))
    >>> codes.tolist(), texts.to_list()
    ([1, 2], ['b', None])
    """
    import polars as pl

    categories = [*categories_of(series), None]
    occurs = np.zeros(len(categories), dtype=bool)
    occurs[-1] = series.has_nulls()
    rows = enum_codes(series)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        occurs[rows[start : start + ROWS_AT_ONCE]] = True
        if occurs[:-1].all():  # as a rule, the first rows have them all
            break
    codes = np.flatnonzero(occurs)
    return codes, pl.Series([categories[code] for code in codes.tolist()], dtype=pl.String)
