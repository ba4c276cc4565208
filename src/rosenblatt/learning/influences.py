"""Which training examples made a score, or a weight: both are sums over the log.

    w·x + b = Σ_i α_i (x_i·x + 1)        w_j = Σ_i α_i x_ij

α_i is what the updates that row i caused have left of it in the weights: Σ tau y in the last ones, Σ tau y (T − t) / T in
the average, whose early updates count in more of the weight vectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.errors import DataError
from rosenblatt.learning import scoring
from rosenblatt.learning.log import Memory
from rosenblatt.learning.scoring import Model, Scorer
from rosenblatt.learning.votes import blocks_of_products


@dataclass(frozen=True)
class Influence:
    """What one training example has done to a score or a weight."""

    row: int  # its number in the data that were learned from, from 0
    code: int  # its class
    updates: int | None  # how often it changed the weights; None: nobody has counted
    contribution: float


@dataclass(frozen=True)
class Influences:
    """The examples that made a number, those with the largest contribution, either way, first.

    `score` is their sum and `start`, which is the part of weights that training began with, if not 0.
    """

    examples: list[Influence]
    start: float
    score: float


def on_decision(memory: Memory, model: Model, x: Rows, view: str) -> Influences:
    """The influences on what decides about one row: its score, or of many classes the winner's minus the runner-up's."""
    return on_score(memory, x, view, *deciding_vectors(model, x))


def deciding_vectors(model: Scorer, x: Rows) -> tuple[int, int | None]:
    """Whose score decides about one row, and less whose: of two classes there is one score, and nothing less."""
    if x.n != 1:
        raise DataError(f"Influences are those on one row: there are {x.n}.")
    return (0, None) if model.classes is None or len(model.classes) == 2 else model.winner_and_runner_up(x)


def on_score(memory: Memory, x: Rows, view: str, gains: int = 0, loses: int | None = None) -> Influences:
    """The influences on the score of `x`, one row, by vector `gains`; less that by vector `loses`, if named.

    >>> from rosenblatt.learning.training import train
    >>> run = train([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["yes", "no", "no", "no"], order="given", keep_log=True)
    >>> influences = on_score(run.memory(), Rows([[2.0, 2.0]]), "last")
    >>> [(part.row, part.contribution) for part in influences.examples], influences.score
    ([(0, 5.0), (3, -1.0), (1, 0.0)], 4.0)
    """
    x.refuse_not_finite()
    _, products = next(blocks_of_products(x, memory.rows))
    alpha = coefficients(memory, view, gains, loses)
    start = 0.0
    if memory.start is not None:
        scores = scoring.score(x, *memory.start.last)[0]
        start = float(scores[gains] - (0.0 if loses is None else scores[loses]))
    constant = 1.0 if memory.fit_intercept else 0.0
    # As a score is made: the bias is a sum of its own, beside which tiny features keep their digits.
    score = float(alpha @ products[0]) + constant * float(alpha.sum()) + start
    return of_memory(memory, alpha * (products[0] + constant), start, score)


def on_weight(memory: Memory, j: int, view: str, vector: int = 0) -> Influences:
    """The mistakes that built the weight of feature j in a vector: w_j = Σ α_i x_ij; the others are left out.

    >>> from rosenblatt.learning.training import train
    >>> run = train([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["yes", "no", "no", "no"], order="given", keep_log=True)
    >>> influences = on_weight(run.memory(), 0, "last")
    >>> [(part.row, part.contribution) for part in influences.examples], influences.score
    ([(0, 1.0), (3, 1.0), (1, -0.5)], 1.5)
    """
    unit = np.zeros((1, memory.rows.d))
    unit[0, j] = 1.0
    _, products = next(blocks_of_products(Rows(unit), memory.rows))
    start = 0.0 if memory.start is None else float(memory.start.last[0][vector, j])
    parts = coefficients(memory, view, vector) * products[0]
    influences = of_memory(memory, parts, start, float(parts.sum()) + start)
    return Influences([part for part in influences.examples if part.contribution != 0], influences.start, influences.score)


def coefficients(memory: Memory, view: str, gains: int = 0, loses: int | None = None) -> np.ndarray:
    """α of each row in one vector, or in the difference of two."""
    dual = memory.dual(view)
    alpha: np.ndarray = dual[gains] if loses is None else dual[gains] - dual[loses]
    return alpha


def of_memory(memory: Memory, contributions: np.ndarray, start: float, score: float) -> Influences:
    updates = np.bincount(memory.log.row, minlength=memory.rows.n).tolist()
    # A row may be there several times, once for each run that went on.
    facts = zip(memory.numbers.tolist(), memory.codes.tolist(), updates, strict=True)
    return ranked(facts, contributions, start, score)


def ranked(
    facts: Iterable[tuple[int, int, int | None]], contributions: np.ndarray, start: float, score: float
) -> Influences:
    """Examples, known by number, class and updates, with their contributions: the largest first."""
    parts = (contributions + 0.0).tolist()  # no -0.0
    examples = [Influence(*known, part) for known, part in zip(facts, parts, strict=True)]
    return Influences([examples[i] for i in np.argsort(-np.abs(contributions), kind="stable")], start, score)
