"""The perceptron's neighbours on the same rows (LECTURES W2, W10)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.data import open_known
from rosenblatt.estimators.neighbours import GaussianBayes
from rosenblatt.estimators.neighbours.peers import LogisticRegression
from rosenblatt.lab.chance import Verdict, all_of, beyond, decided, most_of, standard_error
from rosenblatt.lab.finding import Finding, TableRows
from rosenblatt.lab.samples import split_sample
from rosenblatt.show.canvas import MARKERS, PALETTE
from rosenblatt.studies.compare import Entrants, LearnerResult, compare

CURVE_SIZES = (10, 20, 40, 80, 160)
CURVE_SPLITS = 10
HELD_OUT = 0.4
TEST_BY_TRAIN = HELD_OUT / (1 - HELD_OUT)
LOGISTIC_C = 10
FOLD_TEST_BY_TRAIN = 1 / 4  # of five folds
FOLD_SPLITS = 20
# Two classes of bundled data: the set, the positive class, and the other ("": all others).
CLASS_PAIRS = {
    "breast-cancer": ("breast-cancer", "malignant", ""),
    "digits 3, 8": ("digits", 3, 8),
    "wine": ("wine", "class_1", ""),
    "iris": ("iris", "versicolor", "virginica"),
}


def naive_bayes() -> Finding:
    """Learning curves of shared-variance naive Bayes and of logistic regression on four data sets, ten splits each."""
    return judge_naive_bayes({name: learning_curves(*pair) for name, pair in CLASS_PAIRS.items()})


def judge_naive_bayes(errors: dict[str, np.ndarray]) -> Finding:
    """From the errors of naive Bayes and of logistic regression on each data set: 2 × sizes × splits."""
    rows: TableRows = []
    ahead_with_few, ahead_with_many = [], []
    for name, of_set in errors.items():
        known = ~np.isnan(of_set).any(axis=(0, 2))
        behind = of_set[1] - of_set[0]  # of logistic regression, split by split
        for size, two, difference in zip(
            np.array(CURVE_SIZES)[known].tolist(), of_set[:, known].mean(axis=2).T, behind[known], strict=True
        ):
            rows.append((name, size, *map(float, two), float(difference.mean()), standard_error(difference, TEST_BY_TRAIN)))
        ahead_with_few.append(decided(behind[known][0], TEST_BY_TRAIN))
        ahead_with_many.append(decided(-behind[known][-1], TEST_BY_TRAIN))
    curves = {name: (of_set[0].mean(axis=1), of_set[1].mean(axis=1)) for name, of_set in errors.items()}
    return Finding(
        claim="Naive Bayes needs fewer examples; with many, logistic regression is better (Ng and Jordan, 2002).",
        items=("W2",),
        columns=("data", "examples", "naive Bayes %", "logistic %", "difference", "standard error"),
        rows=rows,
        holds=all_of(most_of(ahead_with_few), most_of(ahead_with_many)),
        sentence=(
            f"with {CURVE_SIZES[0]} examples naive Bayes is {counted(ahead_with_few)} of {len(errors)} data sets, with "
            f"the most examples logistic regression is {counted(ahead_with_many)}. Logistic regression has the penalty "
            f"|w|²/(2C), C = {LOGISTIC_C}, beside the sum of its losses; naive Bayes has one variance a feature for both "
            "classes, and no penalty. Another C gives other curves."
        ),
        draw=lambda ax: draw_sizes(ax, curves),
    )


def counted(ahead: list[Verdict]) -> str:
    """On how many it is ahead beyond chance, and behind.

    >>> counted([True, None, False, None])
    'ahead beyond chance on 1 and behind on 1'
    """
    return f"ahead beyond chance on {sum(one is True for one in ahead)} and behind on {sum(one is False for one in ahead)}"


def learning_curves(name: str, positive: Any, other: Any) -> np.ndarray:
    """Held-out errors, in percent, learner × number of examples × split; nan where there are not as many."""
    errors = np.full((2, len(CURVE_SIZES), CURVE_SPLITS), np.nan)
    for seed in range(CURVE_SPLITS):
        s = split_sample(name, seed, holdout=HELD_OUT).between(positive, other)
        for k, size in enumerate(CURVE_SIZES):
            if size > len(s.y):
                continue
            rows = stratified_rows(s.y, size, seed)
            for m, estimator in enumerate((GaussianBayes(), LogisticRegression(C=LOGISTIC_C, max_iter=5000))):
                estimator.fit(s.X[rows], s.y[rows])
                errors[m, k, seed] = 100 * np.mean(estimator.predict(s.X_test) != s.y_test)
    return errors


def stratified_rows(y: np.ndarray, size: int, seed: int) -> np.ndarray:
    """Random rows of each class, as many of each as its share of `size`, two at least: a variance needs them."""
    rng = np.random.Generator(np.random.PCG64([11, seed]))
    shuffled = rng.permutation(len(y))
    classes, counts = np.unique(y, return_counts=True)
    wanted = np.maximum(2, np.round(size * counts / len(y)).astype(int))
    return np.concatenate([shuffled[y[shuffled] == c][:k] for c, k in zip(classes, wanted, strict=True)])


def draw_sizes(ax: Any, curves: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    for k, (name, (bayes, logistic)) in enumerate(curves.items()):
        ax.plot(CURVE_SIZES, bayes, MARKERS[k] + "--", color=PALETTE[k], label=f"{name}: naive Bayes")
        ax.plot(CURVE_SIZES, logistic, MARKERS[k] + "-", color=PALETTE[k], label=f"{name}: logistic")
    ax.set(
        xscale="log",
        xlabel="examples",
        ylabel="held-out error, %",
        title="Naive Bayes and logistic regression",
        ylim=(0, None),
    )
    ax.set_xticks(CURVE_SIZES, [str(size) for size in CURVE_SIZES])
    ax.minorticks_off()
    ax.legend(fontsize="small", ncols=2)


def mpg() -> Finding:
    """Naive Bayes, logistic regression and the perceptron on auto-mpg: good is more than 25."""
    views: Entrants = {
        "naive Bayes": lambda seed: GaussianBayes(),
        "logistic regression": lambda seed: LogisticRegression(max_iter=5000),
    }
    return judge_mpg(compare(open_known("auto-mpg"), ["perceptron", "averaged"], seeds=20, also=views))


def judge_mpg(rows: list[LearnerResult]) -> Finding:
    """From a comparison of the three views with the majority."""
    percent = {row.learner: 100 * row.error_mean for row in rows}
    of_mean = np.sqrt(1 / FOLD_SPLITS + FOLD_TEST_BY_TRAIN)  # from the spread over splits to the error of their mean
    error = {row.learner: 100 * (row.error_sd or 0.0) * of_mean for row in rows}
    views = ("naive Bayes", "logistic regression", "averaged")
    halve = [beyond(percent["majority"] / 2 - percent[name], error[name]) for name in views]
    return Finding(
        claim="Naive Bayes, logistic regression and the perceptron are three views of one linear classifier.",
        items=("W10",),
        columns=("learner", "error %", "sd", "beyond chance"),
        rows=ranking(rows),
        holds=all_of(*halve),
        sentence=(
            f"{sum(one is True for one in halve)} of 3 err on less than half of the majority's {percent['majority']:.1f} %, "
            "beyond chance: " + ", ".join(f"{name} on {percent[name]:.1f} ± {error[name]:.1f}" for name in views) + " %."
        ),
        draw=lambda ax: draw_ranking(ax, ranking(rows), "auto-mpg, four times five folds"),
    )


def ranking(rows: list[LearnerResult]) -> TableRows:
    """Rows of `compare` without their times."""
    sd = [None if row.error_sd is None else 100 * row.error_sd for row in rows]
    return [(r.learner, 100 * r.error_mean, s, "yes" if r.differs_from_best else "") for r, s in zip(rows, sd, strict=True)]


def draw_ranking(ax: Any, rows: TableRows, title: str) -> None:
    """Errors as bars with their spread, the lowest on top."""
    shown = sorted(rows, key=lambda row: -row[1])
    spread = [row[2] or 0 for row in shown]
    ax.barh([row[0] for row in shown], [row[1] for row in shown], xerr=spread, color=PALETTE[0], capsize=3)
    ax.set(xlabel="error, %", title=title)
