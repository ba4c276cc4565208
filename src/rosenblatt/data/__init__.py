"""Data: files of every usual format, streams, and data sets known by name.

Names are loaded on first use: the command line's help reads the table of formats and needs neither numpy nor polars.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers, who cannot follow HOMES
    from rosenblatt.data.dataset import Dataset as Dataset
    from rosenblatt.data.formats import FORMATS as FORMATS
    from rosenblatt.data.known import known_names as known_names
    from rosenblatt.data.known import open_known as open_known
    from rosenblatt.data.options import ReadOptions as ReadOptions
    from rosenblatt.data.reading import batches as batches
    from rosenblatt.data.reading import read as read

HOMES = {
    "FORMATS": "formats",
    "Dataset": "dataset",
    "ReadOptions": "options",
    "batches": "reading",
    "known_names": "known",
    "open_known": "known",
    "read": "reading",
}

__all__ = ["FORMATS", "Dataset", "ReadOptions", "batches", "known_names", "open_known", "read"]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'rosenblatt.data' has no attribute {name!r}")
    value = getattr(import_module(f"rosenblatt.data.{HOMES[name]}"), name)
    globals()[name] = value
    return value
