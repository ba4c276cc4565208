"""Columns that a sample leaves out, as constants or IDs: whether all rows would have done so, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosenblatt.data.columns.kinds import ID_SHARE
from rosenblatt.data.columns.reading import TableReadings, without_marks
from rosenblatt.errors import as_argument

if TYPE_CHECKING:
    import polars as pl

FEW = 2  # values that show that a column is no constant


@dataclass(frozen=True)
class LeftOut:
    """A column in some blocks: how many cells are known, how many values they have at most, and a few of these."""

    known: int = 0
    most_values: int = 0
    values: frozenset[str | None] = frozenset()

    def merged(self, other: LeftOut) -> LeftOut:
        """Of both together: a value of two blocks counts twice, so `most_values` is a bound."""
        values = sorted(self.values | other.values, key=lambda text: (text is None, text))[:FEW]
        return LeftOut(self.known + other.known, self.most_values + other.most_values, frozenset(values))


def look_at_left_out(readings: TableReadings, rows: pl.DataFrame) -> dict[str, LeftOut]:
    """The columns that were left out by themselves, in the rows of a block."""
    import polars as pl

    looks = {}
    for one in readings.columns:
        if one.kind not in ("constant", "id") or one.chosen:
            continue
        cells = without_marks(rows[one.name], (*readings.marks, *one.marks))
        values = cells.unique()
        known = len(cells) - cells.null_count()
        few = frozenset(values.head(FEW).cast(pl.String).to_list()) if one.kind == "constant" else frozenset()
        looks[one.name] = LeftOut(known, len(values) - cells.has_nulls(), few)
    return looks


def wrongly_left_out(readings: TableReadings, looks: Mapping[str, LeftOut]) -> tuple[str, ...]:
    """What to tell of columns that all rows would have kept.

    >>> from rosenblatt.data.columns.reading import ColumnReading
    >>> readings = TableReadings([ColumnReading("shop", "constant", "A in every row"), ColumnReading("buyer", "id")])
    >>> for sentence in wrongly_left_out(readings, {"shop": LeftOut(9, 2, frozenset("AB")), "buyer": LeftOut(9, 4)}):
    ...     print(sentence)
    shop was left out (A in every row of a sample), but not all rows are so: --column shop=category keeps it.
    buyer was left out as an ID, but its 9 cells hold no more than 4 values: --column buyer=category keeps it.
    """
    sentences = []
    for one in readings.columns:
        look = looks.get(one.name, LeftOut())
        keeps_it = f"--column {as_argument(f'{one.name}=category')} keeps it."
        if one.kind == "constant" and len(look.values) > 1:
            sentences.append(f"{one.name} was left out ({one.why} of a sample), but not all rows are so: {keeps_it}")
        elif one.kind == "id" and look.most_values < ID_SHARE * look.known:
            hold = f"its {look.known:,} cells hold no more than {look.most_values:,} values"
            sentences.append(f"{one.name} was left out as an ID, but {hold}: {keeps_it}")
    return tuple(sentences)
