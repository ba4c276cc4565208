"""A map from tables to vectors: `column=value` for categories, the numbers themselves, and products of the two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.coded import CodedTable
from rosenblatt.data.columns.kinds import Overrides, decide
from rosenblatt.data.columns.reading import CleanTable, TableReadings, is_text
from rosenblatt.data.disk_table import DiskTable
from rosenblatt.data.table import kind_of, numbers_if_all
from rosenblatt.engine.parameters import Choice, Whole, check
from rosenblatt.errors import DataError, SettingError, needs_parts
from rosenblatt.features.hashing import BITS, collisions
from rosenblatt.features.notes import FeatureTrial, Notes
from rosenblatt.features.table.blocks import (
    CategoryProduct,
    FeatureBlock,
    Room,
    builder_of,
    make_blocks,
    pairs_of,
)
from rosenblatt.features.table.columns import (
    USUAL_SIZES,
    Category,
    DistinctValues,
    PartSizes,
    TableColumn,
    TableEncoder,
    distinct_values,
)
from rosenblatt.features.table.hashed import HashableBlock, HashedBlock, HashedCategory
from rosenblatt.features.table.numbers import NumberFit, far_values, on_cores
from rosenblatt.features.table.text_columns import TextColumns
from rosenblatt.features.text import NGRAMS, WEIGHTINGS

if TYPE_CHECKING:
    from rosenblatt.data.dataset import Dataset
    from rosenblatt.features.table.pooled import Pooled

COLUMN_KINDS = ("number", "bins", "auto", "category", "both")
NUMBERS = ("number", "bins", "auto")  # what has no category
MOST_VALUES = Whole(1, optional=True)


class TableMap:
    """The columns of a table as features.

    numeric     columns of numbers become a `number`, a `category` (each value a feature) or `both`; with `bins`, a number
                with features for its frequent values and for some ranges of the others, as many as the rows allow
                (numbers.py); with `auto` the same, unless `learn` sees that held-out rows gain nothing by it
    per_column  what single columns are, where their values are not to decide: a kind of data/columns/kinds.py, also with the
                format of its cells: {"zip": "category", "price": "number:1.234,5", "since": "date:%d/%m/%Y", "note": "drop"}
    missing     what else stands for a missing value, beside NA, NULL, - and their like
    only        the columns to use
    scale       numbers get mean 0 and variance 1 (binaries never do)
    products    pairs of columns, "all", or "auto" (those that `learn` finds to pay): categories by pairs of values, numbers
                by their product, a number with a category by one number per value (what is `both` enters as category)
    hashing     number of bits: categories go to one of 2^bits places by the hash of their name, and no value is
                remembered; `collisions` counts how many names shared a place in training
    ngrams      in columns of sentences, also every run of up to so many neighbouring words
    weighting   in columns of sentences: counts of words, or as text.py weighs them
    most_values at most so many values of a category have a feature each, the most frequent ones; all others share one,
                `column is rare`, also those that training never saw
    double      numbers are 64-bit features, to the last digit of the table; else 32-bit ones, which are half as long

    What each column holds is decided by `fit` (`readings`), and kept: number, category, code, date, text, boolean; an ID and
    what is the same in every row are left out. A date becomes its days, year, month, weekday and hour.

    Missing values (null, nan) are a value of their own, `column is missing`; a missing number is its column's mean, with
    `column is missing` beside it. Both only if training had them. What training never saw gives no feature, and is
    counted in `notes`. Columns are known by name, in any order.

    >>> import polars as pl
    >>> people = pl.DataFrame({"education": ["Doctorate", "HS-grad", "HS-grad"], "age": [40, 30, None]})
    >>> table = TableMap().fit(people)
    >>> table.names
    ['education=Doctorate', 'education=HS-grad', 'age', 'age is missing']
    >>> table.transform(people).toarray()
    array([[ 1.,  0.,  1.,  0.],
           [ 0.,  1., -1.,  0.],
           [ 0.,  1.,  0.,  1.]], dtype=float32)
    >>> table.transform(pl.DataFrame({"age": ["40.0"], "education": ["9th"], "id": [7]})).toarray()
    array([[0., 0., 1., 0.]], dtype=float32)
    >>> table.notes
    Notes(rows=1, unseen={'education': 1}, unreadable={}, undated={}, ignored=('id',), far={})
    """

    def __init__(
        self,
        numeric: str = "number",
        per_column: Mapping[str, str] | None = None,
        scale: bool = True,
        products: Iterable[Sequence[str]] | str = (),
        hashing: int | None = None,
        double: bool = False,
        missing: Sequence[str] = (),
        only: Sequence[str] | None = None,
        ngrams: int = 1,
        weighting: str = "counts",
        most_values: int | None = None,
    ):
        self.numeric, self.per_column, self.scale, self.hashing = numeric, dict(per_column or {}), bool(scale), hashing
        self.double = bool(double)
        self.products: list[tuple[str, str]] | str = products if isinstance(products, str) else pairs_of(products)
        if numeric not in COLUMN_KINDS:
            raise SettingError(f"numeric is {numeric!r}: choose one of {', '.join(COLUMN_KINDS)}.")
        Overrides(self.per_column)  # refuses kinds that there are not
        self.missing = (missing,) if isinstance(missing, str) else tuple(missing)
        self.only = None if only is None else tuple(only)
        if isinstance(self.products, str) and self.products not in ("all", "auto"):
            raise SettingError(f"products is {products!r}: expected pairs of columns, 'all' or 'auto'.")
        check("hashing", hashing, BITS)
        check("ngrams", ngrams, NGRAMS)
        check("weighting", weighting, Choice(WEIGHTINGS))
        check("most_values", most_values, MOST_VALUES)
        if most_values is not None and hashing is not None:
            raise SettingError("hashing (--hash) keeps no values to pool: leave out most_values (--most-values).")
        self.readings: TableReadings | None = None  # None in models of older files, which read all cells alike
        self.ngrams, self.weighting, self.most_values = int(ngrams), weighting, most_values
        self.pooled: dict[str, Pooled] = {}  # what became of rare values, by column
        self.texts: TextColumns | None = None  # where there are columns of sentences
        self._cleaned: tuple[Any, CleanTable] | None = None  # by `fit`, of the rows that are transformed next
        self.columns: list[TableColumn] = []
        self.blocks: list[FeatureBlock] = []
        self.starts: list[int] = []
        self.grown: list[tuple[str, str]] = []  # column and value of features that updates have added, behind all others
        self.n_features = 0
        self.collisions = 0
        self.trials: dict[str, FeatureTrial] = {}  # by which `learn` chose: "bins", "products"
        self.notes = Notes()

    def fit(self, rows: Any, sizes: PartSizes = USUAL_SIZES, trimmed: bool = False) -> TableMap:
        """Learns what the columns hold; texts that are `trimmed` have no blanks around them."""
        table = as_frame(rows)
        if not table.width or not table.height:
            raise DataError(f"There is nothing to learn from in a table of {table.height} rows and {table.width} columns.")
        named = () if isinstance(self.products, str) else [name for pair in self.products for name in pair]
        readings = decide(table, Overrides(self.per_column, self.missing, self.only, named), trimmed)
        self.readings = TableReadings(readings, self.missing)
        if isinstance(table, DiskTable):
            from rosenblatt.features.table.on_disk import clean_to_fit, refuse_texts

            refuse_texts(self.readings)
            clean = self.readings.clean(next(table.parts()), trimmed)
            self.columns = self._fit_columns(clean_to_fit(self.readings, table), clean.roles, len(table))
        else:
            clean = self.readings.clean(table, trimmed)
            self._cleaned, self.columns = (table, clean), self._fit_columns([clean], clean.roles, len(table))
        if not clean.frame.width and not clean.texts:
            raise DataError("No column is left to learn from: all are dropped. Keep one.")
        if unknown := [name for name in named if name not in clean.frame.columns]:
            from rosenblatt.features.table.as_trained import listed

            raise SettingError(f"products names {listed(unknown)}, but the columns are {listed(clean.frame.columns)}.")
        self.texts = TextColumns(self.ngrams, self.hashing, self.weighting).fit(clean.texts) if clean.texts else None
        if self.most_values is not None:
            from rosenblatt.features.table.pooled import pool_rare

            self.columns, self.pooled = pool_rare(self.columns, self.clean_parts(table), self.most_values)
        self.blocks = make_blocks(self.columns, self.products, self.hashing)
        self.learn_pairs(self.clean_parts(table), sizes)
        self.number_features()
        return self

    def clean_parts(self, rows: Any) -> Iterator[CleanTable]:
        """The values of a table that the map is fitted to, of one on disk part by part."""
        if isinstance(rows, DiskTable):
            from rosenblatt.features.table.on_disk import clean_on_disk

            yield from clean_on_disk(self.readings, rows)
        else:
            yield self.clean(rows)

    @property
    def has_bins(self) -> bool:
        """Has some number features for its values and ranges?"""
        return any(column.number and column.number.bins for column in self.columns)

    def clean(self, rows: Any) -> CleanTable:
        """The values of the columns, read as training read them; refuses a table that lacks some.

        What `fit` has read is not read again.
        """
        if isinstance(rows, CleanTable):
            return rows
        table = as_frame(rows)
        if self._cleaned is not None and self._cleaned[0] is table:
            return self._cleaned[1]
        present = set(table.columns)
        if absent := [name for name in self.raw_columns if name not in present]:
            from rosenblatt.features.table.as_trained import table_lacks

            raise table_lacks(absent, table.columns)
        if self.readings is None:
            return CleanTable(table, {}, {}, {}, {})
        return self.readings.clean(table)

    def clean_some(self, data: Dataset, numbers: np.ndarray) -> CleanTable:
        """The values of the columns in the rows with these numbers, read as training read them."""
        if self._cleaned is not None and self._cleaned[0] is data.rows:
            return self._cleaned[1].take(numbers)
        return self.clean(data.rows[numbers])

    def _fit_columns(self, parts: Iterable[CleanTable], names: Iterable[str], rows: int) -> list[TableColumn]:
        """What columns hold, of a table in parts with so many rows in all."""
        assert self.readings is not None
        numbers: dict[str, NumberFit] = {}
        categories: dict[str, DistinctValues] = {}
        types: dict[str, str] = {}
        written: set[str] = set()  # texts that may be numbers
        for clean in parts:
            kinds, table = self._kinds(clean), clean.frame
            if not isinstance(table, CodedTable):
                written |= {name for name, role in clean.roles.items() if role != "category" and is_text(table[name])}
            for name, kind in kinds.items():
                if kind != "category" and name not in numbers:
                    numbers[name] = NumberFit(name, rows, kind in ("bins", "auto"))
                if kind not in NUMBERS and types.get(name) != "text":  # what is text in a part is so in the whole
                    types[name] = kind_of(numbers_if_all(table[name]) if name in written else table[name])
            parts_of_numbers = [(fit, table[name]) for name, fit in numbers.items()]
            on_cores(lambda part: part[0].add(part[1]), parts_of_numbers, len(numbers) * table.height)
            chosen = [name for name, kind in kinds.items() if kind not in NUMBERS] if self.hashing is None else []
            for name, distinct in distinct_values(table, chosen).items():
                categories.setdefault(name, DistinctValues(name)).add(distinct)
        fitted = dict(zip(numbers, on_cores(NumberFit.finish, list(numbers.values()), len(numbers) * rows), strict=True))
        columns = []
        for name in names:
            number = fitted.get(name)
            category: Category | HashedCategory | None = None
            if name in categories:
                category = categories[name].category(name in written)
            elif name in types:
                category = HashedCategory(name, types[name])
            if number is not None and category is not None:
                number.missing = False  # the category has that feature
            columns.append(TableColumn(name, number, category))
        return columns

    def _kinds(self, clean: CleanTable) -> dict[str, str]:
        """What the columns of values become."""
        assert self.readings is not None
        chosen = {one.name for one in self.readings.columns if one.chosen} | clean.derived.keys()
        is_chosen = {name for name, role in clean.roles.items() if role != "number" or name in chosen}
        return {name: role if name in is_chosen else self.numeric for name, role in clean.roles.items()}

    def learn_pairs(self, tables: Iterable[CleanTable], sizes: PartSizes) -> None:
        """Collects which pairs of values occur, and which names share a bucket."""
        pairs = [block for block in self.blocks if isinstance(block, CategoryProduct)]
        hashed: list[HashableBlock] = [block.source for block in self.blocks if isinstance(block, HashedBlock)]
        names: set[str] = set()
        for clean in tables if pairs or hashed else ():
            for part in TableEncoder(clean.frame, self.columns, self.scale, sizes=sizes):
                for pair in pairs:
                    pair.learn(part)
                for source in hashed:
                    names.update(source.codes_and_names(part)[1])
        self.collisions = 0 if self.hashing is None else collisions(names, self.hashing)

    def number_features(self) -> None:
        self.starts, self.n_features = [], 0
        for block in self.blocks:
            self.starts.append(self.n_features)
            if not isinstance(block, HashedBlock):
                self.n_features += block.size
        if self.hashing is not None and any(isinstance(block, HashedBlock) for block in self.blocks):
            self.n_features += 1 << self.hashing
        self.n_features += self.texts.n_features if self.texts else 0
        self.n_features += len(self.grown)

    def transform(self, rows: Any, sizes: PartSizes = USUAL_SIZES, room: Room | None = None, packed: bool = False) -> Any:
        """OneHot if every feature is a value and every row has one per column; dense if all are numbers; else CSR.

        The rows may be what `clean` gave. What is made in a `room` lasts until that is used again. CSR can be had `packed`.
        """
        if not self.columns and self.texts is None:
            raise DataError("This feature map has seen no rows yet: fit it first.")
        if not isinstance(rows, CleanTable) and isinstance(as_frame(rows), DiskTable):
            from rosenblatt.features.table.on_disk import transform_on_disk

            return transform_on_disk(self, as_frame(rows))
        dtype = np.float64 if self.double else np.float32
        clean = self.clean(rows)
        n, columns, table = clean.height, clean.frame.columns if rows is clean else as_frame(rows).columns, clean.frame
        if self._cleaned is not None and self._cleaned[1] is clean:
            self._cleaned = None  # a second copy of the table, and hardly wanted again
        parts = TableEncoder(table, self.columns, self.scale, dtype, sizes)
        pairs = [block for block in self.blocks if isinstance(block, CategoryProduct)]
        for pair in pairs:
            pair.unseen = 0
        builder = builder_of(self.blocks, packed and not self.texts and not self.grown)
        matrix = builder(n, self.blocks, self.starts, dtype, room)
        grown = None
        if self.grown:
            from rosenblatt.features.table.variants import GrownEntries

            grown = GrownEntries(self)
        for part in parts:
            matrix.add(part)
            if grown is not None:
                grown.add(part)
        result = matrix.result(self.n_features - len(self.grown) - (self.texts.n_features if self.texts else 0))
        unseen = Counter(parts.unseen) + Counter({pair.column: pair.unseen for pair in pairs})
        for name, date in clean.derived.items():  # a date that is missing has no parts: it counts once
            unseen[date] = max(unseen[date], unseen.pop(name, 0) - clean.misfits[date])
        if self.texts:
            result, words = self.texts.beside(result, clean.texts)
            unseen.update(words)
        if grown is not None:
            result = grown.beside(result, (n, self.n_features))
        known = self.known_columns
        self.notes = Notes(
            rows=n,
            unseen={name: count for name, count in unseen.items() if count > 0},
            unreadable={name: count for name, count in parts.unreadable.items() if count},
            undated={name: count for name, count in clean.misfits.items() if count},
            ignored=tuple(name for name in columns if name not in known),
            far=far_values([one.number for one in self.columns if one.number], parts.far, clean.derived),
        )
        return result

    @property
    def known_columns(self) -> set[str]:
        """The columns that training had, those that it left out too."""
        return set(self.raw_columns) if self.readings is None else {one.name for one in self.readings.columns}

    @property
    def raw_columns(self) -> list[str]:
        """The columns of a table that features are made of."""
        if self.readings is None:
            return [column.name for column in self.columns]
        return [one.name for one in self.readings.columns if one.used]

    @property
    def date_parts(self) -> set[str]:
        """The columns of values that are parts of a date."""
        dates = [one for one in self.readings.columns if one.kind == "date"] if self.readings else []
        return {name for one in dates for name in one.value_columns}

    @property
    def names(self) -> list[str]:
        """What each feature is; a hashed place stands for many values and is only numbered."""
        names = [name for block in self.blocks if not isinstance(block, HashedBlock) for name in block.names]
        hashed = [block for block in self.blocks if isinstance(block, HashedBlock)]
        names += hashed[0].names if hashed else []
        names += self.texts.names if self.texts else []
        return names + [f"{column}={value}" for column, value in self.grown]

    def to_json(self) -> dict[str, Any]:
        columns = []
        for column in self.columns:
            saved: dict[str, Any] = {"name": column.name}
            if column.number:
                saved["number"] = column.number.to_json()
            if column.category:
                saved["category"] = column.category.to_json()
            columns.append(saved)
        return {
            "map": "table",
            "numeric": self.numeric,
            "per_column": dict(sorted(self.per_column.items())),
            "scale": self.scale,
            "products": self.products if isinstance(self.products, str) else [list(pair) for pair in self.products],
            "hashing": self.hashing,
            "collisions": self.collisions,
            "columns": columns,
            "pairs": [block.keys for block in self.blocks if isinstance(block, CategoryProduct)],
            **({"most_values": self.most_values} if self.most_values is not None else {}),
            **({"pooled": {name: list(one) for name, one in self.pooled.items()}} if self.pooled else {}),
            **({"double": True} if self.double else {}),
            **({"grown": [list(one) for one in self.grown]} if self.grown else {}),
            **({"trials": {name: asdict(trial) for name, trial in self.trials.items()}} if self.trials else {}),
            **({} if self.readings is None else self._readings_to_json()),
        }

    def _readings_to_json(self) -> dict[str, Any]:
        assert self.readings is not None
        return {
            "missing": list(self.missing),
            "only": None if self.only is None else list(self.only),
            "ngrams": self.ngrams,
            **({"weighting": self.weighting} if self.weighting != "counts" else {}),
            "readings": [one.to_json() for one in self.readings.columns],
            "texts": self.texts.to_json() if self.texts else [],
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> TableMap:
        from rosenblatt.features.table.saved import table_from_json

        return table_from_json(saved)


@needs_parts("A table")
def as_frame(rows: Any) -> Any:
    """The rows as a polars table: polars, a dict of columns, or anything that speaks Arrow (pandas, pyarrow …).

    A table of coded texts, or on disk, stays what it is.
    """
    if isinstance(rows, CodedTable | DiskTable):
        return rows
    import polars as pl

    if isinstance(rows, pl.DataFrame):
        return rows
    if isinstance(rows, Mapping) or hasattr(rows, "__arrow_c_stream__"):
        return pl.DataFrame(rows)
    raise DataError(f"Expected a table, got {type(rows).__name__}: pass a polars or pandas DataFrame.")
