"""rosenblatt data: the data sets that are known by name, and where they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rosenblatt.cli import echo, options, output
from rosenblatt.cli.types import NOT_EMPTY
from rosenblatt.errors import DataError, FileError, SettingError

LARGEST_ADULT = 20_000_000  # bytes: it has 4 million


@dataclass(frozen=True, kw_only=True)
class DataOptions(options.PrintingOptions):
    """The options of `data`."""

    name: str | None
    source: str | None


@click.command("data")
@click.argument("name", required=False)
@click.option(
    "--from",
    "source",
    type=NOT_EMPTY,
    metavar="FILE",
    help="Of income: UCI's adult.data, from which it is cut; else it is fetched.",
)
@options.as_json
@options.quiet
def data(**values: Any) -> None:
    """List the data sets that are known by name, or fetch the one of this NAME.

    The lecture's income data have no lasting address; they are cut from UCI's public adult data, to the byte.

    \b
    rosenblatt data
    rosenblatt data income --from adult.data
    """
    from rosenblatt.data.known import KNOWN, known_names

    chosen = DataOptions(**values)
    if chosen.name is None:
        options.refuse_useless(["source"], "without a NAME: income is made from it")
        output.print_json({"names": known_names()}) if chosen.as_json else echo("\n".join(known_names()))
        return
    if chosen.name not in known_names():
        raise SettingError(f"There is no data set {chosen.name!r}: choose one of {', '.join(known_names())}.")
    if chosen.name != "income":
        options.refuse_useless(["source"], "of a data set that is published: only income is made from another")
    files = make_income(chosen.source) if chosen.name == "income" else fetched(chosen.name) if chosen.name in KNOWN else []
    if chosen.as_json:
        output.print_json({"name": chosen.name, "files": [str(path) for path in files]})
        return
    echo("\n".join(map(str, files)) if files else f"{chosen.name} comes with scikit-learn: nothing is to be fetched.")
    if not chosen.quiet:
        echo(f"Next: rosenblatt facts {chosen.name}", err=True)


def fetched(name: str) -> list[Path]:
    """The files of a data set, downloaded where they are not here yet."""
    from rosenblatt.data.known import KNOWN, find_file

    return [find_file(name, file, []) for files in KNOWN[name].parts.values() for file in files]


def make_income(source: str | None) -> list[Path]:
    """The homework's two files in the cache, where `income` finds them."""
    from rosenblatt.data.income import income_from_adult
    from rosenblatt.data.known import cache_folder

    adult = Path(source) if source is not None else fetched("adult")[0]
    try:
        with open(adult, "rb") as file:
            content = file.read(LARGEST_ADULT)
    except OSError as problem:
        raise FileError(f"it cannot be read: {problem.strerror}", path=str(adult)) from None
    try:
        homework = income_from_adult(content)
    except DataError as problem:
        raise FileError(str(problem), path=str(adult)) from None
    folder = cache_folder() / "income"
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in homework.items():
        with output.writing(str(folder / name)) as stream:
            stream.write(lines)
    return [folder / name for name in homework]
