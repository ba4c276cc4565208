"""What a training run is asked for besides its rule: how often, in which order, until when; and, with a kernel, how."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt.engine.parameters import Choice, Flag, Real, Settings, Whole, parameter

METRIC_NAMES = (
    "error", "balanced-accuracy", "f1", "roc-auc", "average-precision", "log-loss", "brier-score", "calibration-error",
)  # fmt: skip
ORDERS = ("shuffled", "once", "given", "replacement", "blocks")
MULTICLASS = ("rival", "rest")
MIXES = ("uniform", "updates")  # how the weights of shards are mixed: all count alike, or by their updates


@dataclass(frozen=True)
class Plan(Settings):
    """How often, in which order, until when.

    Training stops at the first of: an epoch without updates (drawn with replacement: then a pass over all rows without
    any); a mean change |Δ(w, b)| per example below `tol`; `patience` epochs without a better held-out `metric`; `epochs`.

    With more than two classes a mistake-driven rule moves the right class and its rival, or, `multiclass="rest"`, every
    class as if it and the rest were two (Freund & Schapire, 1999), all in one pass over the same order; an update is an
    example that moved any. Two classes are one vector either way.
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
    metric: str = parameter("error", Choice(METRIC_NAMES), help="The held-out measure that patience watches.")
    multiclass: str = parameter(
        "rival", Choice(MULTICLASS), help="With more than two classes, each learns against its rival, or against the rest."
    )
    window: int | None = parameter(None, Whole(1, optional=True), help="Rows that are shuffled together; by default all.")


@dataclass(frozen=True)
class Design(Settings):
    """How the classes of kernel training share the rows, and how many rows there may be.

    multi_class: "one_rival" (an update adds to the right class and takes from its rival) or "ovr" (every class against the
        rest, each with a log of its own; they share the kernels). Two classes are one vector either way.
    budget: at most so many support examples. When one more is needed, the oldest goes: the one that came first into
        the sum, with all its coefficients, after the update that called for it. What has gone is forgotten, so there is
        no log.
    """

    multi_class: str = parameter("one_rival", Choice(("one_rival", "ovr")), help="Each class against its rival, or the rest")
    budget: int | None = parameter(None, Whole(1, optional=True), help="Most training examples kept, the newest")
