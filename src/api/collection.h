/* What a caller of stemma/collection.h holds: a collection of src/index, and how documents become its
 * rows. */
#ifndef API_COLLECTION_H
#define API_COLLECTION_H

#include "collect/collecting.h"
#include "collect/pending.h"
#include "index/collection.h"

#include <pthread.h>

struct stemma_collection {
    struct collection *store;
    const struct stemma_recipe *recipe; /* retained */
    stemma_limits limits;
    bool writes;
    struct origin *model;   /* that it was made like: standard input, which can be read only once; or NULL */
    struct pending pending; /* of a writer; the lock is held by nobody between calls */
    struct collecting *adding;     /* the last _add, for its problems */
    struct collecting *texts;      /* for documents in memory; NULL: there were none */
    stemma_collection_part *parts; /* that were given last */
    size_t part_cap;
    stemma_error health;                 /* what was found when it was asked for */
    struct seeing *seeing;               /* a stream; NULL: there was none */
    struct direct *direct;               /* for questions about documents in memory; NULL: there were none */
    stemma_query_options direct_options; /* how the last was asked */
    pthread_mutex_t measuring;           /* what takes more memory than other threads of a query leave */
};

/* INVALID where it is not open to be written. */
stemma_status collection_check_writer(const struct stemma_collection *collection, stemma_error *err);

/* What was made for the parts there were, and for documents that came: the parts are about to change. */
void collection_forget_parts(struct stemma_collection *collection);

/* Texts that have no Hamming fingerprint, where others do. */
stemma_status collection_without_bits(struct stemma_collection *collection, uint64_t *count,
                                      stemma_error *err);

/* INVALID where a collection is there already. */
stemma_status collection_refuse_existing(const char *path, stemma_error *err);

#endif
