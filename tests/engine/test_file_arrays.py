"""What is written part by part, moved to the front or shuffled ahead is what plain numpy and plain Python give."""

import tempfile
from os import write
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine import entries as slow_entries
from rosenblatt.engine.compiled import entries, permutation
from rosenblatt.engine.file_arrays import write_numbers


@given(st.lists(st.integers(0, 50), max_size=20), st.integers(1, 40))
def test_parts_of_any_length_are_written_whole(lengths, at_most):
    """Also where the system takes no more than some bytes at a time, as it may."""
    parts = [np.arange(2 * length, dtype=np.int16)[::2] + 100 * k for k, length in enumerate(lengths)]
    with tempfile.TemporaryFile() as file, mock.patch("os.write", lambda number, some: write(number, some[:at_most])):
        for part in parts:
            write_numbers(file, part)
        file.seek(0)
        assert file.read() == b"".join(part.tobytes() for part in parts)


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 64, 65, 1000])
def test_a_shuffle_that_draws_ahead_is_fisher_yates_word_by_word(n):
    order, bits = np.arange(n, dtype=np.int32), np.random.PCG64(3)
    permutation.shuffle(order, bits)
    words, expected = np.random.PCG64(3), list(range(n))
    for place in reversed(range(n)):  # Knuth, TAOCP 2, algorithm P; a word becomes a place as Lemire does it
        j = int(words.random_raw()) * (place + 1) >> 64
        expected[place], expected[j] = expected[j], expected[place]
    assert order.tolist() == expected
    assert bits.random_raw() == words.random_raw()  # no word more was drawn than there are places


@pytest.mark.parametrize("module", [entries, slow_entries])
@pytest.mark.parametrize("kind", [None, np.float32, np.float64])
def test_entries_without_a_column_leave_no_gap(module, kind):
    draw = np.random.default_rng(0)
    columns = draw.integers(-1, 3, (40, 7)).astype(np.int32)
    values = None if kind is None else draw.random((40, 7)).astype(kind)
    expected = columns[columns >= 0].tolist(), None if values is None else values[columns >= 0].tolist()
    of_row = [int((row >= 0).sum()) for row in columns]
    lengths = np.zeros(40, dtype=np.int64)
    end = module.pack(columns, values, lengths)
    assert (columns.ravel()[:end].tolist(), None if values is None else values.ravel()[:end].tolist()) == expected
    assert lengths.tolist() == of_row
