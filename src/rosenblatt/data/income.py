"""The income data of the Oregon State lecture, made from UCI's public adult data, to the byte.

Of the rows of adult.data without a `?`, counted from 0, every row whose number leaves 19 when divided by 20 was set aside
for development and every one that leaves 0 for testing. The homework's training part is the first 5,000 of the others, its
development part the last 1,000 of its kind; each has ten of the fifteen columns.
"""

from __future__ import annotations

import hashlib

from rosenblatt.data.known import ADULT, KNOWN
from rosenblatt.errors import DataError

COLUMNS = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex", "hours-per-week", "native-country",
    "income",
)  # fmt: skip
EVERY, TESTING, DEVELOPMENT = 20, 0, 19
TRAINING_ROWS, DEVELOPMENT_ROWS = 5_000, 1_000


def income_from_adult(adult: bytes) -> dict[str, bytes]:
    """The two files of the homework by name, from the content of adult.data; checked against their published sums.

    >>> income_from_adult(b"39, State-gov, 77516\\n")
    Traceback (most recent call last):
    ...
    rosenblatt.errors.DataError: This is not UCI's adult.data with its 32,561 rows: fetch it by `rosenblatt data adult`.
    """
    places = [ADULT.index(column) for column in COLUMNS]
    rows = [[cell.strip() for cell in line.split(b",")] for line in adult.splitlines() if line.strip()]
    complete = [row for row in rows if b"?" not in row]
    kept = [
        (number % EVERY, b",".join(row[place] for place in places) + b"\n")
        for number, row in enumerate(complete)
        if len(row) == len(ADULT)
    ]
    training = [line for rest, line in kept if rest not in (TESTING, DEVELOPMENT)][:TRAINING_ROWS]
    development = [line for rest, line in kept if rest == DEVELOPMENT][-DEVELOPMENT_ROWS:]
    homework = {}
    for (file,), lines in zip(KNOWN["income"].parts.values(), (training, development), strict=True):
        homework[file.name] = b"".join(lines)
        if hashlib.sha256(homework[file.name]).hexdigest() != file.sha256:
            raise DataError("This is not UCI's adult.data with its 32,561 rows: fetch it by `rosenblatt data adult`.")
    return homework
