/* Which ids a segment certainly does not have: most that a batch asks about are new, and each would cost a
 * read. */
#ifndef INDEX_ID_FILTER_H
#define INDEX_ID_FILTER_H

#include "runs/run.h"

#include <stdbool.h>

struct id_filter {
    uint64_t *words; /* NULL: there is none */
    uint64_t count;
    uint64_t asked; /* how often, while there was none; UINT64_MAX: there will be none */
};

/* It is asked once more: whether so often that reading the whole run is cheaper. */
bool id_filter_due(struct id_filter *filter, struct run *run);
/* Of at most `most` bytes, with fewer for a key where these do not do, or none; nor of a damaged run, since
 * who asks may not need what is damaged. Errors: IO, NO_MEMORY. */
stemma_status id_filter_make(struct id_filter *filter, struct run *run, struct run_reader *reader,
                             size_t most, stemma_error *err);
/* False: no record of the run has this key. */
bool id_filter_may_have(const struct id_filter *filter, uint64_t key);
size_t id_filter_bytes(const struct id_filter *filter);
void id_filter_release(struct id_filter *filter);

#endif
