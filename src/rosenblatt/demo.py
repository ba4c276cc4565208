"""All rules on the data sets that scikit-learn bundles: `make demo`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import estimators
from rosenblatt.errors import UncompiledWarning

SETS = {
    "breast-cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}
LEARNERS: dict[str, Callable[[int], Any]] = {
    "perceptron": lambda seed: estimators.Perceptron(random_state=seed),
    "averaged": lambda seed: estimators.AveragedPerceptron(random_state=seed),
    "mira": lambda seed: estimators.Mira(random_state=seed),
    "averaged mira": lambda seed: estimators.Mira(random_state=seed, average=True),
    "passive-aggressive": lambda seed: estimators.PassiveAggressive(random_state=seed, average=True),
    "logistic": lambda seed: estimators.SoftPerceptron(random_state=seed, average=True),
    "widrow-hoff": lambda seed: estimators.WidrowHoff(random_state=seed, average=True),
}
SEEDS = 10


def held_out_errors(learner: str, X: np.ndarray, y: np.ndarray) -> list[float]:
    """Error on a quarter of the rows, for each of ten splits and orders."""
    errors = []
    for seed in range(SEEDS):
        train, test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=seed, stratify=y)
        pipeline = make_pipeline(StandardScaler(), LEARNERS[learner](seed)).fit(train, y_train)
        errors.append(1 - pipeline.score(test, y_test))
    return errors


def main() -> None:
    """Prints one table: mean held-out error in percent, and its spread over the splits."""
    warnings.simplefilter("default", UncompiledWarning)
    data = {name: load(return_X_y=True) for name, load in SETS.items()}
    print(f"Held-out error in %, mean ± sd over {SEEDS} splits (a quarter of the rows held out, 20 epochs at most)\n")
    print(f"{'':20}" + "".join(f"{name:>16}" for name in data))
    sizes = (f"{X.shape[0]} × {X.shape[1]}, {len(np.unique(y))}" for X, y in data.values())
    print(f"{'rows × cols, classes':20}" + "".join(f"{size:>16}" for size in sizes))
    started = time.perf_counter()
    for learner in LEARNERS:
        row = [held_out_errors(learner, X, y) for X, y in data.values()]
        print(f"{learner:20}" + "".join(f"{100 * np.mean(e):9.1f} ± {100 * np.std(e):4.1f}" for e in row))
    print(f"\n{len(LEARNERS) * len(data) * SEEDS} fits in {time.perf_counter() - started:.1f} s.")


if __name__ == "__main__":
    main()
