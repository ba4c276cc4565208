/* Sparse rows: kernel.h includes this file once for each kind of CPU. */

/* How many rows ahead entries are sent for. Rows that are long, most of them, come soon enough four ahead; but where their
 * weights are sent for, too, the entries must be there before. */
INLINE int64_t NAME(entries_ahead)(const rows_t *rows, const weights_t *at) {
    if (!rows->indptr) return ENTRIES_AHEAD;
    return rows->n && !at->large && rows->entries / rows->n > LONG ? LONG_AHEAD : LISTED_AHEAD;
}

/* Sends for entries [from, to) of an array: into the first level, or, of a long row, the second, which asks memory for more at a time. */
INLINE void NAME(fetch_entries)(const void *array, int64_t from, int64_t to, int64_t size) {
    const char *first = (const char *)array + from * size, *last = (const char *)array + to * size - 1;
    if (to - from > LONG) {
        for (const char *line = first; line < last; line += 64) PREFETCH(line, 2);
        PREFETCH(last, 2);
        return;
    }
    PREFETCH(first, 3);
    for (const char *line = first + 64; line < last; line += 64) PREFETCH(line, 3);
    PREFETCH(last, 3);
}

/* Sends for the weights of column j, those of all vectors, line by line up to the eighth: then the hardware goes on by itself.
 * Not for the sums that lie behind them: an update needs those, and most examples are none. */
TARGET INLINE void NAME(fetch_weights)(const weights_t *at, int64_t j) {
    const char *first = (const char *)(at->w + j * at->per_column), *last = first + 8 * (at->vectors - 1);
    PREFETCH(first, 2);
    for (const char *line = first - (uintptr_t)first % 64 + 64; line <= last && line < first + 512; line += 64) PREFETCH(line, 2);
}

/* Rows come from memory in three strides: first where the row begins, then its entries, then the weights they name. */
TARGET INLINE void NAME(fetch_sparse)(const int kind, const rows_t *rows, const int32_t *order, int64_t k, int64_t end,
                                      const weights_t *at, const int64_t ahead) {
    int64_t from, to;
    if (k + 2 * ENTRIES_AHEAD >= end) return;
    if (rows->indptr)
        PREFETCH((const char *)rows->indptr + (order ? order[k + 2 * ENTRIES_AHEAD] : k + 2 * ENTRIES_AHEAD) * (int64_t)index_size(kind), 3);
    if (order) {  /* as given, the hardware sees the pattern by itself */
        entries_of(kind, rows, order[k + ahead], &from, &to);
        NAME(fetch_entries)(rows->indices, from, to, (int64_t)index_size(kind));
        if (!is_ones(kind)) NAME(fetch_entries)(rows->values, from, to, (int64_t)value_size(kind));
    }
    if (at->large) {
        entries_of(kind, rows, order ? order[k + WEIGHTS_AHEAD] : k + WEIGHTS_AHEAD, &from, &to);
        for (int64_t e = from; e < to; e++) NAME(fetch_weights)(at, index_at(kind, rows->indices, e));
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

/* The scores of `count` rows from row k on, as given, by the one vector there is, whose weights lie side by side. What is read
 * lies in copies of its own: for all that the compiler knows, a score that is stored could be any of it. */
TARGET INLINE void NAME(sparse_score)(const int kind, const rows_t *given, int64_t k, int64_t count, int64_t end,
                                      const weights_t *weights, double *out) {
    const rows_t rows = *given;
    const weights_t at = *weights;
    const double bias = *at.bias;
    for (int64_t r = 0; r < count; r++) {
        if (at.large) NAME(fetch_sparse)(kind, &rows, NULL, k + r, end, &at, ENTRIES_AHEAD);
        out[r] = at.scale * NAME(sparse_dot)(kind, &rows, k + r, at.w, 1) + bias;
    }
}

/* Entries from … to-1 by `count` vectors from v on, which fill `parts` registers: the weights of a column lie side by side. */
TARGET INLINE void NAME(scores_abreast)(const int kind, const rows_t *rows, int64_t from, int64_t to, const weights_t *at,
                                        int64_t v, int64_t count, const int parts, double *out) {
    NAME(vec) sum[8];
    const int64_t last = (parts - 1) * WIDTH;
    for (int p = 0; p < parts; p++) sum[p] = (NAME(vec)){0};
    for (int64_t e = from; e < to; e++) {
        const int64_t j = index_at(kind, rows->indices, e);
        INSIDE(0 <= j && j < rows->d);
        const double *w = at->w + j * at->per_column + v, x = value_at(kind, rows->values, e);
        for (int p = 0; p < parts - 1; p++) sum[p] += x * NAME(weights_at)(w, p * WIDTH);
        sum[parts - 1] += x * NAME(load_some)(DENSE_F64, (const char *)w, last, count - last);
    }
    memcpy(out + v, sum, (size_t)count * sizeof *out);
}

/* Row i by every vector, each sum in the order of its entries, so that many at once change no bit. */
TARGET INLINE void NAME(sparse_scores)(const int kind, const rows_t *rows, int64_t i, const weights_t *at, double *out) {
    int64_t from, to, v = 0;
    entries_of(kind, rows, i, &from, &to);
    while (at->per_vector == 1 && v < at->vectors) {
        const int64_t left = at->vectors - v;
        const int parts = left > 4 * WIDTH ? left >= 8 * WIDTH ? 8 : 4 : (int)((left + WIDTH - 1) / WIDTH);
        const int64_t count = left < parts * WIDTH ? left : parts * WIDTH;
        if (parts == 8) NAME(scores_abreast)(kind, rows, from, to, at, v, count, 8, out);
        else if (parts == 4) NAME(scores_abreast)(kind, rows, from, to, at, v, count, 4, out);
        else if (parts == 3) NAME(scores_abreast)(kind, rows, from, to, at, v, count, 3, out);
        else if (parts == 2) NAME(scores_abreast)(kind, rows, from, to, at, v, count, 2, out);
        else NAME(scores_abreast)(kind, rows, from, to, at, v, count, 1, out);
        v += count;
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
    const void *const indices = rows->indices, *const values = rows->values;  /* memcpy could change `rows`, for all gcc knows */
    int64_t from, to;
    entries_of(kind, rows, i, &from, &to);
    for (int64_t e = from; e < to; e++) {
        const int64_t j = index_at(kind, indices, e);
        pair cell;
        INSIDE(0 <= j && j < rows->d);
        memcpy(&cell, cells + 2 * j, sizeof cell);
        cell += steps * value_at(kind, values, e);
        memcpy(cells + 2 * j, &cell, sizeof cell);
    }
#endif
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

/* Entry e of a row: x² sigma, or, `squared`, (x sigma)². */
TARGET INLINE double NAME(variance_at)(const int kind, const rows_t *rows, int64_t e, const double *sigma,
                                       const int64_t per_column, const int squared) {
    const double x = value_at(kind, rows->values, e), v = x * sigma[index_at(kind, rows->indices, e) * per_column];
    return v * (squared ? v : x);
}

/* The sum of these, in four: one alone would wait for itself. */
TARGET INLINE double NAME(sparse_variance)(const int kind, const rows_t *rows, int64_t i, const double *sigma,
                                           const int64_t per_column, const int squared) {
    int64_t from, to;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    entries_of(kind, rows, i, &from, &to);
    int64_t e = from;
    for (; e + 4 <= to; e += 4) {
        s0 += NAME(variance_at)(kind, rows, e, sigma, per_column, squared);
        s1 += NAME(variance_at)(kind, rows, e + 1, sigma, per_column, squared);
        s2 += NAME(variance_at)(kind, rows, e + 2, sigma, per_column, squared);
        s3 += NAME(variance_at)(kind, rows, e + 3, sigma, per_column, squared);
    }
    for (; e < to; e++) s0 += NAME(variance_at)(kind, rows, e, sigma, per_column, squared);
    return (s0 + s2) + (s1 + s3);
}

/* `beside` is a constant: do w and u of a column lie side by side, as with one vector? Then one load and one store do for both. */
TARGET INLINE void NAME(sparse_add_along)(const int kind, const rows_t *rows, int64_t i, double *w, double *u, double *sigma,
                                          const int64_t per_column, const int beside, double step, double late_step,
                                          double gain) {
#if WIDTH > 1
    typedef double pair __attribute__((vector_size(16)));
    const pair steps = {step, late_step};
#endif
    const void *const indices = rows->indices, *const values = rows->values;  /* see sparse_add_pairs */
    int64_t from, to;
    entries_of(kind, rows, i, &from, &to);
    for (int64_t e = from; e < to; e++) {
        const double x = value_at(kind, values, e);
        const int64_t j = index_at(kind, indices, e);
        INSIDE(0 <= j && j < rows->d);
        const double v = sigma[j * per_column] * x;
#if WIDTH > 1
        if (beside) {
            pair cell;
            memcpy(&cell, w + j * per_column, sizeof cell);
            cell += steps * v;
            memcpy(w + j * per_column, &cell, sizeof cell);
            sigma[j * per_column] /= 1 + gain * (v * x);
            continue;
        }
#endif
        w[j * per_column] += step * v;
        u[j * per_column] += late_step * v;
        sigma[j * per_column] /= 1 + gain * (v * x);
    }
}
