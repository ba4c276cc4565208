"""rosenblatt walk, through the door that users take."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys

import pytest

from rosenblatt.cli import options, run
from rosenblatt.cli.walk import SHAPES
from rosenblatt.cli.walk import walk as command
from rosenblatt.theory import walk_lines

LECTURE = ["--points", "1,1:+ 0.5,-1:- -1,-1:- -1,1:-", "--start", "1,0"]


def walked(capsys, *arguments):
    assert run(["walk", *arguments]) == 0
    return capsys.readouterr()


@pytest.mark.parametrize("example", re.findall(r"^ *rosenblatt (walk .*)$", command.help, re.M))
def test_the_examples_in_help_run(example, capsys):
    assert run(shlex.split(example)) == 0
    assert "ended by" in capsys.readouterr().out


def test_b3_the_lectures_example(capsys):
    out = walked(capsys, *LECTURE, "--epochs", "1").out
    table = [line.split() for line in out.splitlines()[:5]]
    activation = table[0].index("activation")
    assert [line[activation] for line in table[1:]] == ["1", "0.5", "-2.5", "-0.5"]
    assert table[2][-4:] == ["1", "0.5", "1", "-1"]  # after point 2: tau, w = [0.5, 1], b = −1
    assert "1 update;" in out


def test_h3_without_bias_five_updates_end_at_one_and_a_half_one(capsys):
    result = json.loads(walked(capsys, *LECTURE, "--no-bias", "--only-updates", "--json").out)
    assert result["updates"] == len(result["steps"]) == 5
    assert result["steps"][-1]["w"] == [[1.5, 1]]
    assert result["converged"]


def test_h7_the_proof_stands_beside_the_steps(capsys):
    result = json.loads(walked(capsys, *LECTURE[:2], "--proof", "--json").out)
    for step in result["steps"]:
        assert step["least_along"] <= step["along"] + 1e-9
        assert step["norm"] <= step["most_norm"] + 1e-9
    assert result["updates"] <= result["proof"]["at_most"]
    assert result["proof"]["at_most"] == pytest.approx((result["proof"]["radius"] / result["proof"]["margin"]) ** 2)
    printed = walked(capsys, *LECTURE[:2], "--proof").out
    assert "kγ" in printed
    assert "At most R²/γ²" in printed
    assert "No bound: the weights do not start at 0." in walked(capsys, *LECTURE, "--proof").out
    assert run(["walk", *LECTURE, "--proof", "--certify", "0"]) == 2
    assert "--certify 0 looks for none" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(["--learning-rate", "1/examples"], "1/examples"), (["--learner", "logistic"], "moves at every example")],
)
def test_where_there_is_no_bound_the_sentence_says_why(arguments, why, capsys):
    assert why in walked(capsys, *LECTURE[:2], "--proof", *arguments).out


def test_every_form_has_a_line_a_step(capsys):
    assert list(walk_lines.WALK_FORMATS) == SHAPES
    markdown = walked(capsys, *LECTURE, "--as", "markdown").out.splitlines()
    assert len(markdown) == 2 + 8
    assert {line.count("|") for line in markdown} == {12}
    latex = walked(capsys, *LECTURE, "--as", "latex").out
    assert latex.startswith("\\begin{tabular}{rrrrrrrrrrr}")
    assert "$-2.5$" in latex
    rows = list(csv.DictReader(io.StringIO(walked(capsys, *LECTURE, "--as", "csv").out)))
    assert [float(row["activation"]) for row in rows[:4]] == [1, 0.5, -2.5, -0.5]
    assert [row["mistake"] for row in rows[:4]] == ["0", "1", "0", "0"]
    captured = walked(capsys, *LECTURE, "--as", "csv")
    assert "ended by" in captured.err
    assert walked(capsys, *LECTURE, "--as", "csv", "--quiet").err == ""


def test_a_part_of_the_walk(capsys):
    whole = walked(capsys, *LECTURE).out.splitlines()
    assert walked(capsys, *LECTURE, "--from", "2", "--to", "3").out.splitlines()[1:3] == whole[2:4]
    assert walked(capsys, *LECTURE, "--step", "7").out.splitlines()[1] == whole[7]
    updates = json.loads(walked(capsys, *LECTURE, "--no-bias", "--only-updates", "--from", "3", "--to", "8", "--json").out)
    assert [step["t"] for step in updates["steps"]] == [4, 6, 8]


def test_semicolons_between_points_are_no_part_of_labels(capsys):
    with_blanks = walked(capsys, "--points", "1,1:+ 0.5,-1:- -1,-1:-").out
    assert walked(capsys, "--points", "1,1:+; 0.5,-1:-;-1,-1:-").out == with_blanks


def test_points_of_many_classes_and_other_learners(capsys):
    result = json.loads(walked(capsys, "--points", "1,0:a 0,1:b -1,-1:c", "--learner", "mira", "--json").out)
    assert result["classes"] == ["a", "b", "c"]
    assert result["steps"][0]["rival"] == "b"
    assert result["steps"][0]["margin"] == 0  # all scores are
    assert result["steps"][0]["tau"] == 1 / 4  # 1 / 2 (|x|² + 1)
    assert [len(row) for row in result["steps"][0]["w"]] == [2, 2, 2]


def test_a_file_walks_as_train_trains(capsys, tmp_path):
    path = tmp_path / "fruit.csv"
    path.write_text("colour,size,kind\n" + "red,7,apple\ngreen,10,pear\nyellow,9,pear\ngreen,6,apple\n" * 5)
    options = [str(path), "--target", "kind", "--learner", "mira", "--p", "0.5", "--seed", "4", "--epochs", "6"]
    result = json.loads(walked(capsys, *options, "--json").out)
    assert run(["train", *options, "--json"]) == 0
    trained = json.loads(capsys.readouterr().out)
    assert {key: result[key] for key in ("epochs", "updates", "converged")} == {
        key: trained[key] for key in ("epochs", "updates", "converged")
    }
    assert "w[colour=red]" in walked(capsys, *options, "--as", "csv").out.splitlines()[0]
    assert "weights moved" in walked(capsys, *options, "--moved-weights").out.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "FILE"),
        (["iris", "--points", "1:+ 2:-"], "one of the two"),
        (["--points", "1,1:+ 2,2"], "'2,2' has no label"),
        (["--points", "1,1:+ 2,:-"], "no number"),
        (["--points", "1,1:+ nan,1:-"], "not finite"),
        (["--points", "1,1:+ 2:-"], "1 coordinate(s), the first point has 2"),
        (["--points", "1,1:+ 2,1:+"], "two are needed"),
        (["--points", ""], "no point"),
        ([*LECTURE[:2], "--start", "1,x"], "'x'"),
        ([*LECTURE[:2], "--start", "1,2,3"], "expected 2 numbers"),
        ([*LECTURE[:2], "--start", "inf,0"], "not finite"),
        ([*LECTURE[:2], "--start-bias", "nan"], "--start-bias"),
        ([*LECTURE, "--step", "2", "--from", "1"], "not both"),
        ([*LECTURE, "--from", "99"], "the run saw 8"),
        ([*LECTURE, "--from", "3", "--to", "2"], "before"),
        ([*LECTURE, "--learner", "mira", "--p", "2"], "p is 2"),
        ([*LECTURE, "--C", "1"], "no parameter 'C'"),
        ([*LECTURE, "--as", "html"], "--as"),
        ([*LECTURE, "--epochs", "0"], "epochs"),
    ],
)
def test_what_cannot_be_is_wrong_usage(arguments, message, capsys):
    assert run(["walk", *arguments]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert out == ""


def test_walk_imports_neither_scikit_learn_nor_a_solver(tmp_path):
    code = (
        f"import sys; from rosenblatt.cli import run; assert run(['walk', *{LECTURE!r}, '-q']) == 0; "
        "print(sorted({'sklearn', 'matplotlib', 'clarabel', 'scipy.optimize'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize("learner", ["averaged", "voted"])
def test_the_averaged_weights_stand_at_the_end_of_the_perceptrons_steps(learner, capsys):
    steps = walked(capsys, *LECTURE[:2], "--epochs", "1").out.splitlines()[:5]
    printed = walked(capsys, *LECTURE[:2], "--epochs", "1", "-l", learner).out.splitlines()
    assert printed[:5] == steps
    # By hand: (1, 1, 1), then (0.5, 2, 0) for two examples, then (1.5, 1, −1).
    message = next(line for line in printed if line.startswith("The steps are the perceptron's"))
    assert message.endswith(": w1 = 0.875, w2 = 1.5, b = 0.")
    assert ("vote" in message) == (learner == "voted")
    result = json.loads(walked(capsys, *LECTURE[:2], "--epochs", "1", "-l", learner, "--json").out)
    assert result["averaged"] == {"w": [[0.875, 1.5]], "b": [0.0]}
    assert result["theory"]["view"] == "averaged"
    assert "averaged" not in json.loads(walked(capsys, *LECTURE[:2], "--json").out)


def test_of_many_weights_the_largest_averages_are_told(capsys):
    printed = walked(capsys, "breast-cancer", "-l", "averaged", "--epochs", "1", "--to", "1").out
    line = next(line for line in printed.splitlines() if line.startswith("The steps are"))
    assert "… 22 more, b = " in line  # of 30 features


def test_the_margin_of_a_walk_is_told_as_train_tells_it(tmp_path, capsys):
    # θ = (1.5, 1, −1) has the least margin 1.25; γ* = √(8/17), see the playground's test of the bound.
    printed = walked(capsys, *LECTURE[:2]).out
    assert "Margin: γ = 0.60634: the last weights separate all rows; 88.23 % to 100 % of the best, γ*, which is" in printed
    printed = walked(capsys, *LECTURE[:2], "--proof").out
    assert "Margin: γ = 0.60634: the last weights separate all rows; 88.39 % of γ* = 0.68599, the best." in printed
    path = tmp_path / "points.csv"
    path.write_text("a,b,y\n1,1,+\n0.5,-1,-\n-1,-1,-\n-1,1,-\n")
    options = [str(path), "--target", "y", "--no-scale", "--epochs", "3", "-l", "averaged", "--order", "given", "--json"]
    result = json.loads(walked(capsys, *options).out)["theory"]
    assert run(["train", *options]) == 0
    assert json.loads(capsys.readouterr().out)["theory"] == result


@pytest.mark.parametrize("weights", ["--all-weights", "--moved-weights"])
@pytest.mark.parametrize("learner", options.LEARNERS)
def test_latex_is_ascii_and_its_minuses_are_in_formulas(capsys, learner, weights):
    scaled = ["--points", "1e7,1:a_b -3e7,-1e-9:<c", "--no-bias"]
    for data in (["iris", "--to", "20", "--product", "all"], LECTURE, scaled):
        for more in ([], ["--only-updates"], ["--proof"]):
            latex = walked(capsys, *data, "-l", learner, weights, "--as", "latex", *more).out
            assert latex.isascii()
            assert latex.count("$") % 2 == 0
            outside = re.sub(r"\$[^$]*\$", "", latex)
            assert not re.search(r"-\d|e[+-]\d|[<>|]", outside)
            assert (r"$\to$" in latex) == (weights == "--moved-weights")
