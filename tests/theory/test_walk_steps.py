"""A walk shows what training did: against the slides' numbers, the oracle's path, and the training itself."""

import csv
import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import RULES, assert_close, data_sets, same_bits

import rosenblatt
from rosenblatt.data import read
from rosenblatt.engine import rules
from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.plan import ORDERS, Plan
from rosenblatt.learning.training import run
from rosenblatt.theory.convergence import ConvergenceProof, prove
from rosenblatt.theory.walk import Walk, walk
from rosenblatt.theory.walk_lines import WalkLayout, walk_lines

# Boulder's four points, in their order (B3, H3).
POINTS = np.array([[1, 1], [0.5, -1], [-1, -1], [-1, 1]])
SIGNS = np.array([1, -1, -1, -1])
TIE = 1e-9


def walk_of(data, rule, every="example", **plan):
    chosen = Plan(epochs=data.epochs, seed=data.seed, fit_intercept=data.bias, **plan)
    return Walk(data.examples(), rule, chosen, every=every)


def test_b3_the_lectures_worked_example_line_by_line(engine):
    steps = list(walk(POINTS, SIGNS, start=[1, 0], order="given", epochs=1))
    assert [step.activation for step in steps] == [1, 0.5, -2.5, -0.5]
    assert [step.mistake for step in steps] == [False, True, False, False]
    assert [step.tau for step in steps] == [0, 1, 0, 0]
    assert [step.coef[0].tolist() for step in steps] == [[1, 0], [0.5, 1], [0.5, 1], [0.5, 1]]
    assert [step.intercept[0] for step in steps] == [0, -1, -1, -1]
    assert [step.y for step in steps] == [1, -1, -1, -1]
    assert [(step.t, step.epoch, step.row) for step in steps] == [(1, 1, 0), (2, 1, 1), (3, 1, 2), (4, 1, 3)]


def test_h3_without_bias_five_updates_end_at_one_and_a_half_one(engine):
    walked = walk(POINTS, SIGNS, start=[1, 0], order="given", fit_intercept=False, every="update")
    assert len(walked) == 5
    assert walked[-1].coef.tolist() == [[1.5, 1]]
    assert walked.training.converged
    on_the_plane = [step for step in walked if step.margin == 0]  # with < for ≤ it would have stopped here, at [1, 1]
    assert [walked.weights_after(step.t - 1)[0].tolist() for step in on_the_plane] == [[[1, 1]]]


@given(data=data_sets("integers", weighted=False))
def test_b4_every_update_raises_the_margin_by_tau_times_the_squared_norm(engine, data):
    for step in walk_of(data, rules.Perceptron()):
        x = data.X[step.row]
        size = (x @ x + data.bias) * (1 if data.vectors == 1 else 2)
        assert step.margin_after == step.margin + step.tau * size
        assert step.moved == (step.mistake and size > 0)


def test_w4_a_separable_run_ends_and_an_inseparable_one_goes_on_for_ever():
    separable = walk(POINTS, SIGNS, epochs=100)
    assert separable.training.converged
    assert not any(step.mistake for step in separable[-4:])
    square = [[0, 0], [1, 1], [0, 1], [1, 0]]
    xor = walk(square, [0, 0, 1, 1], epochs=100)
    assert xor.training.weights.updates == sum(step.moved for step in xor)
    assert {step.epoch for step in xor if step.mistake} == set(range(1, 101))  # every epoch has one
    assert str(prove(xor).bound) == "no bound: no line can separate the data"


def test_w8_on_noise_the_weights_thrash_and_their_average_does_not():
    random = np.random.default_rng(7)
    X = random.normal(size=(200, 20))
    y = (X @ random.normal(size=20) > 0) ^ (random.random(200) < 0.2)
    walked = walk(X, y, epochs=10)
    path = np.array([step.coef[0] for step in walked])
    averages = np.cumsum(path, axis=0) / np.arange(1, len(path) + 1)[:, None]

    def turns(vectors):  # mean angle between weights 50 examples apart, in the last half
        u = vectors[1000:] / np.linalg.norm(vectors[1000:], axis=1)[:, None]
        return np.arccos(np.clip(np.einsum("ij,ij->i", u[:-50], u[50:]), -1, 1)).mean()

    assert turns(path) > 5 * turns(averages)
    np.testing.assert_allclose(averages[-1], walked.training.weights.averaged[0][0], rtol=1e-9)


@pytest.mark.parametrize("name", RULES)
@given(data=data_sets("floats"))
def test_the_walk_goes_where_the_oracle_goes(name, data):
    rule, learner = RULES[name]
    walked = walk_of(data, rule)
    steps = list(walked)
    witness = data.ask_oracle(learner, len(walked.training.history))
    assume(witness.closest > TIE)
    assert len(steps) == len(witness.path)
    for step, W, margin in zip(steps, witness.path, witness.margins, strict=True):
        assert_close((step.coef, step.intercept), witness.split(W), witness.largest, tolerance=1e-11)
        assert step.margin == pytest.approx(margin, abs=1e-9 * (1 + max(witness.largest)))
    # A passive-aggressive step lands on margin 1, its own threshold: whether a step of 1e-16 follows is rounding's choice.
    if "passive" not in name:
        assert steps[-1].updates == witness.updates
    assert sum(step.mistake for step in steps) == witness.mistakes


@pytest.mark.parametrize("name", ["perceptron", "p-aggressive", "logistic with l2", "widrow-hoff"])
@given(data=data_sets("floats"), order=st.sampled_from(ORDERS), seed=st.integers(0, 99))
def test_a_step_is_the_same_from_either_side_and_the_last_is_what_training_gives(name, data, order, seed):
    rule = RULES[name][0]
    walked = walk_of(data, rule, order=order)
    forwards = list(walked)
    for k in np.random.default_rng(seed).permutation(len(walked)).tolist():
        again, step = walked[k], forwards[k]
        assert same_bits((again.coef, again.intercept, again.scores), (step.coef, step.intercept, step.scores))
        assert (again.t, again.row, again.tau, again.margin) == (step.t, step.row, step.tau, step.margin)
    trained = data.train(rule, order=order)
    assert same_bits(walked.weights_after(len(forwards)), trained.weights.last)
    assert trained.weights.t == len(forwards)
    assert trained.weights.updates == sum(step.moved for step in forwards)


@pytest.mark.parametrize("name", ["perceptron", "passive-aggressive II", "logistic", "widrow-hoff"])
@given(data=data_sets("floats"))
def test_only_updates_are_the_lines_that_moved_something(name, data):
    rule = RULES[name][0]
    every, updates = walk_of(data, rule), walk_of(data, rule, every="update")
    moved = [step for step in every if step.moved]
    if data.vectors > 1 and rule.moves_always:
        moved = list(every)
    assert [(step.t, step.margin, step.updates) for step in updates] == [(s.t, s.margin, s.updates) for s in moved]
    for step, lean in zip(updates, updates.steps(weights=False), strict=True):
        assert lean.coef is None
        assert np.array_equal(lean.new, step.coef[:, step.columns])


@given(data=data_sets("integers", weighted=False))
def test_the_rival_of_a_step_is_the_one_that_the_log_names(data):
    walked = walk_of(data, rules.Perceptron(), every="update")
    if data.vectors > 1:
        assert [step.rival for step in walked] == walked.training.log.rival.tolist()


def test_h7_the_proofs_curves_enclose_a_run():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 4))
    X = X[np.abs(X @ [1, 1, -1, 2] - 0.5) > 0.3]
    y = X @ [1, 1, -1, 2] > 0.5
    for rule in (rules.Perceptron(), rules.Perceptron(schedule="1/updates"), rules.Mira(), rules.Mira(p=0.8)):
        walked = walk(X, y, rule, epochs=5)
        proof = prove(walked)
        assert proof.gamma > 0
        for step in walked:
            quantities = proof.quantities_after(step.updates, step.coef, step.intercept)
            assert quantities.lower <= quantities.along + 1e-9
            assert quantities.along <= quantities.norm + 1e-9
            assert quantities.norm <= quantities.upper + 1e-9


def test_h7_from_zero_at_rate_one_the_curves_are_k_gamma_and_root_k_r():
    walked = walk(POINTS, SIGNS, order="given", every="update")
    proof = prove(walked)
    for k, step in enumerate(walked, start=1):
        quantities = proof.quantities_after(step.updates, step.coef, step.intercept)
        assert quantities.lower == pytest.approx(k * proof.gamma)
        assert quantities.upper == pytest.approx(np.sqrt(k) * np.sqrt(3))  # R² = 1 + 1 + 1
    assert len(walked) <= proof.bound.most


def test_the_curves_hold_from_other_first_weights_but_no_bound_is_given():
    walked = walk(POINTS, SIGNS, start=[1, 0], order="given")
    proof = prove(walked)
    assert "do not start at 0" in str(proof.bound)
    for step in walked:
        quantities = proof.quantities_after(step.updates, step.coef, step.intercept)
        assert quantities.lower <= quantities.along + 1e-12
        assert quantities.norm <= quantities.upper + 1e-12


def test_examples_with_weights_have_no_bound():
    examples = for_classes(POINTS, SIGNS, importance=[1, 2, 1, 1])
    proof = ConvergenceProof(Walk(examples, rules.Perceptron(), Plan()), separator=([2, 2], -1))
    assert "weights" in str(proof.bound)


def test_first_weights_for_many_classes_are_rows():
    X, y = [[1.0, 0], [0, 1], [-1, -1]], ["a", "b", "c"]
    start = [[1.0, 0], [0, 1], [-1, -1]]
    walked = walk(X, y, start=start, start_bias=[0, 0, 0])
    assert walked.training.weights.updates == 0
    assert walked[0].coef.tolist() == start


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"start": [1, 2, 3]}, "expected 2 numbers"),
        ({"start": [1, np.nan]}, "finite"),
        ({"start_bias": [1, 2]}, "start_bias"),
        ({"every": "day"}, "'update'"),
        ({"epochs": 0}, "epochs"),
        ({"order": "sorted"}, "order"),
    ],
)
def test_what_cannot_be_is_refused(chosen, message):
    with pytest.raises(SettingError, match=message):
        walk(POINTS, SIGNS, **chosen)


def test_steps_that_are_not_there_are_refused():
    walked = walk(POINTS, SIGNS)
    with pytest.raises(IndexError, match="no step"):
        walked[10_000]
    with pytest.raises(IndexError, match="no weights"):
        walked.weights_after(-1)
    assert [step.t for step in walked[2:4]] == [3, 4]


@given(data=data_sets("floats"))
def test_csv_and_json_hold_every_digit(data):
    walked = walk_of(data, rules.Mira(p=0.5))
    table = list(csv.DictReader(walk_lines(walked, WalkLayout("csv", every_weight=True))))
    objects = [json.loads(line) for line in walk_lines(walked, WalkLayout("json", every_weight=True))]
    for step, row, line in zip(walked, table, objects, strict=True):
        assert float(row["margin"]) == line["margin"] == step.margin
        assert float(row["tau"]) == line["tau"] == step.tau
        assert line["w"] == step.coef.tolist()
        assert line["b"] == step.intercept.tolist()
        assert line["example"] == int(row["example"]) == step.row + 1
        if data.vectors == 1:
            assert [float(row[f"w{j + 1}"]) for j in range(data.X.shape[1])] == step.coef[0].tolist()


def test_wide_rows_show_the_few_weights_that_moved():
    X = np.zeros((4, 50))
    X[:, :10] = 1
    X[::2, 8] = 7
    walked = walk(X, [1, 0, 1, 0], order="given", epochs=1)
    line = list(walk_lines(walked))[1]
    assert "w9 → 7" in line  # the largest entry of x, though not among the first
    assert "… 6 more" in line
    exact = [json.loads(line) for line in walk_lines(walked, WalkLayout("json", every_weight=False))]
    assert exact[0]["moved"] == {"b": 1.0, **{f"w{j}": 7.0 if j == 9 else 1.0 for j in range(1, 11)}}
    with pytest.raises(SettingError, match="no format"):
        WalkLayout("html")


def test_the_public_name_walks(data_dir):
    data = read("mushrooms")
    walked = rosenblatt.walk(data.rows, data.labels, epochs=100, every="update")
    trained = run(for_classes(data.rows, data.labels), rules.Perceptron(), Plan(epochs=100))
    assert len(walked) == trained.weights.updates
    assert same_bits((walked[-1].coef, walked[-1].intercept), trained.weights.last)
