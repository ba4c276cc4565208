"""Gradient descent on the slide's function (U5), the batch perceptron, and the losses (H5)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from rosenblatt import Perceptron, SettingError
from rosenblatt.estimators.neighbours import BatchPerceptron, descend
from rosenblatt.estimators.neighbours.objective import LogLoss, PerceptronCriterion, largest_eigenvalue
from rosenblatt.learning.examples import for_classes
from rosenblatt.theory.losses import LOSSES, perceptron_criterion, zero_one

# At the minimum (1, 1) the second derivatives are [[5, −2], [−2, 1]], whose larger eigenvalue is 3 + √8: beyond 2 over
# that a step overshoots by more than it had to go.
LARGEST_ETA = 2 / (3 + np.sqrt(8))


def f(theta):
    return 0.5 * (theta[0] ** 2 - theta[1]) ** 2 + 0.5 * (theta[0] - 1) ** 2


def slope(theta):
    a, b = theta
    return np.array([2 * (a**2 - b) * a + a - 1, -(a**2 - b)])


def test_the_first_steps_are_those_of_the_slide():
    walked = descend(f, slope, [0.0, 0.0], eta=0.1, steps=2)
    # (0, 0): slope (−1, 0).  (0.1, 0): slope (2·0.01·0.1 − 0.9, −0.01).
    np.testing.assert_allclose(walked.path, [[0, 0], [0.1, 0], [0.1 + 0.0898, 0.001]], atol=1e-15)
    np.testing.assert_allclose(walked.values[:2], [0.5, 0.5 * 0.0001 + 0.5 * 0.81])


def test_a_suitable_eta_arrives_where_the_slope_is_zero():
    walked = descend(f, slope, [0.0, 0.0], eta=0.2)
    assert walked.converged
    assert "No slope exceeds" in walked.message
    np.testing.assert_allclose(walked.end, [1, 1], atol=1e-6)
    assert (np.diff(walked.values) <= 0).all()


def test_a_small_eta_is_slow_and_says_so():
    walked = descend(f, slope, [0.0, 0.0], eta=0.001)
    assert not walked.converged
    assert "Still falling after 1000 steps" in walked.message
    assert walked.values[-1] > 0.05


@pytest.mark.parametrize("eta", [0.36, 0.5, 0.9, 3.0])
def test_an_eta_beyond_the_limit_never_arrives_and_says_so(eta):
    assert eta > LARGEST_ETA
    walked = descend(f, slope, [0.0, 0.0], eta=eta)
    assert not walked.converged
    assert f"eta = {eta:g} is too large" in walked.message


def test_an_eta_just_below_the_limit_arrives():
    walked = descend(f, slope, [0.9, 0.9], eta=0.99 * LARGEST_ETA, steps=3000)
    assert walked.converged
    np.testing.assert_allclose(walked.end, [1, 1], atol=1e-6)


def test_acceleration_arrives_at_the_same_place_in_fewer_steps():
    narrow = np.array([1.0, 1000.0])
    plain, fast = (
        descend(lambda x: float(narrow @ x**2 / 2), lambda x: narrow * x, [1.0, 1.0], 1e-3, 50_000, accelerate=quick)
        for quick in (False, True)
    )
    assert plain.converged
    assert fast.converged
    assert fast.steps < plain.steps / 10
    np.testing.assert_allclose(fast.end, plain.end, atol=1e-7)


def test_without_the_path_start_and_end_are_the_same():
    whole, ends = (descend(f, slope, [0.0, 0.0], 0.2, keep_path=keep) for keep in (True, False))
    np.testing.assert_array_equal(ends.path, whole.path[[0, -1]])
    np.testing.assert_array_equal(ends.values, whole.values)


def test_what_cannot_be_is_refused():
    with pytest.raises(SettingError, match="eta is -1"):
        descend(f, slope, [0.0, 0.0], -1)
    with pytest.raises(SettingError, match="steps is 0"):
        descend(f, slope, [0.0, 0.0], 0.1, steps=0)


# H5


def test_at_margin_zero_the_first_loss_counts_and_the_second_does_not():
    assert zero_one(np.array([-2.0, 0.0, 1e-300])).tolist() == [1, 1, 0]
    assert perceptron_criterion(np.array([-2.0, 0.0, 3.0])).tolist() == [2, 0, 0]


@given(st.floats(-1e6, 1e6))
def test_hinge_and_squares_bound_the_mistakes_and_logistic_does_in_bits(m):
    loss = {name: float(of(np.array([m]))[0]) for name, of in LOSSES.items()}
    assert loss["0/1"] <= loss["hinge"]
    assert loss["0/1"] <= loss["squared"]
    assert loss["0/1"] <= loss["logistic"] / np.log(2) + 1e-15
    assert loss["perceptron criterion"] <= loss["hinge"]


# The batch perceptron


@pytest.mark.parametrize("kind", [PerceptronCriterion, LogLoss])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_slope_is_the_derivative_of_the_value(kind, classes):
    rng = np.random.default_rng(classes)
    X, y = rng.normal(size=(30, 4)) + 3, rng.integers(0, classes, 30)
    made = kind(for_classes(X, y))
    theta = rng.normal(size=made.start.shape)
    h = 1e-6
    for place in np.ndindex(theta.shape):
        nudge = np.zeros_like(theta)
        nudge[place] = h
        along = (made.value(theta + nudge) - made.value(theta - nudge)) / (2 * h)
        assert made.slope(theta)[place] == pytest.approx(along, rel=1e-5, abs=1e-5)


def test_one_batch_step_adds_eta_times_every_mistake():
    X, y = np.array([[1.0, 2.0], [3.0, -1.0], [-2.0, 0.5]]), np.array([1, 0, 0])
    one = BatchPerceptron(eta=0.5, max_iter=1).fit(X, y)
    signs = np.where(y == 1, 1, -1)
    np.testing.assert_array_equal(one.coef_[0], 0.5 * signs @ X)  # at w = 0 all three are mistakes
    assert one.intercept_[0] == 0.5 * signs.sum()


def test_of_one_example_the_batch_step_is_the_perceptrons():
    X, y = [[2.0, -1.0], [0.0, 0.0]], ["yes", "no"]  # without a bias the second row moves nothing
    batch = BatchPerceptron(fit_intercept=False, max_iter=1).fit(X, y)
    online = Perceptron(fit_intercept=False, shuffle=False, max_iter=1).fit(X, y)
    np.testing.assert_array_equal(batch.coef_, online.coef_)


@pytest.mark.parametrize("classes", [2, 3])
def test_on_separable_rows_it_ends_without_a_mistake(classes):
    X, y = load_iris(return_X_y=True)
    X, y = (X[:100], y[:100]) if classes == 2 else (X[:120] + 3 * np.eye(4)[y[:120]], y[:120])
    clf = BatchPerceptron(max_iter=20_000).fit(X, y)
    assert clf.converged_
    assert clf.score(X, y) == 1
    assert clf.loss_curve_[-1] == 0
    assert len(clf.loss_curve_) == clf.n_iter_ + 1


def test_from_zero_eta_changes_only_the_length_of_w():
    X, y = load_iris(return_X_y=True)
    X, y = scale(X[:100]), y[:100]
    one, quarter = (BatchPerceptron(eta=eta).fit(X, y) for eta in (1.0, 0.25))
    np.testing.assert_allclose(quarter.coef_, one.coef_ / 4, rtol=1e-12)
    np.testing.assert_allclose(quarter.loss_curve_, one.loss_curve_ / 4, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("exact", [0, 1000])
@pytest.mark.parametrize("shape", [(40, 3), (5, 8), (60, 50)])
def test_the_curvature_is_never_underestimated(shape, exact):
    X = np.random.default_rng(0).normal(size=shape) + 0.5
    true = np.linalg.norm(X, 2) ** 2
    bound = largest_eigenvalue(X, np.zeros(shape[1]), exact)  # 0: the bound for large rows
    assert bound >= true * (1 - 1e-12)
    assert bound <= true * (1 + 1e-9) or not exact
    centred = np.linalg.norm(X - X.mean(axis=0), 2) ** 2
    assert largest_eigenvalue(X, X.mean(axis=0), exact) >= centred * (1 - 1e-12)
