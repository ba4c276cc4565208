"""Probabilities and thresholds on the command line: the same from every door, kept in the model, refused with the ways."""

import csv
import io
import json

import numpy as np
import pytest
from sklearn import metrics

import rosenblatt
from rosenblatt.cli import run
from rosenblatt.data import open_known
from rosenblatt.data.splits import split


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows to learn from, to hold out and to predict, as files; one model of two classes and one of three, uncalibrated."""
    place = tmp_path_factory.mktemp("calibrate")
    for name in ("breast-cancer", "iris"):
        data = open_known(name)
        rest, new = split(data, 0.3, seed=1)
        train, dev = split(rest, 0.4, seed=2)
        for part, rows in (("train", train), ("dev", dev), ("new", new)):
            rows.rows.with_columns(kind=rows.labels).write_csv(place / f"{name}-{part}.csv")
        assert run(["train", str(place / f"{name}-train.csv"), "-t", "kind", "-o", str(place / f"{name}.model"), "-q"]) == 0
    return place


@pytest.fixture(autouse=True)
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)


def printed(capsys, *arguments):
    capsys.readouterr()
    assert run([*map(str, arguments)]) == 0
    return capsys.readouterr().out


def predicted(capsys, model, name):
    return list(csv.DictReader(io.StringIO(printed(capsys, "predict", model, f"{name}-new.csv", "--proba", "-q"))))


@pytest.mark.parametrize("name", ["breast-cancer", "iris"])
@pytest.mark.parametrize("way", ["dev", "holdout", "calibrate", "later", "logistic"])
def test_every_way_gives_probabilities_that_are_those_of_python(folder, capsys, name, way, tmp_path):
    model, learn = tmp_path / "m", ["train", f"{name}-train.csv", "-t", "kind", "-o", tmp_path / "m", "-q"]
    more = {
        "dev": ["--dev", f"{name}-dev.csv"], "holdout": ["--holdout", "0.3"], "calibrate": ["--calibrate"],
        "logistic": ["-l", "logistic"],
    }  # fmt: skip
    if way == "later":
        printed(capsys, "calibrate", f"{name}.model", f"{name}-dev.csv", "-o", model, "-q")
    else:
        printed(capsys, *learn, *more[way])
    rows = predicted(capsys, model, name)
    loaded = rosenblatt.load(model)
    labels = [str(label) for label in loaded.classes]
    by_command = np.array([[float(row[f"probability_{label}"]) for label in labels] for row in rows])
    new = rosenblatt.read(f"{name}-new.csv", target="kind", as_text=True)
    assert by_command.tolist() == loaded.predict_proba(new.rows).tolist()
    np.testing.assert_allclose(by_command.sum(axis=1), 1, atol=1e-12)
    assert [row["prediction"] for row in rows] == loaded.predict(new.rows).tolist()
    measured = json.loads(printed(capsys, "evaluate", model, f"{name}-new.csv", "--json"))
    truth = np.asarray(new.labels.to_list())
    np.testing.assert_allclose(measured["log_loss"], metrics.log_loss(truth, y_proba=by_command, labels=labels), atol=1e-12)


def test_without_probabilities_the_ways_to_have_them_are_named(capsys):
    assert run(["predict", "iris.model", "iris-new.csv", "--proba"]) == 2
    refused = capsys.readouterr().err
    for way in ("--holdout", "--dev", "--calibrate", "rosenblatt calibrate MODEL FILE -o MODEL", "logistic"):
        assert way in refused


def test_calibrating_changes_no_weight_and_no_prediction(folder, capsys, tmp_path):
    before = printed(capsys, "predict", "iris.model", "iris-new.csv", "--scores", "-q")
    printed(capsys, "calibrate", "iris.model", "iris-dev.csv", "-o", tmp_path / "m", "-q")
    assert printed(capsys, "predict", tmp_path / "m", "iris-new.csv", "--scores", "-q") == before


def test_a_threshold_decides_in_every_door(folder, capsys, tmp_path):
    model = tmp_path / "m"
    printed(capsys, "calibrate", "breast-cancer.model", "breast-cancer-dev.csv", "-o", model, "--threshold", 0.97, "-q")
    rows = predicted(capsys, model, "breast-cancer")
    expected = ["malignant" if float(row["probability_malignant"]) >= 0.97 else "benign" for row in rows]
    assert [row["prediction"] for row in rows] == expected
    assert expected != printed(capsys, "predict", "breast-cancer.model", "breast-cancer-new.csv", "--only-labels").split()
    assert printed(capsys, "predict", model, "breast-cancer-new.csv", "--only-labels").split() == expected
    measured = json.loads(printed(capsys, "evaluate", model, "breast-cancer-new.csv", "--json"))
    assert measured["confusion"][0][1] + measured["confusion"][1][1] == expected.count("malignant")
    assert measured["threshold"]["probability"] == 0.97
    explained = json.loads(printed(capsys, "explain", model, "breast-cancer-new.csv", "--row", 3, "--json"))
    assert explained["prediction"] == expected[2]
    assert "is predicted from a probability of 0.97" in printed(capsys, "evaluate", model, "breast-cancer-new.csv")


def test_what_would_change_a_decision_knows_the_threshold(folder, capsys, tmp_path):
    """The change that explain names is made, and the prediction changes."""
    model = tmp_path / "m"
    printed(capsys, "calibrate", "breast-cancer.model", "breast-cancer-dev.csv", "-o", model, "--threshold", 0.97, "-q")
    loaded, new = rosenblatt.load(model), rosenblatt.read("breast-cancer-new.csv", target="kind", as_text=True)
    flips = 0
    for row in range(1, 16):
        flip = json.loads(printed(capsys, "explain", model, "breast-cancer-new.csv", "--row", row, "--json")).get("flip")
        if flip is None:
            continue
        flips += 1
        cells = {name: [column[row - 1]] for name, column in zip(new.rows.columns, new.rows, strict=True)}
        before = loaded.predict(cells)[0]
        assert loaded.predict(cells | {flip["feature"]: [flip["to"]]})[0] == flip["prediction"] != before
    assert flips > 3


@pytest.mark.parametrize("wanted", ["f1", "cost:1,10", "cost:10,1"])
def test_a_threshold_is_chosen_on_held_out_rows_and_kept(folder, capsys, tmp_path, wanted):
    learned = json.loads(
        printed(
            capsys, "train", "breast-cancer-train.csv", "-t", "kind", "--dev", "breast-cancer-dev.csv",
            "--threshold", wanted, "-o", tmp_path / "m", "--json",
        )
    )  # fmt: skip
    assert learned["threshold"]["chosen"] == wanted
    measured = json.loads(printed(capsys, "evaluate", tmp_path / "m", "breast-cancer-dev.csv", "--json"))
    assert measured["error"] == learned["dev_error"]["averaged"]

    def loss(confusion):
        (_, false), (missed, true) = confusion
        if wanted == "f1":
            return -2 * true / (2 * true + false + missed)
        a, b = map(float, wanted[5:].split(","))
        return a * false + b * missed

    plain = json.loads(printed(capsys, "evaluate", "breast-cancer.model", "breast-cancer-dev.csv", "--json"))
    assert loss(measured["confusion"]) <= loss(plain["confusion"])


@pytest.mark.parametrize(
    ("arguments", "because"),
    [
        (["train", "iris-train.csv", "-t", "kind", "--threshold", "0.3"], "needs --holdout, --dev or --calibrate"),
        (["train", "iris-train.csv", "-t", "kind", "-l", "logistic", "--threshold", "f1"], "were not learned from"),
        (["train", "iris-train.csv", "-t", "kind", "--calibrate", "--threshold", "0.3"], "the model has 3"),
        (["train", "iris-train.csv", "-t", "kind", "--calibrate", "--threshold", "30"], "between 0 and 1"),
        (["train", "iris-train.csv", "-t", "kind", "--calibrate", "--threshold", "cost:5"], "as cost:1,5"),
        (["train", "iris-train.csv", "-t", "kind", "--metric", "f1"], "give --patience"),
        (["calibrate", "iris.model", "iris-dev.csv", "-o", "iris-dev.csv"], "would replace"),
        (["calibrate", "iris.model", "iris-dev.csv", "-o", "m", "--threshold", "f2"], "threshold is 'f2'"),
        (["predict", "iris.model", "iris-new.csv", "--proba", "--only-labels"], "leave out --scores, --proba"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(arguments, because, capsys):
    assert run(arguments) == 2
    assert because in capsys.readouterr().err


def test_rows_of_training_are_warned_of(folder, capsys, tmp_path):
    assert run(["calibrate", "iris.model", "iris-train.csv", "-o", str(tmp_path / "m")]) == 0
    assert "the rows that the model has learned from" in capsys.readouterr().err


def test_rows_that_probabilities_were_fitted_on_are_warned_of(folder, capsys, tmp_path):
    assert run(["calibrate", "iris.model", "iris-dev.csv", "-o", str(tmp_path / "m")]) == 0
    for rows, told in (("iris-dev.csv", True), ("iris-train.csv", False)):
        capsys.readouterr()
        assert run(["evaluate", str(tmp_path / "m"), rows]) == 0
        assert ("The probabilities were fitted on these rows" in capsys.readouterr().err) == told


def test_few_held_out_rows_are_told_and_training_goes_on(folder, capsys, tmp_path):
    rows = (folder / "iris-dev.csv").read_text().splitlines(keepends=True)
    few = [rows[0], *(row for row in rows[1:] if "setosa" not in row), *[row for row in rows if "setosa" in row][:2]]
    (tmp_path / "few.csv").write_text("".join(few))
    assert run(["train", "iris-train.csv", "-t", "kind", "--dev", str(tmp_path / "few.csv"), "-o", str(tmp_path / "m")]) == 0
    assert "at least 5 rows of every class, and of setosa there are 2 rows" in capsys.readouterr().err
    assert rosenblatt.load(tmp_path / "m").calibration is None


def test_the_script_and_the_report_make_the_same_model_again(folder, capsys, tmp_path, monkeypatch):
    learn = ["train", "breast-cancer-train.csv", "-t", "kind", "--dev", "breast-cancer-dev.csv", "--threshold", "f1"]
    learn += ["--patience", "2", "--metric", "roc-auc", "-o", "again.model"]
    printed(capsys, *learn, "-q")
    before = (folder / "again.model").read_bytes()
    (folder / "again.model").unlink()
    exec(printed(capsys, *learn, "--python"), {})
    assert (folder / "again.model").read_bytes() == before


def test_the_measures_of_train_are_those_of_the_held_out_rows(folder, capsys, tmp_path):
    """The area and F1 by scikit-learn, from what `predict` writes."""
    learned = json.loads(
        printed(
            capsys, "train", "breast-cancer-train.csv", "-t", "kind", "--dev", "breast-cancer-new.csv", "-o", tmp_path / "m",
            "--json",
        )
    )  # fmt: skip
    table = printed(capsys, "predict", tmp_path / "m", "breast-cancer-new.csv", "--scores", "--keep", "kind", "-q")
    rows = list(csv.DictReader(io.StringIO(table)))
    truth, scores = [row["kind"] == "malignant" for row in rows], [float(row["score"]) for row in rows]
    said = [row["prediction"] == "malignant" for row in rows]
    assert learned["dev_measures"]["roc_auc"] == pytest.approx(metrics.roc_auc_score(truth, scores), abs=1e-12)
    assert learned["dev_measures"]["f1"] == pytest.approx(metrics.f1_score(truth, said), abs=1e-12)
    last = learned["history"][-1]
    assert last["dev_error"] == learned["dev_error"]["averaged"]
    assert last["dev_positive"] == pytest.approx(sum(said) / len(said))
    assert sum(epoch["updates"] for epoch in learned["history"]) == learned["updates"]
