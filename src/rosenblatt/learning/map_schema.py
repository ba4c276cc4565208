"""What the JSON of a feature map may hold, and how many features it has: by formula, before anything is built.

A map of 2 kB can claim more features than there is memory for. A file without weights for each of them is refused, so the
number is all that has to be known of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from typing import Any

from rosenblatt.data.columns.dates import EPOCH, is_pattern
from rosenblatt.data.columns.kinds import KINDS
from rosenblatt.data.columns.numbers import GROUPING
from rosenblatt.data.columns.reading import ColumnReading
from rosenblatt.engine.parameters import Choice, Flag, Real, Text, Whole
from rosenblatt.features.hashing import BITS
from rosenblatt.features.table.blocks import MOST_HASHED_PRODUCTS
from rosenblatt.features.table.table_map import COLUMN_KINDS
from rosenblatt.features.text import NGRAMS, WEIGHTINGS
from rosenblatt.learning.schema import COUNT, ByName, Either, ListOf, ObjectOf, SchemaError, shown, verify

CATEGORY = ObjectOf(
    {"type": Choice(("number", "boolean", "text")), "values": ListOf(Text()), "missing": Flag()},
    {"rare": Flag()},
)
NUMBER_FORMAT = ObjectOf(
    {"decimal": Choice((".", ",")), "thousands": Choice(("", *GROUPING)), "unit": Text()},
    {"plus_behind": Flag(), "exponent": Flag()},
)
HASHED_CATEGORY = ObjectOf({"type": Choice(("number", "boolean", "text"))})
MARKS = ListOf(Text(), most=1000)
READING = ObjectOf(
    {"name": Text(), "kind": Choice((*KINDS, "constant")), "why": Text(), "chosen": Flag()},
    {
        "marks": MARKS,
        "number": NUMBER_FORMAT,
        "date": Text(),
        "whole_years": Flag(),
        "ascii_signs": Flag(),
    },
)
ENDS = ListOf(Real())
NUMBER = ObjectOf(
    {"mean": Real(), "sd": Real(least=0), "missing": Flag()},
    {"bins": ObjectOf({"values": ENDS, "edges": ENDS}), "range": ListOf(Real(), 2, 2)},
)
TRIAL = ObjectOf({"rows": Whole(1), "error_with": Real(least=0), "error_without": Real(least=0), "chosen": Flag()})
PAIR = ListOf(Text(), 2, 2)
WORDS = ObjectOf(
    {
        "map": Choice(("text",)),
        "ngrams": NGRAMS,
        "lowercase": Flag(),
        "min_count": Whole(1),
        "counts": Flag(),
        "hashing": BITS,
        "collisions": COUNT,
        "words": ListOf(Text()),
    },
    {"weighting": Choice(WEIGHTINGS), "texts": COUNT, "texts_with": ListOf(COUNT)},
)


def table_schema(category: ObjectOf) -> ObjectOf:
    """The JSON of a table's map, with categories that are remembered, or hashed."""
    return ObjectOf(
        {
            "map": Choice(("table",)),
            "numeric": Choice(COLUMN_KINDS),
            "per_column": ByName(Text()),
            "scale": Flag(),
            "products": Either(text=Choice(("all",)), list=ListOf(PAIR)),
            "hashing": BITS,
            "collisions": COUNT,
            "columns": ListOf(ObjectOf({"name": Text()}, {"number": NUMBER, "category": category})),
            "pairs": ListOf(ListOf(Whole(0, 2**62), least=1)),
        },
        {
            "double": Flag(),
            "most_values": Whole(1),
            "pooled": ByName(ListOf(COUNT, 2, 2)),
            "trials": ObjectOf({}, {"bins": TRIAL, "products": TRIAL}),
            "missing": MARKS,
            "only": Either(list=ListOf(Text()), nothing=True),
            "ngrams": NGRAMS,
            "weighting": Choice(WEIGHTINGS),
            "readings": ListOf(READING, least=1),
            "texts": ListOf(ObjectOf({"name": Text(), "words": WORDS})),
            "grown": ListOf(PAIR, least=1),
        },
    )


MAPS: dict[str, ObjectOf] = {
    "table": table_schema(CATEGORY),
    "text": WORDS,
    "numbers": ObjectOf(
        {"map": Choice(("numbers",)), "columns": Whole(1)},
        {"names": ListOf(Text(), least=1), "weighting": Choice(("counts", "unit")), "by_name": Flag()},
    ),
    "image": ObjectOf({"map": Choice(("image",)), "shape": ListOf(Whole(1), 2, 3)}),
    "scale": ObjectOf({"map": Choice(("scale",)), "mean": ListOf(Real()), "sd": ListOf(Real(least=0))}),
    # A feature of a polynomial takes as much memory as its degree.
    "polynomial": ObjectOf({"map": Choice(("polynomial",)), "degree": Whole(1, 64), "columns": Whole(1)}),
    "radial": ObjectOf(
        {"map": Choice(("radial",)), "centres": ListOf(ListOf(Real(), least=1), least=1), "width": Real(1e-150, most=1e150)}
    ),
}
HASHED_TABLE = table_schema(HASHED_CATEGORY)
MAPS_OF_KIND = {
    "table": ("table",),
    "text": ("text",),
    "sparse": ("numbers", "scale", "polynomial", "radial"),
    "images": ("image",),
}


def verify_map(saved: Any, kind: str) -> None:
    """Refuses the JSON of a feature map that no map of this kind of data could have written."""
    verify("feature_map", saved, ObjectOf({"map": Choice(MAPS_OF_KIND[kind])}, open=True))
    name = saved["map"]
    verify("feature_map", saved, HASHED_TABLE if name == "table" and saved.get("hashing") is not None else MAPS[name])
    match name:
        case "table":
            _verify_table(saved)
        case "text":
            _verify_words(saved)
        case "numbers" if "by_name" in saved and "names" not in saved:
            raise SchemaError("feature_map knows columns by name, and has no names")
        case "numbers" if "names" in saved:
            _refuse_repeated("names of columns", saved["names"])
            if len(saved["names"]) != saved["columns"]:
                raise SchemaError("feature_map has not as many names as columns")
        case "scale" if len(saved["mean"]) != len(saved["sd"]):
            raise SchemaError("feature_map has not as many means as deviations")
        case "radial" if len({len(centre) for centre in saved["centres"]}) != 1:
            raise SchemaError("feature_map.centres are of different lengths")


def _verify_words(saved: dict[str, Any]) -> None:
    _refuse_repeated("words", saved["words"])
    if saved["hashing"] is not None and (saved["words"] or saved["min_count"] > 1):
        raise SchemaError("feature_map is hashed, and has a vocabulary")
    if saved.get("weighting") == "idf":
        counts = saved.get("texts_with", [])
        if len(counts) != len(saved["words"]) or max(counts, default=0) > saved.get("texts", 0):
            raise SchemaError("feature_map does not say in how many texts each word stands")


def _verify_readings(saved: dict[str, Any]) -> None:
    """What is read from a table must be what features are made of, column by column."""
    missing = [name for name in ("missing", "only", "ngrams", "texts") if name not in saved]
    if missing:
        raise SchemaError(f"feature_map has readings and lacks {missing[0]}")
    for one in saved["readings"]:
        if (one["kind"] == "date") != ("date" in one) or not is_pattern(one.get("date", EPOCH)):
            raise SchemaError(f"the column {shown(one['name'])} has dates of no format")
    readings = [ColumnReading.from_json(one) for one in saved["readings"]]
    _refuse_repeated("column names", [one.name for one in readings])
    if [name for one in readings for name in one.value_columns] != [column["name"] for column in saved["columns"]]:
        raise SchemaError("feature_map has readings of other columns than it has features of")
    if [one.name for one in readings if one.kind == "text"] != [one["name"] for one in saved["texts"]]:
        raise SchemaError("feature_map has words of other columns than it has texts in")
    for one in saved["texts"]:
        _verify_words(one["words"])
        if one["words"]["hashing"] != saved["hashing"]:
            raise SchemaError("feature_map is hashed, and its words are not, or the other way round")
    if not saved["columns"] and not saved["texts"]:
        raise SchemaError("feature_map has no columns")


def _verify_table(saved: dict[str, Any]) -> None:
    if "readings" in saved:
        _verify_readings(saved)
    elif not saved["columns"] or any(name in saved for name in ("missing", "only", "ngrams", "texts")):
        raise SchemaError("feature_map lacks its columns, or how they are read")
    columns = {column["name"]: column for column in saved["columns"]}
    _refuse_repeated("column names", [column["name"] for column in saved["columns"]])
    for name, column in columns.items():
        if "number" not in column and "category" not in column:
            raise SchemaError(f"the column {shown(name)} has no features")
        for ends in column.get("number", {}).get("bins", {}).values():
            if any(low >= high for low, high in pairwise(ends)):
                raise SchemaError(f"the bins of {shown(name)} are out of order")
        if "category" in column and saved["hashing"] is None:
            _refuse_repeated(f"values of {shown(name)}", column["category"]["values"])
            if not category_size(column):
                raise SchemaError(f"the column {shown(name)} has no values")
    _verify_grown(saved.get("grown", []), {} if saved["hashing"] is not None else columns)
    known = {one["name"] for one in saved.get("readings", saved["columns"])}
    named = [name for name in (*saved["per_column"], *(saved.get("only") or ())) if name not in known]
    if isinstance(saved["products"], list):
        named += [name for pair in saved["products"] for name in pair if name not in columns]
    if named:
        raise SchemaError(f"feature_map names {shown(named[0])}, which is no column")


def _verify_grown(grown: list[list[str]], columns: dict[str, Any]) -> None:
    """Values that updates have met: each once, of a category that did not have it."""
    _refuse_repeated("grown values", [tuple(pair) for pair in grown])
    values = {name: set(column["category"]["values"]) for name, column in columns.items() if "category" in column}
    for name, value in grown:
        if name not in values or value in values[name] or columns[name]["category"].get("rare", False):
            raise SchemaError(f"the grown value {shown(value)} is none of a column, or no new one")


def _refuse_repeated(what: str, names: Sequence[Any]) -> None:
    if len(set(names)) < len(names):
        raise SchemaError(f"some {what} are there twice")


def category_size(column: dict[str, Any]) -> int:
    """How many features a column of values has."""
    category = column["category"]
    return len(category["values"]) + int(category["missing"]) + int(category.get("rare", False))


def number_size(number: dict[str, Any]) -> int:
    """How many features a column of numbers has: itself, that it is missing, its frequent values and its bins."""
    bins = len(number["bins"]["values"]) + len(number["bins"]["edges"]) + 1 if "bins" in number else 0
    return 1 + int(number["missing"]) + bins


def count_features(saved: dict[str, Any], most: int) -> int:
    """How many features a verified map has, by formula; more than `most` may be told as any number above it.

    >>> count_features({"map": "polynomial", "degree": 2, "columns": 3}, most=100)  # 3 + 6
    9
    >>> count_features({"map": "polynomial", "degree": 30, "columns": 10**9}, most=100) > 100
    True
    """
    counters: dict[str, Callable[[], int]] = {
        "numbers": lambda: int(saved["columns"]),
        "image": lambda: math.prod(saved["shape"]),
        "scale": lambda: len(saved["mean"]),
        "radial": lambda: len(saved["centres"]),
        "text": lambda: count_words(saved),
        "polynomial": lambda: count_products(saved["columns"], saved["degree"], most),
        "table": lambda: count_table(saved, most),
    }
    return counters[saved["map"]]()


def count_products(columns: int, degree: int, most: int) -> int:
    """C(columns + degree, degree) − 1 products of up to `degree` columns, counted no further than beyond `most`."""
    total, larger = 1, max(columns, degree)
    for k in range(1, min(columns, degree) + 1):
        total = total * (larger + k) // k
        if total - 1 > most:
            break
    return total - 1


def count_words(saved: dict[str, Any]) -> int:
    return len(saved["words"]) if saved["hashing"] is None else 1 << saved["hashing"]


def count_table(saved: dict[str, Any], most: int) -> int:
    """The features of a table: those of its columns, then those of its products; hashed ones share their places."""
    columns = {column["name"]: column for column in saved["columns"]}
    hashed, every = saved["hashing"] is not None, saved["products"] == "all"
    total = sum(number_size(column["number"]) for column in columns.values() if "number" in column)
    total += sum(count_words(one["words"]) for one in saved.get("texts", ())) + len(saved.get("grown", ()))
    total += 0 if hashed else sum(category_size(column) for column in columns.values() if "category" in column)
    categories = sum("category" in column for column in columns.values())
    number_of_products = math.comb(len(columns), 2) if every else len(saved["products"])
    if hashed and number_of_products > MOST_HASHED_PRODUCTS:
        raise SchemaError(f"feature_map has {number_of_products:,} hashed products, of at most {MOST_HASHED_PRODUCTS:,}")
    if not hashed and total + number_of_products > most:  # each is one feature at least
        return total + number_of_products
    letters_of = {name: sum(map(len, column.get("category", {}).get("values", ()))) for name, column in columns.items()}
    # A long column name times many values is no table of anybody's, and would take more room than the whole file.
    letters = 0 if hashed else sum(category_size(c) * len(name) for name, c in columns.items() if "category" in c)
    letters += sum(number_size(c["number"]) * len(name) for name, c in columns.items() if "number" in c)
    limit = 2**24 + 4 * sum(len(name) + letters_of[name] for name in columns) + 256 * most
    pairs, names = iter(saved["pairs"]), combinations(columns, 2) if every else map(tuple, saved["products"])
    for a, b in names:
        if total > most or letters > limit:
            break
        with_category = [column for column in (columns[a], columns[b]) if "category" in column]
        size, of_values = 1, 0
        if with_category and hashed:
            continue
        if len(with_category) == 1:
            size, of_values = category_size(with_category[0]), letters_of[with_category[0]["name"]]
        elif with_category:
            size = len(_pair_keys(next(pairs, None), columns[a], columns[b]))
        total, letters = total + size, letters + size * (len(a) + len(b)) + of_values
    if letters > limit:
        raise SchemaError("the names of its features are longer than its columns and values explain")
    if total <= most and next(pairs, None) is not None:
        raise SchemaError("feature_map.pairs are more than there are products of values")
    if hashed and categories:
        total += 1 << saved["hashing"]
    return total


def _pair_keys(keys: list[int] | None, a: dict[str, Any], b: dict[str, Any]) -> list[int]:
    """The pairs of values of two columns: each is (code of a) · (number of values of b) + (code of b), in order."""
    end = category_size(a) * category_size(b)
    if keys is None or a is b or any(low >= high for low, high in pairwise([-1, *keys, end])):
        raise SchemaError(f"the product of {shown(a['name'])} and {shown(b['name'])} has impossible pairs of values")
    return keys
