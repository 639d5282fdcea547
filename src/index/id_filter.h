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

/* *may_have is false: no record of the run has this key. The filter is made, of at most `most` bytes, when so
 * many were asked for that reading the whole run is cheaper; of a damaged run there is none, since who asks
 * may not need what is damaged. Errors: IO, NO_MEMORY. */
stemma_status id_filter_look(struct id_filter *filter, struct run *run, struct run_reader *reader,
                             uint64_t key, size_t most, bool *may_have, stemma_error *err);
void id_filter_release(struct id_filter *filter);

#endif
