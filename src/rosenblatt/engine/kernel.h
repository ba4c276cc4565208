/* The arithmetic on rows for one kind of CPU; vector.h includes this file once for each.
 *
 * WIDTH   doubles in a register: 2, 4, 8 (1: no vector extension, plain C)
 * TARGET  the attribute that lets the compiler use that register
 * NAME    gives the functions of this copy their names
 *
 * Lane l of a dense sum takes columns l, l + 16, l + 32 …: how many registers hold the lanes changes nothing.
 */

#if WIDTH == 1
typedef double NAME(vec);
#else
typedef double NAME(vec) __attribute__((vector_size(8 * WIDTH)));
#if WIDTH == 2
typedef float NAME(half) __attribute__((vector_size(4 * WIDTH)));
#endif
#endif

/* WIDTH neighbouring values as doubles. */
TARGET INLINE NAME(vec) NAME(load)(const int kind, const char *row, int64_t j) {
#if WIDTH == 1
    return value_at(kind, row, j);
#else
    if (kind == DENSE_F32) {
#if WIDTH == 8
        return (NAME(vec))_mm512_cvtps_pd(_mm256_loadu_ps((const float *)row + j));
#elif WIDTH == 4  /* gcc splits __builtin_convertvector in two here */
        return (NAME(vec))_mm256_cvtps_pd(_mm_loadu_ps((const float *)row + j));
#else
        NAME(half) x;
        memcpy(&x, row + 4 * j, sizeof x);
        return __builtin_convertvector(x, NAME(vec));
#endif
    }
    NAME(vec) x;
    memcpy(&x, row + 8 * j, sizeof x);
    return x;
#endif
}

TARGET INLINE NAME(vec) NAME(weights_at)(const double *w, int64_t j) {
    NAME(vec) v;
    memcpy(&v, w + j, sizeof v);
    return v;
}

/* Not by memset: gcc makes a string instruction of it, which costs as much as the row. */
TARGET INLINE void NAME(clear_lanes)(NAME(vec) sum[LANES / WIDTH]) {
    for (int p = 0; p < LANES / WIDTH; p++) sum[p] = (NAME(vec)){0};
}

/* Sixteen lanes become one number, always in this order: the upper half is added to the lower, then again. */
TARGET INLINE double NAME(sum_lanes)(NAME(vec) sum[LANES / WIDTH]) {
    double lane[WIDTH];
    for (int half = LANES / WIDTH / 2; half; half /= 2)
        for (int p = 0; p < half; p++) sum[p] += sum[p + half];
    memcpy(lane, sum, sizeof lane);
    for (int half = WIDTH / 2; half; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

/* The first `count` of WIDTH neighbouring values, none if it is 0 or less, and zeros behind them; nothing else is read. */
TARGET INLINE NAME(vec) NAME(load_some)(const int kind, const char *row, int64_t j, int64_t count) {
    if (count >= WIDTH) return NAME(load)(kind, row, j);
    if (count <= 0) return (NAME(vec)){0};
#if WIDTH == 8
    const __mmask16 mask = (__mmask16)((1u << count) - 1);
    if (kind == DENSE_F32)
        return (NAME(vec))_mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_maskz_loadu_ps(mask, (const float *)row + j)));
    return (NAME(vec))_mm512_maskz_loadu_pd((__mmask8)mask, (const double *)row + j);
#elif WIDTH == 4
    static const int32_t mask[] = {-1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0};
    if (kind == DENSE_F32) {
        const __m128i few = _mm_loadu_si128((const __m128i *)(mask + 6 - count));
        return (NAME(vec))_mm256_cvtps_pd(_mm_maskload_ps((const float *)row + j, few));
    }
    const __m256i few = _mm256_loadu_si256((const __m256i *)(mask + 6 - 2 * count));
    return (NAME(vec))_mm256_maskload_pd((const double *)row + j, few);
#elif WIDTH == 2
    return (NAME(vec)){value_at(kind, row, j), 0};
#else
    return value_at(kind, row, j);
#endif
}

/* Adds the products of the columns from j on, fewer than sixteen, to the lanes. */
TARGET INLINE void NAME(dense_rest)(const int kind, const char *row, const double *w, int64_t j, int64_t d,
                                    NAME(vec) sum[LANES / WIDTH]) {
    for (int p = 0; p < LANES / WIDTH; p++, j += WIDTH)
        sum[p] += NAME(load_some)(kind, row, j, d - j) * NAME(load_some)(DENSE_F64, (const char *)w, j, d - j);
}

/* Sends for the part of a row that the lanes at j will want, into the cache of this level. */
INLINE void NAME(fetch_dense)(const int kind, const char *ahead, int64_t j, const int level) {
    PREFETCH(ahead + j * (int64_t)value_size(kind), level);
    if (value_size(kind) == 8) PREFETCH(ahead + j * 8 + 64, level);
}

/* And for the line with its last value: rows seldom begin where a line does. */
INLINE void NAME(fetch_end)(const int kind, const char *ahead, int64_t d, const int level) {
    PREFETCH(ahead + d * (int64_t)value_size(kind) - 1, level);
}

/* Row times one weight vector, all lanes at once, while the row `ahead` is on its way. */
TARGET INLINE double NAME(dense_dot)(const int kind, const char *row, const char *ahead, const int level, const double *w,
                                     int64_t d) {
    enum { PARTS = LANES / WIDTH };
    NAME(vec) sum[PARTS];
    int64_t j = 0;
    NAME(clear_lanes)(sum);
    for (; j + LANES <= d; j += LANES) {
        NAME(fetch_dense)(kind, ahead, j, level);
        for (int p = 0; p < PARTS; p++)
            sum[p] += NAME(load)(kind, row, j + p * WIDTH) * NAME(weights_at)(w, j + p * WIDTH);
    }
    NAME(fetch_end)(kind, ahead, d, level);
    NAME(dense_rest)(kind, row, w, j, d, sum);
    return NAME(sum_lanes)(sum);
}

/* Three rows times one weight vector: rows that lie apart then wait for memory together. */
TARGET INLINE void NAME(dense_abreast)(const int kind, const char *const row[ABREAST], const char *const ahead[ABREAST],
                                       const int level, const double *w, int64_t d, double out[ABREAST]) {
    enum { PARTS = LANES / WIDTH };
    NAME(vec) sum[ABREAST][PARTS];
    int64_t j = 0;
    for (int r = 0; r < ABREAST; r++) NAME(clear_lanes)(sum[r]);
    for (; j + LANES <= d; j += LANES) {
        for (int r = 0; r < ABREAST; r++) NAME(fetch_dense)(kind, ahead[r], j, level);
        for (int p = 0; p < PARTS; p++) {
            const NAME(vec) v = NAME(weights_at)(w, j + p * WIDTH);
            for (int r = 0; r < ABREAST; r++) sum[r][p] += NAME(load)(kind, row[r], j + p * WIDTH) * v;
        }
    }
    for (int r = 0; r < ABREAST; r++) {
        NAME(fetch_end)(kind, ahead[r], d, level);
        NAME(dense_rest)(kind, row[r], w, j, d, sum[r]);
        out[r] = NAME(sum_lanes)(sum[r]);
    }
}

/* Four rows times two weight vectors: every load serves twice or four times. One register of lanes at a time, since all
 * sixteen lanes of eight sums would not fit; the lanes, and so the bits, are those of dense_dot. */
TARGET INLINE void NAME(dense_tile)(const int kind, const char *const row[TILE], const char *const ahead[TILE],
                                    const double *const w[2], int64_t d, double *const out[TILE]) {
    enum { PARTS = LANES / WIDTH };
    NAME(vec) sum[TILE][2][PARTS];
    int64_t whole = d - d % LANES;
    for (int p = 0; p < PARTS; p++) {
        NAME(vec) s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, s20 = {0}, s21 = {0}, s30 = {0}, s31 = {0};
        for (int64_t j = p * WIDTH; j < whole; j += LANES) {
            NAME(vec) a = NAME(weights_at)(w[0], j), b = NAME(weights_at)(w[1], j), x;
            PREFETCH(ahead[p % TILE] + j * (int64_t)value_size(kind), 2);
            x = NAME(load)(kind, row[0], j); s00 += x * a; s01 += x * b;
            x = NAME(load)(kind, row[1], j); s10 += x * a; s11 += x * b;
            x = NAME(load)(kind, row[2], j); s20 += x * a; s21 += x * b;
            x = NAME(load)(kind, row[3], j); s30 += x * a; s31 += x * b;
        }
        sum[0][0][p] = s00; sum[1][0][p] = s10; sum[2][0][p] = s20; sum[3][0][p] = s30;
        sum[0][1][p] = s01; sum[1][1][p] = s11; sum[2][1][p] = s21; sum[3][1][p] = s31;
    }
    for (int r = 0; r < TILE; r++)
        for (int c = 0; c < 2; c++) {
            NAME(dense_rest)(kind, row[r], w[c], whole, d, sum[r][c]);
            out[r][c] = NAME(sum_lanes)(sum[r][c]);
        }
}

/* The k-th row of the order, where it lies. */
INLINE const char *NAME(row_at)(const int kind, const rows_t *rows, const int32_t *order, int64_t k) {
    return dense_row(kind, rows, order ? order[k] : k);
}

/* The row that many places later, where there is one; the last row stands in. */
INLINE const char *NAME(later)(const int kind, const rows_t *rows, const int32_t *order, int64_t k, int64_t end) {
    return NAME(row_at)(kind, rows, order, k < end ? k : end - 1);
}

/* Up to four rows by these vectors. */
TARGET INLINE void NAME(dense_score)(const int kind, const rows_t *rows, const int32_t *order, int64_t k, int64_t count,
                                    int64_t end, const weights_t *at, int64_t first, int64_t vectors, double *out) {
    const char *row[TILE], *ahead[TILE];
    for (int r = 0; r < count; r++) {
        row[r] = NAME(row_at)(kind, rows, order, k + r);
        ahead[r] = NAME(later)(kind, rows, order, k + r + TILE, end);
    }
    int64_t v = 0;
    if (count == TILE)
        for (; v + 2 <= vectors; v += 2) {
            const double *const w[2] = {at->w + (first + v) * at->per_vector, at->w + (first + v + 1) * at->per_vector};
            double *const to[TILE] = {out + v, out + at->vectors + v, out + 2 * at->vectors + v, out + 3 * at->vectors + v};
            NAME(dense_tile)(kind, row, ahead, w, rows->d, to);
        }
    for (; v < vectors; v++)
        for (int r = 0; r < count; r++)
            out[r * at->vectors + v] =
                NAME(dense_dot)(kind, row[r], ahead[r], 2, at->w + (first + v) * at->per_vector, rows->d);
}

/* Sends for entries [from, to) of an array: into the first level, or, where they would fill it, into the second. */
INLINE void NAME(fetch_entries)(const void *array, int64_t from, int64_t to, int64_t size) {
    const char *first = (const char *)array + from * size, *last = (const char *)array + to * size - 1;
    if (to - from > LONG) {
        for (const char *line = first; line < last; line += 64) PREFETCH(line, 2);
        return;
    }
    PREFETCH(first, 3);
    for (const char *line = first + 64; line < last; line += 64) PREFETCH(line, 3);
    PREFETCH(last, 3);
}

/* Rows come from memory in three strides: first where the row begins, then its entries, then the weights they name. */
TARGET INLINE void NAME(fetch_sparse)(const int kind, const rows_t *rows, const int32_t *order, int64_t k, int64_t end,
                                      const weights_t *at) {
    int64_t from, to;
    if (k + 2 * ENTRIES_AHEAD >= end) return;
    if (rows->indptr)
        PREFETCH((const char *)rows->indptr + (order ? order[k + 2 * ENTRIES_AHEAD] : k + 2 * ENTRIES_AHEAD) * (int64_t)index_size(kind), 3);
    if (order) {  /* as given, the hardware sees the pattern by itself */
        entries_of(kind, rows, order[k + ENTRIES_AHEAD], &from, &to);
        NAME(fetch_entries)(rows->indices, from, to, (int64_t)index_size(kind));
        if (!is_ones(kind)) NAME(fetch_entries)(rows->values, from, to, (int64_t)value_size(kind));
    }
    if (at->large) {
        entries_of(kind, rows, order ? order[k + WEIGHTS_AHEAD] : k + WEIGHTS_AHEAD, &from, &to);
        for (int64_t e = from; e < to; e++) {
            const double *w = at->w + index_at(kind, rows->indices, e) * at->per_column;
            PREFETCH(w, 2);
            if (at->vectors > 1)  /* those of all vectors, a line at a time */
                for (int64_t v = CACHE_LINE; v < at->vectors + CACHE_LINE - 1 && v < 64; v += CACHE_LINE) PREFETCH(w + v, 2);
        }
    }
}

/* `step` is a constant where it is 2, as in training: a multiplication for every entry is felt. */
TARGET INLINE double NAME(sparse_dot)(const int kind, const rows_t *rows, int64_t i, const double *w, const int64_t step) {
    int64_t from, to;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    entries_of(kind, rows, i, &from, &to);
    int64_t e = from;
    for (; e + 4 <= to; e += 4) {
        s0 += value_at(kind, rows->values, e) * w[index_at(kind, rows->indices, e) * step];
        s1 += value_at(kind, rows->values, e + 1) * w[index_at(kind, rows->indices, e + 1) * step];
        s2 += value_at(kind, rows->values, e + 2) * w[index_at(kind, rows->indices, e + 2) * step];
        s3 += value_at(kind, rows->values, e + 3) * w[index_at(kind, rows->indices, e + 3) * step];
    }
    for (; e < to; e++) s0 += value_at(kind, rows->values, e) * w[index_at(kind, rows->indices, e) * step];
    return (s0 + s2) + (s1 + s3);
}

/* Row i by `PARTS` registers of vectors whose weights of a column lie side by side. */
#define SCORES_ABREAST(PARTS)                                                                                              \
    do {                                                                                                                   \
        NAME(vec) sum[PARTS];                                                                                              \
        for (int p = 0; p < PARTS; p++) sum[p] = (NAME(vec)){0};                                                           \
        for (int64_t e = from; e < to; e++) {                                                                              \
            const double *w = at->w + index_at(kind, rows->indices, e) * at->per_column;                                   \
            const double x = value_at(kind, rows->values, e);                                                              \
            for (int p = 0; p < PARTS; p++) sum[p] += x * NAME(weights_at)(w, v + p * WIDTH);                              \
        }                                                                                                                  \
        memcpy(out + v, sum, sizeof sum);                                                                                  \
        v += PARTS * WIDTH;                                                                                                \
    } while (0)

/* Row i by every vector, each sum in the order of its entries, so that many at once change no bit. */
TARGET INLINE void NAME(sparse_scores)(const int kind, const rows_t *rows, int64_t i, const weights_t *at, double *out) {
    int64_t from, to, v = 0;
    entries_of(kind, rows, i, &from, &to);
    if (at->per_vector == 1) {
        while (v + 8 * WIDTH <= at->vectors) SCORES_ABREAST(8);
        if (v + 4 * WIDTH <= at->vectors) SCORES_ABREAST(4);
        if (v + 2 * WIDTH <= at->vectors) SCORES_ABREAST(2);
        if (v + WIDTH <= at->vectors) SCORES_ABREAST(1);
    }
    for (; v < at->vectors; v++) {
        double sum = 0;
        for (int64_t e = from; e < to; e++) {
            const int64_t j = index_at(kind, rows->indices, e);
            INSIDE(0 <= j && j < rows->d);
            sum += value_at(kind, rows->values, e) * at->w[j * at->per_column + v * at->per_vector];
        }
        out[v] = sum;
    }
}
#undef SCORES_ABREAST

TARGET INLINE void NAME(dense_add)(const int kind, const rows_t *rows, int64_t i, double *w, double *u, double step,
                                   double late_step) {
    const char *row = dense_row(kind, rows, i);
    int64_t j = 0;
    for (; j + WIDTH <= rows->d; j += WIDTH) {
        NAME(vec) x = NAME(load)(kind, row, j), a = NAME(weights_at)(w, j), b = NAME(weights_at)(u, j);
        a += step * x;
        b += late_step * x;
        memcpy(w + j, &a, sizeof a);
        memcpy(u + j, &b, sizeof b);
    }
    for (; j < rows->d; j++) {
        double x = value_at(kind, row, j);
        w[j] += step * x;
        u[j] += late_step * x;
    }
}

TARGET INLINE void NAME(sparse_add)(const int kind, const rows_t *rows, int64_t i, double *w, double *u,
                                    const int64_t per_column, double step, double late_step) {
    int64_t from, to;
    entries_of(kind, rows, i, &from, &to);
    for (int64_t e = from; e < to; e++) {
        const double x = value_at(kind, rows->values, e);
        const int64_t j = index_at(kind, rows->indices, e);
        INSIDE(0 <= j && j < rows->d);
        w[j * per_column] += step * x;
        u[j * per_column] += late_step * x;
    }
}

/* The same for one vector, whose w and u of a column lie side by side: one load and one store for both. */
TARGET INLINE void NAME(sparse_add_pairs)(const int kind, const rows_t *rows, int64_t i, double *cells, double step,
                                          double late_step) {
#if WIDTH == 1
    NAME(sparse_add)(kind, rows, i, cells, cells + 1, 2, step, late_step);
#else
    typedef double pair __attribute__((vector_size(16)));
    const pair steps = {step, late_step};
    int64_t from, to;
    entries_of(kind, rows, i, &from, &to);
    for (int64_t e = from; e < to; e++) {
        const int64_t j = index_at(kind, rows->indices, e);
        pair cell;
        INSIDE(0 <= j && j < rows->d);
        memcpy(&cell, cells + 2 * j, sizeof cell);
        cell += steps * value_at(kind, rows->values, e);
        memcpy(cells + 2 * j, &cell, sizeof cell);
    }
#endif
}

/* w += step x and u += late_step x, for vector k. */
TARGET INLINE void NAME(add)(const int kind, const rows_t *rows, int64_t i, const weights_t *at, int64_t k, double step,
                             double late_step) {
    double *w = at->w + k * at->per_vector, *u = at->u + k * at->per_vector;
    if (is_dense(kind)) NAME(dense_add)(kind, rows, i, w, u, step, late_step);
    else if (at->per_column == 2 && u == w + 1) NAME(sparse_add_pairs)(kind, rows, i, w, step, late_step);
    else NAME(sparse_add)(kind, rows, i, w, u, at->per_column, step, late_step);
}

/* Loop.move of core.py by the one tau that all steps have, where nothing else is to be looked at; else 0. */
TARGET INLINE int NAME(take_step)(const int kind, const rows_t *rows, int64_t i, const weights_t *at, int64_t k, double sign,
                                  double margin, steps_t *steps) {
    if (!steps || margin == 0 || !(-DBL_MAX <= margin && margin <= DBL_MAX)) return 0;
    const double step = steps->tau * sign, t = (double)(steps->t + k);
    NAME(add)(kind, rows, i, at, 0, step, t * step);
    at->bias[0] += step * steps->constant;
    *steps->bias_u += t * (step * steps->constant);
    steps->count++;
    steps->mistakes += margin < 0;
    steps->tau_sum += steps->tau;
    return 1;
}

/* The search among dense rows as given, which the hardware fetches best one after the other. */
TARGET INLINE int64_t NAME(dense_seek)(const int kind, const rows_t *rows, const int32_t *y, int64_t k, int64_t end,
                                       const weights_t *at, double threshold, steps_t *steps, double *score) {
    for (; k < end; k++) {
        const char *row = dense_row(kind, rows, k), *ahead = NAME(later)(kind, rows, NULL, k + NEXT, end);
        const double sign = sign_of(y, k);
        *score = at->scale * NAME(dense_dot)(kind, row, ahead, 3, at->w, rows->d) + at->bias[0];
        if (!rests(sign * *score, threshold) && !NAME(take_step)(kind, rows, k, at, k, sign, sign * *score, steps)) return k;
    }
    return end;
}

/* The same among rows that lie apart: three abreast, once a row has not moved. The first that moves makes stale what is
 * known of those behind it, so rules that move at every example take one row at a time. The row so many places later is
 * fetched into the cache of this level. */
TARGET INLINE int64_t NAME(dense_seek_apart)(const int kind, const rows_t *rows, const int32_t *order, const int32_t *y,
                                             int64_t k, int64_t end, const int places, const int level,
                                             const weights_t *at, double threshold, steps_t *steps, double *score) {
    const char *row[ABREAST], *ahead[ABREAST];
    double dot[ABREAST];
    int64_t count = 1;
    while (k < end) {
        for (int r = 0; r < count; r++) {
            row[r] = NAME(row_at)(kind, rows, order, k + r);
            ahead[r] = NAME(later)(kind, rows, order, k + r + places, end);
            if (y && k + r + LABELS_AHEAD < end) PREFETCH(&y[order[k + r + LABELS_AHEAD]], 3);
        }
        if (count == ABREAST) NAME(dense_abreast)(kind, row, ahead, level, at->w, rows->d, dot);
        else dot[0] = NAME(dense_dot)(kind, row[0], ahead[0], level, at->w, rows->d);
        int moved = 0;
        for (int64_t r = 0; r < count && !moved; r++, k++) {
            const double sign = sign_of(y, order[k]);
            *score = at->scale * dot[r] + at->bias[0];
            if (rests(sign * *score, threshold)) continue;
            if (!NAME(take_step)(kind, rows, order[k], at, k, sign, sign * *score, steps)) return k;
            moved = 1;
        }
        count = !moved && k + ABREAST <= end ? ABREAST : 1;
    }
    return end;
}

/* The same among sparse rows. `stride` is a constant where it is 2. */
TARGET INLINE int64_t NAME(sparse_seek)(const int kind, const rows_t *rows, const int32_t *order, const int32_t *y, int64_t k,
                                        int64_t end, const weights_t *at, const int64_t stride, double threshold,
                                        steps_t *steps, double *score) {
    for (; k < end; k++) {
        const int64_t i = order ? order[k] : k;
        NAME(fetch_sparse)(kind, rows, order, k, end, at);
        if (order && y && k + LABELS_AHEAD < end) PREFETCH(&y[order[k + LABELS_AHEAD]], 3);
        const double sign = sign_of(y, i);
        *score = at->scale * NAME(sparse_dot)(kind, rows, i, at->w, stride) + at->bias[0];
        if (!rests(sign * *score, threshold) && !NAME(take_step)(kind, rows, i, at, k, sign, sign * *score, steps)) return k;
    }
    return end;
}

TARGET INLINE double NAME(dense_norm2)(const int kind, const rows_t *rows, int64_t i) {
    enum { PARTS = LANES / WIDTH };
    const char *row = dense_row(kind, rows, i);
    NAME(vec) sum[PARTS];
    int64_t j = 0;
    NAME(clear_lanes)(sum);
    for (; j + LANES <= rows->d; j += LANES)
        for (int p = 0; p < PARTS; p++) {
            NAME(vec) x = NAME(load)(kind, row, j + p * WIDTH);
            sum[p] += x * x;
        }
    for (int p = 0; p < PARTS; p++, j += WIDTH) {
        NAME(vec) x = NAME(load_some)(kind, row, j, rows->d - j);
        sum[p] += x * x;
    }
    return NAME(sum_lanes)(sum);
}

TARGET INLINE double NAME(sparse_norm2)(const int kind, const rows_t *rows, int64_t i) {
    int64_t from, to;
    double sum = 0;
    entries_of(kind, rows, i, &from, &to);
    if (is_ones(kind)) return (double)(to - from);
    for (int64_t e = from; e < to; e++) {
        double x = value_at(kind, rows->values, e);
        sum += x * x;
    }
    return sum;
}

/* The verbs for one kind of row, each a function of its own: the loop calls them through the kernel's table. */
#define VERBS(KIND)                                                                                                        \
    TARGET static int64_t NAME(seek_##KIND)(const rows_t *rows, const int32_t *order, const int32_t *y, int64_t k,         \
                                            int64_t end, const weights_t *at, double threshold, steps_t *steps,            \
                                            double *score) {                                                               \
        if (is_dense(KIND) && order && rows->d * (int64_t)value_size(KIND) <= NARROW)                                      \
            return NAME(dense_seek_apart)(KIND, rows, order, y, k, end, AHEAD_NARROW, 3, at, threshold, steps, score);     \
        if (is_dense(KIND) && order)                                                                                       \
            return NAME(dense_seek_apart)(KIND, rows, order, y, k, end, AHEAD, 2, at, threshold, steps, score);            \
        if (is_dense(KIND)) return NAME(dense_seek)(KIND, rows, y, k, end, at, threshold, steps, score);                   \
        if (at->per_column == 2) return NAME(sparse_seek)(KIND, rows, order, y, k, end, at, 2, threshold, steps, score);   \
        return NAME(sparse_seek)(KIND, rows, order, y, k, end, at, at->per_column, threshold, steps, score);               \
    }                                                                                                                      \
    TARGET static void NAME(score_tile_##KIND)(const rows_t *rows, const int32_t *order, int64_t k, int64_t count,         \
                                               int64_t end, const weights_t *at, int64_t first, int64_t vectors,           \
                                               double *out) {                                                              \
        if (is_dense(KIND)) NAME(dense_score)(KIND, rows, order, k, count, end, at, first, vectors, out);                  \
        else for (int64_t r = 0; r < count; r++) {                                                                         \
            NAME(fetch_sparse)(KIND, rows, order, k + r, end, at);                                                         \
            const int64_t i = order ? order[k + r] : k + r;                                                                \
            if (at->vectors == 1 && at->per_column == 1) out[r] = NAME(sparse_dot)(KIND, rows, i, at->w, 1);               \
            else if (at->vectors == 1) out[r] = NAME(sparse_dot)(KIND, rows, i, at->w, at->per_column);                    \
            else NAME(sparse_scores)(KIND, rows, i, at, out + r * at->vectors);                                            \
        }                                                                                                                  \
        for (int64_t r = 0; r < count; r++)                                                                                \
            for (int64_t v = 0; v < vectors; v++) {                                                                        \
                double *score = out + r * at->vectors + v;                                                                 \
                *score = at->scale * *score + at->bias[first + v];                                                         \
            }                                                                                                              \
    }                                                                                                                      \
    TARGET static void NAME(add_##KIND)(const rows_t *rows, int64_t i, const weights_t *at, int64_t k, double step,        \
                                        double late_step) {                                                                \
        NAME(add)(KIND, rows, i, at, k, step, late_step);                                                                  \
    }                                                                                                                      \
    TARGET static double NAME(norm2_##KIND)(const rows_t *rows, int64_t i) {                                               \
        return is_dense(KIND) ? NAME(dense_norm2)(KIND, rows, i) : NAME(sparse_norm2)(KIND, rows, i);                      \
    }
FOR_EACH_KIND(VERBS)
#undef VERBS

#define SEEK(KIND) NAME(seek_##KIND),
#define SCORE_TILE(KIND) NAME(score_tile_##KIND),
#define ADD(KIND) NAME(add_##KIND),
#define NORM2(KIND) NAME(norm2_##KIND),
static const kernel_t NAME(kernel) = {
    {FOR_EACH_KIND(SEEK)}, {FOR_EACH_KIND(SCORE_TILE)}, {FOR_EACH_KIND(ADD)}, {FOR_EACH_KIND(NORM2)}};
#undef SEEK
#undef SCORE_TILE
#undef ADD
#undef NORM2
