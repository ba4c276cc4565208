"""What a model makes of files, block by block: predictions in one part a block, or what they amount to."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rosenblatt.cluster.blocks import AnyBlock
from rosenblatt.data.dataset import told_once
from rosenblatt.data.source import replacing
from rosenblatt.errors import DataError, SaveError
from rosenblatt.features import Notes
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.examples import codes_among, labels_of
from rosenblatt.learning.predicted import WantedColumns


@dataclass(frozen=True)
class OutputPart:
    """A block, and the file that its predictions go to."""

    block: AnyBlock
    path: str


def parts_in(folder: Path, blocks: list[AnyBlock]) -> list[OutputPart]:
    """A file a block, numbered in the order of the rows."""
    return [OutputPart(block, os.fspath(folder / f"part-{number:05}.csv")) for number, block in enumerate(blocks)]


def predict_part(part: OutputPart, model: Classifier, wanted: WantedColumns) -> Notes:
    """Writes the predictions of a block, all or nothing: to write them again gives the same bytes."""
    data = part.block.read()
    if data.rows is None:
        write_part(part.path, b"prediction\n")
        return Notes()
    try:
        rows, notes = model.transform(data.rows)
        scores = model.model().scores(rows)
    except DataError as problem:
        raise DataError(f"{part.block.path}, {Path(part.path).stem}: {problem}") from None
    write_part(part.path, wanted.frame(model, scores, model.classes.tolist()).write_csv().encode())
    return notes


def write_part(path: str, content: bytes) -> None:
    """Writes a part as a whole; a disk that is full is named, and is no end of the cluster."""
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as problem:
        raise SaveError(f"{path} was not written: {problem.strerror}; write to another place.") from None


@dataclass(frozen=True)
class MeasuredRows:
    """What a model makes of labelled rows: how often each class (rows) was taken for each (columns)."""

    confusion: np.ndarray
    left_out: int = 0  # rows with labels that training never saw
    notes: Notes = field(default_factory=Notes)  # what of the rows had to be overlooked
    about_files: tuple[str, ...] = ()  # what was assumed while they were read


def measure_block(block: AnyBlock, model: Classifier, unseen: str) -> MeasuredRows:
    """The rows of a block."""
    k = len(model.classes)
    nothing = np.zeros((k, k), dtype=np.int64)
    data = block.read()
    if data.rows is None:
        return MeasuredRows(nothing)
    if unseen == "skip" and (codes_among(model.classes, labels_of(data)) < 0).all():  # others may have labels to measure
        return MeasuredRows(nothing, len(data), about_files=data.notes)
    examples, notes, kept = model.examples(data, unseen)
    predicted = model.model().decide(model.model().scores(examples.rows))
    confusion = np.bincount(examples.codes * k + predicted, minlength=k * k).reshape(k, k)
    return MeasuredRows(confusion, len(data) - len(kept), notes, data.notes)


def add_up(a: MeasuredRows, b: MeasuredRows) -> MeasuredRows:
    about_files = told_once((*a.about_files, *b.about_files))
    return MeasuredRows(a.confusion + b.confusion, a.left_out + b.left_out, a.notes + b.notes, about_files)
