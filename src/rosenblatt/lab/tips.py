"""The tips of the practical lecture, each measured before and after (LECTURES O7).

Runs that draw their own wrong labels, order and split are taken as independent; where only the split differs, the standard
error counts the rows that splits share.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data import read
from rosenblatt.data.splits import at_random
from rosenblatt.engine import rules
from rosenblatt.engine.rows import Rows
from rosenblatt.errors import RosenblattError
from rosenblatt.features import TableMap
from rosenblatt.lab.chance import WORDS, all_of, any_of, beyond, decided, standard_error
from rosenblatt.lab.finding import Finding, TableRows
from rosenblatt.lab.samples import Sample, load_numbers, split_sample
from rosenblatt.learning.examples import class_labels_of
from rosenblatt.learning.scoring import Model
from rosenblatt.learning.training import Training, train
from rosenblatt.show.canvas import PALETTE
from rosenblatt.theory.separability import certify

TIP_RUNS = 20
TEST_BY_TRAIN = 0.3 / 0.7  # rows of a split: those measured on for each of those learned from
PEOPLE_ORDERS = 10
RATES = ("constant", "1/updates", "1/examples")
TOO_FAST_RATE = "1/examples²"


def error_of(model: Model, on: Sample) -> float:
    """Percent of the rows to measure on that the model gets wrong."""
    return 100 * float(np.mean(model.predict(on.X_test) != on.y_test))


def averaging() -> Finding:
    """Last against averaged weights of the same runs, breast-cancer with a fifth of the labels wrong."""
    last, averaged = [], []
    for seed in range(TIP_RUNS):
        noisy = split_sample("breast-cancer", seed).with_wrong_labels(0.2, seed)
        run = train(noisy.X, noisy.y, epochs=10, seed=seed)
        last.append(error_of(run.view("last"), noisy))
        averaged.append(error_of(run.view("averaged"), noisy))
    return judge_averaging(last, averaged)


def judge_averaging(last: list[float], averaged: list[float]) -> Finding:
    """From the errors of last and of averaged weights, run by run."""
    rows = [(name, *mean_error_worst(errors)) for name, errors in (("last", last), ("averaged", averaged))]
    gain = np.subtract(last, averaged)
    away = [np.abs(np.subtract(errors, np.mean(errors))) for errors in (last, averaged)]  # from the mean: how unsteady
    lower, steadier = decided(gain), decided(away[0] - away[1])
    return Finding(
        claim="Averaging makes the error lower and steadier.",
        items=("O7", "W8", "B8"),
        columns=("weights", "error %", "standard error", "worst %"),
        rows=rows,
        holds=all_of(lower, steadier),
        sentence=(
            f"over {len(last)} runs with a fifth of the labels wrong, the last weights err on {np.mean(last):.1f} % "
            f"(worst {max(last):.1f}), their average on {np.mean(averaged):.1f} % (worst {max(averaged):.1f}): lower by "
            f"{gain.mean():.1f} ± {standard_error(gain):.1f} points, {WORDS[lower]}, and steadier {WORDS[steadier]}."
        ),
        draw=lambda ax: draw_boxes(ax, {"last": last, "averaged": averaged}, "Averaging, a fifth of the labels wrong"),
    )


def shuffling() -> Finding:
    """Rows sorted by class, as many files are, learned as given and shuffled."""
    errors: dict[str, list[float]] = {"sorted, as given": [], "sorted, shuffled": []}
    for seed in range(TIP_RUNS):
        s = split_sample("breast-cancer", seed)
        by_class = np.argsort(s.y, kind="stable")
        for name, order in (("sorted, as given", "given"), ("sorted, shuffled", "shuffled")):
            run = train(s.X[by_class], s.y[by_class], epochs=5, order=order, seed=seed)
            errors[name].append(error_of(run.view("last"), s))
    try:
        people = errors_of_sorted_people()
    except RosenblattError:  # the income data are not there
        people = None
    return judge_shuffling(errors, people)


def errors_of_sorted_people() -> tuple[np.ndarray, np.ndarray]:
    """The income data sorted by class: whom of the dev people five epochs get wrong as given, and shuffled, how often."""
    train_rows, dev_rows = read("income"), read("income:dev")
    features = TableMap(numeric="category").fit(train_rows.rows)
    y, y_dev = (np.asarray(class_labels_of(rows)) for rows in (train_rows, dev_rows))
    X, X_dev = Rows(features.transform(train_rows.rows)).matrix(), features.transform(dev_rows.rows)
    by_class = np.argsort(y, kind="stable")

    def wrong(order: str, seed: int) -> np.ndarray:
        model = train(X[by_class], y[by_class], epochs=5, order=order, seed=seed).view("last")
        return np.where(model.predict(X_dev) != y_dev, 100.0, 0.0)

    return wrong("given", 0), np.mean([wrong("shuffled", seed) for seed in range(PEOPLE_ORDERS)], axis=0)


def judge_shuffling(errors: dict[str, list[float]], people: tuple[np.ndarray, np.ndarray] | None = None) -> Finding:
    """From the errors as given and shuffled, run by run; and, of the income data, person by person."""
    given, shuffled = errors.values()
    loss = np.subtract(given, shuffled)
    rows: TableRows = [(f"breast-cancer {name}", *mean_error_worst(values)) for name, values in errors.items()]
    hurts = [decided(loss, TEST_BY_TRAIN)]
    told = (
        f"after five epochs breast-cancer sorted by class gives {np.mean(given):.1f} % error as given and "
        f"{np.mean(shuffled):.1f} % shuffled, {loss.mean():.1f} ± {standard_error(loss, TEST_BY_TRAIN):.1f} points more"
    )
    if people is not None:
        more = people[0] - people[1]
        hurts.append(decided(more))
        for name, wrong in zip(("as given", "shuffled"), people, strict=True):
            rows.append((f"income sorted, {name}", float(wrong.mean()), standard_error(wrong), None))
        told += (
            f"; income {people[0].mean():.1f} % as given and {people[1].mean():.1f} % shuffled, "
            f"{more.mean():.1f} ± {standard_error(more):.1f} points more"
        )
    return Finding(
        claim="Shuffle: to learn from rows sorted by class, as given, hurts.",
        items=("O7", "H8"),
        columns=("order", "error %", "standard error", "worst %"),
        rows=rows,
        holds=any_of(*hurts),
        sentence=f"{told}.",
        draw=lambda ax: draw_boxes(ax, errors, "Breast cancer sorted by class, five epochs"),
    )


def rate() -> Finding:
    """The same data with four rates: how far the last epoch still moves the weights, for their length, and what they err on.

    The fourth falls so fast that the sum of all steps is finite.
    """
    errors: dict[str, list[float]] = {name: [] for name in (*RATES, TOO_FAST_RATE)}
    moved: dict[str, list[float]] = {name: [] for name in RATES}
    for seed in range(TIP_RUNS):
        noisy = split_sample("breast-cancer", seed).with_wrong_labels(0.1, seed)
        for schedule in RATES:
            run = train(noisy.X, noisy.y, rules.Perceptron(schedule=schedule), epochs=20, seed=seed, tol=0.0)
            errors[schedule].append(error_of(run.view("last"), noisy))
            moved[schedule].append(restlessness(run))
        errors[TOO_FAST_RATE].append(error_of(train_with_finite_steps(noisy, epochs=20, seed=seed), noisy))
    return judge_rate(errors, moved)


def train_with_finite_steps(on: Sample, epochs: int, seed: int) -> Model:
    """The last weights of a perceptron whose rate at example k is 1/k²: the weight of the example, in one long epoch."""
    rng = np.random.Generator(np.random.PCG64([13, seed]))
    rows = np.concatenate([rng.permutation(len(on.y)) for _ in range(epochs)])
    rates = np.arange(1, len(rows) + 1, dtype=float) ** -2
    return train(on.X[rows], on.y[rows], sample_weight=rates, order="given", epochs=1).view("last")


def judge_rate(errors: dict[str, list[float]], moved: dict[str, list[float]]) -> Finding:
    """From the errors, run by run, of all rates, and what the last epoch moved at those whose steps are not finite."""
    error = {name: float(np.mean(values)) for name, values in errors.items()}
    restless = {name: float(np.mean(values)) for name, values in moved.items()}
    falling = [name for name in moved if name != "constant"]
    calm = [decided(np.subtract(moved["constant"], moved[name])) for name in falling]
    better = [decided(np.subtract(errors["constant"], errors[name])) for name in falling]
    stops_short = [decided(np.subtract(errors[TOO_FAST_RATE], errors[name])) for name in falling]
    return Finding(
        claim="A falling rate calms the weights and lowers the error, unless it falls so fast that its sum is finite.",
        items=("O7",),
        columns=("rate", "error %", "standard error", "moved in the last epoch, per |w|"),
        rows=[(name, *mean_error_worst(values)[:2], restless.get(name)) for name, values in errors.items()],
        holds=all_of(*calm, *better, *stops_short),
        sentence=(
            "on noisy labels the weights move in the last epoch by "
            + ", ".join(f"{restless[name]:.2g} of their length at rate {name}" for name in moved)
            + "; the last weights err on "
            + ", ".join(f"{error[name]:.1f} ± {standard_error(errors[name]):.1f} % ({name})" for name in errors)
            + "."
        ),
        draw=lambda ax: draw_boxes(ax, errors, "Last weights after 20 epochs, one label in ten wrong"),
    )


def restlessness(run: Training) -> float:
    """How far the last epoch moved the weights, in lengths of the weights it left."""
    last = run.history[-1]
    assert last.moved is not None
    return last.moved * last.examples / last.norm


SCALINGS = ("raw", "centred", "centred, unit variance")


def scaling() -> Finding:
    """Wine (class_0 or not), raw, centred, and with unit variance: radius, margin, bound, updates, and held-out error."""
    X, y = load_numbers("wine")
    labels = np.where(y == "class_0", 1, -1)
    errors = scaling_errors(X, labels)
    rows: TableRows = []
    for name, Z in zip(SCALINGS, scaled_alike(X, X), strict=True):
        proof = certify(Z, labels)
        run = train(Z, labels, epochs=20_000, seed=0)
        reached = run.weights.updates, "yes" if run.converged else "no"
        rows.append((name, proof.radius, proof.margin, proof.bound, *reached, *mean_and_standard_error(errors[name])))
    return judge_scaling(rows)


def scaled_alike(X: np.ndarray, like: np.ndarray) -> list[np.ndarray]:
    """Rows raw, centred, and with unit variance, by the means and spreads of other rows."""
    centred = X - like.mean(axis=0)
    return [X, centred, centred / like.std(axis=0)]


def scaling_errors(X: np.ndarray, labels: np.ndarray) -> dict[str, list[float]]:
    """Held-out errors of the last weights after 20 epochs, in percent, split by split."""
    errors: dict[str, list[float]] = {name: [] for name in SCALINGS}
    for seed in range(TIP_RUNS):
        out = at_random(len(labels), 0.3, seed)
        learned, measured = (scaled_alike(X[rows], X[~out]) for rows in (~out, out))
        for name, Z, Z_test in zip(SCALINGS, learned, measured, strict=True):
            model = train(Z, labels[~out], epochs=20, seed=seed).view("last")
            errors[name].append(100 * float(np.mean(model.predict(Z_test) != labels[out])))
    return errors


def mean_and_standard_error(errors: list[float]) -> tuple[float, float]:
    return float(np.mean(errors)), standard_error(errors)


def judge_scaling(rows: TableRows) -> Finding:
    """From (features, R, γ, bound, updates, converged, error, its standard error), raw, centred, and with unit variance."""
    radii, margins, updates, errors, spread = ([row[j] for row in rows] for j in (1, 2, 4, 6, 7))
    ratios = [radius / margin for radius, margin in zip(radii, margins, strict=True)]
    fewer = radii[0] > radii[1] > radii[2] and margins[0] < margins[1] < margins[2] and updates[0] > updates[2]
    lower = beyond(errors[0] - errors[2], float(np.hypot(spread[0], spread[2])))
    return Finding(
        claim="Centring and unit variance give a smaller radius, a bigger margin, fewer mistakes and a lower error.",
        items=("O7", "B5"),
        columns=("features", "R", "γ", "R²/γ²", "updates", "converged", "error %", "standard error"),
        rows=rows,
        holds=all_of(fewer, lower),
        sentence=(
            f"R/γ is {ratios[0]:,.0f} (raw), {ratios[1]:,.0f} (centred) and {ratios[2]:,.1f} (unit variance); the updates "
            f"are {updates[0]:,}, {updates[1]:,} and {updates[2]:,}; after 20 epochs the held-out error is {errors[0]:.1f}, "
            f"{errors[1]:.1f} and {errors[2]:.1f} % (± {spread[0]:.1f}, {spread[1]:.1f} and {spread[2]:.1f})."
        ),
        draw=lambda ax: draw_updates(ax, {row[0]: row[4] for row in rows}),
    )


def mean_error_worst(errors: list[float]) -> tuple[float, float, float]:
    """The mean over runs, its standard error, and the worst of them."""
    return *mean_and_standard_error(errors), max(errors)


def draw_boxes(ax: Any, errors: dict[str, list[float]], title: str) -> None:
    """A box a name, with every run as a dot."""
    ax.boxplot(list(errors.values()), tick_labels=list(errors), widths=0.5, medianprops={"color": PALETTE[1]})
    for place, values in enumerate(errors.values(), start=1):
        offsets = np.linspace(-0.12, 0.12, len(values))
        ax.plot(place + offsets, values, "o", color=PALETTE[0], markersize=4, alpha=0.6)
    ax.set(ylabel="held-out error, %", title=title, ylim=(0, None))


def draw_updates(ax: Any, updates: dict[str, int]) -> None:
    """A bar a name, with its number above."""
    bars = ax.bar(list(updates), list(updates.values()), color=PALETTE[0], width=0.6)
    ax.bar_label(bars, [f"{count:,}" for count in updates.values()], padding=2)
    ax.set(ylabel="updates", title="Updates on wine, class_0 or not", yscale="log")
    ax.margins(y=0.15)
