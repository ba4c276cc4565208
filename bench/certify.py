"""`certify` on large data: a verdict, or an honest "undecided", within the time given, in less than ten times their memory.

    python bench/certify.py                    all sets, 60 seconds each
    python bench/certify.py --seconds 20       other budgets
    python bench/certify.py --rows 0.01        a hundredth of the rows, to try it out

Labels are those of a random plane; 5 % are wrong, or none, or rows that are near the plane (|score| below 0.28 standard
deviations) are replaced. Every set has a process of its own. Memory is the most that the process ever held, less what it
held before the data were made: the data themselves are 1×. Of few rows it tells nothing: solvers hold some MB anyway.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt import certify

MOST = 10.0  # times the data
NONZEROS, NEAR, ROWS_AT_ONCE = 50, 0.28, 2_000
# Name: rows, columns, sparse, share of wrong labels, rows near the plane replaced.
SETS: dict[str, tuple[int, int, bool, float, bool]] = {
    "dense": (50_000, 300, False, 0.0, False),
    "dense, 5 % wrong": (50_000, 300, False, 0.05, False),
    "sparse": (500_000, 10_000, True, 0.0, False),
    "sparse, none near the plane": (500_000, 10_000, True, 0.0, True),
    "sparse, 5 % wrong": (500_000, 10_000, True, 0.05, False),
}


def make_rows(name: str, share: float) -> tuple[Any, np.ndarray]:
    """Rows and labels, made in blocks, so that making them takes little more memory than they do."""
    n, d, sparse, wrong, apart = SETS[name]
    n, rng = max(100, int(n * share)), np.random.default_rng(0)
    w, width = rng.standard_normal(d), NONZEROS if sparse else d
    values, columns, y = np.empty((n, width)), np.empty((n, width) if sparse else 0, np.int32), np.empty(n, bool)
    deviation, filled = np.sqrt(width * np.mean(w**2)), 0
    while filled < n:
        X = rng.standard_normal((min(ROWS_AT_ONCE, n - filled), width))
        # One column of each of 50 groups: distinct, and in order.
        at = rng.integers(0, d // width, X.shape) + np.arange(width) * (d // width)
        score = (X * w[at]).sum(axis=1)
        kept = np.flatnonzero(np.abs(score) > (NEAR * deviation if apart else 0.0))
        place = slice(filled, filled + len(kept))
        values[place], y[place], filled = X[kept], score[kept] > 0, filled + len(kept)
        if sparse:
            columns[place] = at[kept]
    y ^= rng.random(n) < wrong
    ends = np.arange(0, n * width + 1, width, dtype=np.int32)
    return (sp.csr_array((values.ravel(), columns.ravel(), ends), shape=(n, d)) if sparse else values), y


def peak() -> int:
    """The most bytes that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure(name: str, share: float, seconds: float) -> dict[str, Any]:
    certify([[0.0], [1.0], [2.0]], [0, 1, 0])  # what it imports on the way is no memory of the data
    before = peak()
    X, y = make_rows(name, share)
    size = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    started = time.perf_counter()
    certificate = certify(X, y, seconds=seconds)
    took, most = time.perf_counter() - started, peak()
    verdict = {True: "separable", False: "not separable", None: "undecided"}[certificate.separable]
    shape, checks = f"{X.shape[0]:,} × {X.shape[1]:,}", certificate.check() if certificate.separable is not None else None
    return {"shape": shape, "verdict": verdict, "checks": checks, "seconds": took, "memory": (most - before) / size}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="the budget of each set (60)")
    parser.add_argument("--rows", type=float, default=1.0, metavar="SHARE", help="so much of the rows (1)")
    parser.add_argument("--set", choices=SETS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.set:
        print(json.dumps(measure(given.set, given.rows, given.seconds)))
        return
    print(f"{'':30} {'rows × features':>17}  {'verdict':14} {'proof':8} {'seconds':>8} {'memory':>8}")
    for name in SETS:
        command = [sys.executable, __file__, "--set", name, "--rows", str(given.rows), "--seconds", str(given.seconds)]
        result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        proof = {True: "checks", False: "FAILS", None: "none"}[result["checks"]]
        over = result["seconds"] - given.seconds
        in_time = "in time" if over <= 0 else f"{over:.2f} s OVER"
        small = f"{'below' if result['memory'] < MOST else 'NOT below'} {MOST:g}×"
        numbers = f"{result['seconds']:8.2f} {result['memory']:7.1f}×"
        print(
            f"{name:30} {result['shape']:>17}  {result['verdict']:14} {proof:8} {numbers}   {in_time}, {small}", flush=True
        )


if __name__ == "__main__":
    main()
