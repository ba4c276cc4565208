"""Columns from the compiled reader `_cells`: each distinct text once, and for every row the code of its text.

Types, blanks and missing marks are then matters of some distinct texts, not of a million cells. The rules are those of
columns.py, which sees the distinct texts in place of the column; so the values are the same whoever has read them.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.columns import conform_column

if TYPE_CHECKING:
    import polars as pl

MOST = 1 << 15  # distinct texts of a column; polars reads those that have more

try:
    compiled: Any = import_module("rosenblatt.data._cells")
except ImportError:  # polars reads all tables then
    compiled = None


@dataclass(frozen=True)
class Cells:
    """A column: the text of row i is texts[codes[i]]."""

    codes: np.ndarray
    texts: list[str]

    @property
    def padded(self) -> bool:
        """Is there a blank at the edge of a cell?"""
        return any(text.startswith((" ", "\t")) or text.endswith((" ", "\t")) for text in self.texts)

    def series(self, name: str, missing: Sequence[str], wider: Any, *, padded: bool) -> pl.Series:
        """The column as what it holds: see `columns.conform`. Texts that repeat are an Enum of the sorted texts.

        >>> column = Cells(np.array([1, 0, 0, 2, 1, 1], dtype=np.uint32), ["b", " a", "?"])
        >>> made = column.series("letter", ["", "?"], None, padded=True)
        >>> made.to_list(), made.dtype
        (['a', 'b', 'b', None, 'a', 'a'], Enum(categories=['a', 'b']))
        """
        import polars as pl

        # polars reads an empty cell as null, whatever else is missing.
        texts = pl.Series(name, [text or None for text in self.texts], dtype=pl.String)
        values = conform_column(texts.str.strip_chars() if padded else texts, missing, wider)
        if values.dtype == pl.String and 2 * len(values) <= len(self.codes):
            known = sorted({text for text in values.to_list() if text is not None})
            values = values.cast(pl.Enum(known)) if known else values
        return values[pl.Series(self.codes)]


def split(data: np.ndarray, start: int, delimiter: str, width: int) -> list[Cells | None] | None:
    """The columns of a plain table from byte `start` on, None for one with too many texts; None if it is not plain.

    >>> text = np.frombuffer(b"sex,age\\nMale,39\\nMale,50\\n", dtype=np.uint8)
    >>> split(text, 8, ",", 2)
    [Cells(codes=array([0, 0], dtype=uint32), texts=['Male']), Cells(codes=array([0, 1], dtype=uint32), texts=['39', '50'])]
    """
    if compiled is None or data[start : start + 3].tobytes() == b"\xef\xbb\xbf":
        return None
    with ThreadPoolExecutor(1) as other:
        reading = other.submit(compiled.split, data, start, ord(delimiter), width, MOST)
        import_module("polars")  # which takes as long, the first time
        found = reading.result()
    if found is None:
        return None
    columns = [None if column is None else Cells(np.frombuffer(column[0], dtype=np.uint32), column[1]) for column in found]
    last = columns[-1]
    if last is not None:  # a CR is there at the end of a line only
        columns[-1] = Cells(last.codes, [text.removesuffix("\r") for text in last.texts])
    return columns
