"""rosenblatt facts: what data tell before anything is learned."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, options, output, print_reading_notes
from rosenblatt.cli.output import print_table
from rosenblatt.cli.types import NOT_EMPTY
from rosenblatt.errors import SettingError, amount, counted, percent

if TYPE_CHECKING:
    from rosenblatt.data import Dataset
    from rosenblatt.data.columns.kinds import Overrides
    from rosenblatt.studies.facts import Fact, Facts

VALUES_SHOWN = 20
GROUPS_DRAWN = 20
PAIRS_SHOWN = 40  # there are so many more of them


@dataclass(frozen=True, kw_only=True)
class FactsOptions(options.ReadingOptions, options.PrintingOptions):
    """The options of `facts`."""

    file: str
    positive: str | None
    pairs: bool
    least: int | None
    top: int | None
    sort: str
    pool: int | None
    plot: str | None
    path: str | None
    numeric: str | None
    per_column: tuple[str, ...]
    task: str | None


@click.command()
@click.argument("file")
@options.target
@click.option("--positive", metavar="LABEL", help="Class whose share is told: else the second of two, the largest of more.")
@click.option("--pairs", is_flag=True, help="Also pairs of values of two columns.")
@click.option("--least", type=click.IntRange(1), metavar="N", help="Rows a value must have to be told of (1; words: 5).")
@click.option(
    "--top", type=click.IntRange(0), metavar="N", help=f"Lines in a list; 0 for all ({VALUES_SHOWN}; with --json all)."
)
@click.option(
    "--sort", type=click.Choice(["share", "value", "rows"]), default="share", show_default=True,
    help="Lists by how extreme the share is, by value (numbers by size), or by how many rows have it.",
)  # fmt: skip
@click.option(
    "--pool",
    type=click.IntRange(2),
    metavar="N",
    help="Values of a column in at most N groups: numbers side by side, rare texts together.",
)
@click.option(
    "--plot",
    type=NOT_EMPTY,
    metavar="COL",
    help="Draw the share against this column of numbers, in 20 groups or --pool.",
)
@click.option(
    "-o", "--output", "path", type=options.WRITTEN, metavar="FILE", help="Where to draw it, .svg or .png; else share.svg."
)
@click.option("--numeric", type=click.Choice(["number", "category"]), help="Numbers never or always value by value.")
@options.column
@options.task
@options.reading
@options.as_json
@options.quiet
def facts(**values: Any) -> None:
    """Look at FILE before learning from it.

    Of a quantity: how it is spread, and how much of its variance each column tells by itself. Of classes: class
    balance; the share of a class among the rows with each value, extreme ones first; duplicates; rows that contradict
    each other; what to take care of. FILE is whatever `train` takes.

    \b
    rosenblatt facts iris --top 5
    rosenblatt facts people.csv --target income --pairs --least 2
    rosenblatt facts people.csv --target income --sort value --top 0
    rosenblatt facts people.csv --target income --pool 8 --plot age
    """
    from rosenblatt.data import read
    from rosenblatt.data.columns.kinds import Overrides
    from rosenblatt.learning.examples import has_quantity, labels_of
    from rosenblatt.studies.facts import examine_data, in_order

    chosen = FactsOptions(**values)
    said = Overrides(options.kinds_of(chosen.per_column), chosen.missing)
    data = read(chosen.file, **chosen.read_keywords())
    print_reading_notes(data)
    if chosen.task == "numbers" or (chosen.task is None and has_quantity(labels_of(data))):
        useless = ["positive", "pairs", "least", "numeric", "sort", "pool", "plot"]
        options.refuse_useless(useless, "about numbers: they are told of classes")
        tell_numbers(data, said, chosen)
        return
    if chosen.path and not chosen.plot:
        raise click.UsageError("-o says where to draw: give --plot COL, too.")
    if chosen.pool:
        options.refuse_useless(["numeric"], "with --pool: all columns are pooled")
    facts = examine_data(
        data,
        chosen.positive,
        numeric=chosen.numeric,
        least=chosen.least,
        pairs=chosen.pairs,
        pool=chosen.pool,
        columns=said,
    )
    facts.values = in_order(facts.values, chosen.sort)
    drawn = draw_share(data, facts, chosen) if chosen.plot else None
    if chosen.as_json:
        output.print_json(as_object(facts, chosen.top or None) | ({"plot": drawn} if drawn else {}))
        return
    print_facts(data.name, facts, chosen)
    if drawn and not chosen.quiet:
        echo(f"drawn in {drawn}", err=True)
    if not chosen.quiet:
        for note in facts.notes:
            echo(note, err=True)


def draw_share(data: Dataset, facts: Facts, chosen: FactsOptions) -> str:
    """Draws the share against a column of numbers; the file's name."""
    assert chosen.plot is not None
    from rosenblatt.show.canvas import pyplot, saved
    from rosenblatt.show.shares import ShareDisplay
    from rosenblatt.studies.facts import examine_data

    target = Path(chosen.path or "share.svg")
    if target.suffix not in (".svg", ".png"):
        raise click.UsageError(f"The picture is to be {target.name!r}: end its name in .svg or .png.")
    if chosen.plot not in facts.ranges:
        known = ", ".join(facts.ranges) or "none"
        raise SettingError(f"--plot {chosen.plot} is no column of numbers: those are {known}.")
    counted = facts if chosen.pool else examine_data(data, str(facts.positive), pool=GROUPS_DRAWN)
    display = ShareDisplay.from_facts(counted, chosen.plot)
    picture = saved(display.figure_, target.suffix[1:])
    pyplot().close(display.figure_)
    with output.writing(str(target)) as stream:
        stream.write(picture)
    return str(target)


def tell_numbers(data: Dataset, said: Overrides, chosen: FactsOptions) -> None:
    """The facts of a quantity: a table, or JSON."""
    from rosenblatt.studies.number_facts import examine_numbers

    facts = examine_numbers(data, said)
    if chosen.as_json:
        shares = [asdict(one) for one in facts.columns[: chosen.top or None]]
        spread = {"mean": facts.mean, "sd": facts.sd, "quantiles": facts.quantiles}
        counts = {"rows": facts.rows, "left_out": facts.left_out}
        columns = output.columns_object(facts.readings)
        output.print_json({"task": "numbers", **counts, "target": spread, "told_by": shares, "columns": columns})
        return
    left_out = f", {facts.left_out:,} more without a number" if facts.left_out else ""
    echo(
        f"{data.name}: {counted(facts.rows, 'row')}{left_out}; the target is a quantity (--task classes looks at classes)\n"
    )
    names = ("least", "a quarter below", "half below", "three quarters below", "most")
    lines = [*zip(names, facts.quantiles, strict=True), ("mean", facts.mean), ("standard deviation", facts.sd)]
    print_table(["target", ""], [[name, amount(value)] for name, value in lines], 0)
    if facts.readings and not chosen.quiet:
        echo()
        output.print_columns(facts.readings)
    if facts.columns:
        echo("\nHow much of the target's variance a column tells by itself, by a line or by the means of its values:")
        shares_told = [[one.column, percent(one.share), one.how] for one in facts.columns]
        print_table(["column", "share", "by"], shares_told, VALUES_SHOWN if chosen.top is None else chosen.top)


def as_object(facts: Facts, top: int | None) -> dict[str, Any]:
    """The contract of --json."""
    keys = {
        "rows": facts.rows,
        "classes": {str(label): count for label, count in facts.classes.items()},
        "positive": facts.positive,
        "share": facts.base,
        "values": [
            {"feature": fact.feature, "value": fact.value, "count": fact.count, "share": fact.share}
            for fact in facts.values[:top]
        ],
        "distinct": facts.distinct,
        "duplicates": facts.duplicates,
        "contradictions": facts.contradictions,
        "suggestions": facts.suggestions,
        "notes": facts.notes,
        "columns": output.columns_object(facts.readings),
        "ranges": {column: list(ends) for column, ends in facts.ranges.items()},
    }
    if facts.pairs is not None:
        keys["pairs"] = [
            {"features": [a.feature, b.feature], "values": [a.value, b.value], "count": a.count, "share": a.share}
            for a, b in facts.pairs[:top]
        ]
    return keys


def print_facts(name: str, facts: Facts, chosen: FactsOptions) -> None:
    """The facts for people."""
    top, top_pairs = (VALUES_SHOWN, PAIRS_SHOWN) if chosen.top is None else (chosen.top, chosen.top)
    echo(
        f"{name}: {counted(facts.rows, 'row')}, {facts.distinct:,} distinct without their labels; "
        f"{facts.duplicates:,} {'repeats' if facts.duplicates == 1 else 'repeat'} an earlier row, label and all"
    )
    carry, distinct = "carries" if facts.contradictions == 1 else "carry", counted(facts.distinct, "distinct row")
    echo(f"contradictions: {facts.contradictions:,} of {distinct} {carry} more than one label\n")
    balance = [[str(label), str(count), percent(count / facts.rows)] for label, count in facts.classes.items()]
    print_table(["class", "rows", "share"], balance, top)
    if facts.readings and not chosen.quiet:
        echo()
        output.print_columns(facts.readings)
    if facts.ranges:
        ranges = [[column, amount(least), amount(most)] for column, (least, most) in facts.ranges.items()]
        echo()
        print_table(["numbers", "least", "most"], ranges, top)
    positive = str(facts.positive)
    header = ["rows", positive, "share"]
    if facts.values and (chosen.sort == "share" or facts.kind != "table"):  # else the lists below say it column by column
        furthest = f"whose share of {positive} is furthest from {percent(facts.base)}, the share in all rows"
        echo(f"\nValues {furthest if chosen.sort == 'share' else f'by {chosen.sort}'}:")
        print_table(["value", *header], [cells(fact.name, fact) for fact in facts.values], top)
    if facts.pairs:
        echo("\nPairs of values, likewise:")
        print_table(["pair", *header], [cells(f"{a.name} & {b.name}", a) for a, b in facts.pairs], top_pairs)
    if facts.kind == "table":
        by_column: dict[str, list[Fact]] = {column: [] for column in facts.columns}
        for fact in facts.values:
            by_column[fact.feature].append(fact)
        if facts.values and chosen.sort == "share":
            echo("\nThe same by column, the share furthest from that in all rows first (--sort value for another order):")
        for column, of_column in by_column.items():
            if not of_column:
                continue
            echo()
            rows = [cells("(missing)" if fact.value is None else fact.value, fact) for fact in of_column]
            print_table([column, *header], rows, top)
    for suggestion in facts.suggestions:
        echo(f"\n→ {suggestion}")


def cells(name: str, fact: Fact) -> list[str]:
    return [name, str(fact.count), str(fact.hits), percent(fact.share)]
