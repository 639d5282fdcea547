/* How many different fingerprints there are among many. */
#ifndef ESTIMATE_DISTINCT_H
#define ESTIMATE_DISTINCT_H

#include "base/buf.h"
#include "base/error.h"

/* Scratch, zeroed at first, and reusable. */
struct distinct {
    struct vec64 cells;
    struct vec64 crowded;
};

stemma_status distinct_count(struct distinct *scratch, const uint64_t *fp, size_t count, size_t *out,
                             stemma_error *err);
void distinct_release(struct distinct *scratch);

#endif
