"""Tables for a map that is trained: what they lack, and the types that training had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosenblatt.data.table import looks_like_data, numbers_if_all
from rosenblatt.errors import DataError

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.features.table.table_map import TableMap


def table_lacks(absent: Sequence[str], columns: Sequence[str]) -> DataError:
    """The error that names the absent columns, and what may help."""
    remedy = ""
    if "column_1" in absent and "column_1" not in columns:  # so are columns called whose file has no header
        remedy = " If it has no header either, pass header=False (--no-header)."
    elif looks_like_data(columns):
        remedy = " Its first line looks like data: pass header=False (--no-header), and names=[…] (--names A,B,…)."
    elif "column_1" in columns:
        remedy = " Name its columns: names=[…] (--names A,B,…)."
    return DataError(f"The table lacks {listed(absent)}, which training had. It has {listed(columns)}.{remedy}")


def listed(names: Sequence[str]) -> str:
    """Ten of the names, and how many more there are."""
    shown = ", ".join(map(repr, names[:10]))
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"


def with_training_types(mapping: TableMap, table: pl.DataFrame) -> pl.DataFrame:
    """The table with numbers where training had them, if all are: rows for a model are read as texts."""
    import polars as pl

    number = {c.name for c in mapping.columns if c.number or (c.category and c.category.type == "number")}
    texts = [series for series in table if series.name in number and series.dtype in (pl.String, pl.Enum)]
    values = mapping.clean(table).frame if texts else table
    typed = [numbers_if_all(values[series.name].cast(pl.String)) for series in texts]
    return table.with_columns(series for series in typed if series.dtype != pl.String)
