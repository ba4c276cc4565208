"""Rows of training that are set aside to measure on, for estimators that stop early."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from rosenblatt.engine import order
from rosenblatt.engine.parameters import Real, check
from rosenblatt.errors import SettingError
from rosenblatt.learning.examples import AnyExamples, Examples, RegressionExamples

E = TypeVar("E", Examples, RegressionExamples, AnyExamples)


def split(examples: E, fraction: float, seed: int) -> tuple[E, E]:
    """Sets a share of every class aside: (the rest, by importance 0 in place of a copy; the held-out rows, copied)."""
    check("validation_fraction", fraction, Real(above=0, below=1))
    pool = examples.pool()
    groups = [pool]
    if isinstance(examples, Examples):
        codes = examples.codes[pool]
        groups = [pool[codes == code] for code in np.unique(codes)]
    bits = order.random_bits(seed, order.SPLIT)
    held_out = np.zeros(examples.rows.n, dtype=bool)
    for group in groups:
        order.shuffle(group, bits)
        held_out[group[: round(fraction * len(group))]] = True
    if not held_out.any() or held_out[pool].all():
        raise SettingError(
            f"validation_fraction={fraction} of {len(pool)} rows leaves nothing to hold out, or to learn from."
        )
    importance = np.ones(examples.rows.n) if examples.importance is None else examples.importance
    rest = replace(examples, importance=np.where(held_out, 0.0, importance))
    return rest, examples.take(np.flatnonzero(held_out))
