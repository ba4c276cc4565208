"""entries.py in C (entries.h): the same functions."""

from libc.stdint cimport int64_t
from rosenblatt.engine._rows cimport address, c_rows, rows_t

cdef extern from "entries.h" nogil:
    const int ROOM_BEHIND
    const char *ROSENBLATT_DIGEST
    int check_sparse(const rows_t *, bint increasing, bint part, int64_t *row, int64_t *entry)
    int64_t c_mark_repeats "mark_repeats" (const rows_t *, char *repeats)
    int64_t c_list_columns "list_columns" (const rows_t *, int64_t *columns)
    void c_copy_cells "copy_cells" (
        const double *, int64_t vectors, int64_t size, const int64_t *columns, int64_t n, double *copy, double *, double *
    )
    void c_count_by_class "count_by_class" (const rows_t *, const int *codes, int64_t *counts)
    void c_sum_by_column "sum_by_column" (const rows_t *, int64_t start, int64_t stop, double *sums)
    int64_t c_pack "pack" (int *columns, void *values, int size, int64_t n, int64_t width, int64_t *lengths)


def check(rows, bint increasing, bint part=False):
    cdef int64_t row = 0, entry = 0
    cdef rows_t c = c_rows(rows)
    cdef int verdict
    with nogil:
        verdict = check_sparse(&c, increasing, part, &row, &entry)
    return verdict, row, entry


def mark_repeats(rows, repeats):
    cdef rows_t c = c_rows(rows)
    cdef char *marks = <char *> address(repeats)
    cdef int64_t count
    with nogil:
        count = c_mark_repeats(&c, marks)
    return known(count)


def list_columns(rows):
    import numpy as np  # which readers of files, that come here for the cores, need not wait for

    columns = np.empty(rows.entries + ROOM_BEHIND, dtype=np.int64)
    cdef rows_t c = c_rows(rows)
    cdef int64_t *places = <int64_t *> address(columns)
    cdef int64_t count
    with nogil:
        count = c_list_columns(&c, places)
    return columns[: known(count)]


def copy_cells(cells, const int64_t[::1] columns=None, copy=None):
    cdef int64_t vectors = cells.shape[2], size = cells.shape[1] * vectors
    cdef int64_t n = cells.shape[0] if columns is None else columns.shape[0]
    cdef const double *theirs = <const double *> address(cells)
    cdef const int64_t *places = &columns[0] if columns is not None and n else NULL
    cdef double *own = <double *> address(copy)
    cdef double squares, others
    with nogil:
        c_copy_cells(theirs, vectors, size, places, n, own, &squares, &others)
    return squares, others


def count_by_class(rows, codes, counts):
    cdef rows_t c = c_rows(rows)
    cdef const int *classes = <const int *> address(codes)
    cdef int64_t *sums = <int64_t *> address(counts)
    with nogil:
        c_count_by_class(&c, classes, sums)


def sum_by_column(rows, int64_t start, int64_t stop, sums):
    cdef rows_t c = c_rows(rows)
    cdef double *columns = <double *> address(sums)
    with nogil:
        c_sum_by_column(&c, start, stop, columns)


def pack(columns, values, lengths):
    cdef int *places = <int *> address(columns)
    cdef void *theirs = address(values)
    cdef int64_t *counts = <int64_t *> address(lengths)
    cdef int64_t n = columns.shape[0], width = columns.shape[1], kept
    cdef int size = 4 if values is None else values.itemsize
    with nogil:
        kept = c_pack(places, theirs, size, n, width, counts)
    return kept


def source_digest():
    return ROSENBLATT_DIGEST.decode()


cdef int64_t known(int64_t count) except -1:
    if count < 0:
        raise MemoryError
    return count
