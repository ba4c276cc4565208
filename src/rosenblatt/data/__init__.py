"""Data: files of every usual format, streams, and data sets known by name.

numpy, polars and scipy are imported when rows are read: the command line's help needs the table of formats only.
"""

from __future__ import annotations

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats import FORMATS
from rosenblatt.data.known import known_names, open_known
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.reading import batches, read

__all__ = ["FORMATS", "Dataset", "ReadOptions", "batches", "known_names", "open_known", "read"]
