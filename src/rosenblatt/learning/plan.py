"""How often, in which order, until when: what a training run is asked for besides its rule."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt.engine.parameters import Choice, Flag, Real, Settings, Whole, parameter

ORDERS = ("shuffled", "once", "given", "replacement", "blocks")


@dataclass(frozen=True)
class Plan(Settings):
    """How often, in which order, until when.

    Training stops at the first of: an epoch without updates (drawn with replacement: then a pass over all rows without
    any); a mean change |Δ(w, b)| per example below `tol`; `patience` epochs without a lower held-out error; `epochs`.
    """

    epochs: int = parameter(10, Whole(1), help="Passes over the rows at most.")
    order: str = parameter("shuffled", Choice(ORDERS), help="Order of the examples.")
    seed: int = parameter(0, Whole(0), help="Of the order.")
    fit_intercept: bool = parameter(True, Flag(), help="Learn a bias.")
    average: bool = parameter(False, Flag(), help="Is the held-out error that of the averaged weights?")
    tol: float | None = parameter(None, Real(least=0, optional=True), help="Stop below this mean change per example.")
    patience: int | None = parameter(
        None, Whole(1, optional=True), help="Stop after so many epochs without a lower held-out error; keep the best."
    )
    keep_log: bool = parameter(False, Flag(), help="Record every update.")
