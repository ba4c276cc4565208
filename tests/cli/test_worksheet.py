"""Worksheets: every answer is computed again by the oracle, students differ, and grading finds the step that went wrong."""

import json
import math
import os
import re
from fractions import Fraction

import numpy as np
import oracle
import pytest

from rosenblatt.cli import run
from rosenblatt.errors import DataError
from rosenblatt.show.worksheet import as_html, as_latex, as_markdown
from rosenblatt.studies.worksheet import Blank, make_worksheet, read_answer, read_filled, shown

STUDENTS = [f"{number:03d}" for number in range(200)]


@pytest.fixture(scope="module")
def sheets():
    return [make_worksheet(7, student) for student in STUDENTS]


def numbers(text):
    """(1, −0.5) as fractions: what a student reads on the sheet."""
    return [Fraction(part) for part in text.strip("()").replace("−", "-").split(",")]


def pairs(text):
    """Points with their signs, as a sentence lists them."""
    found = re.findall(r"(\([^)]*\)) ([+−])", text)
    return np.array([numbers(point) for point, _ in found], dtype=object), [1 if sign == "+" else 0 for _, sign in found]


def answers_of(exercise):
    return [blank.right for blank in exercise.blanks()]


def test_no_two_of_200_students_have_the_same_sheet(sheets):
    assert len({as_markdown([sheet]).partition("##")[2] for sheet in sheets}) == 200
    assert as_markdown([make_worksheet(7, "ada")]) == as_markdown([make_worksheet(7, "ada")])
    assert as_markdown([make_worksheet(8, "ada")]) != as_markdown([make_worksheet(7, "ada")])


def test_the_walk_with_a_bias_is_the_oracles(sheets):
    """LECTURES B3: activation, mistake, and (w, b) after each of four points, from the text of the sheet alone."""
    for sheet in sheets:
        exercise = sheet.exercises[0]
        w = numbers(re.search(r"w = (\([^)]*\))", exercise.text[0])[1])
        X = np.array([numbers(row[1]) for row in exercise.rows], dtype=object)
        y = [1 if row[2] == "+1" else 0 for row in exercise.rows]
        done = oracle.learn(oracle.perceptron(), X, y, [0, 1, 2, 3], start=(np.array([w], dtype=object), Fraction(0)))
        after = [W[0] for W in done.path]
        for row, old, new, x, label in zip(exercise.rows, [[*w, 0], *after[:-1]], after, X, y, strict=True):
            activation = old[0] * x[0] + old[1] * x[1] + old[2]
            wrong = "yes" if (2 * label - 1) * activation <= 0 else "no"
            assert [cell.right for cell in row[3:]] == [activation, wrong, *new], (sheet.student, row)


def test_the_walk_to_rest_is_the_oracles(sheets):
    for sheet in sheets:
        exercise = sheet.exercises[1]
        X, y = pairs(exercise.text[0])
        w = np.array([[Fraction(1), Fraction(0)]], dtype=object)
        order = [0, 1, 2] * 5
        done = oracle.learn(oracle.perceptron(), X, y, order, bias=False, start=(w, None))
        assert answers_of(exercise) == [done.updates, *done.path[-1][0]], sheet.student


def test_margins_and_bounds_are_those_of_numpy(sheets):
    for sheet in sheets:
        exercise = sheet.exercises[2]
        w, b = re.search(r"w = (\([^)]*\)) and b = (\S+)\.", exercise.text[0]).groups()
        w, b = np.array(numbers(w), dtype=float), float(b.replace("−", "-"))
        X = np.array([numbers(row[1]) for row in exercise.rows[:3]], dtype=float)
        y = np.array([1 if row[2] == "+1" else -1 for row in exercise.rows[:3]])
        functional = y * (X @ w + b)
        geometric = functional / np.linalg.norm(w)
        given = answers_of(exercise)
        assert [float(value) for value in given[:6]] == pytest.approx(
            np.stack([functional, geometric], axis=1).ravel().tolist()
        )
        assert float(given[6]) == pytest.approx(geometric.min())
        assert given[7] == ("yes" if geometric.min() > 0 else "no")

        exercise = sheet.exercises[3]
        w, b = re.search(r"w = (\([^)]*\)), b = (\S+):", exercise.text[0]).groups()
        theta = np.array([*numbers(w), Fraction(b.replace("−", "-"))], dtype=float)
        X, y = pairs(exercise.text[0])
        X = np.column_stack([X.astype(float), np.ones(len(X))])
        margin = (np.where(np.array(y) == 1, 1, -1) * (X @ theta)).min()
        gamma = margin / np.linalg.norm(theta)
        assert gamma > 0
        R2 = (X**2).sum(axis=1).max()
        expected = [R2, margin, np.linalg.norm(theta), gamma, math.floor(R2 / gamma**2 + 1e-9)]
        assert [float(value) for value in answers_of(exercise)] == pytest.approx(expected), sheet.student


def test_votes_are_those_of_the_oracles_multiclass_perceptron(sheets):
    for sheet in sheets:
        exercise = sheet.exercises[4]
        names = [row[0] for row in exercise.rows[:3]]
        W = np.array([[Fraction(cell.replace("−", "-")) for cell in row[1:5]] for row in exercise.rows[:3]], dtype=object)
        words = re.search("“(.*)”", exercise.text[0])[1].split()
        x = [Fraction(1), *(Fraction(words.count(word)) for word in exercise.head[2:5])]
        truth = names.index(re.search(r"it was (\w+):", exercise.text[1])[1])
        done = oracle.learn(
            oracle.perceptron(), np.array([x], dtype=object), [truth], [0], vectors=3, bias=False, start=(W, None)
        )
        scores, after = W @ x, done.path[-1] @ x
        given = answers_of(exercise)
        assert given[:3] == list(scores)
        assert given[3] == names[int(np.argmax(scores.astype(float)))]
        assert given[4:] == list(after), sheet.student


def test_miras_step_lands_on_margin_one(sheets):
    for sheet in sheets:
        exercise = sheet.exercises[5]
        w, x = (numbers(found) for found in re.findall(r"[wx] = (\([^)]*\))", exercise.text[0]))
        y = 1 if "y = +1" in exercise.text[0] else -1
        margin, norm2, tau, w1, w2, b = answers_of(exercise)
        assert y * (w1 * x[0] + w2 * x[1] + b) == 1, "LECTURES O4"
        assert (margin, norm2) == (y * (w[0] * x[0] + w[1] * x[1]), x[0] ** 2 + x[1] ** 2 + 1)
        assert (w1 - w[0], w2 - w[1], b) == (tau * y * x[0], tau * y * x[1], tau * y)


def test_a_wrong_answer_is_told_as_the_step_that_went_wrong_and_what_follows_from_it_is_not(sheets):
    """Every blank of some sheets gets a wrong answer in turn; who computes on from it correctly has made one slip."""
    followed = 0
    for sheet in sheets[:5]:
        for broken in sheet.blanks():
            answers = {}
            for exercise in sheet.exercises:
                own = {}
                for blank in exercise.blanks():  # a student who is right but for one slip
                    own[blank.key] = wrong_value(blank) if blank is broken else blank.compute(own)
                answers |= own
            grading = sheet.check(answers)
            assert [verdict.blank.key for verdict in grading.slips] == [broken.key]
            assert grading.points == len(grading.verdicts) - 1
            assert grading.lines()[0].startswith(f"{broken.key}, {broken.what}: ")
            followed += len(grading.of_kind("carried on"))
    assert followed > 100


def wrong_value(blank: Blank):
    if isinstance(blank.right, str):
        return {"yes": "no", "no": "yes"}.get(blank.right, "nobody")
    return blank.right + 7


def test_a_sheet_that_was_filled_in_is_graded_by_the_command(tmp_path, capsys):
    path = tmp_path / "week3.md"
    assert run(["worksheet", "--seed", "3", "--student", "Ada Lovelace", "-o", str(path), "-q"]) == 0
    sheet = make_worksheet(3, "Ada Lovelace")
    text = path.read_text()
    assert read_filled(text) == {}, "an empty sheet has no answers"
    for blank in sheet.blanks():
        text = text.replace(f"{blank.key} = ____", f"{blank.key} = {shown(blank.right).replace('.', ',')}")
    path.write_text(text)
    capsys.readouterr()
    assert run(["worksheet", "--check", str(path)]) == 0
    assert f"Ada Lovelace: {len(list(sheet.blanks()))} of" in (out := capsys.readouterr().out)
    assert "answers are right" in out
    path.write_text(re.sub(r"1a = \S+", "1a = 12345", text))
    assert run(["worksheet", "--check", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdicts"]["1a"] == "wrong"
    assert told["lines"] == ["1a, the activation of point 1: 12345 is wrong"]


def test_who_rounds_every_step_to_two_decimals_is_right(sheets):
    """The sheet asks for two decimals, and the next step is computed from them: 1 − 0.93·1.5 is −0.4 then, not −0.39."""
    rounded = 0
    for sheet in sheets:
        answers = {}
        for exercise in sheet.exercises:
            own = {}
            for blank in exercise.blanks():
                value = blank.compute(own)
                own[blank.key] = value if isinstance(value, str) else Fraction(round(value * 100), 100)
            answers |= own
        assert sheet.check(answers).slips == []
        rounded += sum(read_answer(shown(blank.right)) != answers[blank.key] for blank in sheet.blanks())
    assert rounded > 20, "steps where rounding shows"


@pytest.mark.parametrize("kind", ["html", "md", "tex"])
def test_a_sheet_with_its_answers_has_no_other_answers_in_it(tmp_path, capsys, kind):
    """The arithmetic below the blanks is not taken for what a student wrote."""
    path = tmp_path / f"solved.{kind}"
    assert run(["worksheet", "--seed", "7", "--student", "ada", "--answers", "-o", str(path), "-q"]) == 0
    sheet = make_worksheet(7, "ada")
    filled = read_filled(path.read_text(encoding="utf-8"))
    assert filled == ({blank.key: shown(blank.right) for blank in sheet.blanks()} if kind == "md" else {})
    assert run(["worksheet", "--check", str(path)]) == (0 if kind == "md" else 1)
    printed = capsys.readouterr()
    assert f"All {len(filled)} answers are right" in printed.out if kind == "md" else "has no answers" in printed.err


@pytest.mark.parametrize("kind", ["html", "md", "tex"])
def test_a_file_for_each_student_in_every_format(tmp_path, kind):
    tmp_path.joinpath("roster.txt").write_text("Ada\nGrace Hopper\n\nÉvariste\n", encoding="utf-8")
    arguments = [
        "worksheet",
        "--seed",
        "7",
        "--students",
        str(tmp_path / "roster.txt"),
        "-o",
        str(tmp_path / f"w.{kind}"),
        "-q",
    ]
    assert run(arguments) == 0
    files = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob(f"w-*.{kind}")}
    assert sorted(files) == [f"w-Ada.{kind}", f"w-Grace_Hopper.{kind}", f"w-Évariste.{kind}"]
    assert len(set(files.values())) == 3
    assert all("Grace Hopper" in text for name, text in files.items() if "Grace" in name)


def test_without_answers_no_format_tells_them_and_with_them_all_do():
    sheet = make_worksheet(7, "ada")
    for write in (as_html, as_markdown, as_latex):
        empty, solved = write([sheet], False), write([sheet], True)
        assert "answers are" not in empty
        assert len(solved) > len(empty)
        assert "the activation of point 1:" in solved
        assert "the activation of point 1:" not in empty
    latex = as_latex([sheet], True)
    assert latex.isascii(), "pdflatex takes it as it is"
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    assert latex.count("$") % 2 == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "sheet.pdf"], "choose one of these endings"),
        (["--students", "5"], "say where"),
        (["--students", "0", "-o", "a.md"], "expected a number from 1"),
        (["--students", "nobody.txt", "-o", "a.md"], "the names cannot be read"),
        (["--student", "a", "--students", "3", "-o", "a.md"], "give one of them"),
        (["--check", "nothing.md"], "the answers cannot be read"),
        (["--check", "plain.txt"], "does not say which sheet"),
        (["--check", "plain.txt", "--seed", "1"], "There is no blank 9z"),
        (["--check", "empty.txt", "--seed", "1"], "has no answers"),
    ],
)
def test_what_cannot_be_is_refused_with_its_remedy(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("plain.txt").write_text("9z = 1\n")
    tmp_path.joinpath("empty.txt").write_text("nothing here\n")
    assert run(["worksheet", *arguments]) != 0
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("answer", ["1e999999999", "1e-999999999", "9" * 5000, "1/0", "9**9**9**9"])
def test_an_answer_beyond_all_numbers_is_wrong_and_not_computed(answer, tmp_path, capsys):
    """As a fraction, 1e999999999 has a billion digits."""
    (tmp_path / "answers.txt").write_text(f"1a = {answer}\n")
    assert run(["worksheet", "--check", str(tmp_path / "answers.txt"), "--seed", "7"]) == 0
    assert "0 of 49 answers are right, 1 wrong, 48 missing" in capsys.readouterr().out


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no file without an end")
@pytest.mark.parametrize(
    "arguments", [["worksheet", "--check", "/dev/zero", "--seed", "1"], ["data", "income", "--from", "/dev/zero"]]
)
def test_a_file_without_end_is_read_so_far_as_one_can_be_long(arguments, capsys):
    assert run(arguments) == 1
    assert "/dev/zero" in capsys.readouterr().err


def test_it_can_be_used_from_an_autograder():
    """As docs/worksheets.md shows it for otter-grader and nbgrader."""
    sheet = make_worksheet(7, "ada")
    right = {blank.key: blank.right for blank in sheet.blanks()}
    assert sheet.check(right).points == len(right)
    with pytest.raises(DataError, match="no blank 99a"):
        sheet.check({"99a": 1})


@pytest.mark.parametrize("ending", ["md", "html"])
@pytest.mark.parametrize("name", ["ada", "O'Brien", "'", 'Ana "A" B', "a`b`", "Zoë & Co", "<b>", "$5", "two  blanks", "x'"])
def test_a_sheet_is_graded_as_that_of_its_own_student(name, ending, tmp_path, monkeypatch, capsys):
    """The numbers of a sheet are the student's: those of another would make every answer wrong."""
    monkeypatch.chdir(tmp_path)
    sheet = make_worksheet(7, name)
    assert run(["worksheet", "--seed", "7", "--student", name, "-o", f"s.{ending}", "-q"]) == 0
    filled = "".join(f"{blank.key} = {shown(blank.right)}\n" for blank in sheet.blanks())
    blank_sheet = (tmp_path / f"s.{ending}").read_text()
    (tmp_path / "filled").write_text(re.sub(r"\d[a-z]+ = _+", "", blank_sheet) + filled)
    assert run(["worksheet", "--check", "filled", "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["student"], verdict["points"]) == (name, verdict["of"])


def test_a_seed_of_too_many_digits_names_no_sheet(tmp_path, capsys):
    (tmp_path / "s.md").write_text(f"Made by `rosenblatt worksheet --seed {'9' * 5000}`\n1a = 1\n")
    assert run(["worksheet", "--check", str(tmp_path / "s.md")]) == 1
    assert "does not say which sheet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (f"ada\n{'x' * 300}\nbob", "longer than"),
        ("ada\nred\x1b[31m", "cannot be seen"),
        ("\n".join(f"n{i}" for i in range(40_000)), "at most 10,000"),
        ("ada\nbob\nada", "twice"),
    ],
)
def test_names_that_no_sheet_can_bear_are_told_before_a_sheet_is_written(names, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names").write_text(names)
    assert run(["worksheet", "--students", "names", "-o", "s.md"]) == 1
    assert words in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["names"]


@pytest.mark.parametrize(("count", "code"), [("²", 1), ("9" * 5000, 2), ("10001", 2)])
def test_a_number_of_students_that_is_none_is_told(count, code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["worksheet", "--students", count, "-o", "s.md"]) == code
    assert "bug" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["red\x1b[31m", "\udcff", "x" * 200])
def test_a_student_whose_name_cannot_be_written_is_refused(name, capsys):
    assert run(["worksheet", "--student", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "\x1b" not in err


def test_a_dollar_in_a_name_begins_no_formula_in_latex():
    assert r"Worksheet 7, A\$AP" in as_latex([make_worksheet(7, "A$AP")])
