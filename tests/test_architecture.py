"""docs/architecture.md is true: the picture is that of the imports, and its walkthroughs work as they are written."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt

SOURCE = Path(rosenblatt.__file__).parent
ROOT = SOURCE.parent.parent
PAGE = ROOT / "docs" / "architecture.md"
POINTS = "a,b,kind\n1,2,plus\n2,1,plus\n-1,-2,minus\n-2,0,minus\n3,1,plus\n-1,-1,minus\n"

if not PAGE.exists():
    pytest.skip("the documentation is not here", allow_module_level=True)


@pytest.fixture(scope="module")
def house():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import house
    finally:
        sys.path.pop(0)
    return house


def test_at_the_root_lie_only_the_names_the_entry_and_the_errors():
    assert sorted(path.name for path in SOURCE.iterdir() if path.is_file()) == [
        "__init__.py", "__main__.py", "errors.py", "py.typed",
    ]  # fmt: skip


def test_the_picture_is_that_of_the_imports(house):
    assert house.PICTURE.read_text() == house.draw(), "draw it again: python docs/house.py --draw"


def test_imports_between_rooms_point_downwards(house):
    order = house.rooms()
    assert all(order.index(upper) < order.index(lower) for upper, lower in house.imports_between_rooms())


def test_training_enters_few_modules(house):
    assert len(house.modules_entered(house.train_people)) <= 30
    assert len(house.modules_entered(house.fit_perceptron)) <= 9


def test_a_class_name_has_one_home():
    homes: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for name in re.findall(r"^class (\w+)", path.read_text(), re.MULTILINE):
            homes.setdefault(name, []).append(path.relative_to(SOURCE).as_posix())
    # A rule and the estimator of the same name are one thing at two doors.
    doors = {"engine/rules.py", "estimators/learners.py"}
    assert {name: paths for name, paths in homes.items() if len(paths) > 1 and not doors.issuperset(paths)} == {}


def test_every_file_that_the_page_names_is_there():
    named = set(re.findall(r"`((?:[a-z_]+/)+[\w.]+\.(?:py|js))`", PAGE.read_text()))
    assert len(named) > 15
    there = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.*")}
    assert [name for name in named if not any(path == name or path.endswith(f"/{name}") for path in there)] == []


def walkthrough(title, folder):
    """A copy of the package with the changes of a walkthrough; the files that they touch."""
    shutil.copytree(SOURCE, folder / "src" / "rosenblatt", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    section = PAGE.read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    (change,) = re.findall(r"```diff\n(.*?)```", section, re.DOTALL)
    (folder / "change.diff").write_text(change)
    done = subprocess.run(["git", "apply", "-p1", "change.diff"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"the diff under {title!r} no longer applies: {done.stderr}"
    return re.findall(r"^\+\+\+ b/(\S+)", change, re.MULTILINE)


def python_in(folder, *arguments, fails=False):
    """What Python prints with the copy; uncompiled, so that nothing has to be built."""
    # The copy keeps its bytecode: it is compiled once, not for every command.
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONWARNINGS": "ignore", "COLUMNS": "200"}
    environment["PYTHONDONTWRITEBYTECODE"] = ""
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert bool(done.returncode) == fails, done.stderr
    return done.stderr if fails else done.stdout


def rosenblatt_in(folder, *arguments, fails=False):
    """What a command of the copy prints."""
    return python_in(folder, "-m", "rosenblatt", *arguments, fails=fails)


def test_a_new_update_rule_needs_four_files(tmp_path):
    assert len(walkthrough("Add an update rule", tmp_path)) <= 4
    (tmp_path / "points.csv").write_text(POINTS)
    data = ["points.csv", "--target", "kind", "-l", "relaxation"]
    assert rosenblatt_in(tmp_path, "train", *data, "--eta0", "0.5", "-o", "m.rosenblatt", "-q").startswith(
        "relaxation: 6 rows"
    )
    assert "training error   0.00 %" in rosenblatt_in(tmp_path, "train", *data, "-q")
    assert "relaxation" in rosenblatt_in(tmp_path, "compare", *data[:3], "--seeds", "2", "--holdout", "0.5", "-q")
    assert "0.5" in rosenblatt_in(tmp_path, "walk", *data, "--eta0", "0.5", "--no-scale")
    rosenblatt_in(tmp_path, "report", "m.rosenblatt", "-o", "report.html", "-q")
    assert "relaxation (eta0 0.5)" in (tmp_path / "report.html").read_text()
    assert "100" in rosenblatt_in(tmp_path, "evaluate", "m.rosenblatt", "points.csv", "-q")
    # tau = eta0 (1 − margin) / (|x|² + 1): the first step of the second row, from 0, by hand.
    code = "from rosenblatt import rules; print(rules.Relaxation(rate=0.5).tau(margin=-1.0, norm2=4.0))"
    assert float(python_in(tmp_path, "-c", code)) == 0.5 * (1 + 1) / 4


def test_a_new_file_format_needs_two_files(tmp_path):
    assert len(walkthrough("Add a file format", tmp_path)) == 2
    rows = [{"colour": "red" if i % 2 else "green", "weight": i, "fruit": "apple" if i % 2 else "pear"} for i in range(50)]
    (tmp_path / "rows.log").write_text("".join(" ".join(f"{k}={v}" for k, v in row.items()) + "\n" for row in rows))
    assert "50 rows" in rosenblatt_in(tmp_path, "train", "rows.log", "--target", "fruit", "-o", "fruit.rosenblatt", "-q")
    for named in ([], ["--format", "logfmt"]):
        evaluated = rosenblatt_in(tmp_path, "evaluate", "fruit.rosenblatt", "rows.log", *named, "--json")
        assert json.loads(evaluated)["error"] == 0
    assert "logfmt" in rosenblatt_in(tmp_path, "train", "--help")
    assert "choose one of logfmt, csv" in rosenblatt_in(tmp_path, "train", "rows.log", "--format", "logfm", fails=True)
    code = """
import rosenblatt.data as data
for source in ("rows.log", open("rows.log", "rb")):
    print(data.read(source, target="fruit").rows.rows()[:2], end="; ")
print([len(part) for part in data.batches("rows.log", rows=20, target="fruit")])
"""
    printed = python_in(tmp_path, "-c", code)
    assert printed == "[('green', 0), ('red', 1)]; [('green', 0), ('red', 1)]; [20, 20, 10]\n"


def test_a_new_verb_needs_two_files(tmp_path):
    assert len(walkthrough("Add a verb", tmp_path)) == 2
    (tmp_path / "points.csv").write_text(POINTS)
    assert rosenblatt_in(tmp_path, "classes", "points.csv", "--target", "kind").split() == ["3", "minus", "3", "plus"]
    assert "Count the rows of each class" in rosenblatt_in(tmp_path, "--help")
