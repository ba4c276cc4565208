"""A saved model and the rows for it: are they of its kind, and what had to be overlooked in them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rosenblatt.cli import echo
from rosenblatt.errors import DataError, FileError, ModelFileError, TargetError

if TYPE_CHECKING:
    from rosenblatt.data import Dataset
    from rosenblatt.features import Notes
    from rosenblatt.learning.classifier import Classifier

NOTES_SHOWN = 10  # sentences at most: a wide sparse file could have one for each of a million columns

KIND_NAMES = {"table": "a table", "text": "texts", "sparse": "sparse numbers", "images": "images"}
KIND_REMEDIES = {
    "table": "Name a CSV, Parquet or Arrow file.",
    "text": "Pass --format lines for a text a line, --format text for a label, a tab and the text.",
    "sparse": "Pass --format libsvm if it is such a file.",
    "images": "Name an idx file of images.",
}


def load_classifier(model: str, file: str, verb: str) -> Classifier:
    """The model to use with the rows of a file, where it has classes, as the verb needs."""
    classifier = load_model(model, file)
    classifier.refuse_numbers(verb)
    return classifier


def load_model(model: str, file: str | None = None) -> Classifier:
    """The model to use with the rows of a file; says so where the two were named in the wrong order."""
    from rosenblatt.learning.loading import load

    if model in ("", "-"):
        what = "its name is empty" if not model else "it cannot come from standard input"
        raise ModelFileError(f"There is no model: {what}; name a file that `rosenblatt train` wrote.")
    try:
        return load(model)
    except ModelFileError as problem:
        if file is None or is_model_file(model) or not is_model_file(file):
            raise
        raise ModelFileError(f"{model} is not a model, but {file} is: name the model first, then the rows.") from problem


def is_model_file(path: str) -> bool:
    """Whether a file begins as model files do."""
    from rosenblatt.data.source import MODEL

    if not os.path.isfile(path):
        return False
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read(100).startswith(MODEL, 8)
    return False


def refuse_other_kind(model: Classifier, data: Dataset) -> None:
    """A model of texts cannot read images. Of a table it can read the column `text`; an estimator, the columns it names."""
    from rosenblatt.features import NumbersMap

    if data.kind == model.kind or (model.kind == "text" and data.kind == "table" and "text" in data.rows.columns):
        return
    if data.kind == "table" and isinstance(model.features, NumbersMap) and model.features.column_names:
        return
    kinds = f"was read as {KIND_NAMES[data.kind]}, the model has learned from {KIND_NAMES[model.kind]}"
    raise DataError(f"{data.name} {kinds}. {KIND_REMEDIES[model.kind]}")


@contextlib.contextmanager
def target_from_training() -> Iterator[None]:
    """The column to predict is one that training had: a file without it is bad data, and no wrong option."""
    try:
        yield
    except TargetError as problem:
        raise FileError(str(problem)) from problem


def refuse_folder(model: Classifier, file: str) -> None:
    """A folder holds texts: for another model it is not even looked into, however much is in it."""
    if model.kind != "text" and file != "-" and os.path.isdir(file) and not (model.kind == "table" and holds_tables(file)):
        raise DataError(
            f"{file} is a folder, the model has learned from {KIND_NAMES[model.kind]}. {KIND_REMEDIES[model.kind]}"
        )


def holds_tables(folder: str) -> bool:
    """Are the files of a folder parts of a table?"""
    from rosenblatt.data import ReadOptions
    from rosenblatt.data.parts import table_parts

    return table_parts(folder, ReadOptions()) is not None


def print_notes(notes: Notes) -> None:
    """Prints on standard error what had to be overlooked."""
    sentences = notes.sentences()
    if (others := len(sentences) - NOTES_SHOWN) > 0:
        # The last sentence names all ignored columns and is never the one to leave out.
        sentences = [*sentences[: NOTES_SHOWN - 1], f"… and {others:,} more columns.", sentences[-1]]
    for sentence in sentences:
        echo(f"note: {sentence}", err=True)
