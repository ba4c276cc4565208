"""Shards in processes of this machine: rows lie in a folder that all of them map, and only weights travel."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rosenblatt.cluster.mixed_run import ShardDone, ranges, train_shards, without_rows
from rosenblatt.cluster.mixing import Part, Settings, Start, TreeSum
from rosenblatt.cluster.worker import ShardRange, receive, send, write_examples
from rosenblatt.data.dataset import Dataset
from rosenblatt.engine import rules
from rosenblatt.engine.parameters import Choice, Whole, check
from rosenblatt.errors import SettingError, WorkerError
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import AnyExamples
from rosenblatt.learning.learn import learn_from
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.plan import Plan
from rosenblatt.learning.stream import naming_full_disk
from rosenblatt.learning.training import Training

SHARDS = 8  # by default, however many workers there are: the bits depend on it
MOST_DEATHS = 3  # of workers in one shard, before it is the shard's fault


@dataclass(frozen=True)
class LocalWorkers:
    """So many processes that learn from shards; `run` trains in place of this process."""

    workers: int
    shards: int = SHARDS
    mix: str = "uniform"

    def __post_init__(self) -> None:
        check("workers", self.workers, Whole(1))
        check("shards", self.shards, Whole(1))
        check("mix", self.mix, Choice(("uniform", "updates")))

    def run(
        self, examples: AnyExamples, rule: rules.Rule, plan: Plan, held_out: AnyExamples | None, callbacks: Callbacks
    ) -> Training:
        cuts = ranges(examples.rows.n, self.shards)
        settings = Settings(rule, plan, len(cuts), self.mix)
        with tempfile.TemporaryDirectory(prefix="rosenblatt-") as name, naming_full_disk(Path(name)):
            folders = write_examples(examples, Path(name)), Path(name)
            with workers_in(folders, min(self.workers, len(cuts))) as workers:
                shards = ShardProcesses(examples, [ShardRange(i, *both) for i, both in enumerate(cuts)], workers)
                return train_shards(shards, settings, held_out, replace(callbacks, run=None))


def learn_with_workers(
    data: Dataset, workers: int, recipe: Recipe | None = None, dev: Dataset | None = None, **settings: Any
) -> Classifier:
    """What `learn` does, with shards of the rows in so many processes: the bits depend on `shards` (8), not on `workers`.

    Other keywords are those of `Recipe`: epochs=3, mix="updates".

    >>> import rosenblatt
    >>> models = [learn_with_workers(rosenblatt.read("iris"), workers, shards=3) for workers in (1, 2)]
    >>> models[0].model().coef.tobytes() == models[1].model().coef.tobytes()
    True
    """
    recipe = replace(recipe or Recipe(), **settings)
    shards = SHARDS if recipe.shards is None else recipe.shards
    recipe, local = replace(recipe, shards=shards), LocalWorkers(workers, shards, recipe.mix)
    refuse_no_shards(recipe)
    return learn_from(data, recipe, dev, Callbacks(run=local.run)).classifier


def refuse_no_shards(recipe: Recipe) -> None:
    """Refuses what is no mean of weights, before anything is read."""
    if recipe.with_kernel or recipe.votes or recipe.keep_log:
        what = "A kernel holds" if recipe.with_kernel else "Votes hold" if recipe.votes else "A log holds"
        raise SettingError(f"{what} examples, of which no mean can be taken: train it in one process, without workers.")
    if recipe.calibrate:
        raise SettingError(
            "calibrate (--calibrate) trains again without some rows, in one process: leave it out. Rows that are held out "
            "(--dev, --holdout) give probabilities, too."
        )


class Worker:
    """A process, and what it has been told; it is started anew where it has ended."""

    def __init__(self, folders: Sequence[Path]):
        self.folders = folders
        self.process: subprocess.Popen[bytes] | None = None
        self.told: list[Any] = []

    def learn(self, settings: Settings, start: Start, shard: ShardRange) -> Part:
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

    def _ask(self, settings: Settings, start: Start, shard: ShardRange) -> Any:
        if self.process is None:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            command = [sys.executable, "-m", "rosenblatt.cluster.worker", *map(str, self.folders)]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            self.told = []
        tasks, answers = self.process.stdin, self.process.stdout
        assert tasks is not None
        assert answers is not None
        for message in (settings, start):
            if not any(message is known for known in self.told):
                send(tasks, message)
        self.told = [settings, start]
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

    def learn(self, settings: Settings, start: Start, done: ShardDone) -> Part:
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

    def checksums(self) -> list[int]:
        return [self.examples.checksum()]
