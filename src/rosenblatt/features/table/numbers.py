"""What training knows about a column of numbers: its mean and spread, how far it reaches, and its bins (bins.py).

Mean and spread come in one pass and in parts, so that a stream and a cluster learn what memory gives: numbers are taken in
blocks of one size, whatever the parts that they come in, and the blocks are merged in their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.coded import CodedTexts
from rosenblatt.data.table import kind_of, plain
from rosenblatt.engine.parameters import check_type
from rosenblatt.engine.threads import Item, Result, map_on_cores
from rosenblatt.errors import DataError, NotFiniteError
from rosenblatt.features.notes import FAR, FarValues
from rosenblatt.features.table.bins import FEWEST_ROWS, Bins, sampled_rows

if TYPE_CHECKING:
    import polars as pl

BLOCK = 2**14  # numbers whose mean is computed at once: so few that they stay in the processor's cache
SAFE_EXPONENT = 400  # numbers below 2^400 have squares far from overflow, their spread far from vanishing above 2^−400
MANY_NUMBERS = 2**17  # from which on the cores share them
LARGEST_SPAN = 2**12  # of whole numbers that lie close together, as years and grades do


def mean_and_sd(x: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation (divided by n) of finite doubles; a constant has sd 0 exactly.

    >>> mean_and_sd(np.array([1e9 + 1, 1e9 + 2, 1e9 + 3]))
    (1000000002.0, 0.816496580927726)
    >>> mean_and_sd(np.array([0.1] * 10))
    (0.1, 0.0)
    """
    moments = Moments.of(x)
    return moments.mean, moments.sd


@dataclass(frozen=True)
class Moments:
    """Of a column of numbers: how many are known, mean and standard deviation, both ends, and whether one is missing."""

    n: int = 0
    mean: float = 0.0
    sd: float = 0.0
    low: float = math.inf
    high: float = -math.inf
    missing: bool = False

    @classmethod
    def of(cls, x: np.ndarray) -> Moments:
        """Of doubles, nan where missing.

        >>> Moments.of(np.array([1.0, np.nan, 3.0]))
        Moments(n=2, mean=2.0, sd=1.0, low=1.0, high=3.0, missing=True)
        """
        column = MomentsFit()
        column.add(x)
        return column.finish()

    @classmethod
    def of_block(cls, x: np.ndarray) -> Moments:
        """Of so few that numpy adds them up at once.

        mean = c + Σ (x − c) / n,   sd² = Σ (x − mean)² / n,   with c a first mean: two passes, so nothing cancels.
        Very large and very small numbers are first multiplied by a power of two, so no square overflows or vanishes.
        """
        low, high = float(np.min(x, initial=math.inf)), float(np.max(x, initial=-math.inf))
        if math.isnan(low):  # as both are where one is missing
            return replace(cls.of_block(x[~np.isnan(x)]), missing=True)
        if low >= high:
            # Rounding in the sum would leave a tiny spread here, which scaling would blow up to noise of size 1.
            return cls(len(x), low, 0.0, low, high) if len(x) else cls()
        _, exponent = np.frexp(max(-low, high))
        unit = 0 if abs(exponent) < SAFE_EXPONENT else exponent
        x = np.ldexp(x, -unit) if unit else np.ascontiguousarray(x)
        mean = np.add.reduce(x) / len(x)
        shift = np.add.reduce(x - mean) / len(x)
        variance = np.add.reduce(np.square(x - mean - shift)) / len(x)
        return cls(len(x), float(np.ldexp(mean + shift, unit)), float(np.ldexp(np.sqrt(variance), unit)), low, high)

    def merged(self, other: Moments) -> Moments:
        """Of both together (Chan, Golub and LeVeque, 1979).

        >>> Moments.of(np.array([1.0, 3.0])).merged(Moments.of(np.array([8.0, 10.0, 12.0])))
        Moments(n=5, mean=6.8, sd=4.166533331199932, low=1.0, high=12.0, missing=False)
        """
        missing = self.missing or other.missing
        if not self.n or not other.n:
            return replace(self if self.n else other, missing=missing)
        n = self.n + other.n
        ours, theirs, apart = self.n / n, other.n / n, other.mean - self.mean
        # hypot: the root of the sum of squares, of which none overflows or vanishes.
        sd = math.hypot(math.sqrt(ours) * self.sd, math.sqrt(theirs) * other.sd, math.sqrt(ours * theirs) * apart)
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Moments(n, self.mean + theirs * apart, sd, low, high, missing)


class MomentsFit:
    """Moments of a column that comes in parts.

    >>> column = MomentsFit()
    >>> for part in ([1.0, np.nan], [3.0]):
    ...     column.add(np.array(part))
    >>> column.finish() == Moments.of(np.array([1.0, np.nan, 3.0]))
    True
    """

    def __init__(self, block: int = BLOCK) -> None:
        self.block, self.merged, self.left = block, Moments(), np.empty(0)

    def add(self, x: np.ndarray) -> None:
        """Some more doubles, nan where missing."""
        if len(self.left):
            some, x = x[: self.block - len(self.left)], x[self.block - len(self.left) :]
            self.left = np.concatenate([self.left, some])
            if len(self.left) < self.block:
                return
            self.merged = self.merged.merged(Moments.of_block(self.left))
        whole = len(x) - len(x) % self.block
        for start in range(0, whole, self.block):
            self.merged = self.merged.merged(Moments.of_block(x[start : start + self.block]))
        self.left = x[whole:].copy()  # no view, which would hold all of x

    def finish(self) -> Moments:
        """Of all of them."""
        return self.merged.merged(Moments.of_block(self.left))


def standardise(
    x: np.ndarray, mean: float | np.ndarray, sd: float | np.ndarray, dtype: type[np.floating] = np.float32
) -> np.ndarray:
    """(x − mean) / sd, as float32 unless another type is named; where sd is 0, only centred.

    >>> standardise(np.array([1.0, 3.0]), mean=2.0, sd=1.0)
    array([-1.,  1.], dtype=float32)
    """
    # What overflows becomes infinity, which is refused later, by row and column.
    with np.errstate(over="ignore", invalid="ignore"):
        scaled: np.ndarray = x - mean
        scaled /= np.where(np.equal(sd, 0), 1.0, sd)
        return scaled.astype(dtype, copy=False)


@dataclass
class Number:
    """A column of numbers. What is missing is given the mean, and an indicator if training had such rows too."""

    name: str
    mean: float
    sd: float
    missing: bool
    bins: Bins | None = None
    range: tuple[float, float] | None = None  # least and largest of training; older files do not know it

    @classmethod
    def fit(cls, series: pl.Series | CodedTexts, bins: bool = False) -> Number:
        """Of a whole column."""
        column = NumberFit(series.name, len(series), bins)
        column.add(series)
        return column.finish()

    def encode(self, x: np.ndarray, is_missing: np.ndarray, scale: bool, dtype: type[np.floating]) -> np.ndarray:
        """Doubles as features of this type, the mean where they are missing."""
        if is_missing.any():
            x = np.where(is_missing, self.mean, x)
        encoded = standardise(x, *((self.mean, self.sd) if scale else (0.0, 1.0)), dtype=dtype)
        if not np.isfinite(encoded).all():
            value = x[np.isfinite(encoded).argmin()]
            raise NotFiniteError(
                f"Column {self.name!r} contains {value:g}, too large to compute with: scale or cap it first."
            )
        return encoded

    def far_values(self, count: int, days: bool) -> FarValues:
        """So many values, or days of a date, beside what training had."""
        shown: Callable[[float], str] = "{:.6g}".format
        if days:
            from rosenblatt.data.columns.dates import day_text as shown
        if self.range is None:
            return FarValues(count, f"mean {shown(self.mean)}, standard deviation {self.sd:.3g}")
        return FarValues(count, f"between {shown(self.range[0])} and {shown(self.range[1])}")

    def count_far(self, x: np.ndarray) -> int:
        """How many doubles are as far outside the range of training as it is wide; what is missing (nan) is not.

        >>> Number("age", 40.0, 12.0, missing=False, range=(20.0, 90.0)).count_far(np.array([41.0, 160.0, 161.0, np.nan]))
        1
        """
        with np.errstate(over="ignore"):  # of a very large spread nothing is far
            low, high = self.mean - FAR * self.sd, self.mean + FAR * self.sd
            if self.range is not None:
                least, largest = self.range
                low, high = least - (largest - least), largest + (largest - least)
        return int(np.count_nonzero((x < low) | (x > high)))

    def to_json(self) -> dict[str, Any]:
        bins = {} if self.bins is None else {"bins": self.bins.to_json()}
        ends = {} if self.range is None else {"range": list(self.range)}
        return {"mean": self.mean, "sd": self.sd, "missing": self.missing, **bins, **ends}

    @classmethod
    def from_json(cls, name: str, saved: dict[str, Any]) -> Number:
        check_type(name, str)
        check_type(saved["missing"], bool)
        for number in (saved["mean"], saved["sd"]):
            check_type(number, int | float)
        bins = None
        if "bins" in saved:
            bins = Bins(name, *([float(number) for number in saved["bins"][key]] for key in ("values", "edges")))
        ends = (float(saved["range"][0]), float(saved["range"][1])) if "range" in saved else None
        return cls(name, float(saved["mean"]), float(saved["sd"]), saved["missing"], bins, ends)


@dataclass
class NumberFit:
    """What a column of so many rows, which comes in parts, tells about its numbers."""

    name: str
    rows: int
    bins: bool
    seen: int = 0
    moments: MomentsFit = field(default_factory=MomentsFit)
    sample: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bins = self.bins and self.rows >= FEWEST_ROWS

    def add(self, series: pl.Series | CodedTexts) -> None:
        """Some more rows."""
        x, _ = numbers(series, self.seen)
        self.moments.add(x)
        if self.bins:
            rows, some = sampled_rows(self.rows), x
            if rows is not None:
                first, last = np.searchsorted(rows, [self.seen, self.seen + len(x)])
                some = x[rows[first:last] - self.seen]
            self.sample.append(some[~np.isnan(some)])
        self.seen += len(x)

    def finish(self) -> Number:
        """The column, now that all its rows have been seen."""
        moments = self.moments.finish()
        number = Number(self.name, moments.mean, moments.sd, moments.missing)
        number.range = (moments.low, moments.high) if moments.n else None
        if self.bins:
            number.bins = Bins.fit(self.name, np.concatenate(self.sample))
        return number


def far_values(numbers: list[Number], counts: Mapping[str, int], derived: Mapping[str, str]) -> dict[str, FarValues]:
    """So many numbers of columns, or days of dates, beside what training had."""
    far = [one for one in numbers if counts[one.name]]
    return {derived.get(one.name, one.name): one.far_values(counts[one.name], one.name in derived) for one in far}


def on_cores(work: Callable[[Item], Result], columns: list[Item], cells: int) -> list[Result]:
    """What `work` gives for each of the columns, on all cores where so many cells are worth it."""
    return map_on_cores(work, columns) if cells >= MANY_NUMBERS else list(map(work, columns))


def numbers(series: pl.Series | CodedTexts, first_row: int = 0) -> tuple[np.ndarray, int]:
    """A column as doubles, nan where missing, and how many of its values could not be read as numbers (missing too).

    >>> import polars as pl
    >>> numbers(pl.Series(["1.5", " 2", None, "", "?"]))
    (array([1.5, 2. , nan, nan, nan]), 1)
    """
    if isinstance(series, CodedTexts):
        plain_numbers = series.plain_numbers()
        if plain_numbers is not None:
            return plain_numbers, 0
        series = series.to_polars()
    import polars as pl

    unreadable = 0
    if kind_of(series) == "text":
        if series.dtype.is_temporal():
            raise DataError(
                f"Column {series.name!r} holds {series.dtype}, which is no number: "
                "turn it into one (days, seconds …) or use it as a category."
            )
        trimmed = series.cast(pl.String).str.strip_chars()
        series = trimmed.cast(pl.Float64, strict=False).alias(series.name)
        unread = series.is_null() & trimmed.is_not_null() & (trimmed != "")
        if unread.any():  # a truth value is 1 or 0, as in a column of them
            truth = trimmed.str.to_lowercase().replace_strict(["true", "false"], [1.0, 0.0], default=None)
            series = series.fill_null(truth.cast(pl.Float64))
            unreadable = int((unread & series.is_null()).sum())
    elif series.dtype == pl.Duration:
        series = plain(series)
    x = series.cast(pl.Float64).to_numpy()
    if np.isinf(x).any():
        row = int(np.isinf(x).argmax())
        value = "-infinity" if x[row] < 0 else "infinity"
        row += first_row
        raise NotFiniteError(f"Column {series.name!r} is {value} in row {row}. Fill in or drop such values first.", row)
    return x, unreadable


def close_numbers(series: pl.Series) -> tuple[np.ndarray, np.ndarray, pl.Series] | None:
    """Whole numbers that are their own places in an array: (codes of rows, codes that occur, their values); None of others.

    >>> import polars as pl
    >>> rows, codes, values = close_numbers(pl.Series([2024, 2022, None, 2024]))
    >>> rows.tolist(), codes.tolist(), values.to_list()
    ([2, 0, 3, 2], [0, 2, 3], [2022, 2024, None])
    """
    import polars as pl

    if not series.dtype.is_integer() or series.dtype == pl.UInt64:
        return None
    low, high = series.min(), series.max()
    if not isinstance(low, int) or not isinstance(high, int) or high - low >= LARGEST_SPAN:
        return None
    span = high - low + 1
    whole = series if series.dtype == pl.Int64 else series.cast(pl.Int64)
    rows = (whole.fill_null(high + 1) if whole.has_nulls() else whole).to_numpy() - low
    codes = np.flatnonzero(np.bincount(rows, minlength=span + 1))
    values = pl.Series([low + code if code < span else None for code in codes.tolist()], dtype=series.dtype)
    return rows, codes, values
