"""Columns from the compiled reader `_cells`: each distinct text once, and for every row the code of its text.

Types, blanks and missing marks are then matters of some distinct texts, not of a million cells. The rules are those of
types.py, which sees the distinct texts in place of the column; so the values are the same whichever reader was used.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.data.delimited.types import with_type

if TYPE_CHECKING:
    import polars as pl

compiled: ModuleType | None
try:
    compiled = import_module("rosenblatt.data._cells")
except ImportError:  # polars reads all tables then
    compiled = None


@dataclass(frozen=True)
class CodedColumn:
    """A column: the text of row i is texts[codes[i]]."""

    codes: np.ndarray
    texts: list[str]

    @property
    def padded(self) -> bool:
        """Is there a blank at the edge of a cell?"""
        return any(text.startswith((" ", "\t")) or text.endswith((" ", "\t")) for text in self.texts)

    def series(
        self, name: str, missing: Sequence[str], at_least: pl.DataType | type[pl.DataType] | None, *, padded: bool
    ) -> pl.Series:
        """The column as what it holds: see `types.with_types`. Texts that repeat are an Enum of the sorted texts.

        >>> column = CodedColumn(np.array([1, 0, 0, 2, 1, 1], dtype=np.uint32), ["b", " a", "?"])
        >>> letters = column.series("letter", ["", "?"], None, padded=True)
        >>> letters.to_list(), letters.dtype
        (['a', 'b', 'b', None, 'a', 'a'], Enum(categories=['a', 'b']))
        """
        import polars as pl

        # polars reads an empty cell as null, whatever else is missing.
        texts = pl.Series(name, [text or None for text in self.texts], dtype=pl.String)
        values = with_type(texts.str.strip_chars() if padded else texts, missing, at_least)
        if values.dtype == pl.String and 2 * len(values) <= len(self.codes):
            known = sorted({text for text in values.to_list() if text is not None})
            values = values.cast(pl.Enum(known)) if known else values
        return values[pl.Series(self.codes)]


def read_coded(data: np.ndarray, delimiter: str, width: int, distinct_texts: int) -> list[CodedColumn | None] | None:
    """The columns of a plain table, None for one with more distinct texts than that; None if the table is not plain.

    >>> text = np.frombuffer(b"Male,39\\nMale,50\\n", dtype=np.uint8)
    >>> sex, age = read_coded(text, ",", width=2, distinct_texts=100)
    >>> sex, age.codes.tolist(), age.texts
    (CodedColumn(codes=array([0, 0], dtype=uint32), texts=['Male']), [0, 1], ['39', '50'])
    """
    if compiled is None or data[:3].tobytes() == b"\xef\xbb\xbf":
        return None
    with ThreadPoolExecutor(1) as other_thread:
        reading = other_thread.submit(compiled.split, data, 0, ord(delimiter), width, distinct_texts)
        import_module("polars")  # the first import takes as long as the reading
        split = reading.result()
    if split is None:
        return None
    columns = [None if pair is None else CodedColumn(np.frombuffer(pair[0], dtype=np.uint32), pair[1]) for pair in split]
    last = columns[-1]
    if last is not None:  # a CR can only be at the end of a line
        columns[-1] = CodedColumn(last.codes, [text.removesuffix("\r") for text in last.texts])
    return columns
