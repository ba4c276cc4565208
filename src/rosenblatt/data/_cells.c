/* Reads the cells of a regular table: for every column the distinct texts, and for every row which of them it has.

   split() does that. It declines (None) whatever is not plain: quotes, NUL, a CR that ends no line, rows of another
   length, rows without any text, bytes that are not UTF-8. delimited/parsing.py then reads the table in its other ways,
   which also word the errors. So it explains nothing, and may give up anywhere. read_file() gives it the bytes. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#define HAS_READ_FILE 1
#include <sys/mman.h>
#include <unistd.h>
#endif

#ifndef ROSENBLATT_DIGEST
#define ROSENBLATT_DIGEST ""
#endif

#define ONES 0x0101010101010101u
#define HIGH 0x8080808080808080u
#define NEWLINES (ONES * '\n')
#define ODD 0x9e3779b97f4a7c15u /* 2^64 / golden ratio: multiplying by it spreads neighbours */
#define FIRST_BITS 8            /* slots of a new table: 2^8; it grows when half of them are taken */
#define LONGEST ((size_t)1 << 20)
#define MOST_AT_ONCE ((Py_ssize_t)1 << 26) /* bytes of a file between two looks for Ctrl-C */
#define MANY 4096 /* this many texts, most of which came once: measurements or names, which are not worth a table */

typedef const unsigned char *Text;

typedef struct {
    uint64_t key; /* the bytes themselves up to 7, a hash of more */
    Text text;    /* NULL: the slot is free */
    uint32_t length, code;
} Slot;

typedef struct {
    Slot *slots; /* NULL: the column has more distinct texts than are wanted */
    int bits;
    uint32_t count;
    uint32_t *codes; /* one a row */
} Column;

typedef struct {
    Text start, end;
    unsigned char delimiter;
    Py_ssize_t rows, width, most; /* most distinct texts of a column */
    Py_ssize_t given_up;          /* columns that have more */
    Column *columns;
} Table;

/* The number of lines, -1 if there is a byte that this reader does not take. */
static Py_ssize_t count_lines(Text p, Text end) {
    Py_ssize_t lines = 0;
    if (p == end) return 0;
    if (end[-1] != '\n') lines++;
    if (end[-1] == '\r') return -1;
    while (p < end) {
        /* As many bytes as a byte can count: the compiler makes this loop one of vectors. */
        int n = end - p < 255 ? (int)(end - p) : 255;
        int follows = p + n < end; /* the last byte of all is no CR, as seen above */
        unsigned char ends = 0, bad = 0;
        for (int i = 0; i < n - !follows; i++) {
            ends = (unsigned char)(ends + (p[i] == '\n'));
            bad |= (p[i] == 0) | (p[i] == '"') | ((p[i] == '\r') & (p[i + 1] != '\n'));
        }
        if (!follows) {
            ends = (unsigned char)(ends + (p[n - 1] == '\n'));
            bad |= (p[n - 1] == 0) | (p[n - 1] == '"');
        }
        if (bad) return -1;
        lines += ends;
        p += n;
    }
    return lines;
}

/* Eight bytes, the first one lowest; behind the end there are line ends. */
static inline uint64_t word(Text p, Text end) {
    uint64_t w = NEWLINES;
    if (end - p >= 8)
        memcpy(&w, p, 8);
    else
        memcpy(&w, p, (size_t)(end - p));
    return w;
}

/* The high bit of every byte that is 0, and perhaps of some behind the first such: only the lowest counts. */
static inline uint64_t zeros(uint64_t w) { return (w - ONES) & ~w & HIGH; }

static inline int lowest(uint64_t w) {
#ifdef __GNUC__
    return __builtin_ctzll(w);
#else
    int n = 0;
    while (!(w >> n & 1)) n++;
    return n;
#endif
}

/* Where the cell at p ends; its key. */
static inline Text cell(Text p, Text end, uint64_t delimiters, uint64_t *key) {
    uint64_t hash = 0;
    Text start = p;
    for (;;) {
        uint64_t w = word(p, end), hit = zeros(w ^ delimiters) | zeros(w ^ NEWLINES);
        if (hit) {
            int bits = lowest(hit) - 7;
            w &= ((uint64_t)1 << bits) - 1;
            *key = p == start ? w : hash ^ w;
            return p + bits / 8;
        }
        hash = (hash ^ w) * ODD;
        hash ^= hash >> 29;
        p += 8;
    }
}

static inline size_t place(uint64_t key, int bits) { return (size_t)((key ^ key >> 32) * ODD >> (64 - bits)); }

/* Twice as many slots; 0 if there is no memory for them. */
static int grow(Column *c) {
    size_t old = c->slots ? (size_t)1 << c->bits : 0;
    int bits = c->slots ? c->bits + 1 : FIRST_BITS;
    size_t mask = ((size_t)1 << bits) - 1;
    Slot *slots = calloc(mask + 1, sizeof(Slot));
    if (!slots) return 0;
    for (size_t i = 0; i < old; i++) {
        if (!c->slots[i].text) continue;
        size_t at = place(c->slots[i].key, bits);
        while (slots[at].text) at = (at + 1) & mask;
        slots[at] = c->slots[i];
    }
    free(c->slots);
    c->slots = slots;
    c->bits = bits;
    return 1;
}

/* The slot of a text: its own, or the free one where it belongs. */
static inline Slot *find(const Column *c, uint64_t key, Text text, size_t length) {
    size_t mask = ((size_t)1 << c->bits) - 1;
    for (size_t at = place(key, c->bits);; at = (at + 1) & mask) {
        Slot *s = &c->slots[at];
        if (s->key == key && s->length == length && s->text && (length < 8 || !memcmp(s->text, text, length))) return s;
        if (!s->text) return s;
    }
}

/* Takes up a new text; 0 if the table had better be read in another way. */
static int add(Table *t, Column *c, Py_ssize_t row, Slot *s, uint64_t key, Text text, size_t length) {
    if (c->count == t->most || length > LONGEST || (c->count >= MANY && c->count > row / 2)) {
        free(c->slots);
        c->slots = NULL;
        return ++t->given_up * 2 <= t->width;
    }
    s->key = key;
    s->text = text;
    s->length = (uint32_t)length;
    s->code = c->count++;
    return c->count < (size_t)1 << (c->bits - 1) || grow(c);
}

/* All rows; 0 if they are not regular. */
static int read_rows(Table *t) {
    uint64_t delimiters = ONES * t->delimiter;
    Text p = t->start;
    for (Py_ssize_t row = 0; row < t->rows; row++) {
        Text line = p, q = p;
        for (Py_ssize_t j = 0; j < t->width; j++, p = q + 1) {
            uint64_t key;
            q = cell(p, t->end, delimiters, &key);
            int last = q == t->end || *q == '\n';
            if (last != (j == t->width - 1)) return 0;
            Column *c = &t->columns[j];
            if (!c->slots) continue;
            size_t length = (size_t)(q - p);
            Slot *s = find(c, key, p, length);
            if (s->text) {
                c->codes[row] = s->code;
            } else {
                c->codes[row] = c->count;
                if (!add(t, c, row, s, key, p, length)) return 0;
            }
        }
        if (q - line - (q > line && q[-1] == '\r') == t->width - 1) return 0;
    }
    return 1;
}

/* (codes, texts) of a column, None for one that was given up; NULL with an error where a text is not UTF-8. */
static PyObject *result(const Column *c, PyObject *codes) {
    if (!c->slots) Py_RETURN_NONE;
    PyObject *texts = PyList_New(c->count);
    for (size_t i = 0; texts && i < (size_t)1 << c->bits; i++) {
        const Slot *s = &c->slots[i];
        if (!s->text) continue;
        PyObject *text = PyUnicode_DecodeUTF8((const char *)s->text, s->length, NULL);
        if (text)
            PyList_SET_ITEM(texts, s->code, text);
        else
            Py_CLEAR(texts);
    }
    return texts ? Py_BuildValue("(ON)", codes, texts) : NULL;
}

PyDoc_STRVAR(split_doc, "split(data, start, delimiter, width, most, codes=None, first=0)\n--\n\n"
                        "The cells of a table from byte `start` on, or None if it is not plain.\n\n"
                        "For every column (codes, texts): a bytearray of uint32, one a row, and the distinct texts; or None\n"
                        "if it has more than `most` of them, or thousands that hardly repeat. Where there is room for codes,\n"
                        "uint32 of all columns, one after the other, they are written there from row `first` on, and what is\n"
                        "given back for them is None.");

static PyObject *split(PyObject *module, PyObject *args) {
    Py_buffer data, room = {0};
    Py_ssize_t start, first = 0, stride = 0;
    PyObject *given = Py_None;
    Table t = {0};
    const int one = 1;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*nbnn|On", &data, &start, &t.delimiter, &t.width, &t.most, &given, &first)) return NULL;
    PyObject *found = NULL, *buffers = NULL;
    int plain = 0;
    if (given != Py_None && PyObject_GetBuffer(given, &room, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) < 0) goto done;
    if (start < 0 || start > data.len || t.width < 1 || t.most < 1 || t.most > INT32_MAX || first < 0) {
        PyErr_SetString(PyExc_ValueError, "start, width, most or first is out of range");
        goto done;
    }
    t.start = (Text)data.buf + start;
    t.end = (Text)data.buf + data.len;
    /* A single column cannot tell a blank line from an empty cell; and words are compared lowest byte first. */
    if (t.width < 2 || !*(const char *)&one) goto done;
    Py_BEGIN_ALLOW_THREADS;
    t.rows = count_lines(t.start, t.end);
    Py_END_ALLOW_THREADS;
    if (t.rows < 1) goto done;
    stride = room.len / 4 / t.width;
    if (room.obj && (first > stride || t.rows > stride - first || (uintptr_t)room.buf % 4)) {
        PyErr_SetString(PyExc_ValueError, "there is no room for so many codes");
        goto done;
    }
    buffers = PyList_New(t.width);
    t.columns = buffers ? calloc((size_t)t.width, sizeof(Column)) : NULL;
    plain = t.columns != NULL;
    for (Py_ssize_t j = 0; plain && j < t.width; j++) {
        PyObject *codes = NULL;
        if (room.obj) codes = Py_NewRef(Py_None);
        else if (t.rows <= PY_SSIZE_T_MAX / 4) codes = PyByteArray_FromStringAndSize(NULL, t.rows * 4);
        plain = codes && grow(&t.columns[j]);
        if (codes) {
            PyList_SET_ITEM(buffers, j, codes);
            t.columns[j].codes = room.obj ? (uint32_t *)room.buf + j * stride + first : (uint32_t *)PyByteArray_AS_STRING(codes);
        }
    }
    if (!plain && !PyErr_Occurred()) PyErr_NoMemory();
    if (!plain) goto done;
    Py_BEGIN_ALLOW_THREADS;
    plain = read_rows(&t);
    Py_END_ALLOW_THREADS;
    found = plain ? PyList_New(t.width) : NULL;
    for (Py_ssize_t j = 0; found && j < t.width; j++) {
        PyObject *column = result(&t.columns[j], PyList_GET_ITEM(buffers, j));
        if (column)
            PyList_SET_ITEM(found, j, column);
        else
            Py_CLEAR(found);
    }
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) PyErr_Clear();
done:
    for (Py_ssize_t j = 0; t.columns && j < t.width; j++) free(t.columns[j].slots);
    free(t.columns);
    Py_XDECREF(buffers);
    if (room.obj) PyBuffer_Release(&room);
    PyBuffer_Release(&data);
    if (found || PyErr_Occurred()) return found;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(count_doc, "count(data)\n--\n\nThe number of lines; -1 if there is a byte that split() does not take.");

static PyObject *count(PyObject *module, PyObject *args) {
    Py_buffer data;
    Py_ssize_t lines;
    (void)module;
    if (!PyArg_ParseTuple(args, "y*", &data)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    lines = count_lines((Text)data.buf, (Text)data.buf + data.len);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&data);
    return PyLong_FromSsize_t(lines);
}

#ifdef HAS_READ_FILE
PyDoc_STRVAR(read_file_doc, "read_file(descriptor, size)\n--\n\n"
                            "The first `size` bytes of a file, or as many as there are, in large pages where the system has them:\n"
                            "to be given memory in small ones takes longer than to copy a file that is in memory.");

static PyObject *read_file(PyObject *module, PyObject *args) {
    int descriptor;
    Py_ssize_t size, end = 0;
    ssize_t got = 1;
    (void)module;
    if (!PyArg_ParseTuple(args, "in", &descriptor, &size)) return NULL;
    PyObject *content = PyBytes_FromStringAndSize(NULL, size);
    if (!content) return NULL;
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = ((uintptr_t)PyBytes_AS_STRING(content) + page - 1) / page * page;
    const uintptr_t to = ((uintptr_t)PyBytes_AS_STRING(content) + (uintptr_t)size) / page * page;
    if (from < to) (void)madvise((void *)from, to - from, MADV_HUGEPAGE); /* not every kernel grants them */
#endif
    while (end < size && got > 0) {
        const Py_ssize_t most = size - end < MOST_AT_ONCE ? size - end : MOST_AT_ONCE;
        Py_BEGIN_ALLOW_THREADS;
        got = pread(descriptor, PyBytes_AS_STRING(content) + end, (size_t)most, end);
        Py_END_ALLOW_THREADS;
        if (got < 0 && errno == EINTR) got = 1;
        else if (got < 0) PyErr_SetFromErrno(PyExc_OSError);
        else end += got;
        if (PyErr_Occurred() || PyErr_CheckSignals() < 0) {
            Py_DECREF(content);
            return NULL;
        }
    }
    if (end < size) (void)_PyBytes_Resize(&content, end);
    return content;
}
#endif

static PyMethodDef methods[] = {
    {"split", split, METH_VARARGS, split_doc},
    {"count", count, METH_VARARGS, count_doc},
#ifdef HAS_READ_FILE
    {"read_file", read_file, METH_VARARGS, read_file_doc},
#endif
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_cells", "The compiled reader of regular tables.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__cells(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddStringConstant(module, "DIGEST", ROSENBLATT_DIGEST) < 0) Py_CLEAR(module);
    return module;
}
