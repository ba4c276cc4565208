"""Plain tables, coded by the compiled reader while they are read."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from rosenblatt.data.coded import CodedTable, CodedTexts
from rosenblatt.data.table import BLANKS

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from rosenblatt.data.delimited.parsing import ColumnTypes

Result = TypeVar("Result")

BOM = b"\xef\xbb\xbf"
SURELY_TEXT = re.compile(r"[^-+.\s0-9iInN]")  # what so begins is no number, no infinity and no nan
FIRST_HALF = 2**14  # rows at least: then the whole gives up no column that neither half gives up (MANY in _cells.c)
LONGEST_SOUGHT = 2**20  # bytes in which the end of a line is looked for

compiled: ModuleType | None
try:
    compiled = import_module("rosenblatt.data._cells")
except ImportError:  # polars reads all tables then
    compiled = None


@dataclass(frozen=True)
class CodedColumn:
    """A column as it stands in the file: the text of row i is texts[codes[i]]."""

    codes: np.ndarray
    texts: list[str]

    def series(self, name: str, types: ColumnTypes) -> pl.Series:
        """The column as what it holds. Texts that repeat are an Enum of the sorted texts.

        >>> import numpy as np
        >>> from rosenblatt.data.delimited.parsing import ColumnTypes
        >>> column = CodedColumn(np.array([1, 0, 0, 2, 1, 1], dtype=np.uint32), ["b", " a", "?"])
        >>> letters = column.series("letter", ColumnTypes(["", "?"]))
        >>> letters.to_list(), letters.dtype
        (['a', 'b', 'b', None, 'a', 'a'], Enum(categories=['a', 'b']))
        """
        import polars as pl

        # polars reads an empty cell as null, whatever else is missing.
        texts = [text.strip(BLANKS) or None for text in self.texts]
        values = types.of_column(pl.Series(name, texts, dtype=pl.String))
        if values.dtype == pl.String and 2 * len(values) <= len(self.codes):
            known = sorted({text for text in values.to_list() if text is not None})
            values = values.cast(pl.Enum(known)) if known else values
        return values[pl.Series(self.codes)]

    def as_texts(self, name: str, types: ColumnTypes) -> CodedTexts | None:
        """The column as texts, without polars; None where it may hold numbers.

        >>> import numpy as np
        >>> from rosenblatt.data.delimited.parsing import ColumnTypes
        >>> column = CodedColumn(np.array([1, 0, 0, 2, 3], dtype=np.uint32), ["b", " a", "?", "a"])
        >>> column.as_texts("letter", ColumnTypes(["", "?"]))
        CodedTexts(name='letter', codes=array([1, 0, 0, 2, 1], dtype=uint32), texts=['b', 'a', None])
        """
        missing = {"", *types.missing}
        texts = [None if (text := cell.strip(BLANKS)) in missing else text for cell in self.texts]
        if name not in types.texts and not any(text and SURELY_TEXT.match(text) for text in texts):
            return None
        place_of = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        codes = self.codes
        if len(place_of) < len(texts):
            import numpy as np

            # Some differ by the blanks around them only, or by how they are missing.
            codes = np.array([place_of[text] for text in texts], dtype=np.uint32).take(codes)
        return CodedTexts(name, codes, list(place_of))


def coded_table(cells: Sequence[CodedColumn | None], names: Sequence[str], types: ColumnTypes) -> CodedTable | None:
    """The table, where every column is one of texts that repeat, and no label is missing."""
    columns = []
    for name, column in zip(names, cells, strict=True):
        texts = None if column is None else column.as_texts(name, types)
        if texts is None or (name == types.target and texts.has_nulls()):
            return None
        columns.append(texts)
    return CodedTable(columns)


def read_coded(
    content: bytes, start: int, delimiter: str, width: int, distinct_texts: int, halves: bool = False
) -> list[CodedColumn | None] | None:
    """The columns of a plain table, None for one with more distinct texts than that; None if the table is not plain.

    By two threads where `halves` are asked for; what they give is the same.

    >>> sex, age = read_coded(b"sex,age\\nMale,39\\nMale,50\\n", 8, ",", width=2, distinct_texts=100)
    >>> sex, age.codes.tolist(), age.texts
    (CodedColumn(codes=array([0, 0], dtype=uint32), texts=['Male']), [0, 1], ['39', '50'])
    """
    if compiled is None or content.startswith(BOM, start):
        return None
    rows, shape = memoryview(content)[start:], (ord(delimiter), width, distinct_texts)
    columns = (split_in_halves(rows, *shape) if halves else None) or split(rows, *shape)
    last = None if columns is None else columns[-1]
    if columns is not None and last is not None:  # a CR can only be at the end of a line
        columns[-1] = CodedColumn(last.codes, [text.removesuffix("\r") for text in last.texts])
    return columns


def split(rows: memoryview, delimiter: int, width: int, distinct_texts: int) -> list[CodedColumn | None] | None:
    """The columns as the compiled reader gives them."""
    assert compiled is not None
    pairs = compiled.split(rows, 0, delimiter, width, distinct_texts)
    if pairs is None:
        return None
    import numpy as np

    return [None if pair is None else CodedColumn(np.frombuffer(pair[0], dtype=np.uint32), pair[1]) for pair in pairs]


def split_in_halves(
    rows: memoryview, delimiter: int, width: int, distinct_texts: int, first_half: int = FIRST_HALF
) -> list[CodedColumn | None] | None:
    """The columns by two threads, half of the rows each; None where only the whole can tell what becomes of a column."""
    assert compiled is not None
    reader, start = compiled, max(len(rows) // 2 - LONGEST_SOUGHT, 0)
    middle = start + bytes(rows[start : len(rows) // 2]).rfind(b"\n") + 1
    halves = rows[:middle], rows[middle:]
    height, lower = by_two_threads(reader.count, *halves)
    if height is None or lower is None or min(height, lower) < 1 or height < first_half:
        return None
    import numpy as np  # not before: another thread may just import it

    codes = np.empty((width, height + lower), dtype=np.uint32)  # of both halves, and of all columns: one large piece

    def split_half(half: memoryview) -> list[tuple[None, list[str]] | None] | None:
        first = 0 if half is halves[0] else height
        return reader.split(half, 0, delimiter, width, distinct_texts, codes, first)  # type: ignore[no-any-return]

    above, below = by_two_threads(split_half, *halves)
    if above is None or below is None:
        return None
    columns: list[CodedColumn | None] = []
    for of_column, upper_half, lower_half in zip(codes, above, below, strict=True):
        if (upper_half is None) != (lower_half is None):
            return None
        texts = (
            None if upper_half is None or lower_half is None else joined(upper_half[1], lower_half[1], of_column[height:])
        )
        if texts is not None and len(texts) > distinct_texts:
            return None
        columns.append(None if texts is None else CodedColumn(of_column, texts))
    return columns


def joined(above: list[str], below: list[str], codes: np.ndarray) -> list[str]:
    """The texts of both halves in the order in which they first occur; the codes of the lower half become theirs.

    >>> import numpy as np
    >>> codes = np.array([0, 1, 0], dtype=np.uint32)
    >>> joined(["b", "a"], ["c", "b"], codes), codes
    (['b', 'a', 'c'], array([2, 0, 2], dtype=uint32))
    """
    texts = list(dict.fromkeys([*above, *below]))
    if texts[: len(below)] != below:
        import numpy as np

        place_of = {text: place for place, text in enumerate(texts)}
        of_code = np.array([place_of[text] for text in below], dtype=codes.dtype)
        of_code.take(codes, out=codes, mode="clip")  # where codes were to be checked, numpy would make a copy
    return texts


def by_two_threads(work: Callable[[memoryview], Result], first: memoryview, second: memoryview) -> list[Result | None]:
    """What `work` gives for both, the second by another thread; None where that lacked memory: the whole will tell."""
    results: list[Result | None] = []

    def work_on_second() -> None:
        with suppress(Exception):
            results.append(work(second))

    thread = threading.Thread(target=work_on_second)
    thread.start()
    try:
        result = work(first)
    finally:
        thread.join()
    return [result, *(results or [None])]
