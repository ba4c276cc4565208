# Rows as rows.h has them, for what is compiled: filled in from rows.py's Rows, which stay alive meanwhile.
from cpython.buffer cimport PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t

cdef extern from "rows.h" nogil:
    ctypedef struct rows_t:
        int kind
        int64_t n, d, width, entries
        const void *values
        const void *indices
        const void *indptr

cdef inline void *address(object array) except? NULL:
    """Where an array begins; whoever asks keeps it alive."""
    cdef Py_buffer view
    if array is None:
        return NULL
    PyObject_GetBuffer(array, &view, PyBUF_STRIDES)
    PyBuffer_Release(&view)
    return view.buf

cdef inline rows_t c_rows(object rows) except *:
    cdef rows_t c
    c.kind, c.n, c.d, c.width, c.entries = rows.kind, rows.n, rows.d, rows.width, rows.entries
    c.values, c.indices, c.indptr = address(rows.values), address(rows.indices), address(rows.indptr)
    return c
