"""Attacks on the door for models: files with the right checksum that no rosenblatt wrote."""

import copy
import json
import os
import subprocess
import sys
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.features import from_json
from rosenblatt.features.basis import PolynomialMap, RadialMap
from rosenblatt.features.table.blocks import MOST_HASHED_PRODUCTS
from rosenblatt.learning import model_file
from rosenblatt.learning.examples import text_array
from rosenblatt.learning.map_schema import count_features, verify_map
from rosenblatt.studies.evaluate import evaluate

sys.path.insert(0, str(Path(__file__).parent.parent / "golden"))
sys.path.insert(0, str(Path(__file__).parent))
import golden_models
import model_seeds

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
MUTANTS = 20_000 if FULL else 54  # one of each kind
MEGABYTE = 2**20


@pytest.fixture
def forge(tmp_path):
    """Writes a changed copy of a sound file, with the right checksum: `change` gets the header and the arrays."""

    def forged(kind, change):
        header, arrays = copy.deepcopy(model_file.read(golden_models.FOLDER / f"{kind}.rosenblatt"))
        change(header, arrays)
        path = tmp_path / "forged.rosenblatt"
        path.write_bytes(model_file._pack(header, arrays))
        return path

    return forged


def refused(path, why="holds no classifier"):
    """Loading is refused for this reason."""
    with pytest.raises(rb.ModelFileError, match=why) as refusal:
        rb.load(path)
    assert "the file is whole, but holds no classifier" in str(refusal.value)
    assert len(str(refusal.value)) < 1000


@contextmanager
def little_memory(most=50 * MEGABYTE):
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def setting(*path, value):
    """A change of one value of the header."""

    def change(header, arrays):
        for key in path[:-1]:
            header = header[key]
        header[path[-1]] = value

    return change


# ---- maps that claim more features than there is memory for ----


@pytest.mark.parametrize(
    "claimed",
    [
        {"map": "polynomial", "degree": 30, "columns": 12},  # 11 billion products: took 5 GB and more
        {"map": "polynomial", "degree": 64, "columns": 10**30},
        {"map": "polynomial", "degree": 10**9, "columns": 1},
        {"map": "numbers", "columns": 10**12},
        {"map": "numbers", "columns": 9.0},
        {"map": "numbers", "columns": 0},
        {"map": "scale", "mean": [0.0] * 9, "sd": [1.0] * 8},
        {"map": "scale", "mean": [0.0] * 9, "sd": [-1.0] * 9},
        {"map": "radial", "centres": [[1.0, 2.0]] * 8 + [[1.0]], "width": 1.0},
        {"map": "radial", "centres": [[1.0, 2.0]] * 9, "width": 1e200},
        {"map": "radial", "centres": [[1.0, 2.0]] * 9, "width": 0.0},
        {"map": "image", "shape": [3, 3]},
        {"map": "numbers", "columns": 9, "more": 1},
        {"map": ["numbers"], "columns": 9},
        {"map": "unheard of"},
        [],
        None,
    ],
    ids=str,
)
def test_a_map_that_does_not_go_with_the_weights_is_refused(forge, claimed):
    path = forge("sparse", setting("feature_map", value=claimed))
    with little_memory():
        refused(path, "feature")


@pytest.mark.parametrize(
    "shape", [[10**9, 10**9], [2**32, 2**32], [0, 4], [5, -4], [20], [5, 4, 1, 1], [5.0, 4], "54"], ids=str
)
def test_the_shape_of_images_is_that_of_the_weights(forge, shape):
    refused(forge("images-widrow-hoff", setting("feature_map", "shape", value=shape)), "feature")


@pytest.mark.parametrize("bits", [30, 31, 10**6, -1, 0, True, 5.0])
def test_hashed_places_without_weights_are_refused(forge, bits):
    refused(forge("table-hashed", setting("feature_map", "hashing", value=bits)), "feature")


def test_products_of_many_columns_are_counted_and_not_made(forge):
    def change(header, arrays):
        number = {"mean": 0.0, "sd": 1.0, "missing": False}
        header["feature_map"]["columns"] = [{"name": f"c{j}", "number": number} for j in range(3_000)]
        header["feature_map"]["products"] = "all"

    path = forge("table", change)
    with little_memory():
        refused(path, "weights and features do not match")
    assert run(["explain", str(path), "-q"]) == 3


def with_features(header, arrays, count):
    """Gives weights and counts so many columns."""
    for name in ("last.coef", "averaged.coef", "counts"):
        arrays[name] = np.resize(arrays[name], (len(arrays[name]), count))
    header["summary"]["features"] = count


def test_hashed_products_share_their_places_and_are_limited_by_number(forge):
    def change(header, arrays):
        header["feature_map"]["columns"] = [{"name": f"c{j}", "category": {"type": "text"}} for j in range(2_000)]
        header["feature_map"] |= {"products": "all", "per_column": {}, "hashing": 5}
        with_features(header, arrays, 32)

    path = forge("table-hashed", change)
    with little_memory():
        refused(path, "hashed products, of at most")
    assert run(["predict", str(path), str(golden_models.FOLDER / "things-new.csv"), "-q"]) == 3
    wide = pl.DataFrame({f"c{j}": ["a", "b"] for j in range(300)})
    with pytest.raises(rb.SettingError, match=f"of at most {MOST_HASHED_PRODUCTS:,}: name fewer"):
        rb.features.TableMap(products="all", hashing=5).fit(wide)


def test_a_long_column_name_is_not_repeated_for_every_value(forge):
    def change(header, arrays):
        values = [str(j) for j in range(2_000)]
        column = {"name": "c" * MEGABYTE, "category": {"type": "text", "values": values, "missing": False}}
        header["feature_map"] |= {"columns": [column], "products": [], "pairs": []}
        with_features(header, arrays, 2_000)

    path = forge("table", change)
    with little_memory():
        refused(path, "names of its features are longer")
    assert run(["evaluate", str(path), str(golden_models.FOLDER / "things-new.csv"), "-q"]) == 3


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("columns", 1, "name"), "colour"),
        (("columns", 0, "category", "values"), ["blue", "blue", "red"]),
        (("columns", 0, "category", "values"), ["blue", "green", 3]),
        (("columns", 0, "category", "values"), []),
        (("columns", 0, "category", "type"), "colour"),
        (("columns", 0), {"name": "colour"}),
        (("columns", 2, "number", "sd"), -1.0),
        (("columns", 2, "number", "mean"), float("inf")),
        (("columns", 2, "number", "mean"), 10**400),
        (("columns", 2, "number", "missing"), 0),
        (("columns",), []),
        (("products",), [["colour", "flavour"]]),
        (("products",), [["colour", "colour"]]),
        (("products",), "some"),
        (("pairs",), [[0, 1, 2, 3, 4, 5, 6, 7, 9]]),
        (("pairs",), [[0, 1, 2, 3, 4, 5, 6, 8, 7]]),
        (("pairs",), [[]]),
        (("pairs",), []),
        (("pairs",), [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0]]),
        (("per_column",), {"flavour": "number"}),
        (("per_column",), {"colour": "neither"}),
        (("double",), 1),
        (("scale",), "yes"),
        (("collisions",), -1),
    ],
    ids=str,
)
def test_the_map_of_a_table_is_checked_field_by_field(forge, path, value):
    refused(forge("table-products", setting("feature_map", *path, value=value)), r"feature|column|product|values")


@pytest.mark.parametrize(
    ("key", "value"), [("ngrams", 10**9), ("ngrams", 0), ("words", ["a"] * 126), ("hashing", 3), ("counts", 1)]
)
def test_the_map_of_texts_is_checked_field_by_field(forge, key, value):
    refused(forge("text", setting("feature_map", key, value=value)), r"feature|words")


# ---- arrays ----


@pytest.mark.parametrize("view", ["last", "averaged"])
@pytest.mark.parametrize("shape", [(0,), (2,), (1, 1), (1000,), ()], ids=str)
def test_an_intercept_of_another_shape_is_refused(forge, view, shape):
    refused(forge("table", lambda _, arrays: arrays.update({f"{view}.intercept": np.zeros(shape)})), f"{view}.intercept")


@pytest.mark.parametrize("name", ["last.coef", "averaged.coef", "last.intercept", "class_counts", "counts"])
def test_arrays_have_one_type_one_shape_and_finite_numbers(forge, name):
    def transposed(_, arrays):
        arrays[name] = arrays[name][None]

    def narrow(_, arrays):
        arrays[name] = arrays[name].astype(np.float32)

    def impossible(_, arrays):
        arrays[name].reshape(-1)[-1] = np.nan if arrays[name].dtype.kind == "f" else -1

    for change in (
        transposed,
        narrow,
        impossible,
        lambda _, arrays: arrays.pop(name) if name != "counts" else arrays.clear(),
    ):
        refused(forge("table-three", change), r"the array|weights")


def test_counts_of_more_rows_than_there_are_do_not_take_their_memory(forge):
    path = forge("table-balanced", lambda _, arrays: arrays["class_counts"].fill(2**62))
    refused(path, "more rows than there can be")
    data = rb.read(golden_models.FOLDER / "things-new.csv", target="ripe")
    path = forge("table-balanced", lambda _, arrays: arrays["class_counts"].fill(2**50))  # a np.repeat of them was 8 PB
    assert evaluate(rb.load(path), data, progressive=True).training_mistakes is not None


def log_change(name, change):
    def changed(_, arrays):
        arrays[f"log.{name}"] = change(arrays[f"log.{name}"].copy())

    return changed


def put(place, value):
    def change(array):
        array.reshape(-1)[place] = value
        return array

    return change


@pytest.mark.parametrize("kind", ["table-voted", "sparse-voted", "images", "estimator-random"])
@pytest.mark.parametrize("name", ["t", "row", "rival", "tau", "codes", "numbers", "values"])
def test_every_array_of_the_log_is_checked(forge, kind, name):
    for change in (lambda a: a[:-1], lambda a: a[None], lambda a: a[:0], lambda a: np.concatenate([a, a])):
        refused(forge(kind, log_change(name, change)), "log")
    refused(forge(kind, log_change(name, lambda a: a.astype(np.int64 if a.dtype.kind == "f" else np.float64))), "log")
    refused(forge(kind, log_change(name, put(0, np.nan if name in ("tau", "values") else -2))), "log")
    if name not in ("tau", "values", "numbers"):
        refused(forge(kind, log_change(name, put(-1, 2**31 - 1))), "log")
    refused(forge(kind, lambda _, arrays: arrays.pop(f"log.{name}")), "log")


@pytest.mark.parametrize(("name", "value"), [("indices", 10**6), ("indices", -1), ("indptr", 10**6), ("indptr", -1)])
def test_sparse_rows_of_the_log_point_nowhere_else(forge, name, value):
    for place in (0, 1, -1):
        refused(forge("sparse-voted", log_change(name, put(place, value))), "log|indptr|index|holds no classifier")


@pytest.mark.parametrize("coef", [(1, 8), (2, 9), (9,), (1, 9, 1)], ids=str)
def test_the_weights_that_a_log_starts_from_have_the_shape_of_all(forge, coef):
    def change(_, arrays):
        arrays["log.start.coef"], arrays["log.start.intercept"] = np.zeros(coef), np.zeros(1)

    refused(forge("estimator-random", change), "log.start.coef")
    refused(forge("estimator-random", lambda _, arrays: arrays.update({"log.start.coef": np.zeros((1, 9))})), "missing")


@pytest.mark.parametrize(
    "facts",
    [{"shape": [27, 8]}, {"shape": [2**40, 9]}, {"shape": [0, 9]}, {"last": 2**70}, {"last": -1}, {"rows": "dense"}],
    ids=str,
)
def test_the_facts_of_a_log_are_those_of_its_arrays(forge, facts):
    refused(forge("sparse-voted", lambda header, _: header["log"].update(facts)), "log")


# ---- labels and the rest of the header ----


@pytest.mark.parametrize(
    ("labels", "label_type"),
    [
        (["no", "yes"], "i"),
        ([0, 1], "U"),
        ([0, 1], "b"),
        ([False, True], "i"),
        ([0, 1.5], "O"),
        ([0.5, float("inf")], "f"),
        ([0, 10**30], "i"),
        ([-1, 1], "u"),
        (["yes", "no"], "U"),
        (["no", "no"], "U"),
        (["no"], "U"),
        ([], "U"),
        ("no", "U"),
        ([["no"], ["yes"]], "U"),
        ([None, "yes"], "O"),
        (["no", "yes"], "S"),
        (["no", "yes"], ["U"]),
    ],
    ids=str,
)
def test_labels_are_of_their_type_distinct_and_sorted(forge, labels, label_type):
    def change(header, _):
        header["labels"], header["label_type"], header["summary"]["classes"] = labels, label_type, None

    refused(forge("table", change), "label")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("view",), "best"),
        (("view",), "voted"),
        (("view",), "random"),
        (("view",), "first"),
        (("view",), ["last"]),
        (("kind",), "text"),
        (("kind",), {}),
        (("target",), 3),
        (("zero_based",), 1),
        (("recipe", "epochs"), 0),
        (("recipe", "seed"), -1),
        (("recipe", "order"), "sorted"),
        (("recipe", "learner"), "oracle"),
        (("recipe", "learner"), ["mira"]),
        (("recipe", "parameters"), {"eta0": -1.0}),
        (("recipe", "parameters"), {"eta0": 10**400}),
        (("recipe", "parameters"), {"C": 1.0}),
        (("recipe", "features"), {"hashing": 99}),
        (("recipe", "features"), {"bits": 9}),
        (("recipe", "features"), {"per_column": 5}),
        (("recipe", "class_weight"), [[["no"], 1.0]]),
        (("recipe", "class_weight"), [["no", -1.0]]),
        (("recipe", "class_weight"), [["no"]]),
        (("recipe", "tol"), float("inf")),
        (("recipe", "more"), 1),
        (("recipe",), None),
        (("summary",), []),
        (("summary", "updates"), float("inf")),
        (("summary", "features"), 12),
        (("summary", "classes"), ["a", "b"]),
        (("summary", "dev_error"), "low"),
        (("summary", "dev_error"), {"worst": 0.5}),
        (("summary", "train_error"), 2.0),
        (("history",), {}),
        (("history", 0), {}),
        (("history", 0, "examples"), 2**60),
        (("history", 0, "norm"), -1.0),
        (("history", 0, "more"), 1),
    ],
    ids=str,
)
def test_every_field_of_the_header_is_checked(forge, path, value):
    refused(forge("table", setting(*path, value=value)))


@pytest.mark.parametrize(
    "names",
    [
        ["colour", "taste", "size", "weight", "shape"],  # no target
        ["colour", "taste", "size", "ripe", "shape"],  # a column of the table lacks
        ["colour", "taste", "size", "weight", "ripe", "shape", "shape"],
        [],
    ],
    ids=len,
)
def test_the_columns_of_a_file_without_names_are_those_of_the_table(forge, names):
    known = ["colour", "taste", "size", "weight", "ripe", "shape"]
    assert rb.load(forge("table", setting("file_columns", value=known))).training_names.in_file == tuple(known)
    refused(forge("table", setting("file_columns", value=names)), "file_columns")


@pytest.mark.parametrize(
    "key", ["labels", "label_type", "feature_map", "view", "kind", "target", "recipe", "summary", "history"]
)
def test_no_field_of_the_header_may_be_missing(forge, key):
    refused(forge("table", lambda header, _: header.pop(key)))


@pytest.mark.parametrize("count", ["examples", "features", "epochs", "updates"])
def test_a_report_leaves_out_counts_that_a_file_does_not_have(forge, count, tmp_path):
    page = tmp_path / "report.html"
    assert run(["report", str(forge("table", setting("summary", count, value=None))), "-o", str(page)]) == 0
    assert "None" not in page.read_text("utf-8")


def test_what_a_newer_release_may_add_is_passed_over(forge):
    def change(header, arrays):
        header["written_by"] = header["summary"]["weather"] = "fine"
        arrays["more"] = np.zeros(3)

    assert rb.load(forge("table", change)).view == "averaged"


# ---- long labels ----


def test_a_thousand_labels_of_which_one_is_long_take_little_memory(forge, tmp_path):
    labels = sorted([f"label {j}" for j in range(999)] + ["x" * 10**6])

    def change(header, arrays):
        header["labels"] = labels
        header["summary"]["classes"] = None
        for name in list(arrays):
            arrays[name] = np.resize(arrays[name], (1000, *arrays[name].shape[1:]))

    path = forge("sparse-logistic", change)
    header, arrays = model_file.read(path)
    header["label_type"] = "U"
    path.write_bytes(model_file._pack(header, arrays))
    data = rb.read(golden_models.FOLDER / "counts3-new.libsvm", zero_based=True)
    again = tmp_path / "again.rosenblatt"
    with little_memory():  # as an array of texts they took 4 GB
        model = rb.load(path)
        predicted = model.predict(data.rows)
        model.save(again)
        assert rb.load(again).classes.tolist() == labels
    assert model.classes.dtype == object
    assert set(predicted) <= set(labels)


def test_long_labels_are_learned_saved_and_evaluated_as_short_ones_are(tmp_path, capsys):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    names = np.array(["no", "yes"])[(x > 0).astype(int)]
    long = ["yes" * 1000 if name == "yes" else name for name in names]
    short_model = rb.learn(rb.data.Dataset("table", pl.DataFrame({"x": x}), pl.Series("y", names), "short"))
    data = rb.data.Dataset("table", pl.DataFrame({"x": x}), pl.Series("y", long), "long")
    model = rb.learn(data)
    assert model.classes.dtype == object
    model.save(tmp_path / "m.rosenblatt")
    loaded = rb.load(tmp_path / "m.rosenblatt")
    for trained in (model, loaded):
        np.testing.assert_array_equal(trained.scores(data.rows), short_model.scores(data.rows))
        assert [label[:3] for label in trained.predict(data.rows)] == short_model.predict(data.rows).tolist()
        assert evaluate(trained, data).measures.errors == 0
    trained = rb.train(x[:, None], long)
    assert trained.classes.dtype == object
    assert trained.view("last").predict([[1.0]]).tolist() == ["yes" * 1000]


def test_labels_that_differ_by_a_nul_stay_two():
    assert text_array(["a", "a\0"]).tolist() == ["a", "a\0"]


@given(st.lists(st.text(), max_size=5))
def test_texts_come_back_from_their_array(texts):
    assert text_array(texts).tolist() == texts


# ---- the formula for the number of features ----


@pytest.mark.parametrize("kind", [*golden_models.TRAINED, *golden_models.ESTIMATORS])
def test_the_formula_counts_the_features_of_every_old_file(kind):
    header, arrays = model_file.read(golden_models.FOLDER / f"{kind}.rosenblatt")
    verify_map(header["feature_map"], header["kind"])
    d = header["dual"]["shape"][1] if "dual" in header else arrays["last.coef"].shape[1]
    assert count_features(header["feature_map"], d) == len(from_json(header["feature_map"]).names) == d


cells = st.lists(st.sampled_from(["a", "b", None]), min_size=3, max_size=3)
number_cells = st.lists(st.sampled_from([1.0, 2.5, None]), min_size=3, max_size=3).filter(any)
tables = st.dictionaries(st.sampled_from("pqrs"), cells.filter(any) | number_cells, min_size=1)


@given(tables, st.sampled_from(["number", "category", "both"]), st.sampled_from(["all", ()]), st.none() | st.integers(1, 4))
def test_the_formula_counts_the_features_of_tables(columns, numeric, products, hashing):
    table = rb.features.TableMap(numeric=numeric, products=products, hashing=hashing).fit(pl.DataFrame(columns))
    saved = json.loads(json.dumps(table.to_json()))
    verify_map(saved, "table")
    assert count_features(saved, 10**9) == table.n_features == len(from_json(saved).names)


@given(st.integers(1, 6), st.integers(1, 5))
def test_the_formula_counts_the_products_of_a_polynomial(columns, degree):
    mapping = PolynomialMap(degree).fit(np.zeros((1, columns)))
    assert count_features(mapping.to_json(), 10**9) == mapping.n_features == len(mapping.products)


def test_a_radial_map_is_read_without_fitting():
    mapping = RadialMap(centres=3, seed=1).fit(np.random.default_rng(0).normal(size=(9, 2)))
    X = np.random.default_rng(1).normal(size=(4, 2))
    np.testing.assert_array_equal(RadialMap.from_json(mapping.to_json()).transform(X), mapping.transform(X))
    many = {"map": "radial", "centres": [[float(j)] for j in range(20_000)], "width": 1.0}  # 200 million distances
    with little_memory():
        assert RadialMap.from_json(many).n_features == 20_000


@pytest.mark.parametrize("words", range(1, 6))
def test_longer_runs_of_words_than_there_are_words_are_none(words):
    texts = rb.features.TextMap(ngrams=8).fit([" ".join("abcde"[:words])])
    assert len(texts.words) == words * (words + 1) // 2


# ---- files changed at random ----


def sound_files(folder):
    """Every old model file and those of today's code, with the rows to predict and how they are read."""
    files = model_seeds.write(folder)
    for kind in (*golden_models.TRAINED, *golden_models.ESTIMATORS):
        file, reading = golden_models.rows_to_predict(kind)
        files[str(golden_models.FOLDER / f"{kind}.rosenblatt")] = str(golden_models.FOLDER / file), reading
    return json.dumps(files)


def test_mutants_are_refused_or_work(tmp_path):
    """In a process of their own: one that reads outside the heap brings down only that."""
    script = Path(__file__).parent / "model_mutants.py"
    first = 0 if FULL else int.from_bytes(os.urandom(3), "little") + 20_000
    with open(tmp_path / "progress", "w+") as progress:
        command = [sys.executable, str(script), str(first), str(first + MUTANTS)]
        done = subprocess.run(
            command, input=sound_files(tmp_path), stdout=subprocess.PIPE, stderr=progress, text=True, check=False
        )
        progress.seek(0)
        last = progress.read().splitlines()[-3:]
    *failures, counts = done.stdout.splitlines() or [""]
    assert done.returncode == 0, f"it died with {done.returncode} at {last}"
    assert failures == []
    assert json.loads(counts)["loaded"] > MUTANTS / 20
