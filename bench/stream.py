"""Training from a file on disk: wall time, and the peak of memory that belongs to no file, beside training in memory.

    python bench/stream.py                      libsvm files of 0.25 and 1 GB: some minutes
    python bench/stream.py --gigabytes 0.1 0.2  smaller

Every run is a process of its own. Anonymous memory (RssAnon of Linux) is looked at ten times a second: what is mapped from a
file is not counted, since the system can drop it at any time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENTRIES, COLUMNS, LINES_AT_ONCE = 40, 2**17, 20_000


def generate(path: Path, size: int) -> int:
    """libsvm rows of 40 numbers in 131,072 columns, labels from a plane, one in ten wrong; how many there are."""
    import numpy as np

    draw, rows = np.random.default_rng(0), 0
    w = draw.standard_normal(COLUMNS)
    with open(path, "w") as file:
        while file.tell() < size:
            columns = np.sort((COLUMNS * draw.random((LINES_AT_ONCE, ENTRIES)) ** 2).astype(int), axis=1)
            values = draw.integers(1, 1000, columns.shape) / 1000
            wrong = draw.random(LINES_AT_ONCE) < 0.1
            labels = np.where(((w[columns] * values).sum(axis=1) > 0) != wrong, 1, -1)
            for label, row, numbers in zip(labels.tolist(), columns.tolist(), values.tolist(), strict=True):
                entries = dict(zip(row, numbers, strict=True))
                file.write(f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in entries.items()) + "\n")
            rows += LINES_AT_ONCE
    return rows


def anonymous_kilobytes(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("RssAnon")), 0)


def measure(path: Path, model: Path, *options: str) -> tuple[float, float]:
    """(seconds, megabytes of anonymous memory at most) of `rosenblatt train`."""
    command = [sys.executable, "-m", "rosenblatt", "train", str(path), "-q", "-e", "5", "-o", str(model), *options]
    started, most = time.perf_counter(), 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, anonymous_kilobytes(process.pid))
            time.sleep(0.1)
    assert process.returncode == 0
    return time.perf_counter() - started, most / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[0.25, 1.0])
    parser.add_argument("--folder", help="where the files are generated; a disk with room for twice their size")
    chosen = parser.parse_args()
    print("file       rows        how          seconds   anonymous MB")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        rows, models = Path(folder) / "rows.libsvm", [Path(folder) / name for name in ("memory", "stream")]
        for size in chosen.gigabytes:
            count = generate(rows, int(size * 1e9))
            for model, options in zip(models, ([], ["--stream"]), strict=True):
                seconds, most = measure(rows, model, *options)
                print(f"{size:5.2f} GB  {count:10,}  {model.name:10}  {seconds:8.1f}  {most:12,.0f}", flush=True)
            same = models[0].read_bytes() == models[1].read_bytes()
            print(f"the model files are {'the same' if same else 'DIFFERENT'}")


if __name__ == "__main__":
    main()
