"""In a notebook models and histories show themselves, and names stay text."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from pages import assert_alone

from rosenblatt import certify, train, walk
from rosenblatt.data import Dataset, open_known
from rosenblatt.data.markup import shown
from rosenblatt.estimators.neighbours import descend
from rosenblatt.lab.finding import Finding
from rosenblatt.learning.learn import learn
from rosenblatt.learning.learners import Recipe
from rosenblatt.show.plots import HistoryDisplay
from rosenblatt.theory.margin_report import FinishedRun, margin_report

X = np.random.default_rng(0).normal(size=(30, 2))


@given(st.lists(st.text(), min_size=3, max_size=3, unique=True))
def test_a_classifier_shows_its_target_and_classes_as_text(names):
    labels = pl.Series(names[0], [names[1 + (x > 0)] for x in X[:, 0]])
    model = learn(Dataset("table", pl.DataFrame({"x": X[:, 0]}), labels, "made"), Recipe(epochs=1))
    page = assert_alone(model._repr_html_())
    assert shown(names[0]) in page.texts("td")
    assert shown(", ".join(sorted(names[1:]))) in page.texts("td")


def test_a_history_shows_every_epoch_with_its_numbers():
    iris = open_known("iris")
    model = learn(iris, Recipe(epochs=4), dev=iris)
    page = assert_alone(model.history._repr_html_())
    assert len(page.texts("tr")) == 1 + 4
    assert "moved" not in page.texts("th")
    for epoch in model.history:
        assert f"{epoch.mistakes:,}" in page.texts("td")
        assert f"{epoch.held_out_averaged:.6g}" in page.texts("td")


def test_a_certificate_shows_its_sentence_as_text():
    found = certify([[0, 0], [1, 1], [0, 1], [1, 0]], ["<b>", "<b>", "<i>", "<i>"])
    page = assert_alone(found._repr_html_())
    assert shown(found.sentence()) in page.texts("td")
    assert "<b>" in found.sentence()


def test_a_training_shows_why_it_ended():
    run = train(X, np.where(X[:, 0] > 0, "a", "b"), held_out=(X, np.where(X[:, 0] > 0, "a", "b")), epochs=3)
    page = assert_alone(run._repr_html_())
    assert run.stopped_because in page.texts("td")
    assert f"{run.best_error:.6g}" in page.texts("td")


def test_a_walk_shows_boulders_steps():
    """LECTURES B3: the activations of the four points, and the weights in the end."""
    lecture = walk([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1], start=[1, 0], order="given", epochs=1)
    page = assert_alone(lecture._repr_html_())
    cells = np.array(page.texts("td")).reshape(4, 9)
    assert [float(text) for text in cells[:, 4]] == [1, 0.5, -2.5, -0.5]
    assert cells[-1, 7:].tolist() == ["0.5, 1", "-1"]


def test_a_long_walk_shows_its_beginning_and_how_much_more_there_is():
    long = walk(X, np.where(X[:, 0] > 0, "<b>", "b"), epochs=7)
    page = assert_alone(long._repr_html_())
    assert len(page.texts("tr")) == 1 + 50
    assert f"{len(long) - 50:,} more" in page.texts("caption")[0]
    assert "<b>" in page.texts("td")


def test_a_margin_report_shows_the_margin_and_its_sentence():
    run = train([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1], order="given", keep_log=True)
    report = margin_report(FinishedRun.of(run))
    page = assert_alone(report._repr_html_())
    assert "0.606339" in page.texts("td")  # w = (1.5, 1), b = −1: the least margin is 1.25, and |θ| = √4.25
    assert report.sentence() in page.texts("td")


def test_a_descent_shows_its_path_and_how_it_ended():
    bowl = descend(lambda x: float(x @ x), lambda x: 2 * x, start=[4.0], eta=0.25)
    page = assert_alone(bowl._repr_html_())
    assert bowl.message in page.texts("td")
    assert page.texts("td")[3:12] == ["0", "4", "16", "1", "2", "4", "2", "1", "1"]  # half of it every step


def test_a_finding_shows_its_verdict_its_numbers_and_its_picture():
    finding = Finding(
        "w < 1", ("B1",), ("learner", "error %"), [("mira", 9.0)], True, "so it is.", lambda ax: ax.plot([0, 1])
    )
    html = finding._repr_html_()
    assert "<svg" in html
    page = assert_alone(html[: html.index("<svg")])
    assert {"w < 1", "Holds: so it is.", "9.00"} <= set(page.texts("td"))


def test_a_display_shows_itself_once():
    from matplotlib import pyplot as plt

    history = train(X, np.where(X[:, 0] > 0, 1, -1), epochs=3).history
    display = HistoryDisplay.from_history(history)
    assert display._repr_svg_().count("<svg") == 1
    assert not plt.fignum_exists(display.figure_.number), "else the notebook would show the figure once more"
    figure, ax = plt.subplots()
    assert HistoryDisplay.from_history(history, ax=ax)._repr_svg_() is None, "the user's figure shows itself"
    assert plt.fignum_exists(figure.number)
    plt.close(figure)
