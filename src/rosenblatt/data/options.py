"""How a source is to be read: what `read` and `batches` have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from rosenblatt.errors import SettingError

FORMATS = ("csv", "tsv", "blanks", "parquet", "arrow", "libsvm", "text", "lines", "folder", "tar", "idx")
ALIASES = {"feather": "arrow", "ipc": "arrow", "svmlight": "libsvm", "svm": "libsvm", "table": "blanks", "tar.gz": "tar"}
DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "blank": " ", "space": " "}
MISSING = ("", "?")


@dataclass(frozen=True)
class Options:
    """What the user said about a source; None where the source is to tell by itself."""

    format: str | None = None
    target: str | int | None = None
    header: bool = True
    names: Sequence[str] | None = None
    delimiter: str | None = None
    missing: Sequence[str] = MISSING
    zero_based: bool | None = None
    n_features: int | None = None

    def __post_init__(self) -> None:
        if self.format is not None:
            name = self.format.lower().lstrip(".")
            name = ALIASES.get(name, name)
            if name not in FORMATS:
                near = get_close_matches(name, FORMATS, 1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise SettingError(f"There is no format {self.format!r}: choose one of {', '.join(FORMATS)}.{hint}")
            object.__setattr__(self, "format", name)
        if self.delimiter is not None:
            delimiter = DELIMITERS.get(self.delimiter, self.delimiter)
            if len(delimiter.encode()) != 1 or delimiter in '"\r\n':
                raise SettingError(f"The delimiter is {self.delimiter!r}: it must be one plain character, or 'tab'.")
            object.__setattr__(self, "delimiter", delimiter)
        if isinstance(self.names, str):
            raise SettingError(f"names is the text {self.names!r}: pass a list with a name a column.")
        if isinstance(self.missing, str):
            object.__setattr__(self, "missing", ("", self.missing))
        if self.n_features is not None and self.n_features < 1:
            raise SettingError(f"n_features is {self.n_features}: it must be 1 or more.")
