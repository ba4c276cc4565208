"""Processes of this machine that learn from shards: started, asked, and started again where they have ended."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rosenblatt.cluster.mixed_run import ShardDone, without_rows
from rosenblatt.cluster.mixing import MixSettings, Part, Start, TreeSum, start_of
from rosenblatt.cluster.worker import ShardRange, receive, send
from rosenblatt.errors import WorkerError
from rosenblatt.learning.examples import AnyExamples
from rosenblatt.learning.training import zero_weights

MOST_DEATHS = 3  # of workers in one shard, before it is the shard's fault


class Worker:
    """A process, and what it has been told; it is started anew where it has ended."""

    def __init__(self, folders: Sequence[Path]):
        self.folders = folders
        self.process: subprocess.Popen[bytes] | None = None
        self.sent: list[Any] = []

    def learn(self, settings: MixSettings, start: Start, shard: ShardRange) -> Part:
        """The part of a shard: to ask again gives the same bits, so a process that was killed costs time, no more."""
        for _ in range(MOST_DEATHS):
            try:
                answer = self._ask(settings, start, shard)
            except (EOFError, OSError):
                self.end()
                continue
            if isinstance(answer, Exception):
                raise answer
            return answer  # type: ignore[no-any-return]
        raise WorkerError(
            f"{MOST_DEATHS} processes ended in shard {shard.shard} (rows {shard.first:,} to {shard.last - 1:,}) without an "
            "answer: was there too little memory? Take fewer --workers, or more --shards."
        )

    def _ask(self, settings: MixSettings, start: Start, shard: ShardRange) -> Any:
        if self.process is None:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            command = [sys.executable, "-m", "rosenblatt.cluster.worker", *map(str, self.folders)]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            self.sent = []
        tasks, answers = self.process.stdin, self.process.stdout
        assert tasks is not None
        assert answers is not None
        for message in (settings, start):
            if not any(message is known for known in self.sent):
                send(tasks, message)
        self.sent = [settings, start]
        send(tasks, shard)
        return receive(answers)

    def end(self) -> None:
        if self.process is None:
            return
        self.process.kill()
        self.process.communicate()
        self.process = None


@contextmanager
def workers_in(folders: Sequence[Path], number: int) -> Iterator[list[Worker]]:
    """Workers that map the rows of these folders, ended afterwards whatever happens."""
    workers = [Worker(folders) for _ in range(number)]
    try:
        yield workers
    finally:
        for worker in workers:
            worker.end()


@dataclass(frozen=True)
class ShardProcesses:
    """Shards of examples in worker processes, each of which takes the next shard that nobody has taken."""

    examples: AnyExamples
    shards: Sequence[ShardRange]
    workers: Sequence[Worker]

    @property
    def empty(self) -> AnyExamples:
        return without_rows(self.examples)

    @property
    def sizes(self) -> list[int]:
        importance = self.examples.importance
        if importance is None:
            return [shard.last - shard.first for shard in self.shards]
        return [int((importance[shard.first : shard.last] > 0).sum()) for shard in self.shards]

    def learn(self, settings: MixSettings, start: Start, done: ShardDone) -> Part:
        tree, lock = TreeSum(len(self.shards), start.w.shape[1]), threading.Lock()
        left = iter(self.shards)
        failures: dict[int, BaseException] = {}

        def work(worker: Worker) -> None:
            while True:
                with lock:
                    shard = None if failures else next(left, None)
                if shard is None:
                    return
                try:
                    part = worker.learn(settings, start, shard)
                    with lock:
                        tree.put(shard.shard, part)
                        done(part)
                except BaseException as problem:
                    failures[shard.shard] = problem

        threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in self.workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)  # in between comes Ctrl-C
        if failures:
            raise failures[min(failures)]
        return tree.whole()

    def wake(self, settings: MixSettings) -> None:
        """Lets every process begin, and map the rows."""
        weights = zero_weights(self.empty, settings.rule, settings.plan.fit_intercept)
        start = start_of(weights, 1, len(self.workers))
        row = [ShardRange(number, number, number + 1) for number in range(len(self.workers))]
        replace(self, shards=row).learn(settings, start, lambda part: None)

    def checksums(self) -> list[int]:
        return [self.examples.checksum()]
