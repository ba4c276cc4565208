"""Weights with room for classes and columns that come after training; what was learned stays as it was."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.weights import Weights, refuse_beyond_memory


def with_new_class(weights: Weights) -> Weights:
    """The same with a vector more, of zeros; the one vector of two classes becomes two halves, −w/2 and w/2."""
    halves = np.array([[-0.5], [0.5]])

    def grown(part: np.ndarray) -> np.ndarray:
        table = part.reshape(weights.vectors, -1)
        if weights.vectors == 1:
            table = halves * table + 0.0  # half of 0 is 0, not −0: a column may also come after the class
        table = np.vstack([table, np.zeros((1, table.shape[1]))])
        return table if part.ndim == 2 else table[:, 0]

    vectors = 3 if weights.vectors == 1 else weights.vectors + 1
    state = weights.__getstate__() | {"vectors": vectors, "scores": np.zeros(4 * vectors), "bias_sigma": np.ones(vectors)}
    moved = {name: grown(vars(weights)[name]) for name in ("w", "u", "bias", "bias_u", "bias_total")}
    moved |= {} if weights.total is None else {"total": grown(weights.total)}
    return weights.with_state(state | moved)


def with_new_columns(weights: Weights, d: int) -> Weights:
    """The same with columns of zeros behind the others, d in all."""
    refuse_beyond_memory(weights.vectors, d)

    def grown(part: np.ndarray) -> np.ndarray:
        return np.hstack([part, np.zeros((weights.vectors, d - weights.d))])

    moved = {name: grown(part) for name in ("w", "u", "total") if (part := vars(weights)[name]) is not None}
    return weights.with_state({**weights.__getstate__(), **moved, "d": d})
