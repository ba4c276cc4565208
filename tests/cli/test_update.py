"""rosenblatt update: new rows, in one file or in ten."""

import json
from pathlib import Path

import pytest

import rosenblatt as rb
from rosenblatt.cli import run

LINES = [f"{'red' if i % 3 else 'green'},{i % 17},{'yes' if (i % 17 > 8) == (i % 3 > 0) else 'no'}" for i in range(200)]
NEW = [f"{'red' if i % 2 else 'blue'},{i % 19},{('yes', 'no', 'maybe')[i * i % 7 % 3]}" for i in range(100)]


def write(name, lines):
    Path(name).write_text("\n".join(["colour,size,ripe", *lines]) + "\n")


@pytest.fixture(autouse=True)
def trained(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write("old.csv", LINES)
    assert run(["train", "old.csv", "--target", "ripe", "-o", "m.rosenblatt", "-q"]) == 0
    capsys.readouterr()


def test_ten_files_give_the_bytes_of_one_and_of_python(capsys):
    write("new.csv", NEW)
    assert run(["update", "m.rosenblatt", "new.csv", "-o", "one.rosenblatt", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["rows"], facts["new_classes"], facts["classes"]) == (100, ["maybe"], ["no", "yes", "maybe"])
    assert facts["seen"] == 5 * 200 + 100
    Path("ten.rosenblatt").write_bytes(Path("m.rosenblatt").read_bytes())
    for start in range(0, 100, 10):
        write("part.csv", NEW[start : start + 10])
        assert run(["update", "ten.rosenblatt", "part.csv", "-o", "ten.rosenblatt", "-q"]) == 0
    assert Path("ten.rosenblatt").read_bytes() == Path("one.rosenblatt").read_bytes()
    model, data = rb.load("m.rosenblatt"), rb.read("new.csv", target="ripe")
    model.update(data.rows, data.labels)
    model.save("python.rosenblatt")
    assert Path("python.rosenblatt").read_bytes() == Path("one.rosenblatt").read_bytes()


def test_it_tells_what_it_did_and_evaluate_sorts_the_classes(capsys):
    write("new.csv", NEW)
    assert run(["update", "m.rosenblatt", "new.csv", "-o", "m.rosenblatt"]) == 0
    printed = capsys.readouterr()
    assert "100 new rows" in printed.out
    assert "new classes      maybe" in printed.out
    assert run(["evaluate", "m.rosenblatt", "new.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("Confusion"))
    assert lines[head + 1].split() == ["maybe", "no", "yes"]
    assert [line.split()[0] for line in lines[head + 2 : head + 5]] == ["maybe", "no", "yes"]
    truths = [sum(map(int, line.split()[1:])) for line in lines[head + 2 : head + 5]]
    assert truths == [sum(line.endswith(label) for line in NEW) for label in ("maybe", "no", "yes")]


def test_rows_that_are_left_out_are_told_together(capsys):
    """A file of 20 MB comes in three batches; each has a row without a label."""
    pad = "x" * 200_000
    lines = [f"red,{row},{'' if row in (3, 45, 95) else 'yes'},{pad}" for row in range(100)]
    Path("new.csv").write_text("\n".join(["colour,size,ripe,note", *lines]) + "\n")
    assert run(["update", "m.rosenblatt", "new.csv", "-o", "m.rosenblatt", "--unlabelled", "skip"]) == 0
    printed = capsys.readouterr()
    assert "97 new rows" in printed.out
    assert [line for line in printed.err.splitlines() if "left out" in line] == [
        "note: 3 rows have no label and were left out of new.csv."
    ]


def test_rows_without_labels_and_bad_rows_leave_the_model_alone(capsys):
    before = Path("m.rosenblatt").read_bytes()
    Path("bare.csv").write_text("colour,size\nred,1\n")
    assert run(["update", "m.rosenblatt", "bare.csv", "-o", "m.rosenblatt"]) == 1
    assert "ripe" in capsys.readouterr().err
    write("new.csv", [*NEW[:5], "red,inf,yes"])
    assert run(["update", "m.rosenblatt", "new.csv", "-o", "m.rosenblatt"]) == 1
    assert "rows 1 to 6" in capsys.readouterr().err
    assert run(["update", "m.rosenblatt", "old.csv"]) == 2
    assert run(["update", "m.rosenblatt", "old.csv", "-o", "old.csv"]) == 2
    assert Path("m.rosenblatt").read_bytes() == before


def test_a_column_of_another_meaning_is_refused(capsys):
    write("new.csv", [f"red,{i},label {i}" for i in range(200)])
    assert run(["update", "m.rosenblatt", "new.csv", "-o", "m.rosenblatt"]) == 1
    assert "more than 100 labels that training never saw" in capsys.readouterr().err
