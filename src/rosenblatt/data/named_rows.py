"""Sparse rows whose columns have names instead of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True)
class NamedRows:
    """A CSR matrix and the names of its columns, in the order in which they occur in a file."""

    matrix: sp.csr_matrix
    names: list[str]

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self.matrix.shape
        return int(n), int(d)

    def __getitem__(self, rows: Any) -> NamedRows:
        return NamedRows(self.matrix[rows], self.names)
