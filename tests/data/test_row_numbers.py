"""Whole numbers that only number the rows are left out, also where a file is a part of another, or was shuffled."""

import random

import polars as pl
import pytest

from rosenblatt.cli import run
from rosenblatt.data.columns.kinds import decide

ROWS = 300
NUMBERED = list(range(1, ROWS + 1))
FOUR_FIFTHS = sorted(random.Random(1).sample(NUMBERED, ROWS * 4 // 5))
HALF = sorted(random.Random(2).sample(NUMBERED, ROWS // 2))


def kind_of(name, numbers):
    return decide(pl.DataFrame({name: numbers, "plan": ["a", "b"] * (len(numbers) // 2)}))[0].kind


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("column_1", NUMBERED),
        ("column_1", FOUR_FIFTHS),  # what `train_test_split(frame)[0].to_csv()` writes, sorted
        ("column_1", random.Random(3).sample(FOUR_FIFTHS, len(FOUR_FIFTHS))),  # and as it comes, shuffled
        ("X", FOUR_FIFTHS),  # as R calls a column without a name
        ("rownames", HALF),  # however many are gone: the name tells
        ("Unnamed: 0", HALF),
    ],
)
def test_what_numbers_the_rows_is_left_out(name, numbers):
    assert kind_of(name, numbers) == "id"


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("year", list(range(1900, 2000))),
        ("day_of_year", NUMBERED),
        ("age", list(range(18, 90))),  # a life table
        ("t", NUMBERED),  # a series: without it a trend is lost
        ("SeasonStart", list(range(1893, 2011))),
        ("rank", random.Random(4).sample(NUMBERED, ROWS)),
        ("score", [number // 2 for number in NUMBERED]),  # repeats
        ("weight", [7 * number for number in FOUR_FIFTHS]),  # many gaps
        ("dose", [2 * number for number in NUMBERED]),  # equal steps
        ("visits", random.Random(6).sample(FOUR_FIFTHS, len(FOUR_FIFTHS))),
        ("height", [150 + 13 * number % 47 for number in NUMBERED]),
    ],
)
def test_what_measures_is_used(name, numbers):
    assert kind_of(name, numbers) == "number"


def test_a_file_sorted_by_class_does_not_tell_the_class_by_the_number_of_the_row(tmp_path, capsys):
    noise = random.Random(5)
    lines = [f"{row},{noise.randrange(9)},{'early' if row <= ROWS / 2 else 'late'}" for row in FOUR_FIFTHS]
    (tmp_path / "part.csv").write_text("\n".join([",visits,shift", *lines]) + "\n")
    assert run(["train", str(tmp_path / "part.csv"), "--target", "shift", "--holdout", "0.25"]) == 0
    told = capsys.readouterr()
    assert "left out  column_1 (ID: different in every row)" in told.err
    assert "dev error        last 0.00 %" not in told.out
