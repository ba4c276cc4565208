"""In a notebook models and histories show themselves, and names stay text."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from pages import assert_alone

from rosenblatt import certify, train
from rosenblatt.data import Dataset, open_known
from rosenblatt.data.markup import shown
from rosenblatt.learning.learn import learn
from rosenblatt.learning.learners import Recipe

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
