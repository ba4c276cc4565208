/* The arithmetic on rows for one kind of CPU; vector.h includes this file once for each.
 *
 * WIDTH   doubles in a register: 2, 4, 8 (1: no vector extension, plain C)
 * TARGET  the attribute that lets the compiler use that register
 * NAME    gives the functions of this copy their names
 * SPARSE_NAME  where it is defined, the names of another copy, whose verbs sparse rows have here, too
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

/* Weight vectors by which four dense rows are scored at once: as many as there are registers for their sums. */
#define ACROSS (WIDTH == 8 ? 5 : 2)
#include "dense.h"
#undef ACROSS
#include "sparse.h"

/* w += step x and u += late_step x, for vector k. */
TARGET INLINE void NAME(add)(const int kind, const rows_t *rows, int64_t i, const weights_t *at, int64_t k, double step,
                             double late_step) {
    double *w = at->w + k * at->per_vector, *u = at->u + k * at->per_sum;
    if (is_dense(kind)) NAME(dense_add)(kind, rows, i, w, u, step, late_step);
    else if (at->per_column == 2 && u == w + 1) NAME(sparse_add_pairs)(kind, rows, i, w, step, late_step);
    else NAME(sparse_add)(kind, rows, i, w, u, at->per_column, step, late_step);
}

/* Σ x² sigma of vector k, or, `squared`, Σ (x sigma)². */
TARGET INLINE double NAME(variance)(const int kind, const rows_t *rows, int64_t i, const weights_t *at, int64_t k,
                                    const int squared) {
    const double *sigma = at->sigma + k * at->per_sum;
    if (is_dense(kind)) return NAME(dense_variance)(kind, rows, i, sigma, squared);
    if (at->per_column == 3) return NAME(sparse_variance)(kind, rows, i, sigma, 3, squared);
    return NAME(sparse_variance)(kind, rows, i, sigma, at->per_column, squared);
}

TARGET INLINE void NAME(add_along)(const int kind, const rows_t *rows, int64_t i, const weights_t *at, int64_t k, double step,
                                   double late_step, double gain) {
    double *w = at->w + k * at->per_vector, *u = at->u + k * at->per_sum, *sigma = at->sigma + k * at->per_sum;
    if (is_dense(kind)) NAME(dense_add_along)(kind, rows, i, w, u, sigma, step, late_step, gain);
    else if (at->per_column == 3) NAME(sparse_add_along)(kind, rows, i, w, u, sigma, 3, 1, step, late_step, gain);
    else NAME(sparse_add_along)(kind, rows, i, w, u, sigma, at->per_column, 0, step, late_step, gain);
}

/* Loop.move of core.py along sigma x, by Rule.tau of AROW; 0 where a number is not finite, which the loop looks at. */
TARGET INLINE int NAME(take_step_along)(const int kind, const rows_t *rows, int64_t i, const weights_t *at, double t,
                                        double sign, double margin, steps_t *steps) {
    const double constant = steps->constant * *steps->bias_sigma, gain = 1 / steps->r;
    const double tau = (1 - margin) / (NAME(variance)(kind, rows, i, at, 0, 0) + constant + steps->r), step = tau * sign;
    if (!(0 < tau && tau <= DBL_MAX)) return 0;
    NAME(add_along)(kind, rows, i, at, 0, step, t * step, gain);
    *steps->bias_sigma /= 1 + gain * constant;
    at->bias[0] += step * constant;
    *steps->bias_u += t * (step * constant);
    steps->count++;
    steps->mistakes += margin <= 0;
    return 1;
}

/* Would the loop look at the norm of row i, whose margin is 0? Not of ones: it is their number, and only that of none is 0. */
TARGET INLINE int NAME(norm_is_open)(const int kind, const rows_t *rows, int64_t i, double constant) {
    int64_t from, to;
    if (!is_ones(kind)) return 1;
    entries_of(kind, rows, i, &from, &to);
    return from == to && constant == 0;
}

/* Loop.move of core.py by the one tau that all steps have, where nothing else is to be looked at; else 0. */
TARGET INLINE int NAME(take_step)(const int kind, const rows_t *rows, int64_t i, const weights_t *at, int64_t k, double sign,
                                  double margin, steps_t *steps) {
    if (!steps || !(-DBL_MAX <= margin && margin <= DBL_MAX)) return 0;
    if (margin == 0 && NAME(norm_is_open)(kind, rows, i, steps->constant)) return 0;
    const double step = steps->tau * sign, t = (double)(steps->t + k);
    if (at->sigma) return NAME(take_step_along)(kind, rows, i, at, t, sign, margin, steps);
    NAME(add)(kind, rows, i, at, 0, step, t * step);
    at->bias[0] += step * steps->constant;
    *steps->bias_u += t * (step * steps->constant);
    steps->count++;
    steps->mistakes += margin <= 0;
    steps->tau_sum += steps->tau;
    return 1;
}

/* The search among dense rows as given, which the hardware fetches best one after the other. */
TARGET INLINE int64_t NAME(dense_seek)(const int kind, const rows_t *rows, const int32_t *y, int64_t k, int64_t end,
                                       const weights_t *at, double least, steps_t *steps, double *score) {
    for (; k < end; k++) {
        const char *row = dense_row(kind, rows, k), *ahead = NAME(later)(kind, rows, NULL, k + NEXT, end);
        const double sign = sign_of(y, k);
        *score = at->scale * NAME(dense_dot)(kind, row, ahead, 3, at->w, rows->d) + at->bias[0];
        if (!rests(sign * *score, least) && !NAME(take_step)(kind, rows, k, at, k, sign, sign * *score, steps)) return k;
    }
    return end;
}

/* The same among rows that lie apart: three abreast, once a row has not moved. The first that moves makes stale what is
 * known of those behind it, so rules that move at every example take one row at a time. The row so many places later is
 * fetched into the cache of this level. */
TARGET INLINE int64_t NAME(dense_seek_apart)(const int kind, const rows_t *rows, const int32_t *order, const int32_t *y,
                                             int64_t k, int64_t end, const int places, const int level,
                                             const weights_t *at, double least, steps_t *steps, double *score) {
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
            if (rests(sign * *score, least)) continue;
            if (!NAME(take_step)(kind, rows, order[k], at, k, sign, sign * *score, steps)) return k;
            moved = 1;
        }
        count = !moved && k + ABREAST <= end ? ABREAST : 1;
    }
    return end;
}

/* The same among sparse rows. `stride` is a constant where it is 2 or 3. What the search reads and counts lies in copies of its
 * own: for all that the compiler knows, a weight that is stored could be any of it. */
TARGET INLINE int64_t NAME(sparse_seek)(const int kind, const rows_t *given, const int32_t *order, const int32_t *y, int64_t k,
                                        int64_t end, const weights_t *weights, const int64_t stride, double least,
                                        steps_t *taken, double *score) {
    const rows_t rows = *given;
    const int64_t ahead = NAME(entries_ahead)(&rows, weights);
    weights_t at = *weights;
    steps_t steps = {0};
    double bias = *at.bias, bias_u = 0, last = 0;
    if (taken) {
        steps = *taken;
        bias_u = *steps.bias_u;
    }
    at.bias = &bias;
    steps.bias_u = &bias_u;
    for (; k < end; k++) {
        const int64_t i = order ? order[k] : k;
        NAME(fetch_sparse)(kind, &rows, order, k, end, &at, ahead);
        if (order && y && k + LABELS_AHEAD < end) PREFETCH(&y[order[k + LABELS_AHEAD]], 3);
        const double sign = sign_of(y, i);
        last = at.scale * NAME(sparse_dot)(kind, &rows, i, at.w, stride) + bias;
        if (rests(sign * last, least)) continue;
        if (!taken || !NAME(take_step)(kind, &rows, i, &at, k, sign, sign * last, &steps)) break;
    }
    *score = last;
    if (taken) {
        *weights->bias = bias;
        *taken->bias_u = bias_u;
        taken->count = steps.count;
        taken->mistakes = steps.mistakes;
        taken->tau_sum = steps.tau_sum;
    }
    return k;
}

/* The same for what is learned most: two classes in a shuffled order, by steps of one tau or, `along` sigma x, by those of AROW.
 * Here every branch and every register is felt, so it knows no more than that; `along`, `of_one_width`, which rows without
 * indptr are, and mostly `ahead` are constants. */
TARGET INLINE int64_t NAME(sparse_steps)(const int kind, const rows_t *given, const int32_t *order, const int32_t *y, int64_t k,
                                         int64_t end, const weights_t *weights, const int64_t ahead, const int of_one_width,
                                         const int along, double least, steps_t *taken, double *score) {
    rows_t rows = *given;
    if (of_one_width) rows.indptr = NULL;
    const weights_t at = *weights;
    const double rate = taken->tau, one = taken->constant, r = taken->r, gain = 1 / r;
    const int64_t t = taken->t;
    double bias = *at.bias, bias_u = *taken->bias_u, bias_sigma = *taken->bias_sigma, last = 0, tau_sum = taken->tau_sum;
    int64_t count = 0, mistakes = 0;
    for (; k < end; k++) {
        const int64_t i = order[k];
        NAME(fetch_sparse)(kind, &rows, order, k, end, &at, ahead);
        if (k + LABELS_AHEAD < end) PREFETCH(&y[order[k + LABELS_AHEAD]], 3);
        const double sign = sign_of(y, i);
        last = NAME(sparse_dot)(kind, &rows, i, at.w, along ? 3 : 2) + bias;
        const double margin = sign * last, late = (double)(t + k);
        double tau = rate, constant = one;
        if (rests(margin, least)) continue;
        if (!(-DBL_MAX <= margin && margin <= DBL_MAX)) break;
        if (NAME(norm_is_open)(kind, &rows, i, constant) && margin == 0) break;
        if (along) {
            constant *= bias_sigma;
            tau = (1 - margin) / (NAME(sparse_variance)(kind, &rows, i, at.sigma, 3, 0) + constant + r);
            if (!(0 < tau && tau <= DBL_MAX)) break;
        }
        const double step = tau * sign;
        if (along) {
            NAME(sparse_add_along)(kind, &rows, i, at.w, at.u, at.sigma, 3, 1, step, late * step, gain);
            bias_sigma /= 1 + gain * constant;
        } else NAME(sparse_add_pairs)(kind, &rows, i, at.w, step, late * step);
        bias += step * constant;
        bias_u += late * (step * constant);
        tau_sum += tau;
        mistakes += margin <= 0;
        count++;
    }
    *score = last;
    *at.bias = bias;
    *taken->bias_u = bias_u;
    *taken->bias_sigma = bias_sigma;
    taken->count += count;
    taken->mistakes += mistakes;
    taken->tau_sum = tau_sum;
    return k;
}

/* The verbs for one kind of row, each a function of its own: the loop calls them through the kernel's table. */
#define VERBS(KIND)                                                                                                        \
    TARGET static int64_t NAME(seek_##KIND)(const rows_t *rows, const int32_t *order, const int32_t *y, int64_t k,         \
                                            int64_t end, const weights_t *at, double threshold, steps_t *steps,            \
                                            double *score) {                                                               \
        const double least = least_at_rest(threshold);                                                                     \
        if (is_dense(KIND) && order && rows->d * (int64_t)value_size(KIND) <= NARROW)                                      \
            return NAME(dense_seek_apart)(KIND, rows, order, y, k, end, AHEAD_NARROW, 3, at, least, steps, score);         \
        if (is_dense(KIND) && order)                                                                                       \
            return NAME(dense_seek_apart)(KIND, rows, order, y, k, end, AHEAD, 2, at, least, steps, score);                \
        if (is_dense(KIND)) return NAME(dense_seek)(KIND, rows, y, k, end, at, least, steps, score);                       \
        if (at->per_column == (at->sigma ? 3 : 2) && order && y && steps && at->scale == 1) {                              \
            const int64_t ahead = NAME(entries_ahead)(rows, at);                                                           \
            if (at->sigma && rows->indptr)                                                                                 \
                return NAME(sparse_steps)(KIND, rows, order, y, k, end, at, ahead, 0, 1, least, steps, score);             \
            if (at->sigma)                                                                                                 \
                return NAME(sparse_steps)(KIND, rows, order, y, k, end, at, ENTRIES_AHEAD, 1, 1, least, steps, score);     \
            if (ahead == LONG_AHEAD)                                                                                       \
                return NAME(sparse_steps)(KIND, rows, order, y, k, end, at, LONG_AHEAD, 0, 0, least, steps, score);        \
            if (rows->indptr)                                                                                              \
                return NAME(sparse_steps)(KIND, rows, order, y, k, end, at, LISTED_AHEAD, 0, 0, least, steps, score);      \
            return NAME(sparse_steps)(KIND, rows, order, y, k, end, at, ENTRIES_AHEAD, 1, 0, least, steps, score);         \
        }                                                                                                                  \
        if (at->per_column == 2) return NAME(sparse_seek)(KIND, rows, order, y, k, end, at, 2, least, steps, score);       \
        if (at->per_column == 3) return NAME(sparse_seek)(KIND, rows, order, y, k, end, at, 3, least, steps, score);       \
        return NAME(sparse_seek)(KIND, rows, order, y, k, end, at, at->per_column, least, steps, score);                   \
    }                                                                                                                      \
    TARGET static void NAME(score_tile_##KIND)(const rows_t *rows, const int32_t *order, int64_t k, int64_t count,         \
                                               int64_t end, const weights_t *at, int64_t first, int64_t vectors,           \
                                               double *out) {                                                              \
        if (!is_dense(KIND) && at->vectors == 1 && at->per_column == 1 && !order) {                                        \
            NAME(sparse_score)(KIND, rows, k, count, end, at, out);                                                        \
            return;                                                                                                        \
        }                                                                                                                  \
        if (is_dense(KIND)) NAME(dense_score)(KIND, rows, order, k, count, end, at, first, vectors, out);                  \
        else for (int64_t r = 0; r < count; r++) {                                                                         \
            NAME(fetch_sparse)(KIND, rows, order, k + r, end, at, NAME(entries_ahead)(rows, at));                          \
            const int64_t i = order ? order[k + r] : k + r;                                                                \
            if (at->vectors == 1) out[r] = NAME(sparse_dot)(KIND, rows, i, at->w, at->per_column);                         \
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
    }                                                                                                                      \
    TARGET static double NAME(variance_##KIND)(const rows_t *rows, int64_t i, const weights_t *at, int64_t k,              \
                                               int squared) {                                                              \
        return squared ? NAME(variance)(KIND, rows, i, at, k, 1) : NAME(variance)(KIND, rows, i, at, k, 0);                \
    }                                                                                                                      \
    TARGET static void NAME(add_along_##KIND)(const rows_t *rows, int64_t i, const weights_t *at, int64_t k, double step,  \
                                              double late_step, double gain) {                                             \
        NAME(add_along)(KIND, rows, i, at, k, step, late_step, gain);                                                      \
    }
FOR_EACH_DENSE_KIND(VERBS)
#ifdef SPARSE_NAME
#define SPARSE_VERB(verb, KIND) [KIND] = SPARSE_NAME(verb##_##KIND)
#else
#define SPARSE_VERB(verb, KIND) [KIND] = NAME(verb##_##KIND)
FOR_EACH_SPARSE_KIND(VERBS)
#endif
#undef VERBS

#define DENSE_VERB(verb, KIND) [KIND] = NAME(verb##_##KIND)
#define OF_EACH_KIND(verb)                                                                                                 \
    {DENSE_VERB(verb, DENSE_F32), DENSE_VERB(verb, DENSE_F64), SPARSE_VERB(verb, SPARSE_F32_I32),                          \
     SPARSE_VERB(verb, SPARSE_F64_I32), SPARSE_VERB(verb, SPARSE_ONES_I32), SPARSE_VERB(verb, SPARSE_F32_I64),             \
     SPARSE_VERB(verb, SPARSE_F64_I64), SPARSE_VERB(verb, SPARSE_ONES_I64)}
static const kernel_t NAME(kernel) = {OF_EACH_KIND(seek), OF_EACH_KIND(score_tile), OF_EACH_KIND(add),
                                      OF_EACH_KIND(norm2), OF_EACH_KIND(variance), OF_EACH_KIND(add_along)};
#undef DENSE_VERB
#undef OF_EACH_KIND
#undef SPARSE_VERB
