"""A model that goes on learning: from its weights and sums, in whatever parts the rows come, to the bit."""

import io
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt.engine.growth import with_new_class, with_new_columns
from rosenblatt.learning.updating import Update

GOLDEN = Path(__file__).parents[1] / "golden" / "models"
FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
LEARNERS = {
    "perceptron": {},
    "averaged": {},
    "mira": {"parameters": {"p": 0.5}},
    "passive-aggressive": {"parameters": {"C": 0.1}},
    "logistic": {"parameters": {"eta0": 0.5, "l2": 0.01}},
    "widrow-hoff": {},
    "arow": {"parameters": {"r": 0.5}},
    "averaged against the rest": {"learner": "averaged", "multiclass": "rest"},
    "arow against the rest": {"learner": "arow", "multiclass": "rest"},
}


STRANGE = ["red", "7", "7.0", "True", "true", "brown", "", "pink", "Pink"]  # some are two spellings of one value


def table(rows, seed, classes, strange=False):
    """Mixed columns, with missing cells and values that few rows have."""
    draw = np.random.default_rng(seed)
    size = np.round(draw.normal(size=rows), 3)
    colour = draw.choice(["red", "green", "blue", "violet"], rows, p=[0.5, 0.3, 0.18, 0.02])
    kinds = np.array(["a", "b", "c", "d"])[:classes]
    labels = kinds[np.digitize(size + (colour == "red") + draw.normal(size=rows) / 2, [0, 0.7, 1.4][: classes - 1])]
    zip_code = draw.integers(10, 13 + 3 * strange, rows).astype(str)
    note = [" ".join(draw.choice(["please", "call", "me", "again", "about", "this", "one"], 6)) for _ in range(rows)]
    if strange:
        colour = draw.choice(STRANGE, rows)
    frame = pl.DataFrame({"size": size, "colour": colour, "zip": zip_code, "note": note, "kind": labels})
    hole = pl.Series(draw.random(rows) < 0.1)
    return frame.with_columns(pl.when(hole).then(None).otherwise(pl.col("size")).alias("size"))


def csv(frame):
    return rb.read(io.BytesIO(frame.write_csv().encode()), target="kind")


def saved(model, folder, name="m.rosenblatt"):
    model.save(folder / name)
    return (folder / name).read_bytes()


@pytest.mark.parametrize("learner", LEARNERS)
@given(cuts=st.lists(st.integers(0, 60), max_size=5), seed=st.integers(0, 2**20), classes=st.sampled_from([2, 3]))
@example(cuts=[1], seed=0, classes=2)  # a value that comes after a class: its halves are no −0
@settings(max_examples=300 if FULL else 6)
def test_any_split_into_parts_gives_the_file_of_one_pass(learner, cuts, seed, classes, tmp_path):
    """New classes, new values and all: the model is saved and loaded between the parts, as ten runs of `update` do."""
    new = table(60, seed + 1, 4, strange=True)
    rows, labels = new.drop("kind"), new["kind"]
    features = {"per_column": {"zip": "category"}}
    first = rb.learn(
        csv(table(150, seed, classes)), epochs=2, features=features, **{"learner": learner, **LEARNERS[learner]}
    )
    first.save(tmp_path / "first")
    whole = rb.load(tmp_path / "first")
    whole.update(rows, labels)
    parts = rb.load(tmp_path / "first")
    ends = sorted({0, 60, *cuts})
    for start, end in pairwise(ends):
        parts.update(rows[start:end], labels[start:end])
        parts.save(tmp_path / "part")
        parts = rb.load(tmp_path / "part")
    assert saved(parts, tmp_path) == saved(whole, tmp_path)


def rows_with_signs(n, seed):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, 7))
    return X, np.where(X @ np.arange(-3, 4) + draw.normal(size=n) > 0, 1, -1)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "estimator",
    [
        rb.AveragedPerceptron(),
        rb.Mira(average=True),
        rb.SoftPerceptron(l2=0.05),
        rb.WidrowHoff(average=True),
        rb.Arow(average=True),
        rb.Arow(multiclass="rest"),
        rb.Perceptron(multiclass="rest", average=True),
    ],
    ids=repr,
)
def test_an_update_is_what_partial_fit_does(estimator, classes, tmp_path):
    """The witness is the estimator itself, which holds its weights in memory."""
    estimator = clone(estimator)
    (X, y), (more, signs) = rows_with_signs(300, 0), rows_with_signs(200, 1)
    if classes == 3:
        y, signs = (labels + np.digitize(rows[:, 0], [1]) * (labels > 0) for rows, labels in ((X, y), (more, signs)))
    estimator.partial_fit(sp.csr_array(X), y, classes=[-1, 1, 2][:classes])
    rb.save(estimator, tmp_path / "m")
    model = rb.load(tmp_path / "m")
    model.update(sp.csr_array(more), signs)
    estimator.partial_fit(sp.csr_array(more), signs)
    if estimator.training_.weights.sigma is not None:
        assert np.array_equal(model.variances[0], estimator.training_.weights.sigma)
    for view in ("last", "averaged"):
        expected = estimator.view(view)
        assert np.array_equal(model.views[view][0], expected.coef_)
        assert np.array_equal(model.views[view][1], expected.intercept_)


def test_the_average_goes_on_as_the_lecture_has_it():
    """Averaged perceptron by its definition: the mean of w after every example, of training and update alike."""
    X, y = rows_with_signs(80, 3)
    X = np.round(X)
    model = rb.learn(rb.Dataset("sparse", sp.csr_array(X[:50]), y[:50], "rows"), learner="averaged", epochs=2, order="given")
    model.update(sp.csr_array(X[50:]), y[50:])
    w, b, total, bias_total, t = np.zeros(7), 0.0, np.zeros(7), 0.0, 0
    for i in [*range(50), *range(50), *range(50, 80)]:
        if y[i] * (w @ X[i] + b) <= 0:
            w, b = w + y[i] * X[i], b + y[i]
        total, bias_total, t = total + w, bias_total + b, t + 1
    assert np.allclose(model.views["averaged"][0][0], total / t, rtol=1e-12)
    assert np.allclose(model.views["averaged"][1], bias_total / t, rtol=1e-12)
    assert np.array_equal(model.views["last"][0][0], w)


def test_two_classes_become_two_halves_and_a_zero():
    """Before the new class has moved anything, every row is decided as it was."""
    X, y = rows_with_signs(100, 5)
    model = rb.learn(rb.Dataset("sparse", sp.csr_array(X), y, "rows"), learner="perceptron")
    (w,), (b,) = model.views["last"]
    weights = with_new_class(model.weights)
    assert np.array_equal(weights.last[0], [-w / 2, w / 2, 0 * w])
    assert np.array_equal(weights.last[1], [-b / 2, b / 2, 0])
    scores = X @ weights.last[0].T + weights.last[1]
    assert np.allclose(scores[:, 1] - scores[:, 0], X @ w + b)
    report = model.update(sp.csr_array(X[:1]), [7])
    assert report.new_classes == [7]
    assert model.classes.tolist() == [-1, 1, 7]
    assert model.class_counts.tolist() == [*np.unique(y, return_counts=True)[1], 1]
    # A perceptron moves the right class by x and its rival by −x; the rival had the highest score.
    moved = model.views["last"][0] - weights.last[0]
    assert np.array_equal(moved[2], X[0].astype(np.float32)) or np.allclose(moved[2], X[0])
    assert np.allclose(moved.sum(axis=0), 0)


def test_against_the_rest_two_classes_become_what_each_would_have_learned():
    """By hand: before the third class, "against the rest" is against the other, so one vector is w and the other −w."""
    X, y = rows_with_signs(100, 5)
    data = rb.Dataset("sparse", sp.csr_array(X), y, "rows")
    model = rb.learn(data, learner="perceptron", multiclass="rest", epochs=1, order="given")
    of_other = rb.learn(replace(data, labels=-y), learner="perceptron", multiclass="rest", epochs=1, order="given")
    update = Update(model)
    update._add_class(7)
    w, of_classes = model.views["last"][0][0], update.weights.last[0]
    assert np.array_equal(of_classes, [-w, w, 0 * w])
    assert np.allclose(of_classes[0], of_other.views["last"][0][0], atol=1e-6)


def test_variances_of_two_classes_stay_in_both_and_are_1_in_what_is_new():
    X, y = rows_with_signs(100, 5)
    model = rb.learn(rb.Dataset("sparse", sp.csr_array(X), y, "rows"), learner="arow", epochs=1)
    (of_w,), (of_bias,) = model.variances
    grown = with_new_columns(with_new_class(model.weights), 8)
    assert 0 < of_w.min() < of_w.max() < 1
    assert np.array_equal(grown.sigma, [[*of_w, 1], [*of_w, 1], [1] * 8])
    assert grown.bias_sigma.tolist() == [of_bias, of_bias, 1]
    assert np.array_equal(grown.sigma, with_new_class(with_new_columns(model.weights, 8)).sigma)


def test_a_new_class_comes_behind_the_others_and_is_predicted(tmp_path):
    frame = pl.DataFrame({"colour": ["red", "green"] * 50, "kind": ["m", "z"] * 50})
    model = rb.learn(csv(frame))
    new = pl.DataFrame({"colour": ["red", "blue"] * 10})
    report = model.update(new, ["m", "a"] * 10)
    assert report.new_classes == ["a"]
    model.save(tmp_path / "m")
    again = rb.load(tmp_path / "m")
    assert again.classes.tolist() == ["m", "z", "a"]
    assert again.predict(pl.DataFrame({"colour": ["red", "green"]})).tolist() == ["m", "z"]


def test_new_values_are_features_behind_the_others_as_they_come(tmp_path):
    frame = pl.DataFrame({"colour": ["red", "green"] * 50, "taste": ["sweet", "sour"] * 50, "kind": ["m", "z"] * 50})
    model = rb.learn(csv(frame), learner="perceptron")
    names, before = model.features.names, model.views["last"][0]
    new = pl.DataFrame({"colour": ["red", "blue", "grey", None], "taste": ["salty", "sour", "dull", "salty"]})
    report = model.update(new, ["z", "m", "z", "m"])
    assert report.new_values == {"taste": 2, "colour": 2}
    assert model.features.names == [*names, "taste=salty", "colour=blue", "colour=grey", "taste=dull"]
    model.save(tmp_path / "m")
    again = rb.load(tmp_path / "m")
    assert again.features.names == model.features.names
    # A new feature has moved with its own rows only: by −1, 0 or 1 for each, and taste=salty had two of them.
    moved = again.views["last"][0][0, len(names) :]
    assert set(np.abs(moved[1:])) <= {0.0, 1.0}
    assert before.shape[1] == len(names)
    assert again.transform(new)[0].csr().toarray()[:, len(names) :].tolist() == [
        [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0],
    ]  # fmt: skip
    assert again.means[len(names) :].tolist() == [0, 0, 0, 0]
    assert again.counts[:, len(names) :].sum(axis=0).tolist() == [2, 1, 1, 1]


def test_after_many_updates_explanations_add_up_and_name_new_features():
    """Contributions and bias sum to the score, and a change that is said to flip a decision does."""
    from rosenblatt.studies.explain import explain

    model = rb.learn(csv(table(100, 0, 2)))
    old = csv(table(100, 0, 2))
    for number in range(200 if FULL else 12):
        new = table(10, number, 4, strange=True)
        shade = pl.Series([f"shade {number}", *new["colour"].to_list()[1:]])
        model.update(new.drop("kind").with_columns(colour=shade), new["kind"])
    assert "colour=shade 11" in model.features.names
    for row in range(5):
        one = explain(model, old.take([row]))
        assert sum(term.contribution for term in one.terms) + one.bias == pytest.approx(one.score)
        assert one.base + sum(part.contribution for part in one.columns) == pytest.approx(one.score)
    fresh = replace(old.take([0]), rows=old.rows[:1].with_columns(colour=pl.lit("shade 11")))
    one = explain(model, fresh)
    assert "colour=shade 11" in [term.feature for term in one.terms]
    if one.flip is not None and one.flip.feature in fresh.rows.columns:
        other = fresh.rows.with_columns(pl.lit(one.flip.after).alias(one.flip.feature))
        assert model.predict(other)[0] != model.predict(fresh.rows)[0]


def test_balanced_classes_are_so_by_the_rows_up_to_each():
    X, y = rows_with_signs(60, 8)
    data = rb.Dataset("sparse", sp.csr_array(X[:40]), y[:40], "rows")
    model = rb.learn(data, learner="perceptron", class_weight="balanced", epochs=1, order="given")
    update = Update(model)
    codes = (y[40:] > 0).astype(np.int32)
    given = update._importance(codes)
    for place in range(20):
        so_far = y[: 41 + place]
        expected = len(so_far) / (2 * np.count_nonzero(so_far == y[40 + place]))
        assert given[place] == expected


@pytest.mark.parametrize("name", ["table", "sparse", "text", "estimator-averaged", "kernel", "table-voted", "table-log"])
def test_files_that_cannot_go_on_say_what_to_do(name):
    model = rb.load(GOLDEN / f"{name}.rosenblatt")
    reason = {"kernel": "kernel", "table-voted": "another learner than voted", "table-log": "--keep-log"}
    reason["estimator-averaged"] = "--keep-log"
    with pytest.raises(rb.SettingError, match=reason.get(name, "Train it again")):
        model.update(None, None)


def test_an_update_that_fails_changes_nothing(tmp_path):
    X, y = rows_with_signs(50, 2)
    model = rb.learn(rb.Dataset("sparse", sp.csr_array(X), y, "rows"))
    before = saved(model, tmp_path)
    X[30, 2] = np.nan
    with pytest.raises(rb.DataError, match="row 30"):
        model.update(sp.csr_array(X), y)
    with pytest.raises(rb.DataError, match="row 30"):
        model.update(sp.csr_array(X), [*y[:20], 7, *y[21:]])
    with pytest.raises(rb.LabelError, match="'x'"):
        model.update(sp.csr_array(X[:2]), ["1", "x"])
    with pytest.raises(rb.LabelError, match="is missing"):
        model.update(sp.csr_array(X[:2]), [1.0, np.nan])
    assert saved(model, tmp_path) == before


def test_probabilities_of_before_are_told(tmp_path):
    frame = table(200, 4, 2)
    model = rb.learn(csv(frame), calibrate=True, threshold=0.4)
    report = model.update(frame.drop("kind")[:20], frame["kind"][:20])
    assert "of before" in report.warnings[0]
    assert model.calibration is not None
    report = model.update(frame.drop("kind")[:20], ["new"] * 20)
    assert len(report.warnings) == 2
    assert model.calibration is model.threshold is None
    model.save(tmp_path / "m")
    assert rb.load(tmp_path / "m").classes.tolist() == ["a", "b", "new"]
    assert replace(model).summary.seen == 5 * 200 + 40
