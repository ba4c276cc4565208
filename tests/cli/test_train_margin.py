"""After every run of `rosenblatt train`: its margin beside the best there is, or why there is none."""

import json
import re
import subprocess
import sys

import pytest

import rosenblatt
from rosenblatt.cli import options, run

SQUARE = "a,b,y\n1,1,+\n0.5,-1,-\n-1,-1,-\n-1,1,-\n"
XOR = "a,b,y\n0,0,no\n1,1,no\n0,1,yes\n1,0,yes\n"
TWICE = "a,b,y\n0,0,no\n1,1,no\n0,1,yes\n1,1,yes\n"


def written(tmp_path, text):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    return [str(path), "--target", "y", "--no-scale"]


def train(capsys, *arguments):
    code = run(["train", *map(str, arguments), "--json"])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return json.loads(captured.out)


def test_h7_a_run_that_converged_tells_its_updates_against_the_bound(tmp_path, capsys):
    rows = written(tmp_path, SQUARE)
    result = train(capsys, *rows, "-l", "perceptron", "--epochs", "50", "--certify", "30")
    theory = result["theory"]
    best = rosenblatt.certify([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["+", "-", "-", "-"]).margin
    assert theory["separated"]
    assert theory["best_margin"] == pytest.approx(best)
    assert theory["share"] == pytest.approx(theory["margin"] / best)
    assert theory["bound"]["count"] == result["updates"] <= theory["bound"]["at_most"]
    assert theory["bound"]["at_most"] == pytest.approx(3 / best**2)  # R² = 3
    assert run(["train", *rows, "-q", "-l", "perceptron", "--epochs", "50", "--certify", "30"]) == 0
    printed = capsys.readouterr().out
    assert f"{100 * theory['share']:.2f} % of γ* = {best:.5g}" in printed
    assert f"{result['updates']} of at most R²/γ*² = {int(3 / best**2)}" in printed


def test_without_certify_the_run_itself_tells_how_good_its_margin_is(tmp_path, capsys):
    rows = [*written(tmp_path, SQUARE), "-l", "perceptron", "--epochs", "50"]
    result = train(capsys, *rows)
    theory = result["theory"]
    best = rosenblatt.certify([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], ["+", "-", "-", "-"]).margin
    assert theory["separated"]
    assert theory["bound"]["count"] == result["updates"] <= 3 / best**2 <= theory["bound"]["at_most"]  # R² = 3
    assert theory["margin"] <= best <= theory["best_margin_at_most"]  # what the run itself proves of γ*
    assert theory["share_at_least"] <= theory["margin"] / best <= theory["share_at_most"]
    assert theory["share"] is theory["best_margin"] is None
    assert run(["train", *rows, "-q"]) == 0
    printed = capsys.readouterr().out
    assert f"{result['updates']} of at most R²/γ² = {int(theory['bound']['at_most'])}" in printed
    assert "of the best, γ*, which is at most" in printed
    assert "(--certify SECONDS looks for a proof)" in printed
    assert run(["train", *rows, "-q", "--certify", "30"]) == 0
    assert f"% of γ* = {best:.5g}, the best" in capsys.readouterr().out


def test_with_certify_the_proof_is_there_too(tmp_path, capsys):
    rows = written(tmp_path, SQUARE)
    result = train(capsys, *rows, "-l", "perceptron", "--epochs", "50", "--certify", "30")
    assert result["certificate"]["separable"]
    assert result["certificate"]["proof"]["kind"] == "weights"
    assert result["certificate"]["margin"] == result["theory"]["best_margin"]
    assert "certificate" not in train(capsys, *rows, "-l", "perceptron", "--epochs", "50")


@pytest.mark.parametrize("learner", options.LEARNERS)
@pytest.mark.parametrize("text", [SQUARE, XOR, TWICE], ids=["square", "xor", "twice"])
@pytest.mark.parametrize("certify", [[], ["--certify", "30"]], ids=["alone", "certified"])
def test_after_every_run_the_margin_is_told(learner, text, certify, tmp_path, capsys):
    rows = written(tmp_path, text)
    theory = train(capsys, *rows, "-l", learner, "--epochs", "20", *certify)["theory"]
    assert run(["train", *rows, "-q", "-l", learner, "--epochs", "20", *certify]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("margin "))
    assert theory["sentence"] in line
    if not certify:
        assert theory["separable"] in ((True, None) if text == SQUARE else (None,))
        assert theory["separable"] or "undecided (--certify SECONDS looks for a proof)" in line
    elif text == SQUARE:
        assert theory["separable"] is True
        assert theory["share"] == pytest.approx(theory["margin"] / theory["best_margin"])
    else:
        assert theory["separable"] is False
        assert f"{theory['wrong']} of 4 rows" in line
        assert theory["margin"] <= 0
        assert "there is no γ*. No line can separate these rows: " in line
    assert ("votes have none" in line) == (learner == "voted")


@pytest.mark.parametrize("learner", ["perceptron", "mira", "passive-aggressive"])
def test_no_bound_of_a_run_is_exceeded(learner, tmp_path, capsys):
    theory = train(capsys, *written(tmp_path, SQUARE), "-l", learner, "--epochs", "200")["theory"]
    assert theory["bound"]["count"] <= theory["bound"]["at_most"]
    assert theory["margin"] <= theory["best_margin_at_most"]


@pytest.mark.parametrize(
    ("options", "why"), [(["--learning-rate", "1/examples"], "1/examples"), (["--balanced"], "examples have weights")]
)
def test_a_run_without_a_bound_says_why(options, why, tmp_path, capsys):
    rows = written(tmp_path, SQUARE)
    theory = train(capsys, *rows, "-l", "perceptron", "--epochs", "500", *options)["theory"]
    assert theory["bound"] is None
    assert why in theory["why_no_bound"]
    assert run(["train", *rows, "-q", "-l", "perceptron", "--epochs", "500", *options]) == 0
    assert why in capsys.readouterr().out


def test_a_run_that_cannot_converge_is_told_plainly_why(tmp_path, capsys):
    certify = ["--certify", "30"]
    assert run(["train", *written(tmp_path, TWICE), "-q", *certify]) == 0
    # Rows are counted from 1, as by explain --row.
    assert "No line can separate these rows: rows 2 and 4 are identical but labelled differently." in capsys.readouterr().out
    result = train(capsys, *written(tmp_path, XOR), *certify)
    assert result["theory"]["separable"] is False
    assert result["theory"]["why_no_bound"] == "no line can separate the data"
    assert result["certificate"]["separable"] is False
    assert sorted(result["certificate"]["proof"]["rows"]) == [1, 2, 3, 4]


def test_certify_changes_nothing_in_the_model_file_and_a_solver_is_imported_only_for_it(tmp_path, capsys):
    rows = written(tmp_path, XOR)
    files = [tmp_path / name for name in ("a.rosenblatt", "b.rosenblatt")]
    train(capsys, *rows, "-o", files[0])
    train(capsys, *rows, "-o", files[1], "--certify", "30")
    assert files[0].read_bytes() == files[1].read_bytes()
    code = f"import sys; from rosenblatt.cli import run; run(['train', *{rows!r}]); print({{'clarabel'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
    with_none, without = (train(capsys, *rows, *more) for more in (["--certify", "0"], []))
    assert with_none["theory"] == without["theory"]
    assert "certificate" not in with_none
    assert run(["train", *rows, "--certify", "-1"]) == 2
    assert "--certify" in capsys.readouterr().err
    assert run(["train", *rows, "--certify", "0"]) == 0
    assert "--certify" not in capsys.readouterr().out  # who says no is not asked again


def test_what_32_bits_merge_is_not_said_to_be_inseparable(tmp_path, capsys):
    # 29 and 50 are one 32-bit number beside 4e10, once they are scaled; a threshold separates the rows of the file.
    path = tmp_path / "far.csv"
    path.write_text("a,y\n" + "".join(f"{a},{a >= 50}\n" for a in [*range(100), 4 * 10**10]))
    wanted = (
        "s 32-bit numbers rows 30 and 51 are identical but labelled differently; --double (double=True) keeps them apart"
    )
    result = train(capsys, path, "--target", "y", "--numeric", "number", "--certify", "5")
    theory = result["theory"]
    assert (theory["separable"], theory["grain"]) == (None, "as 32-bit numbers")
    assert theory["why_no_bound"] == "no line can separate the data as 32-bit numbers"
    assert wanted in theory["sentence"]
    assert result["certificate"]["separable"] is None
    assert wanted in result["certificate"]["sentence"]
    assert run(["train", str(path), "--target", "y", "--numeric", "number", "-q", "--certify", "5"]) == 0
    printed = capsys.readouterr().out
    assert wanted in printed
    assert "o line can separate" not in printed
    model = tmp_path / "m.rosenblatt"
    assert run(["train", str(path), "--target", "y", "--numeric", "number", "-q", "-o", str(model)]) == 0
    page = tmp_path / "r.html"
    assert run(["report", str(model), "--data", str(path), "--splits", "0", "-o", str(page), "-q"]) == 0
    capsys.readouterr()
    page = page.read_text()
    assert "As 32-bit numbers rows 30 and 51 are identical" in page
    assert "o line can separate" not in page
    assert run(["walk", str(path), "--target", "y", "--numeric", "number", "--proof", "--to", "3"]) == 0
    printed = capsys.readouterr().out
    assert wanted in printed
    assert "No bound: no line can separate the data as 32-bit numbers." in printed
    theory = train(capsys, path, "--target", "y", "--double", "--certify", "5")["theory"]
    assert theory["separable"] is True


def test_a_huge_bound_is_told_in_few_digits(tmp_path, capsys):
    (tmp_path / "ids.csv").write_text("a,y\n" + "".join(f"{2**30 + 200 * i},{i >= 5}\n" for i in range(10)))
    ids = [str(tmp_path / "ids.csv"), "--target", "y", "--no-scale"]
    most = train(capsys, *ids, "--certify", "30")["theory"]["bound"]["at_most"]
    assert most > 1e15
    for verb, form in (("train", r"at most R²/γ\*?² = (\S+)$"), ("certify", r"at most (\S+) updates")):
        assert run([verb, *ids, "-q", *(["--certify", "30"] if verb == "train" else [])]) == 0
        printed = re.search(form, capsys.readouterr().out, re.MULTILINE)[1]
        assert len(printed) < 12
        assert float(printed) >= 1e15
    assert run(["walk", *ids, "--proof", "--to", "1"]) == 0
    assert max(map(len, re.findall(r"[\d,.]+", capsys.readouterr().out))) < 20
