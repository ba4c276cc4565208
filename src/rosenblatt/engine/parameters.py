"""Keywords that are none: refused by name, with the nearest that is one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Self

from rosenblatt.errors import SettingError


def refuse_unknown(door: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuses the first keyword that the function or class of this name does not have.

    >>> refuse_unknown("train", ["epoch"], ["epochs", "order", "seed"])
    Traceback (most recent call last):
    rosenblatt.errors.SettingError: train has no keyword 'epoch': did you mean 'epochs'? It has epochs, order, seed.
    """
    names = list(known)
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, 1)
            meant = f"did you mean {near[0]!r}? It" if near else "it"
            raise SettingError(f"{door} has no keyword {name!r}: {meant} has {', '.join(names)}.")


class Settings:
    """A dataclass that refuses unknown keywords so."""

    def __new__(cls, *values: Any, **named: Any) -> Self:
        refuse_unknown(cls.__name__, named, keywords_of(cls))
        return super().__new__(cls)


def keywords_of(settings: type) -> list[str]:
    """The names of a dataclass's fields."""
    return list(getattr(settings, "__dataclass_fields__", ()))
