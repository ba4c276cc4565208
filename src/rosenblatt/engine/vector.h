/* What a row is, and what the loop does with rows: seek one that moves the weights, score, add, measure, check.
 *
 * A row is dense or sparse, its values float or double or all ones, its column indices 32 or 64 bits wide.
 * Weights are double. Every dense sum runs in sixteen explicit lanes (kernel.h), so plain x86-64, AVX2 and AVX-512
 * give the same bits; nothing here may be compiled with -ffast-math or fused multiply-adds.
 */
#ifndef ROSENBLATT_VECTOR_H
#define ROSENBLATT_VECTOR_H

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define LIKELY_UNUSED __attribute__((unused))
#define PREFETCH(address, level) __builtin_prefetch((address), 0, (level))
#else
#define INLINE static inline
#define LIKELY_UNUSED
#define PREFETCH(address, level) ((void)0)
#endif

/* A build with -DROSENBLATT_BOUNDS stops at the first read outside the data (see CONTRIBUTING.md). */
#ifdef ROSENBLATT_BOUNDS
#define INSIDE(condition) do { if (!(condition)) abort(); } while (0)
#else
#define INSIDE(condition) ((void)0)
#endif

enum {
    LANES = 16, CACHE_LINE = 8,             /* doubles */
    TILE = 4, ABREAST = 3,                  /* rows scored at once: by many vectors, by one */
    AHEAD = 12,                             /* dense rows between the one at work and the one being fetched into level 2 */
    NARROW = 512, AHEAD_NARROW = 6,         /* the same for rows of so many bytes, of which level 1 can hold some ahead */
    NEXT = 2,                               /* the same for rows as given, which come into level 1 */
    ENTRIES_AHEAD = 16, WEIGHTS_AHEAD = 4,  /* the same for sparse rows, and for the weights that they name */
    LONG = 64,                              /* entries of a sparse row */
    LABELS_AHEAD = 16
};

/* The kinds of row; rows.py knows them by the same numbers. */
#define FOR_EACH_KIND(DO)                                                                                                  \
    DO(DENSE_F32) DO(DENSE_F64)                                                                                            \
    DO(SPARSE_F32_I32) DO(SPARSE_F64_I32) DO(SPARSE_ONES_I32)                                                              \
    DO(SPARSE_F32_I64) DO(SPARSE_F64_I64) DO(SPARSE_ONES_I64)
#define COMMA(KIND) KIND,
enum { FOR_EACH_KIND(COMMA) KINDS };
#undef COMMA

typedef struct {
    int kind;
    int64_t n, d;          /* rows, columns */
    int64_t width;         /* dense: distance between rows; sparse without indptr: entries in each row */
    int64_t entries;       /* sparse: length of indices */
    const void *values;    /* NULL: every value is 1 */
    const void *indices;   /* NULL: dense */
    const void *indptr;    /* NULL: every row has `width` entries; else of the type of indices */
} rows_t;

/* The weight of column j in vector k is w[k * per_vector + j * per_column]; u and sigma lie alike, `per_sum` for per_vector. */
typedef struct {
    double *w, *u;         /* weights, and the sum from which their average follows */
    double *sigma;         /* how uncertain each weight is, of a rule of second order; else NULL */
    double *bias;          /* of each vector */
    double scale;          /* the true weight is scale * w: L2 shrinks the scale, not d numbers */
    int64_t vectors, per_vector, per_sum, per_column;
    int large;             /* much more than the second-level cache holds: fetch weights ahead, too */
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

/* ---- reading one number, whatever its type; `kind` is a constant wherever these are inlined ---- */

INLINE int is_dense(const int kind) { return kind <= DENSE_F64; }
INLINE int is_ones(const int kind) { return kind == SPARSE_ONES_I32 || kind == SPARSE_ONES_I64; }
INLINE int is_wide(const int kind) { return kind >= SPARSE_F32_I64; }

INLINE double value_at(const int kind, const void *values, int64_t e) {
    switch (kind) {
    case DENSE_F32: case SPARSE_F32_I32: case SPARSE_F32_I64: return ((const float *)values)[e];
    case DENSE_F64: case SPARSE_F64_I32: case SPARSE_F64_I64: return ((const double *)values)[e];
    default: return 1.0;
    }
}

INLINE int64_t index_at(const int kind, const void *indices, int64_t e) {
    return is_wide(kind) ? ((const int64_t *)indices)[e] : ((const int32_t *)indices)[e];
}

INLINE size_t value_size(const int kind) {
    return kind == DENSE_F64 || kind == SPARSE_F64_I32 || kind == SPARSE_F64_I64 ? 8 : 4;
}

INLINE size_t index_size(const int kind) { return is_wide(kind) ? 8 : 4; }

/* Entries [*from, *to) of `indices` belong to sparse row i. */
INLINE void entries_of(const int kind, const rows_t *rows, int64_t i, int64_t *from, int64_t *to) {
    INSIDE(0 <= i && i < rows->n);
    if (rows->indptr) {
        *from = index_at(kind, rows->indptr, i);
        *to = index_at(kind, rows->indptr, i + 1);
    } else {
        *from = i * rows->width;
        *to = *from + rows->width;
    }
    INSIDE(0 <= *from && *from <= *to && *to <= rows->entries);
}

INLINE const char *dense_row(const int kind, const rows_t *rows, int64_t i) {
    INSIDE(0 <= i && i < rows->n);
    return (const char *)rows->values + i * rows->width * (int64_t)value_size(kind);
}

/* Rule.moves of core.py, and its check that the margin is finite; a margin that is no number moves, too. */
INLINE int rests(double margin, double threshold) { return margin >= threshold && margin > 0 && margin <= DBL_MAX; }

INLINE double sign_of(const int32_t *y, int64_t i) { return y ? 2 * y[i] - 1 : 1; }

/* ---- the kernels: kernel.h, once for each kind of CPU ---- */

/* The first place from the k-th of the order on (NULL: as given) whose example moves the one vector there is, and its score;
 * `end` if none does. Labels y are 0 and 1, or NULL in a regression. A score that is not finite ends the search, too.
 * With `steps` it passes the examples that such a step is enough for, and takes it; one with a margin of 0 it leaves. */
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
#include "kernel.h"
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

/* ---- trust is earned here: the loop itself checks nothing ---- */

enum { ROWS_FINE = 0, ROWS_UNSORTED = 1, BAD_INDPTR = 2, BAD_INDEX = 3 };

/* Names the first row whose entries do not begin where those before it end, or reach beyond the data. */
INLINE int first_bad_start(const int kind, const rows_t *rows, int64_t *row) {
    int64_t before = 0;
    for (*row = 0;; ++*row) {
        const int64_t from = rows->indptr ? index_at(kind, rows->indptr, *row) : before;
        const int64_t to = rows->indptr ? index_at(kind, rows->indptr, *row + 1) : before + rows->width;
        if (from != before || to < from || to > rows->entries) return BAD_INDPTR;
        before = to;
    }
}

/* First where rows begin, then all entries in one run, both in loops of which the compiler makes vectors: columns are sorted
 * if they descend nowhere but where a row begins. INDEX is the type of an index, UNSIGNED the same without a sign. */
#define CHECKER(FUNCTION, KIND, INDEX, UNSIGNED, MOST)                                                                     \
    LIKELY_UNUSED static int FUNCTION(const rows_t *rows, int increasing, int64_t *row, int64_t *entry) {                  \
        const INDEX *columns = rows->indices, *starts = rows->indptr;                                                      \
        const UNSIGNED limit = (UNSIGNED)(rows->d < MOST ? rows->d : MOST);                                                \
        const int64_t all = !rows->n ? 0 : starts ? starts[rows->n] : rows->n * rows->width;                               \
        int64_t at_starts = 0, descents = 0;                                                                               \
        UNSIGNED outside = 0, falls = rows->n && (all > rows->entries || (starts && starts[0] != 0));                      \
        for (int64_t i = 0; starts && i < rows->n; i++) falls |= starts[i + 1] < starts[i];                                \
        if (falls) return first_bad_start(KIND, rows, row);                                                                \
        for (int64_t from = 0; from < all; from += 4096) {                                                                 \
            const int64_t to = from + 4096 < all ? from + 4096 : all;                                                      \
            UNSIGNED here = 0;                                                                                             \
            for (int64_t e = from; e < to; e++) outside |= (UNSIGNED)columns[e] >= limit;                                  \
            if (!increasing) continue;                                                                                     \
            for (int64_t e = from ? from : 1; e < to; e++) here += columns[e] <= columns[e - 1];                           \
            descents += (int64_t)here;                                                                                     \
        }                                                                                                                  \
        *row = rows->n ? rows->n - 1 : 0;                                                                                  \
        if (!outside && !descents) return ROWS_FINE;                                                                       \
        for (int64_t i = 0, from, to; !outside && i < rows->n; i++) {                                                      \
            entries_of(KIND, rows, i, &from, &to);                                                                         \
            if (0 < from && from < to) at_starts += columns[from] <= columns[from - 1];                                    \
        }                                                                                                                  \
        if (!outside) return descents > at_starts ? ROWS_UNSORTED : ROWS_FINE;                                             \
        while ((UNSIGNED)columns[*entry] < limit) ++*entry;                                                                \
        for (*row = 0;; ++*row) {                                                                                          \
            int64_t from, to;                                                                                              \
            entries_of(KIND, rows, *row, &from, &to);                                                                      \
            if (*entry < to) return BAD_INDEX;                                                                             \
        }                                                                                                                  \
    }
CHECKER(check_narrow, SPARSE_ONES_I32, int32_t, uint32_t, INT32_MAX)
CHECKER(check_wide, SPARSE_ONES_I64, int64_t, uint64_t, INT64_MAX)
#undef CHECKER

/* Do indptr and indices stay inside the data, and do columns increase, where that is asked? Names the first bad place. */
LIKELY_UNUSED static int check_sparse(const rows_t *rows, int increasing, int64_t *row, int64_t *entry) {
    *row = *entry = 0;
    return is_wide(rows->kind) ? check_wide(rows, increasing, row, entry) : check_narrow(rows, increasing, row, entry);
}

/* `kind` is a constant, of which only the type of indices counts. */
INLINE int64_t mark_repeats_of(const int kind, const rows_t *rows, uint64_t *seen, char *repeats) {
    int64_t count = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t from, to;
        uint64_t twice = 0;
        entries_of(kind, rows, i, &from, &to);
        for (int64_t e = from; e < to; e++) {
            const uint64_t j = (uint64_t)index_at(kind, rows->indices, e), word = seen[j / 64], bit = (uint64_t)1 << j % 64;
            twice |= word & bit;
            seen[j / 64] = word | bit;
        }
        for (int64_t e = from; e < to; e++) seen[(uint64_t)index_at(kind, rows->indices, e) / 64] = 0;
        repeats[i] = twice != 0;
        count += twice != 0;
    }
    return count;
}

/* Marks the rows that name a column twice, of checked ones; how many? `seen` has a bit a column, all 0, and is left so. */
LIKELY_UNUSED static int64_t mark_repeats(const rows_t *rows, uint64_t *seen, char *repeats) {
    return is_wide(rows->kind) ? mark_repeats_of(SPARSE_ONES_I64, rows, seen, repeats)
                               : mark_repeats_of(SPARSE_ONES_I32, rows, seen, repeats);
}

/* The columns that checked sparse rows name, each once and in order; `seen` has a bit a column, all 0. How many are there? */
LIKELY_UNUSED static int64_t list_columns(const rows_t *rows, uint64_t *seen, int64_t *columns) {
    int64_t count = 0, end = 0, unused;
    if (rows->n) entries_of(rows->kind, rows, rows->n - 1, &unused, &end);
    for (int64_t e = 0; e < end; e++) {
        const uint64_t j = (uint64_t)index_at(rows->kind, rows->indices, e);
        seen[j / 64] |= (uint64_t)1 << j % 64;
    }
    for (int64_t place = 0; 64 * place < rows->d; place++) {
        uint64_t word = seen[place];
        for (int64_t j = 64 * place; word; j++, word >>= 1) {
#if defined(__GNUC__)
            const int zeros = __builtin_ctzll(word);
            j += zeros;
            word >>= zeros;
#endif
            if (word & 1) columns[count++] = j;
        }
    }
    return count;
}

/* `kind` is a constant: see below. */
INLINE void count_by_class_of(const int kind, const rows_t *rows, const int32_t *codes, int64_t *counts) {
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t from, to, *of_class = counts + codes[i] * rows->d;
        entries_of(kind, rows, i, &from, &to);
        for (int64_t e = from; e < to; e++)
            of_class[index_at(kind, rows->indices, e)] += value_at(kind, rows->values, e) != 0;
    }
}

INLINE void sum_by_column_of(const int kind, const rows_t *rows, int64_t start, int64_t stop, double *sums) {
    for (int64_t e = start; e < stop; e++) sums[index_at(kind, rows->indices, e)] += value_at(kind, rows->values, e);
}

/* In how many checked sparse rows of each class every column is not 0 is added to `counts`: classes × columns. */
LIKELY_UNUSED static void count_by_class(const rows_t *rows, const int32_t *codes, int64_t *counts) {
    switch (rows->kind) {
#define CASE(KIND) case KIND: count_by_class_of(KIND, rows, codes, counts); break;
    FOR_EACH_KIND(CASE)
#undef CASE
    }
}

/* Adds entries [start, stop) of checked sparse rows to the sums of their columns. */
LIKELY_UNUSED static void sum_by_column(const rows_t *rows, int64_t start, int64_t stop, double *sums) {
    INSIDE(0 <= start && stop <= rows->entries);
    switch (rows->kind) {
#define CASE(KIND) case KIND: sum_by_column_of(KIND, rows, start, stop, sums); break;
    FOR_EACH_KIND(CASE)
#undef CASE
    }
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

/* The high half of a 64 × 64 bit product: maps a random word to 0 … below-1 (Lemire). */
LIKELY_UNUSED static int64_t scaled_down(uint64_t word, uint64_t below) {
#if defined(__SIZEOF_INT128__)
    return (int64_t)(((unsigned __int128)word * below) >> 64);
#else
    uint64_t low = (word & 0xffffffffu) * below, high = (word >> 32) * below;  /* below < 2^32 */
    return (int64_t)((high + (low >> 32)) >> 32);
#endif
}

/* Fisher-Yates from the last place downwards, one random word a place. The places to swap with are drawn some steps ahead,
   and fetched: of an order larger than the caches nearly each would be waited for. */
LIKELY_UNUSED static void permute(int32_t *order, int64_t n, uint64_t (*next)(void *), void *state) {
    enum { DRAWN_AHEAD = 32 };
    int64_t drawn[DRAWN_AHEAD];
    for (int64_t place = n - 1; place > n - 1 - DRAWN_AHEAD && place >= 0; place--)
        drawn[place % DRAWN_AHEAD] = scaled_down(next(state), (uint64_t)place + 1);
    for (int64_t place = n - 1; place >= 0; place--) {
        const int64_t j = drawn[place % DRAWN_AHEAD], later = place - DRAWN_AHEAD;
        const int32_t kept = order[place];
        if (later >= 0) {
            drawn[place % DRAWN_AHEAD] = scaled_down(next(state), (uint64_t)later + 1);
            PREFETCH(&order[drawn[place % DRAWN_AHEAD]], 3);
        }
        order[place] = order[j];
        order[j] = kept;
    }
}

/* Moves the entries of n rows of so many places each to the front, without those of column −1: an entry has a column and,
   unless there are none, a value of `size` bytes, 4 or 8. The number that each row keeps goes to `lengths`, that of all back. */
LIKELY_UNUSED static int64_t pack(int32_t *columns, void *values, int size, int64_t n, int64_t width, int64_t *lengths) {
    int64_t end = 0;
#define PACK(MOVE) \
    for (int64_t i = 0; i < n; i++) { \
        const int64_t first = end; \
        for (int64_t e = i * width; e < (i + 1) * width; e++) { \
            const int32_t column = columns[e]; \
            columns[end] = column; \
            MOVE; \
            end += column >= 0; \
        } \
        lengths[i] = end - first; \
    }
    if (!values) PACK((void)0)
    else if (size == 4) PACK(((uint32_t *)values)[end] = ((uint32_t *)values)[e])
    else PACK(((uint64_t *)values)[end] = ((uint64_t *)values)[e])
#undef PACK
    return end;
}

#endif
