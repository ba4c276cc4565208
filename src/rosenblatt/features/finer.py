"""The rows of a table again, with digits that their features have lost.

Features are 32-bit numbers by default, and scaled: two rows that differ in the table may be one row for a learner. A proof
that such rows contradict each other is one about features; whether it is one about the table, a finer look decides.

>>> import polars as pl
>>> ids = pl.DataFrame({"id": [1_000_000_001, 1_000_000_002]})
>>> rows = rows_of(TableMap(scale=False).fit(ids), ids)
>>> rows.values.ravel().tolist()
[1000000000.0, 1000000000.0]
>>> grain, finer = next(rows.finer.views(np.array([0, 1])))
>>> finer.values.ravel().tolist(), grain
([1000000001.0, 1000000002.0], Grain(taken='as 32-bit numbers', remedy='--double (double=True)', surely=True))
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.features.table import TableMap, as_frame

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Grain:
    """How numbers were taken, and the options that keep more of their digits; none where no option does."""

    taken: str
    remedy: str | None
    surely: bool = True  # is it known that those options keep the rows apart?

    def apart(self) -> str:
        """What becomes of rows that contradict each other at this grain."""
        if self.remedy is None:
            return "in the table they differ"
        return f"{self.remedy} {'keeps' if self.surely else 'may keep'} them apart"


@dataclass(frozen=True)
class Finer:
    """A table beside the features that were made of it."""

    mapping: TableMap
    table: Any  # polars, or what TableMap takes as well

    def views(self, numbers: np.ndarray, own: bool = False) -> Iterator[tuple[Grain, Rows]]:
        """The rows of these numbers, finer and finer, each with the grain that it refines.

        `own`: unscaled, too, and as the table has them. What is not scaled is another space: only which rows are
        identical can be seen in it.
        """
        mapping, some = self.mapping, as_frame(self.table)[numbers]
        if not mapping.double:
            yield Grain("as 32-bit numbers", "--double (double=True)"), self._taken(some, mapping.scale)
        if own and mapping.scale:
            double = "" if mapping.double else "--double "
            keywords = "scale=False" if mapping.double else "double=True, scale=False"
            yield Grain("as scaled numbers", f"{double}--no-scale ({keywords})"), self._taken(some, scale=False)
        whole = [column.name for column in mapping.columns if column.number and some[column.name].dtype.is_integer()]
        if own and whole:
            # Whole numbers beyond 2^53 are no longer all different as floats: their ranks are.
            ranks = [some[name].rank("dense").fill_null(0).to_numpy() for name in whole]
            yield Grain("as 64-bit numbers", None), Rows(np.column_stack(ranks).astype(float))

    def _taken(self, some: pl.DataFrame, scale: bool) -> Rows:
        mapping = copy.copy(self.mapping)
        mapping.double, mapping.scale = True, scale
        return Rows(mapping.transform(some))


def rows_of(mapping: Any, raw: Any) -> Rows:
    """Raw rows as the engine reads them; those of a table with numbers can be looked at again."""
    made = Rows(mapping.transform(raw))
    if isinstance(mapping, TableMap) and any(column.number for column in mapping.columns):
        made.finer = Finer(mapping, raw)
    return made
