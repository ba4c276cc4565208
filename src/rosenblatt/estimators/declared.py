"""Estimators as dataclasses of declared parameters: what each may be stands beside it, and `help` lists them all."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any, TypeVar

from rosenblatt.engine.parameters import AnyOf, Anything, Choice, Flag, Range, Real, Settings, Whole, declared_in

E = TypeVar("E", bound=type)

# What several estimators take.
SHUFFLES = AnyOf(Flag(), Choice(("once", "replacement", "blocks")))
SHUFFLE_HELP = (
    'Order of the examples: True (a new one before every pass), "once", False (as given), "replacement", or "blocks" (of 64 '
    "rows: faster, for data without runs of one class)."
)
VERBOSE = AnyOf(Flag(), Whole(0))
CLASS_WEIGHT = Anything("dict, 'balanced' or None")
CLASS_WEIGHT_HELP = 'Factors of the step by label, {label: factor}, or "balanced"; they scale it as sample weights do.'


def declared_by(settings: type[Settings], name: str, help: str) -> Any:
    """A parameter that a rule or other settings declare as one of an estimator: the same default, the same range."""
    one = next(one for one in settings.declared().values() if one.name == name)
    return field(default=one.default, metadata={"name": name, "declared": (one.allowed, help, one.note)})


def estimator(kind: E) -> E:
    """The class as scikit-learn wants it: a keyword a parameter, and a docstring that numpydoc's readers know."""
    described: Any = dataclass(eq=False, repr=False, kw_only=True)(kind)
    described.__doc__ = numpydoc(described)
    return described  # type: ignore[no-any-return]


def numpydoc(kind: type) -> str:
    """The docstring with all parameters and attributes, own and inherited, before its examples.

    The attributes of a class are in its `_attributes`: what each is, by its name and type.
    """
    words = inspect.cleandoc(kind.__doc__ or "")
    about, mark, examples = words.partition("\n>>> ")
    declared = declared_in(kind)
    nearest_first = [name for base in kind.__mro__ for name in vars(base).get("__annotations__", ()) if name in declared]
    parameters = {
        f"{name} : {type_name(one.allowed)}, default={one.default!r}": one.help
        for name, one in ((name, declared[name]) for name in nearest_first)
    }
    attributes: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        attributes |= vars(base).get("_attributes", {})
    sections = [about.rstrip(), _section("Parameters", parameters), _section("Attributes", attributes)]
    if mark:
        sections.append(f"Examples\n--------\n>>> {examples.rstrip()}")
    return "\n\n".join(filter(None, sections)) + "\n"


def type_name(allowed: Range) -> str:
    """What a parameter may be, as docstrings write it.

    >>> type_name(AnyOf(Flag(), Choice(("once", "blocks")))), type_name(Real(least=0, optional=True))
    ("bool or {'once', 'blocks'}", 'float or None')
    """
    match allowed:
        case AnyOf():
            names = [*type_name(allowed.one).split(" or "), *type_name(allowed.other).split(" or ")]
            return " or ".join(dict.fromkeys(names))  # each once
        case Choice():
            return f"{{{', '.join(map(repr, allowed.names))}}}"
        case Flag() | Whole() | Real():
            name = {Flag: "bool", Whole: "int", Real: "float"}[type(allowed)]
            return f"{name} or None" if allowed.optional else name
    return allowed.expected("")


def _section(title: str, entries: dict[str, str]) -> str:
    lines = [f"{name}\n{fill(text, 100, initial_indent='    ', subsequent_indent='    ')}" for name, text in entries.items()]
    return "\n".join([title, "-" * len(title), *lines]) if lines else ""
