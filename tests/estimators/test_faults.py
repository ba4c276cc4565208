"""Whatever fails, wherever it fails: an estimator is as it was before, or, interrupted, has what it has learned."""

import copy
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt
from rosenblatt import OneHot
from rosenblatt.learning.driver import Interrupted
from rosenblatt.learning.training import LinearRun

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
SOURCES = str(Path(rosenblatt.__file__).parent)

CLASSIFIERS = [
    rosenblatt.Perceptron(),
    rosenblatt.AveragedPerceptron(),
    rosenblatt.AveragedPerceptron(keep_log=True),
    rosenblatt.VotedPerceptron(),
    rosenblatt.Mira(early_stopping=True, validation_fraction=0.3),
    rosenblatt.PassiveAggressive(tol=1e-9),
    rosenblatt.Arow(),
    rosenblatt.Arow(multiclass="rest", tol=1e-9),
    rosenblatt.SoftPerceptron(l2=0.1),
    rosenblatt.WidrowHoff(),
    rosenblatt.PassiveAggressiveClassifier(),
    rosenblatt.KernelPerceptron(),
    rosenblatt.KernelPerceptron(kernel="linear", multi_class="ovr", score_with="voted"),
    rosenblatt.KernelPerceptron(budget=5),
]
REGRESSORS = [rosenblatt.WidrowHoffRegressor(), rosenblatt.PassiveAggressiveRegressor()]
ESTIMATORS = CLASSIFIERS + REGRESSORS
DOORS = ["first fit", "first partial_fit", "fit again", "partial_fit", "warm_start"]
FORMS = ["dense", "csr", "one-hot"]


class Stop(BaseException):
    """What nobody expects."""


def batch(rng, form, n, regression, d=40, m=5):
    """Rows of a few ones among many columns, as each form holds them."""
    columns = np.sort(np.stack([rng.permutation(d)[:m] for _ in range(n)]), axis=1).astype(np.int32)
    y = rng.normal(size=n) if regression else np.concatenate([np.arange(3), rng.integers(0, 3, n - 3)])
    if form == "one-hot":
        return OneHot(columns, d), y
    values = rng.normal(size=n * m)
    X = sp.csr_matrix((values, columns.ravel(), np.arange(0, n * m + 1, m, dtype=np.int32)), shape=(n, d))
    return X if form == "csr" else X.toarray(), y


class Case:
    """An estimator in front of a door, and what to hand in."""

    def __init__(self, estimator, door, form, rng):
        self.estimator, self.door = copy.deepcopy(estimator), door
        regression = estimator in REGRESSORS
        self.classes = {} if regression else {"classes": np.arange(3)}
        (X, y), self.rows = (batch(rng, form, n, regression) for n in (30, 35))
        self.seen = X
        self.estimator.set_params(random_state=0, max_iter=3)
        if door == "warm_start" and "warm_start" in self.estimator.get_params():
            self.estimator.set_params(warm_start=True)
        if not door.startswith("first"):
            streams = "early_stopping" not in self.estimator.get_params() or not self.estimator.early_stopping
            (self.estimator.partial_fit(X, y, **self.classes) if streams else self.estimator.fit(X, y))

    def enter(self, estimator):
        """Goes through the door."""
        if "partial_fit" in self.door:
            estimator.partial_fit(*self.rows, **self.classes)
        else:
            estimator.fit(*self.rows)

    def state(self, estimator):
        """All there is: every attribute itself, the numbers that learning moves in place, and what is predicted."""
        predictions = self.predictions(estimator)  # first: votes join what was logged
        attributes, numbers = dict(vars(estimator)), []
        if "training_" in attributes:
            weights = estimator.training_.weights
            assert weights.past is None
            moved = weights.__getstate__() | {"scores": None}  # but for the loop's scratch paper
            numbers = [np.array(value, dtype=float) for value in moved.values()]  # None is nan
        elif "dual_" in attributes:
            dual = estimator.dual_
            numbers = [np.array(part) for part in (dual.support, dual.coef, dual.t, dual.updates)]
        return attributes, numbers, predictions

    def predictions(self, estimator):
        if not hasattr(estimator, "n_iter_"):
            return None
        return (estimator.predict if self.classes == {} else estimator.decision_function)(self.seen)


def assert_same(before, after):
    """Of two states: the same attributes, not equal ones, and the same numbers."""
    assert before[0].keys() == after[0].keys()
    assert [name for name, value in before[0].items() if after[0][name] is not value] == []
    for mine, theirs in zip(before[1], after[1], strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(before[2], after[2])


def failing_at(step, error):
    """A tracer that raises at this line of the package, counted from 0; `lines[0]` is how many it has seen."""
    lines = [0]

    def on_line(frame, event, _):
        if event == "line":
            lines[0] += 1
            if lines[0] - 1 == step:
                raise error
        return on_line

    return lines, lambda frame, *_: on_line if frame.f_code.co_filename.startswith(SOURCES) else None


def traced(tracer, call, *arguments):
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        call(*arguments)
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("door", DOORS)
def test_a_fault_at_any_line_leaves_the_estimator_as_it_was(door, form):
    """In all 15 doors and forms together: 1,600 faults in the full run, 200 otherwise."""
    rng = np.random.default_rng([DOORS.index(door), FORMS.index(form)])
    cases = 0
    for estimator in ESTIMATORS:
        case = Case(estimator, door, form, rng)
        if "partial_fit" in door and getattr(case.estimator, "early_stopping", False):
            continue  # is refused
        lines, count = failing_at(-1, None)
        whole = copy.deepcopy(case.estimator)
        case.enter(whole)  # which imports what is imported late: those lines are none of these
        traced(count, case.enter, copy.deepcopy(case.estimator))
        for step in rng.integers(0, lines[0], 8 if FULL else 1).tolist():
            clf = copy.deepcopy(case.estimator)
            before = case.state(clf)
            error = [Stop(), MemoryError(), RuntimeError("of a callback")][cases % 3]
            with pytest.raises(type(error)):
                traced(failing_at(step, error)[1], case.enter, clf)
            assert_same(before, case.state(clf))
            case.enter(clf)
            np.testing.assert_array_equal(case.predictions(clf), case.predictions(whole))
            cases += 1
    assert cases >= (8 if FULL else 1) * 13


def spoilt(form, rows, how):
    """The rows with one thing wrong in the last of them."""
    X, y = copy.deepcopy(rows)
    if how == "label":
        y = y.astype(object)
        y[-1] = None
    elif how == "length":
        y = y[:-1]
    elif form == "one-hot":
        X.columns[-1, -1] = 40  # beyond the last column
    else:
        (X.data if form == "csr" else X)[-1, ...] = {"nan": np.nan, "infinity": np.inf}[how]
    return X, y


@pytest.mark.parametrize("how", ["nan", "infinity", "label", "length"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("door", DOORS)
def test_bad_rows_leave_the_estimator_as_it_was(door, form, how):
    rng = np.random.default_rng([DOORS.index(door), FORMS.index(form)])
    for estimator in ESTIMATORS:
        case = Case(estimator, door, form, rng)
        before = case.state(case.estimator)
        case.rows = spoilt(form, case.rows, how)
        with pytest.raises(ValueError, match=r"\w"):
            case.enter(case.estimator)
        assert_same(before, case.state(case.estimator))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("door", DOORS)
def test_ctrl_c_between_chunks_leaves_whole_chunks_learned_and_predicts(door, form, monkeypatch):
    """Chunks of ten examples; Ctrl-C comes after the second."""
    rng = np.random.default_rng(0)
    learn = LinearRun.learn

    def in_chunks(self, row_numbers, place, stop):
        if self.weights.t - self.begun == 20:
            raise KeyboardInterrupt
        return learn(self, row_numbers, place, min(stop, place + 10))

    monkeypatch.setattr(LinearRun, "learn", in_chunks)
    for estimator in ESTIMATORS:
        if isinstance(estimator, rosenblatt.KernelPerceptron) or estimator.early_stopping:
            continue
        monkeypatch.setattr(LinearRun, "begun", -1, raising=False)  # the first calls are not interrupted
        case = Case(estimator.set_params(), door, form, rng)
        clf = case.estimator
        goes_on = door in ("partial_fit", "warm_start")
        begun = clf.training_.weights.t if goes_on else 0
        monkeypatch.setattr(LinearRun, "begun", begun, raising=False)
        with pytest.raises(Interrupted):
            case.enter(clf)
        assert clf.training_.stopped_because == "interrupted"
        assert clf.training_.weights.t == begun + 20
        assert not clf.converged_
        assert clf.training_.weights.past is None
        assert np.isfinite(case.predictions(clf)).all()
        if clf._memories:
            assert np.array_equal(clf.memory_.replay().last[0], clf.training_.weights.last[0])
