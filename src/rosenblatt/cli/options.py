"""Options that several verbs share, and how their values become arguments of the library."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rosenblatt.data import FORMATS
from rosenblatt.engine.parameters import Choice, Parameter
from rosenblatt.learning.learners import LEARNERS
from rosenblatt.learning.plan import ORDERS

if TYPE_CHECKING:
    from rosenblatt.learning.classifier import Classifier

F = TypeVar("F", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Say nothing but results and errors.")
target = click.option("-t", "--target", help="Column to predict: its name, or its number from 1 (from -1 backwards).")


order = click.option("--order", type=click.Choice(ORDERS), default="shuffled")
no_bias = click.option("--no-bias", is_flag=True, help="Learn a plane through the origin.")


def learner(default: str) -> Callable[[F], F]:
    """Which learner, of those in the registry."""
    return click.option("-l", "--learner", type=click.Choice(list(LEARNERS)), default=default, show_default=True)


def learner_parameters() -> dict[str, Parameter]:
    """The parameters of all learners, by public name."""
    return {name: one for learner in LEARNERS.values() for name, one in learner.parameters.items()}


def of_learner(command: F) -> F:
    """The parameters of the learners, as the registry declares them."""
    options = []
    for name, one in learner_parameters().items():
        owners = ", ".join(learner.name for learner in LEARNERS.values() if name in learner.parameters)
        kind = click.Choice(one.allowed.names) if isinstance(one.allowed, Choice) else click.FLOAT
        options.append(click.option(f"--{name.replace('_', '-')}", name, type=kind, help=f"{one.help} ({owners})."))
    return all_of(command, *options)


def all_of(command: F, *options: Callable[[F], F]) -> F:
    """The command with these options, in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def parameters(given: dict[str, Any]) -> dict[str, Any]:
    """The rule's parameters that were given."""
    return only(given, *learner_parameters())


def only(given: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: given[name] for name in names if given[name] is not None}


def reading(command: F) -> F:
    """How a file is to be read."""
    return all_of(
        command,
        click.option("--format", "format", metavar="NAME", help=f"Instead of looking at it: {', '.join(FORMATS)}."),
        click.option("--no-header", is_flag=True, help="The first line is data, not names."),
        click.option("--names", metavar="A,B,…", help="Names of the columns, where the file has none."),
        click.option("--delimiter", metavar="CHAR", help="Between columns: a character, or 'tab'."),
        click.option("--missing", metavar="MARK", help="What stands for a missing value, besides nothing; default '?'."),
        click.option("--zero-based/--one-based", default=None, help="Where indices of libsvm start, if not told by a 0."),
    )


def read_options(given: Mapping[str, Any], model: Classifier | None = None) -> dict[str, Any]:
    """The arguments of `rosenblatt.read` that differ from its own; rows for a model start where its own did."""
    names = given["names"]
    chosen = {
        "format": given["format"],
        "header": False if given["no_header"] or names else None,
        "names": names.split(",") if names else None,
        "delimiter": given["delimiter"],
        "missing": given["missing"],
        "zero_based": model.zero_based if model and given["zero_based"] is None else given["zero_based"],
    }
    return {name: value for name, value in chosen.items() if value is not None}


def encoding(command: F) -> F:
    """How values become features."""
    for option in reversed(
        [
            click.option(
                "--numeric", type=click.Choice(["number", "category", "both"]), help="How numeric columns are taken."
            ),
            click.option("--column", "per_column", multiple=True, metavar="COL=HOW", help="The same for one column."),
            click.option("--no-scale", is_flag=True, help="Leave numbers as they are."),
            click.option("--double", is_flag=True, help="Take numbers with 64 bits, not 32."),
            click.option(
                "--product", "products", multiple=True, metavar="A,B|all", help="Products of two columns as features."
            ),
            click.option("--hash", "hashing", type=int, metavar="BITS", help="Hash values into 2^BITS features."),
            click.option("--ngrams", type=int, help="Text: also runs of up to N words."),
        ]
    ):
        command = option(command)
    return command


def feature_options(given: dict[str, Any]) -> dict[str, Any]:
    """The options of the feature map that differ from its own."""
    chosen = {name: given[name] for name in ("numeric", "hashing", "ngrams") if given[name] is not None}
    if given["no_scale"]:
        chosen["scale"] = False
    if given["double"]:
        chosen["double"] = True
    if given["per_column"]:
        pairs = [part.rpartition("=") for part in given["per_column"]]
        if not all(name for name, _, _ in pairs):
            raise click.UsageError("--column takes COL=HOW, for example --column age=category.")
        chosen["per_column"] = {name: how for name, _, how in pairs}
    if given["products"]:
        chosen["products"] = "all" if "all" in given["products"] else [p.split(",") for p in given["products"]]
    return chosen


def column(name: str | None) -> str | int | None:
    """A column's number if it is one, else its name."""
    if name is None:
        return None
    return int(name) if name.lstrip("-").isdigit() else name


def print_json(found: dict[str, Any]) -> None:
    """One object on one line, floats in full."""
    click.echo(json.dumps(found, ensure_ascii=False, default=plain))


def plain(value: Any) -> Any:
    """numpy's numbers as Python's."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def percent(share: float) -> str:
    return f"{100 * share:.2f} %"
