"""Scores over a grid of the plane, where they are not linear: votes, and sums of kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rosenblatt.learning.kernel.model import View
from rosenblatt.learning.training import model_of
from rosenblatt.learning.votes import Voter
from rosenblatt.playground.requests import Grid
from rosenblatt.playground.running import TaskRun

CACHED_PRODUCTS, LEAST_CELLS = 2**18, 64  # of cells with rows of the log at a time; cells


def grid_scores(run: TaskRun, grid: Grid) -> np.ndarray:
    """Scores row by row from the top, after so many examples: w·x + b, Σ α K, or votes as a share of all, −1 to 1."""
    left, right, bottom, top = grid.box
    across = left + (np.arange(grid.columns) + 0.5) * (right - left) / grid.columns
    down = top - (np.arange(grid.rows) + 0.5) * (top - bottom) / grid.rows
    cells = np.stack([np.tile(across, grid.rows), np.repeat(down, grid.columns)], axis=1)
    seen = min(grid.examples, run.t)
    scores = scores_after(run, grid.view, seen, cells)
    largest = float(np.abs(scores).max(initial=0))
    # Three digits are more than a colour shows; a small answer is a quick one.
    return np.round(scores / largest if largest > 0 else scores, 3)


def scores_after(run: TaskRun, view: str, seen: int, cells: np.ndarray) -> np.ndarray:
    """The scores of cells by the weights that the run had after so many examples."""
    if seen == 0 and (run.dual is not None or view == "voted"):
        return np.zeros(len(cells))
    if run.dual is not None:
        return run.dual.scorer(View(view, after=seen)).scores(cells)
    assert run.training is not None
    memory = replace(run.training.memory(), last=seen)
    memory.log = memory.log.until(seen)
    if view == "voted":
        assert run.training.classes is not None
        # In parts whose products with the rows of the log stay in the cache, which is faster and holds little.
        voter, height = Voter(run.training.classes, memory), max(LEAST_CELLS, CACHED_PRODUCTS // max(1, memory.rows.n))
        return np.concatenate([voter.scores(cells[top : top + height]) for top in range(0, len(cells), height)])
    return model_of(memory.replay(), run.training.classes, view).scores(cells)
