"""Rows on disk: nothing that grows with their number is in memory, and what is decided without them whole is the same."""

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import polars as pl
import pytest

import rosenblatt as rb
from rosenblatt.data.columns.kinds import Overrides, decide
from rosenblatt.data.read_options import BufferSizes, ReadOptions
from rosenblatt.data.table_to_disk import table_on_disk
from rosenblatt.engine import order
from rosenblatt.engine.file_arrays import array_in_file, numbers_in_file
from rosenblatt.engine.free_memory import return_free_memory, trim
from rosenblatt.engine.rows import is_mapped
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.stream import DiskSource, learn_stream

SMALL_BLOCKS = BufferSizes(table_block=2**16)
PEAK = """
import sys, threading, time
most, done = 0, False
def watch():
    global most
    while not done:
        with open("/proc/self/status") as status:
            most = max([most, *(int(line.split()[1]) for line in status if line.startswith("RssAnon"))])
        time.sleep(0.01)
watching = threading.Thread(target=watch)
watching.start()
from rosenblatt.cli import run
code = run(["train", *sys.argv[1:], "--stream", "-q", "-e", "2"])
done = True
watching.join()
print(most // 1000)
sys.exit(code)
"""


def write_rows(path, n, label):
    """Numbers, one with missing cells, categories and a date; labels of texts or of numbers."""
    draw = np.random.default_rng(0)
    age, sector = draw.integers(17, 90, n), draw.integers(0, 9, n)
    since = (np.datetime64("2015-01-01") + draw.integers(0, 900, n)).astype(str)
    table = pl.DataFrame({"age": age, "score": draw.normal(size=n).round(4), "sector": sector, "since": since})
    code = (age + 9 * draw.normal(size=n) > 50).astype(int)
    kinds = {"text": np.array(["no", "yes"])[code], "number": code}
    missing = pl.when(pl.Series(draw.random(n) > 0.1)).then(pl.col("score")).alias("score")
    table = table.with_columns(missing, pl.format("s{}", "sector").alias("sector"), label=kinds[label])
    (table.write_csv if path.suffix == ".csv" else table.write_parquet)(path)


@pytest.mark.parametrize("label", ["text", "number"])
def test_what_has_an_entry_a_row_lies_in_files(label, tmp_path):
    write_rows(tmp_path / "rows.csv", 5000, label)
    options = ReadOptions(target="label", sizes=BufferSizes(table_block=2**15))
    source = DiskSource(tmp_path / "rows.csv", tmp_path, options)
    examples = learn_stream(source, Recipe(epochs=2, class_weight="balanced")).examples
    assert all(is_mapped(array) for array in (*examples.rows.arrays, examples.codes, examples.importance, examples.pool()))


@pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="make test-full")
@pytest.mark.parametrize(("label", "name"), [("text", "rows.csv"), ("number", "rows.csv"), ("text", "rows.parquet")])
def test_anonymous_memory_does_not_grow_with_the_rows(label, name, tmp_path):
    """By the system's books: three times the rows take less than 30 MB more, and never 500 MB.

    The first four million fill what is read, encoded and written ahead of what learns.
    """
    peaks = []
    for n in (4_000_000, 12_000_000):
        write_rows(tmp_path / name, n, label)
        command = [sys.executable, "-c", PEAK, str(tmp_path / name), "--target", "label", "-o", str(tmp_path / "m")]
        peaks.append(int(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1]))
    assert peaks[1] < peaks[0] + 30, peaks
    assert peaks[1] < 500


COLUMNS = {
    "sorted_id": lambda draw, n: np.arange(n),
    "customer_id": lambda draw, n: draw.permutation(n) + 10**6,
    "nearly_id": lambda draw, n: np.where(draw.random(n) < 0.03, 5, draw.permutation(n)),
    "group_id": lambda draw, n: draw.integers(0, n // 2, n),
    "order_date": lambda draw, n: 20240100 + draw.integers(1, 29, n),
    "flag": lambda draw, n: np.array(["yes", "no"])[draw.integers(0, 2, n)],
    "zero": lambda draw, n: np.zeros(n, dtype=int),
    "rare": lambda draw, n: (np.arange(n) == n - 1).astype(int),
    "age": lambda draw, n: np.where(draw.random(n) < 0.01, -999, draw.integers(17, 90, n)),
    "score": lambda draw, n: draw.normal(size=n).round(5),
    "zip": lambda draw, n: np.char.zfill(draw.integers(0, 999, n).astype(str), 5),
    "price": lambda draw, n: np.char.add(draw.integers(1, 99, n).astype(str), ",50 €"),
    "since": lambda draw, n: (np.datetime64("2020-01-01") + draw.integers(0, 99, n)).astype(str),
    "until": lambda draw, n: np.where(draw.random(n) < 0.02, "1900-01-01", COLUMNS["since"](draw, n)),
    "sector": lambda draw, n: np.array(["a", "b", "NULL", "n/a"])[draw.integers(0, 4, n)],
    "amount": lambda draw, n: np.where(draw.random(n) < 0.01, "unknown", draw.integers(0, 50, n).astype(str)),
    "nothing": lambda draw, n: np.full(n, ""),
}  # fmt: skip


@pytest.mark.parametrize("missing", [(), ("-999", "b")])
def test_columns_on_disk_are_taken_for_what_they_are_in_memory(missing, tmp_path):
    draw, n = np.random.default_rng(3), 110_000
    table = pl.DataFrame({name: column(draw, n) for name, column in COLUMNS.items()})
    table = table.with_columns(pl.when(pl.Series(draw.random(n) > 0.1)).then(pl.col("nearly_id")).alias("nearly_id"))
    table.write_csv(tmp_path / "t.csv")
    whole = decide(rb.read(tmp_path / "t.csv").rows, Overrides(missing=missing), trimmed=True)
    data = table_on_disk(tmp_path / "t.csv", ReadOptions(sizes=BufferSizes(table_block=2**20)), tmp_path)
    assert len(data.rows.heights) > 3
    assert decide(data.rows, Overrides(missing=missing), trimmed=True) == whole
    kinds = {"customer_id": "id", "group_id": "number", "order_date": "date", "rare": "number", "zip": "code"}
    assert {one.name: one.kind for one in whole if one.name in kinds} == kinds


@pytest.mark.parametrize("how", ["shuffled", "once", "replacement", "blocks", "given"])
@pytest.mark.parametrize("window", [None, 100])
def test_orders_in_files_are_those_in_memory(how, window):
    rows = np.arange(1000, dtype=np.int32)
    in_memory = order.epochs(how, rows, 7, ahead=500, window=window)
    in_files = order.epochs(how, numbers_in_file(1000), 7, ahead=500, window=window)
    for _, one, other in zip(range(3), in_memory, in_files, strict=False):
        assert is_mapped(other)
        assert one.tolist() == other.tolist()


def test_a_full_disk_is_an_error_and_no_signal():
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))"
    code = f"{limit}\nfrom rosenblatt.engine.file_arrays import array_in_file\narray_in_file(10_000, 'i4')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert array_in_file(0, np.int32).tolist() == []


def test_what_python_and_numpy_hold_is_buffers_whose_size_is_fixed(tmp_path):
    """By Python's own books (tracemalloc): 20 bytes a row would be 3 MB more for the longer file."""
    peaks = []
    for n in (1000, 30_000, 180_000):  # what the first run of a process imports is not counted
        write_rows(tmp_path / "rows.csv", n, "text")
        (tmp_path / f"{n}").mkdir()
        source = DiskSource(tmp_path / "rows.csv", tmp_path / f"{n}", ReadOptions(target="label", sizes=SMALL_BLOCKS))
        tracemalloc.start()
        learn_stream(source, Recipe(epochs=1))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 2_500_000
    assert peaks[2] < 6_000_000


@pytest.mark.skipif(trim() is None, reason="another C library")
def test_memory_between_what_is_held_goes_back_to_the_system():
    """By the system's books: of texts of 50 kB every other one is freed."""
    held = [bytes([k % 256]) * 50_000 for k in range(2000)]
    before = anonymous()
    held = held[::2]
    return_free_memory()
    assert anonymous() < before - 40_000
    assert len(held) == 1000


def anonymous():
    """Kilobytes of this process that belong to no file."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))
