"""Where results go, and how: to standard output, whatever is at its other end, or to a file that is whole or not there."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from rosenblatt.cli import discard, echo, reading_notes
from rosenblatt.cli.options import refuse_useless
from rosenblatt.errors import HIDDEN_CHARACTERS, SaveError, amount, counted, percent, visible

if TYPE_CHECKING:
    from rosenblatt.data.columns.reading import ColumnReading
    from rosenblatt.features.notes import FeatureTrial
    from rosenblatt.learning.history import History
    from rosenblatt.learning.number_measures import NumberMeasures
    from rosenblatt.learning.quantities import TargetScale

COLUMNS_SHOWN = 12  # of one kind, of which there is nothing else to say
EPOCHS_SHOWN = 10  # whose errors are printed
OF_THE_SECOND = ("f1", "average-precision")  # measures that are about the second of two classes
OF_EACH = (*OF_THE_SECOND, "roc-auc")  # and with more the mean of each against the rest
SPOOLED = 2**24  # bytes that wait in memory
_JSON_ESCAPES = {code: f"\\u{code:04x}" for code in HIDDEN_CHARACTERS}  # those below 32 are escaped by json


@contextlib.contextmanager
def writing(path: str | None) -> Iterator[IO[bytes]]:
    """A stream to a file, which is there when all of it is; or to standard output, until its reader has seen enough."""
    try:
        with standard_output() if path in (None, "-") else to_file(Path(str(path))) as stream:
            yield stream
    except OSError as problem:
        if isinstance(problem, SaveError):
            raise
        where = "standard output" if path in (None, "-") else path
        raise SaveError(f"{where} was not written: {problem.strerror or problem}; write to another place.") from problem


@contextlib.contextmanager
def standard_output() -> Iterator[IO[bytes]]:
    sys.stdout.flush()
    stream = sys.stdout.buffer
    try:
        yield stream
        stream.flush()
    except OSError as problem:
        discard(sys.stdout)
        if isinstance(problem, BrokenPipeError):  # the reader has seen enough, as `head` has
            raise click.exceptions.Exit(0) from None
        raise


def write_whole(parts: Iterable[bytes], stream: IO[bytes]) -> None:
    """Writes parts when all of them are there: who reads a pipe gets a whole object, or nothing.

    What is long waits on the disk.
    """
    with tempfile.SpooledTemporaryFile(SPOOLED) as waiting:
        waiting.writelines(parts)
        waiting.seek(0)
        shutil.copyfileobj(waiting, stream)


def to_file(path: Path) -> contextlib.AbstractContextManager[IO[bytes]]:
    """A stream to a file that is whole or not there; a device or a pipe is written to as it is."""
    from rosenblatt.data.source import replacing

    ordinary = not path.exists() or path.is_file()
    return replacing(path) if ordinary else path.open("wb")


def print_for_programs(parts: Iterable[str]) -> None:
    """Prints what programs read: UTF-8, whatever encoding the terminal has."""
    with writing(None) as stream:
        stream.writelines(part.encode("utf-8", "backslashreplace") for part in parts)


def print_json(facts: dict[str, Any]) -> None:
    """One object on one line, floats in full; with `notes` where something was assumed of a file."""
    print_for_programs([to_json(with_reading_notes(facts)), "\n"])


def with_reading_notes(facts: dict[str, Any]) -> dict[str, Any]:
    """What --json prints, and where something was assumed of a file, that as `notes`."""
    return facts | {"notes": [*reading_notes(), *facts.get("notes", [])]} if reading_notes() else facts


def to_json(facts: Any) -> str:
    """JSON in which letters are themselves, and what acts on a terminal is an escape: the same data, exactly.

    JSON has no infinity and no nan: they are null.

    >>> to_json({"score": 0.5, "terms": [float("inf"), float("nan")]})
    '{"score": 0.5, "terms": [null, null]}'
    """
    try:
        text = json.dumps(facts, ensure_ascii=False, default=plain, allow_nan=False)
    except ValueError:
        text = json.dumps(finite(facts), ensure_ascii=False, default=plain)
    return escape_json(text)


def finite(facts: Any) -> Any:
    """The facts with None in the place of numbers that are not finite."""
    if hasattr(facts, "tolist"):
        facts = facts.tolist()
    if isinstance(facts, dict):
        return {name: finite(value) for name, value in facts.items()}
    if isinstance(facts, list | tuple):
        return [finite(value) for value in facts]
    return None if isinstance(facts, float) and not math.isfinite(facts) else facts


def escape_json(text: str) -> str:
    """JSON with the same values, in which no character acts on a terminal."""
    return text if text.isascii() and "\x7f" not in text else text.translate(_JSON_ESCAPES)


def plain(value: Any) -> Any:
    """numpy's numbers as Python's."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def print_columns(readings: Sequence[ColumnReading], err: bool = False) -> None:
    """What each column of a table was taken for, a line a kind, and how that is changed."""
    by_kind: dict[str, list[str]] = {}
    for one in readings:
        with_reason = f"{one.name} ({one.why})" if one.used and one.why else one.name
        left_out = f"{one.name} ({'ID' if one.kind == 'id' else one.kind}: {one.why})"
        by_kind.setdefault(one.kind if one.used else "left out", []).append(with_reason if one.used else left_out)
    lines = sorted(by_kind.items(), key=lambda line: line[0] == "left out")
    for number, (kind, names) in enumerate(lines):
        plain = [name for name in names if not name.endswith(")")]
        more = len(plain) - COLUMNS_SHOWN
        if more > 0:  # those with a word to say are all told
            names = [name for name in names if name not in plain[COLUMNS_SHOWN:]] + [f"and {more:,} more"]
        echo(f"{'columns' * (not number):7}  {kind:8}  {', '.join(names)}", err=err)
    if any(one.why for one in readings):
        echo("         if one is something else: --column NAME=KIND, as in --column age=category", err=err)


def columns_object(readings: Sequence[ColumnReading]) -> list[dict[str, Any]]:
    """What each column of a table was taken for, as --json has it."""
    return [{"name": one.name, "kind": one.kind, "used": one.used, "why": one.why} for one in readings]


TRIED = {  # what is said of features that were tried: with them, without them, and how to decide otherwise
    "bins": ("numbers", "with bins and frequent values", "as they are", "--numeric number or --numeric bins"),
    "products": ("products", "those that pay", "none", "--product A,B"),
}


def print_trials(trials: Mapping[str, FeatureTrial], numbers: bool = False) -> None:
    """Which features held-out rows of training have decided for; of numbers by the variance that predictions leave."""
    for name, trial in trials.items():
        what, chosen, left, option = TRIED[name]
        errors = f"{percent(trial.error_with)} were wrong with {name}, {percent(trial.error_without)} without"
        rows = f"of {trial.rows:,} held-out rows"
        if numbers:
            errors = f"{percent(trial.error_with)} was left with {name}, {percent(trial.error_without)} without"
            rows = f"of the variance in {trial.rows:,} held-out rows"
        by_chance = "" if trial.chosen or trial.error_with >= trial.error_without else ": no more than chance can gain"
        echo(f"{what:8} {chosen if trial.chosen else left}: {rows} {errors}{by_chance}", err=True)
        echo(f"{'':8} {option} decides otherwise", err=True)


def number_lines(measures: NumberMeasures, scale: TargetScale | None) -> list[str]:
    """How far predicted numbers are from the truth, for people."""
    mean = measures.of_mean
    beside = {} if mean is None else {name: f"   (always the mean: {amount(value)})" for name, value in mean.items()}
    unit = "" if scale is None or scale.number is None or not scale.number.unit else f" {scale.number.unit}"
    absolute, squared = measures.mean_absolute_error, measures.mean_squared_error
    root, r2 = f"its root is {amount(squared**0.5)}{unit}", "–" if measures.r2 is None else f"{measures.r2:.4f}"
    lines = [
        f"mean absolute error  {amount(absolute)}{unit}{beside.get('mean_absolute_error', '')}",
        f"mean squared error   {amount(squared)}{beside.get('mean_squared_error', '')}; {root}",
        f"R²                   {r2}   ({counted(measures.examples, 'row')})",
    ]
    if measures.no_better_than_mean:
        assert scale is not None
        lines.append(f"The model is no better than always predicting {amount(scale.mean)}, the mean of training.")
    return lines


def epoch_lines(history: History) -> list[str]:
    """The dev error of last and of averaged weights after each epoch, where a line holds them; else the report draws them.

    >>> from rosenblatt.learning.history import Epoch, History
    >>> epoch_lines(History([Epoch(4, 2, 2, 1.0, None, 0.5, 0.25), Epoch(4, 0, 0, 1.0, None, 0.0, 0.25)]))
    ['last     50.00   0.00', 'averaged 25.00  25.00']
    """
    if not 1 < len(history) <= EPOCHS_SHOWN:
        return []
    errors = {"last": history["held_out_last"], "averaged": history["held_out_averaged"]}
    return [
        f"{view:8} {'  '.join(f'{100 * error:5.2f}' for error in of_view)}"
        for view, of_view in errors.items()
        if all(error is not None for error in of_view)
    ]


def measure_lines(measures: dict[str, float | None], classes: Sequence[Any]) -> list[str]:
    """Measures for people, in two columns: those of scores and decisions, and those of probabilities; the error is not
    among them.
    """
    from rosenblatt.learning.measures import METRICS

    two = len(classes) == 2
    of = f" of {visible(str(classes[1]))}" if two else " (mean of classes)"
    columns: tuple[list[str], list[str]] = [], []
    for metric in METRICS.values():
        if metric.key in measures and metric.name != "error":
            value, own = measures[metric.key], metric.name in (OF_THE_SECOND if two else OF_EACH)
            columns[metric.needs_probabilities].append(
                f"{metric.label}{of * own}\t{'–' if value is None else f'{value:.4f}'}"
            )
    left, right = (aligned(column) for column in columns)
    return [f"{one}{f'    {other}' if other else ''}" for one, other in zip_longest(left, right, fillvalue="")]


def aligned(lines: list[str]) -> list[str]:
    """Names and numbers, each line with a tab between the two, as two columns."""
    width = max((len(line.split("\t")[0]) for line in lines), default=0)
    return [f"{name:<{width}}  {value}" for name, value in (line.split("\t") for line in lines)]


def print_table(header: list[str], rows: list[list[str]], top: int) -> None:
    """A plain table of the first rows: the first column to the left, numbers to the right."""
    shown = [[visible(cell) for cell in row] for row in (header, *(rows[:top] if top else rows))]
    widths = [max(len(row[j]) for row in shown) for j in range(len(header))]
    for first, *others in shown:
        line = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))]
        echo("  ".join(line).rstrip())
    if top and len(rows) > top:
        echo(f"… {len(rows) - top:,} more (--top 0 for all)")


def refuse_two_results(written: str | None) -> None:
    """Refuses --json where standard output is to hold something else: it is one object, or none."""
    if written in (None, "-"):
        refuse_useless(["as_json"], "where the result itself goes to standard output: name a file with -o")
