"""What a run proves of the best margin, and what is as_dict of it after every run."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from separable_sets import with_planted_contradiction, with_planted_margin

import rosenblatt
from rosenblatt import Recipe, certify
from rosenblatt.data import open_known
from rosenblatt.engine import rules
from rosenblatt.engine.rows import Rows
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.learn import learn_from
from rosenblatt.learning.learners import LEARNERS
from rosenblatt.learning.plan import ORDERS, Plan
from rosenblatt.learning.training import run
from rosenblatt.theory.bounds import ProblemGeometry, bound_for
from rosenblatt.theory.duality import best_margin_at_most, sum_of_signed
from rosenblatt.theory.margin_report import SHARE, FinishedRun, margin_report, measure_margin
from rosenblatt.theory.separability import certify_within
from rosenblatt.theory.signed import SignedExamples
from rosenblatt.theory.walk import walk

ADDING = {  # θ is a sum of signed rows, each with a weight above 0
    "perceptron": rules.Perceptron(),
    "rate 0.3": rules.Perceptron(rate=0.3),
    "1/updates": rules.Perceptron(schedule="1/updates"),
    "1/examples": rules.Perceptron(schedule="1/examples"),
    "mira": rules.Mira(),
    "p = 0.9": rules.Mira(p=0.9),
    "PA-I": rules.PassiveAggressive(C=0.1),
    "PA-II": rules.PassiveAggressive(C=0.3, variant="II"),
}
OTHERS = {
    "logistic": rules.Logistic(),
    "logistic with L2": rules.Logistic(l2=0.1),
    "widrow-hoff": rules.WidrowHoff(),
}
RULES = ADDING | OTHERS


def ran(examples, rule, **plan):
    return FinishedRun(run(examples, rule, Plan(**plan)), examples, rule)


def signed_rows(examples, bias):
    """Every z of Kesler's construction as a dense row, written without the package."""
    X = np.asarray(examples.rows.values, dtype=float)
    X = np.column_stack([X, np.ones(len(X))]) if bias else X
    if examples.vectors == 1:
        return np.where(examples.codes == 1, 1, -1)[:, None] * X
    k, report = examples.vectors, []
    for x, code in zip(X, examples.codes, strict=True):
        for rival in set(range(k)) - {int(code)}:
            z = np.zeros((k, len(x)))
            z[code], z[rival] = x, -x
            report.append(z.ravel())
    return np.array(report)


def theta(trained, view="last"):
    model = trained.view(view)
    parts = np.column_stack([model.coef, model.intercept]) if trained.weights.fit_intercept else model.coef
    return parts.ravel()


@pytest.mark.parametrize("name", RULES)
@given(data=st.data(), order=st.sampled_from(ORDERS), epochs=st.integers(1, 6), weighted=st.booleans())
def test_a_run_on_separable_rows_holds_the_best_margin_between_two_numbers(name, data, order, epochs, weighted):
    classes = data.draw(st.sampled_from([2, 3]))
    planted = data.draw(with_planted_margin(classes).filter(lambda planted: len(set(planted.y.tolist())) == classes))
    importance = np.linspace(0.5, 2, len(planted.y)) if weighted else None
    examples = for_classes(planted.X, planted.y, importance=importance)
    finished = ran(examples, RULES[name], order=order, epochs=epochs, fit_intercept=planted.bias)
    chosen = data.draw(st.sampled_from(["last", "averaged"]))
    whole = margin_report(finished, (chosen, finished.trained.view(chosen)))
    best = certify(planted.X, planted.y, planted.bias)  # by clarabel, its margin evaluated in fractions where it must be
    assert best.separable
    assert whole.most >= best.margin * (1 - 1e-12)
    if whole.least is not None:
        assert whole.least <= best.margin_at_most * (1 + 1e-12)
        assert whole.share[0] <= whole.share[1] <= 1 + 1e-9
    # The same with the certificate: a number, or an interval around it where the solver left one.
    whole = whole.against(best)
    if whole.best is not None and best.optimal:
        assert whole.best == pytest.approx(best.margin, rel=1e-5)
        if not whole.wrong:
            assert whole.share[0] == pytest.approx(whole.margin / best.margin, rel=1e-5)


@pytest.mark.parametrize("name", RULES)
@given(planted=with_planted_contradiction(), epochs=st.integers(1, 4))
def test_after_a_run_on_inseparable_rows_the_sentence_says_that_there_is_no_best_margin(name, planted, epochs):
    examples = for_classes(planted.X, planted.y)
    finished = ran(examples, RULES[name], epochs=epochs, fit_intercept=planted.bias)
    alone = margin_report(finished)
    assert alone.separable is not True  # without a certificate the same rows are never called separable
    assert alone.separable is False or "whether a line separates the rows is undecided" in alone.sentence()
    report = alone.against(certify(planted.X, planted.y, planted.bias))
    assert report.separable is False
    assert report.margin <= 0 < report.wrong
    assert report.share is report.best is report.best_at_most is None
    assert not report.bound
    assert "there is no γ*. No line can separate these rows: " in report.sentence()
    as_dict = report.to_dict()
    assert as_dict["separated"] is as_dict["separable"] is False


@pytest.mark.parametrize("name", ADDING)
@given(data=st.data(), epochs=st.integers(1, 4))
def test_the_log_is_a_combination_of_signed_rows_and_its_length_bounds_the_margin(name, data, epochs):
    classes = data.draw(st.sampled_from([2, 3]))
    planted = data.draw(
        with_planted_margin(classes, scales=(1.0,)).filter(lambda planted: len(set(planted.y.tolist())) == classes)
    )
    examples = for_classes(planted.X, planted.y)
    finished = ran(examples, ADDING[name], epochs=epochs, fit_intercept=planted.bias, keep_log=True)
    log, Z = finished.trained.log, signed_rows(examples, planted.bias)
    if not len(log):  # rows of zeros, without bias
        return
    place = log.row if classes == 2 else [
        int(i) * (classes - 1) + sorted(set(range(classes)) - {int(planted.y[i])}).index(int(rival))
        for i, rival in zip(log.row, log.rival, strict=True)
    ]  # fmt: skip
    np.testing.assert_allclose(log.tau @ Z[place], theta(finished.trained), atol=1e-9 * np.abs(Z).max())
    assert finished.is_combination
    assert finished.trained.steps.total == pytest.approx(log.tau.sum())
    most = best_margin_at_most(finished, SignedExamples(examples, planted.bias))
    assert most == pytest.approx(np.linalg.norm(theta(finished.trained)) / log.tau.sum(), rel=1e-9)


@given(planted=with_planted_margin(3).filter(lambda planted: len(set(planted.y.tolist())) == 3), sparse=st.booleans())
def test_where_a_run_is_no_combination_the_mean_of_the_signed_rows_is_taken(planted, sparse):
    from scipy.sparse import csr_array

    examples = for_classes(planted.X, planted.y)
    Z = signed_rows(examples, planted.bias)
    if sparse:
        examples.rows = Rows(csr_array(planted.X))
    signed = SignedExamples(examples, planted.bias)
    np.testing.assert_allclose(sum_of_signed(signed).ravel(), Z.sum(axis=0), atol=1e-12 * np.abs(Z).sum())
    for rule in OTHERS.values():  # softmax moves every class, and leaves no log
        finished = ran(examples, rule, epochs=1, fit_intercept=planted.bias)
        assert not finished.is_combination
        most = best_margin_at_most(finished, signed)
        assert most == pytest.approx(min(np.linalg.norm(Z.mean(axis=0)), np.linalg.norm(Z, axis=1).max()), rel=1e-6)


def test_widrow_hoff_takes_rows_back_and_then_its_run_proves_nothing():
    examples = for_classes([[3.0], [1.0], [-1.0]], [1, 1, 0])
    finished = ran(examples, rules.WidrowHoff(rate=0.2), epochs=5, order="given")
    assert finished.trained.steps.least < 0
    most = best_margin_at_most(finished, SignedExamples(examples))
    assert most == pytest.approx(np.hypot(5, 1) / 3)  # z = (3, 1), (1, 1), (1, −1)
    # Two classes of logistic regression only add: σ(−margin) is above 0.
    finished = ran(examples, rules.Logistic(), epochs=5, order="given")
    assert finished.is_combination
    assert not replace(finished, rule=rules.Logistic(l2=0.1)).is_combination


@given(
    planted=with_planted_margin(scales=(1.0,)).filter(lambda planted: len(set(planted.y.tolist())) == 2),
    seed=st.integers(0, 99),
)
def test_from_other_weights_the_bound_is_about_what_was_added(planted, seed):
    start = np.random.default_rng(seed).normal(size=planted.X.shape[1])
    run_ = walk(planted.X, planted.y, start=start, start_bias=0.5 * planted.bias, fit_intercept=planted.bias, epochs=3)
    report = margin_report(FinishedRun.of(run_.training))
    assert report.most >= certify(planted.X, planted.y, planted.bias).margin * (1 - 1e-12)
    assert not report.bound  # the weights do not start at 0


def test_a_first_bias_that_does_not_learn_is_measured_in_the_space_that_has_one():
    points, signs = [[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1, -1, -1, -1]
    run_ = walk(points, signs, start_bias=-1.0, fit_intercept=False, order="given")
    report = margin_report(FinishedRun.of(run_.training)).against(certify(points, signs))
    assert report.radius == pytest.approx(np.sqrt(3))  # with the constant feature
    assert report.best == pytest.approx(certify(points, signs).margin)
    assert report.most >= report.best  # the run moves only w: it is no combination there


def test_rows_of_weight_0_are_not_there():
    X, y = [[2.0], [1.0], [-1.0], [-2.0]], [1, 0, 0, 1]  # without the last, separable
    examples = for_classes(X, y, importance=[1, 1, 1, 0])
    finished = ran(examples, rules.Perceptron(), epochs=100)
    report = margin_report(finished)
    assert report.rows == 3
    assert not report.wrong
    best = certify(X[:3], y[:3])
    assert report.least <= best.margin_at_most
    assert best.margin <= report.most


def test_weights_that_stay_0_have_margin_0():
    signed = SignedExamples(for_classes([[1.0], [2.0]], [0, 1]))
    report = measure_margin("last", rosenblatt.Model(np.arange(2), np.zeros((1, 1)), np.zeros(1)), signed)
    assert (report.margin, report.wrong) == (0, 2)
    assert "2 of 2 rows are not on the right side" in report.sentence()


def report_after(data, recipe, dev=None):
    """What `rosenblatt train` asks after a run: (the classifier, its margin report)."""
    learned = learn_from(data, recipe, dev)
    model = learned.classifier
    view = model.linear_view()
    finished = FinishedRun(learned.training, learned.examples, recipe.rule())
    return model, margin_report(finished, (view, model.linear(view)))


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("many", [False, True])
def test_after_every_run_the_margin_is_that_of_the_weights_that_predict(learner, many):
    iris = open_known("iris")
    data = iris if many else iris.take(np.flatnonzero(np.asarray(iris.labels) != "virginica"))
    model, alone = report_after(data, Recipe(learner, epochs=3))
    assert alone.view == ("averaged" if learner in ("averaged", "voted", "logistic") else "last")
    examples = model.examples(data)[0]
    Z = signed_rows(examples, True)
    coef, intercept = model.views[alone.view]
    margins = Z @ np.column_stack([coef, intercept]).ravel() / np.sqrt((coef**2).sum() + intercept @ intercept)
    assert alone.margin == pytest.approx(margins.min(), rel=1e-9)
    assert alone.wrong == (margins.reshape(len(data), -1).min(axis=1) <= 0).sum()
    best = certify(examples.rows, examples.codes)
    assert alone.certificate is None  # three epochs pay for none
    if alone.separable:
        assert alone.best_at_least <= best.margin <= alone.best_at_most
        low, high = map(float, re.search(r"; (\S+) % to (\S+) % of the best", alone.sentence()).groups())
        assert low <= 100 * alone.margin / best.margin <= high
    else:
        assert "undecided" in alone.sentence()
    whole = alone.against(best)
    assert whole.separable is best.separable is not many  # versicolor and virginica overlap
    if not many:
        assert whole.to_dict()["share"] == pytest.approx(whole.margin / best.margin, rel=1e-5)


def test_where_the_best_epoch_is_kept_its_margin_is_told():
    data, dev = rosenblatt.split(open_known("iris"), 0.3)
    model, report = report_after(data, Recipe("perceptron", patience=1), dev)
    assert model.view == report.view == "best"
    assert "rows are not on the right side of the weights of the best epoch; " in report.sentence()
    margins = signed_rows(model.examples(data)[0], True) @ np.column_stack(model.views["best"]).ravel()
    assert report.wrong == (margins.reshape(len(data), 2).min(axis=1) <= 0).sum()


def test_the_last_weights_may_know_of_a_better_margin_than_those_that_predict():
    points, signs = [[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1, -1, -1, -1]
    examples = for_classes(points, signs)
    finished = ran(examples, rules.Perceptron(), order="given")
    report = margin_report(finished, ("averaged", finished.trained.view("averaged")))
    last = margin_report(finished)
    assert report.margin < last.margin == report.best_at_least
    assert report.share[1] == pytest.approx(report.margin / last.margin)


@pytest.mark.parametrize("pairs", [[], [(0, 1)]])
def test_a_certificate_is_bought_with_counted_multiplications(pairs):
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.arange(40) % 2
    for i, j in pairs:
        X[j] = X[i]
    signed = SignedExamples(for_classes(X, y))
    assert certify_within(signed, 2 * X.size - 1) is None
    compared = certify_within(signed, 2 * X.size)  # enough to compare the rows, not for a solver
    assert (compared is None) == (not pairs)
    if pairs:
        assert compared.conflicts == pairs
        assert compared.check()
    assert certify_within(signed, 1e6).separable is False


@given(epochs=st.integers(1, 400), seed=st.integers(0, 99))
def test_no_more_than_a_fiftieth_of_the_multiplications_of_training_goes_into_a_certificate(epochs, seed):
    X = np.random.default_rng(seed).normal(size=(8, 2))
    y = np.arange(8) % 2
    examples = for_classes(X, y)
    finished = ran(examples, rules.Perceptron(), epochs=epochs)
    assert finished.multiplications(SignedExamples(examples)) == finished.trained.weights.t * 2
    report = margin_report(finished)
    if finished.trained.weights.t * 2 * SHARE < 3 * X.size:  # one for R, two for comparing the rows
        assert report.certificate is None
    # The same words whenever it is asked, on a busy machine or an idle one: nothing but counted work decides.
    assert margin_report(finished).sentence() == report.sentence()


def test_a_bound_is_never_told_smaller_than_it_is():
    # z = (1, 1, 0, 1) and −(−1, 0, 1, 1): R² = 3, γ*² = 3/2, and floats make of R²/γ*² a little less than 2.
    X, y = [[1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]], [1, 0]
    certificate = certify(X, y)
    assert certificate.bound == 2
    assert certificate.sentence().endswith("a perceptron makes at most 2 updates")
    examples = for_classes(X, y)
    finished = ran(examples, rules.Perceptron())
    assert finished.trained.weights.updates == 2
    report = margin_report(finished).against(certificate)
    assert report.bound.most == 2
    assert str(report.bound).startswith("at most R²/γ² = 2 updates")


@given(numerator=st.integers(1, 10**6), denominator=st.integers(1, 1000), scale=st.floats(1e-3, 1e3))
def test_the_told_bound_is_the_whole_part_of_the_exact_one(numerator, denominator, scale):
    # R² = numerator, γ² = denominator in other units: Fraction(R²/γ²) is the witness.
    exact = Fraction(numerator, denominator)
    space = ProblemGeometry(radius=scale * math.sqrt(numerator), margin=scale * math.sqrt(denominator))
    bound = bound_for(rules.Perceptron(), space)
    assert math.floor(bound.most) >= math.floor(exact)
    assert bound.most <= float(exact) * (1 + 1e-8)
    as_dict = re.search(r"= (\S+) (updates?) ", str(bound))
    assert float(as_dict[1]) >= bound.most * (1 - 1e-9)
    assert (as_dict[2] == "update") == (bound.most == 1)


def test_one_update_is_not_one_updates():
    assert certify([[1.0], [-1.0]], [1, 0], fit_intercept=False).sentence().endswith("makes at most 1 update")
