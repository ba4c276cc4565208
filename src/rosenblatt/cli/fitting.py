"""Rows for a model that is there already: do they fit, and what had to be overlooked in them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from rosenblatt.errors import DataError

if TYPE_CHECKING:
    from rosenblatt.classifier import Classifier
    from rosenblatt.data import Dataset
    from rosenblatt.features import Notes

NOTES = 10  # sentences said at most: a wide sparse file could have one for each of a million columns

REMEDIES = {
    "table": "Name a CSV, Parquet or Arrow file.",
    "text": "Pass --format lines for a text a line, --format text for a label, a tab and the text.",
    "sparse": "Pass --format libsvm if it is such a file.",
    "images": "Name an idx file of images.",
}


def refuse_other_kind(model: Classifier, data: Dataset) -> None:
    """A model of texts cannot read images; of a table it can read the column `text`."""
    if data.kind == model.kind or (model.kind == "text" and data.kind == "table" and "text" in data.rows.columns):
        return
    raise DataError(f"{data.name} was read as {data.kind}, the model has learned from {model.kind}. {REMEDIES[model.kind]}")


def refuse_folder(model: Classifier, file: str) -> None:
    """A folder holds texts: for another model it is not even looked into, however much is in it."""
    if model.kind != "text" and file != "-" and os.path.isdir(file):
        raise DataError(f"{file} is a folder, the model has learned from {model.kind}. {REMEDIES[model.kind]}")


def tell(notes: Notes) -> None:
    """Says on standard error what had to be overlooked."""
    said = notes.sentences()
    # The last sentence names all ignored columns and is never the one to leave out.
    shown = said if len(said) <= NOTES else [*said[: NOTES - 1], f"… and {len(said) - NOTES:,} more columns.", said[-1]]
    for sentence in shown:
        click.echo(f"note: {sentence}", err=True)
