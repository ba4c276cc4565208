"""Every verb works on every kind of model file, old and new, or says why not."""

import json
import os
import re
from pathlib import Path

import golden_models
import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.errors import amount

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
# The only reasons not to work, and the exit code with each.
REASONS = {
    r"SettingError: The model has no \w+ weights: it has": 2,
    r"SettingError: The model was saved without its log": 2,
    r"SettingError: The best weights are no one sum over the log": 2,
    r"SettingError: The model learned with a kernel": 2,
    r"SettingError: With a budget there are only the last weights": 2,
    r"SettingError: There is no view 'best'": 2,
    r"SettingError: The model predicts numbers": 2,
    r"LabelError: 2 of 12 targets in .+ are no numbers: '12 USD' in row": 1,  # where training had euros
    r"SettingError: An update goes on with one rival a class": 2,
    r"SettingError: The model (keeps the log|predicts with its best weights|file has no sums)": 2,
    r"(?s)Usage: .+This model predicts numbers, which are its scores": 2,
}
NO_LOG = r"without its log"
OLD = [f"old {name}" for name in sorted(p.stem for p in golden_models.FOLDER.glob("*.rosenblatt"))]


def estimators():
    """One of every class that can be saved, and what changes what is saved; with the file of their rows."""
    two, three = "counts.libsvm", "counts3.libsvm"
    settings = {
        "Perceptron": {}, "AveragedPerceptron": {"fit_intercept": False}, "Mira": {"p": 0.5},
        "PassiveAggressive": {"C": 0.01, "variant": "II", "fit_intercept": False},
        "SoftPerceptron": {"l2": 0.1}, "WidrowHoff": {}, "VotedPerceptron": {}, "Arow": {"r": 0.5},
    }  # fmt: skip
    named = {}
    for name, chosen in settings.items():
        for file in (two, three):
            make = getattr(rb, name)
            named[f"{name}, {file}"] = make(max_iter=2, random_state=0, **chosen), file
            named[f"{name}, {file}, log"] = make(max_iter=2, keep_log=True, random_state=1, **chosen), file
        stops = {"early_stopping": True, "validation_fraction": 0.3, "tol": 1e-6}
        named[f"{name}, early stopping"] = make(**stops, random_state=0, **chosen), three
        named[f"{name}, balanced"] = make(class_weight="balanced", max_iter=1, **chosen), two
        named[f"{name}, weighted"] = make(class_weight={-1: 2.0, 1: 0.0}, max_iter=1, **chosen), two
    for name, chosen in {
        "rbf": {}, "linear": {"fit_intercept": True}, "polynomial": {"degree": 2, "score_with": "voted"},
        "mira": {"kernel": "poly", "rule": "mira", "p": 0.25, "coef0": 0.0}, "rest": {"multi_class": "ovr"},
        "budget": {"budget": 7, "multi_class": "ovr"}, "random": {"score_with": "random", "class_weight": "balanced"},
    }.items():  # fmt: skip
        kernel = {"kernel": name} if name in ("rbf", "linear", "polynomial") else {}
        for file in (two, three):
            named[f"KernelPerceptron, {name}, {file}"] = rb.KernelPerceptron(**kernel, **chosen, random_state=0), file
    for name in ("Perceptron", "Mira", "Arow"):
        named[f"{name}, against the rest"] = getattr(rb, name)(multiclass="rest", keep_log=True, random_state=0), three
    for view in ("random", "averaged", "last"):
        named[f"VotedPerceptron, {view}"] = rb.VotedPerceptron(score_with=view, random_state=0), three
    return named


ESTIMATORS = estimators()
NEW = [f"new {name}" for name in (*golden_models.TRAINED, *ESTIMATORS)]
# Drawing takes its time: of the new ones every class, each setting once, and what `learn` now saves otherwise.
REPORTED = [
    "new table-class-weights", "new Perceptron, weighted", "new AveragedPerceptron, counts3.libsvm, log",
    "new Mira, early stopping", "new PassiveAggressive, counts.libsvm", "new SoftPerceptron, balanced",
    "new WidrowHoff, counts3.libsvm", "new VotedPerceptron, counts.libsvm", "new VotedPerceptron, early stopping",
    "new VotedPerceptron, random", "new VotedPerceptron, averaged", "new Arow, counts3.libsvm, log",
    "new Arow, against the rest", "new numbers", "new numbers-best",
]  # fmt: skip


# And of the old ones those with another kind of rows, features or weights; the others differ in how they were trained.
OFTEN = {
    "old estimator-averaged", "old estimator-mira-best", "old estimator-random", "old images", "old sparse-logistic",
    "old sparse-voted", "old table", "old table-best", "old table-hashed", "old table-log", "old table-products",
    "old table-three", "old table-voted", "old text", "old text-voted",
}  # fmt: skip
WITHOUT_REPORT = {f"old {name}" for name in ("kernel", "kernel-three", "kernel-rest", "kernel-budget", "estimator-kernel")}
WITHOUT_REPORT.add("old numbers-raw")  # some of its rows to measure on have no numbers
full = [pytest.mark.full, pytest.mark.skipif(not FULL, reason="ROSENBLATT_TESTS=full")]
OLD_REPORTED = [pytest.param(kind, marks=() if kind in OFTEN else full) for kind in OLD if kind not in WITHOUT_REPORT]


def model_file(kind, folder):
    """A model file of this kind, the rows that belong to it, and the options with which these are read."""
    age, _, name = kind.partition(" ")
    path = folder / "m.rosenblatt"
    if age == "old":
        path.write_bytes((golden_models.FOLDER / f"{name}.rosenblatt").read_bytes())
    elif name in golden_models.TRAINED:
        rb.save(golden_models.train(name, golden_models.FOLDER), path)
    if age == "old" or name in golden_models.TRAINED:
        file, reading = golden_models.rows_to_predict(name)
    else:
        estimator, source = ESTIMATORS[name]
        data = rb.read(golden_models.FOLDER / source)
        rb.save(estimator.fit(data.rows, data.labels), path)
        file, reading = source.replace(".", "-new."), {"zero_based": "3" in source}
    start = {True: ["--zero-based"], False: ["--one-based"], None: []}[reading.get("zero_based")]
    start += ["--unlabelled", "skip"] if "unlabelled" in reading else []
    return str(path), str(golden_models.FOLDER / file), reading, start


def commands(model, rows, read, feature):
    """What can be asked of a model: each command once with every option that leads elsewhere."""
    yield ["predict", model, rows, *read]
    yield ["predict", model, rows, *read, "--scores"]
    yield ["predict", model, rows, *read, "--json", "--scores"]
    yield ["predict", model, rows, *read, "--only-labels"]
    yield ["evaluate", model, rows, *read]
    yield ["evaluate", model, rows, *read, "--json"]
    yield ["evaluate", model, rows, *read, "--progressive"]
    yield ["update", model, rows, *read, "-o", f"{model}.new"]
    yield ["explain", model]
    yield ["explain", model, "--json", "--top", "0"]
    yield ["explain", model, "--weight", feature]
    yield ["explain", model, "--weight", feature, "--json"]
    for row in ("1", "4"):
        yield ["explain", model, rows, *read, "--row", row]
        yield ["explain", model, rows, *read, "--row", row, "--json"]
        yield ["explain", model, rows, *read, "--row", row, "--by", "example"]
    for view in golden_models.VIEWS:
        yield ["evaluate", model, rows, *read, "--view", view]
    for view in ("last", "averaged", "best"):
        yield ["explain", model, "--view", view]
        yield ["explain", model, rows, *read, "--row", "2", "--view", view]
        yield ["explain", model, rows, *read, "--row", "2", "--by", "example", "--view", view, "--json"]
        yield ["explain", model, "--weight", feature, "--view", view]


def outcome(arguments, capsys):
    """None where the command did what it should; else what it said, if that is no reason."""
    code = run([*arguments, "-q"])
    captured = capsys.readouterr()
    if code == 0:
        return None if captured.out.strip() or "-o" in arguments else "it printed nothing"
    if any(re.match(reason, captured.err) and code == expected for reason, expected in REASONS.items()):
        return None
    return f"exit code {code}: {captured.err.strip()}"


@pytest.mark.parametrize("kind", [*OLD, *NEW])
def test_every_verb_works_or_says_why_not(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ROSENBLATT_TRACEBACK", "1")  # a bug shows where it is
    model, rows, reading, start = model_file(kind, tmp_path)
    loaded = rb.load(model)
    failures = {}
    for arguments in commands(model, rows, start, loaded.features.names[0]):
        said = outcome(arguments, capsys)
        if said is not None:
            failures[" ".join(arguments[:1] + arguments[2:])] = said
    assert failures == {}
    raw = rb.read(rows, **reading).rows
    assert len(loaded.predict(raw)) == len(loaded.scores(raw)) == raw.shape[0]
    assert ("Regressor" if loaded.predicts_numbers else "classes") in loaded._repr_html_()
    if loaded.memory is None and loaded.dual is None:
        with pytest.raises(rb.SettingError, match="keeps no log" if loaded.predicts_numbers else NO_LOG):
            loaded.influences(raw[:1])
    else:
        listed = loaded.influences(raw[:1], "last")
        total = listed.start + sum(part.contribution for part in listed.examples)
        assert total == pytest.approx(listed.score, abs=1e-9)


@pytest.mark.parametrize("kind", ["old kernel", "old kernel-budget"])
def test_a_report_is_about_weights_and_a_kernel_has_none(kind, tmp_path, capsys):
    model, *_ = model_file(kind, tmp_path)
    assert run(["report", model, "-o", str(tmp_path / "page.html")]) == 2
    assert "learned with a kernel" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("kind", [*OLD_REPORTED, *REPORTED])
def test_every_model_file_has_a_report_with_and_without_rows(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ROSENBLATT_TRACEBACK", "1")
    model, rows, _, start = model_file(kind, tmp_path)
    page = tmp_path / "page.html"
    alone = ["report", model, "-o", str(page)]
    assert outcome(alone, capsys) is None
    assert "What it has learned" in page.read_text("utf-8")
    with_rows = [*alone, "--data", rows, *start, "--splits", "0", "--certify", "0"]
    assert outcome(with_rows, capsys) is None
    assert run(["evaluate", model, rows, *start, "--json", "-q"]) == 0
    measured = json.loads(capsys.readouterr().out)
    if "mean_squared_error" in measured:
        assert re.search(r'id="squared">([^<]+)<', page.read_text("utf-8"))[1] == amount(measured["mean_squared_error"])
        assert not re.search(r"\bclass(es)?\b[^=]", re.sub(r"<[^>]*>", "", page.read_text("utf-8").split("</style>")[1]))
    else:
        assert f"{measured['errors']} of " in page.read_text("utf-8")


@pytest.mark.parametrize("kind", ["old estimator-random", "old table-voted", "new images", "new Mira, early stopping"])
def test_a_full_report_of_a_saved_model(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ROSENBLATT_TRACEBACK", "1")
    model, rows, _, start = model_file(kind, tmp_path)
    options = ["--data", rows, *start, "--splits", "2", "--certify", "0.5", "--holdout", "0.4"]
    assert outcome(["report", model, "-o", str(tmp_path / "page.html"), *options], capsys) is None
    assert "were not compared" not in Path(tmp_path / "page.html").read_text("utf-8")


def test_labels_that_no_file_of_rows_can_have_are_told(tmp_path, capsys):
    data = rb.read(golden_models.FOLDER / "counts.libsvm")
    names = np.array(["no", "yes"])[(data.labels > 0).astype(int)]
    rb.save(rb.Perceptron().fit(data.rows, names), tmp_path / "m.rosenblatt")
    rows = str(golden_models.FOLDER / "counts-new.libsvm")
    assert run(["evaluate", str(tmp_path / "m.rosenblatt"), rows]) == 1
    assert "never seen in training" in capsys.readouterr().err
    assert run(["predict", str(tmp_path / "m.rosenblatt"), rows, "--only-labels"]) == 0
    assert set(capsys.readouterr().out.split()) <= {"no", "yes"}
