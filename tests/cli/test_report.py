"""rosenblatt report: the numbers of the other verbs, commands that really repeat, and a file that is whole or not there."""

import hashlib
import html
import json
import re
import shlex
import subprocess
import sys
from itertools import islice
from pathlib import Path

import click
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import assert_alone

from rosenblatt.cli import run
from rosenblatt.cli.options import with_parameters
from rosenblatt.cli.train import TrainOptions, train
from rosenblatt.learning.learners import LEARNERS, Recipe
from rosenblatt.learning.loading import load
from rosenblatt.show.reproduce import TrainingSource, chosen_settings, command, script

QUICK = ["--splits", "0", "--certify", "0", "-q"]


def percent(share):
    return f"{100 * share:.2f}\u00a0%"


@pytest.fixture
def people(tmp_path, monkeypatch):
    """Two files of rows with a noisy rule, and a model of the first."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(7)
    sector, age = draw.choice(["public", "private", "none"], 300), draw.integers(17, 80, 300)
    rich = (age / 40 + (sector == "private") + draw.normal(0, 0.6, 300)) > 1.6
    frame = pl.DataFrame({"sector": sector, "age": age, "income": np.where(rich, ">50K", "<=50K")})
    frame[:200].write_csv("people.csv")
    frame[200:].write_csv("dev.csv")
    assert run(["train", "people.csv", "-t", "income", "-q", "-o", "people.rosenblatt"]) == 0
    return tmp_path


def page_of(capsys, *arguments):
    capsys.readouterr()
    assert run(["report", *arguments, "-o", "report.html"]) == 0, capsys.readouterr().err
    return assert_alone(Path("report.html").read_text("utf-8"))


def json_of(capsys, *arguments):
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_error_and_confusions_are_those_of_evaluate(people, capsys):
    result = json_of(capsys, "evaluate", "people.rosenblatt", "dev.csv")
    page = page_of(capsys, "people.rosenblatt", "--data", "dev.csv", *QUICK)
    assert page.texts("dd", id_="error") == [percent(result["error"])]
    assert f"{result['errors']} of {result['examples']} rows wrong" in page.text
    assert f"{percent(result['interval'][0])} to {percent(result['interval'][1])}" in page.text
    cells = [text for tag, has, inside in page.elements if tag == "td" and "--s:" in has.get("style", "") for text in inside]
    assert [int(cell) for cell in cells] == [count for row in result["confusion"] for count in row]
    for row in result["per_class"]:
        assert percent(row["precision"]) in page.texts("td")
        assert percent(row["recall"]) in page.texts("td")


def test_learners_are_compared_as_compare_does(people, capsys):
    rows = json_of(capsys, "compare", "dev.csv", "-t", "income", "--seeds", "2")["rows"]
    page = page_of(capsys, "people.rosenblatt", "--data", "dev.csv", "--splits", "2", "--certify", "0")
    shown = [text for tag, has, inside in page.elements if tag == "table" and has.get("id") == "rivals" for text in inside]
    cells = [text.strip().removesuffix(" *") for text in shown if text.strip()]
    places = []
    for row in rows:
        place = next(i for i, cell in enumerate(cells) if cell.split(":")[0] == row["learner"])
        places.append(place)
        assert percent(row["error_mean"]) in cells[place : place + 5]
        assert percent(row["error_sd"]) in cells[place : place + 5]
    assert places == sorted(places)
    assert "averaged: as this model" in page.text
    assert "2 of 5 disjoint folds, stratified by class, each with 20 % of the rows" in page.text
    assert "Nadeau and Bengio, 2003" in page.text
    page = page_of(capsys, "people.rosenblatt", "--data", "dev.csv", "--splits", "1", "--certify", "0")
    assert "One split cannot tell a difference from chance" in page.text


def test_weights_are_those_of_explain(people, capsys):
    result = json_of(capsys, "explain", "people.rosenblatt", "--top", "10")["weights"]
    page = page_of(capsys, "people.rosenblatt")
    for weight in result:
        assert weight["feature"] in page.texts("th")
        assert f"{weight['weight']:.4g}"[:4].replace("-", "−") in page.text


def test_with_holdout_exactly_the_rows_held_out_in_training_are_measured(people, capsys):
    call = ["train", "people.csv", "-t", "income", "--holdout", "0.3", "--seed", "5", "-o", "m.rosenblatt"]
    trained = json_of(capsys, *call)
    page = page_of(capsys, "m.rosenblatt", "--data", "people.csv", "--holdout", "0.3", *QUICK)
    assert page.texts("dd", id_="error") == [percent(trained["dev_error"]["averaged"])]
    assert "of 60 rows wrong" in page.text
    assert "not the rows held out" not in page.text
    # Its command needs no word from the reader.
    digest = hashlib.sha256(Path("m.rosenblatt").read_bytes()).hexdigest()
    assert digest in page.text
    Path("m.rosenblatt").unlink()
    assert run([*shlex.split(page.texts("pre")[0])[1:], "-q"]) == 0
    assert hashlib.sha256(Path("m.rosenblatt").read_bytes()).hexdigest() == digest
    page = page_of(capsys, "m.rosenblatt", "--data", "people.csv", "--holdout", "0.2", *QUICK)
    assert "not the rows held out" in page.text


def test_command_and_python_make_the_same_bytes(people, capsys):
    options = ["--learner", "mira", "--p", "0.25", "--epochs", "3", "--seed", "9", "--average", "--numeric", "both",
               "--product", "sector,age", "--column", "age=both", "--no-bias", "--balanced", "--order", "once"]  # fmt: skip
    assert run(["train", "people.csv", "-t", "income", *options, "--dev", "dev.csv", "-q", "-o", "m.rosenblatt"]) == 0
    first_bytes = Path("m.rosenblatt").read_bytes()
    page = page_of(capsys, "m.rosenblatt")
    printed, python, _ = page.texts("pre")
    for text in (printed, python):
        assert "DEV-FILE" in text
    Path("m.rosenblatt").unlink()
    printed = printed.replace("DEV-FILE", "dev.csv").replace("FILE", "people.csv")
    assert run([*shlex.split(printed)[1:], "-q"]) == 0
    assert Path("m.rosenblatt").read_bytes() == first_bytes
    Path("m.rosenblatt").unlink()
    python = python.replace("DEV-FILE", "dev.csv").replace("FILE", "people.csv")
    subprocess.run([sys.executable, "-c", python], check=True)
    assert Path("m.rosenblatt").read_bytes() == first_bytes


def test_the_report_tells_its_own_command(people, capsys):
    first = page_of(
        capsys, "people.rosenblatt", "--data", "dev.csv", "--target", "income", "--splits", "1", "--certify", "60"
    )
    again = first.texts("pre")[-1]
    before = Path("report.html").read_bytes()
    Path("report.html").unlink()
    assert run(shlex.split(again)[1:]) == 0
    assert Path("report.html").read_bytes() == before


SCHEDULES = ["constant", "1/updates", "1/examples"]
PARAMETERS = {
    "eta0": st.floats(0.01, 2), "learning_rate": st.sampled_from(SCHEDULES), "p": st.floats(0, 0.9), "C": st.floats(0.01, 9),
    "variant": st.sampled_from(["I", "II"]), "r": st.floats(0.01, 9), "l2": st.floats(0, 1), "power_t": st.floats(0, 1),
}  # fmt: skip
COLUMN = st.text(min_size=1, max_size=8).filter(lambda name: "," not in name and "\0" not in name)


@st.composite
def recipes(draw):
    learner = draw(st.sampled_from(list(LEARNERS)))
    known = {name: PARAMETERS[name] for name in LEARNERS[learner].parameters}
    features = {
        "numeric": st.sampled_from(["number", "category", "both"]), "scale": st.just(False), "hashing": st.integers(1, 20),
        "ngrams": st.integers(1, 3), "per_column": st.dictionaries(COLUMN, st.just("category"), min_size=1, max_size=2),
        "products": st.one_of(st.just("all"), st.lists(st.lists(COLUMN, min_size=2, max_size=2), min_size=1, max_size=2)),
    }  # fmt: skip
    return Recipe(
        learner, draw(st.integers(1, 99)), draw(st.integers(0, 99)), draw(st.sampled_from([None, True, False])),
        draw(st.sampled_from(["shuffled", "once", "given"])), draw(st.booleans()),
        draw(st.one_of(st.none(), st.floats(0, 1))),
        draw(st.one_of(st.none(), st.integers(1, 9))), draw(st.sampled_from([None, "balanced"])),
        draw(st.fixed_dictionaries({}, optional=known)), draw(st.fixed_dictionaries({}, optional=features)),
    )  # fmt: skip


@given(recipes(), COLUMN.filter(lambda name: not name.lstrip("-").isdigit()))
def test_every_recipe_has_a_command_that_train_reads_back(recipe, target):
    printed = command(recipe, TrainingSource("rows.csv", target, holdout=0.25))
    _, verb, *arguments = shlex.split(printed)
    assert verb == "train"
    context = train.make_context("train", arguments)
    chosen = TrainOptions(**with_parameters(context.params))
    assert chosen.train_recipe() == recipe
    assert chosen.target_column == target
    # `train --python` and the report write the same script.
    source = TrainingSource("rows.csv", target, holdout=0.25)
    recipe_again = eval(
        script(chosen_settings(recipe), source).split("learn(data, rosenblatt.")[1].rpartition(", dev=dev)")[0]
    )
    assert recipe_again == recipe


@pytest.mark.parametrize("name", ["-rows.csv", "my rows.csv"])
def test_commands_that_are_told_can_be_typed_whatever_the_name(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("a,y\n" + "1,no\n2,yes\n" * 5)
    assert run(["train", "-t", "y", "-o", f"{name}.rosenblatt", "--", name]) == 0
    _, _, told = capsys.readouterr().out.rpartition("next: rosenblatt ")
    assert run(shlex.split(told)) == 0
    assert run(["report", "--data", name, *QUICK, "-o", "page.html", "--", f"{name}.rosenblatt"]) == 0
    told = re.findall(r"rosenblatt ((?:report|train) [^<]*)", html.unescape((tmp_path / "page.html").read_text()))
    assert len(told) == 2
    for command_line in told:
        assert run([*shlex.split(command_line), "-q"]) == 0


def test_what_the_command_line_cannot_say_is_told_in_python_alone():
    assert command(Recipe(class_weight={"a": 2.0}), TrainingSource()) is None
    assert command(Recipe(features={"min_count": 2}), TrainingSource()) is None


def test_progress_goes_to_standard_error_and_quiet_silences_it(people, capsys):
    capsys.readouterr()
    call = ["report", "people.rosenblatt", "--data", "dev.csv", "--splits", "1", "--certify", "0.1"]
    assert run([*call, "-o", "report.html"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "split 1 of 1" in err
    assert run([*call, "-q", "-o", "report.html"]) == 0
    assert capsys.readouterr() == ("", "")


def test_to_standard_output_comes_the_page(people, capfdbinary):
    assert run(["report", "people.rosenblatt", "-q", "-o", "-"]) == 0
    assert_alone(capfdbinary.readouterr().out.decode())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing.rosenblatt"], 3, "nothing.rosenblatt"),
        (["people.csv"], 3, "people.csv"),
        (["people.rosenblatt", "--holdout", "0.2"], 2, "--data"),
        (["people.rosenblatt", "--data", "nowhere.csv"], 1, "nowhere.csv"),
        (["people.rosenblatt", "--data", "dev.csv", "--target", "wealth"], 2, "wealth"),
        (["people.rosenblatt", "--data", "dev.csv", "--holdout", "2"], 2, "between 0 and 1"),
        (["people.rosenblatt", "--data", "dev.csv", "--splits", "-1"], 2, "--splits"),
    ],
)
def test_what_cannot_be_ends_with_its_exit_code_and_leaves_the_old_report(people, capsys, arguments, code, message):
    Path("report.html").write_text("the old one")
    capsys.readouterr()
    assert run(["report", *arguments, "-o", "report.html"]) == code
    assert message in capsys.readouterr().err
    assert Path("report.html").read_text() == "the old one"


def test_a_folder_that_is_not_there_is_refused_before_anything_is_read(people, capsys):
    assert run(["report", "people.rosenblatt", "-o", "no/such/report.html"]) == 1
    assert "make it first" in capsys.readouterr().err


def test_a_column_named_as_an_element_shows_as_text(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = "<img src=x onerror=alert(1)>"
    rows = "".join(f"{i % 7},<b>{i % 3}</b>,{'<i>' if i % 7 > 3 else '</i>'}\n" for i in range(40))
    Path("rows.csv").write_text(f"{name},cell,{name} label\n{rows}")
    assert run(["train", "rows.csv", "-t", f"{name} label", "-q", "-o", "m.rosenblatt"]) == 0
    page = page_of(capsys, "m.rosenblatt", "--data", "rows.csv", "--splits", "1")
    assert name in page.texts("th")
    assert "cell=<b>1</b>" in page.texts("th")
    assert "img" not in {tag for tag, _, _ in page.elements}


def test_the_page_never_replaces_what_it_is_about(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["train", "iris", "-q", "-o", "m.rosenblatt"]) == 0
    assert run(["report", "m.rosenblatt", "-o", "m.rosenblatt"]) == 2
    assert "would replace" in capsys.readouterr().err
    assert load("m.rosenblatt").target == "target"


def test_the_example_of_help_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["report", "--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    examples = [line for line in lines if line.startswith("rosenblatt ")]
    assert len(examples) == 2
    for line in examples:
        assert run(shlex.split(line)[1:]) == 0
    assert_alone(Path("report.html").read_text("utf-8"))


def test_the_verb_has_all_options_that_its_command_can_tell():
    from rosenblatt.cli.report import report

    names = [name for parameter in report.params if isinstance(parameter, click.Option) for name in parameter.opts]
    assert {"--data", "--target", "--output", "--holdout", "--splits", "--certify", "--unseen"} <= set(names)


@pytest.mark.parametrize("data", ["sms-spam", "mnist:test"])
def test_real_data_of_every_kind(data, data_dir, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["train", data, "--holdout", "0.5", "-e", "1", "-q", "-o", "m.rosenblatt"]) == 0
    page = page_of(capsys, "m.rosenblatt", "--data", data, "--holdout", "0.5", *QUICK)
    assert page.texts("dd", id_="error") == [percent(load("m.rosenblatt").summary["dev_error"]["averaged"])]


@pytest.fixture(scope="module")
def tied(tmp_path_factory):
    """Twelve files of a few rows of small whole numbers, each with a voted model that has a tie on them, and its report."""
    folder, reported = tmp_path_factory.mktemp("tied"), []
    for file, model in islice(tied_votes(folder), 12):
        page = folder / "report.html"
        assert run(["report", model, "--data", file, *QUICK, "-o", str(page)]) == 0
        reported.append((file, model, assert_alone(page.read_text("utf-8"))))
    return reported


def tied_votes(folder):
    for seed in range(40):
        draw = np.random.default_rng(seed)
        rows, classes = int(draw.integers(3, 7)), 2 + seed % 2
        labels = np.array(["a", "b", "c"])[np.concatenate([np.arange(classes), draw.integers(0, classes, rows)])]
        numbers = draw.integers(-2, 3, (len(labels), 2))
        frame = pl.DataFrame({"x": numbers[:, 0], "z": numbers[:, 1], "y": labels})
        file, model = str(folder / f"{seed}.csv"), str(folder / f"{seed}.rosenblatt")
        frame.write_csv(file)
        learner = ["--learner", "voted", "--epochs", "2", "--no-scale", "--no-bias", "--seed", str(seed)]
        assert run(["train", file, "-t", "y", *learner, "-q", "-o", model]) == 0
        votes = load(model).scores(frame)
        votes = np.stack([-votes, votes], axis=1) if votes.ndim == 1 else votes
        if (np.sort(votes, axis=1)[:, -1] == np.sort(votes, axis=1)[:, -2]).any():
            yield file, model


def test_a_tie_of_votes_is_decided_as_evaluate_decides_it(tied, capsys):
    """Equal votes go to the first class, though a score of 0 is the second."""
    assert len(tied) >= 10
    for file, model, page in tied:
        result = json_of(capsys, "evaluate", model, file)
        assert f"{result['errors']} of {result['examples']} rows wrong" in page.text
        assert page.texts("dd", id_="error") == [percent(result["error"])]


def test_no_wrong_row_is_shown_as_taken_for_what_it_is(tied):
    """Where all weights vote, the averaged ones that explain a row may have it right."""
    shown = 0
    for file, model, page in tied:
        labels = pl.read_csv(file)["y"].to_list()
        predicted = load(model).predict(pl.read_csv(file)).tolist()
        for row, (label, answer) in enumerate(zip(labels, predicted, strict=True), start=1):
            if label != answer:
                assert re.search(rf"{label}, taken for {answer}\s+row {row}\b", page.text)
                shown += 1
    assert shown >= 12


def test_the_held_out_error_of_votes_is_told_beside_the_others(people, capsys):
    """It is the one of the weights that predict."""
    learner = ["--learner", "voted", "--dev", "dev.csv"]
    errors = json_of(capsys, "train", "people.csv", "-t", "income", *learner, "-o", "voted.rosenblatt")["dev_error"]
    page = page_of(capsys, "voted.rosenblatt", "-q")
    line = ", ".join(f"{view} {percent(errors[view])}" for view in ("last", "averaged", "best", "voted"))
    assert line in page.texts("dd")
