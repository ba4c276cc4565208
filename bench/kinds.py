"""What it costs to decide what the columns of a raw table hold, beside reading it: 500 MB of a mixed export.

    python bench/kinds.py                  about a minute
    python bench/kinds.py --megabytes 50   smaller
    python bench/kinds.py --keep FILE      generate the file there, and leave it

Every measurement is a process of its own. The memory is the peak that the kernel saw.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

GENERATE = """
import sys
import numpy as np
import polars as pl

path, megabytes = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
n = megabytes * 6900  # a row is about 145 bytes
amount = pl.Series(np.round(np.minimum(np.exp(rng.normal(6, 2, n)), 999_999), 2))
whole = amount.floor().cast(pl.Int64)
cents = ((amount - whole) * 100).round().cast(pl.Int64).cast(pl.String).str.zfill(2)
high, low = whole // 1000, whole % 1000
grouped = pl.select(
    pl.when(high > 0)
    .then(high.cast(pl.String) + "." + low.cast(pl.String).str.zfill(3))
    .otherwise(low.cast(pl.String))
).to_series()
price = grouped + "," + cents + " €"
day = pl.Series(rng.integers(14000, 20000, n).astype(np.int32)).cast(pl.Date)
moment = pl.Series(rng.integers(1.2e9, 1.7e9, n) * 1_000_000).cast(pl.Datetime("us"))
words = pl.Series(["call", "me", "back", "about", "order", "please", "late", "refund", "thanks", "broken"])
comment = words.gather(rng.integers(0, 10, n))
for _ in range(6):
    comment = comment + " " + words.gather(rng.integers(0, 10, n))
frame = pl.DataFrame(
    {
        "customer": "C-" + pl.Series(np.arange(n)).cast(pl.String).str.zfill(9),
        "age": rng.integers(18, 90, n),
        "balance": np.round(rng.normal(0, 1000, n), 2),
        "price": price,
        "share": (pl.Series(np.round(rng.random(n) * 100, 1)).cast(pl.String).str.replace(".", ",", literal=True)) + " %",
        "signup": day.dt.strftime("%d.%m.%Y"),
        "login": moment.dt.strftime("%Y-%m-%d %H:%M:%S"),
        "plan": pl.Series(["basic", "plus", "pro", "family"]).gather(rng.integers(0, 4, n)),
        "city": "City " + pl.Series(rng.integers(0, 500, n)).cast(pl.String),
        "article": "A" + pl.Series(rng.integers(0, 300_000, n)).cast(pl.String),
        "comment": comment + " " + pl.Series(rng.integers(0, 10**6, n)).cast(pl.String),
        "churn": pl.Series(["yes", "no"]).gather(rng.integers(0, 2, n)),
    }
)
frame.write_csv(path, separator=";")
"""

MEASURE = """
import resource, sys, time
import polars
from rosenblatt.data.reading import read
from rosenblatt.data.columns import dates, numbers  # imported before the clock starts
from rosenblatt.data.columns.kinds import decide

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

def timed(action):
    # What it gives, and how long it takes: wall, and all cores together, which a busy machine changes less.
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    return result, time.perf_counter() - wall, time.process_time() - cpu

data, *reading = timed(lambda: read(sys.argv[1], target="churn"))
before = peak()
kinds, *deciding = timed(lambda: decide(data.rows, trimmed=data.trimmed))
print(f"{len(data):,} rows, {data.rows.width} columns: {', '.join(f'{one.name} {one.kind}' for one in kinds)}")
print(f"          wall s   cpu s     MB")
print(f"reading   {reading[0]:6.2f}  {reading[1]:6.2f}  {before:5,.0f}")
print(f"deciding  {deciding[0]:6.2f}  {deciding[1]:6.2f}  {peak():5,.0f}")
print("share     " + "  ".join(f"{100 * a / b:4.1f} %" for a, b in zip(deciding, reading)))
for name in data.rows.columns:
    print(f"  {name:10} {timed(lambda: decide(data.rows.select(name), trimmed=data.trimmed))[1]:6.3f} s")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.keep or Path(folder, "export.csv")
        if not path.exists():
            subprocess.run([sys.executable, "-c", GENERATE, str(path), str(chosen.megabytes)], check=True)
        print(f"{path.stat().st_size / 1e6:,.0f} MB")
        subprocess.run([sys.executable, "-c", MEASURE, str(path)], check=True)


if __name__ == "__main__":
    main()
