"""What training from disk costs by size: the phases of some runs, a line through them, and what it says of other sizes.

    read        seconds = a + b · GB           read the file, write the table
    features    seconds = a + b · GB           learn what the columns hold
    encode      seconds = a + b · GB           write the rows as the loop reads them
    epochs      seconds = examples · (c + d · log₂ bytes of rows)
                the more rows, the more of them come from far away in memory; rows that take more than half of it are
                shuffled in windows of a quarter, and are read from disk once an epoch: how long that takes is the disk's

a, b, c and d are fitted by least squares, none of them below 0. bench/stream.py --forecast prints the table.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

EPOCHS, PHASES = 5, ("read", "features", "encode", "epochs")
FUNCTIONS = {"read": "table_on_disk", "features": "fit_features", "encode": "feature_rows", "epochs": "run"}
RUN = """
import json, sys, tempfile, time
from pathlib import Path
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.learning import learn, stream
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.window import size_of

path, epochs, functions = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
told = {"wall": {}, "cpu": {}}
def timed(phase, module, name):
    work = getattr(module, name)
    def watched(*given, **named):
        wall, cpu = time.perf_counter(), time.process_time()
        result = work(*given, **named)
        told["wall"][phase], told["cpu"][phase] = time.perf_counter() - wall, time.process_time() - cpu
        return result
    setattr(module, name, watched)
for phase, name in functions.items():
    timed(phase, stream if phase == "read" else learn, name)
with tempfile.TemporaryDirectory() as folder:
    source = stream.DiskSource(path, Path(folder), ReadOptions(target="rich"))
    learned = stream.learn_stream(source, Recipe(epochs=epochs))
    told["disk"] = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
told["rows"], told["row_bytes"] = learned.examples.rows.n, size_of(learned.examples.rows)
print(json.dumps(told))
"""


@dataclass(frozen=True)
class Measured:
    """One run: seconds by phase, and what it took."""

    bytes: int  # of the file
    rows: int
    row_bytes: int  # of the encoded rows
    disk: int
    seconds: dict[str, float]


def measure_phases(path: Path, clock: str) -> Measured:
    """A run on a file, by the clock on the wall, or by the time that all cores together worked for it."""
    command = [sys.executable, "-c", RUN, str(path), str(EPOCHS), json.dumps(FUNCTIONS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    files = [path] if path.is_file() else [file for file in path.iterdir() if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    return Measured(size, told["rows"], told["row_bytes"], told["disk"], told[clock])


def fitted(x: np.ndarray, seconds: np.ndarray) -> tuple[float, float]:
    """(a, b) of seconds = a + b x, least squares of the relative error, neither below 0.

    >>> a, b = fitted(np.array([1.0, 2.0, 4.0]), np.array([3.0, 5.0, 9.0]))
    >>> round(a, 6), round(b, 6)
    (1.0, 2.0)
    >>> [round(one, 6) for one in fitted(np.array([1.0, 2.0]), np.array([1.0, 2.5]))]  # a line would begin below 0
    [0.0, 1.097561]
    """
    from scipy.optimize import nnls

    relative = np.stack([np.ones_like(x), x], axis=1) / seconds[:, None]
    a, b = nnls(relative, np.ones_like(seconds))[0]
    return float(a), float(b)


@dataclass(frozen=True)
class CostModel:
    """Costs by size, fitted to runs."""

    lines: dict[str, tuple[float, float]]  # of a phase: a and b, or c and d
    doublings: float  # log₂ of the bytes of the fewest rows: what is counted from there on
    rows_a_byte: float
    row_bytes_a_row: float
    disk_a_byte: float
    memory: int  # bytes of the machine

    @classmethod
    def fit(cls, runs: list[Measured], memory: int) -> CostModel:
        size = np.array([run.bytes / 1e9 for run in runs])
        lines = {name: fitted(size, np.array([run.seconds[name] for run in runs])) for name in PHASES[:-1]}
        examples = np.array([EPOCHS * run.rows for run in runs])
        doublings = np.log2([run.row_bytes for run in runs])
        lines["epochs"] = fitted(doublings - doublings.min(), np.array([run.seconds["epochs"] for run in runs]) / examples)
        last = runs[-1]
        by_size = last.rows / last.bytes, last.row_bytes / last.rows, last.disk / last.bytes
        return cls(lines, float(doublings.min()), *by_size, memory)

    def row_bytes(self, gigabytes: float) -> float:
        """Of the encoded rows of a file."""
        return gigabytes * 1e9 * self.rows_a_byte * self.row_bytes_a_row

    def seconds(self, gigabytes: float) -> dict[str, float]:
        """Of each phase, without the time of the disk."""
        phases = {name: self.lines[name][0] + self.lines[name][1] * gigabytes for name in PHASES[:-1]}
        size = self.row_bytes(gigabytes)
        together = size if size <= self.memory / 2 else self.memory / 4  # bytes of the rows that are shuffled at a time
        (a_row, a_doubling), rows = self.lines["epochs"], size / self.row_bytes_a_row
        a_row += a_doubling * max(0.0, np.log2(together) - self.doublings)
        return {**phases, "epochs": float(EPOCHS * rows * a_row)}

    def gigabytes_read_again(self, gigabytes: float) -> float:
        """By all epochs together, where rows do not stay in memory."""
        size = self.row_bytes(gigabytes)
        return EPOCHS * size / 1e9 if size > self.memory / 2 else 0.0


def print_forecast(runs: list[Measured], gigabytes: list[float]) -> None:
    """The runs beside the line through them, and other sizes."""
    from rosenblatt.engine.weights import memory_size

    memory = memory_size() or 0
    model = CostModel.fit(runs, memory)
    print(f"\n{memory / 1e9:.0f} GB of memory; seconds, and gigabytes on disk and read again from there")
    print("             " + "".join(f"{name:>10}" for name in (*PHASES, "in all", "on disk", "read")))
    for run in runs:
        row = [*(run.seconds[name] for name in PHASES), sum(run.seconds.values()), run.disk / 1e9]
        print(f"{run.bytes / 1e9:6.2f} GB    " + "".join(f"{value:10.1f}" for value in row))
    if len(runs) > 2:
        before = CostModel.fit(runs[:-1], memory).seconds(runs[-1].bytes / 1e9)
        off = sum(before.values()) / sum(runs[-1].seconds.values()) - 1
        print(f"(the smaller runs forecast {100 * off:+.0f} % for the largest)")
    for size in gigabytes:
        seconds = model.seconds(size)
        row = [*seconds.values(), sum(seconds.values()), size * model.disk_a_byte, model.gigabytes_read_again(size)]
        print(f"{size:6.0f} GB  ? " + "".join(f"{value:10.1f}" for value in row))
