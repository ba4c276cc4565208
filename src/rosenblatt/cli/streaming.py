"""train --stream: the rows of a file lie on disk while they are learned from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli import model_input, print_reading_notes, tell
from rosenblatt.cli.progress import ReadingLine
from rosenblatt.data import ReadOptions, batches, read
from rosenblatt.data.parts import files_named
from rosenblatt.data.reading import format_of
from rosenblatt.data.row_folder import folder_for_rows
from rosenblatt.engine.memory_size import memory_size
from rosenblatt.learning.learners import Recipe

if TYPE_CHECKING:
    from rosenblatt.cli.progress import TrainingTable
    from rosenblatt.cli.train import TrainOptions
    from rosenblatt.learning.learn import Learned, LearnedNumbers

MEMORY_SHARE = 1 / 4  # files that are larger than this share of it are held on disk
MAPPED = ("parquet", "arrow")  # formats that are not read byte after byte
ROWS_ON_DISK = ("libsvm", "vw", "text", "lines")  # formats without columns that can be


def streams_by_itself(chosen: TrainOptions, recipe: Recipe) -> bool:
    """Is the file so large, and nothing asked for that takes its rows in memory? Then a line says that they are on disk."""
    size, memory = bytes_of_all(chosen.file), memory_size()
    in_memory = (
        chosen.certify,
        chosen.keep_log,
        chosen.auto,
        recipe.with_kernel,
        recipe.votes,
    )
    if chosen.file == "-" or memory is None or size <= memory * MEMORY_SHARE or any(in_memory):
        return False
    format = format_of(chosen.file, ReadOptions(**chosen.read_keywords()))
    if format is None or not (format.has_columns or format.name in ROWS_ON_DISK):
        return False
    tell(
        f"{chosen.file} has {size / 1e9:,.2f} GB, more than a quarter of the {memory / 1e9:,.2f} GB of memory: its "
        "rows are held on disk, as with --stream."
    )
    return True


def bytes_of_all(file: str) -> int:
    """The size of what a path names: a file, a folder, or all files of a pattern."""
    return sum(bytes_of(name) for name in files_named(file))


def bytes_of(path: str) -> int:
    """The size of a file, or of the files in a folder."""
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())


def learn_from_disk(chosen: TrainOptions, recipe: Recipe, table: TrainingTable | None) -> Learned | LearnedNumbers:
    """Reads the rows in batches, and learns from what was written of them into a folder that is removed at once."""
    from rosenblatt.cli.train import watched
    from rosenblatt.learning.stream import DiskSource, learn_stream, refuse_no_stream

    file, dev, reading = chosen.file, chosen.dev, chosen.read_keywords()
    refuse_no_stream(recipe)
    held_out = None
    if dev is not None:
        zero_based = next(batches(file, rows=None, **reading)).zero_based
        reading = reading if zero_based is None else {**reading, "zero_based": zero_based}
        with model_input.target_from_training():
            held_out = read(dev, **{"as_text": True, **reading})
        print_reading_notes(held_out)
    # The files are gone with their folder; what is mapped stays until the process ends.
    with folder_for_rows() as folder, watched(chosen, recipe, table) as watch:
        cache = None if chosen.cache is None else Path(chosen.cache)
        format = format_of(file, ReadOptions(**reading))
        reading_line = ReadingLine(bytes_of_all(file), chosen.silent, format is None or format.name in MAPPED)
        read_options, watch_reading = ReadOptions(**reading), reading_line.show
        holdout = None if chosen.holdout is None else {"share": chosen.holdout, **chosen.split_keywords()}
        source = DiskSource(file, folder, read_options, cache, tell, watch_reading, holdout)
        learned = learn_stream(source, recipe, held_out, watch)
    for sentence in learned.notes:
        tell(sentence)
    if not learned.classifier.predicts_numbers:
        from rosenblatt.cli.train import tell_of_classes

        tell_of_classes(learned.classifier)
    if chosen.holdout is not None and not learned.classifier.predicts_numbers:
        from rosenblatt.studies.cautions import about_measured

        measured: Any = learned.held_out
        for sentence in about_measured(learned.classifier, measured.rows, measured.codes):
            tell(sentence, "warning")
    return learned
