"""A run as the page replays it: the log, the order of the examples, and what was learned.

The page adds tau y x of every update in the order of the log, with the same double-precision operations as the loop, so its
weights are those of `fit` bit for bit; it checks that against the weights sent along.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from rosenblatt.engine import order
from rosenblatt.playground.learners import PAGE_LEARNERS
from rosenblatt.playground.points import Points
from rosenblatt.playground.running import Run
from rosenblatt.theory.bounds import Bound, NoBound, ProblemGeometry, bound_for
from rosenblatt.theory.certificate import Certificate
from rosenblatt.theory.margin_report import FinishedRun, margin_report

PIECE = 2_000  # numbers, or rows of them, written at a time
SHOWN = 20_000  # examples whose order is sent along: stepping goes by example as far as that, then by update


def trace(made: Run) -> dict[str, Any]:
    """What the page needs: times as differences, a tau that never changes once."""
    table, log = made.table, made.log
    points = table.points
    steady = len(log.tau) > 0 and bool((log.tau == log.tau[0]).all())
    return {
        "points": points.x,
        "y": points.y,
        "names": points.names,
        "classes": points.classes,
        "columns": points.columns,
        "chosen": points.chosen,
        "scaled": None if table.mean is None else np.asarray(table.examples.rows.values, dtype=float),
        "mean": table.mean,
        "sd": table.sd,
        "bias": made.task.bias,
        "log": {
            "t": np.diff(log.t, prepend=0),
            "row": log.row,
            "tau": log.tau[0].item() if steady else log.tau,
        },
        "lived": log.lived(0, made.t),
        "order": shown_order(made),
        "examples": made.t,
        "epochs": [[epoch.examples, epoch.mistakes, epoch.updates] for epoch in made.history],
        "start": list(made.task.start),
        **learned(made),
        "stopped": made.stopped_because,
        "converged": made.converged,
        "certificate": certificate(made),
        "reached": margin_reached(made),
        "notes": made.notes,
    }


def as_json(value: Any) -> bytes:
    """The JSON of objects, arrays and whatever json itself writes.

    Arrays are written a piece at a time: their numbers as objects, all at once, would take ten times the room of the text.

    >>> as_json({"t": np.array([1, 2]), "points": np.array([[0.5, 1.0], [2.0, 3.0]]), "names": ["x₁"], "none": np.zeros(0)})
    b'{"t":[1,2],"points":[[0.5,1.0],[2.0,3.0]],"names":["x\\\\u2081"],"none":[]}'
    """
    return b"".join(_pieces(value))


def _pieces(value: Any) -> Iterator[bytes]:
    write = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
    if isinstance(value, dict):
        for place, (name, inner) in enumerate(value.items()):
            yield f"{',' if place else '{'}{write(name)}:".encode()
            yield from _pieces(inner)
        yield b"}" if value else b"{}"
    elif isinstance(value, np.ndarray):
        yield b"["
        for first in range(0, len(value), PIECE):
            yield (b"," if first else b"") + write(value[first : first + PIECE].tolist())[1:-1].encode()
        yield b"]"
    else:
        yield write(value).encode()


def learned(made: Run) -> dict[str, Any]:
    """The weights at the end; with a kernel the coefficient of every point."""
    if made.dual is not None:
        coefficients = np.zeros(len(made.table.points.y))
        coefficients[made.dual.support] = made.dual.coef[:, 0]
        kernel = {"degree": made.dual.space.kernel.degree, "offset": made.dual.space.kernel.offset}  # type: ignore[attr-defined]
        return {"kernel": kernel, "dual": coefficients}
    assert made.training is not None
    last, averaged = made.training.view("last"), made.training.view("averaged")
    return {
        "last": [*last.coef[0].tolist(), *last.intercept.tolist()],
        "averaged": [*averaged.coef[0].tolist(), *averaged.intercept.tolist()],
    }


def shown_order(made: Run) -> np.ndarray | None:
    """Which row each of the first examples was: whole epochs, as the run itself drew them; None: as given."""
    if made.task.order == "given":
        return None
    n, epochs = made.table.examples.rows.n, len(made.history)
    drawn = order.epochs(made.task.order, made.table.examples.pool(), made.task.seed)
    shown = islice(drawn, min(epochs, max(1, SHOWN // n)))
    return np.concatenate([np.empty(0, np.int64), *(epoch.copy() for epoch in shown)])  # each is drawn over the last


def margin_reached(made: Run) -> str | None:
    """The margin of the weights that predict beside the best, in a sentence; None with a kernel, which has no weights."""
    if made.training is None:
        return None
    view = "last" if PAGE_LEARNERS[made.task.learner].view == "last" else "averaged"
    report = margin_report(FinishedRun.of(made.training), (view, made.training.view(view)))
    return report.against(made.verdict).brief()


def sentence(found: Certificate, points: Points) -> str:
    """The certificate in words, about points and their classes.

    >>> from rosenblatt.playground.points import make
    >>> from rosenblatt.playground.requests import Data
    >>> from rosenblatt.theory.separability import certify
    >>> xor = make(Data("points", points=((0, 0, -1), (1, 1, -1), (0, 1, 1), (1, 0, 1)), classes=("same", "different")))
    >>> sentence(certify(xor.x, xor.y), xor)
    'no line can separate these points: a weighted mean of 2 points of same is also a weighted mean of 2 points of different'
    >>> apart = make(Data("points", points=((-1, 0, -1), (1, 0, 1))))
    >>> sentence(certify(apart.x, apart.y), apart)
    'a line separates these points, with margin 1: a perceptron makes at most 2 updates'
    """
    names = ("the negative class", "the positive class") if points.classes == Points.classes else points.classes
    return replace(found, classes=list(names)).sentence(first=1, row="point")


def certificate(made: Run) -> dict[str, Any]:
    """Whether a line separates the points, with the proof, and what the theorems then say about this learner."""
    found = made.verdict
    assert found is not None
    told = sentence(found, made.table.points)
    margin = found.margin if found.separable else None
    space = ProblemGeometry(found.radius, margin, from_zero=not any(made.task.start))
    theorem = NoBound("the theorem is about a line, and a kernel bends it") if made.dual else bound_for(made.rule, space)
    bound = theorem if isinstance(theorem, Bound) else None
    return {
        "separable": found.separable,
        "sentence": told[0].upper() + told[1:] + ".",
        "radius": found.radius,
        "margin": margin,
        "w": None if found.w is None or found.b is None else np.append(found.w, found.b).tolist(),
        "rows": [] if found.proof is None else found.proof.rows,
        "bound": None if bound is None else bound.most,
        "formula": None if bound is None else bound.formula,
        "counts": None if bound is None else bound.counts,
        "source": None if bound is None else bound.source,
        "none": None if isinstance(theorem, Bound) else theorem.because,
    }
