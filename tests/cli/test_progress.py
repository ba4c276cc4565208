"""Progress on standard error: a line that changes on a terminal, plain lines in a pipe, nothing where it is silent."""

import sys
from types import SimpleNamespace

from rosenblatt.cli.progress import CLEAR, ReadingLine, StatusLine, TrainingTable


def on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def compare_two_splits(status):
    show = status.count("split", 2)
    for split in range(2):
        for learner in ("perceptron", "mira"):
            show(split, learner)
    status.end()


def test_a_pipe_gets_a_line_a_step(capsys):
    compare_two_splits(StatusLine())
    assert capsys.readouterr() == ("", "split 1 of 2\nsplit 2 of 2\n")


def test_a_pipe_gets_a_line_for_each_of_two_steps_that_go_on_at_once(capsys):
    show = StatusLine().count("split", 2)
    for learner in ("perceptron", "mira"):
        for split in range(2):
            show(split, learner)
    assert capsys.readouterr() == ("", "split 1 of 2\nsplit 2 of 2\n")


def test_a_terminal_gets_one_line_that_changes_and_is_gone_in_the_end(monkeypatch, capsys):
    on_a_terminal(monkeypatch)
    compare_two_splits(StatusLine())
    shown = [f"split {split} of 2: {learner}" for split in (1, 2) for learner in ("perceptron", "mira")]
    assert capsys.readouterr().err == "".join(f"{CLEAR}{line}" for line in [*shown, ""])


def test_who_is_silent_writes_nothing(monkeypatch, capsys):
    on_a_terminal(monkeypatch)
    compare_two_splits(StatusLine(silent=True))
    StatusLine(silent=True).print_line("a sentence")
    assert capsys.readouterr() == ("", "")


def run_of(examples):
    """A table that has seen so many examples, every second one of them a mistake."""
    table = TrainingTable()
    for t in range(1, examples + 1):
        table.update(SimpleNamespace(examples=t, mistakes=t // 2, updates=t // 2, norm=1.0, total=10))
    table.end()


def test_training_prints_a_row_whenever_the_examples_have_doubled_and_at_the_end(capsys):
    run_of(10)
    head, *rows = capsys.readouterr().err.splitlines()
    assert head.split() == ["error", "since", "last", "examples", "updates", "|w|"]
    assert [row.split()[2] for row in rows] == ["1", "2", "4", "8", "10"]
    assert [row.split()[1] for row in rows] == ["0.0000", "1.0000", "0.5000", "0.5000", "0.5000"]


def test_on_a_terminal_training_has_a_bar_that_is_gone_in_the_end(monkeypatch, capsys):
    on_a_terminal(monkeypatch)
    run_of(5)
    err = capsys.readouterr().err
    assert f"{CLEAR}{'━' * 20}{'╌' * 20}  50 %" in err
    assert err.endswith(f"5           2           1\n{CLEAR}")


def test_reading_tells_rows_megabytes_and_the_time_left(tmp_path, capsys):
    (tmp_path / "rows").write_bytes(b"x" * 30_000_000)
    line = ReadingLine(30_000_000, silent=False)
    with open(tmp_path / "rows", "rb") as rows:
        rows.read(10_000_000)
    line.show(2**21)
    told = capsys.readouterr().err
    assert told.startswith("reading 30 MB: 33 %, 2,097,152 rows, ")
    assert "MB a second" in told
    assert told.endswith("s left\n")
    ReadingLine(30_000_000, silent=False, mapped=True).show(2**21)
    assert "MB a second" not in capsys.readouterr().err
