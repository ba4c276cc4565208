"""Kinds of values that options take, beside click's own."""

from __future__ import annotations

import contextlib
import math
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
