"""What the columns of a table on disk hold: kinds.py decides, from values that are looked at part by part.

Of texts it is known how many rows have each: no row is looked at. Of numbers, a sample is drawn from the places that it
would have in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from shlex import quote

import numpy as np
import polars as pl

from rosenblatt.data.columns.dates import typed_formats
from rosenblatt.data.columns.kinds import (
    LEAST_WITH_DIGITS,
    LONG_TEXT_SHARE,
    SAMPLE,
    Look,
    Overrides,
    has_other_signs,
    look_at,
    some_of,
    with_oddity,
)
from rosenblatt.data.columns.reading import all_marks, marks_of, with_ascii_signs, without_marks
from rosenblatt.data.disk_table import DiskTable
from rosenblatt.data.table import BLANKS
from rosenblatt.engine.threads import map_ahead
from rosenblatt.errors import SettingError


def looks_on_disk(table: DiskTable, said: Overrides, trimmed: bool) -> list[Look]:
    """What the values of each column have in common."""
    looks: dict[str, Look] = {}
    for name, kind in table.types.items():
        wanted = said.of_column(name)
        if wanted in ("drop", "id"):
            looks[name] = Look(name, wanted, len(table), len(table), [])
        elif name in table.ids:
            looks[name] = look_at_id(table, name, wanted)
        elif kind == pl.Enum:
            looks[name] = look_at_texts(table, name, said, trimmed)
        elif kind == pl.String and name not in table.values:
            looks[name] = Look(name, wanted, len(table), 0, [], distinct=0)
        elif kind == pl.String:  # half of them differ, so there are few rows
            looks[name] = look_at(table[name], said, trimmed)
    looks |= looks_at_numbers(table, [name for name in table.types if name not in looks], said)
    return [looks[name] for name in table.types]


def look_at_id(table: DiskTable, name: str, wanted: str) -> Look:
    """A look at the names of rows, of which only some were kept."""
    if wanted:
        raise SettingError(
            f"{name} has too many different texts for a stream to keep them: leave out --column "
            f"{quote(f'{name}={wanted}')}, or --stream: then all rows are read into memory."
        )
    look = Look(name, "", len(table), len(table), table.ids[name], distinct=len(table))
    look.uncounted = "different in nearly every row, as far as they were counted"
    return look


def look_at_texts(
    table: DiskTable, name: str, said: Overrides, trimmed: bool, rows_of_text: dict[str, int] | None = None
) -> Look:
    """A look at texts that repeat, each once; they and their rows are those of the table, if none are given."""
    rows_of_text = table.rows_of_texts(name) if rows_of_text is None else rows_of_text
    marks, every = [], all_marks(marks_of(said.missing, name))
    known = dict(sorted(rows_of_text.items()))
    if not every.isdisjoint(known):
        known = {}
        for text, rows in rows_of_text.items():
            plain = text if trimmed else text.strip(BLANKS)
            if plain in every:
                marks.append(plain)
            else:
                known[plain] = known.get(plain, 0) + rows
    values = pl.Series("cells", list(known), dtype=pl.String)
    spelled = tuple(mark for mark in dict.fromkeys(marks) if mark)
    look = Look(name, said.of_column(name), len(table), sum(known.values()), some_of(values).to_list(), marks=spelled)
    if has_other_signs(look.sample) and look.wanted not in ("category", "text"):
        narrow_rows: dict[str, int] = Counter()
        for text, rows in zip(with_ascii_signs(pl.Series([*rows_of_text])), rows_of_text.values(), strict=True):
            narrow_rows[text] += rows
        narrow = look_at_texts(table, name, said, trimmed, dict(narrow_rows))
        if narrow.formats or narrow.dates or narrow.is_code:
            return replace(narrow, ascii_signs=True)
    if len(values) <= 2:
        look.distinct = len(values)
    if not len(values):
        return look

    def rows_of(spellings: Sequence[str]) -> int:
        return sum(rows for text, rows in known.items() if text.strip(BLANKS).lower() in spellings)

    if len(look.digits) >= LEAST_WITH_DIGITS * len(look.sample):
        from rosenblatt.data.columns.formatted import ask_texts

        ask_texts(look, values, rows_of)
    if not look.formats and not look.dates:
        look.distinct = len(values)
    return with_oddity(look, lambda text: rows_of_text.get(text, 0))


def looks_at_numbers(table: DiskTable, names: list[str], said: Overrides) -> dict[str, Look]:
    """A look at columns of numbers or truth values."""
    if not names:
        return {}
    parts = range(len(table.heights))

    def count_known(number: int) -> list[int]:
        part = table.part(number, names)
        return [len(known_of(part[name], said)) for name in names]

    counts = dict(zip(names, np.array(list(map_ahead(count_known, parts))).T, strict=True))
    ends = {name: np.cumsum(of_parts) for name, of_parts in counts.items()}
    places = {name: sampled_places(int(ends[name][-1])) for name in names}

    def sampled(number: int) -> dict[str, pl.Series]:
        part, samples = table.part(number, names), {}
        for name in names:
            start, end = ends[name][number] - counts[name][number], ends[name][number]
            first, last = np.searchsorted(places[name], [start, end])
            if first < last:
                values = part[name] if end - start == part.height else known_of(part[name], said)
                samples[name] = values.alias("cells").gather(places[name][first:last] - start)
        return samples

    samples = list(map_ahead(sampled, parts))
    looks = {}
    for name in names:
        drawn = [of_part[name] for of_part in samples if name in of_part]
        sample = pl.concat(drawn) if drawn else pl.Series([], dtype=table.types[name])
        once = sample.unique(maintain_order=True)
        look = Look(name, said.of_column(name), len(table), int(ends[name][-1]), once.to_list(), dtype=table.types[name])
        look.unnamed = name == said.unnamed
        if len(once):
            look_closer(look, NumbersOnDisk(table, name, said), len(once) > LONG_TEXT_SHARE * len(sample))
        else:
            look.distinct = 0
        looks[name] = look
    return looks


def sampled_places(n: int) -> np.ndarray:
    """The places of n values that `some_of` looks at.

    >>> all(some_of(pl.Series(range(n))).to_list() == sampled_places(n).tolist() for n in (0, 1999, 2001, 7000, 123_457))
    True
    """
    if n <= SAMPLE:
        return np.arange(n)
    half = SAMPLE // 2
    return np.concatenate([np.arange(half), np.arange(half, n, (n - half) // half)[:half]])


class NumbersOnDisk:
    """The values of one column, as often as they are asked for."""

    def __init__(self, table: DiskTable, name: str, said: Overrides):
        self.table, self.name, self.said = table, name, said

    def __iter__(self) -> Iterator[pl.Series]:
        """Those that are known, part by part."""
        parts = (known_of(part[self.name], self.said) for part in self.table.parts([self.name]))
        return (part for part in parts if len(part))

    def rows_with(self, text: str) -> int:
        """How many rows have this value."""
        return sum(int((part[self.name].cast(pl.String) == text).sum()) for part in self.table.parts([self.name]))


def known_of(column: pl.Series, said: Overrides) -> pl.Series:
    return without_marks(column.alias("cells"), marks_of(said.missing, str(column.name))).drop_nulls()


def look_closer(look: Look, values: NumbersOnDisk, many: bool) -> None:
    """Adds what takes a look at all values; `many` of them differ."""
    assert look.dtype is not None
    if len(look.sample) <= 2:
        look.distinct = pl.concat([part.unique() for part in values]).n_unique()
    if look.may_be_dates:
        formats = [typed_formats(part) for part in values]
        look.dates = [one for one in formats[0] if all(one in others for others in formats)]
    if look.distinct is None and many and not look.dates and look.may_be_id():
        from rosenblatt.data.columns.counting import count_on_disk

        look.distinct = count_on_disk(values, look)
    with_oddity(look, values.rows_with)
