"""The cost model of bench/stream.py: it finds costs that it is made of."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1] / "bench"))

from stream_costs import EPOCHS, CostModel, Measured


def run_of(gigabytes, a_gigabyte=(12.0, 4.0, 9.0), a_row=1e-7, a_doubling=2e-8):
    """What a machine with these costs would take: 16 rows a kilobyte, 120 bytes each."""
    rows = int(gigabytes * 16e6)
    seconds = dict(zip(("read", "features", "encode"), (cost * gigabytes + 0.5 for cost in a_gigabyte), strict=True))
    seconds["epochs"] = EPOCHS * rows * (a_row + a_doubling * np.log2(rows * 120 / 1e9))
    return Measured(int(gigabytes * 1e9), rows, rows * 120, int(gigabytes * 3e9), seconds)


@pytest.mark.parametrize("size", [3, 10])
def test_sizes_that_fit_into_memory_cost_what_the_machine_takes(size):
    model = CostModel.fit([run_of(one) for one in (0.6, 1, 2)], memory=10**12)
    for phase, seconds in model.seconds(size).items():
        assert seconds == pytest.approx(run_of(size).seconds[phase], rel=1e-6), phase


def test_more_rows_than_half_of_memory_are_read_from_disk_once_an_epoch():
    """By hand: 100 GB are 1.6 billion rows of 120 bytes, 192 GB; a window is 6 GB."""
    model = CostModel.fit([run_of(one) for one in (0.6, 1, 2)], memory=24 * 10**9)
    assert model.seconds(100)["epochs"] == pytest.approx(5 * 1.6e9 * (1e-7 + 2e-8 * np.log2(6)), rel=1e-6)
    assert model.gigabytes_read_again(100) == pytest.approx(5 * 192)
    assert model.gigabytes_read_again(1) == 0
