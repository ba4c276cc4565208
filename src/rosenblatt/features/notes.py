"""What a feature map could not use in the rows that it was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rosenblatt.errors import counted

FAR = 10  # standard deviations from the mean, where the range of training is not known: files of before


@dataclass(frozen=True)
class FarValues:
    """Values far from those of training: how many, and what training had.

    >>> FarValues(2, "between 17 and 90").sentence("age", 50)
    'age: 2 of 50 values are far from those of training (between 17 and 90): has the unit changed?'
    """

    count: int
    training: str

    def sentence(self, column: str, rows: int) -> str:
        are = "is" if self.count == 1 else "are"
        of = f"{self.count:,} of {counted(rows, 'value')}"
        return f"{column}: {of} {are} far from those of training ({self.training}): has the unit changed?"


@dataclass(frozen=True)
class Notes:
    """Counts of the last `transform`; those of several batches add up.

    >>> first = Notes(rows=2, unseen={"education": 1}, ignored=("id",))
    >>> both = first + Notes(rows=3, unseen={"education": 4}, ignored=("id",))
    >>> both.rows, both.unseen, both.ignored
    (5, {'education': 5}, ('id',))
    >>> print(*both.sentences(), sep="\\n")
    education: 5 values in 5 rows were never seen in training and count for nothing.
    Columns that were not there in training are ignored: id.
    """

    rows: int = 0
    unseen: Mapping[str, int] = field(default_factory=dict)  # values that training never saw, per column
    unreadable: Mapping[str, int] = field(default_factory=dict)  # texts in a column of numbers, taken as missing
    undated: Mapping[str, int] = field(default_factory=dict)  # texts in a column of dates, taken as missing
    ignored: tuple[str, ...] = ()  # columns that training did not have
    far: Mapping[str, FarValues] = field(default_factory=dict)  # numbers and dates unlike those of training; they count

    def __add__(self, other: Notes) -> Notes:
        return Notes(
            self.rows + other.rows,
            dict(Counter(self.unseen) + Counter(other.unseen)),
            dict(Counter(self.unreadable) + Counter(other.unreadable)),
            dict(Counter(self.undated) + Counter(other.undated)),
            tuple(dict.fromkeys(self.ignored + other.ignored)),
            {name: self._far_with(other, name) for name in (*self.far, *other.far)},
        )

    def _far_with(self, other: Notes, name: str) -> FarValues:
        both = [notes.far[name] for notes in (self, other) if name in notes.far]
        return replace(both[0], count=sum(one.count for one in both))

    def sentences(self) -> list[str]:
        """The notes for people, one sentence each; none if there is nothing to say."""
        sentences = []
        for column, count in self.unseen.items():
            sentences.append(
                f"{column}: {counted(count, 'value')} in {counted(self.rows, 'row')} {_were(count)} never seen in training "
                f"and {'counts' if count == 1 else 'count'} for nothing."
            )
        for column, count in self.unreadable.items():
            sentences.append(f"{column}: {counted(count, 'value')} {_were(count)} not a number and taken as missing.")
        for column, count in self.undated.items():
            sentences.append(
                f"{column}: {counted(count, 'value')} {_were(count)} not a date as in training and taken as missing."
            )
        sentences += [far.sentence(column, self.rows) for column, far in self.far.items()]
        if self.ignored:
            sentences.append(f"Columns that were not there in training are ignored: {', '.join(self.ignored)}.")
        return sentences


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


@dataclass(frozen=True)
class FeatureTrial:
    """What share of some held-out rows of training was wrong with certain features and without, and which was chosen."""

    rows: int
    error_with: float
    error_without: float
    chosen: bool
