"""Work on several cores: the results of one, in order, and no more of them at a time than were asked for."""

import threading

import pytest

from rosenblatt.data import batches
from rosenblatt.data.read_options import BufferSizes
from rosenblatt.engine.threads import MOST_AHEAD, map_ahead


def test_results_come_in_order_and_do_not_pile_up():
    taken = []

    def items():
        for number in range(100):
            taken.append(number)
            yield number

    results = map_ahead(lambda number: number * number, items())
    for number, result in enumerate(results):
        assert result == number * number
        assert len(taken) <= number + 1 + MOST_AHEAD


def test_the_first_failure_is_raised_and_no_thread_works_on():
    working = threading.Semaphore(0)

    def work(number):
        if number == 3:
            raise ValueError("three")
        working.release()
        return number

    results = map_ahead(work, range(10**9))
    with pytest.raises(ValueError, match="three"):
        list(results)
    count = working._value
    threading.Event().wait(0.05)
    assert working._value == count <= 3 + MOST_AHEAD


def test_blocks_that_are_parsed_ahead_are_those_parsed_one_after_the_other(tmp_path):
    """Types widen on the way, so that some blocks are parsed again; what cannot be read is refused by its line."""
    lines = ["1,x"] * 500 + ["1.5,?"] * 500 + ["7,y"] * 500 + ["word,z"] * 300 + ["8,8"] * 500
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(lines) + "\n")
    sizes = BufferSizes(table_block=256)
    one, ahead = (list(batches(tmp_path / "t.csv", None, sizes=sizes, ahead=ahead)) for ahead in (False, True))
    assert len(one) > 20
    assert [part.rows.dtypes for part in ahead] == [part.rows.dtypes for part in one]
    assert [part.rows.rows() for part in ahead] == [part.rows.rows() for part in one]
    (tmp_path / "bad.csv").write_text("a,b\n" + "\n".join([*lines, "1,2,3", *lines]) + "\n")
    for how in (False, True):
        with pytest.raises(ValueError, match="line 2,302"):
            list(batches(tmp_path / "bad.csv", None, sizes=sizes, ahead=how))
