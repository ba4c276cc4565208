"""Dates as people and databases write them, each column made from days that are known: read as those, and told how."""

import io
from datetime import date, datetime, timedelta

import polars as pl
import pytest

import rosenblatt
from rosenblatt.cli import run
from rosenblatt.data.columns.dates import DateFormat, is_pattern
from rosenblatt.data.columns.kinds import Overrides, decide
from rosenblatt.data.columns.reading import TableReadings

N = 40
MOMENTS = [datetime(2021, 1, 3, 4, 5, 6) + timedelta(days=19 * k, hours=5 * k, minutes=7 * k) for k in range(N)]
SPANISH = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
]
DAY, MINUTE, SECOND = timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1)


def nth(day):
    """As English counts: 1st, 2nd, 3rd, 4th … 11th, 12th, 13th … 21st."""
    return f"{day}{'th' if 10 < day < 20 else ('th', 'st', 'nd', 'rd', *['th'] * 6)[day % 10]}"


# name: (how a moment is written, what is told, how much of it is written)
WRITTEN = {
    "March 3rd, 2024": (lambda m: f"{m:%B} {nth(m.day)}, {m.year}", "month dth y", DAY),
    "March 3rd, 2024, and some March 3": (
        lambda m: f"{m:%B} {nth(m.day) if m.day % 2 else m.day}, {m.year}",
        "month dth y",
        DAY,
    ),
    "3rd of March 2024": (lambda m: f"{nth(m.day)} of {m:%B} {m.year}", "dth month y", DAY),
    "3rd March 2024": (lambda m: f"{nth(m.day)} {m:%B} {m.year}", "dth month y", DAY),
    "Mar 3, 2024 4:05 PM": (lambda m: f"{m:%b} {m.day}, {m.year} {m:%I:%M %p}", "month d y h:m am/pm", MINUTE),
    "Mar 3, 2024, 4:05 PM": (lambda m: f"{m:%b} {m.day}, {m.year}, {m:%I:%M %p}", "month d y h:m am/pm", MINUTE),
    "March 3, 2024 at 4:05 pm": (
        lambda m: f"{m:%B} {m.day}, {m.year} at {m:%I:%M} {'ap'[m.hour > 11]}m",
        "month d y at h:m am/pm",
        MINUTE,
    ),
    "Sunday, March 3rd, 2024": (lambda m: f"{m:%A}, {m:%B} {nth(m.day)}, {m.year}", "weekday month d y", DAY),
    "Mar-3-2024": (lambda m: f"{m:%b}-{m.day}-{m.year}", "month-d-y", DAY),  # as statsmodels' elec_equip has it
    "Sun Mar 3 2024": (lambda m: f"{m:%a %b} {m.day} {m.year}", "weekday month d y", DAY),
    "Sun Mar  3 04:05:06 2024": (lambda m: m.ctime(), "weekday month d h:m:s y", SECOND),
    "Sun Mar 3 04:05:06 UTC 2024": (
        lambda m: f"{m:%a %b} {m.day} {m:%H:%M:%S} UTC {m.year}",
        "weekday month d h:m:s y",
        SECOND,
    ),
    "03-MAR-24": (lambda m: f"{m:%d-%b-%y}".upper(), "d month yy, yy from 1970 to 2069", DAY),
    "03-MAR-24 04.05.06.000000 PM": (
        lambda m: f"{m:%d-%b-%y %I.%M.%S}.000000 {m:%p}".upper(),
        "d month yy h.m.s am/pm, yy from 1970 to 2069",
        SECOND,
    ),
    "03-MAR-24 04.05.06 PM +02:00": (
        lambda m: f"{m:%d-%b-%y %I.%M.%S %p} +02:00".upper(),
        "d month yy h.m.s am/pm, yy from 1970 to 2069",
        SECOND,
    ),
    "03-Mar-2024 16:05:06.5": (lambda m: f"{m:%d-%b-%Y %H:%M:%S}.0", "d month y h:m:s", SECOND),
    "03MAR2024": (lambda m: f"{m:%d%b%Y}".upper(), "d month y", DAY),
    "03MAR2024:04:05:06": (lambda m: f"{m:%d%b%Y:%H:%M:%S}".upper(), "d month y:h:m:s", SECOND),
    "03/Mar/2024:04:05:06 +0000": (lambda m: f"{m:%d/%b/%Y:%H:%M:%S} +0000", "d/month/y:h:m:s", SECOND),
    "2024-Mar-03": (lambda m: f"{m:%Y-%b-%d}", "y-month-d", DAY),
    "3 de marzo de 2024": (lambda m: f"{m.day} de {SPANISH[m.month - 1]} de {m.year}", "d de month de y", DAY),
    "2024-W10-1": (lambda m: "{}-W{:02}-{}".format(*m.isocalendar()), "y-week-weekday", DAY),
    "22-01-21": (lambda m: f"{m:%d-%m-%y}", "d-m-yy, yy from 1970 to 2069", DAY),
    "3/3/2024, 4:05:06 PM": (lambda m: f"{m.month}/{m.day}/{m.year}, {m:%I:%M:%S %p}", "m/d/y, h:m:s am/pm", SECOND),
    "03.03.24, 16:05": (lambda m: f"{m:%d.%m.%y, %H:%M}", "d.m.yy, h:m, yy from 1970 to 2069", MINUTE),
    "So, 03.03.24 16:05": (lambda m: f"So, {m:%d.%m.%y %H:%M}", "d.m.yy h:m, yy from 1970 to 2069", MINUTE),
    "03.03.2024 16:05 Uhr": (lambda m: f"{m:%d.%m.%Y %H:%M} Uhr", "d.m.y h:m Uhr", MINUTE),
    "20240303T160506Z": (lambda m: f"{m:%Y%m%dT%H%M%S}Z", "ymd hms", SECOND),
    "20240303160506": (lambda m: f"{m:%Y%m%d%H%M%S}", "ymdhms", SECOND),
    "20240303": (lambda m: f"{m:%Y%m%d}", "ymd", DAY),
    "20240303.0": (lambda m: f"{m:%Y%m%d}.0", "ymd", DAY),
    "1709481906.0": (lambda m: str((m - datetime(1970, 1, 1)).total_seconds()), "seconds since 1970", SECOND),
}


def as_file(cells, name="ordered_at"):
    rows = [f'"{cell}",{k % 7},{"yn"[k % 3 > 0]}' for k, cell in enumerate(cells)]
    return "\n".join([f"{name},other,churn", *rows, ""]).encode()


def days_of(reading, rows):
    return TableReadings([reading]).clean(rows).frame[f"{reading.name} (days)"].to_list()


@pytest.mark.parametrize("name", WRITTEN)
def test_a_date_is_the_day_that_was_written(name):
    write, told, step = WRITTEN[name]
    data = rosenblatt.read(io.BytesIO(as_file([write(moment) for moment in MOMENTS])), target="churn")
    reading = decide(data.rows, trimmed=data.trimmed)[0]
    assert (reading.kind, reading.why) == ("date", told)
    expected = [(moment - datetime(1970, 1, 1)) // step * step / DAY for moment in MOMENTS]
    assert days_of(reading, data.rows) == pytest.approx(expected, abs=1e-6)
    assert is_pattern(reading.date.pattern)  # so that its model can be loaded


@pytest.mark.parametrize(
    ("name", "first"),
    [("%G-W%V", "2024-03-04"), ("%G W%V", "2024-03-04"), ("%b '%y", "2024-03-01"), ("%Y %B", "2024-03-01")],
)
def test_a_week_is_its_monday_and_a_month_its_first_day(name, first):
    weeks = [date(2024, 3, 6) + timedelta(days=91 * k) for k in range(4)]
    reading = decide(pl.DataFrame({"at": [day.strftime(name) for day in weeks]}))[0]
    (day, *_) = days_of(reading, pl.DataFrame({"at": [weeks[0].strftime(name)]}))
    assert date(1970, 1, 1) + timedelta(days=day) == date.fromisoformat(first)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{0} Q{1}", "y quarter"), ("{0}Q{1}", "y quarter"), ("{0}-q{1}", "y quarter"),
        ("Q{1} {0}", "quarter y"), ("Q{1}/{0}", "quarter y"), ("Q{1}-{0}", "quarter y"),
    ],
)  # fmt: skip
def test_a_quarter_is_its_first_day(written, told):
    quarters = [(year, quarter) for year in range(1998, 2004) for quarter in (1, 2, 3, 4)]
    rows = pl.DataFrame({"at": [written.format(*one) for one in quarters]})
    reading = decide(rows)[0]
    assert (reading.kind, reading.why) == ("date", told)
    days = [date(1970, 1, 1) + timedelta(days=day) for day in days_of(reading, rows)]
    assert days == [date(year, 3 * quarter - 2, 1) for year, quarter in quarters]
    assert is_pattern(reading.date.pattern)
    assert decide(rows, Overrides({"at": f"date:{reading.date.pattern}"}))[0].kind == "date"
    assert decide(rows[:20])[0].kind == "category"  # five years
    for other in ("1998 Q5", "1998 Q", "in 1998 Q1", "Q1"):
        assert reading.date.instants(pl.Series([other])).to_list() == [None]


def test_short_years_turn_at_seventy():
    rows = pl.DataFrame({"born": ["31-DEC-69", "01-JAN-70", "05-MAY-99", "05-MAY-00"]})
    years = [(date(1970, 1, 1) + timedelta(days=day)).year for day in days_of(decide(rows)[0], rows)]
    assert years == [2069, 1970, 1999, 2000]


def test_numbers_that_are_all_days_are_dates_which_is_told_and_overruled():
    days = [f"{moment:%Y%m%d}" for moment in MOMENTS]
    for name, cells in {"booking": days, "booked": ["unknown", *days[1:]]}.items():
        rows = rosenblatt.read(io.BytesIO(as_file(cells, name)), target="churn").rows
        told = f"ymd, as every number is such a day; if they are numbers, --column {name}=number"
        assert decide(rows)[0].why.startswith(told)
        assert decide(rows, Overrides({name: "number"}))[0].kind == "number"
    for name, cells in {"order_id": days, "no day": ["20240230", *days[1:]], "two": days[:2] * 20}.items():
        rows = rosenblatt.read(io.BytesIO(as_file(cells, name)), target="churn").rows
        assert decide(rows)[0].kind in ("id", "number")


def test_days_with_a_point_are_read_alike_where_nothing_is_missing():
    """pandas writes 20240303.0 where a column has holes, and 20240303 where it has none."""
    reading = decide(pl.DataFrame({"date": [20240303.0, None, 20240401.0, 20231231.0]}))[0]
    for cells in ([20240303.0, 20240401.0], [20240303, 20240401], ["20240303", "20240401.0"]):
        assert days_of(reading, pl.DataFrame({"date": cells})) == [19785.0, 19814.0]


def test_what_only_begins_as_a_date_is_none():
    for cells in (
        ["3rd of May 2024", "4rd floor"],
        ["2024-W54-1", "2024-W10-1"],
        ["31-FEB-24", "03-MAR-24"],
        ["22XYZ2021"] * 3,
    ):
        assert decide(pl.DataFrame({"at": [*cells, *cells], "b": [1, 2] * len(cells)}))[0].kind != "date"


def test_a_model_reads_the_same_dates_from_memory_from_a_stream_and_when_it_predicts(tmp_path, capsys):
    names = ["March 3rd, 2024", "03-MAR-24 04.05.06.000000 PM", "2024-W10-1", "20240303"]
    columns = {f"c{k}": [WRITTEN[name][0](moment) for moment in MOMENTS] for k, name in enumerate(names)}
    frame = pl.DataFrame({**columns, "churn": ["yn"[k % 3 > 0] for k in range(N)]})
    frame.write_csv(tmp_path / "t.csv")
    models = []
    for stream in ([], ["--stream"]):
        models.append(str(tmp_path / f"m{len(stream)}.rosenblatt"))
        assert run(["train", str(tmp_path / "t.csv"), "--target", "churn", "-q", "-o", models[-1], *stream]) == 0
    readings = [rosenblatt.load(model).features.readings.columns for model in models]
    assert readings[0] == readings[1]
    assert {one.kind for one in readings[0]} == {"date"}
    capsys.readouterr()
    answers = []
    for model in models:
        assert run(["predict", model, str(tmp_path / "t.csv"), "--scores"]) == 0
        printed = capsys.readouterr()
        assert "missing" not in printed.err
        answers.append(printed.out)
    assert answers[0] == answers[1]


def test_spellings_that_earlier_models_did_not_know_stay_unknown_to_them():
    """A model file that was written before must predict what it did: its patterns read no more than they did."""
    for pattern, cell in {
        "%d %b %Y": "3rd of March 2024", "%b %d %Y": "Sunday, March 3, 2024", "%d.%m.%Y %H:%M": "03.03.2024, 16:05",
        "%b %d %Y %I:%M %p": "March 3, 2024 at 4:05 PM", "%d %b %y %I:%M:%S %p": "03-MAR-24 04.05.06 PM",
    }.items():  # fmt: skip
        assert DateFormat(pattern).wall_times(pl.Series([cell])).to_list() == [None]
