"""partial_fit with new_classes=True: classes that no call before had."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import rosenblatt as rb

LEARNERS = [
    rb.Perceptron(new_classes=True),
    rb.AveragedPerceptron(new_classes=True, class_weight={2: 3.0, 5: 0.5}),
    rb.Mira(new_classes=True, average=True),
    rb.PassiveAggressive(new_classes=True, C=0.1),
    rb.Arow(new_classes=True),
    rb.SoftPerceptron(new_classes=True, l2=0.05),
    rb.WidrowHoff(new_classes=True, average=True),
    rb.Perceptron(new_classes=True, multiclass="rest"),
    rb.Arow(new_classes=True, multiclass="rest"),
]


def stream(n, seed):
    """Rows of ever more classes: 0 and 1 at first, one more every twenty rows."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, 6))
    room = 2 + np.arange(n) // 20
    return X, np.minimum((np.abs(X[:, 0] * 3)).astype(int), room - 1)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@given(cuts=st.lists(st.integers(40, 100), max_size=5), seed=st.integers(0, 2**20))
@settings(max_examples=5)
def test_any_split_gives_the_bits_of_one_call(learner, cuts, seed):
    X, y = stream(100, seed)
    whole, parts = clone(learner), clone(learner)
    for estimator, ends in ((whole, [0, 40, 100]), (parts, sorted({0, 40, 100, *cuts}))):
        for start, end in pairwise(ends):
            estimator.partial_fit(X[start:end], y[start:end])
    assert whole.classes_.tolist() == parts.classes_.tolist()
    for one, other in zip(whole.training_.weights.averaged, parts.training_.weights.averaged, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(whole.predict(X), parts.predict(X))
    assert whole.coef_.shape[0] == len(whole.classes_)


@pytest.mark.parametrize(
    "learner",
    [rb.AveragedPerceptron(new_classes=True), rb.Arow(new_classes=True), rb.Mira(new_classes=True, multiclass="rest")],
)
def test_it_is_what_update_does(learner, tmp_path):
    """The witness is the classifier of a model file, which goes on with `update`."""
    X, y = stream(200, 1)
    learner = clone(learner).partial_fit(sp.csr_array(X[:40]), y[:40])
    rb.save(learner, tmp_path / "m")
    model = rb.load(tmp_path / "m")
    model.update(sp.csr_array(X[40:]), y[40:])
    learner.partial_fit(sp.csr_array(X[40:]), y[40:])
    assert model.classes.tolist() == learner.classes_.tolist()
    assert len(model.classes) > 4
    for view in ("last", "averaged"):
        assert np.array_equal(model.views[view][0], learner.view(view).coef_)
        assert np.array_equal(model.views[view][1], learner.view(view).intercept_)


def test_without_being_asked_a_new_class_is_refused():
    X, y = stream(100, 0)
    estimator = rb.Perceptron().partial_fit(X[:20], y[:20], classes=[0, 1])
    with pytest.raises(ValueError, match="2"):
        estimator.partial_fit(X[20:], y[20:])


def test_texts_come_behind_the_others_and_are_predicted():
    estimator = rb.Perceptron(new_classes=True).partial_fit([[1.0, 0], [0, 1]] * 5, ["m", "z"] * 5)
    estimator.partial_fit([[-1.0, -1]] * 5, ["a nice one"] * 5)
    assert estimator.classes_.tolist() == ["m", "z", "a nice one"]
    assert estimator.predict([[1.0, 0], [0, 1], [-1, -1]]).tolist() == ["m", "z", "a nice one"]
    assert estimator.score([[-1.0, -1]], ["a nice one"]) == 1


def test_a_call_that_fails_leaves_everything_as_it_was():
    X, y = stream(100, 3)
    estimator = rb.Mira(new_classes=True).partial_fit(X[:40], y[:40])
    classes, before = estimator.classes_, estimator.coef_.copy()
    bad = X[40:].copy()
    bad[-1, 2] = np.nan
    assert y[40:].max() > classes.max()
    with pytest.raises(ValueError, match="row 59, column 2"):
        estimator.partial_fit(bad, y[40:])
    assert estimator.classes_ is classes
    assert np.array_equal(estimator.coef_, before)
    estimator.partial_fit(X[40:], y[40:])
    twin = rb.Mira(new_classes=True).partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    assert np.array_equal(estimator.coef_, twin.coef_)


@pytest.mark.parametrize(
    ("learner", "reason"),
    [(rb.VotedPerceptron(new_classes=True), "votes"), (rb.Perceptron(new_classes=True, keep_log=True), "keep_log")],
)
def test_a_log_has_no_room_for_them(learner, reason):
    X, y = stream(40, 0)
    with pytest.raises(rb.SettingError, match=reason):
        clone(learner).partial_fit(X, y)


def test_the_first_call_needs_two_classes_or_their_names():
    with pytest.raises(rb.LabelError, match="name two"):
        rb.Perceptron(new_classes=True).partial_fit([[1.0]], [3])
    estimator = rb.Perceptron(new_classes=True).partial_fit([[1.0]], [3], classes=[3, 4])
    assert estimator.partial_fit([[2.0]], [1]).classes_.tolist() == [3, 4, 1]
