"""The words in which a model file is declared, besides the ranges of parameters: records, lists, texts.

>>> verify("epochs", 0, Whole(1))
Traceback (most recent call last):
rosenblatt.learning.schema.SchemaError: epochs is 0: expected a whole number, 1 or more
>>> verify("pair", ["a", 1], ListOf(Text(), least=2, most=2))
Traceback (most recent call last):
rosenblatt.learning.schema.SchemaError: pair[1] is 1: expected a text
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


class SchemaError(ValueError):
    """What is wrong in a file that is whole."""


@dataclass(frozen=True)
class Text:
    """A text."""

    optional: bool = False

    def holds(self, value: Any) -> bool:
        return isinstance(value, str) or (value is None and self.optional)

    def expected(self, name: str) -> str:
        return "None or a text" if self.optional else "a text"


@dataclass(frozen=True)
class Size:
    """A number that is not negative; of weights on their way to overflow it may be infinite."""

    optional: bool = False

    def holds(self, value: Any) -> bool:
        return value == math.inf or Real(least=0, optional=self.optional).holds(value)

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
class Record:
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


Schema = Range | ListOf | ByName | Record | Either


def verify(where: str, value: Any, schema: Schema) -> None:
    """Refuses a value that is not as declared."""
    match schema:
        case ListOf():
            _expect(where, value, list, "a list")
            if not schema.least <= len(value) <= (len(value) if schema.most is None else schema.most):
                raise SchemaError(f"{where} has {len(value):,} items")
            for number, item in enumerate(value):
                verify(f"{where}[{number}]", item, schema.item)
        case ByName():
            _expect(where, value, dict, "an object")
            for name, item in value.items():
                verify(f"{where}.{shown(name)}", item, schema.value)
        case Record():
            _expect(where, value, dict, "an object")
            known = {**schema.fields, **schema.optional}
            missing = [name for name in schema.fields if name not in value]
            unknown = [name for name in value if name not in known and not schema.open]
            if missing or unknown:
                wrong = f"lacks {missing[0]}" if missing else f"has the unknown key {shown(unknown[0])}"
                raise SchemaError(f"{where} {wrong}")
            for name in known:
                if name in value:
                    verify(f"{where}.{name}", value[name], known[name])
        case Either():
            of_kind: dict[Any, Schema | None] = {str: schema.text, list: schema.list, dict: schema.object}
            chosen = of_kind.get(type(value))
            if chosen is not None:
                verify(where, value, chosen)
            elif value is not None or not schema.nothing:
                raise SchemaError(f"{where} is {shown(value)}")
        case _:
            if not schema.holds(value):
                raise SchemaError(f"{where} is {shown(value)}: expected {schema.expected(where)}")


def _expect(where: str, value: Any, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise SchemaError(f"{where} is {shown(value)}: expected {what}")


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
