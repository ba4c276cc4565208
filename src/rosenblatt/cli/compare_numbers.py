"""What `compare` tells where numbers are predicted."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rosenblatt.cli import echo, model_input, output, print_reading_notes, tell
from rosenblatt.cli.output import print_table
from rosenblatt.cli.progress import StatusLine
from rosenblatt.data import read
from rosenblatt.data.splits import CrossValidation
from rosenblatt.errors import amount
from rosenblatt.estimators.neighbours.entrants import ENTRANTS_OF_NUMBERS
from rosenblatt.studies.compare import SIGNIFICANCE_TEST, judge_differences
from rosenblatt.studies.compare_numbers import NumberResult, compare_numbers

if TYPE_CHECKING:
    from rosenblatt.cli.compare import CompareOptions
    from rosenblatt.data import Dataset
    from rosenblatt.learning.learners import Recipe


def study(data: Dataset, recipe: Recipe, chosen: CompareOptions) -> None:
    """The table, or JSON; ridge is always beside the learners, its neighbours where they are asked for."""
    dev, seeds, status = None, 1 if chosen.dev else chosen.splits, StatusLine(chosen.silent)
    if chosen.dev:
        with model_input.target_from_training():
            dev = read(chosen.dev, **{"zero_based": data.zero_based, "as_text": True, **chosen.read_keywords()})
        print_reading_notes(dev)
    others = ENTRANTS_OF_NUMBERS if chosen.others else {"ridge": ENTRANTS_OF_NUMBERS["ridge"]}
    progress = status.count("split", seeds)
    rows = compare_numbers(data, chosen.learner_names, seeds, chosen.holdout, recipe, progress, others, dev)
    status.end()
    if rows[1].squared_mean >= rows[0].squared_mean:
        tell(
            f"The best learner, {rows[1].learner}, is no better than always predicting the mean: these columns may not tell "
            "what is to be predicted.",
            "warning",
        )
    if chosen.as_json:
        design = {"splits": seeds, "dev": chosen.dev, "test": SIGNIFICANCE_TEST, "task": "numbers"}
        output.print_json({"rows": [asdict(row) for row in rows], **design, "metric": "mean-squared-error"})
        return
    print_results(rows)
    if chosen.dev:
        echo(f"\nMeasured on {chosen.dev}; updates and seconds are for one training.")
    else:
        described = CrossValidation.holding_out(chosen.holdout, seeds).describe().replace(", stratified by class", "")
        echo(f"\nErrors on rows held out, means over {seeds} splits, of the squared one ± sd. Held out: {described}")
    echo(f"mean: always the mean of training. Best: {rows[1].learner}.")
    echo(judge_differences(rows))


def print_results(rows: list[NumberResult]) -> None:
    """A line a learner."""
    lines = []
    for row in rows:
        spread = "" if row.squared_sd is None else f" ± {amount(row.squared_sd)}"
        mark = " *" if row.differs_from_best else "  "
        r2 = "–" if row.r2_mean is None else f"{row.r2_mean:.4f}"
        updates = "–" if row.updates is None else f"{row.updates:,.0f}"
        trained = ["", ""] if row is rows[0] else [updates, f"{row.seconds:.4f}"]
        lines.append([row.learner, f"{amount(row.squared_mean)}{spread}{mark}", amount(row.absolute_mean), r2, *trained])
    print_table(["learner", "squared error", "absolute error", "R²", "updates", "seconds"], lines, 0)
