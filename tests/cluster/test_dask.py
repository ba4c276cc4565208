"""train --dask: real scheduler and worker processes on this machine; whatever dies, the model file has the same bytes."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading

import numpy as np
import polars as pl
import pytest

import rosenblatt as rb
from rosenblatt.cli import run
from rosenblatt.cluster import encoded
from rosenblatt.cluster.job import FileSource, learn_on_cluster
from rosenblatt.cluster.local import learn_with_workers
from rosenblatt.cluster.tasks import TasksHere
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.errors import FileError, WorkerError
from rosenblatt.learning.checkpoint import Checkpoints
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.learners import Recipe

distributed = pytest.importorskip("distributed", reason="dask is not installed")
from rosenblatt.cluster.dask_tasks import DaskTasks, cluster_at  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of sockets and processes that were killed
FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
RECIPE = Recipe(learner="mira", epochs=3, shards=5, mix="updates")
SECONDS = 120  # before a run hangs


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Numbers with fractions, a category with quotes and line breaks in it, cells that are missing."""
    draw, n = np.random.default_rng(0), 1500
    size, kind = (
        draw.normal(5, 2, n).round(3),
        draw.choice(["plain", 'with "quotes"', "two\nlines", "rare, too"], n, p=[0.5, 0.2, 0.29, 0.01]),
    )
    wanted = (size + 2 * (kind == "plain") > 6) ^ (draw.random(n) < 0.1)
    frame = pl.DataFrame({"size": size, "kind": kind, "wanted": np.where(wanted, "yes", "no")})
    frame = frame.with_columns(pl.when(pl.int_range(n) % 17 == 3).then(None).otherwise(pl.col("size")).alias("size"))
    path = tmp_path_factory.mktemp("rows") / "table.csv"
    frame.write_csv(path)
    return path


def source_of(path, **others):
    return FileSource(str(path), ReadOptions(target="wanted"), block_bytes=3000, sample_rows=400, **others)


@pytest.fixture(scope="module")
def serial(table, tmp_path_factory):
    """The bytes of the serial function."""
    folder = tmp_path_factory.mktemp("serial")
    learn_on_cluster(source_of(table, folder=str(folder / "rows")), RECIPE, TasksHere()).classifier.save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """One worker at first; tests take as many as they need."""
    folder = tmp_path_factory.mktemp("scratch")
    settings = {"n_workers": 1, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with distributed.LocalCluster(local_directory=str(folder), **settings) as local:
        yield local


def within(seconds, work):
    """What `work` gives; fails where it takes longer."""
    outcome = {}

    def call():
        try:
            outcome["value"] = work()
        except BaseException as problem:
            outcome["problem"] = problem

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), f"it hangs after {seconds} s"
    if "problem" in outcome:
        raise outcome["problem"]
    return outcome["value"]


def bytes_of(learned, path):
    learned.classifier.save(path)
    return path.read_bytes()


def bracketed(number, mark):
    return f"{number}{mark}"


def in_brackets(a, b):
    return f"({a} {b})"


@pytest.mark.parametrize("count", [1, 31, 150])
def test_many_items_share_tasks_and_give_the_same_tree(count, cluster):
    with distributed.Client(cluster) as client:
        tasks = DaskTasks(client)
        by_cluster = tasks.reduce(bracketed, range(count), in_brackets, "!"), tasks.map(bracketed, range(count), "!")
        used = next(tasks.numbers)
    assert by_cluster == (TasksHere().reduce(bracketed, range(count), in_brackets, "!"), [f"{k}!" for k in range(count)])
    assert used <= max(3 * count, 150)  # one worker of one thread: of 150 items, eight share a task


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
def test_the_bytes_are_those_of_the_serial_function(workers, cluster, table, serial, tmp_path):
    cluster.scale(workers)
    with distributed.Client(cluster) as client:
        client.wait_for_workers(workers, timeout=SECONDS)
        learned = within(SECONDS, lambda: learn_on_cluster(source_of(table), RECIPE, DaskTasks(client)))
    assert bytes_of(learned, tmp_path / "model") == serial


class KeptWorkers:
    """Worker processes that are started again whenever they have ended, as a real cluster does it; some are killed."""

    def __init__(self, address, number, folder):
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
        self.command = [sys.executable, "-m", "dask", "worker", address, *options]
        self.processes = [self.start() for _ in range(number)]
        self.draw = random.Random(os.environ.get("ROSENBLATT_HYPOTHESIS_SEED"))
        self.to_kill, self.killed, self.over = 0, 0, threading.Event()
        self.keeper = threading.Thread(target=self.keep)
        self.keeper.start()

    def start(self):
        return subprocess.Popen(self.command, stderr=subprocess.DEVNULL)

    def keep(self):
        while not self.over.wait(self.draw.uniform(0.02, 0.5)):
            if self.to_kill:
                victim = self.draw.randrange(len(self.processes))
                self.processes[victim].send_signal(signal.SIGKILL)
                self.to_kill, self.killed = self.to_kill - 1, self.killed + 1
            for place, process in enumerate(self.processes):
                if process.poll() is not None:
                    self.processes[place] = self.start()

    def end(self):
        self.over.set()
        self.keeper.join()
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.mark.parametrize("runs", [50 if FULL else 2])
def test_workers_that_are_killed_cost_time_and_not_a_bit(runs, table, serial, tmp_path):
    settings = {"n_workers": 0, "host": "127.0.0.1", "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(**settings) as scheduler, distributed.Client(scheduler) as client:
        workers = KeptWorkers(scheduler.scheduler_address, 3, tmp_path)
        try:
            client.wait_for_workers(3, timeout=SECONDS)
            for number in range(runs):
                workers.to_kill, workers.killed = 3, 0
                while workers.killed < 2:  # again, where it was over before two were killed
                    learned = within(SECONDS, lambda: learn_on_cluster(source_of(table), RECIPE, DaskTasks(client)))
                    assert bytes_of(learned, tmp_path / f"model-{number}") == serial
        finally:
            workers.end()


def test_rows_that_were_damaged_on_a_worker_are_encoded_again(cluster, table, serial, tmp_path):
    with distributed.Client(cluster) as client:
        client.wait_for_workers(1, timeout=SECONDS)
        folder = client.submit(where_rows_lie).result()
        client.run(forget_rows)
        for values in folder.glob("*/values"):
            values.write_bytes(b"\1" + values.read_bytes()[1:])
        learned = within(SECONDS, lambda: learn_on_cluster(source_of(table), RECIPE, DaskTasks(client)))
    assert bytes_of(learned, tmp_path / "model") == serial


def forget_rows():
    """As a worker that was started again: it has mapped nothing yet."""
    from rosenblatt.cluster import encoded

    encoded.OPEN.clear()


def where_rows_lie():
    from rosenblatt.cluster.encoded import Encoding, local_folder

    return local_folder(Encoding({}, [], "U", None, 0))


def pages_of(folder):
    """How many kB of the files in a folder are pages of this process."""
    pages, counts = 0, False
    with open("/proc/self/smaps", encoding="utf-8") as lines:
        for line in lines:
            if "-" in line.split()[0]:  # a mapping: its addresses, rights and file
                counts = str(folder) in line
            elif counts and line.startswith("Rss:"):
                pages += int(line.split()[1])
    return pages


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps"), reason="this system does not tell whose pages are whose")
def test_rows_of_a_shard_leave_the_process_when_its_task_ends(table, tmp_path, monkeypatch):
    """Dask counts mapped rows as a worker's own, and stops or kills a worker above its limit."""
    during = []

    def watched(examples, *others):
        part = encoded_learn(examples, *others)
        during.append(pages_of(tmp_path))
        return part

    encoded_learn = encoded.learn_shard
    monkeypatch.setattr(encoded, "learn_shard", watched)
    encoded.OPEN.clear()
    learn_on_cluster(source_of(table, folder=str(tmp_path)), RECIPE, TasksHere())
    assert len(during) == 15
    assert min(during) > 0
    assert len(encoded.OPEN) == 5
    assert pages_of(tmp_path) == 0


@pytest.mark.skipif(not FULL, reason="writes 350 MB")
def test_no_worker_exceeds_its_limit_though_the_rows_do(tmp_path):
    """Two workers of 450 MB, 520 MB of encoded rows: nobody is stopped for good, killed or above the limit."""
    draw, n, limit = np.random.default_rng(0), 5_000_000, 450_000_000
    table = {f"x{k}": draw.normal(size=n).astype(np.float32).round(2) for k in range(12)}
    frame = pl.DataFrame(table | {"kind": draw.integers(0, 50, n)}).with_columns("v" + pl.col("kind").cast(str))
    frame.with_columns(wanted=pl.when(pl.col("x0") > 0).then(pl.lit("yes")).otherwise(pl.lit("no"))).write_csv(
        tmp_path / "rows.csv"
    )
    settings = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with (
        distributed.LocalCluster(local_directory=str(tmp_path), memory_limit=limit, **settings) as local,
        distributed.Client(local) as client,
    ):
        import psutil

        workers = client.run(os.getpid)
        largest, ended = dict.fromkeys(workers.values(), 0), threading.Event()

        def watch():
            while not ended.wait(0.05):
                for process in largest:
                    largest[process] = max(largest[process], psutil.Process(process).memory_info().rss)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            source = FileSource(str(tmp_path / "rows.csv"), ReadOptions(target="wanted"))
            learned = within(5 * SECONDS, lambda: learn_on_cluster(source, Recipe(shards=16, epochs=3), DaskTasks(client)))
        finally:
            ended.set()
            watcher.join()
        assert client.run(os.getpid) == workers
    assert learned.classifier.summary.examples == n
    assert max(largest.values()) < limit


@pytest.fixture(scope="module")
def drifting(tmp_path_factory):
    """400,000 rows whose towns and numbers change along the file: blocks of several MB have other texts each."""
    draw, n = np.random.default_rng(0), 400_000
    place = np.arange(n)
    size = draw.normal(size=n).round(1) + place // 100_000
    town = np.char.add("town", (place // 40_000 + draw.integers(0, 3, n)).astype(str))
    wanted = np.where((size > 1.5) ^ (draw.random(n) < 0.1), "yes", "no")
    frame = pl.DataFrame({"town": town, "again": town, "size": size, "wanted": wanted})
    folder = tmp_path_factory.mktemp("drifting")
    frame.write_csv(folder / "rows.csv")
    frame.write_parquet(folder / "rows.parquet")
    return folder


@pytest.mark.parametrize(("format", "in_block"), [("csv", 6_000_000), ("parquet", 100_000)])
def test_blocks_may_have_other_texts_each(format, in_block, drifting, tmp_path):
    """A large CSV holds texts that repeat by their codes, and each block has its own."""
    path, recipe = drifting / f"rows.{format}", Recipe(shards=3, epochs=2, features={"numeric": "number"})
    source = FileSource(str(path), ReadOptions(target="wanted"), in_block, folder=str(tmp_path), sample_rows=2000)
    learned = learn_on_cluster(source, recipe, TasksHere()).classifier
    expected = learn_with_workers(rb.read(path, target="wanted"), 1, recipe)
    assert learned.features.names == expected.features.names
    assert learned.summary.examples == 400_000
    assert learned.summary.train_error == pytest.approx(0.1, abs=0.01)


def test_rows_that_are_sorted_by_class_are_told(cluster, table, tmp_path, capsys):
    pl.read_csv(table).sort("wanted").write_csv(tmp_path / "sorted.csv")
    for where in (["--dask", cluster.scheduler_address], ["--workers", "2", "--force"]):
        for path, told in ((tmp_path / "sorted.csv", 1), (table, 0)):
            assert run(["train", str(path), "--target", "wanted", "--numeric", "number", *where]) == 0
            assert capsys.readouterr().err.count("The rows seem to be sorted by class: ") == told


def test_errors_name_the_file_the_line_and_the_remedy(cluster, table, tmp_path):
    bad = tmp_path / "bad.csv"
    lines = table.read_text().splitlines(keepends=True)
    bad.write_text("".join([*lines[:1200], "1.5,plain\n", *lines[1200:]]))
    with distributed.Client(cluster) as client:
        client.wait_for_workers(1, timeout=SECONDS)
        with pytest.raises(FileError, match=r"bad.csv, line 1,201: .*2 cells"):
            within(SECONDS, lambda: learn_on_cluster(source_of(bad), RECIPE, DaskTasks(client)))
        gone = tmp_path / "gone.csv"
        gone.write_text(table.read_text())
        tasks = DaskTasks(client)
        usual = tasks.reduce

        def vanishes_before_it_is_encoded(function, *others):
            if function is encoded.facts_of:
                gone.unlink()
            return usual(function, *others)

        tasks.reduce = vanishes_before_it_is_encoded
        with pytest.raises(FileError, match=r"gone.csv: it cannot be read .* \(shard [0-4]\)"):
            within(SECONDS, lambda: learn_on_cluster(source_of(gone), RECIPE, tasks))


def test_a_full_disk_is_named_with_the_shard(table, tmp_path, monkeypatch):
    def full(self, matrix):
        raise OSError(28, "No space left on device")

    encoded.OPEN.clear()
    monkeypatch.setattr(encoded.RowCacheWriter, "add", full)
    with pytest.raises(FileError, match=r"there is no room for the rows .* \(shard 0\)"):
        learn_on_cluster(source_of(table, folder=str(tmp_path / "rows")), RECIPE, TasksHere())


def test_a_cluster_without_a_worker_is_told_and_not_waited_for_for_ever(table, monkeypatch):
    monkeypatch.setattr("rosenblatt.cluster.dask_tasks.PATIENCE", 0.2)
    monkeypatch.setattr("rosenblatt.cluster.dask_tasks.LOOK_EVERY", 0.1)
    told = []
    empty = distributed.LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None)
    with empty, distributed.Client(empty) as client:
        tasks = DaskTasks(client, told.append, without_worker=1.0)
        with pytest.raises(WorkerError, match=r"no worker for [0-9]+ seconds: start some, dask worker tcp://127"):
            within(SECONDS, lambda: learn_on_cluster(source_of(table), RECIPE, tasks))
    assert [sentence.split(":")[0] for sentence in told] == ["The cluster has no worker, and the run waits for one"]


def test_a_scheduler_that_is_killed_is_told_and_the_run_goes_on_elsewhere(table, serial, tmp_path):
    """On the same cluster, on another, or on none: what counts are the rows."""
    python = [sys.executable, "-m", "dask"]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = subprocess.Popen(
        [*python, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"], stderr=subprocess.DEVNULL
    )
    options = ["--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--local-directory", str(tmp_path)]
    worker = subprocess.Popen([*python, "worker", address, *options], stderr=subprocess.DEVNULL)
    try:
        checkpoints = Checkpoints(tmp_path / "kept", RECIPE, lambda: True)
        usual = checkpoints.after_stretch

        def kill_the_scheduler(run, place):
            usual(run, place)
            scheduler.kill()
            scheduler.wait()

        checkpoints.after_stretch = kill_the_scheduler

        def train():
            distributed.Client(address, timeout=SECONDS).close()  # it is there
            with cluster_at(address, seconds=3) as tasks:
                tasks.client.wait_for_workers(1, timeout=SECONDS)
                learn_on_cluster(source_of(table), RECIPE, tasks, None, Callbacks(checkpoints=checkpoints))

        with pytest.raises(WorkerError, match="--resume"):
            within(SECONDS, train)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    going_on = Callbacks(checkpoints=Checkpoints(tmp_path / "kept", RECIPE, lambda: True, resume=True))
    resumed = learn_on_cluster(source_of(table, folder=str(tmp_path / "rows")), RECIPE, TasksHere(), None, going_on)
    assert bytes_of(resumed, tmp_path / "model") == serial


def test_the_command_line_says_what_is_missing_or_wrong(table, capsys):
    train = ["train", str(table), "--target", "wanted"]
    for options, message in (
        (["--dask", "local", "--holdout", "0.2"], "A cluster holds no rows out: put some into a file of their own"),
        (["--dask", "local", "--certify", "1"], "--certify needs all rows in one process"),
        (["--dask", "local", "--stream"], "--stream would change nothing on a cluster"),
        (["--dask", "local", "--force"], "--force would change nothing on a cluster, which is not measured before"),
        (["--dask", "tcp://127.0.0.1:9", "--workers", "2"], "leave out --workers"),
        (["--dask", "nowhere"], "no Dask scheduler at nowhere"),
        (["--dask", "local", "--workers", "1", "--target", "size", "--unlabelled", "skip"], "a quantity"),
    ):
        assert run([*train, *options]) != 0
        assert message in capsys.readouterr().err


def test_without_dask_the_option_names_the_extra(table):
    code = "import sys; sys.modules['distributed'] = None; from rosenblatt.cli import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "train", str(table), "--target", "wanted", "--dask", "local"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert "pip install 'rosenblatt[dask]'" in done.stderr


def test_the_command_line_gives_the_bytes_of_local_processes(table, tmp_path, capsys):
    """All rows are in the sample here, so not even the last digit of a mean differs."""
    options = ["--target", "wanted", "--shards", "3", "-e", "2", "-q"]
    assert run(["train", str(table), *options, "--dask", "local", "--workers", "1", "-o", str(tmp_path / "dask")]) == 0
    data = rb.read(table, target="wanted")
    learn_with_workers(data, 1, Recipe(shards=3, epochs=2)).save(tmp_path / "local")
    assert (tmp_path / "dask").read_bytes() == (tmp_path / "local").read_bytes()
    assert "1,500 rows" in capsys.readouterr().out


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_products_are_those_of_all_rows_and_not_of_a_sample(format, tmp_path):
    """A sample that is not all rows misses the pair of the last one; the file of local processes, which see all, has it."""
    draw, n = np.random.default_rng(1), 1500
    a, b = draw.choice(["x", "y"], n), draw.choice(["p", "q", "r"], n)
    b[a == "y"] = "p"
    a[-1], b[-1] = "y", "q"  # nowhere else
    rows = pl.DataFrame({"a": a, "b": b, "wanted": np.where((b == "q") ^ (draw.random(n) < 0.1), "yes", "no")})
    path, recipe = tmp_path / f"rows.{format}", Recipe(epochs=2, shards=3, features={"products": [("a", "b")]})
    rows.write_csv(path) if format == "csv" else rows.write_parquet(path)
    source = FileSource(str(path), ReadOptions(target="wanted"), 3000, str(tmp_path / "rows"), sample_rows=100)
    by_tasks = learn_on_cluster(source, recipe, TasksHere())
    learn_with_workers(rb.read(path, target="wanted"), 1, recipe).save(tmp_path / "local")
    assert "a=y & b=q" in by_tasks.classifier.features.names
    assert bytes_of(by_tasks, tmp_path / "model") == (tmp_path / "local").read_bytes()
