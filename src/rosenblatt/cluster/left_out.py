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
SKETCHED = 2**12  # hashes that are kept: their count errs by 1/√SKETCHED, 1.6 %
SURELY = 0.95  # of a limit: fewer are counted where there are fewer, but for chance (three times that error)


@dataclass(frozen=True)
class DistinctSketch:
    """How many values of a column differ, by the least of their hashes (Bar-Yossef and others, 2002).

    Where h is the k-th least of hashes that are spread evenly over [0, 1), there are about (k − 1) / h values. A value has
    the same hash in every block, so it counts once, wherever it stands. Fewer than k are counted one by one.
    """

    hashes: tuple[int, ...] = ()

    @classmethod
    def of(cls, values: pl.Series) -> DistinctSketch:
        """Of known values.

        >>> import polars as pl
        >>> few, many = DistinctSketch.of(pl.Series(["a", "b", "a"])), DistinctSketch.of(pl.Series(range(100_000)))
        >>> few.count, few.merged(few).count, 95_000 < many.count < 105_000, many.merged(many) == many
        (2, 2, True, True)
        """
        import polars as pl

        return cls(tuple(values.cast(pl.String).hash().unique().sort().head(SKETCHED).to_list()))

    def merged(self, other: DistinctSketch) -> DistinctSketch:
        return DistinctSketch(tuple(sorted({*self.hashes, *other.hashes})[:SKETCHED]))

    @property
    def exact(self) -> bool:
        return len(self.hashes) < SKETCHED

    @property
    def count(self) -> int:
        """How many values there are, or about how many."""
        return len(self.hashes) if self.exact else int((SKETCHED - 1) * 2**64 / self.hashes[-1])


@dataclass(frozen=True)
class LeftOut:
    """A column in some blocks: how many cells are known, how many of their values differ, and a few of these."""

    known: int = 0
    sketch: DistinctSketch = DistinctSketch()
    values: frozenset[str | None] = frozenset()

    def merged(self, other: LeftOut) -> LeftOut:
        """Of both together."""
        values = sorted(self.values | other.values, key=lambda text: (text is None, text))[:FEW]
        return LeftOut(self.known + other.known, self.sketch.merged(other.sketch), frozenset(values))


def look_at_left_out(readings: TableReadings, rows: pl.DataFrame) -> dict[str, LeftOut]:
    """The columns that were left out by themselves, in the rows of a block."""
    import polars as pl

    looks = {}
    for one in readings.columns:
        if one.kind not in ("constant", "id") or one.chosen:
            continue
        cells = without_marks(rows[one.name], (*readings.marks, *one.marks))
        known = cells.drop_nulls()
        if one.kind == "constant":
            few = frozenset(cells.unique().head(FEW).cast(pl.String).to_list())
            looks[one.name] = LeftOut(len(known), values=few)
        else:
            looks[one.name] = LeftOut(len(known), DistinctSketch.of(known))
    return looks


def wrongly_left_out(readings: TableReadings, looks: Mapping[str, LeftOut]) -> tuple[str, ...]:
    """What to tell of columns that all rows would have kept.

    >>> from rosenblatt.data.columns.reading import ColumnReading
    >>> readings = TableReadings([ColumnReading("shop", "constant", "A in every row"), ColumnReading("buyer", "id")])
    >>> looks = {"shop": LeftOut(9, values=frozenset("AB")), "buyer": LeftOut(9, DistinctSketch((3, 5, 8, 9)))}
    >>> for sentence in wrongly_left_out(readings, looks):
    ...     print(sentence)
    shop was left out (A in every row of a sample), but not all rows are so: --column shop=category keeps it.
    buyer was left out as an ID, but its 9 cells hold 4 values: --column buyer=category keeps it.
    """
    sentences = []
    for one in readings.columns:
        look = looks.get(one.name, LeftOut())
        keeps_it = f"--column {as_argument(f'{one.name}=category')} keeps it."
        if one.kind == "constant" and len(look.values) > 1:
            sentences.append(f"{one.name} was left out ({one.why} of a sample), but not all rows are so: {keeps_it}")
        elif one.kind == "id" and look.sketch.count < ID_SHARE * look.known * (1 if look.sketch.exact else SURELY):
            count = f"{look.sketch.count:,}" if look.sketch.exact else f"about {float(f'{look.sketch.count:.2g}'):,.0f}"
            sentences.append(
                f"{one.name} was left out as an ID, but its {look.known:,} cells hold {count} values: {keeps_it}"
            )
    return tuple(sentences)
