"""Columns as systems of many countries write them: each is read as what it means, or told with what to do."""

import csv
import io
import json
import random
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

import rosenblatt
from rosenblatt.data.columns.dates import recognise
from rosenblatt.data.columns.kinds import decide
from rosenblatt.data.columns.reading import ColumnReading, TableReadings
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.splits import comparable
from rosenblatt.data.table_to_disk import table_on_disk
from rosenblatt.features.table.numbers import numbers

N = 60
CHURN = ["yes" if 7 * k % 10 < 4 else "no" for k in range(N)]
DRAWN = random.Random(1).sample(range(10**8), N)
AT = [datetime(2021, 3, 4) + timedelta(seconds=seconds) for seconds in DRAWN]
RUSSIAN = [
    "января",
    "февраля",
    "марта",
    "апреля",
    "мая",
    "июня",
    "июля",
    "августа",
    "сентября",
    "октября",
    "ноября",
    "декабря",
]
WIDE = str.maketrans("0123456789,.", "０１２３４５６７８９，．")
ARABIC = str.maketrans("0123456789.", "٠١٢٣٤٥٦٧٨٩٫")


def amount(k):
    return k * 1237 + 0.5


def milliseconds(k):
    return int(AT[k].replace(tzinfo=UTC).timestamp()) * 1000


# How the k-th day, with its time or without, is written.
MOMENTS = {
    "PostgreSQL": lambda k: f"{AT[k]:%Y-%m-%d %H:%M:%S}+00",
    "PostgreSQL with fractions": lambda k: f"{AT[k]:%Y-%m-%d %H:%M:%S}.{k:06d}+02",
    "DB2": lambda k: f"{AT[k]:%Y-%m-%d-%H.%M.%S}.000000",
    "Google Forms": lambda k: f"{AT[k].year}/{AT[k].month}/{AT[k].day} {AT[k]:%I:%M:%S %p} GMT+1",
    "Java": lambda k: f"{AT[k]:%Y-%m-%dT%H:%M:%S}+01:00[Europe/Paris]",
    "JavaScript": lambda k: f"{AT[k]:%a %b %d %Y %H:%M:%S} GMT+0100 (Central European Standard Time)",
    "a place": lambda k: f"{AT[k]:%Y-%m-%d %H:%M:%S} America/New_York",
    "Finland": lambda k: f"{AT[k].day}.{AT[k].month}.{AT[k].year} {AT[k]:%H.%M}",
    "the time first": lambda k: f"{AT[k]:%H:%M %d/%m/%Y}",
    "Japan": lambda k: f"{AT[k].year}年{AT[k].month}月{AT[k].day}日 {AT[k].hour}時{AT[k].minute}分",
    "digits": lambda k: f"{AT[k]:%Y%m%d%H%M%S}",
    ".NET": lambda k: f"/Date({milliseconds(k)})/",
    ".NET with a zone": lambda k: f"/Date({milliseconds(k)}+0200)/",
}
DAYS = {
    "Russia": lambda k: f"{AT[k].day} {RUSSIAN[AT[k].month - 1]} {AT[k].year} г.",
    "Hungary": lambda k: f"{AT[k]:%Y.%m.%d.}",
    "Korea": lambda k: f"{AT[k].year}. {AT[k].month}. {AT[k].day}.",
    "Arabic digits": lambda k: f"{AT[k]:%Y/%m/%d}".translate(ARABIC),
    "SAP, and often none": lambda k: f"{AT[k]:%Y%m%d}" if k % 7 else "00000000",
    "months in digits": lambda k: f"{AT[k]:%Y%m}",
    "months with a point": lambda k: f"{AT[k]:%m.%Y}",
    "months with a slash": lambda k: f"{AT[k].month}/{AT[k].year}",
}
NUMBERS = {
    "wide digits": (lambda k: f"{k * 1237:,}.5".translate(WIDE), amount),
    "some wide digits": (lambda k: str(amount(k)).translate(WIDE) if k % 3 else str(amount(k)), amount),
    "Arabic digits": (lambda k: str(amount(k)).translate(ARABIC), amount),
    "signs that nobody sees": (lambda k: f"{amount(k)}\u200b" if k % 2 else str(amount(k)), amount),
    "a small minus": (lambda k: f"﹣{amount(k)}" if k % 2 else str(amount(k)), lambda k: -amount(k) if k % 2 else amount(k)),
    "yen": (lambda k: f"{k * 1237:,}円", lambda k: k * 1237),
    "yen in Shift JIS": (lambda k: f"\\{k * 1237:,}", lambda k: k * 1237),
    "exponents with a comma": (
        lambda k: f"{amount(k):.4E}".replace(".", ","),
        lambda k: float(f"{amount(k):.4E}"),
    ),
    "Python": (lambda k: f"{amount(k):_}", amount),
}
# Nobody can know: (cell, kind, what is told)
TOLD = {
    "± of a laboratory": (lambda k: f"{k % 30} ± 2", "category", "0 ± 2 holds numbers that are not read: write each"),
    "fractions of an inch": (lambda k: f"{k % 12 + 1} 1/2", "category", "1 1/2 holds numbers that are not read"),
    "powers of ten": (lambda k: f"{k % 30}×10^3", "category", "0×10^3 holds numbers that are not read"),
    "places": (lambda k: f"({47 + k % 30 / 100:.2f}, 8.25)", "category", "holds numbers that are not read"),
    "Stata's months": (lambda k: f"{AT[k].year}m{AT[k].month}", "category", "holds numbers that are not read"),
    "Japanese eras": (lambda k: f"令和{k % 6 + 1}年{k % 12 + 1}月{k % 28 + 1}日", "id", "may be a date: if so, say how"),
    "seconds since 1970": (
        lambda k: str(1_700_000_000 + 7919 * k),
        "id",
        "if 1700000000 means 2023-11-14, as seconds since",
    ),
    "capitals": (
        lambda k: ["Berlin", "BERLIN", "Bonn"][k % 3],
        "category",
        "BERLIN and Berlin are two values: if they mean one",
    ),
    "sums": (
        lambda k: ["East", "West", "East Total"][k % 3],
        "category",
        "East Total in 20 rows: if such rows add up others",
    ),
    "birthdays": (
        lambda k: f"{k % 12 + 1:02d}/{k % 28 + 1:02d}/{40 + k % 59}",
        "date",
        "where 69 means 1969, write years with",
    ),
    "version": (
        lambda k: f"1.{k % 12}",
        "number",
        "1.10 and 1.1 are one number: if they are versions, --column version=code",
    ),
    "phones": (lambda k: f"555-{1000 + k % 30}", "category", ""),
    "days in digits": (lambda k: f"{AT[k]:%d%m%Y}", "id", "days in digits=date:%d%m%Y"),
    "quarters": (lambda k: f"{AT[k].year}-Q{k % 4 + 1}", "category", ""),
    "lines_of_code": (lambda k: str(200 + k % 30), "number", ""),
    "versions of programs": (lambda k: f"{k % 9}.{10 + k % 7}.{20 + k % 30}", "id", "different in every row"),
    "statusCode": (lambda k: str(200 + k % 30), "code", "a number that is a name"),
    "area code": (lambda k: str(200 + k % 30), "code", "a number that is a name"),
    "ativo": (lambda k: ["Sim", "Não"][k % 2], "boolean", "Não or Sim"),
    "actief": (lambda k: ["ja", "nee"][k % 2], "boolean", "ja or nee"),
    "aktivní": (lambda k: ["да", "нет"][k % 2], "boolean", "да or нет"),
}


def written(tmp_path, **columns):
    """The cells as a CSV; read from there, and read by a stream."""
    text = io.StringIO()
    rows = ([cell(k) for cell in columns.values()] + [CHURN[k]] for k in range(N))
    csv.writer(text, lineterminator="\n").writerows([[*columns, "churn"], *rows])
    (path := tmp_path / "t.csv").write_text(text.getvalue())
    data = rosenblatt.read(path, target="churn")
    readings = decide(data.rows, trimmed=data.trimmed)
    on_disk = table_on_disk(path, ReadOptions(target="churn"), tmp_path)
    assert decide(on_disk.rows, trimmed=True) == readings
    return data, readings


def cleaned(reading, cells):
    """The values of these cells to a model that has been saved and loaded."""
    saved = json.loads(json.dumps(reading.to_json()))
    return TableReadings([ColumnReading.from_json(saved)]).clean(pl.DataFrame({reading.name: cells})).frame


@pytest.mark.parametrize("name", [*MOMENTS, *DAYS])
def test_moments_and_days_are_read(name, tmp_path):
    cell = (MOMENTS | DAYS)[name]
    data, (reading,) = written(tmp_path, when=cell)
    assert reading.kind == "date"
    for frame in (
        TableReadings([reading]).clean(data.rows, data.trimmed).frame,
        cleaned(reading, [cell(k) for k in range(N)]),
    ):
        known = [k for k in range(N) if cell(k) != "00000000"]
        read = frame[known]
        assert read["when (year)"].to_list() == [AT[k].year for k in known]
        assert read["when (month)"].to_list() == [AT[k].month for k in known]
        assert frame["when (days)"].null_count() == N - len(known)
        if name in MOMENTS:
            assert frame["when (weekday)"].to_list() == [f"{at:%a}" for at in AT]
            assert frame["when (hour)"].to_list() == [at.hour for at in AT]


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_read(name, tmp_path):
    cell, value = NUMBERS[name]
    data, (reading,) = written(tmp_path, amount=cell)
    assert reading.kind == "number"
    expected = [value(k) for k in range(N)]
    assert numbers(TableReadings([reading]).clean(data.rows, data.trimmed).frame["amount"])[0].tolist() == expected
    assert numbers(cleaned(reading, [cell(k) for k in range(N)])["amount"])[0].tolist() == expected


@pytest.mark.parametrize("name", TOLD)
def test_what_nobody_can_know_is_told(name, tmp_path):
    cell, kind, told = TOLD[name]
    _, (reading, _) = written(tmp_path, **{name: cell, "beside": lambda k: k % 7})
    assert reading.kind == kind
    assert told in reading.why
    assert bool(told) == bool(reading.why)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2024-03-03 05:06:07+02", "03:06"),
        ("2024/3/3 5:06:07 PM GMT+1", "16:06"),
        ("2024-03-03T05:06:07+01:00[Europe/Paris]", "04:06"),
        ("Sun Mar 03 2024 05:06:07 GMT-0530 (Some Time)", "10:36"),
        ("2024-03-03 05:06:07 +0200", "03:06"),
    ],
)
def test_zones_count_where_moments_are_compared(text, instant):
    texts = pl.Series([text])
    (moment,) = recognise(texts)[0].instants(texts).cast(pl.Datetime("us"))
    assert f"{moment:%Y-%m-%d %H:%M}" == f"2024-03-03 {instant}"


def test_months_with_a_point_are_compared_as_months():
    """12.2023 is before 1.2024, also where both have become numbers, and 10.2020 has lost a zero."""
    months = ["12.2023", "1.2024", "10.2020", "2.2024", "3.2024", "4.2024"]
    order = [2, 0, 1, 3, 4, 5]
    assert comparable(pl.Series(months)).arg_sort().to_list() == order
    assert comparable(pl.Series(map(float, months))).arg_sort().to_list() == order


def test_ids_are_used_where_nothing_else_is_and_that_is_told(tmp_path):
    _, (reading,) = written(tmp_path, hash=lambda k: f"{k * 7919**4 % 10**9:09x}")
    assert (reading.kind, reading.why) == ("category", "used, as nothing else is left to learn from")


def test_classes_that_differ_in_what_nobody_sees_are_spelled_alike():
    from rosenblatt.studies.cautions import about_alike_classes

    assert "invisible signs" in (about_alike_classes(["no", "no\u200b", "yes"]) or "")
