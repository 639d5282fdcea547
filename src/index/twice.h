/* Ids that more than one document of a collection has, which damage alone can bring about. */
#ifndef INDEX_TWICE_H
#define INDEX_TWICE_H

#include "index/state.h"

typedef stemma_status found_twice(void *context, uint64_t earlier, uint64_t later, stemma_error *err);

/* In the segments that are sound (by their places; NULL: all are). Earlier ones are gone from then on, and
 * `found` gets each with one that stays. */
stemma_status find_twice(const struct collection *collection, struct state *state, const bool *sound,
                         found_twice *found, void *context, stemma_error *err);

#endif
