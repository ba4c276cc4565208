"""How many values of a long column differ: exactly where it matters whether all do, else roughly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rosenblatt.data.columns.kinds import (
    ID_SHARE,
    LONG_TEXT_SHARE,
    LONG_TEXT_WORDS,
    MANY_ROWS,
    TEXT_SHARE,
    TEXT_WORDS,
    Look,
    count_distinct,
)
from rosenblatt.engine.file_arrays import ArrayWriter

if TYPE_CHECKING:
    from rosenblatt.data.columns.on_disk import NumbersOnDisk

NEAR = 0.05  # of the rows: closer to a limit, different values are counted one by one
COUNTED_AT_ONCE = 2**22  # hashes of values


def count_many(values: pl.Series, look: Look) -> int:
    """How many of many texts or whole numbers differ."""
    if values.is_sorted():  # as IDs often are
        hashes = values.hash()
        return 1 + int((hashes != hashes.shift(1)).sum())
    limits = [TEXT_SHARE, LONG_TEXT_SHARE] if look.dtype is None and look.words >= TEXT_WORDS else []
    quarter = len(values) // 4
    least = int(values[:quarter].approx_n_unique())  # type: ignore[arg-type]
    if (
        not limits and (most := len(values) - quarter + least) < (ID_SHARE - NEAR / 4) * look.known
    ):  # the others cannot make up for it
        return most
    if limits and look.words >= LONG_TEXT_WORDS and least > (LONG_TEXT_SHARE + NEAR) * look.known and not look.may_be_id():
        return least
    about = int(values.approx_n_unique())  # type: ignore[arg-type]
    near = any(abs(about / look.known - limit) < NEAR for limit in limits)
    if not near and (not look.may_be_id() or about < (ID_SHARE - NEAR) * look.known):
        return about
    return values.hash().n_unique()  # of so many bits that two values with one hash are not to be expected


def count_on_disk(values: NumbersOnDisk, look: Look) -> int | None:
    """How many values of a column that may be an ID differ, as `count_distinct` counts them."""
    if look.known < MANY_ROWS:
        return count_distinct(pl.concat(list(values)), look)
    changes, last = 0, None
    for part in values:
        if not part.is_sorted() or (last is not None and part[0] < last):
            break
        changes += int((part != part.shift(1)).sum()) + (part[0] != last)
        last = part[-1]
    else:
        return changes
    # Equal values have equal hashes, and so the same file: each file is counted alone.
    files = [ArrayWriter(np.uint64) for _ in range(1 + look.known // COUNTED_AT_ONCE)]
    for part in values:
        hashes = part.hash().to_numpy()
        for number, file in enumerate(files):
            file.add(hashes[hashes % np.uint64(len(files)) == number])
    return sum(pl.Series(file.array()).n_unique() for file in files)
