"""Numbers with features for frequent values and for quantile bins of the others; and whether learning gains by them."""

import io

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import make_moons

from rosenblatt import learn, load, read
from rosenblatt.cli import run
from rosenblatt.cli.output import print_trials
from rosenblatt.errors import ModelFileError
from rosenblatt.features import TableMap, from_json
from rosenblatt.features.notes import FeatureTrial
from rosenblatt.features.table.bins import (
    FEWEST_ROWS,
    MOST_BINS,
    MOST_VALUES,
    ROWS_PER_BIN,
    ROWS_PER_VALUE,
    SAMPLED_ROWS,
    Bins,
    sampled_rows,
    values_and_counts,
)
from rosenblatt.features.table.variants import without_bins
from rosenblatt.learning import model_file

numbers = st.one_of(st.floats(-1e300, 1e300), st.integers(-5, 5).map(float), st.sampled_from([0.0, -0.0, 5e-324, 1e-300]))


@given(st.lists(numbers, min_size=1, max_size=60), st.integers(1, 40), st.lists(numbers, max_size=20))
def test_a_number_is_its_frequent_value_or_in_the_first_bin_that_does_not_end_below_it(x, times, others):
    column = np.array(x * times)
    bins = Bins.fit("x", column)
    values, counts = np.unique(column, return_counts=True)
    if bins is None:
        assert len(column) < FEWEST_ROWS or len(values) <= 2 or counts.max() < ROWS_PER_VALUE
        return
    assert bins.values == [value for value, count in zip(values, counts, strict=True) if count >= ROWS_PER_VALUE]
    assert len(bins.edges) < MOST_BINS
    for number, code in zip([*x, *others], bins.codes(np.array([*x, *others])).tolist(), strict=True):
        if number in bins.values:
            assert code == bins.values.index(number)
        else:
            assert code == len(bins.values) + sum(edge < number for edge in bins.edges)
    assert bins.size == len(bins.names) == len(set(bins.names))
    assert bins.codes(np.array([np.nan])).tolist() == [-1]


@given(st.lists(st.one_of(numbers, st.integers(-(10**6), 10**6).map(lambda whole: whole / 1000)), min_size=1), st.booleans())
@example([2.0**63], False)  # no whole number of 64 bits
@example([-(2.0**63), -(2.0**63)], False)
def test_values_are_counted_as_numpy_counts_them(x, few_decimals):
    column = np.round(np.clip(x, -50, 50), 2) if few_decimals else np.array(x)
    values, counts = values_and_counts(column)
    expected = np.unique(column, return_counts=True)
    assert values.tolist() == expected[0].tolist()
    assert counts.tolist() == expected[1].tolist()


@given(st.integers(FEWEST_ROWS, 3000))
def test_bins_of_different_numbers_hold_as_many_rows_each_and_never_few(rows):
    x = np.random.default_rng(rows).permutation(rows) / 7
    bins = Bins.fit("x", x)
    held = np.bincount(bins.codes(x))
    assert not bins.values
    assert len(held) == min(MOST_BINS, rows // ROWS_PER_BIN)
    assert held.min() >= ROWS_PER_BIN - 1
    assert np.ptp(held) <= 1


def test_few_rows_and_two_values_have_no_bins():
    assert Bins.fit("x", np.arange(FEWEST_ROWS - 1.0)) is None
    assert Bins.fit("x", np.repeat([0.0, 1.0], 500)) is None


def test_among_many_values_those_that_stand_out_have_features_and_no_more_than_allowed():
    flat = np.arange(2000.0)
    assert Bins.fit("x", np.repeat(flat, 6)).values == []  # as common as all others
    assert Bins.fit("x", np.append(np.repeat(flat, 6), [7.0] * 30)).values == [7.0]
    many = np.append(flat, np.repeat(flat[: MOST_VALUES + 1], np.where(flat[: MOST_VALUES + 1] < 50, 90, 80)))
    assert Bins.fit("x", many).values == flat[:50].tolist()  # the others tie, and are too many


def test_the_rows_that_are_looked_at_are_the_same_in_whatever_parts_the_table_comes():
    assert sampled_rows(SAMPLED_ROWS) is None
    few, many = sampled_rows(3 * SAMPLED_ROWS), sampled_rows(4 * SAMPLED_ROWS)
    assert abs(len(few) / SAMPLED_ROWS - 0.75) < 0.02
    np.testing.assert_array_equal(many[: len(few)], few)
    assert abs(np.mean(few % 2) - 0.5) < 0.01  # not every other row, which may be all of one kind


def table(rows=400):
    rng = np.random.default_rng(0)
    x = rng.normal(size=rows).round(2)
    return pl.DataFrame(
        {
            "x": [None if gone else value for gone, value in zip(rng.random(rows) < 0.1, x.tolist(), strict=True)],
            "kind": rng.choice(["a", "b"], rows),
        }
    )


def test_a_map_with_bins_is_the_same_after_saving_and_reads_texts_as_numbers():
    rows = table()
    mapping = TableMap(numeric="bins").fit(rows)
    again = from_json(mapping.to_json())
    assert again.names == mapping.names
    assert any("< x ≤" in name for name in mapping.names)
    X = mapping.transform(rows)
    assert (again.transform(rows.with_columns(pl.col("x").cast(pl.String))) != X).nnz == 0
    bins = [j for j, name in enumerate(mapping.names) if "x" in name and name not in ("x", "x is missing")]
    np.testing.assert_array_equal(X[:, bins].sum(axis=1).A1, rows["x"].is_not_null().to_numpy())
    plain = without_bins(mapping)
    assert plain.names == TableMap().fit(rows).names
    assert (plain.transform(rows) != TableMap().fit(rows).transform(rows)).nnz == 0


def moons(rows=2000):
    X, y = make_moons(rows, noise=0.2, random_state=0)
    return "a,b,y\n" + "".join(f"{a:.4f},{b:.4f},{'yes' if label else 'no'}\n" for (a, b), label in zip(X, y, strict=True))


def test_learning_takes_bins_where_a_curve_separates_and_none_where_labels_are_a_coin():
    curved = read(io.BytesIO(moons().encode()), target="y")
    model = learn(curved)
    assert model.features.trials["bins"].chosen
    assert model.features.trials["bins"].error_with < model.features.trials["bins"].error_without - 0.03
    assert model.summary.train_error < learn(curved, features={"numeric": "number"}).summary.train_error - 0.03
    rng = np.random.default_rng(1)
    coin = "a,b,y\n" + "".join(f"{a:.3f},{b:.3f},{rng.choice(['x', 'y'])}\n" for a, b in rng.normal(size=(1000, 2)))
    model = learn(read(io.BytesIO(coin.encode()), target="y"))
    assert not model.features.trials["bins"].chosen
    assert model.features.names == ["a", "b"]


def test_learning_takes_the_product_that_a_line_needs_and_no_other():
    rng = np.random.default_rng(0)
    a, b, c = (rng.choice(list("xy"), 1500) for _ in range(3))
    rows = "".join(f"{i},{j},{k},{'yes' if i == j else 'no'}\n" for i, j, k in zip(a, b, c, strict=True))
    data = read(io.BytesIO(f"a,b,c,target\n{rows}".encode()), target="target")
    model = learn(data, features={"products": "auto"})
    assert model.features.products == [("a", "b")]
    assert model.summary.train_error == 0
    assert model.features.trials["products"].error_with == 0
    assert 0.4 < model.features.trials["products"].error_without < 0.6
    only = learn(data.take(np.arange(1000)), features={"products": "auto", "only": ["a", "c"]})
    assert only.features.products == []


@pytest.mark.parametrize(("error_with", "told"), [(0.24, True), (0.25, False), (0.26, False)])
def test_bins_that_err_less_by_chance_are_said_to_be_left_out(error_with, told, capsys):
    print_trials({"bins": FeatureTrial(100, error_with, 0.25, chosen=False)})
    assert ("no more than chance can gain" in capsys.readouterr().err) == told


def test_the_choice_is_told_and_kept_in_the_file(tmp_path, capsys):
    (tmp_path / "moons.csv").write_text(moons())
    path = str(tmp_path / "m.rosenblatt")
    assert run(["train", str(tmp_path / "moons.csv"), "--target", "y", "-o", path]) == 0
    told = capsys.readouterr().err
    assert "numbers  with bins and frequent values: of 2,000 held-out rows" in told
    assert "--numeric number" in told
    model = load(path)
    assert model.features.trials["bins"].rows == 2000
    assert model.features.has_bins
    assert run(["train", str(tmp_path / "moons.csv"), "--target", "y", "--numeric", "number", "-q"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("wrong", [[2.0, 1.0], [1.0, 1.0], ["1"], [None]])
def test_a_file_with_bins_out_of_order_is_refused(tmp_path, wrong):
    (tmp_path / "moons.csv").write_text(moons(300))
    path = tmp_path / "m.rosenblatt"
    learn(read(tmp_path / "moons.csv", target="y"), features={"numeric": "bins"}).save(path)
    header, arrays = model_file.read(path)
    header["feature_map"]["columns"][0]["number"]["bins"]["edges"] = wrong
    model_file.write(path, header, arrays)
    with pytest.raises(ModelFileError):
        load(path)
