"""Tables as programs print them, with rulers of dashes, are those of the CSV of the same rows."""

import io

import pytest

from rosenblatt.cli import run
from rosenblatt.data import batches, read

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
