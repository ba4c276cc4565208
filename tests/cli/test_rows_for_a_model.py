"""Files for a model that knows its columns: without names, with other values than training had."""

import json

import numpy as np
import pytest

from rosenblatt.cli import run


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    rows = [(int(rng.integers(20, 60)), str(rng.choice(["m", "f"])), int(rng.integers(0, 100))) for _ in range(120)]
    return [(age, "hi" if age + hours / 2 > 65 else "lo", sex, hours) for age, sex, hours in rows]


def as_csv(rows, header=""):
    return header + "".join(",".join(map(str, row)) + "\n" for row in rows)


def without_target(rows):
    return [(age, sex, hours) for age, _, sex, hours in rows]


@pytest.fixture
def files(tmp_path, people):
    (tmp_path / "people.csv").write_text(as_csv(people))
    (tmp_path / "new.csv").write_text(as_csv(without_target(people)))
    (tmp_path / "named.csv").write_text(as_csv(people, "age,y,sex,hours\n"))
    (tmp_path / "strangers.csv").write_text(as_csv(without_target(people), "Alter,Geschlecht,Stunden\n"))
    (tmp_path / "wide.csv").write_text(as_csv([(*row, 7) for row in people]))
    return tmp_path


def predicted(capsys, *arguments):
    capsys.readouterr()
    code = run(["predict", *map(str, arguments)])
    output = capsys.readouterr()
    return code, output.out, output.err


@pytest.mark.parametrize("names", [["--names", "age,y,sex,hours"], ["--no-header"]])
@pytest.mark.parametrize("option", [[], ["--no-header"]])
@pytest.mark.parametrize("file", ["people.csv", "new.csv"])
def test_a_file_without_names_has_those_of_training(files, capsys, names, option, file):
    model, target = files / "m.rosenblatt", "y" if names[0] == "--names" else "2"
    assert run(["train", str(files / "people.csv"), *names, "--target", target, "-o", str(model), "-q"]) == 0
    given = ["--names", "age,y,sex,hours" if names[0] == "--names" else "column_1,column_2,column_3,column_4"]
    truth = predicted(capsys, model, files / "people.csv", *given)[1]
    code, labels, told = predicted(capsys, model, files / file, *option)
    assert (code, labels) == (0, truth)
    assert len(labels.splitlines()) == 121
    assert "has no names: its columns were taken to be those of training" in told
    assert ("--skip-lines 1" in told) == (option == [])


def test_evaluate_and_explain_know_the_names_too(files, people, capsys):
    model = str(files / "m.rosenblatt")
    run(["train", str(files / "people.csv"), "--names", "age,y,sex,hours", "--target", "y", "-o", model, "-q"])
    capsys.readouterr()
    errors = []
    for file in ("people.csv", "named.csv"):
        assert run(["evaluate", model, str(files / file), "--json"]) == 0
        errors.append(json.loads(capsys.readouterr().out)["confusion"])
    assert errors[0] == errors[1]
    assert run(["explain", model, str(files / "people.csv"), "--row", "1", "--json"]) == 0
    terms = {one["feature"]: one for one in json.loads(capsys.readouterr().out)["contributions"]}
    assert terms["age"]["original"] == people[0][0]


@pytest.mark.parametrize(
    ("file", "option", "remedy"),
    [
        ("strangers.csv", [], "lacks 'age', 'sex', 'hours'"),  # its first line is no row: nothing is guessed
        ("wide.csv", ["--no-header"], "5 columns; training had 4 with the target (age, y, sex, hours), or 3 without"),
        ("wide.csv", [], "pass --no-header, and --names A,B,…"),
        ("named.csv", ["--no-header"], "its first line holds the names of training: leave out --no-header"),
    ],
)
def test_what_cannot_be_named_is_refused_with_the_remedy(files, capsys, file, option, remedy):
    model = files / "m.rosenblatt"
    run(["train", str(files / "people.csv"), "--names", "age,y,sex,hours", "--target", "y", "-o", str(model), "-q"])
    code, labels, told = predicted(capsys, model, files / file, *option)
    assert (code, labels) == (1, "")
    assert remedy in told


def test_a_model_of_named_columns_reads_rows_without_names_but_not_names_as_a_row(files, capsys):
    model = files / "m.rosenblatt"
    run(["train", str(files / "named.csv"), "--target", "y", "-o", str(model), "-q"])
    truth = predicted(capsys, model, files / "named.csv")[1]
    assert predicted(capsys, model, files / "new.csv")[:2] == (0, truth)
    code, _, told = predicted(capsys, model, files / "people.csv", "--no-header")  # where the target stands is not known
    assert code == 1
    assert "3 without the target (age, sex, hours): pass --names" in told
    assert predicted(capsys, model, files / "people.csv", "--names", "age,y,sex,hours")[:2] == (0, truth)


def test_values_far_from_those_of_training_are_told_by_column_and_change_nothing(tmp_path, capsys):
    rng = np.random.default_rng(5)
    ages, days = rng.integers(20, 60, 200), rng.integers(1, 29, 200)
    lines = [f"{age},2024-03-{day:02d},{'yes' if age > 40 else 'no'}" for age, day in zip(ages, days, strict=True)]
    (tmp_path / "old.csv").write_text("\n".join(["age,since,y", *lines]) + "\n")
    new = ["41,2024-03-05,yes", "29,2024-03-06,no", "492,2024-03-07,yes", "348,2031-01-01,no"]  # two ages in months
    (tmp_path / "new.csv").write_text("\n".join(["age,since,y", *new]) + "\n")
    model = str(tmp_path / "m.rosenblatt")
    assert run(["train", str(tmp_path / "old.csv"), "-t", "y", "-o", model, "-q"]) == 0
    code, labels, told = predicted(capsys, model, tmp_path / "new.csv")
    assert (code, labels.split()[-2:]) == (0, ["yes", "yes"])
    between = f"between {ages.min()} and {ages.max()}"
    assert f"note: age: 2 of 4 values are far from those of training ({between}): has the unit changed?" in told
    assert "note: since: 1 of 4 values is far" in told
    assert "(between 2024-03-01 and 2024-03-28)" in told
    assert predicted(capsys, model, tmp_path / "new.csv", "-q") == (0, labels, "")
    assert "far from" not in predicted(capsys, model, tmp_path / "old.csv")[2]
    assert run(["evaluate", model, str(tmp_path / "new.csv")]) == 0
    assert "note: age: 2 of 4 values are far" in capsys.readouterr().err
