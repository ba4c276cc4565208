"""--dask: workers of a cluster read the rows, and learn from them or label them; here are the weights, and the progress."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rosenblatt.cli import echo, model_input, options, print_reading_notes, tell
from rosenblatt.cli.progress import StatusLine
from rosenblatt.cli.stream_options import refuse_pipe
from rosenblatt.cluster.dask_tasks import cluster_at
from rosenblatt.cluster.job import FileSource, learn_on_cluster
from rosenblatt.cluster.scoring_files import MeasuredRows, add_up, measure_block, parts_in, predict_part
from rosenblatt.data import ReadOptions, read
from rosenblatt.data.reading import batches_of
from rosenblatt.errors import LabelError, counted
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.predicted import WantedColumns

if TYPE_CHECKING:
    from rosenblatt.cli.evaluate import EvaluateOptions
    from rosenblatt.cli.predict import PredictOptions
    from rosenblatt.cli.progress import TrainingTable
    from rosenblatt.cli.train import TrainOptions
    from rosenblatt.learning.classifier import Classifier
    from rosenblatt.learning.learn import Learned


def learn_on_dask(chosen: TrainOptions, recipe: Recipe, table: TrainingTable | None) -> Learned:
    """Trains on the cluster that is named; a checkpoint, where one is asked for, is written after every epoch."""
    from rosenblatt.cli.train import tell_of_classes

    if chosen.file == "-":
        raise click.UsageError("Workers read the file themselves, maybe twice: name one that all of them can see, not -.")
    assert chosen.dask is not None
    reading, status = ReadOptions(**chosen.read_keywords()), StatusLine(chosen.silent)
    held_out = None
    if chosen.dev is not None:
        start = next(batches_of(chosen.file, None, reading)).zero_based if reading.zero_based is None else reading.zero_based
        with model_input.target_from_training():
            held_out = read(chosen.dev, **{"as_text": True, **chosen.read_keywords(), "zero_based": start})
        print_reading_notes(held_out)
    watch = Callbacks(progress=table.update if table else None)
    if chosen.checkpoint or chosen.resume:
        checkpoints = chosen.checkpoints_of(recipe)
        checkpoints.due = lambda: True
        watch = replace(watch, checkpoints=checkpoints)
    with cluster_at(chosen.dask, chosen.workers, tell=tell) as tasks:
        tasks.on_progress = lambda done, every: status.show(f"{done:,} of {every:,} tasks", "tasks")
        learned = learn_on_cluster(FileSource(chosen.file, reading, tell=status.show), recipe, tasks, held_out, watch)
    status.end()
    if table:
        table.end()
    for sentence in learned.notes:
        tell(sentence)
    tell_of_classes(learned.classifier)
    if learned.held_out is not None:
        from rosenblatt.studies.cautions import about_measured, about_repeated

        rows, codes = learned.held_out.rows, learned.held_out.codes
        repeated = [] if learned.repeated is None else about_repeated(learned.repeated, rows.n)
        for sentence in (*repeated, *about_measured(learned.classifier, rows, codes)):
            tell(sentence, "warning")
    return learned


def predict_on_dask(chosen: PredictOptions, model: Classifier) -> None:
    """Predictions in a folder, one part a block of the file; it is there as a whole or not at all."""
    if chosen.output is None or chosen.output == "-":
        raise click.UsageError("Workers write one part each: name a folder for them with -o.")
    folder = Path(chosen.output).absolute()
    if folder.exists():
        raise click.UsageError(f"-o {chosen.output} is there already: name a folder that is not.")
    options.refuse_missing_folder(chosen.output)
    refuse_pipe(chosen.file, "workers read")
    source = FileSource(chosen.file, ReadOptions(**chosen.read_keywords(model)))
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        with cluster_at(str(chosen.dask), tell=tell) as tasks:
            parts = parts_in(beside, list(source.blocks(tasks)))
            wanted = WantedColumns(chosen.scores, chosen.proba)
            every = tasks.map(predict_part, parts, tasks.shared(model), wanted)
        beside.chmod(0o777 & ~current_umask())
        beside.rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    if not chosen.quiet:
        model_input.print_notes(sum(every[1:], every[0]))
        echo(f"{counted(len(parts), 'part')} in {chosen.output}", err=True)


def current_umask() -> int:
    """Which permissions new files are not given."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def measure_on_dask(chosen: EvaluateOptions, model: Classifier) -> MeasuredRows:
    """The confusion matrix of the rows of a file, from which all else follows, and what had to be overlooked in them."""
    from rosenblatt.cli.evaluate import labelled_rows

    model.refuse_numbers("evaluate --dask")
    refuse_pipe(chosen.file, "workers read")
    with labelled_rows(model, chosen.file, chosen) as reading, cluster_at(str(chosen.dask), tell=tell) as tasks:
        blocks = FileSource(chosen.file, reading).blocks(tasks)
        measured: MeasuredRows = tasks.reduce(measure_block, blocks, add_up, tasks.shared(model), chosen.unseen)
    if not measured.confusion.sum():
        raise LabelError(f"No label in {chosen.file} was seen in training.")
    return measured
