"""Logistic regression, ridge and naive Bayes against scikit-learn, the closed formulas, and the income data."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import scale
from sklearn.svm import SVC, LinearSVC

from rosenblatt import DataError, SettingError, SoftPerceptron, features
from rosenblatt.data import open_known
from rosenblatt.engine.rows import Rows
from rosenblatt.estimators.neighbours import GaussianBayes, LogisticAscent, RidgeClassifier, RidgeRegressor, SoftMargin
from rosenblatt.estimators.neighbours.ridge import ridge


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


# W1


@pytest.mark.parametrize(
    ("data", "l2", "bias"),
    [("cancer", 0.3, True), ("cancer", 1.0, True), ("cancer", 30.0, False), ("iris", 1.0, True), ("iris", 30.0, False)],
)
def test_gradient_ascent_ends_where_scikit_learn_does(data, l2, bias, request):
    X, y = request.getfixturevalue(data)
    ours = LogisticAscent(l2=l2, fit_intercept=bias).fit(X, y)
    theirs = LogisticRegression(C=1 / l2, fit_intercept=bias, tol=1e-10, max_iter=100_000).fit(X, y)
    assert ours.converged_
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_the_plain_ascent_of_the_slide_ends_at_the_same_place(cancer):
    plain = LogisticAscent(l2=30.0, accelerate=False, max_iter=20_000).fit(*cancer)
    fast = LogisticAscent(l2=30.0).fit(*cancer)
    np.testing.assert_allclose(plain.coef_, fast.coef_, atol=1e-6)
    assert (np.diff(plain.loss_curve_) <= 1e-9).all()  # with 1/curvature it never rises
    assert fast.n_iter_ < plain.n_iter_


def test_one_ascent_step_is_the_slides():
    X, y, eta = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]), np.array([1, 0, 1]), 0.1
    with pytest.warns(ConvergenceWarning, match="Still falling"):
        one = LogisticAscent(l2=2.0, eta=eta, max_iter=1, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(one.coef_[0], eta * X.T @ (y - 0.5))  # from w = 0, where P(1|x) = ½
    with pytest.warns(ConvergenceWarning, match="Still falling"):
        two = LogisticAscent(l2=2.0, eta=eta, max_iter=2, fit_intercept=False, accelerate=False).fit(X, y)
    w = one.coef_[0]
    p = 1 / (1 + np.exp(-X @ w))
    np.testing.assert_allclose(two.coef_[0], w + eta * (-2.0 * w + X.T @ (y - p)))


def test_the_stochastic_rule_with_a_small_rate_comes_near_the_batch_solution(cancer):
    X, y = cancer
    batch = LogisticAscent(l2=10.0).fit(X, y)
    online = SoftPerceptron(eta0=0.01, l2=10.0 / len(y), average=True, max_iter=300, random_state=0).fit(X, y)
    assert np.abs(online.coef_ - batch.coef_).max() < 0.05 * np.abs(batch.coef_).max()


def test_an_eta_that_is_too_large_is_named(cancer):
    with pytest.warns(ConvergenceWarning, match="eta = 1 is too large"):
        LogisticAscent(eta=1.0, accelerate=False, max_iter=200).fit(*cancer)


# U2


@pytest.mark.parametrize("l2", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_ridge_is_scikit_learns(l2, bias, form):
    X, y = load_diabetes(return_X_y=True)
    X = X * 20 + 3
    theirs = Ridge(alpha=l2, fit_intercept=bias).fit(X, y)
    for rows in (slice(None), slice(0, 6)):  # six rows of ten columns: through X Xᵀ where they are sparse
        theirs = Ridge(alpha=l2, fit_intercept=bias, solver="svd").fit(X[rows], y[rows])
        ours = RidgeRegressor(l2=l2, fit_intercept=bias).fit(form(X[rows]), y[rows])
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(ours.predict(form(X)), theirs.predict(X), rtol=1e-4)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_lambda_of_nearly_nothing_is_least_squares(form):
    X, y = load_diabetes(return_X_y=True)
    w = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
    for l2 in (0.0, 1e-9):
        np.testing.assert_allclose(RidgeRegressor(l2=l2).fit(form(X), y).coef_, w, rtol=1e-4)
    twice = np.column_stack([X, X])  # many solutions: the shortest halves each weight
    np.testing.assert_allclose(RidgeRegressor(l2=0.0).fit(form(twice), y).coef_, np.tile(w / 2, 2), rtol=1e-4)


def test_a_lambda_beyond_all_bounds_leaves_only_the_mean():
    X, y = load_diabetes(return_X_y=True)
    sizes = [np.linalg.norm(RidgeRegressor(l2=l2).fit(X, y).coef_) for l2 in (0, 0.1, 1, 10, 1e12)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 1e-8
    assert RidgeRegressor(l2=1e12).fit(X, y).intercept_[0] == pytest.approx(y.mean())


def test_a_ridge_classifier_is_a_regression_on_plus_and_minus_one(cancer, iris):
    X, y = cancer
    reg = Ridge(alpha=2.0).fit(X, np.where(y == 1, 1, -1))
    np.testing.assert_allclose(RidgeClassifier(l2=2.0).fit(X, y).coef_[0], reg.coef_, atol=1e-8)
    X, y = iris
    reg = Ridge(alpha=2.0).fit(X, np.where(y[:, None] == np.arange(3), 1, -1))
    np.testing.assert_array_equal(RidgeClassifier(l2=2.0).fit(X, y).predict(X), reg.predict(X).argmax(axis=1))


def test_sparse_rows_too_wide_for_a_closed_form_are_refused():
    with pytest.raises(DataError, match=r"side 4, more than 3: take scikit-learn's Ridge"):
        ridge(sp.csr_array(np.eye(5, 4)), np.arange(5.0)[:, None], l2=1.0, largest_side=3)


# W2


@pytest.mark.parametrize("data", ["cancer", "iris two"])
def test_the_logistic_form_has_the_closed_formula_of_the_lecture(data, cancer, iris):
    X, y = cancer if data == "cancer" else (iris[0][50:], iris[1][50:] - 1)
    linear = GaussianBayes(var_smoothing=0).fit(X, y).as_linear()
    means = [X[y == k].mean(axis=0) for k in (0, 1)]
    variance = np.concatenate([(X[y == k] - means[k]) ** 2 for k in (0, 1)]).mean(axis=0)
    theta = y.mean()
    w = (means[1] - means[0]) / variance
    b = np.log(theta / (1 - theta)) + ((means[0] ** 2 - means[1] ** 2) / (2 * variance)).sum()
    np.testing.assert_allclose(linear.coef[0], w, rtol=1e-12)
    np.testing.assert_allclose(linear.intercept[0], b, rtol=1e-12)


@pytest.mark.parametrize("data", ["cancer", "iris"])
def test_predictions_are_those_of_bayes_rule_with_bell_curves_on_every_row(data, request):
    X, y = request.getfixturevalue(data)
    clf = GaussianBayes().fit(X, y)
    joint = np.stack(
        [norm.logpdf(X, clf.theta_[k], np.sqrt(clf.var_[0])).sum(axis=1) + np.log(np.mean(y == k)) for k in np.unique(y)],
        axis=1,
    )
    np.testing.assert_array_equal(clf.predict(X), joint.argmax(axis=1))
    np.testing.assert_array_equal(clf.as_linear().predict(X), clf.predict(X))
    by_hand = np.exp(joint - joint.max(axis=1, keepdims=True))
    np.testing.assert_allclose(clf.predict_proba(X), by_hand / by_hand.sum(axis=1, keepdims=True), atol=1e-9)


@pytest.mark.parametrize("data", ["cancer", "iris"])
def test_with_variances_of_their_own_it_is_scikit_learns(data, request):
    X, y = request.getfixturevalue(data)
    ours, theirs = GaussianBayes(shared=False).fit(X, y), GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.theta_, theirs.theta_, atol=1e-12)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-6, atol=1e-9)
    with pytest.raises(SettingError, match="curved"):
        ours.as_linear()


def test_the_numbers_learned_are_n_plus_1_and_3n_plus_1_and_4n_plus_1(cancer):
    n = cancer[0].shape[1]
    assert LogisticAscent().fit(*cancer).parameters_ == n + 1
    assert GaussianBayes().fit(*cancer).parameters_ == 3 * n + 1
    assert GaussianBayes(shared=False).fit(*cancer).parameters_ == 4 * n + 1


def test_a_feature_that_never_varies_counts_for_nothing(cancer):
    X, y = cancer
    widened = np.column_stack([X, np.full(len(X), 5.0)])
    for shared in (True, False):
        plain, wide = (GaussianBayes(shared=shared).fit(rows, y) for rows in (X, widened))
        np.testing.assert_allclose(wide.predict_proba(widened), plain.predict_proba(X), atol=1e-6)


# The income data: the shares of wrong rows in shared/data's README, measured independently of this project.


@pytest.fixture(scope="module")
def income():
    import os

    if not os.environ.get("ROSENBLATT_DATA"):
        pytest.skip("ROSENBLATT_DATA names no folder")
    train, dev = open_known("income"), open_known("income", "dev")
    every_value = features.TableMap(numeric="category").fit(train.rows)
    X, Z = (Rows(every_value.transform(part.rows)).matrix() for part in (train, dev))
    return X, np.asarray(train.labels), Z, np.asarray(dev.labels)


@pytest.mark.parametrize(
    ("clf", "percent", "within"),
    [
        (LogisticAscent(l2=1.0), 14.3, 0.5),
        (RidgeClassifier(l2=1.0), 15.3, 0.5),
        (GaussianBayes(), 18.3, 1.0),
        (SoftMargin(C=1.0), 15.0, 1.0),
        (LinearSVC(random_state=0), 15.0, 1.0),
    ],
    ids=["logistic", "ridge", "naive Bayes", "soft margin", "LinearSVC"],
)
def test_income_errors_are_those_measured_elsewhere(clf, percent, within, income):
    X, y, Z, z = income
    assert X.shape == (5000, 230)
    assert 100 * np.mean(clf.fit(X, y).predict(Z) != z) == pytest.approx(percent, abs=within)


def test_income_solutions_are_those_of_scikit_learn(income):
    X, y, Z, _ = income
    X = X.astype(float)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(LogisticAscent(l2=1.0).fit(X, y).coef_, theirs.coef_, atol=1e-4)
    theirs = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(SoftMargin(C=1.0).fit(X, y).coef_, theirs.coef_.toarray(), atol=1e-4)
    bayes = GaussianBayes().fit(X, y)
    means, variance = bayes.theta_, bayes.var_[0]
    for rows in (X, Z):
        joint = [norm.logpdf(rows.toarray(), means[k], np.sqrt(variance)).sum(axis=1) for k in (0, 1)]
        odds = joint[1] - joint[0] + np.log(bayes.class_prior_[1] / bayes.class_prior_[0])
        np.testing.assert_array_equal(bayes.predict(rows), bayes.classes_[(odds >= 0).astype(int)])
        np.testing.assert_array_equal(bayes.as_linear().predict(rows), bayes.predict(rows))
