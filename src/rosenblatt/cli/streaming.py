"""train --stream: the rows of a file lie on disk while they are learned from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli import model_input, options
from rosenblatt.learning.learners import Recipe

if TYPE_CHECKING:
    from rosenblatt.cli.progress import TrainingTable
    from rosenblatt.data import Dataset
    from rosenblatt.learning.learn import Learned


def learn_from_disk(
    file: str, dev: str | None, recipe: Recipe, reading: dict[str, Any], table: TrainingTable | None
) -> Learned:
    """Reads the rows twice, in batches, and learns from what was written of them into a folder that is removed at once."""
    from rosenblatt.data import batches, read
    from rosenblatt.learning.driver import Callbacks
    from rosenblatt.learning.stream import learn_stream, refuse_no_stream

    refuse_no_stream(recipe)
    zero_based = next(batches(file, rows=None, **reading)).zero_based
    if zero_based is not None:  # to find out takes a look at all of the file, and once is enough
        reading = {**reading, "zero_based": zero_based}

    def every_batch() -> Iterator[Dataset]:
        for data in batches(file, rows=None, **reading):
            options.print_reading_notes(data)
            yield data

    held_out = None
    if dev is not None:
        with model_input.target_from_training():
            held_out = read(dev, **{"as_text": True, **reading})
    # The files are gone with their folder; what is mapped stays until the process ends.
    with tempfile.TemporaryDirectory(prefix="rosenblatt-") as folder:
        callbacks = Callbacks(progress=table.update if table else None)
        learned = learn_stream(every_batch, recipe, Path(folder), held_out, callbacks)
    for sentence in learned.notes:
        options.tell(sentence)
    return learned
