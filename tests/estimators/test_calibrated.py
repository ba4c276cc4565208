"""calibrate=True: probabilities on every linear estimator, the weights as without, the same numbers after saving."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import scale

import rosenblatt
from rosenblatt.errors import SettingError

ESTIMATORS = [
    rosenblatt.Perceptron, rosenblatt.AveragedPerceptron, rosenblatt.VotedPerceptron, rosenblatt.Mira,
    rosenblatt.PassiveAggressive, rosenblatt.PassiveAggressiveClassifier, rosenblatt.SoftPerceptron, rosenblatt.WidrowHoff,
]  # fmt: skip


@pytest.fixture(scope="module", params=["two", "three"])
def rows(request):
    X, y = load_breast_cancer(return_X_y=True) if request.param == "two" else load_iris(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_every_estimator_gives_probabilities_and_keeps_its_weights(kind, rows, tmp_path):
    X, y = rows
    plain = kind(random_state=0, max_iter=5).fit(X, y)
    assert hasattr(plain, "predict_proba") == (kind is rosenblatt.SoftPerceptron)
    fitted = kind(random_state=0, max_iter=5, calibrate=True).fit(X, y)
    assert fitted.decision_function(X).tolist() == plain.decision_function(X).tolist()
    assert fitted.predict(X).tolist() == plain.predict(X).tolist()
    probabilities = fitted.predict_proba(X)
    assert probabilities.shape == (len(X), len(np.unique(y)))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X)), probabilities, atol=1e-12)
    fitted.save(tmp_path / "m.rosenblatt")
    loaded, sparse = rosenblatt.load(tmp_path / "m.rosenblatt"), sp.csr_array(X)  # as its file reads rows
    assert loaded.predict_proba(sparse).tolist() == fitted.predict_proba(sparse).tolist()
    again = clone(fitted).fit(X, y)
    assert again.predict_proba(X).tolist() == probabilities.tolist()


def test_they_are_the_numbers_of_the_command_lines_calibration(rows):
    X, y = sp.csr_array(rows[0]), rows[1]
    fitted = rosenblatt.AveragedPerceptron(random_state=0, max_iter=5, calibrate=True).fit(X, y)
    model = rosenblatt.learn(rosenblatt.Dataset("sparse", X, y, "rows"), epochs=5, seed=0, calibrate=True)
    assert model.predict_proba(X).tolist() == fitted.predict_proba(X).tolist()


def test_probabilities_of_unseen_rows_are_better_than_the_shares_of_the_classes(rows):
    X, y = rows
    estimator = rosenblatt.AveragedPerceptron(random_state=0, max_iter=5, calibrate=True)
    probabilities = cross_val_predict(estimator, X, y, method="predict_proba")
    shares = np.tile(np.bincount(y) / len(y), (len(y), 1))
    assert log_loss(y, y_proba=probabilities) < 0.5 * log_loss(y, y_proba=shares)


def test_other_views_and_streams_say_that_they_are_not_calibrated(rows):
    X, y = rows
    fitted = rosenblatt.AveragedPerceptron(random_state=0, max_iter=2, calibrate=True).fit(X, y)
    with pytest.raises(SettingError, match="The last weights were not calibrated"):
        fitted.view("last").predict_proba(X)
    assert not hasattr(fitted, "partial_fit")
    with pytest.raises(SettingError, match="warm_start goes on"):
        fitted.set_params(warm_start=True).fit(X, y)
    soft = rosenblatt.SoftPerceptron(random_state=0, max_iter=2, average=True, calibrate=True).fit(X, y)
    own = rosenblatt.SoftPerceptron(random_state=0, max_iter=2, average=True).fit(X, y)
    assert soft.view("last").predict_proba(X).tolist() == own.view("last").predict_proba(X).tolist()
    assert soft.predict_proba(X).tolist() != own.predict_proba(X).tolist()


def test_forgetting_rows_forgets_the_probabilities_that_they_made(rows):
    X, y = rows
    fitted = rosenblatt.Perceptron(random_state=0, max_iter=3, calibrate=True, keep_log=True).fit(X, y)
    fitted.forget([1, 2])
    with pytest.raises(SettingError, match="not calibrated"):
        fitted.predict_proba(X)


def test_early_stopping_holds_out_in_every_fold(rows):
    X, y = rows
    fitted = rosenblatt.Mira(random_state=0, early_stopping=True, calibrate=True).fit(X, y)
    assert fitted.predict_proba(X).shape == (len(X), len(np.unique(y)))


def test_too_few_rows_of_a_class_leave_the_estimator_unfitted():
    with pytest.raises(rosenblatt.LabelError, match="at least 5 rows of every class"):
        rosenblatt.Perceptron(calibrate=True).fit(np.arange(8.0)[:, None], [0, 0, 0, 0, 0, 0, 1, 1])
