"""Exports as other programs write them are read as they are meant, and what was assumed is told."""

import bz2
import gzip
import io
import lzma
import os
import sqlite3
import sys
from contextlib import closing
from datetime import date

import polars as pl
import pytest
import zstandard
from sheets import DAY, ods, xlsx

from rosenblatt.cli import run
from rosenblatt.data import batches, read
from rosenblatt.data.read_options import BufferSizes
from rosenblatt.data.source import HEAD_BYTES
from rosenblatt.errors import FileError, MissingPartError, SettingError

GREEN = "Größe,Farbe\n1,grün\n2,€ “rot”\n"


def cells(content, **options):
    return read(io.BytesIO(content), as_text=True, **options)


@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16", "utf-16-le", "utf-16-be"])
def test_other_encodings_hold_the_same_table_and_are_told(encoding):
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    data = cells((mark + GREEN).encode(encoding))
    expected = cells(GREEN.encode())
    assert data.rows.equals(expected.rows)
    assert expected.notes == ()
    (note,) = data.notes
    assert "was read as" in note


def test_an_encoding_that_is_named_needs_no_note():
    data = cells(GREEN.replace("€ “rot”", "rot").encode("cp850"), encoding="cp850")
    assert data.rows.columns == ["Größe", "Farbe"]
    assert data.notes == ()
    assert cells("naam,y\nжук,1\n".encode("koi8-r"), encoding="koi8-r").rows["naam"].to_list() == ["жук"]
    with pytest.raises(SettingError, match="no encoding 'klingon'"):
        cells(b"a,b\n1,2\n", encoding="klingon")


@pytest.mark.parametrize("letter", ["é", "é".encode().decode("latin-1")])
@pytest.mark.parametrize("shift", range(4))
def test_a_letter_beyond_the_beginning_decides_for_whole_files_and_for_batches(letter, shift):
    """Also where a block ends within the letter: in Latin-1 `Ã©` is the two bytes that é is in UTF-8."""
    plain = b"a,b\n" + b"x" * shift + b"1,2\n" * (HEAD_BYTES // 4 + 10)
    content = plain + f"{letter},3\nü,4\n".encode("latin-1")
    if letter == "é":
        assert cells(content).rows["a"].to_list()[-2:] == ["é", "ü"]
    else:
        with pytest.raises(FileError, match="0xfc is not UTF-8, and characters before it are"):
            cells(content)
        content = plain + "é,3\nü,4\n".encode()
    for block in (len(plain) + 1, 1000, 1 << 23):
        parts = list(batches(io.BytesIO(content), as_text=True, sizes=BufferSizes(table_block=block)))
        assert parts[-1].rows["a"].to_list()[-2:] == ["é", "ü"]
        assert bool(parts[-1].notes) == (letter == "é")


def test_lines_of_text_are_decoded_too():
    data = read(io.BytesIO("ham\tsee you\nspam\tgünstig\n".encode("latin-1")), format="text")
    assert data.rows["text"].to_list() == ["see you", "günstig"]
    assert len(data.notes) == 1
    assert read(io.BytesIO("ä\nö\n".encode("utf-16")), format="lines").rows["text"].to_list() == ["ä", "ö"]


def test_notes_go_to_standard_error_once_and_into_json(tmp_path, capsys):
    path, model = tmp_path / "rows.csv", tmp_path / "m.rosenblatt"
    path.write_bytes(b"colour,kind\n" + "grün,apple\nrot,pear\n".encode("latin-1") * 5)
    assert run(["train", str(path), "--target", "kind", "-o", str(model)]) == 0
    told = capsys.readouterr().err
    assert told.count("note: ") == 1
    assert "pass --encoding '…'" in told
    for verb in (["predict", str(model), str(path)], ["evaluate", str(model), str(path)]):
        assert run(verb) == 0
        assert "read as Windows-1252" in capsys.readouterr().err
        assert run([*verb, "--quiet"]) == 0
        assert capsys.readouterr().err == ""
        assert run([*verb, "--json"]) == 0
        captured = capsys.readouterr()
        assert '"notes": ["' in captured.out
        assert captured.err == ""


TABLE = "name;price;sold;kind\npear;1,5;3;a\nplum;2,5;4;b\nfig;3;1;a\n"
ABOVE = [
    "Sales 2024\n",
    "Sales 2024\n\n",
    "Sales, north and south, 2024\nCreated;2024-05-01\n\n",
    "# exported by warehouse 3\n# all; shops; and; markets; too\n",
    "Sales;;;\n;;;\nfrom;May;;\n",
    'The "best" prices"\n',
    '"Sales\n2024"\n',
    "\ufeffSales\n",
    "\n\nSales\r\n",
]


@pytest.mark.parametrize("above", ABOVE)
def test_titles_and_comments_above_a_table_are_skipped_and_told(above):
    expected = read(io.BytesIO(TABLE.encode()), target="kind")
    for extra in ({}, {"format": "csv"}, {"delimiter": ";"}):
        data = read(io.BytesIO((above + TABLE).encode()), target="kind", **extra)
        assert data.rows.equals(expected.rows)
        assert data.labels.equals(expected.labels)
        assert f"begins on line {above.count(chr(10)) + 1}," in data.notes[0]
    for block in (10, 60, 1 << 20):
        parts = list(batches(io.BytesIO((above + TABLE).encode()), target="kind", sizes=BufferSizes(table_block=block)))
        assert [name for part in parts for name in part.rows["name"]] == ["pear", "plum", "fig"]
    lines = above.count("\n")
    told = read(io.BytesIO((above + TABLE).encode()), target="kind", skip_lines=lines)
    assert told.rows.equals(expected.rows)
    assert told.notes == ()


@pytest.mark.parametrize("above", ABOVE[:4])
def test_an_error_below_titles_names_the_line_of_the_file(above):
    content = (above + TABLE + "fig;inf;1;a\n").replace(",", ".").encode()
    with pytest.raises(FileError) as caught:
        read(io.BytesIO(content), target="kind")
    assert caught.value.line == content.count(b"\n")
    content = (above + TABLE * 1 + TABLE.split("\n", 1)[1] * 9 + "fig;1\n").encode()
    with pytest.raises(FileError) as caught:
        read(io.BytesIO(content), target="kind")
    assert caught.value.line == content.count(b"\n")


@pytest.mark.parametrize(
    "content",
    [
        "a,b,c,d\n1,2,3,4\n5,6,7,8\n",
        "#id,b,c\nx,y,z\nu,v,w\n",  # names, the first of which has a hash
        ",,c\n1,2,3\n4,5,6\n",
        "a,b,,\n1,2,3,4\n5,6,7,8\n",
        "a\tb\nx y\tz\nx y\tz\n",
    ],
)
def test_a_table_that_begins_at_the_top_is_read_from_there(content):
    data = read(io.BytesIO(content.encode()), format="csv")
    assert len(data) == 2
    assert data.notes == ()


@pytest.mark.parametrize("content", ["a\n1,2\n3,4\n5,6\n", "a,b,c\n1,2,3,4\n5,6,7,8\n5,6,7,8\n", "a;b\nx,y\nu,v\n"])
def test_names_that_are_too_few_are_no_title(content):
    with pytest.raises(FileError):
        read(io.BytesIO(content.encode()), format="csv")


def test_the_remedy_for_a_title_is_no_blank_as_delimiter(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    path.write_text("Our best prices ever\nmade, by, us, in, May\na,b,kind\n1,2,x\n2,3,y\n")
    assert run(["train", str(path), "--target", "kind"]) == 2
    assert "no column 'kind', and line 3 has: pass --skip-lines 2" in capsys.readouterr().err
    assert run(["train", str(path), "--target", "kind", "--skip-lines", "2"]) == 0
    with pytest.raises(FileError, match="nothing but blank lines below line 9"):
        read(path, skip_lines=9)
    with pytest.raises(SettingError, match="skip_lines is 2"):
        read(io.BytesIO(b"1 1:2\n1 2:3\n1 2:3\n"), skip_lines=2)


PEOPLE = [
    '{"age": 39, "address": {"city": "Rome", "zip": "007"}, "buys": "yes"}',
    '{"age": 40.5, "vip": true, "buys": "no", "address": {"city": null}}',
    '{"buys": "no", "age": null}',
]


@pytest.mark.parametrize("content", ["\n".join(PEOPLE), "\ufeff" + "\n\n".join(PEOPLE) + "\r\n", f" [{','.join(PEOPLE)}]\n"])
def test_json_objects_are_rows(content):
    data = read(io.BytesIO(content.encode()), target="buys")
    columns = {name: data.rows[name].to_list() for name in data.rows.columns}
    assert columns == {
        "age": [39.0, 40.5, None],
        "address.city": ["Rome", None, None],
        "address.zip": ["007", None, None],
        "vip": [None, True, None],
    }
    assert data.labels.to_list() == ["yes", "no", "no"]
    assert [len(part) for part in batches(io.BytesIO(content.encode()), rows=2, target="buys")] == [2, 1]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ('{"a": 1}\n{"a": }\n', 2, "no JSON object"),
        ('{"a": 1}\n\n[1]\n', 3, "object in braces"),
        ('{"a": 1}\n{"a": true}\n', 2, "another kind"),
        ('[{"a": 1},\n{"a": 1]', 2, "no JSON"),
        ('{"a": [1]}\n', None, "only numbers, text"),
        ("{}\n{}\n", None, "no members"),
        ('{"a": {"b": 1}, "a.b": 2}\n', None, "occurs twice"),
        ('{"a": NaN}\n', 1, "write null"),
    ],
)
def test_bad_json_is_refused_by_line(content, line, words):
    with pytest.raises(FileError, match=words) as caught:
        read(io.BytesIO(content.encode()))
    assert caught.value.line == line


FRUIT = [
    ["name", "price", "n", "since", "ok", "code", "kind"],
    ["pear", 1.5, 3, DAY, True, "007", "a"],
    [None] * 7,
    ["plum", None, 4, DAY, False, "?", "b"],
]


def test_a_sheet_holds_the_table_that_it_shows(tmp_path, capsys):
    path = tmp_path / "fruit.xlsx"
    path.write_bytes(xlsx(Empty=[], Title=[["Hello"]], Fruit=FRUIT, Other=[["a", "b"], [1, "x"], [2, "y"]]))
    data = read(path, target="kind")
    assert data.rows.rows() == [
        ("pear", 1.5, 3, date(2024, 1, 2), True, "007"),
        ("plum", None, 4, date(2024, 1, 2), False, None),
    ]
    assert data.labels.to_list() == ["a", "b"]
    assert data.notes == (f"{path} has several sheets, of which 'Fruit' was read. For another, write {path}::Other.",)
    assert read(f"{path}::Other", target="b").labels.to_list() == ["x", "y"]
    assert read(io.BytesIO(path.read_bytes()), target="kind").rows.equals(data.rows)
    assert [len(part) for part in batches(path, rows=1)] == [1, 1]
    with pytest.raises(FileError, match="no sheet 'Fruits': the sheets are Empty, Title, Fruit, Other"):
        read(f"{path}::Fruits")
    with pytest.raises(FileError, match="no sheet has a table"):
        read(io.BytesIO(xlsx(Empty=[])))
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FileError, match="holds one table only"):
        read(f"{tmp_path / 'a.csv'}::b")
    many = [FRUIT[0], *(FRUIT[1:2] + FRUIT[3:]) * 5]
    path.write_bytes(xlsx(Fruit=many))
    assert run(["train", str(path), "--target", "kind", "-o", str(tmp_path / "m.rosenblatt"), "-q"]) == 0
    capsys.readouterr()
    assert run(["predict", str(tmp_path / "m.rosenblatt"), f"{path}::Fruit", "--only-labels", "-q"]) == 0
    assert capsys.readouterr().out == "a\nb\n" * 5


def test_titles_above_the_table_of_a_sheet():
    content = xlsx(Fruit=[["Prices"], [], ["from", "May"], *FRUIT, *FRUIT[1:2]])
    data = read(io.BytesIO(content), target="kind")
    assert data.rows.columns == FRUIT[0][:-1]
    assert len(data) == 3
    assert "begins on row 4, below 'Prices'" in data.notes[0]
    assert read(io.BytesIO(content), target="kind", skip_lines=3).rows.equals(data.rows)
    with pytest.raises(FileError, match="the column name 'a' occurs 2 times"):
        read(io.BytesIO(xlsx(One=[["a", "a"], [1, 2]])))


def test_an_opendocument_sheet():
    data = read(io.BytesIO(ods(One=[["a", "kind"], [1.5, "x"], [2, "y"]])), target="kind")
    assert (data.rows["a"].to_list(), data.labels.to_list()) == ([1.5, 2.0], ["x", "y"])


def test_damaged_sheets_are_refused():
    whole = xlsx(Fruit=FRUIT)
    for end in range(60, len(whole), 97):
        with pytest.raises(FileError):
            read(io.BytesIO(whole[:end]))


def test_a_missing_reader_of_sheets_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(MissingPartError, match="Reading this file needs fastexcel: pip install fastexcel"):
        read(io.BytesIO(xlsx(Fruit=FRUIT)))


def zstd(data):
    """Two frames: the first tells its length, the second does not."""
    middle = len(data) // 2
    streaming = zstandard.ZstdCompressor().compressobj()
    return zstandard.compress(data[:middle]) + streaming.compress(data[middle:]) + streaming.flush()


COMPRESSORS = {"bz2": bz2.compress, "xz": lzma.compress, "zst": zstd}


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_compressed_files_hold_the_same_rows(suffix, tmp_path):
    for rows in (3, 50_000):
        content = b"a,b,kind\n" + b"".join(b"%d,%d,%s\n" % (i, i % 97, b"xy"[i % 2 :][:1]) for i in range(rows))
        path = tmp_path / f"rows.csv.{suffix}"
        path.write_bytes(COMPRESSORS[suffix](content))
        expected = read(io.BytesIO(content), target="kind")
        assert read(path, target="kind").rows.equals(expected.rows)
        assert read(io.BytesIO(path.read_bytes()), target="kind").rows.equals(expected.rows)
        assert sum(map(len, batches(path, target="kind"))) == rows
    libsvm = tmp_path / f"rows.libsvm.{suffix}"
    libsvm.write_bytes(COMPRESSORS[suffix](b"1 1:2\n-1 3:4\n"))
    assert sum(map(len, batches(libsvm))) == 2  # which goes through it twice


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_damaged_compression_is_refused(suffix):
    whole = COMPRESSORS[suffix](os.urandom(5000).hex().encode())
    for cut in (whole[:-1], whole[:1000], whole[: len(whole) // 2 + 9]):
        with pytest.raises(FileError, match="the compressed data is truncated or damaged"):
            read(io.BytesIO(b"" + cut), format="lines")


def test_a_name_that_begins_as_compressed_data_does_is_a_name():
    assert read(io.BytesIO(b"BZh,b\n1,2\n")).rows.columns == ["BZh", "b"]


def test_zstd_without_its_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    with pytest.raises(MissingPartError, match="pip install zstandard"):
        read(io.BytesIO(zstd(b"a,b\n1,2\n")))


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "a shop?.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "the ""orders""" (id INTEGER, price, code TEXT, paid TEXT)')
        connection.execute('CREATE VIEW cheap AS SELECT * FROM "the ""orders""" WHERE price < 2')
        rows = [(1, 1.5, "007", "yes"), (2, 2, "1", "no"), (3, None, None, "no")]
        connection.executemany('INSERT INTO "the ""orders""" VALUES (?, ?, ?, ?)', rows)
        connection.commit()
    return path


def test_a_table_of_a_database(shop, tmp_path):
    expected = [(1, 1.5, "007"), (2, 2.0, "1"), (3, None, None)]
    packed = tmp_path / "shop.db.gz"
    packed.write_bytes(gzip.compress(shop.read_bytes()))
    for source in (shop, f'{shop}::the "orders"', io.BytesIO(shop.read_bytes()), packed):
        data = read(source, target="paid")
        assert (data.rows.rows(), data.labels.to_list()) == (expected, ["yes", "no", "no"])
    assert [len(part) for part in batches(shop, rows=2, target="paid")] == [2, 1]
    assert read(f"{shop}::cheap").rows.rows() == [(1, 1.5, "007", "yes")]
    with pytest.raises(FileError, match="no table 'order'"):
        read(f"{shop}::order")


def test_what_is_written_ahead_is_read_too(shop):
    with closing(sqlite3.connect(shop)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute('INSERT INTO "the ""orders""" VALUES (4, 4, 4, 4)')
        connection.commit()
        assert len(read(shop)) == 4


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("CREATE TABLE others (a)", "2 tables: name one"),
        ('DROP TABLE "the ""orders"""', "has no tables"),
        ('DELETE FROM "the ""orders"""', "has no rows"),
        ('UPDATE "the ""orders""" SET code = x\'00ff\'', "it holds bytes"),
        ('UPDATE "the ""orders""" SET price = 9e999', "the number is inf"),
    ],
)
def test_what_cannot_be_read_of_a_database(statement, words, shop):
    with closing(sqlite3.connect(shop)) as connection:
        connection.execute(statement)
        connection.commit()
    for door in (read, lambda path: list(batches(path))):
        with pytest.raises(FileError, match=words):
            door(shop)


def test_a_damaged_database_is_refused(shop):
    content = bytearray(shop.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    shop.write_bytes(content)
    with pytest.raises(FileError):
        read(shop)
    with pytest.raises(FileError):
        read(io.BytesIO(content))


HALF_LABELLED = b"a,kind\n1,x\n2,\n3,y\n4,?\n5,x\n"


def test_rows_without_a_label_are_skipped_if_so_wanted(tmp_path, capsys):
    data = read(io.BytesIO(HALF_LABELLED), target="kind", unlabelled="skip")
    assert (data.rows["a"].to_list(), data.labels.to_list()) == ([1, 3, 5], ["x", "y", "x"])
    assert data.notes == ("2 rows have no label and were left out of the stream.",)
    whole = list(batches(io.BytesIO(HALF_LABELLED), rows=2, target="kind", unlabelled="skip"))
    assert [label for part in whole for label in part.labels] == ["x", "y", "x"]
    with pytest.raises(FileError, match="2 rows have no label: fill it in, or pass unlabelled='skip'") as caught:
        read(io.BytesIO(HALF_LABELLED), target="kind")
    assert caught.value.line == 3
    with pytest.raises(SettingError, match="unlabelled is 'drop'"):
        read(io.BytesIO(HALF_LABELLED), unlabelled="drop")
    path, model = tmp_path / "rows.csv", str(tmp_path / "m.rosenblatt")
    path.write_bytes(HALF_LABELLED + HALF_LABELLED.split(b"\n", 1)[1])
    assert run(["train", str(path), "--target", "kind"]) == 1
    assert "pass --unlabelled skip" in capsys.readouterr().err
    assert run(["train", str(path), "--target", "kind", "--unlabelled", "skip", "-o", model]) == 0
    assert "note: 4 rows have no label and were left out" in capsys.readouterr().err
    assert run(["evaluate", model, str(path), "--unlabelled", "skip", "--json"]) == 0
    assert '"notes": ["4 rows have no label' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("address", "command"),
    [
        ("https://example.org/rows.csv", "curl -O https://example.org/rows.csv"),
        ("s3://bucket/rows.parquet", "aws s3 cp s3://bucket/rows.parquet ."),
    ],
)
def test_an_address_is_to_be_downloaded_first(address, command):
    with pytest.raises(FileError, match="it is an address: download it first") as caught:
        read(address)
    assert command in str(caught.value)


def write_parts(folder):
    folder.mkdir()
    (folder / "b.csv").write_text("price;zip;kind\n1,5;0815;01\n2;1234;02\n")
    (folder / "a.csv.gz").write_bytes(gzip.compress(b"zip,price,kind\n17,2,1\n18,x,2\n"))
    (folder / "_SUCCESS").write_text("")
    (folder / ".hidden").write_text("")
    return folder


def test_files_of_a_folder_are_one_table_as_if_all_rows_stood_in_one(tmp_path):
    folder = write_parts(tmp_path / "sales")
    data = read(folder, target="kind")
    assert data.rows.rows() == [("17", "2"), ("18", "x"), ("0815", "1,5"), ("1234", "2")]
    assert data.labels.to_list() == ["1", "2", "01", "02"]
    assert data.notes == (f"2 csv files of {folder} were read as one table.",)
    assert read(f"{folder}/*.csv*", target="kind").rows.equals(data.rows)
    assert [len(part) for part in batches(folder, rows=3, target="kind")] == [3, 1]
    as_they_come = list(batches(folder, rows=None, target="kind", as_text=True))
    assert [zip for part in as_they_come for zip in part.rows["zip"]] == ["17", "18", "0815", "1234"]
    (folder / "c.csv").write_text("price,zip,kind\n1,2,\n")
    with pytest.raises(FileError, match=r"c\.csv, row 1, column 'kind': 1 row has no label"):
        read(folder, target="kind")
    (folder / "c.csv").write_text("price,zip,sort\n1,2,\n")
    for door in (read, lambda where, **options: list(batches(where, rows=None, as_text=True, **options))):
        with pytest.raises(FileError, match=r"c\.csv: the column 'kind' of .*a\.csv\.gz is not in it"):
            door(folder)


def test_folders_and_patterns_of_typed_tables(tmp_path):
    pl.DataFrame({"a": [1, 2], "b": [None, None], "y": ["u", "v"]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"a": [1.5], "b": ["x"], "y": ["u"]}).write_parquet(tmp_path / "2.parquet")
    data = read(tmp_path, target="y")
    assert data.rows.rows() == [(1.0, None), (2.0, None), (1.5, "x")]
    pl.DataFrame({"a": ["x"], "b": ["x"], "y": ["u"]}).write_parquet(tmp_path / "3.parquet")
    with pytest.raises(FileError, match=r"3\.parquet, column 'a': it holds texts, and numbers in .*1\.parquet"):
        read(tmp_path)
    (tmp_path / "4.csv").write_text("a,b,y\n1,2,3\n")
    with pytest.raises(FileError, match="2 formats"):
        read(tmp_path)
    assert len(read(f"{tmp_path}/[12].parquet")) == 3
    with pytest.raises(FileError, match="no file matches"):
        read(f"{tmp_path}/*.tsv")


def test_a_folder_of_classes_stays_one(tmp_path):
    for label, text in (("ham", "hello you"), ("spam", "buy now")):
        (tmp_path / label).mkdir()
        (tmp_path / label / "1.csv").write_text(text)
    assert read(tmp_path).labels.to_list() == ["ham", "spam"]


def test_train_and_predict_on_a_folder(tmp_path, capsys):
    folder, model = write_parts(tmp_path / "sales"), str(tmp_path / "m.rosenblatt")
    assert run(["train", str(folder), "--target", "kind", "-o", model]) == 0
    assert "note: 2 csv files" in capsys.readouterr().err
    assert run(["predict", model, str(folder), "--only-labels", "-q"]) == 0
    assert len(capsys.readouterr().out.split()) == 4


def test_verbose_tells_how_a_file_was_taken(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    path.write_bytes((ABOVE[0] + TABLE).encode())
    assert run(["facts", str(path), "--target", "kind", "--verbose"]) == 0
    told = capsys.readouterr().err
    assert f"{path}: csv (a table" in told
    assert f"{path}: delimiter ';' (judged by 4 lines), names on line 2, 4 columns: name, price, sold, kind" in told
    assert run(["facts", str(path), "--target", "kind"]) == 0
    assert "delimiter" not in capsys.readouterr().err


ARFF = """% made by hand
@RELATION 'some fruit'

@attribute 'the name' string
@attribute price NUMERIC
@attribute code {007, 008}
@attribute kind {a, 'b c'}
@data
'pear, green', 1.5, 007, a
% a comment
plum,?,008,'b c'
"it's", 2, ?, a
"""


def test_arff():
    data = read(io.BytesIO(ARFF.encode()), target="kind")
    assert data.rows.rows() == [("pear, green", 1.5, "007"), ("plum", None, "008"), ("it's", 2.0, None)]
    assert data.labels.to_list() == ["a", "b c", "a"]
    assert data.notes == ()
    assert read(io.BytesIO(ARFF.encode()), as_text=True).rows["price"].to_list() == ["1.5", None, "2"]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("1.5", "cheap", 9, "'cheap' is no number"),
        ("plum,?", "plum", 11, "3 cells, expected 4"),
        ("plum,?,008,'b c'", "{1 2}", 11, "sparse"),
        ("@data", "", None, "no @data"),
        ("price NUMERIC", "price", 5, "expected @attribute"),
        ("@attribute price", "@attribute 'the name'", 5, "declared twice"),
    ],
)
def test_bad_arff_is_refused_by_line(old, new, line, words):
    with pytest.raises(FileError, match=words) as caught:
        read(io.BytesIO(ARFF.replace(old, new).encode()))
    assert caught.value.line == line


@pytest.mark.parametrize("hint", ["sep=;", '"sep=;"', "SEP=;"])
def test_excels_hint_of_the_delimiter_is_no_row_of_names(hint):
    """With two columns, `sep=` and nothing were taken for their names, and the names for a row."""
    data = cells(f"{hint}\r\na;y\r\n1,5;u\r\n2,5;v\r\n".encode())
    assert data.rows.columns == ["a", "y"]
    assert data.rows.rows() == [("1,5", "u"), ("2,5", "v")]
    assert "begins on line 2, below" in data.notes[0]


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
def test_several_streams_and_zeros_behind_them_are_one_file(compress):
    rows = b"".join(b"%d,u\n" % k for k in range(50_000))
    content = compress(b"a,y\n" + rows) + compress(rows) + bytes(1024)
    assert cells(content).rows["a"].to_list() == [str(k) for k in range(50_000)] * 2
    assert sum(len(part) for part in batches(io.BytesIO(content), rows=7_000)) == 100_000
