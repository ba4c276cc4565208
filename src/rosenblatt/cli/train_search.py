"""What `train --auto` tells: the rounds, the candidates, and whether the winner is better than the default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.cli import echo, output
from rosenblatt.errors import counted, percent

if TYPE_CHECKING:
    from rosenblatt.studies.auto import CurveTrial, Search

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
    for name, trial in (("a kernel", search.kernel), ("gradient-boosted trees", search.trees)):
        if trial is not None and trial.line_is_not_enough:
            errors = f"{percent(trial.curve_error)} with {name}, {percent(trial.line_error)} with the best line"
            echo(f"A line is not enough here: of {trial.rows:,} rows, held out in turn, {errors} are wrong.")
    echo()


def as_object(search: Search) -> dict[str, Any]:
    """The search for --json: its candidates, the best first, and the winner against the default."""
    ranked = [{"learner": one.label, "error": one.error, "rows": one.rows} for one in search.ranked]
    return {
        "candidates": ranked, "default_error": search.default.error, "p_value": search.p_value,
        "line_and_kernel": beside_a_line(search.kernel, "kernel_error"),
        "line_and_trees": beside_a_line(search.trees, "trees_error"),
        "ended_by": search.ended_by, "seconds": search.seconds,
    }  # fmt: skip


def beside_a_line(trial: CurveTrial | None, error: str) -> dict[str, Any] | None:
    if trial is None:
        return None
    return {"rows": trial.rows, "line_error": trial.line_error, error: trial.curve_error, "p_value": trial.p_value}
