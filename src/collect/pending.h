/* What is to be changed in a collection by the next commit, from any thread. */
#ifndef COLLECT_PENDING_H
#define COLLECT_PENDING_H

#include "index/collection.h"

#include <pthread.h>

struct pending {
    struct collection *store; /* open to be written */
    pthread_mutex_t
        lock; /* of the store and what follows: who asks the store while others add holds it, too */
    struct batch *batch; /* NULL: nothing is to be changed */
    uint64_t bytes;      /* of the documents in it */
};

void pending_init(struct pending *pending, struct collection *store);
void pending_release(struct pending *pending); /* what was not committed is forgotten */

/* All with the lock held. */

/* bytes: of the document. What has become large is committed. */
stemma_status pending_put(struct pending *pending, const struct row *row, uint64_t bytes, uint64_t *number,
                          stemma_error *err);
stemma_status pending_remove(struct pending *pending, const void *id, size_t size, bool *was_there,
                             stemma_error *err);
/* Whether the document of the store is about to go. */
bool pending_drops(const struct pending *pending, uint64_t number);
stemma_status pending_commit(struct pending *pending, stemma_error *err);

#endif
