/* What is asked of the entries of sparse rows before and beside the loop: are they where they may be, which columns do they
 * name, how often? Trust is earned here: the loop itself checks nothing. */
#ifndef ROSENBLATT_ENTRIES_H
#define ROSENBLATT_ENTRIES_H

#include "rows.h"

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

/* First where rows begin, then all entries, some at a time, in loops of which the compiler makes vectors: columns are sorted if
 * they descend nowhere but where a row begins. INDEX is the type of an index, UNSIGNED the same without a sign. */
#define CHECKER(FUNCTION, KIND, INDEX, UNSIGNED, MOST)                                                                     \
    static int FUNCTION(const rows_t *rows, int increasing, int part, int64_t *row, int64_t *entry) {                      \
        const INDEX *columns = rows->indices, *starts = rows->indptr;                                                      \
        const UNSIGNED limit = (UNSIGNED)(rows->d < MOST ? rows->d : MOST);                                                \
        const int64_t begin = part && rows->n && starts ? starts[0] : 0;                                                   \
        const int64_t all = !rows->n ? 0 : starts ? starts[rows->n] : rows->n * rows->width;                               \
        int64_t descents = 0, i = 0;                                                                                       \
        UNSIGNED outside = 0, falls = rows->n && (all > rows->entries || begin < 0 || (starts && starts[0] != begin));     \
        for (int64_t r = 0; starts && r < rows->n; r++) falls |= starts[r + 1] < starts[r];                                \
        if (falls) return part ? BAD_INDPTR : first_bad_start(KIND, rows, row);                                            \
        for (int64_t from = begin; from < all; from += 4096) {                                                             \
            const int64_t to = from + 4096 < all ? from + 4096 : all;                                                      \
            UNSIGNED here = 0;                                                                                             \
            for (int64_t e = from; e < to; e++) outside |= (UNSIGNED)columns[e] >= limit;                                  \
            if (!increasing || descents) continue;  /* it is known that some are unsorted */                               \
            for (int64_t e = from > begin ? from : begin + 1; e < to; e++) here += columns[e] <= columns[e - 1];           \
            descents = (int64_t)here;                                                                                      \
            for (int64_t first; i < rows->n && (first = starts ? starts[i] : i * rows->width) < to; i++)                   \
                if (begin < first && first < (starts ? starts[i + 1] : first + rows->width))                               \
                    descents -= columns[first] <= columns[first - 1];  /* where a row with entries begins they may */      \
        }                                                                                                                  \
        *row = rows->n ? rows->n - 1 : 0;                                                                                  \
        if (!outside) return descents ? ROWS_UNSORTED : ROWS_FINE;                                                         \
        if (part) return BAD_INDEX;                                                                                        \
        while ((UNSIGNED)columns[*entry] < limit) ++*entry;                                                                \
        for (*row = 0;; ++*row) {                                                                                          \
            int64_t from, to;                                                                                              \
            entries_of(KIND, rows, *row, &from, &to);                                                                      \
            if (*entry < to) return BAD_INDEX;                                                                             \
        }                                                                                                                  \
    }
CHECKER(check_narrow, SPARSE_ONES_I32, int32_t, uint32_t, INT32_MAX)
CHECKER(check_wide, SPARSE_ONES_I64, int64_t, uint64_t, INT64_MAX)
#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_WIDE_CHECK 1
__attribute__((target("avx2"))) CHECKER(check_narrow_avx2, SPARSE_ONES_I32, int32_t, uint32_t, INT32_MAX)
#endif
#undef CHECKER

/* Do indptr and indices stay inside the data, and do columns increase, where that is asked? Names the first bad place, unless
 * the rows are a `part` of others, whose entries need not begin with the first. */
LIKELY_UNUSED static int check_sparse(const rows_t *rows, int increasing, int part, int64_t *row, int64_t *entry) {
    *row = *entry = 0;
    if (is_wide(rows->kind)) return check_wide(rows, increasing, part, row, entry);
#ifdef HAS_WIDE_CHECK
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) return check_narrow_avx2(rows, increasing, part, row, entry);
#endif
    return check_narrow(rows, increasing, part, row, entry);
}

/* `kind` is a constant, of which only the type of indices counts. Where columns are few beside the entries, each remembers
 * the last row that named it, by a number of two bytes, since what counts is how much of them the caches hold; else each has a
 * bit, which takes less room and is set back after the row. */
INLINE int64_t mark_repeats_of(const int kind, const rows_t *rows, uint16_t *last_row, uint64_t *seen, char *repeats) {
    const void *const indices = rows->indices;  /* a number that is stored could be part of `rows`, for all gcc knows */
    int64_t count = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        const uint16_t number = (uint16_t)(i % UINT16_MAX + 1);
        int64_t from, to;
        uint64_t twice = 0;
        entries_of(kind, rows, i, &from, &to);
        if (last_row && number == 1) memset(last_row, 0, (size_t)rows->d * sizeof *last_row);
#pragma GCC unroll 4
        for (int64_t e = from; last_row && e < to; e++) {
            uint16_t *last = last_row + index_at(kind, indices, e);
            twice |= *last == number;
            *last = number;
        }
        for (int64_t e = from; seen && e < to; e++) {
            const uint64_t j = (uint64_t)index_at(kind, indices, e), word = seen[j / 64], bit = (uint64_t)1 << j % 64;
            twice |= word & bit;
            seen[j / 64] = word | bit;
        }
        for (int64_t e = from; seen && e < to; e++) seen[(uint64_t)index_at(kind, indices, e) / 64] = 0;
        repeats[i] = twice != 0;
        count += twice != 0;
    }
    return count;
}

/* Marks the rows that name a column twice, of checked ones; how many? −1: there is no memory to tell. */
LIKELY_UNUSED static int64_t mark_repeats(const rows_t *rows, char *repeats) {
    enum { MANY = 4 };  /* entries a column, from which on to remember rows pays */
    const int by_row = rows->entries / MANY >= rows->d;
    void *room = by_row ? malloc(((size_t)rows->d + 1) * sizeof(uint16_t)) : calloc((size_t)rows->d / 64 + 1, sizeof(uint64_t));
    uint16_t *last_row = by_row ? room : NULL;
    uint64_t *seen = by_row ? NULL : room;
    int64_t count;
    if (!room) return -1;
    if (is_wide(rows->kind)) count = mark_repeats_of(SPARSE_ONES_I64, rows, last_row, seen, repeats);
    else if (by_row) count = mark_repeats_of(SPARSE_ONES_I32, rows, last_row, NULL, repeats);
    else count = mark_repeats_of(SPARSE_ONES_I32, rows, NULL, seen, repeats);
    free(room);
    return count;
}

INLINE void mark_columns(const int kind, const rows_t *rows, int64_t end, uint64_t *seen) {
    for (int64_t e = 0; e < end; e++) {
        const uint64_t j = (uint64_t)index_at(kind, rows->indices, e);
        seen[j / 64] |= (uint64_t)1 << j % 64;
    }
}

/* The places of bits that are set, in order, and how many there are. Four of each word are written, whether it has them or not,
 * since few have more: how many bits a word has is what no CPU can guess. So there must be room for ROOM_BEHIND more. */
enum { ROOM_BEHIND = 4 };

#if defined(__GNUC__)
INLINE int64_t list_bits_of(const uint64_t *seen, int64_t words, int64_t *places) {
    const uint64_t last = (uint64_t)1 << 63;
    int64_t count = 0;
    for (int64_t place = 0; place < words; place++) {
        uint64_t word = seen[place];
        int64_t *next = places + count;
        count += __builtin_popcountll(word);
        do {
            for (int bit = 0; bit < ROOM_BEHIND; bit++, word &= word - 1) next[bit] = 64 * place + __builtin_ctzll(word | last);
            next += ROOM_BEHIND;
        } while (word);
    }
    return count;
}
#else
INLINE int64_t list_bits_of(const uint64_t *seen, int64_t words, int64_t *places) {
    int64_t count = 0;
    for (int64_t j = 0; j < 64 * words; j++)
        if (seen[j / 64] >> j % 64 & 1) places[count++] = j;
    return count;
}
#endif

static int64_t list_bits(const uint64_t *seen, int64_t words, int64_t *places) { return list_bits_of(seen, words, places); }
#ifdef HAS_WIDE_CHECK
__attribute__((target("bmi,popcnt"))) static int64_t list_bits_quickly(const uint64_t *seen, int64_t words, int64_t *places) {
    return list_bits_of(seen, words, places);
}
#endif

/* The columns that checked sparse rows name, each once and in order, with ROOM_BEHIND them. How many are there? −1: there is no
 * memory to tell. */
LIKELY_UNUSED static int64_t list_columns(const rows_t *rows, int64_t *columns) {
    const int64_t words = rows->d / 64 + 1;
    uint64_t *seen = calloc((size_t)words, sizeof *seen);
    int64_t count, end = 0, unused;
    if (!seen) return -1;
    if (rows->n) entries_of(rows->kind, rows, rows->n - 1, &unused, &end);
    if (is_wide(rows->kind)) mark_columns(SPARSE_ONES_I64, rows, end, seen);
    else mark_columns(SPARSE_ONES_I32, rows, end, seen);
#ifdef HAS_WIDE_CHECK
    __builtin_cpu_init();
    if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt")) count = list_bits_quickly(seen, words, columns);
    else
#endif
    count = list_bits(seen, words, columns);
    free(seen);
    return count;
}

/* `size` is a constant where it is 2, as with one vector and its sum. Columns come in order, too far apart for the hardware to
 * see where the next one lies. */
INLINE void copy_cells_of(const double *cells, int64_t vectors, const int64_t size, const int64_t *columns, int64_t n,
                          double *copy, double *squares, double *others) {
    enum { CELLS_AHEAD = 16 };
    double square[4] = {0, 0, 0, 0}, other[4] = {0, 0, 0, 0};
    for (int64_t first = 0; first < n; first += 4) {
        for (int lane = 0; lane < 4; lane++) {  /* in a loop of constant length, so that the sums stay in registers */
            const int64_t c = first + lane;
            if (c >= n) break;
            const double *cell = cells + (columns ? columns[c] : c) * size;
            if (columns && c + CELLS_AHEAD < n) PREFETCH(cells + columns[c + CELLS_AHEAD] * size, 3);
            for (int64_t v = 0; v < vectors; v++) square[lane] += cell[v] * cell[v];
            for (int64_t v = vectors; v < size; v++) other[lane] += cell[v];
            if (copy) memcpy(copy + c * size, cell, (size_t)size * sizeof *cell);
        }
    }
    *squares = (square[0] + square[2]) + (square[1] + square[3]);
    *others = (other[0] + other[2]) + (other[1] + other[3]);
}

/* Copies the cells of n columns, those named or the first, if there is room to copy them to. A column has `size` of them, of
 * which the weights of its vectors come first: the sum of their squares, and that of the others, each in four sums of every
 * fourth column. */
LIKELY_UNUSED static void copy_cells(const double *cells, int64_t vectors, int64_t size, const int64_t *columns, int64_t n,
                                     double *copy, double *squares, double *others) {
    if (size == 2) copy_cells_of(cells, 1, 2, columns, n, copy, squares, others);
    else copy_cells_of(cells, vectors, size, columns, n, copy, squares, others);
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
