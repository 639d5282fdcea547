/* The Hamming fingerprints of a collection get another number of bits. */
#ifndef COLLECT_RESIZE_H
#define COLLECT_RESIZE_H

#include "collect/again.h"
#include "index/collection.h"

/* For more bits every document is read again, from where it lies or from its stored text, once for each
 * column that is added. UNREADABLE, with how many and the first, when some cannot be: then the collection is
 * as it was.
 * UNSUPPORTED: it has no fingerprints. */
stemma_status resize_bits(struct collection *store, const struct stemma_recipe *recipe,
                          const stemma_limits *limits, uint32_t bits, stemma_error *err);

#endif
