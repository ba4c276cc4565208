/* What a row is: dense or sparse, its values float or double or all ones, its column indices 32 or 64 bits wide. */
#ifndef ROSENBLATT_ROWS_H
#define ROSENBLATT_ROWS_H

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

/* The kinds of row; rows.py knows them by the same numbers. */
#define FOR_EACH_DENSE_KIND(DO) DO(DENSE_F32) DO(DENSE_F64)
#define FOR_EACH_SPARSE_KIND(DO)                                                                                           \
    DO(SPARSE_F32_I32) DO(SPARSE_F64_I32) DO(SPARSE_ONES_I32)                                                              \
    DO(SPARSE_F32_I64) DO(SPARSE_F64_I64) DO(SPARSE_ONES_I64)
#define FOR_EACH_KIND(DO) FOR_EACH_DENSE_KIND(DO) FOR_EACH_SPARSE_KIND(DO)
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

#endif
