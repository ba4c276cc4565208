"""Checkpoints of a run: what it takes to go on from there, and to end on the bits of a run that was never stopped.

A checkpoint is a file as models are: checked to the last bit, written whole or not at all, and synced. The one before it is
kept. It tells which rows and which settings it belongs to; the order of the rows follows from the seed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import ModelFileError, SettingError
from rosenblatt.learning import model_file
from rosenblatt.learning.driver import Begin, Counts
from rosenblatt.learning.history import Epoch, History
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.scoring import Model

if TYPE_CHECKING:
    from rosenblatt.learning.training import MeasuredRun

NAME, PREVIOUS = "checkpoint.rosenblatt", "previous.rosenblatt"


@dataclass
class Checkpoints:
    """Where checkpoints of one run are written, how often, and whether it goes on from the last."""

    folder: Path
    recipe: Recipe
    due: Callable[[], bool]  # is it time for one? Results do not depend on it
    resume: bool = False
    running: bool = False  # has the run begun?
    stop: bool = False  # asked for: write one, and stop
    written: int = 0
    _rows: list[int] = field(init=False, default_factory=list)  # checksums of the examples, and of those held out

    def __post_init__(self) -> None:
        refuse_no_checkpoints(self.recipe)

    @property
    def path(self) -> Path:
        return self.folder / NAME

    def begin(self, run: MeasuredRun) -> None:
        """Before the first example: goes to where the last checkpoint was written, if it is to."""
        self._rows = run.checksums()
        self.running = True
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.resume and self.path.exists():
            header, arrays = self._read()
            self._refuse_others(header, asdict(run.plan))
            restore(run, header, arrays)

    def _read(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """(header, arrays) of the last checkpoint; where it is damaged, the error names the one before."""
        try:
            return model_file.read(self.path)
        except ModelFileError as problem:
            previous = self.folder / PREVIOUS
            remedy = f"{previous} is the one before: rename it to {NAME}" if previous.exists() else "There is none before it"
            raise ModelFileError(f"{problem} {remedy}, or begin anew with --checkpoint.") from None

    def after_stretch(self, run: MeasuredRun, place: int) -> None:
        """After some examples: writes a checkpoint if it is time, and stops if that was asked for."""
        if not self.due() and not self.stop:
            return
        header, arrays = state_of(run, place)
        if self.path.exists():
            beside = self.folder / f"{PREVIOUS}.new"
            beside.unlink(missing_ok=True)
            os.link(self.path, beside)
            beside.replace(self.folder / PREVIOUS)
        model_file.write(self.path, {**header, "recipe": self.recipe.to_json(), "rows": self._rows}, arrays)
        self.written += 1
        if self.stop:
            raise KeyboardInterrupt

    def _refuse_others(self, header: dict[str, Any], plan: dict[str, Any]) -> None:
        """Refuses a checkpoint of other settings, or of other rows."""
        if "checkpoint" not in header:
            raise SettingError(f"{self.path} is a model, and no checkpoint: name another folder.")
        saved, now = header["recipe"] | header["plan"], self.recipe.to_json() | plan
        for name in sorted({*saved, *now}):
            if saved.get(name) != now.get(name):
                raise SettingError(
                    f"The checkpoint {self.path} is of a run in which {name} was {saved.get(name)!r}, and now it is "
                    f"{now.get(name)!r}: repeat the command as it was, or begin anew with --checkpoint."
                )
        if header["rows"] != self._rows:
            raise SettingError(
                f"The checkpoint {self.path} is of other rows: the file, or how it is read, has changed since. Begin anew "
                "with --checkpoint."
            )


def refuse_no_checkpoints(recipe: Recipe) -> None:
    """Refuses runs that cannot go on from a file."""
    if recipe.with_kernel or recipe.votes or recipe.keep_log:
        raise SettingError("A kernel, votes and a log hold rows that no checkpoint keeps: leave it out.")
    if recipe.tol is not None:
        raise SettingError("--tol (tol) watches a sum over the whole run, which no checkpoint keeps: leave it out.")


def state_of(run: MeasuredRun, place: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(header, arrays) of a run that has reached this place of its epoch."""
    outcome, weights = run.outcome, vars(run.weights)
    arrays = {name: np.ascontiguousarray(weights[name]) for name in ARRAYS if weights[name] is not None}
    if outcome.best is not None:
        arrays |= {"best.coef": np.ascontiguousarray(outcome.best.coef), "best.intercept": outcome.best.intercept}
    arrays |= {f"predicted.{k}": np.asarray(counts, np.int64) for k, counts in enumerate(outcome.held_out_predicted)}
    header = {
        "checkpoint": 1,
        "plan": asdict(run.plan),
        "number": run.number,
        "place": place,
        "before": list(run.counts_before),
        "counts": list(run.counts()),
        "steps": list(run.steps()),
        "still2": float(run.still2),
        "history": [asdict(epoch) for epoch in outcome.history],
        "weights": {name: weights[name] for name in COUNTS},
        "best": [outcome.best_error, outcome.best_epoch, run.best_loss],
    }
    return header, arrays


def restore(run: MeasuredRun, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Puts a run that has not begun where another was."""
    weights, outcome = run.weights, run.outcome
    for name in ARRAYS:
        if name in ("total", "bias_total"):
            vars(weights)[name] = arrays.get(name)
        elif name in arrays:
            vars(weights)[name][...] = arrays[name]
    vars(weights).update(header["weights"])
    weights.norm2 = None
    run.go_on(
        Begin(header["number"], header["place"], Counts(*header["before"])), Counts(*header["counts"]), header["steps"]
    )
    run.still2 = header["still2"]
    outcome.history = History([Epoch(**epoch) for epoch in header["history"]])
    outcome.best_error, outcome.best_epoch, run.best_loss = header["best"]
    if "best.coef" in arrays:
        outcome.best = Model(outcome.classes, arrays["best.coef"], arrays["best.intercept"])
    predicted = [name for name in arrays if name.startswith("predicted.")]
    outcome.held_out_predicted = [arrays[f"predicted.{k}"] for k in range(len(predicted))]


ARRAYS = ("w", "u", "sigma", "bias", "bias_u", "bias_sigma", "total", "bias_total")
COUNTS = ("scale", "weight", "t", "settled", "updates", "largest")
