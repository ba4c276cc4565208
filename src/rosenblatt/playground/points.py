"""The points of the playground: made by a small recipe, given one by one, or two columns of a table."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import DataError, FileError, LabelError, SettingError
from rosenblatt.playground.requests import CLASS_LETTERS, MOST_POINTS, PASTED_CELLS, PASTED_COLUMNS, Data

if TYPE_CHECKING:
    import polars as pl

HEADER_LETTERS = 2**16  # letters within which the first line of a text must end
# Boulder's worked example.
FOUR_POINTS = ((1.0, 1.0, 1), (0.5, -1.0, -1), (-1.0, -1.0, -1), (-1.0, 1.0, -1))


@dataclass(frozen=True)
class Points:
    """Rows of two coordinates, a label each, and what the axes and classes are called.

    Of two classes the labels are 1 and -1, of more the numbers of the classes, from 0.
    """

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, str] = ("x₁", "x₂")
    classes: tuple[str, ...] = ("−", "+")
    columns: tuple[str, ...] = ()  # of the table that they come from
    chosen: tuple[str, ...] = ()  # which of them are x, y and the target
    notes: tuple[str, ...] = field(default=())
    letters: tuple[str, ...] = ()  # of the classes, where points have letters for labels


class SeededRandom:
    """Random numbers that a seed fixes for good: numpy promises the raw words of PCG64, not what it makes of them."""

    def __init__(self, seed: int):
        self.bits = np.random.PCG64([7, seed])

    def uniform(self, n: int) -> np.ndarray:
        """Between 0 and 1, 0 not included."""
        return ((self.bits.random_raw(n) >> np.uint64(11)).astype(float) + 0.5) / 2.0**53

    def normal(self, n: int) -> np.ndarray:
        """Box and Muller's way from two uniform numbers to a normal one."""
        numbers: np.ndarray = np.sqrt(-2 * np.log(self.uniform(n))) * np.cos(2 * np.pi * self.uniform(n))
        return numbers


def make(data: Data) -> Points:
    """The points that a recipe describes; coordinates have two decimals, so that the arithmetic can be read.

    >>> make(Data("four")).y.tolist()
    [1, -1, -1, -1]
    >>> blobs = make(Data("blobs", n=6, margin=0.5, seed=1))
    >>> blobs.x.shape, sorted(blobs.y.tolist())
    ((6, 2), [-1, -1, -1, 1, 1, 1])
    """
    if data.kind in ("four", "points"):
        rows = FOUR_POINTS if data.kind == "four" else data.points
        x = np.array([row[:2] for row in rows], dtype=float).reshape(len(rows), 2)
        if rows and isinstance(rows[0][2], str):
            return lettered(x, [str(row[2]) for row in rows], data.classes)
        return Points(x, np.array([row[2] for row in rows], dtype=np.int64), classes=data.classes[:2])
    random = SeededRandom(data.seed)
    if data.k > 2 and data.kind in ("blobs", "ordered"):
        return many_clouds(data, random)
    y = np.where(np.arange(data.n) % 2 == 0, 1, -1)
    x = {"blobs": clouds, "ordered": clouds, "xor": xor, "rings": rings}[data.kind](y, data, random)
    y = np.where(random.uniform(data.n) < data.noise, -y, y)
    if data.kind == "ordered":
        first = np.argsort(-y, kind="stable")
        x, y = x[first], y[first]
    return Points(np.round(x, 2) + 0.0, y)  # + 0.0: no negative zero


def clouds(y: np.ndarray, data: Data, random: SeededRandom) -> np.ndarray:
    """Two clouds on the two sides of a random line, `margin` away from it; a negative margin lets them overlap."""
    angle, offset = random.uniform(2)
    along = np.array([np.cos(2 * np.pi * angle), np.sin(2 * np.pi * angle)])
    across = np.array([-along[1], along[0]])
    away = y * (data.margin + np.abs(random.normal(data.n)) * 0.45) + (offset - 0.5) * 0.5
    return np.outer(away, along) + np.outer(random.normal(data.n) * 0.55, across)


def many_clouds(data: Data, random: SeededRandom) -> Points:
    """A cloud for each of `k` classes, around the origin: the farther the larger `margin` is."""
    codes = np.arange(data.n) % data.k
    turn = 2 * np.pi * (random.uniform(1) + codes / data.k)
    centres = np.stack([np.cos(turn), np.sin(turn)], axis=1) * (0.75 + data.margin)
    x = np.round(centres + 0.25 * random.normal(2 * data.n).reshape(2, -1).T, 2) + 0.0
    codes = np.where(random.uniform(data.n) < data.noise, (codes + 1) % data.k, codes)
    if data.kind == "ordered":
        first = np.argsort(codes, kind="stable")
        x, codes = x[first], codes[first]
    return lettered(x, [CLASS_LETTERS[code] for code in codes.tolist()])


def lettered(x: np.ndarray, labels: list[str], names: tuple[str, ...] = ()) -> Points:
    """Points whose labels are letters: as many classes as letters occur, called by these names, if each has one.

    >>> lettered(np.zeros((3, 2)), ["a", "c", "a"]).y.tolist(), lettered(np.zeros((3, 2)), ["b", "c", "a"]).y.tolist()
    ([-1, 1, -1], [1, 2, 0])
    >>> lettered(np.zeros((2, 2)), ["a", "c"], ("setosa", "versicolor", "virginica")).classes
    ('setosa', 'virginica')
    """
    letters = tuple(sorted(set(labels)))
    codes = np.array([letters.index(label) for label in labels], dtype=np.int64)
    y = 2 * codes - 1 if len(letters) == 2 else codes
    places = [CLASS_LETTERS.index(letter) for letter in letters]
    named = max(places, default=0) < len(names)
    return Points(x, y, classes=tuple(names[k] if named else CLASS_LETTERS[k].upper() for k in places), letters=letters)


def xor(y: np.ndarray, data: Data, random: SeededRandom) -> np.ndarray:
    """Positive where both coordinates have the same sign, `margin` away from the axes."""
    sides = np.where(random.uniform(data.n) < 0.5, 1, -1)
    size = np.abs(data.margin) + random.uniform(2 * data.n).reshape(2, -1)
    return np.stack([sides * size[0], sides * y * size[1]], axis=1)


def rings(y: np.ndarray, data: Data, random: SeededRandom) -> np.ndarray:
    """Positive inside, negative in a ring around it, `margin` apart on both sides of radius 0.7."""
    turn = 2 * np.pi * random.uniform(data.n)
    share = random.uniform(data.n)
    inner = np.maximum(0.7 - data.margin, 0.05) * np.sqrt(share)
    outer = 0.7 + data.margin + 0.4 * share
    radius = np.where(y == 1, inner, outer)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)


def from_text(data: Data) -> Points:
    """The points of a CSV that was pasted or dropped, read as every file is read."""
    from rosenblatt.data import read

    refuse_wide(data.text)
    text = beginning(data.text)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:
        raise DataError("The text has letters that are none: save it as UTF-8.") from None
    try:  # a format is named, so that no text can pass for a Parquet file or an archive
        table = read(io.BytesIO(content), format="csv").rows
    except FileError as problem:
        raise DataError(on_a_page(problem)) from None
    points = from_table(table, data)
    if len(text) == len(data.text):
        return points
    lines = text.count("\n")
    return replace(points, notes=(f"The text is long: its first {lines:,} lines were read.", *points.notes))


def on_a_page(problem: FileError) -> str:
    """What is wrong with a text, for someone who sees a page, not a Python prompt.

    >>> on_a_page(FileError("the number is nan. Pass missing='nan' to count it as missing.", path="the stream", line=3))
    'Line 3: the number is nan. Correct it, or leave the cell empty.'
    """
    message = str(problem).removeprefix("the stream").lstrip(",: ")
    for ours, theirs in (
        ("Pass missing='nan' to count it as missing", "Correct it, or leave the cell empty"),
        ("the file", "the table"),
    ):
        message = message.replace(ours, theirs)
    return message[0].upper() + message[1:]


def refuse_wide(text: str) -> None:
    """Looks at the header before the text is read: ten thousand columns need a hundred times the memory of their names."""
    from rosenblatt.data.delimited.records import DELIMITERS

    for mark in DELIMITERS:
        head = io.StringIO(text[:HEADER_LETTERS], newline="")
        lines = csv.reader(head, delimiter=mark, skipinitialspace=mark != "\t")
        first: list[str] = next((cells for cells in lines if any(cell.strip() for cell in cells)), [])
        if len(first) > PASTED_COLUMNS or (len(text) > HEADER_LETTERS and not head.read(1)):
            raise DataError(f"The text has more than {PASTED_COLUMNS:,} columns: leave out those that are not needed.")


def beginning(text: str) -> str:
    """The first lines of a text, as many as have PASTED_CELLS cells: no more than MOST_POINTS rows of them are drawn."""
    after = next(islice(re.finditer(r"[,;\t|\n]", text), PASTED_CELLS, None), None)
    return text if after is None else text[: text.rfind("\n", 0, after.end()) + 1]


def from_table(frame: pl.DataFrame, data: Data, positive: str | None = None) -> Points:
    """Two columns of numbers and one of labels; rows that miss one of the three are left out, and counted."""
    names = tuple(frame.columns)
    target = data.target if data.target is not None else names[-1]
    free = [name for name in names if name != target and frame[name].dtype.is_numeric()]
    x = data.x if data.x is not None else next(iter(free), None)
    y = data.y if data.y is not None else next((name for name in free if name != x), None)
    for what, name in (("x", x), ("y", y), ("target", target)):
        if name is None or name not in names:
            shown = ", ".join(names[:30])
            if name is None:
                numeric = f"only {free[0]!r} is one" if free else "none is one"
                raise DataError(f"The plane needs two columns of numbers beside the label: of {shown} {numeric}.")
            raise SettingError(f"There is no column {name!r} for {what}: the columns are {shown}.")
        if what != "target" and not frame[name].dtype.is_numeric():
            raise DataError(f"The column {name!r} holds text: choose one of {', '.join(free[:30])} for {what}.")
    assert x is not None
    assert y is not None
    chosen = frame.select(frame[x].alias("x"), frame[y].alias("y"), frame[target].alias("target"))
    complete = chosen.drop_nulls()
    notes = []
    if len(complete) < len(chosen):
        left = len(chosen) - len(complete)
        notes.append(f"{left:,} row{' with a missing value was' if left == 1 else 's with a missing value were'} left out.")
    if len(complete) > MOST_POINTS:
        notes.append(f"The first {MOST_POINTS:,} of {len(complete):,} rows are shown.")
        complete = complete.head(MOST_POINTS)
    known = classes_of(complete["target"].to_list(), positive)
    coordinates = complete.select("x", "y").to_numpy().astype(float)
    if not np.isfinite(coordinates).all() or np.abs(coordinates).max(initial=0) > 1e12:
        raise DataError(f"A number in {x!r} or {y!r} is not finite, or too large to draw: correct it, or leave it empty.")
    return replace(known, x=coordinates, names=(x, y), columns=names, chosen=(x, y, target), notes=(*notes, *known.notes))


def classes_of(values: list[Any], positive: str | None) -> Points:
    """Labels and classes, still without coordinates.

    Of two classes the second is positive; up to five have a letter each; else, or where one is named as the positive one,
    it stands against the rest.

    >>> classes_of(["c", "a", "b", "a"], None).y.tolist(), classes_of(["c", "a", "b", "a"], "a").classes
    ([2, 0, 1, 0], ('not a', 'a'))
    """
    distinct = sorted(set(values), key=lambda value: (str(type(value)), value))
    if len(distinct) < 2:
        only = f"All labels are {str(distinct[0])[:60]!r}" if distinct else "No row has all three: two numbers and a label"
        raise LabelError(f"{only}. Two classes are needed to tell one from another.")
    names = [str(value) for value in distinct]
    if positive is not None and positive not in names:
        raise SettingError(f"There is no class {positive!r}: choose one of {', '.join(names[:20])}.")
    nowhere = np.empty((0, 2))
    if positive is None and 2 < len(distinct) <= len(CLASS_LETTERS):
        place = {value: code for code, value in enumerate(distinct)}
        codes = np.array([place[value] for value in values], dtype=np.int64)
        return Points(nowhere, codes, classes=tuple(names), letters=tuple(CLASS_LETTERS[: len(distinct)]))
    chosen = distinct[names.index(positive)] if positive is not None else distinct[-1]
    labels = np.array([1 if value == chosen else -1 for value in values])
    if len(distinct) == 2:
        return Points(nowhere, labels, classes=(next(str(value) for value in distinct if value != chosen), str(chosen)))
    notes = (f"{len(distinct)} classes: {chosen} against the rest.",)
    return Points(nowhere, labels, classes=(f"not {chosen}", str(chosen)), notes=notes)
