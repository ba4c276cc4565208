"""Packed rows are the CSR rows that they stand for, and the loop takes the same steps over both."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.engine import packed_rows, rules
from rosenblatt.engine.compiled import core
from rosenblatt.engine.packed_loop import PackedLoop
from rosenblatt.engine.packed_rows import PackedRows, RecordLayout, RowBuffer, Slot, unpack_slowly
from rosenblatt.engine.rows import Rows
from rosenblatt.engine.weights import Weights
from rosenblatt.errors import NotFiniteError

SIZES = st.sampled_from([1, 1, 2, 5, 254, 255, 256, 300, 65_536, 70_000])


@st.composite
def tables(draw):
    """(packed rows, the same rows as CSR), of slots of all sizes, with and without numbers, some of them absent."""
    slots, start = [], draw(st.integers(0, 3))
    for size in draw(st.lists(SIZES, min_size=1, max_size=40)):
        slots.append(Slot(start, size, draw(st.booleans())))
        start += size + draw(st.integers(0, 2))
    layout = RecordLayout(tuple(slots), draw(st.sampled_from(["<f4", "<f8"])))
    n, random = draw(st.integers(1, 60)), np.random.default_rng(draw(st.integers(0, 2**32)))
    records, dense = np.zeros(n, layout.fields), [[] for _ in range(n)]
    for j, slot in enumerate(slots):
        codes = random.integers(-1, slot.size, n)
        codes[0] = slot.size - 1  # the last feature of every slot
        values = random.normal(size=n).astype(layout.value) if slot.valued else np.ones(n)
        records[f"c{j}"] = codes
        if slot.valued:
            records[f"v{j}"] = values
        for i in range(n):
            if codes[i] >= 0:
                dense[i].append((slot.start + codes[i], values[i]))
    ends = np.cumsum([0, *map(len, dense)])
    columns, values = zip(*(entry for row in dense for entry in row), strict=True)
    csr = sp.csr_array(
        (np.array(values, layout.value), np.array(columns, np.int32), ends.astype(np.int32)), shape=(n, start)
    )
    return PackedRows(records.view(np.uint8).reshape(n, -1), layout, start, int(ends[-1])), csr


def unpackers():
    return [unpack_slowly] if packed_rows.compiled is None else [unpack_slowly, packed_rows.compiled.unpack]


@given(tables(), st.randoms(use_true_random=False))
def test_both_unpackers_give_the_entries_of_csr(table, random):
    packed, csr = table
    order = np.array([random.randrange(packed.n) for _ in range(2 * packed.n)], dtype=np.int32)
    classes = np.arange(packed.n, dtype=np.int32)
    for some, expected in ((None, csr), (order, csr[order])):
        stop, layout = expected.shape[0], packed.layout
        for unpack in unpackers():
            rows, own = RowBuffer(packed, stop).rows, np.zeros(stop, dtype=np.int32)
            record = packed.records, layout.width, layout.table, layout.code.itemsize
            entries = unpack(*record, some, 0, stop, (rows.indices, rows.values, rows.indptr), 0, classes, own)
            assert rows.indptr.tolist() == expected.indptr.tolist()
            assert rows.indices[:entries].tolist() == expected.indices.tolist()
            assert rows.values is None or rows.values[:entries].tolist() == expected.data.tolist()
            assert own.tolist() == (classes if some is None else some).tolist()


@given(tables(), st.integers(0, 5), st.booleans())
def test_the_loop_takes_the_same_steps_over_packed_rows(table, seed, as_given):
    packed, csr = table
    random = np.random.default_rng(seed)
    codes, order = random.integers(0, 2, packed.n).astype(np.int32), random.permutation(packed.n).astype(np.int32)
    importance = random.integers(1, 4, packed.n).astype(float)
    cells, counts = [], []
    for rows in (packed, Rows(csr)):
        weights = Weights(1, packed.d, True, True)
        kind = {"at_once": 7} if rows is packed else {}
        loop = (PackedLoop if rows is packed else core.Loop)(
            rows, weights, rules.PassiveAggressive().formula(), (codes, None, importance), **kind
        )
        for _ in range(3):
            order[:] = np.roll(order, 1)  # the same array, another order
            place = 0
            while place < packed.n:
                place = loop.run(None if as_given else order, place, min(place + 5, packed.n))
        order[:] = np.roll(order, -3)
        cells.append(np.array(weights.w).tobytes() + np.array(weights.u).tobytes())
        counts.append((loop.mistakes, loop.updates, loop.t))
    assert cells[0] == cells[1]
    assert counts[0] == counts[1]


@given(tables())
def test_parts_and_copies_of_packed_rows_are_those_of_csr(table):
    packed, csr = table
    half = packed.n // 2
    assert (packed.csr() != csr).nnz == 0
    assert (packed.take(np.array([half, 0])).csr() != csr[[half, 0]]).nnz == 0
    assert packed.part(half, packed.n).entries == csr[half:].nnz
    assert (packed.block(0, half).csr() != csr[:half]).nnz == 0 if half else True


@pytest.mark.skipif(packed_rows.compiled is None, reason="built without a compiler")
def test_what_does_not_fit_is_refused():
    layout = RecordLayout((Slot(0, 1, True), Slot(1, 2, False)), "<f4")
    packed = PackedRows(np.zeros((4, layout.width), np.uint8), layout, 3, 8)
    for order, stop in ((np.array([0, 4], np.int32), 2), (np.array([0, -1], np.int32), 2), (None, 5)):
        with pytest.raises(ValueError, match="do not fit"):
            RowBuffer(packed, 5).fill(order, 0, stop)
    with pytest.raises(ValueError, match="do not fit"):
        RowBuffer(packed, 2).fill(None, 0, 4)


def test_numbers_that_are_not_finite_are_named():
    layout = RecordLayout((Slot(0, 1, True),), "<f8")
    records = np.zeros(3, layout.fields)
    records["v0"][2] = np.nan
    with pytest.raises(NotFiniteError, match="row 2, column 0"):
        PackedRows(records.view(np.uint8).reshape(3, -1), layout, 1, 3).refuse_not_finite()


@pytest.mark.skipif(packed_rows.compiled is None, reason="built without a compiler")
def test_the_compiled_unpacker_is_made_of_this_source():
    if not packed_rows.compiled.DIGEST:
        pytest.skip("not built by setup.py")
    source = Path(packed_rows.__file__).with_name("_unpack.c")
    assert hashlib.sha256(source.read_bytes()).hexdigest() == packed_rows.compiled.DIGEST
