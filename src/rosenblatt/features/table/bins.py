"""The frequent values of a column of numbers, and where its bins end.

A line can only rise or fall with a number. With a feature for each of some ranges it follows any curve, and with one for a
value that many rows share (0 of a capital gain, 40 hours a week) it can jump there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.data.table import number_text

FEWEST_ROWS = 100  # for bins: below, they would follow chance
MOST_BINS = 32
ROWS_PER_BIN = 20  # at least: fewer bins where rows are few
ROWS_PER_VALUE = 5  # at least, of a frequent value
MOST_VALUES = 256  # of a column, with a feature of their own
OUTSTANDING = 4  # times as many rows as the mean value has: a frequent one among many different ones
MOST_CELLS = 2**14  # of the number line, in which codes are looked up: so many that few hold the end of a bin
DECIMALS = (1.0, 10.0, 100.0, 1e3, 1e4)  # units of which many a column holds whole numbers
SOME = 64  # values, of which most others are told
MOST_EXACT = 2.0**53  # up to which doubles hold every whole number
CHOSEN_AT_ONCE = 2**18  # rows
SAMPLED_ROWS = 2**16  # values and bins are learned from about so many rows at most


@lru_cache(1)
def sampled_rows(n: int) -> np.ndarray | None:
    """Which of n rows are looked at: None for all, where they are few enough.

    Those whose number, mixed (splitmix64), begins with enough zero bits: a choice that looks random, whatever repeats in
    the table, and is the same in whatever parts the table comes.
    """
    if n <= SAMPLED_ROWS:
        return None
    bits = (n - 1).bit_length() - (SAMPLED_ROWS - 1).bit_length()
    chosen = []
    for start in range(0, n, CHOSEN_AT_ONCE):
        mixed = np.arange(start, min(start + CHOSEN_AT_ONCE, n), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed ^= mixed >> np.uint64(shift)
            mixed *= np.uint64(factor)
        chosen.append(start + np.flatnonzero(mixed < np.uint64(1 << (64 - bits))))
    return np.concatenate(chosen)


def values_and_counts(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values of some doubles, in order, and how many there are of each.

    >>> values_and_counts(np.array([0.25, 0.2, 0.25]))
    (array([0.2 , 0.25]), array([1, 2]))
    """
    for unit in DECIMALS:  # whole numbers of some unit, if they are not too far apart, need not be sorted
        low, high = unit * float(x.min()), unit * float(x.max())
        if high - low >= 4 * len(x) or max(-low, high) >= MOST_EXACT:
            break
        if (np.rint(unit * x[:SOME]) / unit == x[:SOME]).all():
            whole = np.rint(unit * x)
            if (whole / unit == x).all():
                counts = np.bincount((whole - round(low)).astype(np.int64))
                present = np.flatnonzero(counts)
                return (present + round(low)) / unit, counts[present]
    x = np.sort(x)
    starts = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
    return x[starts], np.diff(starts, append=len(x))


@dataclass(frozen=True)
class Cells:
    """Where the cells begin, how many there are in 1, and the code of each: −1 where it has several.

    Where they are whole there is one for each whole number, and other numbers are searched for.
    """

    start: float
    density: float
    codes: np.ndarray
    whole: bool


@dataclass
class Bins:
    """Which feature a number has beside itself: that of its value, where it is frequent in training, else that of its bin.

    The bins are quantiles of all values that are not frequent; each includes its upper end, the last has none.

    >>> bins = Bins("hours", values=[40.0], edges=[20.0, 35.0])
    >>> bins.names
    ['hours=40', 'hours ≤ 20', '20 < hours ≤ 35', 'hours > 35']
    >>> bins.codes(np.array([40.0, 20.0, 35.5, 41.0]))
    array([0, 1, 3, 3], dtype=int32)
    """

    name: str
    values: list[float]  # sorted, as the edges are
    edges: list[float]

    @classmethod
    def fit(cls, name: str, x: np.ndarray) -> Bins | None:
        """Of doubles, none of them missing; None where they are too few, or too alike, to tell more than the number does."""
        if len(x) < FEWEST_ROWS:
            return None
        distinct, counts = values_and_counts(x)
        if len(distinct) <= 2:
            return None
        frequent = counts >= ROWS_PER_VALUE
        if len(distinct) > MOST_VALUES:
            frequent &= counts >= OUTSTANDING * len(x) / len(distinct)
            if np.count_nonzero(frequent) > MOST_VALUES:
                frequent &= counts > np.partition(counts, -MOST_VALUES - 1)[-MOST_VALUES - 1]
        others, up_to = distinct[~frequent], np.cumsum(counts[~frequent])
        rows = int(up_to[-1]) if len(up_to) else 0
        bins = min(MOST_BINS, rows // ROWS_PER_BIN)
        edges = others[np.searchsorted(up_to, rows * np.arange(1, bins) / bins)] if bins > 1 else others[:0]
        if not frequent.any() and not len(edges):
            return None
        return cls(name, distinct[frequent].tolist(), np.unique(edges).tolist())

    @property
    def size(self) -> int:
        return len(self.values) + len(self.edges) + 1

    @property
    def names(self) -> list[str]:
        values, ends = [f"{self.name}={number_text(value)}" for value in self.values], list(map(number_text, self.edges))
        if not ends:
            return [*values, f"{self.name}: other values"]
        between = [f"{low} < {self.name} ≤ {high}" for low, high in pairwise(ends)]
        return [*values, f"{self.name} ≤ {ends[0]}", *between, f"{self.name} > {ends[-1]}"]

    @cached_property
    def _regions(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the number line changes its code, and the code of each region between: one search finds both.

        A frequent value is a region from just above the number before it.
        """
        values, edges = np.array(self.values, dtype=float), np.array(self.edges, dtype=float)
        ends = np.unique(np.concatenate([edges, values, np.nextafter(values, -np.inf)]))
        codes = len(values) + np.searchsorted(edges, np.append(ends, np.inf))
        codes[np.searchsorted(ends, values)] = np.arange(len(values))
        return ends, codes.astype(np.int32)

    @property
    def ends(self) -> np.ndarray:
        """Where the number line changes its code."""
        return self._regions[0]

    @cached_property
    def _cells(self) -> Cells:
        """Equal cells of the number line with their codes: most numbers are in a cell of one code, and need no search."""
        ends, codes = self._regions
        low, high = float(ends[0]), float(ends[-1])
        if all(value.is_integer() for value in (*self.values, *self.edges)) and high - low < MOST_CELLS:
            low = math.floor(low) - 1.0
            return Cells(low, 1.0, codes[np.searchsorted(ends, low + np.arange(int(high - low) + 2))], whole=True)
        cells = np.zeros(len(ends), dtype=np.int64)
        with np.errstate(over="ignore", divide="ignore"):
            density = float((MOST_CELLS - 1) / np.subtract(high, low))
        if 0 < density < math.inf:
            cells = ((ends - low) * density).astype(np.int64)
        of_cells = np.repeat(codes, np.diff(cells, prepend=-1, append=MOST_CELLS - 1))
        for offset in (-1, 0, 1):  # the neighbours, too, since a quotient may be rounded into them
            of_cells[np.clip(cells + offset, 0, MOST_CELLS - 1)] = -1
        return Cells(low, density, of_cells, whole=False)

    def codes(self, x: np.ndarray) -> np.ndarray:
        """The code of each number; −1 where it is missing."""
        cells = self._cells
        missing = np.isnan(x)
        some_missing = bool(missing.any())
        known = np.where(missing, cells.start, x) if some_missing else x
        with np.errstate(over="ignore", invalid="ignore"):
            place = (known - cells.start) * cells.density
        places = np.clip(place, 0.0, len(cells.codes) - 1.0, out=place).astype(np.int32)
        codes = cells.codes.take(places)
        searched = np.flatnonzero(places + cells.start != known if cells.whole else codes < 0)
        if len(searched):
            ends, of_regions = self._regions
            codes[searched] = of_regions.take(np.searchsorted(ends, known[searched]))
        if some_missing:
            codes[missing] = -1
        return codes

    def to_json(self) -> dict[str, Any]:
        return {"values": self.values, "edges": self.edges}
