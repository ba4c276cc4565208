"""The income homework (LECTURES O6) as docs/features.md leads through it: every command prints what the page says."""

import os
import re
import shlex
from pathlib import Path

import pytest

from rosenblatt.cli import run

PAGE = (Path(__file__).parents[2] / "docs" / "features.md").read_text(encoding="utf-8")


SECTION = PAGE.partition("## The income homework")[2].partition("\n## ")[0]


@pytest.mark.full
@pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="ROSENBLATT_TESTS=full")
def test_every_step_of_the_homework_prints_what_the_page_says(data_dir, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    steps = re.findall(r"^\| .+ \| `rosenblatt (.+?)`.* \| (.+) \|$", SECTION, re.MULTILINE)
    assert len(steps) == 16
    for command, printed in steps:
        if command.startswith("lab "):  # tests/lab runs it
            continue
        assert run(shlex.split(command)) == 0, command
        told = capsys.readouterr().out
        for text in re.findall(r"`([^`]+)`", printed):
            assert text in told, (command, text)


def test_the_slides_row_without_a_label_is_predicted_as_it_stands(data_dir, tmp_path, monkeypatch, capsys):
    """LECTURES O6: ten columns, no names, ??? for the label. The model knows the columns of its own file."""
    monkeypatch.chdir(tmp_path)
    row, shown = re.search(r"cat blind.txt\n +(.+)\n +\$ rosenblatt predict .+\n((?: {4}[^$\n]+\n)+)", SECTION).groups()
    tmp_path.joinpath("blind.txt").write_text(f"{row}\n")
    trained = "train income --numeric category --learner averaged --epochs 5 --dev income:dev -o averaged.rosenblatt"
    assert trained in SECTION
    assert run(shlex.split(trained)) == 0
    capsys.readouterr()
    assert run(["predict", "averaged.rosenblatt", "blind.txt"]) == 0
    assert capsys.readouterr().out.split() == shown.split()
    assert run(["explain", "averaged.rosenblatt", "blind.txt"]) == 2
    assert "add --row N" in capsys.readouterr().err
