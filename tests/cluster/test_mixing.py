"""Iterative parameter mixing against the paper (McDonald, Hall and Mann, 2010), in plain numpy and in fractions.

The oracle knows nothing of parts and trees: it keeps the weights after every example of every shard, and takes means.
"""

from fractions import Fraction

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt.cluster.mixed_run import ShardsHere, cut, ranges, train_shards
from rosenblatt.cluster.mixing import MixSettings
from rosenblatt.engine import rules
from rosenblatt.engine.rows import OneHot
from rosenblatt.errors import DivergenceError, SettingError
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import for_classes, for_regression
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import run

BOTH = {
    "perceptron": (rules.Perceptron(), oracle.perceptron()),
    "mira": (rules.Mira(), oracle.mira()),
    "pa1": (rules.PassiveAggressive(C=0.5), oracle.pa1(0.5)),
    "arow": (rules.Arow(r=0.7), oracle.arow(0.7)),
    "logistic": (rules.Logistic(rate=0.3, schedule="constant"), oracle.logistic(0.3)),
    "widrow-hoff": (rules.WidrowHoff(rate=0.01, schedule="constant"), oracle.widrow_hoff(0.01, "constant")),
}


def mixed_by_the_paper(rule, X, y, cuts, epochs, vectors=1, mix="uniform", rest=False):
    """(last, averaged, updates, precision, closest to a tie) of mixing over the shards X[a:b], rows as given."""
    one = X[0, 0] * 0 + 1
    W = np.zeros((vectors, X.shape[1] + 1), dtype=X.dtype)
    precision, after_examples, updates, closest = 0 * W + one, [], 0, np.inf
    for _ in range(epochs):
        runs, start = [], (W[:, :-1], W[:, -1])
        for a, b in cuts:
            if rest:
                shard = rest_runs(rule, X[a:b], y[a:b], W, precision)
            else:
                shard = oracle.learn(rule, X[a:b], y[a:b], range(b - a), vectors=vectors, start=start, precision=precision)
            runs.append(shard)
            after_examples += shard.path
            closest = min(closest, shard.closest)
        k = [shard.updates if mix == "updates" else 1 for shard in runs]
        if sum(k):
            W = sum(k_i * shard.path[-1] for k_i, shard in zip(k, runs, strict=True)) / (sum(k) * one)
        precision = precision + sum(shard.precision - precision for shard in runs)
        updates += sum(shard.updates for shard in runs)
    return W, sum(after_examples) / (len(after_examples) * one), updates, precision, closest


def rest_runs(rule, X, y, W, precision):
    """Each class against the rest, from these weights."""
    runs = [
        oracle.learn(rule, X, y == c, range(len(y)), start=(W[[c], :-1], W[[c], -1]), precision=precision[[c]])
        for c in range(len(W))
    ]
    together = oracle.Run(X.shape[1])
    together.path = [np.concatenate(weights) for weights in zip(*(one.path for one in runs), strict=True)]
    before = [W, *together.path]
    together.updates = sum(bool((a != b).any()) for a, b in zip(before, together.path, strict=False))
    together.precision = np.concatenate([one.precision for one in runs])
    together.closest = min(one.closest for one in runs)
    return together


def shards_of(examples, cuts):
    return ShardsHere([cut(examples, a, b) for a, b in cuts])


def rows(n, d, classes, seed=0, whole=False):
    draw = np.random.default_rng(seed)
    X = draw.integers(-3, 4, (n, d)) if whole else draw.normal(size=(n, d))
    y = np.digitize(X @ draw.normal(size=d), np.linspace(-0.5, 0.5, classes - 1))
    wrong = draw.random(n) < 0.2
    return X, np.where(wrong, draw.integers(0, classes, n), y)


@pytest.mark.parametrize("mix", ["uniform", "updates"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", BOTH)
def test_weights_average_and_variances_are_those_of_the_paper(name, classes, mix):
    ours, theirs = BOTH[name]
    X, y = rows(90, 5, classes)
    cuts = ranges(90, 4)
    vectors = 1 if classes == 2 else classes
    last, averaged, updates, precision, closest = mixed_by_the_paper(theirs, X, y, cuts, 3, vectors, mix)
    assert closest > 1e-12  # else rounding would decide which of two steps is taken
    mixed = train_shards(shards_of(for_classes(X, y), cuts), MixSettings(ours, Plan(epochs=3, order="given"), 4, mix))
    for view, weights in (("last", last), ("averaged", averaged)):
        model = mixed.view(view)
        assert np.column_stack([model.coef, model.intercept]) == pytest.approx(weights, rel=1e-10, abs=1e-12)
    assert mixed.updates == updates
    assert mixed.weights.t == 3 * 90
    if name == "arow":
        sigma, bias_sigma = mixed.weights.variances
        assert 1 / np.column_stack([sigma, bias_sigma]) == pytest.approx(precision, rel=1e-10)


@pytest.mark.parametrize("name", ["perceptron", "mira", "pa1", "arow"])
def test_each_class_against_the_rest_is_mixed_by_itself(name):
    ours, theirs = BOTH[name]
    X, y = rows(80, 4, 3, seed=3)
    cuts = ranges(80, 3)
    last, averaged, updates, _, closest = mixed_by_the_paper(theirs, X, y, cuts, 2, vectors=3, rest=True)
    assert closest > 1e-12
    plan = Plan(epochs=2, order="given", multiclass="rest")
    mixed = train_shards(shards_of(for_classes(X, y), cuts), MixSettings(ours, plan, 3))
    model, mean = mixed.view("last"), mixed.view("averaged")
    assert np.column_stack([model.coef, model.intercept]) == pytest.approx(last, rel=1e-10, abs=1e-12)
    assert np.column_stack([mean.coef, mean.intercept]) == pytest.approx(averaged, rel=1e-10, abs=1e-12)
    assert mixed.updates == updates


@given(st.integers(0, 2**32), st.sampled_from([2, 4, 8]), st.sampled_from([2, 4]), st.booleans())
def test_whole_numbers_are_mixed_exactly(seed, shards, classes, sparse):
    """Halves, quarters and eighths of whole numbers are numbers of the machine: not a bit may be lost."""
    X, y = rows(60, 6, classes, seed, whole=True)
    assume(len(np.unique(y)) == classes)
    exact = np.array([[Fraction(int(value)) for value in row] for row in X], dtype=object)
    cuts = ranges(60, shards)
    vectors = 1 if classes == 2 else classes
    last, averaged, updates, _, _ = mixed_by_the_paper(oracle.perceptron(), exact, y, cuts, 4, vectors)
    examples = for_classes(sp.csr_matrix(X.astype(float)) if sparse else X, y)
    mixed = train_shards(shards_of(examples, cuts), MixSettings(rules.Perceptron(), Plan(epochs=4, order="given"), shards))
    for view, weights in (("last", last), ("averaged", averaged)):
        model = mixed.view(view)
        epochs = len(mixed.history)
        if epochs == 4:  # the oracle runs on where no row moves the weights any more
            assert np.column_stack([model.coef, model.intercept]).tolist() == weights.astype(float).tolist()
    assert mixed.updates == updates


@pytest.mark.parametrize("mix", ["uniform", "updates"])
@pytest.mark.parametrize("name", BOTH)
def test_one_shard_is_plain_training_to_the_bit(name, mix):
    X, y = rows(200, 6, 3, seed=5)
    rule, plan = BOTH[name][0], Plan(epochs=3, order="given")
    alone = run(for_classes(X, y), rule, plan)
    mixed = train_shards(shards_of(for_classes(X, y), [(0, 200)]), MixSettings(rule, plan, 1, mix))
    if name == "arow":  # whose variances become precisions and back, which rounds
        assert alone.view("last").coef == pytest.approx(mixed.view("last").coef, rel=1e-10)
    else:
        assert alone.view("last").coef.tobytes() == mixed.view("last").coef.tobytes()
    assert alone.view("averaged").coef == pytest.approx(mixed.view("averaged").coef, rel=1e-10)
    assert [epoch.updates for epoch in alone.history] == [epoch.updates for epoch in mixed.history]


def test_falling_rates_count_on_from_epoch_to_epoch():
    X, y = rows(120, 4, 2, seed=2)
    for rule in (rules.Perceptron(schedule="1/updates"), rules.Perceptron(schedule="1/examples"), rules.WidrowHoff()):
        plan = Plan(epochs=4, order="given")
        mixed = train_shards(shards_of(for_classes(X, y), [(0, 120)]), MixSettings(rule, plan, 1))
        assert mixed.view("last").coef.tobytes() == run(for_classes(X, y), rule, plan).view("last").coef.tobytes()


@pytest.mark.parametrize("kind", ["dense", "csr", "one-hot"])
def test_separable_rows_end_without_updates(kind):
    """Theorem 3 of the paper: Σ_n Σ_i k_{i,n} / S ≤ R² / γ², so mixing comes to an end."""
    draw = np.random.default_rng(0)
    codes = draw.integers(0, 5, (400, 3)) + np.array([0, 5, 10])
    dense = OneHot(codes, 15).toarray()
    u = draw.normal(size=15)
    keep = np.abs(dense @ u) > 0.5
    X = {"dense": dense[keep], "csr": sp.csr_matrix(dense[keep]), "one-hot": OneHot(codes[keep], 15)}[kind]
    y = (dense[keep] @ u > 0).astype(int)
    n = len(y)
    mixed = train_shards(shards_of(for_classes(X, y), ranges(n, 8)), MixSettings(rules.Perceptron(), Plan(epochs=500), 8))
    assert mixed.converged
    assert mixed.history[-1].updates == 0
    assert (mixed.view("last").predict(X) == y).all()
    radius2, gamma = 4.0, (np.abs(dense[keep] @ u)).min() / np.linalg.norm(u)  # three ones and the constant
    assert sum(epoch.updates for epoch in mixed.history) / 8 <= radius2 / gamma**2


def test_columns_that_no_shard_has_stay_to_the_bit():
    """A third of a third of a weight, times three, is not that weight: of what nobody moved no mean is taken."""
    X, y = rows(60, 5, 2)
    X = np.column_stack([X, np.zeros((60, 40))])
    X[:20, 10] = 0.1  # the first shard alone, in the first epoch alone: the others must leave it where mixing put it
    weights = [
        train_shards(
            shards_of(for_classes(sp.csr_matrix(X), y), ranges(60, 3)),
            MixSettings(rules.Perceptron(), Plan(epochs=2, order="given"), 3),
        )
        .view("last")
        .coef
        for _ in range(2)
    ]
    assert weights[0].tobytes() == weights[1].tobytes()
    assert not weights[0][0, 11:].any()
    assert weights[0][0, 10] != 0


def test_sparse_and_dense_parts_give_the_same_bits():
    """What travels are the columns that moved, or all: the mixture cannot tell."""
    X, y = rows(300, 60, 3, seed=1)
    X[np.random.default_rng(1).random(X.shape) < 0.97] = 0
    examples = for_classes(sp.csr_matrix(X), y)
    settings = MixSettings(rules.Mira(), Plan(epochs=3), 6, "updates")
    few = train_shards(shards_of(examples, ranges(300, 6)), settings)
    import rosenblatt.cluster.mixing as mixing

    before, mixing.DENSE_FROM = mixing.DENSE_FROM, 0.0
    try:
        all_columns = train_shards(shards_of(examples, ranges(300, 6)), settings)
    finally:
        mixing.DENSE_FROM = before
    for view in ("last", "averaged"):
        assert few.view(view).coef.tobytes() == all_columns.view(view).coef.tobytes()


def test_orders_differ_between_shards_and_epochs_and_once_does_not():
    settings = MixSettings(rules.Perceptron(), Plan(seed=3), 4)
    seeds = {settings.of_shard(shard, epoch).seed for shard in range(4) for epoch in range(1, 5)}
    assert len(seeds) == 16
    once = MixSettings(rules.Perceptron(), Plan(seed=3, order="once"), 4)
    assert len({once.of_shard(shard, epoch).seed for shard in range(4) for epoch in range(1, 5)}) == 4


def test_numbers_are_learned_by_shards_too():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(200, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.3
    examples = for_regression(X, y)
    settings = MixSettings(rules.WidrowHoff(rate=0.05, schedule="constant"), Plan(epochs=20), 4)
    mixed = train_shards(shards_of(examples, ranges(200, 4)), settings)
    assert mixed.view("last").coef[0] == pytest.approx([1.0, -2.0, 0.5], abs=0.01)


def test_weights_that_overflow_name_epoch_and_shard_and_keep_those_before():
    X, y = rows(60, 3, 2)
    X[45] = 1e200
    with pytest.raises(DivergenceError, match="epoch 1, in shard 2") as stop:
        train_shards(
            shards_of(for_classes(X, y), ranges(60, 3)),
            MixSettings(rules.WidrowHoff(rate=1.0, schedule="constant"), Plan(order="given"), 3),
        )
    assert not stop.value.training.view("last").coef.any()


def test_what_cannot_be_mixed_is_refused():
    with pytest.raises(SettingError, match="mix is 'median'"):
        MixSettings(rules.Perceptron(), Plan(), 2, "median")
    with pytest.raises(SettingError, match="keep_log"):
        MixSettings(rules.Perceptron(), Plan(keep_log=True), 2)
    with pytest.raises(SettingError, match="shards is 0"):
        MixSettings(rules.Perceptron(), Plan(), 0)


def test_who_watches_sees_the_mixed_weights_at_the_end_of_an_epoch():
    """The last step of an epoch is that of the history, whose weights are the mixture."""
    examples = for_classes(np.random.default_rng(0).normal(size=(40, 3)), ["a", "b"] * 20)
    shards = ShardsHere([cut(examples, first, last) for first, last in ranges(40, 4)])
    steps, ends = [], []
    watch = Callbacks(progress=steps.append, epoch=lambda outcome: ends.append(np.linalg.norm(outcome.weights.w)))
    train_shards(shards, MixSettings(rules.Perceptron(), Plan(epochs=3), shards=4), callbacks=watch)
    assert [step.examples for step in steps] == list(range(10, 121, 10))
    assert [step.norm for step in steps[3::4]] == pytest.approx(ends)
    assert [step.norm for step in steps[4::4]] == pytest.approx(ends[:2])
