"""Rows that are set aside to measure on: for estimators that stop early, and which of them have a class to measure."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from rosenblatt.data.dataset import Dataset
from rosenblatt.engine import order
from rosenblatt.engine.parameters import Real, check
from rosenblatt.errors import LabelError, SettingError, counted
from rosenblatt.learning.examples import AnyExamples, Examples, RegressionExamples, classes_of, codes_among, labels_of

INSTEAD_OF_IDS = "Predict another column (--target) or, if these are quantities, numbers (--task numbers)."

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


def with_known_classes(held_out: Dataset, learned: Dataset) -> tuple[Dataset, str | None]:
    """The held-out rows whose class has rows to learn from, too, and what is told of the others.

    >>> import polars as pl
    >>> fruit = pl.Series("fruit", ["fig", "fig", "plum", "nut"])
    >>> rows = Dataset("table", pl.DataFrame({"size": [1.0, 2.0, 3.0, 4.0]}), fruit, "fruit")
    >>> some, told = with_known_classes(rows.take([1, 2, 3]), rows.take([0]))
    >>> print(len(some), told)
    1 2 held-out rows are not measured on, as no row of their class is left to learn from: nut, plum.
    """
    known = codes_among(classes_of(labels_of(learned)), labels_of(held_out)) >= 0
    if known.all():
        return held_out, None
    absent = classes_of(labels_of(held_out.take(np.flatnonzero(~known))))
    names = ", ".join(map(str, absent[:5])) + (" …" if len(absent) > 5 else "")
    if not known.any():
        raise LabelError(
            f"{held_out.name}: no held-out row has a class of which rows are left to learn from: {names}. IDs and names "
            f"have a class a row. {INSTEAD_OF_IDS}"
        )
    rows = int((~known).sum())
    verb, whose = ("is", "its") if rows == 1 else ("are", "their")
    return held_out.take(np.flatnonzero(known)), (
        f"{counted(rows, 'held-out row')} {verb} not measured on, as no row of {whose} class is left to learn from: {names}."
    )
