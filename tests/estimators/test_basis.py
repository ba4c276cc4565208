"""Basis functions (U1) and the curves of overfitting (U2)."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.gaussian_process.kernels import RBF
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import DataError, FunctionBasis, Perceptron, PolynomialBasis, RadialBasis, SettingError
from rosenblatt.estimators.neighbours import LogisticAscent, MaxMargin, RidgeRegressor
from rosenblatt.features import from_json
from rosenblatt.features.basis import FunctionMap, PolynomialMap, RadialMap
from rosenblatt.studies.curves import complexity_curve, lambda_curve, learning_curve

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
ODD = np.array([0, 1, 1, 0])


@parametrize_with_checks([PolynomialBasis(), RadialBasis(), FunctionBasis()])
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


# U1


def test_xor_cannot_be_separated_and_after_a_polynomial_map_it_can():
    pytest.importorskip("clarabel")
    with pytest.raises(DataError, match="No plane"):
        MaxMargin(inseparable="refuse").fit(XOR, ODD)
    plain = Perceptron(max_iter=1000, random_state=0).fit(XOR, ODD)
    assert not plain.converged_
    curved = make_pipeline(PolynomialBasis(degree=2), Perceptron(max_iter=1000, random_state=0)).fit(XOR, ODD)
    assert curved[-1].converged_
    assert curved.score(XOR, ODD) == 1
    assert MaxMargin(inseparable="refuse").fit(PolynomialMap(2).fit(XOR).transform(XOR), ODD).separable_


@pytest.mark.parametrize(
    "basis",
    [RadialBasis(centres=XOR, width=0.5), FunctionBasis(functions=[np.asarray, lambda X: X[:, 0] * X[:, 1]])],
    ids=["radial", "own"],
)
def test_xor_can_be_separated_with_bumps_and_with_functions_of_ones_own(basis):
    curved = make_pipeline(basis, Perceptron(max_iter=1000, random_state=0)).fit(XOR, ODD)
    assert curved[-1].converged_
    assert curved.score(XOR, ODD) == 1


@pytest.mark.parametrize("degree", [1, 2, 4])
@pytest.mark.parametrize("columns", [1, 3])
def test_polynomials_are_scikit_learns_without_the_constant(degree, columns):
    X = np.random.default_rng(degree).normal(size=(7, columns))
    theirs = PolynomialFeatures(degree, include_bias=False).fit(X)
    ours = PolynomialMap(degree).fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X))
    assert ours.names == theirs.get_feature_names_out().tolist()
    assert ours.n_features == len(ours.names)


def test_bumps_are_scikit_learns_kernel():
    rng = np.random.default_rng(0)
    X, centres = rng.normal(size=(9, 3)), rng.normal(size=(4, 3))
    ours = RadialMap(centres, width=0.7).fit(X).transform(X)
    np.testing.assert_allclose(ours, RBF(length_scale=0.7)(X, centres))


def test_drawn_centres_are_distinct_training_rows_and_the_same_for_a_seed():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 2)), 3, axis=0)
    one, again, other = (RadialMap(5, seed=seed).fit(X) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.centres, again.centres)
    assert not np.array_equal(one.centres, other.centres)
    assert len(np.unique(one.centres, axis=0)) == 5
    assert all((centre == X).all(axis=1).any() for centre in one.centres)


@pytest.mark.parametrize(
    "basis", [PolynomialMap(3), RadialMap(4), RadialMap(XOR, width=2.0)], ids=["degree", "drawn", "given"]
)
def test_a_saved_basis_maps_as_before(basis):
    X = np.random.default_rng(0).normal(size=(10, 2))
    again = from_json(basis.fit(X).to_json())
    np.testing.assert_array_equal(again.transform(X), basis.transform(X))
    assert again.names == basis.names


def test_functions_of_ones_own_name_their_features_and_are_not_saved():
    basis = FunctionMap(np.sin, lambda X: X[:, 0]).fit(XOR)
    assert basis.names == ["sin[0]", "sin[1]", "<lambda>"]
    with pytest.raises(DataError, match="holds no code"):
        basis.to_json()


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: PolynomialMap(0), "degree is 0"),
        (lambda: PolynomialMap(2.5), "degree is 2.5"),
        (lambda: RadialMap(width=0), "width is 0"),
        (lambda: RadialMap("many").fit(XOR), "centres is 'many'"),
        (lambda: RadialMap([[1.0]]).fit(XOR), "centres have 1 columns"),
        (lambda: FunctionMap(), "one function or more"),
    ],
)
def test_a_setting_that_cannot_be_is_named(make, named):
    with pytest.raises(SettingError, match=named):
        make()


def test_rows_that_cannot_be_mapped_are_refused():
    with pytest.raises(DataError, match="3 columns, but the basis was fitted on 2"):
        PolynomialMap(2).fit(XOR).transform(np.ones((1, 3)))
    with pytest.raises(DataError, match="Row 1, column 0 is nan"):
        PolynomialMap(2).fit([[1.0], [np.nan]])
    with pytest.raises(DataError, match="gave shape"):
        FunctionMap(lambda X: 1.0).fit(XOR)


# U2


@pytest.fixture(scope="module")
def wave():
    x = np.linspace(0, 1, 40)[:, None]
    return x, np.sin(6 * x[:, 0]) + 0.3 * np.random.default_rng(0).normal(size=40)


def polynomial(degree, l2=0.0):
    return make_pipeline(PolynomialBasis(degree=degree), RidgeRegressor(l2=l2))


def test_with_the_degree_training_error_falls_and_held_out_error_falls_and_rises(wave):
    curve = complexity_curve(polynomial, range(1, 13), *wave)
    assert curve.measure == "root mean squared error"
    assert (np.diff(curve.train, axis=1) <= 1e-6).all()  # each space of polynomials holds the one before
    held_out = curve.held_out.mean(axis=0)
    best = int(np.flatnonzero(curve.values == curve.best)[0])
    assert 0 < best < 11
    assert held_out[best] < 0.8 * held_out[0]
    assert held_out[-1] > 2 * held_out[best]


def test_with_lambda_training_error_rises_and_held_out_error_falls_and_rises(wave):
    curve = lambda_curve(lambda l2: polynomial(12, l2), np.geomspace(1e-9, 10, 11), *wave)
    assert (np.diff(curve.train, axis=1) >= -1e-6).all()
    held_out = curve.held_out.mean(axis=0)
    assert held_out.min() < 0.8 * held_out[0]
    assert held_out.min() < 0.8 * held_out[-1]
    assert curve.values[0] < curve.best < curve.values[-1]


def test_errors_of_a_curve_are_those_of_a_fit_by_hand(wave):
    from rosenblatt.data.splits import at_random

    x, y = wave
    curve = complexity_curve(polynomial, [3], x, y, holdout=0.25, seeds=2)
    out = at_random(40, 0.25, 1)
    coefficients = np.polyfit(x[~out, 0], y[~out], 3)
    for rows, found in ((~out, curve.train), (out, curve.held_out)):
        assert found[1, 0] == pytest.approx(np.sqrt(np.mean((np.polyval(coefficients, x[rows, 0]) - y[rows]) ** 2)))


def test_more_examples_bring_held_out_and_training_error_together():
    X, y = load_breast_cancer(return_X_y=True)
    curve = learning_curve(LogisticAscent(), [10, 40, 160], scale(X), y, seeds=5)
    assert curve.measure == "error rate"
    gap = (curve.held_out - curve.train).mean(axis=0)
    assert gap[0] > gap[1] > gap[2]
    assert curve.held_out.mean(axis=0)[2] < 0.06


def test_of_equal_errors_the_simplest_is_best():
    X, y = np.array([[-1.0], [1.0]] * 20), np.array([0, 1] * 20)  # every degree and every λ separates these
    make = lambda value: make_pipeline(PolynomialBasis(degree=int(value)), LogisticAscent())  # noqa: E731
    assert complexity_curve(make, [1, 2, 3], X, y, seeds=1).best == 1
    assert lambda_curve(lambda l2: LogisticAscent(l2=l2), [0.1, 1.0, 10.0], X, y, seeds=1).best == 10


def test_values_that_make_no_curve_are_refused(wave):
    with pytest.raises(SettingError, match="rising"):
        complexity_curve(polynomial, [2, 1], *wave)
    with pytest.raises(SettingError, match="above 0"):
        lambda_curve(lambda l2: polynomial(3, l2), [0.0, 1.0], *wave)
    with pytest.raises(SettingError, match="expected 1 to 20"):
        learning_curve(polynomial(1), [5, 21], *wave)
