"""What stands between the network and the app: who may ask, how much, and for how long.

The server listens on the loopback only, but any page in the user's browser can send requests there, and a name that
resolves to 127.0.0.1 would make a foreign page look like ours. So Host and Origin must be our own address.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from rosenblatt.playground.requests import BODY_BYTES

MOST_CONNECTIONS = 100
MOST_ACCEPTED = 800  # while it is not yet known which of them ask something: fewer than a process may have files
READING_SECONDS = 0.5  # in which a request that was sent at once has come
READING_TURNS = 4  # of the event loop, in which it has been read: a socket is registered, polled and read in three


@dataclass(frozen=True)
class Patience:
    """How long, in seconds, the server waits for those who are slow."""

    answer: float = 9.0  # for each request, from being opened or from the answer before; and to take an answer
    body: float = 5.0  # of them to send its body
    idle: int = 3  # between requests


PROTECTIVE_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class Guard:
    """Refuses foreign hosts and origins, and puts the protective headers on every answer."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [(name.encode(), value.encode()) for name, value in PROTECTIVE_HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *headers]}
            await send(message)

        refusal = foreign(scope)
        if refusal:
            await refuse(send_with_headers, 403, refusal)
        else:
            await self.app(scope, receive, send_with_headers)


def foreign(scope: Scope) -> str | None:
    """Why this request is not from our own page, or from a program on this machine; None if it may pass."""
    port = scope["server"][1]
    hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
    if port == 80:
        hosts |= {"127.0.0.1", "localhost"}
    headers: dict[bytes, list[str]] = {}
    for name, value in scope["headers"]:
        headers.setdefault(name, []).append(value.decode("latin-1"))
    host = headers.get(b"host", [])
    if len(host) != 1 or host[0].lower() not in hosts:
        return "The Host is not that of this playground: open the address that `rosenblatt play` printed."
    if any(origin not in {f"http://{host}" for host in hosts} for origin in headers.get(b"origin", [])):
        return "The request comes from another site."
    if any(site not in ("same-origin", "none") for site in headers.get(b"sec-fetch-site", [])):
        # A link from elsewhere may open the page; nothing else may be asked for.
        navigation = scope["method"] == "GET" and scope["path"] == "/" and headers.get(b"sec-fetch-mode") == ["navigate"]
        return None if navigation else "The request comes from another site."
    return None


async def refuse(send: Send, status: int, why: str) -> None:
    body = json.dumps({"error": why}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class BodyBudget:
    """How many bytes the bodies of all requests that are being read or answered may hold: as many as two of the longest.

    Else a hundred connections that each send almost all of a body would hold a hundred times what one may.
    """

    def __init__(self) -> None:
        self.held = 0

    @contextmanager
    def for_body(self) -> Iterator[Callable[[int], None]]:
        """A function that reserves so many bytes more; they are free again at the end."""
        reserved = 0

        def reserve(more: int) -> None:
            nonlocal reserved
            if self.held + more > 2 * BODY_BYTES:
                raise HTTPException(429, "Too much is being asked at a time: try again.", headers={"connection": "close"})
            self.held += more
            reserved += more

        try:
            yield reserve
        finally:
            self.held -= reserved


async def read_body(request: Request, reserve: Callable[[int], None], seconds: float) -> bytes:
    """The body, if it is JSON by its type, not too long, and complete in time; room for every part of it is reserved."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":  # which no foreign page may send without being allowed to
        raise HTTPException(415, "The body must be application/json.")
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced[:20]) > BODY_BYTES:
        raise too_long()
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                if len(body) + len(part) > BODY_BYTES:
                    raise too_long()
                reserve(len(part))
                body += part
    except TimeoutError:
        raise HTTPException(408, "The body did not come in time.", headers={"connection": "close"}) from None
    except ClientDisconnect:
        raise HTTPException(400, "The connection ended before the body did.") from None
    return bytes(body)


def too_long() -> HTTPException:
    return HTTPException(413, f"The body is longer than {BODY_BYTES:,} bytes.", headers={"connection": "close"})


class Slots:
    """The connections that there may be; one that has asked nothing yet, or not all of it, makes room for a newer one.

    So whoever holds connections open, however many, keeps out nobody who sends a request.
    """

    def __init__(self, most: int = MOST_CONNECTIONS):
        self.most = most
        self.asking: dict[PatientProtocol, None] = {}  # without a whole request, the oldest first
        self.answered: set[PatientProtocol] = set()  # whose request is being answered
        self.dropping = False  # soon

    def __len__(self) -> int:
        return len(self.asking) + len(self.answered)

    def enter(self, connection: PatientProtocol) -> bool:
        """A new connection; False if there is no room at all."""
        if len(self.answered) >= self.most:
            return False
        self.asking[connection] = None
        self._drop_oldest(MOST_ACCEPTED)
        if len(self) > self.most and not self.dropping:
            # Not at once: of many that are accepted together, those that ask something are to be heard first.
            self.dropping = True
            connection.loop.call_later(READING_SECONDS, self._drop_soon, connection.loop)
        return True

    def begin_answer(self, connection: PatientProtocol) -> None:
        if connection in self.asking:
            del self.asking[connection]
            self.answered.add(connection)

    def end_answer(self, connection: PatientProtocol) -> None:
        if connection in self.answered:
            self.answered.remove(connection)
            self.asking[connection] = None

    def leave(self, connection: PatientProtocol) -> None:
        self.asking.pop(connection, None)
        self.answered.discard(connection)

    def _drop_soon(self, loop: asyncio.AbstractEventLoop, turns: int = READING_TURNS) -> None:
        """Drops what is too much, after so many turns of the loop: on a busy machine one of them outlasts the seconds."""
        if turns:
            loop.call_soon(self._drop_soon, loop, turns - 1)
        else:
            self.dropping = False
            self._drop_oldest(self.most)

    def _drop_oldest(self, most: int) -> None:
        for connection in list(self.asking)[: max(0, len(self) - most)]:
            self.leave(connection)
            connection.transport.abort()


class PatientProtocol(H11Protocol):
    """HTTP that hangs up on whoever takes too long, at whatever: uvicorn itself waits for a request for ever."""

    patience: Patience
    slots: Slots
    _clock: asyncio.TimerHandle | None = None

    @classmethod
    def with_patience(cls, patience: Patience) -> type[PatientProtocol]:
        """The protocol of one server, whose connections share its slots."""
        return type(cls.__name__, (cls,), {"patience": patience, "slots": Slots()})

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if self.slots.enter(self):
            self._start_clock()
        else:
            transport.abort()

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete:
            self.slots.begin_answer(self)
            if not self.flow.write_paused:
                self._stop_clock()  # from here on the server is the slow one, and its work is limited

    def pause_writing(self) -> None:
        """Called where the other side does not take what it has asked for."""
        super().pause_writing()
        if self._clock is None:
            self._start_clock()

    def on_response_complete(self) -> None:
        if self.transport.is_closing():
            self.slots.leave(self)  # an abort would take the answer back before it is read
        else:
            self.slots.end_answer(self)
        self._start_clock()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self.slots.leave(self)
        self._stop_clock()
        # After a reset uvicorn would leave its own timer running, and with it the connection, its request and its body for
        # as long as it may rest: thousands of them at a time. It clears up after connections that ended well, so say that.
        super().connection_lost(None)

    def _stop_clock(self) -> None:
        if self._clock:
            self._clock.cancel()
        self._clock = None

    def _start_clock(self) -> None:
        self._stop_clock()
        self._clock = self.loop.call_later(self.patience.answer, self.transport.abort)
