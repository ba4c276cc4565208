"""Data: files of every usual format, streams, and data sets known by name. polars is loaded when a table is read."""

from __future__ import annotations

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.known import known_names, open_known
from rosenblatt.data.options import FORMATS, Options
from rosenblatt.data.read import read
from rosenblatt.data.stream import batches

__all__ = ["FORMATS", "Dataset", "Options", "batches", "known_names", "open_known", "read"]
