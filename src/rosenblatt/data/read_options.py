"""What a user may say about a source, and how much of it is read at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosenblatt.data.dataset import CountedNote
from rosenblatt.data.source import LONGEST_LINE
from rosenblatt.errors import FileError

if TYPE_CHECKING:
    from rosenblatt.data.training_names import TrainingNames

MISSING_MARKS = ("", "?")
UNLABELLED = ("refuse", "skip")  # what becomes of rows without a label


@dataclass(frozen=True)
class BufferSizes:
    """How much is read, counted or coded at a time; the values read never depend on it."""

    table_block: int = 1 << 23  # bytes of a table that `batches` parses at a time
    count_block: int = 1 << 17  # bytes in which delimiters are counted at a time: they stay in the cache
    coded_above: int = 1 << 22  # bytes of a table above which types are guessed beforehand and repeated texts coded
    coded_texts: int = 1 << 15  # distinct texts of a coded column; polars reads columns that have more
    libsvm_chunk: int = 1 << 20  # bytes of libsvm lines parsed at a time
    longest_line: int = LONGEST_LINE  # bytes of a line, a record or a message; what is longer is refused


@dataclass(frozen=True)
class ReadOptions:
    """What the user said about a source; None where the source itself decides."""

    format: str | None = None
    target: str | int | None = None
    header: bool = True
    names: Sequence[str] | None = None
    delimiter: str | None = None
    missing: Sequence[str] = MISSING_MARKS
    zero_based: bool | None = None
    n_features: int | None = None
    as_text: bool | Sequence[str] = False
    encoding: str | None = None
    skip_lines: int | None = None
    unlabelled: str = "refuse"
    sizes: BufferSizes = BufferSizes()
    coded: bool = False  # may a table of texts come as a CodedTable? Then polars is not imported
    training: TrainingNames | None = None  # of the model that the rows are for
    # May blocks of a table be parsed before they are asked for, and texts be coded? Those of a pipe may be long in coming.
    ahead: bool = False
    header_above: bool = False  # are these rows of a table whose names stand elsewhere?

    @property
    def mention_columns(self) -> bool:
        """Did the user say anything that only a table with columns can have?"""
        return not self.header or (self.target, self.names, self.delimiter) != (None, None, None)


def without_label(count: int, options: ReadOptions, name: str, refuse: Callable[[str], FileError]) -> str:
    """What is told of so many rows without a label that are to be skipped; where they are not, they are refused."""
    have = f"{count:,} row{'s have' if count > 1 else ' has'} no label"
    if options.unlabelled != "skip":
        raise refuse(f"{have}: fill it in, or pass unlabelled='skip' to leave such rows out.")
    return CountedNote(
        count, f"row has no label and was left out of {name}.", f"rows have no label and were left out of {name}."
    )
