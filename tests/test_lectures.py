"""The lectures' own numbers and properties, by the names of LECTURES.md."""

from itertools import pairwise

import numpy as np
import oracle
import pytest
from hypothesis import given
from strategies import data_sets, same_bits

from rosenblatt import certify
from rosenblatt.engine import rules
from rosenblatt.engine.weights import Weights
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import for_classes, for_regression
from rosenblatt.learning.log import Log
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import run, train
from rosenblatt.learning.votes import Voter

# Boulder's four points, in their order (B3, H3): the first is positive.
POINTS = np.array([[1, 1], [0.5, -1], [-1, -1], [-1, 1]])
SIGNS = np.array([1, 0, 0, 0])
TWO = np.array([-1, 1])


def starting_at(coef, intercept=0.0, fit_intercept=True):
    weights = Weights(1, len(coef), fit_intercept)
    weights.start_from(np.array([coef]), np.array([intercept]))
    return weights


def one_by_one(X, y, rule, weights, classes=TWO):
    """Shows the rows singly; after each, (scores before, weights before, weights after)."""
    for x, label in zip(X, y, strict=True):
        before = weights.last
        scores = Model(classes, *before).scores([x])[0]
        run(for_classes([x], [classes[label]], classes), rule, Plan(epochs=1, order="given"), weights)
        yield scores, before, weights.last


def noisy(seed, n=300, d=20):
    """Two classes that no plane separates: a fifth of the labels are wrong."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    y = (X @ random.normal(size=d) > 0) ^ (random.random(n) < 0.2)
    return X, y.astype(int)


def test_b1_a_weighted_sum_of_at_least_zero_is_the_positive_class(engine):
    model = Model(TWO, coef=np.array([[2.0, -1.0]]), intercept=np.array([-1.0]))
    assert model.scores([[1, 1], [1, 0], [0, 0]]).tolist() == [0, 1, -1]  # 2·1 − 1·1 − 1, 2·1 − 1, −1
    assert model.predict([[1, 1], [1, 0], [0, 0]]).tolist() == [1, 1, -1]


def test_b2_the_training_loop_runs_e_epochs_each_in_a_random_order(engine):
    X, y = noisy(0, n=30, d=3)
    X = np.rint(8 * X)
    trained = train(X, y, epochs=5, seed=3)
    witness = oracle.learn(oracle.perceptron(), X, y, oracle.order_of_epochs(30, 3, epochs=5))
    assert len(trained.history) == 5
    assert same_bits(trained.weights.last, witness.last)
    as_given = train(X, y, epochs=5, order="given")
    assert not same_bits(trained.weights.last, as_given.weights.last)


def test_b3_boulders_worked_example_has_one_update_at_the_second_point(engine):
    weights = starting_at([1, 0])
    steps = list(one_by_one(POINTS, SIGNS, rules.Perceptron(), weights))
    assert [activation for activation, _, _ in steps] == [1, 0.5, -2.5, -0.5]
    assert weights.updates == 1
    for _, _, (coef, intercept) in steps[1:]:
        assert coef.tolist() == [[0.5, 1]]
        assert intercept.tolist() == [-1]


@given(data=data_sets("integers", classes=2, weighted=False))
def test_b4_every_update_raises_the_activation_by_the_squared_norm_and_one(engine, data):
    weights = Weights(1, data.X.shape[1])
    for activation, before, after in one_by_one(data.X, data.codes, rules.Perceptron(), weights):
        i = weights.t - 1
        x, y = data.X[i], 2 * data.codes[i] - 1
        if activation * y <= 0:
            assert y * (after[0][0] @ x + after[1][0]) == y * activation + x @ x + 1
        else:
            assert same_bits(before, after)


def test_b7_votes_outlive_one_bad_update_after_9899_good_examples(engine):
    """Boulder: weights that were right 9,899 times in a row move at one wrong label, and then decide alone."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(9900, 2))
    X[:, 0] += 2 * np.sign(X[:, 0])  # two clouds, left and right
    y = (X[:, 0] > 0).astype(int)
    X[0], y[0] = [1, 0], 1
    X[-1], y[-1] = [50, 0], 0
    trained = train(X, y, epochs=1, order="given", keep_log=True)
    memory = trained.memory()
    assert memory.lived.tolist() == [0, 9899, 1]
    good, right = X[:1000], y[:1000]
    assert (Voter(trained.classes, memory).predict(good) == right).all()
    assert (trained.view("averaged").predict(good) == right).all()
    assert (trained.view("last").predict(good) != right).all()
    before, after = memory.replay(1), memory.replay(2)
    literal = 9899 * np.where(good @ before.w[0] + before.bias >= 0, 1, -1)
    literal += np.where(good @ after.w[0] + after.bias >= 0, 1, -1)
    assert np.array_equal(Voter(trained.classes, memory).scores(good), literal)


def test_b8_the_averaged_perceptron_is_one_vector_the_mean_over_examples(engine):
    trained = train(POINTS, SIGNS, order="given", epochs=1)
    # After each point from 0: [1, 1], 1 (score 0, a mistake); [0.5, 2], 0; then −2.5 and 1.5 (a mistake): [1.5, 1], −1.
    coef, intercept = trained.weights.averaged
    assert coef.tolist() == [[(1 + 0.5 + 0.5 + 1.5) / 4, (1 + 2 + 2 + 1) / 4]]
    assert intercept.tolist() == [(1 + 0 + 0 - 1) / 4]
    assert same_bits((trained.view("averaged").coef, trained.view("averaged").intercept), (coef, intercept))


def test_h1_a_positive_bias_gives_more_positives_and_moves_the_plane_against_theta(engine):
    X = np.random.default_rng(0).normal(size=(200, 2))
    theta = np.array([3.0, 4.0])
    positives = []
    for b in (-2.0, 0.0, 2.0):
        model = Model(TWO, theta[None], np.array([b]))
        on_the_plane = -b / np.linalg.norm(theta) * theta / np.linalg.norm(theta)  # errata: by b/|θ|, not b
        assert model.scores([on_the_plane]) == pytest.approx(0, abs=1e-15)
        positives.append((model.predict(X) == 1).sum())
    assert positives[0] < positives[1] < positives[2]


def test_h1_through_the_origin_there_is_no_bias_and_a_start_guess_is_kept(engine):
    separated = starting_at([1.5, 1], fit_intercept=False)
    trained = run(for_classes(POINTS, SIGNS), rules.Perceptron(), Plan(fit_intercept=False), separated)
    assert trained.weights.updates == 0
    assert trained.weights.last[0].tolist() == [[1.5, 1]]  # where H3 ends
    assert train(POINTS, SIGNS, fit_intercept=False).weights.last[1].tolist() == [0]
    assert train(POINTS, SIGNS, order="given", epochs=1).weights.last[1].tolist() == [-1]


def test_h2_training_stops_when_all_are_correct(engine):
    trained = train(POINTS, SIGNS, epochs=100)
    assert trained.stopped_because == "an epoch without updates"
    assert trained.converged
    assert trained.history["updates"][-1] == 0
    assert (trained.history["updates"][:-1] > 0).all()


def test_h2_training_stops_when_the_average_update_is_below_epsilon(engine):
    X, y = noisy(1, n=60, d=4)
    trained = train(X, y, rules.Perceptron(schedule="1/examples"), epochs=500, tol=1e-3)
    assert trained.stopped_because == "the average update fell below tol"
    epochs = len(trained.history)
    assert 1 < epochs < 500
    witness = oracle.learn(oracle.perceptron(schedule="1/examples"), X, y, oracle.order_of_epochs(60, 0, epochs))
    path = [np.zeros_like(witness.path[0]), *witness.path]
    steps = [np.linalg.norm(new - old) for old, new in pairwise(path)]
    np.testing.assert_allclose(trained.history["moved"], np.mean(np.reshape(steps, (epochs, 60)), axis=1), rtol=1e-9)
    assert trained.history["moved"][-1] < 1e-3 <= trained.history["moved"][:-1].min()


def test_h2_training_stops_after_a_fixed_number_of_epochs_or_a_single_pass(engine):
    X, y = noisy(2, n=50, d=3)
    seven, one = train(X, y, epochs=7), train(X, y, epochs=1)
    assert (seven.stopped_because, len(seven.history), seven.weights.t) == ("all 7 epochs", 7, 350)
    assert (one.stopped_because, len(one.history), one.weights.t) == ("one pass", 1, 50)
    assert not seven.converged


def test_h3_from_1_0_five_updates_end_at_one_and_a_half_one(engine):
    weights = starting_at([1, 0], fit_intercept=False)
    plan = Plan(order="given", fit_intercept=False)
    trained = run(for_classes(POINTS, SIGNS), rules.Perceptron(), plan, weights)
    assert trained.weights.updates == 5
    assert trained.weights.last[0].tolist() == [[1.5, 1]]
    assert trained.converged


def test_h3_a_strict_inequality_would_stop_on_a_point():
    options = {"bias": False, "start": ([[1, 0]], [0])}
    order = [0, 1, 2, 3] * 10
    strict = oracle.learn(oracle.perceptron_with_strict_mistakes(), POINTS, SIGNS, order, **options)
    assert strict.last[0].tolist() == [[1, 1]]
    assert 0 in (POINTS @ strict.last[0][0]).tolist()  # the plane goes through (−1, 1)
    assert oracle.learn(oracle.perceptron(), POINTS, SIGNS, order, **options).last[0].tolist() == [[1.5, 1]]


@given(data=data_sets("integers", weighted=False))
def test_u4_points_picked_at_random_and_w_always_a_combination_of_them(engine, data):
    seen = []
    plan = Plan(epochs=4, order="replacement", seed=data.seed, fit_intercept=data.bias, keep_log=True)
    examples = data.examples()
    trained = run(
        examples, rules.Perceptron(), plan, callbacks=Callbacks(epoch=lambda t: seen.append((t.weights.t, t.weights.last)))
    )
    log = trained.log
    for t, (coef, intercept) in seen:
        until = log.t < t
        dual = Log(log.t[until], log.row[until], log.rival[until], log.tau[until]).dual(examples.codes, data.vectors)
        np.testing.assert_array_equal(dual @ data.X, coef)
        np.testing.assert_array_equal(dual.sum(axis=1) * data.bias, intercept)


def test_u6_widrow_hoff_takes_the_gradient_of_one_example(engine):
    random = np.random.default_rng(4)
    X, y = random.normal(size=(12, 3)), random.normal(size=12)
    plan = Plan(epochs=1, order="given", fit_intercept=False)
    trained = run(for_regression(X, y), rules.WidrowHoff(rate=0.05), plan)
    w = np.zeros(3)
    for x, target in zip(X, y, strict=True):
        w = w - 0.05 * (x @ w - target) * x
    np.testing.assert_allclose(trained.weights.last[0][0], w, rtol=1e-12)


def test_u6_widrow_hoff_approaches_least_squares():
    random = np.random.default_rng(5)
    X = random.normal(size=(200, 4))
    y = X @ [1, -2, 3, 0.5] + 0.7 + random.normal(size=200)
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(200)]), y, rcond=None)[0]
    approach = run(for_regression(X, y), rules.WidrowHoff(rate=0.001), Plan(epochs=100))
    near = Weights(1, 4)
    near.start_from(*approach.weights.last)  # a new average, without the way there
    coef, intercept = run(for_regression(X, y), rules.WidrowHoff(rate=0.001), Plan(epochs=100), near).weights.averaged
    np.testing.assert_allclose(np.append(coef[0], intercept), expected, atol=0.01)


def test_w3_free_money_is_spam_with_activation_three(engine):
    spam = Model(np.array(["ham", "spam"]), coef=np.array([[4.0, 2.0]]), intercept=np.array([-3.0]))
    assert spam.scores([[1, 1]]).tolist() == [3]
    assert spam.predict([[1, 1]]).tolist() == ["spam"]


def test_w5_logistic_regression_and_perceptron_are_one_loop_with_a_soft_and_a_hard_prediction(engine):
    X, y = noisy(6, n=40, d=5)
    eta, start = 0.3, np.array([0.1, -0.2, 0.3, 0.4, 0.5])
    soft, hard = start.copy(), start.copy()
    for x, target in zip(X, y, strict=True):  # y is {0, 1}, as on the slide
        soft = soft + eta * (target - 1 / (1 + np.exp(-(soft @ x)))) * x
        hard = hard + (target - (hard @ x >= 0)) * x
    plan = Plan(epochs=1, order="given", fit_intercept=False)
    for rule, expected in (rules.Logistic(rate=eta), soft), (rules.Perceptron(), hard):
        trained = run(for_classes(X, y), rule, plan, starting_at(start, fit_intercept=False))
        np.testing.assert_allclose(trained.weights.last[0][0], expected, rtol=1e-12)


def test_w6_the_highest_activation_wins_the_vote_the_election_and_the_game(engine):
    # Columns: win, game, vote, the; "election" is no feature.
    topics = np.array(["SPORTS", "POLITICS", "TECH"])
    coef = np.array([[4.0, 4, 0, 0], [2, 0, 4, 0], [0, 2, 0, 0]])
    model = Model(topics, coef, intercept=np.array([-2.0, 1, 2]))
    texts = [[1, 0, 1, 1], [1, 0, 0, 1], [1, 1, 0, 1]]
    assert model.scores(texts).tolist() == [[2, 7, 2], [2, 3, 2], [6, 3, 4]]
    assert model.predict(texts).tolist() == ["POLITICS", "POLITICS", "SPORTS"]


@given(data=data_sets("integers", classes=4, weighted=False))
def test_w7_the_multiclass_perceptron_lowers_the_wrong_and_raises_the_right(engine, data):
    weights = Weights(4, data.X.shape[1])
    for scores, before, after in one_by_one(data.X, data.codes, rules.Perceptron(), weights, np.arange(4)):
        x, right = np.append(data.X[weights.t - 1], 1), data.codes[weights.t - 1]
        moved = np.column_stack(after) - np.column_stack(before)
        others = np.delete(scores, right)
        expected = np.zeros_like(moved)
        if scores[right] <= others.max():  # a tie is a mistake, too
            wrong = np.flatnonzero((scores == others.max()) & (np.arange(4) != right))[0]
            expected[right], expected[wrong] = x, -x
        np.testing.assert_array_equal(moved, expected)


def test_w8_on_noise_the_last_weights_thrash_and_the_average_does_not():
    (X, y), (X2, y2) = noisy(7), (None, None)
    X, X2, y, y2 = X[:200], X[200:], y[:200], y[200:]
    trained = train(X, y, held_out=(X2, y2), epochs=30)
    last, averaged = trained.history["held_out_last"][5:], trained.history["held_out_averaged"][5:]
    assert last.std() > 2 * averaged.std()
    assert last.mean() > averaged.mean()


@pytest.mark.parametrize("average", [False, True])
def test_w8_early_stopping_returns_the_best_weights_not_the_last(engine, average):
    X, y = noisy(8)
    examples, held_out = for_classes(X[:150], y[:150]), for_classes(X[150:], y[150:])
    seen = []
    plan = Plan(epochs=60, patience=4, average=average)
    trained = run(
        examples,
        rules.Perceptron(),
        plan,
        held_out=held_out,
        callbacks=Callbacks(epoch=lambda t: seen.append(t.weights.averaged if average else t.weights.last)),
    )
    errors = [np.mean((X[150:] @ coef[0] + intercept[0] >= 0) != y[150:]) for coef, intercept in seen]
    best = int(np.argmin(errors))
    assert len(seen) == best + 1 + 4
    assert trained.best_epoch == best + 1
    assert trained.best_error == pytest.approx(errors[best])
    assert errors[0] > errors[best] < errors[-1], "held-out accuracy rises, then falls"
    view = trained.view("best")
    assert same_bits((view.coef, view.intercept), seen[best])


def test_w8_the_perceptron_barely_separates_where_a_wide_margin_could_be_had():
    shares = []  # of γ*, the best margin
    for seed in range(10):
        random = np.random.default_rng(seed)
        X, w = random.normal(size=(400, 5)), random.normal(size=5)
        X = X[np.abs(X @ w) > 0.2 * np.linalg.norm(w)]
        y = X @ w > 0
        best = certify(X, y).margin
        for rule in (rules.Perceptron(), rules.Mira(p=0.9)):
            coef, intercept = train(X, y, rule, epochs=1000, seed=seed).weights.last
            signed = np.where(y, 1, -1) * (X @ coef[0] + intercept[0])
            shares.append(signed.min() / np.hypot(np.linalg.norm(coef), intercept[0]) / best)
    perceptron, aggressive = np.array(shares).reshape(-1, 2).T
    assert (perceptron > 0).all(), "it does separate"
    assert np.median(perceptron) < 0.3, "but barely"
    assert (aggressive > 0.9).all(), "and need not: O5, larger p, larger margin"


@given(data=data_sets("integers"))
def test_o3_daumes_trick_gives_the_naive_average(engine, data):
    trained = data.train(rules.Perceptron())
    witness = data.ask_oracle(oracle.perceptron(), len(trained.history))
    assert same_bits(trained.weights.averaged, witness.averaged)


@pytest.mark.parametrize("p", [0.0, 0.7])
@given(data=data_sets("floats", weighted=False, scales=(1.0, 1e-30, 1e30)))
def test_o4_after_every_mira_update_the_margin_is_one(engine, p, data):
    weights = Weights(data.vectors, data.X.shape[1])
    updates = 0
    for scores, (coef, _), after in one_by_one(data.X, data.codes, rules.Mira(p), weights, np.arange(data.classes)):
        if weights.updates == updates:
            continue
        updates, x, right = weights.updates, data.X[weights.t - 1], data.codes[weights.t - 1]
        new = after[0] @ x + after[1]
        size = 1 + np.abs(np.atleast_1d(scores)).max() + (np.abs(coef) @ np.abs(x)).max()  # what rounding is relative to
        rival = 1 - right if data.vectors == 1 else oracle.best_other(scores, right)  # of that moment
        margin = new[0] * (right - rival) if data.vectors == 1 else new[right] - new[rival]
        assert margin == pytest.approx(1, abs=1e-13 * size)


def test_o5_larger_p_gives_a_larger_geometric_margin_and_more_updates():
    margins, updates = np.zeros(3), np.zeros(3)
    for seed in range(5):
        random = np.random.default_rng(seed)
        X = random.normal(size=(400, 2))
        X = X[np.abs(X @ [0.6, 0.8]) > 0.1]  # separable, through the origin, with margin 0.1
        y = np.where(X @ [0.6, 0.8] > 0, 1, -1)
        for k, p in enumerate((0.0, 0.5, 0.9)):
            trained = train(X, y, rules.Mira(p), fit_intercept=False, epochs=1000, seed=seed)
            assert trained.converged
            w = trained.weights.last[0][0]
            margins[k] += (y * (X @ w)).min() / np.linalg.norm(w) / 5
            updates[k] += trained.weights.updates
    assert margins[0] < margins[1] < margins[2] <= 0.2
    assert updates[0] < updates[1] < updates[2]
