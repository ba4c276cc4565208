"""Processes that learn from shards, for where the loop is uncompiled: started, asked, and started again where they ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from rosenblatt.cluster.local_shards import ShardRange
from rosenblatt.cluster.mixing import MixSettings, Part, Start
from rosenblatt.cluster.worker import receive, send
from rosenblatt.errors import WorkerError

MOST_DEATHS = 3  # of workers in one shard, before it is the shard's fault


class Worker:
    """A process, and what it has been told; it is started anew where it has ended."""

    def __init__(self, folders: Sequence[Path]):
        self.folders = folders
        self.process: Popen[bytes] | None = None
        self.stopped = False
        self.sent: list[Any] = []

    def learn(self, settings: MixSettings, start: Start, shard: ShardRange) -> Part:
        """The part of a shard: to ask again gives the same bits, so a process that was killed costs time, no more."""
        for _ in range(MOST_DEATHS):
            try:
                answer = self._ask(settings, start, shard)
            except (EOFError, OSError):
                self.end()
                if self.stopped:
                    raise
                continue
            if isinstance(answer, Exception):
                raise answer
            return answer  # type: ignore[no-any-return]
        raise WorkerError(
            f"{MOST_DEATHS} processes ended in shard {shard.shard} (rows {shard.first:,} to {shard.last - 1:,}) without an "
            "answer: was there too little memory? Take fewer --workers, or more --shards."
        )

    def _ask(self, settings: MixSettings, start: Start, shard: ShardRange) -> Any:
        if self.stopped:
            raise EOFError
        if self.process is None:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            command = [sys.executable, "-m", "rosenblatt.cluster.worker", *map(str, self.folders)]
            # In a group of its own: Ctrl-C is for the process that asks, also while this one begins.
            self.process = Popen(command, stdin=PIPE, stdout=PIPE, env=environment, process_group=0)
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

    def stop(self) -> None:
        self.stopped = True
        if self.process is not None:
            self.process.kill()  # who waits for its answer is told, and ends it

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
