/*
 * From matched symbols to edits: unmatched symbols between two matched ones are either scattered edits, each of which
 * changes the n windows around it, or part of a block that differs as a whole. The length of the gaps tells them apart.
 */
#ifndef ALIGN_GAPS_H
#define ALIGN_GAPS_H

#include "align/matching.h"

struct gap {
    uint32_t a, b; /* unmatched symbols */
};

struct gaps {
    double matched;
    double scattered_a, scattered_b; /* unmatched symbols outside of blocks */
    struct gap *blocks;              /* owned */
    size_t block_count;
    uint32_t block_least; /* a gap of so many symbols, of both signatures together, is a block */
    double evidence;      /* nats that speak for these blocks and against scattered edits alone */
};

stemma_status find_gaps(const struct matching *matching, struct gaps *out, stemma_error *err);
/* The same, read as scattered edits alone. Nothing to release. */
struct gaps gaps_without_blocks(const struct gaps *gaps);
void gaps_release(struct gaps *gaps);

#endif
