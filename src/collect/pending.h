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
    bool often;          /* commits also by time: for those whose commits are not counted on by others */
    double began;        /* the batch, */
    double first, spent; /* and the first one; seconds that commits took */
};

void pending_init(struct pending *pending, struct collection *store);
void pending_release(struct pending *pending); /* what was not committed is forgotten */

/* All with the lock held. */

/* What has the id by now, committed or not; the place holds until the next change. */
stemma_status pending_find(struct pending *pending, const void *id, size_t size, struct id_place *place,
                           stemma_error *err);
/* Of a place that was found: id and facts, until the next call; the whole row, to be changed and put. */
stemma_status pending_record(struct pending *pending, const struct id_place *place, struct row *row,
                             stemma_error *err);
stemma_status pending_row(struct pending *pending, const struct id_place *place, struct row *row,
                          stemma_error *err);
/* bytes: of the document. What has become large, or old, is committed. */
stemma_status pending_put(struct pending *pending, const struct row *row, uint64_t bytes, uint64_t *number,
                          stemma_error *err);
/* The same, where the id was looked for. */
stemma_status pending_put_at(struct pending *pending, const struct id_place *place, const struct row *row,
                             uint64_t bytes, uint64_t *number, stemma_error *err);
stemma_status pending_remove(struct pending *pending, const void *id, size_t size, bool *was_there,
                             stemma_error *err);
/* Whether the document of the store is about to go. */
bool pending_drops(const struct pending *pending, uint64_t number);
stemma_status pending_commit(struct pending *pending, stemma_error *err);

#endif
