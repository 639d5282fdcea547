/* Exact numbers from full sets of fingerprints, in memory or spilled. */
#ifndef ESTIMATE_EXACT_H
#define ESTIMATE_EXACT_H

#include "base/spill.h"

struct overlap {
    uint64_t a, b, common; /* distinct fingerprints */
};

/* Both sets are finished and unique. */
stemma_status overlap_of(struct spill *a, struct spill *b, struct overlap *out, stemma_error *err);

/* Resemblance and containment; not known for an empty set. */
struct estimates;
void overlap_quantities(const struct overlap *overlap, struct estimates *out);

#endif
