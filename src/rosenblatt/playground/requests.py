"""What the page may ask for: every field has a type and a range, and everything else is refused.

>>> task = as_task({"data": {"kind": "four"}, "learner": "mira", "parameters": {"p": 0.5}})
>>> task.data.kind, task.learner, task.parameters
('four', 'mira', (('p', 0.5),))
>>> as_task({"data": {"kind": "four"}, "epochs": "many"})
Traceback (most recent call last):
...
rosenblatt.errors.SettingError: epochs is 'many': expected a whole number from 1 to 1000.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

from rosenblatt.engine.parameters import Choice, Parameter, Whole
from rosenblatt.errors import SettingError
from rosenblatt.playground.learners import PAGE_LEARNERS, limits_of, page_parameters

BODY = 2**20  # bytes of a request
POINTS = 5_000
EPOCHS = 1_000
EXAMPLES = 1_000_000  # points times epochs; below SETTLE_EVERY, so that one sum gives the average
UPDATES = 50_000  # a run ends after the epoch in which it has made so many
SIDE = 160  # cells of a grid, along each side
LARGEST = 1e6  # of coordinates and start weights
LABEL = 40  # letters of a class's name
TEXT = 200  # letters of a column's name
COLUMNS = 100  # of a pasted table
CELLS = 10 * POINTS  # of it that are read
VALUES = 4 * POINTS + 200  # commas, opening brackets and texts of a body: each point has four

# What one request may hold at most: its body, and updates of 24 bytes in the log and some 40 in the answer.
REQUEST = BODY + 64 * UPDATES

ORDERS = ("shuffled", "once", "given", "replacement")
MADE = ("four", "blobs", "ordered", "xor", "rings")
KINDS = (*MADE, "points", "csv", "file")

MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[,\[{]', re.DOTALL)  # a text, or what stands before a value

T = TypeVar("T")


@dataclass(frozen=True)
class Data:
    """Which points: made by a recipe, given one by one, or two columns of a table."""

    kind: str = "four"
    n: int = 60
    margin: float = 0.2
    noise: float = 0.0
    seed: int = 0
    points: tuple[tuple[float, float, int], ...] = ()
    classes: tuple[str, ...] = ("−", "+")  # of points that are given one by one
    text: str = ""
    x: str | None = None
    y: str | None = None
    target: str | None = None

    def marked(self) -> Data:
        """The same with a digest in the place of its points and its text, by which it can be remembered.

        >>> a, b = Data("csv", text="x,y,label"), Data("csv", text="x,y,colour")
        >>> a.marked() == a.marked(), a.marked() == b.marked(), len(a.marked().text)
        (True, False, 64)
        """
        content = hashlib.sha256(str(self.points).encode())
        content.update(self.text.encode("utf-8", "surrogatepass"))
        return replace(self, points=(), text=content.hexdigest())


@dataclass(frozen=True)
class Task:
    """Points, a learner, and everything that decides what it learns from them."""

    data: Data = Data()
    learner: str = "perceptron"
    parameters: tuple[tuple[str, Any], ...] = ()
    epochs: int = 20
    order: str = "given"
    seed: int = 0
    bias: bool = True
    scale: bool = False
    start: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Grid:
    """Scores on a grid over a box of the plane, after so many examples of a task."""

    task: Task
    view: str
    examples: int
    box: tuple[float, ...]  # left, right, bottom, top
    columns: int
    rows: int


def parse(body: bytes) -> Any:
    """The JSON of a body; NaN, Infinity, what nests too deeply and, unread, what holds too many values are refused.

    A megabyte of `[],[],[]` would be twenty of objects.
    """
    if sum(1 for _ in islice(MARKS.finditer(body), VALUES + 1)) > VALUES:
        raise SettingError(f"The request holds more than {VALUES:,} values: at most {POINTS:,} points can be sent.")
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as problem:
        what = "it nests too deeply" if isinstance(problem, RecursionError) else str(problem)[:200]
        raise SettingError(f"The request is not JSON: {what}.") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


class Fields:
    """The fields of one object; each is taken once, and what is left over is refused."""

    def __init__(self, name: str, given: Any):
        if not isinstance(given, dict):
            raise SettingError(f"{name} is {shown(given)}: expected an object.")
        self.name, self.given = name, dict(given)

    def take(self, name: str, check: Callable[[str, Any], T], default: T) -> T:
        return check(name, self.given.pop(name)) if name in self.given else default

    def need(self, name: str, check: Callable[[str, Any], T]) -> T:
        if name not in self.given:
            raise SettingError(f"{self.name} has no {name}.")
        return check(name, self.given.pop(name))

    def end(self) -> None:
        if self.given:
            raise SettingError(f"{self.name} has a field {shown(next(iter(self.given)))} that is not known.")


def as_task(given: Any) -> Task:
    fields = Fields("the request", given)
    learner = fields.take("learner", one_of(PAGE_LEARNERS), "perceptron")
    task = Task(
        data=fields.need("data", as_data),
        learner=learner,
        parameters=fields.take("parameters", lambda name, value: as_parameters(learner, value), ()),
        epochs=fields.take("epochs", whole(1, EPOCHS), Task.epochs),
        order=fields.take("order", one_of(ORDERS), Task.order),
        seed=fields.take("seed", whole(0, 2**31 - 1), 0),
        bias=fields.take("bias", flag, True),
        scale=fields.take("scale", flag, False),
        start=fields.take("start", numbers(3), Task.start),
    )
    fields.end()
    return task


def as_data(name: str, given: Any) -> Data:
    fields = Fields(name, given)
    data = Data(
        kind=fields.need("kind", one_of(KINDS)),
        n=fields.take("n", whole(2, POINTS), Data.n),
        margin=fields.take("margin", number(-2, 2), Data.margin),
        noise=fields.take("noise", number(0, 0.5), Data.noise),
        seed=fields.take("seed", whole(0, 2**31 - 1), 0),
        points=fields.take("points", as_points, ()),
        classes=fields.take("classes", as_classes, Data.classes),
        text=fields.take("text", text(BODY), ""),
        x=fields.take("x", text(TEXT), None),
        y=fields.take("y", text(TEXT), None),
        target=fields.take("target", text(TEXT), None),
    )
    fields.end()
    return data


def as_points(name: str, given: Any) -> tuple[tuple[float, float, int], ...]:
    """Rows of x₁, x₂ and a label, 1 or -1."""
    if not isinstance(given, list) or len(given) > POINTS:
        raise SettingError(f"{name} is {shown(given)}: expected a list of at most {POINTS} points.")
    coordinate = number(-LARGEST, LARGEST)
    points = []
    for place, point in enumerate(given):
        if not isinstance(point, list) or len(point) != 3 or not is_number(point[2]) or point[2] not in (1, -1):
            raise SettingError(f"point {place} is {shown(point)}: expected x₁, x₂ and a label, 1 or -1.")
        where = f"a coordinate of point {place}"
        points.append((coordinate(where, point[0]), coordinate(where, point[1]), int(point[2])))
    return tuple(points)


def as_classes(name: str, given: Any) -> tuple[str, ...]:
    """What the negative and the positive class are called: two names, and not the same."""
    if not isinstance(given, list) or len(given) != 2:
        raise SettingError(f"{name} is {shown(given)}: expected a list of 2 names.")
    minus, plus = (text(LABEL)(name, one) for one in given)
    if not minus or not plus or minus == plus:
        raise SettingError(f"{name} are {shown(minus)} and {shown(plus)}: expected two names that differ.")
    return minus, plus


def as_parameters(learner: str, given: Any) -> tuple[tuple[str, Any], ...]:
    """The learner's own parameters; those of another learner are refused, as the library refuses them."""
    fields = Fields("parameters", given)
    checks = {one.name: check_of(one) for one in page_parameters(PAGE_LEARNERS[learner]).values()}
    chosen = {name: fields.need(name, check) for name, check in checks.items() if name in fields.given}
    fields.end()
    return tuple(chosen.items())


def check_of(one: Parameter) -> Callable[[str, Any], Any]:
    """How a parameter that a learner declares is checked, within the limits of the page."""
    if isinstance(one.allowed, Choice):
        return one_of(one.allowed.names)
    least, most = limits_of(one)
    return whole(int(least), int(most)) if isinstance(one.allowed, Whole) else number(least, most)


def as_grid(given: Any) -> Grid:
    fields = Fields("the request", given)
    grid = Grid(
        task=fields.need("task", lambda name, value: as_task(value)),
        view=fields.take("view", one_of(("last", "averaged", "voted")), "last"),
        examples=fields.need("examples", whole(0, EXAMPLES)),
        box=fields.need("box", numbers(4)),
        columns=fields.take("columns", whole(2, SIDE), 64),
        rows=fields.take("rows", whole(2, SIDE), 64),
    )
    fields.end()
    left, right, bottom, top = grid.box
    if not (left < right and bottom < top):
        raise SettingError(f"box is {list(grid.box)}: expected left < right and bottom < top.")
    return grid


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(least: float, most: float) -> Callable[[str, Any], float]:
    def check(name: str, value: Any) -> float:
        if not is_number(value) or not least <= value <= most:  # a comparison also refuses nan
            raise SettingError(f"{name} is {shown(value)}: expected a number from {least:g} to {most:g}.")
        return float(value)

    return check


def numbers(count: int) -> Callable[[str, Any], tuple[float, ...]]:
    one = number(-LARGEST, LARGEST)

    def check(name: str, value: Any) -> tuple[float, ...]:
        if not isinstance(value, list) or len(value) != count:
            raise SettingError(f"{name} is {shown(value)}: expected a list of {count} numbers.")
        return tuple(one(name, part) for part in value)

    return check


def whole(least: int, most: int) -> Callable[[str, Any], int]:
    def check(name: str, value: Any) -> int:
        right = is_number(value) and least <= value <= most and math.floor(value) == value
        if not right:
            raise SettingError(f"{name} is {shown(value)}: expected a whole number from {least} to {most}.")
        return int(value)

    return check


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise SettingError(f"{name} is {shown(value)}: expected true or false.")
    return value


def one_of(choices: Iterable[str]) -> Callable[[str, Any], str]:
    allowed = tuple(choices)

    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise SettingError(f"{name} is {shown(value)}: expected one of {', '.join(allowed)}.")
        return value

    return check


def text(most: int) -> Callable[[str, Any], Any]:
    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) > most:
            raise SettingError(f"{name} is {shown(value)}: expected a text of at most {most} letters.")
        return value

    return check


def shown(value: Any) -> str:
    """A value in an error: short, whatever it is."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    if is_number(value) and abs(value) > 10**30:  # a whole number may have too many digits to print
        return "too large a number"
    return repr(value)[:60]
