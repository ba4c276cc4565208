"""The displays draw what they say: titles, labels, legends, and the numbers behind them."""

import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import scale

matplotlib.use("agg")
from matplotlib import pyplot as plt

from rosenblatt import AveragedPerceptron, DataError, Mira, Perceptron, PolynomialBasis, SettingError
from rosenblatt.estimators.neighbours import LogisticAscent, MaxMargin, RidgeRegressor, descend
from rosenblatt.learning.history import Epoch, History
from rosenblatt.show.plots import (
    BoundaryDisplay,
    CurveDisplay,
    DescentDisplay,
    HistoryDisplay,
    LossDisplay,
    MarginDisplay,
    PathDisplay,
    WeightsDisplay,
)
from rosenblatt.studies.curves import complexity_curve, lambda_curve, learning_curve
from rosenblatt.theory.losses import LOSSES


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def two():
    X, y = load_iris(return_X_y=True)
    return X[:100, :2], np.array(["setosa", "versicolor"])[y[:100]]


@pytest.fixture(scope="module")
def three():
    X, y = load_iris(return_X_y=True)
    return X[:, 2:], y


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X, scale(X), y


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def complete(display):
    """Is everything there that a reader needs, and does it come out as a picture?"""
    ax = display.ax_
    assert ax.get_title()
    assert ax.get_xlabel()
    assert ax.get_ylabel() or isinstance(display, WeightsDisplay)  # whose bars are named
    assert ax.get_legend() is not None
    assert display.figure_ is ax.figure
    display.figure_.canvas.draw()
    return display


def test_a_boundary_shows_the_street_as_wide_as_the_nearest_row_leaves_it(two):
    clf = MaxMargin().fit(*two)
    drawn = complete(BoundaryDisplay.from_estimator(clf, *two))
    assert drawn.band == pytest.approx(1, abs=1e-6)  # a maximum-margin plane has its nearest rows at score ±1
    assert legend(drawn) == ["boundary", "|score| = 1", "setosa", "versicolor"]
    # The line at 0 separates the grid as predict does.
    grid = np.stack(np.meshgrid(drawn.across, drawn.up), axis=-1).reshape(-1, 2)
    np.testing.assert_array_equal(drawn.scores.ravel() >= 0, clf.predict(grid) == "versicolor")


def test_a_boundary_of_many_classes_shows_who_wins_where(three):
    drawn = complete(BoundaryDisplay.from_estimator(AveragedPerceptron(random_state=0).fit(*three), *three))
    assert drawn.scores.shape[2] == 3
    assert legend(drawn) == ["0", "1", "2"]


def test_a_curved_boundary_of_a_pipeline_and_any_response_can_be_drawn(two):
    clf = make_pipeline(PolynomialBasis(), LogisticAscent(l2=10.0)).fit(scale(two[0]), two[1])
    assert complete(BoundaryDisplay.from_estimator(clf, scale(two[0]), two[1])).what == "score"
    shares = complete(BoundaryDisplay.from_estimator(clf, scale(two[0]), two[1], response="predict_proba"))
    assert shares.what == "predict proba"
    assert np.abs(shares.scores).max() <= 0.5
    assert set(np.unique(BoundaryDisplay.from_estimator(clf, scale(two[0]), response="predict").scores)) == {-1.0, 1.0}

    def votes(X):
        return clf.decision_function(X)

    assert BoundaryDisplay.from_estimator(clf, scale(two[0]), response=votes).what == "votes"


def test_a_boundary_needs_two_features_and_a_response(two, cancer):
    with pytest.raises(DataError, match="two features"):
        BoundaryDisplay.from_estimator(Perceptron().fit(cancer[1], cancer[2]), cancer[1])
    with pytest.raises(SettingError, match="Perceptron has no predict_proba"):
        BoundaryDisplay.from_estimator(Perceptron().fit(*two), two[0], response="predict_proba")


@pytest.mark.parametrize("display", [BoundaryDisplay, MarginDisplay, PathDisplay, WeightsDisplay])
def test_an_estimator_that_was_never_fitted_is_told_as_such(display, two):
    with pytest.raises(SettingError, match="Perceptron has not been fitted"):
        display.from_estimator(Perceptron(), *two)


def test_the_losses_are_drawn_as_they_are_computed():
    drawn = complete(LossDisplay().plot())
    assert legend(drawn) == list(LOSSES)
    for line in drawn.ax_.get_lines():
        if line.get_label() in LOSSES:
            x, y = line.get_xdata(), line.get_ydata()
            seen = ~np.isnan(y)
            np.testing.assert_allclose(y[seen], LOSSES[line.get_label()](x[seen]))
    step = next(line for line in drawn.ax_.get_lines() if line.get_label() == "0/1")
    assert np.isnan(step.get_ydata()).sum() == 1  # not joined where it jumps
    with pytest.raises(SettingError, match="no loss 'huber'"):
        LossDisplay(losses=["huber"]).plot()


def test_curves_mark_the_least_held_out_error_and_the_side_of_overfitting():
    x = np.linspace(0, 1, 40)[:, None]
    y = np.sin(6 * x[:, 0]) + 0.3 * np.random.default_rng(0).normal(size=40)

    def polynomial(degree, l2=0.0):
        return make_pipeline(PolynomialBasis(degree=degree), RidgeRegressor(l2=l2))

    by_degree = complexity_curve(polynomial, range(1, 9), x, y, seeds=3)
    drawn = complete(CurveDisplay.from_curve(by_degree))
    assert legend(drawn) == ["training", "held out", f"least held-out error: {by_degree.best:g}", "overfitting"]
    assert drawn.overfitting == "right"
    by_lambda = lambda_curve(lambda l2: polynomial(9, l2), [1e-6, 1e-3, 1.0], x, y, seeds=3)
    drawn = complete(CurveDisplay.from_curve(by_lambda))
    assert drawn.overfitting == "left"
    assert drawn.ax_.get_xscale() == "log"
    drawn = complete(CurveDisplay.from_curve(learning_curve(polynomial(2), [5, 10, 20], x, y, seeds=3)))
    assert legend(drawn) == ["training", "held out"]
    assert drawn.ax_.get_title() == "Learning curve"


def test_a_line_of_a_curve_is_the_mean_over_splits():
    drawn = complete(
        CurveDisplay(np.array([1, 2]), np.array([[0.1, 0.0], [0.3, 0.2]]), np.array([[0.5, 0.4], [0.5, 0.6]])).plot()
    )
    np.testing.assert_allclose([line.get_ydata() for line in drawn.ax_.get_lines()], [[0.2, 0.1], [0.5, 0.5]])


def test_the_history_is_drawn_with_held_out_errors_where_there_are_any(cancer):
    clf = AveragedPerceptron(early_stopping=True, random_state=0).fit(cancer[1], cancer[2])
    drawn = complete(HistoryDisplay.from_history(clf.history_))
    assert legend(drawn) == ["mistakes in training", "held out, last weights", "held out, averaged"]
    np.testing.assert_allclose(drawn.ax_.get_lines()[0].get_ydata(), clf.history_["mistakes"] / clf.history_["examples"])
    assert legend(HistoryDisplay.from_estimator(Perceptron().fit(cancer[1], cancer[2]))) == ["mistakes in training"]


@pytest.mark.parametrize("mistakes", [[50, 49, 48], [50, 1, 1], [7], [0]])
def test_the_markers_of_a_history_are_whole(mistakes):
    history = History([Epoch(50, count, count, 1.0, None, None, None) for count in mistakes])
    drawn = complete(HistoryDisplay.from_history(history))
    (line,) = drawn.ax_.get_lines()
    half = line.get_markersize() / 2 * drawn.ax_.figure.dpi / 72
    places = drawn.ax_.transData.transform(line.get_xydata())[:, 1]
    assert places.max() + half <= drawn.ax_.bbox.y1


def test_margins_are_distances_and_wrong_rows_lie_left_of_zero(cancer, three):
    _, X, y = cancer
    clf = Mira(random_state=0).fit(X, y)
    drawn = complete(MarginDisplay.from_estimator(clf, X, y))
    wrong = int((clf.predict(X) != y).sum())
    assert legend(drawn)[:2] == [f"right: {569 - wrong}", f"wrong: {wrong}"]
    # From the boundary's nearest point to the row, and back along w.
    i = 7
    distance = drawn.margins[i] * (1 if y[i] == 1 else -1)
    nearest = X[i] - distance * clf.coef_[0] / np.linalg.norm(clf.coef_)
    assert clf.decision_function([nearest])[0] == pytest.approx(0, abs=1e-9)
    clf = AveragedPerceptron(random_state=0).fit(*three)
    many = complete(MarginDisplay.from_estimator(clf, *three, by="w and b"))
    np.testing.assert_array_equal(many.margins > 0, clf.predict(three[0]) == three[1])
    assert "|(w, b)|" in many.ax_.get_xlabel()


def test_the_margin_of_a_maximum_margin_plane_is_one_over_w(two):
    clf = MaxMargin().fit(*two)
    assert MarginDisplay.from_estimator(clf, *two).margins.min() == pytest.approx(1 / np.linalg.norm(clf.coef_), rel=1e-6)


def test_weights_come_largest_first_and_say_for_which_class(cancer):
    _, X, y = cancer
    clf = Perceptron(random_state=0).fit(X, y)
    names = load_breast_cancer().feature_names
    drawn = complete(WeightsDisplay.from_estimator(clf, X=X, names=names, top=5))
    assert drawn.names[0] == names[np.abs(clf.coef_[0]).argmax()]
    assert (np.diff(np.abs(drawn.weights)) <= 0).all()
    assert drawn.warning is None
    other = WeightsDisplay.from_estimator(clf, label=0, top=5)
    np.testing.assert_array_equal(other.weights, -drawn.weights)
    with pytest.raises(SettingError, match="no class 'x'"):
        WeightsDisplay.from_estimator(clf, label="x")


def test_weights_of_features_that_differ_in_scale_come_with_a_warning(cancer):
    # B5: (w, b) and (2w, 2b) classify alike, and a large weight matters only if features have similar size.
    X, _, y = cancer
    clf = Perceptron(random_state=0).fit(X, y)
    drawn = WeightsDisplay.from_estimator(clf, X=X, top=5)
    assert "sizes of weights cannot be compared" in drawn.warning
    assert "cannot be compared" in drawn.ax_.get_xlabel().replace("\n", " ")
    twice = 2 * X @ clf.coef_[0] + 2 * clf.intercept_[0]
    np.testing.assert_array_equal(twice >= 0, clf.predict(X) == 1)


def test_the_path_ends_at_the_weights_of_the_fit(two):
    X, y = scale(two[0]), two[1]
    clf = Perceptron(keep_log=True, random_state=0).fit(X, y)
    drawn = complete(PathDisplay.from_estimator(clf, X, y))
    np.testing.assert_allclose(drawn.path[-1], clf.coef_[0], atol=1e-12)
    assert len(drawn.path) == clf.n_updates_ + 1
    with pytest.raises(SettingError, match="keep_log=True"):
        PathDisplay.from_estimator(Perceptron().fit(X, y), X, y)
    assert complete(PathDisplay.from_path([[0, 0], [1, 2]])).path.shape == (2, 2)
    with pytest.raises(SettingError, match="two numbers a point"):
        PathDisplay.from_path([[0, 0, 0]])


@pytest.mark.parametrize("eta", [0.2, 0.9])
def test_a_descent_is_drawn_over_its_hills(eta):
    walked = descend(
        lambda t: 0.5 * (t[0] ** 2 - t[1]) ** 2 + 0.5 * (t[0] - 1) ** 2,
        lambda t: np.array([2 * (t[0] ** 2 - t[1]) * t[0] + t[0] - 1, t[1] - t[0] ** 2]),
        [0.0, 0.0],
        eta,
        steps=50,
    )
    ax = DescentDisplay(walked).plot().ax_
    assert f"η = {eta:g}" in ax.get_title()
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == ("end" if eta == 0.2 else "flies off")
    ax.figure.canvas.draw()


def test_axes_that_are_given_are_drawn_on(two):
    _, ax = plt.subplots()
    assert LossDisplay().plot(ax).ax_ is ax
    assert DescentDisplay(descend(lambda x: float(x @ x), lambda x: 2 * x, [1.0, 2.0, 3.0], 0.1)).plot(ax).ax_ is ax


def test_without_matplotlib_the_extra_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from rosenblatt.errors import SettingError\n"
        "from rosenblatt.show.plots import LossDisplay\n"
        "try:\n    LossDisplay().plot()\nexcept SettingError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'rosenblatt[show]'" in done.stdout
