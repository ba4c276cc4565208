"""What spreadsheets and people leave in a table: days as counted numbers, digits cut off, 10+, merged cells. Each is told,
with what was assumed and the option that changes it.
"""

import io
import re
from datetime import datetime, timedelta

import polars as pl
import pytest
from sheets import ods, xlsx

import rosenblatt
from rosenblatt.cli import run
from rosenblatt.data.columns.kinds import Overrides, decide
from rosenblatt.data.columns.numbers import NumberFormat
from rosenblatt.data.columns.reading import ColumnReading, TableReadings
from rosenblatt.data.merged_cells import merged_cells
from rosenblatt.errors import SettingError

N = 40
CHURN = ["yn"[k % 3 > 0] for k in range(N)]
FIRST = datetime(1899, 12, 30)  # which spreadsheets count from


def as_file(cell, name):
    rows = [f'"{cell(k)}",{k % 7},{CHURN[k]}' for k in range(N)]
    return "\n".join([f"{name},other,churn", *rows, ""]).encode()


def decided(cell, name, **said):
    data = rosenblatt.read(io.BytesIO(as_file(cell, name)), target="churn")
    return decide(data.rows, Overrides(said), trimmed=data.trimmed)[0], data


@pytest.mark.parametrize("name", ["order_date", "Bestelldatum", "created_at", "day", "startdate"])
def test_days_as_spreadsheets_count_them_are_told_and_read_where_the_user_says_so(name):
    days = [datetime(2021, 2, 27) + timedelta(days=3 * k) for k in range(N)]
    reading, data = decided(lambda k: (days[k] - FIRST).days, name)
    assert reading.kind == "number"
    assert reading.why == f"if 44254 means 2021-02-27, as spreadsheets count days, --column {name}=date:excel"
    reading, data = decided(lambda k: (days[k] - FIRST).days, name, **{name: "date:excel"})
    clean = TableReadings([reading]).clean(data.rows).frame
    assert clean.columns == [f"{name} ({part})" for part in ("days", "year", "month", "weekday")]
    assert clean.rows() == [((d - datetime(1970, 1, 1)).days, d.year, d.month, f"{d:%a}") for d in days]


def test_a_fraction_of_a_day_is_a_time():
    moments = [datetime(2021, 2, 27) + timedelta(hours=5 * k) for k in range(N)]
    reading, data = decided(lambda k: f"{(moments[k] - FIRST) / timedelta(days=1):.5f}", "created_at")
    assert reading.why.endswith("--column created_at=date:excel-time")
    reading, data = decided(
        lambda k: f"{(moments[k] - FIRST) / timedelta(days=1):.5f}", "created_at", created_at="date:excel-time"
    )
    hours = TableReadings([reading]).clean(data.rows).frame["created_at (hour)"]
    assert hours.to_list() == [moment.hour for moment in moments]


@pytest.mark.parametrize(
    ("cell", "name"),
    [(lambda k: 44000 + k, "price"), (lambda k: 100 + k, "order_date"), (lambda k: (44000 + k) * (k % 2), "order_date")],
    ids=["another name", "too small", "some are 0"],
)
def test_other_numbers_are_no_days(cell, name):
    assert "spreadsheets" not in decided(cell, name)[0].why


def test_the_counts_of_dates_are_named_where_a_format_is_wrong():
    with pytest.raises(
        SettingError, match=r"date:epoch \(seconds since 1970\).*date:excel \(days as spreadsheets count them\)"
    ):
        Overrides({"when": "date:serial"})
    with pytest.raises(
        SettingError, match=r"44000 was not understood as a date. Say what it counts: --column day=date:excel"
    ):
        decided(lambda k: 44000 + 3 * k, "day", day="date")


def test_a_model_reads_days_as_they_were_read_in_training(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes(as_file(lambda k: 44254 + 17 * k, "when"))
    models = []
    for stream in ([], ["--stream"]):
        models.append(str(tmp_path / f"m{len(stream)}.rosenblatt"))
        say = ["--target", "churn", "--column", "when=date:excel", "-o", models[-1], *stream]
        assert run(["train", str(path), *say]) == 0
        assert "days as spreadsheets count them, as you say" in capsys.readouterr().err
    answers = []
    for model in models:
        assert run(["predict", model, str(path), "--scores"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("cell", "kind", "told"),
    [
        (
            lambda k: 4929123456780000 + 7919 * k if k % 4 else "4.92912E+15",
            "number",
            "4.92912e+15 has lost its last digits",
        ),
        (lambda k: f"4.92{100 + k}E+15", "number", "4.921e+15 has lost its last digits"),
        (lambda k: 4929123456780000 + 7919 * k if k % 4 else "4,92912E+15", "number", "4,92912E+15 has lost its last"),
        (lambda k: 4929123456780000 + 790 * k, "id", "all of 16 digits end in 0: 4929123456780000 may have lost"),
        (lambda k: 4929123456780000 + 791 * k, "id", "different in every row"),
        (lambda k: 49291234567800001234 + 791 * k, "id", "different in every row"),
        (lambda k: 49291234567800001234 + 791 * (k % 9), "code", "a number that is a name"),
        (lambda k: f"{k + 1}.5e12", "number", ""),
        (lambda k: f"{250 + k % 9}000000000.5", "number", ""),
    ],
    ids=[
        "some shortened",
        "all shortened",
        "German",
        "15 digits kept",
        "whole",
        "20 digits",
        "20, again",
        "large",
        "larger",
    ],
)
def test_digits_that_a_spreadsheet_has_thrown_away_are_told(cell, kind, told):
    reading, _ = decided(cell, "card")
    assert reading.kind == kind
    assert told in reading.why
    assert bool(told) == bool(reading.why)
    if "lost" in told:
        assert "export the column again as text, or --drop card" in reading.why


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (lambda k: "10+" if k % 11 == 10 else k % 11, "some as 10+"),
        (lambda k: "$100+" if k % 9 == 5 else f"${k % 9}", "some as $100+"),
        (lambda k: "10+ %" if k % 9 == 5 else f"{k % 9} %", "some as 10+ %"),
        (lambda k: "<5" if k % 6 == 5 else 5 + k % 6, "some as <5"),
        (lambda k: ">100" if k % 6 == 5 else k % 6, "some as >100"),
        (lambda k: "5-10" if k % 6 == 5 else k % 6, "some as 5-10"),
        (lambda k: ["0", "1", "2", "3 to 5", "6-10", "10+"][k % 6], "some as 3 to 5 or 10+"),
        (lambda k: "10 or more" if k % 6 == 5 else k % 6, "some as 10 or more"),
    ],
    ids=["10+", "dollars", "percent", "below", "above", "a range", "ranges and more", "in words"],
)
def test_limits_and_ranges_among_numbers_are_never_numbers_and_told(cell, told):
    reading, _ = decided(cell, "visits")
    assert reading.kind == "category"
    assert reading.why == f"numbers, {told}, taken as words: --column visits=number takes such cells as missing"
    reading, data = decided(cell, "visits", visits="number")
    odd = [k for k in range(N) if not re.fullmatch(r"\$?[0-9]+( %)?", str(cell(k)))]
    values = TableReadings([reading]).clean(data.rows).frame["visits"].cast(pl.Float64, strict=False)
    assert [k for k, value in enumerate(values) if value is None] == odd


def test_groups_of_ages_are_groups():
    reading, _ = decided(lambda k: ["18-25", "26-35", "36-65", "66+"][k % 4], "age")
    assert (reading.kind, reading.why) == ("category", "")


def test_a_plus_behind_is_a_sign_to_models_that_took_it_for_one_alone():
    cells = pl.DataFrame({"sold": ["1,200", "10+", "3-"]})
    for saved, value in (({}, "10"), ({"plus_behind": False}, "≠ 10+")):
        saved = {"decimal": ".", "thousands": ",", "unit": "", **saved}
        number = NumberFormat.from_json(saved)
        clean = TableReadings([ColumnReading("sold", "number", number=number)]).clean(cells).frame
        assert clean["sold"].to_list() == ["1200", value, "-3"]
        assert NumberFormat.from_json(number.to_json()) == number


TABLE = [
    ["region", "team", "sold", "churn"],
    *([["north", "south"][k // 20] if k % 20 == 0 else None, f"t{k % 3}", 7 * k % 11, CHURN[k]] for k in range(N)),
]
REGIONS = [(1, 0, 20, 0), (21, 0, 40, 0)]  # by row and column, from 0


@pytest.mark.parametrize("make", [xlsx, ods])
@pytest.mark.parametrize("shift", [(0, 0), (3, 2)], ids=["at the corner", "somewhere"])
def test_merged_cells_are_told(make, shift):
    rows, columns = shift
    sheet = [[]] * rows + [[None] * columns + row for row in TABLE]
    blocks = [(t + rows, left + columns, b + rows, r + columns) for t, left, b, r in REGIONS]
    data = rosenblatt.read(io.BytesIO(make(merged=blocks, One=sheet)), target="churn")
    assert data.rows.rows() == [tuple(row[:-1]) for row in TABLE[1:]]
    assert data.notes == (
        "2 blocks of merged cells in region of the stream: the value of a block was read in its first cell, its other cells "
        "(38 in all) as missing. If it is meant for all of them, unmerge them in the spreadsheet and fill them in, or leave "
        "out the column (--drop).",
    )


@pytest.mark.parametrize("make", [xlsx, ods])
def test_titles_that_are_merged_do_no_harm_and_merged_names_are_told(make):
    titled = [["Sales by region, all of 2024", None, None, None], *TABLE]
    data = rosenblatt.read(io.BytesIO(make(merged=[(0, 0, 0, 3)], One=titled)), target="churn")
    assert not any("merged" in note for note in data.notes)
    two = [["region", None, "sold", "churn"], *TABLE[1:]]
    data = rosenblatt.read(io.BytesIO(make(merged=[(0, 0, 0, 1)], One=two)), target="churn")
    assert data.rows.columns == ["region", "column_2", "sold"]
    assert data.notes == (
        "1 name of columns of the stream is merged over several: the others got names by their place, column_2.",
    )


def test_merged_cells_of_another_sheet_are_not_told():
    content = xlsx(merged=REGIONS, Merged=TABLE, Plain=[row[1:] for row in TABLE])
    assert len(merged_cells(content, "Merged").blocks) == 2
    assert merged_cells(content, "Plain").blocks == []
    assert merged_cells(content, "None").blocks == []
    assert merged_cells(content[:-30], "Merged").blocks == []
    assert merged_cells(b"no archive", "Merged").blocks == []


def test_merged_cells_that_somebody_claims_everywhere_take_no_time():
    content = xlsx(merged=[(1, 0, 1_048_575, 16_383)] * 5000, One=TABLE)
    (note,) = rosenblatt.read(io.BytesIO(content), target="churn").notes
    assert note.startswith("5,000 blocks of merged cells in region, team, sold, churn of the stream")


@pytest.mark.parametrize("make", [xlsx, ods])
def test_blank_rows_above_a_table_are_no_rows(make, tmp_path, capsys):
    """The row of names was taken for one of the table, and numbers for texts."""
    full = [[f"r{k % 2}", *row[1:]] for k, row in enumerate(TABLE[1:])]
    path = tmp_path / f"t.{make.__name__}"
    path.write_bytes(make(One=[[], [], TABLE[0], *full]))
    data = rosenblatt.read(path, target="churn")
    assert data.rows.rows() == [tuple(row[:-1]) for row in full]
    assert data.notes == ()
    model = str(tmp_path / "m.rosenblatt")
    assert run(["train", str(path), "--target", "churn", "-q", "-o", model]) == 0
    capsys.readouterr()
    assert run(["predict", model, str(path), "--only-labels", "-q"]) == 0
    assert len(capsys.readouterr().out.split()) == N
