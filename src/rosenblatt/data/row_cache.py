"""Encoded rows on disk: the arrays that the loop reads, written once and part by part, then mapped into memory.

What is mapped belongs to the file: the system drops it from memory when others need the room, and reads it again.

    values                    dense rows
    indices                   rows of as many ones as there are columns in the table, one-hot
    records                   sparse rows of a table, packed (engine/packed_rows.py)
    indices, values, indptr   all other rows, as CSR

Numbers are of the machine's own kind; head.json has their types and lengths, and a checksum over each array.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.engine.file_arrays import PieceWriter
from rosenblatt.engine.packed_rows import PackedRows, RecordLayout, Slot
from rosenblatt.engine.rows import OneHot
from rosenblatt.errors import DataError

AT_ONCE = 2**17  # numbers that are read or written at a time
HEAD = "head.json"
LAYOUTS = {"dense": {"values"}, "one-hot": {"indices"}, "csr": {"indices", "values", "indptr"}, "packed": {"records"}}


@dataclass
class RowCacheWriter:
    """Writes rows, some at a time; `finish` makes them one matrix."""

    folder: Path
    rows: int = 0
    entries: int = 0
    layout: str = ""  # dense, one-hot, csr or packed
    record: RecordLayout | None = None  # of packed rows
    types: dict[str, np.dtype[Any]] = field(default_factory=dict)
    checksums: dict[str, int] = field(default_factory=dict)
    files: dict[str, PieceWriter] = field(default_factory=dict)  # open until all is written
    checked: bool = field(default=True, kw_only=True)  # with checksums, for those who open it later

    def __del__(self) -> None:
        for writer in self.files.values():
            writer.file.close()

    def add(self, matrix: Any) -> None:
        """Some more rows: an array, OneHot, CSR or packed."""
        if isinstance(matrix, PackedRows):
            self.layout, self.record = "packed", matrix.layout
            self._append("records", matrix.records)
            self.rows, self.entries = self.rows + matrix.n, self.entries + matrix.entries
            return
        layout = "dense" if isinstance(matrix, np.ndarray) else "one-hot" if isinstance(matrix, OneHot) else "csr"
        if self.layout == "one-hot" and layout == "csr":
            self._fill_up(matrix.data.dtype)
        self.layout = layout if self.layout in ("", "one-hot") else self.layout
        if layout == "dense":
            self._append("values", np.ascontiguousarray(matrix))
            self.rows, self.entries = self.rows + len(matrix), self.entries + matrix.size
            return
        if layout == "one-hot":
            n, width = matrix.columns.shape
            self._append("indices", np.ascontiguousarray(matrix.columns))
            if self.layout == "csr":
                self._append_ones(n, width)
            self.rows, self.entries = self.rows + n, self.entries + n * width
            return
        if "indptr" not in self.types:
            self._append("indptr", np.zeros(1, dtype=np.int64))
        self._append("indices", matrix.indices)
        self._append("values", matrix.data)
        self._append("indptr", matrix.indptr[1:].astype(np.int64) - matrix.indptr[0] + self.entries)
        self.rows, self.entries = self.rows + matrix.shape[0], self.entries + matrix.nnz

    def _fill_up(self, kind: np.dtype[Any]) -> None:
        """What one-hot rows leave out, for those that came before the first of others."""
        n, width, self.rows, self.entries = self.rows, self.entries // self.rows, 0, 0
        self._append("indptr", np.zeros(1, dtype=np.int64))
        self.types["values"] = kind
        for start in range(0, n, AT_ONCE):
            some = min(AT_ONCE, n - start)
            self._append_ones(some, width)
            self.rows, self.entries = self.rows + some, self.entries + some * width

    def _append_ones(self, n: int, width: int) -> None:
        self._append("values", np.ones(n * width, dtype=self.types["values"]))
        self._append("indptr", self.entries + width * np.arange(1, n + 1, dtype=np.int64))

    def finish(self, columns: int) -> None:
        """The head, once all rows are there; indices and row ends become of one type, as the loop reads them."""
        if self.layout == "csr":
            index = np.dtype(np.int32 if self.entries < 2**31 else np.int64)
            for name in ("indices", "indptr"):
                self._recast(name, index)
        arrays = {name: {"type": kind.str, "crc": self.checksums[name]} for name, kind in self.types.items()}
        head: dict[str, Any] = {"layout": self.layout, "rows": self.rows, "columns": columns, "entries": self.entries}
        if self.record is not None:
            head |= {"slots": self.record.slots, "value": self.record.value}
            head["own"] = head_checksum(head)
        head["arrays"] = arrays
        for writer in self.files.values():
            writer.finish()
        (self.folder / HEAD).write_text(json.dumps(head), "utf-8")

    def _append(self, name: str, part: np.ndarray) -> None:
        if self.types.setdefault(name, part.dtype) != part.dtype:
            raise DataError(f"The {name} of these rows are {part.dtype}, those of rows before them {self.types[name]}.")
        before = self.checksums.get(name, 0)
        self.checksums[name] = zlib.crc32(part.data.cast("B"), before) if part.size and self.checked else before
        if name not in self.files:
            self.files[name] = PieceWriter(open(self.folder / name, "wb"))  # noqa: SIM115
        self.files[name].add(part)

    def _recast(self, name: str, kind: np.dtype[Any]) -> None:
        before = self.types[name]
        if before == kind:
            return
        self.files.pop(name).finish()
        del self.types[name], self.checksums[name]
        old = (self.folder / name).rename(self.folder / f"{name}.old")
        with open(old, "rb") as source:
            while len(part := np.fromfile(source, before, AT_ONCE)):
                self._append(name, part.astype(kind))
        old.unlink()


def checksum(path: Path, kind: np.dtype[Any]) -> int:
    """CRC-32 of a file of numbers."""
    total = 0
    with open(path, "rb") as file:
        while len(part := np.fromfile(file, kind, AT_ONCE)):
            total = zlib.crc32(part.data.cast("B"), total)
    return total


def refuse_not_ordinary(path: Path) -> None:
    """Refuses what is no file, as a pipe that nobody writes to."""
    if not path.is_file():
        raise DataError(f"{path} is not an ordinary file. Remove it.")


def head_checksum(head: dict[str, Any]) -> int:
    """Of what the arrays do not tell by their own lengths: how packed rows are laid out."""
    about = {name: head[name] for name in ("rows", "columns", "entries", "slots", "value")}
    return zlib.crc32(json.dumps(about).encode())


def read_ordinary(path: Path) -> bytes:
    """All bytes of a file."""
    refuse_not_ordinary(path)
    return path.read_bytes()


def open_rows(folder: Path, verify: bool = True) -> Any:
    """The rows of a cache, mapped; one that is damaged is refused, unless it was written just now.

    An array, OneHot or a CSR matrix for `Rows` to check; or rows that are packed, which are checked.
    """
    head = json.loads(read_ordinary(folder / HEAD))
    n, d, layout = head["rows"], head["columns"], head["layout"]
    if set(head["arrays"]) != LAYOUTS[layout]:
        raise DataError(f"The cache {folder} is damaged: its head is not that of {layout} rows. Remove it.")
    packed, record_size = None, 1
    if layout == "packed":
        packed = RecordLayout(tuple(Slot(start, size, bool(valued)) for start, size, valued in head["slots"]), head["value"])
        record_size = packed.width
        sound = head["own"] == head_checksum(head) and packed.value in ("<f4", "<f8", ">f4", ">f8")
        if not sound or not packed.is_sound(d):
            raise DataError(f"The cache {folder} is damaged: its head is not that of {layout} rows. Remove it.")
    arrays = {}
    for name in sorted(LAYOUTS[layout]):
        sizes = {"indptr": n + 1, "records": n * record_size}
        about, size = head["arrays"][name], sizes.get(name, head["entries"])
        kind, path = np.dtype(about["type"]), folder / name
        refuse_not_ordinary(path)
        if path.stat().st_size != size * kind.itemsize or (verify and checksum(path, kind) != about["crc"]):
            raise DataError(f"The cache {folder} is damaged: its {name} are not those that were written. Remove it.")
        arrays[name] = np.asarray(np.memmap(path, kind, mode="r")) if size else np.zeros(0, kind)
    if packed is not None:
        return PackedRows(arrays["records"].reshape(n, -1), packed, d, head["entries"])
    if layout == "dense":
        return arrays["values"].reshape(n, d)
    if layout == "one-hot":
        return OneHot(arrays["indices"].reshape(n, -1), d)
    import scipy.sparse as sp

    return sp.csr_matrix((arrays["values"], arrays["indices"], arrays["indptr"]), shape=(n, d))
