"""What `train --auto` tells: the rounds, the candidates, and whether the winner is better than the default."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rosenblatt.cli import echo, output
from rosenblatt.errors import counted, percent

if TYPE_CHECKING:
    from rosenblatt.studies.auto import Search

SHOWN_CANDIDATES = 8


def round_sentence(number: int, candidates: int, rows: int) -> str:
    return f"round {number + 1}: {counted(candidates, 'candidate')} on {rows:,} rows"


def print_search(search: Search) -> None:
    """The best candidates, and whether the winner is better than the default by more than chance."""
    shown = search.ranked[:SHOWN_CANDIDATES]
    rows = [[one.label, percent(one.error), f"{one.rows:,}"] for one in shown]
    output.print_table(["learner", "error", "rows"], rows, 0)
    first, default = search.ranked[0], search.default
    if first is default:
        echo("The default is the best of them.")
    elif search.winner is default:
        echo(f"The default, {default.label}, errs on {percent(default.error)}: no other is clearly better, so it is kept.")
    else:
        sure = "more than chance" if search.beyond_chance else "no more than chance can"
        echo(f"The default, {default.label}, errs on {percent(default.error)}: the winner gains {sure}.")
    if search.ended_by != "all rounds":
        more = "--budget SECONDS searches longer" if search.ended_by == "work" else "a larger --budget searches longer"
        echo(f"The {search.ended_by} ended the search on {first.rows:,} rows; {more}.")
    curve = search.curve
    if curve is not None and curve.line_is_not_enough:
        errors = f"{percent(curve.kernel_error)} with a kernel, {percent(curve.line_error)} with the best line"
        echo(f"A line is not enough here: of {curve.rows:,} rows, held out in turn, {errors} are wrong.")
    echo()


def as_object(search: Search) -> dict[str, Any]:
    """The search for --json: its candidates, the best first, and the winner against the default."""
    ranked = [{"learner": one.label, "error": one.error, "rows": one.rows} for one in search.ranked]
    curve = None if search.curve is None else asdict(search.curve)
    return {
        "candidates": ranked, "default_error": search.default.error, "p_value": search.p_value, "line_and_kernel": curve,
        "ended_by": search.ended_by, "seconds": search.seconds,
    }  # fmt: skip
