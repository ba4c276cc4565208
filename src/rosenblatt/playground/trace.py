"""A run as the page replays it: the log, the order of the examples, and what was learned.

The page adds tau y x of every update (of AROW tau y Σx) in the order of the log, with the same double-precision operations
as the loop, so its weights are those of `fit` bit for bit; it checks that against the weights sent along.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.learning.learners import ALL_LEARNERS
from rosenblatt.learning.scoring import decide
from rosenblatt.playground.points import Points
from rosenblatt.playground.running import TaskRun, drawn_order, scores_after
from rosenblatt.theory.bounds import Bound, NoBound, ProblemGeometry, bound_for
from rosenblatt.theory.certificate import Certificate
from rosenblatt.theory.margin_report import FinishedRun, margin_report

JSON_PIECE = 2_000  # numbers, or rows of them, written at a time
KERNEL_PRODUCTS = 2e7  # of held-out points with the sum after every epoch
VIEWS = ("last", "averaged")
ORDER_SHOWN = 20_000  # examples whose order is sent along: stepping goes by example as far as that, then by update


def trace(run: TaskRun) -> dict[str, Any]:
    """What the page needs: times as differences, a tau that never changes once."""
    table, log = run.table, run.log
    points = table.points
    steady = len(log.tau) > 0 and bool((log.tau == log.tau[0]).all())
    return {
        "points": points.x,
        "y": points.y,
        "names": points.names,
        "classes": points.classes,
        "letters": points.letters,
        "vectors": run.vectors,
        "features": run.task.features,
        "heldOut": np.setdiff1d(np.arange(len(points.y)), table.learned),
        "heldOutErrors": held_out_errors(run),
        "learner": run.task.learner,
        "parameters": dict(run.task.parameters),
        "columns": points.columns,
        "chosen": points.chosen,
        "scaled": None if table.mean is None else np.asarray(table.plane, dtype=float),
        "mean": table.mean,
        "sd": table.sd,
        "bias": run.task.bias,
        "log": {
            "t": np.diff(log.t, prepend=0),
            "row": log.row,
            "tau": log.tau[0].item() if steady else log.tau,
            **({"rival": log.rival} if run.vectors > 1 else {}),
        },
        "lived": log.lived(0, run.t),
        "order": shown_order(run),
        "examples": run.t,
        "epochs": [[epoch.examples, epoch.mistakes, epoch.updates] for epoch in run.history],
        "start": list(run.task.start),
        "r": getattr(run.rule, "r", None),  # of AROW: how its Σ shrinks
        **learned(run),
        "stopped": run.stopped_because,
        "converged": run.converged,
        "certificate": certificate_facts(run),
        "reached": margin_reached(run),
        "notes": run.notes,
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
        for first in range(0, len(value), JSON_PIECE):
            yield (b"," if first else b"") + write(value[first : first + JSON_PIECE].tolist())[1:-1].encode()
        yield b"]"
    else:
        yield write(value).encode()


def learned(run: TaskRun) -> dict[str, Any]:
    """The weights at the end; with a kernel the coefficient of every point."""
    if run.dual is not None:
        coefficients = np.zeros((len(run.table.points.y), run.vectors))
        coefficients[run.dual.support] = run.dual.coef
        kernel = {"degree": run.dual.space.kernel.degree, "offset": run.dual.space.kernel.offset}  # type: ignore[attr-defined]
        return {"kernel": kernel, "dual": coefficients[:, 0] if run.vectors == 1 else coefficients}
    assert run.training is not None
    return {name: as_weights(run.training.view(name).coef, run.training.view(name).intercept) for name in VIEWS}


def as_weights(coef: np.ndarray, intercept: np.ndarray | float) -> list[Any]:
    """Weights as the page has them: w and then b in one list; with more than two classes one such list a class."""
    lists: list[list[float]] = np.column_stack([np.atleast_2d(coef), np.atleast_1d(intercept)]).tolist()
    return lists[0] if len(lists) == 1 else lists


def held_out_errors(run: TaskRun) -> list[list[float]] | None:
    """The share of held-out points that the last and the averaged weights have wrong after every epoch."""
    held_out = run.table.held_out
    if held_out is None:
        return None
    if run.dual is not None:
        ends = np.cumsum(run.history["examples"]).tolist()
        if len(ends) * len(run.dual.support) * held_out.rows.n > KERNEL_PRODUCTS:
            return None
        scores = (scores_after(run, "last", end, np.asarray(held_out.rows.values)) for end in ends)
        return [[float((decide(one) != held_out.codes).mean())] * 2 for one in scores]
    errors = zip(run.history["held_out_last"].tolist(), run.history["held_out_averaged"].tolist(), strict=True)
    return [list(pair) for pair in errors]


def shown_order(run: TaskRun) -> np.ndarray | None:
    """Which row each of the first examples was: whole epochs, as the run itself drew them; None: as given."""
    if run.task.order == "given":
        return None
    epochs = min(len(run.history), max(1, ORDER_SHOWN // len(run.table.learned)))
    return np.concatenate([np.empty(0, np.int64), *drawn_order(run, epochs)])


def margin_reached(run: TaskRun) -> str | None:
    """The margin of the weights that predict beside the best, in a sentence; None with a kernel, which has no weights."""
    if run.training is None:
        return None
    view = "last" if ALL_LEARNERS[run.task.learner].view == "last" else "averaged"
    report = margin_report(FinishedRun.of(run.training), (view, run.training.view(view)))
    return report.against(run.certificate).brief()


def sentence(certificate: Certificate, points: Points) -> str:
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
    return replace(certificate, classes=list(names)).sentence(first=1, row="point")


def about_boundaries(words: str, run: TaskRun) -> str:
    """The verdict of more classes, or of features beside x₁ and x₂: a plane of theirs is a curve in the picture."""
    curved, many = bool(run.task.features), run.vectors > 1
    if many:
        words = words.replace("a line separates", f"{'curved' if curved else 'straight'} boundaries separate", 1)
        return words.replace("no line", f"no {'curved' if curved else 'straight'} boundaries", 1)
    return re.sub("^(a|no) line", r"\1 curve of these features", words) if curved else words


def certificate_facts(run: TaskRun) -> dict[str, Any]:
    """Whether a line separates the points, with the proof, and what the theorems then say about this learner."""
    certificate = run.certificate
    assert certificate is not None
    proof = [] if certificate.proof is None else run.table.learned[certificate.proof.rows].tolist()
    if certificate.proof is not None and certificate.proof.kind == "identical rows":
        certificate = replace(certificate, proof=replace(certificate.proof, rows=proof))  # numbered as all points are
    words = about_boundaries(sentence(certificate, run.table.points), run)
    margin = certificate.margin if certificate.separable else None
    space = ProblemGeometry(certificate.radius, margin, max(2, run.vectors), from_zero=not any(run.task.start))
    theorem = NoBound("the theorem is about a line, and a kernel bends it") if run.dual else bound_for(run.rule, space)
    bound = theorem if isinstance(theorem, Bound) else None
    return {
        "separable": certificate.separable,
        "sentence": words[0].upper() + words[1:] + ".",
        "radius": certificate.radius,
        "margin": margin,
        "w": None if certificate.w is None or certificate.b is None else as_weights(certificate.w, certificate.b),
        "rows": proof,
        "bound": None if bound is None else bound.most,
        "formula": None if bound is None else bound.formula,
        "counts": None if bound is None else bound.counts,
        "source": None if bound is None else bound.source,
        "none": None if isinstance(theorem, Bound) else theorem.because,
    }
