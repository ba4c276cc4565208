"""The page without a server trains in the browser: every run is the engine's, to the bit (of the logistic rule to 1e-12)."""

import json
import os
import random
import re
import subprocess
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from rosenblatt.errors import RosenblattError
from rosenblatt.learning.learners import ALL_LEARNERS
from rosenblatt.playground.requests import as_task
from rosenblatt.playground.server import Playground
from rosenblatt.playground.trace import as_json, trace
from rosenblatt.playground.translation import UntranslatableError, translate

RUNS = 5_000 if os.environ.get("ROSENBLATT_TESTS") == "full" else 200
# What a page without a server tells of a run as the server does.
SAME = (
    "points", "y", "letters", "classes", "vectors", "features", "scaled", "mean", "sd", "heldOut", "heldOutErrors",
    "examples", "epochs", "converged", "stopped", "notes",
)  # fmt: skip
PARAMETERS = {
    "perceptron": [{}, {"eta0": 0.3}, {"eta0": 2.0, "learning_rate": "1/updates"}, {"learning_rate": "1/examples"}],
    "mira": [{}, {"p": 0.5}, {"p": 0.9}],
    "passive-aggressive": [{}, {"C": 0.2}, {"C": 3.0, "variant": "II"}],
    "arow": [{}, {"r": 0.3}],
    "logistic": [{}, {"eta0": 0.5, "learning_rate": "1/examples"}],
    "widrow-hoff": [{}, {"eta0": 0.05}, {"eta0": 5.0}],  # the last overflows
    "kernel": [{"degree": 1}, {"degree": 2}, {"degree": 3}],
}


def random_task(seed):
    """Any learner, order, recipe and setting of the page; points of one's own are small numbers, so that ties are common."""
    draw = random.Random(seed)
    kind = draw.choice(["blobs", "ordered", "xor", "rings", "four", "points"])
    data = {"kind": kind}
    if kind == "points":
        rows = [[draw.randint(-4, 4) / 2, draw.randint(-4, 4) / 2, draw.choice([1, -1])] for _ in range(draw.randint(2, 12))]
        data["points"] = [*rows, [1.5, 0.5, 1], [0.0, 0.0, -1]]
    elif kind != "four":
        data |= {"n": draw.randint(2, 150), "margin": draw.choice([-0.3, 0.05, 0.2, 0.5]), "noise": draw.choice([0, 0, 0.1])}
        data["seed"] = draw.randrange(2**31)
        if kind in ("blobs", "ordered"):
            data["k"] = draw.choice([2, 2, 3, 5])
    if kind == "points" and draw.random() < 0.4:
        data["points"] = [[*row[:2], draw.choice("abc")] for row in data["points"]]
        if draw.random() < 0.5:
            data["classes"] = draw.choice([["setosa", "versi", "virginica"], ["one", "two"]])  # two names are too few for c
    if kind == "points" and draw.random() < 0.3:  # the same rows as a table
        rows = "".join(f"{x},{y},kind {label}\n" for x, y, label in data["points"])
        data = {"kind": "csv", "text": f"a,b,label\n{rows}"}
    many = data.get("k", 2) > 2 or data["kind"] == "csv" or (kind == "points" and isinstance(data["points"][0][2], str))
    learner = draw.choice(list(ALL_LEARNERS))
    rule = learner if learner in PARAMETERS else "perceptron"
    may_start = learner != "kernel" and not many
    return {
        "data": data,
        "learner": learner,
        "parameters": draw.choice(PARAMETERS[rule]),
        "epochs": draw.randint(1, 25),
        "order": draw.choice(["shuffled", "once", "given", "replacement"]),
        "seed": draw.randrange(2**31),
        "bias": draw.random() < 0.7,
        "scale": draw.random() < 0.3,
        "start": [draw.choice([0, 1, -0.25]) for _ in range(3)] if may_start and draw.random() < 0.3 else [0, 0, 0],
        "features": draw.choice([[], [], ["x1x1"], ["x1x2", "x2x2"], ["x1x1", "x2x2", "x1x2"]]),
        "holdout": draw.choice([0, 0, 0.2, 0.35]),
    }


def of_engine(task):
    try:
        return json.loads(as_json(trace(Playground().runs.of(as_task(task)))))
    except RosenblattError as problem:
        return {"error": str(problem)}


@pytest.mark.parametrize(
    "text",
    [
        "a,b,label\n1,2,kind a\n2,1,kind a\n",
        "a,b,label\n1,2,it's one\n2,1,it's one\n",
        "a,b,label\n1,2,7\n2,1,7\n",
        "a,b\n1,x\n2,y\n",
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_the_servers_words(in_node, text):
    task = {"data": {"kind": "csv", "text": text}}
    assert in_node([task])[0]["error"] == of_engine(task)["error"]


@pytest.fixture(scope="module")
def runs(in_node):
    """(task, the page's trace, the engine's) of many random runs."""
    tasks = [random_task(seed) for seed in range(RUNS)]
    both = [(task, answer, of_engine(task)) for task, answer in zip(tasks, in_node(tasks), strict=True)]
    for task, page, engine in both:  # a cloud of two points, one with a wrong label, is of one class
        assert page.get("error") == engine.get("error"), task
    answered = [one for one in both if "error" not in one[2]]
    return [one for one in answered if not (one[0]["learner"] == "kernel" and decided_by_rounding(*one))]


def decided_by_rounding(task, page, engine):
    """Do the two part where a sum of kernels is 0 but for rounding? No two BLAS add such sums alike: either may move."""
    ours, theirs = (list(zip(np.cumsum(one["log"]["t"]).tolist(), one["log"]["row"], strict=True)) for one in (page, engine))
    if ours == theirs:
        return False
    same = next(k for k, (a, b) in enumerate(zip([*ours, None], [*theirs, None], strict=False)) if a != b)
    t, row = min(one[same] for one in (ours, theirs) if same < len(one))
    degree, offset = page["kernel"]["degree"], page["kernel"]["offset"]
    exact = [[Fraction(value) for value in features] for features in rows_of(page)]
    products = {
        i: (offset + sum(a * b for a, b in zip(exact[i], exact[row], strict=True))) ** degree for _, i in ours[:same]
    }
    added = [
        {page["y"][i]: products[i], rival: -products[i]} if page["vectors"] > 1 else {0: page["y"][i] * products[i]}
        for (_, i), rival in zip(ours[:same], page["log"].get("rival", [0] * same), strict=False)
    ]
    vectors = [[one.get(k, 0) for one in added] for k in range(page["vectors"])]
    # A tie by rounding: of the score with 0, or of two classes.
    pairs = [(vectors[0], [0] * same)] if page["vectors"] == 1 else combinations(vectors, 2)
    sizes = [(abs(sum(a) - sum(b)), sum(map(abs, [*a, *b]))) for a, b in pairs]
    # Scaled points are numbers of 32 bits, and the engine multiplies such in 32 bits.
    rounding = Fraction(1, 10**7) if page["scaled"] else Fraction(1, 10**12)
    assert any(difference <= rounding * size for difference, size in sizes), (task, t, row)
    return True


def rows_of(page):
    """What was learned from: the places of the points, and products of these as floats multiply."""
    products = {"x1x1": (0, 0), "x2x2": (1, 1), "x1x2": (0, 1)}
    chosen = [products[name] for name in page["features"]]
    return [[*point, *(point[i] * point[j] for i, j in chosen)] for point in page["scaled"] or page["points"]]


def test_every_run_has_the_engines_weights_to_the_bit(runs):
    for task, page, engine in runs:
        for name in ("last", "averaged") if task["learner"] != "kernel" else ("dual",):
            if task["learner"] == "logistic":  # exp may differ in its last bit
                np.testing.assert_allclose(page[name], engine[name], rtol=1e-12, atol=1e-12, err_msg=str(task))
            else:
                ours = np.array(page[name], dtype=float)  # JSON writes 1e20 as a whole number
                assert np.array_equal(ours, engine[name]), (task, name)


def test_every_run_sees_the_same_points_in_the_same_order_for_as_long(runs):
    for task, page, engine in runs:
        for name in SAME:
            assert page[name] == engine[name], (task, name)
        if engine["order"] is not None:
            assert page["order"][: len(engine["order"])] == engine["order"], task


def test_every_step_is_the_engines(runs):
    for task, page, engine in runs:
        log = engine["log"]
        tau = log["tau"] if isinstance(log["tau"], list) else [log["tau"]] * len(log["t"])
        for name in ("t", "row", "rival"):
            assert page["log"].get(name) == log.get(name), (task, name)
        assert page["lived"] == engine["lived"], task
        page_tau = np.array(page["log"]["tau"], dtype=float)  # JSON writes large ones as whole numbers
        np.testing.assert_allclose(page_tau, tau, rtol=1e-12 if task["learner"] == "logistic" else 0, err_msg=str(task))


def test_the_certificate_and_the_bound_are_the_librarys(runs):
    undecided = 0
    for task, page, engine in runs:
        ours, theirs = page["certificate"], engine["certificate"]
        undecided += ours["separable"] is None
        if ours["separable"] is None:
            continue
        assert ours["separable"] == theirs["separable"], task
        for name in ("formula", "counts", "source", "none"):
            assert ours[name] == theirs[name], (task, name)
        if "at least" in ours["sentence"] + theirs["sentence"]:  # classes that all but touch: γ* is not known to six digits
            continue
        for name in ("radius", "margin", "bound"):
            assert (ours[name] is None) == (theirs[name] is None), (task, name)
            assert ours[name] is None or ours[name] == pytest.approx(theirs[name], rel=1e-6), (task, name)
        if ours["separable"]:
            # Two margins that are equal in six digits may give bounds that are equal in six.
            six = [
                re.sub(r"\d{1,3}(,\d{3})+", lambda n: f"{float(n[0].replace(',', '')):.5g}", one["sentence"])
                for one in (ours, theirs)
            ]
            assert six[0] == six[1], task
            np.testing.assert_allclose(ours["w"], np.array(theirs["w"]) / np.linalg.norm(theirs["w"]), atol=1e-5)
    assert undecided <= len(runs) / 100


def test_points_that_prove_that_there_is_no_line_do_so_in_whole_numbers(runs):
    """An independent witness: with exact fractions, some weights above 0 make the signed points cancel (Gordan)."""
    proofs = 0
    for task, page, _ in runs:
        certificate = page["certificate"]
        if certificate["separable"] is not False or page["vectors"] > 1:  # the proofs of more classes name their rivals
            continue
        rows, learned = certificate["rows"], rows_of(page)
        assert not set(rows) & set(page["heldOut"]), "points that are not learned from prove nothing"
        columns = [[Fraction(v) * page["y"][i] for v in [*learned[i], *([1] if task["bias"] else [])]] for i in rows]
        assert cancel(columns) or any(not any(column) for column in columns), task  # a row of zeros cancels by itself
        proofs += 1
    assert proofs > 0


def cancel(vectors):
    """Do weights above 0 exist with which these vectors add up to 0? The last is made 1; elimination gives the others."""
    size, rows = len(vectors) - 1, [list(row) for row in zip(*vectors, strict=True)]
    rank = 0
    for column in range(size):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if pivot is None:
            return False
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        rows[rank] = [value / rows[rank][column] for value in rows[rank]]
        for r in range(len(rows)):
            if r != rank:
                rows[r] = [a - rows[r][column] * b for a, b in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    consistent = all(row[-1] == 0 for row in rows[rank:])
    return consistent and all(-rows[r][-1] > 0 for r in range(size))


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("def f(x):\n    return [a for a in x]", "[a for a in x]"),
        ("def f(x):\n    for a in x:\n        g(a)", "over a range"),
        ("def f(x):\n    try:\n        g(x)\n    finally:\n        h(x)", "Try"),
        ("def f(x):\n    return 0 < g(x) < 1", "a call within a chain"),
        ("def f(x):\n    return g(x, by=2)", "keywords"),
    ],
)
def test_what_the_translation_does_not_know_it_refuses_by_name(source, what):
    with pytest.raises(UntranslatableError, match=re.escape(what)):
        translate(source, {})


def test_the_translation_means_what_python_means(in_node):
    """Functions of the subset, with arguments for which a slip would show, run by Python and by node."""
    source = (
        "def f(a, b, k=3):\n"
        "    total = 0\n"
        "    for i in range(k, -1, -1):\n"
        "        if not -1 <= a - i <= 1 or i in (2, 5):\n"
        "            total += a ** 2 - (b - i) / 4\n"
        "        elif i == 1:\n"
        "            total -= abs(min(a, b))\n"
        "        else:\n"
        "            total += a < b and not b == 2\n"
        "    x, y = (a, -b) if a > b else (b, a)\n"
        "    while x > 0:\n"
        "        x -= 1.5\n"
        "        if x < y:\n"
        "            break\n"
        "    return total + x - -y * 2\n"
    )
    scope = {}
    exec(source, scope)
    cases = [(a / 2, b / 2) for a in range(-3, 9) for b in range(-3, 9)]
    runner = (
        'import { writeFileSync } from "node:fs";\n'
        f"{translate(source, {})}\n"
        f'writeFileSync("values.json", JSON.stringify({json.dumps(cases)}.map(([a, b]) => f(a, b))));\n'
    )
    in_node.folder.joinpath("f.js").write_text(runner)
    subprocess.run([in_node.node, "f.js"], cwd=in_node.folder, check=True, timeout=60)
    assert json.loads(in_node.folder.joinpath("values.json").read_text()) == [scope["f"](a, b) for a, b in cases]


def test_a_share_of_which_there_is_no_point_is_told_in_the_words_of_the_page(in_node):
    """Not in those of a keyword of Python; the server and the page alone say the same."""
    task = {"data": {"kind": "four"}, "holdout": 0.1}
    with pytest.raises(RosenblattError) as told:
        trace(Playground().runs.of(as_task(task)))
    assert str(told.value) == "holdout is 0.1: of 4 points that is none."
    assert in_node([task])[0]["error"] == str(told.value)
