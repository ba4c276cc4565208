"""Random sets whose separability is known by how they were made, and an exact oracle for small ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

# 1e-8 and 1e8, and powers of two near them.
SCALES = (1.0, 1e-8, 1e8, 2.0**-27, 2.0**27)
# Those with which small whole numbers stay exact: 1e-8 in 24 bits leaves 29 bits for them.
EXACT_SCALES = (1.0, float(np.float32(1e-8)), 1e8, 2.0**-27, 2.0**27)


@dataclass
class PlantedSet:
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
    return PlantedSet(X * draw(st.sampled_from(scales)), y, bias)


@st.composite
def with_planted_contradiction(draw):
    """Radon points in whole numbers: a combination of some rows of one class equals one of the other. Others at random."""
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
    planted = np.vstack([a, b]).astype(float), np.r_[np.ones(p), np.zeros(len(b))].astype(int)
    X, y = among_others(draw, random, *planted, random.integers(-9, 10, (draw(st.integers(0, 10)), d)))
    return PlantedSet(X * draw(st.sampled_from(EXACT_SCALES)), y, bias)


@st.composite
def with_radon_points(draw):
    """Rows of any numbers, labelled by the signs of the one combination of them that vanishes, none of which is near 0.

    So no rounding at any scale undoes the contradiction.
    """
    d, bias = draw(st.integers(1, 6)), draw(st.booleans())
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    while True:
        X = random.normal(size=(d + 1 + bias, d))
        _, singular, vt = np.linalg.svd(np.column_stack([X, np.ones(len(X))])[:, : d + bias].T)
        if min(np.abs(vt[-1]).min(), singular.min()) > 0.02:
            break
    X, y = among_others(draw, random, X, (vt[-1] > 0).astype(int), random.normal(size=(draw(st.integers(0, 10)), d)))
    return PlantedSet(X * draw(st.sampled_from(SCALES)), y, bias)


def among_others(draw, random, X, y, others):
    """Rows that contradict each other, shuffled among others, which cannot change that: duplicates, zeros and multiples."""
    again = X[random.integers(0, len(X), draw(st.integers(0, 3)))]
    others = np.vstack([again, others]).astype(float)
    if len(others):
        spoil(draw, others)
    labels = random.integers(0, 2, len(others))
    if draw(st.booleans()):  # else identical rows with different labels are most often the shortest proof
        for k, row in enumerate(others):
            same = np.flatnonzero((np.vstack([X, others[:k]]) == row).all(axis=1))
            labels[k] = np.r_[y, labels][same[0]] if len(same) else labels[k]
    shuffled = random.permutation(len(X) + len(others))
    return np.vstack([X, others])[shuffled], np.r_[y, labels][shuffled]


@st.composite
def with_a_point_inside(draw):
    """A row of one class well inside a simplex of the other: so far inside that no rounding can move it out."""
    d, bias = draw(st.integers(1, 6)), draw(st.booleans())
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    corners = np.vstack([np.eye(d), -np.ones((1, d))]) @ (np.eye(d) + 0.1 * random.normal(size=(d, d)))
    shift = random.normal(size=d) if bias else np.zeros(d)
    X = np.vstack([corners + shift, corners.mean(axis=0) + shift])
    X, y = among_others(draw, random, X, np.r_[np.ones(d + 1), 0].astype(int), random.normal(size=(2, d)))
    return PlantedSet(X * draw(st.sampled_from(SCALES)), y, bias)


@st.composite
def with_hostile_numbers(draw):
    """Sets, separable or not, that are hard for floats: scales mixed by column or by row, rows that nearly agree."""
    n, d, bias, classes = draw(st.integers(2, 20)), draw(st.integers(1, 5)), draw(st.booleans()), draw(st.integers(2, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = random.integers(-3, 4, (n, d)).astype(float)
    match draw(st.sampled_from(["columns", "rows", "nearly the same", "tenths", "on a line", "huge"])):
        case "columns":
            X *= 10.0 ** random.integers(-8, 9, d)
        case "rows":
            X *= 10.0 ** random.integers(-8, 9, (n, 1))
        case "nearly the same":
            X = 1 + 1e-9 * X
        case "tenths":
            X /= 10
        case "on a line":
            X = np.outer(X[:, 0], random.normal(size=d))
        case "huge":
            X *= draw(st.sampled_from([1e-100, 1e100]))
    scores = X @ random.normal(size=d)
    y = np.digitize(scores, np.quantile(scores, np.linspace(0, 1, classes + 1)[1:-1]))
    y = np.where(random.random(n) < draw(st.sampled_from([0, 0.1])), random.integers(0, classes, n), y)
    return PlantedSet(X, y, bias)


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
        pivot = next((k for k in range(place, len(equations)) if equations[k][column]), None)
        if pivot is None:
            continue
        equations[place], equations[pivot] = equations[pivot], equations[place]
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
