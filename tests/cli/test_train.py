"""rosenblatt train: one command from a file to a measured model."""

import gzip
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import rosenblatt
from rosenblatt.cli import run

ROWS = [
    ("red", 7, "apple"),
    ("red", 8, "apple"),
    ("green", 7, "apple"),
    ("yellow", 9, "pear"),
    ("green", 10, "pear"),
    ("yellow", 8, "pear"),
] * 10


@pytest.fixture
def fruit(tmp_path):
    path = tmp_path / "fruit.csv"
    path.write_text("colour,size,kind\n" + "".join(f"{c},{s},{k}\n" for c, s, k in ROWS))
    return str(path)


def train(capsys, *arguments):
    code = run(["train", *map(str, arguments), "--json"])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return json.loads(captured.out)


def test_the_json_of_train_has_the_keys_of_its_contract(fruit, capsys):
    result = train(capsys, fruit, "--target", "kind", "--holdout", "0.2")
    assert set(result) == {
        "learner", "examples", "features", "classes", "epochs", "updates", "converged", "stopped_because",
        "train_error", "dev_error", "theory", "seconds", "model", "columns",
        "dev_majority_error", "dev_measures", "history", "calibration", "threshold",
    }  # fmt: skip
    assert result["examples"] == 48
    assert result["classes"] == ["apple", "pear"]
    assert set(result["dev_error"]) == {"last", "averaged", "best"}


def test_a_saved_model_predicts_what_the_trained_one_predicts(fruit, tmp_path, capsys):
    path = tmp_path / "fruit.rosenblatt"
    train(capsys, fruit, "--target", "kind", "-o", path)
    model, data = rosenblatt.load(path), rosenblatt.read(fruit, target="kind")
    again = rosenblatt.learn(data, rosenblatt.Recipe())
    np.testing.assert_array_equal(model.scores(data.rows), again.scores(data.rows))
    np.testing.assert_array_equal(model.predict(data.rows), again.predict(data.rows))
    assert model.predict({"size": [10], "colour": ["yellow"], "price": [3]}).tolist() == ["pear"]
    with pytest.raises(rosenblatt.DataError, match="colour"):
        model.predict({"size": [10]})


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--holdout", "0.25", "--seed", "3", "--learner", "mira", "--p", "0.5", "--average"],
        ["--holdout", "0.3", "--group", "colour", "--learner", "logistic", "--eta0", "0.5", "--l2", "0.01"],
        ["--holdout", "0.3", "--after", "size", "--patience", "2", "--epochs", "9"],
        ["--numeric", "both", "--product", "colour,size", "--no-bias", "--order", "given", "--balanced"],
        ["--column", "size=category", "--hash", "8", "--learner", "passive-aggressive", "--C", "0.1", "--variant", "II"],
    ],
)
def test_the_python_that_it_prints_writes_the_same_bytes(arguments, fruit, tmp_path, capsys):
    by_command, by_python = tmp_path / "a.rosenblatt", tmp_path / "b.rosenblatt"
    train(capsys, fruit, "--target", "kind", "-o", by_command, *arguments)
    assert run(["train", fruit, "--target", "kind", "-o", str(by_python), "--python", *arguments]) == 0
    exec(capsys.readouterr().out, {})
    assert by_command.read_bytes() == by_python.read_bytes()


def test_the_python_that_it_prints_reads_dev_as_it_does(tmp_path, monkeypatch, capsys):
    """Of dev.csv alone, 07 and 7 would be one number; the model has them as two texts."""
    monkeypatch.chdir(tmp_path)
    rows = ["07,a\n", "7,b\n"] * 10
    (tmp_path / "rows.csv").write_text("code,y\n" + "".join(rows) + "x,b\n")
    (tmp_path / "dev.csv").write_text("code,y\n" + "".join(rows))
    call = ["rows.csv", "--target", "y", "--dev", "dev.csv", "--patience", "2"]
    train(capsys, *call, "-o", tmp_path / "a.rosenblatt")
    assert run(["train", *call, "-o", "b.rosenblatt", "--python"]) == 0
    exec(capsys.readouterr().out, {})
    assert (tmp_path / "a.rosenblatt").read_bytes() == (tmp_path / "b.rosenblatt").read_bytes()


def test_progress_goes_to_standard_error_at_doubling_counts(fruit, capsys):
    assert run(["train", fruit, "--target", "kind"]) == 0
    captured = capsys.readouterr()
    lines = [line for line in captured.err.splitlines()[1:] if not line.startswith(("columns", " " * 9))]
    counts = [int(line.split()[2].replace(",", "")) for line in lines]
    assert counts[:-1] == [2**k for k in range(len(counts) - 1)]
    assert counts[-1] % 60 == 0  # whole epochs of 60 rows
    assert counts[-2] < counts[-1] <= 300
    assert "training error" in captured.out
    assert run(["train", fruit, "--target", "kind", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_what_is_said_of_the_result_comes_after_the_table_of_progress(tmp_path, capsys):
    path = tmp_path / "rare.csv"
    path.write_text("a,b,y\n" + "".join(f"{i % 7},{i % 5},{'rare' if i % 100 == 3 else 'often'}\n" for i in range(600)))
    assert run(["train", str(path), "--target", "y", "--holdout", "0.3"]) == 0
    lines = capsys.readouterr().err.splitlines()
    said = [number for number, line in enumerate(lines) if line.startswith(("note: ", "warning: "))]
    rows = [number for number, line in enumerate(lines) if line[:8].strip().replace(".", "").isdigit()]
    assert said
    assert rows
    assert max(rows) < min(said)


def test_progress_does_not_change_what_is_learned(fruit, capsys):
    watched = []
    data = rosenblatt.read(fruit, target="kind")
    from rosenblatt.learning.driver import Callbacks

    seen = rosenblatt.learn(data, watch=Callbacks(progress=watched.append))
    unseen = rosenblatt.learn(data)
    assert len(watched) > 5
    np.testing.assert_array_equal(seen.views["averaged"][0], unseen.views["averaged"][0])


def test_groups_stay_together_and_late_rows_are_held_out(fruit):
    data = rosenblatt.read(fruit, target="kind")
    learned, held_out = rosenblatt.split(data, 0.3, seed=1, group="colour")
    assert "colour" not in learned.rows.columns
    assert len(learned) + len(held_out) == 60
    assert len(held_out) in (20, 40)
    early, late = rosenblatt.split(data, 0.3, after="size")
    assert early.rows["size"].max() < late.rows["size"].min()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nowhere.csv", "--target", "kind"], 1, "nowhere.csv"),
        (["{fruit}"], 1, "--target"),
        (["{fruit}", "--target", "kint"], 2, "kind"),
        (["{fruit}", "--target", "kind", "--learner", "percepton"], 2, "perceptron"),
        (["{fruit}", "--target", "kind", "--p", "0.5"], 2, "no parameter 'p'"),
        (["{fruit}", "--target", "kind", "--learner", "mira", "--p", "1"], 2, "p is 1.0"),
        (["{fruit}", "--target", "kind", "--epochs", "0"], 2, "epochs is 0"),
        (["{fruit}", "--target", "kind", "--holdout", "1.5"], 2, "between 0 and 1"),
        (["{fruit}", "--target", "kind", "--holdout", "0.2", "--dev", "{fruit}"], 2, "not on both"),
        (["{fruit}", "--target", "kind", "--group", "colour"], 2, "--holdout"),
        (["{fruit}", "--target", "kind", "--patience", "2"], 2, "--dev"),
        (["{fruit}", "--target", "kind", "--holdout", "0.2", "--group", "shape"], 2, "colour, size"),
        (["{fruit}", "--target", "kind", "--column", "age"], 2, "COL=KIND"),
        (["{fruit}", "--target", "kind", "--column", "shape=category"], 2, "shape"),
        (["{fruit}", "--target", "kind", "--product", "colour"], 2, "two column names"),
        (["{fruit}", "--target", "kind", "--format", "exel"], 2, "exel"),
        (["{fruit}", "--target", "kind", "-o", "/nowhere/m"], 1, "/nowhere"),
        (["--target", "kind"], 2, "FILE"),
        ([], 2, "FILE"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(arguments, code, message, fruit, capsys):
    assert run(["train", *(part.format(fruit=fruit) for part in arguments)]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"colour,kind\n", ""),
        (b"colour,kind\nred,apple\n", "1 class"),
        (b"colour,kind\nred,apple\nred\n", "line 3"),
        (b"colour,kind\nred,apple\nred,apple,9\n", "line 3"),
        (b"colour,colour,kind\nred,red,apple\n", "colour"),
        (b"^colour$,kind\nred,apple\nred,pear\n", "^colour$"),
        (b"colour,kind\nre\0d,apple\nred,pear\n", "line 2"),
        ("colour,kind\nred,äpple\n".encode("utf-16")[:-1], "utf-16"),
        (b"colour,kind\nred,apple\ngr\x81n,pear\n", "line 3"),
        (b"kind;colour\napple;red\npear;green\n", ""),
        (b"size,kind\n1,apple\ninf,pear\n", ""),
        (gzip.compress(b"colour,kind\nred,apple\n", mtime=0)[:-5], ""),
    ],
)
def test_a_bad_file_is_told_by_name_and_no_model_is_left(content, message, tmp_path, capsys):
    path, model = tmp_path / "bad.csv", tmp_path / "m.rosenblatt"
    path.write_bytes(content)
    code = run(["train", str(path), "--target", "kind", "-o", str(model)])
    captured = capsys.readouterr()
    if content.startswith(b"kind;"):  # another delimiter is found by itself
        assert code == 0
        return
    assert code == 1
    assert "bad.csv" in captured.err or "1 class" in captured.err
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert not model.exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_bom_crlf_blanks_and_a_missing_last_line_end_are_no_matter(encoding, tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_bytes("age, job, pay\r\n39, clerk, low\r\n?, boss, high\r\n25, boss, high".encode(encoding))
    result = train(capsys, path, "--target", "pay")
    assert result["classes"] == ["high", "low"]
    assert result["features"] == 4  # age, age is missing, two jobs


def test_dev_labels_that_training_never_saw_are_refused(fruit, tmp_path, capsys):
    dev = tmp_path / "dev.csv"
    dev.write_text("colour,size,kind\nred,7,plum\n")
    assert run(["train", fruit, "--target", "kind", "--dev", str(dev)]) == 1
    assert "'plum'" in capsys.readouterr().err


def test_help_is_quick_and_heavy_parts_stay_unloaded(fruit):
    code = (
        "import sys; from rosenblatt.cli import run; code = run(sys.argv[1:]);"
        "print([m for m in ('sklearn', 'matplotlib', 'pandas', 'polars', 'numpy') if m in sys.modules], code)"
    )
    call = [sys.executable, "-c", code]
    shown = subprocess.run([*call, "--help"], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[-1] == "[] 0"
    trained = subprocess.run([*call, "train", fruit, "--target", "kind"], capture_output=True, text=True, check=True).stdout
    assert trained.splitlines()[-1] == "['polars', 'numpy'] 0"


def test_the_income_homework(data_dir, capsys):
    # LECTURES O6: about 19 % for the perceptron and 15 % averaged, with every value a feature.
    os.environ["ROSENBLATT_DATA"] = str(data_dir)
    runs = [
        train(capsys, "income", "--dev", "income:dev", "--numeric", "category", "--seed", seed, "--learner", learner)
        for learner in ("averaged", "mira")
        for seed in range(10)
    ]
    assert {run["features"] for run in runs} == {230}
    assert np.mean([run["dev_error"]["averaged"] for run in runs[:10]]) <= 0.150
    assert np.mean([run["dev_error"]["averaged"] for run in runs[10:]]) <= 0.150
    last, averaged = ([run["dev_error"][view] for run in runs[:10]] for view in ("last", "averaged"))
    assert np.ptp(last) > np.ptp(averaged)


def test_a_bug_shows_no_traceback_unless_asked(fruit, monkeypatch, capsys):
    monkeypatch.setattr("rosenblatt.learning.learn.learn_from", lambda *_, **__: 1 / 0)
    assert run(["train", fruit, "--target", "kind"]) == 1
    assert "bug of rosenblatt: ZeroDivisionError" in capsys.readouterr().err
    monkeypatch.setenv("ROSENBLATT_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        run(["train", fruit, "--target", "kind"])


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("adult/adult.data", ["--no-header", "--target", "-1"]),
        ("income/income.train.txt.5k", ["--no-header", "--target", "10", "--numeric", "category"]),
        ("a9a/a9a", []),
        ("mushrooms/mushrooms", []),
        ("sms-spam/SMSSpamCollection", []),
        ("auto-mpg/auto-mpg.data", ["--no-header", "--target", "2"]),  # cylinders: mpg itself is a quantity
    ],
)
def test_raw_files_train_with_one_command(file, options, data_dir, capsys):
    result = train(capsys, data_dir / file, "--holdout", "0.2", "--epochs", "2", *options)
    assert result["dev_error"]["averaged"] < 0.2


def test_a_first_line_of_data_is_not_taken_for_names_when_the_target_is_a_number(tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_text("39,clerk,low\n50,boss,high\n41,boss,high\n")
    assert run(["train", str(path), "--target", "-1"]) == 1
    assert "--no-header" in capsys.readouterr().err
    assert run(["train", str(path), "--target", "-1", "--no-header", "-q"]) == 0


def test_without_a_target_the_columns_are_named(fruit, capsys):
    assert run(["train", fruit]) == 1
    assert "with --target, one of colour, size, kind." in capsys.readouterr().err


@pytest.mark.parametrize("written", ["fruit.csv", "./fruit.csv", "dev.csv"])
def test_a_model_never_replaces_the_rows_that_were_read(fruit, tmp_path, monkeypatch, capsys, written):
    monkeypatch.chdir(tmp_path)
    before = (tmp_path / "fruit.csv").read_bytes()
    (tmp_path / "dev.csv").write_bytes(before)
    assert run(["train", fruit, "--target", "kind", "--dev", "dev.csv", "-o", written]) == 2
    assert "would replace" in capsys.readouterr().err
    assert (tmp_path / written).read_bytes() == before


def test_a_model_never_replaces_the_file_that_standard_input_reads(fruit, tmp_path, monkeypatch, capsys):
    before = (tmp_path / "fruit.csv").read_bytes()
    with open(fruit) as rows:
        monkeypatch.setattr(sys, "stdin", rows)
        assert run(["train", "-", "--target", "kind", "-o", fruit]) == 2
    assert "would replace standard input, which is read" in capsys.readouterr().err
    assert (tmp_path / "fruit.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("sales-*.csv", "sales-1.csv"),
        ("**/sales-?.csv", "parts/sales-2.csv"),
        ("shop.db::orders", "shop.db"),
        ("book.xlsx::Sheet", "book.xlsx"),
        ("parts", "parts/sales-2.csv"),
        ("parts", "parts/new.csv"),  # the next time, it would be read as one of them
    ],
)
@pytest.mark.parametrize("verb", ["train", "predict"])
def test_nothing_replaces_what_a_pattern_a_sheet_a_table_or_a_folder_of_parts_names(
    fruit, tmp_path, monkeypatch, capsys, verb, read, written
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    names = ("sales-1.csv", "parts/sales-2.csv", "shop.db", "book.xlsx")
    for name in names:
        (tmp_path / name).write_bytes((tmp_path / "fruit.csv").read_bytes())
    command = ["train", read, "--target", "kind"] if verb == "train" else ["predict", "m.rosenblatt", read]
    assert run([*command, "-o", written]) == 2
    assert "read: name" in capsys.readouterr().err
    assert all((tmp_path / name).read_bytes() == (tmp_path / "fruit.csv").read_bytes() for name in names)
    assert not (tmp_path / "parts/new.csv").exists()


@pytest.mark.parametrize("place", ["ham/1.txt", "ham/new.rosenblatt", "new/m.rosenblatt"])
def test_a_model_never_goes_among_the_texts_that_are_read(tmp_path, capsys, place):
    for label, text in (("ham", "hello"), ("spam", "money"), ("new", "")):
        (tmp_path / label).mkdir()
        if text:
            (tmp_path / label / "1.txt").write_text(text)
    assert run(["train", str(tmp_path), "-o", str(tmp_path / place)]) == 2
    assert "is in" in capsys.readouterr().err
    assert (tmp_path / "ham" / "1.txt").read_text() == "hello"
    (tmp_path / ".models").mkdir()
    for elsewhere in ("m.rosenblatt", ".models/m.rosenblatt"):  # where no text is looked for
        assert run(["train", str(tmp_path), "-q", "-o", str(tmp_path / elsewhere)]) == 0


def test_a_name_that_ends_as_folders_do_is_no_file(fruit, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["train", fruit, "--target", "kind", "-o", "models/"]) == 2
    assert "ends as the name of a folder: name a file in it" in capsys.readouterr().err
    assert not (tmp_path / "models").exists()


def test_the_only_class_is_named_with_its_column(tmp_path, capsys):
    path = tmp_path / "pets.csv"
    path.write_text("legs,pet\n4,cat\n4,cat\n")
    assert run(["train", str(path), "--target", "pet"]) == 1
    message = capsys.readouterr().err
    assert message.startswith("LabelError")  # no head of a table that never comes
    assert "pet has 1 class, 'cat'" in message


def test_groups_with_missing_values_are_a_group_of_their_own(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text("owner,legs,pet\n" + "1,4,cat\n2,2,bird\n,4,cat\n3,4,cat\n,2,bird\n" * 4)
    learned, held_out = rosenblatt.split(rosenblatt.read(path, target="pet"), 0.3, group="owner")
    assert len(learned) + len(held_out) == 20
    assert min(len(learned), len(held_out)) in (4, 8)


def test_an_option_of_another_kind_of_data_is_named(tmp_path, capsys):
    (tmp_path / "rows.libsvm").write_text("+1 1:1\n-1 2:1\n" * 5)
    assert run(["train", str(tmp_path / "rows.libsvm"), "--ngrams", "2"]) == 2
    assert "no option 'ngrams'" in capsys.readouterr().err


def test_what_columns_were_taken_for_is_told(tmp_path, capsys):
    path = tmp_path / "prices.csv"
    path.write_text("price;size;place;kind\n" + "1,5;2,5;north;a\n2;3;south;b\n" * 5)
    assert run(["train", str(path), "--target", "kind"]) == 0
    told = capsys.readouterr().err
    assert "columns  number    price (written as 1234,5), size (written as 1234,5)\n" in told
    assert "         category  place\n" in told
    assert "--column NAME=KIND" in told
    assert run(["train", str(path), "--target", "kind", "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_one_of_a_thing_is_told_as_one(tmp_path, capsys):
    path = tmp_path / "one.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    assert run(["train", str(path), "--target", "y", "-q", "--epochs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "2 rows, 1 feature, classes" in printed
    assert "1 epoch, " in printed


def test_a_column_that_is_not_there_is_wrong_usage_but_a_file_without_it_is_bad_data(fruit, tmp_path, capsys):
    model, dev = str(tmp_path / "fruit.rosenblatt"), tmp_path / "dev.csv"
    dev.write_text("colour,size\nred,7\n")
    assert run(["train", fruit, "--target", "kint"]) == 2
    assert run(["train", fruit, "--target", "kind", "--holdout", "0.2", "--group", "shape"]) == 2
    assert run(["train", fruit, "--target", "kind", "--dev", str(dev)]) == 1
    assert run(["train", fruit, "--target", "kind", "-o", model, "-q"]) == 0
    assert run(["evaluate", model, str(dev)]) == 1
    assert run(["evaluate", model, fruit, "--target", "kint"]) == 2
    assert capsys.readouterr().err.count("Error: ") == 5


# ---- what to look at before a number is believed ----


def customers(n=200):
    """Rows in which the plan says a little about churn, and the day of closing says all."""
    rng = np.random.default_rng(0)
    churn = rng.random(n) < 0.4
    plan = np.where(rng.random(n) < 0.7, np.where(churn, "basic", "pro"), "family")
    closed = np.where(churn, "2024-03-01", "")
    rows = enumerate(zip(plan, closed, churn, strict=True))
    return [f"{a},{b},{k * 37 % 211},{'yes' if c else 'no'}\n" for k, (a, b, c) in rows]


def warnings_of(capsys, *arguments):
    assert run(["train", *map(str, arguments), "--target", "churn"]) == 0
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]


@pytest.mark.parametrize(("rare", "advice"), [("rare", True), ("NA", False)])
def test_a_class_that_may_be_missing_labels_is_not_to_be_weighted_up(tmp_path, capsys, rare, advice):
    rows = [f"{k % 5},{rare if k % 40 == 7 else 'yes' if k % 5 < 2 else 'no'}\n" for k in range(400)]
    (tmp_path / "few.csv").write_text("a,churn\n" + "".join(rows))
    told = warnings_of(capsys, tmp_path / "few.csv", "--holdout", "0.25")
    assert any("never predicted: try --balanced" in line for line in told) == advice
    assert any("--unlabelled skip" in line for line in told) != advice


@pytest.mark.parametrize("target", [lambda k: "yes" if k * 11 % 7 < 3 else "no", lambda k: k * 7919 % 1009 / 10])
def test_ids_of_training_among_the_rows_to_measure_on_are_told(tmp_path, capsys, target):
    rows = [f"{1000 + k % 80},{k * 37 % 211},{k * k % 97},{target(k)}\n" for k in range(400)]
    path = tmp_path / "visits.csv"
    path.write_text("patient_id,a,b,churn\n" + "".join(rows))
    (told,) = [line for line in warnings_of(capsys, path, "--holdout", "0.25") if "patient_id" in line]
    assert told.startswith("warning: 100.00 % of the rows to measure on share patient_id with rows of training")
    assert told.endswith("--group patient_id.")
    together = warnings_of(capsys, path, "--holdout", "0.25", "--group", "patient_id")
    assert not any("patient_id" in line for line in together)
    path.write_text("".join(path.read_text()).replace("patient_id", "patient"))
    assert not any("share" in line for line in warnings_of(capsys, path, "--holdout", "0.25"))


@pytest.mark.parametrize("measured", [["--holdout", "0.25"], []])
def test_a_column_that_gives_the_class_away_is_named(tmp_path, capsys, measured):
    (tmp_path / "leak.csv").write_text("plan,closed,n,churn\n" + "".join(customers()))
    (told,) = warnings_of(capsys, tmp_path / "leak.csv", *measured)
    assert told.startswith("warning: closed alone tells the class of 100.00 % of the rows")
    assert told.endswith("--drop closed.")
    assert warnings_of(capsys, tmp_path / "leak.csv", *measured, "--drop", "closed") == []


def test_rows_in_both_parts_and_other_shares_of_classes_are_told(tmp_path, capsys):
    rows = [line.replace("2024-03-01", "") for line in customers()]
    (tmp_path / "rows.csv").write_text("plan,closed,n,churn\n" + "".join(rows))
    (tmp_path / "dev.csv").write_text("plan,closed,n,churn\n" + "".join(line for line in rows if line.endswith("yes\n")))
    told = warnings_of(capsys, tmp_path / "rows.csv", "--dev", tmp_path / "dev.csv")
    assert any("rows to measure on are among the training rows, too" in line for line in told)
    assert any("no is the class of" in line and "0.00 % of those to measure on" in line for line in told)


def test_rows_sorted_by_class_are_told_with_order_given(tmp_path, capsys):
    rows = sorted((line.replace("2024-03-01", "") for line in customers()), key=lambda line: line.endswith("yes\n"))
    (tmp_path / "rows.csv").write_text("plan,closed,n,churn\n" + "".join(rows))
    (told,) = warnings_of(capsys, tmp_path / "rows.csv", "--order", "given")
    assert "sorted by class" in told
    assert warnings_of(capsys, tmp_path / "rows.csv") == []


def test_an_error_no_better_than_the_majoritys_is_called_so(tmp_path, capsys):
    rng = np.random.default_rng(1)
    rows = [f"{rng.integers(9)},{'yes' if rng.random() < 0.2 else 'no'}\n" for _ in range(300)]
    (tmp_path / "noise.csv").write_text("n,churn\n" + "".join(rows))
    assert run(["train", str(tmp_path / "noise.csv"), "--target", "churn", "--holdout", "0.3"]) == 0
    assert "no better than that" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "told"), [([], True), (["--balanced"], False), (["--calibrate", "--threshold", "0.1"], False)]
)
def test_a_rare_class_is_told_with_what_helps(tmp_path, capsys, more, told):
    """1 row in 500; who has weighted classes, or chosen a threshold, is not told again."""
    lines = (f"{i * 37 % 101},{'yes' if i % 500 == 250 else 'no'}" for i in range(3000))
    (tmp_path / "rare.csv").write_text("a,fraud\n" + "\n".join(lines))
    assert run(["train", str(tmp_path / "rare.csv"), "-t", "fraud", *more]) == 0
    warned = capsys.readouterr().err
    assert ("yes is the class of 0.20 % of the rows (6 of 3,000)" in warned) == told
    assert ("--balanced" in warned and "--threshold f1" in warned) == told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-l", "arow", "--keep-log"], "arow moves along Σx"),
        (["-l", "perceptron", "--multiclass", "rest", "--keep-log"], "--multiclass rival"),
        (["-l", "logistic", "--multiclass", "rest"], "moves every class at every example"),
        (["-l", "voted", "--multiclass", "rest"], "which voted has not"),
        (["-l", "kernel", "--multiclass", "rest"], "--multi-class ovr"),
        (["-l", "arow", "--r", "0"], "r is 0.0: expected a finite number above 0"),
    ],
)
def test_what_arow_and_the_rest_cannot_do_is_refused_with_a_remedy(capsys, options, message):
    assert run(["train", "iris", *options]) == 2
    assert message in capsys.readouterr().err


def test_arow_and_the_rest_give_what_the_estimators_give(tmp_path):
    from sklearn.datasets import load_wine

    X, y = load_wine(return_X_y=True)
    for multiclass in ("rival", "rest"):
        options = [
            "-l",
            "arow",
            "--r",
            "0.5",
            "--multiclass",
            multiclass,
            "-e",
            "3",
            "--numeric",
            "number",
            "--no-scale",
            "--double",
            "-q",
        ]
        assert run(["train", "wine", *options, "-o", str(tmp_path / "m.rosenblatt")]) == 0
        model = rosenblatt.load(tmp_path / "m.rosenblatt")
        clf = rosenblatt.Arow(r=0.5, multiclass=multiclass, max_iter=3, random_state=0).fit(X, y)
        np.testing.assert_array_equal(model.views["last"][0], clf.coef_)
        np.testing.assert_array_equal(model.variances[0], clf.training_.weights.sigma)
        assert model.recipe.multiclass == multiclass
        with pytest.raises(rosenblatt.SettingError, match=r"arow.* can have none"):
            model.remembered()


def test_logistic_predicts_with_averaged_weights_unless_told_otherwise(tmp_path):
    for options, view in (([], "averaged"), (["--last"], "last"), (["--average"], "averaged")):
        assert run(["train", "iris", "-l", "logistic", "-q", *options, "-o", str(tmp_path / "m.rosenblatt")]) == 0
        model = rosenblatt.load(tmp_path / "m.rosenblatt")
        assert (model.view, model.recipe.averages) == (view, view == "averaged")


def test_the_theorem_about_a_rival_is_not_told_of_the_rest(capsys):
    for multiclass, told in (("rival", True), ("rest", False)):
        assert run(["train", "wine", "-l", "perceptron", "-e", "50", "-q", "--multiclass", multiclass]) == 0
        assert ("of at most" in capsys.readouterr().out) == told


@pytest.mark.parametrize("rare", range(1, 10))
def test_a_model_that_always_names_the_commonest_class_is_said_to_be_no_better(rare, tmp_path, capsys):
    for name, rows in (("train", 200), ("dev", 19)):
        lines = [f"{row % 2},{'no' if row < rare else 'yes'}" for row in range(rows)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y", *lines]) + "\n")
    assert run(["train", str(tmp_path / "train.csv"), "--target", "y", "--dev", str(tmp_path / "dev.csv")]) == 0
    assert "; the model is no better than that" in capsys.readouterr().out
