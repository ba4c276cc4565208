"""The lecture's income data, cut from the public adult data: the same bytes as the homework's own files."""

import pytest

from rosenblatt.cli import run
from rosenblatt.data import read


def test_the_homeworks_files_are_made_to_the_byte(data_dir, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert run(["data", "income", "--from", str(data_dir / "adult" / "adult.data"), "-q"]) == 0
    files = [tmp_path / "rosenblatt" / "income" / name for name in ("income.train.txt.5k", "income.dev.txt")]
    assert capsys.readouterr().out.split() == [str(file) for file in files]
    for file in files:
        assert file.read_bytes() == (data_dir / "income" / file.name).read_bytes()
    monkeypatch.delenv("ROSENBLATT_DATA")
    assert len(read("income:dev").rows) == 1000, "and `income` finds them"


def test_another_file_is_refused_and_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tmp_path.joinpath("adult.data").write_text("39, State-gov, 77516\n")
    assert run(["data", "income", "--from", str(tmp_path / "adult.data")]) == 1
    assert "not UCI's adult.data" in capsys.readouterr().err
    assert not (tmp_path / "cache").exists()


def test_who_has_no_income_data_is_told_how_to_make_them(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("ROSENBLATT_DATA", raising=False)
    assert run(["facts", "income"]) == 1
    assert "rosenblatt data income" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["nothing"], "choose one of"), (["iris", "--from", "x"], "only income"), (["--from", "x"], "without a NAME")],
)
def test_what_cannot_be_is_refused(capsys, arguments, message):
    assert run(["data", *arguments]) != 0
    assert message in capsys.readouterr().err


def test_the_names_are_listed(capsys):
    assert run(["data"]) == 0
    assert {"income", "mnist", "iris"} <= set(capsys.readouterr().out.split())
