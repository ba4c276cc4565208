"""The first pass: what blocks of a file hold, in summaries that two by two become one.

What the columns are, whether bins pay, and bins themselves are learned from a sample of rows, as from a small file: from
all rows where they are few. The values of categories, the classes, the means and ranges of numbers, and which of them are
ever missing come from all rows, merged over the tree.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt import features
from rosenblatt.cluster.blocks import AnyBlock
from rosenblatt.cluster.left_out import LeftOut, look_at_left_out
from rosenblatt.data.columns.kinds import SAMPLE
from rosenblatt.data.columns.reading import TableReadings
from rosenblatt.data.dataset import Dataset, told_once
from rosenblatt.data.parts import joined
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.reading import read_with
from rosenblatt.data.table import kind_of, number_in, number_text, numbers_if_all
from rosenblatt.data.table_to_disk import MOST_TEXTS
from rosenblatt.errors import FileError, LabelError, SettingError, as_argument
from rosenblatt.features import FeatureMap, NumbersMap, TableMap
from rosenblatt.features.table.blocks import CategoryProduct, make_blocks
from rosenblatt.features.table.columns import USUAL_SIZES, Category, texts
from rosenblatt.features.table.numbers import Moments, numbers
from rosenblatt.learning.examples import classes_of, codes_among, labels_of, text_array
from rosenblatt.learning.learn import by_code, fit_features
from rosenblatt.learning.learners import Recipe

WRITTEN = ("csv", "tsv")  # formats in which a label is a text, and may be a number
SAMPLE_ROWS = 2**16  # of all blocks together, about


@dataclass(frozen=True)
class BlockSummary:
    """What one block, or several, hold."""

    rows: tuple[int, ...]  # of each block
    labels: dict[Any, int]  # how often each occurs
    texts: dict[str, frozenset[str | None]] = field(default_factory=dict)  # the values of categories, by column
    numbers: dict[str, Moments] = field(default_factory=dict)
    width: int = 0  # of sparse rows
    least: int = 1  # index among them
    left_out: dict[str, LeftOut] = field(default_factory=dict)  # columns that the sample leaves out

    def merged(self, other: BlockSummary) -> BlockSummary:
        """Of both together, this one first."""
        none, nothing = frozenset[str | None](), Moments()
        sets = {
            name: self.texts.get(name, none) | other.texts.get(name, none)
            for name in dict.fromkeys([*self.texts, *other.texts])
        }
        for name, values in sets.items():
            if len(values) > MOST_TEXTS:
                what = f"more than {MOST_TEXTS:,} different texts stand in it. Leave the column out, --column"
                raise FileError(f"{what} {as_argument(f'{name}=drop')}, or hash its values, --hash BITS.", column=name)
        moments = {
            name: self.numbers.get(name, nothing).merged(other.numbers.get(name, nothing))
            for name in dict.fromkeys([*self.numbers, *other.numbers])
        }
        labels = dict(Counter(self.labels) + Counter(other.labels))
        left_out = {
            name: self.left_out.get(name, LeftOut()).merged(other.left_out.get(name, LeftOut()))
            for name in dict.fromkeys([*self.left_out, *other.left_out])
        }
        width, least = max(self.width, other.width), min(self.least, other.least)
        return BlockSummary((*self.rows, *other.rows), labels, sets, moments, width, least, left_out)


def merge(a: BlockSummary, b: BlockSummary) -> BlockSummary:
    return a.merged(b)


def sample_of(place: tuple[int, AnyBlock, int]) -> tuple[BlockSummary, Dataset | None]:
    """How many rows a block has, with which labels, and about so many of the rows, evenly spread, as they are read.

    The first block begins with neighbours, as a whole file does: of others nobody can tell that they count the rows.
    """
    number, block, rows = place
    data = block.read()
    if data.rows is None:
        return BlockSummary((0,), {}), None
    n, labels = len(data), counted_labels(data)
    if data.kind != "table":
        least = 0 if isinstance(data.rows, np.ndarray) else int(data.rows.indices.min(initial=1))
        return BlockSummary((n,), labels, width=data.rows.shape[1], least=least), data.slice(0, 1)
    spread = np.arange(0, n, max(1, -(-n // rows)))
    neighbours = np.arange(0 if number else min(n, SAMPLE // 2))
    return BlockSummary((n,), labels), data.take(np.union1d(neighbours, spread))


def shares_of_sample(blocks: Sequence[AnyBlock], rows: int) -> list[int]:
    """How many of so many rows come from each block, by its size: the last one of a file may be short."""
    sizes = [block.last - block.first for block in blocks]
    return [max(1, -(-rows * size // sum(sizes))) for size in sizes]


def whole_sample(parts: Sequence[Dataset | None], rows: int, blocks: Sequence[AnyBlock]) -> tuple[Dataset, bool]:
    """The samples of all blocks as one data set, read as a file of these rows alone would be; and: is it all rows?"""
    held = [(part, block) for part, block in zip(parts, blocks, strict=True) if part is not None]
    if not held:
        raise FileError("the file has no rows.", path=blocks[0].path)
    (first, block), paths = held[0], [block.path for _, block in held]
    first = replace(first, notes=told_once(note for part, _ in held for note in part.notes))
    if first.kind != "table":
        return first, False
    complete = rows == sum(len(part) for part, _ in held)
    # Each block has its own codes of texts, and each file its own order of columns.
    frames = [part.rows.with_columns(part.labels) for part, _ in held]
    frame = joined([one.select(frames[0].columns) for one in frames], paths)
    target = first.labels.name  # type: ignore[union-attr]
    if block.format not in WRITTEN:
        return replace(first, rows=frame.drop(target), labels=frame[target]), complete
    assert block.options.names is not None
    text = frame.select([name for name in block.options.names if name in frame.columns]).write_csv().encode()
    options = ReadOptions(target=target, delimiter=",", format="csv", missing=block.options.missing, skip_lines=0)
    columns = None if block.options.header_above else first.file_columns
    sample = read_with(io.BytesIO(text), options)
    return replace(sample, name=block.path, notes=first.notes, file_columns=columns), complete


def summary_of(block: AnyBlock, sample_gave: dict[str, Any]) -> BlockSummary:
    """What all rows of a block tell about the columns; the map that the sample gave, as JSON, says how to read them."""
    data = block.read()
    if data.rows is None:
        return BlockSummary((0,), {})
    mapping = features.from_json(sample_gave)
    assert isinstance(mapping, TableMap)
    import polars as pl

    clean = mapping.clean(data.rows)
    left_out = {} if mapping.readings is None else look_at_left_out(mapping.readings, data.rows)
    of_texts: dict[str, frozenset[str | None]] = {}
    moments = {}
    for column in mapping.columns:
        values = clean.frame[column.name]
        if isinstance(column.category, Category):
            distinct = values.unique()
            distinct = distinct.cast(pl.String) if kind_of(distinct) == "text" else distinct
            of_texts[column.name] = frozenset(texts(distinct, column.category.type))
        if column.number is not None:
            moments[column.name] = Moments.of(numbers(values)[0])
    return BlockSummary((len(data),), {}, of_texts, moments, left_out=left_out)


def counted_labels(data: Dataset) -> dict[Any, int]:
    labels = labels_of(data)
    if data.kind == "sparse":
        values, counts = np.unique(np.asarray(labels), return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))
    counted = labels.value_counts()  # type: ignore[union-attr]
    return dict(zip(*(counted[name].to_list() for name in counted.columns), strict=True))


def classes_among(labels: dict[Any, int], sample: Dataset, written: bool) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and how many rows each has; where they are `written`, numbers that print back alike are numbers."""
    import polars as pl

    known: Any = list(labels)
    if all(isinstance(label, str) for label in known):
        typed = numbers_if_all(pl.Series(known, dtype=pl.String))
        alike = written and typed.dtype.is_numeric() and [number_text(value) for value in typed.to_list()] == known
        classes = classes_of(typed.to_numpy()) if alike else text_array(sorted(known))
    else:
        classes = classes_of(np.array(known))
    if len(classes) < 2:
        raise LabelError(f"{sample.name}: it has 1 class, {classes.tolist()[0]!r}: at least two are needed to tell apart.")
    of_label = {label_text(label): count for label, count in labels.items()}
    return classes, np.array([of_label[label_text(label)] for label in classes.tolist()])


def label_text(label: Any) -> str:
    return label if isinstance(label, str) else number_text(label)


def sample_map(sample: Dataset, classes: np.ndarray, recipe: Recipe, complete: bool) -> FeatureMap:
    """The feature map that a sample gives."""
    if sample.kind == "sparse":
        mapping = recipe.feature_map("sparse")
        if not isinstance(mapping, NumbersMap) or mapping.weighting != "counts":
            raise SettingError("On a cluster, sparse rows are taken as they are: leave out --weighting.")
        return mapping
    codes = codes_among(classes, labels_of(sample))
    mapping = fit_features(sample, codes, recipe, by_code(recipe.class_weight, classes))
    assert isinstance(mapping, TableMap)
    assert isinstance(mapping.readings, TableReadings)
    if not complete:
        from rosenblatt.features.table.on_disk import refuse_texts

        refuse_texts(mapping.readings, "on a cluster", "take --workers in place of --dask")
        if mapping.most_values is not None:
            raise SettingError("How often a value occurs is not counted on a cluster: take --hash BITS for --most-values.")
    return mapping


def completed(mapping: FeatureMap, summary: BlockSummary, zero_based: bool) -> FeatureMap:
    """The map with what only all rows tell."""
    if isinstance(mapping, NumbersMap):
        mapping.n_features = summary.width - (0 if zero_based else 1)
        return mapping
    assert isinstance(mapping, TableMap)
    for column in mapping.columns:
        known = summary.texts.get(column.name)
        if isinstance(column.category, Category) and known is not None:
            values = {*column.category.values, *(text for text in known if text is not None)}
            ordered = sorted(values, key=in_order) if column.category.type == "number" else sorted(values)
            column.category = Category(column.name, column.category.type, ordered, None in known)
        if column.number is not None and (moments := summary.numbers.get(column.name)) is not None and moments.n:
            column.number.mean, column.number.sd = moments.mean, moments.sd
            column.number.range = moments.low, moments.high
            column.number.missing = moments.missing and column.category is None
    mapping.blocks = make_blocks(mapping.columns, mapping.products, mapping.hashing)
    mapping.number_features()
    return mapping


Pairs = tuple[tuple[int, ...], ...]  # of each product of two categories, the keys of pairs of values that occur


def occurring_pairs(block: AnyBlock, complete: dict[str, Any]) -> Pairs:
    """Which pairs of values occur in a block; the map, as JSON, knows all values, and no pairs yet."""
    data, mapping = block.read(), features.from_json(complete)
    assert isinstance(mapping, TableMap)
    if data.rows is not None:
        mapping.learn_pairs([mapping.clean(data.rows)], USUAL_SIZES)
    return tuple(tuple(product.keys) for product in category_products(mapping))


def merge_pairs(a: Pairs, b: Pairs) -> Pairs:
    return tuple(tuple(sorted({*one, *other})) for one, other in zip(a, b, strict=True))


def category_products(mapping: FeatureMap) -> list[CategoryProduct]:
    """The products of two categories among the features."""
    blocks = mapping.blocks if isinstance(mapping, TableMap) else []
    return [block for block in blocks if isinstance(block, CategoryProduct)]


def with_pairs(mapping: TableMap, pairs: Pairs) -> None:
    """Gives the products the pairs of values that occur."""
    for product, keys in zip(category_products(mapping), pairs, strict=True):
        product.set_keys(list(keys))
    mapping.number_features()


def in_order(text: str) -> tuple[bool, float, str]:
    """What sorts numbers that are written as texts."""
    number = number_in(text)
    return number is None, number or 0.0, text
