"""What all maps have in common: they survive a file, and batches give what the whole gives."""

import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine.rows import OneHot
from rosenblatt.errors import DataError, SettingError
from rosenblatt.features import ImageMap, Notes, NumbersMap, Scale, TableMap, TextMap, from_json
from rosenblatt.features.table.columns import PartSizes
from rosenblatt.learning.learners import Recipe

CELLS = st.none() | st.sampled_from(["a", "b", "ß", "", "1", "01", "1.0", "a=b & c"])
NUMBERS = st.none() | st.sampled_from([0.0, -0.0, 1.0, 2.5, -7.0, 1e9, float("nan")])


@st.composite
def tables(draw):
    n = draw(st.integers(1, 8))
    return pl.DataFrame(
        {
            "c": pl.Series(draw(st.lists(CELLS, min_size=n, max_size=n)), dtype=pl.String),
            "n": pl.Series(draw(st.lists(NUMBERS, min_size=n, max_size=n)), dtype=pl.Float64),
            "i": pl.Series(draw(st.lists(st.none() | st.integers(0, 3), min_size=n, max_size=n)), dtype=pl.Int64),
            "b": pl.Series(draw(st.lists(st.none() | st.booleans(), min_size=n, max_size=n)), dtype=pl.Boolean),
        }
    )


OPTIONS = st.fixed_dictionaries(
    {
        "numeric": st.sampled_from(["number", "category", "both"]),
        "scale": st.booleans(),
        "products": st.sampled_from([[], "all", [("c", "n"), ("i", "b")]]),
        "hashing": st.none() | st.sampled_from([2, 12]),
        "per_column": st.sampled_from([{}, {"i": "category"}, {"b": "number"}]),
    }
)


def dense(X):
    return X if isinstance(X, np.ndarray) else X.toarray()


def through_a_file(learned):
    return from_json(json.loads(json.dumps(learned.to_json())))


def assert_same_bits(a, b):
    assert type(a) is type(b)
    if isinstance(a, OneHot):
        a, b = a.columns, b.columns
    if sp.issparse(a):
        assert a.indices.tobytes() == b.indices.tobytes()
        assert a.indptr.tobytes() == b.indptr.tobytes()
        a, b = a.data, b.data
    assert a.tobytes() == b.tobytes()


@given(tables(), tables(), OPTIONS)
def test_a_table_map_is_the_same_after_a_file(train, later, options):
    table = TableMap(**options).fit(train)
    again = through_a_file(table)
    assert json.dumps(again.to_json()) == json.dumps(table.to_json())
    assert (again.names, again.n_features) == (table.names, table.n_features)
    assert len(table.names) == table.n_features
    assert_same_bits(again.transform(later), table.transform(later))
    assert again.notes == table.notes


@given(tables(), tables(), OPTIONS, st.integers(1, 3))
def test_batches_of_a_table_give_what_the_whole_gives(train, later, options, size):
    table = TableMap(**options).fit(train)
    whole, notes = table.transform(later), table.notes
    parts, added = [], Notes()
    for start in range(0, len(later), size):
        parts.append(dense(table.transform(later[start : start + size])))
        added += table.notes
    assert np.concatenate(parts).tobytes() == dense(whole).tobytes()
    assert added == notes


@given(tables(), tables(), OPTIONS)
def test_parts_inside_transform_leave_no_trace(train, later, options):
    table = TableMap(**options).fit(train)
    whole = table.transform(later)
    sizes = PartSizes(rows=3, rows_per_value=0)
    assert_same_bits(table.transform(later, sizes), whole)
    assert TableMap(**options).fit(train, sizes).to_json() == table.to_json()


@given(tables(), OPTIONS)
def test_training_rows_hold_nothing_unseen_and_no_feature_is_empty(train, options):
    table = TableMap(**options).fit(train)
    X = dense(table.transform(train))
    assert not table.notes.unseen
    assert np.isfinite(X).all()
    if options["hashing"] is None:
        binary = [k for k, name in enumerate(table.names) if ("=" in name or "missing" in name) and " & " not in name]
        assert (X[:, binary].max(axis=0) == 1).all()


TEXTS = st.lists(st.text(alphabet="aAbé' 1", max_size=10), min_size=1, max_size=6)


@given(TEXTS, TEXTS, st.integers(1, 3), st.sampled_from([None, 3]))
def test_a_text_map_survives_a_file_and_batches(train, later, ngrams, hashing):
    texts = TextMap(ngrams=ngrams, hashing=hashing).fit([*train, "a word"])
    again = through_a_file(texts)
    assert (again.to_json(), again.names) == (texts.to_json(), texts.names)
    whole = texts.transform(later)
    assert_same_bits(again.transform(later), whole)
    assert again.notes == texts.notes
    assert (sp.vstack([texts.transform([message]) for message in later]) != whole).nnz == 0


def test_the_lectures_image_sizes():
    # LECTURES O8: 28×28 → 784, 23×23×3 → 1587
    assert ImageMap().fit(np.zeros((1, 28, 28), np.uint8)).n_features == 784
    assert ImageMap().fit(np.zeros((1, 23, 23, 3), np.uint8)).n_features == 1587


def test_pixels_lie_between_0_and_1_row_after_row():
    images = np.random.default_rng(0).integers(0, 256, size=(6, 5, 4, 3), dtype=np.uint8)
    images[0, 0, 0, 0], images[1, 3, 2, 1] = 0, 255
    pixels = ImageMap().fit(images)
    X = pixels.transform(images)
    assert X.dtype == np.float32
    assert (X.min(), X.max()) == (0, 1)
    assert X[1, pixels.names.index("pixel 3,2 green")] == 1
    for i, r, c, k in np.ndindex(images.shape):
        assert X[i, (r * 4 + c) * 3 + k] == np.float32(int(images[i, r, c, k]) / 255)
    assert_same_bits(through_a_file(pixels).transform(images), X)
    assert ImageMap().fit(np.zeros((1, 2, 1, 2), np.uint8)).names == [
        f"pixel {i},0 channel {c}" for i in (0, 1) for c in (0, 1)
    ]
    assert ImageMap().fit(np.zeros((1, 1, 1, 1), np.uint8)).names == ["pixel 0,0"]


def test_images_of_another_size_or_type_are_refused():
    with pytest.raises(DataError, match="5 × 5: training had 4 × 4"):
        ImageMap().fit(np.zeros((2, 4, 4), np.uint8)).transform(np.zeros((2, 5, 5), np.uint8))
    for rows in (np.zeros((2, 4, 4)), np.zeros((2, 4), np.uint8), [[1]]):
        with pytest.raises(DataError, match="Expected images as bytes"):
            ImageMap().fit(rows)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 100))
def test_sparse_numbers_get_the_width_that_training_had(trained, later, seed):
    X = sp.random(5, later, density=0.5, format="csr", dtype=np.float32, rng=np.random.default_rng(seed))
    numbers = NumbersMap().fit(sp.csr_matrix((2, trained), dtype=np.float32))
    made = through_a_file(numbers).transform(X)
    expected = np.zeros((5, trained))
    expected[:, : min(trained, later)] = X.toarray()[:, :trained]
    assert (made.toarray() == expected).all()
    numbers.transform(X)
    dropped = {f"column {j}": int(c) for j, c in enumerate((X.toarray() != 0).sum(axis=0)) if j >= trained and c}
    assert numbers.notes == Notes(rows=5, unseen=dropped)


def test_sparse_numbers_are_not_copied():
    X = sp.random(5, 4, density=0.5, format="csr", dtype=np.float32, rng=np.random.default_rng(0))
    for width in (4, 9):
        made = NumbersMap().fit(sp.csr_matrix((1, width))).transform(X)
        assert np.shares_memory(made.data, X.data)
        assert np.shares_memory(made.indices, X.indices)
        assert made.shape == (5, width)
    assert NumbersMap().fit(X).names == ["column 0", "column 1", "column 2", "column 3"]
    dense = np.eye(3)[:, :2]
    assert NumbersMap().fit(np.eye(2)).transform(dense) is dense
    assert NumbersMap().fit(np.eye(3)).transform(dense).toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    with pytest.raises(DataError, match="list"):
        NumbersMap().fit([[1, 2]])


def test_a_scale_survives_a_file():
    X = np.random.default_rng(0).normal(size=(9, 3))
    scale = Scale().fit(X)
    again = through_a_file(scale)
    assert again.names == ["column 0", "column 1", "column 2"]
    assert_same_bits(again.transform(X), scale.transform(X))


def test_every_kind_of_rows_has_its_map():
    kinds = {"table": TableMap, "text": TextMap, "sparse": NumbersMap, "images": ImageMap}
    for kind, expected in kinds.items():
        assert type(Recipe().feature_map(kind)) is expected
    assert Recipe(features={"numeric": "both"}).feature_map("table").numeric == "both"
    with pytest.raises(SettingError, match="A feature map of images has no option 'ngrams'"):
        Recipe(features={"ngrams": 2}).feature_map("images")


@pytest.mark.parametrize(
    "saved",
    [None, {}, {"map": "sound"}, {"map": ["table"]}, {"map": "table"}, {"map": "image"}, {"map": "text", "words": 3}],
)
def test_a_damaged_map_is_refused(saved):
    with pytest.raises(DataError, match="feature map"):
        from_json(saved)


@pytest.mark.parametrize(
    "damage",
    [
        {"columns": [{"name": "a", "category": {}}]},
        {"columns": [{"name": "a", "category": {"type": "text", "values": [1], "missing": False}}]},
        {"columns": [{"name": "a", "category": {"type": "sound", "values": ["x"], "missing": False}}]},
        {"columns": [{"name": "a", "number": {"mean": "x", "sd": 1.0, "missing": False}}]},
        {"columns": [{"name": 3}]},
        {"columns": 7},
        {"pairs": []},
        {"pairs": [[1], [1]]},
        {"pairs": [[-1]]},
        {"pairs": [[1, 0]]},
        {"pairs": [[99]]},
        {"numeric": "x"},
        {"hashing": 99},
    ],
)
def test_a_damaged_table_map_is_refused(damage):
    saved = TableMap(products="all").fit({"a": ["x", "y"], "b": ["u", "v"]}).to_json()
    assert from_json(saved).n_features == 6
    with pytest.raises(DataError, match="feature map"):
        from_json(saved | damage)


def test_importing_the_maps_is_light():
    code = "import sys, rosenblatt.features; print([m for m in ('polars', 'sklearn', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_hashes_do_not_change_with_the_process():
    code = "from rosenblatt.features import TextMap; print(TextMap(hashing=20).transform(['a b c']).indices.tolist())"
    environment = os.environ | {"PYTHONHASHSEED": "1"}  # Python's own hash() differs there from what it is here
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, env=environment).stdout
    assert other.strip() == str(TextMap(hashing=20).transform(["a b c"]).indices.tolist())


def test_several_columns_may_have_missing_values():
    table = pl.DataFrame({"a": ["x", None, "y"], "b": [None, "u", "v"], "c": [None, None, "w"]})
    made = TableMap().fit(table)
    assert made.names == ["a=x", "a=y", "a is missing", "b=u", "b=v", "b is missing", "c=w", "c is missing"]
    expected = [[1, 0, 0, 0, 0, 1, 0, 1], [0, 0, 1, 1, 0, 0, 0, 1], [0, 1, 0, 0, 1, 0, 1, 0]]
    assert made.transform(table).toarray().tolist() == expected


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1.0, 2.0**1021, 2.0**600, 2.0**-600, 2.0**-1070])
def test_rows_of_any_size_are_divided_by_their_length(unit):
    X = sp.csr_matrix(np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -2.0]]) * unit)
    numbers = NumbersMap("unit").fit(X)
    np.testing.assert_allclose(numbers.transform(X).toarray(), [[0.6, 0.8, 0], [0, 0, 0], [0, 0, -1]], rtol=1e-15)
    beside = sp.csr_matrix(np.array([[3.0, 4.0, 0.0], [unit, 0.0, 0.0]]))  # what stands beside a row changes nothing
    assert numbers.transform(beside).toarray()[0].tobytes() == numbers.transform(beside[:1]).toarray()[0].tobytes()
