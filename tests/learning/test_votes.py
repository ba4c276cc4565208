"""Votes, averages and last weights from the log equal what a stored weight vector a survivor gives."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import ADDS_ROWS, data_sets, same_bits

from rosenblatt.engine import rules
from rosenblatt.engine.compiled import vote_counter
from rosenblatt.engine.rows import OneHot, Rows, join
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import DataError, NotFiniteError, SettingError
from rosenblatt.learning import signs
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.log import Log
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import decide, score
from rosenblatt.learning.training import run, train
from rosenblatt.learning.votes import Survivors, Voter, blocks_of_products, count_votes
from rosenblatt.learning.whole_votes import votes_on_whole_numbers

FORMS = [np.asarray, sp.csr_array]


def votes_of_stored_weights(witness, X):
    """The definition: the weights after every example vote once; sign(0) is +1, of equal classes the first wins."""
    total = 0
    for W in witness.path:
        coef, intercept = witness.split(W)
        scores = X @ coef.T + intercept
        if len(coef) == 1:
            total = total + np.where(scores[:, 0] >= 0, 1, -1)
        else:
            total = total + (scores.argmax(axis=1)[:, None] == np.arange(len(coef)))
    return total


@pytest.mark.parametrize("form", FORMS)
@given(data=data_sets("integers"), seed=st.integers(0, 99))
def test_votes_equal_those_of_every_stored_weight_vector(engine, form, data, seed):
    trained = data.train(rules.Perceptron(), X=form(data.X), keep_log=True)
    witness = data.ask_oracle(oracle.perceptron(), len(trained.history))
    X = np.random.default_rng(seed).integers(-3, 4, (9, data.X.shape[1])).astype(float)
    X = np.concatenate([X, data.X])
    expected = votes_of_stored_weights(witness, X)
    voter, memory = Voter(trained.classes, trained.memory()), trained.memory()
    for other in FORMS:  # rows of another form than those learned from
        assert np.array_equal(voter.scores(other(X)), expected)
    best = expected.argmax(axis=1) if expected.ndim == 2 else (expected > 0).astype(int)
    assert np.array_equal(voter.predict(X), np.arange(data.classes)[best])
    assert same_bits(memory.replay().last, witness.last)
    assert same_bits(memory.replay().averaged, witness.averaged)


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e8])
@pytest.mark.parametrize("form", FORMS)
@given(data=data_sets("floats"))
def test_votes_on_any_numbers_are_those_of_every_weight_vector_of_the_replay(engine, form, scale, data):
    X = data.X * scale  # tiny features beside a bias of whole numbers are not rounded away
    trained = data.train(rules.Perceptron(), X=form(X), keep_log=True)
    memory, log, expected, sure = trained.memory(), trained.log, 0, np.ones(len(X), bool)
    # What is nearer to a tie than the products of all updates are rounded is decided by the order in which they are added.
    rounding = 1e-12 * (np.abs(X) @ (np.abs(X[log.row]).T @ log.tau))
    for k, lived in enumerate(memory.lived.tolist()):
        coef, intercept = memory.replay(k).last
        scores = X @ coef.T + intercept
        if len(coef) == 1:
            expected = expected + lived * np.where(scores[:, 0] >= 0, 1, -1)
            gaps = np.abs(scores[:, 0])
        else:
            expected = expected + lived * (scores.argmax(axis=1)[:, None] == np.arange(len(coef)))
            gaps = np.diff(np.sort(scores, axis=1)[:, -2:], axis=1)[:, 0]
        room = rounding + 1e-15 * np.abs(intercept).max()
        sure &= (gaps > room) | (room == 0) | (k == 0)
    assert np.array_equal(Voter(trained.classes, memory).scores(form(X))[sure], expected[sure])


@given(data=data_sets("integers"), seed=st.integers(0, 99))
def test_votes_count_what_the_first_weights_survived(engine, data, seed):
    random = np.random.default_rng(seed)
    start = random.integers(-3, 4, (data.vectors, data.X.shape[1])), random.integers(-3, 4, data.vectors) * data.bias
    weights = Weights(data.vectors, data.X.shape[1], data.bias)
    weights.start_from(*start)
    trained = run(data.examples(), rules.Perceptron(), Plan(epochs=2, order="given", keep_log=True), weights)
    n = len(data.X)
    order = [i for _ in trained.history for i in range(n)]
    options = {"vectors": data.vectors, "bias": data.bias, "importance": data.importance, "start": start}
    witness = oracle.learn(oracle.perceptron(), data.X, data.codes, order, **options)
    assert np.array_equal(Voter(trained.classes, trained.memory()).scores(data.X), votes_of_stored_weights(witness, data.X))


@pytest.mark.parametrize("name", ADDS_ROWS)
@pytest.mark.parametrize("form", FORMS)
@given(data=data_sets("floats"))
def test_replaying_the_log_gives_the_engines_bits(engine, form, name, data):
    trained = data.train(ADDS_ROWS[name][0], X=form(data.X), keep_log=True)
    memory = trained.memory()
    again = memory.replay()
    assert same_bits(again.last, trained.weights.last)
    assert same_bits(again.averaged, trained.weights.averaged)
    assert (again.t, again.updates) == (trained.weights.t, trained.weights.updates)
    # w is a linear combination of training points (USC).
    w = memory.dual() @ memory.rows.csr().toarray()
    np.testing.assert_allclose(w, trained.weights.last[0], rtol=1e-9, atol=1e-9 * np.abs(w).max(initial=1))
    mean = memory.dual("averaged") @ memory.rows.csr().toarray()
    np.testing.assert_allclose(mean, trained.weights.averaged[0], rtol=1e-9, atol=1e-9 * np.abs(w).max(initial=1))


@given(data=data_sets("integers"))
def test_replay_stops_at_any_update(data):
    trained = data.train(rules.Perceptron(), keep_log=True)
    witness = data.ask_oracle(oracle.perceptron(), len(trained.history))
    memory = trained.memory()
    for k in range(1, len(memory.log) + 1):
        t = int(memory.log.t[k - 1])
        assert same_bits(memory.replay(k).last, witness.split(witness.path[t]))
        assert memory.replay(k).t == t + 1
    assert same_bits(memory.replay(0).last, (np.zeros((data.vectors, data.X.shape[1])), np.zeros(data.vectors)))
    with pytest.raises(SettingError, match="There is no update"):
        memory.replay(len(memory.log) + 1)


def test_replay_settles_its_sums_where_training_does():
    X = np.random.default_rng(0).normal(size=(200, 5))
    y = np.random.default_rng(1).integers(0, 3, 200)
    weights = Weights(3, 5, settle_every=64)
    trained = run(for_classes(X, y), rules.Perceptron(), Plan(epochs=3, keep_log=True), weights)
    assert trained.weights.settled == 576
    assert same_bits(trained.memory().replay().averaged, trained.weights.averaged)


def test_an_update_takes_at_most_24_bytes():
    log = train(np.eye(3), [0, 1, 2], keep_log=True).log
    assert sum(part.itemsize for part in (log.t, log.row, log.rival, log.tau)) <= 24


@given(data=data_sets("integers"), cut=st.integers(0, 12))
def test_two_runs_remember_as_one(data, cut):
    whole = run(data.examples(), rules.Perceptron(), Plan(epochs=1, order="given", fit_intercept=data.bias, keep_log=True))
    examples, cut = data.examples(), min(cut, len(data.X))
    weights, memory, seen = None, None, 0
    for numbers in np.split(np.arange(len(data.X)), [cut]):
        if len(numbers):
            part = examples.take(numbers)
            plan = Plan(epochs=1, order="given", fit_intercept=data.bias, keep_log=True)
            trained = run(part, rules.Perceptron(), plan, weights)
            weights = trained.weights
            memory = trained.memory() if memory is None else memory.then(trained.memory(), seen)
            seen += len(numbers)
    assert np.array_equal(Voter(whole.classes, memory).scores(data.X), Voter(whole.classes, whole.memory()).scores(data.X))
    assert memory.numbers[memory.log.row].tolist() == whole.log.row.tolist()


def nearly_orthogonal(W, rng, X):
    """Rows of whole numbers; half of them some weights score 0, or next to nothing beside |x| |w|."""
    for x in X[::2]:
        w, b = W[rng.integers(1, len(W))]
        j = np.flatnonzero(w)[0]
        x[j] = 0
        x *= 64 * w[j]
        x[j] = -(w @ x + b) // w[j] + rng.integers(0, 2)
    return X


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("bias", "scale"), [(True, 1.0), (False, 1.0), (False, 2.0**-30), (False, 2.0**27)])
def test_signs_that_float32_cannot_tell_are_those_of_the_definition(engine, kind, bias, scale):
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, (300, 60)).astype(float)
    y = X @ rng.normal(size=60) + rng.normal(size=300) * 20 > 0
    trained = train(X.astype(kind), y, epochs=2, order="given", keep_log=True, fit_intercept=bias)
    memory = trained.memory()
    survivors = [memory.replay(k).last for k in range(len(memory.log) + 1)]
    W = [(coef[0], intercept[0]) for coef, intercept in survivors]
    tests = nearly_orthogonal(W, rng, rng.integers(-4, 5, (60, 60)).astype(float))
    scores = np.array([tests @ w + b for w, b in W])
    lengths = np.outer([np.hypot(np.linalg.norm(w), b) for w, b in W], np.hypot(np.linalg.norm(tests, axis=1), 1))
    assert (np.abs(scores[1:]) < 1e-5 * lengths[1:]).sum() > 20
    expected = memory.lived @ np.where(scores >= 0, 1, -1)
    rows = Rows((tests * scale).astype(kind))
    assert np.array_equal(Voter(trained.classes, memory).scores(rows), expected)
    found = signs.votes_by_sign(rows, memory, weights=37, room=12 * 61 * 16 * 37)
    assert np.array_equal(found, expected), "without a bias the sign is that of any multiple of x"


def test_float32_decides_where_it_can_and_gives_way_where_it_cannot(monkeypatch):
    """Both ways are taken by the test above and by small whole numbers; here it is seen which."""
    taken = []
    count = signs.vote_counter.SignCounter

    class Watched:
        def __init__(self, *args):
            self.signs = count(*args)

        def count(self, scores, W, lived, votes, patience):
            taken.append((self.signs.count(scores, W, lived, votes, patience), patience > 0))
            return taken[-1][0]

    monkeypatch.setattr(signs, "vote_counter", SimpleNamespace(SignCounter=Watched))
    rng = np.random.default_rng(0)
    for values, expected in (
        (rng.normal(size=(400, 50)), {(True, True)}),
        (rng.integers(0, 2, (400, 50)), {(False, True), (True, False)}),
    ):
        trained = train(values, values @ rng.normal(size=50) + rng.normal(size=400) > 0, epochs=3, keep_log=True)
        taken.clear()
        signs.votes_by_sign(Rows(np.eye(50) if values.dtype == int else values), trained.memory())
        assert set(taken) == expected


def test_equal_votes_go_to_the_first_class():
    assert decide(np.array([0.0, 2.0, -2.0]), by_votes=True).tolist() == [0, 1, 0]
    assert decide(np.array([[2, 2, 1], [0, 3, 3]]), by_votes=True).tolist() == [0, 1]


def test_survivors_live_as_long_as_the_run_and_include_the_example_that_made_them():
    log = Log(t=np.array([3, 4, 9]))
    assert log.lived(0, 12).tolist() == [3, 1, 5, 3]
    assert log.lived(2, 12).sum() == 10


@pytest.mark.parametrize("other", FORMS)
@pytest.mark.parametrize("form", FORMS)
def test_products_come_in_blocks_of_bounded_size(form, other):
    X, Y = (np.random.default_rng(seed).integers(-9, 9, (n, 7)).astype(np.float32) for seed, n in ((0, 70), (1, 5)))
    parts = [
        (part, products.copy())
        for part, products in blocks_of_products(Rows(form(X)), Rows(other(Y)), room=8 * 5 * 20, tile=2)
    ]
    assert [part.stop - part.start for part, _ in parts] == [20, 20, 20, 10]
    assert np.array_equal(np.concatenate([products for _, products in parts]), X.astype(float) @ Y.T.astype(float))


def test_one_hot_rows_vote_as_their_dense_form():
    rng = np.random.default_rng(0)
    codes = OneHot(np.stack([rng.integers(0, 5, 60), 5 + rng.integers(0, 4, 60)], axis=1), n_features=9)
    y = rng.integers(0, 3, 60)
    one, dense = (train(X, y, epochs=2, keep_log=True) for X in (codes, codes.toarray()))
    assert np.array_equal(
        Voter(one.classes, one.memory()).scores(codes), Voter(dense.classes, dense.memory()).scores(codes.toarray())
    )


def test_rows_of_any_two_kinds_join():
    X = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    kinds = [Rows(X), Rows(X.astype(np.float32)), Rows(sp.csr_array(X)), Rows(OneHot(np.array([[0, 2], [1, 2]]), 3))]
    for above in kinds:
        for below in kinds:
            assert np.array_equal(join(above, below).csr().toarray(), np.concatenate([X, X]))


def test_a_drawn_survivor_decides_with_its_share_of_the_votes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    trained = train(X, y, epochs=2, keep_log=True)
    memory, row = trained.memory(), X[:1]
    share = (Voter(trained.classes, memory).scores(row)[0] / memory.last + 1) / 2  # of votes for class 1
    drawn = Voter(trained.classes, memory, drawn=3).predict(np.repeat(row, 4000, axis=0))
    assert abs(drawn.mean() - share) < 4 * np.sqrt(0.25 / 4000)  # four standard deviations
    every = {tuple(np.r_[w.last[0][0], w.last[1]].tolist()) for w in (memory.replay(k) for k in range(len(memory.log) + 1))}
    scores = Voter(trained.classes, memory, drawn=3).scores(X)
    possible = [{float(np.round(np.dot(w[:2], x) + w[2], 9)) for w in every} for x in X]
    assert all(float(np.round(score, 9)) in scores_of_row for score, scores_of_row in zip(scores, possible, strict=True))


def test_rows_that_cannot_be_voted_about_are_refused():
    trained = train(np.array([[1e120, 1.0], [1.0, -1e120]]), [0, 1], keep_log=True)
    voter = Voter(trained.classes, trained.memory())
    with pytest.raises(DataError, match="X has 3 features"):
        voter.scores([[1, 2, 3]])
    with pytest.raises(NotFiniteError, match="row 1, column 0"):
        voter.scores([[1.0, 2.0], [np.nan, 1.0]])
    with pytest.raises(NotFiniteError, match="Row 1, column 1"):
        voter.scores([[1.0, 2.0], [1.0, 1e200]])
    log = voter.memory.log
    huge = replace(voter.memory, log=Log(log.t, log.row, log.rival, np.full_like(log.tau, 1e308)))
    with pytest.raises(NotFiniteError, match="column"):
        Voter(trained.classes, huge, drawn=0).scores(np.full((50, 2), 1e9))


@pytest.mark.parametrize("rule", [rules.Logistic(l2=0.1), rules.WidrowHoff()])
def test_rules_without_a_dual_say_so(rule):
    trained = train(np.eye(3), [0, 1, 2], rule, keep_log=True, epochs=2)
    with pytest.raises(SettingError, match="mistake-driven"):
        trained.memory()
    with pytest.raises(SettingError, match="keep_log"):
        train(np.eye(3), [0, 1, 2]).memory()


def test_any_products_can_be_voted_with():
    """Freund and Schapire's kernels: the same count with K(x, x') in place of x·x', and no bias."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-2, 3, (30, 3)).astype(float), rng.integers(0, 2, 30)
    K = (1 + X @ X.T) ** 2
    alpha, t, row = np.zeros(30), [], []
    total = np.zeros(30)
    for i in range(30):
        sign = 1 if y[i] else -1
        if sign * (alpha @ K[:, i]) <= 0:
            alpha[i] += sign
            t.append(i)
            row.append(i)
        total += np.where(alpha @ K >= 0, 1, -1)
    log = Log(np.array(t), np.array(row, np.int32), np.full(len(t), -1, np.int32), np.ones(len(t)))
    found, last = count_votes(K, Survivors.of(log, y, 1, 0, 30), constant=0.0)
    assert np.array_equal(found[:, 0], total)
    assert np.array_equal(last[:, 0], alpha @ K)


@given(st.integers(0, 2**32), st.booleans())
def test_votes_on_narrow_sparse_rows_are_those_of_the_same_rows_dense(seed, whole):
    rng = np.random.default_rng(seed)
    X = sp.random(60, 15, 0.3, format="csr", random_state=rng.integers(2**31))
    X.data = rng.integers(-3, 4, X.nnz).astype(float) if whole else X.data - 0.5
    y = rng.integers(0, 2, 60)
    sparse, dense = (train(rows, y, epochs=3, keep_log=True, order="given").memory() for rows in (X, X.toarray()))
    rows = Rows(X)
    by_sign = signs.votes_by_sign(rows, sparse, weights=7)
    products = next(products for _, products in blocks_of_products(rows, sparse.rows))
    survivors = Survivors.of(sparse.log, sparse.codes, 1, sparse.first, sparse.last)
    counted = count_votes(products, survivors)[0][:, 0]
    if whole:  # on others the orders of a sum decide about what is nearly 0
        np.testing.assert_array_equal(by_sign, counted)
        np.testing.assert_array_equal(by_sign, signs.votes_by_sign(Rows(X.toarray()), dense))
    else:
        assert np.mean(by_sign == counted) > 0.9


def test_wide_sparse_rows_are_not_made_dense():
    X = sp.random(50, 5000, 0.002, format="csr", random_state=0)
    memory = train(X, np.arange(50) % 2, epochs=2, keep_log=True).memory()
    assert signs.votes_by_sign(Rows(X), memory) is None


@pytest.mark.parametrize("form", FORMS)
@given(data=data_sets("integers"), seed=st.integers(0, 99), at_once=st.integers(1, 9))
def test_votes_on_whole_numbers_are_those_of_the_running_sum_in_double(engine, form, data, seed, at_once):
    weights = Weights(data.vectors, data.X.shape[1], data.bias, sparse=not Rows(form(data.X)).dense)
    if seed % 2:
        weights.start_from(
            np.random.default_rng(seed).integers(-3, 4, weights.w.shape), np.full(data.vectors, data.bias * 2)
        )
    memory = run(data.examples(form(data.X)), rules.Perceptron(), Plan(epochs=2, keep_log=True), weights).memory()
    tests = Rows(form(data.X[::-1].copy()))
    counted = votes_on_whole_numbers(tests, memory, at_once)
    if data.vectors > 1:
        assert counted is None
        return
    assert counted is not None
    products = next(products for _, products in blocks_of_products(tests, memory.rows))
    survivors = Survivors.of(memory.log, memory.codes, 1, memory.first, memory.last)
    start = None if memory.start is None else score(tests, *memory.start.last)
    expected, _ = count_votes(products, survivors, start, float(memory.fit_intercept))
    assert np.array_equal(counted, expected[:, 0])


@pytest.mark.parametrize(
    ("factor", "tau", "whole"),
    [(1.0, 1.0, True), (0.5, 1.0, False), (1.0, 0.5, False), (2.0**12, 1.0, False), (1.0, 2.0**23, False)],
)
def test_numbers_that_float32_might_round_are_not_counted_as_whole(factor, tau, whole):
    X = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 1.0]]) * factor
    memory = train(X, [1, 0, 0], keep_log=True, epochs=2, order="given").memory()
    memory.log.tau[:] = tau
    assert (votes_on_whole_numbers(Rows(X), memory) is not None) == whole


def test_a_log_that_does_not_fit_is_not_counted():
    column, steps, lived = np.array([0, 1], np.int32), np.ones(2, np.float32), np.ones(3, np.int32)
    with pytest.raises(ValueError, match="do not fit each other"):
        vote_counter.WholeVoteCounter(column, steps, lived[:2])
    counter = vote_counter.WholeVoteCounter(column, steps, lived)
    with pytest.raises(ValueError, match="do not fit the log"):
        counter.count(np.ones((1, 4), np.float32), np.zeros(4, np.float32), np.zeros(4, np.int32))
