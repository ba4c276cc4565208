/* Reads lines of `label index:value index:value …` into flat arrays.

   One function, parse(). It reads the plain lines, fast, and stops in front of the first line that it does not
   understand: libsvm.py reads that one with care, and words the error if there is one. So nothing here explains
   anything, and everything here may give up. libsvm_plain.py is the same function without a compiler. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#ifndef ROSENBLATT_DIGEST
#define ROSENBLATT_DIGEST ""
#endif

#define LARGEST_INDEX 2147483647u
#define DIGITS 19 /* as many as a 64-bit integer always holds */
#define FAR 10000 /* an exponent, or a number of digits, that is left to Python */
#define EXACT 22  /* 10^22 is the largest power of ten that a double holds exactly */

static const double ten[EXACT + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#ifdef __SIZEOF_INT128__
#define POWERS 27 /* 5^27 < 2^63 */
/* reciprocal[k] = floor(2^shift[k] / 5^k), with the top bit set */
static uint64_t reciprocal[POWERS + 1];
static int shift[POWERS + 1];

static void make_reciprocals(void) {
    uint64_t power = 1;
    for (int k = 0; k <= POWERS; k++, power *= 5) {
        int top = 0;
        while (power >> top > 1) top++;
        shift[k] = 63 + top + (k > 0);
        reciprocal[k] = (uint64_t)(((unsigned __int128)1 << shift[k]) / power);
    }
}

/* digits / 10^k, rounded once, or 0 where 64 bits do not decide which way to round.

   The reciprocal is too small by less than 1, the product therefore by less than 2^64, one unit of its upper half;
   cutting off the lower half takes less than another. So the truth lies in [high, high + 2), and in [high, high + 4)
   once high is doubled. Only where that interval reaches the half between two doubles is there a doubt. */
static int divide(uint64_t digits, int k, double *out) {
    int up = 0;
    while (!(digits >> 63)) digits <<= 1, up++;
    uint64_t high = (uint64_t)(((unsigned __int128)digits * reciprocal[k]) >> 64);
    int exponent = 64 - shift[k] - up - k;
    if (!(high >> 63)) high <<= 1, exponent--;
    uint64_t rest = high & 0x7ff; /* what 53 bits do not hold; 0x400 is the half */
    if (rest > 0x3fc && rest <= 0x400) return 0;
    uint64_t kept = (high >> 11) + (rest > 0x400);
    double value = (double)kept;
    exponent += 11;
    /* 2^exponent by its bits; digits < 2^64 and k ≤ 27 keep it far from the smallest double. */
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double scale;
    memcpy(&scale, &bits, 8);
    *out = value * scale;
    return 1;
}
#else
#define POWERS 0
static void make_reciprocals(void) {}
static int divide(uint64_t digits, int k, double *out) { return (void)digits, (void)k, (void)out, 0; }
#endif

static int ends_token(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '#'; }
static int is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* The number at *at, moving *at behind it; 0 if there is none. Exactly what Python's float() gives. */
static int number(const char **at, double *out) {
    const char *start = *at, *p = start;
    uint64_t digits = 0;
    int count = 0, exponent = 0, far = 0, negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    const char *first = p;
    while (*p == '0') p++;
    for (; is_digit(*p); p++, count++) digits = digits * 10 + (uint64_t)(*p - '0');
    int seen = p > first;
    if (*p == '.') {
        const char *point = ++p;
        if (!count)
            while (*p == '0') p++;
        for (; is_digit(*p); p++, count++) digits = digits * 10 + (uint64_t)(*p - '0');
        exponent = (int)(point - p);
        seen |= p > point;
    }
    if (!seen) return 0;
    if (*p == 'e' || *p == 'E') {
        int power = 0, down = *++p == '-';
        if (*p == '-' || *p == '+') p++;
        if (!is_digit(*p)) return 0;
        for (; is_digit(*p); p++)
            if (power < FAR) power = power * 10 + (*p - '0');
        far = power >= FAR || p - start > FAR;
        exponent += down ? -power : power;
    }
    if (!ends_token(*p)) return 0;
    double value = 0;
    int done = 0;
    if (count <= DIGITS && !far) {
        done = 1;
        if (digits == 0)
            value = 0;
        else if (digits <= (uint64_t)1 << 53 && -EXACT <= exponent && exponent <= EXACT)
            value = exponent < 0 ? (double)digits / ten[-exponent] : (double)digits * ten[exponent];
        else
            done = exponent < 0 && -exponent <= POWERS && divide(digits, -exponent, &value);
    }
    if (done) {
        *out = negative ? -value : value;
    } else {
        char *end;
        *out = PyOS_string_to_double(start, &end, NULL);
        if (end != p) {
            PyErr_Clear();
            return 0;
        }
    }
    *at = p;
    return *out - *out == 0; /* finite */
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\r') p++;
    return p;
}

typedef struct {
    double *labels, *values;
    int64_t *ends;
    int32_t *indices;
    Py_ssize_t rows, entries, most_rows, most_entries;
    int64_t smallest, largest;
    int ordered;
} Rows;

/* One line; 0 if it is not plain. It ends in a newline, and nothing below reads past one. */
static int line(const char *p, Rows *r) {
    p = skip_blanks(p);
    if (*p == '\n' || *p == '#') return 1;
    if (r->rows == r->most_rows) return 0;
    if (!number(&p, &r->labels[r->rows])) return 0;
    Py_ssize_t entry = r->entries;
    int64_t before = -1, smallest = r->smallest, largest = r->largest;
    int ordered = r->ordered;
    for (;;) {
        p = skip_blanks(p);
        if (*p == '\n' || *p == '#') break;
        if (*p == 'q' && !strncmp(p, "qid:", 4) && before < 0) {
            for (p += 4; is_digit(*p); p++) {}
            if (p[-1] == ':' || !ends_token(*p)) return 0;
            continue;
        }
        const char *first = p;
        uint64_t index = 0;
        for (; is_digit(*p) && p - first < 11; p++) index = index * 10 + (uint64_t)(*p - '0');
        if (p == first || *p != ':' || index > LARGEST_INDEX || entry == r->most_entries) return 0;
        p++;
        if (*p == '1' && ends_token(p[1])) {
            r->values[entry] = 1; /* most of what is binarised */
            p++;
        } else if (!number(&p, &r->values[entry])) {
            return 0;
        }
        ordered &= (int64_t)index > before;
        before = (int64_t)index;
        if (before < smallest) smallest = before;
        if (before > largest) largest = before;
        r->indices[entry++] = (int32_t)index;
    }
    r->entries = entry;
    r->smallest = smallest;
    r->largest = largest;
    r->ordered = ordered;
    r->ends[r->rows++] = entry;
    return 1;
}

PyDoc_STRVAR(parse_doc, "parse(data, start, labels, ends, indices, values)\n--\n\n"
                        "Reads lines of data from byte `start` on, as far as they are plain, into the four arrays.\n\n"
                        "Gives (rows, entries, where it stopped, smallest index, largest index, in order?).");

static PyObject *parse(PyObject *module, PyObject *args) {
    Py_buffer labels, ends, indices, values;
    const char *data;
    Py_ssize_t size, at;
    (void)module;
    /* bytes and nothing else: their text ends in a NUL, behind which no number is sought */
    PyObject *text;
    if (!PyArg_ParseTuple(args, "Snw*w*w*w*", &text, &at, &labels, &ends, &indices, &values)) return NULL;
    data = PyBytes_AS_STRING(text);
    size = PyBytes_GET_SIZE(text);
    Rows r = {labels.buf, values.buf, ends.buf, indices.buf, 0, 0, 0, 0, INT64_MAX, -1, 1};
    r.most_rows = (labels.len < ends.len ? labels.len : ends.len) / 8;
    r.most_entries = indices.len / 4 < values.len / 8 ? indices.len / 4 : values.len / 8;
    int whole = at >= 0 && at <= size && (size == 0 || data[size - 1] == '\n');
    while (whole && at < size) {
        const char *end = memchr(data + at, '\n', (size_t)(size - at));
        if (!line(data + at, &r)) break;
        at = end + 1 - data;
    }
    PyBuffer_Release(&labels);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&indices);
    PyBuffer_Release(&values);
    if (!whole) return PyErr_Format(PyExc_ValueError, "data must end in a newline, and start within");
    return Py_BuildValue("nnnLLO", r.rows, r.entries, at, (long long)r.smallest, (long long)r.largest,
                         r.ordered ? Py_True : Py_False);
}

static PyMethodDef methods[] = {{"parse", parse, METH_VARARGS, parse_doc}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_libsvm", "The compiled reader of libsvm lines.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__libsvm(void) {
    make_reciprocals();
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddStringConstant(module, "DIGEST", ROSENBLATT_DIGEST) < 0) Py_CLEAR(module);
    return module;
}
