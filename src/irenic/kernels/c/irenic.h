/* The structs that Python passes to kernels, and what all kernels share.
 *
 * An array is a pointer with its shape; a vector has one column. Arrays are C-contiguous. The
 * fields of a struct are in the order of the Python class of the same name (kernels/structs.py),
 * which checks element types. Kernels trust their arguments: what calls them has checked
 * everything.
 *
 * Boxes come in two layouts. Rules have one column per rule, so that a kernel reads the bounds of
 * one feature one after another; boxes that are cut and copied have one row each. The words of the
 * categorical feature j are starts[j] to starts[j + 1] in both.
 */
#ifndef IRENIC_H
#define IRENIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if __STDC_HOSTED__
#include <math.h>
#include <stdlib.h>
#include <string.h>
#else /* WebAssembly for the report page, without a standard library: see wasm.c */
#define INFINITY __builtin_inff()
#define memset __builtin_memset
#define memcpy __builtin_memcpy
#define memmove __builtin_memmove
void *memchr(const void *memory, int byte, size_t n);
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
#endif

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* What a kernel returns if there is not enough memory. */
#define NO_MEMORY (-2)

#define ARRAY(type, name) \
    typedef struct {      \
        type *at;         \
        int64_t rows;     \
        int64_t columns;  \
    } name

ARRAY(double, Floats);
ARRAY(float, Singles);
ARRAY(uint64_t, Words);
ARRAY(int64_t, Ints);
ARRAY(int32_t, Codes);
ARRAY(int16_t, Shorts);
ARRAY(uint16_t, Tallies);
ARRAY(uint8_t, Bytes);

/* A pointer to the first element of a row of an array. */
#define ROW(array, row) ((array).at + (row) * (array).columns)

/* A set of rules with one column each. There may be room for more: only n of them count. */
typedef struct {
    Floats lower;     /* inclusive lower bounds [features, room] */
    Floats upper;     /* exclusive upper bounds [features, room] */
    Words masks;      /* bits of the sets of values [words, room] */
    Codes then;       /* codes of the consequents [room] */
    Floats weight;    /* [room] */
    int64_t n;        /* number of rules */
    Ints starts;      /* where the words of each categorical feature start [sets + 1] */
    Words everything; /* bits of all values that can occur [words] */
    Floats lowest;    /* lowest value of each continuous feature [features] */
} RuleColumns;

/* Instances with one column each. */
typedef struct {
    Floats values; /* [features, n] */
    Codes codes;   /* [sets, n] */
} Points;

/* Boxes with one row each; a single box has one row. */
typedef struct {
    Floats lower; /* [n, features] */
    Floats upper; /* [n, features] */
    Words masks;  /* [n, words] */
    Ints starts;  /* [sets + 1] */
} BoxRows;

/* How many rules cover each instance, and the pool of instances that none covers. */
typedef struct {
    Ints counts;  /* [n] */
    Ints members; /* the instances in the pool, as many as there are [n] */
    Ints place;   /* where each instance is among the members, -1 if it is not in the pool [n] */
} Pool;

/* A single box. Python passes it as one row of 8-byte cells: its lower bounds, its upper bounds and
 * its words. */
typedef struct {
    double *lower;
    double *upper;
    uint64_t *masks;
} Box;

/* The box in a row of cells. */
static inline Box box_in(void *cells, int64_t features) {
    double *lower = cells;
    return (Box){lower, lower + features, (uint64_t *)(lower + 2 * features)};
}

/* A point that a box is grown around, and where rules leave it out. */
typedef struct {
    Floats values;  /* [features] */
    Codes codes;    /* [sets] */
    int64_t then;   /* code of the consequent whose rules are no rivals, -1 for none */
    Bytes outside;  /* whether a rule does not hold for the point on an axis [axes, rules] */
} Seed;

/* Points that boxes are grown around, with one row each. */
typedef struct {
    Floats values; /* [n, features] */
    Codes codes;   /* [n, sets] */
    Ints order;    /* the axes in the order in which they are enlarged [n, axes] */
    Ints then;     /* codes of the consequents whose rules are no rivals, -1 for none [n] */
} Seeds;

/* Boxes that are still to be cut, the last one first, and the boxes that meet each. */
typedef struct {
    Codes items;  /* rows of boxes [any] */
    Ints begin;   /* where the rows of a box begin in items [room] */
    Ints end;     /* where they end [room] */
    Floats lower; /* [room, features] */
    Floats upper; /* [room, features] */
    Words masks;  /* [room, words] */
} Stack;

static inline int64_t n_sets(const Ints *starts) { return starts->rows - 1; }
static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
