"""Attacks on the command line: names that act on a terminal, sizes beyond the memory, streams that are closed."""

import csv
import io
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from rosenblatt import __main__, cli
from rosenblatt.cli import echo, run
from rosenblatt.features.text import TextMap

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
HOSTILE = "\x1b[31m|\a|\r|\x00|\x9b2J|\u202e|\n|"  # red, a bell, back to the margin, NUL, clear, right to left, a line
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# What is given to programs: every byte of a label is to arrive.
FOR_PROGRAMS = {"csv"}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """(folder, rows, model): columns, cells, labels and file names all hold what acts on a terminal."""
    folder = tmp_path_factory.mktemp("hostile")
    name = HOSTILE.replace("\x00", "")  # which no file name can hold
    rows, model = folder / f"rows{name}.parquet", folder / f"model{name}.rosenblatt"
    n = 24
    pl.DataFrame(
        {
            f"number{HOSTILE}": [float(i % 7) for i in range(n)],
            f"text{HOSTILE}": [f"cell{i % 3}{HOSTILE}" for i in range(n)],
            f"label{HOSTILE}": [f"{'yes' if i % 2 else 'no'}{HOSTILE}" for i in range(n)],
        }
    ).write_parquet(rows)
    train = ["train", str(rows), "--target", f"label{HOSTILE}", "--keep-log", "-o", str(model), "-q", "-e", "2"]
    assert run(train) == 0
    return folder, str(rows), str(model)


TARGET = ["--target", f"label{HOSTILE}"]
VERBS = {
    "train": ["train", "ROWS", *TARGET, "-e", "2", "--holdout", "0.25"],
    "python": ["train", "ROWS", *TARGET, "--python"],
    "evaluate": ["evaluate", "MODEL", "ROWS"],
    "compare": ["compare", "ROWS", *TARGET, "--seeds", "2", "--holdout", "0.5", "-l", "perceptron", "-e", "1"],
    "orders": ["compare", "ROWS", *TARGET, "--orders", "2", "-l", "perceptron", "-e", "1"],
    "explain": ["explain", "MODEL"],
    "row": ["explain", "MODEL", "ROWS", "--row", "2"],
    "examples": ["explain", "MODEL", "ROWS", "--row", "2", "--by", "example"],
    "weight": ["explain", "MODEL", "--weight", f"number{HOSTILE}"],
    "facts": ["facts", "ROWS", *TARGET, "--pairs"],
    "certify": ["certify", "ROWS", *TARGET],
    "walk": ["walk", "ROWS", *TARGET, "-e", "1", "--proof"],
    "markdown": ["walk", "ROWS", *TARGET, "-e", "1", "--as", "markdown"],
    "latex": ["walk", "ROWS", *TARGET, "-e", "1", "--as", "latex"],
    "csv": ["predict", "MODEL", "ROWS"],
    # To draw the page takes seconds; before that, it is refused in a folder that is not there.
    "report": ["report", "MODEL", "--data", "ROWS", *TARGET, "--splits", "2", "-o", "PAGE" if FULL else f"none{HOSTILE}/p"],
    # What is refused names what it refuses.
    "target": ["train", "ROWS", "--target", f"none{HOSTILE}"],
    "group": ["train", "ROWS", *TARGET, "--holdout", "0.2", "--group", f"none{HOSTILE}"],
    "no weight": ["explain", "MODEL", "--weight", f"none{HOSTILE}"],
    "positive": ["facts", "ROWS", *TARGET, "--positive", f"none{HOSTILE}"],
    "play": ["play", "ROWS", *TARGET],
    "no file": ["train", f"none{HOSTILE}"],
    "no model": ["predict", "ROWS", "ROWS"],
    "no verb": [f"trian{HOSTILE}"],
    "no option": ["train", f"--{HOSTILE}"],
    "choice": ["train", "ROWS", "--order", HOSTILE],
    "points": ["walk", "--points", f"1,1:+ {HOSTILE}:-"],
    "folder": ["train", "ROWS", *TARGET, "-o", f"none{HOSTILE}/model"],
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_nothing_that_comes_from_data_acts_on_the_terminal(verb, as_json, table, capsys):
    folder, rows, model = table
    page = str(folder / f"page{HOSTILE}.html").replace("\x00", "")
    places = {"ROWS": rows, "MODEL": model, "PAGE": page}
    arguments = [places.get(word, word) for word in VERBS[verb]]
    if as_json and verb in ("python", "report", "markdown", "latex", "play"):
        pytest.skip("it has no JSON")
    code = run([*arguments, "--json"] if as_json else arguments)
    out, err = capsys.readouterr()
    assert "is a bug" not in err
    assert out or err
    assert not ACTING.search(err)
    if as_json and code == 0:
        assert not ACTING.search(out)
        json.loads(out)
    elif verb in FOR_PROGRAMS:
        labels = [row[0] for row in csv.reader(io.StringIO(out, newline=""))][1:]
        assert set(labels) == {f"yes{HOSTILE}", f"no{HOSTILE}"}, "a label is what it is in the data"
    else:
        assert not ACTING.search(out)


def test_json_keeps_the_data_that_it_escapes(table, capsys):
    _, rows, model = table
    assert run(["predict", model, rows, "--json"]) == 0
    labels = {row["prediction"] for row in json.loads(capsys.readouterr().out)["predictions"]}
    assert labels == {f"yes{HOSTILE}", f"no{HOSTILE}"}


def test_every_verb_prints_through_the_one_function_that_escapes():
    """What programs read is written as bytes, and `demo` colours what it says itself; the rest is for `echo`."""
    exact = {"__init__.py": 2, "demo.py": 2}
    for path in Path(cli.__file__).parent.glob("*.py"):
        calls = len(re.findall(r"click\.s?echo\(|\bprint\(", path.read_text()))
        assert calls <= exact.get(path.name, 0), path.name


def test_what_an_encoding_lacks_is_escaped(monkeypatch):
    bytes_written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(bytes_written, encoding="ascii"))
    echo("γ = 1")
    sys.stdout.flush()
    assert bytes_written.getvalue() == b"\\u03b3 = 1\n"


FOR_PROGRAMS_TO_READ = {
    "train": ["train", "ROWS", "-t", "λ", "-e", "1", "--json"],
    "evaluate": ["evaluate", "MODEL", "ROWS", "--json"],
    "predict": ["predict", "MODEL", "ROWS"],
    "predict --json": ["predict", "MODEL", "ROWS", "--json"],
    "explain": ["explain", "MODEL", "--json"],
    "facts": ["facts", "ROWS", "-t", "λ", "--json"],
    "certify": ["certify", "ROWS", "-t", "λ", "--json"],
    "walk": ["walk", "ROWS", "-t", "λ", "-e", "1", "--json"],
    "walk --as csv": ["walk", "ROWS", "-t", "λ", "-e", "1", "--as", "csv"],
}


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
@pytest.mark.parametrize("verb", FOR_PROGRAMS_TO_READ)
def test_what_programs_read_is_utf8_whatever_the_terminal_takes(verb, encoding, tmp_path, monkeypatch):
    """A console of Windows has cp1252 when its output goes to a file: a λ was told as a bug."""
    rows, model = tmp_path / "rows.csv", tmp_path / "m.rosenblatt"
    rows.write_text("μ,λ\n" + "1,νo\n2,yεs\n" * 5, encoding="utf-8")
    assert run(["train", str(rows), "-t", "λ", "-e", "1", "-q", "-o", str(model)]) == 0
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    places = {"ROWS": str(rows), "MODEL": str(model)}
    assert run([places.get(word, word) for word in FOR_PROGRAMS_TO_READ[verb]]) == 0
    text = written.getvalue().decode("utf-8")
    assert "ν" in text or "μ" in text
    if "csv" not in verb and verb != "predict":
        json.loads(text)


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_predict_quotes_formulas_where_it_is_asked_to(first, tmp_path, capsys):
    rows, model = tmp_path / "rows.parquet", str(tmp_path / "m.rosenblatt")
    formula = f"{first}cmd|'/c calc'!A1"
    pl.DataFrame({"x": [1.0, -1.0] * 5, "y": [formula, "harmless"] * 5}).write_parquet(rows)
    assert run(["train", str(rows), "--target", "y", "-o", model, "-q"]) == 0
    for options, expected in (([], formula), (["--for-spreadsheet"], f"'{formula}")):
        capsys.readouterr()
        assert run(["predict", model, str(rows), "--scores", *options]) == 0
        written = list(csv.reader(io.StringIO(capsys.readouterr().out, newline="")))
        assert {row[0] for row in written[1:]} == {expected, "harmless"}
    assert run(["predict", model, str(rows), "--for-spreadsheet", "--json"]) == 2


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("ngrams", [2, 3, 4, 5, 32])
def test_runs_of_more_words_than_there_are(words, ngrams):
    text = " ".join("abc"[:words])
    runs = {" ".join("abc"[i : i + n]) for n in range(1, ngrams + 1) for i in range(words - n + 1)}
    assert TextMap(ngrams).fit([text, ""]).names == sorted(f"word:{run}" for run in runs)


def limited(*arguments, gigabytes=3):
    """A command in a process that may have so much address space."""
    limit = int(gigabytes * 1e9)
    command = [sys.executable, "-c", "from rosenblatt.__main__ import main; main()", *map(str, arguments)]
    limits = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # noqa: E731
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=limits, timeout=120)


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="a sanitizer takes terabytes of addresses")
def test_weights_beyond_the_memory_are_refused_with_their_size(tmp_path):
    rows = tmp_path / "rows.libsvm"
    rows.write_text("1 2147483647:1\n0 1:1\n")
    done = limited("train", rows, "-q")
    assert done.returncode == 1
    # 2^31 − 1 weights of 32 bytes: the weight, its sum, last and averaged
    assert "numbered up to 2,147,483,647" in done.stderr
    assert "would take 68.7 GB, and 3.0 GB are there" in done.stderr
    assert "Renumber" in done.stderr
    assert "bug" not in done.stderr


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (
            MemoryError("Unable to allocate 32.0 GiB for an array"),
            "Out of memory: Unable to allocate 32.0 GiB for an array.",
        ),
        (MemoryError(), "Out of memory: the rows and what is made of them do not fit."),
        (OSError(12, "Cannot allocate memory"), "Cannot allocate memory"),
    ],
)
def test_out_of_memory_is_no_bug(monkeypatch, capsys, problem, told):
    raising(monkeypatch, problem)
    assert run(["lab"]) == 1
    err = capsys.readouterr().err
    assert told in err
    assert "bug" not in err
    assert "written" not in err


def raising(monkeypatch, problem):
    """Every verb raises this."""

    def invoke(context):
        raise problem

    monkeypatch.setattr(cli.rosenblatt, "invoke", invoke)


def test_a_panic_of_polars_is_told_without_a_traceback(monkeypatch, capsys):
    from polars.exceptions import PanicException  # which is no Exception

    raising(monkeypatch, PanicException("Too many open files"))
    assert run(["lab"]) == 1
    assert "is a bug of rosenblatt: PanicException: Too many open files" in capsys.readouterr().err
    raising(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):  # is for `rosenblatt.__main__`
        run(["lab"])


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (None, 0), (3, 3), ("the server did not start", 1)])
def test_an_exit_keeps_its_code(monkeypatch, code, expected, capsys):
    raising(monkeypatch, SystemExit(code))
    assert run(["lab"]) == expected
    assert capsys.readouterr().err == (f"{code}\n" if isinstance(code, str) else "")


@pytest.mark.parametrize("verb", [["--help"], ["lab"], ["train", "iris"], ["predict", "m", "-"]])
def test_a_closed_standard_output_is_told(monkeypatch, capsys, verb):
    monkeypatch.setattr(sys, "stdout", None)
    assert run(verb) == 2
    assert "Standard output is closed" in capsys.readouterr().err


def test_a_closed_standard_error_changes_nothing(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None)
    assert run(["train", "iris", "-e", "1"]) == 0
    sys.stderr.close()
    assert "150 rows" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["train", "-"], ["worksheet", "--check", "-", "--seed", "1"]])
def test_a_closed_standard_input_is_told(arguments, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert run(arguments) == 1
    assert "it is closed" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        *(["train", "iris", f"--target={target}"] for target in ("²", "--5", "-", "", "٣", "9" * 5000, "-99")),
        ["train", "iris", "-o", ""],
        ["train", "iris", "--holdout", "0.2", "--seed", "-1"],
        ["predict", "none", "iris", "-o", ""],
        ["report", "none", "-o", ""],
        ["lab", "distant-points", "-o", ""],
        *(["train", "iris", f"--certify={seconds}"] for seconds in ("nan", "-1")),
        *(["certify", "iris", f"--seconds={seconds}"] for seconds in ("nan", "0", "-1")),
        *(["walk", "iris", "--proof", f"--certify={seconds}"] for seconds in ("nan", "0", "-1")),
        *(["report", "none", "-o", "page.html", f"--certify={seconds}"] for seconds in ("nan", "-1")),
        # What would change nothing
        ["walk", "--points", "1,1:+ -1,-1:-", "--target", "y"],
        ["walk", "--points", "1,1:+ -1,-1:-", "--numeric", "category"],
        ["walk", "--points", "1,1:+ -1,-1:-", "--hash", "4"],
        ["walk", "--points", "1,1:+ -1,-1:-", "--certify", "5"],
        ["walk", "iris", "--json", "--as", "latex"],
        ["train", "iris", "--python", "--json"],
        ["train", "iris", "--python", "--certify", "1"],
        ["lab", "-o", "picture.svg"],
        ["lab", "--no-plot"],
        ["lab", "distant-points", "--no-plot", "-o", "picture.svg"],
        ["explain", "none", "--target", "y"],
        ["explain", "none", "--format", "csv"],
        ["report", "none", "-o", "page.html", "--unseen", "skip"],
        ["report", "none", "-o", "page.html", "--splits", "3"],
        ["report", "none", "-o", "page.html", "--target", "y"],
        ["play", "--format", "csv"],
        ["play", "--x", "a"],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_odd_values_of_options_are_wrong_usage(arguments, capsys):
    assert run(arguments) == 2
    assert "bug" not in capsys.readouterr().err


def test_json_that_fails_half_way_writes_nothing(tmp_path, capsys, monkeypatch):
    model = str(tmp_path / "m.rosenblatt")
    rows = tmp_path / "rows.csv"
    rows.write_text("a,y\n" + "1,no\n2,yes\n" * 5)
    assert run(["train", str(rows), "--target", "y", "-o", model, "-q"]) == 0
    capsys.readouterr()
    # The last record is damaged, long after the first batches have been labelled.
    rows.write_text("a,b\n" + "1,2\n" * 200_000 + '1,2,3,4\n"')
    assert run(["predict", model, str(rows), "--json"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "line 200,002" in err


@pytest.mark.parametrize("verb", ["--help", "lab"])
def test_a_reader_that_leaves_is_no_failure(monkeypatch, verb):
    read, write = os.pipe()
    os.close(read)
    with open(write, "w", closefd=False) as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert run([verb]) == 0
    os.close(write)


@pytest.fixture(params=["left", "full"])
def unheard(request):
    """A standard error that cannot be written to: its reader has left, or the disk is full."""
    if request.param == "left":
        read, write = os.pipe()
        os.close(read)
    elif os.path.exists("/dev/full"):
        write = os.open("/dev/full", os.O_WRONLY)
    else:
        pytest.skip("there is no /dev/full")
    with open(write, "w", buffering=1) as stream:
        yield stream  # closing it writes what is left in its buffer: that must not fail again


def test_work_goes_on_where_nobody_hears_of_it(unheard, tmp_path, capsys, monkeypatch):
    """`rosenblatt train … -o model 2>&1 | head -1` ended with 0, and there was no model."""
    monkeypatch.setattr(sys, "stderr", unheard)
    model, labels = tmp_path / "m.rosenblatt", tmp_path / "labels.csv"
    assert run(["train", "iris", "-e", "1", "-o", str(model)]) == 0
    assert run(["predict", str(model), "iris", "-o", str(labels)]) == 0
    assert labels.read_text().count("\n") == 151
    assert run(["compare", "iris", "-l", "perceptron", "-e", "1", "--seeds", "2"]) == 0
    assert "Best: perceptron" in capsys.readouterr().out
    assert run(["train"]) == run(["train", "iris", "--target", "none"]) == 2, "what is refused keeps its exit code"


def test_an_interrupt_that_nobody_hears_of_keeps_its_exit_code(monkeypatch):
    def write(descriptor, message):
        raise BrokenPipeError

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(__main__, "_ignore_interrupts", lambda: None)
    assert __main__._interrupted() == 130


# ---- what a second attack found ----


@pytest.fixture
def fruit(tmp_path):
    """(a table, a model of it)"""
    lines = (
        f"{i % 7},{('red', 'green')[i % 2]},{('sweet', 'sour')[i % 3 == 0]},{('no', 'yes')[i % 4 > 1]}" for i in range(40)
    )
    table, model = tmp_path / "fruit.csv", tmp_path / "fruit.rosenblatt"
    table.write_text("size,colour,taste,ripe\n" + "\n".join(lines) + "\n")
    assert run(["train", str(table), "-t", "ripe", "-q", "-o", str(model)]) == 0
    return table, model


@pytest.mark.parametrize("lacking", ["size", "colour", "taste"])
@pytest.mark.parametrize(
    "verb", [["predict"], ["evaluate"], ["explain", "--row", "1"], ["explain", "--row", "1", "--by", "example"]]
)
def test_a_table_that_lacks_one_column_of_training_is_bad_data(fruit, lacking, verb, tmp_path, capsys):
    table, model = fruit
    pl.read_csv(table).drop(lacking).write_csv(tmp_path / "less.csv")
    assert run([verb[0], str(model), str(tmp_path / "less.csv"), *verb[1:]]) == 1
    assert f"The table lacks '{lacking}', which training had" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["nope", "", "bins", "date:%%%", "number:x"])
def test_facts_and_train_take_the_same_kinds_of_columns(fruit, kind, capsys):
    for verb in ("facts", "train"):
        assert run([verb, str(fruit[0]), "-t", "ripe", "--column", f"size={kind}", "-q"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == told[1]


@pytest.mark.parametrize("other", ["nope,size", "size,colour", "auto", ""])
def test_all_products_and_some_contradict_each_other(fruit, other, capsys):
    assert run(["train", str(fruit[0]), "-t", "ripe", "--product", "all", "--product", other]) == 2
    assert "--product all is about all columns" in capsys.readouterr().err


@pytest.mark.parametrize(("said", "told"), [("colour=number", "not a number"), ("size=date:%Y-%m-%d", "not a date")])
def test_cells_that_are_not_what_their_column_is_said_to_be_are_counted(fruit, said, told, capsys):
    assert run(["train", str(fruit[0]), "-t", "ripe", "--column", said, "--json"]) == 0
    (note,) = json.loads(capsys.readouterr().out)["notes"]
    assert note.startswith(f"{said.partition('=')[0]}: 40 values were {told}")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "asked", [[], ["--product", "auto"], ["--hash", "4"], ["--calibrate", "--threshold", "f1"]], ids=str
)
@pytest.mark.parametrize("cells", [["it was the red one", "in the blue house today"], ["1e308", "-1e308", "0.5"]], ids=len)
def test_tables_of_sentences_and_of_the_largest_numbers_are_explained(cells, asked, tmp_path, capsys):
    lines = (f"{cells[i % len(cells)]} {'and' * (i % 3) if len(cells) == 2 else ''};{'ab'[i % 2]}" for i in range(120))
    (tmp_path / "t.csv").write_text("cell;y\n" + "\n".join(lines) + "\n")
    file, model = str(tmp_path / "t.csv"), str(tmp_path / "m.rosenblatt")
    assert (
        run(["train", file, "-t", "y", "--column", f"cell={'text' if len(cells) == 2 else 'number'}", *asked, "-o", model])
        == 0
    )
    assert run(["explain", model, file, "--row", "1"]) == 0
    assert "Row 1 of" in capsys.readouterr().out
