"""Orders, stopping, importance, interruption, and one run in several parts."""

import subprocess
import sys
from collections import Counter
from itertools import islice, pairwise

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import ADDS_ROWS, MISTAKE_DRIVEN, RULES, data_sets, same_bits

from rosenblatt.engine import order, rules
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.weights import SETTLE_EVERY, Weights
from rosenblatt.errors import DivergenceError
from rosenblatt.learning.driver import Callbacks, Interrupted
from rosenblatt.learning.examples import for_classes, for_regression
from rosenblatt.learning.holding_out import split
from rosenblatt.learning.plan import ORDERS, Plan
from rosenblatt.learning.scoring import error
from rosenblatt.learning.training import run, train


def first_epochs(name, n, seed=0, epochs=3, pool=None):
    pool = np.arange(n, dtype=np.int32) if pool is None else pool
    return [epoch.tolist() for epoch in islice(map(np.copy, order.epochs(name, pool, seed)), epochs)]


def random_task(seed, n, d=4, classes=2):
    random = np.random.default_rng(seed)
    return random.normal(size=(n, d)) / 2, random.integers(0, classes, n)


# ---- orders


@pytest.mark.parametrize("n", [1, 2, 7, 100, 3000])
def test_shuffled_is_the_fisher_yates_permutation_of_every_epoch_anew(engine, n):
    for seed in range(5):
        assert first_epochs("shuffled", n, seed) == list(islice(oracle.permutations(n, seed), 3))


def test_every_permutation_of_four_is_equally_likely():
    counts = Counter(
        tuple(epoch.tolist()) for epoch in islice(order.epochs("shuffled", np.arange(4, dtype=np.int32), 5), 24000)
    )
    assert len(counts) == 24
    # χ² with 23 degrees of freedom exceeds 49.7 once in a thousand; the seed is fixed.
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 49.7


def test_once_shuffles_one_time_and_given_never(engine):
    one, two, three = first_epochs("once", 50, seed=4)
    assert one == two == three == next(oracle.permutations(50, 4))
    assert first_epochs("given", 50) == [list(range(50))] * 3


def test_with_replacement_draws_every_row_about_as_often_and_some_twice(engine):
    epochs = first_epochs("replacement", 20, epochs=200)
    assert all(len(epoch) == 20 for epoch in epochs)
    assert any(len(set(epoch)) < 20 for epoch in epochs)
    counts = Counter(i for epoch in epochs for i in epoch)
    assert set(counts) == set(range(20))
    assert sum((counts[i] - 200) ** 2 / 200 for i in range(20)) < 43.8  # χ², 19 degrees of freedom, one in a thousand


def test_blocks_stay_together_and_their_order_changes():
    epochs = first_epochs("blocks", 5 * order.BLOCK + 3, epochs=4)
    assert len({tuple(epoch) for epoch in epochs}) > 1
    for epoch in epochs:
        assert sorted(epoch) == list(range(5 * order.BLOCK + 3))
        breaks = [b for a, b in pairwise(epoch) if b != a + 1]
        assert all(start % order.BLOCK == 0 for start in breaks)


@pytest.mark.parametrize("name", ORDERS)
def test_a_seed_fixes_the_bits_and_another_seed_changes_the_order(engine, name):
    X, y = random_task(0, 90)
    runs = [train(X, y, rules.Mira(), order=name, seed=seed, epochs=3) for seed in (1, 1, 2)]
    assert same_bits(runs[0].weights.last, runs[1].weights.last)
    assert same_bits(runs[0].weights.averaged, runs[1].weights.averaged)
    assert same_bits(runs[0].weights.last, runs[2].weights.last) == (name == "given")


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_holds_the_rows_of_the_pool_and_no_others(engine, name):
    pool = np.array([3, 5, 8, 13, 21], dtype=np.int32)
    for epoch in first_epochs(name, None, pool=pool):
        assert len(epoch) == 5
        assert set(epoch) <= set(pool.tolist())
        if name != "replacement":
            assert sorted(epoch) == pool.tolist()


# ---- stopping


def test_with_replacement_stops_only_when_no_row_would_move(engine):
    # One row in fifty is negative: an epoch that misses it has no updates, and yet is not the end.
    X = np.vstack([np.ones((49, 1)), [[-1.0]]])
    y = [1] * 49 + [0]
    for seed in range(10):
        trained = train(X, y, order="replacement", seed=seed, epochs=1000)
        assert trained.converged
        coef, intercept = trained.weights.last
        assert (np.where(y, 1, -1) * (X @ coef[0] + intercept[0]) > 0).all()


# Not those whose steps fade, or shrink to the size of rounding: they may go on for long.
@pytest.mark.parametrize("name", ["perceptron", "perceptron at rate 0.3", "mira", "p-aggressive"])
def test_a_converged_run_would_go_on_without_an_update(engine, name):
    random = np.random.default_rng(1)
    X = random.normal(size=(40, 3))
    X = X[np.abs(X @ [1, 2, -1]) > 0.5]
    y = (X @ [1, 2, -1] > 0).astype(int)
    rule = MISTAKE_DRIVEN[name][0]
    trained = train(X, y, rule, epochs=3000)
    assert trained.converged
    updates = trained.weights.updates
    again = run(for_classes(X, y), rule, Plan(epochs=1, order="given"), trained.weights)
    assert again.weights.updates == updates
    assert error(again.view("last"), for_classes(X, y)) == 0


def test_rules_that_always_move_run_all_epochs(engine):
    for rule in (rules.Logistic(), rules.WidrowHoff()):
        trained = train([[1.0], [-1.0]], [1, 0], rule, epochs=20)
        assert trained.stopped_because == "all 20 epochs"


def test_history_has_a_row_an_epoch_that_the_oracle_confirms(engine):
    X, y = random_task(2, 60)
    X2, y2 = random_task(3, 40)
    trained = train(X, y, held_out=(X2, y2), epochs=4, tol=0)
    history = trained.history
    witness = oracle.learn(oracle.perceptron(), X, y, oracle.order_of_epochs(60, 0, 4))
    margins = np.reshape(witness.margins, (4, 60))
    assert len(history) == 4
    assert history["examples"].tolist() == [60] * 4
    assert history["mistakes"].tolist() == history["updates"].tolist() == (margins <= 0).sum(axis=1).tolist()
    for e in range(4):
        W = witness.path[60 * (e + 1) - 1][0]
        mean = np.mean(witness.path[: 60 * (e + 1)], axis=0)[0]
        wrong = [np.mean((X2 @ w[:4] + w[4] >= 0) != y2) for w in (W, mean)]
        assert history[e].norm == pytest.approx(np.linalg.norm(W[:4]))
        assert [history[e].held_out_last, history[e].held_out_averaged] == pytest.approx(wrong)
    assert len(str(history).splitlines()) == 5


def test_splitting_holds_out_its_share_of_every_class_once():
    y = np.array([0] * 80 + [1] * 20)
    X = np.arange(100.0)[:, None]
    rest, test = split(for_classes(X, y), 0.25, seed=0)
    held = np.flatnonzero(rest.importance == 0)
    assert sorted(test.rows.values[:, 0].tolist()) == held.tolist()
    assert np.bincount(y[held]).tolist() == [20, 5]
    assert test.codes.tolist() == y[held].tolist()
    assert split(for_classes(X, y), 0.25, seed=1)[1].rows.values.tolist() != test.rows.values.tolist()


# ---- importance


@pytest.mark.parametrize("name", RULES)
@given(data=data_sets("floats", weighted=False), gone=st.sets(st.integers(0, 11), max_size=8))
def test_rows_of_importance_0_are_not_there(engine, name, data, gone):
    keep = np.array([i not in gone for i in range(len(data.X))])
    if not keep.any():
        return
    rule = RULES[name][0]
    data.importance = keep.astype(float)
    with_zeros = data.train(rule)
    data.X, data.codes, data.importance = data.X[keep], data.codes[keep], None
    without = data.train(rule)
    assert same_bits(with_zeros.weights.last, without.weights.last)
    assert same_bits(with_zeros.weights.averaged, without.weights.averaged)
    assert (with_zeros.weights.t, with_zeros.weights.updates) == (without.weights.t, without.weights.updates)


def test_rows_of_importance_0_may_hold_anything():
    X, y = random_task(4, 30)
    weight = np.ones(30)
    weight[7] = 0
    X[7] = np.nan
    trained = train(X, y, sample_weight=weight)
    assert np.isfinite(trained.weights.last[0]).all()


def test_class_weights_scale_the_steps_of_their_class(engine):
    X, y = random_task(5, 50, classes=3)
    labels = np.array(["a", "b", "c"])[y]
    plan = Plan(epochs=3)
    named = run(for_classes(X, labels, class_weight={"b": 2.5}), rules.Perceptron(), plan)
    given_ = run(for_classes(X, labels, importance=np.where(labels == "b", 2.5, 1)), rules.Perceptron(), plan)
    assert same_bits(named.weights.averaged, given_.weights.averaged)
    balanced = for_classes(X, labels, class_weight="balanced")
    np.testing.assert_allclose(balanced.importance, [50 / (3 * (labels == label).sum()) for label in labels])
    both = for_classes(X, labels, importance=np.arange(50.0), class_weight={"b": 2.5})
    assert both.importance.tolist() == (np.arange(50) * np.where(labels == "b", 2.5, 1)).tolist()


# ---- interruption and overflow


def test_ctrl_c_keeps_what_was_learned(engine):
    X, y = random_task(6, 50)

    def stop_after_three(training):
        if len(training.history) == 3:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        run(
            for_classes(X, y),
            rules.Perceptron(),
            Plan(epochs=50, keep_log=True),
            callbacks=Callbacks(epoch=stop_after_three),
        )
    kept, three = caught.value.training, train(X, y, epochs=3)
    assert isinstance(caught.value, KeyboardInterrupt)
    assert kept.stopped_because == "interrupted"
    assert len(kept.history) == 3
    assert len(kept.log) == kept.weights.updates
    assert same_bits(kept.weights.averaged, three.weights.averaged)


@pytest.mark.parametrize("classes", [2, 3])
def test_weights_that_overflow_stop_training_and_the_last_good_epoch_is_kept(engine, classes):
    X, y = random_task(7, 40, classes=classes)
    seen = []
    with pytest.raises(DivergenceError, match="eta0") as caught:
        run(
            for_classes(X, y),
            rules.WidrowHoff(rate=3),
            Plan(epochs=1000),
            callbacks=Callbacks(epoch=lambda t: seen.append((t.weights.last, t.weights.averaged))),
        )
    kept = caught.value.training
    assert 1 <= len(kept.history) == len(seen) < 1000
    assert same_bits(kept.weights.last, seen[-1][0])
    assert np.isfinite(kept.weights.last[0]).all()


@pytest.mark.parametrize("epochs", [1, 10])
@pytest.mark.parametrize("rule", [rules.Perceptron, rules.Logistic, rules.WidrowHoff])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_any_rule_that_overflows_leaves_finite_weights_behind(engine, rule, epochs, dtype):
    X, y = np.array([[3.0, 1.0], [2.0, -1.0]], dtype), [1, 0]
    with pytest.raises(DivergenceError) as caught:
        train(X, y, rule(rate=1.7e308), order="given", epochs=epochs)
    for part in caught.value.training.weights.last:
        assert np.isfinite(part).all()


def test_a_bias_that_overflows_is_noticed_as_weights_are(engine):
    weights = Weights(1, 1)
    weights.start_from(np.zeros((1, 1)), np.array([1e308]))
    with pytest.raises(DivergenceError):
        run(for_regression([[0.0]], [1.0]), rules.WidrowHoff(rate=3), Plan(epochs=1), weights)


def test_a_sum_that_overflows_before_the_weights_do_is_never_silent(engine):
    # T w is beyond the largest number, w and its mean are not.
    weights = Weights(1, 1, fit_intercept=False)
    weights.start_from(np.array([[1e305]]), np.zeros(1))
    examples = for_classes(np.full((2000, 1), 1e-10), [1] * 2000, np.array([0, 1]))
    try:
        run(examples, rules.Perceptron(), Plan(epochs=1), weights)
    except DivergenceError:
        return
    assert weights.averaged[0][0, 0] == pytest.approx(1e305)


# ---- the log, and one run in several parts


@pytest.mark.parametrize("name", ADDS_ROWS)
@given(data=data_sets("floats"))
def test_the_log_replayed_gives_the_weights_and_their_average(engine, name, data):
    trained = data.train(ADDS_ROWS[name][0], keep_log=True)
    log, weights = trained.log, trained.weights
    T, d = weights.t, data.X.shape[1]
    x = np.column_stack([data.X, np.full(len(data.X), float(data.bias))])
    last, mean = np.zeros((data.vectors, d + 1)), np.zeros((data.vectors, d + 1))
    for t, i, rival, tau in zip(log.t, log.row, log.rival, log.tau, strict=True):
        steps = {0: tau if data.codes[i] else -tau} if data.vectors == 1 else {data.codes[i]: tau, rival: -tau}
        for k, step in steps.items():
            last[k] += step * x[i]
            mean[k] += step * x[i] * (T - t) / T
    assert len(log) == weights.updates
    assert (np.diff(log.t) > 0).all()
    np.testing.assert_allclose(np.column_stack(weights.last), last, atol=1e-12)
    np.testing.assert_allclose(np.column_stack(weights.averaged), mean, atol=1e-12)
    np.testing.assert_allclose(log.dual(data.codes, data.vectors) @ data.X, weights.last[0], atol=1e-12)


def in_parts(X, y, rule, cuts, classes, t=0):
    """One pass over the rows, in a run for every part, continuing the same weights."""
    weights = Weights(1 if classes == 2 else classes, X.shape[1], sparse=sp.issparse(X), second_order=rule.second_order)
    weights.t, weights.weight = t, float(t)
    for start, stop in pairwise([0, *cuts, X.shape[0]]):
        part = for_classes(X[start:stop], y[start:stop], np.arange(classes))
        run(part, rule, Plan(epochs=1, order="given"), weights)
    return weights


def assert_parts_equal_the_whole(X, y, rule, cuts, classes, t=0):
    whole, parts = in_parts(X, y, rule, [], classes, t), in_parts(X, y, rule, cuts, classes, t)
    assert same_bits(whole.last, parts.last)
    assert same_bits(whole.averaged, parts.averaged)
    assert (whole.t, whole.updates) == (parts.t, parts.updates)


@pytest.mark.parametrize("name", RULES)
@given(
    classes=st.integers(2, 4), seed=st.integers(0, 99), cuts=st.sets(st.integers(1, 29), max_size=6), sparse=st.booleans()
)
def test_any_split_into_runs_equals_one_run_bit_for_bit(engine, name, classes, seed, cuts, sparse):
    X, y = random_task(seed, 30, classes=classes)
    X = sp.csr_array(X) if sparse else X
    assert_parts_equal_the_whole(X, y, RULES[name][0], sorted(cuts), classes)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("t", [0, SETTLE_EVERY - 3000])
def test_a_split_across_chunks_and_settling_equals_one_run(name, classes, t):
    X, y = random_task(9, 2**16 + 4500, d=3, classes=classes)
    for cuts in ([2999, 3000, 3001, 2**16 - 1, 2**16 + 1], [3000, 2**16], [40000]):
        assert_parts_equal_the_whole(X, y, RULES[name][0], cuts, classes, t)


def test_rows_that_were_checked_once_can_be_trained_on_twice(engine):
    X, y = random_task(10, 20)
    rows = Rows(X)
    assert for_classes(rows, y).rows is rows
    assert same_bits(train(rows, y).weights.last, train(X, y).weights.last)


def test_a_row_of_zeros_does_not_keep_a_run_with_replacement_from_ending():
    X, y = [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]], [1, 0, 1]
    trained = train(X, y, order="replacement", fit_intercept=False, epochs=50)
    assert trained.converged


def test_a_regression_has_no_mistakes():
    trained = run(for_regression([[1.0], [2.0]], [-1.0, -2.0]), rules.WidrowHoff(), Plan(epochs=3))
    assert trained.history["mistakes"].tolist() == [0, 0, 0]
    assert trained.history["updates"].tolist() == [2, 2, 2]


@pytest.mark.parametrize("cores", [1, 2])
def test_a_second_core_shuffles_the_same_order(cores, monkeypatch):
    """One thread or two, the epochs are those of the plain way."""
    monkeypatch.setattr(order, "cores", lambda: cores)
    rows = np.arange(50, dtype=np.int32)
    plain = [epoch.copy() for epoch, _ in zip(order.epochs("shuffled", rows, seed=3), range(5), strict=False)]
    ahead = order.epochs("shuffled", rows, seed=3, ahead=10)
    for epoch in plain:
        np.testing.assert_array_equal(next(ahead), epoch)
    ahead.close()


def test_after_a_real_interrupt_counts_log_and_average_belong_to_the_weights():
    """Python raises a pending Ctrl-C as the loop returns: nothing of that chunk may be lost."""
    code = """
import os, signal, threading
import numpy as np
from rosenblatt.engine.rules import Perceptron
from rosenblatt.learning.driver import Callbacks, Interrupted
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores Ctrl-C
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import run as train
random = np.random.default_rng(0)
X, y = random.normal(size=(2000, 1000)), random.integers(0, 2, 2000)  # long rows: few updates to replay
timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
def begin(run):
    if len(run.history) == 1:
        timer.start()
try:
    train(for_classes(X, y), Perceptron(), Plan(epochs=100_000, keep_log=True), callbacks=Callbacks(epoch=begin))
except Interrupted as stop:
    run = stop.training
    both = run.memory().replay(), run.weights
    pairs = zip(*((*weights.last, *weights.averaged) for weights in both))
    print(all(np.array_equal(a, b) for a, b in pairs))
    print(run.stopped_because, len(run.log) == run.weights.updates)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "interrupted", "True"], done.stderr


def test_what_a_callback_looks_at_is_of_its_own_epoch():
    X, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    seen = []
    trained = run(
        for_classes(X, y),
        rules.Perceptron(),
        Plan(epochs=3),
        callbacks=Callbacks(epoch=lambda t: seen.append(t.view("last").coef)),
    )
    assert len({coef.tobytes() for coef in seen}) == 3
    np.testing.assert_array_equal(trained.view("last").coef, trained.weights.last[0])
