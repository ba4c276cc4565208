"""The loop over packed rows: they are unpacked in the order in which they come, some ahead of the loop, by a second thread.

The loop itself then reads them one after the other, from the processor's cache. It takes the steps, and has the bits, that
it would have over the rows as they lie.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.engine.compiled import core, cores
from rosenblatt.engine.packed_rows import UNPACKED_AT_ONCE, PackedRows, RowBuffer
from rosenblatt.engine.threads import helpers


@dataclass(frozen=True)
class Stretch:
    """Examples of an epoch, from `start` up to `stop`, that lie in the buffer from `place` on."""

    order: np.ndarray | None
    start: int
    stop: int
    place: int


class PackedLoop:
    """`core.Loop` for packed rows: what it counts, it counts, and `run` is its own.

    One buffer has two halves: the loop learns from one while the other is filled. Between them is a row that nobody
    learns from, since where a row of CSR ends the next one begins.
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
        self.buffer = RowBuffer(rows, 2 * self.at_once + 1)
        self.codes, *self.numbers = examples  # class codes; targets and weights
        height = self.buffer.rows.n
        self.own_codes = None if self.codes is None else np.zeros(height, dtype=np.int32)
        self.own_numbers = [None if part is None else np.zeros(height) for part in self.numbers]
        self.loop = core.Loop(self.buffer.rows, weights, rule, (self.own_codes, *self.own_numbers), **options)
        self.now: Stretch | None = None  # is learned from
        self.coming: tuple[Stretch, Future[None]] | None = None  # is being filled

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
                self.now = None  # an array may have another order when it comes again
            if reached < end:
                return reached
            k = end
        return k

    def _held(self, order: np.ndarray | None, k: int) -> Stretch:
        """The stretch that example k is in, filled; the next one is begun."""
        if self.now is not None and self.now.order is order and self.now.start <= k < self.now.stop:
            return self.now
        coming, self.now, self.coming = self.coming, None, None
        if coming is not None:
            coming[1].result()
        if coming is not None and coming[0].order is order and coming[0].start == k:
            self.now = coming[0]
        else:
            self.now = self._stretch(order, k, 0)
            self._fill(self.now)
        if cores() > 1 and self.now.stop < (self.n if order is None else len(order)):
            following = self._stretch(order, self.now.stop, 0 if self.now.place else self.at_once + 1)
            self.coming = following, helpers().submit(self._fill, following)
        return self.now

    def _stretch(self, order: np.ndarray | None, start: int, place: int) -> Stretch:
        return Stretch(order, start, min(start + self.at_once, self.n if order is None else len(order)), place)

    def _fill(self, stretch: Stretch) -> None:
        start, stop, place = stretch.start, stretch.stop, stretch.place
        self.buffer.fill_at(place, stretch.order, start, stop, (self.codes, self.own_codes))
        rows = slice(start, stop) if stretch.order is None else stretch.order[start:stop]
        for numbers, own in zip(self.numbers, self.own_numbers, strict=True):
            if numbers is not None and own is not None:
                own[place : place + stop - start] = numbers[rows]
