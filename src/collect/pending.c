#include "collect/pending.h"

#include "base/clock.h"

/* What a killed `add` loses at most. Each commit costs four syncs, and more segments to merge: it is best
 * made when a segment would be written in any case. */
enum { DOCUMENTS_MOST = 1 << 18, DOCUMENTS_SOME = 1 << 16 };
#define BYTES_MOST ((uint64_t)1 << 30)
#define OFTEN      5. /* seconds, unless the disk is so slow */
enum { SHARE = 20 };  /* that commits would take more than a 20th of the time */

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
    const double begin = clock_seconds();
    stemma_status status = batch_commit(p->batch, err);
    p->spent += clock_seconds() - begin;
    forget(p);
    return status;
}

static bool is_full(const struct pending *p) {
    const size_t size = batch_size(p->batch);
    return size >= DOCUMENTS_MOST || p->bytes >= BYTES_MOST ||
           (size >= DOCUMENTS_SOME && batch_is_full(p->batch));
}

static bool is_old(const struct pending *p) {
    const double now = p->often ? clock_seconds() : p->began;
    return now - p->began >= OFTEN && p->spent * SHARE <= now - p->first;
}

bool pending_drops(const struct pending *p, uint64_t number) {
    return p->batch && batch_drops(p->batch, number);
}

static stemma_status begin(struct pending *p, stemma_error *err) {
    if (p->batch) return STEMMA_OK;
    p->began = clock_seconds();
    if (p->first == 0) p->first = p->began;
    return batch_new(p->store, &p->batch, err);
}

stemma_status pending_find(struct pending *p, const void *id, size_t size, struct id_place *place,
                           stemma_error *err) {
    return p->batch ? batch_find(p->batch, id, size, place, err)
                    : collection_place(p->store, id, size, place, err);
}

stemma_status pending_record(struct pending *p, const struct id_place *place, struct row *row,
                             stemma_error *err) {
    bool found;
    return p->batch ? batch_record(p->batch, place, row, err)
                    : collection_record(p->store, place->number, row, &found, err);
}

stemma_status pending_row(struct pending *p, const struct id_place *place, struct row *row,
                          stemma_error *err) {
    TRY(begin(p, err));
    return batch_row(p->batch, place, row, err);
}

stemma_status pending_put_at(struct pending *p, const struct id_place *place, const struct row *row,
                             uint64_t bytes, uint64_t *number, stemma_error *err) {
    TRY(begin(p, err));
    TRY(batch_put_at(p->batch, place, row, number, err));
    p->bytes += bytes;
    return is_full(p) || is_old(p) ? pending_commit(p, err) : STEMMA_OK;
}

stemma_status pending_put(struct pending *p, const struct row *row, uint64_t bytes, uint64_t *number,
                          stemma_error *err) {
    struct id_place place;
    TRY(pending_find(p, row->id.bytes, row->id.size, &place, err));
    return pending_put_at(p, &place, row, bytes, number, err);
}

stemma_status pending_remove(struct pending *p, const void *id, size_t size, bool *was_there,
                             stemma_error *err) {
    TRY(begin(p, err));
    return batch_remove(p->batch, id, size, was_there, err);
}
