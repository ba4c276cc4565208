"""A table, some rows at a time, with every column as codes or as numbers.

Memory stays near that of the result: only one part is unpacked at a time. All distinct values of a column are looked up
once, before, so parts do not repeat that work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.enums import codes_of, in_use, is_coded
from rosenblatt.features.columns import Category, HashedCategory, Lookup, Number, numbers
from rosenblatt.features.values import plain

if TYPE_CHECKING:
    import polars as pl

# Rows at a time; more where a vocabulary is large, since polars hashes it once a part.
ROWS = 2**18
ROWS_PER_VALUE = 8
FEW_ROWS = 2**15  # nothing to hash: what stays in the cache while a table of columns becomes one of rows


@dataclass
class Column:
    """A column of the table as number, as category, or as both."""

    name: str
    number: Number | None
    category: Category | HashedCategory | None


@dataclass
class Part:
    """Rows `start` to `stop` of a table."""

    start: int
    stop: int
    codes: dict[str, np.ndarray]  # int32 per categorical column, −1 where training never saw the value
    names: dict[str, list[str]]  # the feature that each code stands for
    numbers: dict[str, np.ndarray]  # features per numeric column
    gone: dict[str, np.ndarray]  # where a number is missing, for columns in which training had such rows

    def __len__(self) -> int:
        return self.stop - self.start


class Parts:
    """The parts of a table, in order; afterwards `unseen` and `unreadable` count what was met."""

    def __init__(self, table: pl.DataFrame, columns: list[Column], scale: bool, dtype: Any = np.float32):
        import polars as pl

        self.table, self.scale, self.dtype, self.n = table, scale, dtype, len(table)
        self.numeric = [column.number for column in columns if column.number]
        # Numbered instead of named: polars takes names such as "*" and "^a$" for patterns.
        categories = {str(j): column.category for j, column in enumerate(columns) if column.category}
        others = {j: c for j, c in categories.items() if not is_coded(table[c.name])}
        self.plain = pl.DataFrame([plain(table[c.name]).alias(j) for j, c in others.items()])
        ask = [j for j, c in others.items() if not c.knows_values_of(table[c.name])]
        distinct = self.plain.select(pl.col(ask).unique().implode()) if ask else pl.DataFrame()
        self.lookups: dict[str, Lookup] = {}
        self.coded: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # codes of an Enum, and from those to its lookup's
        for j, c in categories.items():
            if j in others:
                self.lookups[c.name] = c.lookup(distinct[j][0] if j in ask else None)
            else:
                codes, found = in_use(table[c.name])
                self.lookups[c.name] = c.lookup(found)
                of_code = np.full(np.max(codes, initial=-1) + 1, -1, dtype=np.int32)
                of_code[codes] = self.lookups[c.name].codes
                self.coded[c.name] = codes_of(table[c.name]), of_code
        self.unseen: Counter[str] = Counter()
        self.unreadable: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Part]:
        others = [name for name in self.lookups if name not in self.coded]
        to_codes = [self.lookups[name].expression(j) for name, j in zip(others, self.plain.columns, strict=True)]
        names = {name: lookup.names for name, lookup in self.lookups.items()}
        step = max(
            [
                ROWS if others else min(ROWS, FEW_ROWS),
                *(ROWS_PER_VALUE * len(self.lookups[name].values) for name in others),
            ]
        )
        for start in range(0, self.n, step):
            stop = min(start + step, self.n)
            part = Part(start, stop, {}, names, {}, {})
            looked_up = dict(zip(others, self.plain[start:stop].select(to_codes), strict=True)) if others else {}
            for name in self.lookups:
                if name in looked_up:
                    part.codes[name] = looked_up[name].to_numpy()
                else:
                    codes, of_code = self.coded[name]
                    part.codes[name] = of_code.take(codes[start:stop])
                self.unseen[name] += int(np.count_nonzero(part.codes[name] < 0))
            for number in self.numeric:
                self._read(number, part)
            yield part

    def _read(self, number: Number, part: Part) -> None:
        x, unreadable = numbers(self.table[number.name][part.start : part.stop], part.start)
        gone = np.isnan(x)
        part.numbers[number.name] = number.encode(x, gone, self.scale, self.dtype)
        self.unreadable[number.name] += unreadable
        if number.missing:
            part.gone[number.name] = gone
        elif number.name not in self.lookups:  # else it is counted there
            self.unseen[number.name] += int(np.count_nonzero(gone)) - unreadable
