"""Measures equal scikit-learn's, which are an independent witness, also where scores tie."""

import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.learning import measures
from rosenblatt.learning.measures import CutCounts, Reliability, ScoredRows, measure_all
from rosenblatt.learning.scoring import decide

CLOSE = {"rtol": 0, "atol": 1e-12}


@st.composite
def scored(draw, least_classes=2, most_classes=5):
    """Rows of all classes, scores with or without ties, and probabilities that sum to 1."""
    k = draw(st.integers(least_classes, most_classes))
    n = draw(st.integers(2 * k, 60))
    bits = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = np.concatenate([np.arange(k), bits.integers(0, k, n - k)])
    bits.shuffle(codes)
    scores = bits.normal(size=(n, k)) if draw(st.booleans()) else bits.integers(-2, 3, (n, k)).astype(float)
    raw = bits.exponential(size=(n, k)) if draw(st.booleans()) else bits.integers(0, 3, (n, k)) + 1e-300
    probabilities = raw / raw.sum(axis=1, keepdims=True)
    own = scores[:, 0] if k == 2 else scores
    return ScoredRows(codes, own, decide(own), probabilities)


@given(scored(most_classes=2))
def test_two_classes_are_measured_as_scikit_learn_measures_them(rows):
    expected = {
        "error": 1 - peer.accuracy_score(rows.codes, rows.predicted),
        "balanced_accuracy": peer.balanced_accuracy_score(rows.codes, rows.predicted),
        "f1": peer.f1_score(rows.codes, rows.predicted, zero_division=0),
        "roc_auc": peer.roc_auc_score(rows.codes, rows.scores),
        "average_precision": peer.average_precision_score(rows.codes, rows.scores),
        "log_loss": peer.log_loss(rows.codes, y_proba=rows.probabilities),
        "brier_score": peer.brier_score_loss(rows.codes, rows.probabilities[:, 1]),
    }
    measured = measure_all(rows)
    for name, value in expected.items():
        np.testing.assert_allclose(measured[name], value, **CLOSE, err_msg=name)


@given(scored(least_classes=3))
def test_many_classes_are_measured_as_scikit_learn_measures_them(rows):
    k = rows.scores.shape[1]
    one_hot = np.eye(k)[rows.codes]
    expected = {
        "error": 1 - peer.accuracy_score(rows.codes, rows.predicted),
        "balanced_accuracy": np.mean(peer.recall_score(rows.codes, rows.predicted, average=None, labels=range(k))),
        "f1": peer.f1_score(rows.codes, rows.predicted, average="macro", zero_division=0),
        "roc_auc": peer.roc_auc_score(rows.codes, rows.probabilities, multi_class="ovr", average="macro"),
        "average_precision": peer.average_precision_score(one_hot, rows.probabilities, average="macro"),
        "log_loss": peer.log_loss(rows.codes, y_proba=rows.probabilities, labels=range(k)),
        "brier_score": peer.brier_score_loss(rows.codes, rows.probabilities, labels=range(k)),
    }
    measured = measure_all(rows)
    for name, value in expected.items():
        np.testing.assert_allclose(measured[name], value, **CLOSE, err_msg=name)
    without = ScoredRows(rows.codes, rows.scores, rows.predicted)
    areas = [peer.roc_auc_score(rows.codes == c, rows.scores[:, c]) for c in range(k)]
    np.testing.assert_allclose(measures.roc_auc(without), np.mean(areas), **CLOSE)
    precision = peer.average_precision_score(one_hot, rows.scores, average="macro")
    np.testing.assert_allclose(measures.average_precision(without), precision, **CLOSE)


@given(scored(most_classes=2))
def test_the_cuts_are_those_of_scikit_learns_curves(rows):
    counts = CutCounts.of(rows.codes == 1, rows.scores)
    false, true, cuts = peer.roc_curve(rows.codes, rows.scores, drop_intermediate=False)
    np.testing.assert_allclose(counts.true / counts.positives, true[1:], **CLOSE)
    np.testing.assert_allclose(counts.false / counts.negatives, false[1:], **CLOSE)
    assert counts.cuts.tolist() == cuts[1:].tolist()
    precision = peer.precision_recall_curve(rows.codes, rows.scores, drop_intermediate=False)[0]
    np.testing.assert_allclose(counts.precision(), precision[-2::-1], **CLOSE)
    by_hand = [peer.f1_score(rows.codes, rows.scores >= cut) for cut in counts.cuts]
    np.testing.assert_allclose(counts.f1(), by_hand, **CLOSE)


def test_rows_of_one_class_have_no_curve():
    rows = ScoredRows(np.zeros(3, int), np.array([1.0, 2.0, -1.0]), np.array([1, 1, 0]))
    measured = measure_all(rows)
    assert measured["roc_auc"] is measured["average_precision"] is None
    assert measured["balanced_accuracy"] == pytest.approx(1 / 3)


def test_the_calibration_error_by_hand():
    """Guo et al. (2017), equation 3, with two bins: 4/6 · |0.25 − 0.5| + 2/6 · |0.8 − 1|."""
    probability = np.array([0.2, 0.3, 0.2, 0.3, 0.8, 0.8])
    came = np.array([1, 0, 0, 1, 1, 1], bool)
    assert Reliability.of(probability, came, bins=2).error == pytest.approx(4 / 6 * 0.25 + 2 / 6 * 0.2)
