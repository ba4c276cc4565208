"""The kernel perceptron of Freund and Schapire's paper, one example at a time, in plain Python.

Nothing here is taken from dual.py: a weight vector is the list of the moves (row, vector, step) that made it, a score is a
sum over that list, every weight vector is kept, and the views are their literal definitions. Numbers stay whole, or
Fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


def linear(x, z):
    return sum(a * b for a, b in zip(x, z, strict=True))


def polynomial(degree, offset):
    return lambda x, z: (offset + linear(x, z)) ** degree


@dataclass
class Run:
    """The moves so far, how many there were after every example, the log, and what else is counted."""

    X: list
    kernel: object
    vectors: int
    moves: list = field(default_factory=list)  # (row, vector, step)
    after: list = field(default_factory=list)
    logs: dict = field(default_factory=dict)  # problem: [(t, row, rival, tau)]
    mistakes: int = 0
    zero_rows: int = 0
    dropped: int = 0  # moves that a budget has taken away
    tie: bool = False  # did a margin, or the choice of a rival, lie where rounding decides?

    def scores(self, x, moves=None):
        totals = [0] * self.vectors
        for row, vector, step in self.moves if moves is None else moves:
            totals[vector] += step * self.kernel(self.X[row], x)
        return totals

    @property
    def support(self):
        return list(dict.fromkeys(row for row, _, _ in self.moves))

    def survivors(self):
        """The moves of the weights after each example."""
        return [self.moves[:count] for count in self.after]

    def averaged(self, x):
        every = [self.scores(x, moves) for moves in self.survivors()]
        return [Fraction(sum(column)) / len(every) for column in zip(*every, strict=True)]

    def voted(self, x, one_rival):
        votes = [0] * self.vectors
        for moves in self.survivors():
            scores = self.scores(x, moves)
            if one_rival:
                votes[max(range(self.vectors), key=lambda c: scores[c])] += 1  # max gives the first of equals
            else:
                votes = [v + (1 if s >= 0 else -1) for v, s in zip(votes, scores, strict=True)]
        return votes


def learn(X, y, order, kernel, *, vectors=1, one_rival=False, p=None, budget=None):
    """`y` are class codes, 1 the positive of two. p=None: the perceptron at rate 1; else MIRA, p-aggressive."""
    run = Run(X, kernel, vectors)
    run.logs = {problem: [] for problem in range(1 if one_rival else vectors)}
    for t, i in enumerate(order):
        x, size = X[i], kernel(X[i], X[i])
        scores = run.scores(x)
        if one_rival:
            others = [c for c in range(vectors) if c != y[i]]
            rival = max(others, key=lambda c: scores[c])
            near = [c for c in others if c != rival and scores[rival] - scores[c] < 1e-9]
            run.tie |= p is not None and bool(run.moves) and bool(near)  # of fractions; whole numbers tie exactly
            cases = [(0, scores[y[i]] - scores[rival], 2 * size, rival, [(y[i], 1), (rival, -1)])]
        else:
            signs = [1 if (y[i] == 1 if vectors == 1 else y[i] == c) else -1 for c in range(vectors)]
            cases = [(c, signs[c] * scores[c], size, -1, [(c, signs[c])]) for c in range(vectors)]
        wrong = False
        for problem, margin, norm2, rival, vectors_moved in cases:
            run.tie |= p is not None and bool(run.moves) and min(abs(margin), abs(margin - p)) < 1e-9
            wrong |= margin <= 0
            if not (margin <= 0 or (p is not None and margin < p)) or norm2 == 0:
                continue
            tau = 1 if p is None else Fraction(1 - margin) / norm2
            run.logs[problem].append((t, i, rival, tau))
            run.moves += [(i, vector, sign * tau) for vector, sign in vectors_moved]
        run.mistakes += wrong
        run.zero_rows += wrong and size == 0
        while budget is not None and len(run.support) > budget:
            oldest = run.support[0]
            run.moves = [move for move in run.moves if move[0] != oldest]
            run.dropped += 1
        run.after.append(len(run.moves))
    return run
