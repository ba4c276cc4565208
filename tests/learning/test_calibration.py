"""Probabilities: the sigmoid and the steps against scikit-learn's, and what must hold whatever the scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.isotonic import IsotonicRegression

import rosenblatt
from rosenblatt.data import open_known
from rosenblatt.data.splits import split
from rosenblatt.errors import LabelError, SettingError
from rosenblatt.learning import calibration, model_file, threshold
from rosenblatt.learning.calibration import Calibration, Sigmoid, Steps, cross_fitted, fit_sigmoid, fit_steps
from rosenblatt.learning.plan import METRIC_NAMES

BITS = np.random.default_rng


@st.composite
def scored(draw):
    """Scores of two classes that overlap or not, with ties or not, in any unit."""
    n, bits = draw(st.integers(4, 80)), BITS(draw(st.integers(0, 2**32)))
    positive = bits.random(n) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    positive[:2] = True, False
    scores = bits.normal(size=n) + draw(st.sampled_from([-1.0, 0.0, 1.0, 10.0])) * positive
    if draw(st.booleans()):
        scores = scores.round()
    return scores * draw(st.sampled_from([1e-6, 1.0, 1e5])), positive


def platts_targets(positive):
    """Platt (1999), section 2.2: (N+ + 1)/(N+ + 2) and 1/(N- + 2)."""
    up, down = int(positive.sum()), int((~positive).sum())
    return np.array([(up + 1) / (up + 2) if one else 1 / (down + 2) for one in positive])


@given(scored())
def test_the_sigmoid_has_the_highest_likelihood(case):
    """scipy's own minimiser, on scores of unit size, finds no better one that does not fall."""
    scores, positive = case
    targets, size = platts_targets(positive), np.abs(scores).max() or 1.0

    def loss(parameters):
        z = parameters[0] * scores / size + parameters[1]
        return float(np.mean(np.logaddexp(0, z) - targets * z))

    best = minimize(loss, [0.0, 0.0], bounds=[(0, None), (None, None)], method="L-BFGS-B", options={"ftol": 1e-15})
    fitted = fit_sigmoid(scores, positive)
    assert fitted.slope >= 0
    assert loss([fitted.slope * size, fitted.offset]) <= best.fun + 1e-9


@given(scored())
def test_the_steps_are_scikit_learns_isotonic_regression(case):
    scores, positive = case
    peer = IsotonicRegression(out_of_bounds="clip").fit(scores, platts_targets(positive))
    anywhere = np.concatenate([scores, np.linspace(scores.min() - 1, scores.max() + 1, 50)])
    np.testing.assert_allclose(fit_steps(scores, positive)(anywhere), peer.predict(anywhere), atol=1e-12)


@given(scored(), st.sampled_from([fit_sigmoid, fit_steps]))
def test_a_probability_never_falls_and_is_never_certain_of_a_row_it_was_fitted_on(case, fit):
    scores, positive = case
    probability = fit(scores, positive)(np.sort(scores))
    assert (np.diff(probability) >= 0).all()
    assert (probability >= 0).all()
    assert (probability <= 1).all()


@given(st.integers(0, 2**32), st.integers(3, 6), st.sampled_from([(60, 0.0), (1200, 0.0), (2400, 0.2)]))
def test_many_classes_sum_to_one_and_the_file_holds_the_same_maps(seed, classes, case):
    """Few rows have sigmoids; many, where some labels are wrong whatever the score, mostly steps."""
    bits, (n, wrong) = BITS(seed), case
    codes = np.arange(n) % classes
    scores = bits.normal(size=(n, classes)) + (8 if wrong else 2) * np.eye(classes)[codes]
    codes = np.where(bits.random(n) < wrong, bits.permutation(codes), codes)
    fitted = Calibration.fit(scores, codes, np.arange(classes), "last", "rows")
    assert fitted.method == "sigmoid" or n >= calibration.ISOTONIC_ROWS
    new = 10 * bits.normal(size=(30, classes))
    probabilities = fitted.probabilities(new)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    again = Calibration.from_arrays(*fitted.to_arrays())
    assert again.probabilities(new).tolist() == probabilities.tolist()


@pytest.mark.parametrize("wrong", [0.0, 0.2])
def test_the_method_is_the_one_of_the_lower_log_loss_by_scikit_learn(wrong):
    from sklearn.metrics import log_loss

    bits = BITS(3)
    codes = np.arange(12_000) % 2
    scores = bits.normal(size=12_000) + (6 if wrong else 2) * (codes - 0.5)
    codes = np.where(bits.random(12_000) < wrong, 1 - codes, codes)
    known, new = slice(2000), slice(2000, None)
    losses = {
        name: log_loss(codes[new], fit(scores[known], codes[known] == 1)(scores[new]))
        for name, fit in (("sigmoid", fit_sigmoid), ("isotonic", fit_steps))
    }
    assert Calibration.fit(scores[known], codes[known], np.arange(2), "last", "rows").method == min(
        losses, key=losses.__getitem__
    )


def test_a_lead_is_over_the_best_other_also_in_a_tie():
    scores = np.array([[2.0, 2.0, 1.0], [0.0, 5.0, 3.0]])
    expected = [[s[k] - max(s[:k] + s[k + 1 :]) for k in range(3)] for s in scores.tolist()]
    assert calibration.lead_over_others(scores).tolist() == expected


def test_too_few_rows_of_a_class_are_refused():
    with pytest.raises(LabelError, match="at least 5 rows of every class, and of rare there is 1 row"):
        Calibration.fit(np.arange(20.0), np.array([1] + 19 * [0]), np.array(["common", "rare"]), "last", "held-out rows")


def test_cross_fitted_probabilities_do_not_know_their_own_row():
    """Labels are coins: steps seem to know more than chance about the rows that they were fitted on, and no others."""
    known, unknown = [], []
    for seed in range(10):
        bits = BITS(seed)
        scores, codes = bits.normal(size=1000), bits.integers(0, 2, 1000)
        for gathered, p in ((known, fit_steps(scores, codes == 1)(scores)), (unknown, cross_fitted(scores, codes)[:, 1])):
            gathered.append(np.log(np.where(codes == 1, p, 1 - p)).mean())
    assert np.mean(known) > -np.log(2) > np.mean(unknown)


# ---- thresholds ----


@given(scored(), st.floats(0.01, 0.99), st.sampled_from([fit_sigmoid, fit_steps]))
def test_the_least_score_is_where_the_probability_is_reached(case, wanted, fit):
    probability_of = fit(*case)
    cut = threshold.least_score(probability_of, wanted)
    everywhere = case[0]
    if abs(cut) < np.finfo(float).max:
        everywhere = np.concatenate([everywhere, [cut, np.nextafter(cut, -np.inf), np.nextafter(cut, np.inf)]])
    assert ((everywhere >= cut) == (probability_of(everywhere) >= wanted)).all()


@given(scored(), st.sampled_from(["f1", "cost:1,1", "cost:1,10", "cost:7,1"]))
def test_no_other_threshold_is_better(case, wanted):
    """Every threshold that tells rows apart is tried."""
    scores, positive = case
    probability = Sigmoid(1.0, 0.0)(scores / (np.abs(scores).max() or 1))

    def loss(limit):
        said = probability >= limit
        true, false, missed = (said & positive).sum(), (said & ~positive).sum(), (~said & positive).sum()
        if wanted == "f1":
            return -2 * true / (2 * true + false + missed)
        a, b = map(float, wanted[5:].split(","))
        return a * false + b * missed

    chosen = threshold.choose(wanted, positive.astype(int), probability)
    assert 0 <= chosen <= 1
    assert loss(chosen) <= min(map(loss, [*probability, 1.0])) + 1e-12


@pytest.mark.parametrize("wanted", [0, 1, 1.5, "f2", "cost:1", "cost:0,1", "cost:a,b", "cost:1,inf", "1,2"])
def test_what_is_no_threshold_is_refused(wanted):
    with pytest.raises(SettingError, match="threshold is"):
        rosenblatt.Recipe(threshold=wanted).rule()


# ---- models ----


@pytest.fixture(scope="module")
def parts():
    return split(open_known("breast-cancer"), 0.3)


@pytest.mark.parametrize(
    "learner", ["perceptron", "averaged", "voted", "mira", "passive-aggressive", "widrow-hoff", "kernel"]
)
@pytest.mark.parametrize("held_out", [True, False])
def test_every_learner_has_probabilities_and_the_weights_do_not_change(parts, learner, held_out, tmp_path):
    data, dev = parts
    plain = rosenblatt.learn(data, learner=learner)
    with pytest.raises(
        SettingError, match=r"--holdout SHARE or --dev FILE, or with --calibrate \(calibrate=True\); or run `rosenblatt cali"
    ):
        plain.predict_proba(dev.rows)
    model = rosenblatt.learn(data, learner=learner, dev=dev if held_out else None, calibrate=not held_out)
    assert model.scores(dev.rows).tolist() == plain.scores(dev.rows).tolist()
    probabilities = model.predict_proba(dev.rows)
    order = np.argsort(model.scores(dev.rows))
    assert (np.diff(probabilities[order, 1]) >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    model.save(tmp_path / "m.rosenblatt")
    loaded = rosenblatt.load(tmp_path / "m.rosenblatt")
    assert loaded.predict_proba(dev.rows).tolist() == probabilities.tolist()
    assert loaded.calibration.source == model.calibration.source


def test_a_threshold_decides_and_is_kept(parts, tmp_path):
    data, dev = parts
    model = rosenblatt.learn(data, dev=dev, threshold=0.9)
    expected = model.classes[(model.predict_proba(dev.rows)[:, 1] >= 0.9).astype(int)]
    assert model.predict(dev.rows).tolist() == expected.tolist() != rosenblatt.learn(data).predict(dev.rows).tolist()
    assert model.summary.dev_error["averaged"] == float(np.mean(expected != np.asarray(dev.labels)))
    model.save(tmp_path / "m.rosenblatt")
    assert rosenblatt.load(tmp_path / "m.rosenblatt").predict(dev.rows).tolist() == expected.tolist()
    assert model.predict(dev.rows, "last").tolist() == rosenblatt.learn(data).predict(dev.rows, "last").tolist()


def test_logistic_has_its_own_probabilities_unless_it_is_calibrated(parts):
    data, dev = parts
    model = rosenblatt.learn(data, learner="logistic", dev=dev)
    assert model.calibration is None
    scores = model.scores(dev.rows)
    np.testing.assert_allclose(model.predict_proba(dev.rows)[:, 1], 1 / (1 + np.exp(-scores)), atol=1e-12)
    assert rosenblatt.learn(data, learner="logistic", dev=dev, calibrate=True).calibration.rows == len(dev)
    assert rosenblatt.learn(data, learner="logistic", threshold=0.5).threshold.score == pytest.approx(0, abs=1e-15)


def test_a_threshold_needs_two_classes_probabilities_and_rows_to_be_chosen_on(parts):
    with pytest.raises(SettingError, match="of two classes, and the model has 3"):
        rosenblatt.learn(open_known("iris"), calibrate=True, threshold=0.5)
    with pytest.raises(SettingError, match="no probabilities"):
        rosenblatt.learn(parts[0], threshold=0.5)
    with pytest.raises(SettingError, match="chosen on rows that were not learned from"):
        rosenblatt.learn(parts[0], learner="logistic", threshold="f1")


def test_few_held_out_rows_of_a_class_give_a_note_and_no_probabilities():
    from rosenblatt.learning.learn import learn_from

    iris = open_known("iris")
    learned = learn_from(iris, rosenblatt.Recipe(), iris.slice(0, 52))
    assert learned.classifier.calibration is None
    assert "no probabilities" in learned.notes[0]
    assert "of virginica there are 0 rows among the held-out rows, and fewer than 5 of 1 other class" in learned.notes[0]


def test_last_weights_calibrated_out_of_fold_are_told_to_be_doubtful(parts):
    from rosenblatt.learning.learn import learn_from

    told = {
        (learner, average): learn_from(parts[0], rosenblatt.Recipe(learner=learner, average=average, calibrate=True)).notes
        for learner, average in (("mira", None), ("mira", True), ("averaged", None))
    }
    assert [bool(notes) for notes in told.values()] == [True, False, False]


def test_patience_watches_the_measure_that_is_named(parts):
    """The epoch that is kept is the first with the highest area, by scikit-learn, of all that were run."""
    from sklearn.metrics import roc_auc_score

    data, dev = parts
    truth = np.asarray(dev.labels) == "malignant"
    model = rosenblatt.learn(data, dev=dev, epochs=6, patience=6, metric="roc-auc", learner="perceptron", seed=6)
    runs = [rosenblatt.learn(data, epochs=epochs, learner="perceptron", seed=6) for epochs in range(1, 7)]
    areas = [roc_auc_score(truth, run.scores(dev.rows)) for run in runs]
    best = int(np.argmax(areas))
    assert model.scores(dev.rows, "best").tolist() == runs[best].scores(dev.rows).tolist()
    errors = [np.mean(run.predict(dev.rows) != np.asarray(dev.labels)) for run in runs]
    assert best != np.argmin(errors)  # else the test could not tell the two measures apart


def test_the_measures_of_the_plan_are_those_that_there_are():
    from rosenblatt.learning.measures import METRICS

    assert tuple(METRICS) == METRIC_NAMES


@pytest.mark.parametrize("metric", METRIC_NAMES)
@pytest.mark.parametrize("name", ["iris", "breast-cancer"])
def test_every_measure_can_be_watched(metric, name):
    data, dev = split(open_known(name), 0.4)
    model = rosenblatt.learn(data, dev=dev, epochs=3, patience=1, metric=metric)
    assert model.view == "best"


def test_steps_between_knots_are_straight():
    assert Steps(np.array([0.0, 1.0]), np.array([0.2, 0.6]))(np.array([-9, 0.5, 9])).tolist() == pytest.approx(
        [0.2, 0.4, 0.6]
    )


def calibrated_file(path, n):
    """A model file of three classes with this many rows: sigmoids, or steps, as some labels are wrong wherever a row is."""
    bits = BITS(0)
    y = np.arange(n) % 3
    fitted = rosenblatt.AveragedPerceptron(random_state=0, max_iter=2, calibrate=True)
    wrong = (bits.random(n) < 0.2) & (n > calibration.ISOTONIC_ROWS)
    fitted.fit(bits.normal(size=(n, 3)) + (8 if wrong.any() else 1) * np.eye(3)[y], np.where(wrong, (y + 1) % 3, y)).save(
        path
    )
    return model_file.read(path)


FORGERIES = {
    "a sigmoid that falls": (60, "slopes", lambda a: -a, "slope"),
    "a sigmoid too few": (60, "offsets", lambda a: a[1:], "shape"),
    "an offset that is no number": (60, "offsets", lambda a: a * np.nan, "not finite"),
    "steps that fall": (1200, "values", lambda a: a[::-1].copy(), "do not rise"),
    "knots that fall": (1200, "knots", lambda a: a[::-1].copy(), "do not rise"),
    "more than certain": (1200, "values", lambda a: a + 1, "belong together"),
    "an end beyond": (1200, "ends", lambda a: a + 1, "belong together"),
    "an end that comes again": (1200, "ends", lambda a: np.array([a[0], a[0], a[2]]), "belong together"),
    "knots without values": (1200, "values", lambda a: a[1:], "shape"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_file_whose_probabilities_cannot_be_is_refused(name, tmp_path):
    n, array, change, because = FORGERIES[name]
    header, arrays = calibrated_file(tmp_path / "m", n)
    rosenblatt.load(tmp_path / "m")
    arrays[f"calibration.{array}"] = change(arrays[f"calibration.{array}"])
    model_file.write(tmp_path / "m", header, arrays)
    with pytest.raises(rosenblatt.ModelFileError, match=because):
        rosenblatt.load(tmp_path / "m")


@pytest.mark.parametrize(
    "part",
    [
        {"threshold": {"probability": 0.5, "score": 0.0, "chosen": "given", "view": "averaged"}},  # of three classes
        {"calibration": {"method": "magic", "view": "averaged", "rows": 9, "source": "rows"}},
        {"calibration": {"method": "isotonic", "view": "averaged", "rows": 9, "source": "rows"}},  # there are none
        {"calibration": {"method": "sigmoid", "view": "none", "rows": 9, "source": "rows"}},
    ],
)
def test_a_header_whose_probabilities_cannot_be_is_refused(part, tmp_path):
    header, arrays = calibrated_file(tmp_path / "m", 60)
    model_file.write(tmp_path / "m", header | part, arrays)
    with pytest.raises(rosenblatt.ModelFileError, match="holds no classifier"):
        rosenblatt.load(tmp_path / "m")
