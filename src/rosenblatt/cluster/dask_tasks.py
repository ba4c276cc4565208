"""Tasks on a Dask cluster: pure, so that what a lost worker held is computed again; nothing is scattered, nothing pinned.

At most some tasks a thread are handed in ahead, so that workers do not hold what nobody asks for yet. Sums are made on the
workers, over the tree; what comes back to this process is one result.
"""

from __future__ import annotations

import itertools
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from logging import CRITICAL
from multiprocessing import resource_tracker
from time import monotonic
from typing import TYPE_CHECKING, Any

from rosenblatt.cluster.mixing import reduced
from rosenblatt.errors import RosenblattError, SettingError, WorkerError, needs_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client, Future

PATIENCE = 20  # seconds, for a scheduler to answer, and until a cluster without a worker is told
WITHOUT_WORKER = 300  # seconds, after which nobody is expected any more
LOOK_EVERY = 5  # seconds
AHEAD = 4  # tasks a thread of the cluster
TASKS_A_THREAD, MOST_IN_TASK = 16, 16  # the scheduler keeps kilobytes a task: many shards go several into one
LOOKED_AT = 100  # tasks, after which the threads are counted again
MOST_DEATHS = 5  # times that Dask may give up on a step, since workers were killed, before it is the step's fault


class DaskTasks:
    """Tasks on the cluster of a client."""

    def __init__(
        self, client: Client, tell: Callable[[str], None] = lambda sentence: None, without_worker: float = WITHOUT_WORKER
    ):
        self.client, self.tell, self.without_worker = client, tell, without_worker
        self.numbers = itertools.count()
        self.on_progress: Callable[[int, int], None] = lambda done, all_of_them: None

    def shared(self, value: Any) -> Shared:
        return Shared(value)

    def map(self, function: Callable[..., Any], items: Sequence[Any], *common: Any) -> list[Any]:
        of_group = named_as(function, partial(map_group, function))

        def results_of(given: Sequence[Any]) -> list[list[Any]]:
            return self._results(self._leaves(of_group, self._grouped(items), given))

        return [result for group in self._try(results_of, common) for result in group]

    def reduce(
        self, function: Callable[..., Any], items: Sequence[Any], join: Callable[[Any, Any], Any], *common: Any
    ) -> Any:
        of_group = named_as(function, partial(reduce_group, function, join))

        def sum_of(given: Sequence[Any]) -> Any:
            groups = self._grouped(items)
            leaves = self._leaves(of_group, groups, given)
            return self._result(reduced(0, len(groups), lambda _: next(leaves), lambda a, b: self._submit(join, a, b)))

        return self._try(sum_of, common)

    def _grouped(self, items: Sequence[Any]) -> list[Sequence[Any]]:
        """The items, several a task where they are many: a power of two, so that a group is a whole branch of the tree."""
        size, enough = 1, TASKS_A_THREAD * self._threads()
        while size < MOST_IN_TASK and len(items) >= 2 * size * enough:
            size *= 2
        return [items[first : first + size] for first in range(0, len(items), size)]

    def _try(self, step: Callable[[Sequence[Any]], Any], common: Sequence[Any]) -> Any:
        """What a step gives; where Dask gives up on one of its tasks, since workers were killed in it, it is tried again."""
        from distributed import KilledWorker

        with naming_the_end():
            for attempt in range(MOST_DEATHS):
                try:
                    # A task that gives a value: a worker that is lost takes nothing with it, since the task is known.
                    return step([self._submit(same, one.value) if isinstance(one, Shared) else one for one in common])
                except KilledWorker:
                    if attempt == MOST_DEATHS - 1:
                        raise

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        # Names of our own: two runs on one cluster must not share what one of them may release.
        name = f"rosenblatt-{function.__name__}-{id(self):x}-{next(self.numbers)}"
        return self.client.submit(function, *arguments, key=name)

    def _leaves(self, function: Callable[..., Any], items: Sequence[Any], common: Sequence[Any]) -> Iterator[Future]:
        """The futures of all items, in order, no more of them unfinished at a time than a bounded number."""
        running: set[Future] = set()
        most = self._most_ahead()
        for number, item in enumerate(items):
            if number % LOOKED_AT == LOOKED_AT - 1:  # workers come and go, and to ask takes a while
                most = self._most_ahead()
            while len(running) >= most:
                done, running = self._first_of(running)
                self.on_progress(number - len(running), len(items))
                for future in done:
                    if future.status == "error":
                        future.result()
            future = self._submit(function, item, *common)
            running.add(future)
            yield future

    def _results(self, futures: Iterator[Future]) -> list[Any]:
        """What all of them give; a result that has come home is not kept on the cluster."""
        return [self._result(future) for future in list(futures)]

    def _result(self, future: Future) -> Any:
        self._first_of({future})
        return future.result()

    def _first_of(self, running: set[Future]) -> tuple[set[Future], set[Future]]:
        """(done, running), once one is done. A cluster without a worker is told and, after a while, not waited for."""
        from distributed import wait

        last_worker, warned = monotonic(), False
        while True:
            try:
                done, others = wait(running, timeout=min(LOOK_EVERY, self.without_worker), return_when="FIRST_COMPLETED")
                return done, others
            except TimeoutError:
                waited = monotonic() - last_worker
                if self.client.nthreads():
                    last_worker = monotonic()
                elif waited > self.without_worker:
                    raise WorkerError(
                        f"The cluster has had no worker for {waited:.0f} seconds: start some, {self._how_to_start()}, and "
                        "run the command again; --resume DIR goes on from the last epoch, if --checkpoint DIR has written."
                    ) from None
                elif waited > PATIENCE and not warned:
                    warned = True
                    self.tell(f"The cluster has no worker, and the run waits for one: {self._how_to_start()}.")

    def _how_to_start(self) -> str:
        return f"dask worker {self.client.scheduler.address}"

    def _most_ahead(self) -> int:
        return AHEAD * self._threads()

    def _threads(self) -> int:
        return max(1, int(sum(self.client.nthreads().values())))


@dataclass(frozen=True)
class Shared:
    """What the tasks of a step have in common."""

    value: Any


def same(value: Any) -> Any:
    return value


def map_group(function: Callable[..., Any], items: Sequence[Any], *common: Any) -> list[Any]:
    """What the function gives for each of several items."""
    return [function(item, *common) for item in items]


def reduce_group(function: Callable[..., Any], join: Callable[[Any, Any], Any], items: Sequence[Any], *common: Any) -> Any:
    """What the tree makes of several items."""
    return reduced(0, len(items), lambda place: function(items[place], *common), join)


def named_as(function: Callable[..., Any], work: partial[Any]) -> Callable[..., Any]:
    """The work, under the name of what it is done with: Dask shows it."""
    work.__name__ = function.__name__  # type: ignore[attr-defined]
    return work


@contextmanager
def naming_the_end() -> Iterator[None]:
    """What Dask raises where workers or the scheduler are gone, in our words; our own errors stay."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm import CommClosedError

    try:
        yield
    except RosenblattError:
        raise
    except KilledWorker as problem:
        raise WorkerError(
            f"Workers ended again and again in one task ({problem}): was there too little memory? Give them more, or take "
            "more --shards."
        ) from None
    except (CancelledError, FutureCancelledError, CommClosedError, TimeoutError, OSError) as problem:
        raise WorkerError(
            f"The cluster is gone ({type(problem).__name__}): start it again, and go on from the last epoch with --resume "
            "DIR, where --checkpoint DIR has written."
        ) from None


@contextmanager
def interrupts_after_start() -> Iterator[None]:
    """Ctrl-C waits until what is started here has started, so that it can be ended as well; a second one does not wait.

    Threads and processes that are started here never see it: it is for this process, which ends them.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came: list[int] = []

    def wait_once(number: int, frame: Any) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)

    resource_tracker.ensure_running()  # it would let Ctrl-C through again where it is started later
    handler = signal.signal(signal.SIGINT, wait_once)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if came:
        raise KeyboardInterrupt


@contextmanager
def cluster_at(
    address: str,
    workers: int | None = None,
    seconds: float = PATIENCE,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Iterator[DaskTasks]:
    """The cluster at an address or, "local", one on this machine that ends with the block.

    A scheduler that does not answer for so many seconds is taken to be gone.
    """
    with needs_parts("--dask"):
        from distributed import Client, LocalCluster
    if workers is not None and address != "local":
        raise SettingError("A cluster has the workers that it has: leave out --workers, or take --dask local.")
    with ExitStack() as stack:
        try:
            where: Any = address
            if address == "local":
                # What a worker could not do is told once, by the error; not in its log, too. Its port is a free one.
                with interrupts_after_start():
                    where = LocalCluster(
                        n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1",
                        silence_logs=CRITICAL,
                    )  # fmt: skip
                    stack.enter_context(where)
            client = stack.enter_context(Client(where, timeout=seconds))
        except (OSError, ValueError) as problem:
            raise WorkerError(
                f"There is no Dask scheduler at {address} ({problem}): name one, say tcp://host:8786, or take --dask local."
            ) from None
        yield DaskTasks(client, tell)
