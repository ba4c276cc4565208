"""A table of texts as the compiled reader gives it: for each row of a column, which of its texts it has.

It stands in for a polars table where that is all there is to know, since importing polars takes longer than reading a small
file. Whatever else is asked of it, polars answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

# Python and polars read these as the same double: no sign of plus, no exponent, no words.
PLAIN_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?")


@dataclass(frozen=True)
class CodedTexts:
    """A column: the text of row i is texts[codes[i]]; all texts occur and differ, None is a missing one.

    >>> import numpy as np
    >>> sex = CodedTexts("sex", np.array([1, 0, 1], dtype=np.uint32), ["Male", None])
    >>> sex.has_nulls(), sex.to_polars().to_list()
    (True, [None, 'Male', None])
    """

    name: str
    codes: np.ndarray
    texts: list[str | None]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Any:
        return self.to_polars()[rows]

    def slice(self, start: int, length: int) -> CodedTexts:
        """Some rows; not all texts need to occur in them."""
        return CodedTexts(self.name, self.codes[start : start + length], self.texts)

    def without(self, marks: Collection[str]) -> CodedTexts:
        """The column with these texts missing.

        >>> import numpy as np
        >>> CodedTexts("sex", np.array([0, 1, 2, 3]), ["Male", "NA", None, "na"]).without({"NA", "na"})
        CodedTexts(name='sex', codes=array([0, 1, 1, 1], dtype=uint32), texts=['Male', None])
        """
        texts = [None if text in marks else text for text in self.texts]
        if texts == self.texts:
            return self
        import numpy as np

        place_of = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        codes = np.array([place_of[text] for text in texts], dtype=np.uint32).take(self.codes)
        return CodedTexts(self.name, codes, list(place_of))

    def has_nulls(self) -> bool:
        return None in self.texts

    def plain_numbers(self) -> np.ndarray | None:
        """The number of every row, nan where it is missing; None where a text is not plainly a number.

        >>> import numpy as np
        >>> CodedTexts("age", np.array([1, 0, 2, 0]), ["40", "7.5", None]).plain_numbers()
        array([ 7.5, 40. ,  nan, 40. ])
        """
        if not all(text is None or PLAIN_NUMBER.fullmatch(text) for text in self.texts):
            return None
        import numpy as np

        of_code = np.array([np.nan if text is None else float(text) for text in self.texts])
        return of_code.take(self.codes)

    def to_polars(self) -> pl.Series:
        """The column as polars has it: texts that repeat are an Enum of the sorted texts."""
        import polars as pl

        values = pl.Series(self.name, self.texts, dtype=pl.String)
        known = sorted(text for text in self.texts if text is not None)
        if known and 2 * len(values) <= len(self.codes):
            values = values.cast(pl.Enum(known))
        return values[pl.Series(self.codes)]


class CodedTable:
    """Columns of texts, by name."""

    def __init__(self, columns: list[CodedTexts]):
        self._columns = {column.name: column for column in columns}
        self.height, self.width = len(columns[0]) if columns else 0, len(columns)
        self.shape = self.height, self.width

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __len__(self) -> int:
        return self.height

    def __iter__(self) -> Iterator[CodedTexts]:
        return iter(self._columns.values())

    def __getitem__(self, key: Any) -> Any:
        return self._columns[key] if isinstance(key, str) else self.to_polars()[key]

    def drop(self, name: str) -> CodedTable:
        """The table without a column."""
        return CodedTable([column for column in self if column.name != name])

    def to_polars(self) -> pl.DataFrame:
        """The table as polars has it."""
        import polars as pl

        return pl.DataFrame([column.to_polars() for column in self])
