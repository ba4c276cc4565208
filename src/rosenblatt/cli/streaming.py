"""train --stream: the rows of a file lie on disk while they are learned from."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli import model_input, options
from rosenblatt.learning.learners import Recipe

if TYPE_CHECKING:
    from rosenblatt.cli.progress import TrainingTable
    from rosenblatt.learning.learn import Learned, LearnedNumbers


def learn_from_disk(
    file: str, dev: str | None, recipe: Recipe, reading: dict[str, Any], table: TrainingTable | None
) -> Learned | LearnedNumbers:
    """Reads the rows in batches, and learns from what was written of them into a folder that is removed at once."""
    from rosenblatt.data import ReadOptions, batches, read
    from rosenblatt.learning.driver import Callbacks
    from rosenblatt.learning.stream import learn_stream, refuse_no_stream

    refuse_no_stream(recipe)
    held_out = None
    if dev is not None:
        zero_based = next(batches(file, rows=None, **reading)).zero_based
        reading = reading if zero_based is None else {**reading, "zero_based": zero_based}
        with model_input.target_from_training():
            held_out = read(dev, **{"as_text": True, **reading})
        options.print_reading_notes(held_out)
    # The files are gone with their folder; what is mapped stays until the process ends.
    with tempfile.TemporaryDirectory(prefix="rosenblatt-") as folder:
        callbacks = Callbacks(progress=table.update if table else None)
        learned = learn_stream(file, recipe, Path(folder), ReadOptions(**reading), held_out, callbacks)
    for sentence in learned.notes:
        options.tell(sentence)
    return learned
