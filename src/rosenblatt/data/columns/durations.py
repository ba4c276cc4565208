"""Durations as numbers of seconds: 1:23:45, 2h 5m, 45 min, PT1H30M, 3 days 04:05:06.

>>> [seconds(text) for text in ("1:23:45", "12:34.5", "2h 5m", "45 min", "PT1H30M", "3 days 04:05:06", "5 apples")]
[5025.0, 754.5, 7500.0, 2700.0, 5400.0, 273906.0, None]
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosenblatt.data.columns.numbers import NO_NUMBER, NumberFormat
from rosenblatt.data.table import number_text

if TYPE_CHECKING:
    import polars as pl

UNIT = "duration"  # by which a format of numbers is known to be this one
# By how many seconds they are, the words for them.
WORDS = {
    86_400.0: "d|days?|tage?|jours?|días?",
    3_600.0: "h|hrs?|hours?|std|stunden?|heures?|horas?",
    60.0: "m|mins?|minutes?|minuten?|minutos?",
    1.0: "s|secs?|seconds?|sek|sekunden?|secondes?|segundos?",
    0.001: "ms|msecs?|milliseconds?",
}
# Possessive (++), here and below: whatever a cell holds, it is read through once.
AMOUNT = r"[0-9]++(?:[.,][0-9]++)?"
PART = re.compile(
    rf"({AMOUNT})\s*+(?:"
    + "|".join(f"(?P<unit{place}>{words})" for place, words in enumerate(WORDS.values()))
    + r")(?![a-zí])\.?",
    re.IGNORECASE,
)
BETWEEN = re.compile(r",?\s*+(?:(?:and|und|et|y)\s*+)?", re.IGNORECASE)
THOUSANDS = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")  # or a fraction: who knows
CLOCK = re.compile(
    r"(?P<minus>[-−])?(?:(?P<days>[0-9]++)\s*+(?:d|days?)(?P<comma>,)?\s++(?P<sign>[-−+])?)?"
    r"(?:(?P<hours>[0-9]++):(?=[0-9]++:))?(?P<minutes>[0-9]++):(?P<seconds>[0-5][0-9](?:[.,][0-9]++)?)",
    re.IGNORECASE,
)
ISO = re.compile(
    rf"(?P<minus>-)?P(?:(?P<days>{AMOUNT})D)?(?:T(?:(?P<hours>{AMOUNT})H)?(?:(?P<minutes>{AMOUNT})M)?(?:(?P<seconds>{AMOUNT})S)?)?"
)
PARTS = {"days": 86_400.0, "hours": 3_600.0, "minutes": 60.0, "seconds": 1.0}
PART_NAMES = tuple(PARTS)
SMALLER = re.compile(r"[0-9]\s*(?:h|s|min|ms|std)", re.IGNORECASE)  # beside which a bare m is a minute


def seconds(text: str) -> float | None:
    """How long it is; None where it is no duration, or nobody knows how long. Of two parts, as 12:34, the first are minutes.

    >>> seconds("-1 day, 23:59:59"), seconds("-1 days +23:59:59"), seconds("-1 days 23:59:59")  # Python's, pandas's, whose?
    (-1.0, -1.0, None)
    """
    text = text.strip()
    if (match := CLOCK.fullmatch(text)) is not None:
        total = _on_clock(match)
    elif (match := ISO.fullmatch(text)) is not None and any(match[part] for part in PARTS):
        total = -_sum_of(match) if match["minus"] else _sum_of(match)
    else:
        total = _in_words(text)
    return total if total is not None and math.isfinite(total) else None


def _sum_of(match: re.Match[str], parts: Sequence[str] = PART_NAMES) -> float:
    return sum(float(match[part].replace(",", ".")) * PARTS[part] for part in parts if match[part])


def _on_clock(match: re.Match[str]) -> float | None:
    """The seconds of a clock, with days in front of it: these may have a sign of their own."""
    if match["hours"] and not re.fullmatch("[0-5][0-9]", match["minutes"]):
        return None
    if match["days"] and not match["hours"]:  # uptime's 1 day, 5:30 has hours, other programs' has minutes
        return None
    days, clock = _sum_of(match, ["days"]), _sum_of(match, ["hours", "minutes", "seconds"])
    if not match["minus"]:
        return days - clock if match["sign"] in ("-", "−") else days + clock
    if not match["days"]:
        return -clock
    if not match["sign"] and not match["comma"]:  # does the minus count for both?
        return None
    return -days - clock if match["sign"] in ("-", "−") else -days + clock


def _in_words(text: str) -> float | None:
    """The seconds of amounts with units, one behind the other."""
    negative = text[:1] in ("-", "−")
    rest = text[1:].lstrip() if negative else text
    place, total, parts, sizes = 0, 0.0, 0, list(WORDS)
    while (match := PART.match(rest, place)) is not None and not THOUSANDS.fullmatch(match[1]):
        unit = next(number for number in range(len(sizes)) if match[f"unit{number}"])
        total, parts = total + float(match[1].replace(",", ".")) * sizes[unit], parts + 1
        if match.end() == len(rest):
            # 5M is a size, or millions.
            return None if parts == 1 and rest[-1] in "DHMS" else -total if negative else total
        between = BETWEEN.match(rest, match.end())
        place = match.end() if between is None else between.end()
    return None


@dataclass(frozen=True)
class DurationFormat(NumberFormat):
    """Cells that tell how long something takes, as seconds."""

    unit: str = UNIT

    def example(self) -> str:
        return UNIT

    def describe(self) -> str:
        return "a duration, taken as seconds"

    def as_plain(self, texts: pl.Series) -> pl.Series:
        import polars as pl

        different = texts.unique().drop_nulls().to_list()
        lengths = [seconds(text) for text in different]
        plain = [
            NO_NUMBER + text if length is None else number_text(length)
            for text, length in zip(different, lengths, strict=True)
        ]
        known = pl.Series(different, dtype=pl.String)
        return texts.replace_strict(known, pl.Series(plain, dtype=pl.String), default=None, return_dtype=pl.String)

    def fits(self, texts: pl.Series) -> pl.Series:
        import polars as pl

        return pl.Series([text is not None and seconds(text) is not None for text in texts.to_list()], dtype=pl.Boolean)


def formats_of(texts: pl.Series, some: pl.Series) -> list[NumberFormat]:
    """The format, where all texts are durations, of which some are likely to show all that there is; else none."""
    first = some.to_list()
    if not first or any(seconds(text) is None for text in first):
        return []
    bare = [text for text in first if re.search(r"[0-9]\s*m\b", text, re.IGNORECASE)]
    if bare and not any(SMALLER.search(text) for text in first):  # 3 m beside 5 d: are these minutes, or months?
        return []
    return [DurationFormat()] if DurationFormat().fits(texts).all() else []
