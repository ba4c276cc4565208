"""rosenblatt demo: the tour runs, offline, and leaves nothing behind."""

import json
import os
import shlex
import socket

import pytest

from rosenblatt.cli import demo as demo_module
from rosenblatt.cli import run
from rosenblatt.cli.demo import TOUR


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*arguments, **keywords):
        raise AssertionError("the demo tried to reach the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_the_tour_prints_every_command_before_its_output_and_what_to_try_next(no_network, capsys):
    folder, before = os.getcwd(), set(os.listdir())
    assert run(["demo"]) == 0
    out = capsys.readouterr().out
    places = [out.index(f"$ rosenblatt {step.command}\n") for step in TOUR]
    assert places == sorted(places)
    assert "dev error" in out[places[0] : places[1]]
    assert "majority" in out[places[-1] :]
    assert "Try next: rosenblatt train" in out
    assert os.getcwd() == folder
    assert set(os.listdir()) == before


def test_the_tour_takes_the_verbs_that_the_issue_asks_for():
    assert {shlex.split(step.command)[0] for step in TOUR} == {"train", "explain", "evaluate", "compare"}


def test_json_gives_one_object_with_the_result_of_every_step(capsys):
    assert run(["demo", "--json"]) == 0
    out, err = capsys.readouterr()
    steps = json.loads(out)["steps"]
    assert [step["command"] for step in steps] == [f"rosenblatt {step.command}" for step in TOUR]
    assert steps[0]["result"]["dev_error"]["averaged"] < 0.1
    assert err == ""


def test_quiet_leaves_the_words_out(capsys):
    assert run(["demo", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert TOUR[0].words not in out
    assert err == ""


def test_a_step_that_fails_ends_the_tour_with_its_exit_code(monkeypatch, capsys):
    monkeypatch.setattr(demo_module, "TOUR", (demo_module.TourStep("A missing file.", "train nowhere.csv"), *TOUR))
    assert run(["demo"]) == 1
    out, err = capsys.readouterr()
    assert "nowhere.csv" in err
    assert TOUR[0].command not in out


def test_without_a_temporary_folder_the_demo_says_so(monkeypatch, capsys):
    def refuse(*arguments, **keywords):
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    assert run(["demo"]) == 1
    assert "TMPDIR" in capsys.readouterr().err


def test_help_shows_the_command(capsys):
    assert run(["demo", "--help"]) == 0
    assert "rosenblatt demo" in capsys.readouterr().out
