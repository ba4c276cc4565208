/* Dense rows: kernel.h includes this file once for each kind of CPU. */

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
    if (j == d) return;
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

/* Four rows times some weight vectors, `vectors` being a constant: every load serves all of them. One register of lanes at a
 * time, since all sixteen lanes of so many sums would not fit; the lanes, and so the bits, are those of dense_dot. */
TARGET INLINE void NAME(dense_tile)(const int kind, const char *const row[TILE], const char *const ahead[TILE],
                                    const double *w, const int64_t per_vector, const int vectors, int64_t d,
                                    double *out, const int64_t per_row) {
    enum { PARTS = LANES / WIDTH };
    NAME(vec) sum[TILE][ACROSS][PARTS];
    const int64_t whole = d - d % LANES;
    for (int p = 0; p < PARTS; p++) {
        NAME(vec) s[TILE][ACROSS], x[TILE];
        for (int r = 0; r < TILE; r++)
            for (int c = 0; c < vectors; c++) s[r][c] = (NAME(vec)){0};
        for (int64_t j = p * WIDTH; j < whole; j += LANES) {
            for (int r = p; ahead && r < TILE; r += PARTS) PREFETCH(ahead[r] + j * (int64_t)value_size(kind), 2);
            for (int r = 0; r < TILE; r++) x[r] = NAME(load)(kind, row[r], j);
            for (int c = 0; c < vectors; c++) {
                const NAME(vec) v = NAME(weights_at)(w + c * per_vector, j);
                for (int r = 0; r < TILE; r++) s[r][c] += x[r] * v;
            }
        }
        for (int r = 0; r < TILE; r++)
            for (int c = 0; c < vectors; c++) sum[r][c][p] = s[r][c];
    }
    for (int r = 0; r < TILE; r++)
        for (int c = 0; c < vectors; c++) {
            NAME(dense_rest)(kind, row[r], w + c * per_vector, whole, d, sum[r][c]);
            out[r * per_row + c] = NAME(sum_lanes)(sum[r][c]);
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
    const double *w = at->w + first * at->per_vector;
    int64_t v = 0;
    if (count == TILE) {
        for (; v + ACROSS <= vectors; v += ACROSS)
            NAME(dense_tile)(kind, row, v ? NULL : ahead, w + v * at->per_vector, at->per_vector, ACROSS, rows->d, out + v,
                             at->vectors);
        for (; v + 2 <= vectors; v += 2)
            NAME(dense_tile)(kind, row, v ? NULL : ahead, w + v * at->per_vector, at->per_vector, 2, rows->d, out + v,
                             at->vectors);
    }
    for (; v < vectors; v++)
        for (int r = 0; r < count; r++)
            out[r * at->vectors + v] =
                NAME(dense_dot)(kind, row[r], ahead[r], 2, w + v * at->per_vector, rows->d);
}

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

/* Σ x² sigma, or, `squared`, Σ (x sigma)². */
TARGET INLINE double NAME(dense_variance)(const int kind, const rows_t *rows, int64_t i, const double *sigma, const int squared) {
    enum { PARTS = LANES / WIDTH };
    const char *row = dense_row(kind, rows, i);
    NAME(vec) sum[PARTS];
    int64_t j = 0;
    NAME(clear_lanes)(sum);
    for (; j + LANES <= rows->d; j += LANES)
        for (int p = 0; p < PARTS; p++) {
            const NAME(vec) x = NAME(load)(kind, row, j + p * WIDTH), v = x * NAME(weights_at)(sigma, j + p * WIDTH);
            sum[p] += v * (squared ? v : x);
        }
    for (int p = 0; p < PARTS; p++, j += WIDTH) {
        const NAME(vec) x = NAME(load_some)(kind, row, j, rows->d - j);
        const NAME(vec) v = x * NAME(load_some)(DENSE_F64, (const char *)sigma, j, rows->d - j);
        sum[p] += v * (squared ? v : x);
    }
    return NAME(sum_lanes)(sum);
}

TARGET INLINE void NAME(dense_add_along)(const int kind, const rows_t *rows, int64_t i, double *w, double *u, double *sigma,
                                         double step, double late_step, double gain) {
    const char *row = dense_row(kind, rows, i);
    int64_t j = 0;
    for (; j + WIDTH <= rows->d; j += WIDTH) {
        const NAME(vec) x = NAME(load)(kind, row, j);
        NAME(vec) a = NAME(weights_at)(w, j), b = NAME(weights_at)(u, j), s = NAME(weights_at)(sigma, j);
        const NAME(vec) v = s * x;
        a += step * v;
        b += late_step * v;
        s /= 1 + gain * (v * x);
        memcpy(w + j, &a, sizeof a);
        memcpy(u + j, &b, sizeof b);
        memcpy(sigma + j, &s, sizeof s);
    }
    for (; j < rows->d; j++) {
        const double x = value_at(kind, row, j), v = sigma[j] * x;
        w[j] += step * v;
        u[j] += late_step * v;
        sigma[j] /= 1 + gain * (v * x);
    }
}
