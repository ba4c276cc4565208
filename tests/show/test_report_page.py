"""The report: names are text, the file stands alone, its bytes repeat, its numbers are those of the rows."""

import os
import subprocess
import sys
from functools import cache

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from pages import Page, assert_alone

from rosenblatt import certify
from rosenblatt.data import Dataset, open_known
from rosenblatt.data.markup import shown
from rosenblatt.learning.learn import learn
from rosenblatt.learning.learners import Recipe
from rosenblatt.show import figures
from rosenblatt.show.assessment import ReportOptions, assess
from rosenblatt.show.report import report

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</style></svg></title><script>alert(1)</script>",
    "\"' onmouseover='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "$\\frac{1}{0}$ &amp; <!-- ]]> -->",
]
QUICK = ReportOptions(splits=0, certify=0)


def table(names=("a", "b"), labels=("no", "yes"), values=("u", "v", "w"), rows=40):
    """A table in which the second column nearly decides the label."""
    draw = np.random.default_rng(0)
    value, number = draw.integers(0, len(values), rows), draw.normal(size=rows)
    truth = (number + 0.8 * (value == 0) + 0.5 * draw.normal(size=rows) > 0).astype(int) * (len(labels) - 1)
    truth[: len(labels)] = np.arange(len(labels))
    frame = pl.DataFrame({names[0]: [values[v] for v in value], names[1]: number})
    return Dataset("table", frame, pl.Series([labels[t] for t in truth]), "made")


def texts():
    rows = pl.DataFrame({"text": ["free <b>prize</b> now", "free entry", "call me", "see you", "call free", "", None] * 4})
    return Dataset("text", rows, pl.Series(["spam", "spam", "ham", "ham", "ham", "ham", "spam"] * 4), "messages")


def sparse():
    draw = np.random.default_rng(1)
    X = sp.random(60, 30, density=0.3, random_state=2, format="csr", dtype=np.float32)
    return Dataset("sparse", X, draw.integers(0, 3, 60), "entries", zero_based=False)


def images(shape=(50, 6, 5), classes=4):
    draw = np.random.default_rng(3)
    return Dataset("images", draw.integers(0, 256, shape).astype(np.uint8), draw.integers(0, classes, shape[0]), "pictures")


KINDS = {
    "table": table(),
    "text": texts(),
    "sparse": sparse(),
    "images": images(),
    "two kinds of images": images(classes=2),
    "coloured images": images((30, 4, 4, 3)),
    "iris": open_known("iris"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data_gives_a_page_that_stands_alone_with_the_right_error(kind):
    data = KINDS[kind]
    model = learn(data, Recipe(epochs=3))
    page = assert_alone(report(model, data, ReportOptions(splits=1, certify=0.2)))
    wrong = np.mean(np.asarray(data.labels) != model.predict(data.rows))
    assert page.texts("dd", id_="error") == [f"{100 * wrong:.2f}\u00a0%"]
    labels, counts = np.unique(np.asarray(data.labels), return_counts=True)
    most = labels[counts.argmax()]
    assert page.texts("dd", id_="majority") == [f"{100 * np.mean(np.asarray(data.labels) != most):.2f}\u00a0%"]
    assert page.texts("p", id_="certificate")
    assert len(page.texts("svg")) == 4  # epochs, precision by recall, ROC, margins
    assert_alone(report(model))


def test_without_data_the_page_says_what_data_would_add():
    page = assert_alone(report(learn(KINDS["table"])))
    assert "--data FILE" in page.text
    assert "What it gets most wrong" not in page.text
    assert page.texts("dd", id_="error") == []


def tags_of(page):
    """All elements, but for places where a line may end: how many of them a name has depends on its signs."""
    assert not any(attributes for tag, attributes, _ in page.elements if tag == "wbr")
    return [tag for tag, _, _ in page.elements if tag != "wbr"]


@cache
def harmless_tags():
    data = table(("a", "number a"), ("no a", "yes a", "z a"), ("a", "va", "wa"))
    return tags_of(Page(report(learn(data), data, QUICK)))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_labels_and_cells_show_as_text(name):
    data = table((name, f"number {name}"), (f"no {name}", f"yes {name}", f"z {name}"), (name, f"v{name}", f"w{name}"))
    page = assert_alone(report(learn(data), data, QUICK))
    assert tags_of(page) == harmless_tags()
    for text in (f"number {name}", f"no {name}", f"yes {name}", f"{name}={name}"):
        assert any(shown(text, 60) in cell for cell in page.texts("th"))
    assert any(f"v{name}" in cell for cell in page.texts("dd"))


@given(
    names=st.lists(st.text(max_size=12), min_size=4, max_size=4, unique=True),
    values=st.lists(st.text(), min_size=2, max_size=5, unique=True),
)
def test_no_name_or_label_can_become_an_element(names, values, monkeypatch):
    monkeypatch.setattr(figures, "figure", lambda *drawn: Markup("<svg></svg>"))  # slow to draw, and without names
    data = table(names[:2], names[2:], values)
    page = assert_alone(report(learn(data, Recipe(epochs=1)), data, QUICK))
    assert "img" not in {tag for tag, _, _ in page.elements}
    for label in names[2:]:
        assert shown(label, 60) in page.texts("th")


@given(st.text())
def test_what_is_shown_is_one_line_that_can_be_written_and_does_not_act(text):
    seen = shown(text)
    assert len(seen) <= 200
    assert not any(ord(letter) < 32 or 0x202A <= ord(letter) <= 0x202E for letter in seen)
    seen.encode()
    assert "\ud800" not in shown(text + "\ud800")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_figure_shows_a_label_letter_by_letter(name):
    page = assert_alone(figures.figure(lambda ax: ax.set_xlabel(name), "f", "A figure"))
    assert name in page.texts("text")


def test_names_in_two_figures_of_a_page_differ():
    data = KINDS["iris"]
    page = Page(report(learn(data), data, QUICK))
    names = [has["id"] for _, has, _ in page.elements if "id" in has]
    assert len(names) == len(set(names))
    targets = {has["xlink:href"][1:] for _, has, _ in page.elements if "xlink:href" in has}
    assert targets
    assert targets <= set(names)


PROGRAM = """
import sys
from rosenblatt.learning.learn import learn
from rosenblatt.data import open_known
from rosenblatt.show.assessment import ReportOptions
from rosenblatt.show.report import report
data = open_known("iris")
sys.stdout.buffer.write(report(learn(data, dev=data), data, ReportOptions(splits=1, certify=0)).encode())
"""


def test_two_processes_write_the_same_bytes():
    """This one, where much has been drawn already, and a new one, with hashes of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    other = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, check=True).stdout
    data = open_known("iris")
    assert other == report(learn(data, dev=data), data, ReportOptions(splits=1, certify=0)).encode()
    assert b"<svg" in other


def test_the_rows_shown_are_the_wrong_ones_furthest_on_the_wrong_side():
    data = table(rows=200)
    model = learn(data)
    assessment = assess(model, data, ReportOptions(splits=0, certify=0, wrong=7))
    scores = model.scores(data.rows)
    margins = np.where(data.labels.to_numpy() == "yes", scores, -scores) / np.linalg.norm(model.model().coef)
    assert sum(margins < 0) > 7
    assert [w.row for w in assessment.wrong] == (np.argsort(margins)[:7] + 1).tolist()
    assert [w.margin for w in assessment.wrong] == pytest.approx(np.sort(margins)[:7])
    for w in assessment.wrong:
        assert w.truth == data.labels[w.row - 1] != w.predicted == model.predict(data.rows)[w.row - 1]
        assert ("a", data.rows["a"][w.row - 1]) in w.cells


def test_reasons_speak_for_the_wrong_answer():
    data = texts()
    model = learn(data, Recipe(epochs=1))
    assessment = assess(model, data, QUICK)
    assert assessment.wrong
    weights = dict(zip(model.features.names, model.model().coef[0].tolist(), strict=True))
    for w in assessment.wrong:
        assert all((weights[word] > 0) == (w.predicted == "spam") for word, _ in w.reasons)
        assert all(part > 0 for _, part in w.reasons)


@pytest.mark.parametrize("wanted", [True, False])
def test_the_certificate_is_that_of_certify(wanted):
    x = np.arange(8.0)
    labels = np.where(x > 3, "high", "low") if wanted else np.where(x % 2 > 0, "odd", "even")
    data = Dataset("table", pl.DataFrame({"x": x}), pl.Series(labels), "numbers")
    model = learn(data, Recipe(features={"scale": False}))
    expected = certify(x[:, None].astype(np.float32), labels)
    assert expected.separable is wanted
    sentence = Page(report(model, data, ReportOptions(splits=0))).texts("p", id_="certificate")
    said = expected.sentence(first=1)
    assert len(sentence) == 1
    assert sentence[0].startswith(f"{said[0].upper()}{said[1:]}.")
    assert ("The model: γ = " in sentence[0]) == wanted  # the report is about the rows of training here
    assert (f"γ* = {expected.margin or 0:.5g}, the best" in sentence[0]) == wanted


def test_training_that_converged_is_its_own_proof():
    data = Dataset("table", pl.DataFrame({"x": [1.0, 2.0, -1.0, -2.0]}), pl.Series(["+", "+", "-", "-"]), "points")
    model = learn(data, Recipe("perceptron", epochs=50))
    assert model.summary["converged"]
    assert "the last weights separate all rows" in report(model)
    assert "the last weights separate" not in report(learn(table(), Recipe(epochs=2)))


def test_the_rows_of_training_are_recognised():
    data = table(rows=100)
    model = learn(data)
    assert "must be the rows that the model has learned from" in report(model, data, QUICK)
    other = data.take(np.arange(99))
    assert "must be the rows" not in report(model, other, QUICK)


def test_probabilities_measured_on_the_rows_that_they_were_fitted_on_are_told():
    cancer = open_known("breast-cancer")
    train, dev = cancer.take(range(0, 569, 2)), cancer.take(range(1, 569, 2))
    model = learn(train, dev=dev)
    told = "The probabilities were fitted on these rows"
    assert told in report(model, dev, QUICK)
    assert told not in report(model, train, QUICK)


def test_labels_that_training_never_saw_are_refused_or_left_out_and_said():
    data = table()
    model = learn(data)
    strange = Dataset("table", data.rows, pl.Series(["what?", *data.labels.to_list()[1:]]), "strange")
    with pytest.raises(ValueError, match="never seen in training"):
        report(model, strange, QUICK)
    page = Page(report(model, strange, ReportOptions(splits=0, certify=0, unseen="skip")))
    assert "1 row was left out" in page.text
    assert f"of {len(data) - 1} rows wrong" in page.text


def test_a_single_class_is_measured_but_not_compared():
    data = table(rows=60)
    model = learn(data)
    one = data.take(np.flatnonzero(data.labels.to_numpy() == "yes"))
    page = Page(report(model, one, ReportOptions(splits=2)))
    assert "Other learners were not compared" in page.text
    assert page.texts("dd", id_="error")


def test_a_model_that_keeps_its_log_is_compared_with_learners_that_cannot():
    data = table(rows=60)
    page = Page(report(learn(data, Recipe(keep_log=True)), data, ReportOptions(splits=2, certify=0)))
    assert "Other learners were not compared" not in page.text
    assert "logistic" in page.text


def test_many_classes_are_cut_to_the_most_frequent():
    draw = np.random.default_rng(5)
    labels = [f"class {k:03}" for k in range(45)]
    chosen = np.concatenate([np.arange(45), draw.integers(0, 40, 400)])
    data = Dataset("sparse", sp.random(445, 50, 0.3, "csr", np.float32, 6), np.array(labels)[chosen], "many")
    page = assert_alone(report(learn(data, Recipe(epochs=1)), data, QUICK))
    assert "The 30 most frequent of 45 classes" in page.text
    assert "The commonest confusions of 45 classes" in page.text
    assert len(page.texts("h3")) == 30
