"""Tables: what the features are, and that they stay the same in every later file."""

import json
import os
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.errors import DataError, NotFiniteError, SettingError
from rosenblatt.features import TableMap
from rosenblatt.features.table.blocks import CategoryProduct
from rosenblatt.features.table.columns import PartSizes

PEOPLE = pl.DataFrame(
    {
        "sector": ["Private", "Federal-gov", None, "Private"],
        "age": [50, 38, 38, 20],
        "married": [True, False, None, True],
    }
)


FIELDS = ["age", "sector", "education", "marital", "occupation", "race", "sex", "hours", "country", "target"]


def income(part="income.train.txt.5k"):
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder:
        pytest.skip("ROSENBLATT_DATA is not set")
    table = pl.read_csv(Path(folder) / "income" / part, has_header=False)
    table.columns = FIELDS
    return table.drop("target")


def test_income_with_all_fields_as_categories_has_the_lectures_230_features():
    table = TableMap(numeric="category").fit(income())
    X = table.transform(income())
    assert isinstance(X, OneHot)
    assert X.columns.shape == (5000, 9)
    assert table.n_features == len(table.names) == len(set(table.names)) == 230


def test_income_agrees_with_scikit_learn_on_values_never_seen_in_training():
    train, dev = income(), income("income.dev.txt")
    texts = [frame.cast(pl.String).to_numpy() for frame in (train, dev)]
    peer = OneHotEncoder(handle_unknown="ignore").fit(texts[0])
    table = TableMap(numeric="category").fit(train)
    X = table.transform(dev)
    # Numbers are in the order of numbers here, in the order of texts there.
    names = [f"{field}={value}" for field, values in zip(train.columns, peer.categories_, strict=True) for value in values]
    order = [names.index(name) for name in table.names]
    assert sorted(order) == list(range(230))
    assert (X.toarray() == peer.transform(texts[1]).toarray()[:, order]).all()
    assert sum(table.notes.unseen.values()) == 9 * 1000 - X.nnz


def test_values_are_features_in_sorted_order_and_missing_is_one_of_them():
    table = TableMap(numeric="category").fit(PEOPLE)
    assert table.names == [
        *("sector=Federal-gov", "sector=Private", "sector is missing"),
        *("age=20", "age=38", "age=50"),
        *("married=false", "married=true", "married is missing"),
    ]
    assert table.transform(PEOPLE).columns.tolist() == [[1, 5, 7], [0, 4, 6], [2, 4, 8], [1, 3, 7]]
    assert table.transform(PEOPLE).columns.dtype == np.int32


def test_one_hot_codes_equal_scikit_learns_encoder():
    rng = np.random.default_rng(0)
    columns = {f"c{j}": [f"v{k}" for k in rng.integers(0, size, 500)] for j, size in enumerate((2, 7, 90))}
    table = pl.DataFrame(columns)
    peer = OneHotEncoder(dtype=np.float32).fit_transform(table.to_numpy())
    assert (TableMap().fit(table).transform(table).toarray() == peer.toarray()).all()


def test_numbers_equal_scikit_learns_standard_scaler():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3)) * [1, 1e-6, 1e6] + [0, 5, 1e9]
    table = pl.DataFrame(X, schema=["a", "b", "c"])
    made = TableMap().fit(table).transform(table)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, StandardScaler().fit_transform(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(TableMap(scale=False).fit(table).transform(table), X.astype(np.float32))


def test_a_missing_number_is_the_mean_of_the_others_and_says_so():
    train = pl.DataFrame({"x": [1.0, None, 3.0, float("nan")], "y": [1.0, 2.0, 3.0, 4.0]})
    plain = TableMap(scale=False).fit(train)
    assert plain.names == ["x", "x is missing", "y"]
    assert plain.transform(train).tolist() == [[1, 0, 1], [2, 1, 2], [3, 0, 3], [2, 1, 4]]
    scaled = TableMap().fit(train).transform(train)
    assert scaled[:, :2].tolist() == [[-1, 0], [0, 1], [1, 0], [0, 1]]


def test_a_number_missing_for_the_first_time_is_the_mean_and_counted():
    table = TableMap(scale=False).fit({"x": [1.0, 3.0]})
    assert table.names == ["x"]
    assert table.transform({"x": [None, 5.0]}).tolist() == [[2], [5]]
    assert table.notes.unseen == {"x": 1}


def test_a_category_missing_for_the_first_time_gives_no_feature_and_is_counted():
    table = TableMap().fit({"x": ["a", "b"]})
    assert table.transform({"x": [None, "b"]}).toarray().tolist() == [[0, 0], [0, 1]]
    assert table.notes.unseen == {"x": 1}


def test_constant_and_all_missing_columns_are_harmless():
    train = pl.DataFrame({"same": [0.1] * 10, "none": pl.Series([None] * 10, dtype=pl.Float64), "null": [None] * 10})
    table = TableMap().fit(train)
    assert table.names == ["same", "none", "none is missing", "null is missing"]
    assert table.transform(train).toarray().tolist() == [[0, 0, 1, 1]] * 10


def test_both_gives_a_number_and_categories_with_one_indicator_of_missing():
    train = pl.DataFrame({"x": [1, 3, None]})
    table = TableMap(numeric="both", scale=False).fit(train)
    assert table.names == ["x", "x=1", "x=3", "x is missing"]
    assert table.transform(train).toarray().tolist() == [[1, 1, 0, 0], [3, 0, 1, 0], [2, 0, 0, 1]]


def test_per_column_choices_override_the_rule():
    train = {"zip": [10, 20], "price": ["1.5", "2.5"], "age": [1, 2]}
    table = TableMap(scale=False, per_column={"zip": "category", "price": "number"}).fit(train)
    assert table.names == ["zip=10", "zip=20", "price", "age"]
    assert table.transform(train).toarray().tolist() == [[1, 0, 1.5, 1], [0, 1, 2.5, 2]]


def test_scaling_never_touches_the_binaries():
    X = TableMap(scale=True).fit(PEOPLE).transform(PEOPLE)
    names = np.array(TableMap(scale=True).fit(PEOPLE).names)
    assert set(X.toarray()[:, names != "age"].ravel()) == {0.0, 1.0}


def test_columns_come_in_any_order_and_extra_ones_are_ignored_with_a_note():
    table = TableMap().fit(PEOPLE)
    shuffled = PEOPLE.select("married", pl.lit(7).alias("id"), "age", "sector")
    assert (table.transform(shuffled).toarray() == table.transform(PEOPLE).toarray()).all()
    table.transform(shuffled)
    assert table.notes.ignored == ("id",)
    assert table.notes.sentences() == ["Columns that were not there in training are ignored: id."]


def test_missing_columns_are_an_error_that_names_them():
    with pytest.raises(DataError, match=r"lacks 'sector', 'age', which training had\. It has 'married'"):
        TableMap().fit(PEOPLE).transform(PEOPLE.select("married"))


def test_unseen_values_are_counted_per_column_and_the_rest_of_the_row_still_counts():
    table = TableMap(numeric="category").fit(PEOPLE)
    X = table.transform({"sector": ["State-gov", "Private"], "age": [38, 99], "married": [True, True]})
    assert X.format == "csr"
    assert (X.dtype, X.indices.dtype, X.indptr.dtype) == (np.float32, np.int32, np.int32)
    assert [X[k].indices.tolist() for k in range(2)] == [[4, 7], [1, 7]]
    assert table.notes.unseen == {"sector": 1, "age": 1}
    assert "sector: 1 value in 2 rows was never seen in training" in table.notes.sentences()[0]


@pytest.mark.parametrize(
    "later",
    [
        pl.Series([40, 7, None]),
        pl.Series([40, 7, None], dtype=pl.UInt8),
        pl.Series([40.0, 7.0, float("nan")]),
        pl.Series([40.0, 7.0, None], dtype=pl.Float32),
        pl.Series(["40", "7", None]),
        pl.Series(["40.0", " 7", "nan"]),
        pl.Series(["40", "7", ""]),
        pl.Series(["40", "7", None], dtype=pl.Categorical),
        pl.Series(["40.00", "7", None]).cast(pl.Decimal(10, 2)),
    ],
)
@pytest.mark.parametrize("hashing", [None, 10])
def test_a_number_is_the_same_category_whatever_type_its_column_came_in(later, hashing):
    first = {"x": [7, 40, None]}
    table = TableMap(numeric="category", hashing=hashing).fit(first)
    a, b = table.transform(first).toarray(), table.transform({"x": later}).toarray()
    assert (a[[1, 0, 2]] == b).all()
    assert not table.notes.unseen


def test_a_column_of_texts_keeps_007_and_7_apart_but_meets_numbers():
    table = TableMap().fit({"x": ["007", "7", "40.0", "A1"]})
    assert table.names == ["x=007", "x=40.0", "x=7", "x=A1"]
    assert table.transform({"x": [7, 40, 1]}).toarray().tolist() == [[0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert table.notes.unseen == {"x": 1}
    # What a file spells 40 a typed column may hold as 40.0, and the other way round; no number prints as 07.
    assert table.transform({"x": ["40", " 40.0", "07", "+7"]}).toarray().tolist() == [[0, 1, 0, 0]] * 2 + [[0] * 4] * 2


def test_booleans_meet_their_texts_in_both_directions():
    table = TableMap().fit({"x": [True, False]})
    assert table.transform({"x": ["True", "false"]}).columns.tolist() == [[1], [0]]
    table = TableMap().fit({"x": ["True", "False", "maybe"]})
    assert table.transform({"x": [True, False]}).columns.tolist() == [[1], [0]]


def test_float32_categories_are_named_as_they_were_written():
    assert TableMap(numeric="category").fit({"x": pl.Series([0.1, 2.5], dtype=pl.Float32)}).names == ["x=0.1", "x=2.5"]


def test_integers_beyond_2_to_the_53_stay_apart():
    table = TableMap(numeric="category").fit({"id": [2**53, 2**53 + 1]})
    assert table.names == [f"id={2**53}", f"id={2**53 + 1}"]


def test_dates_are_categories_by_their_iso_text_where_that_is_said():
    table = TableMap(per_column={"day": "category"}).fit({"day": [date(2020, 2, 1), date(2020, 1, 1)]})
    assert table.names == ["day=2020-01-01", "day=2020-02-01"]
    with pytest.raises(DataError, match="'day' holds Date, which is no number"):
        TableMap(per_column={"day": "number"}).fit({"day": [date(2020, 2, 1)]})


def test_what_cannot_be_read_as_a_number_is_missing_and_counted():
    table = TableMap(scale=False).fit({"x": [1.0, 3.0, None]})
    assert table.transform({"x": ["5", "five", "?", "", None]}).tolist() == [[5, 0], *[[2, 1]] * 4]
    assert table.notes.unreadable == {"x": 1}
    assert table.notes.sentences() == ["x: 1 value was not a number and taken as missing."]


def test_products_of_categories_are_the_pairs_that_training_met():
    train = {"a": ["x", "y", "x"], "b": ["1", "1", None]}
    table = TableMap(products=[("a", "b")], per_column={"b": "category"}).fit(train)
    assert table.names[4:] == ["a=x & b=1", "a=x & b is missing", "a=y & b=1"]
    assert table.transform(train).columns[:, 2].tolist() == [4, 6, 5]
    X = table.transform({"a": ["y", "z"], "b": [None, "1"]})
    assert X.toarray()[:, 4:].sum() == 0
    assert table.notes.unseen == {"a": 1, "a & b": 1}


def test_products_of_numbers_and_of_a_number_with_a_category():
    train = {"n": [2.0, 3.0], "m": [5.0, 7.0], "c": ["x", "y"]}
    table = TableMap(scale=False, products="all").fit(train)
    assert table.names[4:] == ["n & m", "n & c=x", "n & c=y", "m & c=x", "m & c=y"]
    assert table.transform(train).toarray()[:, 4:].tolist() == [[10, 2, 0, 5, 0], [21, 0, 3, 0, 7]]


def test_large_pair_tables_are_looked_up_the_same_way():
    rng = np.random.default_rng(0)
    train, later = ({"a": [f"{k}" for k in rng.integers(0, 9, 60)], "b": rng.integers(0, 9, 60)} for _ in range(2))
    table = TableMap(numeric="category", products="all").fit(train)
    by_table = table.transform(later).toarray()
    for block in table.blocks:
        if isinstance(block, CategoryProduct):
            block.largest_lookup = 0
    assert (table.transform(later).toarray() == by_table).all()
    assert 0 < table.notes.unseen["a & b"] < 60


def test_hashing_keeps_every_name_at_the_place_of_its_digest():
    # b2sum -l 64 of "education=Doctorate" is 0a811af675cc2073: its lowest ten bits, read from the left byte, are 0x10a.
    table = TableMap(hashing=10).fit({"education": ["Doctorate", "HS-grad"], "age": [40, 41]})
    X = table.transform({"education": ["Doctorate"], "age": [40]})
    assert X.shape == (1, 1 + 2**10)
    assert X.indices.tolist() == [0, 1 + 0x10A]
    assert table.names[:2] == ["age", "hash 0"]


def test_hashing_counts_its_collisions_and_adds_up_names_that_meet_in_one_row():
    train = pl.DataFrame({"a": [f"{k}" for k in range(100)], "b": ["x"] * 100})
    taken_as = {"a": "category", "b": "category"}
    table = TableMap(hashing=3, per_column=taken_as).fit(train)
    assert table.collisions == 101 - 8  # 101 names in 8 places, all of which are taken
    X = table.transform(train)
    assert X.format == "csr"
    assert (X.sum(axis=1) == 2).all()
    assert X.max() == 2
    wide = TableMap(hashing=20, per_column=taken_as).fit(train)
    assert wide.collisions == 0
    assert isinstance(wide.transform(train), OneHot)


def test_hashing_products_gives_pairs_and_numbers_their_places():
    train = pl.DataFrame({"a": ["x", "y"], "b": ["u", "v"], "n": [2.0, 3.0]})
    table = TableMap(scale=False, hashing=16, products="all").fit(train)
    assert table.collisions == 0
    X = table.transform(train)
    assert sorted(X[0].data.tolist()) == [1, 1, 1, 2, 2, 2]
    assert len(set(X[0].indices) & set(X[1].indices)) == 1  # only the number n itself
    new = table.transform({"a": ["z"], "b": ["9"], "n": [2.0]})
    assert new.nnz == 6
    assert not table.notes.unseen


@pytest.mark.parametrize("options", [{}, {"numeric": "category"}, {"hashing": 4}, {"products": "all"}, {"numeric": "both"}])
def test_the_loop_reads_every_form(options):
    X = TableMap(**options).fit(PEOPLE).transform(PEOPLE)
    rows = Rows(X)
    dense = X.toarray()
    for i in range(4):
        columns, values = rows.row(i)
        assert dense[i, columns].tolist() == values.tolist()
        assert (np.diff(columns) > 0).all()


def test_names_that_polars_takes_for_patterns_are_only_names():
    train = {"*": ["a", "b"], "^x.*$": ["c", "d"], "": [1, 2]}
    assert TableMap(numeric="category").fit(train).names == ["*=a", "*=b", "^x.*$=c", "^x.*$=d", "=1", "=2"]


def test_pandas_tables_are_read_as_polars_ones():
    assert TableMap().fit(PEOPLE.to_pandas()).names[:3] == ["sector=Federal-gov", "sector=Private", "sector is missing"]


def test_an_infinite_number_is_refused_by_column_and_row():
    table = TableMap().fit({"x": [1.0, 2.0]})
    with pytest.raises(NotFiniteError, match="'x' is -infinity in row 3"):
        table.transform({"x": [1.0, 2.0, 3.0, float("-inf")]}, PartSizes(rows=2))
    with pytest.raises(NotFiniteError, match=r"'x' contains 1e\+60, too large"):
        TableMap(scale=False).fit({"x": [1.0, 1e60]}).transform({"x": [1.0, 1e60]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numeric": "numbers"}, "'numbers'"),
        ({"per_column": {"age": "words"}}, "'words'"),
        ({"hashing": 31}, "31"),
        ({"hashing": True}, "True"),
        ({"products": "some"}, "'some'"),
        ({"products": [("age",)]}, "two column names"),
        ({"products": [("age", "weight")]}, "'weight'"),
        ({"products": [("sector", "sector")]}, "itself"),
        ({"per_column": {"weight": "number"}}, "'weight'"),
    ],
)
def test_settings_that_cannot_be_are_named(options, message):
    with pytest.raises(SettingError, match=message):
        TableMap(**options).fit(PEOPLE)


def test_tables_that_cannot_be_are_named():
    for rows, message in (
        ({}, "0 rows"),
        ({"a": []}, "0 rows"),
        ([1, 2], "got list"),
        ({"a": [[1], [2]]}, r"'a' holds List"),
    ):
        with pytest.raises(DataError, match=message):
            TableMap().fit(rows)
    with pytest.raises(DataError, match="fit it first"):
        TableMap().transform(PEOPLE)


def test_no_rows_give_no_rows():
    table = TableMap(numeric="category").fit(PEOPLE)
    assert table.transform(PEOPLE[:0]).shape == (0, 9)
    assert TableMap().fit(PEOPLE).transform(PEOPLE[:0]).shape == (0, 7)


def test_the_map_is_the_same_bytes_whatever_the_order_of_rows_and_chunks():
    rng = np.random.default_rng(0)
    train = pl.DataFrame({"c": [f"{k}" for k in rng.integers(0, 50, 1000)], "n": rng.integers(0, 9, 1000)})
    once = TableMap(numeric="both", products="all").fit(train)
    chunked = TableMap(numeric="both", products="all").fit(pl.concat([train[:300], train[300:]], rechunk=False))
    assert json.dumps(once.to_json()) == json.dumps(chunked.to_json())
    backwards = TableMap(numeric="category", products="all").fit(train.reverse())
    assert backwards.to_json() == TableMap(numeric="category", products="all").fit(train).to_json()


@given(st.lists(st.one_of(st.none(), st.integers(-60, 60)), min_size=1, max_size=30), st.sampled_from([pl.Int8, pl.Int64]))
def test_whole_numbers_that_lie_close_have_the_codes_of_their_texts(numbers, dtype):
    """As a category each number is a value: what it is found by, its place in an array or its text, does not matter."""
    assume(any(number is not None for number in numbers))
    years = pl.DataFrame({"year": pl.Series(numbers, dtype=dtype)})
    mapping = TableMap(numeric="category", per_column={"year": "category"}).fit(years)
    values = sorted({number for number in numbers if number is not None})
    assert mapping.names == [f"year={value}" for value in values] + ["year is missing"] * (None in numbers)
    expected = [len(values) if number is None else values.index(number) for number in numbers]
    assert mapping.transform(years).columns.ravel().tolist() == expected
    with_others = mapping.transform(pl.DataFrame({"year": [*numbers, 61, 10**6]}))
    assert with_others.indices.tolist() == expected
