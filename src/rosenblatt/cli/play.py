"""rosenblatt play: the playground in the browser."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, options, output, print_reading_notes
from rosenblatt.cli.types import NOT_EMPTY, WrittenFolder
from rosenblatt.errors import SaveError, SettingError, needs_parts

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.playground.points import Points
    from rosenblatt.playground.requests import Data


@dataclass(frozen=True, kw_only=True)
class PlayOptions(options.ReadingOptions, options.PrintingOptions):
    """The options of `play`."""

    file: str | None
    x: str | None
    y: str | None
    positive: str | None
    port: int
    open_it: bool
    static: str | None
    output: str | None


@click.command()
@click.argument("file", type=NOT_EMPTY, required=False)
@click.option("--x", "x", metavar="COL", help="Column across; else the first of numbers.")
@click.option("--y", "y", metavar="COL", help="Column upwards; else the second of numbers.")
@options.target
@click.option(
    "--positive",
    metavar="LABEL",
    help="The class against all others; else up to five have a region each.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port; else any that is free.")
@click.option("--open", "open_it", is_flag=True, help="Open the page in the browser.")
@click.option("--static", type=WrittenFolder(), metavar="DIR", help="Write a page that needs no server: DIR/index.html.")
@click.option(
    "-o",
    "--output",
    type=options.WRITTEN,
    metavar="FILE",
    help="The same as a file, say page.html; `-` for standard output.",
)
@options.reading
@options.as_json
@options.quiet
def play(**values: Any) -> None:
    """Watch the perceptron family learn, in the browser.

    Step through every example and back, on made data, on points of your own, or on two columns of FILE, which is whatever
    `train` takes. Only this machine can reach the page. Ctrl-C ends it.

    With --static or -o the page is written instead: one file that trains in the browser, for a web server, a learning
    platform, a slide (page.html?embed) or a double click.

    \b
    rosenblatt play
    rosenblatt play -o page.html
    rosenblatt play iris --x "petal length (cm)" --y "petal width (cm)" --positive versicolor --open
    """
    chosen = PlayOptions(**values)
    if not chosen.file:
        options.refuse_useless([*options.READING, "x", "y", "positive"], "without a FILE: give one")
    if chosen.static and chosen.output:
        raise click.UsageError("--static DIR and -o FILE write the same page: give one of them.")
    if chosen.static or chosen.output:
        write_page(chosen)
    else:
        serve_page(chosen)


def serve_page(chosen: PlayOptions) -> None:
    """Serves the page until Ctrl-C."""
    with needs_parts("The playground"):
        from rosenblatt.playground import memory, server
    memory.limit_allocators()
    playground = server.Playground()
    if chosen.file:
        table, data = read_table(chosen.file, chosen)
        playground = server.Playground(table, data, chosen.positive)
        playground.points_of(data)  # what cannot be drawn is refused before anything is served
    try:
        listener = server.listen(chosen.port)
    except OSError as problem:
        raise SettingError(f"Port {chosen.port} cannot be used: {problem.strerror}. Choose another with --port.") from None
    address = f"http://{server.HOST}:{listener.getsockname()[1]}/" + ("#data=file" if chosen.file else "")
    if chosen.as_json:
        output.print_json({"address": address})
    else:
        echo(address)
    sys.stdout.flush()  # whoever started this waits for the address
    if not chosen.quiet:
        echo("Open this address in a browser; Ctrl-C ends the playground.", err=True)
    if chosen.open_it:
        click.launch(address)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve(playground, listener)
    if not chosen.quiet:
        echo("The playground is closed.", err=True)


def write_page(chosen: PlayOptions) -> None:
    """Writes the page that needs no server."""
    options.refuse_useless(["port"], "on a page without a server")
    if not chosen.static:
        output.refuse_two_results(chosen.output)
    options.refuse_overwriting(chosen.output, chosen.file)
    options.refuse_missing_folder(chosen.output)
    from rosenblatt.playground.static_page import static_page

    points = points_of_file(chosen.file, chosen) if chosen.file else None
    page = static_page(points).encode()
    path = chosen.output or "-"
    if chosen.static:
        path = str(Path(chosen.static, "index.html"))
        try:
            Path(chosen.static).mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise SaveError(f"{chosen.static} cannot be made: {problem.strerror}; choose another folder.") from None
    with output.writing(path) as stream:
        stream.write(page)
    if path == "-":
        return
    if chosen.as_json:
        output.print_json({"page": path, "bytes": len(page), "points": None if points is None else len(points.y)})
    elif not chosen.quiet:
        held = "" if points is None else f", with {len(points.y):,} points of {chosen.file} in it"
        echo(f"{path}: {len(page) / 1000:,.0f} kB{held}; open it in a browser, or put it on any web server", err=True)
    if chosen.open_it:
        click.launch(path)


def points_of_file(file: str, chosen: PlayOptions) -> Points:
    from rosenblatt.playground.points import from_table

    return from_table(*read_table(file, chosen), chosen.positive)


def read_table(file: str, chosen: PlayOptions) -> tuple[pl.DataFrame, Data]:
    """A file as a table, and which of its columns are drawn."""
    from rosenblatt.data import read
    from rosenblatt.errors import DataError
    from rosenblatt.playground.requests import Data

    data = read(file, **chosen.read_keywords())
    print_reading_notes(data)
    if data.kind != "table":
        raise DataError(f"{data.name} holds {data.kind}: the playground draws two columns of a table.")
    table, target = data.rows, None
    if data.labels is not None:
        target = data.labels.name  # type: ignore[union-attr]
        table = table.with_columns(data.labels)
    return table, Data("file", x=chosen.x, y=chosen.y, target=target)
