"""rosenblatt play: the playground in the browser."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import click

from rosenblatt.cli import options
from rosenblatt.errors import SettingError


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
def play(file: str | None, **given: Any) -> None:
    """Watch the perceptron family learn, in the browser.

    Step through every example and back, on made data, on points of your own, or on two columns of FILE, which is whatever
    `train` takes. Only this machine can reach the page. Ctrl-C ends it.

    \b
    rosenblatt play
    rosenblatt play iris --x "petal length (cm)" --y "petal width (cm)" --positive versicolor --open
    """
    try:
        from rosenblatt.playground import kept, server
    except ImportError as problem:
        if not problem.name or problem.name.partition(".")[0] not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        raise SettingError(f"The playground needs {problem.name}: pip install 'rosenblatt[play]'.") from None
    kept.keep_little()
    playground = read_table(file, given) if file else server.Playground()
    if not file and any(given[name] for name in ("x", "y", "target", "positive")):
        raise click.UsageError("--x, --y, --target and --positive name columns and labels of a FILE: give one.")
    try:
        listener = server.listen(given["port"])
    except OSError as problem:
        raise SettingError(f"Port {given['port']} cannot be used: {problem.strerror}. Choose another with --port.") from None
    address = f"http://{server.HOST}:{listener.getsockname()[1]}/" + ("#data=file" if file else "")
    if given["as_json"]:
        options.print_json({"address": address})
    else:
        click.echo(address)
    sys.stdout.flush()  # whoever started this waits for the address
    if not given["quiet"]:
        click.echo("Open this address in a browser; Ctrl-C ends the playground.", err=True)
    if given["open_it"]:
        click.launch(address)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve(playground, listener)
    if not given["quiet"]:
        click.echo("The playground is closed.", err=True)


def read_table(file: str, given: dict[str, Any]) -> Any:
    """The playground with a file's table; what cannot be drawn is refused before anything is served."""
    from rosenblatt.data import read
    from rosenblatt.errors import DataError
    from rosenblatt.playground.requests import Data
    from rosenblatt.playground.server import Playground

    reading = options.read_options(given)
    data = read(file, **reading, target=options.column(given["target"]))
    if data.kind != "table":
        raise DataError(f"{data.name} holds {data.kind}: the playground draws two columns of a table.")
    table, target = data.rows, None
    if data.labels is not None:
        target = data.labels.name  # type: ignore[union-attr]
        table = table.with_columns(data.labels)
    playground = Playground(table, Data("file", x=given["x"], y=given["y"], target=target), given["positive"])
    playground.points_of(Data("file"))
    return playground
