/*
 * The Levenshtein distance, exactly: the least number of insertions, deletions and substitutions.
 *
 * Close texts cost by the edits (diagonals.h), others by the matrix (band.h); which it is shows while the
 * first is tried. Memory is linear: 5 bytes for each symbol of the longer text, or 40 for each edit of close
 * ones.
 */
#ifndef ALIGN_DISTANCE_H
#define ALIGN_DISTANCE_H

#include "base/error.h"
#include "kernels/kernels.h"

struct distance_limits {
    uint64_t at_most; /* no more edits are looked for; UINT64_MAX: no bound */
    uint64_t work;    /* cells, counted alike on every machine; UINT64_MAX: no bound */
    size_t memory;
    const volatile int *stop;
};

struct distance_result {
    uint64_t distance; /* unless exceeded or given up */
    bool exceeded;     /* it is more than at_most */
    bool given_up;     /* the work was not enough */
    uint64_t at_least; /* what is known in any case */
};

/* Errors: UNSUPPORTED (memory, or 2^30 symbols that differ), INTERRUPTED, NO_MEMORY. */
stemma_status distance_bytes(const uint8_t *a, size_t n, const uint8_t *b, size_t m,
                             const struct distance_limits *limits, struct distance_result *out,
                             stemma_error *err);
stemma_status distance_chars(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                             const struct distance_limits *limits, struct distance_result *out,
                             stemma_error *err);

/* The same with one method, or kernels other than this machine's: for tests. */
enum distance_method { DISTANCE_ANY, DISTANCE_DIAGONALS, DISTANCE_BAND };
struct distance_pair {
    const uint8_t *a, *b;
    size_t n, m;   /* symbols */
    int log_width; /* 0: bytes; 2: characters, 32 bits: code points, or 0x110000 + b for a stray byte b */
};
stemma_status distance_by(const struct distance_pair *pair, enum distance_method method,
                          const struct kernels *kernels, const struct distance_limits *limits,
                          struct distance_result *out, stemma_error *err);

/* Without what both begin and end with. */
struct distance_pair distance_trim(const struct distance_pair *pair, const struct kernels *kernels,
                                   size_t *prefix, size_t *suffix);

#define DISTANCE_SYMBOLS ((size_t)1 << 30) /* fewer are compared */

#endif
