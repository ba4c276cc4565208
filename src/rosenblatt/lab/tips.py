"""The tips of the practical lecture, each measured before and after (LECTURES O7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.lab.finding import Finding
from rosenblatt.lab.samples import Sample, numbers, sample
from rosenblatt.learning.linear import Model
from rosenblatt.learning.training import Training, train
from rosenblatt.show.canvas import COLOURS
from rosenblatt.theory.deciding import certify

SEEDS = 20


def error_of(model: Model, on: Sample) -> float:
    """Percent of the rows to measure on that the model gets wrong."""
    return 100 * float(np.mean(model.predict(on.X_test) != on.y_test))


def averaging() -> Finding:
    """Last against averaged weights of the same runs, breast-cancer with a fifth of the labels wrong."""
    last, averaged = [], []
    for seed in range(SEEDS):
        noisy = sample("breast-cancer", seed).with_wrong_labels(0.2, seed)
        run = train(noisy.X, noisy.y, epochs=10, seed=seed)
        last.append(error_of(run.view("last"), noisy))
        averaged.append(error_of(run.view("averaged"), noisy))
    rows = [(name, *spread(errors)) for name, errors in (("last", last), ("averaged", averaged))]
    return Finding(
        claim="Averaging makes the error lower and steadier.",
        items=("O7", "W8", "B8"),
        columns=("weights", "error %", "sd", "worst %"),
        rows=rows,
        holds=bool(np.mean(averaged) < np.mean(last) and np.std(averaged) < np.std(last)),
        sentence=(
            f"over {SEEDS} runs with a fifth of the labels wrong, the last weights err on {np.mean(last):.1f} % "
            f"(worst {max(last):.1f}), their average on {np.mean(averaged):.1f} % (worst {max(averaged):.1f})."
        ),
        draw=lambda ax: boxes(ax, {"last": last, "averaged": averaged}, "Averaging, a fifth of the labels wrong"),
    )


def shuffling() -> Finding:
    """Rows sorted by class, as many files are, learned as given and shuffled."""
    errors: dict[str, list[float]] = {"sorted, as given": [], "sorted, shuffled": []}
    for seed in range(SEEDS):
        s = sample("breast-cancer", seed)
        by_class = np.argsort(s.y, kind="stable")
        for name, order in (("sorted, as given", "given"), ("sorted, shuffled", "shuffled")):
            run = train(s.X[by_class], s.y[by_class], epochs=5, order=order, seed=seed)
            errors[name].append(error_of(run.view("last"), s))
    given, shuffled = (np.mean(values) for values in errors.values())
    return Finding(
        claim="Shuffle: on rows sorted by class the last class wins.",
        items=("O7", "H8"),
        columns=("order", "error %", "sd", "worst %"),
        rows=[(name, *spread(values)) for name, values in errors.items()],
        holds=bool(shuffled < given),
        sentence=f"after five epochs rows sorted by class give {given:.1f} % error as given and {shuffled:.1f} % shuffled.",
        draw=lambda ax: boxes(ax, errors, "Breast cancer sorted by class, five epochs"),
    )


def rate() -> Finding:
    """The same runs with three schedules; how far the last epoch still moves the weights, for their length."""
    schedules = {"constant": "constant", "1/updates": "1/updates", "1/examples": "1/examples"}
    errors: dict[str, list[float]] = {name: [] for name in schedules}
    moved: dict[str, list[float]] = {name: [] for name in schedules}
    for seed in range(SEEDS):
        noisy = sample("breast-cancer", seed).with_wrong_labels(0.1, seed)
        for name, schedule in schedules.items():
            run = train(noisy.X, noisy.y, rules.Perceptron(schedule=schedule), epochs=20, seed=seed, tol=0.0)
            errors[name].append(error_of(run.view("last"), noisy))
            moved[name].append(restlessness(run))
    calm = all(np.mean(moved[name]) < np.mean(moved["constant"]) for name in ("1/updates", "1/examples"))
    better = all(np.mean(errors[name]) < np.mean(errors["constant"]) for name in ("1/updates", "1/examples"))
    return Finding(
        claim="A variable rate helps; to converge, its sum must be infinite and the sum of its squares finite.",
        items=("O7",),
        columns=("rate", "error %", "sd", "moved in the last epoch, per |w|"),
        rows=[(name, *spread(errors[name])[:2], float(np.mean(moved[name]))) for name in schedules],
        holds=calm and better,
        sentence=(
            "on noisy labels the weights move in the last epoch by "
            + ", ".join(f"{np.mean(moved[name]):.2g} of their length at rate {name}" for name in schedules)
            + "; the last weights err on "
            + ", ".join(f"{np.mean(errors[name]):.1f} %" for name in schedules)
            + ". The sums of 1/k diverge and those of 1/k² do not; a rate that fell faster could stop short of the answer."
        ),
        draw=lambda ax: boxes(ax, errors, "Last weights after 20 epochs, one label in ten wrong"),
    )


def restlessness(run: Training) -> float:
    """How far the last epoch moved the weights, in lengths of the weights it left."""
    last = run.history[-1]
    assert last.moved is not None
    return last.moved * last.examples / last.norm


def scaling() -> Finding:
    """Radius, margin, bound and updates of wine (class_0 or not), raw, centred, and with unit variance."""
    X, y = numbers("wine")
    labels = np.where(y == "class_0", 1, -1)
    centred = X - X.mean(axis=0)
    rows: list[tuple[Any, ...]] = []
    for name, Z in (("raw", X), ("centred", centred), ("centred, unit variance", centred / X.std(axis=0))):
        proof = certify(Z, labels)
        run = train(Z, labels, epochs=20_000, seed=0)
        updates = run.weights.updates
        rows.append((name, proof.radius, proof.margin, proof.bound, updates, "yes" if run.converged else "no"))
    ratios = [row[1] / row[2] for row in rows]
    return Finding(
        claim="Centring and unit variance give a smaller radius, a bigger margin, and fewer mistakes.",
        items=("O7", "B5"),
        columns=("features", "R", "γ", "R²/γ²", "updates", "converged"),
        rows=rows,
        holds=ratios[0] > ratios[1] > ratios[2] and rows[0][4] > rows[2][4] and rows[0][2] < rows[1][2] < rows[2][2],
        sentence=(
            f"R/γ falls from {ratios[0]:,.0f} (raw) to {ratios[1]:,.0f} (centred) and {ratios[2]:,.1f} (unit variance), "
            f"and the updates from {rows[0][4]:,} to {rows[2][4]:,}."
        ),
        draw=lambda ax: bars(ax, {row[0]: row[4] for row in rows}, "updates", "Updates on wine, class_0 or not", log=True),
    )


def spread(errors: list[float]) -> tuple[float, float, float]:
    return float(np.mean(errors)), float(np.std(errors, ddof=1)), max(errors)


def boxes(ax: Any, errors: dict[str, list[float]], title: str) -> None:
    """A box a name, with every run as a dot."""
    ax.boxplot(list(errors.values()), tick_labels=list(errors), widths=0.5, medianprops={"color": COLOURS[1]})
    for place, values in enumerate(errors.values(), start=1):
        offsets = np.linspace(-0.12, 0.12, len(values))
        ax.plot(place + offsets, values, "o", color=COLOURS[0], markersize=4, alpha=0.6)
    ax.set(ylabel="held-out error, %", title=title, ylim=(0, None))


def bars(ax: Any, heights: dict[str, float], label: str, title: str, log: bool = False) -> None:
    """A bar a name, with its number above."""
    drawn = ax.bar(list(heights), list(heights.values()), color=COLOURS[0], width=0.6)
    ax.bar_label(drawn, [f"{height:,}" for height in heights.values()], padding=2)
    ax.set(ylabel=label, title=title)
    if log:
        ax.set_yscale("log")
    ax.margins(y=0.15)
