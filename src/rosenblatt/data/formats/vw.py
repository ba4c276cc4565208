"""Vowpal Wabbit's text: `label importance 'tag |namespace feature:value feature … |namespace …`, one row per line.

A feature is called `namespace^feature`, in the namespace without a name `feature`. A value that is not written is 1; one
behind a namespace multiplies those of its features; a feature that occurs twice in a row counts twice.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any

from rosenblatt.data.dataset import Dataset
from rosenblatt.data.formats.declaration import ROWS_PER_BATCH, Format
from rosenblatt.data.messages import numbered_lines
from rosenblatt.data.read_options import ReadOptions, without_label
from rosenblatt.data.source import Source
from rosenblatt.data.table import WITH_EXPONENT, number_in, number_text
from rosenblatt.errors import FileError

if TYPE_CHECKING:
    import numpy as np

NUMBER = r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?"
# A label, or nothing, and a namespace with a feature; or features with values in the one without a name.
VW_LINE = re.compile(
    rf"(?:{NUMBER}(?:\s+{NUMBER}){{0,2}}\s+)?(?:'[^\s|]*\s*)?\|(?:[^\s|]+\s+[^\s|]|\s+[^\s|:]+:{NUMBER}(?:\s|$))"
)
OTHER_TASKS = "rows of several lines, costs and actions are not read: name a file with one label a line."
LARGEST_WHOLE = 2**53


def recognise(source: Source, options: ReadOptions) -> bool:
    if options.delimiter is not None or not source.is_text or not source.first_lines:
        return False
    if source.suffix == ".vw":
        return "|" in source.first_lines[0]
    return all(VW_LINE.match(line) for line in source.first_lines)


@dataclass
class ParsedLines:
    """Rows as they are read."""

    name: str
    labels: list[str | None] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # on which the rows stand
    columns: dict[str, int] = field(default_factory=dict)  # by name, as they occur
    plain: dict[str, dict[str, int]] = field(default_factory=dict)  # those without a value, by namespace, as written
    indices: array[int] = field(default_factory=lambda: array("i"))
    values: array[float] = field(default_factory=lambda: array("d"))
    ends: array[int] = field(default_factory=lambda: array("q", [0]))
    weighted: int = 0  # rows of an importance other than 1

    def add(self, number: int, line: str) -> None:
        """Reads one line, which is not blank."""
        head, *spaces = line.split("|")
        if not spaces:
            raise self._problem("there is no | between the label and the features", number)
        self._add_label(head, number)
        for space in spaces:
            self._add_features(space, number)
        self.ends.append(len(self.indices))
        self.lines.append(number)

    def _add_label(self, head: str, number: int) -> None:
        words = head.split()
        if words and (words[-1].startswith("'") or not head[-1].isspace()):
            words.pop()  # the tag of the row
        label = words[0] if words else None
        if label is not None and (":" in label or "," in label or label == "shared"):
            raise self._problem(f"the label is {label!r}; {OTHER_TASKS}", number)
        for word in words[1:]:
            self._number(word, f"behind the label stands {word!r}, which is no number", number)
        self.weighted += len(words) > 1 and float(words[1]) != 1
        self.labels.append(label)

    def _add_features(self, space: str, number: int) -> None:
        words = space.split()
        prefix, factor = "", 1.0
        if words and not space[0].isspace():
            prefix, colon, value = words.pop(0).partition(":")
            factor = (
                self._number(value, f"the namespace {prefix!r} has no number behind its colon", number) if colon else 1.0
            )
            prefix += "^"
        columns, plain = self.columns, self.plain.setdefault(prefix, {})
        for word in words:
            if word in plain:
                self.indices.append(plain[word])
                self.values.append(factor)
                continue
            feature, colon, value = word.partition(":")
            if not feature:
                raise self._problem(f"the feature {word!r} has no name: write one before the colon", number)
            x = self._number(value, f"the feature {feature!r} has no number behind its colon", number) if colon else 1.0
            place = columns.setdefault(prefix + feature, len(columns))
            if not colon:
                plain[word] = place
            self.indices.append(place)
            self.values.append(factor * x)

    def _number(self, text: str, problem: str, line: int) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not isfinite(number) or "_" in text:
            raise self._problem(problem, line)
        return number

    def _problem(self, what: str, line: int) -> FileError:
        return FileError(f"{what.rstrip('.')}.", path=self.name, line=line)

    def dataset(self, options: ReadOptions, for_model: bool = False) -> Dataset:
        """The rows, those without a label left out, refused or, where a model is to label them, kept."""
        import numpy as np
        import scipy.sparse as sp

        from rosenblatt.data.named_rows import NamedRows

        shape = len(self.labels), len(self.columns)
        matrix = sp.csr_matrix((np.array(self.values), np.array(self.indices, np.int32), np.array(self.ends)), shape=shape)
        matrix.sum_duplicates()
        rows = NamedRows(matrix, list(self.columns))
        known = [row for row, label in enumerate(self.labels) if label is not None]
        gone = shape[0] - len(known)
        if not known or (gone and for_model):
            return Dataset("sparse", rows, None, self.name)
        notes: tuple[str, ...] = ()
        if gone:
            first = self.lines[self.labels.index(None)]
            notes = (without_label(gone, options, self.name, lambda what: self._problem(what, first)),)
            rows = rows[np.array(known)]
        labels = as_labels([label for label in self.labels if label is not None])
        return Dataset("sparse", rows, labels, self.name, notes=notes)


def as_labels(texts: list[str]) -> np.ndarray:
    """Labels as numbers if all are and floats tell them apart, whole ones if all are whole; else as texts.

    Among texts a number is written in one way: a label is the same whatever stands beside it.

    >>> as_labels(["+1", "-1.0"]), as_labels(["1", "0.5"])
    (array([ 1, -1]), array([1. , 0.5]))
    >>> as_labels(["+1", "cat"]).tolist(), as_labels(["1_0", "2"]).tolist()
    (['1', 'cat'], ['1_0', '2'])
    >>> as_labels(["12345678901234567890", "12345678901234567891"]).tolist()
    ['12345678901234567890', '12345678901234567891']
    """
    import numpy as np

    known = {text: number for text in set(texts) if (number := number_in(text)) is not None and abs(number) < WITH_EXPONENT}
    numbers = set(known.values())
    if not known.keys() >= set(texts) or len(set(map(float, numbers))) < len(numbers):
        # As objects: one long label would make an array of texts as wide in every row.
        return np.array([number_text(known[text]) if text in known else text for text in texts], dtype=object)
    of_rows = np.array([known[text] for text in texts], dtype=float)
    whole = (np.abs(of_rows) < LARGEST_WHOLE).all() and (of_rows == np.rint(of_rows)).all()
    return of_rows.astype(np.int64) if whole else of_rows


def parsed(source: Source, lines: Any) -> ParsedLines:
    """Some numbered lines; blank ones are passed over."""
    rows = ParsedLines(source.name)
    for number, line in lines:
        rows.add(number, line)
    if rows.weighted:
        source.note(f"{source.name} has importance weights: they are ignored, every row counts alike.")
    return rows


def numbered_rows(source: Source) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in numbered_lines(source) if line.strip())


def read(source: Source, options: ReadOptions) -> Dataset:
    return parsed(source, numbered_rows(source)).dataset(options)


def batches(source: Source, rows: int | None, options: ReadOptions) -> Iterator[Dataset]:
    lines = numbered_rows(source)
    while (part := parsed(source, islice(lines, rows or ROWS_PER_BATCH))).labels:
        yield part.dataset(options, for_model=options.as_text is True)


FORMAT = Format(
    "vw",
    "Vowpal Wabbit's rows, `label |namespace feature:value …`",
    read,
    batches,
    recognise,
    suffixes=(".vw",),
    aliases=("vowpal-wabbit", "vowpal_wabbit"),
)
