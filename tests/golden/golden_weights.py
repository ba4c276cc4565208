"""A fixed set of training runs and the hash of what each gives: whatever is rearranged, these bits stay.

    python tests/golden/golden_weights.py            names the runs whose bits are others than those in weights.json
    python tests/golden/golden_weights.py --write    writes weights.json again: only where other bits are what is meant

All goes through the estimators. Data are whole numbers from the raw words of PCG64, which numpy promises, and quarters of
them, so that no rounding of a BLAS and no distribution of numpy has a say. What calls `exp` is rounded before it is hashed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import rosenblatt as rb

STORED = Path(__file__).with_name("weights.json")
ROWS, COLUMNS = 240, 12
DIGITS = 9  # of what `exp` is in


# ---- data ----


def words(seed, count):
    """Random words of 64 bits, the same with every version of numpy."""
    return np.random.PCG64(seed).random_raw(count)


def whole_numbers(seed, rows, columns, most=4):
    """A table of whole numbers from −most to most."""
    return (words(seed, rows * columns) % np.uint64(2 * most + 1)).astype(np.int64).reshape(rows, columns) - most


def fractions(seed, rows, columns):
    """Numbers between −2 and 2 with 53 random bits: sums of them are rounded."""
    return (words(seed, rows * columns) >> np.uint64(11)).astype(float).reshape(rows, columns) * 2.0**-51 - 2.0


def labels_of(X, classes, seed):
    """Where a row lies among parallel planes of whole numbers; one label in eight is another."""
    plane = whole_numbers(seed, 1, X.shape[1], most=3)[0]
    scores = np.floor(X * 8).astype(np.int64) @ plane
    codes = np.argsort(np.argsort(scores, kind="stable"), kind="stable") * classes // len(X)
    strange = words(seed + 1, len(X)) % np.uint64(8) == 0
    return np.array(["ant", "bee", "cat", "dog", "eel"])[(codes + strange) % classes]


def thinned(X, seed):
    """The same with two of three cells 0."""
    return np.where((words(seed, X.size) % np.uint64(3) == 0).reshape(X.shape), X, 0)


def csr(X, index, value="float64"):
    """CSR with indices of this type."""
    matrix = sp.csr_array(X.astype(value))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


def one_hot(seed, rows, parts=4, values=5):
    """Rows of four ones, one in each of four blocks of five columns."""
    chosen = (words(seed, rows * parts) % np.uint64(values)).astype(np.int64).reshape(rows, parts)
    return rb.OneHot(chosen + values * np.arange(parts), parts * values)


LAYOUTS = {
    "float32": lambda: fractions(1, ROWS, COLUMNS).astype(np.float32),
    "float64": lambda: fractions(2, ROWS, COLUMNS),
    "csr int32 float32": lambda: csr(thinned(fractions(3, ROWS, COLUMNS), 4), np.int32, "float32"),
    "csr int64": lambda: csr(thinned(fractions(5, ROWS, COLUMNS), 6), np.int64),
    "one-hot": lambda: one_hot(7, ROWS),
}


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else X


def numbers_to_predict(X):
    """Sums of whole numbers, in quarters: a BLAS makes them as anything else would."""
    return np.floor(dense(X) * 8).astype(np.int64) @ np.arange(1, X.shape[1] + 1) / 4


# ---- what is hashed ----


def digest(*parts, digits=None):
    """SHA-256 of arrays and plain values, to the bit or rounded."""
    sha = hashlib.sha256()
    for part in parts:
        array = np.asarray(part)
        if array.dtype.kind == "f":
            array = array.astype("<f8")
            array = array if digits is None else np.round(array, digits) + 0.0
        elif array.dtype.kind in "biu":
            array = array.astype("<i8")
        content = array.tobytes() if array.dtype.kind in "fi" else repr(array.tolist()).encode()
        sha.update(f"{array.dtype.kind}{array.shape}".encode() + content)
    return sha.hexdigest()


def weights_of(fitted, digits=None):
    """Last, averaged and best weights, counts, history and log."""
    views = ["last", "averaged"] + (["best"] if fitted.training_.best is not None else [])
    parts = [part for view in views for part in (fitted.view(view).coef_, fitted.view(view).intercept_)]
    if not isinstance(fitted, rb.VotedPerceptron):  # the weights that predict; votes are hashed apart
        parts += [fitted.coef_, fitted.intercept_]
    parts += [fitted.n_updates_, fitted.n_iter_, fitted.converged_]
    parts += [fitted.history_[name] for name in ("examples", "mistakes", "updates")]
    if getattr(fitted, "log_", None) is not None:
        log = fitted.log_
        parts += [log.t, log.row, log.rival, log.tau]
    return digest(*parts, digits=digits)


def kernel_weights_of(fitted, X, digits=None):
    """Support rows, dual weights, logs, and the scores of every view."""
    parts = [fitted.support_, fitted.dual_coef_, fitted.n_updates_, fitted.n_iter_]
    views = ["last"] if fitted.budget is not None else ["last", "averaged", "voted", "random"]
    parts += [fitted.view(view).decision_function(X) for view in views]
    for log in fitted.logs_ if fitted.budget is None else ():
        parts += [log.t, log.row, log.rival, log.tau]
    return digest(*parts, digits=digits)


# ---- the runs ----

LEARNERS = {
    "perceptron": lambda **also: rb.Perceptron(**also),
    "perceptron 1/updates": lambda **also: rb.Perceptron(eta0=2.0, learning_rate="1/updates", **also),
    "perceptron 1/examples": lambda **also: rb.Perceptron(eta0=0.7, learning_rate="1/examples", **also),
    "averaged": lambda **also: rb.AveragedPerceptron(**also),
    "mira": lambda **also: rb.Mira(**also),
    "mira p=0.5": lambda **also: rb.Mira(p=0.5, **also),
    "passive-aggressive I": lambda **also: rb.PassiveAggressive(C=0.3, **also),
    "passive-aggressive II": lambda **also: rb.PassiveAggressive(C=0.3, variant="II", **also),
    "logistic": lambda **also: rb.SoftPerceptron(**{"eta0": 0.2, "average": False} | also),
    "logistic l2": lambda **also: rb.SoftPerceptron(
        **{"eta0": 0.2, "learning_rate": "1/examples", "l2": 0.01, "average": False} | also
    ),
    "widrow-hoff": lambda **also: rb.WidrowHoff(**also),
    "widrow-hoff rate": lambda **also: rb.WidrowHoff(eta0=0.003, learning_rate="1/updates", **also),
    "voted": lambda **also: rb.VotedPerceptron(**also),
    "regressor": lambda **also: rb.WidrowHoffRegressor(**also),
    "regressor rate": lambda **also: rb.WidrowHoffRegressor(eta0=0.004, **also),
}
LOGGED = ("perceptron", "perceptron 1/updates", "perceptron 1/examples", "averaged", "mira", "passive-aggressive II")
ORDERS = {"shuffled": True, "once": "once", "given": False, "replacement": "replacement", "blocks": "blocks"}
USUAL = {"max_iter": 3, "random_state": 11}


def digits_of(learner):
    return DIGITS if learner.startswith("logistic") else None


def target(learner, X, classes):
    return numbers_to_predict(X) if learner.startswith("regressor") else labels_of(dense(X), classes, seed=20 + classes)


def fit(learner, layout="float64", classes=2, sample_weight=None, **also):
    """The hash of one fit."""
    X = LAYOUTS[layout]()
    fitted = LEARNERS[learner](**(USUAL | also)).fit(X, target(learner, X, classes), sample_weight=sample_weight)
    return weights_of(fitted, digits_of(learner))


def sample_weights():
    return (words(30, ROWS) % np.uint64(5)).astype(float) / 2


def classes_weighted(classes):
    return dict(zip(("ant", "bee", "cat", "dog")[:classes], (0.5, 2.0, 1.25, 3.0), strict=False))


def partial_fits(learner, classes, layouts):
    """One call after another, in one layout or in another each time."""
    fitted = LEARNERS[learner]()
    for number, layout in enumerate(layouts):
        X = LAYOUTS[layout]()
        part = slice(60 * number, 60 * number + 60)
        y = target(learner, X, classes)
        known = {} if learner.startswith("regressor") else {"classes": np.unique(y)}
        fitted.partial_fit(X[part], y[part], **known)
    return weights_of(fitted, digits_of(learner))


def whole_rows(classes, rows=ROWS):
    """Rows of small whole numbers with their labels: every sum over them is exact."""
    X = whole_numbers(40, rows, 6, most=3).astype(float)
    return X, labels_of(X, classes, seed=50)


def votes(classes, view, as_sparse, **also):
    X, y = whole_rows(classes)
    X = csr(X, np.int32) if as_sparse else X
    fitted = rb.VotedPerceptron(score_with=view, **(USUAL | also)).fit(X, y)
    return digest(fitted.decision_function(X), fitted.predict(X))


def forgotten(learner, classes, layout, rows, **also):
    X = LAYOUTS[layout]()
    fitted = LEARNERS[learner](keep_log=True, **(USUAL | also)).fit(X, target(learner, X, classes))
    fitted.forget(rows)
    return weights_of(fitted, digits_of(learner))


def influences(classes, view):
    X, y = whole_rows(classes)
    fitted = rb.Perceptron(keep_log=True, **USUAL).fit(X, y).view(view)
    parts = []
    for i in (0, 7, 100):
        listed = fitted.influences(X[i : i + 1])
        parts.append([[part.row, part.code, part.updates] for part in listed.examples])
        parts += [[part.contribution for part in listed.examples], listed.start]
        parts.append(round(listed.score, DIGITS))  # a sum that a BLAS makes
    return digest(*parts)


def kernels(classes, digits=None, partial=False, **also):
    X, y = whole_rows(classes, 90)
    fitted = rb.KernelPerceptron(**({"max_iter": 4, "random_state": 3} | also))
    if partial:
        fitted.partial_fit(X[:50], y[:50], classes=np.unique(y)).partial_fit(X[50:], y[50:])
    else:
        fitted.fit(X, y)
    return kernel_weights_of(fitted, X[:40], digits)


def started(learner, classes):
    """From weights that are given, and on from there."""
    X = LAYOUTS["float64"]()
    vectors = 1 if classes == 2 else classes
    coef = whole_numbers(60, vectors, COLUMNS).astype(float) / 4
    fitted = LEARNERS[learner](warm_start=True, **USUAL)
    y = target(learner, X, classes)
    fitted.fit(X, y, coef_init=coef, intercept_init=np.arange(vectors) / 2.0).fit(X[::-1].copy(), y[::-1].copy())
    return weights_of(fitted, digits_of(learner))


def trained(classes):
    """The door without scikit-learn."""
    X, y = whole_rows(classes)
    run = rb.train(X[:180], y[:180], held_out=(X[180:], y[180:]), epochs=6, seed=5, patience=2, keep_log=True)
    views = [run.view(name) for name in ("last", "averaged", "best")]
    log = [run.log.t, run.log.row, run.log.rival, run.log.tau]
    return digest(*(part for view in views for part in (view.coef, view.intercept)), *log, run.best_error, run.best_epoch)


def runs() -> dict[str, Callable[[], str]]:
    """Every run by its name."""
    named: dict[str, Callable[[], str]] = {}

    def add(name, run, *arguments, **settings):
        assert name not in named, name
        named[name] = lambda: run(*arguments, **settings)

    for learner in LEARNERS:
        regression = learner.startswith("regressor")
        for classes in (2,) if regression else (2, 4):
            of = learner if regression else f"{learner}, {classes} classes"
            for layout in LAYOUTS:
                add(f"{of}, {layout}", fit, learner, layout, classes)
            add(f"{of}, no bias", fit, learner, classes=classes, fit_intercept=False)
            add(f"{of}, no bias, one-hot", fit, learner, "one-hot", classes, fit_intercept=False)
            add(f"{of}, sample weights", fit, learner, classes=classes, sample_weight=sample_weights())
            add(f"{of}, early stopping", fit, learner, classes=classes, early_stopping=True, n_iter_no_change=2, max_iter=8)
            add(f"{of}, tol", fit, learner, "csr int64", classes, tol=0.02, max_iter=12)
            add(f"{of}, partial_fit", partial_fits, learner, classes, ["float32"] * 3)
            changing = ["float64", "csr int64", "float32", "csr int32 float32"]
            add(f"{of}, partial_fit, dense and sparse", partial_fits, learner, classes, changing)
            add(f"{of}, warm start", started, learner, classes)
            if not regression:
                weighted = classes_weighted(classes)
                add(f"{of}, balanced", fit, learner, "csr int64", classes, class_weight="balanced")
                add(f"{of}, class weights", fit, learner, classes=classes, class_weight=weighted)
                both = {"sample_weight": sample_weights(), "class_weight": weighted}
                add(f"{of}, sample and class weights", fit, learner, "one-hot", classes, **both)
    for learner in ("perceptron", "mira p=0.5", "widrow-hoff", "regressor"):
        for order, shuffle in ORDERS.items():
            add(f"{learner}, order {order}", fit, learner, shuffle=shuffle)
            add(f"{learner}, order {order}, csr", fit, learner, "csr int64", shuffle=shuffle, random_state=5)
    for learner in LOGGED:
        for classes in (2, 4):
            of = f"{learner}, {classes} classes"
            add(f"{of}, log", fit, learner, classes=classes, keep_log=True)
            add(f"{of}, log, one-hot, no bias", fit, learner, "one-hot", classes, keep_log=True, fit_intercept=False)
            add(f"{of}, forget late rows", forgotten, learner, classes, "float64", [200, 201, 239], shuffle=False)
            add(f"{of}, forget", forgotten, learner, classes, "csr int64", [3, 50, 51, 120])
    for classes in (2, 3):
        for view in ("voted", "averaged", "last", "random"):
            for as_sparse in (False, True):
                add(
                    f"votes, {classes} classes, {view}, {'sparse' if as_sparse else 'dense'}",
                    votes,
                    classes,
                    view,
                    as_sparse,
                )
        add(f"votes, {classes} classes, no bias", votes, classes, "voted", False, fit_intercept=False)
        add(f"train, {classes} classes", trained, classes)
        for view in ("last", "averaged"):
            add(f"influences, {classes} classes, {view}", influences, classes, view)
        for multi_class in ("one_rival", "ovr"):
            of = f"kernel, {classes} classes, {multi_class}"
            shape = {"multi_class": multi_class}
            add(f"{of}, linear", kernels, classes, kernel="linear", **shape)
            add(f"{of}, linear, no bias", kernels, classes, kernel="linear", fit_intercept=False, shuffle=False, **shape)
            add(f"{of}, poly", kernels, classes, kernel="poly", degree=2, **shape)
            add(f"{of}, poly, budget", kernels, classes, kernel="poly", degree=2, budget=15, **shape)
            add(f"{of}, poly, partial_fit", kernels, classes, partial=True, kernel="poly", degree=3, **shape)
            add(
                f"{of}, poly, balanced",
                kernels,
                classes,
                kernel="poly",
                degree=2,
                class_weight="balanced",
                digits=6,
                **shape,
            )
            add(f"{of}, rbf", kernels, classes, DIGITS, kernel="rbf", gamma=0.0625, **shape)
            add(f"{of}, mira", kernels, classes, 6, kernel="linear", rule="mira", p=0.25, **shape)
    return named


def stored() -> dict[str, str]:
    return dict(json.loads(STORED.read_text("utf-8")))


def main(arguments: list[str]) -> None:
    """Compares, or writes."""
    computed = {name: run() for name, run in runs().items()}
    if "--write" in arguments:
        STORED.write_text(json.dumps(computed, indent=0, sort_keys=True) + "\n", "utf-8")
        print(f"{len(computed)} hashes written into {STORED.name}")
        return
    before = stored()
    others = sorted(name for name in computed.keys() | before.keys() if computed.get(name) != before.get(name))
    print("\n".join(others) or f"all {len(computed)} runs give the bits that they gave")
    sys.exit(bool(others))


if __name__ == "__main__":
    main(sys.argv[1:])
