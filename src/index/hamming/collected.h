/* The fingerprints of a collection as a source of hamming_query. */
#ifndef INDEX_HAMMING_COLLECTED_H
#define INDEX_HAMMING_COLLECTED_H

#include "index/collection.h"
#include "index/hamming/parts.h"
#include "index/hamming/retrieval.h"

struct collected;

/* The collection must outlive it; after a follow or a commit another one is needed. UNSUPPORTED when it has
 * no fingerprints. */
stemma_status collected_new(struct collection *collection, struct collected **out, stemma_error *err);
void collected_free(struct collected *collected);

/* Stays while it does. */
const struct hamming_source *collected_source(const struct collected *collected);

#endif
