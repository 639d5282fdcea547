/* The edit distance of two documents from their signatures alone: how far apart, by what kind of edits, and
 * where. */
#ifndef ALIGN_ESTIMATED_H
#define ALIGN_ESTIMATED_H

#include "align/signature/symbol_chain.h"
#include "sketch/signature.h"

struct edit_estimate {
    stemma_quantity distance;  /* in characters */
    stemma_quantity unrelated; /* what unrelated texts of these lengths would have */
    double p_unrelated;        /* bound for the probability that unrelated texts agree as much as these */
    stemma_edit_kind kind;     /* never NONE: equal signatures prove nothing; UNKNOWN then */
    uint64_t blocks;           /* stretches that differ as a whole */
    double scattered_edits, block_edits; /* shares of the distance */
};

/* MISMATCH when the signatures differ in n or have no common rate; the finer one is made coarser. */
stemma_status estimate_edit(const struct signature *a, const struct signature *b, struct edit_estimate *out,
                            stemma_error *err);

#endif
