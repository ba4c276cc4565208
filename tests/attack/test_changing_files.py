"""Files that are overwritten or cut off while another thread reads them: all old, all new, or an error; never a mixture.

Large Parquet and Arrow files read in batches are left out: polars maps them, and the system ends a process whose mapped file
is cut off. docs/security.md says so.
"""

import os
import random
import subprocess
import sys
import threading
import time

import numpy as np
import polars as pl
import pytest

from rosenblatt.data import batches, read
from rosenblatt.errors import FileError

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
OVERWRITTEN, TRUNCATED = (120, 40) if FULL else (8, 8)
FORMATS = ["csv", "libsvm", "tsv", "parquet", "arrow"]
ROWS = 60_000 if FULL else 20_000
SEED = int(os.environ["ROSENBLATT_HYPOTHESIS_SEED"])


def write(path, value, rows=ROWS):
    """A file in which every number is the value, so that a mixture of two is seen."""
    if path.suffix in (".parquet", ".arrow"):
        frame = pl.DataFrame({"a": np.full(rows, value), "b": np.arange(rows)})
        frame.write_parquet(path, row_group_size=2_000) if path.suffix == ".parquet" else frame.write_ipc(path)
        return path.read_bytes()
    line = {".csv": "{0},{0}\n", ".tsv": "{0}\t{0}\n", ".libsvm": "1 1:{0} 2:{0}\n"}[path.suffix].format(value)
    header = {".csv": "a,b\n", ".tsv": "a\tb\n", ".libsvm": ""}[path.suffix]
    content = (header + line * rows).encode()
    path.write_bytes(content)
    return content


def values(part):
    return part.rows.data if part.kind == "sparse" else part.rows["a"].to_numpy()


def outcome(path, whole):
    """How many rows there are and which values they have; None where the file is refused."""
    try:
        parts = [read(path)] if whole else list(batches(path, rows=1_000))
    except FileError:
        return None
    return sum(len(part) for part in parts), set(np.unique(np.concatenate([values(part) for part in parts])).tolist())


def attack(path, draw, change):
    """Reads a file that is changed at a random moment."""
    write(path, 3, ROWS // 2)
    new = path.read_bytes()
    write(path, 2)
    os.utime(path, ns=(1, 1))  # so that a write is seen, however coarse the clock
    wait = draw.uniform(0, 0.02)

    def changing():
        time.sleep(wait)
        with path.open("r+b") as file:
            if change == "truncated":
                file.truncate(draw.randrange(path.stat().st_size))
            else:
                file.write(new)
                file.truncate()

    thread = threading.Thread(target=changing)
    thread.start()
    seen = outcome(path, whole=draw.random() < 0.5)
    thread.join()
    return seen


def run_attacks(folder, change, count, seed):
    """The outcomes of so many attacks that are neither the old content, nor the new, nor an error."""
    draw, wrong = random.Random(seed), []
    allowed = [None, (ROWS, {2})] + ([(ROWS // 2, {3})] if change == "overwritten" else [])
    for number in range(count):
        path = folder / f"{change}{number}.{FORMATS[number % len(FORMATS)]}"
        seen = attack(path, draw, change)
        if seen not in allowed:
            # Cut off between two lines before it was opened, a text is a shorter file, and right.
            shorter = (
                change == "truncated"
                and path.suffix not in (".parquet", ".arrow")
                and seen[1] == {2}
                and outcome(path, True) == seen
            )
            wrong += [] if shorter else [(path.name, seen)]
        path.unlink()
    return wrong


@pytest.mark.parametrize(("change", "count"), [("overwritten", OVERWRITTEN), ("truncated", TRUNCATED)])
def test_a_file_that_changes_is_old_or_new_or_refused(tmp_path, change, count):
    # In a process of its own: a signal would end it, and be seen.
    command = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); import test_changing_files as attacks; "
    )
    command += "print(attacks.run_attacks(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))"
    arguments = [os.path.dirname(__file__), str(tmp_path), change, str(count), str(SEED)]
    result = subprocess.run([sys.executable, "-c", command, *arguments], capture_output=True, text=True)
    assert (result.returncode, result.stdout.strip()) == (0, "[]"), result.stderr
