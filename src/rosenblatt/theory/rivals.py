"""The margin over the rival, for a table of scores."""

from __future__ import annotations

import numpy as np


def margins_and_rivals(scores: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Margins s_y − max s_r, and the rivals r: the highest-scoring other class, the lowest code on a tie.

    Two classes have one score a row, in one column or none: the margin is y (w·x + b), the rival the other class.

    >>> margins_and_rivals(np.array([[1.0, 3.0, 3.0], [2.0, 0.5, 1.0]]), np.array([0, 0]))
    (array([-2.,  1.]), array([1, 2]))
    >>> margins_and_rivals(np.array([2.0, 3.0]), np.array([1, 0]))
    (array([ 2., -3.]), array([0, 1]))
    """
    if scores.ndim == 1 or scores.shape[1] == 1:
        scores = scores.reshape(-1)
        return np.where(codes == 1, scores, -scores), 1 - codes
    every = np.arange(len(scores))
    others = scores.copy()
    others[every, codes] = -np.inf
    rivals = others.argmax(axis=1)
    return scores[every, codes] - others[every, rivals], rivals
