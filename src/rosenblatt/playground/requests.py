"""What the page may ask for: every field has a type and a range, and everything else is refused.

>>> task = as_task({"data": {"kind": "four"}, "learner": "mira", "parameters": {"p": 0.5}})
>>> task.data.kind, task.learner, task.parameters
('four', 'mira', (('p', 0.5),))
>>> as_task({"data": {"kind": "four"}, "epochs": "many"})
Traceback (most recent call last):
...
rosenblatt.playground.requests.RequestError: epochs is 'many': expected a whole number from 1 to 1000.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from rosenblatt.engine.parameters import Choice, Flag, Range, Real, Settings, Text, Whole, parameter
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learning.learners import ALL_LEARNERS
from rosenblatt.playground.learners import page_parameters, page_range

BODY_BYTES = 2**20
MOST_POINTS = 5_000
MOST_EPOCHS = 1_000
MOST_EXAMPLES = 1_000_000  # points times epochs; below SETTLE_EVERY, so that one sum gives the average
MOST_UPDATES = 50_000  # a run ends after the epoch in which it has made so many
MOST_GRID_SIDE = 160  # cells of a grid, along each side
CLASS_NAME_LETTERS = 40
COLUMN_NAME_LETTERS = 1_000
PASTED_COLUMNS = 100  # of a pasted table
PASTED_CELLS = 10 * MOST_POINTS  # of it that are read
MOST_VALUES = 5 * MOST_POINTS + 200  # commas, opening brackets and texts of a body: each point has five at most

# What one request may hold at most: its body, and updates of 24 bytes in the log and some 40 in the answer.
REQUEST_BYTES = BODY_BYTES + 64 * MOST_UPDATES

PAGE_ORDERS = ("shuffled", "once", "given", "replacement")
POINT_RECIPES = ("four", "blobs", "ordered", "xor", "rings")
CLASS_LETTERS = "abcde"  # labels of points of more than two classes
PRODUCTS = ("x1x1", "x2x2", "x1x2")  # features beside the two coordinates
MOST_HELD_OUT = 0.5  # of the points
DATA_KINDS = (*POINT_RECIPES, "points", "csv", "file")

JSON_MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[,\[{]', re.DOTALL)  # a text, or what stands before a value

SEED = Whole(0, 2**31 - 1)
COORDINATE = Real(least=-1e6, most=1e6)  # of points, start weights and boxes

S = TypeVar("S", bound=Settings)
Label = int | str


class RequestError(SettingError):
    """A part of a task that cannot be; `about` is the field of the task that holds it, which the page can give up."""

    def __init__(self, message: str, about: str):
        super().__init__(message)
        self.about = about


def about(problem: Exception) -> str:
    """The field of a task that stands in the way, "" if none of them does."""
    if isinstance(problem, RequestError):
        return problem.about
    return "data" if isinstance(problem, DataError) else ""


@dataclass(frozen=True)
class ReadBy:
    """An object or a list, which has a function of its own: it takes the field's name and the JSON, and refuses the rest."""

    read: Callable[[str, Any], Any]

    def holds(self, value: Any) -> bool:
        return True

    def expected(self, name: str) -> str:
        return "an object or a list"


def read_object(kind: type[S], name: str, value: Any) -> S:
    """An object of JSON as a dataclass with declared parameters."""
    declared = kind.declared()
    needed = [field for field, one in declared.items() if one.default is MISSING]
    return kind(**read_fields(name, value, {field: one.allowed for field, one in declared.items()}, needed))


def read_fields(name: str, value: Any, allowed: Mapping[str, Range], needed: Iterable[str] = ()) -> dict[str, Any]:
    """The fields of an object; one that is not known, or missing though needed, is refused."""
    if not isinstance(value, dict):
        raise SettingError(f"{name} is {shown(value)}: expected an object.")
    for field in value:
        if field not in allowed:
            raise SettingError(f"{name} has a field {shown(field)} that is not known.")
    for field in needed:
        if field not in value:
            raise SettingError(f"{name} has no {field}.")
    fields = {}
    for field in (field for field in allowed if field in value):
        with concerning(field):
            fields[field] = read_value(field, value[field], allowed[field])
    return fields


@contextmanager
def concerning(field: str) -> Iterator[None]:
    """What is refused here stands in this field; of fields within fields the outermost is told, after the task itself."""
    try:
        yield
    except SettingError as problem:
        inner = problem.about if isinstance(problem, RequestError) else ""
        raise RequestError(str(problem), inner if field == "task" else field) from None


def read_value(name: str, value: Any, allowed: Range) -> Any:
    """A value of JSON, if it is within the range; numbers in the type of the range, since JSON has only one."""
    if isinstance(allowed, ReadBy):
        return allowed.read(name, value)
    if isinstance(allowed, Whole) and isinstance(value, float) and value.is_integer():
        value = int(value)
    if not allowed.holds(value):
        raise SettingError(f"{name} is {shown(value)}: expected {allowed.expected(name)}.")
    return float(value) if isinstance(allowed, Real) else value


def read_numbers(count: int, name: str, value: Any) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != count:
        raise SettingError(f"{name} is {shown(value)}: expected a list of {count} numbers.")
    return tuple(read_value(name, number, COORDINATE) for number in value)


def read_points(name: str, value: Any) -> tuple[tuple[float, float, Label], ...]:
    """Rows of x₁, x₂ and a label: 1 or -1; or, of more classes, a letter."""
    if not isinstance(value, list) or len(value) > MOST_POINTS:
        raise SettingError(f"{name} is {shown(value)}: expected a list of at most {MOST_POINTS} points.")
    points = []
    for place, point in enumerate(value):
        if not isinstance(point, list) or len(point) != 3 or not is_label(point[2]):
            raise SettingError(
                f"point {place} is {shown(point)}: expected x₁, x₂ and a label, 1 or -1, or a letter from a to e."
            )
        x, y = (read_value(f"a coordinate of point {place}", number, COORDINATE) for number in point[:2])
        points.append((x, y, point[2] if isinstance(point[2], str) else int(point[2])))
    if len({isinstance(label, str) for _, _, label in points}) > 1:
        raise SettingError(f"{name} have labels of both kinds: expected 1 and -1, or letters.")
    return tuple(points)


def is_label(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) == 1 and value in CLASS_LETTERS
    return not isinstance(value, bool | list | dict) and value in (1, -1)


def read_products(name: str, value: Any) -> tuple[str, ...]:
    """Which products of the coordinates are features, too, always in one order."""
    if not isinstance(value, list) or not all(isinstance(one, str) and one in PRODUCTS for one in value):
        raise SettingError(f"{name} is {shown(value)}: expected a list of {', '.join(PRODUCTS)}, or some of them.")
    return tuple(one for one in PRODUCTS if one in value)


def read_classes(name: str, value: Any) -> tuple[str, ...]:
    """What the classes are called: the negative and the positive one, or those of the letters a, b, c …; all differ."""
    if not isinstance(value, list) or not 2 <= len(value) <= len(CLASS_LETTERS):
        raise SettingError(f"{name} is {shown(value)}: expected a list of 2 to {len(CLASS_LETTERS)} names.")
    names = tuple(read_value(name, one, Text(CLASS_NAME_LETTERS)) for one in value)
    if not all(names) or len(set(names)) < len(names):
        raise SettingError(f"{name} are {', '.join(map(shown, names))}: expected names that differ.")
    return names


def shown(value: Any) -> str:
    """A value in an error: short, whatever it is."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    if isinstance(value, int) and abs(value) > 10**30:  # it may have too many digits to print
        return "too large a number"
    return repr(value)[:60]


@dataclass(frozen=True)
class Data(Settings):
    """Which points: made by a recipe, given one by one, or two columns of a table."""

    kind: str = parameter(MISSING, Choice(DATA_KINDS))
    n: int = parameter(60, Whole(2, MOST_POINTS))
    margin: float = parameter(0.2, Real(least=-2, most=2))
    noise: float = parameter(0.0, Real(least=0, most=0.5))
    seed: int = parameter(0, SEED)
    k: int = parameter(2, Whole(2, len(CLASS_LETTERS)))  # classes: more than two of the clouds only
    points: tuple[tuple[float, float, Label], ...] = parameter((), ReadBy(read_points))
    classes: tuple[str, ...] = parameter(("−", "+"), ReadBy(read_classes))  # of points that are given one by one
    text: str = parameter("", Text(BODY_BYTES))
    x: str | None = parameter(None, Text(COLUMN_NAME_LETTERS, optional=True))
    y: str | None = parameter(None, Text(COLUMN_NAME_LETTERS, optional=True))
    target: str | None = parameter(None, Text(COLUMN_NAME_LETTERS, optional=True))

    def marked(self) -> Data:
        """These points with a digest in the place of its points and its text, by which it can be remembered.

        >>> a, b = Data("csv", text="x,y,label"), Data("csv", text="x,y,colour")
        >>> a.marked() == a.marked(), a.marked() == b.marked(), len(a.marked().text)
        (True, False, 64)
        """
        content = hashlib.sha256(str(self.points).encode())
        content.update(self.text.encode("utf-8", "surrogatepass"))
        return replace(self, points=(), text=content.hexdigest())


@dataclass(frozen=True)
class Task(Settings):
    """Points, a learner, and everything that decides what it learns from them."""

    data: Data = parameter(MISSING, ReadBy(partial(read_object, Data)))  # noqa: RUF009
    learner: str = parameter("perceptron", Choice(tuple(ALL_LEARNERS)))
    parameters: tuple[tuple[str, Any], ...] = parameter((), ReadBy(lambda name, value: value))  # as_task reads them
    epochs: int = parameter(20, Whole(1, MOST_EPOCHS))
    order: str = parameter("given", Choice(PAGE_ORDERS))
    seed: int = parameter(0, SEED)
    bias: bool = parameter(True, Flag())
    scale: bool = parameter(False, Flag())
    start: tuple[float, ...] = parameter((0.0, 0.0, 0.0), ReadBy(partial(read_numbers, 3)))
    features: tuple[str, ...] = parameter((), ReadBy(read_products))  # beside x₁ and x₂
    holdout: float = parameter(0.0, Real(least=0, most=MOST_HELD_OUT))  # share of every class that is not learned from


def as_task(value: Any, name: str = "the request") -> Task:
    """A task; of the parameters only the learner's own are known, as in the library."""
    task = read_object(Task, name, value)
    own = {one.name: page_range(one) for one in page_parameters(ALL_LEARNERS[task.learner]).values()}
    with concerning("parameters"):
        return replace(task, parameters=tuple(read_fields("parameters", value.get("parameters", {}), own).items()))


@dataclass(frozen=True)
class Grid(Settings):
    """Scores on a grid over a box of the plane, after so many examples of a task."""

    task: Task = parameter(MISSING, ReadBy(lambda name, value: as_task(value, name)))  # noqa: RUF009
    examples: int = parameter(MISSING, Whole(0, MOST_EXAMPLES))
    box: tuple[float, ...] = parameter(MISSING, ReadBy(partial(read_numbers, 4)))  # left, right, bottom, top
    view: str = parameter("last", Choice(("last", "averaged", "voted")))
    columns: int = parameter(64, Whole(2, MOST_GRID_SIDE))
    rows: int = parameter(64, Whole(2, MOST_GRID_SIDE))


def as_grid(value: Any) -> Grid:
    grid = read_object(Grid, "the request", value)
    left, right, bottom, top = grid.box
    if not (left < right and bottom < top):
        raise SettingError(f"box is {list(grid.box)}: expected left < right and bottom < top.")
    return grid


def parse(body: bytes) -> Any:
    """The JSON of a body; NaN, Infinity, what nests too deeply and, unread, what holds too many values are refused.

    A megabyte of `[],[],[]` would be twenty of objects.
    """
    if sum(1 for _ in islice(JSON_MARKS.finditer(body), MOST_VALUES + 1)) > MOST_VALUES:
        raise SettingError(
            f"The request holds more than {MOST_VALUES:,} values: at most {MOST_POINTS:,} points can be sent."
        )
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as problem:
        what = "it nests too deeply" if isinstance(problem, RecursionError) else str(problem)[:200]
        raise SettingError(f"The request is not JSON: {what}.") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
