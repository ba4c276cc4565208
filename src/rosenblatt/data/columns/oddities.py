"""What to look at in a column before it is believed: units that differ, values that may mean "not known", 1.234.

None is guessed: the column is read as it stands, and the user is told, with the option that changes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from shlex import quote

import numpy as np

from rosenblatt.data.columns.kinds import Look, share, shown
from rosenblatt.data.columns.numbers import CURRENCY, commonest, recognise
from rosenblatt.data.columns.words import ODD_NUMBER
from rosenblatt.errors import counted

LEAST_ROWS, LEAST_OTHERS = 2, 3  # with the value, and different values beside it
UNITS_TOLD = 3
ALL_BUT_FEW = 0.95  # of the values
MOST_WITH_THREE = 0.6  # of fractions whose third digit is no zero: nine tenths on average, where it may be any
AMOUNT = re.compile(
    rf"^[-+−–(]? *({CURRENCY}?) *[-+−–]?[0-9][0-9.,'’ \u00a0\u202f]*?(?:[eE][+-]?[0-9]+)? *([^\s0-9.,()]{{0,12}})\)?$"
)
BOUND = re.compile(r"^[<>≤≥~≈±] ?=? ?[-−]?[0-9][0-9.,]*(?: ?[^\s0-9]{1,8})?$|^[0-9][0-9.,]* ?\+(?: ?[^\s0-9]{1,8})?$")
BOUND_OR_PLAIN = re.compile(rf"{BOUND.pattern}|^[-−]?[0-9][0-9.,]*(?: ?[^\s0-9]{{1,8}})?$")
DURATION = re.compile(
    r"^(?:[0-9]+(?::[0-5][0-9]){1,2}|(?:[0-9]+ ?(?:d|h|hrs?|std|m|min|s|sec)[a-z]*\.?,? ?){2,})$", re.IGNORECASE
)
FIRST = date(1970, 1, 1)
# Days that programs write where there is none.
ODD_DAYS = {
    (date(*day) - FIRST).days
    for day in ((1, 1, 1), (1753, 1, 1), (1899, 12, 30), (1899, 12, 31), (1900, 1, 1), (1901, 1, 1), (1970, 1, 1),
                (2099, 12, 31), (2999, 12, 31), (9999, 12, 31))
}  # fmt: skip


def placeholder(look: Look, rows_with: Callable[[str], int]) -> str:
    """What is told of a value that stands in some rows, far from all others: 9999, -1 or 1900-01-01; empty where none is.

    >>> import polars as pl
    >>> ages = ["31", "45", "-999", "28", "62", "-999"]
    >>> placeholder(Look("age", "", 6, 6, [31, 45, -999, 28, 62], dtype=pl.Int64()), ages.count)
    '-999 in 2 rows is far from all others: if not known, --missing age=-999'
    """
    values = values_of(look)
    odd = is_odd_day(values) if look.dates else np.array([ODD_NUMBER.match(str(one)) is not None for one in look.sample])
    others = values[~odd & np.isfinite(values)]
    if len(np.unique(others)) < LEAST_OTHERS:
        return ""
    low, high = others.min(), others.max()
    far = odd & ((values < low - (high - low)) | (values > high + (high - low)))
    if low >= 0 and (others == others.round()).all():  # the only one below zero
        far |= odd & (values == -1)
    if not far.any():
        return ""
    told = []
    for text in (str(look.sample[k]) for k in np.flatnonzero(far)):
        rows = rows_with(text)
        if rows >= LEAST_ROWS:
            option = f"--missing {quote(f'{look.name}={text}')}"
            told.append(f"{shown(text)} in {counted(rows, 'row')} is far from all others: if not known, {option}")
    return ", ".join(told)


def values_of(look: Look) -> np.ndarray:
    """The sample as numbers, or as days since 1970; nan where a value is none."""
    import polars as pl

    if look.dates:
        moments = look.dates[0].wall_times(pl.Series(look.sample))
        return (moments.dt.timestamp("us") / 86_400_000_000).cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if look.dtype is not None:
        return np.array(look.sample, dtype=float)
    plain = look.formats[0].as_plain(pl.Series(look.sample, dtype=pl.String))
    return plain.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()


def is_odd_day(days: np.ndarray) -> np.ndarray:
    return np.isin(np.floor(np.nan_to_num(days, nan=0.5)), list(ODD_DAYS))


def differing_units(look: Look) -> str:
    """What is told of texts that are numbers but for what stands beside them; empty where they are not.

    >>> differing_units(Look("weight", "", 3, 3, ["5 kg", "300 g", "2 kg"]))
    'numbers with kg or g, taken as words: write them in one unit, or --column weight=number reads those with kg'
    """
    import polars as pl

    if share(look.sample, DURATION) > ALL_BUT_FEW:
        return f"most are durations, and some are not: {look.option('number:duration')} takes those as missing"
    bounds = [text for text in look.sample if BOUND.match(text)]
    if bounds and share(look.sample, BOUND_OR_PLAIN) > ALL_BUT_FEW:
        if len(bounds) > len(look.sample) / 2:
            return f"numbers as {shown(bounds[0])}, taken as words: write them without the sign"
        return f"numbers, some as {shown(bounds[0])}, taken as words: {look.option('number')} takes such as missing"
    parts = [match for text in look.sample if (match := AMOUNT.match(text)) is not None]
    if len(parts) <= ALL_BUT_FEW * len(look.sample):
        return ""
    units = Counter(match[1] + match[2] for match in parts)
    names = [unit or "nothing" for unit, _ in units.most_common(UNITS_TOLD)]
    texts = pl.Series(look.sample, dtype=pl.String)
    if [*units] == [""]:
        return ""
    if len(units) == 1 and recognise(texts):  # so others, which are not in the sample, do not fit
        return f"most are numbers with {names[0]}, and some are not: {look.option('number')} takes those as missing"
    if len(units) == 1:
        return f"numbers with {names[0]}, a unit that is not known: {look.option(f'number:1234{names[0]}')} reads them"
    what = f"numbers with {' or '.join(names)}{' …' * (len(units) > UNITS_TOLD)}, taken as words: write them in one unit"
    likely = commonest(texts)
    if not likely.fits(texts).any():
        return what
    return f"{what}, or {look.option('number')} reads those with {likely.unit.lower() or 'nothing'}"


def note_thousands(looks: Sequence[Look]) -> None:
    """Tells of all columns with fractions that their points may mark thousands, where every one of them has three digits."""
    if all(map(may_mark_thousands, looks)):
        for look in looks:
            option = look.option("number:1.234,5")
            told = f"{look.sample[0]} taken as a fraction: if the point marks thousands, {option}"
            look.oddity = f"{look.oddity}, {told}" if look.oddity else told


def may_mark_thousands(look: Look) -> bool:
    """Has every fraction three digits, and a number from 1 to 999 before them?

    One of three digits has a zero at its end in one of ten cells; where more have, fewer digits were written.

    >>> cells = {"sold": [18.611, 9.271, 41.25], "weight": [0.611, 9.271], "price": [7.5, 12.25], "count": [3.0, 4.0]}
    >>> [may_mark_thousands(Look(name, "", 3, 3, values)) for name, values in cells.items()]
    [True, False, False, False]
    """
    values = np.abs(np.array(look.sample, dtype=float))
    values = values[np.isfinite(values)]
    fractions = values[values != values.round()]
    if not len(fractions) or fractions.min() < 1 or values.max() >= 1000:
        return False
    if (np.round(values * 1000) / 1000 != values).any():
        return False
    last_digits = np.round(fractions * 1000) % 10
    return bool(np.count_nonzero(last_digits) > MOST_WITH_THREE * len(fractions))
