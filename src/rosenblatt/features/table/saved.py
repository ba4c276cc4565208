"""A map of tables again, from what a model file holds of it."""

from __future__ import annotations

from typing import Any

from rosenblatt.data.columns.reading import ColumnReading, TableReadings
from rosenblatt.features.notes import FeatureTrial
from rosenblatt.features.table.blocks import CategoryProduct, make_blocks
from rosenblatt.features.table.columns import Category, TableColumn
from rosenblatt.features.table.hashed import HashedCategory
from rosenblatt.features.table.numbers import Number
from rosenblatt.features.table.pooled import Pooled
from rosenblatt.features.table.table_map import TableMap
from rosenblatt.features.table.text_columns import TextColumns
from rosenblatt.features.table.variants import grown_by

SETTINGS = ("numeric", "per_column", "scale", "products", "hashing")


def table_from_json(saved: dict[str, Any]) -> TableMap:
    """The map that `to_json` saved."""
    table = TableMap(*(saved[key] for key in SETTINGS))
    table.double, table.most_values = bool(saved.get("double", False)), saved.get("most_values")
    table.pooled = {name: Pooled(*one) for name, one in saved.get("pooled", {}).items()}
    table.trials = {name: FeatureTrial(**trial) for name, trial in saved.get("trials", {}).items()}
    if "readings" in saved:
        table.missing, table.only = tuple(saved["missing"]), None if saved["only"] is None else tuple(saved["only"])
        table.readings = TableReadings([ColumnReading.from_json(one) for one in saved["readings"]], table.missing)
        table.ngrams, table.weighting = saved["ngrams"], saved.get("weighting", "counts")
        if saved["texts"]:
            table.texts = TextColumns(table.ngrams, table.hashing, table.weighting)
            table.texts.read_json(saved["texts"])
    table.collisions = saved["collisions"]
    kind = Category if table.hashing is None else HashedCategory
    for column in saved["columns"]:
        name = column["name"]
        number = Number.from_json(name, column["number"]) if "number" in column else None
        category = kind.from_json(name, column["category"]) if "category" in column else None
        if number is None and category is None:
            raise ValueError(f"column {name!r} has no features")
        table.columns.append(TableColumn(name, number, category))
    table.blocks = make_blocks(table.columns, table.products, table.hashing)
    pairs = [block for block in table.blocks if isinstance(block, CategoryProduct)]
    for pair, keys in zip(pairs, saved["pairs"], strict=True):
        pair.set_keys(keys)
    table.number_features()
    return grown_by(table, saved["grown"]) if "grown" in saved else table
