"""Margins, overtraining, and the order of the rows (LECTURES O5, W8, H8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data import open_known
from rosenblatt.engine import rules
from rosenblatt.lab.chance import WORDS, all_of, decided, standard_error
from rosenblatt.lab.finding import Finding, TableRows
from rosenblatt.lab.samples import load_numbers, split_sample
from rosenblatt.learning.training import train
from rosenblatt.show.canvas import PALETTE
from rosenblatt.studies.order import OrderStudy, compare_orders
from rosenblatt.theory.separability import certify

OVERTRAINING_EPOCHS, OVERTRAINING_SPLITS, HELD_OUT = 40, 15, 0.3
TEST_BY_TRAIN = HELD_OUT / (1 - HELD_OUT)
LARGE_ANGLE = 10.0  # degrees between the weights of two orders, from which the order matters
LARGE_DIFFERENCE = 1.0  # percent of error between two orders, likewise


def aggressiveness() -> Finding:
    """MIRA with several p on wine (class_0 or not, scaled), until it makes no more updates, over ten orders."""
    X, y = load_numbers("wine")
    X, labels = (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == "class_0", 1, -1)
    best = certify(X, labels).margin
    assert best is not None  # these classes are separable
    rows: TableRows = []
    for p in (0.0, 0.25, 0.5, 0.75, 0.9, 0.99):
        shares, updates = [], []
        for seed in range(10):
            run = train(X, labels, rules.Mira(p=p), epochs=5000, seed=seed)
            model = run.view("last")
            length = float(np.sqrt(np.sum(model.coef**2) + np.sum(model.intercept**2)))
            shares.append(float(np.min(labels * model.scores(X))) / length / best)
            updates.append(run.weights.updates)
        rows.append((p, 100 * float(np.mean(shares)), 100 * min(shares), float(np.mean(updates))))
    return judge_aggressiveness(rows)


def judge_aggressiveness(rows: TableRows) -> Finding:
    """From (p, mean share of the best margin, least share, updates), p rising."""
    margins, counts = [row[1] for row in rows], [row[3] for row in rows]
    return Finding(
        claim="p-aggressive MIRA: a larger p gives a larger geometric margin, and takes longer.",
        items=("O5",),
        columns=("p", "margin, % of γ*", "least %", "updates"),
        rows=rows,
        holds=bool(np.all(np.diff(margins) > 0) and np.all(np.diff(counts) > 0)),
        sentence=(
            f"p = {rows[0][0]:g} gives {margins[0]:.0f} % of the largest possible margin after {counts[0]:.0f} updates, "
            f"p = {rows[-1][0]:g} gives {margins[-1]:.0f} % after {counts[-1]:.0f}."
        ),
        draw=lambda ax: draw_aggressiveness(ax, rows),
    )


def draw_aggressiveness(ax: Any, rows: TableRows) -> None:
    p, margins, _, updates = zip(*rows, strict=True)
    (left,) = ax.plot(p, margins, "o-", color=PALETTE[0], label="margin")
    ax.set(xlabel="p", ylabel="margin, % of the largest possible", ylim=(0, 100), title="Aggressiveness: margin and updates")
    other = ax.twinx()
    (right,) = other.plot(p, updates, "s--", color=PALETTE[1], label="updates")
    other.set(ylabel="updates", ylim=(0, None))
    ax.legend(handles=[left, right], loc="upper left")


def overtraining() -> Finding:
    """Digits with one label in ten wrong: held-out error of the averaged weights, epoch by epoch, over fifteen splits."""
    last, averaged = [], []
    for seed in range(OVERTRAINING_SPLITS):
        noisy = split_sample("digits", seed, HELD_OUT).with_wrong_labels(0.1, seed)
        run = train(
            noisy.X, noisy.y, held_out=(noisy.X_test, noisy.y_test), epochs=OVERTRAINING_EPOCHS, seed=seed, average=True
        )
        last.append(100 * run.history["held_out_last"].astype(float))
        averaged.append(100 * run.history["held_out_averaged"].astype(float))
    return judge_overtraining(np.array(last), np.array(averaged))


def judge_overtraining(last: np.ndarray, averaged: np.ndarray) -> Finding:
    """From held-out errors of last and of averaged weights, splits × epochs.

    Of any curve that goes up and down by chance some epoch is the least. So the best epoch is chosen on one third of the
    splits, and the others must be worse at both ends by more than chance.
    """
    splits, epochs = averaged.shape
    choosing, judging = averaged[: splits // 3], averaged[splits // 3 :]
    best = int(choosing.mean(axis=0).argmin())
    gained, lost = judging[:, 0] - judging[:, best], judging[:, -1] - judging[:, best]
    gains, loses = decided(gained, TEST_BY_TRAIN), decided(lost, TEST_BY_TRAIN)
    if best == 0:
        gains = False  # there is nothing before it
    if best == epochs - 1:
        loses = False
    shown = [epoch for epoch in (1, 2, 3, 5, 10, 20, epochs) if epoch <= epochs]
    first, least, end = judging.mean(axis=0)[[0, best, -1]]
    means = last.mean(axis=0), averaged.mean(axis=0)
    return Finding(
        claim="Overtraining: held-out accuracy rises, and then falls.",
        items=("W8",),
        columns=("epoch", "last %", "averaged %"),
        rows=[(epoch, float(means[0][epoch - 1]), float(means[1][epoch - 1])) for epoch in shown],
        holds=all_of(gains, loses),
        sentence=(
            f"epoch {best + 1} is the best on {len(choosing)} splits; on the {len(judging)} others the averaged weights err "
            f"on {first:.1f} % after one epoch, {least:.1f} % after {best + 1} and {end:.1f} % after {epochs}: the gain, "
            f"{gained.mean():.1f} ± {standard_error(gained, TEST_BY_TRAIN):.1f}, is {WORDS[gains]}, the loss after "
            f"it, {lost.mean():.1f} ± {standard_error(lost, TEST_BY_TRAIN):.1f}, {WORDS[loses]}."
        ),
        draw=lambda ax: draw_overtraining(ax, *means, best),
    )


def draw_overtraining(ax: Any, last: np.ndarray, averaged: np.ndarray, least: int) -> None:
    epochs = np.arange(1, len(last) + 1)
    ax.plot(epochs, last, "o-", color=PALETTE[1], markersize=3, label="last weights")
    ax.plot(epochs, averaged, "s-", color=PALETTE[0], markersize=3, label="averaged weights")
    ax.axvline(least + 1, color="0.3", linestyle="--", linewidth=1, label=f"chosen: epoch {least + 1}")
    ax.set(xlabel="epoch", ylabel="held-out error, %", title="Digits, one label in ten wrong", ylim=(0, None))
    ax.legend()


def order() -> Finding:
    """The perceptron and its average on breast-cancer in thirty orders, and sorted by class."""
    return judge_order(compare_orders(open_known("breast-cancer"), ["perceptron", "averaged"], orders=30))


def judge_order(study: OrderStudy) -> Finding:
    """From a study of the perceptron and its average."""
    rows: TableRows = [
        (row.learner, row.order, 100 * row.error_mean, 100 * row.error_least, 100 * row.error_most, row.cosine)
        for row in study.rows
    ]
    by_order = {(row.learner, row.order): row for row in study.rows}
    shuffled, steady = by_order["perceptron", "shuffled"], by_order["averaged", "shuffled"]
    sorted_rows = by_order["perceptron", "by class"]
    assert shuffled.cosine is not None
    angle = float(np.degrees(np.arccos(min(1.0, shuffled.cosine))))
    return Finding(
        claim="The order of the examples matters.",
        items=("H8", "U4"),
        columns=("learner", "order", "error %", "least %", "most %", "cosine of two runs"),
        rows=rows,
        holds=angle > LARGE_ANGLE and 100 * (shuffled.error_most - shuffled.error_least) > LARGE_DIFFERENCE,
        sentence=(
            f"{shuffled.runs} shuffles give the last weights between {100 * shuffled.error_least:.1f} and "
            f"{100 * shuffled.error_most:.1f} % error, {angle:.0f}° apart from each other, the average between "
            f"{100 * steady.error_least:.1f} and {100 * steady.error_most:.1f} %; sorted by class, the last weights err on "
            f"{100 * sorted_rows.error_mean:.1f} %."
        ),
        draw=lambda ax: draw_order(ax, rows),
    )


def draw_order(ax: Any, rows: TableRows) -> None:
    learners = list(dict.fromkeys(row[0] for row in rows))
    orders = list(dict.fromkeys(row[1] for row in rows))
    for k, learner in enumerate(learners):
        mine = [row for row in rows if row[0] == learner]
        places = np.array([orders.index(row[1]) for row in mine]) + 0.16 * (2 * k - 1)
        mean, least, most = (np.array([row[j] for row in mine]) for j in (2, 3, 4))
        ax.errorbar(places, mean, [mean - least, most - mean], fmt="os"[k], color=PALETTE[k], capsize=4, label=learner)
    ax.set_xticks(range(len(orders)), orders)
    ax.set(ylabel="held-out error, %", title="Breast cancer in many orders: mean, least and most", ylim=(0, None))
    ax.legend()
