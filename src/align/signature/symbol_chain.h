/*
 * Which symbols of two signatures correspond: a longest chain of equal symbols, in order in both, without
 * what chance alone would have put there.
 */
#ifndef ALIGN_SYMBOL_CHAIN_H
#define ALIGN_SYMBOL_CHAIN_H

#include "sketch/signature.h"

#include <stddef.h>
#include <stdint.h>

struct symbol_pair {
    uint32_t a, b; /* places in the two signatures, counted from 1 */
};

struct matching {
    /* Ascending in both; owned. The first, {0, 0}, and the last are the ends of the texts. */
    struct symbol_pair *pairs;
    size_t count;
    /* Symbols before each pair, after the one before it, that occur once in both and stand elsewhere: moved
     * text. All 0 when there are no more of them than chance would give. */
    uint32_t *moved_a, *moved_b; /* owned */
    bool partial;                /* more may correspond: it repeats too much to be found */
    double p_chance;             /* bound for the probability that unrelated texts give as long a chain */
};

/* Two signatures of one kind, of fewer than 2^32 symbols. O(s log s) for s symbols, however they repeat. */
stemma_status match_symbols(const struct signature *a, const struct signature *b, struct matching *out,
                            stemma_error *err);
void matching_release(struct matching *matching);

#endif
