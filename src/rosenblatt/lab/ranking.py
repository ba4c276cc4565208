"""The ranking of the learners on the income data, and what a prediction costs (LECTURES O6, O10, B9)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from rosenblatt.data import read
from rosenblatt.data.labels import labels_of
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.rules import Perceptron
from rosenblatt.estimators.neighbours import GaussianBayes, LogisticAscent, RidgeClassifier
from rosenblatt.estimators.neighbours.peers import KNeighborsClassifier, LinearSVC
from rosenblatt.features import TableMap
from rosenblatt.lab.finding import Finding
from rosenblatt.lab.views import draw_ranking
from rosenblatt.learning.classifier import Recipe
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.training import run
from rosenblatt.show.canvas import COLOURS
from rosenblatt.studies.compare import recipe_of

SEEDS = 10
ONLINE = ("perceptron", "mira", "averaged", "averaged mira", "logistic")
CLOSE = 0.01  # of error: ten of the thousand dev people


def income() -> Finding:
    """Trained on 5,000 people, measured on the 1,000 of the dev file; every value a feature, five epochs, ten orders."""
    train_rows, dev_rows = read("income"), read("income:dev")
    features = TableMap(numeric="category").fit(train_rows.rows)
    X, X_dev = features.transform(train_rows.rows), features.transform(dev_rows.rows)
    y, y_dev = (np.asarray(labels_of(rows)) for rows in (train_rows, dev_rows))
    examples = for_classes(X, y)
    errors: dict[str, list[float]] = {}
    for name in ONLINE:
        recipe = recipe_of(name, Recipe(epochs=5))
        view = "averaged" if recipe.averages else "last"
        for seed in range(SEEDS):
            plan = Recipe(**{**vars(recipe), "seed": seed}).plan()
            errors.setdefault(name, []).append(wrong(run(examples, recipe.rule(), plan).view(view).predict(X_dev), y_dev))
    sparse, sparse_dev = Rows(X).matrix(), Rows(X_dev).matrix()
    for name, made in {
        "logistic regression, λ = 1": LogisticAscent(l2=1.0, max_iter=3000),
        "ridge, λ = 1": RidgeClassifier(l2=1.0),
        "naive Bayes, shared variance": GaussianBayes(),
        "linear SVM": LinearSVC(C=0.1, random_state=0),
    }.items():
        errors[name] = [wrong(made.fit(sparse, y).predict(sparse_dev), y_dev)]
    errors["majority"] = [float(np.mean(y_dev != max(set(y.tolist()), key=y.tolist().count)))]
    mean = {name: float(np.mean(values)) for name, values in errors.items()}
    rows: list[tuple[Any, ...]] = [
        (name, 100 * mean[name], 100 * float(np.std(values, ddof=1)) if len(values) > 1 else None)
        for name, values in sorted(errors.items(), key=lambda item: mean[item[0]])
    ]
    top = [mean[name] for name in ("averaged", "averaged mira", "logistic regression, λ = 1", "linear SVM")]
    alike = max(top) - min(top) <= CLOSE
    mira_first = mean["mira"] < mean["perceptron"]
    return Finding(
        claim="perceptron < MIRA < averaged ≈ averaged MIRA ≈ logistic ≈ SVM, the best last.",
        items=("O6", "O10"),
        columns=("learner", "dev error %", "sd over orders"),
        rows=rows,
        holds=alike and mira_first and max(top) < mean["mira"],
        sentence=(
            f"averaged {100 * mean['averaged']:.1f}, averaged MIRA {100 * mean['averaged mira']:.1f}, logistic "
            f"{100 * mean['logistic regression, λ = 1']:.1f}, SVM {100 * mean['linear SVM']:.1f} %"
            f"{' are alike' if alike else ' differ by more than a point'}; the last weights err on "
            f"{100 * mean['mira']:.1f} (MIRA) and {100 * mean['perceptron']:.1f} % (perceptron)"
            f"{'' if mira_first else ', against the slide: both thrash'}."
        ),
        draw=lambda ax: draw_ranking(ax, rows, "Income: dev error, every value a feature"),
    )


def wrong(labels: np.ndarray, truth: np.ndarray) -> float:
    return float(np.mean(labels != truth))


def cost() -> Finding:
    """One prediction by 1-nearest-neighbour and by a linear model as N grows, d = 50: what must be kept and multiplied."""
    d, rows, measured = 50, [], []
    rng = np.random.Generator(np.random.PCG64(7))
    plane = rng.standard_normal(d)
    test = rng.standard_normal((200, d))
    for n in (1_000, 4_000, 16_000, 64_000):
        X = rng.standard_normal((n, d))
        y = (X @ plane > 0).astype(int)
        neighbours = KNeighborsClassifier(1, algorithm="brute").fit(X, y)
        linear = run(for_classes(X, y), Perceptron(), Recipe(epochs=2).plan()).view("averaged")
        errors = [100 * wrong(one.predict(test), (test @ plane > 0).astype(int)) for one in (neighbours, linear)]
        rows.append((n, X.nbytes // 1024, (d + 1) * 8 / 1024, n * d, d, *errors))
        measured.append((n, *(best_time(one, test) for one in (neighbours, linear))))
    return Finding(
        claim="Nearest neighbours need memory and time O(N d) at every prediction, a linear model O(d).",
        items=("B9",),
        columns=("N", "kB kept", "linear kB", "products", "linear products", "error %", "linear error %"),
        rows=rows,
        holds=rows[-1][3] / rows[0][3] == rows[-1][0] / rows[0][0] and rows[-1][4] == rows[0][4],
        sentence=(
            f"from {rows[0][0]:,} to {rows[-1][0]:,} examples the products for one prediction grow from {rows[0][3]:,} to "
            f"{rows[-1][3]:,} for neighbours and stay {d} for the linear model."
        ),
        draw=lambda ax: draw_cost(ax, measured),
        measured=[("N", "neighbours, µs a prediction", "linear, µs a prediction"), *measured],
    )


def best_time(model: Any, test: np.ndarray) -> float:
    """Microseconds for one row, the best of several."""
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        model.predict(test)
        taken.append(time.perf_counter() - started)
    return 1e6 * min(taken) / len(test)


def draw_cost(ax: Any, measured: list[tuple[Any, ...]]) -> None:
    n = [row[0] for row in measured]
    ax.loglog(n, [row[1] for row in measured], "o-", color=COLOURS[1], label="1-nearest-neighbour")
    ax.loglog(n, [row[2] for row in measured], "s-", color=COLOURS[0], label="linear")
    ax.set(xlabel="examples learned from", ylabel="µs a prediction", title="The cost of a prediction, d = 50")
    ax.legend(loc="center right")
