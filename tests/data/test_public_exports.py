"""Tables as known programs and public data sets write them, each with its truth: what every column is taken for, in memory
and from disk alike, and what is told of it.
"""

import csv
import io
import json
from datetime import datetime, timedelta

import pytest

import rosenblatt
from rosenblatt.data.columns.kinds import Overrides, decide
from rosenblatt.data.columns.reading import TableReadings
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.table_to_disk import table_on_disk
from rosenblatt.features.table.numbers import numbers

N = 60
CHURN = ["yes" if 7 * k % 10 < 4 else "no" for k in range(N)]
AT = [datetime(2021, 1, 3, 4, 5, 6) + timedelta(days=19 * k, hours=5 * k, minutes=7 * k) for k in range(N)]
FRENCH = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
]


def one_of(*values):
    return lambda k: values[k % len(values)]


def day(k):
    return f"{AT[k].day}, {AT[k].year}"


# name: {column: (cell of row k, kind, what is told)}
FILES = {
    "HubSpot": {
        "Create Date": (lambda k: f"{AT[k]:%Y-%m-%d %H:%M}", "date", "y-m-d h:m"),
        "Employees": (one_of("1-10", "11-50", "51-200"), "category", ""),
        "Revenue": (lambda k: f"${1200000 + 7000 * k:,}", "number", "written as 1,234.5 with $"),
        "Record ID": (lambda k: 15203948571 + k * 7919, "id", "different in every row"),
    },
    "Salesforce": {
        "Id": (lambda k: f"0015g00000{k:05d}AAA", "id", "different in every row"),
        "Amount": (lambda k: f"USD {1234 + k * 37:,}.00", "number", "written as 1,234.5 with USD"),
        "Close Date": (lambda k: f"{AT[k].month}/{day(k).replace(', ', '/')}", "date", "m/d/y"),
        "Won": (one_of("true", "false"), "boolean", "false or true"),
    },
    "Shopify": {
        "Name": (lambda k: f"#{1001 + k}", "id", "different in every row"),
        "Created at": (lambda k: f"{AT[k]:%Y-%m-%d %H:%M:%S} -0500", "date", "y-m-d h:m:s"),
        "Zip": (lambda k: f"'{90210 + k % 9 * 7:05d}", "category", ""),
    },
    "Jira": {
        "Created": (
            lambda k: f"{AT[k]:%d/%b/%y} {AT[k].hour % 12 or 12}:{AT[k]:%M %p}",
            "date",
            "d/month/yy h:m am/pm, yy from",
        ),
        "Key": (lambda k: f"ABC-{k + 100}", "id", "different in every row"),
        "Estimate": (one_of("1d 4h", "2h", "30m", "3d"), "number", "written as a duration, taken as seconds"),
    },
    "Moodle": {
        "Grade": (lambda k: "-" if k % 8 == 0 else f"{50 + k * 0.75:.2f}", "number", "missing: -"),
        "Started": (lambda k: f"{AT[k].day} {AT[k]:%B %Y}  {AT[k]:%I:%M %p}", "date", "d month y h:m am/pm"),
    },
    "Google Analytics": {
        "Date": (lambda k: f"{AT[k]:%Y%m%d}", "date", "ymd"),
        "On page": (
            lambda k: f"00:{k % 7:02d}:{k * 7 % 60:02d}",
            "date",
            "h:m:s, a time of day; if it is a duration, --column 'On page=number:duration'",
        ),
        "Session Duration": (lambda k: f"00:{k % 7:02d}:{k * 7 % 60:02d}", "number", "written as a duration"),
        "Bounce": (lambda k: f"{k * 1.37 % 100:.2f}%", "number", "written as 1234.5 with %"),
    },
    "Airbnb": {
        "price": (lambda k: f"${1000 + k * 17:,}.00", "number", "written as 1,234.5 with $"),
        "rate": (lambda k: "N/A" if k % 4 == 0 else f"{90 + k % 10}%", "number", "with %, missing: N/A"),
        "superhost": (one_of("t", "f", "f"), "boolean", "f or t"),
        "amenities": (lambda k: f'["Wifi", "Kitchen", "TV {k % 3}"]', "category", ""),
        "baths": (one_of("1.5 baths", "1 bath", "2 shared baths", "Half-bath"), "category", ""),
    },
    "the American census": {
        "income": (
            lambda k: "250,000+" if k % 9 == 1 else f"{30000 + k % 30 * 977:,}",
            "category",
            "numbers, some as 250,000+, taken as words: --column income=number takes such cells as missing",
        ),
        "error": (lambda k: "***" if k % 9 == 1 else f"{1000 + k * 31:,}", "number", "written as 1,234.5, missing: ***"),
        "share": (lambda k: "(X)" if k % 6 == 0 else f"{k * 1.3 % 100:.1f}", "number", "missing: (X)"),
    },
    "the World Bank": {
        "y2020": (lambda k: ".." if k % 3 == 0 else f"{k * 1.37:.6f}", "number", "missing: .."),
        "y2021": (lambda k: "…" if k % 4 == 0 else k * 7, "number", "missing: …"),
        "y2022": (lambda k: "*" if k % 4 == 0 else k * 7, "number", "missing: *"),
        "y2023": (lambda k: "—" if k % 4 == 0 else k * 7, "number", "missing: —"),
    },
    "Eurostat": {
        "flags": (
            lambda k: ": c" if k % 7 == 0 else f"{k * 1.1:.1f}{' b' * (k % 5 == 0)}",
            "category",
            "numbers with nothing or b, taken as words: write them in one unit, or --column flags=number reads those",
        ),
        "v2021": (lambda k: ":" if k % 4 == 0 else f"{k * 1.1:.1f}", "number", "missing: :"),
    },
    "FRED": {
        "DATE": (lambda k: f"{AT[k]:%Y-%m-%d}", "date", "y-m-d"),
        "VALUE": (lambda k: "." if k % 7 == 0 else f"{k * 1.1:.1f}", "number", "missing: ."),
    },
    "NOAA": {
        "prcp": (lambda k: "T" if k % 5 == 0 else f"{k % 7 * 0.11:.2f}", "category", "T is not a number, most others are"),
        "tmax": (lambda k: -9999 if k % 12 == 0 else f"{k % 30}.5", "number", "-9999.0 in 5 rows is far from all others"),
        "snow": (lambda k: "0.0s" if k % 20 == 3 else f"{k % 4}.0", "category", "numbers with nothing or s, taken as words"),
    },
    "Investing.com": {
        "Date": (lambda k: f"{AT[k]:%b %d, %Y}", "date", "month d y"),
        "Vol": (lambda k: f"{k % 9}.23M" if k % 3 else f"{k % 9 + 900}K", "category", "numbers with M or K, taken as words"),
    },
    "laboratories": {
        "titer": (one_of("1:20", "1:40", "1:80", "1:160"), "category", ""),
        "pressure": (lambda k: f"{110 + k % 5}/{70 + k % 5}", "category", ""),
    },
    "matches": {
        "score": (one_of("3-1", "2-0", "1-1", "0-4"), "category", ""),
        "odds": (one_of("5/2", "1/3", "11/4"), "category", ""),
        "gene": (one_of("MARCH1", "SEPT2", "1-Mar", "2-Sep"), "category", ""),
    },
    "feet and inches": {
        "height": (lambda k: f"5'{k % 12}\"", "category", "5'0\" holds numbers that are not read"),
        "tall": (lambda k: f"5 ft {k % 12} in", "category", "5 ft 0 in holds numbers that are not read"),
    },
    "places": {
        "where": (lambda k: f"48.{1000 + k * 37}, 11.{5000 + k * 29}", "id", "different in every row"),
        "lat": (lambda k: f"48.{1000 + k * 37}", "number", ""),
    },
    "SurveyMonkey": {
        "Respondent ID": (lambda k: 11203948571 + k * 7919, "id", "different in every row"),
        "agree": (one_of("5 - Strongly agree", "1 - Strongly disagree", "3 - Neutral"), "category", ""),
    },
    "InfluxDB": {
        "time": (lambda k: 1709481906000000000 + k * 3600 * 10**9, "date", "nanoseconds since 1970"),
        "timestamp": (lambda k: 1709481906000000 + k * 3600 * 10**6, "date", "microseconds since 1970"),
    },
    "Python": {
        "at": (lambda k: f"{AT[k]:%Y-%m-%d %H:%M:%S}.{123456 + k}+00:00", "date", "y-m-d h:m:s"),
        "zulu": (lambda k: f"{AT[k]:%Y-%m-%dT%H:%M}Z", "date", "y-m-d h:m"),
        "customer_id": (lambda k: "" if k % 9 == 0 else f"{17850 + 7 * k}.0", "id", "different in every row"),
    },
    "R": {
        "x": (
            lambda k: "Inf" if k % 15 == 0 else "NA" if k % 8 == 3 else k / 2,
            "category",
            "Inf is not a number, most others are: --column x=number takes such cells as missing, missing: NA",
        ),
        "l": (one_of("TRUE", "FALSE", "NA"), "boolean", "FALSE or TRUE, missing: NA"),
    },
    "pets": {
        "age": (one_of("2 years", "1 month", "3 weeks", "1 year"), "category", "numbers with month or year or years …")
    },
    "Zomato": {
        "rate": (
            lambda k: f"{3 + k % 20 / 10:.1f}/5",
            "category",
            "numbers as 3.0/5, taken as words: --column rate=number:1234.5/5",
        ),
        "new": (
            lambda k: "NEW" if k % 9 == 0 else f"{3 + k % 20 / 10:.1f}/5",
            "category",
            "--column new=number:1234.5/5 reads",
        ),
        "said": (
            lambda k: f"{3 + k % 20 / 10:.1f} out of 5",
            "category",
            "--column 'said=number:1234.5out of 5' reads them",
        ),
    },
    "Google Play": {
        "Installs": (
            one_of("10,000+", "5,000,000+", "500+"),
            "category",
            "numbers as 10,000+, taken as words: --column Installs=number:1,234.5+ reads them",
        ),
        "Size": (one_of("19M", "8.7M", "201k", "Varies with device"), "category", "numbers with M or k, taken as words"),
        "Updated": (lambda k: f"{AT[k]:%B} {day(k)}", "date", "month d y"),
        "Needs": (one_of("4.0.3 and up", "5.0 and up"), "category", ""),
    },
    "Netflix": {
        "long": (one_of("90 min", "2 Seasons", "1 Season"), "category", "numbers with Season or Seasons or min"),
        "date_added": (lambda k: f"{' ' * (k % 7 == 0)}{AT[k]:%B} {day(k)}", "date", "month d y"),
    },
    "Steam": {
        "owners": (one_of("20,000 .. 50,000", "0 .. 20,000"), "category", ""),
        "released": (
            lambda k: f"{AT[k]:%b} {day(k)}" if k % 9 else f"{AT[k]:%b %Y}",
            "id",
            "most are dates as month d y, and some are not, as Dec 2021: --column released=date takes those as missing",
        ),
    },
    "sightings": {
        "seen": (
            lambda k: f"10/{k % 28 + 1}/1949 {'24:00' if k % 13 == 0 else '20:30'}",
            "category",
            "most are dates as m/d/y h:m, and some are not, as 10/1/1949 24:00: --column seen=date takes those as missing",
        ),
        "lasted": (one_of("45 minutes", "1-2 hrs", "20 seconds", "1/2 hour"), "category", ""),
    },
    "New York": {
        "sale": (lambda k: " -  " if k % 4 == 0 else f"${k * 1000 + 17:,}", "number", "with $"),
        "created": (lambda k: f"{AT[k]:%m/%d/%Y %I:%M:%S %p}", "date", "m/d/y h:m:s am/pm"),
    },
    "Lending Club": {
        "term": (one_of(" 36 months", " 60 months"), "number", "written as 1234.5 with months"),
        "emp_length": (
            one_of("10+ years", "< 1 year", "2 years", "n/a", "3 years"),
            "category",
            "numbers, some as 10+ years, taken as words: --column emp_length=number takes such cells as missing",
        ),
        "issue_d": (lambda k: f"{AT[k]:%b-%Y}", "date", "month y"),
        "zip_code": (lambda k: f"{900 + k % 30}xx", "category", ""),
    },
    "online retail": {
        "InvoiceNo": (lambda k: f"{'C' * (k % 9 == 0)}{536379 + k // 3}", "category", ""),
        "InvoiceDate": (
            lambda k: f"{AT[k].month}/{AT[k].day}/{AT[k]:%y} {AT[k].hour}:{AT[k]:%M}",
            "date",
            "m/d/yy h:m, yy from",
        ),
    },
    "the weather of Szeged": {
        "Formatted": (lambda k: f"{AT[k]:%Y-%m-%d %H:%M:%S}.000 +0200", "date", "y-m-d h:m:s"),
        "Precip": (one_of("rain", "snow", "null"), "category", "missing: null"),
    },
    "FIFA": {
        "Value": (
            lambda k: f"€{k % 9}.5M" if k % 3 else f"€{k % 9 + 900}K",
            "category",
            "numbers with €M or €K, taken as words",
        ),
        "Wage": (lambda k: f"€{k % 9 + 1}K", "category", "numbers with €K, taken as words: write the numbers alone"),
        "Weight": (lambda k: f"{150 + k}lbs", "number", "written as 1234.5 with lbs"),
    },
    "flights": {
        "Journey": (lambda k: f"{AT[k].day}/{AT[k]:%m/%Y}", "date", "d/m/y"),
        "Duration": (lambda k: f"{k % 20 + 1}h{f' {k % 12 * 5}m' * (k % 4 > 0)}", "number", "written as a duration"),
        "Stops": (one_of("non-stop", "1 stop", "2 stops"), "category", "numbers with stop or stops, taken as words"),
    },
    "used cars": {
        "Mileage": (
            lambda k: f"{k % 9}.6 {'kmpl' if k % 4 else 'km/kg'}",
            "category",
            "numbers with km/kg or kmpl, taken as words",
        ),
        "Power": (
            lambda k: "null bhp" if k % 30 == 0 else f"{58 + k % 9}.1 bhp",
            "category",
            "--column Power=number:1234.5bhp reads",
        ),
        "Price": (lambda k: f"{k % 9 + 1}.2 Lakh", "category", "--column Price=number:1234.5Lakh reads them"),
    },
    "laptops": {
        "Ram": (one_of("8GB", "16GB", "4GB"), "number", "written as 1234.5 with GB"),
        "Memory": (one_of("128GB SSD", "1TB HDD", "256GB SSD"), "category", ""),
        "Screen": (one_of("Full HD 1920x1080", "1366x768"), "category", ""),
    },
    "MongoDB": {
        "_id": (lambda k: f"65e4{k * 7919:020x}", "id", "different in every row"),
        "visits": (lambda k: k % 7, "number", ""),
    },
    "Access": {
        "Flag": (one_of("-1", "0"), "number", ""),
        "When": (lambda k: f"{AT[k].month}/{day(k).replace(', ', '/')} 0:00:00", "date", "m/d/y h:m:s"),
    },
    "Switzerland": {
        "Lohn": (lambda k: f"{k + 4}’{100 + k}.50", "number", "written as 1'234.5"),
        "Datum": (lambda k: f"{AT[k].day}.{AT[k].month}.{AT[k].year}", "date", "d.m.y"),
    },
    "France": {
        "le": (
            lambda k: f"{['lundi', 'mardi'][k % 2]} {AT[k].day} {FRENCH[AT[k].month - 1]} {AT[k].year}",
            "date",
            "d month y",
        ),
        "prix": (lambda k: f"{k + 1} {100 + k},50 €", "number", "written as 1 234,5 with €"),
    },
    "Japan": {
        "date": (lambda k: f"{AT[k].year}年{AT[k].month}月{AT[k].day}日", "date", "y年m月d日"),
        "price": (lambda k: f"¥{1000 + k * 37:,}", "number", "with ¥"),
    },
    "India": {
        "amount": (lambda k: f"₹ {k % 9 + 1},{10 + k % 80},{100 + k}.00", "number", "written as 1,234.5 with ₹"),
        "at": (lambda k: f"{AT[k]:%d-%b-%Y %I:%M:%S %p}", "date", "d month y h:m:s am/pm"),
    },
    "shares in words": {
        "share": (lambda k: f"{k % 9} percent", "category", "--column share=number:1234.5percent reads them")
    },
    "people who type": {
        "price": (
            lambda k: f"{k % 9},5" if k % 3 else f"{k % 9}.25",
            "category",
            "numbers, but not written in one way, as 1,5 and 0.25: --column price=number reads those as 1.234,5,",
        ),
        "hour": (lambda k: f"{k % 12 + 1} {'AaPp'[k % 4]}{'MmMm'[k % 4]}", "date", "h am/pm"),
        "called": (lambda k: f"{AT[k]:%Y-%m-%d %I %p}", "date", "y-m-d h am/pm"),
    },
    "a catalogue": {
        "sku": (
            lambda k: f"{k % 9 + 1}E{k % 7}" if k % 5 else f"{k % 7 + 1}12",
            "number",
            "1E1 taken as 10: if they are names, --column sku=code",
        ),
        "size": (lambda k: f"{k % 9}.5E+0{k % 3}", "number", ""),
    },
    "quarters": {
        "quarter": (one_of("2024Q1", "2024Q2", "2023Q4"), "category", ""),
        "week": (lambda k: f"KW{k % 52 + 1:02d}/2024", "category", ""),
    },
}


def as_csv(columns):
    text = io.StringIO()
    rows = ([cell(k) for cell, _, _ in columns.values()] + [CHURN[k]] for k in range(N))
    csv.writer(text, lineterminator="\n").writerows([[*columns, "churn"], *rows])
    return text.getvalue()


@pytest.mark.parametrize("name", FILES)
def test_a_table_is_taken_for_what_it_is_in_memory_and_from_disk(name, tmp_path):
    path, columns = tmp_path / "t.csv", FILES[name]
    path.write_text(as_csv(columns))
    data = rosenblatt.read(path, target="churn")
    assert data.labels.to_list() == CHURN
    readings = decide(data.rows, trimmed=data.trimmed)
    assert [(one.name, one.kind) for one in readings] == [(column, kind) for column, (_, kind, _) in columns.items()]
    for one, (_, _, told) in zip(readings, columns.values(), strict=True):
        assert told in one.why
        assert bool(told) == bool(one.why)
    on_disk = table_on_disk(path, ReadOptions(target="churn"), tmp_path)
    assert decide(on_disk.rows, trimmed=True) == readings


@pytest.mark.parametrize(
    ("name", "column", "said", "values"),
    [
        ("Zomato", "rate", "number:1234.5/5", [3.0, 3.1, 3.2]),
        ("Zomato", "said", "number:1234.5out of 5", [3.0, 3.1, 3.2]),
        ("Google Play", "Installs", "number:1,234.5+", [10_000, 5_000_000, 500]),
        ("used cars", "Power", "number:1234.5bhp", [None, 59.1, 60.1]),
        ("Google Analytics", "On page", "number:duration", [0, 67, 134]),
        ("Lending Club", "emp_length", "number", [None, None, 2]),
    ],
)
def test_the_options_that_are_told_read_the_numbers(name, column, said, values, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(as_csv(FILES[name]))
    data = rosenblatt.read(path, target="churn")
    reading = next(one for one in decide(data.rows, Overrides({column: said})) if one.name == column)
    read = numbers(TableReadings([reading]).clean(data.rows).frame[column])[0].tolist()
    assert [None if value != value else value for value in read[:3]] == values


def test_years_of_two_digits_are_none_where_years_have_four(tmp_path):
    """03.03.24 was the year 24 to a model that had seen 03.03.2024."""
    import polars as pl

    cells = [f"{at:%d.%m.%Y}" for at in AT]
    (reading,) = decide(pl.DataFrame({"since": cells}))
    clean = TableReadings([reading]).clean(pl.DataFrame({"since": ["03.03.24", "03.03.2024", "01.01.0001"]}))
    assert clean.frame["since (year)"].to_list() == [None, 2024, 1]
    assert clean.misfits == {"since": 1}
    saved = {key: value for key, value in reading.to_json().items() if key != "whole_years"}  # as it was written before
    earlier = TableReadings([type(reading).from_json(saved)]).clean(pl.DataFrame({"since": ["03.03.24"]}))
    assert earlier.frame["since (year)"].to_list() == [24]
    assert type(reading).from_json(json.loads(json.dumps(reading.to_json()))) == reading
