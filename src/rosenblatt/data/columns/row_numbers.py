"""Whole numbers that only number the rows, as R's row names and pandas' index do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

MOST_GAPS = 3  # times as many numbers as rows, from the least to the largest: others were held out, or left out before
ROWS_IN_A_ROW = 1000  # of which the steps from number to number are looked at
# What is different in every row, and still a measurement: the year of a series, the age in a life table, the rank in a list.
MEASURED = {
    "year", "years", "yr", "jahr", "année", "anno", "quarter", "month", "week", "day", "days", "hour", "minute", "time",
    "t", "trend", "period", "season", "date", "age", "rank", "ranking",
}  # fmt: skip


def may_number_rows(words: set[str], numbers: Sequence[int], rows: int) -> bool:
    """Do these numbers of a column, which grow, number its rows, if no two rows have the same? `words` are of its name.

    They say nothing of a row that comes later, and in a file that is sorted by class they tell the class of held-out rows.
    They follow each other; or they leave gaps here and there, as where a part of the rows was held out.

    >>> may_number_rows({"x"}, [101, 102, 103, 104], rows=4), may_number_rows({"year"}, [1950, 1951, 1952, 1953], rows=4)
    (True, False)
    >>> may_number_rows({"x"}, [1, 2, 4, 5, 8], rows=5), may_number_rows({"x"}, [1, 4, 20, 53, 70], rows=5)
    (True, False)
    >>> may_number_rows({"x"}, [10, 12, 14, 16, 18], rows=5)  # equal steps: so are experiments planned
    False
    """
    if words & MEASURED:
        return False
    steps = {after - before for before, after in pairwise(numbers[:ROWS_IN_A_ROW])}
    return steps == {1} or (len(steps) > 1 and max(numbers) - min(numbers) < MOST_GAPS * rows)
