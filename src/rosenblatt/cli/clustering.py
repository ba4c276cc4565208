"""train --dask: workers of a cluster read the rows and learn from them; here are the weights, and the progress."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rosenblatt.cli import model_input, options
from rosenblatt.cli.progress import StatusLine
from rosenblatt.cluster.dask_tasks import cluster_at
from rosenblatt.cluster.job import FileSource, learn_on_cluster
from rosenblatt.data import ReadOptions, read
from rosenblatt.data.reading import batches_of
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.learners import Recipe

if TYPE_CHECKING:
    from rosenblatt.cli.progress import TrainingTable
    from rosenblatt.cli.train import TrainOptions
    from rosenblatt.learning.learn import Learned


def learn_on_dask(chosen: TrainOptions, recipe: Recipe, table: TrainingTable | None) -> Learned:
    """Trains on the cluster that is named; a checkpoint, where one is asked for, is written after every epoch."""
    if chosen.file == "-":
        raise click.UsageError("Workers read the file themselves, maybe twice: name one that all of them can see, not -.")
    assert chosen.dask is not None
    reading, status = ReadOptions(**chosen.read_keywords()), StatusLine(chosen.silent)
    held_out = None
    if chosen.dev is not None:
        start = next(batches_of(chosen.file, None, reading)).zero_based if reading.zero_based is None else reading.zero_based
        with model_input.target_from_training():
            held_out = read(chosen.dev, **{"as_text": True, **chosen.read_keywords(), "zero_based": start})
        options.print_reading_notes(held_out)
    watch = Callbacks(progress=table.update if table else None)
    if chosen.checkpoint or chosen.resume:
        checkpoints = chosen.checkpoints_of(recipe)
        checkpoints.due = lambda: True
        watch = replace(watch, checkpoints=checkpoints)
    with cluster_at(chosen.dask, chosen.workers) as tasks:
        tasks.told = lambda done, every: status.show(f"{done:,} of {every:,} tasks", "tasks")
        learned = learn_on_cluster(FileSource(chosen.file, reading, tell=status.show), recipe, tasks, held_out, watch)
    status.end()
    for sentence in learned.notes:
        options.tell(sentence)
    return learned
