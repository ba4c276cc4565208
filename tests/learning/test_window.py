"""Rows on disk in windows: what the order of an epoch is made of, how large a window is, and what is told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.engine import order
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.window import with_window


@given(st.integers(1, 400), st.integers(1, 500), st.integers(0, 3))
def test_every_epoch_has_every_row_once_and_neighbours_within_a_window(n, window, seed):
    pool = np.arange(n, dtype=np.int32)
    drawn = order.epochs("shuffled", pool, seed, window=window)
    block = max(1, window // order.BLOCKS_IN_WINDOW)
    whole = order.epochs("shuffled", pool, seed)
    for _ in range(3):
        rows, place = next(drawn), np.empty(n, dtype=int)
        place[rows] = np.arange(n)
        assert sorted(rows.tolist()) == list(range(n))
        if window < n:  # neighbours in the file are not far in time: within a window
            assert all(np.ptp(place[start : start + block]) < window for start in range(0, n, block))
        else:
            assert (rows == next(whole)).all()


def rows_of(labels):
    X = np.random.default_rng(0).normal(size=(len(labels), 3))
    return for_classes((X + np.asarray(labels)[:, None]).astype(np.float32), labels)


def test_a_window_is_a_quarter_of_memory_where_half_of_it_is_too_small():
    examples = rows_of([0, 1] * 500)  # 12 bytes a row
    assert with_window(Recipe(), examples, memory=24_000) == (Recipe(), ())
    recipe, (sentence,) = with_window(Recipe(), examples, memory=16_000)
    assert recipe.window == 333
    assert "--window 1000" in sentence
    assert with_window(Recipe(window=1000), examples, memory=16_000) == (Recipe(), ())
    assert with_window(Recipe(order="given"), examples, memory=1)[0].window is None


def test_a_window_of_rows_that_come_class_by_class_holds_both_classes():
    codes, window = np.repeat([0, 1], 50_000), 6400
    rows = next(order.epochs("shuffled", np.arange(100_000, dtype=np.int32), 0, window=window))
    shares = [codes[rows[start : start + window]].mean() for start in range(0, 90_000, window)]
    assert min(shares) > 0.25  # 64 blocks, each of either class: four standard deviations from a half
    assert max(shares) < 0.75


def test_limits_of_control_groups_count(tmp_path):
    from rosenblatt.engine.memory_size import control_group_limits

    (tmp_path / "proc").write_text("0::/jobs/17\n")
    (tmp_path / "jobs" / "17").mkdir(parents=True)
    (tmp_path / "jobs" / "17" / "memory.max").write_text("max\n")
    (tmp_path / "jobs" / "memory.max").write_text("5000\n")
    assert control_group_limits(tmp_path, tmp_path / "proc") == [5000]
    (tmp_path / "old").write_text("4:cpu:/x\n3:memory:/jobs\n")
    (tmp_path / "memory" / "jobs").mkdir(parents=True)
    (tmp_path / "memory" / "jobs" / "memory.limit_in_bytes").write_text("700\n")
    assert 700 in control_group_limits(tmp_path, tmp_path / "old")


@pytest.fixture
def table(tmp_path):
    draw = np.random.default_rng(0)
    rows = "".join(f"{a:.4f},{b:.4f},{'yes' if a + b > 0 else 'no'}\n" for a, b in draw.normal(size=(2000, 2)))
    (tmp_path / "t.csv").write_text("a,b,c\n" + rows)
    return str(tmp_path / "t.csv")


def test_a_window_as_large_as_the_data_gives_the_bytes_of_memory(table, tmp_path):
    train = ["train", table, "--target", "c", "-q", "-o"]
    for name, options in {
        "memory": [],
        "all": ["--stream", "--window", "2000"],
        "some": ["--stream", "--window", "100"],
    }.items():
        assert run([*train, str(tmp_path / name), *options]) == 0
    assert (tmp_path / "all").read_bytes() == (tmp_path / "memory").read_bytes()
    some = rb.load(tmp_path / "some")
    assert some.recipe.window == 100
    assert some.summary.train_error < 0.02  # a line separates them, but for rows close to it


def test_a_window_without_a_stream_is_refused(table, capsys):
    assert run(["train", table, "--target", "c", "--window", "10"]) == 2
    assert "it needs --stream" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "streams"),
    [([], True), (["--holdout", "0.2"], True), (["--calibrate"], True), (["--keep-log"], False), (["-l", "voted"], False)],
)
def test_a_file_larger_than_a_quarter_of_memory_is_held_on_disk_and_said_so(options, streams, table, monkeypatch, capsys):
    monkeypatch.setattr("rosenblatt.cli.streaming.memory_size", lambda: 4 * 30_000)
    monkeypatch.setattr("rosenblatt.cli.train.LEAST_HELD_ON_DISK", 1000)
    assert run(["train", table, "--target", "c", *options]) == 0
    assert ("rows are held on disk, as with --stream" in capsys.readouterr().err) == streams
