"""Kinds of values that options take, beside click's own."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Collection
from typing import Any

import click


class Seconds(click.FloatRange):
    """A time; click takes nan for a number within any range."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is no time in seconds.", param, ctx)
        return seconds


class NotEmpty(click.ParamType[str]):
    """A name, of a file or of columns: not an empty one, as an unset variable of a shell leaves it."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value:
            self.fail("it is empty: give a name, or leave it out.", param, ctx)
        return str(value)


NOT_EMPTY = NotEmpty()


class WrittenFolder(click.ParamType[str]):
    """The name of a folder to write into: not an empty one, as an unset variable of a shell leaves it, and not a file's."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value:
            self.fail("the name is empty: name a folder, or leave the option out.", param, ctx)
        if os.path.exists(value) and not os.path.isdir(value):
            self.fail(f"{value!r} is a file: name a folder.", param, ctx)
        return str(value)


class Address(click.ParamType[str]):
    """Where a cluster is; not empty."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value:
            self.fail("the address is empty: name one, or leave the option out.", param, ctx)
        return str(value)


class NumberOrName(click.ParamType[float | str]):
    """A number, or one of some names."""

    name = "number"

    def __init__(self, names: Collection[str]):
        self.names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        return str(value) if value in self.names else click.FLOAT.convert(value, param, ctx)


class ThresholdType(click.ParamType[float | str]):
    """A probability, or how one is chosen; which of them can be, the recipe says."""

    name = "threshold"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | str:
        with contextlib.suppress(ValueError):
            return float(value)
        return str(value)
