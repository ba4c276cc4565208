"""The verbs on rows for core.py when it runs uncompiled: what vector.h and _core.pxd do, in numpy."""

import numpy as np


def bind(loop, rows, weights):
    """Lets the loop read these rows and move these weights."""
    loop.rows = rows
    loop.weights = weights


def row(rows, i):
    """Columns and values of row i."""
    if rows.dense:
        return slice(None), rows.values[i].astype(float)
    if rows.indptr is None:
        start, end = i * rows.width, (i + 1) * rows.width
    else:
        start, end = rows.indptr[i], rows.indptr[i + 1]
    columns = rows.indices[start:end]
    return columns, np.ones(len(columns)) if rows.values is None else rows.values[start:end].astype(float)


def place_in_order(loop, k):
    return loop.order[k] if loop.has_order else k


def seek(loop, start):
    """The first place from `start` on whose example moves the one vector there is, or has no finite score: `scores[0]`.

    Compiled, the search takes steps that are all alike by itself; here every step is the loop's.
    """
    for k in range(start, loop.stop):
        score = loop.scores[0] = score_by(loop, k, 0)
        margin = score if loop.regression else (2 * loop.y[place_in_order(loop, k)] - 1) * score
        if loop.rule.moves(margin) or not np.isfinite(margin):
            return k
    return loop.stop


def score_tile(loop, k, count):
    """Scores of the `count` examples from place k of the order on, by every vector."""
    for vector in range(loop.vectors):
        rescore(loop, k, count, 0, vector)


def score_block(loop, k, count):
    """Scores of the `count` rows from row k on, as given, by every vector, into `out`."""
    for r in range(k, k + count):
        for vector in range(loop.vectors):
            loop.out[r * loop.vectors + vector] = score_by(loop, r, vector)


def rescore(loop, k, count, place, vector):
    """Scores the `count` examples from place k on by one vector; the first example's scores begin at `place`."""
    for r in range(count):
        loop.scores[place + r * loop.vectors + vector] = score_by(loop, k + r, vector)


def score_by(loop, k, vector):
    columns, x = row(loop.rows, place_in_order(loop, k))
    return loop.scale * float(loop.weights.w[vector, columns] @ x) + float(loop.bias[vector])


def add(loop, i, k, step, late_step):
    """w += step x and u += late_step x, for vector k."""
    columns, x = row(loop.rows, i)
    for cells, amount in ((loop.weights.w[k], step), (loop.weights.u[k], late_step)):
        if loop.rows.dense:
            cells += amount * x
        else:  # a column may come twice
            np.add.at(cells, columns, amount * x)


def norm2(loop, i):
    """|x|²."""
    _, x = row(loop.rows, i)
    return float(x @ x)


def variance(loop, i, k, squared):
    """Σ x² sigma of vector k, or, `squared`, Σ (x sigma)²."""
    columns, x = row(loop.rows, i)
    v = x * loop.weights.sigma[k, columns]
    return float(v @ (v if squared else x))


def add_along(loop, i, k, step, late_step, gain):
    """w += step v and u += late_step v, for vector k, where v = sigma x; then 1 / sigma += gain x²."""
    columns, x = row(loop.rows, i)
    sigma = loop.weights.sigma[k, columns]
    v = sigma * x
    loop.weights.w[k, columns] += step * v
    loop.weights.u[k, columns] += late_step * v
    loop.weights.sigma[k, columns] = sigma / (1 + gain * (v * x))


def is_zero(loop, i):
    """Is row i 0 in every column?"""
    return not row(loop.rows, i)[1].any()


def permute(order, bits):
    """Fisher-Yates from the last place downwards, one random word a place."""
    for place in range(len(order) - 1, -1, -1):
        j = scaled_down(next_word(bits), place + 1)
        order[place], order[j] = order[j], order[place]


def vote_abreast(counter, column, step, lived):
    """A step of a running sum for all rows of a counter of whole votes, and the votes of the weights that it makes."""
    counter.scores += step * counter.products[column]
    counter.votes += np.where(counter.scores >= 0, lived, -lived)


def choose_kernel(name):
    """Uncompiled there is one kernel: numpy."""
    return name == "plain"


def digest():
    """Uncompiled, the source is what runs."""
    return ""


def scaled_down(word, below):
    """The high half of a 64 × 64 bit product: maps a random word to 0 … below-1 (Lemire)."""
    return int(word) * int(below) >> 64


def words_of(bits):
    """Where `next_word` takes its words from."""
    return bits


def next_word(bits):
    """A random word of 64 bits."""
    return bits.random_raw()
