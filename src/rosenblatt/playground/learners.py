"""The registry of learners as the page reads it: a JavaScript module, written once when the server starts.

The names of fields are those of the address; `name` is what the server and the library call the parameter.
"""

from __future__ import annotations

import json
from typing import Any

from rosenblatt.engine.parameters import Choice, Parameter, Range, Real, Whole
from rosenblatt.engine.rules import OF_SGD
from rosenblatt.learning.learners import ALL_LEARNERS, KERNEL, Learner

PAGE_DEGREE = Parameter("degree", 2, Whole(1, 8), "Degree of the kernel")
NOT_REPLAYED = ("l2", "power")  # the page adds up steps, and shrinks nothing; nor has it the rates of others' SGD
LEAST_NUMBER, MOST_NUMBER = 1e-6, 1e6  # of numbers without a limit of their own
LIMIT_GAP = 1e-3  # how far from a limit that may not be reached


def page_parameters(learner: Learner) -> dict[str, Parameter]:
    """What can be set on the page, by field; a kernel learns by the perceptron's rule as it is."""
    if learner is KERNEL:
        return {PAGE_DEGREE.name: PAGE_DEGREE}
    return {field: one for field, one in learner.rule.declared().items() if field not in NOT_REPLAYED}


def page_range(one: Parameter) -> Range:
    """What the page lets a parameter be: numbers have limits on both sides, and none may be left open."""
    if isinstance(one.allowed, Whole):
        return Whole(one.allowed.least, one.allowed.most or int(MOST_NUMBER))
    if isinstance(one.allowed, Real):
        least = LEAST_NUMBER if one.allowed.above == 0 else one.allowed.least or 0.0
        most = MOST_NUMBER if one.allowed.most is None else one.allowed.most
        return Real(least=least, most=most if one.allowed.below is None else one.allowed.below - LIMIT_GAP)
    if isinstance(one.allowed, Choice):
        return Choice(tuple(name for name in one.allowed.names if name not in OF_SGD))
    return one.allowed


def as_javascript() -> bytes:
    """`learners.js`: every learner with its label, its class in Python, whose weights predict, and its parameters."""
    learners = {name: described(learner) for name, learner in ALL_LEARNERS.items()}
    listed = json.dumps(learners, ensure_ascii=False, indent=1)
    return f"// The registry of learners: served from learning/learners.py.\n\nexport const LEARNERS = {listed};\n".encode()


def described(learner: Learner) -> dict[str, Any]:
    label = learner.label
    return {
        "label": label[0].upper() + label[1:],
        "estimator": learner.estimator,
        "rule": learner.rule.name,
        "view": learner.view,
        "kernel": learner is KERNEL,
        "additive": learner.rule.name == "perceptron",  # every update is one whole example
        "movesAlways": learner.rule.moves_always,
        "secondOrder": learner.rule.second_order,
        "parameters": {field: control(one) for field, one in page_parameters(learner).items()},
    }


def control(one: Parameter) -> dict[str, Any]:
    """A parameter for a control of the page; without a default the learner chooses its own."""
    facts: dict[str, Any] = {"name": one.name, "title": one.help, "initial": one.default}
    allowed = page_range(one)
    if isinstance(allowed, Choice):
        return facts | {"choices": allowed.names}
    assert isinstance(allowed, Whole | Real)
    return facts | {"least": allowed.least, "most": allowed.most, "whole": isinstance(allowed, Whole)}
