"""Files that are nearly what they seem are read as they are meant, or refused with what to do."""

import io
import json
import re
import zipfile
from datetime import timedelta

import polars as pl
import pytest
from sheets import xlsx

from rosenblatt.cli import run
from rosenblatt.data import batches, read
from rosenblatt.data.read_options import BufferSizes
from rosenblatt.errors import FileError, TargetError

ROWS = [(k, "ab"[k % 3 == 0], "yes" if k % 2 else "no") for k in range(40)]


def lines(delimiter=",", names=("n", "c", "churn")):
    return "".join(delimiter.join(map(str, row)) + "\n" for row in (names, *ROWS))


@pytest.mark.parametrize("content", [lines(names=("x^2", "c", "churn")), lines("^", ("x", "c", "churn"))])
def test_a_table_that_begins_as_packed_data_may_is_a_table(content):
    """`x^` are the first two bytes of a zlib stream, which polars would unpack."""
    delimiter = "," if "," in content else "^"
    data = read(io.BytesIO(content.encode()), target="churn", delimiter=delimiter)
    assert data.rows.rows() == [row[:2] for row in ROWS]
    for block in (50, 10**6):
        parts = batches(
            io.BytesIO(content.encode()), target="churn", delimiter=delimiter, sizes=BufferSizes(table_block=block)
        )
        assert [row for part in parts for row in part.rows.rows()] == [row[:2] for row in ROWS]


@pytest.mark.parametrize("delimiter", "^~:;")
def test_excels_hint_names_other_delimiters_too(delimiter):
    data = read(io.BytesIO(f"sep={delimiter}\n{lines(delimiter)}".encode()), target="churn")
    assert data.rows.rows() == [row[:2] for row in ROWS]


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-be"])
def test_utf_32_is_known_by_its_mark(encoding):
    mark = "\ufeff" if encoding == "utf-32-be" else ""
    data = read(io.BytesIO((mark + lines()).encode(encoding)), target="churn")
    assert data.rows.rows() == [row[:2] for row in ROWS]
    assert "was read as UTF-32" in data.notes[0]


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ("".join(f'"{line}"\n' for line in lines().splitlines()), "remove the quotes around the lines"),
        (lines() + '1,"say \\"a\\", b",no\n', 'written twice in CSV, "", and not as '),
        ('[\n{"n": 1, "churn": "yes"},\n{"n": NaN, "churn": "no"}]', "line 3: NaN is no number in JSON, write null"),
    ],
)
def test_the_remedy_names_what_is_wrong(content, remedy):
    with pytest.raises(FileError, match=re.escape(remedy)):
        read(io.BytesIO(content.encode()), target="churn")


def test_a_model_reads_the_answer_of_a_service_from_which_it_has_learned(tmp_path, capsys):
    """As Stripe's, whose list and whose rows both have a member `object`."""
    rows = [{"object": "charge", "n": n, "inner": {"c": c}, "churn": churn} for n, c, churn in ROWS]
    path, model = tmp_path / "charges.json", tmp_path / "m.rosenblatt"
    path.write_text(json.dumps({"object": "list", "has_more": False, "data": rows}))
    assert run(["train", str(path), "--target", "churn", "-o", str(model), "-q"]) == 0
    capsys.readouterr()
    assert run(["predict", str(model), str(path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(ROWS)
    path.write_text(json.dumps(rows[0] | {"items": [{"n": 1}, {"n": 2}]}))  # one row, with a list in it
    assert run(["predict", str(model), str(path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_durations_that_became_numbers_are_told(tmp_path):
    frame = pl.DataFrame({"took": [timedelta(seconds=row[0]) for row in ROWS], "churn": [row[2] for row in ROWS]})
    frame.write_parquet(tmp_path / "t.parquet")
    data = read(tmp_path / "t.parquet", target="churn")
    assert data.rows["took"].to_list() == [row[0] * 1_000_000 for row in ROWS]
    assert "took of" in data.notes[0]
    assert "taken as microseconds" in data.notes[0]


@pytest.mark.parametrize("mark", ["NULL", "-", "N/A"])
def test_a_class_that_may_be_none_is_told_with_what_leaves_it_out(mark, tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text(lines() + f"1,a,{mark}\n" * 20)
    command = ["train", str(path), "--target", "churn", "-o", str(tmp_path / "m.rosenblatt")]
    for verb in (command, ["facts", str(path), "--target", "churn"]):
        assert run(verb) == 0
        printed = capsys.readouterr()
        assert f"The class {mark} may mean that the label is missing" in printed.out + printed.err
    assert run([*command, f"--missing={mark}", "--unlabelled", "skip"]) == 0
    printed = capsys.readouterr()
    assert f"{len(ROWS)} rows" in printed.out
    assert "may mean" not in printed.err


NAMES = ["n", "c", "churn"]


def test_a_merged_target_is_refused_with_what_it_is():
    merged = [(row, 2, row + 4, 2) for row in range(1, 41, 5)]
    table = [NAMES] + [[n, c, churn if n % 5 == 0 else None] for n, c, churn in ROWS]
    with pytest.raises(FileError, match=r"column 'churn': 32 rows have no label.*merged.*unmerge them in the spreadsheet"):
        read(io.BytesIO(xlsx(merged, S=table)), target="churn")
    with pytest.raises(FileError, match=r"to leave such rows out\.$"):
        read(io.BytesIO(xlsx(S=table)), target="churn")


def test_a_heading_over_the_names_of_a_sheet_is_refused_with_the_remedy():
    sheet = xlsx(S=[["Customer", None, "Result"], NAMES, *map(list, ROWS)])
    with pytest.raises(TargetError, match=r"row 1 has no column 'churn', and row 2 has: pass skip_lines=1\."):
        read(io.BytesIO(sheet), target="churn")
    assert read(io.BytesIO(sheet), target="churn", skip_lines=1).rows.rows() == [row[:2] for row in ROWS]


@pytest.mark.parametrize(("tag", "read_right"), [(b"v", False), (b"t", True)])
def test_numbers_in_cdata_are_refused(tag, read_right):
    """The reader of sheets gives none of them; texts it reads."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(xlsx(S=[NAMES, *map(list, ROWS)]))) as plain,
        zipfile.ZipFile(packed, "w") as archive,
    ):
        for name in plain.namelist():
            content = re.sub(rb"<%s>(\w+)</%s>" % (tag, tag), rb"<%s><![CDATA[\1]]></%s>" % (tag, tag), plain.read(name))
            archive.writestr(name, content)
    if read_right:
        assert read(io.BytesIO(packed.getvalue()), target="churn").rows.rows() == [row[:2] for row in ROWS]
    else:
        with pytest.raises(FileError, match="stand in CDATA, which is not read: open it in a spreadsheet program"):
            read(io.BytesIO(packed.getvalue()), target="churn")
