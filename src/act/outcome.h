/* How a step went, of acting as of undoing. */
#ifndef ACT_OUTCOME_H
#define ACT_OUTCOME_H

#include "base/error.h"

/* A check that said no, or a file that is gone, is no failure. good: what OK means. */
static inline stemma_outcome outcome_of(stemma_status status, stemma_outcome good) {
    if (status == STEMMA_OK) return good;
    return status == STEMMA_UNSUPPORTED || status == STEMMA_NOT_FOUND ? STEMMA_STEP_SKIPPED
                                                                      : STEMMA_STEP_FAILED;
}

/* Ends all, instead of one step. */
static inline bool ends_all(stemma_status status) {
    return status == STEMMA_INTERRUPTED || status == STEMMA_NO_MEMORY;
}

static inline void totals_count(stemma_act_totals *totals, stemma_outcome outcome, uint64_t bytes) {
    bool good = outcome == STEMMA_STEP_DONE || outcome == STEMMA_STEP_POSSIBLE;
    totals->done += good;
    totals->done_bytes += good ? bytes : 0;
    totals->skipped += outcome == STEMMA_STEP_SKIPPED;
    totals->failed += outcome == STEMMA_STEP_FAILED;
}

#endif
