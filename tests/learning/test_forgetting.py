"""Forgetting rows gives, to the last bit, what training without them in the same order gives."""

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import MISTAKE_DRIVEN, data_sets, same_bits

from rosenblatt import Perceptron, VotedPerceptron
from rosenblatt.engine import rules
from rosenblatt.engine.order import epochs
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.forgetting import forget
from rosenblatt.learning.plan import ORDERS, Plan
from rosenblatt.learning.training import LinearRun, run, train, zero_weights


class TrainingWithout(LinearRun):
    """The ordinary run, over the ordinary order with some rows dropped: no log is looked at."""

    absent = ()

    def pool(self):
        return np.setdiff1d(self.examples.pool(), self.absent).astype(np.int32)

    def orders(self):
        for numbers in epochs(self.plan.order, self.examples.pool(), self.plan.seed):
            yield numbers[~np.isin(numbers, self.absent)]


def retrain(examples, rule, plan, absent, start=None, held_out=None, bias=True):
    weights = zero_weights(examples, rule, bias)
    if start is not None:
        weights = start.copy()
    again = TrainingWithout(examples, rule, plan, weights, held_out)
    again.absent = np.asarray(absent)
    return again.go()


def assert_same_run(one, other):
    assert same_bits(one.weights.last, other.weights.last)
    assert same_bits(one.weights.averaged, other.weights.averaged)
    assert (one.weights.t, one.weights.updates) == (other.weights.t, other.weights.updates)
    assert list(one.history) == list(other.history)
    assert (one.stopped_because, one.converged, one.zero_rows) == (other.stopped_because, other.converged, other.zero_rows)
    assert (one.best_epoch, one.best_error) == (other.best_epoch, other.best_error)
    for name in ("t", "row", "rival", "tau"):
        assert np.array_equal(getattr(one.log, name), getattr(other.log, name))


@st.composite
def some_rows(draw, n):
    """Some rows, but not all of them."""
    return draw(st.lists(st.integers(0, n - 1), max_size=n - 1, unique=True))


@pytest.mark.parametrize("name", MISTAKE_DRIVEN)
@given(data=data_sets("floats"), draw=st.data())
def test_forgetting_equals_training_without_the_rows(name, data, draw):
    rule = MISTAKE_DRIVEN[name][0]
    if len(data.X) < 2:
        return
    X = draw.draw(st.sampled_from([np.asarray, sp.csr_array]))(data.X)
    tol = draw.draw(st.sampled_from([None, 0.05]))
    order = draw.draw(st.sampled_from(ORDERS))
    plan = Plan(data.epochs, order, data.seed, fit_intercept=data.bias, tol=tol, keep_log=True)
    trained = run(data.examples(X), rule, plan)
    rows = draw.draw(some_rows(len(data.X)))
    found = forget(trained, rows)
    assert_same_run(found.training, retrain(data.examples(X), rule, plan, rows, bias=data.bias))
    assert found.replayed <= found.examples == found.training.weights.t
    # Forgetting in two steps is forgetting at once.
    half = len(rows) // 2
    twice = forget(forget(trained, rows[:half]).training, rows[half:])
    assert_same_run(twice.training, found.training)


@given(data=data_sets("integers"), draw=st.data())
def test_forgetting_equals_the_oracle_without_the_rows(engine, data, draw):
    if len(data.X) < 2:
        return
    rows = draw.draw(some_rows(len(data.X)))
    found = forget(data.train(rules.Perceptron(), keep_log=True), rows).training
    order = [i for i in oracle.order_of_epochs(len(data.X), data.seed, len(found.history)) if i not in rows]
    options = {"vectors": data.vectors, "bias": data.bias, "importance": data.importance}
    witness = oracle.learn(oracle.perceptron(), data.X, data.codes, order, **options)
    assert same_bits(found.weights.last, witness.last)
    assert same_bits(found.weights.averaged, witness.averaged)
    assert found.history["mistakes"].sum() == witness.mistakes
    assert found.zero_rows == witness.zero_rows


@given(data=data_sets("floats", classes=2), draw=st.data())
def test_rules_that_always_move_are_trained_again(data, draw):
    if len(data.X) < 2:
        return
    rows, plan = draw.draw(some_rows(len(data.X))), Plan(data.epochs, seed=data.seed, keep_log=True)
    for rule in (rules.Logistic(l2=0.1), rules.WidrowHoff()):
        found = forget(run(data.examples(), rule, plan), rows)
        assert found.replayed == found.examples
        assert same_bits(found.training.weights.last, retrain(data.examples(), rule, plan, rows).weights.last)


@given(data=data_sets("floats"), draw=st.data())
def test_forgetting_decides_anew_when_to_stop_and_which_weights_are_best(data, draw):
    if len(data.X) < 2:
        return
    random = np.random.default_rng(data.seed)
    held_out = for_classes(
        random.normal(size=(7, data.X.shape[1])), random.integers(0, data.classes, 7), np.arange(data.classes)
    )
    start = Weights(data.vectors, data.X.shape[1], data.bias)
    start.start_from(random.normal(size=start.w.shape), random.normal(size=data.vectors))
    plan = Plan(9, seed=data.seed, average=draw.draw(st.booleans()), patience=2, keep_log=True)
    trained = run(data.examples(), rules.Mira(), plan, start.copy(), held_out)
    rows = draw.draw(some_rows(len(data.X)))
    expected = retrain(data.examples(), rules.Mira(), plan, rows, start, held_out)
    found = forget(trained, rows).training
    assert_same_run(found, expected)
    assert same_bits((found.best.coef, found.best.intercept), (expected.best.coef, expected.best.intercept))


def test_sums_are_settled_where_training_settles_them():
    X, y = np.random.default_rng(0).normal(size=(200, 5)), np.random.default_rng(1).integers(0, 3, 200)
    examples, plan, start = for_classes(X, y), Plan(3, keep_log=True), Weights(3, 5, settle_every=64)
    trained = run(examples, rules.Perceptron(), plan, start.copy())
    assert trained.weights.settled == 576
    for row in (int(trained.log.row[200]), int(trained.log.row[-1]), 7):
        assert_same_run(forget(trained, [row]).training, retrain(examples, rules.Perceptron(), plan, [row], start))


def separable(n=4000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    return X, (X @ [1, 2, 3, 4, 5] > 0).astype(int)


def test_a_row_that_never_moved_the_weights_costs_nothing():
    X, y = separable()
    trained = train(X, y, epochs=5, keep_log=True)
    idle = np.setdiff1d(np.arange(len(X)), trained.log.row)
    found = forget(trained, idle[:100])
    assert found.replayed == 0
    assert found.taken_over == len(trained.log)
    assert same_bits(found.training.weights.last, trained.weights.last)
    assert found.training.weights.t == trained.weights.t - 100 * len(trained.history)


def test_only_what_comes_after_the_first_affected_update_is_gone_over_again():
    X, y = separable()
    trained = train(X, y, epochs=1, order="given", keep_log=True)
    once = next(k for k, row in enumerate(trained.log.row) if k > len(trained.log) // 2)
    found = forget(trained, [int(trained.log.row[once])])
    assert found.taken_over == once
    assert found.replayed == len(X) - 1 - int(trained.log.t[once])


def test_estimators_forget():
    X, y = separable(300)
    y = np.where(np.random.default_rng(1).random(300) < 0.1, 1 - y, y)
    for estimator in (Perceptron(keep_log=True, random_state=1), VotedPerceptron(keep_log=True, random_state=1)):
        for fit_intercept in (True, False):
            clf = estimator.set_params(fit_intercept=fit_intercept, max_iter=4).fit(X, y)
            plan = Plan(4, seed=1, average=isinstance(clf, VotedPerceptron), keep_log=True)
            expected = retrain(for_classes(X, y), rules.Perceptron(), plan, [5, 6, 7], bias=fit_intercept)
            told = clf.forget([5, 6, 7])
            assert told.examples == 4 * 297
            assert_same_run(clf.training_, expected)
            assert np.array_equal(clf.view("averaged").coef_, expected.view("averaged").coef)
            assert not np.isin([5, 6, 7], clf.memory_.numbers).any()
            assert clf.memory_.last == 4 * 297


def test_what_cannot_be_forgotten_is_said():
    X, y = separable(50)
    with pytest.raises(SettingError, match="keep_log"):
        Perceptron().fit(X, y).forget([1])
    with pytest.raises(SettingError, match="keep_log"):
        forget(train(X, y), [1])
    clf = Perceptron(keep_log=True, random_state=0).fit(X, y)
    for rows, words in (([50], "There is no row 50"), ([-1], "no row -1"), ([0.5], "row numbers"), (range(50), "All rows")):
        with pytest.raises(SettingError, match=words):
            clf.forget(list(rows))
    with pytest.raises(SettingError, match="balanced"):
        Perceptron(keep_log=True, class_weight="balanced").fit(X, y).forget([1])
    with pytest.raises(SettingError, match="held out"):
        Perceptron(keep_log=True, early_stopping=True).fit(X, y).forget(np.arange(49))
    with pytest.raises(SettingError, match="More than one call"):
        clf.partial_fit(X, y).forget([1])


@pytest.mark.parametrize("rows", [{3, 9, 4}, np.isin(np.arange(50), [3, 4, 9]), np.array([9, 3, 4, 3]), (9, 4, 3)])
def test_rows_are_named_by_numbers_or_by_a_mask(rows):
    X, y = separable(50)
    run = train(X, y, epochs=2, keep_log=True)
    assert_same_run(forget(run, rows).training, forget(run, [3, 4, 9]).training)
    with pytest.raises(SettingError, match="a mask of 50"):
        forget(run, [True, False])


def test_forgetting_nothing_changes_nothing():
    X, y = separable(50)
    clf = Perceptron(keep_log=True, random_state=0).fit(X, y)
    before = clf.coef_.copy()
    assert clf.forget([]).replayed == 0
    assert np.array_equal(clf.coef_, before)


@pytest.mark.parametrize("layout", ["dense", "view", "float32", "csr"])
@pytest.mark.parametrize("changed", ["row", "label", "weight", "held out"])
def test_rows_that_changed_since_training_are_refused(layout, changed):
    """They gave a wrong answer, or a crash: nothing said so."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 6)).astype(np.float32 if layout == "float32" else float)
    X = X[:, :3] if layout == "view" else sp.csr_array(X) if layout == "csr" else X
    y, weight, dev = (rng.random(40) < 0.5).astype(np.int32), np.full(40, 2.0), rng.normal(size=(5, X.shape[1]))
    examples = for_classes(X, y, importance=weight)
    held_out = for_classes(dev, [0, 1, 0, 1, 1], classes=examples.classes)
    plan = Plan(epochs=3, keep_log=True)
    trained = run(examples, rules.Perceptron(), plan, held_out=held_out)
    assert_same_run(forget(trained, [1]).training, retrain(examples, rules.Perceptron(), plan, [1], held_out=held_out))
    if changed == "row":
        (X.data if layout == "csr" else X)[-1] += 1
    elif changed == "label":
        examples.codes[7] = 1 - examples.codes[7]
    elif changed == "weight":
        examples.importance[7] = 3.0
    else:
        dev[0, 0] += 1
    with pytest.raises(DataError, match="have changed since training"):
        forget(trained, [1])


def test_columns_that_point_elsewhere_since_training_are_never_followed():
    X = sp.csr_array(np.eye(4))
    learner = Perceptron(keep_log=True, random_state=0).fit(X, [0, 1, 0, 1])
    learner.training_.origin.examples.rows.indices[0] = 2**31 - 1
    with pytest.raises(DataError, match="have changed since training"):
        learner.forget([1])


def test_a_run_without_a_log_sums_nothing_up(monkeypatch):
    monkeypatch.setattr("rosenblatt.learning.examples.Examples.checksum", lambda self: pytest.fail("for nothing"))
    train([[1.0], [-1.0]], [1, 0])


def test_the_history_of_what_is_taken_over_has_the_norms_of_its_own_epochs():
    X = np.zeros((3, 7))
    X[0, 6] = -0.125
    examples = for_classes(sp.csr_array(X), np.array([1, 0, 0]))
    trained = run(examples, rules.Perceptron(), Plan(2, keep_log=True))
    assert forget(trained, []).training.history[-1].norm == trained.history[-1].norm == 0.25
