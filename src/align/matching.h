/*
 * Which symbols of two signatures correspond: a longest chain of equal symbols, in order in both, without what chance
 * alone would have put there.
 */
#ifndef ALIGN_MATCHING_H
#define ALIGN_MATCHING_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct symbol_pair {
    uint32_t a, b; /* places in the two signatures, counted from 1 */
};

struct matching {
    /* Ascending in both; owned. The first, {0, 0}, and the last are the ends of the texts. */
    struct symbol_pair *pairs;
    size_t count;
    double p_chance; /* bound for the probability that unrelated texts give as long a chain */
};

/* Signatures of fewer than 2^32 symbols below `alphabet`. O(s log s) for s symbols, however they repeat. */
stemma_status match_symbols(const uint16_t *a, size_t a_count, const uint16_t *b, size_t b_count,
                            uint32_t alphabet, struct matching *out, stemma_error *err);
void matching_release(struct matching *matching);

#endif
