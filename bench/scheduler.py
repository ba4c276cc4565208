"""What many shards cost the scheduler of a Dask cluster: memory and time a task.

python bench/scheduler.py [SHARDS]      with two workers on this machine, one epoch of shards of 20 rows
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from rosenblatt.cluster.dask_tasks import cluster_at
from rosenblatt.cluster.job import FileSource, learn_on_cluster
from rosenblatt.data import ReadOptions
from rosenblatt.learning.learners import Recipe

ADDRESS, ROWS_A_SHARD, COLUMNS = "tcp://127.0.0.1:38786", 20, 2000


def memory(process: subprocess.Popen[bytes], name: str) -> float:
    """Bytes of a process: VmRSS now, or VmHWM at most so far."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith(name):
            return 1024.0 * int(line.split()[1])
    raise SystemExit(f"no {name}")


def main(shards: int) -> None:
    draw = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        rows = Path(name, "rows.libsvm")
        with open(rows, "w") as file:
            for _ in range(shards * ROWS_A_SHARD):
                columns = np.sort(draw.choice(COLUMNS, 8, replace=False))
                file.write(f"{int(columns.sum() > 4 * COLUMNS)} " + " ".join(f"{j + 1}:1" for j in columns) + "\n")
        dask = [sys.executable, "-m", "dask"]
        scheduler = subprocess.Popen(
            [*dask, "scheduler", "--host", "127.0.0.1", "--port", "38786", "--no-dashboard"], stderr=subprocess.DEVNULL
        )
        options = ["--nworkers", "2", "--nthreads", "1", "--no-dashboard", "--local-directory", name]
        workers = subprocess.Popen([*dask, "worker", ADDRESS, *options], stderr=subprocess.DEVNULL)
        try:
            with cluster_at(ADDRESS) as tasks:
                tasks.client.wait_for_workers(2)
                few = FileSource(str(rows), ReadOptions(), block_bytes=2**20)
                learn_on_cluster(few, Recipe(epochs=1, shards=4), tasks)  # imports, and whatever else comes once
                before, count = memory(scheduler, "VmRSS"), next(tasks.numbers)
                started = time.perf_counter()
                learn_on_cluster(few, Recipe(epochs=1, shards=shards), tasks)
                seconds, count = time.perf_counter() - started, next(tasks.numbers) - count
                most = memory(scheduler, "VmHWM") - before
        finally:
            for process in (workers, scheduler):
                process.terminate()
                process.wait()
    model = 8 * (COLUMNS + 1)
    print(f"{shards:,} shards, {count:,} tasks: {seconds:.1f} s, {1000 * seconds / count:.2f} ms a task")
    more = f"{most / 1e6:.1f} MB more at most, {(most - 3 * model) / shards / 1000:.2f} kB a shard"
    print(f"scheduler: {before / 1e6:.0f} MB before, {more}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
