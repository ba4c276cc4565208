"""Where a run came from, and how far it stepped: what is told of it besides its weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from rosenblatt.engine import rules
from rosenblatt.engine.weights import Weights
from rosenblatt.learning.examples import AnyExamples, Examples
from rosenblatt.learning.log import Log
from rosenblatt.learning.plan import Plan


@dataclass(frozen=True)
class Origin:
    """What a run came from, recorded with its log: not a copy of the rows, which must stay as they are."""

    examples: AnyExamples
    rule: rules.Rule
    plan: Plan
    start: Weights | None  # None: 0
    held_out: AnyExamples | None = None
    absent: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # rows left out of the order
    checksums: tuple[int, ...] = field(init=False)  # of the examples, and of those held out, as training began with them

    def __post_init__(self) -> None:
        object.__setattr__(self, "checksums", self.checksums_now())

    def checksums_now(self) -> tuple[int, ...]:
        return tuple(part.checksum() for part in (self.examples, self.held_out) if part is not None)

    @property
    def has_dual(self) -> bool:
        """Are the weights a sum over the log?"""
        every_class_moves = self.examples.vectors > 1 and (self.rule.moves_always or self.plan.multiclass == "rest")
        sums_rows = not (self.rule.shrinks or self.rule.second_order or every_class_moves)
        return isinstance(self.examples, Examples) and sums_rows


@dataclass(frozen=True)
class StepSum:
    """The steps of a run that are one tau each: how many, Σ tau, and the least; theory asks for them."""

    count: int = 0
    total: float = 0.0
    least: float = math.inf

    @classmethod
    def of(cls, log: Log) -> StepSum:
        """Of the updates of a log."""
        return cls(len(log), float(log.tau.sum()), float(log.tau.min(initial=math.inf)))
