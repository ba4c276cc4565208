"""What a run proves of the best margin, and what is told of it after every run."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from separable_sets import with_planted_contradiction, with_planted_margin

import rosenblatt
from rosenblatt import Recipe, certify, learn, rules
from rosenblatt.classifier import LEARNERS
from rosenblatt.data import Dataset, open_known
from rosenblatt.examples import for_classes
from rosenblatt.order import ORDERS
from rosenblatt.rows import Rows
from rosenblatt.theory import deciding
from rosenblatt.theory.duality import Tally, is_combination, sum_of_signed
from rosenblatt.theory.reached import Course, measured, reached
from rosenblatt.theory.signed import Signed
from rosenblatt.theory.walk import walk
from rosenblatt.training import Plan, Watch, run

ADDING = {  # θ is a sum of signed rows, each with a weight above 0
    "perceptron": rules.Perceptron(),
    "rate 0.3": rules.Perceptron(rate=0.3),
    "1/updates": rules.Perceptron(schedule="1/updates"),
    "1/examples": rules.Perceptron(schedule="1/examples"),
    "mira": rules.Mira(),
    "p = 0.9": rules.Mira(p=0.9),
    "PA-I": rules.PassiveAggressive(C=0.1),
    "PA-II": rules.PassiveAggressive(C=0.3, variant="II"),
}
OTHERS = {
    "logistic": rules.Logistic(),
    "logistic with L2": rules.Logistic(l2=0.1),
    "widrow-hoff": rules.WidrowHoff(),
}
RULES = ADDING | OTHERS


def ran(examples, rule, **plan):
    """(the run, its tally)."""
    tally = Tally()
    return run(examples, rule, Plan(**plan), watch=Watch(taus=tally)), tally


def signed_rows(examples, bias):
    """Every z of Kesler's construction as a dense row, written without the package."""
    X = np.asarray(examples.rows.values, dtype=float)
    X = np.column_stack([X, np.ones(len(X))]) if bias else X
    if examples.vectors == 1:
        return np.where(examples.codes == 1, 1, -1)[:, None] * X
    k, found = examples.vectors, []
    for x, code in zip(X, examples.codes, strict=True):
        for rival in set(range(k)) - {int(code)}:
            z = np.zeros((k, len(x)))
            z[code], z[rival] = x, -x
            found.append(z.ravel())
    return np.array(found)


def theta(trained, view="last"):
    model = trained.view(view)
    parts = np.column_stack([model.coef, model.intercept]) if trained.weights.fit_intercept else model.coef
    return parts.ravel()


@pytest.mark.parametrize("name", RULES)
@given(data=st.data(), order=st.sampled_from(ORDERS), epochs=st.integers(1, 6), weighted=st.booleans())
def test_a_run_on_separable_rows_holds_the_best_margin_between_two_numbers(name, data, order, epochs, weighted):
    classes = data.draw(st.sampled_from([2, 3]))
    made = data.draw(with_planted_margin(classes).filter(lambda made: len(set(made.y.tolist())) == classes))
    importance = np.linspace(0.5, 2, len(made.y)) if weighted else None
    examples = for_classes(made.X, made.y, importance=importance)
    trained, tally = ran(examples, RULES[name], order=order, epochs=epochs, fit_intercept=made.bias)
    chosen = data.draw(st.sampled_from(["last", "averaged"]))
    whole = reached(Course(trained, examples, RULES[name], tally), (chosen, trained.view(chosen)))
    best = certify(made.X, made.y, made.bias)  # by clarabel, its margin evaluated in fractions where it must be
    assert best.separable
    assert whole.most >= best.margin * (1 - 1e-12)
    if whole.least is not None:
        assert whole.least <= best.margin_at_most * (1 + 1e-12)
        assert whole.share[0] <= whole.share[1] <= 1 + 1e-9
    # The same with the certificate: a number, or an interval around it where the solver left one.
    if whole.best is not None and best.optimal:
        assert whole.best == pytest.approx(best.margin, rel=1e-5)
        if not whole.wrong:
            assert whole.share[0] == pytest.approx(whole.margin / best.margin, rel=1e-5)


@pytest.mark.parametrize("name", RULES)
@given(made=with_planted_contradiction(), epochs=st.integers(1, 4))
def test_after_a_run_on_inseparable_rows_the_sentence_says_that_there_is_no_best_margin(name, made, epochs):
    examples = for_classes(made.X, made.y)
    trained, tally = ran(examples, RULES[name], epochs=epochs, fit_intercept=made.bias)
    found = reached(Course(trained, examples, RULES[name], tally))
    assert found.most >= 0
    assert found.separable is False
    assert found.margin <= 0 < found.wrong
    assert found.share is found.best is found.best_at_most is None
    assert not found.bound
    assert "there is no γ*. No line can separate these rows: " in found.sentence()
    told = found.to_dict()
    assert told["separated"] is told["separable"] is False
    # By themselves, without a certificate, the same rows are undecided, and never called separable.
    alone = measured("last", trained.view("last"), Signed(examples, made.bias))
    assert alone.separable is None
    assert "undecided: if one does, γ*, the best, is at most" in alone.sentence()


@pytest.mark.parametrize("name", ADDING)
@given(data=st.data(), epochs=st.integers(1, 4))
def test_the_log_is_a_combination_of_signed_rows_and_its_length_bounds_the_margin(name, data, epochs):
    classes = data.draw(st.sampled_from([2, 3]))
    made = data.draw(with_planted_margin(classes, scales=(1.0,)).filter(lambda made: len(set(made.y.tolist())) == classes))
    examples = for_classes(made.X, made.y)
    trained, tally = ran(examples, ADDING[name], epochs=epochs, fit_intercept=made.bias, keep_log=True)
    log, Z = trained.log, signed_rows(examples, made.bias)
    if not len(log):  # rows of zeros, without bias
        return
    place = log.row if classes == 2 else [
        int(i) * (classes - 1) + sorted(set(range(classes)) - {int(made.y[i])}).index(int(rival))
        for i, rival in zip(log.row, log.rival, strict=True)
    ]  # fmt: skip
    np.testing.assert_allclose(log.tau @ Z[place], theta(trained), atol=1e-9 * np.abs(Z).max())
    assert is_combination(trained, ADDING[name], tally)
    assert tally.total == pytest.approx(log.tau.sum())
    found = reached(Course(trained, examples, ADDING[name], tally))
    assert found.most == pytest.approx(np.linalg.norm(theta(trained)) / log.tau.sum(), rel=1e-9)


@given(made=with_planted_margin(3).filter(lambda made: len(set(made.y.tolist())) == 3), sparse=st.booleans())
def test_where_a_run_is_no_combination_the_mean_of_the_signed_rows_is_taken(made, sparse):
    from scipy.sparse import csr_array

    examples = for_classes(made.X, made.y)
    Z = signed_rows(examples, made.bias)
    if sparse:
        examples.rows = Rows(csr_array(made.X))
    signed = Signed(examples, made.bias)
    np.testing.assert_allclose(sum_of_signed(signed).ravel(), Z.sum(axis=0), atol=1e-12 * np.abs(Z).sum())
    for rule in OTHERS.values():  # softmax moves every class, and leaves no log
        trained, tally = ran(examples, rule, epochs=1, fit_intercept=made.bias)
        assert not is_combination(trained, rule, tally)
        found = reached(Course(trained, examples, rule, tally))
        assert found.most == pytest.approx(min(np.linalg.norm(Z.mean(axis=0)), np.linalg.norm(Z, axis=1).max()), rel=1e-6)


def test_widrow_hoff_takes_rows_back_and_then_its_run_proves_nothing():
    examples = for_classes([[3.0], [1.0], [-1.0]], [1, 1, 0])
    trained, tally = ran(examples, rules.WidrowHoff(rate=0.2), epochs=5, order="given")
    assert tally.least < 0
    found = reached(Course(trained, examples, rules.WidrowHoff(rate=0.2), tally))
    assert found.most == pytest.approx(np.hypot(5, 1) / 3)  # z = (3, 1), (1, 1), (1, −1)
    # Two classes of logistic regression only add: σ(−margin) is above 0.
    trained, tally = ran(examples, rules.Logistic(), epochs=5, order="given")
    assert is_combination(trained, rules.Logistic(), tally)
    assert not is_combination(trained, rules.Logistic(l2=0.1), tally)


@given(made=with_planted_margin(scales=(1.0,)).filter(lambda made: len(set(made.y.tolist())) == 2), seed=st.integers(0, 99))
def test_from_other_weights_the_bound_is_about_what_was_added(made, seed):
    start = np.random.default_rng(seed).normal(size=made.X.shape[1])
    run_ = walk(made.X, made.y, start=start, start_bias=0.5 * made.bias, fit_intercept=made.bias, epochs=3)
    found = reached(Course.of(run_.training))
    assert found.most >= certify(made.X, made.y, made.bias).margin * (1 - 1e-12)
    assert not found.bound  # the weights do not start at 0


def test_a_first_bias_that_does_not_learn_is_measured_in_the_space_that_has_one():
    points, signs = [[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1, -1, -1, -1]
    found = reached(Course.of(walk(points, signs, start_bias=-1.0, fit_intercept=False, order="given").training))
    assert found.radius == pytest.approx(np.sqrt(3))  # with the constant feature
    assert found.best == pytest.approx(certify(points, signs).margin)
    assert found.most >= found.best  # the run moves only w: it is no combination there


def test_rows_of_weight_0_are_not_there():
    X, y = [[2.0], [1.0], [-1.0], [-2.0]], [1, 0, 0, 1]  # without the last, separable
    examples = for_classes(X, y, importance=[1, 1, 1, 0])
    trained, tally = ran(examples, rules.Perceptron(), epochs=100)
    found = reached(Course(trained, examples, rules.Perceptron(), tally))
    assert found.rows == 3
    assert not found.wrong
    best = certify(X[:3], y[:3])
    assert found.least <= best.margin_at_most
    assert best.margin <= found.most


def test_weights_that_stay_0_have_margin_0():
    signed = Signed(for_classes([[1.0], [2.0]], [0, 1]))
    found = measured("last", rosenblatt.Model(np.arange(2), np.zeros((1, 1)), np.zeros(1)), signed)
    assert (found.margin, found.wrong) == (0, 2)
    assert "2 of 2 rows are not on the right side" in found.sentence()


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("many", [False, True])
def test_after_every_run_the_margin_is_that_of_the_weights_that_predict(learner, many, monkeypatch):
    iris = open_known("iris")
    data = iris if many else iris.take(np.flatnonzero(np.asarray(iris.labels) != "virginica"))
    model = learn(data, Recipe(learner, epochs=3))
    found = model.reached
    assert found.view == ("averaged" if learner in ("averaged", "voted") else "last")
    examples = model.examples(data)[0]
    Z = signed_rows(examples, True)
    coef, intercept = model.views[found.view]
    margins = Z @ np.column_stack([coef, intercept]).ravel() / np.sqrt((coef**2).sum() + intercept @ intercept)
    assert found.margin == pytest.approx(margins.min(), rel=1e-9)
    assert found.wrong == (margins.reshape(len(data), -1).min(axis=1) <= 0).sum()
    assert model.summary["theory"] == found.to_dict()
    best = certify(examples.rows, examples.codes)
    assert found.separable is best.separable is not many  # versicolor and virginica overlap
    if not many:
        assert found.to_dict()["share"] == pytest.approx(found.margin / best.margin, rel=1e-5)
    # Where the rows are too many for a solver: an interval, or what it would be.
    monkeypatch.setattr(deciding, "GLANCE", 0)
    monkeypatch.setattr(deciding, "COMPARED", 0)
    large = learn(data, Recipe(learner, epochs=3)).reached
    assert large.certificate is None
    assert large.best_at_most > 0
    if large.separable:
        assert large.best_at_least <= best.margin <= large.best_at_most
        low, high = map(float, re.search(r"; (\S+) % to (\S+) % of the best", large.sentence()).groups())
        assert low <= 100 * large.margin / best.margin <= high
    else:
        assert "undecided" in large.sentence()
        assert many or best.margin <= large.best_at_most


def test_where_the_best_epoch_is_kept_its_margin_is_told():
    data, dev = rosenblatt.split(open_known("iris"), 0.3)
    model = learn(data, Recipe("perceptron", patience=1), dev=dev)
    assert model.view == model.reached.view == "best"
    assert "rows are not on the right side of the weights of the best epoch; γ* = " in model.reached.sentence()
    margins = signed_rows(model.examples(data)[0], True) @ np.column_stack(model.views["best"]).ravel()
    assert model.reached.wrong == (margins.reshape(len(data), 2).min(axis=1) <= 0).sum()


def test_the_last_weights_may_know_of_a_better_margin_than_those_that_predict(monkeypatch):
    monkeypatch.setattr(deciding, "GLANCE", 0)
    points, signs = [[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1, -1, -1, -1]
    examples = for_classes(points, signs)
    trained, tally = ran(examples, rules.Perceptron(), order="given")
    found = reached(Course(trained, examples, rules.Perceptron(), tally), ("averaged", trained.view("averaged")))
    last = reached(Course(trained, examples, rules.Perceptron(), tally))
    assert found.margin < last.margin == found.best_at_least
    assert found.share[1] == pytest.approx(found.margin / last.margin)


@pytest.mark.parametrize("rows", [[], [(0, 1)]])
def test_rows_that_are_too_many_for_a_solver_are_still_compared(rows, monkeypatch):
    monkeypatch.setattr(deciding, "GLANCE", 0)
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.arange(40) % 2
    for i, j in rows:
        X[j] = X[i]
    made = deciding.at_a_glance(Signed(for_classes(X, y)))
    assert (made is None) == (not rows)
    if rows:
        assert made.conflicts == rows
        assert made.check()
    monkeypatch.setattr(deciding, "COMPARED", 0)
    assert deciding.at_a_glance(Signed(for_classes(X, y))) is None


def test_the_margin_is_shown_in_a_notebook():
    import polars as pl

    data = Dataset("table", pl.DataFrame({"x": [1.0, 2.0, -1.0, -2.0]}), pl.Series("y", ["+", "+", "-", "-"]), "points")
    model = learn(data, Recipe("perceptron"))
    assert "separate all rows" in model._repr_html_()
    assert model.reached.certificate.check()
