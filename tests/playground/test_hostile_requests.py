"""Hostile requests, slow connections, bodies without end: nothing sent to the server brings it down."""

import http.client
import json
import os
import random
import socket
import time
from concurrent.futures import ThreadPoolExecutor

from rosenblatt.playground import requests as limits

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"


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
            return json.dumps({"data": {"kind": "csv", "text": self.csv()}}).encode()
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
            "Host": ["evil.example", "localhost", "", f"127.0.0.1:{port}@evil.example"],
            "Origin": ["http://evil.example", "null"],
            "Content-Type": ["text/plain", "application/json; charset=latin-1"],
            "Accept-Encoding": ["gzip", "br;q=x", "*"],
            "Upgrade": ["websocket"],
            "Connection": ["Upgrade", "close"],
            "Expect": ["100-continue"],
            "Range": ["bytes=0-5"],
        }.items():
            if self.chance.random() < 0.08:
                headers[name] = self.chance.choice(values)
        return method, path, headers, self.body()


# What one request may need at most: its body, and updates of 24 bytes in the log and some 40 in the answer.
REQUEST = limits.BODY + limits.UPDATES * 64


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
        if number == 500:  # everything that is ever imported has been
            before = playground.memory()
        assert status < 500, (method, path, headers, body[:500])
    assert playground.memory() - before < 2 * REQUEST
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
