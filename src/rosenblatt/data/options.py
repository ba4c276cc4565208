"""How a source is to be read: what `read` and `batches` have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rosenblatt.errors import SettingError

DELIMITER_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "blank": " ", "space": " "}
MISSING_MARKS = ("", "?")


@dataclass(frozen=True)
class BufferSizes:
    """How much is read, counted or coded at a time; the values read never depend on it."""

    table_block: int = 1 << 23  # bytes of a table that `batches` parses at a time
    count_block: int = 1 << 17  # bytes in which delimiters are counted at a time: they stay in the cache
    coded_above: int = 1 << 22  # bytes of a table above which types are guessed beforehand and repeated texts coded
    coded_texts: int = 1 << 15  # distinct texts of a coded column; polars reads columns that have more
    libsvm_chunk: int = 1 << 20  # bytes of libsvm lines parsed at a time


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
    sizes: BufferSizes = BufferSizes()

    def __post_init__(self) -> None:
        if self.format is not None:
            from rosenblatt.data.formats import format_named

            object.__setattr__(self, "format", format_named(self.format).name)
        if self.delimiter is not None:
            delimiter = DELIMITER_NAMES.get(self.delimiter, self.delimiter)
            if len(delimiter.encode()) != 1 or delimiter in '"\r\n':
                raise SettingError(f"The delimiter is {self.delimiter!r}: it must be one plain character, or 'tab'.")
            object.__setattr__(self, "delimiter", delimiter)
        if isinstance(self.names, str):
            raise SettingError(f"names is the text {self.names!r}: pass a list with one name per column.")
        if isinstance(self.missing, str):
            object.__setattr__(self, "missing", ("", self.missing))
        if self.n_features is not None and self.n_features < 1:
            raise SettingError(f"n_features is {self.n_features}: it must be 1 or more.")

    @property
    def mention_columns(self) -> bool:
        """Did the user say anything that only a table with columns can have?"""
        return not self.header or (self.target, self.names, self.delimiter) != (None, None, None)
