"""Data sets for hypothesis, the rules beside their oracles, and the forms in which the same rows can come."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import oracle
import scipy.sparse as sp
from hypothesis import strategies as st

from rosenblatt.engine import rules
from rosenblatt.learning import training
from rosenblatt.learning.examples import for_classes, for_regression

MISTAKE_DRIVEN = {
    "perceptron": (rules.Perceptron(), oracle.perceptron()),
    "perceptron at rate 0.3": (rules.Perceptron(rate=0.3), oracle.perceptron(rate=0.3)),
    "perceptron 1/updates": (rules.Perceptron(2, "1/updates"), oracle.perceptron(2, "1/updates")),
    "perceptron 1/examples": (rules.Perceptron(2, "1/examples"), oracle.perceptron(2, "1/examples")),
    "mira": (rules.Mira(), oracle.mira()),
    "p-aggressive": (rules.Mira(p=0.6), oracle.mira(p=0.6)),
    "passive-aggressive I": (rules.PassiveAggressive(C=0.2), oracle.pa1(C=0.2)),
    "arow": (rules.Arow(), oracle.arow()),
    "arow, r = 0.3": (rules.Arow(r=0.3), oracle.arow(r=0.3)),
    "passive-aggressive II": (rules.PassiveAggressive(C=0.7, variant="II"), oracle.pa2(C=0.7)),
}
# Whose weights are sums of rows, so that votes, influences and replays follow from the log.
ADDS_ROWS = {name: both for name, both in MISTAKE_DRIVEN.items() if not both[0].second_order}
MOVES_ALWAYS = {
    "logistic": (rules.Logistic(rate=0.5), oracle.logistic(rate=0.5)),
    "logistic 1/examples": (rules.Logistic(1, "1/examples"), oracle.logistic(1, "1/examples")),
    "logistic with l2": (rules.Logistic(rate=0.5, l2=0.1), oracle.logistic(rate=0.5, l2=0.1)),
    "widrow-hoff": (rules.WidrowHoff(), oracle.widrow_hoff()),
    "widrow-hoff at rate 0.1": (rules.WidrowHoff(rate=0.1), oracle.widrow_hoff(0.1, "constant")),
    "widrow-hoff 1/updates": (rules.WidrowHoff(0.5, "1/updates"), oracle.widrow_hoff(0.5, "1/updates")),
}
RULES = MISTAKE_DRIVEN | MOVES_ALWAYS


@dataclass
class Data:
    X: np.ndarray
    codes: np.ndarray
    classes: int
    importance: np.ndarray | None
    bias: bool
    epochs: int
    seed: int

    @property
    def vectors(self):
        return 1 if self.classes == 2 else self.classes

    def examples(self, X=None):
        """These labels with the same rows in another form."""
        return for_classes(self.X if X is None else X, self.codes, np.arange(self.classes), self.importance)

    def regression(self, X=None):
        return for_regression(self.X if X is None else X, self.codes - 0.5, self.importance)

    def train(self, rule, X=None, order="shuffled", regression=False, **plan):
        examples = self.regression(X) if regression else self.examples(X)
        plan = training.Plan(epochs=self.epochs, order=order, seed=self.seed, fit_intercept=self.bias, **plan)
        return training.run(examples, rule, plan)

    def ask_oracle(self, learner, epochs, regression=False, rest=False):
        """The oracle's run over as many shuffled epochs."""
        order = oracle.order_of_epochs(len(self.X), self.seed, epochs)
        y = self.codes - 0.5 if regression else self.codes
        vectors = 1 if regression else self.vectors
        options = {"bias": self.bias, "importance": self.importance, "regression": regression}
        if rest and self.classes > 2:
            return oracle.learn_against_rest(learner, self.X, y, order, classes=self.classes, **options)
        return oracle.learn(learner, self.X, y, order, vectors=vectors, **options)


@st.composite
def data_sets(draw, numbers="floats", classes=None, scales=(1.0,), weighted=True):
    """n 1 … 12 and d 1 … 40: on both sides of sixteen lanes and of tiles of four rows; zero rows and duplicates."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 40))
    classes = classes or draw(st.integers(2, 5))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = random.integers(-3, 4, (n, d)).astype(float)
    if numbers == "floats":  # rows of length about 1, so that no rule amplifies rounding
        X = random.normal(size=(n, d)) / np.sqrt(d) * draw(st.sampled_from(scales))
    X[random.random((n, d)) < draw(st.sampled_from([0, 0.5, 0.9]))] = 0
    for i in draw(st.lists(st.integers(0, n - 1), max_size=2)):
        X[i] = 0
    for i in draw(st.lists(st.integers(0, n - 1), max_size=2)):
        X[i] = X[0]
    importance = None
    if weighted and draw(st.booleans()):
        importance = random.integers(1, 4, n).astype(float)
    codes = random.integers(0, classes, n)
    return Data(X, codes, classes, importance, draw(st.booleans()), draw(st.integers(1, 4)), draw(st.integers(0, 99)))


def forms(X):
    """The same rows in every form that is read without rounding."""
    n, d = X.shape
    csr = sp.csr_array(X)
    sixty_four = csr.copy()
    sixty_four.indices, sixty_four.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    strided = np.zeros((2 * n, d + 3))
    strided[::2, 1 : d + 1] = X
    unaligned = np.frombuffer(b"." + X.tobytes(), dtype=X.dtype, offset=1).reshape(n, d)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        np.ascontiguousarray(X).tofile(path)
        mapped = np.memmap(path, dtype=X.dtype, mode="r", shape=(n, d))  # lives on after the name is gone
    yield "Fortran order", np.asfortranarray(X)
    yield "every other row of a wider table", strided[::2, 1 : d + 1]
    yield "backwards in memory", X[::-1].copy()[::-1]
    yield "other byte order", X.astype(">f8")
    yield "unaligned", unaligned
    yield "read-only memmap", mapped
    yield "CSR int32", csr
    yield "CSR int64", sixty_four
    yield "CSR matrix", sp.csr_matrix(X)
    yield "CSC", sp.csc_array(X)
    yield "COO", sp.coo_array(X)
    yield "unsorted columns", unsorted(csr)
    yield "duplicated columns", duplicated(csr)
    if (X.astype(np.float32) == X).all():
        yield "float32", X.astype(np.float32)
        yield "CSR float32", csr.astype(np.float32)
    if (np.rint(X) == X).all():
        yield "int64", X.astype(np.int64)
        yield "int8", X.astype(np.int8)
        yield "CSR of integers", csr.astype(np.int32)
        yield "list of lists", X.tolist()


def unsorted(csr):
    """The same rows, every one from right to left."""
    backwards = np.concatenate([np.arange(b, a, -1) - 1 for a, b in zip(csr.indptr, csr.indptr[1:], strict=False)])
    backwards = backwards.astype(int)
    return sp.csr_array((csr.data[backwards], csr.indices[backwards], csr.indptr), shape=csr.shape)


def duplicated(csr):
    """The same rows, every value in two halves."""
    return sp.csr_array((np.repeat(csr.data / 2, 2), np.repeat(csr.indices, 2), 2 * csr.indptr), shape=csr.shape)


def same_bits(one, other):
    """Are these (w, b) equal to the last bit? (-0 is 0: a row that is 0 in a column may add either.)"""
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def assert_close(weights, expected, largest, tolerance=1e-12):
    """(w, b) within the tolerance, relative to the largest w and b on the way."""
    for got, wanted, size in zip(weights, expected, largest, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0, atol=tolerance * max(size, 1e-300))
