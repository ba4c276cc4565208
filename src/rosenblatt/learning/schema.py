"""The words in which a model file is declared, besides the ranges of parameters: records, lists, texts.

>>> verify("epochs", 0, Whole(1))
Traceback (most recent call last):
rosenblatt.learning.schema.SchemaError: epochs is 0: expected a whole number, 1 or more
>>> verify("pair", ["a", None], ListOf(Label(), least=2, most=2))
Traceback (most recent call last):
rosenblatt.learning.schema.SchemaError: pair[1] is None: expected a text, a number, true or false
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.engine.parameters import Range, Real, Whole

MOST_COUNTED = 2**53  # examples, updates: so many are still counted one by one in a double
COUNT = Whole(0, MOST_COUNTED)
MAYBE_COUNT = Whole(0, MOST_COUNTED, optional=True)
NOT_NEGATIVE = Real(least=0)


class SchemaError(ValueError):
    """What is wrong in a file that is whole."""


@dataclass(frozen=True)
class Size:
    """A number that is not negative; of weights on their way to overflow it may be infinite."""

    optional: bool = False

    def holds(self, value: Any) -> bool:
        return value == math.inf or (value is None and self.optional) or NOT_NEGATIVE.holds(value)

    def expected(self, name: str) -> str:
        return "a number, 0 or more"


@dataclass(frozen=True)
class Label:
    """What a class can be called in JSON."""

    def holds(self, value: Any) -> bool:
        return isinstance(value, str | bool | int) or Real().holds(value)

    def expected(self, name: str) -> str:
        return "a text, a number, true or false"


@dataclass(frozen=True)
class ListOf:
    """A list, each item as declared."""

    item: Schema
    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class ByName:
    """An object with any keys, each value as declared."""

    value: Schema


@dataclass(frozen=True)
class ObjectOf:
    """An object with these keys; others are refused unless `open`: a newer release may tell more."""

    fields: Mapping[str, Schema]
    optional: Mapping[str, Schema] = field(default_factory=dict)
    open: bool = False


@dataclass(frozen=True)
class Either:
    """A value as declared by the one that is meant: by what kind of JSON it is."""

    text: Schema | None = None
    list: Schema | None = None
    object: Schema | None = None
    nothing: bool = False


Schema = Range | ListOf | ByName | ObjectOf | Either


class _MisfitError(Exception):
    """What does not fit. Its place is put together on the way out: a file may have a million values that do fit."""

    def __init__(self, wrong: str, schema: Range | None = None):
        self.wrong, self.schema, self.place = wrong, schema, ""

    def inside(self, step: str) -> _MisfitError:
        self.place = step + self.place
        return self


def verify(where: str, value: Any, schema: Schema) -> None:
    """Refuses a value that is not as declared."""
    try:
        _verify(value, schema)
    except _MisfitError as misfit:
        place = where + misfit.place
        expected = f": expected {misfit.schema.expected(place)}" if misfit.schema else ""
        raise SchemaError(f"{place} {misfit.wrong}{expected}") from None


def _verify(value: Any, schema: Schema) -> None:
    match schema:
        case ListOf():
            _expect(value, list, "a list")
            if not schema.least <= len(value) <= (len(value) if schema.most is None else schema.most):
                raise _MisfitError(f"has {len(value):,} items")
            for number, item in enumerate(value):
                try:
                    _verify(item, schema.item)
                except _MisfitError as misfit:
                    raise misfit.inside(f"[{number}]") from None
        case ByName():
            _expect(value, dict, "an object")
            for name, item in value.items():
                try:
                    _verify(item, schema.value)
                except _MisfitError as misfit:
                    raise misfit.inside(f".{shown(name)}") from None
        case ObjectOf():
            _verify_object(value, schema)
        case Either():
            of_kind: dict[Any, Schema | None] = {str: schema.text, list: schema.list, dict: schema.object}
            chosen = of_kind.get(type(value))
            if chosen is not None:
                _verify(value, chosen)
            elif value is not None or not schema.nothing:
                raise _MisfitError(f"is {shown(value)}")
        case _:
            if not schema.holds(value):
                raise _MisfitError(f"is {shown(value)}", schema)


def _verify_object(value: Any, schema: ObjectOf) -> None:
    _expect(value, dict, "an object")
    for name in schema.fields:
        if name not in value:
            raise _MisfitError(f"lacks {name}")
    for name, item in value.items():
        declared = schema.fields.get(name) or schema.optional.get(name)
        if declared is None:
            if not schema.open:
                raise _MisfitError(f"has the unknown key {shown(name)}")
            continue
        try:
            _verify(item, declared)
        except _MisfitError as misfit:
            raise misfit.inside(f".{name}") from None


def _expect(value: Any, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise _MisfitError(f"is {shown(value)}: expected {what}")


def shown(value: Any) -> str:
    """A value for an error, however long it is; a whole number of thousands of digits has no text at all."""
    return (
        f"a number of {value.bit_length():,} bits" if isinstance(value, int) and value.bit_length() > 512 else _short(value)
    )


def _short(value: Any) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:  # a list with such a number
        return f"a {type(value).__name__}"
