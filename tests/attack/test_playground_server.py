"""Attacks on the playground's server: connections that say nothing, grids that cost too much, tasks that cannot be."""

import contextlib
import os
import socket
import sys
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "playground"))
try:
    from hostile import HEAD, Hostile, send
    from window import Process
finally:
    sys.path.pop(0)

from rosenblatt.playground import requests as limits
from rosenblatt.playground.guard import Patience, Slots
from rosenblatt.playground.running import GRID_STEPS, affordable_grid, grid_scores
from rosenblatt.playground.server import Playground

FULL = os.environ.get("ROSENBLATT_TESTS") == "full"


@pytest.fixture(scope="module")
def server():
    process = Process(patience=Patience(answer=60.0))  # a busy machine may take long; how long is not what is asked here
    yield process
    process.kill()


@pytest.fixture(scope="module")
def client(server):
    with httpx.Client(base_url=server.address, timeout=60) as asking:
        yield asking


def health(server):
    question = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % server.port
    return send(server.port, question, wait=60)  # a busy machine may take long; a connection that is closed answers at once


def test_five_hundred_slow_connections_keep_nobody_out(server):
    beginnings = [b"", HEAD % server.port, HEAD % server.port + b"Content-Length: 100\r\n\r\n{"]
    done = threading.Event()

    def hold(count):
        """Holds so many slow connections, and opens new ones in the place of the oldest all the time."""
        with contextlib.ExitStack() as stack:
            held = deque()
            while not done.is_set():
                for number in range(count - len(held) or count // 20):
                    with contextlib.suppress(OSError):
                        slow = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=5))
                        slow.sendall(beginnings[number % 3])
                        held.append(slow)
                while len(held) > count:
                    held.popleft().close()
                done.wait(0.1)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold, 500)
        try:
            answers = [health(server) for _ in range(100 if FULL else 20)]
        finally:
            done.set()
        holding.result()
    assert {status for status, _ in answers} == {200}


class Connection:
    """What Slots needs of one."""

    def __init__(self):
        self.loop, self.transport, self.aborted, self.calls = self, self, False, []

    def call_later(self, seconds, callback, *arguments):
        self.calls.append((callback, arguments))

    def call_soon(self, callback, *arguments):
        self.calls.append((callback, arguments))

    def run(self):
        for callback, arguments in self.calls:  # which grows meanwhile
            callback(*arguments)

    def abort(self):
        self.aborted = True


def test_the_oldest_that_has_not_asked_makes_room():
    slots, (answered, old, idle, new) = Slots(most=3), (Connection() for _ in range(4))
    for connection in (answered, old, idle):
        assert slots.enter(connection)
        assert not connection.calls
    for connection in (answered, idle):
        slots.begin_answer(connection)
    slots.end_answer(idle)  # it has had its answer later than `old` was opened
    assert slots.enter(new)
    assert not old.aborted, "what it may have sent is read first"
    new.run()
    assert [connection.aborted for connection in (answered, old, idle, new)] == [False, True, False, False]
    assert len(slots) == 3


def test_where_all_are_being_answered_there_is_no_room():
    slots, connections = Slots(most=2), [Connection() for _ in range(3)]
    for connection in connections[:2]:
        assert slots.enter(connection)
        slots.begin_answer(connection)
    assert not slots.enter(connections[2])
    slots.leave(connections[0])
    assert slots.enter(connections[2])


@pytest.mark.parametrize("learner", ["voted", "kernel"])
def test_no_grid_takes_more_steps_than_it_may(learner):
    task = Hostile(3).task([learner])
    if learner == "kernel" and not FULL:
        task["data"]["points"] = task["data"]["points"][:1500]
    run = Playground().runs.of(limits.as_task(task))
    asked = {"task": task, "view": "voted", "box": [-3, 3, -3, 3], "columns": 160, "rows": 100, "examples": run.t}
    grid = limits.as_grid(asked)
    for most in (1e5, 1e6, 1e7, GRID_STEPS):
        given = affordable_grid(run, grid, most)
        assert given.columns * given.rows * len(run.log.t) <= most or (given.columns, given.rows) == (2, 2)
        assert given.columns <= 160
        assert given.rows <= 100
    small = affordable_grid(run, grid, 1e6)
    assert small is not grid
    same = limits.as_grid({**asked, "columns": small.columns, "rows": small.rows})
    assert np.array_equal(grid_scores(run, small), grid_scores(run, same)), "what is given is a grid like any other"
    assert affordable_grid(run, limits.as_grid({**asked, "examples": 0})).columns == 160, "little is asked of a short run"


def test_the_answer_says_that_the_grid_is_coarser(client):
    task = Hostile(3).task(["voted"])
    asked = {"task": task, "view": "voted", "box": [-3, 3, -3, 3], "columns": 160, "rows": 160}
    answer = client.post("/api/grid", json={**asked, "examples": limits.MOST_EXAMPLES}).json()
    assert len(answer["scores"]) == answer["columns"] * answer["rows"] < 160 * 160
    assert f"{answer['columns']} × {answer['rows']} cells, not 160 × 160" in answer["note"]
    linear = client.post("/api/grid", json={**asked, "view": "last", "examples": 100}).json()
    assert (linear["columns"], linear["rows"], "note" in linear) == (160, 160, False)


FOUR = {"data": {"kind": "four"}}


@pytest.mark.parametrize(
    ("task", "about"),
    [
        ({"data": {"kind": "five"}}, "data"),
        ({"data": {"kind": "file"}}, "data"),
        ({"data": {"kind": "points", "points": [[1, 2, 3]]}}, "data"),
        ({"data": {"kind": "points", "points": []}}, "data"),
        ({"data": {"kind": "csv", "text": "a,b,y\n1,2,no\n2,1,yes\n", "x": "none"}}, "data"),
        ({"data": {"kind": "csv", "text": "a"}}, "data"),
        ({**FOUR, "learner": "none"}, "learner"),
        ({**FOUR, "learner": "mira", "parameters": {"p": -1}}, "parameters"),
        ({**FOUR, "learner": "mira", "parameters": {"q": 1}}, "parameters"),
        ({**FOUR, "learner": "mira", "parameters": []}, "parameters"),
        ({**FOUR, "epochs": 0}, "epochs"),
        ({"data": {"kind": "blobs", "n": 5000}, "epochs": 1000}, "epochs"),
        ({**FOUR, "order": "none"}, "order"),
        ({**FOUR, "seed": -1}, "seed"),
        ({**FOUR, "bias": 1}, "bias"),
        ({**FOUR, "scale": None}, "scale"),
        ({**FOUR, "start": [0, 0]}, "start"),
        ({**FOUR, "start": [0, 0, 1e300]}, "start"),
        ({**FOUR, "none": 1}, ""),
        ({}, ""),
        ([], ""),
    ],
    ids=str,
)
def test_a_refusal_says_what_it_is_about(client, task, about):
    answer = client.post("/api/trace", json=task).json()
    assert answer["error"]
    assert answer["about"] == about
    grid = {"task": task, "view": "last", "box": [-3, 3, -3, 3], "examples": 1}
    assert client.post("/api/grid", json=grid).json()["about"] == about


@pytest.mark.skipif(not FULL, reason="it keeps two processors busy for ten seconds")
def test_more_questions_than_can_wait_are_told_to_come_again(server):
    task = {"data": {"kind": "blobs", "n": 5000, "margin": -0.5}, "learner": "kernel", "epochs": 50}

    def ask(seed):
        with httpx.Client(base_url=server.address, timeout=60) as asking:
            try:
                return asking.post("/api/trace", json={**task, "data": {**task["data"], "seed": seed}}).status_code
            except httpx.TransportError:  # nine seconds were over
                return 0

    with ThreadPoolExecutor(40) as pool:
        asked = [pool.submit(ask, seed) for seed in range(40)]
        assert health(server)[0] == 200, "meanwhile"
        statuses = {job.result() for job in asked}
    assert 429 in statuses <= {0, 200, 429}
    assert health(server)[0] == 200
