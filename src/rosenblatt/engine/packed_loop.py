"""The loop over packed rows: they are unpacked in the order in which they come, some ahead of the loop, by a second thread.

The loop itself then reads them one after the other, from the processor's cache. It takes the steps, and has the bits, that
it would have over the rows as they lie.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.engine.compiled import core, cores
from rosenblatt.engine.packed_rows import UNPACKED_AT_ONCE, PackedRows, RowBuffer
from rosenblatt.engine.threads import helpers

STRETCHES = 3  # in the buffer: one is learned from, two are filled by two threads


@dataclass(frozen=True)
class Stretch:
    """Examples of an epoch, from `start` up to `stop`, that lie in the buffer from `place` on once it is filled."""

    order: np.ndarray | None
    start: int
    stop: int
    place: int
    filled: Future[None] = field(default_factory=Future)


class PackedLoop:
    """`core.Loop` for packed rows: what it counts, it counts, and `run` is its own.

    The buffer is a ring of stretches: the loop learns from one while a second thread fills the next, and where it would have
    to wait for that thread, it fills the one after. Between stretches is a row that nobody learns from, since where a row of
    CSR ends the next one begins.
    """

    def __init__(
        self,
        rows: PackedRows,
        weights: Any,
        rule: Any,
        examples: tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None],
        at_once: int = UNPACKED_AT_ONCE,
        **options: Any,
    ):
        self.n, self.at_once = rows.n, min(at_once, rows.n)
        self.buffer = RowBuffer(rows, STRETCHES * (self.at_once + 1))
        self.codes, *self.numbers = examples  # class codes; targets and weights
        height = self.buffer.rows.n
        self.own_codes = None if self.codes is None else np.zeros(height, dtype=np.int32)
        self.own_numbers = [None if part is None else np.zeros(height) for part in self.numbers]
        self.loop = core.Loop(self.buffer.rows, weights, rule, (self.own_codes, *self.own_numbers), **options)
        self.ring: deque[Stretch] = deque()  # what is learned from, and what comes next
        self.unfilled: deque[Stretch] = deque()  # those among them that nobody has begun to fill
        self.helper: Future[None] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loop, name)

    def run(self, order: np.ndarray | None, start: int, stop: int) -> int:
        """Learns from the examples order[start:stop] (None: as given); how far it came, `fault` saying why not further."""
        k = start
        while k < stop:
            held = self._held(order, k)
            end, offset = min(stop, held.stop), held.place - held.start
            reached = int(self.loop.run(None, k + offset, end + offset)) - offset
            if reached == held.stop:
                self.ring.popleft()  # an array may have another order when it comes again
            if reached < end:
                return reached
            k = end
        return k

    def _held(self, order: np.ndarray | None, k: int) -> Stretch:
        """The stretch that example k is in, filled; those that follow are begun."""
        if not self.ring or self.ring[0].order is not order or not self.ring[0].start <= k < self.ring[0].stop:
            self._begin_at(order, k)
        held = self.ring[0]
        if cores() > 1:
            self._look_ahead(order)
        while not held.filled.done() and self._fill_next():
            pass
        held.filled.result()
        return held

    def _begin_at(self, order: np.ndarray | None, k: int) -> None:
        """The ring with the stretch from example k on, and nothing else."""
        self.unfilled.clear()
        if self.helper is not None:
            self.helper.result()  # it ends with what it has begun
        self.ring.clear()
        self._add(order, k, 0)

    def _look_ahead(self, order: np.ndarray | None) -> None:
        """As many stretches as the ring has room for, and a second thread that fills them."""
        last, examples = self.ring[-1], self.n if order is None else len(order)
        while len(self.ring) < STRETCHES and last.stop < examples:
            last = self._add(order, last.stop, (last.place + self.at_once + 1) % self.buffer.rows.n)
        if self.unfilled and (self.helper is None or self.helper.done()):
            self.helper = helpers().submit(self._fill_ahead)

    def _add(self, order: np.ndarray | None, start: int, place: int) -> Stretch:
        stop = min(start + self.at_once, self.n if order is None else len(order))
        stretch = Stretch(order, start, stop, place)
        self.ring.append(stretch)
        self.unfilled.append(stretch)
        return stretch

    def _fill_ahead(self) -> None:
        with suppress(Exception):  # whoever wants the stretch is told
            while self._fill_next():
                pass

    def _fill_next(self) -> bool:
        """Fills the first stretch that nobody has begun; False if there is none."""
        try:
            stretch = self.unfilled.popleft()
        except IndexError:
            return False
        try:
            self._fill(stretch)
        except BaseException as failure:
            stretch.filled.set_exception(failure)
            raise
        stretch.filled.set_result(None)
        return True

    def _fill(self, stretch: Stretch) -> None:
        start, stop, place = stretch.start, stretch.stop, stretch.place
        self.buffer.fill_at(place, stretch.order, start, stop, (self.codes, self.own_codes))
        rows = slice(start, stop) if stretch.order is None else stretch.order[start:stop]
        for numbers, own in zip(self.numbers, self.own_numbers, strict=True):
            if numbers is not None and own is not None:
                own[place : place + stop - start] = numbers[rows]
