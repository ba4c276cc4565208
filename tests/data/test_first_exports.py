"""Files as a first user brings them, each with its truth beside it: read as it is meant, told where nobody can know, or
refused with the remedy.
"""

import csv
import io
import json
import sqlite3
from datetime import datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rosenblatt
from rosenblatt.cli import run
from rosenblatt.data import batches, read
from rosenblatt.data.columns.kinds import Overrides, decide
from rosenblatt.data.columns.reading import TableReadings
from rosenblatt.errors import FileError, LabelError, SettingError
from rosenblatt.features.table.numbers import numbers

N = 60
CHURN = ["yes" if 7 * k % 10 < 4 else "no" for k in range(N)]


def table(delimiter=",", encoding="utf-8", **columns):
    """A CSV with these columns, each a function of the number of a row, and whether the customer left."""
    rows = [[*columns, "churn"], *([str(cell(k)) for cell in columns.values()] + [CHURN[k]] for k in range(N))]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode(encoding)


def as_values(data, reading):
    return numbers(TableReadings([reading]).clean(data.rows).frame[reading.name])[0].tolist()


# name: (file, {column: (kind, what is told of it, the numbers in its first rows)})
EXPORTS = {
    "units that differ": (
        table(weight=lambda k: f"{k % 9 + 1} kg" if k % 3 else f"{300 + k} g"),
        {"weight": ("category", "numbers with g or kg, taken as words: write them in one unit", None)},
    ),
    "currencies that differ": (
        table(price=lambda k: f"${k}" if k % 4 else f"€{k}"),
        {
            "price": (
                "category",
                "numbers with $ or €, taken as words: write them in one unit, or --column price=number",
                None,
            )
        },
    ),
    "percent and shares": (
        table(discount=lambda k: f"{k}%" if k % 2 else f"0.{10 + k}"),
        {"discount": ("category", "numbers with nothing or %, taken as words", None)},
    ),
    "thousands and millions": (
        table(revenue=lambda k: f"${k % 20 + 1}.5{'MK'[k % 3 > 0]}", followers=lambda k: f"{k % 20}k"),
        {
            "revenue": ("category", "numbers with $K or $M, taken as words: write them in one unit", None),
            "followers": ("category", "--column followers=number:1234.5k reads them", None),
        },
    ),
    "footnotes": (
        table(population=lambda k: f"{100 + k}{'*' * (k % 6 == 0)}", growth=lambda k: f"{k % 7}.5{'¹' * (k % 7 == 0)}"),
        {
            "population": ("id", "numbers with nothing or *, taken as words", None),
            "growth": ("category", "--column growth=number reads those with nothing", None),
        },
    ),
    "limits of what a laboratory can measure": (
        table(crp=lambda k: "<0.5" if k % 5 == 0 else k / 4, years=lambda k: "≥ 10" if k % 3 == 0 else k % 9),
        {
            "crp": (
                "category",
                "numbers, some as <0.5, taken as words: --column crp=number takes such cells as missing",
                None,
            ),
            "years": ("category", "numbers, some as ≥ 10, taken as words: --column years=number takes such", None),
        },
    ),
    "IDs, and one that is not known": (
        table(customer_id=lambda k: "unknown" if k == 7 else 1000 + 3 * k, visits=lambda k: "unknown" if k == 7 else k % 9),
        {
            "customer_id": ("id", "different in nearly every row", None),
            "visits": ("number", "missing: unknown", [0, 1]),
        },
    ),
    "dates, and often never": (
        table(login=lambda k: "never" if k % 5 == 0 else f"2024-0{k % 9 + 1}-1{k % 7}"),
        {
            "login": (
                "category",
                "never is not a date, most others are: --column login=date takes such cells as missing",
                None,
            )
        },
    ),
    "amounts, and often none": (
        table(bonus=lambda k: "none given" if k % 5 == 0 else f"{k % 9 + 1},{100 + k}.50"),
        {"bonus": ("category", "none given is not a number, most others are: --column bonus=number takes", None)},
    ),
    "durations": (
        table(call=lambda k: f"{k % 30}:{k % 60:02}:{7 * k % 60:02}", wait=lambda k: f"{k % 4 + 1}h {k % 13}m"),
        {
            "call": ("number", "written as a duration, taken as seconds", [0, 3667]),
            "wait": ("number", "written as a duration, taken as seconds", [3600, 7260]),
        },
    ),
    "durations, and often none": (
        table(wait=lambda k: "soon" if k % 8 == 0 else f"{k % 4 + 1}h {k % 13}m"),
        {
            "wait": (
                "category",
                "soon is not a number, most others are: --column wait=number takes such cells as missing",
                None,
            )
        },
    ),
    "times of day are no durations": (
        table(call=lambda k: f"{k % 24}:{k % 60:02}:{7 * k % 60:02}"),
        {"call": ("date", "h:m:s", None)},
    ),
    "-999 and 9999999": (
        table(age=lambda k: 18 + k if k % 11 else -999, income=lambda k: 900 + 31 * k if k % 13 else 9999999),
        {
            "age": ("number", "-999 in 6 rows is far from all others: if it means missing, --missing age=-999", [-999, 19]),
            "income": (
                "number",
                "9999999 in 5 rows is far from all others: if it means missing, --missing income=9999999",
                [9999999, 931],
            ),
        },
    ),
    "codes of a survey": (
        table(mood=lambda k: k % 5 + 1 if k % 10 else 99, years=lambda k: k % 30 if k % 12 else -1, kids=lambda k: k % 4),
        {
            "mood": ("number", "99 in 6 rows is far from all others: if it means missing, --missing mood=99", [99, 2]),
            "years": ("number", "-1 in 5 rows is far from all others: if it means missing, --missing years=-1", [-1, 1]),
            "kids": ("number", "", [0, 1]),
        },
    ),
    "-999,00 among prices": (
        table(";", preis=lambda k: f"{5 + k},50" if k % 9 else "-999,00"),
        {
            "preis": (
                "number",
                "-999,00 in 7 rows is far from all others: if it means missing, --missing preis=-999,00",
                [-999, 6.5],
            )
        },
    ),
    "nines that are no marks": (
        table(age=lambda k: 99 - k % 80, change=lambda k: k % 9 - 4, sold=lambda k: 999 * (k % 3)),
        {"age": ("number", "", [99, 98]), "change": ("number", "", [-4, -3]), "sold": ("number", "", [0, 999])},
    ),
    "1900 and 9999": (
        table(
            ordered=lambda k: datetime(2022, 1, 1) + timedelta(days=13 * k) if k % 9 else "1900-01-01 00:00:00",
            ends=lambda k: f"{1 + k % 28:02}.{1 + k % 12:02}.2023" if k % 3 else "31.12.9999",
        ),
        {
            "ordered": (
                "date",
                "1900-01-01 00:00:00 in 7 rows is far from all others: if it means missing, --missing 'ordered=1900-",
                None,
            ),
            "ends": (
                "date",
                "31.12.9999 in 20 rows is far from all others: if it means missing, --missing ends=31.12.9999",
                None,
            ),
        },
    ),
    "what databases and pivot tables write for nothing": (
        table(
            "\t",
            amount=lambda k: "\\N" if k % 4 == 0 else k / 4,
            visits=lambda k: "(blank)" if k % 3 == 0 else k,
            since=lambda k: "(leer)" if k % 3 == 0 else f"{1 + k % 28:02}.{1 + k % 12:02}.2023",
        ),
        {
            "amount": ("number", "missing: \\N", [None, 0.25]),
            "visits": ("number", "missing: (blank)", [None, 1]),
            "since": ("date", "d.m.y, missing: (leer)", None),
        },
    ),
    "0000-00-00": (
        table(start=lambda k: "0000-00-00" if k % 9 == 0 else f"2023-{1 + k % 12:02}-{1 + k % 28:02}"),
        {"start": ("date", "y-m-d, missing: 0000-00-00", None)},
    ),
    "bank accounts and phones": (
        table(
            iban=lambda k: f"DE{10 + k} {1000 + 37 * k} {5000 + k} 0000 {1000 + k} {k:02}",
            phone=lambda k: f"0{150 + k % 30}/{10**6 + 7919 * k}",
            balance=lambda k: 7 * k % 60 - 30,
        ),
        {
            "iban": ("id", "different in every row", None),
            "phone": ("code", "a number that is a name", None),
            "balance": ("number", "", [-30, -23]),
        },
    ),
    "yes and no in four ways": (
        table(
            vip=lambda k: "ja" if k % 2 else "nein",
            active=lambda k: "Y" if k % 3 else "N",
            trial=lambda k: str(k % 5 == 0).upper(),
            news=lambda k: k % 2,
        ),
        {
            "vip": ("boolean", "ja or nein", None),
            "active": ("boolean", "N or Y", None),
            "trial": ("boolean", "FALSE or TRUE", None),
            "news": ("number", "", [0, 1]),
        },
    ),
    "negative in four ways": (
        table(
            books=lambda k: f"({k + 1:,})" if k % 3 == 0 else f"{1000 * k:,}",
            minus=lambda k: f"−{k % 9}.5" if k % 2 else k % 9,
            small=lambda k: f"{k + 1}E-0{k % 5}",
            hexadecimal=lambda k: f"0x{k * 4:02X}",
        ),
        {
            "books": ("number", "written as 1,234.5", [-1, 1000]),
            "minus": ("number", "", [0, -1.5]),
            "small": ("number", "", [1, 0.2]),
            "hexadecimal": ("id", "different in every row", None),
        },
    ),
    "errors of a spreadsheet": (
        table(
            ratio=lambda k: k / 4 if k % 5 else "#DIV/0!", tier=lambda k: "#N/A" if k % 4 == 0 else ["gold", "tin"][k % 2]
        ),
        {"ratio": ("number", "missing: #DIV/0!", [None, 0.25]), "tier": ("category", "missing: #N/A", None)},
    ),
    "UTF-16 with semicolons": (
        table(";", "utf-16", größe=lambda k: f"{150 + k},5", preis=lambda k: f"{k + 1}.234,50 €"),
        {
            "größe": ("number", "written as 1234,5", [150.5, 151.5]),
            "preis": ("number", "written as 1.234,5 with €", [1234.5, 2234.5]),
        },
    ),
    "line ends in quotes": (
        table(remark=lambda k: f'He said "no"\nand left, order; {k} was late', amount=lambda k: k % 7),
        {"remark": ("text", "sentences of 9 words", None), "amount": ("number", "", [0, 1])},
    ),
    "sep= above, delimiters behind": (
        b"sep=;\na;b;churn;\n" + b"".join(b"%d,5;%d;%s;\n" % (k % 7, k % 4, CHURN[k].encode()) for k in range(N)),
        {
            "a": ("number", "written as 1234,5", [0.5, 1.5]),
            "b": ("number", "", [0, 1]),
            "column_4": ("constant", "empty", None),
        },
    ),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_as_it_is_meant_and_what_nobody_can_know_is_told(name):
    content, truth = EXPORTS[name]
    data = rosenblatt.read(io.BytesIO(content), target="churn")
    assert data.labels.to_list() == CHURN
    readings = {reading.name: reading for reading in decide(data.rows, trimmed=data.trimmed)}
    assert [*readings] == [*truth]
    for column, (kind, why, values) in truth.items():
        reading = readings[column]
        assert (column, reading.kind) == (column, kind)
        assert why in reading.why
        assert bool(why) == bool(reading.why)
        if values is not None:
            first = as_values(data, reading)[: len(values)]
            assert [None if value != value else value for value in first] == values


def test_the_options_that_are_told_do_what_is_told():
    weights = rosenblatt.read(io.BytesIO(EXPORTS["units that differ"][0]), target="churn")
    (reading,) = decide(weights.rows, Overrides({"weight": "number:1234kg"}))
    assert as_values(weights, reading)[1:3] == [2, 3]
    followers = rosenblatt.read(io.BytesIO(EXPORTS["thousands and millions"][0]), target="churn")
    reading = decide(followers.rows, Overrides({"followers": "number:1234k"}))[1]
    assert as_values(followers, reading)[:2] == [0, 1]
    prices = rosenblatt.read(io.BytesIO(EXPORTS["-999,00 among prices"][0]), target="churn")
    (reading,) = decide(prices.rows, Overrides(missing=["-999,00"]))
    assert "far from" not in reading.why
    waits = rosenblatt.read(io.BytesIO(EXPORTS["durations, and often none"][0]), target="churn")
    (reading,) = decide(waits.rows, Overrides({"wait": "number"}))
    assert as_values(waits, reading)[1:3] == [2 * 3600 + 60, 3 * 3600 + 120]
    days = rosenblatt.read(io.BytesIO(EXPORTS["1900 and 9999"][0]), target="churn")
    assert "far from" not in decide(days.rows, Overrides(missing=["31.12.9999"]))[1].why


def test_a_mark_may_be_one_of_a_single_column(tmp_path, capsys):
    """99 is an answer that was not given, and an age."""
    (tmp_path / "t.csv").write_bytes(table(mood=lambda k: 99 if k % 10 == 0 else k % 5 + 1, age=lambda k: 40 + 7 * k % 60))
    models = []
    for stream in ([], ["--stream"]):
        model = str(tmp_path / f"m{len(stream)}.rosenblatt")
        say = ["--target", "churn", "--missing", "mood=99", "-q", "-o", model, *stream]
        assert run(["train", str(tmp_path / "t.csv"), *say]) == 0
        models.append(rosenblatt.load(model).features)
    for features in models:
        assert "mood is missing" in features.names
        assert "age is missing" not in features.names
        rows = pl.DataFrame({"mood": ["99", "", "1"], "age": ["99", "99", "99"]})
        marked, empty, known = np.asarray(features.transform(rows))
        assert (marked == empty).all()
        assert (marked != known).any()
    capsys.readouterr()
    assert run(["train", str(tmp_path / "t.csv"), "--target", "churn", "--missing", "mod=99"]) == 2
    assert "--missing names 'mod', but the columns are 'mood', 'age'" in capsys.readouterr().err


@pytest.mark.parametrize("indent", [None, 2])
def test_what_a_service_answers_is_the_list_in_it(indent, tmp_path):
    """As Stripe does: {"object": "list", "data": […]}; a line, or as people read it."""
    rows = [{"id": f"ch_{k}", "amount": 100 * k, "card": {"brand": "visa"}, "churn": CHURN[k]} for k in range(N)]
    answer = {"object": "list", "has_more": False, "data": rows}
    (tmp_path / "a.json").write_text(json.dumps(answer, indent=indent))
    (tmp_path / "b.json").write_text(json.dumps(rows))
    found, expected = (rosenblatt.read(str(tmp_path / name), target="churn") for name in ("a.json", "b.json"))
    assert found.rows.equals(expected.rows)
    assert found.labels.to_list() == CHURN
    assert any("are the objects in its member 'data'" in note for note in found.notes)
    assert sum(map(len, rosenblatt.data.batches(str(tmp_path / "a.json"), target="churn"))) == N


@pytest.mark.parametrize("orient", ["columns", "split", "list"])
def test_what_pandas_writes_as_one_object_is_its_table(orient, tmp_path):
    """DataFrame.to_json() as it is by default, orient="split", and to_dict("list")."""
    frame = pd.DataFrame({"a": range(N), "churn": CHURN})
    text = json.dumps(frame.to_dict("list")) if orient == "list" else frame.to_json(orient=orient)
    (tmp_path / "a.json").write_text(text)
    data = rosenblatt.read(str(tmp_path / "a.json"), target="churn")
    assert data.rows["a"].to_list() == [*range(N)]
    assert data.labels.to_list() == CHURN


def test_one_object_for_a_model_is_a_row_whatever_lists_are_in_it(tmp_path, capsys):
    rows = [{"a": k % 9, "card": {"brand": "xy"[k % 2]}, "items": [{"n": 1}, {"n": 2}], "churn": CHURN[k]} for k in range(N)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    model = str(tmp_path / "m.rosenblatt")
    assert run(["train", str(tmp_path / "rows.jsonl"), "--target", "churn", "-q", "-o", model]) == 0
    assert run(["predict", model, str(tmp_path / "rows.jsonl"), "--scores", "-q", "-o", str(tmp_path / "all.csv")]) == 0
    for number in (0, 1):
        (tmp_path / "one.json").write_text(json.dumps(rows[number]))
        capsys.readouterr()
        assert run(["predict", model, str(tmp_path / "one.json"), "--scores", "-q"]) == 0
        expected = (tmp_path / "all.csv").read_text().splitlines()
        assert capsys.readouterr().out.splitlines() == [expected[0], expected[1 + number]]


@pytest.mark.parametrize(
    ("cell", "beside", "told"),
    [
        (lambda k: f"{k + 2}.{(k + 1) * 37 % 1000:03}", lambda k: k % 5, True),
        (lambda k: f"{k + 2}.{(k + 1) * 37 % 1000:03}", lambda k: f"{k}.5", False),  # here a point is no mark of thousands
        (lambda k: f"{k}.{(k + 1) * 37 % 1000:03}", lambda k: k % 5, False),  # 0.123
        (lambda k: f"{k + 1}.{k * 37 % 100:02}", lambda k: k % 5, False),
        (lambda k: f"{17 * k + 1}.{(k + 1) * 37 % 1000:03}", lambda k: k % 5, False),  # 1004.185
    ],
    ids=["thousands or fractions", "another column has a fraction", "below one", "two digits", "above 999"],
)
def test_points_that_may_mark_thousands_are_told(cell, beside, told):
    data = rosenblatt.read(io.BytesIO(table(";", sold=cell, other=beside)), target="churn")
    sold, other = decide(data.rows, trimmed=data.trimmed)
    assert as_values(data, sold) == [float(cell(k)) for k in range(N)]
    assert sold.why == told * "2.037 taken as a fraction: if the point marks thousands, --column sold=number:1.234,5"
    assert other.why == ""


def test_a_format_that_is_named_reads_the_cells_and_not_what_was_made_of_them(tmp_path, capsys):
    path, model = tmp_path / "sold.csv", tmp_path / "m.rosenblatt"
    path.write_bytes(table(";", sold=lambda k: f"{k + 1}.234", units=lambda k: k % 5))  # fractions, or thousands
    say = ["--target", "churn", "--column", "sold=number:1.234,5", "-o", str(model)]
    assert run(["train", str(path), *say]) == 0
    assert rosenblatt.load(model).features.readings.columns[0].number.thousands == "."
    capsys.readouterr()
    assert run(["explain", str(model), str(path), "--row", "1"]) == 0
    assert "1234" in capsys.readouterr().out
    data = rosenblatt.read(path, target="churn")
    with pytest.raises(SettingError, match=r"read as numbers already.*as_text=\['sold'\]"):
        decide(data.rows, Overrides({"sold": "number:1.234,5"}))


ROWS = b"1,2,yes\n3,4,no\n" * 20
REFUSED = {
    "a delimiter behind every row": (
        b"a,b,churn\n" + ROWS.replace(b"\n", b",\n"),
        "line 2: 4 cells, .*end the line of names",
    ),
    "a note below the table": (b"a,b,churn\n" + ROWS + b"Source, CRM\n", "line 42: 2 cells, .*remove notes below"),
    "headings over names": (b"2023,2024,\nq1,q2,churn\n" + ROWS, "line 2 has: pass skip_lines=1"),
    "names that occur twice": (b"q1,q1,churn\n" + ROWS, "occurs 2 times: rename one, or name all: names=.*skip_lines=1"),
    "a total without a label": (b"region,sold,churn\n" + ROWS + b"Total,120,\n", "line 42.*unlabelled='skip'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_as_it_stands_is_refused_with_the_remedy(name):
    content, remedy = REFUSED[name]
    with pytest.raises(FileError, match=remedy):
        rosenblatt.read(io.BytesIO(content), target="churn")


TEXT = "a\tb\tchurn\n1\t2\tyes\n3\t4\tno\n"


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        (b"\xef\xbb\xbf <html><table><tr><td>1</td></tr></table></html>", "a web page .*save it as .xlsx or .csv"),
        (TEXT.encode(), "a text with the name of a spreadsheet: pass format='csv'"),
        (TEXT.encode("utf-16"), "a text with the name of a spreadsheet: pass format='csv'"),
    ],
    ids=["HTML", "text", "UTF-16"],
)
def test_what_only_has_the_name_of_a_spreadsheet_is_refused_with_the_remedy(tmp_path, content, remedy):
    path = tmp_path / "export.xls"
    path.write_bytes(content)
    with pytest.raises(FileError, match=remedy):
        rosenblatt.read(path, target="churn")
    if "format" in remedy:
        assert rosenblatt.read(path, format="csv", target="churn").rows.rows() == [(1, 2), (3, 4)]


def test_the_remedy_for_names_that_occur_twice_works():
    data = rosenblatt.read(
        io.BytesIO(REFUSED["names that occur twice"][0]),
        target="churn",
        header=False,
        names=["a", "b", "churn"],
        skip_lines=1,
    )
    assert data.rows.row(0) == (1, 2)


@pytest.mark.parametrize(("last", "told"), [("Total", True), ("Summe:", True), ("N", False)])
def test_a_row_that_adds_up_the_others_is_told(last, told):
    rows = "".join(f"{'NSE'[k % 3]},{100 + k},{k / 7:.2f}\n" for k in range(N))
    data = rosenblatt.read(io.BytesIO(f"region,sold,price\n{rows}{last},7770,252.86\n".encode()), target="price")
    assert any("if it adds up the others, remove it" in note for note in data.notes) == told
    assert len(data) == N + 1


def test_classes_that_are_spelled_alike_are_told(tmp_path, capsys):
    path = tmp_path / "labels.csv"
    path.write_text("a,churn\n" + "".join(f"{k},{['yes', 'no', 'Yes', 'no'][k % 4]}\n" for k in range(N)))
    for verb in ("train", "facts"):
        assert run([verb, str(path), "--target", "churn"]) == 0
        printed = capsys.readouterr()
        assert "The classes Yes and yes differ only in capitals" in printed.err + printed.out


def test_a_column_that_gives_a_number_away_is_told(tmp_path, capsys):
    path = tmp_path / "prices.csv"
    rows = "".join(f"{100 + 7919 * k % 900},{k % 7},{1.19 * (100 + 7919 * k % 900):.2f}\n" for k in range(N))
    path.write_text(f"net,size,price\n{rows}")
    assert run(["train", str(path), "--target", "price"]) == 0
    assert "net alone tells 100.00 % of the variance of price" in capsys.readouterr().err
    assert run(["train", str(path), "--target", "price", "--drop", "net"]) == 0
    assert "alone tells" not in capsys.readouterr().err
    assert run(["train", str(path), "--target", "price", "--auto"]) == 2
    assert "`rosenblatt compare`" in capsys.readouterr().err


def test_nested_json_is_flat_and_lists_are_left_out_with_a_note():
    lines = [
        json.dumps({"user": {"age": 20 + k, "home": {"city": "AB"[k % 2]}}, "tags": ["a"] * (k % 3), "churn": CHURN[k]})
        for k in range(N)
    ]
    data = rosenblatt.read(io.BytesIO("\n".join(lines).encode()), target="churn", format="jsonl")
    assert data.rows.columns == ["user.age", "user.home.city"]
    assert data.notes == ("tags of the stream was left out: lists and bytes are nothing to learn from.",)
    with pytest.raises(FileError, match=r"column 'tags': it holds List\(String\)"):
        rosenblatt.read(io.BytesIO("\n".join(lines).encode()), target="tags", format="jsonl")


def test_the_types_of_parquet(tmp_path):
    path = tmp_path / "types.parquet"
    moments = pl.Series([datetime(2024, 1, 1) + timedelta(hours=7 * k) for k in range(N)])
    frame = pl.DataFrame(
        {
            "amount": pl.Series([Decimal(f"{k}.25") for k in range(N)], dtype=pl.Decimal(10, 2)),
            "at": moments.dt.replace_time_zone("Europe/Berlin"),
            "items": [[1.0, 2.0][: k % 3] for k in range(N)],
            "plan": pl.Series(["u", "v", "w"] * (N // 3), dtype=pl.Categorical),
            "took": [timedelta(minutes=3 * k) for k in range(N)],
            "size": [{"x": k % 4, "unit": "pq"[k % 2]} for k in range(N)],
            "picture": [b"\x00\x01"] * N,
            "churn": CHURN,
        }
    )
    frame.write_parquet(path)
    data = rosenblatt.read(path, target="churn")
    assert data.notes == (
        f"took of {path} holds durations: they are taken as microseconds.",
        f"items, picture of {path} were left out: lists and bytes are nothing to learn from.",
    )
    kinds = {one.name: one.kind for one in decide(data.rows)}
    assert kinds == {
        "amount": "number", "at": "date", "plan": "category", "took": "number", "size.x": "number", "size.unit": "category",
    }  # fmt: skip
    assert data.rows["amount"].head(2).to_list() == [0.25, 1.25]
    assert data.rows["took"].head(2).to_list() == [0, 180_000_000]  # microseconds


def test_a_view_of_a_database(tmp_path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, amount TEXT, photo BLOB, churn TEXT)")
        rows = [(k, f"{k},50", b"\0", CHURN[k]) for k in range(N)]
        database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)
        database.execute("CREATE VIEW recent AS SELECT amount, churn FROM orders WHERE id >= 10")
    database.close()
    with pytest.raises(FileError, match=r"column 'photo': it holds bytes.*make a view without it.*file\.db::view"):
        rosenblatt.read(path, target="churn")
    data = rosenblatt.read(f"{path}::recent", target="churn")
    (reading,) = decide(data.rows)
    assert as_values(data, reading)[:2] == [10.5, 11.5]


ROWS_WITHOUT_NAMES = "red,small,5,yes\nblue,large,7,no\nred,large,5,yes\nblue,small,6,no\nred,small,7,no\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(ROWS_WITHOUT_NAMES, True, id="a row of texts and numbers"),
        pytest.param("yes,18.0,8\nno,15.0,8\nyes,21.5,6\nno,12.0,8\n", True, id="a row of numbers"),
        pytest.param("yes,2023,2024\nno,15,8\nyes,21,6\nno,12,8\n", False, id="years as names"),
        pytest.param("yes,5,x\na,7,1.5\nb,6,2.5\na,4,3.5\n", False, id="one name of three"),
        pytest.param("0,1,2,yes\n-1,2,0.5,a\n1,0,2.5,b\n2,3,1.5,a\n", False, id="counted, as pandas names columns"),
    ],
)
def test_a_first_row_that_was_taken_for_names_is_told(tmp_path, text, told):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    notes = rosenblatt.read(path, target="yes").notes
    assert bool(notes) == told
    assert all("(--no-header)" in note and "first line of" in note for note in notes)


def test_who_names_no_target_is_told_that_the_first_line_looks_like_data(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS_WITHOUT_NAMES)
    with pytest.raises(LabelError, match=r"looks like data: if it is, pass --no-header, and the number of the column"):
        rosenblatt.learn(rosenblatt.read(path))


@pytest.mark.parametrize("inner", [False, True])
def test_columns_of_json_stand_in_the_order_of_the_text(inner, tmp_path):
    """Of more than 32 members polars keeps them in another order in every process: it was another model each time."""
    names = [f"k{(7 * number) % 60}" for number in range(60)]
    rows = [{name: number * len(name) for name in names[: 40 + number]} for number in range(21)]
    rows = [{"a": row, "last": 1} if inner else row for row in rows]
    expected = [f"a.{name}" for name in names] if inner else names
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "list.json").write_text(json.dumps(rows, indent=1))
    (tmp_path / "data.json").write_text(json.dumps({"data": rows, "total": 21}))
    for file in ("lines.jsonl", "list.json", "data.json"):
        columns = read(tmp_path / file).rows.columns
        assert [name for name in columns if name != "last"] == expected
        assert next(batches(tmp_path / file, rows=None)).rows.columns == columns


@pytest.mark.parametrize(
    "text",
    [
        '{"columns": ["a"]}',
        '{"columns": ["a"], "data": 5}',
        '{"columns": ["a"], "data": [5]}',
        '{"columns": ["a"], "data": {"x": [1]}}',
        '{"columns": 5, "data": [[1]]}',
        '{"columns": [{"n": 1}, {"n": 2}], "data": [[1, 2], [3, 4]]}',
        '{"columns": ["a", "a"], "data": [[1, 2], [3, 4]]}',  # the first of them was lost
        '{"columns": ["1", 1], "data": [[1, 2], [3, 4]]}',
        "{}\n{}\n",
    ],
)
def test_an_object_that_nearly_is_a_table_is_none_whole_or_in_batches(text):
    outcomes = []
    for rows in (2, None, "whole"):
        try:
            parts = [read(io.BytesIO(text.encode()))] if rows == "whole" else list(batches(io.BytesIO(text.encode()), rows))
            outcomes.append([part.rows.rows(named=True) for part in parts])
        except FileError as problem:
            outcomes.append(str(problem))
    assert outcomes[0] == outcomes[1] == outcomes[2]
    if '"a", "a"' in text or '"1", 1' in text:
        assert "occurs twice" in outcomes[0]


def test_long_cells_of_dashes_are_looked_at_once():
    """They were for the square of their length."""
    (reading,) = decide(pl.DataFrame({"cells": ["-" * 100_000 + f"x{number}" for number in range(30)]}), trimmed=True)
    assert reading.kind == "category"


def test_many_objects_within_an_object_are_looked_at_once(monkeypatch):
    """polars makes the types of all columns anew whenever it is asked: 2,000 objects of 50 members took ten minutes."""
    asked, dtypes = [], pl.DataFrame.dtypes
    monkeypatch.setattr(pl.DataFrame, "dtypes", property(lambda frame: asked.append(frame) or dtypes.fget(frame)))
    row = {f"m{i}": {f"k{j}": i + j for j in range(3)} for i in range(40)}
    data = rosenblatt.read(io.BytesIO(json.dumps([row, row]).encode()))
    assert data.rows.rows()[1] == tuple(i + j for i in range(40) for j in range(3))
    assert len(asked) < 10
