"""Data before learning: balance, the share of a class per value, duplicates, contradictions (LECTURES O6).

>>> import polars as pl
>>> from rosenblatt.data import Dataset
>>> people = pl.DataFrame({"education": ["Doctorate", "Doctorate", "HS-grad", "HS-grad", "HS-grad"]})
>>> facts = examine_data(Dataset("table", people, pl.Series([">50K", ">50K", "<=50K", ">50K", "<=50K"]), "people"))
>>> [(fact.name, fact.hits, fact.count) for fact in facts.values]
[('education=Doctorate', 2, 2), ('education=HS-grad', 1, 3)]
>>> facts.distinct, facts.contradictions
(2, 1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.columns.kinds import Overrides, decide
from rosenblatt.data.columns.reading import ColumnReading, TableReadings, is_text
from rosenblatt.data.table import kind_of, numbers_if_all, plain
from rosenblatt.errors import SettingError, counted
from rosenblatt.features import NumbersMap, TextMap
from rosenblatt.features.numbers import sparse_rows
from rosenblatt.features.table.columns import IS_MISSING, texts
from rosenblatt.features.table.numbers import mean_and_sd, numbers
from rosenblatt.learning.examples import encode, has_quantity, labels_of
from rosenblatt.studies.cautions import about_alike_classes, about_classes_of_one_row, about_missing_labels, is_sorted
from rosenblatt.studies.pooling import middle, pool_numbers, pool_texts

if TYPE_CHECKING:
    import polars as pl

FEW_VALUES = 100  # a column of numbers with at most this many different ones is counted value by value
MOST_IN_COLUMN = 10_000  # values kept of one column, the most extreme ones
MOST_IN_PAIR = 1_000  # a column with more values than this enters no pair
MOST_COLUMN_PAIRS = 300
MOST_PAIRS = 10_000  # pairs of values kept
WORDS_AT_LEAST = 5  # texts in which a word must be, by default
SCALE_RATIO = 10.0  # from which on scales differ so much that weights are hard to compare
COUNTED_IN_ARRAY = 2**22  # pairs of codes, at most


@dataclass(frozen=True)
class Fact:
    """How many rows have a value (or a pair of values), and how many of them are of the positive class."""

    feature: str
    value: str | None  # None: missing
    count: int
    hits: int

    @property
    def share(self) -> float:
        return self.hits / self.count

    @property
    def name(self) -> str:
        return self.feature + IS_MISSING if self.value is None else f"{self.feature}={self.value}"


@dataclass
class Facts:
    """The facts of a data set. Values and pairs are sorted: first those whose share is furthest from that of all rows."""

    rows: int
    kind: str
    classes: dict[object, int]
    positive: object
    columns: list[str] = field(default_factory=list)  # those that were counted value by value
    values: list[Fact] = field(default_factory=list)
    pairs: list[tuple[Fact, Fact]] | None = None  # each with the counts of the pair
    distinct: int = 0  # rows that differ in more than the label
    duplicates: int = 0  # rows that repeat an earlier one, label included
    contradictions: int = 0  # distinct rows that carry more than one label
    suggestions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what was left out, and why
    readings: list[ColumnReading] = field(default_factory=list)  # what the columns of a table hold
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)  # least and largest of each column of numbers

    @property
    def base(self) -> float:
        """The share of the positive class in all rows."""
        return self.classes[self.positive] / self.rows


@dataclass(frozen=True)
class ColumnValues:
    """A column as codes of its values."""

    name: str
    values: list[str | None]
    codes: np.ndarray


def examine_data(
    data: Dataset,
    positive: str | None = None,
    *,
    numeric: str | None = None,
    least: int | None = None,
    pairs: bool = False,
    pool: int | None = None,
    columns: Overrides | None = None,
) -> Facts:
    """The facts of labelled data.

    positive  the label whose share is given; by default the second of two, the most common of more
    numeric   columns of numbers value by value ("category"), not at all ("number"), by default where they have few values
    least     rows that a value must have to be listed (1; words of texts: 5)
    pairs     also pairs of values of two columns of a table
    pool      values of a column in at most so many groups: numbers side by side, rare texts together
    columns   what columns are, where their values are not to decide
    """
    classes, codes = encode(labels_of(data))
    counts = np.bincount(codes, minlength=len(classes))
    hit = _positive_code(classes, counts, positive)
    facts = Facts(len(codes), data.kind, dict(zip(classes.tolist(), counts.tolist(), strict=True)), classes.tolist()[hit])
    hits = codes == hit
    counted: list[ColumnValues] = []
    if data.kind == "table":
        facts.readings = decide(data.rows, columns, data.trimmed)
        marks = tuple(columns.missing) if columns else ()
        values: Any = TableReadings(facts.readings, marks).clean(data.rows, data.trimmed).frame
        values = _with_numbers(values, facts.readings)
        counted = _pool_columns(values, pool) if pool else _code_columns(values, numeric, facts.notes)
        facts.ranges = {
            series.name: _range_of(series) for series in values if kind_of(series) == "number" and series.count()
        }
        facts.ranges = {name: ends for name, ends in facts.ranges.items() if np.isfinite(ends).all()}
        facts.columns = [column.name for column in counted]
        facts.values = _value_facts(counted, hits, facts, least or 1)
    elif data.kind == "images":
        facts.notes.append("Images have no values to count: balance, duplicates and contradictions are what can be told.")
    else:
        facts.values = _feature_facts(data, hits, facts, least)
    if pairs and data.kind == "table":
        facts.pairs = _pair_facts(counted, hits, facts, least or 1)
    elif pairs:
        facts.notes.append("Pairs are those of two columns of a table: here are none.")
    _count_repeats(data, codes, facts)
    facts.suggestions += _suggestions(data, codes, facts)
    return facts


def _positive_code(classes: np.ndarray, counts: np.ndarray, label: str | None) -> int:
    if label is None:
        return len(classes) - 1 if len(classes) <= 2 else int(counts.argmax())
    names = [str(name) for name in classes.tolist()]
    if label not in names:
        raise SettingError(f"There is no class {label!r}: the classes are {_join_names(names)}.")
    return names.index(label)


def _with_numbers(rows: pl.DataFrame, readings: list[ColumnReading]) -> pl.DataFrame:
    """The table with numbers in columns of numbers, though they are written as texts."""
    written = {one.name for one in readings if one.kind in ("number", "both")}
    return rows.with_columns(numbers_if_all(series) for series in rows if series.name in written and is_text(series))


def _range_of(series: pl.Series) -> tuple[float, float]:
    least, most = plain(series).min(), plain(series).max()
    return float(least), float(most)  # type: ignore[arg-type]


def in_order(facts: list[Fact], order: str) -> list[Fact]:
    """By share (as they are, furthest from that of all rows first), by rows, or by value: numbers by size, texts by letter.

    >>> [one.value for one in in_order([Fact("age", "30", 1, 0), Fact("age", "9", 2, 1), Fact("age", None, 9, 0)], "value")]
    ['9', '30', None]
    """
    if order == "rows":
        return sorted(facts, key=lambda fact: -fact.count)
    return sorted(facts, key=_value_order) if order == "value" else facts


def _value_order(fact: Fact) -> tuple[str, int, float, str]:
    """Numbers before texts, what is missing last."""
    if fact.value is None:
        return fact.feature, 2, 0.0, ""
    try:
        return fact.feature, 0, middle(fact.value), ""
    except ValueError:
        return fact.feature, 1, 0.0, fact.value


def _pool_columns(rows: pl.DataFrame, most: int) -> list[ColumnValues]:
    """All columns, their values in groups."""
    columns = []
    for series in rows:
        is_number = kind_of(series) == "number"
        names, codes = pool_numbers(numbers(plain(series))[0], most) if is_number else pool_texts(plain(series), most)
        columns.append(ColumnValues(series.name, names, codes))
    return columns


def _code_columns(rows: pl.DataFrame, numeric: str | None, notes: list[str]) -> list[ColumnValues]:
    """The columns that are counted value by value."""
    import polars as pl

    columns, left_out = [], []
    for series in rows:
        values = plain(series)
        distinct = values.unique().sort()
        if kind_of(series) == "number" and (numeric == "number" or (numeric is None and len(distinct) > FEW_VALUES)):
            left_out.append(series.name)
            continue
        places = pl.Series(np.arange(len(distinct)), dtype=pl.Int32)
        codes = values.replace_strict(distinct, places, return_dtype=pl.Int32).to_numpy()
        columns.append(ColumnValues(series.name, texts(distinct, kind_of(series)), codes))
    if left_out:
        why = "as asked" if numeric == "number" else f"more than {FEW_VALUES} different ones; --numeric category lists them"
        notes.append(f"Numbers not taken value by value ({why}): {_join_names(left_out)}.")
    return columns


def _value_facts(columns: list[ColumnValues], hits: np.ndarray, facts: Facts, least: int) -> list[Fact]:
    values: list[Fact] = []
    for column in columns:
        size = len(column.values)
        table = np.bincount(column.codes, minlength=size), np.bincount(column.codes[hits], minlength=size)
        kept, left_out = _most_extreme(*table, facts.base, least, MOST_IN_COLUMN)
        if left_out:
            facts.notes.append(f"{column.name} has {size:,} values: the {len(kept):,} most extreme are kept.")
        values += [Fact(column.name, column.values[k], int(table[0][k]), int(table[1][k])) for k in kept.tolist()]
    return sorted(values, key=lambda fact: (-abs(fact.share - facts.base), -fact.count))


def _feature_facts(data: Dataset, hits: np.ndarray, facts: Facts, least: int | None) -> list[Fact]:
    """Words of texts, or columns of sparse numbers: the rows in which they are not 0."""
    name_of: Callable[[int], str]
    if data.kind == "text":
        words = TextMap(counts=False).fit(data.rows)
        X, name_of, value, least = words.transform(data.rows), words.words.__getitem__, None, least or WORDS_AT_LEAST
        facts.notes.append(f"Words that are in fewer than {least} texts are left out (--least).")
    else:
        mapping = NumbersMap().fit(data.rows)
        X, name_of, value, least = sparse_rows(data.rows), mapping.name_of, "not 0", least or 1
    nonzero = X.data != 0
    owners = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[nonzero]
    used, places = np.unique(X.indices[nonzero], return_inverse=True)  # of two billion columns, most may be empty
    count, of_hits = (np.bincount(some, minlength=len(used)) for some in (places, places[hits[owners]]))
    kept, left_out = _most_extreme(count, of_hits, facts.base, least, MOST_IN_COLUMN)
    if left_out:
        facts.notes.append(f"The {len(kept):,} most extreme of {len(kept) + left_out:,} features are kept.")
    names = [name_of(column) for column in used[kept].tolist()]
    return [
        Fact("word" if value is None else name, value or name, int(count[k]), int(of_hits[k]))
        for k, name in zip(kept.tolist(), names, strict=True)
    ]


def _most_extreme(count: np.ndarray, hits: np.ndarray, base: float, least: int, most: int) -> tuple[np.ndarray, int]:
    """The places with enough rows, the furthest from the base share first, and how many were cut off."""
    places = np.flatnonzero(count >= max(1, least))
    order = np.lexsort((places, -count[places], -np.abs(hits[places] / count[places] - base)))
    return places[order[:most]], max(0, len(places) - most)


def _pair_facts(columns: list[ColumnValues], hits: np.ndarray, facts: Facts, least: int) -> list[tuple[Fact, Fact]]:
    small = [column for column in columns if 1 < len(column.values) <= MOST_IN_PAIR]
    of_columns = [*combinations(small, 2)]
    if len(of_columns) > MOST_COLUMN_PAIRS:
        facts.notes.append(f"Of {len(of_columns):,} pairs of columns only the first {MOST_COLUMN_PAIRS} are looked at.")
    pairs, cut = [], 0
    for a, b in of_columns[:MOST_COLUMN_PAIRS]:
        width = len(b.values)
        keys = a.codes.astype(np.int64) * width + b.codes
        known = np.arange(len(a.values) * width) if len(a.values) * width <= COUNTED_IN_ARRAY else np.unique(keys)
        places = keys if len(a.values) * width <= COUNTED_IN_ARRAY else np.searchsorted(known, keys)
        count, of_hits = np.bincount(places, minlength=len(known)), np.bincount(places[hits], minlength=len(known))
        kept, more = _most_extreme(count, of_hits, facts.base, least, MOST_PAIRS)
        cut += more
        for k in kept.tolist():
            first, second = divmod(int(known[k]), width)
            both = int(count[k]), int(of_hits[k])
            pairs.append((Fact(a.name, a.values[first], *both), Fact(b.name, b.values[second], *both)))
    pairs.sort(key=lambda pair: (-abs(pair[0].share - facts.base), -pair[0].count))
    cut += max(0, len(pairs) - MOST_PAIRS)
    if cut:
        facts.notes.append(f"{cut:,} less extreme pairs of values are left out: --least N asks for more rows in each.")
    return pairs[:MOST_PAIRS]


def _count_repeats(data: Dataset, codes: np.ndarray, facts: Facts) -> None:
    """Counts rows that occur twice, and those that occur with different labels."""
    import polars as pl

    keys = pl.DataFrame([series.alias(str(j)) for j, series in enumerate(_row_keys(data))])
    if not keys.width:  # a table of labels alone: all rows are alike
        keys = pl.DataFrame({"0": np.zeros(len(codes))})
    grouped = keys.with_columns(pl.Series("label", codes)).group_by(keys.columns).agg(pl.col("label").n_unique())
    facts.distinct = len(grouped)
    facts.duplicates = facts.rows - int(grouped["label"].sum())
    facts.contradictions = int((grouped["label"] > 1).sum())


def _row_keys(data: Dataset) -> Iterable[pl.Series]:
    """Columns that are equal in two rows exactly if the rows are."""
    import polars as pl

    if data.kind in ("table", "text"):
        return [plain(series) for series in data.rows]
    if data.kind == "images":
        return [pl.Series([image.tobytes() for image in data.rows], dtype=pl.Binary)]
    X = sparse_rows(data.rows).copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    ends = [*zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)]
    return [pl.Series([values[a:b].tobytes() for a, b in ends], dtype=pl.Binary) for values in (X.indices, X.data)]


def _suggestions(data: Dataset, codes: np.ndarray, facts: Facts) -> list[str]:
    suggestions = []
    counts = np.bincount(codes)
    if len(counts) == 1:
        suggestions.append("There is one class only: nothing can be learned from it.")
    elif has_quantity(labels_of(data)):
        suggestions.append(
            f"The target has {len(counts):,} different numbers, a quantity rather than a class: --task numbers."
        )
    elif counts.max() > 0.9 * facts.rows:
        suggestions.append("One class has more than 90 % of the rows: look at precision and recall, try train --balanced.")
    else:
        suggestions += filter(None, [about_classes_of_one_row(facts.classes.values())])
    suggestions += filter(None, (about(facts.classes) for about in (about_alike_classes, about_missing_labels)))
    if is_sorted(codes):
        suggestions.append("The rows are sorted by class: shuffle them (train does; with --order given it would not).")
    if data.kind == "table":
        suggestions += _column_suggestions(data.rows, facts)
    if facts.contradictions:
        carry = "carries" if facts.contradictions == 1 else "carry"
        suggestions.append(
            f"{counted(facts.contradictions, 'distinct row')} {carry} different labels: no classifier can get all rows "
            "right, and last weights will thrash. Use averaged ones."
        )
    return suggestions


def _column_suggestions(rows: pl.DataFrame, facts: Facts) -> list[str]:
    suggestions, sd = [], {}
    learned_as_numbers = {one.name for one in facts.readings if one.used and one.kind in ("number", "both")}
    for series in rows:
        if kind_of(series) == "number" and series.name in learned_as_numbers:
            x, _ = numbers(series)
            sd[series.name] = mean_and_sd(x[~np.isnan(x)])[1]
    spread = {name: value for name, value in sd.items() if value > 0}
    if spread:
        low, high = min(spread, key=spread.__getitem__), max(spread, key=spread.__getitem__)
        if spread[high] > SCALE_RATIO * spread[low]:
            suggestions.append(
                f"Numbers differ in scale (standard deviation of {low} {spread[low]:.4g}, of {high} {spread[high]:.4g}): "
                "scale them (train does; with --no-scale it would not)."
            )
    return suggestions


def _join_names(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
