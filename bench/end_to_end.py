"""From a CSV of a million rows to a model, beside pandas + scikit-learn and Vowpal Wabbit; and what bins of numbers cost.

    python bench/end_to_end.py                all of it: about two minutes
    python bench/end_to_end.py --rows 100000  smaller
    python bench/end_to_end.py --keep FOLDER  generate the files there, and leave them

Every contestant is a process of its own: its wall time counts from start to end, imports included, and its memory is the
peak that the kernel saw. They take turns; the middle of the rounds counts. The table: nine columns of words with 2 to 94
values (those of the income data), labels from a plane with noise, about one in seven on the wrong side.

Bins and frequent values, the default of a table of numbers, are measured beside numbers as they are, in turns in one
process: reading and training, without imports.

Modules are imported from their bytecode, as at a user's: PYTHONDONTWRITEBYTECODE, which some containers set, is taken out
of every contestant's environment. Where there is no bytecode yet, the first round writes it, and is not the middle one.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

# This process must stay small: a child's peak starts from its parent's. So numpy and all else is imported in children only.

COLUMNS = {
    "age": 73, "sector": 9, "education": 16, "marital": 7, "occupation": 15, "race": 5, "sex": 2, "hours": 94, "country": 42,
}  # fmt: skip
EPOCHS = 5
ROUNDS = 3
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

GENERATE = """
import sys
import numpy as np
import polars as pl

folder, n, sizes = sys.argv[1], int(sys.argv[2]), {columns!r}
rng = np.random.default_rng(0)
columns, scores = {{}}, np.zeros(n)
for name, size in sizes.items():
    codes = np.minimum(rng.geometric(2.0 / (size + 2), n) - 1, size - 1)  # frequent and rare values, as people have them
    columns[name] = pl.Series([f"{{name[:4].title()}}-{{value}}" for value in range(size)]).gather(codes)
    scores += rng.standard_normal(size)[codes]
scores -= np.quantile(scores, 0.75)
y = scores + rng.standard_normal(n) * scores.std() / 2 > 0
frame = pl.DataFrame(columns)
frame.with_columns(y=pl.Series(np.where(y, ">50K", "<=50K"))).write_csv(f"{{folder}}/rows.csv")
words = [pl.concat_str([pl.lit(f" {{name}}="), pl.col(name)]) for name in sizes]
lines = frame.select(pl.concat_str([pl.Series(np.where(y, "1 |", "-1 |")), *words]))
lines.write_csv(f"{{folder}}/rows.vw", include_header=False, quote_style="never")
"""

PANDAS = """
import sys, warnings
import pandas
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import OneHotEncoder

warnings.simplefilter("ignore")
frame = pandas.read_csv(sys.argv[1])
y = frame.pop("y")
X = OneHotEncoder().fit_transform(frame)
settings = dict(loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True)
SGDClassifier(**settings, max_iter={epochs}, tol=None, random_state=0).fit(X, y)
"""

VOWPAL = """
import sys
import vowpalwabbit

vw = vowpalwabbit.Workspace(f"-d {sys.argv[1]} --binary --quiet")
assert vw.get_weighted_examples() == int(sys.argv[2]), "Vowpal Wabbit has not read all rows"
vw.finish()
"""


NUMBERS = """
import sys, tempfile, time
from pathlib import Path
import numpy as np
import polars as pl
import scipy.sparse
from rosenblatt import learn, read

def seconds(path, numeric):
    started = time.perf_counter()
    model = learn(read(path, target="y"), features={"numeric": numeric})
    return time.perf_counter() - started, model.features.has_bins

rng = np.random.default_rng(0)
with tempfile.TemporaryDirectory() as folder:
    for rows, columns in (10_000, 10), (100_000, 10), (1_000_000, 10), (200_000, 20), (50_000, 50):
        x = rng.standard_normal((rows, columns)).round(3)
        x[:, 0] = rng.integers(17, 90, rows)  # as ages are
        x[:, 1] = np.where(rng.random(rows) < 0.5, 40, rng.integers(1, 99, rows))  # and hours
        curved = abs(x[:, 0] - 45) / 10 + (x[:, 1] == 40) + x[:, 2] ** 2 - x[:, 3] + rng.standard_normal(rows)
        path = Path(folder, "numbers.csv")
        names = {f"x{j}": x[:, j] for j in range(columns)}
        pl.DataFrame(names).with_columns(y=pl.Series(np.where(curved > np.median(curved), "yes", "no"))).write_csv(path)
        took = {"number": [], "auto": []}
        for _ in range(5):
            for numeric, times in took.items():
                spent, bins = seconds(path, numeric)
                assert bins == (numeric == "auto")
                times.append(spent)
        plain, default = min(took["number"]), min(took["auto"])
        print(rows, columns, plain, default)
"""


class Contestant:
    """A command, and what it took each time."""

    def __init__(self, name: str, command: list[str], output: Path | None = None):
        self.name, self.command, self.output = name, command, output
        self.seconds: list[float] = []
        self.peaks: list[float] = []

    def run(self) -> None:
        with open(self.output or os.devnull, "wb") as output:
            started = time.perf_counter()
            process = subprocess.Popen(self.command, stdout=output, env=ENVIRONMENT)
            _, status, used = os.wait4(process.pid, 0)
            self.seconds.append(time.perf_counter() - started)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{self.name} ended with exit code {process.returncode}: {' '.join(self.command)}")
        self.peaks.append(used.ru_maxrss / 1024)

    @property
    def time(self) -> float:
        return statistics.median(self.seconds)

    @property
    def peak(self) -> float:
        return max(self.peaks)


def contestants(folder: Path, rows: int) -> dict[str, Contestant]:
    """Those that can run here; a line is printed for each that cannot."""
    table, model = str(folder / "rows.csv"), str(folder / "model.rosenblatt")
    python, ours = sys.executable, [sys.executable, "-m", "rosenblatt"]
    train = [*ours, "train", table, "--target", "y", "--epochs", str(EPOCHS), "-o", model, "--quiet"]
    found = {
        "train": Contestant("rosenblatt train, 5 epochs", train),
        "pandas": Contestant(
            "pandas + OneHotEncoder + SGDClassifier, 5 epochs", [python, "-c", PANDAS.format(epochs=EPOCHS), table]
        ),
    }
    if importlib.util.find_spec("vowpalwabbit"):
        command = [python, "-c", VOWPAL, str(folder / "rows.vw"), str(rows)]
        found["vw"] = Contestant("Vowpal Wabbit, one pass", command)
    else:
        print("Vowpal Wabbit is left out: pip install vowpalwabbit")
    if importlib.util.find_spec("rosenblatt.cli.predict"):
        command = [*ours, "predict", model, table, "--quiet"]
        found["predict"] = Contestant("rosenblatt predict", command, folder / "labels.csv")
        one_row = folder / "one_row.csv"
        with open(table) as lines:
            one_row.write_text(next(lines) + next(lines))
        found["one row"] = Contestant("rosenblatt predict, one row", [*ours, "predict", model, str(one_row), "--quiet"])
    else:
        print("rosenblatt predict is left out: there is no such verb yet")
    return found


def cost_of_bins() -> list[tuple[str, float, float, float]]:
    """Tables of numbers, the seconds for them with numbers as they are and with the default, and the ratio."""
    output = subprocess.run([sys.executable, "-c", NUMBERS], env=ENVIRONMENT, check=True, capture_output=True, text=True)
    measured = [line.split() for line in output.stdout.splitlines()]
    return [
        (f"{int(rows):,} × {columns} numbers", float(plain), float(default), float(default) / float(plain))
        for rows, columns, plain, default in measured
    ]


def verdicts(found: dict[str, Contestant]) -> list[tuple[str, float, float, Callable[[float, float], bool]]]:
    """What DESIGN.md asks for: (claim, value, bound, how they are to compare)."""

    def at_least(value: float, bound: float) -> bool:
        return value >= bound

    def at_most(value: float, bound: float) -> bool:
        return value <= bound

    train, pandas = found["train"], found["pandas"]
    claims = [
        ("time of pandas + scikit-learn / train: at least 10×", pandas.time / train.time, 10.0, at_least),
        ("memory of train / pandas + scikit-learn: at most half", train.peak / pandas.peak, 0.5, at_most),
    ]
    if "vw" in found:
        claims.append(("time of train / Vowpal Wabbit's one pass: at most 0.6", train.time / found["vw"].time, 0.6, at_most))
    if "predict" in found:
        claims.append(("time of predict / train: at most 1", found["predict"].time / train.time, 1.0, at_most))
        claims.append(("seconds to predict one row, from the start: at most 0.4", found["one row"].time, 0.4, at_most))
    return claims


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--keep", metavar="FOLDER", help="where to leave the generated files")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(given.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-c", GENERATE.format(columns=COLUMNS), folder, str(given.rows)], check=True)
        sizes = ", ".join(f"{path.name} {path.stat().st_size / 2**20:.0f} MB" for path in sorted(folder.glob("rows.*")))
        print(f"{given.rows:,} rows × {len(COLUMNS)} categories: {sizes}")
        found = contestants(folder, given.rows)
        for _ in range(ROUNDS):
            for contestant in found.values():
                contestant.run()
    print(f"\n{'':52} {'s, middle':>9} {'best':>7} {'peak MB':>9}")
    for contestant in found.values():
        print(f"{contestant.name:52} {contestant.time:9.2f} {min(contestant.seconds):7.2f} {contestant.peak:9.0f}")
    print()
    for claim, value, bound, holds in verdicts(found):
        print(f"{claim:58} {value:7.2f}   {'reached' if holds(value, bound) else 'MISSED'}")
    print(f"\n{'read and learn, best of five':32} {'as they are':>12} {'default':>9}   ratio")
    for table, plain, default, ratio in cost_of_bins():
        print(f"{table:32} {plain:10.3f} s {default:7.3f} s {ratio:7.2f}   {'reached' if ratio <= 1.5 else 'MISSED'}")


if __name__ == "__main__":
    main()
