"""What each door needs: estimators run with numpy, scipy and scikit-learn alone, and a door that lacks a part names it."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(__file__).parents[1]
OPTIONAL = ("clarabel", "click", "cython", "jinja2", "matplotlib", "pandas", "polars", "pyarrow", "starlette", "uvicorn")

ON_ARRAYS = """
import numpy, scipy.sparse
import rosenblatt

X = numpy.array([[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]])
y = [1, 0, 0, 0]
names = [n for n in rosenblatt.PUBLIC["rosenblatt.estimators"] if not n.endswith("Features")]
for name in names:
    if name != "FunctionBasis":  # which wants functions
        getattr(rosenblatt, name)().fit(X, y)
run = rosenblatt.train(X, y, epochs=3)
data = rosenblatt.Dataset("sparse", scipy.sparse.csr_array(X), numpy.array(y), "four points")
model = rosenblatt.learn(data)
rosenblatt.save(model, "four.rosenblatt")
assert rosenblatt.load("four.rosenblatt").predict(data.rows).tolist() == model.predict(data.rows).tolist()
print(len(names), run.weights.last[0].tolist())
"""

CSV = "size,colour,fruit\n1.5,red,apple\n0.5,green,pear\n2.5,red,plum\n"

# (what is asked for, what is missing, what the answer names)
DOORS = [
    ("import rosenblatt; rosenblatt.read('fruit.csv')", "polars", "Reading this file needs polars: pip install polars."),
    ("from rosenblatt import data; next(data.batches('fruit.csv'))", "polars", "pip install polars"),
    ("from rosenblatt import data; data.open_known('iris')", "polars", "pip install polars"),
    ("import rosenblatt; rosenblatt.TableFeatures().fit({'a': [1, 2]})", "polars", "A table needs polars"),
    ("import rosenblatt; rosenblatt.TextFeatures().fit(['a b', 'c'])", "polars", "pip install polars"),
    ("import rosenblatt; rosenblatt.certify([[1, 1], [0, 1], [-1, 0.5]], [1, 0, 0])", "clarabel", "pip install clarabel"),
    ("from rosenblatt.estimators.neighbours import SoftMargin as S; S().fit([[1], [2]], [0, 1])", "clarabel", "clarabel"),
    ("from rosenblatt.show.plots import LossDisplay; LossDisplay().plot()", "matplotlib", "pip install 'rosenblatt[show]'"),
    ("from rosenblatt.show.report import page_template; page_template()", "jinja2", "pip install 'rosenblatt[show]'"),
]
VERBS = [
    (["train", "fruit.csv"], "click", "The command line needs click: pip install click."),
    (["facts", "fruit.csv", "--target", "fruit"], "polars", "Reading this file needs polars: pip install polars."),
    (["compare", "fruit.csv", "--target", "fruit"], "polars", "pip install polars"),
    (["walk", "fruit.csv", "--target", "fruit"], "polars", "pip install polars"),
    (["certify", "fruit.csv", "--target", "fruit"], "clarabel", "pip install clarabel"),
    (["play", "fruit.csv"], "starlette", "The playground needs starlette: pip install 'rosenblatt[play]'."),
]


def python(*arguments, folder, executable=sys.executable):
    (folder / "fruit.csv").write_text(CSV)
    return subprocess.run([executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def without(parts, code):
    """The code, in an interpreter that cannot import these parts."""
    return f"import sys; sys.modules.update(dict.fromkeys({parts!r}))\n{code}"


def expected_output():
    X, y = [[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1, 0, 0, 0]
    return f"15 {rosenblatt.train(X, y, epochs=3).weights.last[0].tolist()}\n"


def test_estimators_and_training_need_nothing_but_numpy_scipy_and_scikit_learn(tmp_path):
    done = python("-c", without(OPTIONAL, ON_ARRAYS), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected_output()


def test_the_uncompiled_core_does_not_need_cython(tmp_path):
    code = "from rosenblatt.engine import core, vote_counter; print(core.COMPILED, vote_counter.VoteCounter)"
    done = python("-c", without(("cython",), code), folder=tmp_path)
    assert done.stdout.startswith("False <class 'rosenblatt.engine.vote_counter.VoteCounter'>"), done.stderr


@pytest.mark.parametrize(("code", "part", "words"), DOORS)
def test_a_door_that_lacks_a_part_names_what_installs_it(code, part, words, tmp_path):
    done = python("-c", without((part,), code), folder=tmp_path)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("rosenblatt.errors.MissingPartError: ")
    assert words in last


@pytest.mark.parametrize(("arguments", "part", "words"), VERBS)
def test_a_verb_that_lacks_a_part_names_what_installs_it(arguments, part, words, tmp_path):
    code = f"sys.argv[1:] = {arguments!r}; from rosenblatt.__main__ import main; main()"
    done = python("-c", without((part,), code), folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("MissingPartError: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_table_of_words_is_learned_and_predicted_without_polars(tmp_path):
    """Not only faster: what is never imported cannot be missing."""
    pytest.importorskip("rosenblatt.data._cells", reason="built without a compiler")
    (tmp_path / "words.csv").write_text("colour,taste,fruit\nred,sweet,apple\ngreen,sour,lime\nred,?,apple\n")
    (tmp_path / "new.csv").write_text("taste,colour,price\nsour,blue,40\n")
    for arguments, printed in (
        (["train", "words.csv", "--target", "fruit", "-q", "-o", "m.rosenblatt"], "averaged: 3 rows"),
        (["predict", "m.rosenblatt", "new.csv", "-q"], "prediction\nlime\n"),
    ):
        code = f"sys.argv[1:] = {arguments!r}; from rosenblatt.__main__ import main; main()"
        done = python("-c", without(("polars", "sklearn"), code), folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(printed)


@pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="installs into a new environment: make test-full")
def test_the_wheel_alone_runs_the_estimators_tests(tmp_path):
    """`pip install --no-deps` of the wheel, beside numpy, scipy and scikit-learn, and what tests are written with."""
    pip = [sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(pip, check=True, capture_output=True)
    venv.create(tmp_path / "env", with_pip=True)
    own = str(tmp_path / "env" / "bin" / "python")
    for packages in (["numpy", "scipy", "scikit-learn", "pytest", "hypothesis"], ["--no-deps", *tmp_path.glob("*.whl")]):
        subprocess.run([own, "-m", "pip", "install", "--quiet", *map(str, packages)], check=True, capture_output=True)
    listed = subprocess.run([own, "-m", "pip", "list"], capture_output=True, text=True, check=True).stdout.lower()
    assert not [part for part in OPTIONAL if f"\n{part} " in listed]
    done = python("-c", ON_ARRAYS, folder=tmp_path, executable=own)
    assert done.stdout == expected_output(), done.stderr
    done = python("-m", "rosenblatt", "train", "fruit.csv", folder=tmp_path, executable=own)
    assert (done.returncode, done.stderr) == (2, "MissingPartError: The command line needs click: pip install click.\n")
    environment = {**os.environ, "ROSENBLATT_TESTS": "small"}
    tests = [own, "-m", "pytest", "-p", "no:cacheprovider", "--no-header", "tests/estimators"]
    done = subprocess.run(tests, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout
