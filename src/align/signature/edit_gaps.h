/*
 * From matched symbols to edits: unmatched symbols between two matched ones are either scattered edits, each
 * of which changes the n windows around it, or part of a block that differs as a whole. The length of the
 * gaps tells them apart.
 */
#ifndef ALIGN_EDIT_GAPS_H
#define ALIGN_EDIT_GAPS_H

#include "align/signature/symbol_chain.h"

struct edit_gap {
    uint32_t a, b; /* unmatched symbols */
};

struct edit_gaps {
    double matched;
    double moved;                    /* symbols that stand elsewhere; they are in no gap */
    double scattered_a, scattered_b; /* unmatched symbols outside of blocks */
    struct edit_gap *blocks;         /* owned */
    size_t block_count;
    uint32_t block_least; /* a gap of so many symbols, of both signatures together, is a block */
    double evidence;      /* nats that speak for these blocks and against scattered edits alone */
};

stemma_status find_gaps(const struct matching *matching, struct edit_gaps *out, stemma_error *err);
/* The same, read as scattered edits alone. Nothing to release. */
struct edit_gaps gaps_without_blocks(const struct edit_gaps *gaps);
void gaps_release(struct edit_gaps *gaps);

#endif
