"""The estimators on real data, beside scikit-learn, LIBLINEAR, Vowpal Wabbit and a plain C loop, in one run.

    python bench/real.py                  everything that ROSENBLATT_DATA has
    python bench/real.py text stream      some
    python bench/real.py --write          and the tables into docs/speed.md

Fits are of five epochs, shuffled, with averages where the peer has them, one thread each; calls alternate, and the best of
five rounds counts, or of as many as two seconds have. LIBLINEAR solves another problem to its end (on MNIST that takes
minutes, and is left out), and Vowpal Wabbit reads its own text file: both are there to compare waiting with waiting. The C
loop (bench/loop.c) has the order given and makes no copies and no checks.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import engine
import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn import linear_model
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

import rosenblatt
from rosenblatt import AveragedPerceptron, OneHot
from rosenblatt.engine.order import epochs as orders_of

EPOCHS, ROUNDS, LEAST_SECONDS = 5, 5, 2.0
MOST_FOR_LIBLINEAR = 10_000_000  # numbers of a dense table: on MNIST it takes minutes
DATA = Path(os.environ.get("ROSENBLATT_DATA", "."))
PAGE = Path(__file__).parents[1] / "docs" / "speed.md"


@dataclass
class Problem:
    """Rows to fit and to predict, and how many times as fast as scikit-learn's averaged SGD a fit is to be."""

    name: str
    X: Any
    y: np.ndarray
    least: float
    X_peer: Any = None  # where the peer cannot read X

    def __post_init__(self) -> None:
        self.X_peer = rows = self.X if self.X_peer is None else self.X_peer
        if sp.issparse(rows):  # scikit-learn's linear models refuse 64-bit indices
            rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)


# ---- the problems ----


def a9a() -> Iterator[Problem]:
    X, y = load_svmlight_file(str(DATA / "a9a" / "a9a"))
    yield Problem("a9a", X, (y > 0).astype(int), 4.0)


def adult() -> Iterator[Problem]:
    lines = (DATA / "adult" / "adult.data").read_text().split("\n")
    cells = [line.split(", ") for line in lines if line]
    columns, width = [], 0
    for values in zip(*[row[:-1] for row in cells], strict=True):
        names, codes = np.unique(values, return_inverse=True)
        columns.append(codes + width)
        width += len(names)
    rows = OneHot(np.stack(columns, axis=1).astype(np.int32), width)
    y = np.array([row[-1] == ">50K" for row in cells]).astype(int)
    yield Problem("adult, every value a feature", rows, y, 4.0, as_csr(rows))
    rng = np.random.default_rng(0)
    coef = rng.standard_normal(width)
    planted = (coef[rows.columns].sum(axis=1) > 0).astype(int)
    noisy = np.where(rng.random(len(y)) < 0.2, 1 - planted, planted)
    yield Problem("the same, one label in five wrong", rows, noisy, 7.0, as_csr(rows))


def one_hot() -> Iterator[Problem]:
    """The rows of bench/engine.py: 500,000 of 14 categories with 2 to 100 values, labels from a plane."""
    rows, planted = engine.one_hot(np.random.default_rng(0))
    noisy = np.where(np.random.default_rng(1).random(len(planted)) < 0.2, 1 - planted, planted)
    yield Problem("one-hot 500,000 × 14, exact labels", rows, planted, 10.0, as_csr(rows))
    yield Problem("one-hot 500,000 × 14, one label in five wrong", rows, noisy, 7.0, as_csr(rows))


def w8a_like() -> Iterator[Problem]:
    """64,700 rows of about 12 ones among 300 columns, one in thirty positive, as w8a has them; that file is not here."""
    rng = np.random.default_rng(0)
    n, d = 64_700, 300
    rows = [np.unique((d * rng.random(12) ** 2).astype(np.int32)) for _ in range(n)]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    X = sp.csr_matrix((np.ones(indptr[-1], np.float64), np.concatenate(rows), indptr), shape=(n, d))
    scores = X @ rng.standard_normal(d) + rng.standard_normal(n)
    yield Problem("rows like w8a's", X, (scores > np.quantile(scores, 0.97)).astype(int), 2.0)


def dense() -> Iterator[Problem]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 30))
    scores = X @ rng.standard_normal(30)
    for noise, name in ((0.0, "exact labels"), (1.0, "one label in four wrong")):
        y = (scores + noise * scores.std() * rng.standard_normal(len(X)) > 0).astype(int)
        yield Problem(f"dense 100,000 × 30, {name}", X, y, 2.0)


def mnist() -> Iterator[Problem]:
    images = gzip.decompress((DATA / "mnist" / "train-images-idx3-ubyte.gz").read_bytes())[16:]
    digits = np.frombuffer(gzip.decompress((DATA / "mnist" / "train-labels-idx1-ubyte.gz").read_bytes())[8:], np.uint8)
    X = np.frombuffer(images, np.uint8).reshape(-1, 784).astype(np.float32) / 255
    yield Problem("MNIST, even or odd", X, digits % 2, 7.0)
    yield Problem("MNIST, ten classes", X, digits, 16.0)


def newsgroups() -> tuple[list[str], np.ndarray]:
    texts, labels = [], []
    with tarfile.open(DATA / "20newsgroups" / "20news-bydate-train.tar.gz") as archive:
        for member in archive:
            if member.isfile():
                labels.append(member.name.split("/")[-2])
                texts.append(archive.extractfile(member).read().decode("utf-8", "replace"))
    return texts, np.unique(labels, return_inverse=True)[1]


def text() -> Iterator[Problem]:
    texts, y = newsgroups()
    X = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    assert not X.has_sorted_indices  # as users have them
    yield Problem("20 newsgroups, two classes", X, (y < 10).astype(int), 2.0)
    yield Problem("20 newsgroups, twenty classes", X, y, 5.0)


PROBLEMS = {"a9a": a9a, "adult": adult, "one-hot": one_hot, "w8a": w8a_like, "dense": dense, "mnist": mnist, "text": text}


def as_csr(rows: OneHot) -> sp.csr_matrix:
    n, m = rows.columns.shape
    ones, indptr = np.ones(n * m, np.float32), np.arange(0, n * m + 1, m, dtype=np.int32)
    return sp.csr_matrix((ones, rows.columns.ravel(), indptr), shape=rows.shape)


# ---- the peers ----


def ours(epochs: int = EPOCHS, **settings: Any) -> AveragedPerceptron:
    return AveragedPerceptron(max_iter=epochs, random_state=0, n_jobs=1, **settings)


def sgd(**settings: Any) -> SGDClassifier:
    rule = {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1.0, "average": True}
    return SGDClassifier(**rule, max_iter=EPOCHS, tol=None, random_state=0, n_jobs=1, **settings)


def peers() -> dict[str, Callable[[], Any]]:
    fits: dict[str, Callable[[], Any]] = {
        "SGD, averaged": sgd,
        "Perceptron": lambda: linear_model.Perceptron(max_iter=EPOCHS, tol=None, random_state=0, n_jobs=1),
    }
    if hasattr(linear_model, "PassiveAggressiveClassifier"):
        fits["Passive-Aggressive"] = lambda: linear_model.PassiveAggressiveClassifier(
            max_iter=EPOCHS, tol=None, random_state=0, n_jobs=1
        )
    return fits


def c_loop(folder: Path) -> ctypes.CDLL:
    library = folder / "loop.so"
    source = Path(__file__).with_name("loop.c")
    subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return ctypes.CDLL(str(library))


def run_c_loop(library: ctypes.CDLL, X: Any, y: np.ndarray, orders: list[np.ndarray]) -> np.ndarray:
    """Five epochs; the averaged weights."""

    def at(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    n, d = X.shape
    w, u, b, codes = np.zeros(d), np.zeros(d), np.zeros(2), y.astype(np.int32)
    if sp.issparse(X):
        function, rows = getattr(library, f"csr_f{8 * X.data.itemsize}"), [at(X.data), at(X.indices), at(X.indptr)]
    else:
        function, rows = getattr(library, f"dense_f{8 * X.itemsize}"), [at(X), ctypes.c_int64(d)]
    for epoch, numbers in enumerate(orders):
        function(*rows, at(numbers), at(codes), ctypes.c_int64(n), at(w), at(u), at(b), ctypes.c_int64(epoch * n))
    return w - u / (n * len(orders))


def vowpal_wabbit(X: Any, y: np.ndarray, folder: Path) -> Callable[[], Any] | None:
    """Five passes over a text file of the rows, cached after the first, in a process of its own."""
    try:
        import vowpalwabbit  # noqa: F401
    except ImportError:
        return None
    rows, path = sp.csr_matrix(X), folder / "rows.vw"
    with path.open("w") as lines:
        for i in range(rows.shape[0]):
            a, b = rows.indptr[i], rows.indptr[i + 1]
            entries = " ".join(f"{j}:{x:g}" for j, x in zip(rows.indices[a:b], rows.data[a:b], strict=True))
            lines.write(f"{2 * int(y[i]) - 1} | {entries}\n")
    options = f"-d {path} --binary --quiet -k -c --passes {EPOCHS} -b 20"
    call = f"import vowpalwabbit; vowpalwabbit.Workspace({options!r}).finish()"
    return lambda: subprocess.run([sys.executable, "-c", call], check=True)


def best(calls: dict[str, Callable[[], Any]], rounds: int = ROUNDS, seconds: float = LEAST_SECONDS) -> dict[str, float]:
    """The least time of each call, taken in turns: so many, and more of short calls, which other work disturbs most."""
    times: dict[str, float] = dict.fromkeys(calls, float("inf"))
    begun, taken = time.perf_counter(), 0
    while taken < rounds or time.perf_counter() - begun < seconds:
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            times[name] = min(times[name], time.perf_counter() - started)
        taken += 1
    return times


# ---- the tables ----

Table = list[list[str]]


def ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:,.1f}" if seconds < 1 else f"{1e3 * seconds:,.0f}"


def ratio(peer: float, own: float, least: float | None = None) -> str:
    verdict = "" if least is None else " ✓" if peer / own >= least else f" (✗ {least:g} asked)"
    return f"{peer / own:.2f}×{verdict}"


def fit_and_predict(problem: Problem, library: ctypes.CDLL, folder: Path) -> tuple[list[str], list[str]]:
    """A line of the table of fits, and one of predictions."""
    X, peer_rows, y = problem.X, problem.X_peer, problem.y
    fits: dict[str, Callable[[], Any]] = {"ours": lambda: ours().fit(X, y)}
    fits |= {name: (lambda make=make: make().fit(peer_rows, y)) for name, make in peers().items()}
    two = len(np.unique(y)) == 2
    if two:
        orders = list(islice(orders_of("shuffled", np.arange(len(y), dtype=np.int32), 0), EPOCHS))
        fits["C loop"] = lambda: run_c_loop(library, peer_rows, y, orders)
    took = best(fits)
    if sp.issparse(peer_rows) or peer_rows.size < MOST_FOR_LIBLINEAR:
        took |= best({"LIBLINEAR": lambda: LinearSVC(random_state=0).fit(peer_rows, y)}, 1, 0)
    wabbit = vowpal_wabbit(peer_rows, y, folder) if two and sp.issparse(peer_rows) else None
    if wabbit:
        took |= best({"Vowpal Wabbit": wabbit}, 2, 0)
    print(f"{problem.name:38} {ratio(took['SGD, averaged'], took['ours'], problem.least):22}", end="", flush=True)
    if two:
        print(f" {took['ours'] / took['C loop']:.2f} of the C loop", end="")
    mine, theirs = ours().fit(X, y), sgd().fit(peer_rows, y)
    both = rosenblatt.AveragedPerceptron(max_iter=EPOCHS, random_state=0, n_jobs=2).fit(X, y)
    calls = {"ours": lambda: mine.predict(X), "two": lambda: both.predict(X), "SGD": lambda: theirs.predict(peer_rows)}
    scores = best(calls)
    beside, cores = ratio(scores["SGD"], scores["ours"], 1.0), ratio(scores["ours"], scores["two"], 1.6)
    print(f"  predict {beside}, two cores {cores}", flush=True)
    others = [ms(took.get(name)) for name in ("Perceptron", "Passive-Aggressive", "LIBLINEAR", "Vowpal Wabbit")]
    loop = f"{took['ours'] / took['C loop']:.2f}" if two else ""
    own, peer = took["ours"], took["SGD, averaged"]
    fit_line = [problem.name, ms(own), ms(peer), ratio(peer, own, problem.least), *others, loop]
    return fit_line, [problem.name, ms(scores["ours"]), ms(scores["SGD"]), beside, cores]


def stream() -> Table:
    """partial_fit over 20 newsgroups, hashed into 2^20 columns, in batches."""
    texts, y = newsgroups()
    X = HashingVectorizer().transform(texts[:4000])
    shuffled = np.random.default_rng(0).permutation(len(texts[:4000]))
    X, y = X[shuffled], y[:4000][shuffled]
    lines = []
    for classes in (2, 20):
        labels = y if classes == 20 else (y < 3).astype(int)
        for size in (1, 100, 1000):
            count = {1: 40, 100: 10, 1000: 3}[size]
            batches = [(X[k * size : (k + 1) * size], labels[k * size : (k + 1) * size]) for k in range(count)]

            all_classes = np.unique(labels)

            def run(model: Any, batches: Any = batches, all_classes: Any = all_classes) -> None:
                for rows, known in batches:
                    model.partial_fit(rows, known, classes=all_classes)

            mine, theirs = ours(), sgd()
            run(mine), run(theirs)
            took = best({"ours": lambda mine=mine, run=run: run(mine), "SGD": lambda theirs=theirs, run=run: run(theirs)})
            name = f"{classes} classes, batches of {size:,}"
            own, peer = took["ours"] / count, took["SGD"] / count
            print(f"{name:38} {1e6 * own:10,.0f} µs a batch, {ratio(peer, own, 3.0)}", flush=True)
            lines.append([name, ms(own), ms(peer), ratio(peer, own, 3.0)])
    return lines


def markdown(header: list[str], lines: Table) -> str:
    rows = [header, ["---", *["---:"] * (len(header) - 1)], *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def machine() -> str:
    names = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    cores = len(os.sched_getaffinity(0))
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, scikit-learn {sklearn.__version__}"
    return f"{names[0] if names else platform.processor()}, {cores} cores, {versions}, {date.today():%Y-%m-%d}"


def write(tables: dict[str, str]) -> None:
    """Each table between the marks of its name."""
    page = PAGE.read_text()
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, after = page.partition(begin)[0], page.partition(end)[2]
        page = f"{before}{begin}\n\n{table}\n\n{end}{after}"
    PAGE.write_text(page)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [*PROBLEMS, "stream"]
    parser.add_argument("names", nargs="*", metavar="name", help=f"one or more of {', '.join(known)}; all by default")
    parser.add_argument("--write", action="store_true", help="also put the tables into docs/speed.md")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(known)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}: choose from {', '.join(known)}")
    if "ROSENBLATT_DATA" not in os.environ:
        parser.error("ROSENBLATT_DATA is not set: it names the folder with the data sets")
    warnings.simplefilter("ignore")
    fits, predictions = [], []
    with tempfile.TemporaryDirectory() as name:
        library = c_loop(Path(name))
        for chosen in [one for one in arguments.names or known if one != "stream"]:
            for problem in PROBLEMS[chosen]():
                fit_line, predict_line = fit_and_predict(problem, library, Path(name))
                fits.append(fit_line)
                predictions.append(predict_line)
    batches = stream() if "stream" in (arguments.names or known) else []
    if arguments.write:
        beside = ["ours, ms", "SGD averaged", "ratio", "Perceptron", "Passive-Aggressive", "LIBLINEAR", "Vowpal Wabbit"]
        write(
            {
                "machine": machine(),
                "fit": markdown(["", *beside, "of the C loop"], fits),
                "predict": markdown(["", "ours, ms", "SGD", "ratio", "two cores over one"], predictions),
                "partial_fit": markdown(["", "ours, ms a batch", "SGD averaged", "ratio"], batches),
            }
        )


if __name__ == "__main__":
    main()
