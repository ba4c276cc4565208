"""Requests that no page would send, and connections that no browser would make."""

import json
import random
import socket
import struct
import time

from rosenblatt.playground import requests as limits

HEAD = b"POST /api/trace HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
CHUNK = b"10000\r\n" + b" " * 65536 + b"\r\n"
SCALARS = (
    *("null", "true", "-1", "0", "1e400", "-1e400", "NaN", "Infinity", "1" * 5000, "0.1e-999"),
    *('""', '"\\ud800"', '"<script>"', "[]", "{}"),
)


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
    return status_of(answer), time.monotonic() - started


def meet(port, parts, manner):
    """Sends a request; its status, 0 if the server hung up or was not listened to.

    manner: "listen" to the status and close, whatever else comes; "reset" the connection at once; leave it "half" said.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        answer = b""
        try:
            for part in parts:
                connection.sendall(part)
            if manner == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif manner == "listen":
                answer = connection.recv(1024)
                while answer.startswith(b"HTTP/1.1 100"):  # go on, it says
                    answer = answer.partition(b"\r\n\r\n")[2] or connection.recv(1024)
        except ConnectionError:
            pass
        return status_of(answer)


def status_of(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


class Hostile:
    """Generates them; `slow` ones too, which keep the server busy for seconds."""

    def __init__(self, seed, slow=False):
        self.chance = random.Random(seed)
        self.slow = slow

    def request(self, port):
        """(parts to send, manner)."""
        chance = self.chance
        if chance.random() < 0.02:
            return [HEAD % port + b"Transfer-Encoding: chunked\r\n\r\n", *[CHUNK] * 24], "listen"  # without end
        path, body = self.huge() if chance.random() < 0.01 else (None, self.body())
        whole = self.head(port, path, len(body)) + body
        manner = chance.choices(["listen", "reset", "half"], [90, 5, 5])[0]
        return [whole[: chance.randrange(len(whole))] if manner == "half" else whole], manner

    def head(self, port, path, length):
        """A head with wrong hosts, origins and methods among right ones; with a path, one that lets the body in."""
        headers = {"Host": f"127.0.0.1:{port}", "Content-Type": "application/json"}
        method = "POST"
        if path is None:
            method = self.chance.choice(["POST"] * 30 + ["GET", "PUT", "DELETE", "OPTIONS", "HEAD", "BREW"])
            places = ["/", "/api/datasets", "/../x", "/%00", "/api/trace?" + "a" * 500]
            path = self.chance.choice(["/api/trace"] * 12 + ["/api/grid"] * 6 + places)
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
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, f"Content-Length: {length}", "", ""]).encode()

    def scalar(self):
        return self.chance.choice(SCALARS)

    def value(self, depth=0):
        kind = self.chance.randrange(6)
        if depth > 3 or kind < 3:
            return self.scalar()
        if kind == 3:
            return "[" + ",".join(self.value(depth + 1) for _ in range(self.chance.randrange(5))) + "]"
        names = ["kind", "points", "data", "n", "learner", "task", "box", "x", "text", "__proto__", "epochs", "margin"]
        fields = (f'"{self.chance.choice(names)}":{self.value(depth + 1)}' for _ in range(self.chance.randrange(5)))
        return "{" + ",".join(fields) + "}"

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
        lines = range(self.chance.randrange(6))
        return "\n".join(",".join(self.chance.choice(cells) for _ in range(self.chance.randrange(1, 5))) for _ in lines)

    def huge(self):
        """(path, body) of a request that needs as much as it may: some of a megabyte of JSON or CSV, some valid."""
        return self.chance.choice(self.makers())()

    def makers(self):
        return [self.huge_json, self.huge_csv, self.huge_csv, self.longest_run, *[self.largest_grid] * self.slow]

    def huge_json(self):
        unit = self.chance.choice([b"[],", b"{},", b"1.5,", b'"",', b'"\\u0101\\"",', b'{"a":[', b"\xf0\x9f\x92\xa5"])
        start = self.chance.choice([b"[", b'{"data":[', b'"'])
        return "/api/trace", start + unit * ((limits.BODY_BYTES - 20) // len(unit))

    def huge_csv(self):
        """Many rows, many columns, or letters of four bytes, with numbers that are never the same twice."""
        columns = self.chance.choice([3, 3, 90, limits.PASTED_COLUMNS + 1, 20_000])
        names = ",".join(f"c{place}" for place in range(columns))
        lines, size = [names], len(names)
        while size < 900_000:
            numbers = ",".join(str(self.chance.randrange(10)) for _ in range(columns - 2))
            line = f"{self.chance.random():.4f},{numbers},{self.chance.choice(['a', 'b', '💥'])}"
            lines.append(line)
            size += len(line.encode()) + 2
        return "/api/trace", json.dumps({"data": {"kind": "csv", "text": "\n".join(lines)}}, ensure_ascii=False).encode()

    def task(self, learners):
        point = lambda: [round(self.chance.gauss(0, 1), 3), round(self.chance.gauss(0, 1), 3), self.chance.choice([1, -1])]  # noqa: E731
        return {
            "data": {"kind": "points", "points": [point() for _ in range(limits.MOST_POINTS)]},
            "learner": self.chance.choice(learners),
            "epochs": limits.MOST_EXAMPLES // limits.MOST_POINTS,
            "order": "shuffled",
            "scale": self.chance.random() < 0.5,
        }

    def longest_run(self):
        """As many points, and as many updates, as there may be."""
        return "/api/trace", json.dumps(self.task(["perceptron", "voted", "mira", "logistic", "widrow-hoff"])).encode()

    def largest_grid(self):
        view, sides = (
            self.chance.choice(["last", "averaged", "voted"]),
            {"columns": limits.MOST_GRID_SIDE, "rows": limits.MOST_GRID_SIDE},
        )
        grid = {"task": self.task(["voted", "mira", "kernel"]), "view": view, "box": [-3, 3, -3, 3], **sides}
        return "/api/grid", json.dumps({**grid, "examples": limits.MOST_EXAMPLES}).encode()
