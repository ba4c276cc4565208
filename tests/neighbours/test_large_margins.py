"""Hard and soft margins against scikit-learn and a general solver (W9)."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale
from sklearn.svm import SVC, LinearSVC

from rosenblatt import DataError
from rosenblatt.estimators.neighbours import MaxMargin, SoftMargin


@pytest.fixture(scope="module")
def two():
    X, y = load_iris(return_X_y=True)
    return X[:100], y[:100]


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 12)
    return np.array([[0.0, 0.0], [4.0, 0.5], [1.0, 5.0]])[y] + 0.6 * rng.normal(size=(36, 2)), y


def test_two_classes_are_the_support_vector_machine_of_a_huge_C(two):
    ours, theirs = MaxMargin().fit(*two), SVC(kernel="linear", C=1e10, tol=1e-10).fit(*two)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_array_equal(ours.support_, np.sort(theirs.support_))
    assert ours.margin_ == pytest.approx(1 / np.linalg.norm(theirs.coef_), rel=1e-4)
    assert ours.separable_


def by_slsqp(X, y, classes, price=None):
    """½ Σ |w_k|² (+ C Σ ξ) under s_y ≥ s_k + 1 (− ξ), by a solver that knows nothing of margins."""
    n, d = X.shape
    size = classes * (d + 1)
    ones = np.column_stack([X, np.ones(n)])

    def apart(v):
        scores = ones @ v[:size].reshape(classes, d + 1).T
        gaps = scores[np.arange(n), y][:, None] - scores + (0 if price is None else v[size:, None])
        return gaps[np.arange(classes) != y[:, None]] - 1

    def cost(v):
        w = v[:size].reshape(classes, d + 1)[:, :d]
        return 0.5 * (w**2).sum() + (0 if price is None else price * v[size:].sum())

    start = np.zeros(size + (0 if price is None else n))
    bounds = [(None, None)] * size + ([] if price is None else [(0, None)] * n)
    found = minimize(
        cost,
        start,
        method="SLSQP",
        bounds=bounds,
        constraints={"type": "ineq", "fun": apart},
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert found.success
    return found.x[:size].reshape(classes, d + 1)[:, :d], found.fun


def test_many_classes_are_what_a_general_solver_finds(three):
    w, _ = by_slsqp(*three, classes=3)
    ours = MaxMargin().fit(*three)
    np.testing.assert_allclose(ours.coef_, w, atol=1e-4)
    scores = ours.decision_function(three[0])
    own = scores[np.arange(36), three[1]]
    others = np.where(np.eye(3, dtype=bool)[three[1]], -np.inf, scores).max(axis=1)
    assert (own - others).min() == pytest.approx(1, abs=1e-6)  # w_y*·f ≥ w_y·f + 1, and somewhere equal


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
def test_the_soft_margin_is_scikit_learns(C):
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    ours, theirs = SoftMargin(C=C).fit(X, y), SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)


def test_the_soft_margin_of_many_classes_is_crammers_and_singers():
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    ours = SoftMargin(C=0.5, fit_intercept=False).fit(X, y)
    theirs = LinearSVC(
        multi_class="crammer_singer", C=0.5, fit_intercept=False, tol=1e-9, max_iter=10**6, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_the_soft_margin_of_many_classes_with_bias_is_what_a_general_solver_finds(three):
    X, y = three[0][::2], three[1][::2]
    w, height = by_slsqp(X, y, classes=3, price=0.05)
    ours = SoftMargin(C=0.05).fit(X, y)
    np.testing.assert_allclose(ours.coef_, w, atol=1e-3)
    scores = ours.decision_function(X)
    gaps = np.where(np.eye(3, dtype=bool)[y], np.inf, scores[np.arange(len(y)), y][:, None] - scores).min(axis=1)
    ours_costs = 0.5 * (ours.coef_**2).sum() + 0.05 * np.maximum(0, 1 - gaps).sum()
    assert ours_costs <= height + 1e-6


def test_a_large_C_comes_near_the_hard_margin(two):
    np.testing.assert_allclose(SoftMargin(C=1e4).fit(*two).coef_, MaxMargin().fit(*two).coef_, atol=1e-4)


def test_rows_that_no_plane_separates_are_refused_or_softened_and_said():
    X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]  # XOR
    with pytest.raises(DataError, match="No plane separates"):
        MaxMargin(inseparable="refuse").fit(X, y)
    with pytest.warns(ConvergenceWarning, match="no plane that separates"):
        clf = MaxMargin().fit(X, y)
    assert not clf.separable_
    assert clf.margin_ <= 0


def test_the_bias_may_count_as_a_feature(two):
    X, y = two
    free, feature = MaxMargin().fit(X, y), MaxMargin(bias="feature").fit(X, y)
    with_ones = MaxMargin(fit_intercept=False).fit(np.column_stack([X, np.ones(100)]), y)
    np.testing.assert_allclose(np.append(feature.coef_, feature.intercept_), with_ones.coef_[0], atol=1e-5)
    assert np.linalg.norm(free.coef_) < np.linalg.norm(feature.coef_) + 1e-9


@pytest.mark.parametrize("learner", [SoftMargin, MaxMargin])
def test_a_program_too_large_is_refused_before_it_is_built(two, learner):
    estimator = learner()
    estimator._most_entries = 399
    with pytest.raises(DataError, match="400 entries"):
        estimator.fit(*two)
