"""The server of the playground: starlette on 127.0.0.1, four routes and a fixed set of files."""

from __future__ import annotations

import logging
import socket
from collections.abc import Awaitable, Callable
from importlib.resources import files
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rosenblatt.errors import DataError, RosenblattError
from rosenblatt.playground import requests
from rosenblatt.playground.guard import BodyBudget, Guard, Patience, PatientProtocol, read_body
from rosenblatt.playground.learners import as_javascript
from rosenblatt.playground.memory import MemoryTrimmer
from rosenblatt.playground.points import Points, from_table, from_text, make
from rosenblatt.playground.requests import Data
from rosenblatt.playground.running import RunCache, affordable_grid, coarser, grid_scores
from rosenblatt.playground.trace import as_json, trace
from rosenblatt.playground.translation import engine_in_javascript

if TYPE_CHECKING:
    import polars as pl

HOST = "127.0.0.1"
MOST_QUEUED = 20  # questions that wait for one of the workers
CONTENT_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}


class Playground:
    """The answers; `table`, where given, is the file of the command line as a polars frame."""

    def __init__(
        self,
        table: pl.DataFrame | None = None,
        chosen: Data | None = None,
        positive: str | None = None,
        patience: Patience | None = None,
    ):
        self.patience = patience or Patience()
        self.table, self.chosen, self.positive = table, chosen or Data("file"), positive
        self.runs = RunCache(self.points_of)
        self.workers, self.bodies, self.trimmer = anyio.CapacityLimiter(2), BodyBudget(), MemoryTrimmer()
        self.warming, self.warm_already = Lock(), False

    def points_of(self, data: Data) -> Points:
        """The points that a request means."""
        if data.kind == "csv":
            return from_text(data)
        if data.kind != "file":
            return make(data)
        if self.table is None:
            raise DataError("There is no file: start with `rosenblatt play FILE`.")
        wanted = {name: getattr(data, name) or getattr(self.chosen, name) for name in ("x", "y", "target")}
        return from_table(self.table, Data("file", **wanted), self.positive)

    async def trace(self, request: Request) -> Response:
        """POST /api/trace: a run of the engine, to be replayed; or why there can be none.

        A question that is well put and has no answer is no failed request: its answer says what stands in the way.
        """

        def replayed(value: Any) -> dict[str, Any]:
            task = requests.as_task(value)
            try:
                return trace(self.runs.of(task))
            except RosenblattError as problem:
                # What the page then gives up: a part of the task that cannot be.
                return {"error": str(problem), "about": requests.about(problem)}

        return await self.answer(request, replayed)

    async def grid(self, request: Request) -> Response:
        """POST /api/grid: scores over the plane, where they are not linear."""

        def scores(value: Any) -> dict[str, Any]:
            grid = requests.as_grid(value)
            run = self.runs.of(grid.task)
            affordable = affordable_grid(run, grid)
            answer = {
                "scores" if run.vectors == 1 else "winners": grid_scores(run, affordable),
                "columns": affordable.columns,
                "rows": affordable.rows,
            }
            return answer if affordable is grid else answer | {"note": coarser(grid, affordable)}

        return await self.answer(request, scores)

    async def datasets(self, request: Request) -> Response:
        """GET /api/datasets: the recipes, and the columns of the file."""
        facts: dict[str, Any] = {
            "made": requests.POINT_RECIPES,
            "file": None,
            "limits": {"points": requests.MOST_POINTS, "epochs": requests.MOST_EPOCHS},
        }
        if self.table is not None:
            points = self.points_of(Data("file"))
            facts["file"] = {"columns": points.columns, "chosen": points.chosen, "rows": len(points.y)}
        return JSONResponse(facts)

    async def health(self, request: Request) -> Response:
        """GET /healthz: still there."""
        return JSONResponse({"status": "ok"})

    def warm(self) -> None:
        """Imports what questions need, once: while the page is being opened, or before the first answer."""
        with self.warming:
            if not self.warm_already:
                self.runs.of(requests.Task(Data("xor", n=8)))
            self.warm_already = True

    async def answer(self, request: Request, job: Callable[[Any], dict[str, Any]]) -> Response:
        """The answer of a job to the JSON of a request, made beside the event loop, two at a time.

        One that nobody waits for any more is not begun.
        """
        try:
            with self.bodies.for_body() as reserve:
                body = await read_body(request, reserve, self.patience.body)
                if self.workers.statistics().tasks_waiting >= MOST_QUEUED:
                    raise HTTPException(429, "Too much is being asked at a time: try again.")

                def work() -> bytes:
                    self.warm()
                    return as_json(job(requests.parse(body)))

                async with self.workers:
                    if await request.is_disconnected():
                        raise HTTPException(400, "The connection was closed before the answer.")
                    return Response(await anyio.to_thread.run_sync(work), media_type="application/json")
        finally:
            self.trimmer.trim_soon()


def static_routes() -> list[Route]:
    """A route for every file of the page, read once: no path of a request ever opens a file."""
    written = {"learners.js": as_javascript(), "engine.js": engine_in_javascript().encode()}
    routes = [Route(f"/{name}", answer_with(content, CONTENT_TYPES["js"])) for name, content in written.items()]
    rooms = [files("rosenblatt.playground").joinpath(folder) for folder in ("static", "browser")]
    for file in (file for room in rooms for file in room.iterdir()):
        kind = CONTENT_TYPES.get(file.name.rpartition(".")[2])
        if kind is None:
            continue
        content = file.read_bytes()
        paths = ["/"] if file.name == "index.html" else [f"/{file.name}"]
        paths += ["/favicon.ico"] if file.name == "icon.svg" else []
        routes += [Route(path, answer_with(content, kind)) for path in paths]
    return routes


def answer_with(content: bytes, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return Response(content, headers={"content-type": kind})

    return answer


def app(playground: Playground | None = None) -> Starlette:
    """The app, ready to be served or tested."""
    playground = playground or Playground()
    starlette = Starlette(
        routes=[
            Route("/api/trace", playground.trace, methods=["POST"]),
            Route("/api/grid", playground.grid, methods=["POST"]),
            Route("/api/datasets", playground.datasets),
            Route("/healthz", playground.health),
            *static_routes(),
        ],
        middleware=[Middleware(Guard), Middleware(GZipMiddleware, minimum_size=1000, compresslevel=4)],
        exception_handlers={RosenblattError: refused, HTTPException: failed},
    )
    starlette.router.redirect_slashes = False
    return starlette


async def refused(request: Request, problem: Exception) -> Response:
    """What the library refuses is the request's fault."""
    return JSONResponse({"error": str(problem), "about": requests.about(problem)}, 422)


async def failed(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    return JSONResponse({"error": problem.detail}, problem.status_code, headers=problem.headers)


def listen(port: int) -> socket.socket:
    """A socket on the loopback; port 0 is any that is free. It is open from here on: until then two could have one port."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def serve(playground: Playground, listener: socket.socket) -> None:
    """Answers until interrupted."""
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # bad requests are answered, not told
    config = uvicorn.Config(
        app(playground),
        http=PatientProtocol.with_patience(playground.patience),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=playground.patience.idle,
        timeout_graceful_shutdown=1,
    )
    # Not a daemon: a thread that is cut off amid an import can take the interpreter down with it.
    Thread(target=playground.warm).start()
    uvicorn.Server(config).run(sockets=[listener])
