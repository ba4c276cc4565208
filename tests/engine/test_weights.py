"""The average is right to nine digits after 10^9 examples, and the scale of L2 never eats it."""

from fractions import Fraction

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import RULES, assert_close, data_sets, same_bits

from rosenblatt.engine import rules
from rosenblatt.engine.weights import SETTLE_EVERY, Weights
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import run

MOST = 10**9


def survive(weights, examples):
    """So many examples without an update, as the chunks of a run would count them, but without waiting."""
    end = weights.t + examples
    while weights.t < end:
        stop = min(end, (weights.t // SETTLE_EVERY + 1) * SETTLE_EVERY)
        weights.weight += stop - weights.t
        weights.t = stop
        if stop % SETTLE_EVERY == 0:
            weights.settle()


def follow(X, gaps, signs, rule):
    """Lives through gaps and updates in turn: (weights, exact Σ of (w, b), exact Σ of |(w, b)|)."""
    weights = Weights(1, X.shape[1])
    total = sizes = [Fraction(0)] * (X.shape[1] + 1)

    def count(examples):
        nonlocal total, sizes
        now = [Fraction(v) for v in np.append(*weights.last).tolist()]
        total = [s + examples * v for s, v in zip(total, now, strict=True)]
        sizes = [s + examples * abs(v) for s, v in zip(sizes, now, strict=True)]

    for x, gap, sign in zip(X, gaps, signs, strict=True):
        survive(weights, gap)
        count(gap)
        run(for_classes(x[None], [sign], np.array([0, 1])), rule, Plan(epochs=1, order="given"), weights)
        count(1)
    return weights, total, sizes


@st.composite
def long_lives(draw):
    updates = draw(st.integers(1, 6))
    gap = st.one_of(st.integers(0, 3), st.integers(0, MOST // 6), st.sampled_from([SETTLE_EVERY - 1, SETTLE_EVERY - 2]))
    gaps = draw(st.lists(gap, min_size=updates, max_size=updates))
    if draw(st.booleans()):  # nothing but 0 until shortly before 10^9: the case in which T w − u cancels most
        gaps[0] = MOST - 1 - sum(gaps[1:]) - updates
    return gaps, draw(st.integers(0, 2**32 - 1))


@given(life=long_lives())
def test_averages_are_exact_to_nine_digits_for_counters_up_to_a_billion(life):
    gaps, seed = life
    # All of one sign, so that no average is small by cancellation and every element has its own relative error.
    X = np.random.default_rng(seed).uniform(0.1, 1, (len(gaps), 5))
    weights, total, _ = follow(X, gaps, [1] * len(gaps), rules.WidrowHoff(rate=0.01))
    assert weights.t <= MOST
    for got, exact in zip(np.append(*weights.averaged).tolist(), total, strict=True):
        assert abs(Fraction(got) * weights.t - exact) <= abs(exact) / 10**9


@pytest.mark.parametrize("end", [SETTLE_EVERY, MOST // SETTLE_EVERY * SETTLE_EVERY])
def test_an_update_just_before_the_sum_is_settled_keeps_nine_digits(end):
    # The worst place: t tau x and T w are then as large as they get, and their difference is one w.
    for seed in range(200):
        x = np.random.default_rng(seed).uniform(0.1, 1, (1, 5))
        weights, total, _ = follow(x, [end - 2], [1], rules.WidrowHoff(rate=0.01))
        for got, exact in zip(np.append(*weights.averaged).tolist(), total, strict=True):
            assert abs(Fraction(got) * weights.t - exact) <= abs(exact) / 10**9


@given(life=long_lives())
def test_with_changing_signs_the_error_is_relative_to_the_mean_of_w(life):
    gaps, seed = life
    random = np.random.default_rng(seed)
    X = random.normal(size=(len(gaps), 5))
    signs = random.integers(0, 2, len(gaps)).tolist()
    weights, total, sizes = follow(X, gaps, signs, rules.PassiveAggressive())
    for got, exact in zip(np.append(*weights.averaged).tolist(), total, strict=True):
        assert abs(Fraction(got) * weights.t - exact) <= max(sizes) / 10**9


@given(life=long_lives())
def test_integer_averages_are_the_exact_fraction_rounded(life):
    gaps, seed = life
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (len(gaps), 5)).astype(float)
    weights, total, _ = follow(X, gaps, random.integers(0, 2, len(gaps)).tolist(), rules.Perceptron())
    assert np.append(*weights.averaged).tolist() == [float(exact / weights.t) for exact in total]


@pytest.mark.parametrize("name", RULES)
@given(data=data_sets("floats"))
def test_settling_changes_nothing(name, data):
    rule, learner = RULES[name]
    trained = data.train(rule)
    weights = trained.weights
    last, averaged = weights.last, weights.averaged
    size = data.ask_oracle(learner, len(trained.history)).largest
    weights.settle()
    assert_close(weights.last, last, size)
    assert_close(weights.averaged, averaged, size)
    assert (weights.scale, weights.weight, weights.settled) == (1.0, 0.0, weights.t)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", RULES)
def test_a_copy_goes_on_alike_in_either_layout_and_does_not_move_the_original(name, sparse):
    random = np.random.default_rng(2)
    X, y = random.normal(size=(30, 7)) / 3, random.integers(0, 3, 30)
    rule = RULES[name][0]
    plan = Plan(epochs=1, order="given")
    first = run(for_classes(X, y), rule, plan).weights
    kept = first.copy()
    other = first.copy().with_layout(sparse)
    assert same_bits(other.last, kept.last)
    assert same_bits(other.averaged, kept.averaged)
    data = sp.csr_array(X) if sparse else X
    run(for_classes(data, y), rule, plan, other)
    assert same_bits(first.last, kept.last)
    run(for_classes(X, y), rule, plan, first)
    assert_close(other.last, first.last, (1, 1))
    assert_close(other.averaged, first.averaged, (1, 1))
    assert (other.t, other.updates) == (first.t, first.updates)


@pytest.mark.parametrize("l2", [1e-4, 0.02, 0.5, 1.5, 1.9999, 2 - 1e-12])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("schedule", ["constant", "1/examples"])
def test_l2_shrinks_over_hundreds_of_steps_as_the_oracle_does(engine, l2, classes, schedule):
    # 900 steps by 1 − 0.5 · 0.02 take the scale to 1e-4; by 1 − 0.5 · 1.5 it would underflow without being settled.
    random = np.random.default_rng(3)
    n = 900 if l2 < 0.1 else 300
    X, y = random.normal(size=(n, 5)) / 2, random.integers(0, classes, n)
    vectors = 1 if classes == 2 else classes
    trained = run(for_classes(X, y), rules.Logistic(0.5, schedule, l2), Plan(epochs=1, order="given"))
    witness = oracle.learn(oracle.logistic(0.5, schedule, l2), X, y, range(n), vectors=vectors)
    assert_close(trained.weights.last, witness.last, witness.largest)
    assert_close(trained.weights.averaged, witness.averaged, witness.largest)


def test_the_average_before_any_example_is_the_start():
    weights = Weights(1, 3)
    weights.start_from(np.array([[1.0, 2, 3]]), np.array([4.0]))
    assert same_bits(weights.averaged, weights.last)
    assert same_bits(weights.last, (np.array([[1.0, 2, 3]]), np.array([4.0])))


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_a_copy_shares_no_memory_with_its_original_whatever_its_fields_are_called(layout):
    """`wu` stands for a field to come whose name is a part of the names that the layout sees to."""
    X = np.arange(12.0).reshape(4, 3)
    weights = run(for_classes(layout(X), [0, 1, 2, 0]), rules.Perceptron(), Plan(epochs=2)).weights
    weights.settle()
    weights.wu = np.ones(3)
    for twin in (weights.copy(), weights.with_layout(sparse=not weights.sparse)):
        arrays = {name: value for name, value in vars(weights).items() if isinstance(value, np.ndarray)}
        assert {"w", "u", "cells", "bias", "bias_u", "total", "bias_total", "scores", "wu"} <= arrays.keys()
        for name, array in arrays.items():
            assert not np.shares_memory(array, vars(twin)[name]), name
