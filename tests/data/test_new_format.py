"""A new file format is one new file and one new line, and every door knows it: `read`, `batches`, and the command line."""

import filecmp
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt

PACKAGE = Path(rosenblatt.__file__).parent
TABLE = Path("data", "formats", "__init__.py")

JSONL = '''"""JSON lines: an object a line, a member a column."""

from __future__ import annotations

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.source import ReadOptions
from rosenblatt.data.source import Source
from rosenblatt.data.table import Place, to_dataset


def recognise(source: Source, options: ReadOptions) -> bool:
    return source.is_text and all(line.startswith("{") for line in source.first_lines)


def read(source: Source, options: ReadOptions) -> Dataset:
    import polars as pl

    return to_dataset(pl.read_ndjson(source.read()), options, source.name, lambda row: Place(source.name, row + 1))


FORMAT = Format("jsonl", "an object a line", read, recognise=recognise, suffixes=(".jsonl",), has_columns=True)
'''

ROWS = [{"colour": "red" if i % 2 else "green", "weight": i, "fruit": "apple" if i % 2 else "pear"} for i in range(50)]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A folder with the package in it, to which the format was added."""
    folder = tmp_path_factory.mktemp("source")
    shutil.copytree(PACKAGE, folder / "rosenblatt", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "rosenblatt" / TABLE).with_name("jsonl.py").write_text(JSONL)
    table = (PACKAGE / TABLE).read_text().splitlines(keepends=True)
    table.insert(table.index("FORMAT_NAMES = (\n") + 1, '    "jsonl",\n')
    (folder / "rosenblatt" / TABLE).write_text("".join(table))
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return folder


def run(folder, *arguments, status=0):
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, "-W", "ignore", *arguments]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == status, result.stderr
    return result.stdout + result.stderr


def differing(one, other):
    """The files that are not the same in two folders."""
    comparison = filecmp.dircmp(one, other, ignore=["__pycache__"])
    names = comparison.left_only + comparison.right_only + comparison.diff_files
    return names + [name for inner in comparison.common_dirs for name in differing(one / inner, other / inner)]


def test_two_files_differ(copy):
    assert sorted(differing(PACKAGE, copy / "rosenblatt")) == ["__init__.py", "jsonl.py"]


@pytest.mark.parametrize("source", ["'rows.jsonl'", "open('rows.jsonl', 'rb')"], ids=["by name", "by content"])
def test_read_and_batches_know_it(copy, source):
    code = f"""
import rosenblatt.data as data
print(data.__file__)
print(data.read({source}, target="fruit").rows.rows()[:2])
print([len(part) for part in data.batches({source}, rows=20, target="fruit")])
"""
    assert run(copy, "-c", code).splitlines() == [
        str(copy / "rosenblatt" / "data" / "__init__.py"),
        "[('green', 0), ('red', 1)]",
        "[20, 20, 10]",
    ]


def test_the_command_line_knows_it(copy):
    trained = run(copy, "-m", "rosenblatt", "train", "rows.jsonl", "--target", "fruit", "-o", "fruit.model")
    assert "50 rows" in trained
    evaluated = run(copy, "-m", "rosenblatt", "evaluate", "fruit.model", "rows.jsonl", "--format", "jsonl", "--json")
    assert json.loads(evaluated)["error"] == 0
    assert "jsonl" in run(copy, "-m", "rosenblatt", "train", "--help")


def test_errors_list_it(copy):
    message = run(copy, "-m", "rosenblatt", "train", "rows.jsonl", "--format", "jsn", "--target", "fruit", status=2)
    assert "choose one of jsonl, csv" in message
    assert "Did you mean 'jsonl'" in message
