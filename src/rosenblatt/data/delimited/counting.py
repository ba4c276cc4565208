"""Quotes, delimiters and line ends in the bytes of a table, counted; and whether there are blanks around cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NEWLINE, RETURN, QUOTE, BLANK, TAB = b'\n\r" \t'


@dataclass
class Counts:
    """Of some bytes of a table."""

    quotes: int = 0
    delimiters: int = 0  # outside quotes
    line_ends: int = 0  # outside quotes
    padded: bool = False  # is there a blank at the edge of a cell?


def count(data: np.ndarray, delimiter: str, at_a_time: int) -> Counts | None:
    """The counts, so many bytes at a time; None if there is a NUL, or a quote too many.

    >>> count(np.frombuffer(b'a, "b,c"\\n', dtype=np.uint8), ";", at_a_time=4) is None  # blanks around a quoted cell
    True
    >>> count(np.frombuffer(b'a,"b,c"\\n', dtype=np.uint8), ",", at_a_time=4)
    Counts(quotes=2, delimiters=1, line_ends=1, padded=False)
    """
    cut, counts = ord(delimiter), Counts()
    for start in range(0, len(data), at_a_time):
        stop = start + at_a_time
        part = data[start:stop]
        if not part.all():
            return None
        is_quote, is_cut, is_end = part == QUOTE, part == cut, part == NEWLINE
        if not counts.padded:
            counts.padded = _has_padding(data, start, stop, cut)
        quotes = int(np.count_nonzero(is_quote))
        if quotes or counts.quotes % 2:
            # Bytes wrap around at 256, which leaves even and odd as they are.
            outside = (np.cumsum(is_quote, dtype=np.uint8) + counts.quotes % 2) & 1 == 0
            # Blanks around a quoted cell would make polars keep its quotes.
            is_blank = data[max(start - 1, 0) : stop + 1] == BLANK
            if _blank_outside_quotes(is_blank, is_quote, outside, before=start > 0):
                return None
            is_cut, is_end = is_cut & outside, is_end & outside
        counts.quotes += quotes
        counts.delimiters += int(np.count_nonzero(is_cut))
        counts.line_ends += int(np.count_nonzero(is_end))
    return None if counts.quotes % 2 else counts


def _has_padding(data: np.ndarray, start: int, stop: int, cut: int) -> bool:
    """Is there a blank at the edge of a cell, in the bytes from `start` to `stop`?"""
    low = start + np.flatnonzero(data[start:stop] <= BLANK)
    byte = data[low]
    blank = low[(byte == BLANK) | ((byte == TAB) & (cut != TAB))]
    if not len(blank):
        return False
    beside = np.concatenate([data[np.maximum(blank - 1, 0)], data[np.minimum(blank + 1, len(data) - 1)]])
    edges = (beside == cut) | (beside == NEWLINE) | (beside == RETURN) | (beside == QUOTE)
    return bool(edges.any() or blank[0] == 0 or blank[-1] == len(data) - 1)


def _blank_outside_quotes(is_blank: np.ndarray, is_quote: np.ndarray, outside: np.ndarray, before: bool) -> bool:
    """Is there a blank in front of an opening quote, or behind a closing one?

    `is_blank` reaches one byte further than the others, on the left too if `before`.
    """
    left, right = is_blank[: len(is_quote)] if before else is_blank[: len(is_quote) - 1], is_blank[1 + before :]
    opening, closing = is_quote & ~outside, is_quote & outside
    return bool((opening[len(opening) - len(left) :] & left).any() or (closing[: len(right)] & right).any())
