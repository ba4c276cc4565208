"""Linear against logistic regression: distant points, and why the logistic loss favours large margins (LECTURES O9)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.estimators.neighbours import LogisticAscent, RidgeClassifier
from rosenblatt.estimators.neighbours.peers import LogisticRegression
from rosenblatt.lab.finding import Finding, TableRows
from rosenblatt.lab.samples import load_numbers
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import train
from rosenblatt.show.canvas import PALETTE
from rosenblatt.theory.margins import margin_of_set
from rosenblatt.theory.separability import certify

DISTANCE = 30.0
COUNTS = (0, 5, 10, 20, 40)
PENALTIES = (1.0, 1e-2, 1e-4, 1e-6)
NEARLY_BEST = 95.0  # percent of γ*


def distant_points() -> Finding:
    """One feature, two clouds at −1 and 1, and more and more positive points at 30, where they belong."""
    near, labels = two_clouds()
    rows: TableRows = []
    for count in COUNTS:
        fitted = fit_both(count)
        where = [-intercept / slope for slope, intercept in fitted]
        wrong = [100 * float(np.mean((slope * near + intercept >= 0) != labels)) for slope, intercept in fitted]
        rows.append((count, *where, *wrong))
    return judge_distant_points(rows)


def two_clouds() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.Generator(np.random.PCG64(5))
    near = np.concatenate([rng.normal(-1, 0.35, 100), rng.normal(1, 0.35, 100)])
    return near, np.repeat([0, 1], 100)


def fit_both(count: int) -> list[tuple[float, float]]:
    """Slope and intercept of linear and of logistic regression with so many distant points."""
    near, labels = two_clouds()
    X = np.concatenate([near, np.full(count, DISTANCE)])[:, None]
    y = np.concatenate([labels, np.ones(count, int)])
    fitted = [RidgeClassifier(l2=1e-9).fit(X, y), LogisticAscent(l2=1.0, max_iter=5000).fit(X, y)]
    return [(float(one.coef_[0, 0]), float(one.intercept_[0])) for one in fitted]


def judge_distant_points(rows: TableRows) -> Finding:
    """From (distant points, linear boundary, logistic boundary, linear error, logistic error), none to many."""
    first, last = rows[0], rows[-1]
    return Finding(
        claim="Points far on the right side drag linear regression's boundary along, not logistic regression's.",
        items=("O9",),
        columns=("distant points", "linear: boundary", "logistic: boundary", "linear %", "logistic %"),
        rows=rows,
        holds=last[3] > first[3] and last[4] <= first[4] and abs(last[2] - first[2]) < abs(last[1] - first[1]),
        sentence=(
            f"{last[0]} points at 30 move linear regression's boundary from {first[1]:.2f} to {last[1]:.2f} and its error "
            f"on the others from {first[3]:.1f} to {last[3]:.1f} %; they move logistic regression's from {first[2]:.2f} to "
            f"{last[2]:.2f} and its error from {first[4]:.1f} to {last[4]:.1f} %."
        ),
        draw=draw_line_and_sigmoid,
    )


def draw_line_and_sigmoid(ax: Any) -> None:
    """The clouds at y = 0 and 1; the line and the sigmoid, without distant points and with the most; where each is ½."""
    near, labels = two_clouds()
    x = np.linspace(-3, 5, 400)
    ax.plot(near[labels == 0], labels[labels == 0], "D", color=PALETTE[1], alpha=0.35, markersize=4)
    ax.plot(near[labels == 1], labels[labels == 1], "o", color=PALETTE[0], alpha=0.35, markersize=4)
    for count, style in ((0, "--"), (COUNTS[-1], "-")):
        (slope, intercept), (steepness, offset) = fit_both(count)
        told = f"with {count} points at {DISTANCE:g}"
        line, sigmoid = (slope * x + intercept + 1) / 2, 1 / (1 + np.exp(-(steepness * x + offset)))  # scores ±1 as 0 and 1
        ax.plot(x, line, style, color=PALETTE[2], label=f"line, {told}")
        ax.plot(x, sigmoid, style, color=PALETTE[4], label=f"sigmoid, {told}")
        ax.plot([-intercept / slope], [0.5], "v", color=PALETTE[2])
        ax.plot([-offset / steepness], [0.5], "^", color=PALETTE[4])
    ax.axhline(0.5, color="0.7", linewidth=0.8)
    ax.set(xlabel="x", ylabel="p, boundary at ½", ylim=(-0.25, 1.35), title="The line and the sigmoid over the data")
    ax.legend(fontsize="small", loc="lower right")


def large_margins() -> Finding:
    """Wine (class_0 or not), scaled: the margin of logistic regression as its penalty falls, beside a perceptron's.

    log(1 + e^−m) charges every margin a little, the smallest most. Where a line separates the rows w can grow for ever; the
    longer it is, the more the smallest margin alone decides: the direction goes to that of the largest margin.
    """
    X, y = load_numbers("wine")
    Z, labels = (X - X.mean(axis=0)) / X.std(axis=0), np.where(y == "class_0", 1, -1)
    best = certify(Z, labels).margin
    assert best is not None
    with_constant = np.column_stack([Z, np.ones(len(Z))])  # the bias is penalised as γ* counts it: as a weight
    rows: TableRows = []
    for penalty in PENALTIES:
        fitted = LogisticRegression(C=1 / penalty, fit_intercept=False, solver="newton-cholesky", tol=1e-8).fit(
            with_constant, labels
        )
        model = Model(np.array([-1, 1]), fitted.coef_[:, :-1], fitted.coef_[:, -1])
        rows.append((f"logistic, λ = {penalty:g}", share(model, Z, labels, best)))
    last = train(Z, labels, epochs=1000, seed=0).view("last")
    return judge_large_margins([*rows, ("perceptron", share(last, Z, labels, best))])


def share(model: Model, X: np.ndarray, y: np.ndarray, best: float) -> float:
    """The margin of a model as percent of the best; 0 where it does not separate the rows."""
    return max(0.0, 100 * margin_of_set(model, X, y, by="w and b") / best)


def judge_large_margins(rows: TableRows) -> Finding:
    """From (learner, percent of γ*): logistic regression with ever smaller penalties, then the perceptron."""
    *logistic, (_, perceptron) = rows
    shares = [value for _, value in logistic]
    grows = all(a < b for a, b in pairwise(shares))
    return Finding(
        claim="Logistic regression favours large margins: with less and less penalty its margin goes to the largest.",
        items=("O9", "W9"),
        columns=("learner", "% of γ*"),
        rows=rows,
        holds=grows and shares[-1] >= NEARLY_BEST and shares[-1] > perceptron,
        sentence=(
            f"on separable rows logistic regression reaches {', '.join(f'{value:.0f}' for value in shares)} % of the "
            f"largest margin as its penalty falls, a perceptron, which stops at any separating line, {perceptron:.0f} %."
        ),
        draw=lambda ax: draw_shares(ax, rows),
    )


def draw_shares(ax: Any, rows: TableRows) -> None:
    ax.barh([name for name, _ in rows], [value for _, value in rows], color=[PALETTE[0]] * (len(rows) - 1) + [PALETTE[1]])
    ax.axvline(100, color="0.4", linestyle="--")
    ax.set(xlabel="margin, % of the largest", title="Margins on wine, class_0 or not")
    ax.invert_yaxis()
