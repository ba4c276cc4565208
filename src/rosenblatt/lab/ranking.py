"""The ranking of the learners on the income data, and what a prediction costs (LECTURES O6, O10, B9)."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.data import read
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.rules import Perceptron
from rosenblatt.estimators.neighbours import GaussianBayes, LogisticAscent, RidgeClassifier
from rosenblatt.estimators.neighbours.peers import BallTree, KNeighborsClassifier, LinearSVC
from rosenblatt.features import TableMap
from rosenblatt.lab.chance import WORDS, all_of, decided_of_rates
from rosenblatt.lab.finding import Finding, TableRows
from rosenblatt.lab.views import draw_ranking
from rosenblatt.learning.examples import class_labels_of, for_classes
from rosenblatt.learning.learner_names import recipe_called
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.training import run
from rosenblatt.show.canvas import PALETTE

INCOME_ORDERS = 10
ONLINE_LEARNERS = ("perceptron", "mira", "averaged", "averaged mira", "logistic")
DEV_PEOPLE = 1_000
CLOSE_ERRORS = 0.01  # differ by at most ten of the thousand dev people
EXPONENT_TOLERANCE = 0.1  # by which a measured growth may miss the one that the claim says


def income() -> Finding:
    """Trained on 5,000 people, measured on the 1,000 of the dev file; every value a feature, five epochs, ten orders."""
    train_rows, dev_rows = read("income"), read("income:dev")
    features = TableMap(numeric="category").fit(train_rows.rows)
    X, X_dev = features.transform(train_rows.rows), features.transform(dev_rows.rows)
    y, y_dev = (np.asarray(class_labels_of(rows)) for rows in (train_rows, dev_rows))
    examples = for_classes(X, y)
    errors: dict[str, list[float]] = {}
    for name in ONLINE_LEARNERS:
        recipe = recipe_called(name, Recipe(epochs=5))
        view = "averaged" if recipe.averages else "last"
        for seed in range(INCOME_ORDERS):
            trained = run(examples, recipe.rule(), replace(recipe, seed=seed).plan())
            errors.setdefault(name, []).append(error_rate(trained.view(view).predict(X_dev), y_dev))
    sparse, sparse_dev = Rows(X).matrix(), Rows(X_dev).matrix()
    for name, estimator in {
        "logistic regression, λ = 1": LogisticAscent(l2=1.0, max_iter=3000),
        "ridge, λ = 1": RidgeClassifier(l2=1.0),
        "naive Bayes, shared variance": GaussianBayes(),
        "linear SVM": LinearSVC(C=0.1, random_state=0),
    }.items():
        errors[name] = [error_rate(estimator.fit(sparse, y).predict(sparse_dev), y_dev)]
    errors["majority"] = [float(np.mean(y_dev != max(set(y.tolist()), key=y.tolist().count)))]
    return judge_income(errors)


def judge_income(errors: dict[str, list[float]]) -> Finding:
    """From the dev errors of every learner, order by order."""
    mean = {name: float(np.mean(values)) for name, values in errors.items()}
    rows: TableRows = [
        (name, 100 * mean[name], 100 * float(np.std(values, ddof=1)) if len(values) > 1 else None)
        for name, values in sorted(errors.items(), key=lambda item: mean[item[0]])
    ]
    best = ("averaged", "averaged mira", "logistic regression, λ = 1", "linear SVM")
    top = [mean[name] for name in best]
    alike = max(top) - min(top) <= CLOSE_ERRORS
    spread = math.sqrt(mean["averaged"] * (1 - mean["averaged"]) / DEV_PEOPLE)
    mira_first = decided_of_rates(errors["perceptron"], errors["mira"], DEV_PEOPLE)
    averages_first = [decided_of_rates(errors["mira"], errors[name], DEV_PEOPLE) for name in best]
    return Finding(
        claim="perceptron < MIRA < averaged ≈ averaged MIRA ≈ logistic ≈ SVM, the best last.",
        items=("O6", "O10"),
        columns=("learner", "dev error %", "sd over orders"),
        rows=rows,
        holds=all_of(alike, mira_first, *averages_first),
        sentence=(
            f"averaged {100 * mean['averaged']:.1f}, averaged MIRA {100 * mean['averaged mira']:.1f}, logistic "
            f"{100 * mean['logistic regression, λ = 1']:.1f}, SVM {100 * mean['linear SVM']:.1f} %"
            f"{' are alike' if alike else ' differ by more than a point'}; the last weights err on "
            f"{100 * mean['mira']:.1f} (MIRA) and {100 * mean['perceptron']:.1f} % (perceptron)"
            f", a difference {WORDS[mira_first]}: last weights thrash. "
            f"The standard error of an error, of {DEV_PEOPLE:,} people, is about {100 * spread:.1f} points."
        ),
        draw=lambda ax: draw_ranking(ax, rows, "Income: dev error, every value a feature"),
    )


def error_rate(labels: np.ndarray, truth: np.ndarray) -> float:
    return float(np.mean(labels != truth))


def cost() -> Finding:
    """One prediction from N examples: the distances that a ball tree computes, counted, and the weights of a linear model.

    The plain search computes N distances, whatever the data. A tree may leave examples out: it could refute the claim.
    """
    rows: TableRows = []
    measured = []
    rng = np.random.Generator(np.random.PCG64(7))
    for d in (2, 50):
        plane, test = rng.standard_normal(d), rng.standard_normal((200, d))
        truth = (test @ plane > 0).astype(int)
        for n in (1_000, 4_000, 16_000, 64_000):
            X = rng.standard_normal((n, d))
            y = (X @ plane > 0).astype(int)
            tree = BallTree(X)
            tree.reset_n_calls()
            nearest = tree.query(test, return_distance=False)[:, 0]
            distances = tree.get_n_calls() / len(test)
            linear = run(for_classes(X, y), Perceptron(), Recipe(epochs=2).plan()).view("averaged")
            weights = linear.coef.size + linear.intercept.size
            kept = sum(np.asarray(part).nbytes for part in tree.get_arrays()) / 1024
            linear_kept = (linear.coef.nbytes + linear.intercept.nbytes) / 1024
            errors = 100 * error_rate(y[nearest], truth), 100 * error_rate(linear.predict(test), truth)
            rows.append((d, n, kept, linear_kept, distances, weights, *errors))
            plain = KNeighborsClassifier(1, algorithm="brute").fit(X, y)
            measured.append((d, n, best_time(plain, test), best_time(linear, test)))
    return judge_cost(rows, measured)


def judge_cost(rows: TableRows, measured: TableRows) -> Finding:
    """From (d, N, kB, linear kB, distances, weights, error, linear error), N rising for every d; and what a clock says.

    If x grows as N^e, log x grows as e log N: e is the slope of a line through the points. The claim says 1 for the
    neighbours and 0 for the linear model, and the case with the most features decides.
    """
    dimensions = sorted({row[0] for row in rows})
    few, many = ([row for row in rows if row[0] == d] for d in (dimensions[0], dimensions[-1]))
    kept, linear_kept, distances, weights = (growth(many, column) for column in (2, 3, 4, 5))
    return Finding(
        claim="Nearest neighbours need memory and time O(N d) at every prediction, a linear model O(d).",
        items=("B9",),
        columns=("d", "N", "kB kept", "linear kB", "distances", "linear weights", "error %", "linear error %"),
        rows=rows,
        holds=all(abs(e - 1) < EXPONENT_TOLERANCE for e in (kept, distances))
        and all(abs(e) < EXPONENT_TOLERANCE for e in (linear_kept, weights)),
        sentence=(
            f"from {many[0][1]:,} to {many[-1][1]:,} examples with {many[0][0]} features, what a tree of neighbours keeps "
            f"grows as N^{kept:.2f} and the distances that it computes for a prediction as N^{distances:.2f}, to "
            f"{many[-1][4]:,.0f}; the linear model's memory as N^{linear_kept:.2f} and its weights as N^{weights:.2f}, to "
            f"{many[-1][5]:,}. With {few[0][0]} features the distances grow as N^{growth(few, 4):.2f}, to {few[-1][4]:,.0f}."
        ),
        draw=lambda ax: draw_cost(ax, many, few),
        measured=[("d", "N", "plain search, µs a prediction", "linear, µs a prediction"), *measured],
    )


def growth(rows: TableRows, column: int) -> float:
    """The exponent e with which a column grows as N^e, N being the second.

    >>> growth([(2, 10, 7.0), (2, 1000, 700.0)], 2)
    1.0
    """
    n, values = (np.log([float(row[j]) for row in rows]) for j in (1, column))
    centred = n - n.mean()
    return round(float(centred @ (values - values.mean()) / (centred @ centred)), 9) + 0.0  # never −0


def best_time(model: Any, test: np.ndarray) -> float:
    """Microseconds for one row, the best of several."""
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        model.predict(test)
        taken.append(time.perf_counter() - started)
    return 1e6 * min(taken) / len(test)


def draw_cost(ax: Any, many: TableRows, few: TableRows) -> None:
    for rows, style, colour in ((many, "o-", PALETTE[1]), (few, "^--", PALETTE[2])):
        label = f"distances in a ball tree, d = {rows[0][0]}"
        ax.loglog([row[1] for row in rows], [row[4] for row in rows], style, color=colour, label=label)
    ax.loglog([row[1] for row in many], [row[5] for row in many], "s-", color=PALETTE[0], label=f"weights, d = {many[0][0]}")
    ax.set(xlabel="examples learned from", ylabel="for one prediction", title="The cost of a prediction")
    ax.legend()
