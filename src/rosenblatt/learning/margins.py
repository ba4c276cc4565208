"""The margin of an example: how far its score is on the right side, and which class is its rival."""

from __future__ import annotations

import numpy as np

from rosenblatt.learning.examples import Examples
from rosenblatt.learning.scoring import Scorer


def margins_and_rivals(scores: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(margins, rivals) of rows with these scores and class codes.

    Two classes, one score a row, in a column or not: y (w·x + b), and the other class. More, a column a class: the right
    class's score less the rival's, the highest-scoring other class, the lowest index on a tie.

    >>> margins_and_rivals(np.array([2.0, -3.0]), np.array([1, 1]))
    (array([ 2., -3.]), array([0, 0]))
    >>> margins_and_rivals(np.array([[1.0, 3.0, 3.0]]), np.array([0]))
    (array([-2.]), array([1]))
    """
    if scores.ndim == 1 or scores.shape[1] == 1:
        scores = scores.reshape(-1)
        return np.where(codes == 1, scores, -scores), 1 - codes
    every = np.arange(len(scores))
    others = scores.copy()
    others[every, codes] = -np.inf
    rivals = others.argmax(axis=1)
    return scores[every, codes] - others[every, rivals], rivals


def example_margins(model: Scorer, examples: Examples) -> np.ndarray:
    """The margin of every example by a model."""
    return margins_and_rivals(model.scores(examples.rows), examples.codes)[0]
