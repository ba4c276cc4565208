"""Weights with room for classes and columns that come after training; what was learned stays as it was."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.weights import Weights, refuse_beyond_memory


def with_new_class(weights: Weights, against_rest: bool = False) -> Weights:
    """The weights with a vector more, of zeros; the one vector w of two classes becomes two halves, −w/2 and w/2.

    Where each class learns against the rest, the two are −w and w: what each of them would have learned. Variances, of a
    rule of second order, are those of w in both, and 1 in the new vector, as training begins.
    """
    halves = np.array([[-1.0], [1.0]]) if against_rest else np.array([[-0.5], [0.5]])
    vectors = 3 if weights.vectors == 1 else weights.vectors + 1

    def grown(part: np.ndarray, of_two: np.ndarray, new: float) -> np.ndarray:
        table = part.reshape(weights.vectors, -1)
        if weights.vectors == 1:
            table = of_two * table + 0.0  # half of 0 is 0, not −0: a column may also come after the class
        table = np.vstack([table, np.full((1, table.shape[1]), new)])
        return table if part.ndim == 2 else table[:, 0]

    state = weights.__getstate__() | {"vectors": vectors, "scores": np.zeros(4 * vectors)}
    for name in ("w", "u", "bias", "bias_u", "bias_total", "total"):
        if state[name] is not None:
            state[name] = grown(state[name], halves, new=0.0)
    for name in ("sigma", "bias_sigma"):
        if state[name] is not None:
            state[name] = grown(state[name], np.ones((2, 1)), new=1.0)
    return weights.with_state(state)


def with_new_columns(weights: Weights, d: int) -> Weights:
    """The weights with columns of zeros behind the others, d in all; their variances are 1."""
    refuse_beyond_memory(weights.vectors, d)

    def grown(part: np.ndarray, new: float) -> np.ndarray:
        return np.hstack([part, np.full((weights.vectors, d - weights.d), new)])

    state = weights.__getstate__()
    fresh = {"w": 0.0, "u": 0.0, "total": 0.0, "sigma": 1.0}
    moved = {name: grown(state[name], new) for name, new in fresh.items() if state[name] is not None}
    return weights.with_state({**state, **moved, "d": d})
