/* What the loop does with rows: seek one that moves the weights, score, add, measure.
 *
 * Weights are double. Every dense sum runs in sixteen explicit lanes (kernel.h), so plain x86-64, AVX2 and AVX-512
 * give the same bits; nothing here may be compiled with -ffast-math or fused multiply-adds.
 */
#ifndef ROSENBLATT_VECTOR_H
#define ROSENBLATT_VECTOR_H

#include <float.h>
#include "rows.h"

enum {
    LANES = 16, CACHE_LINE = 8,             /* doubles */
    TILE = 4, ABREAST = 3,                  /* rows scored at once: by many vectors, by one */
    AHEAD = 12,                             /* dense rows between the one at work and the one being fetched into level 2 */
    NARROW = 512, AHEAD_NARROW = 6,         /* the same for rows of so many bytes, of which level 1 can hold some ahead */
    NEXT = 2,                               /* the same for rows as given, which come into level 1 */
    ENTRIES_AHEAD = 16, LISTED_AHEAD = 10,  /* the same for sparse rows of one width, and for those that indptr lists */
    LONG = 64, LONG_AHEAD = 4,              /* entries of a sparse row, and the same for such rows */
    WEIGHTS_AHEAD = 4,                      /* the same for the weights that sparse rows name */
    LABELS_AHEAD = 16
};

/* The weight of column j in vector k is w[k * per_vector + j * per_column]; u and sigma lie alike, `per_sum` for per_vector. */
typedef struct {
    double *w, *u;         /* weights, and the sum from which their average follows */
    double *sigma;         /* how uncertain each weight is, of a rule of second order; else NULL */
    double *bias;          /* of each vector */
    double scale;          /* the true weight is scale * w: L2 shrinks the scale, not d numbers */
    int64_t vectors, per_vector, per_sum, per_column;
    int large;             /* more than the caches hold: fetch weights ahead, too; for less, that costs more than it gives */
} weights_t;

/* Steps that all have one tau, or AROW's, and need no norm, log or rate: a search may take them by itself, and counts them. */
typedef struct {
    double tau, constant;  /* the constant feature */
    double r;              /* of AROW, where there is a sigma */
    double *bias_u, *bias_sigma;
    int64_t t;             /* examples that the running sum counts before place 0 of the order */
    int64_t count, mistakes;
    double tau_sum;
} steps_t;

/* Rule.moves of core.py, and its check that the margin is finite; a margin that is no number moves, too. A search asks for the
 * least margin that rests once: it is the threshold, or above 0, since a tie is a mistake. */
INLINE double least_at_rest(double threshold) { return threshold > 0 ? threshold : DBL_TRUE_MIN; }
INLINE int rests(double margin, double least) { return margin >= least && margin <= DBL_MAX; }

INLINE double sign_of(const int32_t *y, int64_t i) { return y ? 2 * y[i] - 1 : 1; }

/* ---- the kernels: kernel.h, once for each kind of CPU ---- */

/* The first place from the k-th of the order on (NULL: as given) whose example moves the one vector there is, and its score;
 * `end` if none does. Labels y are 0 and 1, or NULL in a regression. A score that is not finite ends the search, too.
 * With `steps` it passes the examples that such a step is enough for, and takes it; one with a margin of 0 it leaves, unless its row is of ones. */
typedef int64_t (*seek_t)(const rows_t *, const int32_t *order, const int32_t *y, int64_t k, int64_t end, const weights_t *,
                          double threshold, steps_t *steps, double *score);
/* The scores of `count` rows from the k-th on by `vectors` vectors from the `first` on; rows up to `end` may be fetched.
 * Dense rows come up to TILE at a time; sparse ones are scored by every vector. */
typedef void (*score_tile_t)(const rows_t *, const int32_t *order, int64_t k, int64_t count, int64_t end,
                             const weights_t *, int64_t first, int64_t vectors, double *out);
/* w += step x and u += late_step x, for vector k. */
typedef void (*add_t)(const rows_t *, int64_t i, const weights_t *, int64_t k, double step, double late_step);
/* Σ_j x_j² sigma_j of vector k, or, `squared`, Σ_j (x_j sigma_j)². */
typedef double (*variance_t)(const rows_t *, int64_t i, const weights_t *, int64_t k, int squared);
/* w += step v and u += late_step v, for vector k, where v_j = sigma_j x_j; then 1 / sigma_j += gain x_j². */
typedef void (*add_along_t)(const rows_t *, int64_t i, const weights_t *, int64_t k, double step, double late_step, double gain);
/* |x|², recomputed whenever it is needed: a cached norm is one more thing that can be wrong. */
typedef double (*norm2_t)(const rows_t *, int64_t i);

typedef struct {
    seek_t seek[KINDS];
    score_tile_t score_tile[KINDS];
    add_t add[KINDS];
    norm2_t norm2[KINDS];
    variance_t variance[KINDS];
    add_along_t add_along[KINDS];
} kernel_t;

#if defined(__GNUC__)
#define WIDTH 2
#else
#define WIDTH 1
#endif
#define TARGET
#define NAME(function) function##_plain
#include "kernel.h"
#undef WIDTH
#undef TARGET
#undef NAME

#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_WIDE_KERNELS 1
#define WIDTH 4
#define TARGET __attribute__((target("avx2")))
#define NAME(function) function##_avx2
#include "kernel.h"
#undef WIDTH
#undef TARGET
#undef NAME

#define WIDTH 8
#define TARGET __attribute__((target("avx512f")))
#define NAME(function) function##_avx512
#define SPARSE_NAME(function) function##_avx2  /* wider registers gain nothing there, and slow some CPUs down */
#include "kernel.h"
#undef SPARSE_NAME
#undef WIDTH
#undef TARGET
#undef NAME
#endif

static const kernel_t *kernel = &kernel_plain;

/* Use the kernel of that name; 0 if this CPU cannot run it. */
LIKELY_UNUSED static int choose_kernel(const char *name) {
    const kernel_t *chosen = strcmp(name, "plain") ? NULL : &kernel_plain;
#ifdef HAS_WIDE_KERNELS
    __builtin_cpu_init();
    if (!strcmp(name, "avx2") && __builtin_cpu_supports("avx2")) chosen = &kernel_avx2;
    if (!strcmp(name, "avx512") && __builtin_cpu_supports("avx512f")) chosen = &kernel_avx512;
#endif
    if (chosen) kernel = chosen;
    return chosen != NULL;
}

/* Is row i 0 in every column? (A norm can be 0 by underflow.) */
LIKELY_UNUSED static int zero_row(const rows_t *rows, int64_t i) {
    int64_t from = 0, to = rows->d;
    const void *values = rows->values;
    if (is_dense(rows->kind)) values = dense_row(rows->kind, rows, i);
    else entries_of(rows->kind, rows, i, &from, &to);
    for (int64_t e = from; e < to; e++)
        if (value_at(rows->kind, values, e) != 0) return 0;
    return 1;
}

#endif
