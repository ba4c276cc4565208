"""train --workers: processes learn from shards, and nobody can tell how many they were."""

import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.cluster.local import LocalWorkers, learn_with_workers, workers_for
from rosenblatt.cluster.local_processes import Worker, workers_in
from rosenblatt.cluster.local_shards import LocalShards, ShardRange, ThreadWorker
from rosenblatt.cluster.mixed_run import ShardsHere, cut, ranges, train_shards
from rosenblatt.cluster.mixing import MixSettings, start_of
from rosenblatt.cluster.worker import mapped_in, read_examples, write_examples
from rosenblatt.engine import rules
from rosenblatt.engine.rows import OneHot
from rosenblatt.errors import SettingError, WorkerError
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.learn import learn_from
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.training import zero_weights


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A table of numbers and categories, of which one label in ten is wrong."""
    draw, n = np.random.default_rng(0), 600
    age, work = draw.integers(18, 80, n), draw.choice(["private", "state", "none"], n)
    rich = (age + 20 * (work == "state") + draw.normal(0, 5, n) > 55) ^ (draw.random(n) < 0.1)
    path = tmp_path_factory.mktemp("people") / "people.csv"
    pl.DataFrame({"age": age, "work": work, "rich": np.where(rich, "yes", "no")}).write_csv(path)
    return path


def in_this_process(shards, mix="uniform"):
    """What `LocalWorkers.run` does, without processes: the serial function."""

    def run_here(examples, rule, plan, held_out, callbacks):
        cuts = ranges(examples.rows.n, shards)
        here = ShardsHere([cut(examples, first, last) for first, last in cuts])
        return train_shards(here, MixSettings(rule, plan, len(cuts), mix), held_out)

    return Callbacks(run=run_here)


def test_the_bytes_depend_on_the_shards_and_not_on_the_workers(people, tmp_path):
    data, recipe = rb.read(people, target="rich"), Recipe(learner="arow", epochs=2, shards=9, mix="updates")
    learn_from(data, recipe, None, in_this_process(9, "updates")).classifier.save(tmp_path / "serial")
    for workers in (1, 2, 3, 8):
        learn_with_workers(data, workers, recipe).save(tmp_path / str(workers))
        assert (tmp_path / str(workers)).read_bytes() == (tmp_path / "serial").read_bytes()
    assert rb.load(tmp_path / "2").recipe.shards == 9


def test_the_command_line_gives_those_bytes_with_rows_in_memory_and_on_disk(people, tmp_path, capsys):
    train = ["train", str(people), "--target", "rich", "--shards", "3", "-e", "3", "-q", "-o"]
    assert run([*train, str(tmp_path / "two"), "--workers", "2", "--force"]) == 0
    assert run([*train, str(tmp_path / "disk"), "--workers", "1", "--force", "--stream"]) == 0
    recipe = Recipe(epochs=3, shards=3)
    learn_from(rb.read(people, target="rich"), recipe, None, in_this_process(3)).classifier.save(tmp_path / "serial")
    seconds = (tmp_path / "two").read_bytes()
    assert seconds == (tmp_path / "disk").read_bytes() == (tmp_path / "serial").read_bytes()
    capsys.readouterr()


def test_a_stopped_run_goes_on_to_the_same_bytes(people, tmp_path, capsys):
    train = ["train", str(people), "--target", "rich", "--shards", "3", "--workers", "1", "--force", "-q", "-o"]
    every = ["--every", "0"]
    assert run([*train, str(tmp_path / "whole"), "-e", "4"]) == 0
    assert run([*train, str(tmp_path / "half"), "-e", "4", "--checkpoint", str(tmp_path / "kept"), *every]) == 0
    os.replace(tmp_path / "kept" / "previous.rosenblatt", tmp_path / "kept" / "checkpoint.rosenblatt")
    assert run([*train, str(tmp_path / "parts"), "-e", "4", "--resume", str(tmp_path / "kept"), *every]) == 0
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
    other = [*train, str(tmp_path / "other"), "-e", "4", "--resume", str(tmp_path / "kept"), "--mix", "updates"]
    assert run(other) != 0
    assert "mix was" in capsys.readouterr().err


def examples_of(n=400):
    draw = np.random.default_rng(1)
    X = sp.random(n, 30, 0.2, random_state=1, format="csr")
    return for_classes(X, (X @ draw.normal(size=30) > 0).astype(int))


@pytest.mark.parametrize("compiled", [True, False])
def test_threads_and_processes_give_the_bits_of_the_serial_function(compiled, monkeypatch):
    monkeypatch.setattr("rosenblatt.cluster.local.core", SimpleNamespace(COMPILED=compiled))
    examples, rule, plan = examples_of(), rules.Mira(), Plan(epochs=3)
    with workers_for(examples, 2) as workers:
        assert {type(worker) for worker in workers} == {ThreadWorker if compiled else Worker}
    mixed = LocalWorkers(2, 4).run(examples, rule, plan, None, Callbacks())
    serial = train_shards(ShardsHere([cut(examples, *both) for both in ranges(400, 4)]), MixSettings(rule, plan, 4))
    for view in ("last", "averaged"):
        assert mixed.view(view).coef.tobytes() == serial.view(view).coef.tobytes()


def stopped(worker):
    return worker.stopped if isinstance(worker, Worker) else worker.stopped.is_set()


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.fixture
def interruptible():
    """Ctrl-C interrupts, also where a shell has begun the tests in the background and told them to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("compiled", [True, False])
def test_an_interrupt_leaves_no_worker_behind(compiled, monkeypatch):
    monkeypatch.setattr("rosenblatt.cluster.local.core", SimpleNamespace(COMPILED=compiled))
    examples, learned, before = examples_of(), [], {*threading.enumerate()}
    settings = MixSettings(rules.Perceptron(), Plan(), 100)
    start = start_of(zero_weights(examples, settings.rule, True), 1, 100)

    def interrupt(part):
        learned.append(part)
        if len(learned) == 1:
            signal.raise_signal(signal.SIGINT)
            wait_for(lambda: stopped(workers[0]))  # as long a shard as it takes to answer the signal

    with workers_for(examples, 2) as workers:
        shards = LocalShards(examples, [ShardRange(i, *both) for i, both in enumerate(ranges(400, 100))], workers)
        shards.wake(settings)
        processes = [worker.process for worker in workers if isinstance(worker, Worker)]
        with pytest.raises(KeyboardInterrupt):
            shards.learn(settings, start, interrupt)
        wait_for(lambda: not [new for new in {*threading.enumerate()} - before if not new.name.startswith("rosenblatt")])
        assert 0 < len(learned) < 100
        with pytest.raises((KeyboardInterrupt, EOFError, OSError)):  # and none begins again
            workers[0].learn(settings, start, shards.shards[0])
    assert all(process.returncode is not None for process in processes)


def test_a_worker_that_is_killed_costs_time_and_not_a_bit(tmp_path):
    examples, settings = examples_of(), MixSettings(rules.Perceptron(), Plan(epochs=3), 4)
    cuts = ranges(400, 4)
    serial = train_shards(ShardsHere([cut(examples, *both) for both in cuts]), settings)
    folders, killed = (write_examples(examples, tmp_path), tmp_path), []
    with workers_in(folders, 2) as workers:
        shards = LocalShards(examples, [ShardRange(i, *both) for i, both in enumerate(cuts)], workers)
        usual = shards.learn

        def learn_and_kill(settings, start, done):
            def kill(part):
                done(part)
                victim = workers[len(killed) % 2].process
                if victim is not None and len(killed) < 4:
                    os.kill(victim.pid, signal.SIGKILL)
                    killed.append(victim.pid)

            return usual(settings, start, kill)

        object.__setattr__(shards, "learn", learn_and_kill)
        mixed = train_shards(shards, settings)
    assert len(set(killed)) >= 2
    for view in ("last", "averaged"):
        assert mixed.view(view).coef.tobytes() == serial.view(view).coef.tobytes()


def test_workers_that_always_end_are_told_with_the_shard(tmp_path):
    examples = examples_of(40)
    write_examples(examples, tmp_path)
    worker = Worker((tmp_path / "nothing", tmp_path))
    broken = [sys.executable, "-c", "import sys; sys.stdin.buffer.read(8)"]
    ask = worker._ask

    def ask_one_that_ends(*task):
        if worker.process is None:
            worker.process = subprocess.Popen(broken, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return ask(*task)

    worker._ask = ask_one_that_ends
    with pytest.raises(WorkerError, match=r"shard 3 \(rows 10 to 19\)"):
        worker.learn(MixSettings(rules.Perceptron(), Plan(), 4), None, ShardRange(3, 10, 20))
    worker.end()


@pytest.mark.parametrize("kind", ["dense", "csr", "one-hot"])
def test_rows_are_mapped_as_they_were(kind, tmp_path):
    codes = np.random.default_rng(0).integers(0, 4, (50, 2)) + np.array([0, 4])
    one_hot = OneHot(codes, 8)
    X = {"dense": one_hot.toarray() * 1.5, "csr": sp.csr_matrix(one_hot.toarray() * 1.5), "one-hot": one_hot}[kind]
    examples = for_classes(X, ["b", "a"] * 25, importance=np.arange(50.0))
    assert write_examples(examples, tmp_path) == tmp_path
    again = read_examples(tmp_path, tmp_path)
    assert again.checksum() == examples.checksum()
    assert mapped_in(again.rows) == tmp_path  # so they are not written a second time
    assert mapped_in(examples.rows) is None


def test_what_is_no_mean_of_weights_is_refused(people, capsys):
    for options, message in (
        (["-l", "voted", "--workers", "2"], "Votes hold examples"),
        (["-l", "kernel", "--workers", "2"], "A kernel holds examples"),
        (["--keep-log", "--workers", "2"], "--keep-log trains in one process"),
        (["--shards", "3"], "--shards would change nothing without --workers"),
        (["--workers", "0"], "0 is not in the range"),
    ):
        assert run(["train", str(people), "--target", "rich", *options]) != 0
        assert message in capsys.readouterr().err
    with pytest.raises(SettingError, match="workers is 0"):
        LocalWorkers(0)
    with pytest.raises(SettingError, match="learn_with_workers"):
        rb.learn(rb.read("iris"), shards=3)


def test_no_bound_is_claimed_of_mixed_weights(tmp_path, capsys):
    (tmp_path / "rows.csv").write_text("a,b,y\n" + "".join(f"{i % 7},{i % 5},{int(i % 7 > 3)}\n" for i in range(70)))
    train = [
        "train",
        str(tmp_path / "rows.csv"),
        "--target",
        "y",
        "-l",
        "perceptron",
        "--workers",
        "1",
        "--force",
        "-e",
        "200",
        "-q",
    ]
    assert run(train) == 0
    assert "no bound         the weights of several shards are mixed" in capsys.readouterr().out
