"""The class code of every row where labels lie in a file: made block by block, and in a file as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.coded import CodedTexts
from rosenblatt.engine.file_arrays import array_in_file, blocks, empty_beside
from rosenblatt.engine.rows import Rows
from rosenblatt.learning.examples import Examples, class_factors, classes_of, codes_among, is_text, match_lengths

if TYPE_CHECKING:
    from rosenblatt.data.dataset import Labels


def classes_of_blocks(labels: Labels) -> np.ndarray:
    """The sorted classes."""
    if is_text(labels):
        return classes_of(labels)
    return classes_of(np.concatenate([classes_of(block) for _, block in label_blocks(labels)]))


def codes_in_file(classes: np.ndarray, labels: Labels) -> np.ndarray:
    """The place of each label among the classes."""
    codes = array_in_file(len(labels), np.int32)
    for part, block in label_blocks(labels):
        codes[part] = codes_among(classes, block)
    return codes


def label_blocks(labels: Labels) -> Iterator[tuple[slice, Any]]:
    """The labels, some at a time, and where they stand."""
    for part in blocks(len(labels)):
        if isinstance(labels, CodedTexts):
            yield part, labels.slice(part.start, part.stop - part.start)
        else:
            yield part, np.array(labels[part])  # a copy: of what is in a file, blocks would be made again


def examples_of(rows: Rows, codes: np.ndarray, classes: int, class_weight: Any = None) -> Examples:
    """Examples of so many classes, all of which occur among the codes; what classes weigh is given by code."""
    match_lengths(rows, codes, "labels")
    every, counts = np.arange(classes), None
    if isinstance(class_weight, str):
        counts = np.sum([np.bincount(codes[part], minlength=classes) for part in blocks(len(codes))], axis=0)
    factors = class_factors(class_weight, every, counts)
    if factors is None:
        return Examples(rows, codes, every)
    importance = empty_beside(codes, len(codes), np.float64)
    for part in blocks(len(codes)):
        importance[part] = factors[codes[part]]
    return Examples(rows, codes, every, importance=importance)
