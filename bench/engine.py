"""The engine beside scikit-learn's averaged SGD, in one run: ratios of time per epoch, and the memory of a fit.

    python bench/engine.py              every row of the table
    python bench/engine.py dense mnist  some
    python bench/engine.py --noise 0.17 with one label in twenty wrong, so more updates

Both learn the same data with the same number of epochs, shuffled before each (or as given), one thread, the average kept;
ours shuffles for the next epoch on a second core, where OMP_NUM_THREADS allows one.
Calls alternate, the middle of five counts. The least that DESIGN.md asks for stands in the last column.
"""

from __future__ import annotations

import argparse
import gzip
import os
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier

from rosenblatt import AveragedPerceptron, OneHot

EPOCHS = 5
ROUNDS = 5
NOISE = 0.0  # set by --noise


def dense(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """400,000 × 256 standard normal floats."""
    X = rng.standard_normal((400_000, 256), dtype=np.float32)
    return X, labels(X @ rng.standard_normal(256).astype(np.float32), rng)


def sparse(rng: np.random.Generator, skewed: bool) -> tuple[sp.csr_matrix, np.ndarray]:
    """500,000 rows of 50 entries in 2^20 columns: low columns far more often (as words are), or all alike."""
    n, m, d = 500_000, 50, 2**20
    place = rng.random((n, m))
    columns = (d * (place**4 if skewed else place)).astype(np.int32)
    columns.sort(axis=1)
    values = rng.random((n, m), dtype=np.float32)
    X = sp.csr_matrix((values.ravel(), columns.ravel(), np.arange(0, n * m + 1, m, dtype=np.int32)), shape=(n, d))
    X.sum_duplicates()
    return X, labels(X @ rng.standard_normal(d).astype(np.float32), rng)


def one_hot(rng: np.random.Generator) -> tuple[OneHot, np.ndarray]:
    """500,000 rows of 14 categories with 2 to 100 values."""
    n, sizes = 500_000, rng.integers(2, 101, 14)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    columns = np.stack([start + rng.integers(0, size, n) for start, size in zip(starts, sizes, strict=True)], axis=1)
    X = OneHot(columns.astype(np.int32), int(sizes.sum()))
    return X, labels(rng.standard_normal(X.n_features)[X.columns].sum(axis=1), rng)


def labels(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The side of the plane, with NOISE times the spread added: 0 separates, 1/6 gets one label in twenty wrong."""
    return np.asarray(scores + rng.standard_normal(len(scores)) * scores.std() * NOISE > 0).astype(np.int64)


def mnist(part: str) -> tuple[np.ndarray, np.ndarray]:
    folder = Path(os.environ["ROSENBLATT_DATA"]) / "mnist"
    images = gzip.decompress((folder / f"{part}-images-idx3-ubyte.gz").read_bytes())[16:]
    digits = gzip.decompress((folder / f"{part}-labels-idx1-ubyte.gz").read_bytes())[8:]
    return np.frombuffer(images, np.uint8).reshape(-1, 784).astype(np.float32) / 255, np.frombuffer(digits, np.uint8)


def theirs(shuffle: bool, epochs: int) -> SGDClassifier:
    settings = {"loss": "perceptron", "penalty": None, "learning_rate": "constant", "eta0": 1.0, "average": True}
    return SGDClassifier(**settings, shuffle=shuffle, max_iter=epochs, tol=None, random_state=0, n_jobs=1)


def ours(shuffle: bool, epochs: int) -> AveragedPerceptron:
    return AveragedPerceptron(shuffle=shuffle, max_iter=epochs, random_state=0)


def medians(*calls: Callable[[], object]) -> list[float]:
    """The middle of the times of each call, taken in turns."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, taken in zip(calls, times, strict=True):
            started = time.perf_counter()
            call()
            taken.append(time.perf_counter() - started)
    return [statistics.median(taken) for taken in times]


def compare(name: str, X: object, X_peer: object, y: np.ndarray, least: float, epochs: int = EPOCHS) -> None:
    """Two lines of the table: shuffled, and as given."""
    for shuffle in (True, False):
        peer, own = medians(lambda s=shuffle: theirs(s, epochs).fit(X_peer, y), lambda s=shuffle: ours(s, epochs).fit(X, y))
        say(f"{name}, {'shuffled' if shuffle else 'as given'}", own / epochs, peer / epochs, least if shuffle else None)


def say(what: str, own: float, peer: float, least: float | None) -> None:
    verdict = "" if least is None else f"{least:g}× {'reached' if peer / own >= least else 'MISSED'}"
    print(f"{what:44} {1e3 * own:9.1f} {1e3 * peer:13.1f} {peer / own:8.2f}×   {verdict}", flush=True)


def memory_of_fit(X: object, y: np.ndarray) -> float:
    """Megabytes that a fit needs at its peak beyond what was there before (Linux)."""

    def status(key: str) -> int:
        return next(
            int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key)
        )

    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = status("VmRSS")
    ours(True, 2).fit(X, y)
    return (status("VmHWM") - before) / 1024


def bench_dense() -> None:
    X, y = dense(np.random.default_rng(0))
    compare("dense float32 400,000 × 256", X, X, y, 6.5)
    peer, own = medians(X.sum, lambda: ours(False, EPOCHS).fit(X, y))
    own /= EPOCHS
    verdict = f"at most 0.9 {'reached' if own <= 0.9 * peer else 'MISSED'}"
    print(f"{'  as given, beside numpy summing X':44} {1e3 * own:9.1f} {1e3 * peer:13.1f} {own / peer:8.2f}    {verdict}")
    print(f"  memory of a fit: {memory_of_fit(X, y):.1f} MB for {X.nbytes / 2**20:.0f} MB of data")


def bench_sparse() -> None:
    for name, skewed, least in (("skewed", True, 2.5), ("uniform", False, 2.0)):
        X, y = sparse(np.random.default_rng(0), skewed)
        compare(f"CSR 500,000 × 50 of 2^20, {name}", X, X, y, least)
        size = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20
        print(f"  memory of a fit: {memory_of_fit(X, y):.1f} MB for {size:.0f} MB of data; a weight vector is 8 MB")


def bench_one_hot() -> None:
    X, y = one_hot(np.random.default_rng(0))
    n, m = X.columns.shape
    peer = sp.csr_matrix(
        (np.ones(n * m, np.float32), X.columns.ravel(), np.arange(0, n * m + 1, m, dtype=np.int32)), shape=X.shape
    )
    compare("one-hot 500,000 × 14", X, peer, y, 8.0)
    compare("  the same as CSR with values", peer, peer, y, 1.0)


def bench_mnist() -> None:
    if "ROSENBLATT_DATA" not in os.environ:
        print("MNIST: left out, ROSENBLATT_DATA is not set")
        return
    X, y = mnist("train")
    test = mnist("t10k")
    peer, own = medians(lambda: theirs(True, 10).fit(X, y), lambda: ours(True, 10).fit(X, y))
    say("MNIST, ten classes, ten epochs (whole fit)", own, peer, 15.0)
    errors = [100 * (1 - ours(True, 10).set_params(random_state=seed).fit(X, y).score(*test)) for seed in range(5)]
    print(f"  test error over five seeds: {np.mean(errors):.2f} % ({min(errors):.2f}–{max(errors):.2f}), at most 7.5")


BENCHES = {"dense": bench_dense, "sparse": bench_sparse, "one-hot": bench_one_hot, "mnist": bench_mnist}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help=f"one or more of {', '.join(BENCHES)}; all by default")
    parser.add_argument("--noise", type=float, default=0.0, help="0: labels by a plane (default); 0.17: one in twenty wrong")
    arguments = parser.parse_args()
    chosen = arguments.names or list(BENCHES)
    global NOISE
    NOISE = arguments.noise
    unknown = set(chosen) - set(BENCHES)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}: choose from {', '.join(BENCHES)}")
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"{'':44} {'ours ms':>9} {'sklearn ms':>13} {'ratio':>9}   at least")
    for name in chosen:
        BENCHES[name]()


if __name__ == "__main__":
    main()
