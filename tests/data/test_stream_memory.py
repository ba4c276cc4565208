"""Batches: the same rows as the whole file, in memory that does not grow with it."""

import gzip
import io
import os
import subprocess
import sys
import threading

import numpy as np
import polars as pl
import pytest

from rosenblatt.data import batches, read
from rosenblatt.data.read_options import BufferSizes

PEAKS = """
import resource, sys
from rosenblatt.data import batches
for file in sys.argv[1:]:
    rows = sum(len(part) for part in batches(file, target=None))
    print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)  # the most so far
"""


def test_blocks_of_a_table_are_cut_between_records(tmp_path):
    """Line ends inside quotes, and blocks so small that every cut is tried."""
    text = "a,b,c\n" + "".join(f'{i},"x\n,{i}",{"" if i % 7 else i}\n' for i in range(300))
    path = tmp_path / "a.csv"
    path.write_text(text)
    whole = read(path)
    for size in (1, 7, 64, 1000):
        parts = list(batches(path, rows=50, sizes=BufferSizes(table_block=size)))
        assert [len(part) for part in parts] == [50] * 6
        assert [row for part in parts for row in part.rows.rows()] == whole.rows.rows()


def test_types_only_widen():
    content = b"a,b\n" + b"1,2\n" * 20 + b"1.5,x\n" + b"1,2\n" * 20
    parts = [part.rows for part in batches(io.BytesIO(content), rows=10, sizes=BufferSizes(table_block=16))]
    assert parts[0].dtypes == [pl.Int64, pl.Int64]
    assert parts[-1].dtypes == [pl.Float64, pl.String]
    assert pl.concat(parts, how="vertical_relaxed")["a"].sum() == 41.5


def test_errors_name_the_line_of_the_whole_file():
    content = b"a,b\n" + b"1,2\n" * 500 + b"1\n"
    parts = batches(io.BytesIO(content), rows=10, sizes=BufferSizes(table_block=64))
    with pytest.raises(ValueError, match="line 502: 1 cell"):
        list(parts)


def test_a_pipe_is_read_as_it_comes():
    """Batches come out before the writer has finished."""
    out, into = os.pipe()
    seen = threading.Event()

    def write():
        with os.fdopen(into, "wb") as pipe:
            pipe.write(b"a,b\n" + b"1,x\n" * 4_000_000)
            pipe.flush()
            assert seen.wait(30)
            pipe.write(b"2,y\n")

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(out, "rb") as pipe:
        parts = batches(pipe, rows=1000, target="b")
        assert len(next(parts)) == 1000
        seen.set()
        assert sum(len(part) for part in parts) == 3_999_001
    writer.join()


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "libsvm", "parquet", "txt"])
def test_memory_does_not_grow_with_the_file(kind, tmp_path):
    """Ten times the rows take less than 1.4 times the memory, and far less than the larger file would add."""
    paths = {rows: tmp_path / f"{rows}.{kind}" for rows in (100_000, 1_000_000)}
    for rows, path in paths.items():
        if kind == "parquet":
            noise = np.random.default_rng(0).normal(size=(rows, 12))
            pl.DataFrame(noise).write_parquet(path, row_group_size=50_000)
        else:
            line = {
                "libsvm": b"1 3:0.5 7:1 12:0.25 90:1 91:1 92:1 93:1\n",
                "txt": b"ham\tsome words that are said again and again\n",
            }
            with (gzip.open if kind.endswith("gz") else open)(path, "wb") as file:
                head = b"a,b,c,d,e\n" if "csv" in kind else b""
                file.write(head + line.get(kind, b"12.5,clerk,New York,1234567,yes it is\n") * rows)
    command = [sys.executable, "-c", PEAKS, *map(str, paths.values())]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    (few, small), (many, large) = (map(int, line.split()) for line in printed.splitlines())
    assert [few, many] == list(paths)
    assert large < 1.4 * small + 20
