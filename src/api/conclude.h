/* From what is known of two documents to the answer of a comparison. */
#ifndef API_CONCLUDE_H
#define API_CONCLUDE_H

#include "api/intake.h"
#include "estimate/estimate.h"

/* identical, same-text, unknown where there is too little text, or what the numbers say. */
void conclude(const struct facts *a, const struct facts *b, uint32_t window,
              const struct estimates *estimates, const stemma_thresholds *thresholds, stemma_comparison *out);

#endif
