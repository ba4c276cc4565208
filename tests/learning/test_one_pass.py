"""Rows that come once: the model is that of training on the first part and of updates with the others."""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.data import batches
from rosenblatt.data.read_options import BufferSizes
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.one_pass import learn_once


def text(n, labels=("no", "yes")):
    draw = np.random.default_rng(0)
    age, sector = draw.integers(17, 90, n), draw.integers(0, 300, n)
    right = (age + 5 * (sector % 3) + draw.normal(size=n) > 55).astype(int)
    right = np.where(np.arange(n) > 0.8 * n, right + (len(labels) - 2) * (sector % 2), right)
    lines = [f"{a},s{s},{labels[r]}" for a, s, r in zip(age, sector, right, strict=True)]
    return "age,sector,rich\n" + "\n".join(lines) + "\n"


def test_a_pipe_that_is_one_block_gives_the_bytes_of_one_epoch_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(text(900))
    train = ["train", "--target", "rich", "--hash", "8", "-q", "-o"]
    assert run([*train, "file", "t.csv", "--order", "given", "-e", "1"]) == 0
    train.remove("-q")
    command = [sys.executable, "-m", "rosenblatt", *train, "pipe", "-", "--stream"]
    done = subprocess.run(command, input=text(900), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "decided by the first 900 rows" in done.stderr
    assert Path("pipe").read_bytes() == Path("file").read_bytes()


@pytest.mark.parametrize("learner", ["averaged", "passive-aggressive", "logistic", "arow"])
def test_the_parts_that_follow_are_updates(learner, tmp_path):
    content, recipe = text(3000, ("no", "yes", "maybe")), Recipe(learner=learner, features={"hashing": 9})
    options = {"target": "rich", "sizes": BufferSizes(table_block=2**12)}
    parts = list(batches(io.BytesIO(content.encode()), None, **options))
    learned = learn_once(iter(parts), recipe)
    model = rb.learn(parts[0], recipe, epochs=1, order="given")
    rest = rb.read(io.BytesIO(content.encode()), target="rich").slice(len(parts[0]))
    report = model.update(rest.rows, rest.labels)
    assert len(parts) > 5
    assert (learned.first, learned.report.rows) == (len(parts[0]), 3000)
    assert learned.report.new_classes == report.new_classes == ["maybe"]
    assert learned.report.mistakes == report.mistakes + model.history[0].mistakes
    model.save(tmp_path / "update")
    learned.classifier.save(tmp_path / "once")
    assert (tmp_path / "once").read_bytes() == (tmp_path / "update").read_bytes()


def test_words_and_json_work_too(tmp_path, monkeypatch, capsys):
    lines = "".join(f"{'ham' if i % 3 else 'spam'}\tword{i % 3} and{i % 7} more{i % 11}\n" for i in range(300))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert run(["train", "-", "--stream", "--hash", "10", "--json", "-o", str(tmp_path / "m")]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["rows"], facts["first_rows"], facts["classes"]) == (300, 300, ["ham", "spam"])
    assert 0 < facts["error"] < 0.2
    assert rb.load(tmp_path / "m").summary.examples == 300


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "--hash BITS, say 20"),
        (["--hash", "8", "--holdout", "0.2"], "--holdout needs rows that can be read again"),
        (["--hash", "8", "--dev", "t.csv"], "--dev needs rows that can be read again"),
        (["--hash", "8", "-e", "3"], "--epochs 3 needs rows that can be read again"),
        (["--hash", "8", "--order", "shuffled"], "--order shuffled needs rows"),
        (["--hash", "8", "--cache", "kept"], "--cache needs rows"),
        (["--hash", "8", "-l", "voted"], "kernels, votes and a log"),
    ],
)
def test_what_takes_more_than_one_pass_is_refused_by_name(arguments, reason, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text(50).encode())))
    assert run(["train", "-", "--target", "rich", "--stream", *arguments]) == 2
    assert reason in " ".join(capsys.readouterr().err.split())


def test_a_quantity_and_a_format_without_hashes_are_refused(capsys, monkeypatch):
    for content, reason in (
        ("x,price\n" + "".join(f"{i},{i * 1.37}\n" for i in range(99)), "is a quantity"),
        ("1 3:1\n0 2:1\n", "--hash BITS"),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        target = ["--target", "price"] if "price" in content else []
        assert run(["train", "-", *target, "--stream", "--hash", "8"]) > 0
        assert reason in " ".join(capsys.readouterr().err.split())
