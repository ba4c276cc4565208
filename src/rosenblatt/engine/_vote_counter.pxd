# What vote_counter.py is compiled with: a type for every name that the count touches.
cimport cython

cdef extern from *:
    const char *ROSENBLATT_DIGEST

@cython.final
cdef class VoteCounter:
    cdef const int[::1] column, gains, loses
    cdef const double[::1] steps
    cdef const long long[::1] lived
    cdef const double[:, ::1] products
    cdef double[:, ::1] scores
    cdef double[::1] biases
    cdef long long[:, ::1] votes
    cdef Py_ssize_t updates, columns, least_vectors
    cdef bint has_rivals
    cdef double constant

    @cython.locals(i=Py_ssize_t)
    cdef void count_all(self) noexcept nogil
    @cython.locals(k=Py_ssize_t, score=double, bias=double, votes=cython.longlong)
    cdef void count_two(self, Py_ssize_t i) noexcept nogil
    @cython.locals(k=Py_ssize_t, c=Py_ssize_t, step=double)
    cdef void count_many(self, Py_ssize_t i) noexcept nogil
    @cython.locals(c=Py_ssize_t, best=Py_ssize_t, score=double, most=double)
    cdef inline Py_ssize_t highest(self, Py_ssize_t i) noexcept nogil

@cython.final
cdef class WholeVoteCounter:
    cdef const int[::1] column, lived
    cdef const float[::1] steps
    cdef const float[:, ::1] products
    cdef float[::1] scores
    cdef int[::1] votes
    cdef Py_ssize_t columns

    @cython.locals(i=Py_ssize_t, k=Py_ssize_t)
    cdef void count_all(self) noexcept nogil

cdef inline void vote_abreast(WholeVoteCounter counter, Py_ssize_t column, float step, int lived) noexcept nogil:
    """A step of a running sum for all rows, and the votes of the weights that it makes; no branch, so that it runs in vectors."""
    cdef Py_ssize_t i, n = counter.scores.shape[0]
    cdef const float *products = &counter.products[column, 0]
    cdef float *scores = &counter.scores[0]
    cdef int *votes = &counter.votes[0]
    for i in range(n):
        scores[i] += step * products[i]
        votes[i] += (2 * (scores[i] >= 0) - 1) * lived

@cython.final
cdef class SignCounter:
    cdef const float[:, ::1] scores
    cdef const double[:, ::1] X, W
    cdef const long long[::1] lived
    cdef long long[::1] votes
    cdef Py_ssize_t patience
    cdef double doubt

    @cython.locals(i=Py_ssize_t, k=Py_ssize_t, score=double, votes=cython.longlong)
    cdef void count_all(self) noexcept nogil
    @cython.locals(j=Py_ssize_t, d=Py_ssize_t, score=double)
    cdef double score(self, Py_ssize_t i, Py_ssize_t k) noexcept nogil

cdef inline str digest():
    return ROSENBLATT_DIGEST.decode()
