"""core gives what the slides say, for every rule, in every form of the same data, compiled and uncompiled."""

from fractions import Fraction

import numpy as np
import oracle
import pytest
from hypothesis import assume, given
from strategies import MISTAKE_DRIVEN, MOVES_ALWAYS, RULES, assert_close, data_sets, forms, same_bits

from rosenblatt.engine import rules
from rosenblatt.engine.rows import OneHot
from rosenblatt.engine.weights import Weights
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import run

two_or_many = pytest.mark.parametrize("classes", [2, 3, 4, 5])
TIE = 1e-9  # margins nearer to a threshold than this may fall on either side of it by rounding


def agree(trained, witness, counts=True):
    weights = trained.weights
    # A margin m near its threshold 1 leaves 1 − m with few digits; the steps of AROW that follow may be its largest.
    tolerance = 1e-12 if weights.variances is None else max(1e-12, 1e-15 / witness.closest)
    assert_close(weights.last, witness.last, witness.largest, tolerance)
    assert_close(weights.averaged, witness.averaged, witness.largest, tolerance)
    if counts:
        assert weights.t == len(witness.path)
        assert weights.updates == witness.updates
        assert trained.history["mistakes"].sum() == witness.mistakes
        assert trained.zero_rows == witness.zero_rows


@two_or_many
@given(data=data_sets("integers"))
def test_the_perceptron_on_integers_equals_the_oracle_to_the_last_bit(engine, classes, data):
    data.classes, data.codes = classes, data.codes % classes
    trained = data.train(rules.Perceptron())
    witness = data.ask_oracle(oracle.perceptron(), len(trained.history))
    assert same_bits(trained.weights.last, witness.last)
    assert same_bits(trained.weights.averaged, witness.averaged)
    agree(trained, witness)


@two_or_many
@given(data=data_sets("integers", weighted=False))
def test_the_average_is_the_exact_fraction_rounded_once(engine, classes, data):
    data.classes, data.codes = classes, data.codes % classes
    trained = data.train(rules.Perceptron())
    order = oracle.order_of_epochs(len(data.X), data.seed, len(trained.history))
    X = np.array([[Fraction(int(x)) for x in row] for row in data.X], dtype=object).reshape(data.X.shape)
    exact = oracle.learn(oracle.perceptron(rate=Fraction(1)), X, data.codes, order, vectors=data.vectors, bias=data.bias)
    coef, intercept = exact.averaged
    assert same_bits(trained.weights.averaged, (coef.astype(float), intercept.astype(float)))


@pytest.mark.parametrize("name", MISTAKE_DRIVEN)
@given(data=data_sets("floats", scales=(1.0, 1e-60, 1e60)))
def test_mistake_driven_rules_equal_the_oracle(engine, name, data):
    rule, learner = MISTAKE_DRIVEN[name]
    trained = data.train(rule)
    witness = data.ask_oracle(learner, len(trained.history))
    assume(witness.closest > TIE)
    # A passive-aggressive step lands on margin 1, its own threshold: whether a step of 1e-16 follows is rounding's choice.
    counts = "passive" not in name
    agree(trained, witness, counts)


@pytest.mark.parametrize("name", [name for name in MISTAKE_DRIVEN if "1/updates" not in name])
@given(data=data_sets("floats"))
def test_against_the_rest_equals_a_run_of_two_classes_for_each(engine, name, data):
    rule, learner = MISTAKE_DRIVEN[name]
    trained = data.train(rule, multiclass="rest")
    witness = data.ask_oracle(learner, len(trained.history), rest=True)
    assume(witness.closest > TIE)
    agree(trained, witness, counts="passive" not in name)


def test_against_the_rest_a_rate_that_falls_with_updates_counts_examples_that_moved_any_class(engine):
    # Rates 2, 1 and 2/3. Row 0, class 0: all scores are 0, so all three classes move, in one update. Row 1, class 1:
    # s = (2, −2, −2), so classes 0 and 1 move by 1. Row 2, class 2: s = (1, −1, −2), so classes 0 and 2 move by 2/3.
    plan = Plan(epochs=1, order="given", fit_intercept=False, multiclass="rest")
    trained = run(for_classes(np.ones((3, 1)), [0, 1, 2]), rules.Perceptron(2, "1/updates"), plan)
    np.testing.assert_allclose(trained.weights.last[0][:, 0], [1 / 3, -1, -4 / 3], rtol=1e-15)
    assert trained.weights.updates == 3


@given(data=data_sets("floats", classes=2))
def test_of_two_classes_each_is_the_rest_of_the_other(engine, data):
    for rule, _ in MISTAKE_DRIVEN.values():
        rival, rest = data.train(rule), data.train(rule, multiclass="rest")
        assert same_bits(rival.weights.last, rest.weights.last)
        assert rival.history == rest.history


@pytest.mark.parametrize("name", MOVES_ALWAYS)
@given(data=data_sets("floats"))
def test_rules_that_always_move_equal_the_oracle(engine, name, data):
    rule, learner = MOVES_ALWAYS[name]
    trained = data.train(rule)
    witness = data.ask_oracle(learner, len(trained.history))
    assume(witness.closest > TIE)  # else rounding decides what counts as a mistake
    agree(trained, witness)


@pytest.mark.parametrize("name", ["widrow-hoff", "widrow-hoff at rate 0.1", "widrow-hoff 1/updates"])
@given(data=data_sets("floats", classes=2))
def test_widrow_hoff_regression_equals_the_oracle(engine, name, data):
    rule, learner = RULES[name]
    trained = data.train(rule, regression=True)
    witness = data.ask_oracle(learner, len(trained.history), regression=True)
    assert_close(trained.weights.last, witness.last, witness.largest)
    assert_close(trained.weights.averaged, witness.averaged, witness.largest)
    assert trained.weights.updates == witness.updates


@pytest.mark.parametrize("name", RULES)
@given(data=data_sets("floats"))
def test_learning_goes_on_from_given_weights(engine, name, data):
    rule, learner = RULES[name]
    random = np.random.default_rng(data.seed)
    start = random.normal(size=(data.vectors, data.X.shape[1])), random.normal(size=data.vectors) * data.bias
    weights = Weights(data.vectors, data.X.shape[1], data.bias, second_order=rule.second_order)
    weights.start_from(*start)
    trained = run(data.examples(), rule, Plan(epochs=1, order="given"), weights)
    options = {"bias": data.bias, "importance": data.importance, "start": start}
    witness = oracle.learn(learner, data.X, data.codes, range(len(data.X)), vectors=data.vectors, **options)
    assume(witness.closest > TIE)
    agree(trained, witness, counts="passive" not in name)


@two_or_many
@given(data=data_sets("integers"))
def test_integer_data_give_the_same_bits_in_every_form(engine, classes, data):
    data.classes, data.codes = classes, data.codes % classes
    expected = data.train(rules.Perceptron())
    for name, X in forms(data.X):
        trained = data.train(rules.Perceptron(), X)
        assert same_bits(trained.weights.last, expected.weights.last), name
        assert same_bits(trained.weights.averaged, expected.weights.averaged), name
        assert trained.weights.updates == expected.weights.updates, name


@pytest.mark.parametrize("name", RULES)
@given(data=data_sets("floats"))
def test_every_form_of_the_same_data_gives_the_same_weights(engine, name, data):
    rule, learner = RULES[name]
    expected = data.train(rule)
    witness = data.ask_oracle(learner, len(expected.history))
    assume(witness.closest > TIE)
    for form, X in forms(data.X):
        trained = data.train(rule, X)
        if len(trained.history) != len(expected.history):  # rounding may decide whether a step of 1e-16 ends an epoch
            assert "passive" in name, form
            continue
        assert_close(trained.weights.last, expected.weights.last, witness.largest)
        assert_close(trained.weights.averaged, expected.weights.averaged, witness.largest)


@pytest.mark.parametrize("name", ["perceptron", "mira", "passive-aggressive I", "logistic", "widrow-hoff"])
@given(data=data_sets("integers", weighted=False))
def test_one_hot_codes_equal_the_table_of_ones(engine, name, data):
    n, d = data.X.shape
    random = np.random.default_rng(data.seed)
    columns = np.sort([random.permutation(d)[: max(1, d // 3)] for _ in range(n)], axis=1)
    data.X = np.zeros((n, d))
    np.put_along_axis(data.X, columns, 1, axis=1)
    data.epochs = 1
    rule, learner = RULES[name]
    witness = data.ask_oracle(learner, epochs=1)
    assume(witness.closest > TIE)
    for width in np.int32, np.int64, np.uint8:
        codes = OneHot(columns.astype(width), d)
        np.testing.assert_array_equal(codes.toarray(), data.X)
        agree(data.train(rule, codes), witness, counts="passive" not in name)


@pytest.mark.parametrize(
    ("rule", "weight"), [(rules.Mira(p=0.6), -1.5), (rules.PassiveAggressive(), -1), (rules.PassiveAggressive(1, "II"), -1)]
)
def test_a_row_of_norm_0_never_divides_whatever_its_margin(engine, rule, weight):
    # A given intercept that is not learned: the zero row's margin is 0.5, below the rule's threshold, and its norm 0.
    weights = Weights(1, 2, fit_intercept=False)
    weights.start_from(np.array([[0.0, 0.0]]), np.array([0.5]))
    examples = for_classes(np.array([[0.0, 0.0], [1.0, 0.0]]), [1, 0])
    trained = run(examples, rule, Plan(epochs=1, order="given"), weights)
    coef, intercept = trained.weights.last
    # The second row has margin −0.5 and norm 1: tau is 1.5 (MIRA), min(1, 1.5) and 1.5 / (1 + 1/2).
    assert coef.tolist() == [[weight, 0.0]]
    assert intercept.tolist() == [0.5]
    assert trained.zero_rows == 1
