"""Freund and Schapire's experiment with digits: test error of kernel perceptrons, last, averaged and voted.

    ROSENBLATT_DATA=… python bench/freund_schapire.py              the table of docs/kernels.md: five degrees, ten epochs
    ROSENBLATT_DATA=… python bench/freund_schapire.py --degrees 4 --epochs 1

Ten classes, each against the rest; polynomial kernel (1 + x·x′)^d, pixels in 0 … 1, 60,000 digits to learn from and 10,000
to test, one random order an epoch. One training run a degree gives every row: T = 0.1 is the run's first 6,000 examples.
("Large margin classification using the perceptron algorithm", 1999.)
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from engine import mnist

from rosenblatt.engine.rules import Perceptron
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.kernel.kernels import Polynomial
from rosenblatt.learning.kernel.model import View
from rosenblatt.learning.kernel.training import Design, train_kernel
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.scoring import decide

VIEWS = ("last", "averaged", "voted")
TIMES = (0.1, 1, 4, 10)


def experiment(degree: int, epochs: int, seed: int) -> None:
    """Trains once, and prints a line for every T."""
    examples, (tests, digits) = for_classes(*mnist("train")), mnist("t10k")
    begun = time.perf_counter()
    plan = Plan(epochs=epochs, seed=seed, fit_intercept=False)
    run = train_kernel(examples, Perceptron(), Polynomial(degree), plan, Design("ovr"))
    trained = time.perf_counter()
    n, seen = examples.rows.n, run.dual.t
    times = [T for T in TIMES if epochs >= T]
    # A run that ended earlier, an epoch without mistakes, would only repeat its last weights: they live on.
    wanted = [View(name, min(round(T * n), seen)) for T in times for name in VIEWS]
    scores = run.dual.scores_in(tests, wanted)
    counted = time.perf_counter()
    errors = [
        100 * np.mean(decide(s, by_votes=view.name == "voted") != digits) for s, view in zip(scores, wanted, strict=True)
    ]
    for row, T in enumerate(times):
        logs = run.dual.placed_logs(min(round(T * n), seen))
        support, updates = 1 + max(int(log.row.max()) for log in logs), sum(map(len, logs))
        cells = " | ".join(f"{error:.2f}" for error in errors[row * len(VIEWS) : (row + 1) * len(VIEWS)])
        print(f"| {degree} | {T:g} | {cells} | {support:,} | {updates:,} |", flush=True)
    print(f"<!-- d={degree}: {trained - begun:.1f} s to train, {counted - trained:.1f} s for all views -->", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--degrees", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| d | T | last | averaged | voted | support examples | updates |\n|---|---|---|---|---|---|---|", flush=True)
    for degree in options.degrees:
        experiment(degree, options.epochs, options.seed)


if __name__ == "__main__":
    main()
