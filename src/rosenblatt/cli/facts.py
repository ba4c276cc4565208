"""rosenblatt facts: what data tell before anything is learned."""

from __future__ import annotations

from typing import Any

import click

from rosenblatt.cli import options
from rosenblatt.cli.options import percent

TOP = 20
PAIRS = 40  # there are so many more of them


@click.command()
@click.argument("file")
@options.target
@click.option("--positive", metavar="LABEL", help="Class whose share is told: else the second of two, the largest of more.")
@click.option("--pairs", is_flag=True, help="Also pairs of values of two columns.")
@click.option("--least", type=click.IntRange(1), metavar="N", help="Rows a value must have to be told of (1; words: 5).")
@click.option("--top", type=click.IntRange(0), metavar="N", help=f"Lines in a list; 0 for all ({TOP}; with --json all).")
@click.option("--numeric", type=click.Choice(["number", "category"]), help="Numbers never or always value by value.")
@options.reading
@options.as_json
@options.quiet
def facts(file: str, **given: Any) -> None:
    """Look at FILE before learning from it.

    Class balance; the share of a class among the rows with each value, extreme ones first; duplicates; rows that
    contradict each other; what to take care of. FILE is whatever `train` takes.

    \b
    rosenblatt facts iris --top 5
    rosenblatt facts people.csv --target income --pairs --least 2
    """
    from rosenblatt.data import read
    from rosenblatt.studies.facts import examine_data

    reading = options.read_options(given)
    data = read(file, **reading, target=options.column(given["target"]))
    found = examine_data(data, given["positive"], numeric=given["numeric"], least=given["least"], pairs=given["pairs"])
    if given["as_json"]:
        options.print_json(as_object(found, given["top"] or None))
        return
    tell(data.name, found, given["top"])
    if not given["quiet"]:
        for note in found.notes:
            click.echo(note, err=True)


def as_object(found: Any, top: int | None) -> dict[str, Any]:
    """The contract of --json."""
    made = {
        "rows": found.rows,
        "classes": {str(label): count for label, count in found.classes.items()},
        "positive": found.positive,
        "share": found.base,
        "values": [
            {"feature": fact.feature, "value": fact.value, "count": fact.count, "share": fact.share}
            for fact in found.values[:top]
        ],
        "distinct": found.distinct,
        "duplicates": found.duplicates,
        "contradictions": found.contradictions,
        "suggestions": found.suggestions,
        "notes": found.notes,
    }
    if found.pairs is not None:
        made["pairs"] = [
            {"features": [a.feature, b.feature], "values": [a.value, b.value], "count": a.count, "share": a.share}
            for a, b in found.pairs[:top]
        ]
    return made


def tell(name: str, found: Any, asked: int | None) -> None:
    """The facts for people."""
    top, top_pairs = (TOP, PAIRS) if asked is None else (asked, asked)
    click.echo(
        f"{name}: {found.rows:,} rows, {found.distinct:,} distinct without their labels; "
        f"{found.duplicates:,} repeat an earlier row, label and all"
    )
    click.echo(f"contradictions: {found.contradictions:,} of {found.distinct:,} distinct rows carry more than one label\n")
    balance = [[str(label), str(count), percent(count / found.rows)] for label, count in found.classes.items()]
    aligned(["class", "rows", "share"], balance, top)
    positive = str(found.positive)
    header = ["rows", positive, "share"]
    if found.values:
        click.echo(f"\nValues whose share of {positive} is furthest from {percent(found.base)}, the share in all rows:")
        aligned(["value", *header], [cells(fact.name, fact) for fact in found.values], top)
    if found.pairs:
        click.echo("\nPairs of values, likewise:")
        aligned(["pair", *header], [cells(f"{a.name} & {b.name}", a) for a, b in found.pairs], top_pairs)
    if found.kind == "table":
        by_column: dict[str, list[Any]] = {column: [] for column in found.columns}
        for fact in found.values:
            by_column[fact.feature].append(fact)
        for column, of_column in by_column.items():
            if not of_column:
                continue
            click.echo()
            rows = [cells("(missing)" if fact.value is None else fact.value, fact) for fact in of_column]
            aligned([column, *header], rows, top)
    for suggestion in found.suggestions:
        click.echo(f"\n→ {suggestion}")


def cells(name: str, fact: Any) -> list[str]:
    return [name, str(fact.count), str(fact.hits), percent(fact.share)]


def aligned(header: list[str], rows: list[list[str]], top: int) -> None:
    """A plain table of the first rows: the first column to the left, numbers to the right."""
    shown = [header, *(rows[:top] if top else rows)]
    widths = [max(len(row[j]) for row in shown) for j in range(len(header))]
    for first, *others in shown:
        line = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        click.echo("  ".join(line).rstrip())
    if top and len(rows) > top:
        click.echo(f"… {len(rows) - top:,} more (--top 0 for all)")
