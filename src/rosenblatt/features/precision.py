"""The rows of a table again, with digits that their features have lost.

Features are 32-bit numbers by default, and scaled: two rows that differ in the table may be one row for a learner. A proof
that such rows contradict each other is one about features; whether it is one about the table, more digits decide.

>>> import polars as pl
>>> ids = pl.DataFrame({"id": [1_000_000_001, 1_000_000_002]})
>>> from rosenblatt.learning.examples import feature_rows
>>> rows = feature_rows(TableMap(scale=False).fit(ids), ids)
>>> rows.values.ravel().tolist()
[1000000000.0, 1000000000.0]
>>> loss, finer = next(rows.finer.with_more_digits(np.array([0, 1])))
>>> finer.values.ravel().tolist(), loss
([1000000001.0, 1000000002.0], PrecisionLoss(taken='as 32-bit numbers', remedy='--double (double=True)', surely=True))
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.features.table import TableMap, as_frame
from rosenblatt.features.table.as_trained import with_training_types

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class PrecisionLoss:
    """How numbers were taken as features, and the options that keep more of their digits; None where no option does."""

    taken: str
    remedy: str | None
    surely: bool = True  # is it known that those options keep the rows apart?

    def apart(self) -> str:
        """How rows can be kept apart that contradict each other because of this loss."""
        if self.remedy is None:
            return "in the table they differ"
        return f"{self.remedy} {'keeps' if self.surely else 'may keep'} them apart"


@dataclass(frozen=True)
class OriginalTable:
    """A table, and the map that turned it into features."""

    mapping: TableMap
    table: Any  # polars, or what else TableMap accepts

    def with_more_digits(self, numbers: np.ndarray, unscaled: bool = False) -> Iterator[tuple[PrecisionLoss, Rows]]:
        """The rows of these numbers, with more and more digits, each with the loss that it undoes.

        `unscaled`: also without scaling, and as the table has them. What is not scaled is another space: only which rows
        are identical can be seen in it.
        """
        mapping = self.mapping
        some = as_frame(self.table)[numbers]
        if not mapping.double:
            yield PrecisionLoss("as 32-bit numbers", "--double (double=True)"), self._double(some, mapping.scale)
        if unscaled and mapping.scale:
            double = "" if mapping.double else "--double "
            keywords = "scale=False" if mapping.double else "double=True, scale=False"
            remedy = f"{double}--no-scale ({keywords})"
            yield PrecisionLoss("as scaled numbers", remedy), self._double(some, scale=False)
        values = mapping.clean(with_training_types(mapping, some)).frame
        whole = [column.name for column in mapping.columns if column.number and values[column.name].dtype.is_integer()]
        if unscaled and whole:
            # Whole numbers beyond 2^53 are no longer all different as floats: their ranks are.
            ranks = [values[name].rank("dense").fill_null(0).to_numpy() for name in whole]
            yield PrecisionLoss("as 64-bit numbers", None), Rows(np.column_stack(ranks).astype(float))

    def _double(self, some: pl.DataFrame, scale: bool) -> Rows:
        mapping = copy.copy(self.mapping)
        mapping.double, mapping.scale = True, scale
        return Rows(mapping.transform(some))
