"""Who changes the import changes nothing else: scikit-learn's names, parameters and attributes; its numbers as witness."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model

import rosenblatt
from rosenblatt.engine import rules


def theirs(name, **parameters):
    """scikit-learn's own, while it has it."""
    if not hasattr(linear_model, name):
        pytest.skip(f"this scikit-learn has no {name} any more")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return getattr(linear_model, name)(**parameters, shuffle=False, max_iter=1, tol=None)


def ours(name, **parameters):
    return getattr(rosenblatt, name)(**parameters, shuffle=False, max_iter=1)


@pytest.mark.parametrize("name", ["Perceptron", "PassiveAggressiveClassifier", "PassiveAggressiveRegressor"])
def test_every_parameter_of_theirs_is_one_of_ours(name):
    defaults = theirs(name).get_params()
    estimator = getattr(rosenblatt, name)(**defaults | {"max_iter": 5})
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    assert estimator.fit(X, X[:, 0] > 0 if "Regressor" not in name else X[:, 0]).predict(X).shape == (50,)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_the_regressor_without_a_bias_is_scikit_learns(form, C, loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = X @ rng.normal(size=5) + 0.1 * rng.normal(size=300)
    settings = {"C": C, "loss": loss, "epsilon": 0.05, "fit_intercept": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        peer = theirs("PassiveAggressiveRegressor", **settings).fit(X, y)
    mine = ours("PassiveAggressiveRegressor", **settings).fit(form(X), y)
    np.testing.assert_allclose(mine.coef_, peer.coef_, rtol=1e-9, atol=1e-12)
    assert mine.t_ == peer.t_


@pytest.mark.parametrize("variant", ["I", "II"])
@pytest.mark.parametrize("importance", [False, True])
def test_the_regressor_with_a_bias_is_the_formula(variant, importance):
    rng = np.random.default_rng(1)
    X, weight = rng.normal(size=(200, 4)), rng.integers(0, 4, 200).astype(float)
    y, C, epsilon = X @ rng.normal(size=4) + 3 + 0.3 * rng.normal(size=200), 0.7, 0.1
    theta = np.zeros(5)
    for x, target, times in zip(np.column_stack([X, np.ones(200)]), y, weight if importance else np.ones(200), strict=True):
        error = target - theta @ x
        loss = max(0.0, abs(error) - epsilon)
        tau = min(C, loss / (x @ x)) if variant == "I" else loss / (x @ x + 1 / (2 * C))
        theta += np.sign(error) * min(times * tau, loss / (x @ x)) * x
    loss = {"I": "epsilon_insensitive", "II": "squared_epsilon_insensitive"}[variant]
    reg = ours("PassiveAggressiveRegressor", C=C, epsilon=epsilon, loss=loss)
    reg.fit(X, y, sample_weight=weight if importance else None)
    np.testing.assert_allclose([*reg.coef_, *reg.intercept_], theta, rtol=1e-10)
    assert rules.EpsilonInsensitive(C=C, variant=variant).tau(-2.0, 4.0) == -rules.EpsilonInsensitive(C, variant).tau(
        2.0, 4.0
    )


@pytest.mark.parametrize("l2", [0.01, 0.1])
@pytest.mark.parametrize(
    "rate",
    [
        {"learning_rate": "constant", "eta0": 0.1},
        {"learning_rate": "invscaling", "eta0": 0.5, "power_t": 0.3},
        {"learning_rate": "optimal"},
    ],
)
def test_the_soft_perceptron_has_the_rates_of_sgd(rate, l2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = X @ rng.normal(size=5) + rng.normal(size=300) > 0
    settings = {"shuffle": False, "max_iter": 3, **rate}
    peer = linear_model.SGDClassifier(loss="log_loss", alpha=l2, tol=None, **settings).fit(X, y)
    mine = rosenblatt.SoftPerceptron(l2=l2, average=False, **settings).fit(X, y)
    np.testing.assert_allclose(mine.coef_, peer.coef_, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(mine.intercept_, peer.intercept_, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("loss", "variant"), [("hinge", "I"), ("squared_hinge", "II")])
def test_the_classifier_of_their_name_is_passive_aggressive(loss, variant, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = np.sign(X[:, 0] + 0.3 * rng.normal(size=100)).astype(int)
    named = rosenblatt.PassiveAggressiveClassifier(C=0.1, loss=loss, random_state=0).fit(X, y)
    own = rosenblatt.PassiveAggressive(C=0.1, variant=variant, random_state=0).fit(X, y)
    np.testing.assert_array_equal(named.coef_, own.coef_)
    named.save(tmp_path / "model")
    np.testing.assert_array_equal(rosenblatt.load(tmp_path / "model").predict(X), named.predict(X))


def test_a_penalty_is_refused_with_what_has_one():
    with pytest.raises(ValueError, match=r"penalty is 'l2': expected None.*SoftPerceptron"):
        rosenblatt.Perceptron(penalty="l2").fit([[0.0], [1.0]], [0, 1])


def test_coef_can_be_sparse_and_an_array_again():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    clf = rosenblatt.Perceptron(random_state=0).fit(X, y)
    dense, labels = clf.coef_, clf.predict(X)
    assert sp.issparse(clf.sparsify().coef_)
    np.testing.assert_array_equal(clf.coef_.toarray(), dense)
    np.testing.assert_array_equal(clf.predict(X), labels)
    np.testing.assert_array_equal(clf.densify().coef_, dense)
    assert clf.t_ == 1 + 60 * clf.n_iter_
    assert not sp.issparse(clf.sparsify().fit(X, y).coef_)


def test_the_differences_that_the_page_names():
    """docs/moving-from-scikit-learn.md, row by row; the bias and |x|² are examples there."""
    X, y = np.array([[1.0], [-1.0]], dtype=np.float32), [1, 0]
    nothing, rng = np.zeros((1, 1), dtype=np.float32), np.random.default_rng(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        peer = linear_model.Perceptron(max_iter=1, tol=1e-3, fit_intercept=False).fit(X, y)
        caught.clear()
        linear_model.Perceptron(max_iter=2, tol=1e-3).fit(rng.normal(size=(50, 2)), np.arange(50) % 2)
        assert [warning.category.__name__ for warning in caught] == ["ConvergenceWarning"]
        caught.clear()
        mine = rosenblatt.Perceptron(max_iter=1, tol=1e-3, fit_intercept=False).fit(X, y)
        assert not caught
    assert mine.training_.stopped_because == "one pass"
    assert not mine.converged_
    assert peer.predict(nothing) == peer.classes_[0]
    assert mine.predict(nothing) == mine.classes_[1]
    assert peer.coef_.dtype == np.float32
    assert mine.coef_.dtype == np.float64
    # tol: theirs is about the loss, ours about the mean change of the weights.
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    run = rosenblatt.Perceptron(tol=2.0, random_state=0).fit(X, y)
    assert run.training_.stopped_because == "the average update fell below tol"
    assert run.history_[-1].moved < 2.0
