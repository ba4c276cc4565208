"""Shards of rows that this machine holds: each worker takes the next one that nobody has taken.

A worker is a thread where the loop is compiled: it runs beside others, reads the rows where they are, and needs nothing to
begin. Uncompiled, one thread would wait for the other, so it is a process (local_processes.py). The bits are the same.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from rosenblatt.cluster.mixed_run import ShardDone, cut, without_rows
from rosenblatt.cluster.mixing import MixSettings, Part, Start, TreeSum, learn_shard, start_of
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import AnyExamples
from rosenblatt.learning.training import zero_weights


@dataclass(frozen=True)
class ShardRange:
    """A shard that is a range of rows."""

    shard: int
    first: int
    last: int


class ShardWorker(Protocol):
    """Who learns from one shard after the other."""

    def learn(self, settings: MixSettings, start: Start, shard: ShardRange) -> Part:
        """The part of a shard."""

    def stop(self) -> None:
        """Ends what it is learning just now, with an error, and for ever."""


@dataclass(frozen=True)
class ThreadWorker:
    """Learns in the thread that asks."""

    examples: AnyExamples
    stopped: threading.Event = field(default_factory=threading.Event)

    def learn(self, settings: MixSettings, start: Start, shard: ShardRange) -> Part:
        rows = cut(self.examples, shard.first, shard.last)
        return learn_shard(rows, settings, start, shard.shard, Callbacks(stretch=self.refuse_stopped))

    def refuse_stopped(self) -> None:
        if self.stopped.is_set():
            raise KeyboardInterrupt

    def stop(self) -> None:
        self.stopped.set()


@dataclass(frozen=True)
class LocalShards:
    """Shards of examples, and the workers that learn from them side by side."""

    examples: AnyExamples
    shards: Sequence[ShardRange]
    workers: Sequence[ShardWorker]

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

        def work(worker: ShardWorker, ended: threading.Event) -> None:
            while True:
                with lock:
                    shard = None if failures else next(left, None)
                if shard is None:
                    ended.set()
                    return
                try:
                    part = worker.learn(settings, start, shard)
                    with lock:
                        tree.put(shard.shard, part)
                        done(part)
                except BaseException as problem:
                    failures[shard.shard] = problem

        # Ctrl-C in `Thread.join` may take a thread that works for one that has ended (Python 3.11): hence events.
        begun: list[threading.Event] = []
        try:
            for worker in self.workers:
                ended = threading.Event()
                threading.Thread(target=work, args=(worker, ended), daemon=True).start()
                begun.append(ended)
            for ended in begun:
                while not ended.wait(0.2):
                    pass  # in between comes Ctrl-C
        except BaseException:
            for worker in self.workers:
                worker.stop()
            for ended in begun:  # who stops may change the rows, or unmap them
                ended.wait()
            raise
        if failures:
            raise failures[min(failures)]
        return tree.whole()

    def wake(self, settings: MixSettings) -> None:
        """Lets every worker learn from a row: processes begin, and map the rows."""
        weights = zero_weights(self.empty, settings.rule, settings.plan.fit_intercept)
        start = start_of(weights, 1, len(self.workers))
        row = [ShardRange(number, number, number + 1) for number in range(len(self.workers))]
        replace(self, shards=row).learn(settings, start, lambda part: None)

    def checksums(self) -> list[int]:
        return [self.examples.checksum()]
