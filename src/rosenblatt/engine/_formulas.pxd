# What formulas.py is compiled with: a type for every name.
cimport cython
from libc.math cimport exp

cdef extern from *:
    const char *ROSENBLATT_DIGEST

cpdef enum:
    PERCEPTRON, MIRA, PA1, PA2, LOGISTIC, WIDROW_HOFF, AROW

cpdef enum:
    CONSTANT, PER_UPDATE, PER_EXAMPLE, STABLE, POWER

@cython.final
cdef class Formula:
    cdef readonly int kind, schedule
    cdef readonly bint divides
    cdef readonly double rate, threshold, C, l2, epsilon, offset, power, r
    cpdef bint moves(self, double margin) noexcept nogil
    cpdef double rate_at(self, long long update, long long example) noexcept nogil
    cpdef double tau(self, double margin, double norm2, double rate) noexcept nogil
    @cython.locals(tau=double)
    cpdef double weighted_tau(self, double margin, double norm2, double rate, double importance) noexcept nogil
    @cython.locals(loss=double, tau=double)
    cpdef double pull(self, double error, double norm2, double rate, double importance) noexcept nogil
    @cython.locals(k=Py_ssize_t)
    cpdef Py_ssize_t first_move(self, const double[::1] margins, Py_ssize_t start)

cpdef double sigmoid(double z) noexcept nogil

cdef inline str digest():
    return ROSENBLATT_DIGEST.decode()
