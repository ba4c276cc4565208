"""Values pooled into groups, so that each has rows enough to be told of: numbers side by side, rare texts together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.errors import amount

if TYPE_CHECKING:
    import polars as pl

BETWEEN = " to "  # the two ends of a group of numbers


def pool_numbers(values: np.ndarray, most: int) -> tuple[list[str | None], np.ndarray]:
    """At most so many groups of neighbours with about as many rows each, equal numbers never apart; their names, and codes.

    >>> pool_numbers(np.array([1, 2, 2, 2, 3, 9, np.nan]), 3)
    (['1 to 2', '3 to 9', None], array([0, 0, 0, 0, 1, 1, 2]))
    >>> pool_numbers(np.array([20240.125, 20240.25, 20240.5, 20240.75]), 2)[0]
    ['20240.125 to 20240.25', '20240.5 to 20240.75']
    """
    known = ~np.isnan(values)
    distinct, places, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    before = np.cumsum(counts) - counts  # rows with a smaller number
    rows = max(1, int(counts.sum()))
    most = min(most, rows)  # then every number has a group of its own, and no product overflows
    groups = np.minimum(most - 1, before * most // rows)
    _, groups = np.unique(groups, return_inverse=True)
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    ends = [distinct[first], distinct[np.append(first[1:], len(distinct)) - 1]] if len(distinct) else []
    written = texts_of(np.unique(ends))
    names: list[str | None] = [BETWEEN.join(written[end] for end in dict.fromkeys(pair)) for pair in zip(*ends, strict=True)]
    codes = np.full(len(values), len(names))
    codes[known] = groups[places]
    return names if known.all() else [*names, None], codes


def texts_of(numbers: np.ndarray) -> dict[float, str]:
    """Different numbers as texts: short, but each another."""
    short = {x: amount(x) for x in numbers.tolist()}
    return short if len(set(short.values())) == len(short) else {x: repr(x).removesuffix(".0") for x in short}


def pool_texts(values: pl.Series, most: int) -> tuple[list[str | None], np.ndarray]:
    """The most frequent values, and all others together as one; what is missing stays by itself.

    >>> import polars as pl
    >>> pool_texts(pl.Series(["a", "b", "a", None, "c", "b", "d"]), 3)
    (['a', 'b', '2 other values', None], array([0, 1, 0, 3, 2, 1, 2]))
    """
    texts = [None if value is None else str(value) for value in values.to_list()]
    counts: dict[str, int] = {}
    for text in texts:
        if text is not None:
            counts[text] = counts.get(text, 0) + 1
    often = sorted(counts, key=lambda text: (-counts[text], text))
    kept = often if len(often) <= most else often[: most - 1]
    names: list[str | None] = list(kept)
    if len(kept) < len(often):
        names.append(f"{len(often) - len(kept):,} other values")
    place = {text: k for k, text in enumerate(kept)}
    missing = len(names)
    codes = np.array([missing if text is None else place.get(text, len(kept)) for text in texts])
    return [*names, None] if None in texts else names, codes


def middle(name: str) -> float:
    """Where a group of numbers stands: midway between its ends.

    >>> middle("3 to 9"), middle("4")
    (6.0, 4.0)
    """
    ends = [float(end.replace(",", "")) for end in name.split(BETWEEN)]
    return sum(ends) / len(ends)
