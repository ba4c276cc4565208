"""Gradient descent that can be watched: the lecture's two lines, with the path that they take (U5).

>>> def f(theta):
...     return 0.5 * (theta[0] ** 2 - theta[1]) ** 2 + 0.5 * (theta[0] - 1) ** 2
>>> def slope(theta):
...     a, b = theta
...     return np.array([2 * (a**2 - b) * a + a - 1, b - a**2])
>>> good = descend(f, slope, start=[0.0, 0.0], eta=0.2)
>>> good.end.round(6), good.converged
(array([1., 1.]), True)
>>> print(descend(f, slope, start=[0.0, 0.0], eta=0.9).message)
eta = 0.9 is too large: the value grew from 0.5 to 6.326e+06 in 9 steps. Try a smaller eta, such as 0.09.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.data import markup
from rosenblatt.engine.parameters import Real, Whole, check

Function = Callable[[np.ndarray], float]
Slope = Callable[[np.ndarray], np.ndarray]

SHOWN_STEPS = 20  # in a notebook
DIVERGENCE_FACTOR = 1e6  # a value this many times the first two will not come back


@dataclass(frozen=True)
class Descent:
    """Where gradient descent went, and how it ended."""

    path: np.ndarray  # the points, the start first; only start and end where the path was not kept
    values: np.ndarray  # f at every point
    eta: float
    converged: bool
    message: str
    f: Function = field(repr=False)

    @property
    def end(self) -> np.ndarray:
        last: np.ndarray = self.path[-1]
        return last

    @property
    def steps(self) -> int:
        return len(self.values) - 1

    def _repr_html_(self) -> str:
        """How a notebook shows it: how it ended, and where it went; `DescentDisplay` draws it on its surface."""
        told = markup.facts("Gradient descent", {"η": self.eta, "steps": self.steps, "end": str(self.message)})
        kept = range(len(self.path)) if len(self.path) == len(self.values) else (0, self.steps)
        lines = [
            [t, ", ".join(f"{part:.6g}" for part in theta), float(self.values[t])]
            for t, theta in zip(kept, self.path, strict=True)
        ]
        shown = lines if len(lines) <= SHOWN_STEPS else [*lines[: SHOWN_STEPS - 1], lines[-1]]
        return told + markup.table("", ["step", "θ", "f(θ)"], shown)


def descend(
    f: Function,
    grad: Slope,
    start: Any,
    eta: float,
    steps: int = 1000,
    tol: float = 1e-8,
    *,
    accelerate: bool = False,
    keep_path: bool = True,
) -> Descent:
    """θ ← θ − η ∂f/∂θ, until no slope exceeds `tol`.

    The slides stop when f no longer changes much; but with a small η it never changes much, so the slope decides here.

    accelerate: looks ahead along the last step before it asks for the slope, and forgets it where it leads uphill
        (Nesterov, 1983; O'Donoghue and Candès, 2015): the same place in about the square root of the steps.
    keep_path: keep every point.

    >>> bowl = descend(lambda x: float(x @ x), lambda x: 2 * x, start=[4.0], eta=0.25)
    >>> bowl.path[:4].ravel()
    array([4. , 2. , 1. , 0.5])
    """
    check("eta", eta, Real(above=0))
    check("steps", steps, Whole(1))
    theta = np.array(start, dtype=float)
    path, values, message = [theta], [float(f(theta))], ""
    ahead, moved, pace = theta, np.zeros_like(theta), 1.0
    converged = False
    with np.errstate(over="ignore", invalid="ignore"):
        while len(values) <= steps:
            slope = np.asarray(grad(ahead), dtype=float)
            if np.abs(slope).max(initial=0.0) <= tol:
                converged = True
                break
            after = ahead - eta * slope
            moved, theta = after - theta, after
            values.append(float(f(theta)))
            path[len(path) if keep_path else 1 :] = [theta]
            if not (np.isfinite(theta).all() and abs(values[-1]) <= DIVERGENCE_FACTOR * max(1.0, *map(abs, values[:2]))):
                message = (
                    f"eta = {eta:g} is too large: the value grew from {values[0]:.4g} to {values[-1]:.4g} in "
                    f"{len(values) - 1} steps. Try a smaller eta, such as {eta / 10:g}."
                )
                break
            ahead, pace = _look_ahead(theta, moved, slope, pace) if accelerate else (theta, 1.0)
    if converged and np.any(ahead != theta):  # the flat point found is the one ahead
        values.append(float(f(ahead)))
        path[len(path) if keep_path else 1 :] = [ahead]
    if converged:
        message = f"No slope exceeds {tol:g} after {len(values) - 1} steps."
    message = message or _explain_no_arrival(np.array(values), eta, accelerate)
    return Descent(np.array(path), np.array(values), eta, converged, message, f)


def _look_ahead(theta: np.ndarray, moved: np.ndarray, slope: np.ndarray, pace: float) -> tuple[np.ndarray, float]:
    """The point ahead along the last step, and the pace of the next one."""
    if float((slope * moved).sum()) > 0:  # the last step went uphill: begin anew
        return theta, 1.0
    faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
    return theta + (pace - 1) / faster * moved, faster


def _explain_no_arrival(values: np.ndarray, eta: float, accelerate: bool) -> str:
    """Why descent has not arrived: it overshoots, or it is slow. An accelerated one may rise on its way."""
    taken = len(values) - 1
    rises = int((np.diff(values[taken // 2 :]) > 0).sum())
    if 4 * rises > taken // 2 and not accelerate:
        return (
            f"eta = {eta:g} is too large: after {taken} steps the value still rises and falls, last at {values[-1]:.4g}. "
            f"Try a smaller eta, such as {eta / 10:g}."
        )
    return f"Still falling after {taken} steps, at {values[-1]:.4g}: take more steps, or try a larger eta than {eta:g}."
