"""rosenblatt certify: verdicts, row numbers as in the file, and the contract of its JSON."""

import json

import pytest

import rosenblatt
from rosenblatt.cli import run

PEOPLE = "age,sector,income\n50,public,rich\n30,private,poor\n50,public,poor\n20,private,poor\n"
LINE = "size,kind\n1,small\n2,small\n8,large\n9,large\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "line.csv").write_text(LINE)
    return tmp_path


def certified(capsys, *arguments):
    assert run(["certify", *arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def test_the_json_has_the_keys_of_its_contract(folder, capsys):
    result = certified(capsys, "line.csv", "--target", "kind")
    # Issue 4 names these.
    assert {"separable", "margin", "radius", "bound", "support", "conflicts", "proof", "seconds"} <= set(result)
    assert {"rows", "weights"} <= set(result["proof"])
    assert result["separable"] is True
    assert result["support"] == [2, 3]  # 2 and 8 lie next to each other; counted from 1
    assert result["bound"] == pytest.approx((result["radius"] / result["margin"]) ** 2)


def test_conflicting_rows_are_counted_from_1_without_the_header(folder, capsys):
    result = certified(capsys, "people.csv", "--target", "income")
    assert result["separable"] is False
    assert result["conflicts"] == [[1, 3]]
    assert result["proof"] == {"kind": "identical rows", "rows": [1, 3], "weights": ["1", "1"]}
    assert run(["certify", "people.csv", "--target", "income"]) == 0
    printed = capsys.readouterr().out
    assert "rows 1 and 3 are identical but labelled differently" in printed
    assert "rows 1 and 3: rich and poor" in printed


def test_the_features_are_those_of_train(folder, capsys):
    (folder / "ring.csv").write_text("a,y\n1,in\n2,out\n3,in\n")
    assert certified(capsys, "ring.csv", "--target", "y")["separable"] is False
    result = certified(capsys, "ring.csv", "--target", "y", "--numeric", "category")
    assert result["separable"] is True
    assert result["features"] == 3
    model = rosenblatt.learn(rosenblatt.read("ring.csv", target="y"), rosenblatt.Recipe(features={"numeric": "category"}))
    assert model.summary["features"] == 3


def test_without_bias_the_plane_goes_through_the_origin(folder, capsys):
    assert certified(capsys, "line.csv", "--target", "kind", "--no-scale")["separable"] is True
    assert certified(capsys, "line.csv", "--target", "kind", "--no-scale", "--no-bias")["separable"] is False


def test_every_example_of_the_help_runs(folder, capsys):
    assert run(["certify", "--help"]) == 0
    examples = [line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.strip().startswith("rosenblatt ")]
    assert len(examples) == 2
    for arguments in examples:
        assert run(arguments) == 0
        assert "Proof:" in capsys.readouterr().out


def test_progress_goes_to_standard_error_and_quiet_silences_it(folder, capsys):
    # 600 words are 600 features: too many for the solver at once, so the perceptron tells of its epochs.
    words = [f"{letter}{number}" for letter in "ab" for number in range(300)]
    (folder / "words.csv").write_text("word,again,kind\n" + "".join(f"{w},{w},{w[0]}\n{w},{w},{w[0]}\n" for w in words))
    assert run(["certify", "words.csv", "--target", "kind"]) == 0
    assert "perceptron, epoch 1" in capsys.readouterr().err
    assert run(["certify", "words.csv", "--target", "kind", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["line.csv"], 1, "--target"),
        (["line.csv", "--target", "kind", "--seconds", "0"], 2, "--seconds"),
        (["line.csv", "--target", "kind", "--column", "size"], 2, "COL=KIND"),
        (["nothing.csv", "--target", "kind"], 1, "nothing.csv"),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(folder, capsys, arguments, code, message):
    assert run(["certify", *arguments]) == code
    assert message in capsys.readouterr().err


def test_numbers_of_a_table_have_64_bits_so_that_rows_that_differ_stay_apart(folder, capsys):
    # As scaled 32-bit numbers 29 and 50 are one number beside 4e10; a threshold of 50 separates the rows of the file.
    (folder / "far.csv").write_text("a,y\n" + "".join(f"{a},{a >= 50}\n" for a in [*range(100), 4 * 10**10]))
    (folder / "ids.csv").write_text("a,y\n" + "".join(f"{10**9 + i},{i >= 50}\n" for i in range(100)))
    for options in ([], ["--no-scale"], ["--double"]):
        for file in ("far.csv", "ids.csv"):
            result = certified(capsys, file, "--target", "y", *options)
            assert result["separable"] is True
            assert result["conflicts"] == []


def test_rows_that_scaling_merges_are_not_said_to_be_identical_in_the_file(folder, capsys):
    (folder / "wide.csv").write_text("a,y\n1e-300,no\n2e-300,yes\n1e300,yes\n-1e300,no\n")
    result = certified(capsys, "wide.csv", "--target", "y")
    assert result["separable"] is None
    assert result["grain"] == "as scaled numbers"
    assert run(["certify", "wide.csv", "--target", "y"]) == 0
    printed = capsys.readouterr().out
    assert "No line can separate" not in printed
    assert "As scaled numbers rows 1 and 2 are identical but labelled differently; --no-scale" in printed
    assert "different labels, as scaled numbers: 1 and 2." in printed


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_numbers_too_large_to_compute_with_are_named(folder, capsys, how):
    (folder / "huge.csv").write_text("a,b,y\n1e300,1,no\n2e300,2,no\n8e300,3,yes\n9e300,1,yes\n")
    assert run(["certify", "huge.csv", "--target", "y", "--no-scale", *how]) == 1
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("NotFiniteError: Row 0, column 0 is 1e+300")
    assert "Scale the features" in message
    assert certified(capsys, "huge.csv", "--target", "y")["separable"] is True


def test_the_formula_of_the_bound_is_the_one_that_gives_its_number(folder, capsys):
    (folder / "three.csv").write_text("size,kind\n1,small\n2,small\n8,large\n9,large\n30,huge\n")
    for file, letters, factor in (("line.csv", "R²/γ²", 1), ("three.csv", "2R²/γ²", 2)):
        result = certified(capsys, file, "--target", "kind")
        assert result["formula"] == letters
        assert result["bound"] == pytest.approx(factor * (result["radius"] / result["margin"]) ** 2)  # Kesler: |z|² = 2 |x|²
        assert run(["certify", file, "--target", "kind"]) == 0
        assert f"; the bound on updates is {letters};" in capsys.readouterr().out
