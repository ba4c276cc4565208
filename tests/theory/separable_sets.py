"""Random sets whose separability is known by how they were made, and an exact oracle for small ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

# 1e-8 and 1e8, and powers of two near them, with which whole numbers stay exact.
SCALES = (1.0, 1e-8, 1e8, 2.0**-27, 2.0**27)
EXACT_SCALES = (1.0, 1e8, 2.0**-27, 2.0**27)


@dataclass
class Made:
    X: np.ndarray
    y: np.ndarray
    bias: bool

    def signed(self):
        """Rows y (x, 1) as lists of fractions; for two classes, written without the package."""
        sign = np.where(self.y == self.y.max(), 1, -1)
        rows = [[Fraction(float(value)) for value in x] + [Fraction(1)] * self.bias for x in self.X]
        return [[int(s) * value for value in row] for s, row in zip(sign, rows, strict=True)]


@st.composite
def with_planted_margin(draw, classes=2, scales=SCALES):
    """Labels by a plane that no row lies on; duplicated, collinear and, with a bias, zero rows among them."""
    n, d, bias = draw(st.integers(2, 25)), draw(st.integers(1, 6)), draw(st.booleans())
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = random.integers(-4, 5, (n, d)).astype(float)
    if draw(st.booleans()):
        X = random.normal(size=(n, d))
    W = random.integers(-3, 4, (classes, d + bias)).astype(float)
    spoil(draw, X)
    scores = np.column_stack([X, np.ones(n)])[:, : d + bias] @ W.T
    order = np.sort(scores, axis=1)
    kept = order[:, -1] - order[:, -2] > 1e-3 * (1 + np.abs(X).max())
    if not kept.any():
        kept[0], W[0], X[0] = True, 1.0, 1.0
        scores[0] = np.arange(classes)
    X, y = X[kept], scores[kept].argmax(axis=1)
    return Made(X * draw(st.sampled_from(scales)), y, bias)


@st.composite
def with_planted_contradiction(draw):
    """Radon points: a combination of some rows of one class equals one of the other, in whole numbers; others at random."""
    d, bias = draw(st.integers(1, 6)), draw(st.booleans())
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p = draw(st.integers(1, d + 1))
    q = d + 2 - p
    a, b = random.integers(-4, 5, (p, d)), random.integers(-4, 5, (q, d))
    up, down = random.integers(1, 4, p), random.integers(1, 4, q)
    # The last weights are 1, or as large as it takes for both sums of weights to be the same.
    down[-1] = 1
    if up.sum() < down.sum():
        up[0] += down.sum() - up.sum()
    else:
        b = np.vstack([b[:1]] * int(up.sum() - down.sum()) + [b])
        down = np.r_[np.ones(len(b) - q, dtype=int), down]
    b[-1] = up @ a - down[:-1] @ b[:-1]
    others = random.integers(-9, 10, (draw(st.integers(0, 10)), d))
    X = np.vstack([a, b, others]).astype(float)
    y = np.r_[np.ones(p), np.zeros(len(b)), random.integers(0, 2, len(others))].astype(int)
    shuffled = random.permutation(len(X))
    return Made(X[shuffled] * draw(st.sampled_from(EXACT_SCALES)), y[shuffled], bias)


@st.composite
def with_a_point_inside(draw):
    """A row of one class well inside a simplex of the other: so far inside that no rounding can move it out."""
    d, bias = draw(st.integers(1, 6)), draw(st.booleans())
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    corners = np.vstack([np.eye(d), -np.ones((1, d))]) @ (np.eye(d) + 0.1 * random.normal(size=(d, d)))
    shift = random.normal(size=d) if bias else np.zeros(d)
    X = np.vstack([corners + shift, corners.mean(axis=0) + shift])
    y = np.r_[np.ones(d + 1), 0].astype(int)
    return Made(X * draw(st.sampled_from(SCALES)), y, bias)


def spoil(draw, X):
    """Duplicates, zeros and multiples among the rows."""
    n = len(X)
    for i in draw(st.lists(st.integers(0, n - 1), max_size=3)):
        X[i] = X[0]
    for i in draw(st.lists(st.integers(0, n - 1), max_size=2)):
        X[i] = 0
    for i in draw(st.lists(st.integers(0, n - 1), max_size=3)):
        X[i] = 2 * X[-1]


def contradicts_itself(rows):
    """Is 0 a combination of these vectors with weights ≥ 0, not all 0? All sets of Carathéodory's size, in fractions."""
    most = len(rows[0]) + 1
    return any(
        positive_null_vector([rows[i] for i in chosen])
        for size in range(1, min(most, len(rows)) + 1)
        for chosen in combinations(range(len(rows)), size)
    )


def positive_null_vector(rows):
    """Has Σ λ row = 0 exactly one solution up to a factor, and that all positive? By Gauss-Jordan on the columns."""
    m = len(rows)
    equations, pivots, place = [list(column) for column in zip(*rows, strict=True)], [], 0
    for column in range(m):
        found = next((k for k in range(place, len(equations)) if equations[k][column]), None)
        if found is None:
            continue
        equations[place], equations[found] = equations[found], equations[place]
        head = [value / equations[place][column] for value in equations[place]]
        equations[place] = head
        for k in range(len(equations)):
            if k != place and equations[k][column]:
                factor = equations[k][column]
                equations[k] = [a - factor * b for a, b in zip(equations[k], head, strict=True)]
        pivots.append(column)
        place += 1
    free = [column for column in range(m) if column not in pivots]
    return len(free) == 1 and all(equations[k][free[0]] < 0 for k in range(len(pivots)))
