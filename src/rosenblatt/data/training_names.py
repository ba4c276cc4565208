"""Names for a file that has none: those of the columns that a model has learned from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source
from rosenblatt.data.table import looks_like_data
from rosenblatt.errors import FileError, counted

LIKE_A_NUMBER = re.compile(r"\W*[0-9]")
NAMES_SHOWN = 6


@dataclass(frozen=True)
class TrainingNames:
    """The columns that a model has learned from, in their order.

    >>> names = TrainingNames(("age", "sex"), ("age", "income", "sex"))
    >>> names.of_width(3), names.of_width(2), names.of_width(4)
    (('age', 'income', 'sex'), ('age', 'sex'), None)
    """

    columns: tuple[str, ...]  # without the target
    in_file: tuple[str, ...] | None = None  # with it, as they stand in a file without a header
    numeric: bool = True  # are there numbers or dates among them, so that a row looks like data?

    def of_width(self, width: int) -> tuple[str, ...] | None:
        """The names of so many columns, with the target among them or without; None where neither fits."""
        return next((names for names in (self.in_file, self.columns) if names is not None and len(names) == width), None)

    def is_row(self, first: Sequence[str]) -> bool:
        """Is the first line of a file a row, and no names?"""
        if set(first) & {*self.columns, *(self.in_file or ())}:
            return False
        if self.in_file is None:  # training had names: so it is a slip only where they cannot be names
            return looks_like_data(first)
        return not self.numeric or any(LIKE_A_NUMBER.match(cell) for cell in first)


def named_as_in_training(first: Sequence[str], options: ReadOptions, source: Source) -> ReadOptions:
    """The options with the names of training, where the file, which begins with these cells, has none of its own."""
    training = options.training
    if training is None or options.names is not None or (options.header and not training.is_row(first)):
        return options
    if not options.header and {*first} >= {*training.columns}:
        raise FileError(
            "its first line holds the names of training: leave out header=False (--no-header).", path=source.name
        )
    names = training.of_width(len(first))
    if names is None:
        numbered = all(re.fullmatch("column_[0-9]+", name) for name in training.columns)
        if options.header or numbered:  # what is missing is told where it is used
            return options
        had = f"{len(training.columns)} without the target ({some_of(training.columns)})"
        if training.in_file is not None:
            had = (
                f"{len(training.in_file)} with the target ({some_of(training.in_file)}), or {len(training.columns)} without"
            )
        what = f"it has no names, and {counted(len(first), 'column')}; training had {had}: pass names=[…] (--names A,B,…)."
        raise FileError(what, path=source.name)
    other = " Pass skip_lines=1 and header=False (--no-header) if its first line holds names." if options.header else ""
    source.note(f"{source.name} has no names: its columns were taken to be those of training, {some_of(names)}.{other}")
    return replace(options, header=False, names=names)


def some_of(names: Sequence[str]) -> str:
    """
    >>> some_of(["age", "sex"]), some_of([f"x{j}" for j in range(9)])
    ('age, sex', 'x0, x1, x2, x3, x4, x5, … (9 in all)')
    """
    more = f", … ({len(names)} in all)" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more
