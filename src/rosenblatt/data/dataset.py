"""A data set: rows of one of four kinds, and their labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from rosenblatt.data.coded import CodedTexts

    Labels = pl.Series | CodedTexts | np.ndarray

Kind = Literal["table", "text", "sparse", "images"]


class CountedNote(str):
    """A sentence about some rows: what parts of a source say so becomes one sentence about all of them."""

    rows: int
    one: str
    several: str

    def __new__(cls, rows: int, one: str, several: str) -> CountedNote:
        note = super().__new__(cls, f"{rows:,} {one if rows == 1 else several}")
        note.rows, note.one, note.several = rows, one, several
        return note

    def __reduce__(self) -> tuple[type, tuple[int, str, str]]:  # workers send it home
        return CountedNote, (self.rows, self.one, self.several)


def told_once(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes of the parts of a source, each once; rows that are counted in several parts are added up.

    >>> told_once(["sorted", CountedNote(1, "row is blank.", "rows are blank."), "sorted",
    ...            CountedNote(1, "row is blank.", "rows are blank.")])
    ('sorted', '2 rows are blank.')
    """
    told: dict[str, str] = {}
    for note in notes:
        if not isinstance(note, CountedNote):
            told[note] = note
            continue
        before = told.get(note.several)
        earlier = before.rows if isinstance(before, CountedNote) else 0
        told[note.several] = CountedNote(earlier + note.rows, note.one, note.several)
    return tuple(told.values())


@dataclass(frozen=True)
class Dataset:
    """Rows and labels of one source.

    | kind   | rows                                      | labels        |
    |--------|-------------------------------------------|---------------|
    | table  | polars DataFrame, without the target      | polars Series |
    | text   | polars DataFrame with one column, `text`  | polars Series |
    | sparse | scipy CSR, or NamedRows with such a one   | numpy array   |
    | images | n × height × width, uint8                 | numpy array   |

    On the command line a table of texts may be a CodedTable, which is made without polars.

    Labels are None where the source has none, or no target was named. `numbers` are the row numbers of a part in its source.
    """

    kind: Kind
    rows: Any
    labels: Labels | None
    name: str
    zero_based: bool | None = None  # libsvm: do indices start at 0? What goes together must start alike
    numbers: np.ndarray | None = None
    trimmed: bool = False  # has no text of a table blanks around it?
    file_columns: tuple[str, ...] | None = None  # all columns, the target among them, of a file without a header
    notes: tuple[str, ...] = ()  # what was assumed while reading, a sentence each
    guesses: tuple[str, ...] = ()  # how the source was taken, where all looked plain

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def take(self, index: np.ndarray) -> Dataset:
        """The rows with these numbers, in this order.

        >>> import numpy as np
        >>> digits = Dataset("images", np.zeros((3, 8, 8), np.uint8), np.array([7, 1, 4]), "digits")
        >>> digits.take(np.array([2, 0])).labels
        array([4, 7])
        """
        import numpy as np

        index = np.asarray(index)
        if index.dtype == bool:
            index = np.flatnonzero(index)
        labels = None if self.labels is None else self.labels[index]
        numbers = index if self.numbers is None else self.numbers[index]
        return replace(self, rows=self.rows[index], labels=labels, numbers=numbers)

    def slice(self, start: int, stop: int | None = None) -> Dataset:
        """Rows from `start` up to, not including, `stop`; not copied where the kind allows it.

        >>> import numpy as np
        >>> digits = Dataset("images", np.zeros((3, 8, 8), np.uint8), np.array([7, 1, 4]), "digits")
        >>> len(digits.slice(1))
        2
        """
        import numpy as np

        part = slice(start, stop)
        numbers = np.arange(len(self))[part] if self.numbers is None else self.numbers[part]
        labels = None if self.labels is None else self.labels[part]
        return replace(self, rows=self.rows[part], labels=labels, numbers=numbers)
