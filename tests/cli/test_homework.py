"""The income homework (LECTURES O6) as docs/features.md leads through it: every command prints what the page says."""

import os
import re
import shlex
from pathlib import Path

import pytest

from rosenblatt.cli import run

PAGE = (Path(__file__).parents[2] / "docs" / "features.md").read_text(encoding="utf-8")


@pytest.mark.full
@pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="ROSENBLATT_TESTS=full")
def test_every_step_of_the_homework_prints_what_the_page_says(data_dir, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    section = PAGE.partition("## The income homework")[2].partition("\n## ")[0]
    steps = re.findall(r"^\| .+ \| `rosenblatt (.+?)` \| (.+) \|$", section, re.MULTILINE)
    assert len(steps) == 9
    for command, printed in steps:
        if command.startswith("lab "):  # tests/lab runs it
            continue
        assert run(shlex.split(command)) == 0, command
        told = capsys.readouterr().out
        for text in re.findall(r"`([^`]+)`", printed):
            assert text in told, (command, text)
