"""How to make a model again: the command and the Python that write the same bytes, from what the model file knows.

>>> from rosenblatt.learning.learners import Recipe
>>> source = TrainingSource("people.csv", target="income", holdout=0.2)
>>> print(command(Recipe(learner="mira", parameters={"p": 0.5}), source))
rosenblatt train people.csv --target income --holdout 0.2 --learner mira --epochs 5 --seed 0 --p 0.5 -o model.rosenblatt
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

from rosenblatt.data.read_options import MISSING_MARKS
from rosenblatt.errors import as_argument
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.learn import MANY_CLASSES
from rosenblatt.learning.learners import Recipe

ALWAYS_NAMED = ("learner", "epochs", "seed")  # even where they are the usual ones
OPTION_FLAGS: dict[str, dict[object, str]] = {
    "average": {True: "--average", False: "--last"},
    "fit_intercept": {False: "--no-bias", True: ""},
    "scale": {False: "--no-scale", True: ""},
    "double": {True: "--double", False: ""},
    "keep_log": {True: "--keep-log", False: ""},
    "calibrate": {True: "--calibrate", False: ""},
    "regression": {True: "--task=numbers", False: "--task=classes"},
    "header": {False: "--no-header", True: ""},
    "zero_based": {True: "--zero-based", False: "--one-based"},
}
OPTION_NAMES = {
    "learner": "--learner", "epochs": "--epochs", "seed": "--seed", "order": "--order", "tol": "--tol",
    "metric": "--metric", "threshold": "--threshold", "patience": "--patience", "multiclass": "--multiclass",
    "numeric": "--numeric", "hashing": "--hash", "most_values": "--most-values",
    "ngrams": "--ngrams", "weighting": "--weighting",
    "format": "--format", "delimiter": "--delimiter", "target": "--target",
    "holdout": "--holdout", "dev": "--dev",
}  # fmt: skip


class NoOptionError(Exception):
    """The command line has no option for this."""


@dataclass(frozen=True)
class TrainingSource:
    """Where the rows came from; the model file does not know it. `read` are further keywords of `rosenblatt.read`."""

    file: str = "FILE"
    target: str | int | None = None
    dev: str | None = None
    holdout: float | None = None
    read: dict[str, object] = field(default_factory=dict)
    output: str = "model.rosenblatt"


def recipe_of(model: Classifier) -> Recipe:
    """The recipe of a model, with the features of an older file named, since others are usual now."""
    usual = model.recipe.map_options(model.kind)
    features = {name: getattr(model.features, name, value) for name, value in usual.items()}
    other = {name: value for name, value in features.items() if value != usual[name]}
    # Where the labels could be a quantity, it has to be said that they are classes.
    doubtful = len(model.classes) > MANY_CLASSES and model.classes.dtype.kind in "iuf"
    regression = model.recipe.regression or (False if doubtful else None)
    return replace(model.recipe, features=model.recipe.features | other, regression=regression)


def chosen_settings(recipe: Recipe) -> dict[str, object]:
    """The keywords of a recipe that differ from the usual ones, and those that are always named."""
    usual = Recipe()
    settings = {part.name: getattr(recipe, part.name) for part in fields(Recipe)}
    return {name: value for name, value in settings.items() if name in ALWAYS_NAMED or value != getattr(usual, name)}


def command(recipe: Recipe, source: TrainingSource) -> str | None:
    """The command; None where an option is missing for what Python can say, as a weight for every class."""
    try:
        parts = [*_options(source.read), *_settings(recipe)]
    except NoOptionError:
        return None
    named = (part for name in ("target", "dev", "holdout") for part in _option(name, getattr(source, name)))
    return shlex.join(["rosenblatt", "train", as_argument(source.file), *named, *parts, "-o", source.output])


def _settings(recipe: Recipe) -> Iterator[str]:
    features = dict(recipe.features)
    apart = ("parameters", "features", "class_weight")
    yield from _options({name: value for name, value in chosen_settings(recipe).items() if name not in apart})
    if recipe.class_weight == "balanced":
        yield "--balanced"
    elif recipe.class_weight is not None:
        raise NoOptionError
    for name, value in recipe.parameters.items():
        yield from _option(f"--{name.replace('_', '-')}", value)
    for name, how in features.pop("per_column", {}).items():
        yield from _option("--column", f"{name}={how}")
    products = features.pop("products", [])
    for pair in [[products]] if isinstance(products, str) else products:
        if any("," in name for name in pair):
            raise NoOptionError
        yield from _option("--product", ",".join(pair))
    features.pop("missing", None)  # of reading, too
    if only := features.pop("only", None):
        if any("," in name for name in only):
            raise NoOptionError
        yield from _option("--only", ",".join(only))
    yield from _options(features)


def _options(chosen: dict[str, Any]) -> Iterator[str]:
    for name, value in chosen.items():
        if name == "names":
            if any("," in column for column in value):
                raise NoOptionError
            yield from _option("--names", ",".join(value))
        elif name == "missing":
            for mark in value:
                yield from _option("--missing", mark) if mark not in MISSING_MARKS else ()
        elif name in OPTION_FLAGS:
            yield from filter(None, [OPTION_FLAGS[name][value]] if value is not None else [])
        elif name in OPTION_NAMES and not isinstance(value, list | tuple | dict):
            yield from _option(name, value)
        else:
            raise NoOptionError


def _option(name: str, value: object) -> list[str]:
    if value is None:
        return []
    option, text = OPTION_NAMES.get(name, name), str(value)
    return [f"{option}={text}"] if text.startswith("-") else [option, text]


def script(recipe: dict[str, object], source: TrainingSource, split: dict[str, object] | None = None) -> str:
    """The training as Python; `recipe` are keywords of `Recipe`, `split` those of `rosenblatt.split` besides the share."""
    read = source.read | ({} if source.target is None else {"target": source.target})
    lines = ["import rosenblatt", "", f"data = rosenblatt.read({arguments([source.file], read)})"]
    if source.dev is not None:
        start = ", zero_based=data.zero_based" if source.target is None and "zero_based" not in read else ""
        # Its cells stay texts, as those of all rows that are read for a model, which knows what its columns hold.
        lines.append(f"dev = rosenblatt.read({arguments([source.dev], read | {'as_text': True})}{start})")
    if source.holdout is not None:
        lines.append(f"data, dev = rosenblatt.split({', '.join(['data', arguments([source.holdout], split or {})])})")
    dev = "" if source.dev is None and source.holdout is None else ", dev=dev"
    lines.append(f"model = rosenblatt.learn(data, rosenblatt.Recipe({arguments([], recipe)}){dev})")
    lines.append(f"model.save({source.output!r})")
    return "\n".join(lines)


def arguments(positional: list[object], keywords: dict[str, object]) -> str:
    """A call's arguments as Python writes them.

    >>> arguments(["people.csv"], {"target": "income"})
    "'people.csv', target='income'"
    """
    return ", ".join([*map(repr, positional), *(f"{name}={value!r}" for name, value in keywords.items())])
