"""Margins, overtraining, and the order of the rows (LECTURES O5, W8, H8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data import open_known
from rosenblatt.engine import rules
from rosenblatt.lab.finding import Finding
from rosenblatt.lab.samples import numbers, sample
from rosenblatt.learning.training import train
from rosenblatt.show.canvas import COLOURS
from rosenblatt.studies.order import study
from rosenblatt.theory.deciding import certify

EPOCHS = 40


def aggressiveness() -> Finding:
    """MIRA with several p on wine (class_0 or not, scaled), until it makes no more updates, over ten orders."""
    X, y = numbers("wine")
    X, labels = (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == "class_0", 1, -1)
    best = certify(X, labels).margin
    assert best is not None  # these classes are separable
    rows: list[tuple[Any, ...]] = []
    for p in (0.0, 0.25, 0.5, 0.75, 0.9, 0.99):
        shares, updates = [], []
        for seed in range(10):
            run = train(X, labels, rules.Mira(p=p), epochs=5000, seed=seed)
            model = run.view("last")
            length = float(np.sqrt(np.sum(model.coef**2) + np.sum(model.intercept**2)))
            shares.append(float(np.min(labels * model.scores(X))) / length / best)
            updates.append(run.weights.updates)
        rows.append((p, 100 * float(np.mean(shares)), 100 * min(shares), float(np.mean(updates))))
    margins, counts = [row[1] for row in rows], [row[3] for row in rows]
    return Finding(
        claim="p-aggressive MIRA: a larger p gives a larger geometric margin, and takes longer.",
        items=("O5",),
        columns=("p", "margin, % of γ*", "least %", "updates"),
        rows=rows,
        holds=bool(np.all(np.diff(margins) > 0) and np.all(np.diff(counts) > 0)),
        sentence=(
            f"from p = 0 to p = 0.99 the margin grows from {margins[0]:.0f} % to {margins[-1]:.0f} % of the largest "
            f"possible, and the updates from {counts[0]:.0f} to {counts[-1]:.0f}."
        ),
        draw=lambda ax: draw_aggressiveness(ax, rows),
    )


def draw_aggressiveness(ax: Any, rows: list[tuple[Any, ...]]) -> None:
    p, margins, _, updates = zip(*rows, strict=True)
    (left,) = ax.plot(p, margins, "o-", color=COLOURS[0], label="margin")
    ax.set(xlabel="p", ylabel="margin, % of the largest possible", ylim=(0, 100), title="Aggressiveness: margin and updates")
    other = ax.twinx()
    (right,) = other.plot(p, updates, "s--", color=COLOURS[1], label="updates")
    other.set(ylabel="updates", ylim=(0, None))
    ax.legend(handles=[left, right], loc="upper left")


def overtraining() -> Finding:
    """Digits with one label in ten wrong: held-out error of the averaged weights, epoch by epoch, over fifteen splits."""
    curves: dict[str, list[np.ndarray]] = {"held_out_last": [], "held_out_averaged": []}
    kept = []
    for seed in range(15):
        noisy = sample("digits", seed).with_wrong_labels(0.1, seed)
        test = (noisy.X_test, noisy.y_test)
        run = train(noisy.X, noisy.y, held_out=test, epochs=EPOCHS, seed=seed, average=True)
        for name, values in curves.items():
            values.append(100 * run.history[name].astype(float))
        kept.append(100 * run.best_error)
    last, averaged = (np.mean(values, axis=0) for values in curves.values())
    least = int(averaged.argmin())
    rows = [(epoch, float(last[epoch - 1]), float(averaged[epoch - 1])) for epoch in (1, 2, 3, 5, 10, 20, EPOCHS)]
    return Finding(
        claim="Overtraining: held-out accuracy rises, and then falls.",
        items=("W8",),
        columns=("epoch", "last %", "averaged %"),
        rows=rows,
        holds=bool(averaged[0] > averaged[least] < averaged[-1] and 0 < least < EPOCHS - 1),
        sentence=(
            f"the averaged weights err on {averaged[0]:.1f} % after one epoch, {averaged[least]:.1f} % after {least + 1} "
            f"and {averaged[-1]:.1f} % after {EPOCHS}; keeping each run's best weights gives {np.mean(kept):.1f} %."
        ),
        draw=lambda ax: draw_overtraining(ax, last, averaged, least),
    )


def draw_overtraining(ax: Any, last: np.ndarray, averaged: np.ndarray, least: int) -> None:
    epochs = np.arange(1, len(last) + 1)
    ax.plot(epochs, last, "o-", color=COLOURS[1], markersize=3, label="last weights")
    ax.plot(epochs, averaged, "s-", color=COLOURS[0], markersize=3, label="averaged weights")
    ax.axvline(least + 1, color="0.3", linestyle="--", linewidth=1, label=f"least: epoch {least + 1}")
    ax.set(xlabel="epoch", ylabel="held-out error, %", title="Digits, one label in ten wrong", ylim=(0, None))
    ax.legend()


def order() -> Finding:
    """The perceptron and its average on breast-cancer in thirty orders, and sorted by class."""
    found = study(open_known("breast-cancer"), ["perceptron", "averaged"], orders=30)
    rows: list[tuple[Any, ...]] = [
        (row.learner, row.order, 100 * row.error_mean, 100 * row.error_least, 100 * row.error_most, row.cosine)
        for row in found.rows
    ]
    by_order = {(row.learner, row.order): row for row in found.rows}
    shuffled, steady = by_order["perceptron", "shuffled"], by_order["averaged", "shuffled"]
    sorted_rows = by_order["perceptron", "by class"]
    return Finding(
        claim="The order of the examples matters.",
        items=("H8", "U4"),
        columns=("learner", "order", "error %", "least %", "most %", "cosine of two runs"),
        rows=rows,
        holds=shuffled.error_most > shuffled.error_least and sorted_rows.error_mean > shuffled.error_mean,
        sentence=(
            f"thirty shuffles give the last weights between {100 * shuffled.error_least:.1f} and "
            f"{100 * shuffled.error_most:.1f} % error, the average between {100 * steady.error_least:.1f} and "
            f"{100 * steady.error_most:.1f} %; sorted by class, the last weights err on "
            f"{100 * sorted_rows.error_mean:.1f} %."
        ),
        draw=lambda ax: draw_order(ax, rows),
    )


def draw_order(ax: Any, rows: list[tuple[Any, ...]]) -> None:
    learners = list(dict.fromkeys(row[0] for row in rows))
    orders = list(dict.fromkeys(row[1] for row in rows))
    for k, learner in enumerate(learners):
        mine = [row for row in rows if row[0] == learner]
        places = np.array([orders.index(row[1]) for row in mine]) + 0.16 * (2 * k - 1)
        mean, least, most = (np.array([row[j] for row in mine]) for j in (2, 3, 4))
        ax.errorbar(places, mean, [mean - least, most - mean], fmt="os"[k], color=COLOURS[k], capsize=4, label=learner)
    ax.set_xticks(range(len(orders)), orders)
    ax.set(ylabel="held-out error, %", title="Breast cancer in many orders: mean, least and most", ylim=(0, None))
    ax.legend()
