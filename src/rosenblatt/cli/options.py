"""Options that several verbs share, in groups: a decorator that declares them, and the dataclass that holds their values.

A verb's own dataclass inherits the groups that it needs, so that `TrainOptions(**values)` takes what click hands in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from rosenblatt.cli.types import NOT_EMPTY, NumberOrName, ThresholdType
from rosenblatt.data import FORMATS
from rosenblatt.data.read_options import MISSING_MARKS, UNLABELLED
from rosenblatt.engine.parameters import AnyOf, Choice, Parameter, Range, Whole
from rosenblatt.errors import SaveError
from rosenblatt.learning.learners import ALL_LEARNERS, LEARNERS, Learner, Recipe
from rosenblatt.learning.plan import METRIC_NAMES, MULTICLASS

if TYPE_CHECKING:
    from rosenblatt.learning.classifier import Classifier

COLUMN_NUMBER = re.compile(r"-?[0-9]{1,9}")

F = TypeVar("F", bound=Callable[..., Any])


as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Say nothing but results and errors.")
target = click.option("-t", "--target", help="Column to predict: its name, or its number from 1 (from -1 backwards).")
no_bias = click.option("--no-bias", is_flag=True, help="Learn a plane through the origin.")
numeric = click.option(
    "--numeric", type=click.Choice(["auto", "number", "bins", "category", "both"]), help="What numbers become."
)
no_scale = click.option("--no-scale", is_flag=True, help="Leave numbers as they are.")


class WrittenFile(click.ParamType[str]):
    """The name of a file to write: not an empty one, as an unset variable of a shell leaves it, and not a folder's."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value:
            self.fail("the name is empty: name a file, or leave the option out.", param, ctx)
        if value.endswith(("/", os.sep)):
            self.fail(f"{value!r} ends as the name of a folder: name a file in it.", param, ctx)
        return str(value)


WRITTEN = WrittenFile()


def all_of(command: F, *options: Callable[[F], F]) -> F:
    """The command with these options, in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def set_only(**values: Any) -> dict[str, Any]:
    """The values that were set.

    >>> set_only(numeric="both", hashing=None, ngrams=None)
    {'numeric': 'both'}
    """
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class PrintingOptions:
    """What is printed besides results and errors."""

    quiet: bool
    as_json: bool = False

    @property
    def silent(self) -> bool:
        """Is there to be no progress?"""
        return self.quiet or self.as_json


threshold = click.option(
    "--threshold",
    type=ThresholdType(),
    metavar="P|f1|cost:FP,FN",
    help="Predict the second of two classes from this probability on; or choose it on held-out rows: by F1, or by what a "
    "false positive and a false negative cost.",
)


def metric(help: str) -> Callable[[F], F]:
    """A measure, by its name."""
    return click.option("--metric", type=click.Choice(METRIC_NAMES), default="error", show_default=True, help=help)


task = click.option(
    "--task",
    type=click.Choice(["numbers", "classes"]),
    help="Predict a quantity, or take each number for a class: else as the target looks.",
)
IS_REGRESSION = {"numbers": True, "classes": False, None: None}  # what a recipe calls it


def learner(default: str, among: Mapping[str, Learner] = LEARNERS) -> Callable[[F], F]:
    """Which learner, of those in the registry."""
    return click.option("-l", "--learner", type=click.Choice(list(among)), default=default, show_default=True)


multiclass = click.option(
    "--multiclass",
    type=click.Choice(MULTICLASS),
    default="rival",
    show_default=True,
    help="More than two classes: each learns against its rival, or against the rest.",
)


def learner_parameters(among: Mapping[str, Learner] = ALL_LEARNERS) -> dict[str, Parameter]:
    """The parameters of all learners, by public name; of choices, all that one of them has."""
    every: dict[str, Parameter] = {}
    for name, one in ((name, one) for learner in among.values() for name, one in learner.every_parameter.items()):
        known = every.get(name)
        if known is not None and isinstance(known.allowed, Choice) and isinstance(one.allowed, Choice):
            one = replace(one, allowed=Choice(tuple(dict.fromkeys((*known.allowed.names, *one.allowed.names)))))
        every[name] = one
    return every


def of_learner(among: Mapping[str, Learner] = LEARNERS) -> Callable[[F], F]:
    """The parameters of the learners, as the registry declares them."""

    def declared(command: F) -> F:
        options = []
        for name, one in learner_parameters(among).items():
            owners = ", ".join(learner.name for learner in among.values() if name in learner.every_parameter)
            option = f"--{name.replace('_', '-')}"
            options.append(click.option(option, name, type=typed_in(one.allowed), help=f"{one.help} ({owners})."))
        return all_of(command, *options)

    return declared


def typed_in(allowed: Range) -> click.ParamType[Any]:
    """How the value of a parameter is typed."""
    match allowed:
        case Choice():
            return click.Choice(allowed.names)
        case Whole():
            return click.INT
        case AnyOf(other=Choice() as names):
            return NumberOrName(names.names)
    return click.FLOAT


def with_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that click hands in, those of the learners' own parameters together as `parameters`."""
    own = [name for name in learner_parameters() if name in values]
    others = {name: value for name, value in values.items() if name not in own}
    return others | {"parameters": set_only(**{name: values[name] for name in own})}


def reading(command: F) -> F:
    """How a file is to be read."""
    return all_of(
        command,
        click.option("--format", "format", metavar="NAME", help=f"Instead of looking at it: {', '.join(FORMATS)}."),
        click.option("--no-header", is_flag=True, help="The first line is data, not names."),
        click.option("--names", type=NOT_EMPTY, metavar="A,B,…", help="Names of the columns, where the file has none."),
        click.option("--delimiter", metavar="CHAR", help="Between columns: a character, or 'tab'."),
        click.option(
            "--missing", multiple=True, metavar="[COL=]MARK", help="Also missing, beside NA, NULL, …; age=99: in one column."
        ),
        click.option("--unlabelled", type=click.Choice(UNLABELLED), help="Rows without a label: by default refused."),
        click.option("--skip-lines", type=int, metavar="N", help="Lines above the table, if not titles and comments."),
        click.option("--encoding", metavar="NAME", help="Of the text, if not UTF-8: windows-1252, utf-16, cp850 …"),
        click.option("--verbose", is_flag=True, help="Tell how a file was read: format, delimiter, names."),
        click.option("--zero-based/--one-based", default=None, help="Where indices of libsvm start, if not told by a 0."),
    )


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How a file is to be read."""

    format: str | None
    no_header: bool
    names: str | None
    delimiter: str | None
    missing: tuple[str, ...] = ()
    zero_based: bool | None
    verbose: bool = False
    unlabelled: str | None = None
    skip_lines: int | None = None
    encoding: str | None = None
    target: str | None = None

    @property
    def target_column(self) -> str | int | None:
        """The number of the column to predict if it is one, else its name."""
        return int(self.target) if self.target is not None and COLUMN_NUMBER.fullmatch(self.target) else self.target

    def read_keywords(self, model: Classifier | None = None) -> dict[str, Any]:
        """The keywords of `rosenblatt.read` that differ from its own.

        Rows for a model start where its own did, and stay texts: the model knows what its columns hold.
        """
        written = [name for name, kind in kinds_of(getattr(self, "per_column", ())).items() if kind.startswith("number:")]
        return set_only(
            format=self.format,
            header=False if self.no_header or self.names else None,
            names=self.names.split(",") if self.names else None,
            delimiter=self.delimiter,
            missing=[*MISSING_MARKS, *self.missing] if self.missing else None,
            zero_based=model.zero_based if model and self.zero_based is None else self.zero_based,
            unlabelled=self.unlabelled,
            skip_lines=self.skip_lines,
            encoding=self.encoding,
            target=self.target_column,
            as_text=True if model else written or None,  # of 1.234, a number would be one and a bit
            training=model.training_names if model else None,
        )


column = click.option(
    "--column",
    "per_column",
    multiple=True,
    metavar="COL=KIND",
    help="What a column is: number, category, both, code, date, text, boolean, id, drop; also how it is written: "
    "number:1.234,5, date:%d/%m/%Y, date:excel.",
)


def encoding(command: F) -> F:
    """How values become features."""
    return all_of(
        command,
        numeric,
        column,
        click.option("--drop", type=NOT_EMPTY, metavar="A,B,…", help="Columns to leave out."),
        click.option("--only", type=NOT_EMPTY, metavar="A,B,…", help="The columns to use, and no others."),
        no_scale,
        click.option("--double", is_flag=True, help="Take numbers with 64 bits, not 32."),
        click.option("--product", "products", multiple=True, metavar="A,B|auto|all", help="Products of two columns."),
        click.option("--hash", "hashing", type=int, metavar="BITS", help="Hash values into 2^BITS features."),
        click.option(
            "--most-values",
            type=int,
            metavar="N",
            help="Give the N most frequent values of a column a feature each, and all others one together.",
        ),
        click.option("--ngrams", type=int, help="Text: also runs of up to N words."),
        click.option(
            "--weighting",
            type=click.Choice(["counts", "unit", "idf"]),
            help="Text: words as counts, rows of unit length, or these with rare words counting for more.",
        ),
    )


def kinds_of(columns: Iterable[str], dropped: str | None = None) -> dict[str, str]:
    """What --column and --drop say of columns, by name.

    >>> kinds_of(["age=category", "when=date:%d/%m/%Y"], "id,name")
    {'age': 'category', 'when': 'date:%d/%m/%Y', 'id': 'drop', 'name': 'drop'}
    """
    pairs = [part.rpartition("=") for part in columns]
    if not all(name for name, _, _ in pairs):
        raise click.UsageError("--column takes COL=KIND, for example --column age=category.")
    return {name: kind for name, _, kind in pairs} | dict.fromkeys(dropped.split(",") if dropped else (), "drop")


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """How values become features."""

    numeric: str | None
    no_scale: bool
    per_column: tuple[str, ...] = ()
    drop: str | None = None
    only: str | None = None
    missing: tuple[str, ...] = ()
    double: bool = False
    products: tuple[str, ...] = ()
    hashing: int | None = None
    most_values: int | None = None
    ngrams: int | None = None
    weighting: str | None = None

    def feature_keywords(self) -> dict[str, Any]:
        """The keywords of the feature map that differ from its own."""
        alone = [word for word in ("all", "auto") if word in self.products]
        if alone and len(set(self.products)) > 1:
            raise click.UsageError(f"--product {alone[0]} is about all columns: leave out the other --product.")
        products = alone[0] if alone else [pair.split(",") for pair in self.products]
        return set_only(
            numeric=self.numeric,
            hashing=self.hashing,
            most_values=self.most_values,
            ngrams=self.ngrams,
            weighting=self.weighting,
            scale=False if self.no_scale else None,
            double=True if self.double else None,
            per_column=kinds_of(self.per_column, self.drop) or None,
            only=self.only.split(",") if self.only else None,
            missing=list(self.missing) or None,
            products=products or None,
        )


@dataclass(frozen=True, kw_only=True)
class LearnerOptions(FeatureOptions):
    """Which learner, on which features, for how long; `parameters` holds those of its own that were set."""

    learner: str
    parameters: dict[str, Any]
    epochs: int
    seed: int
    no_bias: bool

    def recipe(self, **others: Any) -> Recipe:
        """The recipe that these options describe, with further settings of it."""
        return Recipe(
            learner=self.learner,
            epochs=self.epochs,
            seed=self.seed,
            fit_intercept=not self.no_bias,
            parameters=self.parameters,
            features=self.feature_keywords(),
            **others,
        )


READING = [field.name for field in fields(ReadingOptions)]
ENCODING = [field.name for field in fields(FeatureOptions)]


def typed() -> list[click.Option]:
    """The options of the present command that were typed, whatever their values."""
    context = click.get_current_context()
    options = [parameter for parameter in context.command.params if isinstance(parameter, click.Option)]
    return [option for option in options if context.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE]


def refuse_useless(names: Collection[str], why: str) -> None:
    """Refuses options that were typed though they would change nothing: who types one expects it to count."""
    if useless := [max(option.opts, key=len) for option in typed() if option.name in names]:
        raise click.UsageError(f"{', '.join(useless)} would change nothing {why}.")


def refuse_overwriting(written: str | None, *read: str | None) -> None:
    """Refuses to write over a file that the same command reads: a table is not to be lost to a slip of the hand."""
    for path in read if written not in (None, "-") else ():
        if path is not None and path != "-" and os.path.isdir(path):
            from rosenblatt.data.parts import is_in_folder_read

            if is_in_folder_read(Path(str(written)), Path(path)):
                raise click.UsageError(f"-o {written} is in {path}, whose files are read: name a file elsewhere.")
        elif path is not None and os.path.isfile(str(written)):
            from rosenblatt.data.parts import is_read_from

            if is_read_from(str(written), path):
                what = "standard input" if path == "-" else path
                raise click.UsageError(f"-o {written} would replace {what}, which is read: name another file.")


def refuse_no_model_file(written: str | None) -> None:
    """Refuses what no model can be saved in, before the work is done."""
    refuse_missing_folder(written)
    if written == "-":
        raise click.UsageError("-o -: a model cannot go to standard output. Name a file.")
    if written is not None and os.path.exists(written) and not os.path.isfile(written):
        raise click.UsageError(f"-o {written} is there and not an ordinary file: save the model under another name.")


def refuse_missing_folder(written: str | None) -> None:
    """Refuses a file that could not be written in the end, before the work is done."""
    folder = Path(str(written)).absolute().parent
    if written not in (None, "-") and not folder.is_dir():
        raise SaveError(f"{written} cannot be written: there is no folder {folder}; make it first.")
    if written not in (None, "-") and os.path.isdir(str(written)):
        raise click.UsageError(f"-o {written} is a folder: name a file in it.")
