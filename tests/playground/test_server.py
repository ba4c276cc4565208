"""The server: what it answers, what it refuses, and that nothing sent to it brings it down."""

import http.client
import json
import re
import shlex
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import pytest

import rosenblatt
from rosenblatt.cli.play import play
from rosenblatt.playground import requests as limits
from rosenblatt.playground.server import listen

TASK = {"data": {"kind": "four"}, "order": "given", "start": [1, 0, 0]}


@pytest.fixture
def client(playground):
    with httpx.Client(base_url=playground.address, timeout=20) as asking:
        yield asking


def refusal(response, status=422):
    assert response.status_code == status, response.text
    return response.json()["error"]


def test_the_log_of_boulders_example_is_returned(client):
    result = client.post("/api/trace", json={**TASK, "epochs": 1}).json()
    assert result["log"] == {"t": [1], "row": [1], "tau": 1.0}  # LECTURES B3: only the second point moves the weights
    assert result["last"] == [0.5, 1.0, -1.0]
    assert "γ = 0.33333: the last weights separate all rows" in result["reached"]  # the least margin is 0.5, |θ| = 1.5


def test_the_first_question_may_come_at_once(started):
    process = started()
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(
                lambda kind: httpx.post(f"{process.address}api/trace", json={"data": {"kind": kind}}, timeout=30),
                limits.POINT_RECIPES,
            )
        )
    assert [answer.status_code for answer in answers] == [200] * len(limits.POINT_RECIPES)


def test_a_port_that_was_given_answers_and_is_nobody_elses():
    """Whoever reads the address may connect at once, and of two playgrounds that start together one is refused."""
    with listen(0) as listener:
        address = listener.getsockname()
        socket.create_connection(address, timeout=5).close()
        with pytest.raises(OSError, match="in use"):
            listen(address[1])


def test_votes_over_the_plane_are_those_of_the_library(client):
    from rosenblatt.learning.votes import Voter

    task = {
        "data": {"kind": "blobs", "n": 40, "margin": -0.2, "seed": 3},
        "learner": "voted",
        "order": "shuffled",
        "epochs": 4,
    }
    points = client.post("/api/trace", json=task).json()
    seen, box = 60, [-2.0, 2.0, -1.0, 1.0]
    scores = client.post(
        "/api/grid", json={"task": task, "view": "voted", "examples": seen, "box": box, "columns": 8, "rows": 4}
    ).json()["scores"]
    # The first 60 examples alone, as an epoch and a half of the same order.
    whole = rosenblatt.train(points["points"], points["y"], keep_log=True, epochs=2)
    memory = whole.memory()
    memory.log, memory.last = (
        type(memory.log)(
            *(part[memory.log.t < seen] for part in (memory.log.t, memory.log.row, memory.log.rival, memory.log.tau))
        ),
        seen,
    )
    cells = [[x, y] for y in (0.75, 0.25, -0.25, -0.75) for x in np.arange(-1.75, 2, 0.5)]
    votes = Voter(whole.classes, memory).scores(cells)
    assert scores == pytest.approx((votes / np.abs(votes).max()).round(3).tolist())
    assert len(set(scores)) > 2, "votes are shared"


def test_a_trace_of_ten_thousand_updates_is_small(client):
    for learner in ("perceptron", "mira"):
        task = {"data": {"kind": "xor", "n": 500}, "learner": learner, "order": "shuffled", "epochs": 45}
        answer = client.post("/api/trace", json=task, headers={"accept-encoding": "gzip"})
        updates = len(answer.json()["log"]["row"])
        assert 10_000 <= updates < 13_000
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.num_bytes_downloaded < 200_000


def test_runs_end_at_the_caps_and_say_so(client):
    task = {"data": {"kind": "xor", "n": 1000}, "learner": "logistic", "order": "given", "epochs": 1000}
    result = client.post("/api/trace", json=task).json()
    assert limits.MOST_UPDATES <= len(result["log"]["row"]) < limits.MOST_UPDATES + 1000
    assert "50,000 updates" in result["notes"][0]
    too_long = client.post("/api/trace", json={**task, "data": {"kind": "xor", "n": 1001}})
    assert "epochs is 1000" in refusal(too_long, 200), "well asked, and yet impossible"
    assert too_long.json()["about"] == "epochs"


def test_a_rate_that_diverges_is_told_and_what_was_good_is_shown(client):
    task = {"data": {"kind": "blobs", "n": 50}, "learner": "widrow-hoff", "parameters": {"eta0": 1000.0}, "epochs": 50}
    result = client.post("/api/trace", json=task).json()
    assert "overflowed" in result["notes"][0]
    assert np.isfinite(result["last"]).all()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"learner": "forest"}, "learner"),
        ({"epochs": 0}, "epochs"),
        ({"epochs": 1.5}, "epochs"),
        ({"epochs": True}, "epochs"),
        ({"data": {"kind": "blobs", "n": 5001}}, "n is 5001"),
        ({"data": {"kind": "points", "points": [[0, 0, 2]]}}, "point 0"),
        ({"data": {"kind": "points", "points": [[1e400, 0, 1]]}}, "coordinate"),
        ({"start": [0, 0]}, "start"),
        ({"features": ["x3"]}, "features"),
        ({"features": "x1x2"}, "features"),
        ({"holdout": 0.6}, "holdout"),
        ({"data": {"kind": "blobs", "k": 6}}, "k is 6"),
        ({"data": {"kind": "points", "points": [[0, 0, "f"]]}}, "point 0"),
        ({"data": {"kind": "points", "points": [[0, 0, "ab"]]}}, "point 0"),
        ({"data": {"kind": "points", "points": [[0, 0, []]]}}, "point 0"),
        ({"data": {"kind": "points", "points": [[0, 0, "a"], [0, 1, 1]]}}, "both kinds"),
        ({"more": 1}, "more"),
        ({"parameters": {"p": 0.5}}, "'p'"),
        ({"seed": 2**31}, "seed"),
        ({"data": None}, "data"),
        ({"data": {"kind": "points", "points": [[0, 1, 1]], "classes": ["a"]}}, "classes"),
        ({"data": {"kind": "points", "points": [[0, 1, 1]], "classes": ["a", "a"]}}, "classes"),
        ({"data": {"kind": "points", "points": [[0, 1, 1]], "classes": ["a", "b" * 41]}}, "classes"),
    ],
)
def test_what_cannot_be_is_refused_by_name(client, change, named):
    body = json.dumps({**TASK, **change}).replace("Infinity", "1e400")
    answer = client.post("/api/trace", content=body, headers={"content-type": "application/json"})
    assert named in refusal(answer)


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"kind": "points", "points": []}, "no points"),
        ({"kind": "points", "points": [[0, 0, 1]]}, "one class"),
        ({"kind": "file"}, "no file"),
        ({"kind": "csv", "text": "a,b,c\n1,2,x\n3,4,y\n", "x": "z"}, "no column 'z'"),
    ],
)
def test_points_that_are_well_asked_for_and_cannot_be_had_are_no_failed_request(client, data, named):
    answer = client.post("/api/trace", json={**TASK, "data": data})
    assert named in refusal(answer, 200)
    assert answer.json()["about"] == "data"


def test_headers_keep_other_sites_out(client):
    page = client.get("/")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert client.get("/favicon.ico").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1.evil.example:PORT"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:PORT"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_foreign_hosts_and_origins_are_refused(client, playground, headers):
    headers = {name: value.replace("PORT", str(playground.port)) for name, value in headers.items()}
    assert refusal(client.post("/api/trace", json=TASK, headers=headers), 403)
    assert "content-security-policy" in client.get("/healthz", headers=headers).headers


def test_a_form_of_another_site_cannot_ask(client):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        refusal(client.post("/api/trace", content=json.dumps(TASK), headers={"content-type": kind}), 415)


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/server.py", "/static/main.js", "/%2e%2e/server.py", "//etc/passwd", "/index.html", "/main.js/"],
)
def test_no_path_opens_a_file(client, path):
    assert client.get(path).status_code == 404


def test_it_listens_on_the_loopback_only(playground):
    listening = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    places = [line.split()[1] for line in listening.splitlines() if f":{playground.port:04X} " in line and " 0A " in line]
    assert places == [f"0100007F:{playground.port:04X}"], "127.0.0.1, as the kernel writes it"


def test_a_file_is_played_with_and_its_columns_are_named(tmp_path, started):
    (tmp_path / "t.csv").write_text("a,b,c,kind\n1,2,x,yes\n3,1,y,no\n2,2,x,no\n")
    process = started(str(tmp_path / "t.csv"), "--x", "b", "--y", "a", "--target", "kind")
    connection = http.client.HTTPConnection("127.0.0.1", process.port)
    connection.request("GET", "/api/datasets")
    result = json.loads(connection.getresponse().read())["file"]
    connection.close()
    assert result["columns"] == ["a", "b", "c", "kind"]
    assert result["chosen"] == ["b", "a", "kind"]


@pytest.mark.parametrize("example", re.findall(r"^ *rosenblatt play((?!.* -o ).*)$", play.help, re.M))
def test_every_example_of_the_help_runs(started, example):
    arguments = [word for word in shlex.split(example) if word != "--open"]
    process = started(*arguments, "--json")
    assert httpx.get(f"{process.address}healthz").json() == {"status": "ok"}
    rows = httpx.get(f"{process.address}api/datasets").json()["file"]
    assert (rows is not None) == bool(arguments)


def test_ctrl_c_ends_it_cleanly(started):
    process = started()
    process.process.send_signal(signal.SIGINT)
    out, err = process.process.communicate(timeout=10)
    assert process.process.returncode == 0
    assert (out, err) == ("", "")


def test_without_its_parts_it_says_in_one_line_what_to_install():
    blocked = "import sys; sys.modules['uvicorn'] = None; from rosenblatt.cli import run; sys.exit(run(['play']))"
    done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "MissingPartError: The playground needs uvicorn: pip install 'rosenblatt[play]'.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--x", "a"], "give one"),
        (["nowhere.csv"], "nowhere.csv"),
        (["iris", "--x", "colour"], "no column 'colour'"),
        (["iris", "--positive", "rose"], "no class 'rose'"),
        (["{texts}"], "needs two columns of numbers beside the label: of colour, size, kind only 'size' is one"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_served(arguments, words, tmp_path, capsys):
    from rosenblatt.cli import run

    texts = tmp_path / "texts.csv"
    texts.write_text("colour,size,kind\nred,1,a\nblue,2,b\n")
    assert run(["play", *(part.format(texts=texts) for part in arguments)]) in (1, 2)
    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.out == ""


def test_a_port_in_use_is_told(playground, capsys):
    from rosenblatt.cli import run

    assert run(["play", "--port", str(playground.port)]) == 2
    assert "Choose another with --port" in capsys.readouterr().err
