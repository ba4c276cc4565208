"""The dual side of the log, measured: exact votes beside a loop over stored weight vectors.

    python bench/dual.py          every part
    python bench/dual.py votes    some

votes: 10,000 rows, 5,000 survivors. The peer stores the weight vector of every survivor and takes numpy's matrix product
with one of them at a time; both must find the same votes. The middle of three counts for ours; the peer is taken once.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from rosenblatt import train
from rosenblatt.log import Memory
from rosenblatt.votes import BLOCK, Voter

ROWS, SURVIVORS, LEAST = 10_000, 5_000, 8.0


def run_with(survivors: int, d: int, rng: np.random.Generator, density: float = 1.0) -> tuple[Memory, object, np.ndarray]:
    """The memory of one pass that ends with so many survivors, rows to decide about, and the classes.

    Whole numbers, so that both sides round nothing and the votes must be equal; a fifth of the labels is wrong.
    """
    n = 60_000
    if density < 1:
        X = sp.random(n + ROWS, d, density, "csr", np.float64, rng, lambda k: rng.integers(1, 9, k).astype(float))
    else:
        X = rng.integers(-8, 9, (n + ROWS, d)).astype(float)
    y = np.asarray(X @ rng.standard_normal(d) > 0) ^ (rng.random(n + ROWS) < 0.2)
    t = train(X[:n], y[:n], epochs=1, order="given", keep_log=True).log.t
    end = int(t[survivors - 1])  # the first weights, 0, are a survivor as well
    run = train(X[:end], y[:end], epochs=1, order="given", keep_log=True)
    return run.memory(), X[n:], run.classes


def stored_weights(memory: Memory) -> tuple[np.ndarray, np.ndarray]:
    """(w, b) of every survivor: what a voted perceptron without a log keeps."""
    signs = np.where(memory.codes[memory.log.row] == 1, memory.log.tau, -memory.log.tau)
    rows = memory.rows.csr()
    W, b = np.zeros((len(memory.log) + 1, memory.rows.d)), np.concatenate([[0.0], np.cumsum(signs)])
    for k, (row, step) in enumerate(zip(memory.log.row, signs, strict=True)):
        W[k + 1] = W[k]
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        W[k + 1, rows.indices[part]] += step * rows.data[part]
    return W, b


def one_vector_at_a_time(X: object, W: np.ndarray, b: np.ndarray, lived: np.ndarray) -> np.ndarray:
    total = np.zeros(X.shape[0])
    for w, bias, count in zip(W, b, lived, strict=True):
        total += count * np.where(X @ w + bias >= 0, 1.0, -1.0)
    return total


def seconds(call: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def votes() -> None:
    """Exact voted prediction; the least that is asked for holds for dense rows as long as MNIST's."""
    print(f"votes: {ROWS:,} rows, {SURVIVORS:,} survivors, blocks of {BLOCK >> 20} MB")
    print(f"{'':44} {'ours, s':>9} {'one by one, s':>13} {'ratio':>9}   (most memory while voting)")
    for name, d, density, least in (
        ("dense, 784 columns", 784, 1.0, LEAST),
        ("dense, 100 columns", 100, 1.0, None),
        ("sparse, 50 of 20,000 columns", 20_000, 0.0025, None),
    ):
        memory, X, classes = run_with(SURVIVORS, d, np.random.default_rng(0), density)
        voter = Voter(classes, memory)
        own = seconds(lambda: voter.scores(X), 3)  # noqa: B023
        W, b = stored_weights(memory)
        started = time.perf_counter()
        expected = one_vector_at_a_time(X, W, b, memory.lived)
        peer = time.perf_counter() - started
        tracemalloc.start()
        if not np.array_equal(voter.scores(X), expected):
            raise SystemExit("the votes differ")
        needed = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        verdict = "" if least is None else f"{least:g}× {'reached' if peer / own >= least else 'MISSED'}"
        print(f"{name:44} {own:9.2f} {peer:13.2f} {peer / own:8.1f}×   {verdict} ({needed:.0f} MB)", flush=True)


PARTS: dict[str, Callable[[], None]] = {"votes": votes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"some of {', '.join(PARTS)}; else all")
    for name in parser.parse_args().parts or PARTS:
        if name not in PARTS:
            parser.error(f"there is no part {name!r}: choose from {', '.join(PARTS)}")
        PARTS[name]()


if __name__ == "__main__":
    main()
