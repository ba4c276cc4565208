"""What a model makes of files, block by block: predictions in one part a block, or what they amount to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rosenblatt.cluster.blocks import AnyBlock
from rosenblatt.data.source import replacing
from rosenblatt.errors import DataError, SaveError
from rosenblatt.features import Notes
from rosenblatt.learning.classifier import Classifier
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


def confusion_of(block: AnyBlock, model: Classifier, unseen: str) -> np.ndarray:
    """How often each class of a block (rows) was taken for each (columns)."""
    k = len(model.classes)
    data = block.read()
    if data.rows is None:
        return np.zeros((k, k), dtype=np.int64)
    examples, _, _ = model.examples(data, unseen)
    predicted = model.model().decide(model.model().scores(examples.rows))
    return np.bincount(examples.codes * k + predicted, minlength=k * k).reshape(k, k)


def add_up(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a + b)
