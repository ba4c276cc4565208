"""Curves of what people decide by: their points are scikit-learn's, and the report shows them."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import rosenblatt
from rosenblatt.data import open_known
from rosenblatt.data.splits import split
from rosenblatt.show import deciding
from rosenblatt.show.assessment import ReportOptions
from rosenblatt.show.plots import PrecisionRecallDisplay, ReliabilityDisplay, RocDisplay
from rosenblatt.show.report import report

mpl.use("Agg")


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[:, :3], y


@pytest.fixture(autouse=True)
def closed():
    yield
    mpl.pyplot.close("all")


def texts(drawn):
    return [text.get_text() for text in drawn.ax_.get_legend().get_texts()]


def test_the_lines_are_those_of_scikit_learn(cancer, monkeypatch):
    monkeypatch.setattr(deciding, "MOST_POINTS", 10_000)
    X, y = cancer
    clf = rosenblatt.AveragedPerceptron(random_state=0).fit(X, y)
    scores = clf.decision_function(X)
    roc = RocDisplay.from_estimator(clf, X, y)
    false, true, _ = metrics.roc_curve(y, scores, drop_intermediate=False)
    np.testing.assert_allclose(roc.ax_.lines[1].get_xydata(), np.stack([false, true], axis=1), atol=1e-12)
    assert texts(roc)[0] == f"AUC {metrics.roc_auc_score(y, scores):.3f}, 1"
    found = metrics.recall_score(y, clf.predict(X)), metrics.precision_score(y, clf.predict(X))
    drawn = PrecisionRecallDisplay.from_estimator(clf, X, y)
    precision, recall, _ = metrics.precision_recall_curve(y, scores)
    np.testing.assert_allclose(drawn.ax_.lines[0].get_ydata()[1:], precision[-2::-1], atol=1e-12)
    np.testing.assert_allclose(drawn.ax_.lines[0].get_xdata()[1:], recall[-2::-1], atol=1e-12)
    assert drawn.ax_.lines[-1].get_xydata()[0].tolist() == pytest.approx(found)
    assert "decided at score 0" in texts(drawn)


def test_reliability_is_that_of_scikit_learns_calibration_curve(cancer):
    X, y = cancer
    clf = rosenblatt.SoftPerceptron(random_state=0).fit(X, y)
    drawn = ReliabilityDisplay.from_estimator(clf, X, y)
    came, promised = calibration_curve(y, clf.predict_proba(X)[:, 1], n_bins=15)
    np.testing.assert_allclose(drawn.ax_.lines[1].get_xydata(), np.stack([promised, came], axis=1), atol=1e-12)


def test_any_classifier_can_be_drawn_and_what_it_lacks_is_told(cancer):
    X, y = cancer
    RocDisplay.from_estimator(DecisionTreeClassifier(max_depth=3).fit(X, y), X, y)
    svm = LinearSVC().fit(X, y)
    RocDisplay.from_estimator(svm, X, y)
    with pytest.raises(rosenblatt.SettingError, match="no predict_proba: fit it with calibrate=True"):
        ReliabilityDisplay.from_estimator(svm, X, y)
    with pytest.raises(rosenblatt.SettingError, match="all of one class"):
        RocDisplay.from_estimator(svm, X[y == 1], y[y == 1])


def test_many_classes_have_a_line_each_the_hardest_first():
    X, y = load_iris(return_X_y=True)
    clf = rosenblatt.AveragedPerceptron(random_state=0, calibrate=True).fit(scale(X), y)
    drawn = RocDisplay.from_estimator(clf, scale(X), y)
    areas = [metrics.roc_auc_score(y == k, clf.predict_proba(scale(X))[:, k]) for k in range(3)]
    assert texts(drawn) == [f"AUC {areas[k]:.3f}, {k}" for k in np.argsort(areas, kind="stable")]
    assert ReliabilityDisplay.from_estimator(clf, scale(X), y).ax_.get_xlabel() == "probability of what is predicted"


def test_the_report_shows_the_curves_and_the_threshold():
    data, dev = split(open_known("breast-cancer"), 0.3)
    model = rosenblatt.learn(data, dev=dev, threshold="f1")
    page = report(model, dev, ReportOptions(splits=0, certify=0))
    assert "What to decide by" in page
    assert f"threshold {model.threshold.probability:.3g} (f1)" in page
    for title in ("ROC curve", "Precision by recall", "Reliability of probabilities"):
        assert f'aria-label="{title}"' in page
    area = metrics.roc_auc_score(np.asarray(dev.labels) == "malignant", model.scores(dev.rows))
    assert f"<dt>ROC AUC</dt><dd>{area:.4f}</dd>" in page
    plain = report(rosenblatt.learn(data), dev, ReportOptions(splits=0, certify=0))
    assert "decided at score 0" in plain
    assert "Reliability" not in plain


def test_rows_of_one_class_leave_the_curves_out():
    data = open_known("iris")
    page = report(rosenblatt.learn(data), data.slice(0, 20), ReportOptions(splits=0, certify=0))
    assert "What to decide by" not in page
