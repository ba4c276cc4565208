"""Checkpoints of a run: what it takes to go on from there, and to end on the bits of a run that was never stopped.

A checkpoint is a file as models are: checked to the last bit, written whole or not at all, and synced. The one before it is
kept. It tells which rows and which settings it belongs to; the order of the rows follows from the seed. As with models, a
right checksum is no promise: what it holds is verified before anything of it reaches a run.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.parameters import AnyOf, Anything, Real, Whole
from rosenblatt.errors import ModelFileError, SaveError, SettingError
from rosenblatt.learning import model_file
from rosenblatt.learning.driver import Begin, Counts
from rosenblatt.learning.examples import Examples
from rosenblatt.learning.history import Epoch, History
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.model_schema import DOUBLE, EPOCH, LONG, SUMS, Tensor, verify_all
from rosenblatt.learning.schema import COUNT, ByName, ListOf, ObjectOf, SchemaError, Size, verify
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
        self._refuse_unwritable()
        if self.resume and self.path.exists():
            header, arrays = self._read()
            if "checkpoint" not in header:
                raise SettingError(f"{self.path} is a model, and no checkpoint: name another folder.")
            try:
                verify("checkpoint", header, HEADER)
                self._refuse_others(header, asdict(run.plan))
                verify_state(run, header, arrays)
            except SchemaError as wrong:
                raise ModelFileError(
                    f"{self.path}: the file is whole, but no checkpoint ({wrong}). {self._remedy()}"
                ) from None
            restore(run, header, arrays)

    def _refuse_unwritable(self) -> None:
        """Makes the folder, and refuses one that no checkpoint could be written into: now, and not when one is due."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder):
                pass
        except OSError as problem:
            raise SaveError(f"{self.folder} cannot hold checkpoints: {problem.strerror}; name another folder.") from None

    def _read(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """(header, arrays) of the last checkpoint; where it is damaged, the error names the one before."""
        try:
            return model_file.read(self.path)
        except ModelFileError as problem:
            raise ModelFileError(f"{problem} {self._remedy()}") from None

    def _remedy(self) -> str:
        previous = self.folder / PREVIOUS
        remedy = f"{previous} is the one before: rename it to {NAME}" if previous.exists() else "There is none before it"
        return f"{remedy}, or begin anew with --checkpoint."

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


def verify_state(run: MeasuredRun, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Refuses what is no state of this run."""
    number, n = header["number"], run.length(None)
    if number > run.plan.epochs or len(header["history"]) != number - 1:
        raise SchemaError(f"it is in epoch {number:,} of {run.plan.epochs:,}, after {len(header['history']):,}")
    if header["place"] > n:
        raise SchemaError(f"it is at example {header['place']:,} of {n:,}")
    if header["weights"]["scale"] <= 0 or header["weights"]["settled"] > header["weights"]["t"]:
        raise SchemaError("its sums do not belong to the weights")
    for name, kinds in TUPLES.items():
        verify(name, header[name], ListOf(Anything(), len(kinds), len(kinds)))
        for item, kind in zip(header[name], kinds, strict=True):
            verify(name, item, kind)
    declared = declared_arrays(run, arrays)
    unknown = arrays.keys() - declared.keys()
    if unknown:
        raise SchemaError(f"it has the unknown array {min(unknown)}")
    verify_all(declared, arrays)


def declared_arrays(run: MeasuredRun, arrays: dict[str, np.ndarray]) -> dict[str, Tensor]:
    """The arrays that a checkpoint of this run has, those included that it has only at times."""
    weights = run.weights
    wide, biases = Tensor(DOUBLE, (weights.vectors, weights.d)), Tensor(DOUBLE, (weights.vectors,))
    declared = {name: wide for name in ("w", "u", "sigma") if vars(weights)[name] is not None}
    declared |= dict.fromkeys(("bias", "bias_u", "bias_sigma", "bias_total"), biases)
    if "total" in arrays:
        declared["total"] = wide
    if "best.coef" in arrays:
        declared |= {"best.coef": wide, "best.intercept": biases}
    if isinstance(run.held_out, Examples) and run.held_out.classes is not None:
        epochs = sum(name.startswith("predicted.") for name in arrays)
        counts = Tensor(LONG, (len(run.held_out.classes),), 0)
        declared |= {f"predicted.{epoch}": counts for epoch in range(epochs)}
    return declared


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

NUMBER = AnyOf(Real(), Size())  # of any sign, or infinite
TUPLES = {
    "before": (COUNT, COUNT, Size()),  # as Counts has them
    "counts": (COUNT, COUNT, Size()),
    "steps": (COUNT, COUNT, NUMBER, NUMBER),
    "best": (Size(), COUNT, NUMBER),
}
HEADER = ObjectOf(
    {
        "checkpoint": Whole(1, 1),
        "plan": ByName(Anything()),  # equal to those of the run: `Checkpoints._refuse_others`
        "recipe": ByName(Anything()),
        "rows": ListOf(COUNT),
        "number": Whole(1),
        "place": COUNT,
        "still2": Real(least=0),
        "history": ListOf(EPOCH),
        "weights": SUMS,
        **dict.fromkeys(TUPLES, Anything()),  # by TUPLES
    }
)
