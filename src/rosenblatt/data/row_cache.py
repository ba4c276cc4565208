"""Encoded rows on disk: the arrays that the loop reads, written once and part by part, then mapped into memory.

What is mapped belongs to the file: the system drops it from memory when others need the room, and reads it again.

    indices, values, indptr   the arrays of CSR rows, as numbers of the machine's own kind
    head.json                 their types and lengths, and a checksum over all of them
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import DataError

if TYPE_CHECKING:
    import scipy.sparse as sp

AT_ONCE = 2**20  # numbers that are read or written at a time


@dataclass
class RowCacheWriter:
    """Writes CSR rows, some at a time; `finish` makes them one matrix."""

    folder: Path
    rows: int = 0
    entries: int = 0
    types: dict[str, np.dtype[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("indices", "values", "indptr"):
            (self.folder / name).write_bytes(b"")
        self._append("indptr", np.zeros(1, dtype=np.int64))

    def add(self, matrix: sp.csr_matrix) -> None:
        """Some more rows."""
        self._append("indices", matrix.indices)
        self._append("values", matrix.data)
        self._append("indptr", matrix.indptr[1:].astype(np.int64) - matrix.indptr[0] + self.entries)
        self.rows, self.entries = self.rows + matrix.shape[0], self.entries + matrix.nnz

    def finish(self, columns: int) -> None:
        """The head, once all rows are there; indices and row ends become of one type, as the loop reads them."""
        index = np.dtype(np.int32 if self.entries < 2**31 else np.int64)
        for name in ("indices", "indptr"):
            self._recast(name, index)
        arrays = {name: {"type": kind.str, "crc": checksum(self.folder / name, kind)} for name, kind in self.types.items()}
        head = {"rows": self.rows, "columns": columns, "entries": self.entries, "arrays": arrays}
        (self.folder / "head.json").write_text(json.dumps(head), "utf-8")

    def _append(self, name: str, part: np.ndarray) -> None:
        if self.types.setdefault(name, part.dtype) != part.dtype:
            raise DataError(f"The {name} of these rows are {part.dtype}, those of rows before them {self.types[name]}.")
        with open(self.folder / name, "ab") as file:
            part.tofile(file)

    def _recast(self, name: str, kind: np.dtype[Any]) -> None:
        if self.types[name] == kind:
            return
        path, new = self.folder / name, self.folder / f"{name}.new"
        with open(path, "rb") as source, open(new, "wb") as target:
            while len(part := np.fromfile(source, self.types[name], AT_ONCE)):
                part.astype(kind).tofile(target)
        new.replace(path)
        self.types[name] = kind


def checksum(path: Path, kind: np.dtype[Any]) -> int:
    """CRC-32 of a file of numbers."""
    total = 0
    with open(path, "rb") as file:
        while len(part := np.fromfile(file, kind, AT_ONCE)):
            total = zlib.crc32(part.data.cast("B"), total)
    return total


def open_rows(folder: Path) -> sp.csr_matrix:
    """The rows of a cache, mapped; one that is damaged is refused."""
    import scipy.sparse as sp

    head = json.loads((folder / "head.json").read_text("utf-8"))
    sizes = {"indices": head["entries"], "values": head["entries"], "indptr": head["rows"] + 1}
    arrays = {}
    for name, size in sizes.items():
        kind, path = np.dtype(head["arrays"][name]["type"]), folder / name
        if path.stat().st_size != size * kind.itemsize or checksum(path, kind) != head["arrays"][name]["crc"]:
            raise DataError(f"The cache {folder} is damaged: its {name} are not those that were written. Remove it.")
        arrays[name] = np.memmap(path, kind, mode="r", shape=(size,)) if size else np.zeros(0, kind)
    parts = arrays["values"], arrays["indices"], arrays["indptr"]
    return sp.csr_matrix(parts, shape=(head["rows"], head["columns"]))
