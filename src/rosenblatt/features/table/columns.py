"""The columns of a table: what training knows about each, one text for one value, and rows as codes and numbers.

Memory stays near that of the result: only some rows are unpacked at a time. All distinct values of a column are looked up
once, before, so that this work is not repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.coded import CodedTable, CodedTexts
from rosenblatt.data.table import (
    BLANKS,
    enum_codes,
    is_enum,
    kind_of,
    loosely,
    number_in,
    number_text,
    numbers_if_all,
    plain,
    used_categories,
)
from rosenblatt.engine.parameters import check_type
from rosenblatt.features.table.numbers import Number, close_numbers, numbers

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.features.table.hashed import HashedCategory


def texts(distinct: pl.Series | list[str | None], trained_as: str) -> list[str | None]:
    """The text of each of some plain values, in a column that was `trained_as` numbers, booleans or texts; None is missing.

    A value has one text, whatever door it came through and whatever stands beside it: in a column of texts that is how a
    file would spell it, without blanks around; in one of numbers, the one text of the number.

    >>> import polars as pl
    >>> texts(pl.Series(["40.0", "x", None]), "number"), texts(pl.Series(["007", " "]), "text")
    (['40', 'x', None], ['007', None])
    """
    if isinstance(distinct, list):
        return [_text(value, trained_as) for value in distinct]
    import polars as pl

    if distinct.dtype == pl.Float32:  # 0.1 as float32 is 0.1, not 0.10000000149011612
        distinct = distinct.cast(pl.String).cast(pl.Float64)
    return [_text(value, trained_as) for value in distinct.to_list()]


def _text(value: Any, trained_as: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return number_text(value) if trained_as == "number" else repr(value)
    text = value.strip(BLANKS)
    if trained_as == "number":
        number = number_in(text)
        if number is not None:
            return None if number != number else number_text(number)
    if trained_as == "boolean" and text.lower() in ("true", "false"):
        return text.lower()
    return text or None


MAY_BE_RESPELLED = r"^[-0-9i]|^\s|\s$|^$|^(?i:true|false)$"  # among values that training never saw: all others are unseen


FEW_DISTINCT = 2**16  # values of a column, which are put together when there are more

IS_MISSING, IS_RARE = " is missing", " is rare"  # behind the column's name: the name of a feature


@dataclass
class Lookup:
    """From the values of a column, in the type that they have in this table, to codes; unknown values have code −1."""

    values: Any  # a Series; a list where the rows are codes already
    codes: np.ndarray
    names: list[str]  # the feature that each code stands for
    in_order: bool = False  # texts, the codes of which count from 0: an Enum, in half the time

    def expression(self, column: str) -> pl.Expr:
        """What gives the codes of a column of the table."""
        import polars as pl

        if not self.in_order:
            places = pl.Series(self.codes, dtype=pl.Int32)
            return pl.col(column).replace_strict(self.values, places, default=-1, return_dtype=pl.Int32)
        known = self.values.drop_nulls()
        codes = pl.col(column).cast(pl.Enum(known), strict=False).to_physical().cast(pl.Int32).fill_null(-1)
        if len(known) == len(self.values):
            return codes
        return pl.when(pl.col(column).is_null()).then(len(known)).otherwise(codes).cast(pl.Int32).alias(column)


@dataclass
class Category:
    """A column of values: code k is the k-th of the sorted values; the next one is `missing` if training had any.

    Where `rare` values are pooled, the last code is that of all others. Where not, those that an update has met are `grown`:
    their codes come behind, from `size` on.

    >>> import polars as pl
    >>> workclass = Category.fit("sector", pl.Series(["Private", None, "Federal-gov"]))
    >>> workclass.names
    ['sector=Federal-gov', 'sector=Private', 'sector is missing']
    """

    name: str
    type: str  # what it held in training: number, boolean or text
    values: list[str]
    missing: bool
    grown: list[str] = field(default_factory=list)  # as they came
    rare: bool = False
    _lookup: Lookup | None = field(default=None, repr=False, compare=False)
    _codes: dict[str | None, int] | None = field(default=None, repr=False, compare=False)
    _alike: dict[float | str | None, int] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def fit(cls, name: str, distinct: pl.Series | list[str | None]) -> Category:
        kind = "text" if isinstance(distinct, list) else kind_of(distinct)
        spelled = texts(distinct if isinstance(distinct, list) else distinct.sort(nulls_last=True), kind)
        values = list(dict.fromkeys(text for text in spelled if text is not None))
        return cls(name, kind, sorted(values) if kind == "text" else values, None in spelled)

    @property
    def names(self) -> list[str]:
        others = [self.name + IS_MISSING] * self.missing + [self.name + IS_RARE] * self.rare
        return [f"{self.name}={value}" for value in self.values] + others

    @property
    def size(self) -> int:
        return len(self.values) + self.missing + self.rare

    @property
    def coded_values(self) -> list[tuple[int, str]]:
        """The code of every value, in the order of codes."""
        return [*enumerate(self.values), *enumerate(self.grown, self.size)]

    def knows_values_of(self, series: pl.Series | CodedTexts) -> bool:
        """Texts then as now need no look at the values of this table: the vocabulary is the lookup."""
        return self.type == kind_of(series) == "text"

    def lookup(self, distinct: pl.Series | list[str | None] | None) -> Lookup:
        """How values become codes; `distinct` are this table's own, where they may be of another type."""
        if distinct is None:
            if self._lookup is None:
                import polars as pl

                known = pl.Series([*self.values] + [None] * self.missing + self.grown, dtype=pl.String)
                self._lookup = Lookup(known, np.arange(len(known), dtype=np.int32), self.names, in_order=not self.grown)
            return self._lookup
        return Lookup(distinct, self.codes_of(distinct), self.names)

    def codes_of(self, distinct: pl.Series | list[str | None]) -> np.ndarray:
        """The code of each of some values, of whatever type; in a column of texts also of one that is spelled otherwise."""
        if self._codes is None:
            of_value: dict[str | None, int] = {value: code for code, value in self.coded_values}
            self._codes = of_value | ({None: len(self.values)} if self.missing else {})  # whole: other threads look, too
        if self._alike is None:
            # Reversed, so that of several spellings the first in order counts.
            spellings = reversed(self.coded_values) if self.type == "text" else ()
            self._alike = {alike: code for code, value in spellings if (alike := loosely(value)) is not None}
        codes, other = [], self.size - 1 if self.rare else -1
        values = distinct if isinstance(distinct, list) else distinct.to_list()
        for raw, text in zip(values, texts(distinct, self.type), strict=True):
            code = self._codes.get(raw, -1) if isinstance(raw, str) else -1  # older files hold texts with blanks around
            code = self._codes.get(text, -1) if code < 0 else code
            codes.append(self._alike.get(loosely(text), other) if code < 0 and text is not None else code)
        return np.array(codes, dtype=np.int32)

    def new_values(self, unknown: pl.Series) -> dict[str, int]:
        """The texts of values that have no code, each with its first place; of two spellings of one value, the first."""
        distinct = unknown.unique(maintain_order=True)
        places = unknown.arg_unique().sort().to_list()
        new: dict[str, int] = {}
        alike = set()
        for place, text in zip(places, texts(distinct, self.type), strict=True):
            if text is None or text in new:
                continue
            same = loosely(text) if self.type == "text" else None
            if same is None or same not in alike:
                new[text] = place
                alike.add(same)
        return new

    def grown_by(self, values: list[str]) -> Category:
        """The same with codes for these values behind the others."""
        return Category(self.name, self.type, self.values, self.missing, [*self.grown, *values])

    def respell(self, column: pl.Series, codes: np.ndarray) -> np.ndarray:
        """The codes of a column of texts, with those of values that only seemed unseen: spelled otherwise, blank, rare."""
        unseen = np.flatnonzero(codes < 0)
        if not len(unseen):
            return codes
        import polars as pl

        values = column[unseen]
        known = values.unique().drop_nulls()
        known = known if self.rare else known.filter(known.str.contains(MAY_BE_RESPELLED))
        places = self.codes_of(known)
        if not (places >= 0).any():
            return codes
        codes = codes.copy()
        codes[unseen] = values.replace_strict(known, pl.Series(places), default=-1, return_dtype=pl.Int32).to_numpy()
        return codes

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "values": self.values, "missing": self.missing, **({"rare": True} if self.rare else {})}

    @classmethod
    def from_json(cls, name: str, saved: dict[str, Any]) -> Category:
        check_type(saved["missing"], bool)
        for text in (name, *saved["values"]):
            check_type(text, str)
        return cls(name, type_called(saved["type"]), saved["values"], saved["missing"], rare=saved.get("rare", False))


@dataclass
class DistinctValues:
    """The different values of a column that comes in parts."""

    name: str
    texts: dict[str | None, None] = field(default_factory=dict)  # of coded rows
    others: list[pl.Series] = field(default_factory=list)
    several: int = 0  # of the others there were when they were last put together

    def add(self, distinct: pl.Series | list[str | None]) -> None:
        """Those of some more rows."""
        if isinstance(distinct, list):
            self.texts |= dict.fromkeys(distinct)
            return
        self.others.append(distinct)
        if len(self.others) > 1 and sum(map(len, self.others)) > 2 * self.several + FEW_DISTINCT:
            self._join()

    def _join(self) -> None:
        import polars as pl

        self.others = [pl.concat(self.others).unique()]
        self.several = len(self.others[0])

    def category(self, written: bool) -> Category:
        """The column; what is `written` may be numbers in the whole."""
        if not self.others:
            return Category.fit(self.name, list(self.texts))
        if len(self.others) > 1:
            self._join()
        distinct = self.others[0]
        return Category.fit(self.name, plain(numbers_if_all(distinct)) if written else distinct)


def distinct_values(table: pl.DataFrame | CodedTable, names: list[str]) -> dict[str, pl.Series | list[str | None]]:
    """The different values of some columns, those of coded ones as texts."""
    distinct: dict[str, pl.Series | list[str | None]] = {}
    distinct |= {name: used_categories(table[name])[1] for name in names if is_enum(table[name])}
    others = [name for name in names if name not in distinct]
    distinct |= {name: close[2] for name in others if (close := close_numbers(table[name])) is not None}
    uncoded = [name for name in others if name not in distinct]
    if uncoded:
        import polars as pl

        # All columns at once, so that every core has one; numbered, as polars understands some names as patterns.
        frame = pl.DataFrame([plain(table[name]).alias(str(j)) for j, name in enumerate(uncoded)])
        lists = frame.select(pl.all().unique().implode())
        distinct |= {name: lists[str(j)][0] for j, name in enumerate(uncoded)}
    return distinct


@dataclass
class TableColumn:
    """A column of the table as number, as category, or as both."""

    name: str
    number: Number | None
    category: Category | HashedCategory | None


@dataclass(frozen=True)
class PartSizes:
    """How many rows are encoded at a time; the features never depend on it."""

    rows: int = 2**18
    rows_per_value: int = 8  # more rows where a vocabulary is large, since polars hashes it once a part
    rows_without_lookup: int = 2**15  # nothing to hash: so many stay in the cache while columns become rows

    def step(self, vocabularies: list[int]) -> int:
        """Rows at a time, given the sizes of the vocabularies that polars hashes."""
        if not vocabularies:
            return min(self.rows, self.rows_without_lookup)
        return max(self.rows, self.rows_per_value * max(vocabularies))


USUAL_SIZES = PartSizes()


@dataclass
class EncodedRows:
    """Rows `start` to `stop` of a table."""

    start: int
    stop: int
    names: dict[str, list[str]]  # the feature that each code stands for, per categorical column
    codes: dict[str, np.ndarray] = field(default_factory=dict)  # int32, −1 where training never saw the value
    numbers: dict[str, np.ndarray] = field(default_factory=dict)  # features per numeric column
    missing: dict[str, np.ndarray] = field(default_factory=dict)  # where numbers are missing, if they were in training
    bins: dict[str, np.ndarray] = field(default_factory=dict)  # int32, the place of numbers among values and bins
    grown: dict[str, np.ndarray] = field(default_factory=dict)  # int32, the place among grown values, negative elsewhere

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass
class TableEncoder:
    """The rows of a table, part by part; afterwards `unseen` and `unreadable` count the values that it could not use."""

    table: pl.DataFrame | CodedTable
    columns: list[TableColumn]
    scale: bool
    dtype: type[np.floating] = np.float32
    sizes: PartSizes = USUAL_SIZES
    unseen: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    far: Counter[str] = field(default_factory=Counter)  # numbers unlike those of training

    def __post_init__(self) -> None:
        # Numbered instead of named: polars understands names such as "*" and "^a$" as patterns.
        categories = {str(j): column.category for j, column in enumerate(self.columns) if column.category}
        uncoded = {j: c for j, c in categories.items() if not is_enum(self.table[c.name])}
        close = {j: near for j, c in uncoded.items() if (near := close_numbers(self.table[c.name])) is not None}
        uncoded = {j: c for j, c in uncoded.items() if j not in close}
        unknown = [j for j, c in uncoded.items() if not c.knows_values_of(self.table[c.name])]
        if uncoded:
            import polars as pl

            self.plain = pl.DataFrame([plain(self.table[c.name]).alias(j) for j, c in uncoded.items()])
            distinct = self.plain.select(pl.col(unknown).unique().implode()) if unknown else pl.DataFrame()
        self.lookups: dict[str, Lookup] = {}
        self.coded: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # codes of an Enum, and from those to its lookup's
        for j, c in categories.items():
            if j in uncoded:
                self.lookups[c.name] = c.lookup(distinct[j][0] if j in unknown else None)
            else:
                rows, codes, values = close[j] if j in close else (None, *used_categories(self.table[c.name]))
                self.lookups[c.name] = c.lookup(values)
                of_code = np.full(np.max(codes, initial=-1) + 1, -1, dtype=np.int32)
                of_code[codes] = self.lookups[c.name].codes
                self.coded[c.name] = enum_codes(self.table[c.name]) if rows is None else rows, of_code

    def __iter__(self) -> Iterator[EncodedRows]:
        uncoded = [name for name in self.lookups if name not in self.coded]
        numbered = self.plain.columns if uncoded else []
        to_codes = [self.lookups[name].expression(j) for name, j in zip(uncoded, numbered, strict=True)]
        names = {name: lookup.names for name, lookup in self.lookups.items()}
        with_grown = [c.category for c in self.columns if isinstance(c.category, Category) and c.category.grown]
        grown = {category.name: np.int32(category.size) for category in with_grown}
        step = self.sizes.step([len(self.lookups[name].values) for name in uncoded])
        for start in range(0, len(self.table), step):
            part = EncodedRows(start, min(start + step, len(self.table)), names)
            rows = slice(part.start, part.stop)
            looked_up = dict(zip(uncoded, self.plain[rows].select(to_codes), strict=True)) if uncoded else {}
            for name in self.lookups:
                if name in looked_up:
                    part.codes[name] = self._respelled(name, looked_up[name].to_numpy(), rows)
                else:
                    codes, of_code = self.coded[name]
                    part.codes[name] = of_code.take(codes[rows])
                self.unseen[name] += int(np.count_nonzero(part.codes[name] < 0))
                if name in grown:
                    size, codes = grown[name], part.codes[name]
                    part.grown[name], part.codes[name] = codes - size, np.where(codes < size, codes, np.int32(-1))
            for column in self.columns:
                if column.number:
                    self._encode_number(column.number, part)
            yield part

    def _respelled(self, name: str, codes: np.ndarray, rows: slice) -> np.ndarray:
        """The codes with those of values that a lookup of texts does not know, because they are spelled otherwise."""
        category = next(column.category for column in self.columns if column.name == name)
        if not isinstance(category, Category) or self.lookups[name] is not category.lookup(None):
            return codes  # looked up value by value, however spelled
        return category.respell(plain(self.table[name][rows]), codes)

    def _encode_number(self, number: Number, part: EncodedRows) -> None:
        column = self.table[number.name]
        rows = column.slice(part.start, len(part))
        x, unreadable = numbers(rows, part.start)
        is_missing = np.isnan(x)
        part.numbers[number.name] = number.encode(x, is_missing, self.scale, self.dtype)
        if number.bins:
            part.bins[number.name] = number.bins.codes(x)
        self.unreadable[number.name] += unreadable
        self.far[number.name] += number.count_far(x)
        if number.missing:
            part.missing[number.name] = is_missing
        elif number.name not in self.lookups:  # else it is counted there
            self.unseen[number.name] += int(np.count_nonzero(is_missing)) - unreadable


def type_called(name: str) -> str:
    if name not in ("number", "boolean", "text"):
        raise ValueError(f"no column holds {name!r}")
    return name
