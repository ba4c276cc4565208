"""What to say of a table that lacks columns of training."""

from __future__ import annotations

from collections.abc import Sequence

from rosenblatt.data.table import looks_like_data
from rosenblatt.errors import DataError


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
