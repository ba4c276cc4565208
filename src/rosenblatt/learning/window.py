"""How many rows on disk are shuffled together: all where memory holds them, else a window of neighbouring blocks."""

from __future__ import annotations

from dataclasses import replace

from rosenblatt.engine.memory_size import memory_size
from rosenblatt.engine.rows import Rows
from rosenblatt.learning.examples import AnyExamples
from rosenblatt.learning.learners import Recipe

OF_MEMORY = 4  # a window takes this part of it; rows that take twice as much are shuffled as a whole


def with_window(recipe: Recipe, examples: AnyExamples, memory: int | None = None) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe with a window, where one is needed and none was asked for, and what is to be told about it."""
    if recipe.order != "shuffled":
        return recipe, ()
    n, size, memory = examples.rows.n, size_of(examples.rows), memory or memory_size()
    notes = []
    if recipe.window is None and memory is not None and size > memory / 2:
        recipe = replace(recipe, window=max(1, int(n * memory / OF_MEMORY / size)))
        notes.append(
            f"the {n:,} rows take {size / 1e9:,.1f} GB and are shuffled within windows of {recipe.window:,}, not as a "
            f"whole, to fit into memory (--window {n} shuffles all)."
        )
    if recipe.window is not None and recipe.window >= n:
        recipe = replace(recipe, window=None)  # as in memory, and as model files always said it
    return recipe, tuple(notes)


def size_of(rows: Rows) -> int:
    """Bytes of the arrays."""
    return sum(array.nbytes for array in rows.arrays)
