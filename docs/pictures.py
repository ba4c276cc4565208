"""The pictures of the course, drawn from real runs while the pages are built (`make docs`)."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rosenblatt
from rosenblatt import rules
from rosenblatt.show.boundary import BoundaryDisplay
from rosenblatt.show.canvas import PALETTE, pyplot
from rosenblatt.show.plots import LossDisplay, MarginDisplay, ReliabilityDisplay, ShareDisplay, WeightsDisplay

BOULDER = np.array([[1, 1], [0.5, -1], [-1, -1], [-1, 1]]), np.array([1, -1, -1, -1])


def neuron(ax: Any) -> None:
    """Firing against the weighted sum, for a threshold of 2."""
    total = np.linspace(-1, 4, 500)
    ax.step(total, total >= 2, color=PALETTE[0], where="post")
    ax.axvline(2, color="0.6", linestyle="--")
    ax.set(xlabel="w·x, the weighted sum", ylabel="fires", yticks=[0, 1], title="A neuron with threshold 2: b = −2")


def separability(ax: Any) -> None:
    """The line of the largest margin through Boulder's points, with its street."""
    X, y = BOULDER
    found = rosenblatt.certify(X, y)
    best = rosenblatt.Perceptron(max_iter=1, shuffle=False).fit(X, y, coef_init=[found.w], intercept_init=[found.b])
    BoundaryDisplay.from_estimator(best, X, y, ax=ax)
    ax.set(title=f"The largest margin, γ* = {found.margin:.3f}")


def convergence(ax: Any) -> None:
    """θ·θ* above kγ and |θ| below √k R, update by update."""
    X = np.random.default_rng(4).uniform(-1, 1, (150, 2))
    away = X @ [0.6, 0.8] - 0.1
    X, y = X[abs(away) > 0.05], np.sign(away[abs(away) > 0.05])
    found = rosenblatt.certify(X, y)
    best = np.append(found.w, found.b) / np.hypot(np.linalg.norm(found.w), found.b)
    steps = list(rosenblatt.walk(X, y, every="update", seed=1))
    thetas = np.array([[*step.coef[0], step.intercept[0]] for step in steps])
    k = np.arange(1, len(steps) + 1)
    ax.plot(k, np.linalg.norm(thetas, axis=1), "o-", color=PALETTE[0], markersize=4, label="|θ|")
    ax.plot(k, thetas @ best, "s-", color=PALETTE[2], markersize=4, label="θ·θ*")
    ax.plot(k, np.sqrt(k) * found.radius, "--", color=PALETTE[1], label="√k R")
    ax.plot(k, k * found.margin, ":", color=PALETTE[1], label="kγ")
    ax.set(xlabel="updates k", title="Squeezed between kγ and √k R")
    ax.legend()


def multiclass(ax: Any) -> None:
    """Three kinds of iris: the highest score wins."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    clf = rosenblatt.AveragedPerceptron(max_iter=50, random_state=0).fit(X[:, 2:], y)
    BoundaryDisplay.from_estimator(clf, X[:, 2:], y, ax=ax)
    ax.set(xlabel="petal length", ylabel="petal width", title="Three classes, three score functions")


def basis(ax: Any) -> None:
    """XOR with products of features: a curve in the plane, a plane among the products."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    X, y = exclusive_or()
    clf = make_pipeline(PolynomialFeatures(2), rosenblatt.Perceptron(max_iter=200, random_state=0)).fit(X, y)
    BoundaryDisplay.from_estimator(clf, X, y, ax=ax)
    ax.set(title="XOR with x₁², x₂² and x₁x₂")


def kernels(ax: Any) -> None:
    """The same by a kernel, without a product being written down."""
    X, y = exclusive_or()
    clf = rosenblatt.KernelPerceptron(kernel="poly", degree=2, max_iter=200, random_state=0).fit(X, y)
    BoundaryDisplay.from_estimator(clf, X, y, ax=ax)
    ax.set(title=f"A sum of {len(clf.support_)} of 80 points")


def exclusive_or() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (80, 2))
    X += 0.1 * np.sign(X)
    return X, np.where(X[:, 0] * X[:, 1] > 0, 1, -1)


def memory(ax: Any) -> None:
    """How often each example was added to the weights."""
    random = np.random.default_rng(2)
    y = np.repeat([-1, 1], 30)
    X = random.normal(size=(60, 2)) + y[:, None] * 0.8
    clf = rosenblatt.Perceptron(max_iter=10, random_state=0, keep_log=True).fit(X, y)
    times = np.bincount(clf.training_.log.row, minlength=len(y))
    marks = ax.scatter(*X.T, s=20 + 14 * times, c=[PALETTE[0] if label > 0 else PALETTE[1] for label in y], alpha=0.7)
    marks.set_edgecolor("white")
    ax.set(title="Larger: added more often. The others left no trace")


def losses(ax: Any) -> None:
    LossDisplay().plot(ax)


def margins(ax: Any) -> None:
    """How far the rows of breast-cancer lie from the line of an averaged perceptron."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import StandardScaler

    X, y = load_breast_cancer(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    MarginDisplay.from_estimator(rosenblatt.AveragedPerceptron(random_state=0).fit(Z, y), Z, y, ax=ax)


def engine(ax: Any) -> None:
    """How far each rule moves, against the margin, for |x|² = 2."""
    margin = np.linspace(-2, 2, 801)
    for k, (name, rule) in enumerate(
        {
            "perceptron": rules.Perceptron(),
            "MIRA": rules.Mira(),
            "MIRA, p = 0.9": rules.Mira(p=0.9),
            "passive-aggressive, C = 1": rules.PassiveAggressive(),
            "logistic, rate 1": rules.Logistic(rate=1.0),
        }.items()
    ):
        ax.plot(margin, [rule.tau(m, norm2=2.0) for m in margin], color=PALETTE[k], label=name, linewidth=1.6)
    ax.axvline(0, color="0.7", linewidth=0.8)
    ax.set(
        xlabel="margin y (w·x + b)",
        ylabel="tau",
        title="One loop: the rules differ in tau alone (|x|² = 2)",
        ylim=(-0.05, 2.2),
    )
    ax.legend()


def probabilities(ax: Any) -> None:
    """What the probabilities of an averaged perceptron promise on held-out rows of digits, and what came."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    X, y = load_digits(return_X_y=True)
    rows, held_out, labels, truth = train_test_split(X, y, test_size=0.5, random_state=0)
    clf = rosenblatt.AveragedPerceptron(random_state=0, calibrate=True).fit(rows, labels)
    ReliabilityDisplay.from_estimator(clf, held_out, truth, ax=ax)


def numbers(ax: Any) -> None:
    """Predicted against measured progress of diabetes, on rows held out."""
    from sklearn.datasets import load_diabetes
    from sklearn.model_selection import train_test_split

    X, y = load_diabetes(return_X_y=True, scaled=True)
    rows, held_out, measured, truth = train_test_split(X * 20, y, test_size=0.4, random_state=0)
    predicted = rosenblatt.WidrowHoffRegressor(max_iter=50, random_state=0).fit(rows, measured).predict(held_out)
    ends = [truth.min(), truth.max()]
    ax.plot(ends, ends, "--", color="0.5", linewidth=1)
    ax.scatter(truth, predicted, s=14, color=PALETTE[0], alpha=0.7)
    error = np.sqrt(np.mean((predicted - truth) ** 2))
    ax.set(
        xlabel="measured",
        ylabel="predicted",
        title=f"Diabetes, held out: off by {error:.0f}, where the spread is {truth.std():.0f}",
    )


def facts(ax: Any) -> None:
    """The share of malignant tumours against their mean radius, in twenty groups."""
    from rosenblatt.data import open_known
    from rosenblatt.studies.facts import examine_data

    ShareDisplay.from_facts(examine_data(open_known("breast-cancer"), "malignant", pool=20), "mean radius", ax=ax)


def report(ax: Any) -> None:
    """The largest weights of an averaged perceptron on breast-cancer, as a report shows them."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import StandardScaler

    data = load_breast_cancer()
    Z = StandardScaler().fit_transform(data.data)
    clf = rosenblatt.AveragedPerceptron(random_state=0).fit(Z, data.target_names[data.target])
    WeightsDisplay.from_estimator(clf, Z, names=list(data.feature_names), top=12, ax=ax)


def learners(ax: Any) -> None:
    """Every linear learner on the same points, which no line separates."""
    random = np.random.default_rng(5)
    y = np.repeat([-1, 1], 40)
    X = random.normal(size=(80, 2)) + y[:, None] * [0.9, 0.6]
    ax.scatter(*X.T, s=16, c=[PALETTE[0] if label > 0 else PALETTE[1] for label in y], alpha=0.5)
    reach = np.array([-3.5, 3.5])
    for k, name in enumerate(("Perceptron", "AveragedPerceptron", "Mira", "PassiveAggressive", "Arow", "SoftPerceptron")):
        clf = getattr(rosenblatt, name)(max_iter=10, random_state=0).fit(X, y)
        (a, b), c = clf.coef_[0], clf.intercept_[0]
        ax.plot(reach, -(a * reach + c) / b, color=PALETTE[k % len(PALETTE)], linestyle="-" if k < 3 else "--", label=name)
    ax.set(xlim=reach, ylim=(-3.5, 3.5), title="The same points, ten epochs: where each learner draws its line")
    ax.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))


def windows(ax: Any) -> None:
    """The order of an epoch over rows on disk, with a window of a quarter of them."""
    from rosenblatt.engine.order import epochs

    rows = np.arange(4096, dtype=np.int32)
    epoch = next(epochs("shuffled", rows, 0, window=1024))
    ax.scatter(rows, epoch, s=1, color=PALETTE[0], linewidths=0)
    for place in (1024, 2048, 3072):
        ax.axvline(place, color="0.6", linestyle="--", linewidth=0.8)
    ax.set(
        xlabel="place in the epoch",
        ylabel="row of the file",
        title="Four windows of 64 blocks, from all over the file, each shuffled",
    )


def mixing(ax: Any) -> None:
    """Updates of each epoch on separable rows, in one run and mixed from 4 and 16 shards."""
    from rosenblatt.cluster.mixed_run import ShardsHere, cut, ranges, train_shards
    from rosenblatt.cluster.mixing import MixSettings
    from rosenblatt.learning.examples import for_classes
    from rosenblatt.learning.plan import Plan

    random = np.random.default_rng(3)
    X = random.normal(size=(4000, 20))
    scores = X @ random.normal(size=20)
    clear = abs(scores) > 0.4
    examples = for_classes(X[clear], (scores[clear] > 0).astype(int))
    for k, shards in enumerate((1, 4, 16)):
        parts = [cut(examples, first, last) for first, last in ranges(int(clear.sum()), shards)]
        mixed = train_shards(ShardsHere(parts), MixSettings(rules.Perceptron(), Plan(epochs=60), shards=shards))
        updates = [epoch.updates for epoch in mixed.history]
        ax.plot(
            np.arange(1, len(updates) + 1),
            updates,
            "o-",
            color=PALETTE[k],
            markersize=3,
            label=f"{shards} shards" if shards > 1 else "one run",
        )
    ax.set(
        xlabel="epoch",
        ylabel="updates in it",
        yscale="symlog",
        ylim=(0, None),
        title="Separable rows: a mixed perceptron comes to an end, too",
    )
    ax.legend()


def speed(ax: Any) -> None:
    """How many times as fast a fit is as scikit-learn's, from the table of the page."""
    page = (Path(__file__).parent / "speed.md").read_text()
    table = page.partition("<!-- fit -->")[2].partition("<!-- end of fit -->")[0].strip().splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    names, ratios = [row[0] for row in cells], [float(row[3].partition("×")[0]) for row in cells]
    ax.barh(names[::-1], ratios[::-1], color=PALETTE[0])
    ax.axvline(1, color="0.4", linestyle="--", linewidth=1)
    for place, ratio in enumerate(ratios[::-1]):
        ax.text(ratio, place, f" {ratio:.1f}", va="center", fontsize=8)
    ax.tick_params(axis="y", labelsize=7)
    ax.set(
        xlabel="times as fast as scikit-learn's averaged SGD", title="Five epochs, one thread", xlim=(0, 1.12 * max(ratios))
    )


def same_weights(ax: Any) -> None:
    """Weights of scikit-learn's perceptron against ours, on the same rows in the same order."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import Perceptron
    from sklearn.preprocessing import StandardScaler

    X, y = load_breast_cancer(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    theirs = Perceptron(max_iter=5, tol=None, shuffle=False).fit(Z, y).coef_[0]
    mine = rosenblatt.Perceptron(max_iter=5, shuffle=False).fit(Z, y).coef_[0]
    ends = [mine.min(), mine.max()]
    ax.plot(ends, ends, "--", color="0.5", linewidth=1)
    ax.scatter(theirs, mine, s=22, color=PALETTE[0], alpha=0.8)
    beside = "bit for bit" if np.array_equal(theirs, mine) else f"within {abs(theirs - mine).max():.0e}"
    ax.set(
        xlabel="scikit-learn's weights",
        ylabel="ours",
        title=f"Perceptron, 30 weights, the same order: equal {beside}",
    )


def model_file(ax: Any) -> None:
    """The bytes of a model file, from first to last."""
    import tempfile

    from rosenblatt.data import open_known
    from rosenblatt.learning import model_file as files

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "iris.rosenblatt"
        rosenblatt.save(rosenblatt.learn(open_known("iris"), epochs=3), path)
        size, (_, arrays) = path.stat().st_size, files.read(path)
    parts = {"head: sizes, digest, recipe, features": size - sum(array.nbytes for array in arrays.values())}
    parts |= {name: array.nbytes for name, array in arrays.items()}
    start = 0
    for place, (name, length) in enumerate(parts.items()):
        ax.barh(-place, length, left=start, color=PALETTE[place % len(PALETTE)])
        ax.text(start + length, -place, f" {name}, {length:,}", va="center", fontsize=8)
        start += length
    ax.set(
        xlabel="bytes",
        yticks=[],
        xlim=(0, 1.6 * size),
        title=f"A model of iris, {size:,} bytes: one digest covers all of them",
    )


def items(ax: Any) -> None:
    """How many items of each lecture are on each page."""
    import re

    page = (Path(__file__).parent / "lectures.md").read_text()
    rows = re.findall(r"^\| ([A-Z])\d+ \|.*\| \[(.+?)\]\(", page, re.MULTILINE)
    lectures = {"B": "Boulder", "H": "Harvey Mudd", "U": "Southern California", "W": "Washington", "O": "Oregon State"}
    names = list(dict.fromkeys(name for _, name in rows))
    counts = np.array([[sum(row == (letter, name) for row in rows) for letter in lectures] for name in names])
    ax.imshow(counts, cmap="Blues", vmin=0, vmax=counts.max() + 2, aspect="auto")
    for place in zip(*np.nonzero(counts), strict=True):
        ax.text(place[1], place[0], str(counts[place]), ha="center", va="center", fontsize=8)
    ax.set_xticks(range(len(lectures)), lectures.values(), fontsize=8)
    ax.set_yticks(range(len(names)), names, fontsize=8)
    ax.set(title=f"{len(rows)} items of five lectures, and their pages")


PICTURES: dict[str, Callable[[Any], None]] = {
    draw.__name__: draw
    for draw in (
        *(neuron, separability, convergence, multiclass, basis, kernels, memory, losses, margins),
        *(engine, probabilities, numbers, facts, report),
        *(learners, windows, mixing, speed, same_weights, model_file, items),
    )
}


def draw_all(folder: Path) -> None:
    """Writes every picture as SVG; the same sources give the same bytes."""
    plt = pyplot()
    for name, draw in PICTURES.items():
        with plt.rc_context({"svg.hashsalt": "rosenblatt", "svg.fonttype": "path"}):
            figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
            draw(ax)
            content = io.BytesIO()
            figure.savefig(content, format="svg", metadata={"Date": None})
            plt.close(figure)
        (folder / f"{name}.svg").write_bytes(content.getvalue())
