"""rosenblatt play: the playground in the browser."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import echo, options, output
from rosenblatt.errors import SettingError, needs_parts

if TYPE_CHECKING:
    from rosenblatt.playground.server import Playground


@dataclass(frozen=True, kw_only=True)
class PlayOptions(options.ReadingOptions, options.PrintingOptions):
    """The options of `play`."""

    file: str | None
    x: str | None
    y: str | None
    positive: str | None
    port: int
    open_it: bool


@click.command()
@click.argument("file", required=False)
@click.option("--x", "x", metavar="COL", help="Column across; else the first of numbers.")
@click.option("--y", "y", metavar="COL", help="Column upwards; else the second of numbers.")
@options.target
@click.option("--positive", metavar="LABEL", help="The class against all others; else the last in their order.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="Port; else any that is free.")
@click.option("--open", "open_it", is_flag=True, help="Open the page in the browser.")
@options.reading
@options.as_json
@options.quiet
def play(**values: Any) -> None:
    """Watch the perceptron family learn, in the browser.

    Step through every example and back, on made data, on points of your own, or on two columns of FILE, which is whatever
    `train` takes. Only this machine can reach the page. Ctrl-C ends it.

    \b
    rosenblatt play
    rosenblatt play iris --x "petal length (cm)" --y "petal width (cm)" --positive versicolor --open
    """
    chosen = PlayOptions(**values)
    if not chosen.file:
        options.refuse_useless([*options.READING, "x", "y", "positive"], "without a FILE: give one")
    with needs_parts("The playground"):
        from rosenblatt.playground import memory, server
    memory.limit_allocators()
    playground = with_table(chosen.file, chosen) if chosen.file else server.Playground()
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


def with_table(file: str, chosen: PlayOptions) -> Playground:
    """The playground with a file's table; what cannot be drawn is refused before anything is served."""
    from rosenblatt.data import read
    from rosenblatt.errors import DataError
    from rosenblatt.playground.requests import Data
    from rosenblatt.playground.server import Playground

    data = read(file, **chosen.read_keywords())
    options.print_reading_notes(data)
    if data.kind != "table":
        raise DataError(f"{data.name} holds {data.kind}: the playground draws two columns of a table.")
    table, target = data.rows, None
    if data.labels is not None:
        target = data.labels.name  # type: ignore[union-attr]
        table = table.with_columns(data.labels)
    playground = Playground(table, Data("file", x=chosen.x, y=chosen.y, target=target), chosen.positive)
    playground.points_of(Data("file"))
    return playground
