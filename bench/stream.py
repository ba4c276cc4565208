"""Training from a file on disk: wall and CPU time, the peak of memory that belongs to no file, beside training in memory.

    python bench/stream.py                            a mixed CSV of 0.5 and 2 GB: some minutes
    python bench/stream.py --gigabytes 0.1 0.2        smaller
    python bench/stream.py --rows libsvm              rows of 40 numbers in 131,072 columns
    python bench/stream.py --rows parquet             the rows of the CSV in a folder of Parquet files, of that size in all
    python bench/stream.py --vw PATH                  also five passes of Vowpal Wabbit with its cache (a CSV only)
    python bench/stream.py --forecast 1 10 100        only streams, phase by phase, and what other sizes would take

Every run is a process of its own. Anonymous memory (RssAnon of Linux) is looked at ten times a second: what is mapped from a
file is not counted, since the system can drop it at any time. Parsing alone is to read the file in batches and do nothing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

ENTRIES, COLUMNS, LINES_AT_ONCE = 40, 2**17, 20_000
ROWS_AT_ONCE, SIZES = 200_000, dict(zip("abcdefghi", (2, 3, 5, 7, 12, 20, 50, 200, 9), strict=True))
PARSE = "import sys\nfrom rosenblatt.data import batches\nfor part in batches(sys.argv[1], rows=None, target='rich'): pass"


def generate_libsvm(path: Path, size: int) -> int:
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


def tables() -> Iterator[pl.DataFrame]:
    """Three numbers, one with missing cells, nine categories and a date; the label follows some of them, with noise."""
    import numpy as np
    import polars as pl

    draw, n = np.random.default_rng(0), ROWS_AT_ONCE
    while True:
        age, income, score = draw.integers(17, 90, n), draw.lognormal(8, 1, n).round(2), draw.normal(size=n).round(6)
        values = {
            name: np.array([f"{name}{k}" for k in range(size)])[(draw.random(n) ** 2 * size).astype(int)]
            for name, size in SIZES.items()
        }
        since = (np.datetime64("2015-01-01") + draw.integers(0, 3000, n)).astype(str)
        rich = age / 40 + np.log(income) / 8 + score / 2 + 0.7 * (values["c"] == "c0") + (values["h"] == "h3")
        label = np.where(rich + draw.normal(0, 0.5, n) > 2.9, "yes", "no")
        table = pl.DataFrame({"age": age, "income": income, "score": score, **values, "since": since, "rich": label})
        known = pl.when(pl.Series(draw.random(n) > 0.05)).then(pl.col("income"))
        yield table.with_columns(known.alias("income"))


def generate_csv(path: Path, size: int) -> int:
    """A CSV of these rows; how many there are."""
    rows = 0
    with open(path, "wb") as file:
        for table in tables():
            table.write_csv(file, include_header=rows == 0)
            rows += table.height
            if file.tell() >= size:
                return rows
    return rows


def generate_parquet(path: Path, size: int) -> int:
    """A folder of Parquet files with these rows, a million each."""
    import polars as pl

    path.mkdir()
    rows, written, source = 0, 0, tables()
    while written < size:
        part = pl.concat(list(islice(source, 5)))
        part.write_parquet(path / f"{rows:012}.parquet")
        written += (path / f"{rows:012}.parquet").stat().st_size
        rows += part.height
    return rows


GENERATE = {"csv": generate_csv, "parquet": generate_parquet, "libsvm": generate_libsvm}


def as_vw(table: Path, path: Path) -> None:
    """The same rows as Vowpal Wabbit's text: numbers with values, all else as a feature each."""
    import polars as pl

    with open(path, "wb") as file:
        for part in pl.scan_csv(table, infer_schema=False).collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True):
            numbers = [pl.format("{}:{}", pl.lit(name), pl.col(name).fill_null("0")) for name in ("age", "income", "score")]
            others = [pl.concat_str(pl.lit(f"{name}="), pl.col(name)) for name in (*SIZES, "since")]
            label = pl.when(pl.col("rich") == "yes").then(pl.lit("1")).otherwise(pl.lit("-1"))
            lines = part.select(pl.concat_str(label, pl.lit("|x"), *numbers, *others, separator=" "))
            file.write(("\n".join(lines.to_series().to_list()) + "\n").encode())


def anonymous_kilobytes(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("RssAnon")), 0)


def measure(command: list[str]) -> tuple[float, float, float]:
    """(seconds, seconds of all cores, megabytes of anonymous memory at most) of a process."""
    started, most, before = time.perf_counter(), 0, cpu_of_children()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, anonymous_kilobytes(process.pid))
            time.sleep(0.1)
    assert process.returncode == 0, command
    return time.perf_counter() - started, cpu_of_children() - before, most / 1000


def cpu_of_children() -> float:
    """Seconds that all processes have worked which this one has started, and which have ended."""
    used = os.times()
    return used.children_user + used.children_system


def runs(rows: Path, folder: Path, chosen: argparse.Namespace) -> dict[str, list[str]]:
    """The commands, by name."""
    train = [sys.executable, "-m", "rosenblatt", "train", str(rows), "-q", "-e", "5"]
    if chosen.rows == "libsvm":
        return {
            "memory": [*train, "-o", str(folder / "memory")],
            "stream": [*train, "--stream", "-o", str(folder / "stream")],
        }
    train += ["--target", "rich", "-o"]
    commands = {
        "parsing": [sys.executable, "-c", PARSE, str(rows)],
        "memory": [*train, str(folder / "memory")],
        "stream": [*train, str(folder / "stream"), "--stream"],
        "cache, new": [*train, str(folder / "new"), "--stream", "--cache", str(folder / "cache")],
        "cache, kept": [*train, str(folder / "kept"), "--stream", "--cache", str(folder / "cache")],
    }
    if chosen.vw and chosen.rows == "csv":
        lines = folder / "rows.vw"
        as_vw(rows, lines)
        cache = ["--passes", "5", "--cache_file", f"{lines}.cache", "-k", "--holdout_off"]
        commands["vw"] = [*chosen.vw.split(), "-d", str(lines), *cache, "-b", "18", "--loss_function", "logistic", "--quiet"]
    return commands


def forecast(chosen: argparse.Namespace) -> None:
    """Streams of some sizes, one after the other, and the table of others."""
    from stream_costs import measure_phases, print_forecast

    measured = []
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        for size in sorted(chosen.gigabytes):
            rows = Path(name) / f"rows-{size}.{chosen.rows}"
            GENERATE[chosen.rows](rows, int(size * 1e9))
            measured.append(measure_phases(rows, chosen.clock))
            subprocess.run(["rm", "-r", str(rows)], check=True)
        print_forecast(measured, chosen.forecast)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[0.5, 2.0])
    parser.add_argument("--rows", choices=list(GENERATE), default="csv")
    parser.add_argument("--folder", help="where the files are generated; a disk with room for six times their size")
    parser.add_argument("--vw", help="the command of Vowpal Wabbit, where there is one")
    parser.add_argument("--only", nargs="+", help="some of the runs")
    parser.add_argument(
        "--forecast", type=float, nargs="+", metavar="GB", help="fit costs to the runs (bench/stream_costs.py)"
    )
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="of the forecast: cpu, beside other work")
    chosen = parser.parse_args()
    if chosen.forecast:
        forecast(chosen)
        return
    print("file       rows        how          seconds       CPU   anonymous MB")
    for size in chosen.gigabytes:
        with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
            folder = Path(name)
            rows = folder / f"rows.{chosen.rows}"
            count = GENERATE[chosen.rows](rows, int(size * 1e9))
            for how, command in runs(rows, folder, chosen).items():
                if chosen.only and how not in chosen.only:
                    continue
                seconds, cpu, most = measure(command)
                print(f"{size:5.2f} GB  {count:10,}  {how:11}  {seconds:8.1f}  {cpu:8.1f}  {most:12,.0f}", flush=True)
            models = [folder / one for one in ("memory", "stream", "new", "kept") if (folder / one).exists()]
            same = len({model.read_bytes() for model in models}) == 1
            print(f"the {len(models)} model files are {'the same' if same else 'DIFFERENT'}")


if __name__ == "__main__":
    main()
