"""Margins and the radius that the theory speaks of (LECTURES B6, H6), for two classes and for many; losses.py prices them.

Every function takes a model (`Model`, or `training.view(...)`), rows X and labels y. The functional margin is y (w·x + b),
for many classes s_y − max s_r. Divided by |w| it is the distance to the plane; divided by |(w, b)| it is what the mistake
bound speaks of, as the bias is the weight of a constant feature there. Both are here, and named.

>>> model = Model(np.array(["no", "yes"]), coef=np.array([[3.0, 4.0]]), intercept=np.array([-12.0]))
>>> X, y = [[4.0, 3.0], [0.0, 0.0]], ["yes", "no"]
>>> functional_margins(model, X, y)
array([12., 12.])
>>> geometric_margins(model, X, y, by="w")
array([2.4, 2.4])
>>> geometric_margins(model, X, y, by="w and b").round(4)
array([0.9231, 0.9231])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.rows import Rows
from rosenblatt.engine.weights import weights_norm
from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.scoring import Model, example_margins
from rosenblatt.theory.signed import row_norms2

BY = ("w", "w and b")


def functional_margins(model: Model, X: Any, y: Any) -> np.ndarray:
    """y (w·x + b) of every row; for many classes the right class's score less the best other's."""
    return example_margins(model, for_classes(X, y, classes=model.classes))


def geometric_margins(model: Model, X: Any, y: Any, by: str = "w") -> np.ndarray:
    """Functional margins divided by |w|, or by |(w, b)|: they do not change when (w, b) becomes (2w, 2b).

    For many classes |w| is that of all classes' weights together. Where it is 0 the margins are 0.
    """
    size, margins = weight_norm(model, by), functional_margins(model, X, y)
    return margins / size if size else np.zeros_like(margins)


def weight_norm(model: Model, by: str = "w") -> float:
    """|w|, or |(w, b)|.

    >>> weight_norm(Model(None, np.array([[3.0]]), np.array([4.0])), by="w and b")
    5.0
    """
    if by not in BY:
        raise SettingError(f"Margins are divided by {' or by '.join(map(repr, BY))}, not by {by!r}.")
    return weights_norm(model.coef, model.intercept, with_bias=by == "w and b")


def margin_of_set(model: Model, X: Any, y: Any, by: str | None = None) -> float:
    """The least margin, functional or (with `by`) geometric; −∞ if the model does not separate the rows (LECTURES B6).

    >>> model = Model(np.array([0, 1]), coef=np.array([[0.5, 1.0]]), intercept=np.array([-1.0]))  # Boulder's end
    >>> margin_of_set(model, [[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, 0, 0, 0])
    0.5
    >>> margin_of_set(model, [[0, 1]], [1])
    -inf
    """
    least = float(functional_margins(model, X, y).min())
    if not least > 0:
        return -np.inf
    return least if by is None else least / weight_norm(model, by)


def radius(X: Any, fit_intercept: bool = True) -> float:
    """R: the largest |(x, 1)|, or without bias the largest |x|.

    >>> radius([[3.0, 4.0], [1.0, 0.0]], fit_intercept=False), round(radius([[3.0, 4.0]]), 4)
    (5.0, 5.099)
    """
    rows = X if isinstance(X, Rows) else Rows(X)
    return float(np.sqrt(row_norms2(rows).max(initial=0) + fit_intercept))


def distances(model: Model, X: Any) -> np.ndarray:
    """(w·x + b) / |w|: how far every row is from the plane, above 0 on the side of the positive class.

    For many classes how far it is from the border of the class that wins there: the least (s_k − s_r) / |w_k − w_r|.

    >>> model = Model(np.array([0, 1]), coef=np.array([[3.0, 4.0]]), intercept=np.array([-5.0]))
    >>> distances(model, [[3.0, 4.0], [0.0, 0.0]])
    array([ 4., -1.])
    """
    scores = model.scores(X)
    if scores.ndim == 1:
        size = weight_norm(model)
        return scores / size if size else np.zeros_like(scores)
    nearest = np.full(len(scores), np.inf)
    best = scores.argmax(axis=1)
    for rival in range(scores.shape[1]):
        size = np.linalg.norm(model.coef[best] - model.coef[rival], axis=1)
        ahead = scores[np.arange(len(scores)), best] - scores[:, rival]
        # Classes with the same weights have no border between them: they are parted by their biases alone.
        with np.errstate(divide="ignore", invalid="ignore"):
            nearest = np.where((best != rival) & (size > 0), np.minimum(nearest, ahead / size), nearest)
    return nearest
