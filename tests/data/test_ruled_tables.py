"""Tables as programs print them, with rulers of dashes, are those of the CSV of the same rows."""

import io

import pytest

from rosenblatt.cli import run
from rosenblatt.data import batches, read
from rosenblatt.errors import FileError

ROWS = [(4900000 + k, f"{k % 7}.{k % 10}5", ["Köln", "São Paulo", ""][k % 3], ["won", "lost"][k % 2]) for k in range(40)]
NAMES = ("no", "amount", "city", "outcome")
CSV = "\n".join(",".join(map(str, row)) for row in (NAMES, *ROWS)) + "\n"


def aligned(bar, left="", right=""):
    return [left + bar.join(f"{cell!s:<10}" for cell in row) + right for row in (NAMES, *ROWS)]


def psql():
    names, *rows = aligned(" | ", " ")
    return [names, "-" * 12 + "+" + "+".join(["-" * 12] * 3), *rows, "(40 rows)", ""]


def mysql():
    names, *rows = aligned(" | ", "| ", " |")
    bar = "+" + "+".join(["-" * 12] * 4) + "+"
    return [bar, names, bar, *rows, bar, "40 rows in set (0.00 sec)"]


def sap():
    names, *rows = aligned("|", "|", "|")
    ruler, title = "-" * 45, "Liste der Belege                Seite 1"
    # A list of several pages has its title and its names on each.
    return [
        title,
        "",
        ruler,
        names,
        ruler,
        *rows[:20],
        ruler,
        title.replace("1", "2"),
        ruler,
        names,
        ruler,
        *rows[20:],
        ruler,
    ]


def sqlcmd():
    names, *rows = aligned(" ")
    return [names, " ".join(["-" * 10] * 4), *rows, "", "(40 rows affected)"]


def markdown():
    names, *rows = aligned(" | ", "| ", " |")
    return [names, "|-----------:|:--|---|:-:|", *rows]


def boxes():
    names, *rows = aligned(" │ ", "│ ", " │")
    rule = "─" * 12
    return [f"┌{'┬'.join([rule] * 4)}┐", names, f"├{'┼'.join([rule] * 4)}┤", *rows, f"└{'┴'.join([rule] * 4)}┘"]


PRINTED = {"psql": psql, "mysql": mysql, "sap": sap, "sqlcmd": sqlcmd, "markdown": markdown, "boxes": boxes}


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.md", "a"])
@pytest.mark.parametrize("printed", PRINTED)
def test_it_is_the_table_of_the_csv(printed, name, ending, tmp_path):
    (tmp_path / name).write_text(ending.join(PRINTED[printed]()) + ending, "utf-8", newline="")
    expected = read(io.BytesIO(CSV.encode()), target="outcome")
    found = read(str(tmp_path / name), target="outcome")
    assert found.rows.equals(expected.rows)
    assert found.labels.equals(expected.labels)
    parts = list(batches(str(tmp_path / name), 7, target="outcome"))
    assert sum(map(len, parts)) == len(ROWS)


@pytest.mark.parametrize(("printed", "left_out"), [("psql", "'(40 rows)' on line 43"), ("sap", "2 lines"), ("markdown", "")])
def test_lines_that_are_no_rows_are_told(printed, left_out, tmp_path):
    (tmp_path / "a.txt").write_text("\n".join(PRINTED[printed]()), "utf-8")
    told = [note for note in read(str(tmp_path / "a.txt"), target="outcome").notes if "left out" in note]
    assert len(told) == bool(left_out)
    assert left_out in "".join(told)


def test_a_model_takes_both_for_the_same(tmp_path, capsys):
    (tmp_path / "a.csv").write_text(CSV, "utf-8")
    (tmp_path / "a.txt").write_text("\n".join(psql()), "utf-8")
    model = str(tmp_path / "m.rosenblatt")
    assert run(["train", str(tmp_path / "a.txt"), "--target", "outcome", "-q", "-o", model]) == 0
    capsys.readouterr()
    predicted = []
    for name in ("a.csv", "a.txt"):
        assert run(["predict", model, str(tmp_path / name), "--scores"]) == 0
        predicted.append(capsys.readouterr().out)
    assert predicted[0] == predicted[1]
    assert predicted[0].count("\n") == 41


def test_dashes_between_commas_are_cells():
    data = read(io.BytesIO(b"a,b,y\n---,---,u\n1,2,v\n"), target="y")
    assert len(data) == 2


def cells(text):
    """The rows of a printed table, whole and in batches: both say the same, or the same error."""
    try:
        whole = read(io.BytesIO(text.encode()))
    except FileError as problem:
        with pytest.raises(FileError):
            list(batches(io.BytesIO(text.encode()), rows=2))
        return str(problem)
    parts = [row for part in batches(io.BytesIO(text.encode()), rows=2, as_text=True) for row in part.rows.rows()]
    assert len(parts) == len(whole.rows)
    return [whole.rows.columns, *whole.rows.rows()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A number that is wider than its column stands further left.
        ("   id amount\n ---- ------\n12345      7\n 1234      8\n", [["id", "amount"], (12345, 7), (1234, 8)]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| --- | --- |\n", [["a", "b"], ("1", "2"), ("---", "---")]),
        ("| a | b |\n|---|---|\n1 | 2\n3 | 4 |\n| A+| 6\n", [["a", "b"], ("1", 2), ("3", 4), ("A+", 6)]),
        (" a   | b \n-----+---\n c:\\ | 2\n d:\\| 3\n(2 rows)\n", [["a", "b"], ("c:\\", 2), ("d:\\", 3)]),
        (" a  | b  \n----+----\n A+ | B+\n d  | 3+\n", [["a", "b"], ("A+", "B+"), ("d", "3+")]),
        # No names stand above a ruler with rows above it, and none between tabs: these are cells of dashes.
        ("a|b\n1|2\n3|4\n---|---\n4|6\n", [["a", "b"], ("1", "2"), ("3", "4"), ("---", "---"), ("4", "6")]),
        ("aaa\tbbb\n100\t200\n---\t---\n1\t2\n", [["aaa", "bbb"], ("100", "200"), ("---", "---"), ("1", "2")]),
        ("aaa\tbbb\n---\t---\n1\t2\n3\t4\n", [["aaa", "bbb"], ("---", "---"), ("1", "2"), ("3", "4")]),
    ],
)
def test_no_cell_of_a_row_is_lost(text, expected):
    assert cells(text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        # Two wide on the screen, and one character: 5 would be a part of the name.
        ("name amt\n---- ---\n日本 5\nab   7\n", "line 3: a cell crosses the columns"),
        ("name amt\n---- ---\na\tb 5\nab   7\n", "line 3: a cell crosses the columns"),
        ("+---+-----+\n| a | b   |\n+---+-----+\n| 1 | one\ntwo |\n| 2 | x   |\n+---+-----+\n", "line 4: a cell goes on"),
        (" a |  b  \n---+-----\n 1 | one+\n   | two\n 2 | x\n", "line 3: a cell goes on"),
        (" a │  b  \n───┼─────\n 1 │ one↵\n   │ two\n 2 │ x\n", "line 3: a cell goes on"),
        ("a    b\n---- ----\n1    2\n\n3    4\n\n(3 rows affected)\n", "it has 1 row, and says that it has 3"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\n| c | d |\n|---|---|\n| 3 | 4 |\n", "line 5: a second table"),
        (" a | b \n---+---\n 1 | 2\n(1 row)\n\n c | d \n---+---\n 3 | 4\n(1 row)\n", "line 6: a second table"),
    ],
)
def test_what_is_not_surely_a_row_is_refused(text, why):
    assert why in cells(text)


def test_a_line_of_many_dashes_is_looked_at_once():
    text = "a,b\n" + "-" * 1_000_000 + "x,1\ny,2\n"  # was read for the square of its length
    assert [row[1] for row in read(io.BytesIO(text.encode())).rows.rows()] == [1, 2]
