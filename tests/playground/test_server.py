"""The server: what it answers, what it refuses, and that nothing sent to it brings it down."""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

import rosenblatt
from rosenblatt.playground import requests as limits

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"
TASK = {"data": {"kind": "four"}, "order": "given", "start": [1, 0, 0]}


@pytest.fixture
def client(playground):
    with httpx.Client(base_url=playground.address, timeout=20) as made:
        yield made


def refusal(response, status=422):
    assert response.status_code == status, response.text
    return response.json()["error"]


def test_the_log_of_boulders_example_is_returned(client):
    found = client.post("/api/trace", json={**TASK, "epochs": 1}).json()
    assert found["log"] == {"t": [1], "row": [1], "tau": 1.0}  # LECTURES B3: only the second point moves the weights
    assert found["last"] == [0.5, 1.0, -1.0]


def test_the_first_question_may_come_at_once(started):
    process = started()
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(
                lambda kind: httpx.post(f"{process.address}api/trace", json={"data": {"kind": kind}}, timeout=30),
                limits.MADE,
            )
        )
    assert [answer.status_code for answer in answers] == [200] * len(limits.MADE)


def test_votes_over_the_plane_are_those_of_the_library(client):
    from rosenblatt.votes import Voter

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
    found = client.post("/api/trace", json=task).json()
    assert limits.UPDATES <= len(found["log"]["row"]) < limits.UPDATES + 1000
    assert "50,000 updates" in found["notes"][0]
    assert "epochs is 1000" in refusal(client.post("/api/trace", json={**task, "data": {"kind": "xor", "n": 1001}}))


def test_a_rate_that_diverges_is_told_and_what_was_good_is_shown(client):
    task = {"data": {"kind": "blobs", "n": 50}, "learner": "widrow-hoff", "parameters": {"eta0": 1000.0}, "epochs": 50}
    found = client.post("/api/trace", json=task).json()
    assert "overflowed" in found["notes"][0]
    assert np.isfinite(found["last"]).all()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"learner": "forest"}, "learner"), ({"epochs": 0}, "epochs"), ({"epochs": 1.5}, "epochs"), ({"epochs": True}, "epochs"),
        ({"data": {"kind": "blobs", "n": 5001}}, "n is 5001"), ({"data": {"kind": "points", "points": [[0, 0, 2]]}}, "point 0"),
        ({"data": {"kind": "points", "points": []}}, "no points"), ({"data": {"kind": "points", "points": [[0, 1, 1]]}}, "one class"),
        ({"data": {"kind": "points", "points": [[1e400, 0, 1]]}}, "coordinate"), ({"start": [0, 0]}, "start"), ({"more": 1}, "more"),
        ({"parameters": {"p": 0.5}}, "'p'"), ({"data": {"kind": "file"}}, "no file"), ({"seed": 2**31}, "seed"), ({"data": None}, "data"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(client, change, named):
    body = json.dumps({**TASK, **change}).replace("Infinity", "1e400")
    answer = client.post("/api/trace", content=body, headers={"content-type": "application/json"})
    assert named in refusal(answer)


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
        {"host": "evil.example"}, {"host": "127.0.0.1"}, {"host": "127.0.0.1.evil.example:PORT"}, {"origin": "http://evil.example"},
        {"origin": "null"}, {"origin": "https://127.0.0.1:PORT"}, {"origin": "http://127.0.0.1:1"}, {"sec-fetch-site": "cross-site"},
    ],
)  # fmt: skip
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


def send(port, *parts, wait=12.0, pause=0.0):
    """What the server says to these bytes: the status, and how long it took until the end."""
    started = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
        except ConnectionError:
            answer = b""
    status = int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0
    return status, time.monotonic() - started


HEAD = b"POST /api/trace HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"


def slow_connections(port):
    head = HEAD % port
    return {
        "silent": [],
        "half a head": [head],
        "no body": [head + b"Content-Length: 100\r\n\r\n"],
        "half a body": [head + b"Content-Length: 100\r\n\r\n{"],
        "half a chunk": [head + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{"],
        "after an answer": [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\nGET" % port],
        "idle": [b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port],
    }


def test_slow_and_half_open_connections_are_dropped_within_ten_seconds(playground):
    cases = slow_connections(playground.port)
    with ThreadPoolExecutor(len(cases) + 2) as pool:
        waiting = {name: pool.submit(send, playground.port, *parts, wait=20) for name, parts in cases.items()}
        drip = pool.submit(send, playground.port, *([b"G"] + [b"E"] * 30), wait=20, pause=0.5)
        endless = pool.submit(
            send,
            playground.port,
            HEAD % playground.port + b"Transfer-Encoding: chunked\r\n\r\n",
            *[b"1\r\n \r\n"] * 30,
            wait=20,
            pause=0.5,
        )
        results = {name: job.result() for name, job in waiting.items()} | {
            "drip": drip.result(),
            "endless": endless.result(),
        }
    for name, (status, seconds) in results.items():
        assert status < 500, name
        # The drip itself goes on for longer where nobody looks at what comes back; what counts is the connection.
        assert seconds < 10 + (6 if name in ("drip", "endless") else 0), name


def test_a_body_without_end_is_cut_off(playground):
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    status, seconds = send(playground.port, HEAD % playground.port + b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 200)
    assert status in (413, 0), "0: hung up while still being sent to"
    assert seconds < 10
    assert send(playground.port, HEAD % playground.port + b"Content-Length: 99999999\r\n\r\n")[0] == 413


class Hostile:
    """Requests that no page would send."""

    SCALARS = (
        "null",
        "true",
        "-1",
        "0",
        "1e400",
        "-1e400",
        "NaN",
        "Infinity",
        "1" * 5000,
        "0.1e-999",
        '""',
        '"\\ud800"',
        '"<script>"',
        "[]",
        "{}",
    )

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def scalar(self):
        return self.chance.choice(self.SCALARS)

    def value(self, depth=0):
        kind = self.chance.randrange(6)
        if depth > 3 or kind < 3:
            return self.scalar()
        if kind == 3:
            return "[" + ",".join(self.value(depth + 1) for _ in range(self.chance.randrange(5))) + "]"
        names = ["kind", "points", "data", "n", "learner", "task", "box", "x", "text", "__proto__", "epochs", "margin"]
        return (
            "{"
            + ",".join(f'"{self.chance.choice(names)}":{self.value(depth + 1)}' for _ in range(self.chance.randrange(5)))
            + "}"
        )

    def body(self):
        kind = self.chance.randrange(8)
        if kind == 0:
            return self.chance.randbytes(self.chance.randrange(200))
        if kind == 1:
            return b"[" * self.chance.choice([10, 1000, 100_000])
        if kind == 2:
            return self.value().encode()
        if kind == 3:
            return ('{"data":{"kind":"csv","text":%s}}' % json.dumps(self.csv())).encode()
        fields = {
            "data": '{"kind":"blobs","n":20}',
            "epochs": "3",
            "learner": '"mira"',
            "order": '"shuffled"',
            "start": "[0,0,0]",
            "parameters": "{}",
        }
        for name in self.chance.sample(sorted(fields), self.chance.randrange(1, 4)):
            fields[name] = self.value()
        task = "{" + ",".join(f'"{name}":{value}' for name, value in fields.items()) + "}"
        if kind < 6:
            return task.encode()
        grid = {
            "task": task,
            "examples": self.scalar(),
            "box": f"[{self.scalar()},1,0,{self.scalar()}]",
            "view": self.scalar(),
        }
        return ("{" + ",".join(f'"{name}":{value}' for name, value in grid.items()) + "}").encode()

    def csv(self):
        cells = ["1", "-2.5", "yes", "no", "", "nan", "inf", '"', "1e400", "\x00", "é", "💥", "^a$"]
        return "\n".join(
            ",".join(self.chance.choice(cells) for _ in range(self.chance.randrange(1, 5)))
            for _ in range(self.chance.randrange(6))
        )

    def request(self, port):
        method = self.chance.choice(["POST"] * 8 + ["GET", "PUT", "DELETE", "OPTIONS", "HEAD", "BREW"])
        path = self.chance.choice(
            ["/api/trace"] * 4 + ["/api/grid"] * 3 + ["/", "/api/datasets", "/../x", "/%00", "/api/trace?" + "a" * 500]
        )
        headers = {"Host": f"127.0.0.1:{port}", "Content-Type": "application/json"}
        for name, values in {
            "Host": ["evil.example", "localhost", "", f"127.0.0.1:{port}@evil.example"], "Origin": ["http://evil.example", "null"],
            "Content-Type": ["text/plain", "application/json; charset=latin-1"], "Accept-Encoding": ["gzip", "br;q=x", "*"],
            "Upgrade": ["websocket"], "Connection": ["Upgrade", "close"], "Expect": ["100-continue"], "Range": ["bytes=0-5"],
        }.items():  # fmt: skip
            if self.chance.random() < 0.08:
                headers[name] = self.chance.choice(values)
        return method, path, headers, self.body()


def test_hostile_requests_are_refused_without_a_failure(playground):
    hostile, statuses = Hostile(11), {}
    before = None
    for number in range(20_000 if FULL else 2_000):
        method, path, headers, body = hostile.request(playground.port)
        connection = http.client.HTTPConnection("127.0.0.1", playground.port, timeout=15)
        try:
            connection.request(method, path, body, headers)
            status = connection.getresponse().status
        except (http.client.HTTPException, ConnectionError):
            status = 0  # hung up
        finally:
            connection.close()
        statuses[status] = statuses.get(status, 0) + 1
        assert status < 500, (method, path, headers, body[:500])
        if number == 500:
            before = playground.memory()
    assert playground.memory() - before < 2 * limits.BODY
    assert statuses.get(422, 0) > 500, statuses
    assert (
        send(playground.port, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % playground.port)[
            0
        ]
        == 200
    )


def test_many_connections_at_once_do_not_keep_others_out_for_long(playground):
    idle = []
    for _ in range(150):
        idle.append(socket.create_connection(("127.0.0.1", playground.port), timeout=5))
    for connection in idle:
        connection.close()
    time.sleep(0.2)
    assert (
        send(playground.port, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % playground.port)[
            0
        ]
        == 200
    )


def test_it_listens_on_the_loopback_only(playground):
    addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in addresses:
        if not address.startswith("127."):
            with pytest.raises(OSError):
                socket.create_connection((address, playground.port), timeout=2).close()


def test_a_file_is_played_with_and_its_columns_are_named(tmp_path, started):
    (tmp_path / "t.csv").write_text("a,b,c,kind\n1,2,x,yes\n3,1,y,no\n2,2,x,no\n")
    process = started(str(tmp_path / "t.csv"), "--x", "b", "--y", "a", "--target", "kind")
    connection = http.client.HTTPConnection("127.0.0.1", process.port)
    connection.request("GET", "/api/datasets")
    found = json.loads(connection.getresponse().read())["file"]
    connection.close()
    assert found["columns"] == ["a", "b", "c", "kind"]
    assert found["chosen"] == ["b", "a", "kind"]


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
    assert done.stderr == "SettingError: The playground needs uvicorn: pip install 'rosenblatt[play]'.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--x", "a"], "give one"), (["nowhere.csv"], "nowhere.csv"), (["iris", "--x", "colour"], "no column 'colour'"),
        (["iris", "--positive", "rose"], "no class 'rose'"),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused_before_anything_is_served(arguments, words, capsys):
    from rosenblatt.cli import run

    assert run(["play", *arguments]) in (1, 2)
    told = capsys.readouterr()
    assert words in told.err
    assert told.out == ""


def test_a_port_in_use_is_told(playground, capsys):
    from rosenblatt.cli import run

    assert run(["play", "--port", str(playground.port)]) == 2
    assert "Choose another with --port" in capsys.readouterr().err
