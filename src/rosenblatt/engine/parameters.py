"""Declared parameters: what a value may be stands once, beside the field that holds it.

    @dataclass(frozen=True)
    class Mira(Settings):
        p: float = parameter(0.0, Real(least=0, below=1), help="Also correct examples that are right by less than p.")

A `Settings` refuses other values, and keywords that it does not have, when it is made. The command line, the playground and
the docs read the same declarations. Nothing heavy is imported here.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from types import UnionType
from typing import Any, Protocol, Self, TypeVar

from rosenblatt.errors import SettingError

T = TypeVar("T")


class Range(Protocol):
    """The values that a parameter may have."""

    def holds(self, value: Any) -> bool: ...
    def expected(self, name: str) -> str:
        """In words, for the error about the parameter of this name."""


@dataclass(frozen=True)
class Real:
    """A finite number between limits; `above` and `below` are limits that it may not reach.

    >>> Real(above=0).expected("C"), Real(least=0, below=1).expected("p"), Real(most=5).expected("x")
    ('a finite number above 0', '0 ≤ p < 1', 'a finite number, 5 or less')
    """

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None
    optional: bool = False  # may it be None?

    def holds(self, value: Any) -> bool:
        if value is None:
            return self.optional
        if type(value) is not float and (isinstance(value, bool) or not isinstance(value, numbers.Real)):
            return False
        number: Any = value  # of whatever type, a fraction too
        try:
            finite = math.isfinite(number)
        except OverflowError:  # a whole number may be finite and yet no float
            finite = False
        return finite and (
            (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
            and (self.below is None or number < self.below)
        )

    def expected(self, name: str) -> str:
        low, from_low = (self.least, "≤") if self.above is None else (self.above, "<")
        high, to_high = (self.most, "≤") if self.below is None else (self.below, "<")
        if low is not None and high is not None:
            words = f"{low:g} {from_low} {name} {to_high} {high:g}"
        elif high is not None:
            words = f"a finite number, {high:g} or less" if self.below is None else f"a finite number below {high:g}"
        elif low is None:
            words = "a finite number"
        else:
            words = f"a finite number, {low:g} or more" if self.above is None else f"a finite number above {low:g}"
        return f"None or {words}" if self.optional else words


@dataclass(frozen=True)
class Whole:
    """A whole number of at least so much, and at most `most` where there is a limit.

    >>> Whole(1).expected("epochs"), Whole(1, 8).expected("degree"), Whole(1).holds(True)
    ('a whole number, 1 or more', 'a whole number from 1 to 8', False)
    """

    least: int
    most: int | None = None
    optional: bool = False

    def holds(self, value: Any) -> bool:
        if value is None:
            return self.optional
        if type(value) is not int and (isinstance(value, bool) or not isinstance(value, numbers.Integral)):
            return False
        return int(value) >= self.least and (self.most is None or int(value) <= self.most)

    def expected(self, name: str) -> str:
        limits = f", {self.least} or more" if self.most is None else f" from {self.least} to {self.most}"
        return f"{'None or ' if self.optional else ''}a whole number{limits}"


@dataclass(frozen=True)
class Choice:
    """One of some names.

    >>> Choice(("I", "II")).expected("variant"), Choice(("a", "b", "c")).expected("letter")
    ("'I' or 'II'", "one of 'a', 'b', 'c'")
    """

    names: tuple[str, ...]

    def holds(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.names

    def expected(self, name: str) -> str:
        listed = [repr(name) for name in self.names]
        return " or ".join(listed) if len(listed) <= 2 else f"one of {', '.join(listed)}"


@dataclass(frozen=True)
class Flag:
    """True or False; None too where it is optional."""

    optional: bool = False

    def holds(self, value: Any) -> bool:
        return type(value).__name__ in ("bool", "bool_") or (value is None and self.optional)  # Python's or numpy's

    def expected(self, name: str) -> str:
        return "True, False or None" if self.optional else "True or False"


@dataclass(frozen=True)
class Text:
    """A text, of at most so many letters.

    >>> Text().expected("name"), Text(most=80).holds("short"), Text(optional=True).holds(None)
    ('a text', True, True)
    """

    most: int | None = None
    optional: bool = False  # may it be None?

    def holds(self, value: Any) -> bool:
        if value is None:
            return self.optional
        return isinstance(value, str) and (self.most is None or len(value) <= self.most)

    def expected(self, name: str) -> str:
        text = "a text" if self.most is None else f"a text of at most {self.most} letters"
        return f"None or {text}" if self.optional else text


@dataclass(frozen=True)
class AnyOf:
    """What one of two ranges holds.

    >>> AnyOf(Flag(), Choice(("once", "blocks"))).expected("shuffle")
    "True or False, or 'once' or 'blocks'"
    """

    one: Range
    other: Range

    def holds(self, value: Any) -> bool:
        return self.one.holds(value) or self.other.holds(value)

    def expected(self, name: str) -> str:
        return f"{self.one.expected(name)}, or {self.other.expected(name)}"


class Nothing:
    """None, of what others may have."""

    def holds(self, value: Any) -> bool:
        return value is None

    def expected(self, name: str) -> str:
        return "None"


@dataclass(frozen=True)
class Anything:
    """What is looked at elsewhere; in words, for those who read about it."""

    words: str = "anything"

    def holds(self, value: Any) -> bool:
        return True

    def expected(self, name: str) -> str:
        return self.words


@dataclass(frozen=True)
class Parameter:
    """A declared parameter: what users call it, what it may be, and a line of help."""

    name: str
    default: Any
    allowed: Range
    help: str = ""
    note: str = ""  # why the limits are what they are, for the error

    def check(self, value: Any) -> None:
        """Refuses a value that it cannot have."""
        check(self.name, value, self.allowed, self.note)


def check(name: str, value: T, allowed: Range, note: str = "") -> T:
    """The value, if it is within the range; otherwise an error that names both.

    >>> check("C", -1, Real(above=0))
    Traceback (most recent call last):
    rosenblatt.errors.SettingError: C is -1: expected a finite number above 0.
    """
    if not allowed.holds(value):
        raise SettingError(f"{name} is {value!r}: expected {allowed.expected(name)}{f' ({note})' if note else ''}.")
    return value


def parameter(default: Any, allowed: Range, *, name: str = "", help: str = "", note: str = "") -> Any:
    """A dataclass field with its range; `name` is what users call it, where that differs from the field's name."""
    return field(default=default, metadata={"name": name, "declared": (allowed, help, note)})


_DECLARED: dict[type, dict[str, Parameter]] = {}


def declared_in(kind: type) -> dict[str, Parameter]:
    """The declared parameters of a dataclass, by field."""
    if kind not in _DECLARED:
        _DECLARED[kind] = {
            one.name: Parameter(one.metadata["name"] or one.name, one.default, *one.metadata["declared"])
            for one in fields(kind)
            if "declared" in one.metadata
        }
    return _DECLARED[kind]


def refuse_wrong_parameters(settings: Any) -> None:
    """Refuses the first parameter of a dataclass that is outside its declared range, by name."""
    for name, one in declared_in(type(settings)).items():
        one.check(getattr(settings, name))


class Settings:
    """A dataclass that refuses keywords that it does not have, and values outside their declared ranges."""

    def __new__(cls, *values: Any, **named: Any) -> Self:
        refuse_unknown(cls.__name__, named, keywords_of(cls))
        return super().__new__(cls)

    def __post_init__(self) -> None:
        refuse_wrong_parameters(self)

    @classmethod
    def declared(cls) -> dict[str, Parameter]:
        """The declared parameters, by field."""
        return declared_in(cls)


def keywords_of(settings: type) -> list[str]:
    """The names of a dataclass's fields."""
    return list(getattr(settings, "__dataclass_fields__", ()))


def refuse_unknown(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuses the first keyword that the function or class of this name does not have, with the nearest that it has.

    >>> refuse_unknown("train", ["epoch"], ["epochs", "order", "seed"])
    Traceback (most recent call last):
    rosenblatt.errors.SettingError: train has no keyword 'epoch': did you mean 'epochs'? It has epochs, order, seed.
    """
    names = list(known)
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, 1)
            meant = f"did you mean {near[0]!r}? It" if near else "it"
            raise SettingError(f"{function} has no keyword {name!r}: {meant} has {', '.join(names)}.")


def check_type(value: Any, expected: type | UnionType) -> None:
    """What is saved is data from outside: a value of the wrong type is refused when it is read, not when it is used."""
    if not isinstance(value, expected):
        raise TypeError(f"{value!r} is not {expected}")
