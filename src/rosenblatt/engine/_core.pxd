# What core.py is compiled with: the C of vector.h, and a type for every name that the loop touches.
cimport cython
from libc.math cimport exp, sqrt
from libc.stdint cimport int64_t
from rosenblatt.engine._formulas cimport AROW, CONSTANT, LOGISTIC, PERCEPTRON, STABLE, WIDROW_HOFF, Formula
from rosenblatt.engine._rows cimport address, c_rows, rows_t

cdef extern from "vector.h" nogil:
    ctypedef struct weights_t:
        double *w
        double *u
        double *sigma
        double *bias
        double scale
        int64_t vectors, per_vector, per_sum, per_column
        int large
    ctypedef struct steps_t:
        double tau, constant, r, tau_sum
        double *bias_u
        double *bias_sigma
        int64_t t, count, mistakes
    ctypedef int64_t (*seek_t)(const rows_t *, const int *order, const int *y, int64_t k, int64_t end, const weights_t *,
                               double threshold, steps_t *steps, double *score) noexcept nogil
    ctypedef void (*score_tile_t)(const rows_t *, const int *order, int64_t k, int64_t count, int64_t end,
                                  const weights_t *, int64_t first, int64_t vectors, double *out) noexcept nogil
    ctypedef void (*add_t)(const rows_t *, int64_t i, const weights_t *, int64_t k, double, double) noexcept nogil
    ctypedef double (*norm2_t)(const rows_t *, int64_t i) noexcept nogil
    ctypedef double (*variance_t)(const rows_t *, int64_t i, const weights_t *, int64_t k, int squared) noexcept nogil
    ctypedef void (*add_along_t)(const rows_t *, int64_t i, const weights_t *, int64_t k, double, double,
                                 double gain) noexcept nogil
    ctypedef struct kernel_t:
        seek_t seek[8]
        score_tile_t score_tile[8]
        add_t add[8]
        norm2_t norm2[8]
        variance_t variance[8]
        add_along_t add_along[8]
    const kernel_t *kernel
    const char *ROSENBLATT_DIGEST
    int zero_row(const rows_t *, int64_t)
    int c_choose_kernel "choose_kernel" (const char *)

cpdef enum:
    FINE, NOT_FINITE, TOO_LARGE, TOO_SMALL, SETTLE

cdef double SMALLEST_NORM2, LARGEST, SMALLEST_SCALE

@cython.final
cdef class Loop:
    cdef rows_t rows_c
    cdef weights_t weights_c
    cdef seek_t seek_c
    cdef score_tile_t score_tile_c
    cdef add_t add_c
    cdef norm2_t norm2_c
    cdef variance_t variance_c
    cdef add_along_t add_along_c
    cdef object kept_alive
    cdef Formula rule
    cdef const int[::1] order, y
    cdef const double[::1] targets, sample_weight
    cdef double[::1] bias, bias_u, bias_sigma, scores, out, log_tau
    cdef long long[::1] log_t
    cdef int[::1] log_row, log_rival
    cdef bint regression, has_labels, weighted, has_order, keep_log, one_rival, needs_norm, steps_alike, steps_in_search
    cdef bint second_order, measure, against_rest
    cdef long long stop, scored  # examples before `scored` have their scores
    cdef Py_ssize_t place, right, rival  # where this example's scores begin; its class, and the rival
    cdef double margin, sign, gain
    cdef readonly Py_ssize_t vectors, tile, block, logged, n
    cdef readonly double constant, copies, scale, weight, moved, largest, tau_sum, least_tau
    cdef readonly long long t, settled, updates, mistakes, zero_rows, steps
    cdef readonly int fault

    @cython.locals(reached=cython.longlong)
    cpdef Py_ssize_t run(self, object order, Py_ssize_t start, Py_ssize_t stop) except -2
    @cython.locals(k=cython.longlong)
    cdef long long learn(self, long long start) noexcept nogil
    @cython.locals(k=cython.longlong, i=cython.longlong)
    cdef inline long long next_move(self, long long start) noexcept nogil
    @cython.locals(i=cython.longlong, margin=double, rate=double, size=double, tau=double, importance=double)
    cdef inline bint learn_from(self, long long k) noexcept nogil
    cdef inline void pass_on(self, long long examples) noexcept nogil
    @cython.locals(c=Py_ssize_t, best=Py_ssize_t)
    cdef inline Py_ssize_t best_other(self, Py_ssize_t place, Py_ssize_t right) noexcept nogil
    @cython.locals(c=Py_ssize_t, margin=double)
    cdef inline Py_ssize_t first_to_move(self, Py_ssize_t start) noexcept nogil
    @cython.locals(c=Py_ssize_t, score=double, tau=double, moved=cython.bint)
    cdef bint move_against_rest(self, long long k, long long i, double rate, double importance, double size) noexcept nogil
    cdef inline double uncertainty(self, long long i, Py_ssize_t k) noexcept nogil
    @cython.locals(constant=double)
    cdef inline void move(self, long long i, Py_ssize_t k, double step) noexcept nogil
    @cython.locals(c=Py_ssize_t, wanted=double, step=double, steps2=double, moved=cython.bint)
    cdef bint move_every_class(self, long long i, Py_ssize_t right, double rate, double size) noexcept nogil
    @cython.locals(c=Py_ssize_t, largest=double, total=double)
    cdef void scores_to_probabilities(self) noexcept nogil
    cdef void record(self, long long i, Py_ssize_t rival, double tau) noexcept nogil
    @cython.locals(bad=cython.longlong)
    cpdef Py_ssize_t score_rows(self, object out, Py_ssize_t start, Py_ssize_t stop) except -2
    @cython.locals(k=cython.longlong, count=cython.longlong, c=cython.longlong)
    cdef long long score_all(self, long long start) noexcept nogil

@cython.locals(i=Py_ssize_t, strange=Py_ssize_t)
cdef bint within(const int[::1] codes, Py_ssize_t classes) except -1
cdef inline const int *order_of(Loop loop) noexcept nogil:
    return &loop.order[0] if loop.has_order else NULL

cdef inline long long seek(Loop loop, long long start) noexcept nogil:
    """The first place from `start` on whose example moves the one vector there is, or has no finite score: `scores[0]`.

    With `steps_in_search` most such examples have moved it on the way, and are counted; one with a margin of 0 has not, unless its row is of ones.
    """
    cdef steps_t steps
    cdef long long k
    steps.tau, steps.constant, steps.tau_sum = loop.rule.rate, loop.constant, loop.tau_sum
    steps.bias_u, steps.bias_sigma, steps.r = &loop.bias_u[0], &loop.bias_sigma[0], loop.rule.r
    steps.t = loop.t - loop.settled - start
    steps.count = steps.mistakes = 0
    loop.weights_c.scale = loop.scale
    k = loop.seek_c(&loop.rows_c, order_of(loop), &loop.y[0] if loop.has_labels else NULL, start, loop.stop,
                    &loop.weights_c, loop.rule.threshold, &steps if loop.steps_in_search else NULL, &loop.scores[0])
    if steps.count:
        loop.updates += steps.count
        loop.mistakes += steps.mistakes
        if not loop.second_order:
            loop.steps += steps.count
            loop.tau_sum = steps.tau_sum
            loop.least_tau = min(loop.least_tau, steps.tau)
    return k

cdef inline void score_tile(Loop loop, long long k, long long count) noexcept nogil:
    """Scores of the `count` examples from place k of the order on, by every vector."""
    loop.weights_c.scale = loop.scale
    loop.score_tile_c(&loop.rows_c, order_of(loop), k, count, loop.stop, &loop.weights_c, 0, loop.vectors, &loop.scores[0])

cdef inline void score_block(Loop loop, long long k, long long count) noexcept nogil:
    """The same for rows as given, into `out`."""
    loop.weights_c.scale = loop.scale
    loop.score_tile_c(&loop.rows_c, NULL, k, count, loop.stop, &loop.weights_c, 0, loop.vectors, &loop.out[k * loop.vectors])

cdef inline void rescore(Loop loop, long long k, long long count, Py_ssize_t place, Py_ssize_t vector) noexcept nogil:
    """The same, by one vector; the first example's scores begin at `place`."""
    loop.score_tile_c(&loop.rows_c, order_of(loop), k, count, loop.stop, &loop.weights_c, vector, 1,
                      &loop.scores[place + vector])

cdef inline void add(Loop loop, long long i, Py_ssize_t k, double step, double late_step) noexcept nogil:
    loop.add_c(&loop.rows_c, i, &loop.weights_c, k, step, late_step)

cdef inline double norm2(Loop loop, long long i) noexcept nogil:
    return loop.norm2_c(&loop.rows_c, i)

cdef inline double variance(Loop loop, long long i, Py_ssize_t k, bint squared) noexcept nogil:
    return loop.variance_c(&loop.rows_c, i, &loop.weights_c, k, squared)

cdef inline void add_along(Loop loop, long long i, Py_ssize_t k, double step, double late_step, double gain) noexcept nogil:
    loop.add_along_c(&loop.rows_c, i, &loop.weights_c, k, step, late_step, gain)

cdef inline bint is_zero(Loop loop, long long i) noexcept nogil:
    return zero_row(&loop.rows_c, i)

cdef inline int bind(Loop loop, object rows, object weights) except -1:
    loop.rows_c = c_rows(rows)
    loop.seek_c, loop.score_tile_c = kernel.seek[rows.kind], kernel.score_tile[rows.kind]
    loop.add_c, loop.norm2_c = kernel.add[rows.kind], kernel.norm2[rows.kind]
    loop.weights_c.w, loop.weights_c.u = <double *> address(weights.w), <double *> address(weights.u)
    loop.variance_c, loop.add_along_c = kernel.variance[rows.kind], kernel.add_along[rows.kind]
    loop.weights_c.sigma = <double *> address(weights.sigma) if loop.second_order else NULL
    loop.weights_c.bias = <double *> address(weights.bias)
    loop.weights_c.scale = weights.scale
    loop.weights_c.vectors = weights.vectors
    loop.weights_c.per_vector, loop.weights_c.per_column = weights.w.strides[0] // 8, weights.w.strides[1] // 8
    loop.weights_c.per_sum = weights.u.strides[0] // 8
    past = getattr(weights, "past", None)  # what was just copied is in the caches: of a few columns, or of all
    columns = rows.d if past is None or past.columns is None else len(past.columns)
    loop.weights_c.large = columns * weights.w.strides[1] > 2**23  # bytes
    loop.kept_alive = (rows, weights)
    return 0

cdef inline bint choose_kernel(str name):
    return c_choose_kernel(name.encode())

cdef inline str digest():
    return ROSENBLATT_DIGEST.decode()
