"""Numbers as targets: when a target is one, what is learned from it, and the same numbers on every door."""

import itertools
import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.data import Dataset
from rosenblatt.engine import order
from rosenblatt.learning import quantities
from rosenblatt.learning.examples import has_quantity
from rosenblatt.learning.learn import learn_from
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.number_measures import NumberMeasures
from rosenblatt.learning.quantities import is_quantity
from rosenblatt.studies.compare_numbers import compare_numbers
from rosenblatt.studies.evaluate_numbers import evaluate_numbers
from rosenblatt.studies.explain import explain

SHARED = Path(os.environ.get("ROSENBLATT_DATA", "../shared/data"))
PLAIN = {"features": {"numeric": "number"}}


def houses(n=120, seed=0):
    """Prices that follow size and district, with some noise; written by hand, so that the truth is known."""
    rng = np.random.default_rng(seed)
    size, district = rng.uniform(40, 200, n).round(1), rng.choice(["north", "south", "west"], n)
    price = 50_000 + 2_500 * size + 40_000 * (district == "west") + rng.normal(0, 5_000, n)
    return pl.DataFrame({"size": size, "district": district}), price.round(2)


def dataset(table, y, name="price"):
    return Dataset("table", table, pl.Series(name, y), "houses")


def write_houses(path, formatted=None, **numbers):
    table, price = houses(**numbers)
    written = [f"{value:.2f}" if formatted is None else formatted(value) for value in price]
    table.with_columns(pl.Series("price", written)).write_csv(path, separator=";")
    return table, price


@pytest.mark.parametrize(
    ("labels", "quantity"),
    [
        (np.arange(30) + 0.5, True),  # fractions, more than twenty of them
        (np.tile([0.5, 1.5, 2.5], 50), False),  # few
        (np.arange(8) / 3, True),  # few, but they all differ
        (np.arange(500) ** 2, True),  # whole numbers, each in a row of its own
        (np.tile(np.arange(10), 30), False),  # digits
        (np.repeat(np.arange(200), 3), False),  # classes that are numbered without a gap, three rows each
        (np.repeat(np.arange(200) * 7, 3), True),
        (np.tile(np.arange(20, 90), 40), True),  # ages, however frequent each of them is
        (np.tile(np.arange(70), 40), False),  # both can be meant, which is told
        (np.tile(np.delete(np.arange(70), [7, 30]), 40), False),  # classes, two of which have no rows
        (np.tile(np.arange(40) ** 2, 40), True),  # from 0 on, but with many gaps
        (np.repeat(np.arange(1, 31), 600 // np.arange(1, 31)), True),  # years of work: fewer and fewer have so many
        (np.repeat(np.arange(30), np.random.default_rng(0).permutation(600 // np.arange(1, 31))), False),  # topics as rare
        (np.repeat(np.arange(24), 300 + np.arange(24)), False),  # hours: of neighbours as many rows, but all about alike
        (np.repeat(np.arange(30), np.where(np.arange(30) < 29, 20, 900)), False),  # all alike but the last
        (pl.Series("zip", np.tile(np.arange(10115, 10160), 40)), False),  # what is called a code
        (np.array([179, 201, 185, 188, 171, 192, 190, 189, 197, 187, 186, 174, 185]), True),  # few, but nearly all differ
        (np.array([3, 1, 2, 6, 5, 4, 1]), False),  # as classes are numbered, of which some rows are held out
        (np.tile([0.18, 0.2, 0.24, 0.27, 0.3, 0.31, 0.42], 2), True),  # fractions of which every second differs
        (np.array(["a", "b"]), False),
        (pl.Series([f"{i},50 €" for i in range(40)]), True),
        (pl.Series([f"{i} %" for i in range(40)]), True),
        (pl.Series([f"A{i}" for i in range(40)]), False),
        (pl.Series(["NULL", *(f"{i}.5" for i in range(40))]), True),
        (pl.Series(["unknown to us", *(f"{i}.5" for i in range(40))]), False),
    ],
)
def test_what_is_a_quantity(labels, quantity):
    assert is_quantity(labels) is quantity


@pytest.mark.parametrize(("values", "told"), [(10, False), (11, True), (20, True)])
def test_more_numbers_than_digits_are_told_to_be_classes(values, told):
    marks = np.tile(np.arange(values), 12)
    data = Dataset("table", pl.DataFrame({"x": marks % 7, "z": marks % 5}), pl.Series("marks", marks), "marks.csv")
    learned = learn_from(data, Recipe())
    sentence = f"marks has {values} different numbers, taken for classes. --task numbers predicts a quantity."
    assert (sentence in learned.notes) == told
    assert not learn_from(data, Recipe(regression=False)).notes


def test_a_word_is_no_number_wherever_it_stands(monkeypatch):
    texts = ["unknown to us", *(f"{i}.5" for i in range(40))]
    orders = itertools.cycle([texts[1:] + texts[:1], texts, texts])  # of the values that differ, polars gives any order
    monkeypatch.setattr(quantities, "distinct_texts", lambda _: next(orders))
    assert [is_quantity(pl.Series(texts)) for _ in range(3)] == [False] * 3


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=2, max_size=30))
def test_measures_are_those_of_scikit_learn(pairs):
    truth, predicted = np.array(pairs).T
    measures = NumberMeasures.of(truth, predicted, mean=1.25)
    assert measures.mean_absolute_error == pytest.approx(mean_absolute_error(truth, predicted), rel=1e-12)
    assert measures.mean_squared_error == pytest.approx(mean_squared_error(truth, predicted), rel=1e-12)
    always = np.full(len(truth), 1.25)
    assert measures.of_mean["mean_absolute_error"] == pytest.approx(mean_absolute_error(truth, always), rel=1e-12)
    assert measures.of_mean["mean_squared_error"] == pytest.approx(mean_squared_error(truth, always), rel=1e-12)
    if np.ptp(truth) > 1e-3:
        assert measures.r2 == pytest.approx(r2_score(truth, predicted), rel=1e-9, abs=1e-9)


def widrow_hoff(error, norm2):
    """rate · (y − w·x − b)      (Widrow and Hoff, 1960)"""
    return 0.05 * error


def passive_aggressive(error, norm2):
    """± loss / (|x|² + 1/(2C)), loss = |y − w·x − b| − ε, of the second kind      (Crammer et al., 2006)"""
    return np.sign(error) * max(0.0, abs(error) - 0.01) / (norm2 + 1 / (2 * 0.1))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    ("settings", "step"),
    [({}, passive_aggressive), ({"learner": "widrow-hoff", "parameters": {"eta0": 0.05}}, widrow_hoff)],
    ids=["default", "widrow-hoff"],
)
def test_weights_are_those_of_the_papers_loop_on_targets_divided_by_their_spread(settings, step, bias):
    table, price = houses()
    model = rb.learn(dataset(table, price), epochs=3, fit_intercept=bias, **settings, **PLAIN)
    centre = price.mean() if bias else 0.0
    sd = np.sqrt(np.mean((price - centre) ** 2))
    X = model.transform(table)[0].matrix()
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    X = np.column_stack([X, np.full(len(X), float(bias))])
    w, total, seen = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0
    epochs = order.epochs("shuffled", np.arange(len(price), dtype=np.int32), 0)
    for _ in range(3):
        for i in next(epochs):
            w = w + step((price[i] - centre) / sd - w @ X[i], X[i] @ X[i]) * X[i]
            total, seen = total + w, seen + 1  # the mean is that of the weights after every example
    for view, expected in (("last", w), ("averaged", total / seen)):
        np.testing.assert_allclose(model.views[view][0][0], sd * expected[:-1], rtol=1e-9)
        np.testing.assert_allclose(model.views[view][1][0], sd * expected[-1] + centre, rtol=1e-9)


def test_the_unit_of_the_target_changes_the_unit_of_the_predictions_and_nothing_else():
    table, price = houses()
    euros, cents = (rb.learn(dataset(table, price * factor), **PLAIN) for factor in (1, 128))  # a power of 2: no rounding
    np.testing.assert_allclose(cents.predict(table), 128 * euros.predict(table), rtol=1e-12)
    shifted = rb.learn(dataset(table, price + 2**20), **PLAIN)
    np.testing.assert_allclose(shifted.predict(table), euros.predict(table) + 2**20, rtol=1e-9)


def test_columns_and_base_sum_to_the_prediction():
    table, price = houses()
    model = rb.learn(dataset(table, price))
    for row in (0, 7, 119):
        why = explain(model, dataset(table, price).slice(row, row + 1))
        assert why.prediction == model.predict(table[row : row + 1])[0]
        assert why.base + sum(part.contribution for part in why.columns) == pytest.approx(why.prediction, rel=1e-12)
        assert why.bias + sum(term.contribution for term in why.terms) == pytest.approx(why.prediction, rel=1e-12)
        assert why.flip is None
        assert why.base == pytest.approx(model.predict(table).mean(), rel=1e-6)  # what the mean row would cost


def test_a_table_is_a_table_from_every_door(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, price = write_houses("houses.csv")
    assert run(["train", "houses.csv", "--target", "price", "--holdout", "0.25", "-o", "m.rosenblatt", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["task"] == "numbers"
    assert "price is a quantity" in told["notes"][-1]
    assert "--task classes" in told["notes"][-1]
    data, dev = rb.split(rb.read("houses.csv", target="price"), 0.25)
    model = rb.learn(data, dev=dev)
    model.save("same.rosenblatt")
    assert Path("same.rosenblatt").read_bytes() == Path("m.rosenblatt").read_bytes()
    truth, predicted = np.asarray(dev.labels, dtype=float), model.predict(dev.rows)
    assert told["dev_measures"]["mean_squared_error"] == pytest.approx(mean_squared_error(truth, predicted), rel=1e-12)
    assert told["dev_measures"]["mean_absolute_error"] == pytest.approx(mean_absolute_error(truth, predicted), rel=1e-12)
    assert told["dev_measures"]["r2"] == pytest.approx(r2_score(truth, predicted), rel=1e-12)
    assert told["dev_error"]["averaged"] == told["dev_measures"]["mean_squared_error"]
    assert told["history"][-1]["held_out_averaged"] == pytest.approx(told["dev_error"]["averaged"], rel=1e-9)
    assert run(["predict", "m.rosenblatt", "houses.csv", "--only-labels", "-q"]) == 0
    np.testing.assert_array_equal([float(line) for line in capsys.readouterr().out.split()], model.predict(table))
    assert run(["evaluate", "m.rosenblatt", "houses.csv", "--json", "-q"]) == 0
    measured = json.loads(capsys.readouterr().out)
    assert measured["r2"] == pytest.approx(r2_score(price, model.predict(table)), rel=1e-12)
    assert measured["of_mean"]["mean_squared_error"] == pytest.approx(
        np.mean((price - np.asarray(data.labels, dtype=float).mean()) ** 2), rel=1e-12
    )


@pytest.mark.parametrize(
    "formatted",
    [
        lambda value: f"{value:,.2f}".translate(str.maketrans(",.", ".,")) + " €",
        lambda value: f"${value:,.2f}",
        lambda value: f"{value:.2f}".replace(".", ","),
    ],
)
def test_amounts_as_offices_write_them_are_the_numbers_that_they_are(formatted, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, _ = write_houses("plain.csv")
    write_houses("written.csv", formatted)
    write_houses("few.csv", formatted, n=3)
    models = [rb.learn(rb.read(name, target="price")) for name in ("plain.csv", "written.csv")]
    np.testing.assert_array_equal(models[0].predict(table), models[1].predict(table))
    models[1].save("m.rosenblatt")
    # Three rows could be read in another way: they are read as those of training were.
    assert run(["evaluate", "m.rosenblatt", "few.csv", "--json", "-q"]) == 0
    few, truth = houses(n=3)
    measured = json.loads(capsys.readouterr().out)
    assert measured["mean_squared_error"] == pytest.approx(mean_squared_error(truth, models[1].predict(few)), rel=1e-12)


def test_rows_without_a_number_are_left_out_and_told_and_words_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, price = houses()
    cells = [f"{value:.2f}" for value in price]
    known = rb.learn(dataset(table[2:], price[2:]))
    cells[:2] = ["NULL", "n/a"]
    table.with_columns(pl.Series("price", cells)).write_csv("some.csv")
    assert run(["train", "some.csv", "--target", "price", "-o", "m.rosenblatt"]) == 0
    assert "2 rows are left out of some.csv" in capsys.readouterr().err
    np.testing.assert_array_equal(rb.load("m.rosenblatt").predict(table), known.predict(table))
    cells[1] = "ask Peter"
    table.with_columns(pl.Series("price", cells)).write_csv("words.csv")
    assert run(["train", "words.csv", "--target", "price", "--task", "numbers"]) == 1
    assert "'ask Peter' in row 2" in capsys.readouterr().err


def test_the_user_can_overrule_what_the_target_looks_like(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"x": [1, 2, 3, 4] * 10, "y": [1, 2, 3, 4] * 10}).write_csv("t.csv")
    assert run(["train", "t.csv", "--target", "y", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == [1, 2, 3, 4]
    assert run(["train", "t.csv", "--target", "y", "--task", "numbers", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["classes"] == []
    assert told["train_measures"]["r2"] > 0.9
    write_houses("houses.csv", n=40)
    assert run(["train", "houses.csv", "--target", "price", "--task", "classes", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["classes"]) == 40


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-l", "mira"], "mira learns classes, not numbers: for these there are passive-aggressive, widrow-hoff"),
        (["--balanced"], "class_weight (--balanced) is about classes"),
        (["--calibrate"], "calibrate (--calibrate) is about classes"),
        (["--task", "numbers", "--keep-log"], "--keep-log would change nothing"),
        (["--task", "numbers", "--epsilon", "-1"], "epsilon is -1.0"),
        (["--certify", "1"], "--certify is about classes"),
    ],
)
def test_what_is_about_classes_is_refused(options, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_houses("houses.csv")
    assert run(["train", "houses.csv", "--target", "price", *options]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [(["predict", "--proba"], "--proba"), (["calibrate", "-o", "m2"], "`calibrate`"), (["update", "-o", "m2"], "`update`")],
)
def test_what_asks_for_classes_is_named_where_a_model_predicts_numbers(arguments, asked, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_houses("houses.csv", n=40)
    assert run(["train", "houses.csv", "--target", "price", "-o", "m"]) == 0
    capsys.readouterr()
    verb, *others = arguments
    assert run([verb, "m", "houses.csv", *others]) == 2
    assert f"The model predicts numbers, and {asked} is about classes." in capsys.readouterr().err


def test_bins_and_products_are_chosen_by_the_squared_error():
    rng = np.random.default_rng(3)
    x, a, b = rng.uniform(-1, 1, 600), rng.choice(["u", "v"], 600), rng.choice(["u", "v"], 600)
    noise = rng.normal(0, 0.1, 600)
    table = pl.DataFrame({"x": x, "a": a, "b": b})
    curve = learn_from(dataset(table, np.cos(6 * x) + noise), Recipe()).classifier
    assert curve.features.trials["bins"].chosen
    line = learn_from(dataset(table, x + noise), Recipe()).classifier
    assert not line.features.trials["bins"].chosen
    corner = learn_from(dataset(table, 1.0 * (a == b) + noise), Recipe(features={"products": "auto"})).classifier
    assert corner.features.trials["products"].chosen
    assert corner.summary.train_error < 0.02 < 0.25  # without the product nothing is told: the variance is 1/4


def test_ridge_and_the_mean_stand_beside_the_learners(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, price = write_houses("houses.csv")
    arguments = ["compare", "houses.csv", "--target", "price", "--numeric", "number"]
    assert run([*arguments, "--json"]) == 0
    rows = {row["learner"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert set(rows) == {"mean", "averaged passive-aggressive", "averaged widrow-hoff", "ridge"}
    ours = compare_numbers(dataset(table, price), recipe=Recipe(**PLAIN), also={"ridge": lambda seed: Ridge()})
    by_name = {row.learner: row for row in ours}
    assert rows["ridge"]["squared_mean"] == by_name["ridge"].squared_mean
    assert by_name["ridge"].squared_mean < by_name["mean"].squared_mean / 50
    assert run(arguments) == 0
    assert "always the mean of training" in capsys.readouterr().out


def test_facts_of_a_quantity_tell_its_spread_and_what_each_column_tells(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table, price = write_houses("houses.csv")
    assert run(["facts", "houses.csv", "--target", "price", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["target"]["mean"] == pytest.approx(price.mean(), rel=1e-12)
    assert told["target"]["quantiles"][2] == pytest.approx(np.median(price), rel=1e-12)
    shares = {one["column"]: one["share"] for one in told["told_by"]}
    assert shares["size"] == pytest.approx(np.corrcoef(table["size"], price)[0, 1] ** 2, rel=1e-9)
    one_hot = table["district"].to_dummies().to_numpy()
    r2 = LinearRegression(fit_intercept=False).fit(one_hot, price).score(one_hot, price)
    assert shares["district"] == pytest.approx(max(0, 1 - (1 - r2) * 119 / 117), abs=1e-9)  # adjusted for three groups
    assert run(["facts", "houses.csv", "--target", "price", "--task", "classes"]) == 0
    assert "contradictions: " in capsys.readouterr().out  # what is told of classes
    assert run(["facts", "houses.csv", "--target", "price"]) == 0
    assert "class " not in capsys.readouterr().out
    for verb in ("certify", "walk"):
        assert run([verb, "houses.csv", "--target", "price"]) == 1
        assert "that is a quantity, not a class" in capsys.readouterr().err


def test_progressive_validation_predicts_each_row_before_it_learns_it():
    table, price = houses()
    first, rest = dataset(table[:60], price[:60]), dataset(table[60:], price[60:])
    model = rb.learn(first, average=False, **PLAIN)
    evaluation = evaluate_numbers(model, rest, progressive=True)
    assert evaluation.predicted[0] == pytest.approx(model.predict(rest.rows[:1], "last")[0], rel=1e-12)
    assert evaluation.predicted[-1] != pytest.approx(model.predict(rest.rows[-1:], "last")[0], rel=1e-12)


def splits(n):
    for seed in range(5):
        shuffled = np.random.default_rng(seed).permutation(n)
        yield shuffled[n // 5 :], shuffled[: n // 5]


def beside_ridge(table, y, **settings):
    """Our mean squared error over ridge's, on five 80/20 splits; ridge has scaled numbers and values as --numeric number."""
    ours, ridges = [], []
    for train, test in splits(len(y)):
        plain = rb.learn(dataset(table[train], y[train]), **PLAIN)
        X, Z = (plain.transform(table[part])[0].matrix() for part in (train, test))
        model = rb.learn(dataset(table[train], y[train]), **settings)
        ours.append(mean_squared_error(y[test], model.predict(table[test])))
        ridges.append(mean_squared_error(y[test], Ridge().fit(X, y[train]).predict(Z)))
    return np.mean(ours) / np.mean(ridges)


@pytest.mark.parametrize("settings", [{}, PLAIN], ids=["default", "plain"])
def test_the_default_is_within_a_tenth_of_ridge_on_diabetes(settings):
    diabetes = load_diabetes(as_frame=True).frame
    table = pl.DataFrame({name: diabetes[name].to_numpy() for name in diabetes.columns if name != "target"})
    assert beside_ridge(table, diabetes["target"].to_numpy(), **settings) < 1.1


@pytest.mark.skipif(not (SHARED / "auto-mpg").is_dir(), reason="the shared data are not here")
@pytest.mark.parametrize("settings", [{}, PLAIN], ids=["default", "plain"])
def test_the_default_is_within_a_tenth_of_ridge_on_auto_mpg(settings):
    names = ["mpg", "cylinders", "displacement", "horsepower", "weight", "acceleration", "year", "origin", "name"]
    data = rb.read(SHARED / "auto-mpg" / "auto-mpg.data", header=False, names=names, target="mpg")
    assert beside_ridge(data.rows.drop("name"), data.labels.to_numpy(), **settings) < 1.1


@pytest.mark.parametrize("place", range(12))
def test_a_quantity_is_one_wherever_a_mark_stands_among_its_texts(place):
    """Which of the different texts comes first is for polars to choose: an Enum names them in an order of its own."""
    texts = [f"{amount},50 €" for amount in range(11, 42)]
    texts.insert(place, "NULL")
    assert has_quantity(pl.Series(texts * 2, dtype=pl.Enum(texts)))
    assert has_quantity(pl.Series(texts * 2))


@pytest.mark.parametrize(("power", "size"), [("e200", "large"), ("e-200", "small")])
def test_targets_whose_squares_would_overflow_or_vanish_are_refused(power, size, tmp_path, capsys):
    rows = [f"{number},{number}.5{power}\n" for number in range(1, 60)]
    (tmp_path / "t.csv").write_text("a,price\n" + "".join(rows))
    assert run(["train", str(tmp_path / "t.csv"), "--target", "price", "--task", "numbers"]) == 1
    assert f"in row 59 is 59.5{power}, too {size} to compute with" in capsys.readouterr().err


def test_predictions_beyond_all_bounds_have_infinite_errors_and_no_warning():
    measures = NumberMeasures.of(np.array([1.0, 2.0]), np.array([1e308, -1e308]), 1.5)
    assert measures.mean_squared_error == np.inf
    assert measures.no_better_than_mean
