/* The averaged perceptron for two classes as one would write it in an afternoon: the measure of what is possible.
 * One pass over the rows in the order given; w and u as in the engine, no checks, no log, no other rule. */
#include <stdint.h>

#define LOOP(NAME, INPUTS, DOT, ADD)                                                                                       \
    int64_t NAME(INPUTS, const int32_t *order, const int32_t *y, int64_t n, double *w, double *u, double *b, int64_t t) {   \
        int64_t updates = 0;                                                                                               \
        for (int64_t k = 0; k < n; k++, t++) {                                                                             \
            const int64_t i = order[k];                                                                                    \
            const double sign = 2 * y[i] - 1;                                                                              \
            double dot = 0;                                                                                                \
            DOT;                                                                                                           \
            if (sign * (dot + b[0]) > 0) continue;                                                                         \
            updates++;                                                                                                     \
            ADD;                                                                                                           \
            b[0] += sign;                                                                                                  \
            b[1] += (double)t * sign;                                                                                      \
        }                                                                                                                  \
        return updates;                                                                                                    \
    }

#define COMMA ,
#define DENSE(T) const T *X COMMA int64_t d
#define DENSE_DOT                                                                                                          \
    double lane[8] = {0};                                                                                                  \
    int64_t j = 0;                                                                                                         \
    for (; j + 8 <= d; j += 8)                                                                                             \
        for (int l = 0; l < 8; l++) lane[l] += w[j + l] * X[i * d + j + l];                                                \
    for (; j < d; j++) dot += w[j] * X[i * d + j];                                                                         \
    for (int l = 0; l < 8; l++) dot += lane[l]
#define DENSE_ADD                                                                                                          \
    for (int64_t c = 0; c < d; c++) {                                                                                      \
        w[c] += sign * X[i * d + c];                                                                                       \
        u[c] += (double)t * sign * X[i * d + c];                                                                           \
    }
LOOP(dense_f32, DENSE(float), DENSE_DOT, DENSE_ADD)
LOOP(dense_f64, DENSE(double), DENSE_DOT, DENSE_ADD)

#define CSR(T) const T *values COMMA const int32_t *columns COMMA const int32_t *starts
#define CSR_DOT for (int64_t e = starts[i]; e < starts[i + 1]; e++) dot += w[columns[e]] * values[e]
#define CSR_ADD                                                                                                            \
    for (int64_t e = starts[i]; e < starts[i + 1]; e++) {                                                                  \
        w[columns[e]] += sign * values[e];                                                                                 \
        u[columns[e]] += (double)t * sign * values[e];                                                                     \
    }
LOOP(csr_f32, CSR(float), CSR_DOT, CSR_ADD)
LOOP(csr_f64, CSR(double), CSR_DOT, CSR_ADD)
