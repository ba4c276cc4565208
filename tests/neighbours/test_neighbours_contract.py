"""The neighbours keep scikit-learn's contract, dense and sparse."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import rosenblatt
from rosenblatt.estimators import neighbours

CLASSIFIERS = [
    neighbours.BatchPerceptron(),
    neighbours.LogisticAscent(),
    neighbours.RidgeClassifier(),
    neighbours.GaussianBayes(),
    neighbours.GaussianBayes(shared=False),
    neighbours.SoftMargin(),
    neighbours.MaxMargin(),
]
SPARSE = [clf for clf in CLASSIFIERS if getattr(clf, "shared", True)]


# The checks' random rows cannot be separated: MaxMargin then says that it took the soft margin.
@pytest.mark.filterwarnings("ignore:MaxMargin found no plane:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([*CLASSIFIERS, neighbours.RidgeRegressor()])
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return scale(X), np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize("clf", SPARSE, ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.filterwarnings("ignore:MaxMargin found no plane:sklearn.exceptions.ConvergenceWarning")
def test_sparse_rows_give_what_dense_rows_give(clf, classes, iris):
    X, y = iris[0][: 50 * classes], iris[1][: 50 * classes]
    X = np.where(np.abs(X) < 0.7, 0.0, X)  # many zeros, that sparse means something
    dense, sparse = clone(clf).fit(X, y), clone(clf).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), rtol=1e-5, atol=1e-5)
    assert sparse.decision_function(X).shape == ((100,) if classes == 2 else (150, 3))


def test_one_hot_codes_are_welcome():
    columns = np.array([[0, 3], [1, 3], [2, 4], [0, 4], [1, 4], [2, 3]])
    codes, y = rosenblatt.OneHot(columns, n_features=5), ["a", "a", "b", "a", "b", "b"]
    for clf in SPARSE[:4]:
        by_code, by_row = clone(clf).fit(codes, y), clone(clf).fit(codes.toarray(), y)
        np.testing.assert_allclose(by_code.decision_function(codes), by_row.decision_function(codes.toarray()), atol=1e-9)


@pytest.mark.parametrize("clf", CLASSIFIERS[:6], ids=repr)
def test_a_fitted_neighbour_survives_pickling_without_its_rows(clf, iris):
    fitted = clone(clf).fit(*iris)
    packed = pickle.dumps(fitted)
    np.testing.assert_array_equal(pickle.loads(packed).predict(iris[0]), fitted.predict(iris[0]))
    assert len(packed) < iris[0].nbytes + 8 * 1100  # the curve of the loss has at most 1,001 numbers here


@pytest.mark.parametrize(
    ("clf", "named"),
    [
        (neighbours.LogisticAscent(l2=-1), "l2 is -1"),
        (neighbours.LogisticAscent(eta=0), "eta is 0"),
        (neighbours.LogisticAscent(max_iter=0), "max_iter is 0"),
        (neighbours.RidgeClassifier(l2="much"), "l2 is 'much'"),
        (neighbours.RidgeRegressor(l2=np.inf), "l2 is inf"),
        (neighbours.BatchPerceptron(eta=-1), "eta is -1"),
        (neighbours.GaussianBayes(var_smoothing=-1), "var_smoothing is -1"),
        (neighbours.SoftMargin(C=0), "C is 0"),
        (neighbours.MaxMargin(bias="none"), "bias is 'none'"),
        (neighbours.MaxMargin(inseparable="guess"), "inseparable is 'guess'"),
        (neighbours.GaussianBayes(shared="yes"), "shared is 'yes'"),
        (rosenblatt.PolynomialBasis(degree=0), "degree is 0"),
        (rosenblatt.TextFeatures(counts="no"), "counts is 'no'"),
    ],
)
def test_a_parameter_that_cannot_be_is_named(clf, named):
    with pytest.raises(rosenblatt.SettingError, match=named):
        clf.fit([[0.0], [1.0], [2.0]], [0, 1, 1])


@pytest.mark.parametrize("clf", [*CLASSIFIERS, neighbours.RidgeRegressor()], ids=repr)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_numbers_whose_squares_overflow_are_named(clf, form):
    if form is sp.csr_array and not getattr(clf, "shared", True):
        pytest.skip("per-class variances take dense rows only")
    X = form(np.array([[1.0, 2.0], [0.0, 1e200], [3.0, 4.0]]))
    with pytest.raises(rosenblatt.NotFiniteError, match=r"Row 1, column 1 is 1e\+200"):
        clone(clf).fit(X, [0, 1, 1])


def test_unscaled_features_that_ascent_cannot_cope_with_are_told_of():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="Scale the features"):
        neighbours.LogisticAscent(max_iter=50).fit(X * [1, 1000, 1, 0.001], y)
