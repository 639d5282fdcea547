#include "collect/pending.h"

/* What an interrupted `add` loses at most; each commit costs four syncs, and more segments to merge. */
enum { DOCUMENTS_MOST = 1 << 17 };
#define BYTES_MOST ((uint64_t)1 << 30)

/* Most hold the lock for a microsecond: to sleep and to be woken takes longer than to try again. */
static void init_lock(pthread_mutex_t *lock) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifdef __GLIBC__
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

void pending_init(struct pending *p, struct collection *store) {
    *p = (struct pending){.store = store};
    init_lock(&p->lock);
}

static void forget(struct pending *p) {
    batch_free(p->batch);
    p->batch = NULL;
    p->bytes = 0;
}

void pending_release(struct pending *p) {
    forget(p);
    pthread_mutex_destroy(&p->lock);
}

stemma_status pending_commit(struct pending *p, stemma_error *err) {
    if (!p->batch) return STEMMA_OK;
    stemma_status status = batch_commit(p->batch, err);
    forget(p);
    return status;
}

bool pending_drops(const struct pending *p, uint64_t number) {
    return p->batch && batch_drops(p->batch, number);
}

static stemma_status begin(struct pending *p, stemma_error *err) {
    return p->batch ? STEMMA_OK : batch_new(p->store, &p->batch, err);
}

stemma_status pending_put(struct pending *p, const struct row *row, uint64_t bytes, uint64_t *number,
                          stemma_error *err) {
    TRY(begin(p, err));
    TRY(batch_put(p->batch, row, number, err));
    p->bytes += bytes;
    bool full = batch_size(p->batch) >= DOCUMENTS_MOST || p->bytes >= BYTES_MOST;
    return full ? pending_commit(p, err) : STEMMA_OK;
}

stemma_status pending_remove(struct pending *p, const void *id, size_t size, bool *was_there,
                             stemma_error *err) {
    TRY(begin(p, err));
    return batch_remove(p->batch, id, size, was_there, err);
}
