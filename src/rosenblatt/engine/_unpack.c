/* Packed rows as the loop reads them: packed_rows.py says what lies where, and has the same function in Python.

   A record holds the numbers of a row and, for each slot, a run of features of which a row has one at most, which it is. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#ifndef ROSENBLATT_DIGEST
#define ROSENBLATT_DIGEST ""
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address, 0, 3)
#define INLINE static inline __attribute__((always_inline))
#else
#define PREFETCH(address) ((void)(address))
#define INLINE static inline
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define HAS_WIDE 1
#define WIDE __attribute__((target("avx512f,avx512bw,avx512vl")))
#endif

#define AHEAD 32 /* rows from now that are sent for: in random order, each comes from memory */
#define LANES 16 /* entries that are written at a time; so many more than there are need room */
#define FEW 4    /* slots that are not worth it */

typedef struct {
    const unsigned char *records;
    const int32_t *slots;         /* first features, sizes, 1 where there is a number: slot_count of each */
    const int32_t *order, *classes;
    Py_ssize_t n, width, slot_count, codes_at, start, stop, first_entry;
    int32_t *indices, *indptr, *classes_out;
    char *values;
} Work;

INLINE uint32_t code_at(const unsigned char *codes, Py_ssize_t s, const int code_size) {
    uint16_t two;
    uint32_t four;
    if (code_size == 1) return codes[s];
    if (code_size == 2) return memcpy(&two, codes + 2 * s, 2), two;
    return memcpy(&four, codes + 4 * s, 4), four;
}

/* The slots of a row from s on, whose numbers begin at `record`; where its entries end. What is absent is written over. */
INLINE Py_ssize_t unpack_slots(const Work *work, const unsigned char *record, const unsigned char *codes, Py_ssize_t s,
                               Py_ssize_t e, const int code_size, const int value_size) {
    const Py_ssize_t m = work->slot_count;
    for (; s < m; s++) {
        const uint32_t code = code_at(codes, s, code_size);
        const int valued = work->slots[2 * m + s];
        work->indices[e] = (int32_t)((uint32_t)work->slots[s] + code);
        if (value_size == 4) {
            float value = 1;
            if (valued) memcpy(&value, record, 4);
            memcpy(work->values + 4 * e, &value, 4);
        } else if (value_size == 8) {
            double value = 1;
            if (valued) memcpy(&value, record, 8);
            memcpy(work->values + 8 * e, &value, 8);
        }
        if (valued) record += value_size;
        e += code < (uint32_t)work->slots[m + s];
    }
    return e;
}

INLINE Py_ssize_t unpack_row(const Work *work, const unsigned char *record, Py_ssize_t e, const int code_size,
                             const int value_size) {
    return unpack_slots(work, record, record + work->codes_at, 0, e, code_size, value_size);
}

#ifdef HAS_WIDE
/* So many numbers, no more than 16. A load that is wider than they are would wait for bytes that nobody has sent for. */
WIDE INLINE __m512 numbers_at(const unsigned char *from, int count) {
    const __mmask16 some = (__mmask16)((1u << count) - 1);
    if (count <= 4) return _mm512_castps128_ps512(_mm_maskz_loadu_ps((__mmask8)some, from));
    if (count <= 8) return _mm512_castps256_ps512(_mm256_maskz_loadu_ps((__mmask8)some, from));
    return _mm512_maskz_loadu_ps(some, from);
}

/* The same, sixteen slots at a time; a few that are left, one by one. */
WIDE INLINE Py_ssize_t unpack_row_wide(const Work *work, const unsigned char *record, Py_ssize_t e, const int code_size,
                                       const int value_size) {
    const Py_ssize_t m = work->slot_count;
    const unsigned char *codes = record + work->codes_at;
    Py_ssize_t s = 0;
    for (; s + FEW < m; s += LANES) {
        const __mmask16 some = m - s >= LANES ? 0xffff : (__mmask16)((1u << (m - s)) - 1);
        __m512i code;
        if (code_size == 1) code = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(some, codes + s));
        else if (code_size == 2) code = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(some, codes + 2 * s));
        else code = _mm512_maskz_loadu_epi32(some, codes + 4 * s);
        const __m512i first = _mm512_maskz_loadu_epi32(some, work->slots + s);
        const __mmask16 present = _mm512_mask_cmplt_epu32_mask(some, code, _mm512_maskz_loadu_epi32(some, work->slots + m + s));
        _mm512_storeu_si512(work->indices + e, _mm512_maskz_compress_epi32(present, _mm512_add_epi32(first, code)));
        if (value_size == 4) {
            const __m512i flags = _mm512_maskz_loadu_epi32(some, work->slots + 2 * m + s);
            const __mmask16 valued = _mm512_test_epi32_mask(flags, flags);
            const int count = __builtin_popcount(valued);
            const __m512 value = _mm512_mask_expand_ps(_mm512_set1_ps(1), valued, numbers_at(record, count));
            _mm512_storeu_ps(work->values + 4 * e, _mm512_maskz_compress_ps(present, value));
            record += 4 * count;
        }
        e += __builtin_popcount(present);
    }
    return unpack_slots(work, record, codes, s, e, code_size, value_size);
}
#endif

#define UNPACK_ROWS(NAME, ROW, TARGET)                                                                                  \
    TARGET INLINE Py_ssize_t NAME(const Work *work, const int code_size, const int value_size) {                        \
        Py_ssize_t e = 0;                                                                                               \
        work->indptr[0] = (int32_t)work->first_entry;                                                                   \
        for (Py_ssize_t k = work->start; k < work->stop; k++) {                                                         \
            const Py_ssize_t row = work->order ? work->order[k] : k;                                                    \
            if (row < 0 || row >= work->n) return -1;                                                                   \
            if (work->order && k + AHEAD < work->stop) {                                                                \
                const Py_ssize_t later = work->order[k + AHEAD];                                                        \
                if (later < 0 || later >= work->n) return -1;                                                           \
                PREFETCH(work->records + later * work->width);                                                          \
                PREFETCH(work->records + (later + 1) * work->width - 1);                                                \
                if (work->classes) PREFETCH(work->classes + later);                                                     \
            }                                                                                                           \
            e = ROW(work, work->records + row * work->width, e, code_size, value_size);                                 \
            work->indptr[k - work->start + 1] = (int32_t)(work->first_entry + e);                                       \
            if (work->classes) work->classes_out[k - work->start] = work->classes[row];                                 \
        }                                                                                                               \
        return e;                                                                                                       \
    }                                                                                                                   \
    /* One loop for every pair of sizes, which are constants in it. */                                                  \
    TARGET static Py_ssize_t NAME##_of(const Work *work, int code_size, Py_ssize_t value_size) {                        \
        if (code_size == 1) return value_size == 4 ? NAME(work, 1, 4) : value_size ? NAME(work, 1, 8) : NAME(work, 1, 0); \
        if (code_size == 2) return value_size == 4 ? NAME(work, 2, 4) : value_size ? NAME(work, 2, 8) : NAME(work, 2, 0); \
        return value_size == 4 ? NAME(work, 4, 4) : value_size ? NAME(work, 4, 8) : NAME(work, 4, 0);                   \
    }

UNPACK_ROWS(unpack_rows, unpack_row, )
#ifdef HAS_WIDE
UNPACK_ROWS(unpack_rows_wide, unpack_row_wide, WIDE)
#endif

static Py_ssize_t unpack_all(const Work *work, int code_size, Py_ssize_t value_size) {
#ifdef HAS_WIDE
    if (value_size < 8 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return unpack_rows_wide_of(work, code_size, value_size);
#endif
    return unpack_rows_of(work, code_size, value_size);
}

PyDoc_STRVAR(unpack_doc, "unpack(records, width, slots, code_size, order, start, stop, (indices, values, indptr), first_entry, "
                         "classes, classes_out)\n\nWrites rows order[start:stop], or start to stop; how many entries they have.");

static PyObject *unpack(PyObject *module, PyObject *args) {
    Py_buffer records, slots, order = {0}, indices, values = {0}, indptr, classes = {0}, classes_out = {0};
    Work work;
    Py_ssize_t entries = -1, value_size, numbers = 0;
    int code_size;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*ny*iz*nn(w*z*w*)nz*z*", &records, &work.width, &slots, &code_size, &order, &work.start,
                          &work.stop, &indices, &values, &indptr, &work.first_entry, &classes, &classes_out))
        return NULL;
    const Py_ssize_t count = work.stop - work.start, m = slots.len / 12;
    work.records = records.buf;
    work.n = work.width > 0 ? records.len / work.width : 0;
    work.slots = slots.buf;
    work.slot_count = m;
    work.order = order.buf;
    work.classes = classes.buf;
    work.classes_out = classes_out.buf;
    work.indices = indices.buf;
    work.values = values.buf;
    work.indptr = indptr.buf;
    value_size = values.buf && indices.len ? 4 * (values.len / indices.len) : 0;
    int fine = code_size == 1 || code_size == 2 || code_size == 4;
    for (Py_ssize_t s = 0; s < m; s++) numbers += work.slots[2 * m + s] != 0;
    work.codes_at = numbers * value_size;
    fine = fine && work.codes_at + m * code_size == work.width && (value_size || !numbers);
    fine = fine && work.start >= 0 && count >= 0 && work.stop <= (order.buf ? order.len / 4 : work.n);
    fine = fine && work.first_entry >= 0 && work.first_entry <= INT32_MAX - count * m;
    fine = fine && indices.len / 4 >= count * m + LANES && indptr.len / 4 > count;
    fine = fine && (!values.buf || (!values.readonly && (value_size == 4 || value_size == 8)));
    fine = fine && (!values.buf || values.len == indices.len / 4 * value_size);
    fine = fine && (!classes.buf || (classes.len / 4 >= work.n && classes_out.buf && !classes_out.readonly));
    fine = fine && (!classes.buf || classes_out.len / 4 >= count);
    if (fine) {
        Py_BEGIN_ALLOW_THREADS;
        entries = unpack_all(&work, code_size, value_size);
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&records);
    PyBuffer_Release(&slots);
    if (order.obj) PyBuffer_Release(&order);
    PyBuffer_Release(&indices);
    if (values.obj) PyBuffer_Release(&values);
    PyBuffer_Release(&indptr);
    if (classes.obj) PyBuffer_Release(&classes);
    if (classes_out.obj) PyBuffer_Release(&classes_out);
    if (entries < 0) {
        PyErr_SetString(PyExc_ValueError, "The records, their rows or the room for them do not fit each other.");
        return NULL;
    }
    return PyLong_FromSsize_t(entries);
}

static PyMethodDef methods[] = {{"unpack", unpack, METH_VARARGS, unpack_doc}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_unpack", "Packed rows as the loop reads them.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__unpack(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddStringConstant(module, "DIGEST", ROSENBLATT_DIGEST) < 0) Py_CLEAR(module);
    return module;
}
