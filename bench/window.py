"""What a window costs: the held-out error of rows on disk that are shuffled within windows, not as a whole.

    ROSENBLATT_DATA=… python bench/window.py

adult, four fifths of its rows fifty times over, in the order of the file and sorted by class, beside training in memory;
measured on the last fifth.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TIMES, SEEDS = 50, 3


def error(rows: Path, dev: Path, seed: int, *options: str) -> float:
    """The held-out error of `train`, in percent."""
    command = [sys.executable, "-m", "rosenblatt", "train", str(rows), "--no-header", "--target", "-1", "--dev", str(dev)]
    command += ["--numeric", "bins", "--json", "-s", str(seed), *options]
    facts = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return 100 * float(facts["dev_error"]["averaged"])


def main() -> None:
    lines = Path(os.environ["ROSENBLATT_DATA"], "adult", "adult.data").read_text().strip().split("\n")
    last = len(lines) * 4 // 5
    with tempfile.TemporaryDirectory() as name:
        rows, dev = Path(name, "rows.csv"), Path(name, "dev.csv")
        dev.write_text("\n".join(lines[last:]) + "\n")
        for order in ("as in the file", "by class"):
            some = lines[:last] * TIMES
            some = sorted(some, key=lambda line: line.rsplit(",", 1)[1]) if order == "by class" else some
            rows.write_text("\n".join(some) + "\n")
            windows = {f"a window of 1/{part}": ["--stream", "--window", str(len(some) // part)] for part in (10, 100, 1000)}
            for how, options in {"in memory": [], "the default": ["--stream"], **windows}.items():
                errors = [error(rows, dev, seed, *options) for seed in range(SEEDS)]
                print(f"{order:14}  {how:20} {sum(errors) / SEEDS:6.2f} %", flush=True)


if __name__ == "__main__":
    main()
