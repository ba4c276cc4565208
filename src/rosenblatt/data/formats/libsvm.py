"""libsvm (svmlight): `label index:value index:value … # comment`, one row per line, without its zeros."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.delimited.records import consistent_delimiter
from rosenblatt.data.formats.declaration import ROWS_PER_BATCH, Format
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source

LIBSVM_LINE = re.compile(r"[-+]?[0-9.]\S*(\s+[^\s:]+:\S*)+\s*$")


def recognise(source: Source, options: ReadOptions) -> bool:
    if options.delimiter is not None or not source.is_text or consistent_delimiter(source.first_lines):
        return False
    if options.training is not None and source.first_lines and source.first_lines[0].strip() in options.training.columns:
        return False  # rows of the only column that a model of a table has learned from: dates have colons, too
    # A row without entries is a bare label, and a damaged line may be any: the first with a colon decides.
    without_comments = (line.split("#", 1)[0] for line in source.first_lines)
    return LIBSVM_LINE.match(next((line for line in without_comments if ":" in line), "")) is not None


def read(source: Source, options: ReadOptions) -> Dataset:
    from rosenblatt.data.libsvm_lines import read_libsvm

    with source.open() as stream:
        return read_libsvm(stream, source.name, options, size=source.size)


def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
    from rosenblatt.data.libsvm_lines import has_index_zero, libsvm_batches

    zero_based = options.zero_based
    if zero_based is None and source.path is not None:
        # A file can be read twice; of a pipe, only the first rows can decide.
        with source.open() as stream:
            zero_based = has_index_zero(stream, source.name, options.sizes)
    with source.open() as stream:
        yield from libsvm_batches(stream, source.name, rows or ROWS_PER_BATCH, replace(options, zero_based=zero_based))


FORMAT = Format(
    "libsvm",
    "sparse rows, `label index:value …`",
    read,
    batches,
    recognise,
    suffixes=(".libsvm", ".svm", ".svmlight"),
    aliases=("svmlight", "svm"),
)
