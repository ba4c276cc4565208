"""Raw columns as they fall out of spreadsheets and databases, each with its truth beside it: kind, and values."""

import bz2
import csv
import gzip
import io
import lzma
import re
from datetime import date, datetime, timedelta
from importlib.util import find_spec
from itertools import cycle, islice

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt
from rosenblatt.data.columns import date_spellings as spelled
from rosenblatt.data.columns import dates
from rosenblatt.data.columns.kinds import decide
from rosenblatt.data.columns.reading import TableReadings
from rosenblatt.errors import FileError
from rosenblatt.features.table.numbers import numbers

DAY = date(2023, 3, 5)
DAYS = [DAY + timedelta(days=37 * k) for k in range(24)]  # of every month, the 31st among them
MOMENTS = [datetime(2023, 3, 5, 7, 30) + timedelta(days=37 * k, minutes=61 * k) for k in range(24)]
SENTENCES = [f"please call me back about order number {k} as soon as you can" for k in range(24)]


GERMAN = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]
FRENCH = ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."]
WEEK = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"]


def written(pattern):
    return [day.strftime(pattern) for day in DAYS]


# name: (cells, kind, values); values are numbers, or dates, and None is a missing one; not asked where they are left out.
NUMBERS = {
    "plain": (["39", "50", "38"], [39, 50, 38]),
    "fractions": (["0.5", "12.25", "3."], [0.5, 12.25, 3]),
    "exponents": (["1e3", "2.5E-2", "7"], [1000, 0.025, 7]),
    "signs": (["-5", "+3", "0"], [-5, 3, 0]),
    "a true minus": (["−5", "3", "−0.5"], [-5, 3, -0.5]),
    "signs behind": (["5-", "3", "7.5-"], [-5, 3, -7.5]),
    "brackets": (["(5)", "3", "(1,200)"], [-5, 3, -1200]),
    "decimal comma": (["1,5", "2", "13,25"], [1.5, 2, 13.25]),
    "thousands": (["1,234.50", "7.00", "1,234,567.25"], [1234.5, 7, 1234567.25]),
    "thousands, European": (["1.234,50", "7,00", "1.234.567,25"], [1234.5, 7, 1234567.25]),
    "thousands by blanks": (["1 234", "56", "1 234 567"], [1234, 56, 1234567]),
    "thousands by no-break blanks": (["1\u00a0234,5", "56,0", "7,1"], [1234.5, 56, 7.1]),
    "thousands by narrow blanks": (["1\u202f234,5", "56,0", "7,1"], [1234.5, 56, 7.1]),
    "thousands by apostrophes": (["1'234.50", "56.00", "7.10"], [1234.5, 56, 7.1]),
    "thousands without a fraction": (["1,234", "56", "12,345,678"], [1234, 56, 12345678]),
    "percent": (["12%", "3.5 %", "100%"], [12, 3.5, 100]),
    "percent, European": (["12,5 %", "3 %", "0,1 %"], [12.5, 3, 0.1]),
    "dollars": (["$1,200.50", "$3", "-$7.25"], [1200.5, 3, -7.25]),
    "dollars in brackets": (["$1,200.50", "($3.00)", "$7.25"], [1200.5, -3, 7.25]),
    "euros behind": (["1.200,50 €", "3,00 €", "-7,25 €"], [1200.5, 3, -7.25]),
    "a code in front": (["EUR 5", "EUR 7.5", "EUR -2"], [5, 7.5, -2]),
    "a code behind": (["5 CHF", "1'000.50 CHF", "2 CHF"], [5, 1000.5, 2]),
    "pounds": (["£5", "£7.50", "£1,000"], [5, 7.5, 1000]),
    "NULL": (["39", "NULL", "51"], [39, None, 51]),
    "null in small letters": (["39", "null", "51"], [39, None, 51]),
    "NA and N/A": (["39", "NA", "N/A"], [39, None, None]),
    "NaN": (["39", "NaN", "51.5"], [39, None, 51.5]),
    "None": (["39", "None", "51"], [39, None, 51]),
    "a dash": (["39", "-", "51"], [39, None, 51]),
    "a point": (["39", ".", "51"], [39, None, 51]),
    "a question mark": (["39", "?", "51"], [39, None, 51]),
    "nothing": (["39", "", "51"], [39, None, 51]),
    "#N/A of a spreadsheet": (["39", "#N/A", "51"], [39, None, 51]),
    "unknown": (["39", "unknown", "51"], [39, None, 51]),
    "not available": (["39", "Not available", "51"], [39, None, 51]),
    "a mark among euros": (["1.200,50 €", "NULL", "3,00 €"], [1200.5, None, 3]),
    "years": (["1999", "2004", "2011"], [1999, 2004, 2011]),
    "SAP, signs behind": (["1.462,91-", "5.209,85 ", "7,00-"], [-1462.91, 5209.85, -7]),
    "rupees": (["₹1,46,291", "₹12,34,567", "₹999"], [146291, 1234567, 999]),
    "rupees with a point in their name": (["Rs. 1,46,291.50", "Rs.999.00", "Rs. 7"], [146291.5, 999, 7]),
    "lakhs without a sign": (["1,00,000", "11,111", "0"], [100000, 11111, 0]),
    "Swiss francs": (["CHF 1’462.91", "CHF 5.00", "CHF -7.50"], [1462.91, 5, -7.5]),
    "Swiss francs without cents": (["Fr. 10.–", "Fr. 7.50", "Fr. 1.-"], [10, 7.5, 1]),
    "euros without cents": (["5,-- €", "1.234,50 €", "7,- €"], [5, 1234.5, 7]),
    "accounting": (["$ (1,462.91)", "$ 5,209.85", "$ -"], [-1462.91, 5209.85, None]),
    "brackets before the sign": (["(5,00) €", "3,00 €", "7,25 €"], [-5, 3, 7.25]),
    "French": (["1\u202f462,91\u00a0€", "137,16\u00a0€", "-5,00\u00a0€"], [1462.91, 137.16, -5]),
    "weights": (["0.5 kg", "12 kg", "1,200.25 kg"], [0.5, 12, 1200.25]),
    "German distances": (["1.462,9 km", "5,0 km", "12 km"], [1462.9, 5, 12]),
    "degrees": (["-10°C", "3 °C", "21.5°C"], [-10, 3, 21.5]),
    "megabytes": (["1,5 MB", "3 MB", "12 mb"], [1.5, 3, 12]),
    "hours": (["7.5 h", "8 h", "12 h"], [7.5, 8, 12]),
    "pieces": (["5 Stk.", "12 Stk", "100 Stk."], [5, 12, 100]),
    "degrees of longitude": (["11.5755°E", "9.9937°E", "13.4050°E"], [11.5755, 9.9937, 13.405]),
    "fractions of three digits": (["0,125", "0,250", "1,500"], [0.125, 0.25, 1.5]),
    "errors of a spreadsheet": (["#DIV/0!", "0.5", "#WERT!", "1.25"], [None, 0.5, None, 1.25]),
    "k.A.": (["39", "k.A.", "51"], [39, None, 51]),
    "keine Angabe": (["39", "keine Angabe", "n/v", "51"], [39, None, None, 51]),
    "inconnu": (["39", "Inconnu", "non renseigné", "51"], [39, None, None, 51]),
    "zero and fractions below one": (["0", "0.25", ".5"], [0, 0.25, 0.5]),
}
DATES = {
    "ISO": (written("%Y-%m-%d"), DAYS),
    "ISO, slashes": (written("%Y/%m/%d"), DAYS),
    "German": (written("%d.%m.%Y"), DAYS),
    "German, short years": (written("%d.%m.%y"), DAYS),
    "American": (written("%m/%d/%Y"), DAYS),
    "American, short years": (written("%m/%d/%y"), DAYS),
    "British": (written("%d/%m/%Y"), DAYS),
    "Dutch": (written("%d-%m-%Y"), DAYS),
    "names of months": (written("%d %b %Y"), DAYS),
    "long names of months": (written("%B %d, %Y"), DAYS),
    "Oracle": (written("%d-%b-%y"), DAYS),
    "months": (written("%B %Y"), [day.replace(day=1) for day in DAYS]),
    "months, as spreadsheets write them": (written("%b-%y"), [day.replace(day=1) for day in DAYS]),
    "without zeros": ([f"{day.day}.{day.month}.{day.year}" for day in DAYS], DAYS),
    "eight digits": (written("%Y%m%d"), DAYS),
    "German months": ([f"{day.day}. {GERMAN[day.month - 1]} {day.year}" for day in DAYS], DAYS),
    "French months": ([f"{day.day} {FRENCH[day.month - 1]} {day.year}" for day in DAYS], DAYS),
    "days of the week": (written("%a, %d %b %Y"), DAYS),
    "German days of the week": ([f"{WEEK[day.weekday()]}, {day:%d.%m.%Y}" for day in DAYS], DAYS),
    "moments of mail": ([moment.strftime("%a, %d %b %Y %H:%M:%S +0100") for moment in MOMENTS], MOMENTS),
    "moments with the name of a zone": ([moment.strftime("%Y-%m-%d %H:%M:%S CEST") for moment in MOMENTS], MOMENTS),
    "a dash for none": (["-" if k == 3 else text for k, text in enumerate(written("%d.%m.%Y"))], None),
    "NULL for none": (["NULL" if k == 3 else text for k, text in enumerate(written("%Y-%m-%d"))], None),
    "moments": ([moment.strftime("%Y-%m-%d %H:%M:%S") for moment in MOMENTS], MOMENTS),
    "moments, ISO": ([moment.isoformat() for moment in MOMENTS], MOMENTS),
    "moments in UTC": ([moment.isoformat() + "Z" for moment in MOMENTS], MOMENTS),
    "moments with a zone": ([moment.isoformat() + "+02:00" for moment in MOMENTS], MOMENTS),
    "German moments": ([moment.strftime("%d.%m.%Y %H:%M") for moment in MOMENTS], MOMENTS),
    "American moments": ([moment.strftime("%m/%d/%Y %I:%M %p") for moment in MOMENTS], MOMENTS),
    "epoch milliseconds": ([str(int((m - datetime(1970, 1, 1)).total_seconds() * 1000)) for m in MOMENTS], MOMENTS),
    "epoch seconds": ([str(int((moment - datetime(1970, 1, 1)).total_seconds())) for moment in MOMENTS], MOMENTS),
}
OTHERS = {
    "colours": (["red", "green", "blue"], "category"),
    "colours, some missing": (["red", "NULL", "blue"], "category"),
    "long names that repeat": (["a very long name of a product line", "another quite long name of one"], "category"),
    "codes with letters": (["A1", "B2", "C3"], "category"),
    "numbers and letters": (["12", "13A", "14"], "category"),
    "two currencies": (["$5", "5 €", "$7"], "category"),
    "two measures": (["1 kg", "500 g", "2 kg"], "category"),
    "thousands and millions": (["1.5K", "2.2M", "3K"], "category"),
    "credit and debit": (["1,462.91 CR", "5.00 DR"], "category"),
    "less than": (["<0.5", "0.7", "1.2"], "category"),
    "quarters": (["Q1 2024", "Q2 2024", "Q4 2023"], "category"),
    "versions": (["1.2.3", "1.10.0", "2.0.1"], "category"),
    "inches": (["1 1/2", "2 1/4"], "category"),
    "two kinds of dates": (["2024-01-05", "05.01.2024", "2024-02-07"], "category"),
    "a word before a date": (["paid 05.01.2024", "sold 07.02.2024"], "category"),
    "phones": (["+49 (0)30 100000", "030/100-37"], "category"),
    "wahr und falsch": (["WAHR", "FALSCH"], "boolean"),
    "percent and not": (["12%", "13", "14%"], "category"),
    "points and commas": (["1.5", "1,5", "2,25"], "category"),
    "ranges": (["18-25", "26-35", "36-45"], "category"),
    "leading zeros": (["01234", "99999", "00815"], "code"),
    "phones of the world": (["+491701234567", "+33612345678", "+14155550123"], "code"),
    "cards": ([str(4_000_000_000_000_000 + 7919 * k) for k in range(24)], "id"),
    "yes and no": (["Yes", "No"], "boolean"),
    "true and false": (["true", "false"], "boolean"),
    "ja und nein": (["ja", "nein", ""], "boolean"),
    "one letter": (["Y", "N"], "boolean"),
    "sentences": (SENTENCES, "text"),
    "IDs": ([f"C-{k:05d}" for k in range(24)], "id"),
    "UUIDs": ([f"{k * 7919:08x}-1b4e-4f6a-9c3d-{k:012x}" for k in range(24)], "id"),
    "addresses": ([f"user{k}@example.org" for k in range(24)], "id"),
    "the same everywhere": (["DE"], "constant"),
    "nothing anywhere": (["", "NULL"], "constant"),
}


def as_file(cells, delimiter=";", name="when"):
    """A table of 24 rows with these cells, over and over, beside another column and a target."""
    rows = [[cell, k % 5, "yes" if k % 3 else "no"] for k, cell in zip(range(24), cycle(cells), strict=False)]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([[name, "other", "y"], *rows])
    return io.BytesIO(text.getvalue().encode())


def reading_of(cells, delimiter=";", name="cells"):
    data = rosenblatt.read(as_file(cells, delimiter, name), target="y")
    return data, decide(data.rows)[0]


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name, delimiter):
    cells, values = NUMBERS[name]
    data, reading = reading_of(cells, delimiter)
    assert reading.kind == "number", reading
    clean = TableReadings([reading]).clean(data.rows).frame
    x, unreadable = numbers(clean["cells"])
    assert unreadable == 0
    expected = [*islice(cycle(values), 24)]
    assert [None if value != value else value for value in x.tolist()] == expected


@pytest.mark.parametrize("name", DATES)
def test_dates(name):
    cells, values = DATES[name]
    data, reading = reading_of(cells, name="created_at")
    assert reading.kind == "date", reading
    clean = TableReadings([reading]).clean(data.rows)
    assert clean.misfits == {"created_at": 0}
    if values is not None:
        days = [(datetime(v.year, v.month, v.day) - datetime(1970, 1, 1)).days for v in values]
        assert [int(day) for day in clean.frame["created_at (days)"]] == days
        assert clean.frame["created_at (month)"].to_list() == [value.month for value in values]
    else:
        assert clean.frame["created_at (year)"].null_count() == 1


@pytest.mark.parametrize(
    "text", [*dict.fromkeys(cells[0] for cells, _ in DATES.values()), "14:05", "2 pm", "5 mai 24 9:30 p.m. CET"]
)
def test_no_format_of_a_date_is_left_out_before_polars_is_asked(text):
    every = {
        f"{date} {time}".strip(): f"^(?:{spelled.WEEKDAY})?{expression}{'[ T]' * bool(date and time)}{at}{spelled.ZONE}?$"
        for expression, date in spelled.DATES
        for at, time in spelled.TIMES
        if date or "%H.%M" not in time  # 8.10 alone is a number, and 8.10.22 a version or a day
    }
    matching = {name for name, one in every.items() if name and pl.Series([text]).str.contains(one)[0]}
    possible = {format.pattern: expression for format, expression in dates.possible_formats(text)}
    exactly = {name for name, one in possible.items() if pl.Series([text]).str.contains(one)[0]}
    assert exactly <= matching <= {*possible}


@pytest.mark.parametrize("name", OTHERS)
def test_other_kinds(name):
    cells, kind = OTHERS[name]
    data, reading = reading_of(cells)
    assert reading.kind == kind, reading
    assert reading.used == (kind not in ("id", "constant"))
    if kind == "code":  # zeros in front are part of the name
        assert data.rows["cells"].head(3).to_list() == cells


def test_names_that_stand_again_between_rows_are_left_out_and_told():
    rows = [f"{k};{k % 7},5;{'ab'[k % 2]}" for k in range(30)]
    text = "\n".join(["n;price;y", *rows[:20], "n;price;y", *rows[20:], "n;price;y"]) + "\n"
    data = rosenblatt.read(io.BytesIO(text.encode()), target="y")
    assert data.labels.to_list() == ["ab"[k % 2] for k in range(30)]
    assert data.notes == ("2 rows of the stream repeat the names of its columns and were left out.",)
    assert [one.kind for one in decide(data.rows)] == ["number", "number"]
    assert len(rosenblatt.read(io.BytesIO(text.encode()))) == 32  # rows to predict keep their places


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("item;sold;y\n" + "A;3;p\nB;4;q\n" * 20 + "Total;140;\n", "line 42, column 'y': 1 row has no label"),
        ("weight;y\n[kg];\n" + "3;p\n4;q\n" * 20, "line 2, column 'y': 1 row has no label"),
        ("price;price;y\n" + "3;4;p\n4;5;q\n" * 20, "the column name 'price' occurs 2 times"),
    ],
)
def test_totals_units_below_names_and_names_that_occur_twice_are_refused_with_the_remedy(text, remedy):
    with pytest.raises(FileError, match=re.escape(remedy)):
        rosenblatt.read(io.BytesIO(text.encode()), target="y")


def test_columns_without_a_name_and_a_cell_are_left_out():
    data = rosenblatt.read(io.BytesIO((";a;;y;\n" + ";3;;p;\n;5;;q;\n" * 12).encode()), target="y")
    assert [(one.name, one.kind) for one in decide(data.rows)] == [
        ("column_1", "constant"), ("a", "number"), ("column_3", "constant"), ("column_5", "constant"),
    ]  # fmt: skip


def test_a_word_in_many_rows_of_numbers_is_told():
    _, reading = reading_of(["39", "ask", "41", "52"])
    assert reading.kind == "category"
    assert reading.why == "ask is not a number, most others are: --column cells=number takes such cells as missing"


def test_a_mark_in_any_spelling_is_missing_and_no_misfit():
    data = rosenblatt.read(as_file(["39", "k.A.", "51"], name="cells"), target="y")
    model = rosenblatt.learn(data)
    assert model.transform(pl.DataFrame({"cells": ["k.A.", "K.A.", "40"], "other": [1] * 3}))[1].unreadable == {}


@pytest.mark.parametrize(("pattern", "day_first"), [("%d/%m/%Y", True), ("%m/%d/%Y", False)], ids=["British", "American"])
def test_a_date_that_could_be_either_is_read_as_the_others_of_its_table(pattern, day_first):
    both = [date(2023, 1 + k % 12, 1 + (5 * k) % 12) for k in range(24)]  # no day above 12
    table = pl.DataFrame({"a": [day.strftime(pattern) for day in both], "b": written(pattern)})
    first, second = decide(table)
    assert (first.date.day_first, second.date.day_first) == (day_first, day_first)
    alone = decide(table.select("a"))[0]
    assert "it could also be" in alone.why
    assert "--column a=date:%d/%m/%Y" in alone.why


@pytest.mark.parametrize("fraction", ["", ".5"])
def test_seconds_are_told_once_and_fractions_of_them_are_read(fraction):
    times = [f"{moment:%Y-%m-%d %H:%M:%S}{fraction if k == 7 else ''}" for k, moment in enumerate(MOMENTS)]
    reading = decide(pl.DataFrame({"at": times}))[0]
    assert reading.why == "y-m-d h:m:s"
    days = TableReadings([reading]).clean(pl.DataFrame({"at": times})).frame["at (days)"]
    assert days[7] * 86400 == pytest.approx((MOMENTS[7] - datetime(1970, 1, 1)).total_seconds() + float(fraction or 0))


def test_a_point_is_no_fraction_where_commas_are():
    text = "price;sold;y\n" + "7,50;1.234;a\n12,00;987;b\n" * 12
    data = rosenblatt.read(io.BytesIO(text.encode()), target="y")
    price, sold = decide(data.rows)
    assert sold.number.describe() == "1.234,5"
    clean = TableReadings([price, sold]).clean(data.rows).frame
    assert clean.rows()[:2] == [("7.50", "1234"), ("12.00", "987")]
    english = rosenblatt.read(io.BytesIO(text.replace(",", ".").encode()), target="y")
    assert english.rows["sold"].to_list()[:2] == [1.234, 987.0]


@pytest.mark.parametrize("above", [0, 700_000], ids=["small", "large"])
def test_points_before_three_digits_mark_thousands_where_smaller_numbers_have_none(above):
    rows = [("1.234", 1234), ("987", 987), ("12.500", 12500), ("41", 41)] * (12 + above // 4)
    text = "sold;y\n" + "".join(f"{cell};{'ab'[k % 2]}\n" for k, (cell, _) in enumerate(rows))
    data = rosenblatt.read(io.BytesIO(text.encode()), target="y")
    (reading,) = decide(data.rows)
    assert reading.why == "written as 1.234,5; it could also be 1234.5: --column sold=number:1234.5"
    assert numbers(TableReadings([reading]).clean(data.rows).frame["sold"])[0].tolist() == [value for _, value in rows]
    beside = text.replace("\n", ";7,50\n").replace("y;7,50", "y;price")  # here another column says so
    data = rosenblatt.read(io.BytesIO(beside.encode()), target="y")
    assert data.rows["sold"].head(2).to_list() == ["1.234", "987"]
    # Fractions have a point in every cell, or others of the file are written with one.
    for cells in ("1.234;12.500", "1.234;987;0.5"):
        sold = rosenblatt.read(io.BytesIO(("sold;y\n" + ";a\n".join(cells.split(";")) + ";b\n").encode()), target="y")
        assert sold.rows["sold"].to_list() == [float(cell) for cell in cells.split(";")]


def test_a_comma_before_three_digits_is_told_both_ways():
    _, reading = reading_of(["1,234", "12,500"], "\t")
    assert reading.number.describe() == "1,234.5"
    assert "--column cells=number:1234,5" in reading.why


@pytest.mark.parametrize(
    ("wanted", "cells", "kind", "features"),
    [
        ("category", ["1", "2"], "category", ["cells=1", "cells=2"]),
        ("number", ["1", "4o", "3"], "number", ["cells", "cells is missing"]),
        ("number:1234,5", ["1,234", "2,500"], "number", ["cells"]),
        ("drop", ["1", "2"], "drop", []),
        ("date:%d/%m/%Y", ["01/02/2023", "02/03/2023"], "date", ["cells (days)", "cells (year)=2023", "cells (month)=2"]),
        ("text", ["red green", "blue"], "text", ["cells:blue", "cells:green", "cells:red"]),
        ("both", ["1", "2"], "both", ["cells", "cells=1", "cells=2"]),
        ("code", ["1", "2"], "code", ["cells=1", "cells=2"]),
    ],
)
def test_the_user_overrules(wanted, cells, kind, features):
    data = rosenblatt.read(as_file(cells, name="cells"), target="y")
    model = rosenblatt.learn(data, features={"per_column": {"cells": wanted}})
    assert model.features.readings.columns[0].kind == kind
    assert set(features) <= set(model.features.names)
    assert bool(features) == any(name.startswith("cells") for name in model.features.names)


COMPRESSIONS = {"none": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
if find_spec("zstandard"):
    from zstandard import ZstdCompressor

    COMPRESSIONS["zstd"] = ZstdCompressor().compress
DIALECTS = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(";,\t|"),
        "marks": st.sampled_from([(".", ""), (".", ","), (",", ""), (",", "."), (",", " "), (".", "'")]),
        "unit": st.sampled_from(["", "%", "€", "$", "EUR"]),
        "unit_behind": st.booleans(),
        "missing": st.sampled_from(["", "NA", "NULL", "-", "n/a", "?", "None"]),
        "pattern": st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d %b %Y", "%Y-%m-%d %H:%M:%S"]),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        "line_end": st.sampled_from(["\n", "\r\n"]),
        "encoding": st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]),
        "compression": st.sampled_from([*COMPRESSIONS]),
        "above": st.sampled_from(
            [
                [],
                ["# exported by hand"],
                ["Sales of the year"],
                ["Umsätze", ""],
                ["", "# a", "# b"],
                ["Shop: Köln", "Year: 2024"],
            ]
        ),
    }
)
CITIES = ["Zürich", "Köln", "Paris", "São Paulo"]
AMOUNTS = st.lists(st.one_of(st.none(), st.integers(-(10**8), 10**8)), min_size=4, max_size=30)


def as_amount(cents, dialect):
    if cents is None:
        return dialect["missing"]
    decimal, thousands = dialect["marks"]
    text = f"{abs(cents) / 100:,.2f}".replace(".", "\0").replace(",", thousands).replace("\0", decimal)
    text = "-" * (cents < 0) + text
    unit = dialect["unit"]
    return f"{unit} {text}" if unit not in ("", "%") and not dialect["unit_behind"] else f"{text} {unit}".strip()


@given(amounts=AMOUNTS, dialect=DIALECTS, seed=st.integers(0, 2**20))
def test_a_table_reads_back_from_every_dialect(amounts, dialect, seed):
    amounts = [*amounts, 123456, -7]  # one with thousands at least
    dates = [DAY + timedelta(days=(seed + 173 * k) % 4000) for k in range(len(amounts))]
    dates[0] = date(2021, 12, 31)  # decides between days and months
    rows = [
        [as_amount(cents, dialect), day.strftime(dialect["pattern"]), CITIES[k % 4], "ab"[k % 2]]
        for k, (cents, day) in enumerate(zip(amounts, dates, strict=True))
    ]
    text = io.StringIO()
    end = dialect["line_end"]
    writer = csv.writer(text, delimiter=dialect["delimiter"], quoting=dialect["quoting"], lineterminator=end)
    writer.writerows([["amount", "since", "city", "y"], *rows])
    whole = "".join(line + end for line in dialect["above"]) + text.getvalue()
    encoding = "cp1252" if dialect["unit"] == "€" and dialect["encoding"] == "latin-1" else dialect["encoding"]
    data = rosenblatt.read(io.BytesIO(COMPRESSIONS[dialect["compression"]](whole.encode(encoding))), target="y")
    assert data.rows["city"].to_list() == [CITIES[k % 4] for k in range(len(amounts))]
    readings = decide(data.rows, trimmed=data.trimmed)
    assert [reading.kind for reading in readings] == ["number", "date", "category"], readings
    clean = TableReadings(readings).clean(data.rows)
    x, unreadable = numbers(clean.frame["amount"])
    assert unreadable == 0
    assert [None if value != value else round(100 * value) for value in x.tolist()] == amounts
    assert clean.frame["since (days)"].to_list() == [float((day - date(1970, 1, 1)).days) for day in dates]


LONG = 120_000


def long_column(cell, last=None):
    cells = [cell(k) for k in range(LONG)]
    return cells if last is None else [*cells[:-1], last]


# What only the last of many rows tells counts as much as what the first do.
LATE = {
    "thousands": (long_column(lambda k: f"{k % 900},{k % 100:02d}", "1.234,50"), "number", "written as 1.234,5"),
    "another unit": (long_column(lambda k: f"{k}.5 €", "7.5 $"), "id", "different in every row"),
    "another measure": (
        long_column(lambda k: f"{k % 700} kg", "7 g"),
        "category",
        "most are numbers with kg, and some are not",
    ),
    "no number": (long_column(lambda k: str(k % 700), "ask"), "number", "missing: ask"),
    "half a number": (long_column(lambda k: str(k % 700), "12a"), "category", "12a is not a number"),
    "a mark": (long_column(lambda k: f"{k % 70},5", "NULL"), "number", "missing: NULL"),
    "an order of days": (long_column(lambda k: f"{1 + k % 12:02d}/{1 + k % 11:02d}/2023", "13/01/2023"), "date", "d/m/y"),
    "no date": (
        long_column(lambda k: f"{1 + k % 28:02d}.{1 + k % 12:02d}.2023", "31.02.2023"),
        "category",
        "most are dates as d.m.y",
    ),
    "sorted IDs": (long_column(lambda k: f"C-{k:07d}"), "id", "different in every row"),
    "shuffled IDs": (long_column(lambda k: f"C-{k * 7919 % LONG:07d}"), "id", "different in every row"),
    "an ID twice": (long_column(lambda k: f"C-{k * 7919 % LONG:07d}", "C-0000000"), "id", "different in nearly every row"),
    "many values": (long_column(lambda k: f"A{k * 7919 % 60_000}"), "category", ""),
    "sentences that repeat": (long_column(lambda k: f"about the order {k * 7919 % 48_000}"), "category", ""),
    "sentences": (long_column(lambda k: f"about the order {k * 7919 % 66_000}"), "text", "sentences of 4 words on average"),
    "whole numbers": (long_column(lambda k: k * 7919 % LONG), "number", ""),
    "rows counted": (long_column(lambda k: k + 1), "id", "different in every row"),
}


def test_the_last_of_many_rows_counts():
    readings = decide(pl.DataFrame({name: cells for name, (cells, _, _) in LATE.items()}), trimmed=True)
    for reading in readings:
        _, kind, why = LATE[reading.name]
        assert (reading.name, reading.kind) == (reading.name, kind)
        assert why in reading.why
        assert bool(why) == bool(reading.why)


def test_a_cell_that_does_not_fit_is_counted_and_never_guessed():
    data = rosenblatt.read(as_file(["1.234,50 €", "7,00 €"], name="cells"), target="y")
    model = rosenblatt.learn(data)
    new = pl.DataFrame({"cells": ["1.234,50 €", "1.234,50", "1.5", "7 USD", "ask", "NULL"], "other": [1] * 6})
    notes = model.transform(new)[1]
    assert notes.unreadable == {"cells": 3}  # 1.5 is no number where others are 1.234,50
    scores = model.scores(new)
    assert scores[0] == scores[1]
    assert (scores[2:] == scores[5]).all()
