"""AROW beside the paper: exactly where its numbers are exact, and what Σ means."""

import pickle
from fractions import Fraction

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import assert_close, data_sets, same_bits

import rosenblatt
from rosenblatt.engine import rules
from rosenblatt.engine.weights import Weights
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import run, train

TIE = 1e-9


def exactly(rows):
    """The same numbers as fractions."""
    return np.array([[Fraction(float(x)) for x in row] for row in rows], dtype=object).reshape(np.shape(rows))


def as_floats(weights):
    return tuple(np.asarray(part, dtype=float) for part in weights)


@pytest.mark.parametrize("multiclass", ["rival", "rest"])
@given(classes=st.integers(2, 5), seed=st.integers(0, 2**32 - 1), log_total=st.integers(1, 5))
def test_where_all_numbers_are_dyadic_every_bit_is_the_papers(engine, multiclass, classes, seed, log_total):
    """Rows of k entries of ±1 in columns of their own: x'Σx is k, 2k with a rival, and x'Σx + r a power of two."""
    random = np.random.default_rng(seed)
    n, copies = int(random.integers(1, 9)), 2 if classes > 2 and multiclass == "rival" else 1
    k = int(random.integers(1, max(2, 2**log_total // copies)))
    total = 2**log_total if 2**log_total > copies * k else 2 ** (log_total + 1)
    r = total - copies * k
    X = np.zeros((n, n * k))
    for row in range(n):
        X[row, row * k : row * k + k] = random.choice([-1.0, 1.0], k)
    codes = random.integers(0, classes, n)
    plan = Plan(epochs=1, order="given", fit_intercept=False, multiclass=multiclass)
    vectors = 1 if classes == 2 else classes
    options = {"bias": False}
    if multiclass == "rest" and classes > 2:
        options |= {"classes": classes}
        witness = oracle.learn_against_rest(oracle.arow(Fraction(r)), exactly(X), codes, range(n), **options)
    else:
        witness = oracle.learn(oracle.arow(Fraction(r)), exactly(X), codes, range(n), vectors=vectors, **options)
    for form in (X, sp.csr_array(X)):
        trained = run(for_classes(form, codes, np.arange(classes)), rules.Arow(r=r), plan)
        assert same_bits(trained.weights.last, as_floats(witness.last))
        assert same_bits(trained.weights.averaged, as_floats(witness.averaged))
        assert trained.weights.updates == witness.updates


@pytest.mark.parametrize("multiclass", ["rival", "rest"])
@pytest.mark.parametrize("classes", [2, 3, 5])
@given(data=data_sets("integers"), r=st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(3)]))
def test_weights_and_variances_are_those_of_exact_fractions(engine, classes, multiclass, data, r):
    data.classes, data.codes, data.epochs = classes, data.codes % classes, min(data.epochs, 2)
    rest = multiclass == "rest"
    trained = data.train(rules.Arow(r=float(r)), multiclass=multiclass)
    near = data.ask_oracle(oracle.arow(float(r)), len(trained.history), rest=rest)
    assume(near.closest > TIE)
    data.X = exactly(data.X)
    if data.importance is not None:
        data.importance = [Fraction(weight) for weight in data.importance]
    witness = data.ask_oracle(oracle.arow(r), len(trained.history), rest=rest)
    largest = [float(size) for size in witness.largest]
    assert_close(trained.weights.last, as_floats(witness.last), largest)
    assert_close(trained.weights.averaged, as_floats(witness.averaged), largest)
    variances, of_bias = witness.split(1 / witness.precision)
    np.testing.assert_allclose(trained.weights.sigma, variances.astype(float), rtol=1e-12)
    if data.bias:
        np.testing.assert_allclose(trained.weights.bias_sigma, of_bias.astype(float), rtol=1e-12)


def test_the_first_steps_by_hand(engine):
    """x = (1, 1), y = +: x'Σx + r = 1 + 1 + 1 (bias) + 1 = 4, tau = 1/4, Σ = 1/2. Then x = (1, 0), y = −: the score is 1/2,
    x'Σx + r = 1/2 + 1/2 + 1 = 2, tau = (1 + 1/2) / 2 = 3/4, which moves w₁ and b by 3/4 · 1/2.
    """
    trained = train([[1.0, 1.0], [1.0, 0.0]], [1, 0], rules.Arow(), epochs=1, order="given")
    assert trained.weights.last[0].tolist() == [[1 / 4 - 3 / 8, 1 / 4]]
    assert trained.weights.last[1].tolist() == [1 / 4 - 3 / 8]
    assert trained.weights.sigma.tolist() == [[1 / 3, 1 / 2]]
    assert trained.weights.bias_sigma.tolist() == [1 / 3]


@given(x=st.floats(0.25, 4), r=st.floats(0.5, 8), times=st.integers(2, 6))
def test_an_example_of_weight_c_is_as_c_of_them(x, r, times):
    """Of one column the diagonal is all of Σ, and c examples of noise r say as much as one of r/c."""
    once = train([[x], [-x]], [1, 0], rules.Arow(r), sample_weight=[times, 0], epochs=1, order="given", fit_intercept=False)
    often = train([[x]] * times + [[-x]], [1] * times + [0], rules.Arow(r), sample_weight=[1] * times + [0], epochs=1,
                  order="given", fit_intercept=False)  # fmt: skip
    np.testing.assert_allclose(once.weights.last[0], often.weights.last[0], rtol=1e-12)
    np.testing.assert_allclose(once.weights.sigma, often.weights.sigma, rtol=1e-12)


@given(data=data_sets("floats"))
def test_variances_only_shrink_and_only_where_a_row_has_a_value(data):
    trained = data.train(rules.Arow())
    sigma = trained.weights.sigma
    assert (sigma > 0).all()
    assert (sigma <= 1).all()
    assert (sigma[:, ~(data.X != 0).any(axis=0)] == 1).all()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("classes", [2, 3])
def test_going_on_keeps_the_variances_through_pickles_and_layouts(form, classes):
    random = np.random.default_rng(classes)
    X, y = random.normal(size=(60, 7)), random.integers(0, classes, 60)
    whole = rosenblatt.Arow(shuffle=False, max_iter=1).fit(form(X), y)
    parts = rosenblatt.Arow()
    for start in range(0, 60, 20):
        parts.partial_fit(form(X[start : start + 20]), y[start : start + 20], classes=np.arange(classes))
        parts = pickle.loads(pickle.dumps(parts))
    np.testing.assert_array_equal(parts.coef_, whole.coef_)
    np.testing.assert_array_equal(parts.training_.weights.sigma, whole.training_.weights.sigma)
    other = sp.csr_array if form is np.asarray else np.asarray  # in the other layout, the same variances
    mixed = (
        rosenblatt.Arow().partial_fit(form(X[:20]), y[:20], classes=np.arange(classes)).partial_fit(other(X[20:]), y[20:])
    )
    np.testing.assert_allclose(mixed.coef_, whole.coef_, rtol=1e-11, atol=1e-13)


def test_a_batch_with_a_bad_row_leaves_the_variances_as_they_were():
    clf = rosenblatt.Arow().partial_fit([[1.0, 2.0], [-1.0, 1.0]], [1, 0], classes=[0, 1])
    before = clf.training_.weights.variances
    for batch in ([[3.0, 1.0], [np.nan, 1.0]], sp.csr_array([[3.0, 1.0], [np.nan, 1.0]])):
        with pytest.raises(rosenblatt.NotFiniteError):
            clf.partial_fit(batch, [0, 1])
        assert same_bits(clf.training_.weights.variances, before)


def test_weights_without_variances_never_reach_the_loop(engine):
    with pytest.raises(ValueError, match="variances"):
        run(for_classes([[1.0], [2.0]], [0, 1]), rules.Arow(), Plan(), Weights(1, 1))


@pytest.mark.parametrize(
    ("r", "scale"), [(1e-300, 1.0), (1e300, 1.0), (1.0, 1e150), (1.0, 1e-150), (5e-324, 1e-3), (1e-9, 1e9)]
)
def test_extreme_numbers_end_in_finite_weights_or_in_an_error_of_ours(engine, r, scale):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(12, 3)) * scale, np.arange(12) % 3
    for multiclass in ("rival", "rest"):
        for labels in (y, y % 2):
            try:
                trained = train(X, labels, rules.Arow(r), epochs=5, multiclass=multiclass)
            except rosenblatt.RosenblattError:
                continue
            assert np.isfinite(trained.weights.last[0]).all()
            assert np.isfinite(trained.weights.sigma).all()
