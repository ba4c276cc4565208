"""The dual side of the log, measured: exact votes beside a loop over stored weight vectors.

    python bench/dual.py          every part
    python bench/dual.py votes    some

votes: 10,000 rows, 5,000 survivors. The peer stores the weight vector of every survivor and takes numpy's matrix product
with one of them at a time; both must find the same votes. The middle of three counts for ours; the peer is taken once.

kernels: MNIST (in the folder that ROSENBLATT_DATA names), ten classes each against the rest, (1 + x·x′)^4, one epoch of
60,000, and the votes on 10,000. The peer is the same block method in thirty lines of numpy, all in float32. Calls alternate;
the better of two counts, for both. The whole experiment is bench/freund_schapire.py.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from engine import mnist

from rosenblatt import train
from rosenblatt.engine.order import epochs
from rosenblatt.engine.rules import Perceptron
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.kernel.kernels import Polynomial
from rosenblatt.learning.kernel.model import View
from rosenblatt.learning.kernel.training import Design, KernelTraining, train_kernel
from rosenblatt.learning.log import Memory
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import decide
from rosenblatt.learning.votes import PRODUCT_BYTES, Voter

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
    print(f"votes: {ROWS:,} rows, {SURVIVORS:,} survivors, blocks of {PRODUCT_BYTES >> 20} MB")
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


class Sketch:
    """The block method in plain numpy: all kernels, coefficients and scores in float32."""

    def __init__(self, X: np.ndarray, y: np.ndarray, degree: int):
        self.X, self.degree = X, degree
        self.signs = np.where(y[:, None] == np.arange(10), 1, -1).astype(np.float32)
        self.rows, self.coef = np.empty((len(X), X.shape[1]), np.float32), np.zeros((len(X), 10), np.float32)
        self.size = self.seen = 0
        self.updates: list[tuple[int, int, int, float]] = []  # (t, place, class, sign)

    def kernel(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        K = A @ B.T
        K += 1
        return K**self.degree if self.degree != 4 else np.square(np.square(K))

    def learn(self, order: np.ndarray, block: int = 512) -> None:
        for start in range(0, len(order), block):
            numbers = order[start : start + block]
            A, signs = self.X[numbers], self.signs[numbers]
            scores = self.kernel(A, self.rows[: self.size]) @ self.coef[: self.size]
            G = self.kernel(A, A)
            for k in range(len(numbers)):
                wrong = np.flatnonzero(signs[k] * scores[k] <= 0)
                if len(wrong):
                    scores[k + 1 :, wrong] += np.outer(G[k, k + 1 :], signs[k, wrong])
                    self.rows[self.size], self.coef[self.size, wrong] = A[k], signs[k, wrong]
                    self.updates += [(start + k, self.size, c, signs[k, c]) for c in wrong.tolist()]
                    self.size += 1
        self.seen = len(order)

    def votes(self, tests: np.ndarray, block: int = 500) -> np.ndarray:
        logs = [np.array([(u[0], u[1], u[3]) for u in self.updates if u[2] == c]).T for c in range(10)]
        found = np.zeros((len(tests), 10))
        for start in range(0, len(tests), block):
            K = self.kernel(tests[start : start + block], self.rows[: self.size])
            for c, (t, place, sign) in enumerate(logs):
                running = np.cumsum(K[:, place.astype(int)] * sign.astype(np.float32), axis=1)
                found[start : start + block, c] = np.where(running >= 0, 1.0, -1.0) @ np.diff(t, append=self.seen)
        return found


def timed(call: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    made = call()
    return time.perf_counter() - started, made


def kernels() -> None:
    """One epoch and its votes, beside the sketch."""
    if "ROSENBLATT_DATA" not in os.environ:
        print("kernels: left out, ROSENBLATT_DATA names no folder with MNIST")
        return
    (X, y), (tests, digits), degree, voted = mnist("train"), mnist("t10k"), 4, View("voted")
    examples = for_classes(X, y)
    order = next(epochs("shuffled", examples.pool(), 0)).copy()
    times: dict[str, list[float]] = {name: [] for name in ("ours", "sketch", "our votes", "its votes")}
    for _ in range(2):
        sketch = Sketch(X, y, degree)
        plan = Plan(epochs=1, seed=0, fit_intercept=False)
        spent, run = timed(lambda: train_kernel(examples, Perceptron(), Polynomial(degree), plan, Design("ovr")))  # noqa: B023
        times["ours"].append(spent)
        times["sketch"].append(timed(lambda: sketch.learn(order))[0])  # noqa: B023
        assert isinstance(run, KernelTraining)
        spent, scores = timed(lambda: run.dual.scorer(voted).scores(tests))  # noqa: B023
        times["our votes"].append(spent)
        spent, theirs = timed(lambda: sketch.votes(tests))  # noqa: B023
        times["its votes"].append(spent)
    best = {name: min(found) for name, found in times.items()}
    print(f"kernels: MNIST, d = {degree}, one epoch, each class against the rest")
    print(f"{'':44} {'ours, s':>9} {'sketch, s':>13} {'ratio':>9}")
    for name, own, peer in (("training", "ours", "sketch"), ("votes on 10,000", "our votes", "its votes")):
        print(f"{name:44} {best[own]:9.2f} {best[peer]:13.2f} {best[peer] / best[own]:8.2f}×")
    wrong = [100 * np.mean(decide(np.asarray(votes), by_votes=True) != digits) for votes in (scores, theirs)]
    print(f"{'voted test error, %':44} {wrong[0]:9.2f} {wrong[1]:13.2f}")
    print(f"{'support examples':44} {len(run.dual.support):9,} {sketch.size:13,}", flush=True)


PARTS: dict[str, Callable[[], None]] = {"votes": votes, "kernels": kernels}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"some of {', '.join(PARTS)}; else all")
    for name in parser.parse_args().parts or PARTS:
        if name not in PARTS:
            parser.error(f"there is no part {name!r}: choose from {', '.join(PARTS)}")
        PARTS[name]()


if __name__ == "__main__":
    main()
