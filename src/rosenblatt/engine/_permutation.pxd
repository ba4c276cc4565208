# What permutation.py is compiled with: the C of permutation.h, and a type for every name.
cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uint64_t

# The first members of numpy's bitgen_t (numpy/random/bitgen.h, a public interface).
ctypedef struct words_t:
    void *state
    uint64_t (*next_uint64)(void *state) noexcept nogil
ctypedef words_t *p_words

cdef extern from "permutation.h" nogil:
    const char *ROSENBLATT_DIGEST
    int64_t scaled_down(uint64_t, uint64_t)
    void c_permute "permute" (int *order, int64_t n, uint64_t (*next)(void *state) noexcept nogil, void *state)

@cython.locals(source=p_words)
cpdef shuffle(int[::1] order, object bits)
@cython.locals(source=p_words, k=Py_ssize_t)
cpdef draw(int[::1] order, object bits, const int[::1] pool)

cdef inline p_words words_of(object bits) except NULL:
    """The generator itself, of which numpy promises this much: its words can be drawn without the interpreter."""
    return <p_words> PyCapsule_GetPointer(bits.capsule, "BitGenerator")

cdef inline uint64_t next_word(p_words source) noexcept nogil:
    return source.next_uint64(source.state)

cdef inline void permute(int[::1] order, p_words source) noexcept nogil:
    if order.shape[0]:
        c_permute(&order[0], order.shape[0], source.next_uint64, source.state)

cdef inline str digest():
    return ROSENBLATT_DIGEST.decode()
